"""Hooks beside the MCP entry: what is written, what stays, and what `disconnect` takes back."""

# pyright: basic
from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from recollect.cli.clients import CLIENTS, launch_command
from recollect.cli.hook_forms import MOMENTS
from recollect.cli.wiring import WIRINGS
from recollect.config import client_folders
from recollect.engine.hook_log import read_calls

CLAUDE_HOOKS = """{
    "theme": "dark",
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}
        ],
        "PreToolUse": []
    }
}
"""


@pytest.fixture(autouse=True)
def project(shell, monkeypatch):
    monkeypatch.setattr("recollect.config.client_folders.__defaults__", (os.environ, "linux"))
    folder = shell.home / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("client", WIRINGS)
def test_hooks_are_written_once_and_taken_back_whole(shell, client):
    first = shell("connect", client, "--auto", "--yes")
    assert first.code == 0, first.err
    assert "From the next session of" in first.out
    written = files(shell.home)
    assert str(WIRINGS[client].file(client_folders(), project=False)) in written
    assert shell("connect", client, "--auto", "--yes").out.startswith("already connected")
    assert files(shell.home) == written
    assert shell("disconnect", client, "--yes").code == 0
    assert list(shell.home.rglob("*")) == [Path.cwd()]
    assert shell("disconnect", client, "--yes").out == f"{CLIENTS[client].title} was not connected\n"


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("again", [("--space", "work"), ("--as", "rusty-mem"), ("--auto",)], ids=lambda one: one[-1])
def test_what_was_connected_otherwise_in_between_is_taken_back_whole(shell, client, shared, again):
    if shared and client == "claude-desktop":
        pytest.skip("it has no settings of a project")
    scope = ["--project"] if shared else []
    first = [] if again == ("--auto",) or client not in WIRINGS else ["--auto"]
    more = [one for one in (*first, *again) if client in WIRINGS or one != "--auto"]
    for options in (first, more):
        assert shell("connect", client, *options, *scope, "--yes").code == 0
    assert shell("disconnect", client, *scope, "--yes").code == 0
    assert list(shell.home.rglob("*")) == [Path.cwd()]


BEFORE = {
    "no file": None,
    "an empty file": "",
    "comments": '// mine\n{\n  // and this\n  "theme": "dark",\n}\n',
    "hooks of others": CLAUDE_HOOKS,
}


@pytest.mark.parametrize("shared", [False, True], ids=["of the user", "of a project"])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("client", WIRINGS)
def test_what_was_there_is_so_again_byte_by_byte_with_folders_that_were_empty(shell, client, before, shared):
    scope, text = (["--project"] if shared else []), BEFORE[before]
    paths = {one.file(client_folders(), project=shared) for one in (CLIENTS[client], WIRINGS[client])}
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None and path.suffix in (".json", ".jsonc"):
            path.write_text(text)
        elif text is not None and path.suffix == ".toml":
            path.write_text('# mine\nmodel = "o3"  # and this\n' if text else "")
    old, folders = files(shell.home), sorted(shell.home.rglob("*"))
    outcome = shell("connect", client, "--auto", "--yes", *scope)
    refused = before == "comments" and "a comment, which this file may not have" in outcome.err
    assert (outcome.code, files(shell.home) != old) == ((1, False) if refused else (0, True)), outcome.err
    assert shell("disconnect", client, "--yes", *scope).code == 0 or refused
    assert (files(shell.home), sorted(shell.home.rglob("*"))) == (old, folders)


def test_doctor_says_that_calls_are_not_noted_before_there_is_a_store(shell):
    (shell.home / ".codex").mkdir()
    shell("connect", "codex", "--auto", "--yes")
    told = shell("doctor").out
    assert ("never called" in told, "noted once there is a store" in told) == (False, True)
    shell.remember("Releases are cut on Thursdays.")
    assert "never called" in shell("doctor").out


def test_what_others_wrote_stays_with_its_folder_and_without_a_copy_of_ours(shell, monkeypatch):
    own = shell.home / ".codex"  # also where it is named as it is called anyway: without it Codex would not start
    monkeypatch.setenv("CODEX_HOME", str(own))
    own.mkdir()
    plugin = shell.home / ".config/opencode/plugins/recollect.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("// a plugin of my own by this name\n")
    before = files(shell.home)
    shell("connect", "codex", "--auto", "--yes")
    for client in ("codex", "opencode"):
        shell("disconnect", client, "--yes")
    assert (own.is_dir(), files(shell.home)) == (True, before)


@pytest.mark.parametrize("client", [name for name, wiring in WIRINGS.items() if not wiring.script])
def test_hooks_of_others_that_hold_our_words_stay_and_are_not_taken_for_ours(shell, client):
    wiring = WIRINGS[client]
    event, path = wiring.events[-1], wiring.file(client_folders(), project=False)
    others = [
        f"date >> ~/recollect.log; otto hook {client} {event}",
        f"my-recollect hook {client} {event} --mine",
        f"/usr/bin/recollect hook {client} {event} --space work && say done",
        f"recollect hook {client} {event} > ~/mine.log",
        f"echo 'recollect hook {client} {event}",
    ]
    hooks = [{"type": "command", "command": one} for one in others]
    text = json.dumps({**wiring.frame, "hooks": {event: [{"hooks": hooks}] if wiring.grouped else hooks}}, indent=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert shell("connect", client, "--auto", "--space", "a b", "--yes").code == 0
    assert all(json.dumps(one) in path.read_text() for one in others)
    assert wiring.holds(path.read_text())
    assert shell("disconnect", client, "--yes").code == 0
    assert (path.read_text(), wiring.holds(text)) == (text, False)


@pytest.mark.parametrize("program", ["recollect", "/a b/recollect", "'/a b/python' -m recollect.cli"])
def test_every_form_in_which_our_hook_was_ever_started_is_known_as_ours(program):
    program = program if program[0] == "'" else shlex.quote(program)
    for options in ("", " --space 'a; b'", " --space work --home '/a b'", " --store postgresql://h/db"):
        hook = {"command": f"{program} hook cursor stop{options}"}
        assert WIRINGS["cursor"].holds(json.dumps({"hooks": {"stop": [hook]}})), hook


def test_a_plugin_of_somebody_else_by_our_name_is_neither_overwritten_nor_deleted(shell):
    path = shell.home / ".config/opencode/plugins/recollect.js"
    path.parent.mkdir(parents=True)
    path.write_text("// mine; see recollect connect opencode --auto\nexport const Mine = 1\n")
    before = files(shell.home)
    outcome = shell("connect", "opencode", "--auto", "--yes")
    assert outcome.code == 1
    assert f"{path}: this is a plugin of somebody else; rename it" in outcome.err
    shell("disconnect", "opencode", "--yes")
    assert files(shell.home) == before


@pytest.mark.parametrize("client", [name for name, wiring in WIRINGS.items() if not wiring.script])
def test_every_event_that_is_written_means_something_to_the_hook(client):
    assert set(WIRINGS[client].events) <= set(MOMENTS[client])
    hooks = json.loads(WIRINGS[client].wired("", ["recollect"], ["--space", "a b"]))["hooks"]
    for event, entries in hooks.items():
        assert f"recollect hook {client} {event} --space 'a b'" in json.dumps(entries)


def test_other_hooks_stay_and_come_out_byte_for_byte(shell):
    path = shell.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(CLAUDE_HOOKS)
    shell("connect", "claude", "--auto", "--yes")
    hooks = json.loads(path.read_text())["hooks"]
    assert [len(hooks[event]) for event in ("Stop", "SessionStart", "PreToolUse")] == [2, 1, 0]
    assert hooks["Stop"][0] == {"hooks": [{"type": "command", "command": "say done"}]}
    shell("disconnect", "claude", "--yes")
    assert files(shell.home) == {str(path): CLAUDE_HOOKS.encode()}


@pytest.mark.parametrize(
    ("client", "file", "text"),
    [
        ("codex", ".codex/hooks.json", '{"hooks": {}}'),
        ("codex", ".codex/config.toml", '# mine\nmodel = "x" # keep\n\n[mcp_servers.other]\ncommand = "y"\n'),
        ("cursor", ".cursor/mcp.json", '{\n  // mine\n  "mcpServers": {}\n}\n'),
        ("cursor", ".cursor/mcp.json", '{\n  "mcpServers": { /* none yet */ },\n}\n'),
        ("cursor", ".cursor/hooks.json", '{\n  "hooks": {"stop": [ /* none yet */ ], /* nor here */},\n}\n'),
        ("vscode", ".config/Code/User/mcp.json", '{\n  // note\n  "servers": {"a": {"command": "b",},},\n}\n'),
        ("gemini", ".gemini/settings.json", '{\n  "theme": "x" /* y */,\n  "hooks": {}\n}'),
        ("opencode", ".config/opencode/opencode.jsonc", '{\n  // hello\n  "mcp": {},\n}\n'),
        ("claude", ".claude.json", '{\n\t"mcpServers": {}\n}'),
    ],
)
def test_what_was_empty_or_had_comments_is_afterwards_as_it_was_before(shell, client, file, text):
    path = shell.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    before = files(shell.home)
    assert shell("connect", client, "--auto", "--yes").code == 0
    assert path.read_text() != text
    assert shell("disconnect", client, "--yes").code == 0
    assert files(shell.home) == before


def test_an_older_hook_is_brought_up_to_date_and_not_doubled(shell):
    path = shell.home / ".cursor/hooks.json"
    path.parent.mkdir()
    old = [{"command": "/old/venv/bin/recollect hook cursor stop"}, {"command": "other"}]
    path.write_text(json.dumps({"version": 1, "hooks": {"stop": old}}))
    shell("connect", "cursor", "--auto", "--yes")
    stop = [entry["command"] for entry in json.loads(path.read_text())["hooks"]["stop"]]
    assert stop[0] == "other"
    assert len(stop) == 2
    assert not stop[1].startswith("/old")


@pytest.mark.parametrize("client", WIRINGS)
def test_what_a_team_shares_holds_no_path_of_this_machine(shell, client):
    assert shell("connect", client, "--auto", "--project", "--yes").code == 0
    for path, data in files(Path.cwd()).items():
        assert b"bin/" not in data, path
        assert b"recollect" in data
    assert shell("disconnect", client, "--project", "--yes").code == 0
    assert files(Path.cwd()) == {}


@pytest.mark.parametrize("client", CLIENTS)
def test_files_that_begin_with_a_mark_of_their_encoding_are_as_they_were_after_connect_and_disconnect(shell, client):
    wiring, auto = WIRINGS.get(client), [] if client not in WIRINGS else ["--auto"]
    paths = {CLIENTS[client].file(client_folders(), project=False)}
    paths |= set() if wiring is None or wiring.script else {wiring.file(client_folders(), project=False)}
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\xef\xbb\xbf" + (b'a = "b"' if path.suffix == ".toml" else b'{"a": {"b": "c"}}'))
    before = files(shell.home)
    assert shell("connect", client, *auto, "--yes").code == 0
    assert all(path.read_bytes()[:4] == before[str(path)][:4] and b"recollect" in path.read_bytes() for path in paths)
    assert [one["client"] for one in shell.json("status")["clients"]] == [client]
    outcome = shell("disconnect", client, "--yes")
    assert (outcome.code, files(shell.home)) == (0, before), outcome.err


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("command", ["connect", "disconnect"])
def test_what_is_wrong_in_a_file_is_told_with_the_name_of_the_file(shell, client, command):
    path = CLIENTS[client].file(client_folders(), project=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\xef\xbb\xbfa b")
    outcome = shell(command, client, "--yes")
    assert (outcome.code, f"{path}, line 1: " in outcome.err) == (1, True)
    assert files(shell.home) == {str(path): b"\xef\xbb\xbfa b"}


@pytest.mark.parametrize("client", WIRINGS)
def test_a_server_by_another_name_goes_too_and_so_do_several(shell, client):
    shell("connect", client, "--auto", "--name", "mem", "--yes")
    shell("connect", client, "--auto", "--name", "work", "--space", "work", "--yes")
    some = shell("disconnect", client, "--name", "mem", "--yes").out
    assert f"but {CLIENTS[client].title} still uses this memory:\n  the server work in {shell.home}" in some
    assert some.endswith(f"to take it out: recollect disconnect {client}\n")
    assert "no longer uses this memory once" in shell("disconnect", client, "--yes").out
    assert list(shell.home.rglob("*")) == [Path.cwd()]


@pytest.mark.parametrize("client", WIRINGS)
def test_what_stays_connected_elsewhere_is_told_with_what_takes_it_out(shell, client):
    for scope in ([], ["--project"]):
        shell("connect", client, "--auto", *scope, "--yes")
    stays = shell.json("disconnect", client, "--yes")["stays"]
    assert {one["command"] for one in stays} == {f"recollect disconnect {client} --project"}
    assert {one["what"] for one in stays} == {"the server recollect", "hooks"}
    again = shell("disconnect", client, "--yes").out
    assert again.startswith(f"{CLIENTS[client].title} was not connected; this is there:\n  the server recollect in ")
    assert "no longer uses this memory in this project" in shell("disconnect", client, "--project", "--yes").out
    assert list(shell.home.rglob("*")) == [Path.cwd()]


def test_a_server_that_somebody_wrote_in_another_form_stays_until_it_is_named(shell):
    path = shell.home / ".cursor/mcp.json"
    path.parent.mkdir()
    text = json.dumps({"mcpServers": {"mine": {"command": "uvx", "args": ["recollect", "serve"]}}})
    path.write_text(text)
    outcome = shell("disconnect", "cursor", "--yes").out
    assert outcome.endswith(f"the server mine in {path}; to take it out: recollect disconnect cursor --name mine\n")
    assert path.read_text() == text
    shell("disconnect", "cursor", "--name", "mine", "--yes")
    assert "mine" not in (path.read_text() if path.exists() else "")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_of_somebody_else_is_not_replaced_by_ours_of_the_same_name(shell, client):
    chosen = CLIENTS[client]
    path = chosen.file(client_folders(), project=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(chosen.snippet("tickets", ["tickets", "serve"]))
    before = files(shell.home)
    outcome = shell("connect", client, "--name", "tickets", "--yes")
    assert (outcome.code, f"{path} has another server by the name 'tickets'" in outcome.err) == (2, True)
    assert files(shell.home) == before
    assert shell("connect", client, "--yes").code == shell("disconnect", client, "--yes").code == 0
    assert files(shell.home) == before


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_kept_beside_a_file_is_of_before_us_also_where_the_file_was_made_for_us(shell, client):
    path = CLIENTS[client].file(client_folders(), project=False)
    shell("connect", client, "--yes")
    own = 'a = "b"\n' if path.suffix == ".toml" else '{"a": "b",'
    path.write_text(own + path.read_text().removeprefix("{"))
    shell("connect", client, "--space", "work", "--yes")
    assert b"serve" not in path.with_name(f"{path.name}.bak").read_bytes()
    shell("disconnect", client, "--yes")
    assert [str(path)] == list(files(shell.home))
    assert "".join(path.read_text().split()) in ('a="b"', '{"a":"b"}')


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("text", ["", "\n"])
def test_an_empty_file_that_was_there_before_is_empty_again(shell, client, text):
    path = CLIENTS[client].file(client_folders(), project=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    for options in ([], ["--space", "work"]):
        shell("connect", client, *options, "--yes")
    shell("disconnect", client, "--yes")
    assert files(shell.home) == {str(path): text.encode()}


def test_without_a_yes_nothing_is_written(shell):
    outcome = shell("connect", "claude", "--auto")
    assert outcome.code == 2
    assert "hook claude SessionStart" in outcome.out
    assert files(shell.home) == {}


def test_a_file_that_cannot_be_edited_leaves_all_files_alone(shell):
    path = shell.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {"Stop": 7}}')
    outcome = shell("connect", "claude", "--auto", "--yes")
    assert outcome.code == 1
    assert "hooks.Stop is not a list; nothing was changed. Add this by hand:" in outcome.err
    assert list(files(shell.home)) == [str(path)]


def test_a_client_without_hooks_says_so(shell):
    outcome = shell("connect", "claude-desktop", "--auto", "--yes")
    assert (outcome.code, "Claude Desktop has no hooks; leave out --auto" in outcome.err) == (2, True)


def test_doctor_and_status_say_how_a_client_is_connected(shell):
    shell("connect", "codex", "--auto", "--yes")
    shell("connect", "cursor", "--yes")
    found = {one["client"]: (one["server"], one["hooks"]) for one in shell.json("status")["clients"]}
    assert found == {"codex": (True, True), "cursor": (True, False)}
    assert "never called" in shell("doctor").out


@pytest.mark.skipif(shutil.which("node") is None, reason="opencode's plugin runs in node")
def test_the_plugin_of_opencode_gives_a_session_its_brief_and_its_answers(shell, tmp_path):
    shell.remember("The billing service uses the database PostgreSQL 16.")
    shell("connect", "opencode", "--auto", "--yes", "--home", str(shell.store))
    plugin = (shell.home / ".config/opencode/plugins/recollect.js").read_text()
    script = tmp_path / "try.mjs"
    script.write_text(
        plugin.replace("const PATIENCE = 2000", "const PATIENCE = 60000")
        + """
const hooks = await Recollect({ directory: process.cwd() })
await hooks["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "Which database is billing's?" }] })
const output = { system: [] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, output)
console.log(JSON.stringify(output.system))
"""
    )
    patient = {**os.environ, "RECOLLECT_HOOK_SECONDS": "60"}
    ran = subprocess.run(["node", str(script)], env=patient, capture_output=True, text=True, check=True)
    brief, *_ = json.loads(ran.stdout)
    assert "PostgreSQL 16" in brief


@pytest.mark.skipif(shutil.which("node") is None, reason="opencode's plugin runs in node")
def test_the_plugin_of_opencode_has_what_was_said_kept(shell, tmp_path):
    shell.remember("The billing service uses the database PostgreSQL 16.")
    shell("connect", "opencode", "--auto", "--yes", "--home", str(shell.store))
    plugin = (shell.home / ".config/opencode/plugins/recollect.js").read_text()
    script = tmp_path / "try.mjs"
    script.write_text(
        plugin.replace("const PATIENCE = 2000", "const PATIENCE = 60000")
        + """
const time = { created: 1_760_000_000_000 }
const data = [
  { info: { role: "user", time }, parts: [{ type: "text", text: "Which queue?" }] },
  { info: { role: "assistant", time }, parts: [{ type: "tool" }, { type: "text", text: "The fast one." }] },
]
const hooks = await Recollect({ client: { session: { messages: async () => ({ data }) } }, directory: process.cwd() })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
"""
    )
    subprocess.run(["node", str(script)], check=True)
    while not any(call.event == "session.idle" for call in read_calls(shell.store)):
        os.sched_yield()
    said = shell.json("list", "--kind", "message", "--order", "position")["records"]
    assert [(one["role"], one["text"]) for one in said] == [("user", "Which queue?"), ("assistant", "The fast one.")]


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_prompt_is_answered_by_the_running_server_where_the_client_can_ask_it(shell, client):
    wiring = WIRINGS[client]
    path = wiring.file(client_folders(), project=False)
    shell("connect", client, "--auto", "--yes", "--name", "mine")
    (asked,) = json.loads(path.read_text())["hooks"]["UserPromptSubmit"][0]["hooks"]
    assert (asked["type"], asked["server"], asked["tool"]) == ("mcp_tool", "mine", "hook")
    assert asked["input"]["event"] == "${hook_event_name}"
    shell("connect", client, "--auto", "--yes", "--name", "mine", "--as", "memory-mcp")
    (asked,) = json.loads(path.read_text())["hooks"]["UserPromptSubmit"][0]["hooks"]
    assert asked["command"].endswith(f"hook {client} UserPromptSubmit")


def test_plugins_hold_what_connect_writes_and_one_skill_and_no_path_of_this_machine(shell, tmp_path):
    folder = tmp_path / "plugins"
    assert shell("plugin", str(folder)).out.startswith(f"written: {folder}")
    first = files(folder)
    shell("plugin", str(folder))
    assert files(folder) == first
    skills = {path.read_text() for path in folder.rglob("SKILL.md")}
    assert len(list(folder.rglob("SKILL.md"))) == 4
    assert len(skills) == 1
    assert not any(str(tmp_path).encode() in data or b".venv" in data for data in first.values())
    for client in ("claude", "codex", "cursor", "gemini"):
        hooks = json.loads((folder / client / "hooks" / "hooks.json").read_text())["hooks"]
        assert sorted(hooks) == sorted(WIRINGS[client].events)
    wrong = shell("plugin", str(next(folder.rglob("SKILL.md"))))
    assert (wrong.code, "is a file" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".claude-plugin/marketplace.json", '{"name": "acme", "plugins": []}'),
        (".claude-plugin/marketplace.json", '{"name": "recollect", "plugins": [{"name": "recollect"}, {"name": "x"}]}'),
        (".agents/plugins/marketplace.json", "no JSON"),
        ("gemini/gemini-extension.json", '{"name": "mine"}'),
        ("claude/.mcp.json", '{"mcpServers": {}}'),
    ],
)
def test_a_marketplace_or_plugin_of_somebody_else_is_named_and_nothing_is_written(shell, tmp_path, file, text):
    path = tmp_path / "plugins" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    outcome = shell("plugin", str(tmp_path / "plugins"))
    assert (outcome.code, f"{path} is not of recollect, and would be overwritten" in outcome.err) == (2, True)
    assert files(tmp_path / "plugins") == {str(path): text.encode()}


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_plugins_that_were_killed_at_any_file_are_written_whole_by_the_next_run(shell, tmp_path, monkeypatch, call):
    shell("plugin", str(tmp_path / "whole"))
    whole = {name.removeprefix(str(tmp_path / "whole")): text for name, text in files(tmp_path / "whole").items()}
    for at in range(len(whole)):
        folder, done, usual = tmp_path / f"killed-{at}", itertools.count(), getattr(os, call)

        def killed(*given, at=at, done=done, usual=usual):
            if next(done) == at:
                raise KeyboardInterrupt
            usual(*given)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, killed)
            patch.setattr(Path, "unlink", lambda *_, **__: None)  # who is killed tidies nothing up
            assert shell("plugin", str(folder)).code != 0
        assert shell("plugin", str(folder)).code == 0
        assert {name.removeprefix(str(folder)): text for name, text in files(folder).items()} == whole


def test_the_manifest_for_cursor_has_what_its_published_schema_knows_and_points_to_what_is_there(shell, tmp_path):
    shell("plugin", str(tmp_path / "plugins"))
    folder = tmp_path / "plugins" / "cursor"
    manifest = json.loads((folder / ".cursor-plugin" / "plugin.json").read_text())
    told = {"name", "version", "description", "author", "license", "keywords"}
    assert set(manifest) == told | {"skills", "hooks", "mcpServers"}
    assert re.fullmatch("[a-z0-9]([a-z0-9.-]*[a-z0-9])?", manifest["name"])
    assert set(manifest["author"]) <= {"name", "email"}
    assert all((folder / manifest[part]).exists() for part in ("skills", "hooks", "mcpServers"))


@pytest.mark.parametrize("client", ["claude", "codex", "cursor"])
def test_a_client_that_was_disconnected_is_no_longer_in_status(shell, client):
    shell.remember("One.")
    event = next(iter(MOMENTS[client]))
    shell("connect", client, "--auto", "--yes")
    shell("hook", client, event, "--home", str(shell.store), stdin="{}")
    assert [one["client"] for one in shell.json("status")["clients"]] == [client]
    assert shell("disconnect", client, "--yes").code == 0
    assert shell.json("status")["clients"] == []
    shell("hook", client, event, "--home", str(shell.store), stdin="{}")
    assert "by a plugin, or no longer" in shell("status").out


@pytest.mark.parametrize("client", WIRINGS)
def test_doctor_tells_when_what_a_client_starts_is_gone(shell, client):
    shell("connect", client, "--auto", "--yes")
    assert not any("not there" in line for line in shell.json("doctor")["problems"])
    (program,) = launch_command()
    files = [
        CLIENTS[client].file(client_folders(), project=False),
        WIRINGS[client].file(client_folders(), project=False),
    ]
    for file in set(files):
        file.write_text(file.read_text().replace(program, "/old/venv/bin/recollect"))
    found = shell("doctor", "--json")
    (told,) = [line for line in json.loads(found.out)["problems"] if "not there" in line]
    assert found.code == 1
    assert told.startswith(CLIENTS[client].title)
    assert all(f" in {file} (/old/venv/bin/recollect)" in told for file in files)
    assert f"`recollect connect {client} --auto` writes where it is now" in told
    shell("connect", client, "--auto", "--yes")
    assert not any("not there" in line for line in shell.json("doctor")["problems"])


@pytest.mark.parametrize("client", WIRINGS)
def test_a_client_that_only_this_project_has_is_connected(shell, client):
    shell.remember("One.")
    shell("connect", client, "--auto", "--project", "--yes")
    shell("hook", client, "?", "--home", str(shell.store), stdin="{}")
    (told,) = shell.json("status")["clients"]
    assert [told["client"], told["server"], told["hooks"], told["project"]] == [client, True, True, True]
    assert "server and hooks of this project" in shell("status").out


@pytest.mark.parametrize("client", WIRINGS)
def test_doctor_tells_when_a_client_is_wired_for_the_user_and_for_the_project_too(shell, client):
    title = CLIENTS[client].title
    shell("connect", client, "--auto", "--yes")
    assert not any("twice" in line for line in shell.json("doctor")["advice"])
    shell("connect", client, "--auto", "--project", "--yes")
    (told,) = [line for line in shell.json("doctor")["advice"] if "twice" in line]
    assert told.startswith(f"{title} is connected twice")
    for scope in (False, True):
        assert f"hooks in {WIRINGS[client].file(client_folders(), project=scope)} (to take it out: " in told
    shell("disconnect", client, "--project", "--yes")
    assert not any("twice" in line for line in shell.json("doctor")["advice"])


@pytest.mark.parametrize(
    ("client", "file", "text"),
    [
        ("claude", ".claude/settings.json", '{"enabledPlugins": {"recollect@recollect": true}}'),
        ("codex", ".codex/config.toml", '[plugins."recollect@recollect"]\nenabled = true\n'),
        ("cursor", ".cursor/plugins/local/recollect/mcp.json", "{}"),
        ("gemini", ".gemini/extensions/recollect/gemini-extension.json", "{}"),
    ],
)
def test_a_plugin_beside_hooks_is_told_by_doctor_and_one_that_stays_by_disconnect(shell, client, file, text):
    path = shell.home / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert not any("twice" in line for line in shell.json("doctor")["advice"])
    assert [one["plugin"] for one in shell.json("status")["clients"]] == [True]
    shell("connect", client, "--auto", "--yes")
    (told,) = [line for line in shell.json("doctor")["advice"] if "twice" in line]
    assert "the plugin in " in told
    outcome = shell("disconnect", client, "--yes").out
    assert f"but {CLIENTS[client].title} still uses this memory:\n  the plugin in {shell.home}" in outcome
    assert path.read_text() == text
