"""Do Claude Code, Codex and Gemini CLI themselves take what we write, list it, and call it?"""

# pyright: basic
from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from real_clients import claude, codex, gemini, model  # noqa: F401  fixtures

from recollect.engine.hook_log import read_calls
from recollect.ingest.editors import read_gemini

pytestmark = pytest.mark.slow
STORED = "The billing service uses the database PostgreSQL 16."
ASKED = "Which database does the billing service use?"
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact")


def test_claude_code_validates_installs_and_lists_the_plugin(claude, tmp_path):  # noqa: F811
    plugins = tmp_path / "plugins"
    claude.recollect("plugin", str(plugins))
    for folder in (plugins, plugins / "claude"):
        assert "Validation passed" in claude("plugin", "validate", str(folder))
    claude("plugin", "marketplace", "add", str(plugins))
    claude("plugin", "install", "recollect@recollect")
    details = claude("plugin", "details", "recollect")
    assert all(event in details for event in EVENTS)
    assert "Skills (1)  memory" in details
    assert "MCP servers (1)  recollect" in details
    assert json.loads(claude.recollect("status", "--json"))["clients"][0]["plugin"]


def test_codex_installs_and_lists_the_plugin(codex, tmp_path):  # noqa: F811
    plugins = tmp_path / "plugins"
    codex.recollect("plugin", str(plugins))
    codex("plugin", "marketplace", "add", str(plugins))
    codex("plugin", "add", "recollect@recollect")
    assert "recollect@recollect  installed, enabled" in codex("plugin", "list")
    servers = json.loads(codex("mcp", "list", "--json"))
    assert [(one["name"], one["enabled"]) for one in servers] == [("recollect", True)]
    assert json.loads(codex.recollect("status", "--json"))["clients"][0]["plugin"]


def test_gemini_cli_validates_installs_and_lists_the_extension(gemini, tmp_path):  # noqa: F811
    plugins = tmp_path / "plugins"
    gemini.recollect("plugin", str(plugins))
    gemini("extensions", "validate", str(plugins / "gemini"))
    gemini("extensions", "install", "--consent", str(plugins / "gemini"))
    listed = json.loads(gemini("extensions", "list", "--output-format", "json"))
    assert [(one["name"], one["isActive"], list(one["mcpServers"])) for one in listed] == [
        ("recollect", True, ["recollect"])
    ]
    assert [skill["name"] for skill in listed[0]["skills"]] == ["memory"]
    assert json.loads(gemini.recollect("status", "--json"))["clients"][0]["plugin"]
    assert sorted(listed[0]["hooks"]) == ["AfterAgent", "BeforeAgent", "PreCompress", "SessionStart"]


def test_claude_code_lists_what_connect_wrote_and_no_more_after_disconnect(claude):  # noqa: F811
    claude.recollect("connect", "claude", "--auto", "--yes")
    assert "recollect" in claude("mcp", "list")
    claude.recollect("disconnect", "claude", "--yes")
    assert "recollect" not in claude("mcp", "list")


def test_codex_lists_what_connect_wrote_and_no_more_after_disconnect(codex):  # noqa: F811
    codex.recollect("connect", "codex", "--auto", "--yes")
    assert [one["name"] for one in json.loads(codex("mcp", "list", "--json"))] == ["recollect"]
    codex.recollect("disconnect", "codex", "--yes")
    assert json.loads(codex("mcp", "list", "--json")) == []


RECORDED = {path.stem: json.loads(path.read_text("utf-8")) for path in (Path(__file__).parent / "hooks").glob("*.json")}


def assert_as_recorded(client: str, heard: dict[str, dict[str, object]], *events: str) -> None:
    """Is what a client told of the same form as what was recorded, and replayed in other tests?"""
    assert sorted(heard) == sorted(events)
    assert {event: sorted(told) for event, told in heard.items()} == {
        event: sorted(RECORDED[client][event]) for event in events
    }


def given(asked: list[str]) -> bool:
    return any(STORED in one for one in asked)


def kept(home: Path, *events: str) -> list[str]:
    """The events that were logged, once the last of them has been worked on."""
    while True:
        calls = list(read_calls(home / "store"))
        if any(call.event == events[-1] for call in calls):
            return [call.event for call in calls]


def test_a_session_of_claude_code_is_given_what_is_known_and_what_was_said_is_kept(claude, model, tmp_path):  # noqa: F811
    claude.recollect("remember", STORED)
    claude.recollect("connect", "claude", "--auto", "--yes")
    claude.listen(".claude/settings.json")
    claude("-p", ASKED, ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=model.url)
    assert given(model.asked)
    assert_as_recorded("claude", claude.heard(), "SessionStart", "Stop")
    assert kept(tmp_path, "SessionStart", "Stop") == ["SessionStart", "UserPromptSubmit", "Stop"]
    said = json.loads(claude.recollect("list", "--kind", "message", "--json"))["records"]
    assert sorted((one["role"], one["text"]) for one in said) == [("assistant", "ok"), ("user", ASKED)]


def test_claude_code_calls_the_running_server_with_a_prompt(claude, model):  # noqa: F811
    claude.recollect("remember", STORED)
    claude.recollect("connect", "claude", "--auto", "--yes")
    claude.recollect("spaces", "steer", "default", "--start-tokens", "50")  # too few for the brief to name it
    claude("-p", ASKED, ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=model.url)
    assert "UserPromptSubmit hook additional context: <recollect>" in "".join(model.asked)
    assert re.search(
        r"claude UserPromptSubmit  \[session \w+\]  gave 1 record", claude.recollect("watch", "--for", "0")
    )


def test_a_session_of_codex_is_given_what_is_known_and_what_was_said_is_kept(codex, model, tmp_path):  # noqa: F811
    codex.recollect("remember", STORED)
    codex.recollect("connect", "codex", "--auto", "--yes")
    codex.listen(".codex/hooks.json")
    provider = f'{{name="m", base_url="{model.url}/v1", wire_api="responses", env_key="KEY"}}'
    codex(
        "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-c", "model_provider=m", "-c", "model=m",
        "-c", f"model_providers.m={provider}", ASKED, KEY="x",
    )  # fmt: skip
    assert given(model.asked)
    assert_as_recorded("codex", codex.heard(), "SessionStart", "Stop")
    assert "Stop" in kept(tmp_path, "Stop")
    said = json.loads(codex.recollect("list", "--kind", "message", "--json"))["records"]
    assert (("user", ASKED) in [(one["role"], one["text"]) for one in said]) is True
    assert not any("<recollect>" in one["text"] for one in said)


def test_a_session_of_gemini_cli_is_given_what_is_known_and_only_what_was_said_is_kept(gemini, model, tmp_path):  # noqa: F811
    gemini.recollect("remember", STORED)
    gemini.recollect("connect", "gemini", "--auto", "--yes")
    gemini.listen(".gemini/settings.json")
    gemini("-m", "gemini-2.5-flash", "-p", ASKED, GEMINI_API_KEY="x", GOOGLE_GEMINI_BASE_URL=model.url)
    assert given(model.asked)
    assert_as_recorded("gemini", gemini.heard(), "SessionStart", "BeforeAgent", "AfterAgent", "PreCompress")
    assert kept(tmp_path, "AfterAgent")[:2] == ["SessionStart", "BeforeAgent"]
    said = json.loads(gemini.recollect("list", "--kind", "message", "--json"))["records"]
    assert sorted((one["role"], one["text"]) for one in said) == [("assistant", "ok"), ("user", ASKED)]
    written = read_gemini(Path(str(gemini.heard()["AfterAgent"]["transcript_path"])).read_bytes())
    assert [one.text for one in written if one.role == "assistant"] == ["ok"]
    assert any(ASKED in one.text for one in written if one.role == "user")
