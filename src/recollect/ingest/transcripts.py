"""Which conversations does a transcript or an export hold?

Claude Code and Codex write one JSON object a line, and so do Cursor and Copilot (`editors.py`); ChatGPT and Claude
export a list of conversations, and anything may write a list of messages with role and content. Content decides what a
file is, not its name. People and models are quoted in full; a tool call becomes one line, and its result is left out
unless it failed; what programs tell the model (reminders, environments, instructions) and what it thinks to itself is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec import Struct

from recollect.errors import SourceError
from recollect.forms import decode, decode_foreign
from recollect.ingest.editors import EVENTS, read_copilot, read_cursor
from recollect.ingest.exports import read_chatgpt, read_claude
from recollect.ingest.lines import BROKEN, Data, each_line, mend, mend_whole, objects_of
from recollect.ingest.opening import opening_of
from recollect.ingest.parsed import Parsed, conversation_adapter, short_title, storable
from recollect.ingest.talk import (
    Content,
    Conversation,
    Message,
    Turns,
    begins_list,
    decode_each,
    fit_text,
    read_moment,
    show_call,
    show_content,
    show_failure,
)  # fmt: skip
from recollect.types import Json, Segment

_LOOKED_AT = 65_536
_LOOKED_AT_LINES = 500  # a session may begin with as many lines in which nobody speaks

T = TypeVar("T")


# Claude Code

_REMINDER = re.compile(r"<(system-reminder|ide_[a-z_]{1,40}|local-command-[a-z]{1,40})>")
_SPEAKERS = ("user", "assistant")
_ATTACHED = "attachment"
_QUEUED = "queued_command"
_NOISE = ("<command-", "<local-command", "<bash-", "<user-memory-input", "Caveat: The messages below",
          "[Request interrupted", "<task-notification")  # fmt: skip


class _ClaudeMessage(Struct):
    role: str
    content: Content = None
    model: str | None = None


class _ClaudeLine(Struct, rename="camel"):
    type: str
    message: _ClaudeMessage | None = None
    attachment: msgspec.Raw = msgspec.Raw()
    session_id: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    summary: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    is_meta: bool | None = False
    is_sidechain: bool | None = False
    is_compact_summary: bool | None = False
    is_api_error_message: bool | None = False


class _ClaudeOrigin(Struct):
    kind: str | None = None


class _ClaudeQueued(Struct, rename="camel"):
    """What is typed while the agent works. It is in no other line, unless the agent is done before it looks."""

    type: str
    prompt: Content = None
    command_mode: str | None = None
    origin: _ClaudeOrigin | None = None


class _ClaudeGlance(Struct, rename="camel"):
    type: str
    message: _ClaudeRole | None = None
    is_sidechain: bool | None = False


class _ClaudeRole(Struct):
    role: str


def _read_claude_code(data: Data) -> list[Conversation]:
    glances = (one for one in objects_of(data, _ClaudeGlance) if one.type == _ATTACHED or _speaks(one))
    aside = all(one.is_sidechain for one in glances)  # a file of a subagent has nothing else
    turns = Turns()
    title: str | None = None
    first: _ClaudeLine | None = None
    for line in _claude_lines(data):
        title = line.custom_title or line.ai_title or line.summary or title
        if first is None and line.session_id and _speaks(line):
            first = msgspec.structs.replace(line, message=None)
        _add_claude(turns, line, aside=aside)
        turns.end_with(line.uuid)
    origin: dict[str, Json] = {"host": "claude-code"}
    if first is not None:
        origin |= {key: value for key, value in (("cwd", first.cwd), ("branch", first.git_branch)) if value}
    id = None if first is None or aside else first.session_id
    return [Conversation(format="claude-code", messages=turns.messages(), id=id, title=title, origin=origin)]


def _speaks(line: _ClaudeLine | _ClaudeGlance) -> bool:
    return line.message is not None and line.type in _SPEAKERS


def _claude_lines(data: Data) -> Iterator[_ClaudeLine]:
    """The lines, with what was typed while the agent worked as the user's; but not where it comes again as such."""
    again: set[str] = set()
    if data.find(_QUEUED.encode()) >= 0:
        waiting: set[str] = set()
        for line in map(_unqueued, objects_of(data, _ClaudeLine)):
            if line.type == "user" and line.message is not None:
                told = _whole(line.message)
                if bytes(line.attachment):
                    waiting.add(told)
                elif told in waiting:
                    again.add(told)
    for line in map(_unqueued, objects_of(data, _ClaudeLine)):
        if not (again and line.message and bytes(line.attachment) and _whole(line.message) in again):
            yield line


def still_queued(data: Data) -> list[str]:
    """What was typed while the agent worked, and nothing else since: it may come again as the user's."""
    waiting: list[str] = []
    for line in map(_unqueued, objects_of(data, _ClaudeLine)) if data.find(_QUEUED.encode()) >= 0 else ():
        told = _whole(line.message) if line.type == "user" and line.message and not line.is_meta else ""
        if told and not told.startswith("[failed: "):
            waiting = [*waiting, told] if bytes(line.attachment) else []
    return waiting


def _whole(message: _ClaudeMessage) -> str:
    return "\n".join(show_content(message.content)).strip()


def _unqueued(line: _ClaudeLine) -> _ClaudeLine:
    queued = _fitting(line.attachment, _ClaudeQueued) if line.type == _ATTACHED and bytes(line.attachment) else None
    if queued is None or (queued.type, queued.command_mode) != (_QUEUED, "prompt"):
        return line
    if queued.origin is not None and queued.origin.kind != "human":
        return line
    return msgspec.structs.replace(line, type="user", message=_ClaudeMessage("user", queued.prompt))


def _add_claude(turns: Turns, line: _ClaudeLine, *, aside: bool) -> None:
    hidden = line.is_meta or line.is_compact_summary or line.is_api_error_message
    if line.message is None or not _speaks(line) or hidden or (line.is_sidechain and not aside):
        return
    parts = [_without_reminders(part) for part in show_content(line.message.content)]
    parts = [part for part in parts if not part.lstrip().startswith(_NOISE)]
    failed = bool(parts) and all(part.startswith("[failed: ") for part in parts)
    role = "assistant" if failed else line.type  # a tool's answer comes in the name of the user
    turns.add(role, parts, read_moment(line.timestamp), joined=role == "assistant")


def _without_reminders(text: str) -> str:
    """What is said, without what a program said in between. An end that is not there is looked for once."""
    kept: list[str] = []
    endless: set[str] = set()
    at = 0
    for found in _REMINDER.finditer(text):
        end = f"</{found.group(1)}>"
        if found.start() < at or end in endless:
            continue
        over = text.find(end, found.end())
        if over < 0:
            endless.add(end)
            continue
        kept.append(text[at : found.start()])
        at = over + len(end)
        while at < len(text) and text[at].isspace():
            at += 1
    return "".join([*kept, text[at:]])


# Codex

_CODEX_NOISE = ("<environment_context", "<user_instructions", "<permissions", "<turn_aborted", "<INSTRUCTIONS",
                "# AGENTS.md instructions", "<collaboration_mode", "<skill")  # fmt: skip

_CODEX_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_CODEX_FAILED = re.compile(  # in what a terminal shows, or in JSON around it
    r"(?:[^\n]{0,200}\n){0,4}(?:Process exited with code|Exit code:) -?[1-9]|\{.*\"exit_code\":\s*-?[1-9]", re.DOTALL
)


_REPLAYED = timedelta(seconds=5)  # a session that goes on from another writes down at once what that one held
_UUID_7 = re.compile(r"[0-9a-f]{12}7[0-9a-f]{19}", re.IGNORECASE)


class _CodexItem(Struct):
    type: str | None = None
    role: str | None = None
    content: Content = None
    name: str | None = None
    arguments: str | None = None
    input: object = None
    action: object = None
    output: object = None
    id: str | None = None
    cwd: str | None = None
    timestamp: str | None = None
    forked_from_id: str | None = None
    turn_id: str | None = None


class _CodexLine(Struct):
    type: str | None = None
    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw()
    id: str | None = None


def _read_codex(data: Data) -> list[Conversation]:
    turns = Turns()
    first: _CodexItem | None = None
    origin: dict[str, Json] = {"host": "codex"}
    forked: datetime | None = None
    copied = 0
    for raw in objects_of(data, msgspec.Raw):
        line = _fitting(raw, _CodexLine)
        if line is None:
            continue
        wrapped = bool(bytes(line.payload))
        item = _fitting(line.payload if wrapped else raw, _CodexItem)
        if item is None:
            continue
        at = read_moment(line.timestamp)
        if line.type == "session_meta" or (line.type is None and not wrapped):  # the first line, as it is or once was
            if first is None:  # others are those of the session that this one goes on from
                first = item
                origin |= {"cwd": item.cwd} if item.cwd else {}
                forked = at if item.forked_from_id else None
        elif line.type == "turn_context" and forked is not None and _minted(item.turn_id) >= forked.timestamp():
            forked = None
        elif line.type == "response_item" or not wrapped:
            _add_codex(turns, item, at)
            if forked is not None and (at is None or at - forked < _REPLAYED):
                copied = len(turns)
    id, other = (None, None) if first is None else (first.id, first.forked_from_id)
    return [
        Conversation(
            format="codex", messages=turns.messages(), id=id, origin=origin, copied=copied, copied_from=other
        )
    ]  # fmt: skip


def _minted(id: str | None) -> float:
    """When an id was made, in seconds since 1970, where it tells (UUIDs of version 7 do); else long ago."""
    digits = (id or "").replace("-", "")
    return int(digits[:12], 16) / 1_000 if _UUID_7.fullmatch(digits) else 0.0


def _add_codex(turns: Turns, item: _CodexItem, at: datetime | None) -> None:
    if item.type == "message" and item.role in ("user", "assistant"):
        parts = [part for part in show_content(item.content) if not part.lstrip().startswith(_CODEX_NOISE)]
        turns.add(item.role, parts, at, joined=item.role == "assistant")
    elif item.type in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call"):
        given = _decoded(item.arguments) if item.arguments else item.input or item.action
        turns.add("assistant", [show_call(item.name or item.type.removesuffix("_call"), given)], at, joined=True)
    elif item.type in _CODEX_OUTPUTS and isinstance(item.output, str) and _CODEX_FAILED.match(item.output):
        turns.add("assistant", [show_failure(item.output)], at, joined=True)


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except BROKEN:
        return text


# Messages with role and content


class _Plain(Struct):
    role: str
    content: Content
    name: str | None = None
    created_at: object = None
    timestamp: object = None


class _PlainConversation(Struct):
    messages: list[_Plain]
    id: str | None = None
    title: str | None = None


def _plain(messages: Iterable[_Plain], id: str | None = None, title: str | None = None) -> Conversation:
    said: list[Message] = []
    for message in messages:
        text = fit_text("\n".join(part.strip() for part in show_content(message.content) if part.strip()))
        if text and message.role not in ("system", "developer"):
            at = read_moment(message.created_at) or read_moment(message.timestamp)
            said.append(Message(message.role, text, at, message.name))
    return Conversation(format="messages", messages=tuple(said), id=id, title=title)


def _read_messages(data: Data) -> list[Conversation]:
    if begins_list(data):
        return [_plain(decode_each(data, _Plain))]
    try:
        whole = decode_foreign(data, _PlainConversation)
    except BROKEN:
        return [_plain(objects_of(data, _Plain))]
    return [_plain(whole.messages, whole.id, whole.title)]


# Which is it?

Reader = Callable[[Data], list[Conversation]]

_KEYS = re.compile(rb'"(mapping|chat_messages|messages)"\s*:\s*[\[{]')


def find_reader(data: Data) -> Reader | None:
    """What reads a transcript, going by its beginning; None where it is none."""
    head = data[: 4 * _LOOKED_AT].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] not in (b"{", b"["):
        return None
    if head[:1] == b"[":  # of an export, whose first fields may hold long texts
        pieces = (data[at : at + _LOOKED_AT] for at in range(0, len(data), _LOOKED_AT))
        head = opening_of(pieces, 4 * _LOOKED_AT).lstrip(b"\xef\xbb\xbf \t\r\n")
    found = {match.group(1) for match in _KEYS.finditer(head[:_LOOKED_AT])}
    if b"mapping" in found and b'"author"' in head:
        return read_chatgpt
    if b"chat_messages" in found:
        return read_claude
    if head[:1] == b"[":
        return _read_messages if _are_messages(data) else None
    return _reader_of_lines(data) or (_read_messages if b"messages" in found and _are_messages(data) else None)


def _are_messages(data: Data) -> bool:
    try:
        return any(conversation.messages for conversation in _read_messages(data))
    except BROKEN:
        return False


class _Look(Struct):
    type: str | None = None
    sessionId: str | None = None
    message: object = None
    payload: object = None
    data: object = None
    role: str | None = None
    content: object = None
    id: str | None = None
    timestamp: object = None
    leafUuid: str | None = None
    attachment: object = None


def _reader_of_lines(data: Data) -> Reader | None:
    first = True
    for line in islice(each_line(data), _LOOKED_AT_LINES):
        if not line.strip():
            continue
        try:
            look = decode(mend(line), _Look)
        except BROKEN:
            return None
        if (reader := _reader_by(look, first=first)) is not None:
            return reader
        first = False
    return None


def find_reader_of_lines(data: Data) -> Reader | None:
    """What reads some lines from anywhere in a transcript, going by the first of them that tells whose they are."""
    for line in each_line(data):
        try:
            reader = _reader_by(decode(mend(line), _Look), first=False) if line.strip() else None
        except BROKEN:
            continue
        if reader is not None:
            return reader
    return None


def _reader_by(look: _Look, *, first: bool) -> Reader | None:
    if look.type in ("user", "assistant") and look.message is not None and look.sessionId:
        return _read_claude_code
    if look.type == _ATTACHED and look.attachment is not None and look.sessionId:
        return _read_claude_code
    if look.payload is not None and look.type in ("session_meta", "response_item", "event_msg", "turn_context"):
        return _read_codex
    if look.data is not None and look.type is not None and look.type.startswith(EVENTS):
        return read_copilot
    if look.type is None and look.role in _SPEAKERS and look.message is not None:
        return read_cursor
    if first and look.type is None and look.role is None and look.id and look.timestamp is not None:
        return _read_codex
    if look.type is None and look.role and look.content is not None:
        return _read_messages
    return None


def knows_transcript(data: Data) -> bool:
    """Is this a transcript that can be read?"""
    return find_reader(mend_whole(data)) is not None


def read_transcript(name: str, data: Data) -> list[Conversation]:
    """The conversations of a file in which something was said. A file that is no transcript is an error."""
    mended = mend_whole(data)
    reader = find_reader(mended)
    if reader is None:
        raise SourceError(
            f"{name} is no transcript that is known; those of Claude Code, Codex, Cursor, Copilot, ChatGPT and Claude"
            " are, and messages with role and content"
        )
    try:
        return [conversation for conversation in reader(mended) if conversation.messages]
    except BROKEN as error:
        raise SourceError(f"{name} looks like a transcript, but cannot be read: {error}") from error


def _fitting(raw: bytes | msgspec.Raw, type_: type[T]) -> T | None:
    try:
        return decode_foreign(raw, type_)
    except msgspec.ValidationError:
        return None


# As a source


def parse_conversation(conversation: Conversation) -> Parsed:
    """A conversation in segments, a message each."""
    first = next((message for message in conversation.messages if message.role == "user"), conversation.messages[0])
    title = storable(conversation.title or "").strip() or short_title(first.text)
    payload = {"format": conversation.format, "messages": len(conversation.messages), "origin": conversation.origin}
    if conversation.changed is not None:
        payload["changed"] = conversation.changed.isoformat()
    if (last := conversation.messages[-1].line) is not None:
        payload["last_line"] = last
    return Parsed(
        source_kind="conversation",
        title=title[:500],
        adapter=conversation_adapter(conversation.format),
        segments=tuple(
            Segment(
                text=message.text, title=title[:500], role=message.name or message.role, event_time=message.at,
                locator={"kind": "message", "index": index}, line=message.line, copied=index < conversation.copied,
            )
            for index, message in enumerate(conversation.messages)
        ),
        payload=payload,
    )  # fmt: skip
