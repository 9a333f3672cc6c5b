"""What is known of a document once it has been read, whatever it was written in?"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from recollect.ingest.chunks import CHUNKER, Chunk
from recollect.ingest.secrets import drop_private, mask_secrets
from recollect.types import Adapter, Json, Metadata, Segment, SourceKind

ADAPTER_VERSION = "1"
"""Raised when the same file would be read otherwise: then every file is read anew."""

_TITLE = 80  # characters
_SURROGATE = re.compile("[\ud800-\udfff]")


class Parsed(Struct, frozen=True, kw_only=True):
    """A document in segments. `fingerprint` is of its text where its bytes say more than that (a web page's do)."""

    source_kind: SourceKind
    title: str
    adapter: Adapter
    segments: tuple[Segment, ...]
    headings: tuple[str, ...] = ()
    payload: Metadata = msgspec.field(default_factory=dict[str, Json])


def storable(text: str) -> str:
    """A text without NUL characters and lone halves of characters, which no store takes."""
    if "\0" in text:
        text = text.replace("\0", "")
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def local_adapter(name: str, mode: str, *transformations: str, modes: Sequence[str] = ("file",)) -> Adapter:
    """How a file on this machine is read."""
    return Adapter(
        name=name, version=ADAPTER_VERSION, mode=mode, supported_modes=tuple(modes),
        declared_transformations=("line_endings", *transformations, CHUNKER), default_privacy_class="private",
        origin_classification="local_file",
    )  # fmt: skip


def conversation_adapter(format: str) -> Adapter:
    """How a conversation is read."""
    name = "conversation" if format == "messages" else f"{format}_transcript"
    return Adapter(
        name=name, version=ADAPTER_VERSION, mode="conversation", supported_modes=("conversation",),
        declared_transformations=() if format == "messages" else ("tool_calls_condensed", "system_text_removed"),
        default_privacy_class="private", origin_classification="conversation",
    )  # fmt: skip


def line_segments(title: str, chunks: Sequence[Chunk]) -> tuple[Segment, ...]:
    """Chunks as segments that say on which lines they stand."""
    return tuple(Segment(text=chunk.text, title=name_chunk(title, chunk), locator=locate(chunk)) for chunk in chunks)


def locate(chunk: Chunk) -> dict[str, Json]:
    at: dict[str, Json] = {
        "kind": "line", "line_start": chunk.line_start, "line_end": chunk.line_end,
        "heading_path": list(chunk.heading_path), "chunk_kind": chunk.kind,
    }  # fmt: skip
    if chunk.columns is not None:
        at["columns"] = list(chunk.columns)
    return at


def name_chunk(title: str, chunk: Chunk) -> str:
    """The document and the headings above a chunk; a document that is named like its first heading is named once."""
    path = chunk.heading_path[1:] if chunk.heading_path[:1] == (title,) else chunk.heading_path
    return " › ".join((title, *path))[:1_000]


def short_title(text: str) -> str:
    """What a conversation that has no name of its own is called: how its first message begins.

    Secrets are masked before it is cut short: of half a secret nobody could tell what it is.
    """
    public = mask_secrets(drop_private(text[: 40 * _TITLE]))[0]
    line = " ".join(public[: 4 * _TITLE].split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
