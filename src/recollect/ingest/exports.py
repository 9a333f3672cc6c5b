"""Which conversations do the exports of ChatGPT and Claude hold?"""

from __future__ import annotations

from mmap import mmap

import msgspec
from msgspec import Struct

from recollect.forms import convert
from recollect.ingest.talk import Content, Conversation, Turns, decode_each, read_moment, show_call, show_content

# ChatGPT


class _Author(Struct):
    role: str


class _GptContent(Struct):
    content_type: str = "text"
    parts: list[object] | None = None
    text: str | None = None


class _Media(Struct):
    content_type: str = "image"
    text: str | None = None


class _GptMeta(Struct):
    is_visually_hidden_from_conversation: bool | None = False


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
    for node in _main_branch(one):
        message = node.message
        if message is None or message.content is None or message.author.role not in ("user", "assistant"):
            continue
        if message.metadata is not None and message.metadata.is_visually_hidden_from_conversation:
            continue
        role = message.author.role
        turns.add(
            role, _gpt_parts(message, message.content), read_moment(message.create_time), joined=role == "assistant"
        )
    return Conversation(
        format="chatgpt", messages=turns.messages(), id=one.conversation_id or one.id, title=one.title,
        origin={"host": "chatgpt"}, changed=read_moment(one.update_time),
    )  # fmt: skip


def _gpt_parts(message: _GptMessage, content: _GptContent) -> list[str]:
    if message.recipient not in (None, "all"):
        given = content.text or " ".join(part for part in content.parts or [] if isinstance(part, str))
        return [show_call(message.recipient, given)]
    if content.content_type == "code":
        return [content.text or ""]
    if content.content_type not in ("text", "multimodal_text"):
        return []  # thoughts, and what the model is told of its user
    return [_gpt_part(part) for part in content.parts or []]


def _gpt_part(part: object) -> str:
    """What one part says: text, what was spoken, or that there is a picture."""
    if isinstance(part, str):
        return part
    try:
        media = convert(part, _Media)
    except msgspec.ValidationError:
        return ""
    return media.text or ("[image]" if media.content_type.startswith("image") else "")


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
    for message in one.chat_messages:
        parts = show_content(message.content) or [message.text or ""]
        files = [*(message.attachments or []), *(message.files or [])]
        parts += [f"[file: {file.file_name}]" for file in files if file.file_name]
        role = "user" if message.sender == "human" else message.sender
        turns.add(role, parts, read_moment(message.created_at))
    return Conversation(
        format="claude", messages=turns.messages(), id=one.uuid, title=one.name or None, origin={"host": "claude.ai"},
        changed=read_moment(one.updated_at),
    )  # fmt: skip
