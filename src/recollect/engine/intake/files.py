"""How does a file, a page or a transcript become a source?"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from recollect.engine.core import Core
from recollect.engine.intake.results import IngestedSource, SourceDraft
from recollect.engine.intake.sources import Ready, hash_of, ingest_source, ingest_sources
from recollect.errors import InvalidInput, SourceError
from recollect.ingest.documents import LARGEST_DOCUMENT, Mode, parse_document
from recollect.ingest.parsed import Parsed
from recollect.ingest.transcripts import Conversation, knows_transcript, parse_conversation, read_transcript
from recollect.ingest.walk_files import is_text
from recollect.ingest.web import parse_fetched
from recollect.types import Draft, Json

LARGEST_TRANSCRIPT = 1024 * 1024 * 1024
_MICRO = 1_000


def locate_file(path: str | os.PathLike[str], field: str = "path") -> Path:
    """The file or folder that a path names, from the root; it must be there."""
    text = os.fspath(path)
    if not text.strip() or "\0" in text:
        raise InvalidInput(field, f"{text!r} names no file or folder")
    try:
        found = Path(os.path.abspath(Path(text).expanduser()))
    except RuntimeError as error:  # ~someone, where there is no such user
        raise InvalidInput(field, f"{text}: {error}") from error
    if not is_text(str(found)):
        raise InvalidInput(field, f"{str(found)!a} cannot be read: its name is not UTF-8")
    if not found.exists():
        raise InvalidInput(field, f"{found} does not exist")
    return found


def read_bytes(path: Path, largest: int = LARGEST_DOCUMENT) -> tuple[bytes, dict[str, Json]]:
    """What a file holds, and what is said of it."""
    if not path.is_file():
        raise InvalidInput("path", f"{path} is not a file")
    try:
        with path.open("rb") as file:
            info = os.fstat(file.fileno())
            if info.st_size > largest:
                raise SourceError(f"{path} has {info.st_size:,} bytes; at most {largest:,} are read")
            data = file.read(largest + 1)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > largest:
        raise SourceError(f"{path} has more than {largest:,} bytes, which is the most that is read")
    return data, describe_file(len(data), info.st_mtime_ns)


def describe_file(size: int, mtime: int) -> dict[str, Json]:
    """What a source says of its file: its size and times when it was read."""
    return {"size": size, "mtime": mtime, "read_at": time.time_ns() // _MICRO}


def draft_document(location: str, parsed: Parsed, fingerprint: str, title: str | None = None) -> SourceDraft:
    """A document that was read, as a source."""
    return SourceDraft(
        location=location, source_kind=parsed.source_kind, title=title or parsed.title, fingerprint=fingerprint,
        adapter=parsed.adapter, segments=parsed.segments, summary="\n".join(parsed.headings),
        payload={**parsed.payload, "headings": list(parsed.headings[:100])},
    )  # fmt: skip


def ingest_file(
    core: Core, path: str | os.PathLike[str], space: str, fields: Draft, *, title: str | None, mode: Mode | None
) -> IngestedSource:
    """Stores a document. For a file that is as it was, nothing is written."""
    found = locate_file(path)
    data, described = read_bytes(found)
    parsed = parse_document(found.name, data, mode)
    draft = draft_document(str(found), parsed, hashlib.sha256(data).hexdigest(), title)
    return ingest_source(core, msgspec.structs.replace(draft, file=described), space, fields)


def ingest_url(core: Core, url: str, space: str, fields: Draft, *, title: str | None) -> IngestedSource:
    """Stores a page of the web. What counts as its location is the address that was asked for."""
    from recollect.engine.intake.fetch import fetch  # brings in httpx: only when a page is asked for

    fetched = fetch(url, allow_private=core.settings.allow_private_addresses)
    parsed = parse_fetched(fetched.name, fetched.body, fetched.media_type, fetched.charset)
    digest = hash_of([parsed.title.encode(), *(segment.text.encode() for segment in parsed.segments)])
    draft = draft_document(fetched.asked, parsed, digest, title)
    seen = {"url": fetched.asked, "final_url": fetched.url, "media_type": fetched.media_type}
    payload: Mapping[str, Json] = {**draft.payload, **seen, "bytes": len(fetched.body)}
    return ingest_source(core, msgspec.structs.replace(draft, payload=payload), space, fields)


def is_transcript(path: str | os.PathLike[str]) -> bool:
    """Is a file a transcript, going by its content?"""
    found = locate_file(path)
    if not found.is_file() or found.stat().st_size > LARGEST_TRANSCRIPT:
        return False
    return knows_transcript(read_bytes(found, LARGEST_TRANSCRIPT)[0])


def ingest_transcript(
    core: Core, path: str | os.PathLike[str], space: str, fields: Draft
) -> tuple[IngestedSource, ...]:
    """Stores every conversation of a transcript or an export, each as a source."""
    found = locate_file(path)
    data, described = read_bytes(found, LARGEST_TRANSCRIPT)
    described |= {"path": str(found)}
    conversations = read_transcript(found.name, data)
    if not conversations:
        raise SourceError(f"{found} holds no messages")
    ready = [
        Ready(draft_conversation(conversation, place_conversation(conversation, str(found), number), described))
        for number, conversation in enumerate(conversations)
    ]
    return tuple(ingest_sources(core, ready, space, fields))


def place_conversation(conversation: Conversation, path: str, number: int) -> str:
    """Where a conversation is: under its own id where it has one, so that the file that it came in does not matter.

    Else it is that file, and the later ones of a file are numbered.
    """
    if conversation.id is not None:
        return f"conversation:{conversation.format}:{conversation.id}"
    return f"conversation:{path}" + (f"#{number}" if number else "")


def draft_conversation(
    conversation: Conversation, location: str, file: Mapping[str, Json] | None = None
) -> SourceDraft:
    """A conversation that was read, as a source."""
    parsed = parse_conversation(conversation)
    said = [msgspec.json.encode((s.role, s.text, s.event_time)) for s in parsed.segments]
    return SourceDraft(
        location=location, source_kind="conversation", title=parsed.title,
        fingerprint=hash_of([parsed.title.encode(), *said]), adapter=parsed.adapter, segments=parsed.segments,
        payload=parsed.payload, file=file, session=conversation.id or location,
        event_time=None, summary="",
    )  # fmt: skip
