// Written by `recollect connect opencode --auto`; `recollect disconnect opencode` takes it away again.
// Gives a session what the memory holds for it. It waits for nothing longer than two seconds, and never fails.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const PATIENCE = 2000

function hook(event, told) {
  return new Promise((resolve) => {
    let text = ""
    const [program, ...args] = [...COMMAND.slice(0, -1), event, ...COMMAND.slice(-1)[0]]
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const timer = setTimeout(() => { child.kill(); resolve("") }, PATIENCE)
    child.stdout.on("data", (part) => { text += part })
    child.stdin.on("error", () => {})
    child.on("error", () => { clearTimeout(timer); resolve("") })
    child.on("close", () => { clearTimeout(timer); resolve(text) })
    child.stdin.end(JSON.stringify(told))
  })
}

async function said(client, id) {
  const { data } = await client.session.messages({ path: { id } })
  return (data ?? []).map(({ info, parts }) => ({
    role: info.role,
    content: parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n"),
    created_at: new Date(info.time.created).toISOString(),
  })).filter((message) => message.content.trim())
}

export const Recollect = async ({ client, directory }) => {
  const briefs = new Map() // by session: the brief that it began with
  const answers = new Map() // by session: what answers its last prompt
  return {
    "chat.message": async (input, output) => {
      const told = { session_id: input.sessionID, cwd: directory, source: "startup" }
      if (!briefs.has(input.sessionID)) briefs.set(input.sessionID, await hook("session.created", told))
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      answers.set(input.sessionID, await hook("chat.message", { ...told, prompt }))
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const text of [briefs.get(input.sessionID), answers.get(input.sessionID)]) if (text) output.system.push(text)
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.deleted") { briefs.delete(id); answers.delete(id) }
      if (event.type === "session.compacted") briefs.delete(id)
      if (event.type === "session.idle") {
        const messages = await said(client, id).catch(() => [])
        if (messages.length) await hook("session.idle", { session_id: id, cwd: directory, messages })
      }
    },
  }
}
