// The official TypeScript client, connected to every server that it is told of: lists the tools and calls one.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

let failed = 0;
for (const { name, url, command, args } of JSON.parse(process.argv[2])) {
  const client = new Client({ name: "typescript", version: "1.0.0" });
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, env: process.env });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    if (tools.length === 0) throw new Error("no tools");
    const answer = await client.callTool({ name: "no-such-tool", arguments: {} }).catch((error) => ({ error }));
    if (!answer.isError && !answer.error) throw new Error("a tool that is not there has answered");
    console.log(`typescript ${name}: ${tools.length} tools`);
  } catch (error) {
    failed += 1;
    console.log(`typescript ${name} FAILED: ${error}`);
  }
  await client.close();
}
process.exit(failed ? 1 : 0);
