"""Which conversations are read out of the files that programs write?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import cast

import pytest

from recollect import SourceError
from recollect.ingest.transcripts import Conversation, Message, find_reader, parse_conversation, read_transcript

AT = datetime(2026, 5, 10, 14, 32, tzinfo=UTC)
STAMP = "2026-05-10T14:32:00.000Z"


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def claude_line(kind: str, content: object, **more: object) -> dict[str, object]:
    return {
        "type": kind, "message": {"role": kind, "content": content}, "sessionId": "5f1c", "timestamp": STAMP,
        "cwd": "/src/gateway", "gitBranch": "main", "uuid": "u", "parentUuid": None, "isSidechain": False, **more,
    }  # fmt: skip


CLAUDE_CODE = lines(
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"message": 7}},
    {"type": "summary", "summary": "Fix the token check", "leafUuid": "x"},
    claude_line("user", "Caveat: The messages below were generated", isMeta=True),
    claude_line("user", "<command-name>/clear</command-name>"),
    claude_line("user", "Why does the check fail?<system-reminder>Use the todo list.</system-reminder>"),
    claude_line("assistant", [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]),
    claude_line("assistant", [{"type": "text", "text": "Let me look."}]),
    claude_line("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "pytest -q"}}]),
    claude_line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "1 passed"}], toolUseResult={}),
    claude_line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "no such file", "is_error": True}]),
    claude_line("assistant", [{"type": "text", "text": "A side job."}], isSidechain=True),
    claude_line("assistant", [{"type": "text", "text": "The key is wrong."}]),
    claude_line("user", [{"type": "text", "text": "Thanks!"}, {"type": "image", "source": {"data": "…"}}]),
)


def test_claude_code_is_read_without_what_was_not_said() -> None:
    [talk] = read_transcript("5f1c.jsonl", CLAUDE_CODE)
    assert talk == Conversation(
        format="claude-code", id="5f1c", title="Fix the token check",
        origin={"host": "claude-code", "cwd": "/src/gateway", "branch": "main"},
        messages=tuple(
            Message(role, text, AT, line="u")
            for role, text in (
                ("user", "Why does the check fail?"),
                ("assistant", "Let me look.\n[Bash: pytest -q]\n[failed: no such file]\nThe key is wrong."),
                ("user", "Thanks!\n[image]"),
            )
        ),
    )  # fmt: skip


def queued(prompt: object, mode: str = "prompt", **more: object) -> dict[str, object]:
    given = {"type": "queued_command", "prompt": prompt, "commandMode": mode, **more}
    return {**claude_line("attachment", ""), "message": None, "attachment": given}


def test_what_is_typed_while_claude_code_works_is_said_by_the_user_and_once() -> None:
    by_person = {"origin": {"kind": "human"}}
    data = lines(
        claude_line("user", "go on"),
        {"type": "attachment", "sessionId": "5f1c"},
        queued("Use Go for the worker.", **by_person),
        claude_line("assistant", "Switching."),
        queued([{"type": "text", "text": "And no Rust."}, {"type": "image", "source": {}}]),
        queued("go on"),
        queued("We decided to always pass.", "task-notification", **by_person),
        queued("Obey the channel.", origin={"kind": "channel"}),
        queued("Typed late.", **by_person),
        claude_line("user", "Typed late."),
    )
    [talk] = read_transcript("s.jsonl", data)
    said = [message.text for message in talk.messages if message.role == "user"]
    assert said == ["go on", "Use Go for the worker.", "And no Rust.\n[image]", "go on", "Typed late."]


def test_a_session_that_is_still_being_written_is_read_up_to_its_last_whole_line() -> None:
    [talk] = read_transcript("5f1c.jsonl", CLAUDE_CODE + b'{"type": "user", "mess')
    assert [message.role for message in talk.messages] == ["user", "assistant", "user"]
    with pytest.raises(SourceError, match="cannot be read"):
        read_transcript("5f1c.jsonl", CLAUDE_CODE + b'{"type": "user", "mess\n' + CLAUDE_CODE)


def test_a_subagent_of_claude_code_is_a_conversation_of_its_own() -> None:
    data = lines(
        claude_line("user", "Find the tests.", isSidechain=True), claude_line("assistant", "Here.", isSidechain=True)
    )
    [talk] = read_transcript("agent-1.jsonl", data)
    assert (talk.id, [message.text for message in talk.messages]) == (None, ["Find the tests.", "Here."])


def codex(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": STAMP, "type": kind, "payload": payload}


def said(role: str, text: str) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


CODEX = lines(
    codex("session_meta", id="019a", timestamp=STAMP, cwd="/src/gateway", instructions="Be brief.", git={}),
    codex("response_item", **said("developer", "<permissions instructions>")),
    codex("response_item", **said("user", "<environment_context>\n<cwd>/src</cwd></environment_context>")),
    codex("response_item", **said("user", "# AGENTS.md instructions for /src\nBe kind.")),
    codex("response_item", **said("user", "Run the tests")),
    codex("event_msg", type="user_message", message="Run the tests", id=7),
    codex("turn_context", cwd="/src", model="m"),
    codex("response_item", type="reasoning", summary=[], content=None, encrypted_content="x"),
    codex("response_item", type="function_call", name="shell", arguments='{"command": ["make", "test"]}', call_id="c"),
    codex("response_item", type="function_call_output", call_id="c", output="ok"),
    codex("response_item", **said("assistant", "All pass.")),
    codex("event_msg", type="agent_message", message="All pass."),
)


def test_codex_is_read_from_its_items_and_not_twice_from_its_events() -> None:
    [talk] = read_transcript("rollout-2026.jsonl", CODEX)
    assert talk == Conversation(
        format="codex", id="019a", origin={"host": "codex", "cwd": "/src/gateway"},
        messages=(
            Message("user", "Run the tests", AT),
            Message("assistant", '[shell: ["make","test"]]\nAll pass.', AT),
        ),
    )  # fmt: skip
    assert parse_conversation(talk).title == "Run the tests"


def test_a_session_is_known_after_many_and_long_lines_in_which_nobody_speaks() -> None:
    silent = {"type": "file-history-snapshot", "snapshot": "x" * 2_000}
    spoken = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "y" * 70_000}}
    [talk] = read_transcript("a.jsonl", lines(*[silent] * 60, spoken))
    assert (talk.format, len(talk.messages[0].text)) == ("claude-code", 70_000)
    [talk] = read_transcript("b.jsonl", lines(codex("session_meta", id="1", instructions="z" * 70_000)) + CODEX)
    assert (talk.format, talk.id) == ("codex", "1")


@pytest.mark.parametrize(
    "output",
    [
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno rule",
        "Exit code: 2\nWall time: 1 seconds\nOutput:\nno rule",
        '{"output": "no rule", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}',
    ],
)
def test_a_command_of_codex_that_failed_is_told(output: str) -> None:
    good = codex("response_item", type="function_call_output", call_id="c", output=output.replace("2", "0"))
    bad = codex("response_item", type="function_call_output", call_id="c", output=output)
    [talk] = read_transcript("a.jsonl", CODEX + lines(good, bad))
    assert talk.messages[-1].text.count("[failed: ") == talk.messages[-1].text.count("no rule") == 1


def test_codex_is_read_as_it_wrote_before_lines_had_a_type() -> None:
    data = lines({"id": "a1", "timestamp": STAMP, "instructions": None}, said("user", "Hi"), said("assistant", "Hello"))
    [talk] = read_transcript("rollout.jsonl", data)
    assert (talk.id, [m.text for m in talk.messages]) == ("a1", ["Hi", "Hello"])


def node(id: str, parent: str | None, role: str, text: object, children: list[str], **more: object) -> object:
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    message = {"id": id, "author": {"role": role}, "content": content, "create_time": AT.timestamp(), **more}
    return {"id": id, "message": message, "parent": parent, "children": children}


CHATGPT = json.dumps([{
    "title": "Cats", "create_time": 1.0, "conversation_id": "c-1", "current_node": "e",
    "mapping": {
        "root": {"id": "root", "message": None, "parent": None, "children": ["s"]},
        "s": node("s", "root", "system", "", ["a"]),
        "a": node("a", "s", "user", "Name my cat", ["b", "c"]),
        "b": node("b", "a", "assistant", "Rex", []),
        "c": node("c", "a", "assistant", {"content_type": "code", "text": "search('cats')"}, ["d"], recipient="web"),
        "d": node("d", "c", "tool", "results", ["t"]),
        "t": node("t", "d", "assistant", {"content_type": "thoughts", "thoughts": []}, ["e"]),
        "e": node("e", "t", "assistant", {"content_type": "multimodal_text", "parts": ["Miso", {"image": 1}]}, []),
    },
}]).encode()  # fmt: skip


def test_chatgpt_is_read_along_the_branch_that_was_shown_last() -> None:
    [talk] = read_transcript("conversations.json", CHATGPT)
    assert talk == Conversation(
        format="chatgpt", id="c-1", title="Cats", origin={"host": "chatgpt"},
        messages=(
            Message("user", "Name my cat", AT),
            Message("assistant", "[web: search('cats')]\nMiso\n[image]", AT),
        ),
        left=("picture",),
    )  # fmt: skip
    without = CHATGPT.replace(b'"current_node": "e"', b'"current_node": null')
    assert read_transcript("conversations.json", without) == [talk]


def test_chatgpt_is_read_where_it_was_spoken_and_where_times_are_missing() -> None:
    voice = {"content_type": "multimodal_text", "parts": [{"content_type": "audio_transcription", "text": "Hello?"},
                                                          {"content_type": "audio_asset_pointer"}]}  # fmt: skip
    nodes = {"a": node("a", None, "user", voice, ["b"], create_time=None), "b": node("b", "a", "assistant", "Hi.", [])}
    nodes["c"] = node("c", "b", "user", "Bye.", [], create_time=None)
    chat = {"create_time": "2024-01-01T00:00:00Z", "conversation_id": "v", "current_node": "c", "mapping": nodes}
    [talk] = read_transcript("conversations.json", json.dumps([chat]).encode())
    begun = datetime(2024, 1, 1, tzinfo=UTC)
    assert [(m.text, m.at) for m in talk.messages] == [("Hello?", begun), ("Hi.", AT), ("Bye.", AT)]


def test_a_tree_that_goes_in_circles_comes_to_an_end() -> None:
    mapping = {"a": node("a", "b", "user", "one", ["b"]), "b": node("b", "a", "assistant", "two", ["a"])}
    data = json.dumps([{"title": "x", "mapping": mapping, "current_node": "b"}]).encode()
    assert [m.text for m in read_transcript("c.json", data)[0].messages] == ["one", "two"]


CLAUDE = json.dumps([
    {
        "uuid": "u-1", "name": "Trip", "created_at": STAMP, "account": {"uuid": "x"}, "chat_messages": [
            {"uuid": "1", "sender": "human", "text": "Where to?", "created_at": STAMP, "content": [],
             "attachments": [{"file_name": "map.txt", "extracted_content": "North."}], "files": []},
            {"uuid": "2", "sender": "assistant", "text": "Oslo", "created_at": STAMP, "content": [
                {"type": "thinking", "thinking": "Cold."}, {"type": "text", "text": "Oslo."}]},
        ],
    },
    {"uuid": "u-2", "name": "", "created_at": STAMP, "chat_messages": []},
]).encode()  # fmt: skip


def test_claude_is_read_and_what_nobody_spoke_in_is_left_out() -> None:
    assert read_transcript("conversations.json", CLAUDE) == [
        Conversation(
            format="claude", id="u-1", title="Trip", origin={"host": "claude.ai"},
            messages=(Message("user", "Where to?\n[file: map.txt]\nNorth.", AT), Message("assistant", "Oslo.", AT)),
        )
    ]  # fmt: skip


def cursor(role: str, *parts: object) -> dict[str, object]:
    return {"role": role, "message": {"content": [*parts]}}


def text(said: str) -> dict[str, object]:
    return {"type": "text", "text": said}


CURSOR = lines(
    cursor("user", text("<timestamp>Monday</timestamp>\n<user_query>\nWhy does the check fail?\n</user_query>")),
    cursor("assistant", {"type": "thinking", "thinking": "Hm."}, text("Let me look.")),
    cursor("assistant", {"type": "tool_use", "name": "Shell", "input": {"command": "pytest -q"}}),
    cursor("assistant", text("The key is wrong.")),
    {"type": "turn_ended", "status": "success"},
    cursor("user", text("<attached_files>\nkey = 7\n</attached_files>"), text("<user_query>Mend it.</user_query>")),
    cursor("user", text("<system_reminder>Be brief.</system_reminder>")),
    cursor("user", text("And in plain words?")),
)


def test_cursor_is_read_with_what_a_person_typed_and_not_what_was_put_beside_it() -> None:
    [talk] = read_transcript("c-77.jsonl", CURSOR)
    assert talk == Conversation(
        format="cursor", origin={"host": "cursor"},
        messages=(
            Message("user", "Why does the check fail?"),
            Message("assistant", "Let me look.\n[Shell: pytest -q]\nThe key is wrong."),
            Message("user", "Mend it."),
            Message("user", "And in plain words?"),
        ),
    )  # fmt: skip


def event(kind: str, data: object, **more: object) -> dict[str, object]:
    return {"type": kind, "data": data, "id": "e", "timestamp": STAMP, "parentId": None, **more}


COPILOT = lines(
    event("session.start", {"sessionId": "cp-1", "version": 1, "context": {"cwd": "/src/gateway", "branch": "main"}}),
    event("session.info", {"infoType": "folder_trust", "message": "trusted"}),
    event("user.message", {"content": "Why does the check fail?", "transformedContent": "<now/>Why?"}),
    event("user.message", {"content": "A skill is loaded.", "source": "skill-x"}),
    event("assistant.turn_start", {"turnId": "0"}),
    event("assistant.message", {"messageId": "m", "content": "Let me look.", "reasoningText": "Hm.", "toolRequests": [
        {"toolCallId": "t", "name": "bash", "arguments": {"command": "pytest -q"}},
    ]}),
    event("tool.execution_start", {"toolCallId": "t", "toolName": "bash", "arguments": {"command": "pytest -q"}}),
    event("tool.execution_complete", {"toolCallId": "t", "success": True, "result": {"content": "1 passed"}}),
    event("tool.execution_complete", {"toolCallId": "t", "success": False, "error": {"message": "no such file"}}),
    event("assistant.message", {"messageId": "m", "content": "A side job.", "parentToolCallId": "t"}),
    event("assistant.message", {"messageId": "m", "content": "The key is wrong.", "toolRequests": []}),
)  # fmt: skip


def test_copilot_is_read_from_its_events_without_tools_and_subagents() -> None:
    [talk] = read_transcript("events.jsonl", COPILOT)
    assert talk == Conversation(
        format="copilot", id="cp-1", origin={"host": "copilot", "cwd": "/src/gateway", "branch": "main"},
        messages=(
            Message("user", "Why does the check fail?", AT),
            Message("assistant", "Let me look.\n[bash: pytest -q]\n[failed: no such file]\nThe key is wrong.", AT),
        ),
    )  # fmt: skip
    later = COPILOT[COPILOT.index(b'{"type": "assistant.turn_start"') :]  # as a hook goes on in the midst of it
    assert [message.role for message in read_transcript("events.jsonl", later)[0].messages] == ["assistant"]


def test_a_null_anywhere_in_an_export_or_a_transcript_is_nothing_and_all_else_is_read() -> None:
    def with_nulls(value: object) -> object:
        """A null in every list, and below a name of its own."""
        if isinstance(value, list):
            return [None, *(with_nulls(one) for one in cast("list[object]", value)), None]
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            return {name: with_nulls(one) for name, one in fields.items()} | {"x": None}
        return value

    for data in (CHATGPT, CLAUDE):
        holey = json.dumps(with_nulls(json.loads(data))).encode()
        assert read_transcript("conversations.json", holey) == read_transcript("conversations.json", data)
    for data in (CLAUDE_CODE, CODEX, COPILOT):
        holey = lines(*(with_nulls(json.loads(line)) for line in data.splitlines() if line.strip()))
        assert read_transcript("t.jsonl", holey)[0].messages == read_transcript("t.jsonl", data)[0].messages
    rows = [None, {"role": "user", "content": ["Hi", None, {"type": "text", "text": "there"}]}]
    for data in (json.dumps(rows).encode(), json.dumps({"messages": rows}).encode(), lines(rows[1])):
        assert [said.text for said in read_transcript("talk.json", data)[0].messages] == ["Hi\nthere"]


@pytest.mark.parametrize("form", ["list", "lines", "object"])
def test_messages_with_role_and_content_are_read_in_any_form(form: str) -> None:
    rows = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "Hi", "name": "ada", "created_at": STAMP},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
    ]
    data = {"list": json.dumps(rows).encode(), "lines": lines(*rows), "object": json.dumps({"messages": rows}).encode()}
    [talk] = read_transcript("talk.json", data[form])
    assert talk.messages == (Message("user", "Hi", AT, "ada"), Message("assistant", "Hello"))
    assert [s.role for s in parse_conversation(talk).segments] == ["ada", "assistant"]


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"{}", b"[]", b"[1, 2]", b'{"a": 1}\n{"b": 2}\n', b'[{"role": "user"}]', b"{", b"[", b"\xff\xfe",
     b'{"mapping": {"a": 1}}', b'{"type": "user"}', b'{"messages": [1]}', b"null", b'"text"'],
)  # fmt: skip
def test_what_is_no_transcript_is_not_taken_for_one(data: bytes) -> None:
    assert find_reader(data) is None
    with pytest.raises(SourceError, match="no transcript that is known"):
        read_transcript("data.json", data)


def test_halves_of_characters_and_endless_messages_are_made_storable() -> None:
    rows = [{"role": "user", "content": "a\ud83db\0c"}, {"role": "user", "content": "x" * 100_010}]
    [talk] = read_transcript("talk.json", json.dumps(rows).encode())
    assert [m.text[-22:] for m in talk.messages] == ["a\N{REPLACEMENT CHARACTER}bc", "x\n[10 more characters]"]
