from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path

import pytest

from recollect.cli.clients import launch_command

USER_FILES = {
    "claude": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "gemini": ".gemini/settings.json",
}
PROJECT_FILES = {
    "claude": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json",
    "gemini": ".gemini/settings.json",
}  # fmt: skip
KEYS = {"codex": "mcp_servers", "vscode": "servers"}


@pytest.fixture(autouse=True)
def on_linux(shell, monkeypatch):
    """The paths of one platform, in an empty folder of a project."""
    monkeypatch.setattr("recollect.config.client_folders.__defaults__", (os.environ, "linux"))
    project = shell.home / "project"
    project.mkdir()
    monkeypatch.chdir(project)


def servers(path: Path, client: str) -> dict[str, object]:
    text = path.read_text("utf-8")
    return (tomllib.loads(text) if path.suffix == ".toml" else json.loads(text))[KEYS.get(client, "mcpServers")]


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("client", USER_FILES)
def test_connect_makes_the_file_and_the_second_time_changes_nothing(shell, client):
    path = shell.home / USER_FILES[client]
    first = shell("connect", client, "--yes")
    assert first.code == 0, first.err
    assert f"+++ {path} (new)" in first.out
    entry = servers(path, client)["recollect"]
    assert [entry["command"], *entry["args"]] == [*launch_command(), "serve"]
    before = path.read_bytes()
    assert shell("connect", client, "--yes").out == f"already connected: {path}\n"
    assert path.read_bytes() == before
    assert not path.with_name(f"{path.name}.bak").exists()


@pytest.mark.parametrize("client", PROJECT_FILES)
def test_connect_of_a_project_writes_into_this_folder_only(shell, client):
    assert shell("connect", client, "--project", "--yes", "--space", "work", "--home", "/x").code == 0
    entry = servers(Path.cwd() / PROJECT_FILES[client], client)["recollect"]
    assert entry["args"][-5:] == ["serve", "--space", "work", "--home", "/x"]
    assert not (shell.home / USER_FILES[client]).exists()


def test_a_client_without_project_settings_says_so(shell):
    outcome = shell("connect", "claude-desktop", "--project", "--yes")
    assert (outcome.code, outcome.err) == (
        1, "error: Claude Desktop has no settings of a project; leave out --project\n",
    )  # fmt: skip


@pytest.mark.parametrize("client", USER_FILES)
def test_print_only_prints(shell, client):
    outcome = shell("connect", client, "--print")
    parsed = tomllib.loads(outcome.out) if client == "codex" else json.loads(outcome.out)
    assert list(parsed[KEYS.get(client, "mcpServers")]) == ["recollect"]
    assert not (shell.home / USER_FILES[client]).exists()


def test_without_a_terminal_and_without_yes_nothing_is_written(shell):
    path = put(shell.home / ".cursor/mcp.json", "{}\n")
    outcome = shell("connect", "cursor")
    assert outcome.code == 2
    assert '+    "recollect"' in outcome.out
    assert path.read_text() == "{}\n"


def test_everything_else_in_a_json_file_stays_as_it_was(shell):
    old = '{\n    "zoom": 1.50,\n    "mcpServers": {\n        "other": {"command": "x", "args": []}\n    },\n'
    old += '    "a": [1,2]\n}'
    path = put(shell.home / ".claude.json", old)
    assert shell("connect", "claude", "--yes").code == 0
    new = path.read_text()
    entry = json.dumps(servers(path, "claude")["recollect"], indent=4).replace("\n", "\n" + " " * 8)
    assert new == old.replace('"args": []}', f'"args": []}},\n        "recollect": {entry}')
    assert path.with_name(".claude.json.bak").read_text() == old


def test_comments_and_trailing_commas_of_vscode_stay(shell):
    old = '// mine\n{\n\t"servers": {\n\t\t"a": {"command": "b"}, // keep "this"\n\t\t/* and } this */\n\t},\n}\n'
    path = put(shell.home / ".config/Code/User/mcp.json", old)
    assert shell("connect", "vscode", "--yes").code == 0
    new = path.read_text()
    start = new.index('\n\t\t"recollect": {')
    end = new.index("\n\t\t},", start) + len("\n\t\t},")
    assert new[:start] + new[end:] == old
    assert shell("connect", "vscode", "--yes").out.startswith("already connected")


def test_a_comment_inside_the_value_to_change_is_not_destroyed(shell):
    old = (
        '{"servers": {"recollect": {"type": "stdio", "command": "old", "args": ["serve" /* mine */, "--space", "x"]}}}'
    )
    path = put(shell.home / ".config/Code/User/mcp.json", old)
    outcome = shell("connect", "vscode", "--yes")
    assert outcome.code == 1
    assert "holds a comment that would be lost; nothing was changed. Add this by hand:" in outcome.err
    assert '"command"' in outcome.err
    assert path.read_text() == old


def test_an_older_entry_is_brought_up_to_date_and_keeps_its_own_fields(shell):
    old = '{"mcpServers": {"recollect": {"command": "old", "env": {"A": "b"}, "args": []}}}'
    path = put(shell.home / ".cursor/mcp.json", old)
    shell("connect", "cursor", "--yes")
    program, *args = [*launch_command(), "serve"]
    assert servers(path, "cursor") == {"recollect": {"command": program, "env": {"A": "b"}, "args": args}}
    assert list(servers(path, "cursor")["recollect"]) == ["command", "env", "args"]


def test_a_toml_file_keeps_every_byte_outside_our_table(shell):
    old = '# mine\r\nmodel = "x"   # keep\r\n\r\n[mcp_servers.other]\r\ncommand = "y"\r\n'
    path = put(shell.home / ".codex/config.toml", old)
    shell("connect", "codex", "--yes")
    new = path.read_bytes().decode()
    assert new.startswith(old + "\r\n[mcp_servers.recollect]\r\n")
    assert servers(path, "codex")["other"] == {"command": "y"}


def test_our_table_in_a_toml_file_is_changed_in_place(shell):
    before = (
        '[mcp_servers."recollect"] # ours\n# why\ncommand = "old"\nargs = [\n  "serve",\n]\nstartup_timeout_sec = 20\n'
    )
    after = '[mcp_servers.recollect.env]\nA = "b"\n\n[tui]\ntheme = "dark"\n'
    path = put(shell.home / ".codex/config.toml", before + after)
    shell("connect", "codex", "--yes", "--space", "work")
    new = path.read_text()
    program, *args = [*launch_command(), "serve", "--space", "work"]
    assert new == before.replace('"old"', json.dumps(program)).replace('[\n  "serve",\n]', json.dumps(args)) + after


def test_an_inline_table_is_refused_rather_than_guessed_at(shell):
    old = 'mcp_servers = { other = { command = "y" } }\n'
    path = put(shell.home / ".codex/config.toml", old)
    outcome = shell("connect", "codex", "--yes")
    assert outcome.code == 1
    assert "cannot be changed safely" in outcome.err
    assert "[mcp_servers.recollect]" in outcome.err
    assert path.read_text() == old


@pytest.mark.parametrize(
    ("client", "text", "line"),
    [
        ("claude", '{\n  "a": 1,\n  oops\n}', 3),
        ("claude", '{\n  // a comment\n}', 2),
        ("claude", '{\n  "a": 1,\n}', 3),
        ("vscode", '{\n  "a": 1\n  "b": 2\n}', 3),
        ("codex", 'a = 1\nb = \n', 2),
        ("cursor", '{"a": 1}\n{"b": 2}', 2),
    ],
)  # fmt: skip
def test_a_file_that_does_not_parse_is_not_touched(shell, client, text, line):
    path = put(shell.home / USER_FILES[client], text)
    outcome = shell("connect", client, "--yes")
    assert outcome.code == 1
    assert outcome.err.startswith(f"error: {path}, line {line}: ")
    assert path.read_text() == text


def test_links_and_permissions_stay(shell):
    real = put(shell.home / "dotfiles/claude.json", "{}")
    real.chmod(0o640)
    (shell.home / ".claude.json").symlink_to(real)
    assert shell("connect", "claude", "--yes").code == 0
    assert (shell.home / ".claude.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "recollect" in servers(real, "claude")
    assert sorted(path.name for path in real.parent.iterdir()) == ["claude.json", "claude.json.bak"]


def test_the_first_backup_is_never_overwritten(shell):
    path = put(shell.home / ".claude.json", '{"first": 1}')
    shell("connect", "claude", "--yes")
    shell("connect", "claude", "--yes", "--space", "work")
    assert path.with_name(".claude.json.bak").read_text() == '{"first": 1}'


def test_two_spaces_may_be_connected_under_two_names(shell):
    shell("connect", "claude", "--yes")
    answer = shell.json("connect", "claude", "--yes", "--name", "work-memory", "--space", "work")
    assert answer["changed"] is True
    assert list(servers(shell.home / ".claude.json", "claude")) == ["recollect", "work-memory"]


def test_an_unknown_client_and_an_unknown_contract_are_usage_errors(shell):
    assert shell("connect", "emacs").err == (
        "error: there is no client 'emacs'; there are: claude, claude-desktop, codex, cursor, vscode, gemini,"
        " opencode\n"
    )
    assert shell("connect", "claude", "--as", "nix").code == 2


def test_a_store_that_only_this_shell_knows_of_is_pointed_out(shell):
    assert shell("connect", "claude", "--yes").err == (
        f"note: RECOLLECT_HOME is set here, and Claude Code may not see it; to pin that store: --home {shell.store}\n"
    )
    assert shell("connect", "claude", "--yes", "--home", "/x").err.count("note:") == 0


def test_a_client_may_be_told_to_speak_memory_mcp(shell):
    assert shell("connect", "cursor", "--yes", "--as", "memory-mcp", "--space", "work").code == 0
    entry = servers(shell.home / USER_FILES["cursor"], "cursor")["recollect"]
    assert entry["args"][-5:] == ["serve", "--as", "memory-mcp", "--space", "work"]


def test_disconnecting_is_not_denied_because_the_log_of_hooks_cannot_be_written(shell):
    path = shell.home / USER_FILES["cursor"]
    shell("connect", "cursor", "--yes")
    (shell.store / "hooks.jsonl").mkdir(parents=True)
    done = shell("disconnect", "cursor", "--yes")
    assert (done.code, "Cursor no longer uses this memory" in done.out) == (0, True)
    assert "the log of hooks cannot be written" in done.err
    assert "recollect" not in (path.read_text("utf-8") if path.exists() else "")
