"""How does what was read become the draft of a source?"""

from __future__ import annotations

import time
from collections.abc import Mapping

import msgspec

from recollect.engine.intake.results import SourceDraft
from recollect.engine.intake.sources import hash_of
from recollect.ingest.parsed import Parsed
from recollect.ingest.talk import Message
from recollect.ingest.transcripts import Conversation, parse_conversation
from recollect.retrieve.fence import drop_blocks
from recollect.types import Json

_MICRO = 1_000


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


def draft_page(parsed: Parsed) -> SourceDraft:
    """A page that was fetched, as a source; where it is from, whoever fetched it says."""
    digest = hash_of([parsed.title.encode(), *(segment.text.encode() for segment in parsed.segments)])
    return draft_document("", parsed, digest)


def place_conversation(conversation: Conversation, path: str, number: int) -> str:
    """Where a conversation is: under its own id where it has one, so that the file that it came in does not matter.

    Else it is that file, and the later ones of a file are numbered.
    """
    place = _place_of(conversation, conversation.id)
    return place or f"conversation:{path}" + (f"#{number}" if number else "")


def _place_of(conversation: Conversation, id: str | None) -> str | None:
    """Where a conversation of the same program is that it calls so."""
    return None if id is None else f"conversation:{conversation.format}:{id}"


def draft_conversation(
    conversation: Conversation, location: str, file: Mapping[str, Json] | None = None
) -> SourceDraft:
    """A conversation that was read, as a source."""
    own = [_without_recalled(message) for message in conversation.messages]
    kept, copied = tuple(one for one in own if one.text), sum(bool(one.text) for one in own[: conversation.copied])
    if kept:
        conversation = msgspec.structs.replace(conversation, messages=kept, copied=copied)
    parsed = parse_conversation(conversation)
    said = [msgspec.json.encode((s.role, s.text, s.event_time)) for s in parsed.segments]
    said += [] if conversation.changed is None else [conversation.changed.isoformat().encode()]
    return SourceDraft(
        location=location, source_kind="conversation", title=parsed.title,
        fingerprint=hash_of([parsed.title.encode(), *said]), adapter=parsed.adapter, segments=parsed.segments,
        payload=parsed.payload, file=file, session=conversation.id or location,
        goes_on_from=_place_of(conversation, conversation.copied_from),
    )  # fmt: skip


def _without_recalled(message: Message) -> Message:
    """A message without what a memory was asked for, or gave unasked, where that stands in it as a whole."""
    text = drop_blocks(message.text, unclosed=False)
    return message if text == message.text else msgspec.structs.replace(message, text=text.strip())
