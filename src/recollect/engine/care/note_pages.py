"""What does the file of a note say, and what would that of a record?

Both are compared by a hash of all that either can say: by that it is known who has changed since they agreed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from recollect.engine.graph.named import names_of
from recollect.engine.parse import parse_draft, parse_label
from recollect.errors import InvalidInput
from recollect.ingest.entities import names_within
from recollect.ingest.frontmatter import put_on_top
from recollect.ingest.vault import KEYS, PROPERTIES, Page, links_in, parse_page, plain_ends
from recollect.store.base import Entities, View, normal_name
from recollect.types import Draft, Json, Record

LEFT_OUT = ("source", "document", "message", "code")
"""Kinds that are no notes: they come from documents, talks and code, which have files of their own."""
_USUAL = Draft(text="")
_MOMENTS = ("event_time", "valid_from", "valid_until")
_WRITTEN = ("date", "created", "created_at")
"""Fields of a file's owner that may tell when it was written, the likeliest first."""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_STRETCH = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")


class KnownFile(Struct, frozen=True):
    """What is known of a record's file: where it was, and what it and the record said."""

    path: str
    hash: str
    lines: bool = False
    """Were the lines of a file's own fields read for that? Earlier releases passed over what they could not read."""


class NoteFile(Struct, frozen=True):
    """A file as it was read."""

    path: str
    data: bytes
    page: Page
    draft: Draft

    hash: str
    before: str
    """The same as earlier releases had it, which read a file's own fields otherwise: by that it has not changed."""
    marked: bool = False
    """Are there marks of a merge in it, so that it is to be written anew?"""
    other: NoteFile | None = None
    """What the other side of that merge said."""
    signed: bytes | None = None
    """The file with the lines at its top by which it was known, and which whoever saved it has not kept."""

    def is_as(self, kept: KnownFile) -> bool:
        """Does it say what was known of it?"""
        return kept.hash == self.hash or (kept.hash == self.before and not kept.lines)


def hash_of(stated: Draft | Record, at: datetime | None) -> str:
    """What a file and a record are compared by: all that both can say. Looks do not count."""
    said = [getattr(stated, name) for name in KEYS if name != "event_time"]
    return hashlib.sha256(msgspec.msgpack.encode([stated.text, at, *said], order="deterministic")).hexdigest()


def parse_note(path: str, data: bytes, content: str) -> NoteFile:
    """What a file says, or a side of a merge that it holds."""
    page = parse_page(content)
    given: dict[str, object] = {"trust": "user_declared", **page.fields, "text": page.text}
    given |= {name: _parse_moment(value, KEYS[name]) for name in _MOMENTS if (value := page.fields.get(name))}
    if page.id is not None:
        given["id"] = page.id
    try:
        draft = parse_draft(given, {})
    except InvalidInput as error:  # by the name that the field has in a file
        raise InvalidInput(KEYS.get(error.field, error.field), error.problem) from error
    if draft.kind in LEFT_OUT:
        raise InvalidInput("kind", f"{draft.kind!r} is no kind of notes, which alone are kept in files; name another")
    for name in page.about:
        parse_label(name, "about")
    hash = hash_of(draft, draft.event_time)
    earlier = None if page.before is None else msgspec.structs.replace(draft, metadata=page.before)
    return NoteFile(path, data, page, draft, hash, hash if earlier is None else hash_of(earlier, earlier.event_time))


def _parse_moment(value: Json, field: str) -> datetime:
    """A time that every machine reads alike, whenever and wherever it does: without a zone it is one of UTC."""
    said = str(value)
    if (stretch := _STRETCH.fullmatch(said)) is not None:
        said = f"{stretch[1]}-{stretch[2] or '01'}-01"
    try:
        moment = datetime.fromisoformat(said)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        wanted = "write one that is the same everywhere, like 2026-05-10T14:32:00+02:00 or 2026-05-10"
        raise InvalidInput(field, f"{str(value)[:60]!r} is no time that there is in a calendar; {wanted}") from error


def content_of(data: bytes) -> str:
    try:
        return plain_ends(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        wide = "is UTF-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "is not UTF-8 text"
        raise InvalidInput("file", f"{wide}; save it as UTF-8, and it is read") from error


def sign(file: NoteFile, record: Record) -> NoteFile:
    """A file that has lost its id, as one that still has it, and the moment where it tells none."""
    data = put_on_top(file.data, told_above(file, record))
    return msgspec.structs.replace(parse_note(file.path, data, content_of(data)), data=file.data, signed=data)


def told_above(file: NoteFile, record: Record) -> dict[str, Json]:
    """What is put at the top of a file that becomes a note."""
    told: dict[str, Json] = {"id": record.id}
    if file.draft.event_time is None:
        told[KEYS["event_time"]] = record.event_time.isoformat().replace("+00:00", "Z")
    return told


def told_moment(file: NoteFile, now: datetime) -> datetime | None:
    """When a note was written, which says no time of ours: by a field of its owner's, or by its name that is a day.
    What is still to come is not when it was written.
    """
    held = file.draft.metadata.get(PROPERTIES)
    fields: Mapping[str, Json] = held if isinstance(held, Mapping) else {}
    day = _DAY.match(PurePosixPath(file.path).name)
    for said in (*(fields.get(name) for name in _WRITTEN), day and day[0]):
        if isinstance(said, str | int) and not isinstance(said, bool):
            with suppress(InvalidInput):
                if (moment := _parse_moment(said, "time")) <= now:
                    return moment
    return None


def are_twins(first: NoteFile, second: NoteFile) -> bool:
    """Did two machines make a note each of one file, at moments of their own?"""
    ids = {first.page.id, second.page.id}
    return None not in ids and len(ids) == 2 and hash_of(first.draft, None) == hash_of(second.draft, None)


def page_of(view: View, record: Record, was: NoteFile | None = None) -> Page:
    """What the file of a record says; what a record has by itself is left out. Lines that say so already in the file
    as it `was` stay as somebody has written them, and so do comments behind others.
    """
    fields: dict[str, Json] = {}
    for name in KEYS:
        value = getattr(record, name)
        usual = "user_declared" if name == "trust" else getattr(_USUAL, name)
        if value != usual:
            fields[name] = value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else _plain(value)
    known = view.names([record.space], text=normal_name(record.text)).get(record.space, [])
    named = view.entities(Entities(space=record.space, names=tuple(known))) if known else []
    linked = {name.casefold() for name in links_in(record.text)}
    said = names_within(record.text, (name for one in named for name in names_of(one)))
    unlinked = (one for one in named if linked.isdisjoint(name.casefold() for name in names_of(one)))
    about = sorted({one.name for one in unlinked if not said.isdisjoint(names_of(one))})
    same: dict[str, tuple[str, ...]] = {}
    remarks: Mapping[str, str] = {}
    if was is not None:
        lines, draft, remarks = was.page.lines, was.draft, was.page.remarks
        same = {name: some for name, some in lines.items() if getattr(draft, name) == getattr(record, name)}
    return Page(text=record.text, id=record.id, fields=fields, about=tuple(about), lines=same, remarks=remarks)


def _plain(value: Any) -> Json:
    return [*value] if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType] -- labels
