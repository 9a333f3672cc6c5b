"""Which conversations does a transcript or an export hold?

Claude Code and Codex write one JSON object a line, ChatGPT and Claude export a list of conversations, and anything may
write a list of messages with role and content. Content decides what a file is, not its name. People and models are
quoted in full; a tool call becomes one line, and its result is left out unless it failed; what programs tell the model
(reminders, environments, instructions) and what it thinks to itself is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from recollect.errors import SourceError
from recollect.ingest.parsed import Parsed, conversation_adapter, storable
from recollect.types import Json, Metadata, Segment

LONGEST_MESSAGE = 100_000
_SHOWN = 200
_LOOKED_AT = 65_536
_LOOKED_AT_LINES = 40
_TITLE = 80

T = TypeVar("T")


class Message(Struct, frozen=True):
    """Something that was said, by whom and when."""

    role: str
    text: str
    at: datetime | None = None
    name: str | None = None


class Conversation(Struct, frozen=True, kw_only=True):
    """Messages in order. `id` is what its program calls it; `origin` what else it says of it."""

    format: str
    messages: tuple[Message, ...]
    id: str | None = None
    title: str | None = None
    origin: Metadata = msgspec.field(default_factory=dict[str, Json])


class _Turns:
    """Gathers what is said, one message a turn: what a model says and does before anyone answers is one message."""

    def __init__(self) -> None:
        self._said: list[tuple[str, list[str], datetime | None]] = []

    def add(self, role: str, parts: Iterable[str], at: datetime | None, *, joined: bool = False) -> None:
        lines = [part.strip() for part in parts if part.strip()]
        if not lines:
            return
        if joined and self._said and self._said[-1][0] == role:
            self._said[-1][1].extend(lines)
        else:
            self._said.append((role, lines, at))

    def messages(self) -> tuple[Message, ...]:
        return tuple(Message(role, _fit("\n".join(lines)), at) for role, lines, at in self._said)


def _fit(text: str) -> str:
    text = storable(text)
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[:LONGEST_MESSAGE]}\n[{len(text) - LONGEST_MESSAGE:,} more characters]"


def _line(text: object) -> str:
    """The beginning of something, on one line."""
    shown = text if isinstance(text, str) else msgspec.json.encode(text).decode()
    shown = " ".join(shown[: 4 * _SHOWN].split())
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


def _moment(value: object) -> datetime | None:
    """A time as these programs write it: RFC 3339, or seconds since 1970."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1_000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


# Blocks that several programs write


class _Block(Struct):
    type: str = "text"
    text: str | None = None
    name: str | None = None
    input: object = None
    content: object = None
    is_error: bool | None = False


_Content = str | list[_Block | str] | None


def _calls(name: str | None, given: object) -> str:
    """One line for a tool call: its name, and the argument that says most."""
    if isinstance(given, dict):
        fields: dict[str, object] = given  # pyright: ignore[reportUnknownVariableType] -- decoded from JSON
        telling = ("command", "cmd", "file_path", "path", "query", "pattern", "url", "prompt", "description", "code")
        given = next((fields[key] for key in telling if fields.get(key)), fields)
    return f"[{name or 'tool'}: {_line(given)}]" if given else f"[{name or 'tool'}]"


def _say(content: _Content) -> list[str]:
    """What a message says: its texts, its calls of tools in a line each, and what failed."""
    if isinstance(content, str):
        return [content]
    said: list[str] = []
    for block in content or []:
        if isinstance(block, str):
            said.append(block)
        elif block.type in ("text", "input_text", "output_text") and block.text:
            said.append(block.text)
        elif block.type in ("tool_use", "server_tool_use"):
            said.append(_calls(block.name, block.input))
        elif block.type in ("image", "input_image", "document"):
            said.append(f"[{block.type.removeprefix('input_')}]")
        elif block.type == "tool_result" and block.is_error:
            said.append(f"[failed: {_line(block.content)}]")
    return said


# Claude Code

_REMINDER = re.compile(r"<(system-reminder|ide_[a-z_]+|local-command-[a-z]+)>.*?</\1>\s*", re.DOTALL)
_NOISE = ("<command-", "<local-command", "<bash-", "<user-memory-input", "Caveat: The messages below",
          "[Request interrupted", "<task-notification")  # fmt: skip


class _ClaudeMessage(Struct):
    role: str
    content: _Content = None
    model: str | None = None


class _ClaudeLine(Struct, rename="camel"):
    type: str
    message: _ClaudeMessage | None = None
    session_id: str | None = None
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


def _read_claude_code(data: bytes) -> list[Conversation]:
    lines = _lines(data, _ClaudeLine)
    spoken = [line for line in lines if line.message is not None and line.type in ("user", "assistant")]
    aside = all(line.is_sidechain for line in spoken)  # a file of a subagent has nothing else
    turns = _Turns()
    for line in spoken:
        hidden = line.is_meta or line.is_compact_summary or line.is_api_error_message
        if line.message is None or hidden or (line.is_sidechain and not aside):
            continue
        parts = [_REMINDER.sub("", part) for part in _say(line.message.content)]
        parts = [part for part in parts if not part.lstrip().startswith(_NOISE)]
        failed = bool(parts) and all(part.startswith("[failed: ") for part in parts)
        role = "assistant" if failed else line.type  # a tool's answer comes in the name of the user
        turns.add(role, parts, _moment(line.timestamp), joined=role == "assistant")
    titles = [line.custom_title or line.ai_title or line.summary for line in lines]
    first = next((line for line in spoken if line.session_id), None)
    origin: dict[str, Json] = {"host": "claude-code"}
    if first is not None:
        origin |= {key: value for key, value in (("cwd", first.cwd), ("branch", first.git_branch)) if value}
    id = None if first is None or aside else first.session_id
    title = next((title for title in reversed(titles) if title), None)
    return [Conversation(format="claude-code", messages=turns.messages(), id=id, title=title, origin=origin)]


# Codex

_CODEX_NOISE = ("<environment_context", "<user_instructions", "<permissions", "<turn_aborted", "<INSTRUCTIONS",
                "# AGENTS.md instructions", "<collaboration_mode", "<skill")  # fmt: skip


class _CodexItem(Struct):
    type: str | None = None
    role: str | None = None
    content: _Content = None
    name: str | None = None
    arguments: str | None = None
    input: object = None
    action: object = None
    id: str | None = None
    cwd: str | None = None
    timestamp: str | None = None


class _CodexLine(Struct):
    type: str | None = None
    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw()
    id: str | None = None


def _read_codex(data: bytes) -> list[Conversation]:
    turns = _Turns()
    id: str | None = None
    origin: dict[str, Json] = {"host": "codex"}
    for raw in _lines(data, msgspec.Raw):
        line = _fitting(raw, _CodexLine)
        if line is None:
            continue
        wrapped = bool(bytes(line.payload))
        item = _fitting(line.payload if wrapped else raw, _CodexItem)
        if item is None:
            continue
        if line.type == "session_meta" or (line.type is None and not wrapped):  # the first line, as it is or once was
            id = id or item.id
            origin |= {"cwd": item.cwd} if item.cwd else {}
        elif line.type == "response_item" or not wrapped:
            _add_codex(turns, item, _moment(line.timestamp))
    return [Conversation(format="codex", messages=turns.messages(), id=id, origin=origin)]


def _add_codex(turns: _Turns, item: _CodexItem, at: datetime | None) -> None:
    if item.type == "message" and item.role in ("user", "assistant"):
        parts = [part for part in _say(item.content) if not part.lstrip().startswith(_CODEX_NOISE)]
        turns.add(item.role, parts, at, joined=item.role == "assistant")
    elif item.type in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call"):
        given = _decoded(item.arguments) if item.arguments else item.input or item.action
        turns.add("assistant", [_calls(item.name or item.type.removesuffix("_call"), given)], at, joined=True)


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


# ChatGPT


class _Author(Struct):
    role: str


class _GptContent(Struct):
    content_type: str = "text"
    parts: list[object] | None = None
    text: str | None = None


class _GptMeta(Struct):
    is_visually_hidden_from_conversation: bool | None = False
    model_slug: str | None = None


class _GptMessage(Struct):
    author: _Author
    content: _GptContent | None = None
    create_time: float | None = None
    recipient: str | None = "all"
    metadata: _GptMeta | None = None


class _Node(Struct):
    message: _GptMessage | None = None
    parent: str | None = None
    children: list[str] = msgspec.field(default_factory=list[str])


class _GptConversation(Struct):
    mapping: dict[str, _Node]
    title: str | None = None
    current_node: str | None = None
    id: str | None = None
    conversation_id: str | None = None


def _read_chatgpt(data: bytes) -> list[Conversation]:
    return [_gpt_conversation(one) for one in _list(data, _GptConversation)]


def _gpt_conversation(one: _GptConversation) -> Conversation:
    turns = _Turns()
    for node in _main_branch(one):
        message = node.message
        if message is None or message.content is None or message.author.role not in ("user", "assistant"):
            continue
        if message.metadata is not None and message.metadata.is_visually_hidden_from_conversation:
            continue
        role = message.author.role
        turns.add(role, _gpt_parts(message, message.content), _moment(message.create_time), joined=role == "assistant")
    return Conversation(
        format="chatgpt", messages=turns.messages(), id=one.conversation_id or one.id, title=one.title,
        origin={"host": "chatgpt"},
    )  # fmt: skip


def _gpt_parts(message: _GptMessage, content: _GptContent) -> list[str]:
    if message.recipient not in (None, "all"):
        given = content.text or " ".join(part for part in content.parts or [] if isinstance(part, str))
        return [_calls(message.recipient, given)]
    if content.content_type == "code":
        return [content.text or ""]
    if content.content_type not in ("text", "multimodal_text"):
        return []  # thoughts, and what the model is told of its user
    return [part if isinstance(part, str) else "[image]" for part in content.parts or []]


def _main_branch(one: _GptConversation) -> list[_Node]:
    """The messages from the root to the one that was shown last; a conversation is a tree, with a branch a retry."""
    at = one.current_node
    if at not in one.mapping:
        roots = [key for key, node in one.mapping.items() if node.parent not in one.mapping]
        at = roots[0] if roots else None
        seen: set[str] = set()
        while at is not None and at not in seen and one.mapping[at].children:
            seen.add(at)
            at = next((child for child in reversed(one.mapping[at].children) if child in one.mapping), None) or at
    path: list[_Node] = []
    known: set[str] = set()
    while at is not None and at in one.mapping and at not in known:
        known.add(at)
        path.append(one.mapping[at])
        at = one.mapping[at].parent
    return path[::-1]


# Claude


class _Attachment(Struct):
    file_name: str | None = None


class _ClaudeChatMessage(Struct):
    sender: str
    text: str | None = None
    content: _Content = None
    created_at: str | None = None
    attachments: list[_Attachment] | None = None
    files: list[_Attachment] | None = None


class _ClaudeChat(Struct):
    chat_messages: list[_ClaudeChatMessage]
    uuid: str | None = None
    name: str | None = None


def _read_claude(data: bytes) -> list[Conversation]:
    return [_claude_chat(one) for one in _list(data, _ClaudeChat)]


def _claude_chat(one: _ClaudeChat) -> Conversation:
    turns = _Turns()
    for message in one.chat_messages:
        parts = _say(message.content) or [message.text or ""]
        files = [*(message.attachments or []), *(message.files or [])]
        parts += [f"[file: {file.file_name}]" for file in files if file.file_name]
        role = "user" if message.sender == "human" else message.sender
        turns.add(role, parts, _moment(message.created_at))
    return Conversation(
        format="claude", messages=turns.messages(), id=one.uuid, title=one.name or None, origin={"host": "claude.ai"}
    )


# Messages with role and content


class _Plain(Struct):
    role: str
    content: _Content
    name: str | None = None
    created_at: object = None
    timestamp: object = None


class _PlainConversation(Struct):
    messages: list[_Plain]
    id: str | None = None
    title: str | None = None


def _plain(messages: Sequence[_Plain], id: str | None = None, title: str | None = None) -> Conversation:
    said: list[Message] = []
    for message in messages:
        text = _fit("\n".join(part.strip() for part in _say(message.content) if part.strip()))
        if text and message.role not in ("system", "developer"):
            at = _moment(message.created_at) or _moment(message.timestamp)
            said.append(Message(message.role, text, at, message.name))
    return Conversation(format="messages", messages=tuple(said), id=id, title=title)


def _read_messages(data: bytes) -> list[Conversation]:
    if data.lstrip()[:1] == b"[":
        return [_plain(msgspec.json.decode(data, type=list[_Plain]))]
    try:
        whole = msgspec.json.decode(data, type=_PlainConversation)
    except msgspec.DecodeError:
        return [_plain(_lines(data, _Plain))]
    return [_plain(whole.messages, whole.id, whole.title)]


# Which is it?

Reader = Callable[[bytes], list[Conversation]]

_KEYS = re.compile(rb'"(mapping|chat_messages|messages)"\s*:\s*[\[{]')


def find_reader(data: bytes) -> Reader | None:
    """What reads a transcript, going by its beginning; None where it is none."""
    head = data[:_LOOKED_AT].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] not in (b"{", b"["):
        return None
    found = {match.group(1) for match in _KEYS.finditer(head)}
    if b"mapping" in found and b'"author"' in data[: 4 * _LOOKED_AT]:
        return _read_chatgpt
    if b"chat_messages" in found:
        return _read_claude
    if head[:1] == b"[":
        return _read_messages if _are_messages(data) else None
    return _reader_of_lines(head) or (_read_messages if b"messages" in found and _are_messages(data) else None)


def _are_messages(data: bytes) -> bool:
    try:
        return any(conversation.messages for conversation in _read_messages(data))
    except msgspec.DecodeError:
        return False


class _Look(Struct):
    type: str | None = None
    sessionId: str | None = None
    message: object = None
    payload: object = None
    role: str | None = None
    content: object = None
    id: str | None = None
    timestamp: object = None
    leafUuid: str | None = None


def _reader_of_lines(head: bytes) -> Reader | None:
    first = True
    for line in head.splitlines()[:_LOOKED_AT_LINES]:
        try:
            look = msgspec.json.decode(line, type=_Look)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        if look.type in ("user", "assistant") and look.message is not None and look.sessionId:
            return _read_claude_code
        if look.payload is not None and look.type in ("session_meta", "response_item", "event_msg", "turn_context"):
            return _read_codex
        if first and look.type is None and look.role is None and look.id and look.timestamp is not None:
            return _read_codex
        if look.type is None and look.role and look.content is not None:
            return _read_messages
        first = False
    return None


def knows_transcript(data: bytes) -> bool:
    """Is this a transcript that can be read?"""
    return find_reader(_mend(data)) is not None


def read_transcript(name: str, data: bytes) -> list[Conversation]:
    """The conversations of a file in which something was said. A file that is no transcript is an error."""
    mended = _mend(data)
    reader = find_reader(mended)
    if reader is None:
        raise SourceError(
            f"{name} is no transcript that is known; those of Claude Code, Codex, ChatGPT and Claude are, and messages"
            " with role and content"
        )
    try:
        return [conversation for conversation in reader(mended) if conversation.messages]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SourceError(f"{name} looks like a transcript, but cannot be read: {error}") from error


_ESCAPES = re.compile(
    rb"\\\\|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def _mend(data: bytes) -> bytes:
    """The same without a byte order mark, and without halves of characters, as cutting text at a length leaves them."""
    whole = data.removeprefix(b"\xef\xbb\xbf")
    if b"\\ud" not in whole and b"\\uD" not in whole:
        return whole
    return _ESCAPES.sub(lambda found: found.group() if found.group(2) is None else b"\\ufffd", whole)


def _lines(data: bytes, type_: type[T]) -> list[T]:
    """The objects of a file with one a line, but for those of another shape: programs add kinds of lines all the time.

    A last line that is only half there is still being written.
    """
    lines = [line for line in data.split(b"\n") if line.strip()]
    found: list[T] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(msgspec.json.decode(line, type=type_))
        except msgspec.ValidationError:
            continue
        except msgspec.DecodeError:
            if number < len(lines) or number == 1:
                raise
    return found


def _fitting(raw: bytes | msgspec.Raw, type_: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=type_)
    except msgspec.ValidationError:
        return None


def _list(data: bytes, type_: type[T]) -> list[T]:
    if data.lstrip()[:1] == b"[":
        return msgspec.json.decode(data, type=list[type_])
    return [msgspec.json.decode(data, type=type_)]


# As a source


def parse_conversation(conversation: Conversation) -> Parsed:
    """A conversation in segments, a message each."""
    first = next((message for message in conversation.messages if message.role == "user"), conversation.messages[0])
    title = storable(conversation.title or "").strip() or _short(first.text)
    return Parsed(
        source_kind="conversation",
        title=title[:500],
        adapter=conversation_adapter(conversation.format),
        segments=tuple(
            Segment(
                text=message.text, title=title[:500], role=message.name or message.role, event_time=message.at,
                locator={"kind": "message", "index": index},
            )
            for index, message in enumerate(conversation.messages)
        ),
        payload={"format": conversation.format, "messages": len(conversation.messages), "origin": conversation.origin},
    )  # fmt: skip


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _TITLE].split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
