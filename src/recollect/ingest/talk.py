"""What is said in a conversation, and how are a message's parts and a tool's call put into words?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from mmap import mmap
from typing import TypeVar

import msgspec
from msgspec import Struct

from recollect.forms import decode_foreign
from recollect.ingest.parsed import storable
from recollect.ingest.secrets import mask_secrets
from recollect.types import Json, Metadata

LONGEST_MESSAGE = 100_000
_SHOWN = 200
_LOOKED_AT = 4_096
_NOTHING = b"null"

T = TypeVar("T")


class Message(Struct, frozen=True):
    """Something that was said, by whom and when. `line` is what its program calls the last line of it, if it does."""

    role: str
    text: str
    at: datetime | None = None
    name: str | None = None
    line: str | None = None


class Conversation(Struct, frozen=True, kw_only=True):
    """Messages in order. `id` is what its program calls it; `origin` what else it says of it, `changed` when it was
    changed last.

    The first `copied` of them were said in another session, `copied_from`, which this one goes on from. `left` names
    what was sent with them that does not come along, each as often as it was; `told` is what somebody had told the
    model for all conversations, by its name.
    """

    format: str
    messages: tuple[Message, ...]
    id: str | None = None
    title: str | None = None
    origin: Metadata = msgspec.field(default_factory=dict[str, Json])
    copied: int = 0
    copied_from: str | None = None
    changed: datetime | None = None
    left: tuple[str, ...] = ()
    told: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class Turns:
    """Gathers what is said, one message a turn: what a model says and does before anyone answers is one message.

    What does not say when it was said has the time of what was said before it, and the first that of the conversation.
    """

    def __init__(self, begun: datetime | None = None) -> None:
        self._said: list[tuple[str, list[str], datetime | None]] = []
        self._lines: dict[int, str] = {}
        self._at = begun

    def add(self, role: str, parts: Iterable[str], at: datetime | None, *, joined: bool = False) -> None:
        lines = [part.strip() for part in parts if part.strip()]
        if not lines:
            return
        self._at = at or self._at
        if joined and self._said and self._said[-1][0] == role:
            self._said[-1][1].extend(lines)
        else:
            self._said.append((role, lines, self._at))

    def end_with(self, line: str | None) -> None:
        """So the line is called that was read last."""
        if line is not None:
            self._lines[len(self._said) - 1] = line

    def __len__(self) -> int:
        return len(self._said)

    def messages(self, *, whole: bool = False) -> tuple[Message, ...]:
        """What was said. A turn that is too long for a message goes `whole` into several; else its end is left out."""
        return tuple(
            Message(role, text, at, line=self._lines.get(place))
            for place, (role, lines, at) in enumerate(self._said)
            for text in (in_messages(lines) if whole else [fit_text("\n".join(lines))])
        )


def in_messages(parts: Iterable[str]) -> Iterator[str]:
    """What was said at once, in as many messages as hold all of it; between lines, where there are some."""
    said = "\n".join(part.strip() for part in parts if part.strip())
    while said:
        end = len(said)
        if end > LONGEST_MESSAGE:
            end = said.rfind("\n", LONGEST_MESSAGE // 2, LONGEST_MESSAGE) + 1 or LONGEST_MESSAGE
        if text := storable(said[:end].strip()):
            yield text
        said = said[end:]


def fit_text(text: str) -> str:
    text = storable(text)
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[:LONGEST_MESSAGE]}\n[{len(text) - LONGEST_MESSAGE:,} more characters]"


def _one_line(text: object) -> str:
    """The beginning of something, on one line."""
    shown = text if isinstance(text, str) else msgspec.json.encode(text).decode()
    shown = " ".join(mask_secrets(shown[: 4 * _SHOWN])[0].split())  # of half a secret nobody could tell what it is
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


def read_moment(value: object) -> datetime | None:
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


class Block(Struct):
    type: str = "text"
    text: str | None = None
    name: str | None = None
    input: object = None
    content: object = None
    is_error: bool | None = False


Content = str | list[Block | str] | None


def show_call(name: str | None, given: object) -> str:
    """One line for a tool call: its name, and the argument that says most."""
    if isinstance(given, dict):
        fields: dict[str, object] = given  # pyright: ignore[reportUnknownVariableType] -- decoded from JSON
        telling = ("command", "cmd", "file_path", "path", "query", "pattern", "url", "prompt", "description", "code")
        given = next((fields[key] for key in telling if fields.get(key)), fields)
    return f"[{name or 'tool'}: {_one_line(given)}]" if given else f"[{name or 'tool'}]"


def show_failure(told: object) -> str:
    """One line for a tool that failed."""
    return f"[failed: {_one_line(told)}]"


def show_content(content: Content) -> list[str]:
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
            said.append(show_call(block.name, block.input))
        elif block.type in ("image", "input_image", "document"):
            said.append(f"[{block.type.removeprefix('input_')}]")
        elif block.type == "tool_result" and block.is_error:
            said.append(show_failure(block.content))
    return said


def begins_list(data: bytes | mmap) -> bool:
    return data[:_LOOKED_AT].lstrip()[:1] == b"["


def decode_each(data: bytes | mmap, type_: type[T]) -> Iterator[T]:
    """The objects of a list, or the only one, each decoded when its turn comes: all at once may not fit."""
    if begins_list(data):
        for one in msgspec.json.decode(data, type=list[msgspec.Raw]):
            if bytes(one) != _NOTHING:
                yield decode_foreign(one, type_)
    else:
        yield decode_foreign(data, type_)
