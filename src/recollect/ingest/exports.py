"""Which conversations do the exports of ChatGPT and Claude hold?

What was pasted or written in them comes as text where the export has it: attachments, artifacts, canvases. Of other
files it has the names alone.
"""

from __future__ import annotations

from mmap import mmap

import msgspec
from msgspec import Struct

from recollect.forms import convert, decode
from recollect.ingest.talk import (
    Block,
    Content,
    Conversation,
    Turns,
    decode_each,
    read_moment,
    show_call,
    show_content,
)

FILE, PICTURE = "file", "picture"
"""What of a conversation does not come along: an export does not say what is in it."""
_PICTURED = "[image]"
_WRITING = ("artifacts", "create_file", "str_replace")
"""The tools with which Claude writes beside a conversation."""

# ChatGPT


class _Author(Struct):
    role: str


class _GptContent(Struct):
    content_type: str = "text"
    parts: list[object] | None = None
    text: str | None = None
    user_profile: str | None = None
    user_instructions: str | None = None


class _Media(Struct):
    content_type: str = "image"
    text: str | None = None


class _GptFile(Struct):
    name: str | None = None


class _GptMeta(Struct):
    is_visually_hidden_from_conversation: bool | None = False
    attachments: list[_GptFile] | None = None


class _Canvas(Struct):
    name: str | None = None
    content: str | None = None


class _GptMessage(Struct):
    author: _Author
    content: _GptContent | None = None
    create_time: object = None
    recipient: str | None = "all"
    metadata: _GptMeta | None = None


class _Node(Struct):
    message: _GptMessage | None = None
    parent: str | None = None
    children: list[str] = msgspec.field(default_factory=list[str])


class _GptConversation(Struct):
    mapping: dict[str, _Node] | None = None
    title: str | None = None
    create_time: object = None
    update_time: object = None
    current_node: str | None = None
    id: str | None = None
    conversation_id: str | None = None


def read_chatgpt(data: bytes | mmap) -> list[Conversation]:
    return [_gpt_conversation(one) for one in decode_each(data, _GptConversation)]


def _gpt_conversation(one: _GptConversation) -> Conversation:
    turns = Turns(read_moment(one.create_time))
    left: list[str] = []
    told: dict[str, str] = {}
    for node in _main_branch(one):
        message = node.message
        if message is None or message.content is None or message.author.role not in ("user", "assistant"):
            continue
        told |= _gpt_told(message.content)
        if message.metadata is not None and message.metadata.is_visually_hidden_from_conversation:
            continue
        role = message.author.role
        parts = _gpt_parts(message, message.content)
        files = [] if message.metadata is None else message.metadata.attachments or []
        left += [FILE] * len(files) or [PICTURE] * parts.count(_PICTURED)
        parts += [f"[file: {file.name}]" for file in files if file.name]
        turns.add(role, parts, read_moment(message.create_time), joined=role == "assistant")
    return Conversation(
        format="chatgpt", messages=turns.messages(whole=True), id=one.conversation_id or one.id, title=one.title,
        origin={"host": "chatgpt"}, changed=read_moment(one.update_time), left=tuple(left), told=told,
    )  # fmt: skip


def _gpt_told(content: _GptContent) -> dict[str, str]:
    """What somebody had told the model of themselves and of how to answer."""
    if content.content_type != "user_editable_context":
        return {}
    told = {"profile": content.user_profile or "", "instructions": content.user_instructions or ""}
    return {name: said for name, text in told.items() if (said := text.strip())}


def _gpt_parts(message: _GptMessage, content: _GptContent) -> list[str]:
    if message.recipient not in (None, "all"):
        given = content.text or " ".join(part for part in content.parts or [] if isinstance(part, str))
        return [_gpt_canvas(message.recipient, given) or show_call(message.recipient, given)]
    if content.content_type == "code":
        return [content.text or ""]
    if content.content_type not in ("text", "multimodal_text"):
        return []  # thoughts, and what the model is told of its user
    return [_gpt_part(part) for part in content.parts or []]


def _gpt_canvas(recipient: str, given: str) -> str | None:
    """A text that was written beside the conversation."""
    if not recipient.startswith("canmore."):
        return None
    try:
        canvas = decode(given.encode(), _Canvas)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return f"[canvas: {canvas.name or 'untitled'}]\n{canvas.content}" if canvas.content else None


def _gpt_part(part: object) -> str:
    """What one part says: text, what was spoken, or that there is a picture."""
    if isinstance(part, str):
        return part
    try:
        media = convert(part, _Media)
    except msgspec.ValidationError:
        return ""
    return media.text or (_PICTURED if media.content_type.startswith("image") else "")


def _main_branch(one: _GptConversation) -> list[_Node]:
    """The messages from the root to the one that was shown last; a conversation is a tree, with a branch a retry."""
    at, nodes = one.current_node, one.mapping or {}
    if at not in nodes:
        roots = [key for key, node in nodes.items() if node.parent not in nodes]
        at = roots[0] if roots else None
        seen: set[str] = set()
        while at is not None and at not in seen and nodes[at].children:
            seen.add(at)
            at = next((child for child in reversed(nodes[at].children) if child in nodes), None) or at
    path: list[_Node] = []
    known: set[str] = set()
    while at is not None and at in nodes and at not in known:
        known.add(at)
        path.append(nodes[at])
        at = nodes[at].parent
    return path[::-1]


# Claude


class _Attachment(Struct):
    file_name: str | None = None
    extracted_content: str | None = None


class _Artifact(Struct):
    title: str | None = None
    id: str | None = None
    path: str | None = None
    content: str | None = None
    file_text: str | None = None
    new_str: str | None = None


class _ClaudeChatMessage(Struct):
    sender: str
    text: str | None = None
    content: Content = None
    created_at: str | None = None
    attachments: list[_Attachment] | None = None
    files: list[_Attachment] | None = None


class _ClaudeChat(Struct):
    chat_messages: list[_ClaudeChatMessage]
    uuid: str | None = None
    name: str | None = None
    created_at: object = None
    updated_at: object = None


def read_claude(data: bytes | mmap) -> list[Conversation]:
    return [_claude_chat(one) for one in decode_each(data, _ClaudeChat)]


def _claude_chat(one: _ClaudeChat) -> Conversation:
    turns = Turns(read_moment(one.created_at))
    left: list[str] = []
    for message in one.chat_messages:
        parts = _claude_parts(message.content) or [message.text or ""]
        files = [*(message.attachments or []), *(message.files or [])]
        parts += map(_claude_file, files)
        left += [FILE for file in files if not file.extracted_content]
        role = "user" if message.sender == "human" else message.sender
        turns.add(role, parts, read_moment(message.created_at))
    return Conversation(
        format="claude", messages=turns.messages(whole=True), id=one.uuid, title=one.name or None,
        origin={"host": "claude.ai"}, changed=read_moment(one.updated_at), left=tuple(left),
    )  # fmt: skip


def _claude_parts(content: Content) -> list[str]:
    """What a message says, with the text of what was written beside it."""
    if not isinstance(content, list):
        return show_content(content)
    return [part for block in content for part in _claude_artifact(block) or show_content([block])]


def _claude_artifact(block: Block | str) -> list[str]:
    if isinstance(block, str) or block.type != "tool_use" or block.name not in _WRITING:
        return []
    try:
        made = convert(block.input, _Artifact)
    except msgspec.ValidationError:
        return []
    text, name = made.content or made.file_text or made.new_str, made.title or made.path or made.id
    return [f"[artifact: {name or 'untitled'}]\n{text}"] if text else []


def _claude_file(file: _Attachment) -> str:
    name = f"[file: {file.file_name}]" if file.file_name else "[pasted]" if file.extracted_content else ""
    return f"{name}\n{file.extracted_content}" if file.extracted_content else name
