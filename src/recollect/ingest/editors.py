"""What was said in a session of Cursor, of Copilot in VS Code and on the command line, or of Gemini CLI?

Each writes one JSON object a line. Those of Cursor say who spoke, and not when; those of Copilot are events, of which
some are messages; of Gemini's, which tells itself what was said, only that is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from recollect.ingest.lines import Data, objects_of
from recollect.ingest.talk import (
    Content,
    Conversation,
    Message,
    Turns,
    read_moment,
    show_call,
    show_content,
    show_failure,
)
from recollect.types import Json

# Cursor

_ASKED = "<user_query>"
_ASKED_END = "</user_query>"
_TOLD_BY_CURSOR = re.compile(r"\s*<[a-z_]{3,60}>")  # what a program put beside the question, in tags of its own


class _CursorMessage(Struct):
    content: Content = None


class _CursorLine(Struct):
    role: str
    message: _CursorMessage


def read_cursor(data: Data) -> list[Conversation]:
    turns = Turns()
    for line in objects_of(data, _CursorLine):
        parts = show_content(line.message.content)
        if line.role == "user":
            turns.add("user", _asked(parts), None)
        elif line.role == "assistant":
            turns.add("assistant", parts, None, joined=True)
    return [Conversation(format="cursor", messages=turns.messages(), origin={"host": "cursor"})]


def _asked(parts: list[str]) -> Iterator[str]:
    """What a person typed: what stands in the tag for it, or else what stands in none."""
    tagged = any(_ASKED in part for part in parts)
    for part in parts:
        if tagged:
            for piece in part.split(_ASKED)[1:]:
                yield piece.partition(_ASKED_END)[0]
        elif not _TOLD_BY_CURSOR.match(part):
            yield part


# Copilot


class _Context(Struct):
    cwd: str | None = None
    branch: str | None = None


class _Call(Struct):
    name: str | None = None
    arguments: object = None


class _Error(Struct):
    message: str | None = None


class _EventData(Struct, rename="camel"):
    session_id: str | None = None
    content: Content = None
    source: str | None = None
    context: _Context | None = None
    tool_requests: list[_Call] | None = None
    parent_tool_call_id: str | None = None
    success: bool | None = None
    error: _Error | None = None
    vscode_version: str | None = None


class _Event(Struct, rename="camel"):
    type: str
    data: _EventData = field(default_factory=_EventData)
    timestamp: object = None
    agent_id: str | None = None


EVENTS = ("session.", "user.message", "assistant.", "tool.execution")
"""What the types of Copilot's events begin with."""


def read_copilot(data: Data) -> list[Conversation]:
    turns = Turns()
    id: str | None = None
    origin: dict[str, Json] = {"host": "copilot"}
    for event in objects_of(data, _Event):
        told = event.data
        if event.type in ("session.start", "session.resume"):
            id = id or told.session_id
            where = told.context or _Context()
            origin |= {key: value for key, value in (("cwd", where.cwd), ("branch", where.branch)) if value}
            origin |= {"host": "vscode"} if told.vscode_version else {}
        elif event.agent_id is None and told.parent_tool_call_id is None:  # else a subagent speaks
            _add(turns, event)
    return [Conversation(format="copilot", messages=turns.messages(), id=id, origin=origin)]


def _add(turns: Turns, event: _Event) -> None:
    told, at = event.data, read_moment(event.timestamp)
    if event.type == "user.message" and told.source in (None, "user"):  # else a program asks in a person's name
        turns.add("user", show_content(told.content), at)
    elif event.type == "assistant.message":
        calls = [show_call(call.name, call.arguments) for call in told.tool_requests or []]
        turns.add("assistant", [*show_content(told.content), *calls], at, joined=True)
    elif event.type == "tool.execution_complete" and told.success is False and told.error is not None:
        turns.add("assistant", [show_failure(told.error.message or "")], at, joined=True)


# Gemini CLI

_SPEAKERS = {"user": "user", "gemini": "assistant"}


class _GeminiLine(Struct):
    type: str
    content: Content = None


def read_gemini(data: Data) -> tuple[Message, ...]:
    said = (line for line in objects_of(data, _GeminiLine) if line.type in _SPEAKERS)
    return tuple(Message(_SPEAKERS[line.type], "\n".join(show_content(line.content))) for line in said)
