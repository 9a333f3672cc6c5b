"""How does something that was read become a source and its segments?

A source is a record of kind "source" that says where text comes from; its segments are records of kind "document" (of
a conversation: "message") with the same location. Both are written in one transaction, or neither is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import cast

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, Step, find, forgotten_among, stepping
from recollect.engine.intake.results import IngestedSource, SourceDraft
from recollect.engine.intake.withheld import (
    away_among,
    away_messages,
    away_with_all,
    copied_places,
    forgotten_sections,
    places_of,
    put_away,
    retitled,
)  # fmt: skip
from recollect.engine.known import file_of
from recollect.engine.parse import parse_choice, parse_label, parse_string, parse_text
from recollect.engine.write.confided import Confided
from recollect.engine.write.govern import leave_behind
from recollect.engine.write.grounds import segment_kind, source_id, source_kind_of
from recollect.engine.write.remember import content_hash, derive_lexis, ensure_space, make_record, put_of
from recollect.engine.write.screen import Screen
from recollect.errors import InvalidInput
from recollect.forms import convert
from recollect.ingest.talk import read_moment
from recollect.store.base import Edit, View
from recollect.store.ops import Op, Put, Retire
from recollect.types import (
    CAPTURED,
    CATALOGUE_KINDS,
    SOURCE_KINDS,
    Adapter,
    Draft,
    Filter,
    Json,
    Message,
    Metadata,
    Record,
    Segment,
)

SOURCE = CATALOGUE_KINDS[0]
MOST_SEGMENTS = 2**31
LONGEST_SEGMENT = 1_000_000  # bytes, as for every record
_SUMMARY_CHARS = 2_000
_LONGEST_TITLE = 1_000
_LABELS = ("status", "tags", "project", "room", "user")
_GIVEN = (
    "memory_type", "room", "project", "user", "tags", "importance", "confidence", "trust", "status", "valid_from",
    "valid_until",
)  # fmt: skip


Words = tuple[Mapping[int, int] | None, Sequence[str] | None]
"""How often each term occurs in a text, and the names in it; None where nobody has looked."""


class CountedSource(Struct, frozen=True):
    """A source that is ready to be written, and where they were looked for before, terms and names of its segments."""

    draft: SourceDraft
    words: Sequence[Words] = ()


def ingest_source(
    core: Core, draft: SourceDraft, space: str, fields: Draft, *, extend: bool = False, told: bool = False,
    step: Step | None = None,
) -> IngestedSource:  # fmt: skip
    """Writes one source. With `extend`, segments that it held and that are not among the new ones stay before them.
    What was forgotten of a conversation that is `told`, and not read from a file, stays away.
    """
    return ingest_sources(core, [CountedSource(draft)], space, fields, extend=extend, told=told, step=step)[0]


def ingest_sources(
    core: Core, sources: Sequence[CountedSource], space: str, fields: Draft, *, extend: bool = False, anew: bool = True,
    told: bool = False, step: Step | None = None,
) -> list[IngestedSource]:  # fmt: skip
    """Writes some sources in one transaction; those that are as they were are left alone. Unless they are to come
    `anew`, conversations stay away that were forgotten, and messages and sections that were forgotten or evicted.
    """
    for ready in sources:
        check_sizes(ready.draft)
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        writer = SourceWriter(core, edit, space, fields, extend=extend, anew=anew, told=told, step=step)
        written = [writer.write(ready) for ready in sources]
    if any(source.entries for source in written):
        core.written()
    return written


def write_source(
    core: Core, edit: Edit, draft: SourceDraft, space: str, fields: Draft, *, anew: bool = True
) -> IngestedSource:
    """Writes one source in a transaction that is under way. Unless `anew`, what was forgotten of it stays away."""
    check_sizes(draft)
    return SourceWriter(core, edit, space, fields, anew=anew).write(CountedSource(draft))


def parse_source(draft: SourceDraft) -> SourceDraft:
    """A source that a caller has read; what a store would not take is an error."""
    parse_label(draft.location, "source.location")
    parse_label(draft.title, "source.title")
    parse_choice(draft.source_kind, "source.source_kind", SOURCE_KINDS)
    parse_string(draft.summary, "source.summary")
    for place, segment in enumerate(draft.segments):
        parse_text(segment.text, f"source.segments[{place}].text")
    return draft


def check_sizes(draft: SourceDraft) -> None:
    """Refuses a source of which some segment does not fit into a record."""
    for number, segment in enumerate(draft.segments, 1):
        size = 0 if len(segment.text) <= LONGEST_SEGMENT // 4 else len(segment.text.encode())
        if size > LONGEST_SEGMENT:
            where = segment.locator.get("line_start", number)
            raise InvalidInput(
                "path",
                f"{draft.location}: the block at {segment.locator.get('kind', 'segment')} {where} has {size:,} bytes"
                f" and is not cut; at most {LONGEST_SEGMENT:,} fit into one record",
            )


class SourceWriter:
    """Writes sources of one space in a transaction that is under way."""

    def __init__(
        self, core: Core, edit: Edit, space: str, fields: Draft, *, extend: bool = False, anew: bool = True,
        told: bool = False, step: Step | None = None,
    ) -> None:  # fmt: skip
        self._step = step
        self._anew = anew
        self._told = told
        self._core = core
        self._edit = edit
        self._space = space
        self._screen = Screen(edit, space)
        self._fields = fields = self._screen.require(fields, "tags")
        self._extend = extend
        self._any_known = space in edit.names([space])
        self._blank = make_record(core, edit, fields, space)
        self._given = {name: getattr(fields, name) for name in _GIVEN}

    def write(self, ready: CountedSource) -> IngestedSource:
        id = source_id(ready.draft.location)
        known = self._edit.get(Record, self._space, id)
        if known is None and self._is_forgotten(ready.draft, id):
            return _answer(ready.draft, self._space, "unchanged", forgotten=(id,))
        if known is not None and _is_same(known, ready.draft, self._fields):
            forgotten = self._ids_away(ready.draft)
            return _answer(ready.draft, self._space, "unchanged", segments=_count(known), forgotten=forgotten)
        draft, words, masked = self._screened(ready)
        kind = segment_kind(draft.source_kind)
        held = Filter(spaces=(self._space,), sources=(draft.location,), kinds=(kind,), valid_only=False)
        before = self._edit.select(Record, held, "position", MOST_SEGMENTS)
        away, copied, forgotten = self._withheld(draft, id, before)
        coming = [place for place in range(len(draft.segments)) if place not in away]
        older = known is not None and not self._extend and _is_older_copy(draft, known, before)
        if older or (known is None and (copied or (self._told and away)) and not coming):
            count = 0 if known is None else _count(known)
            return _answer(
                draft, self._space, "unchanged", segments=count, forgotten=forgotten, copied=copied, older=older
            )
        if self._extend and draft.session is not None:
            before += self._loose(draft.session, kind)
        draft = retitled(draft, away) if draft.source_kind == "conversation" else draft
        segments, old, gone = _match([draft.segments[place] for place in coming], before, extend=self._extend)
        ops: list[Op] = [self._put_source(draft, known, len(segments) + len(away))]
        known_words = [words[place] for place in coming] if len(coming) == len(segments) else _unknown(len(segments))
        places = range(len(segments)) if self._extend else coming
        putting = stepping(segments, self._step, 1, 2)
        ended = put_away(self._edit, self._space, (twin for twin in old if twin is not None))
        for position, segment, twin, words in zip(places, putting, old, known_words, strict=True):
            if isinstance(segment, Record) or (twin is not None and twin.id in ended):
                continue  # it stays as it is, at its place
            put = self._put_segment(draft, kind, segment, twin, position, words)
            ops += [] if put is None else [put]
        ops += [Retire(thing=record, verb="replace", reason=f"no longer in {draft.location}") for record in gone]
        entries = [done.entry for done in self._edit.apply(ops)]
        if self._step is not None:
            self._step(len(segments), len(segments))
        added = sum(twin is None for twin in old)
        return _answer(
            draft, self._space, "stored" if known is None else "updated", segments=len(segments) + len(away),
            added=added, kept=len(segments) - added, removed=len(gone), entries=tuple(entries), forgotten=forgotten,
            masked=masked, refused=len(ready.draft.segments) - len(draft.segments), copied=copied,
        )  # fmt: skip

    def _away_messages(self, draft: SourceDraft) -> dict[int, Message]:
        """What was forgotten or evicted of a conversation that is not to come anew."""
        if self._anew or draft.session is None:
            return {}
        return away_messages(self._edit, self._space, draft.session)

    def _ids_away(self, draft: SourceDraft) -> tuple[str, ...]:
        if self._told:
            return tuple(self._away_of(draft).values())
        return tuple(one.id for one in self._away_messages(draft).values())

    def _away_of(self, draft: SourceDraft) -> dict[int, str]:
        """Where those messages stand of a conversation that is told which were forgotten or evicted, with their ids."""
        with_all = away_with_all(self._edit, self._space, source_id(draft.location), draft.segments)
        return with_all | away_among(self._edit, self._space, draft.session or "", draft.segments)

    def _withheld(
        self, draft: SourceDraft, id: str, before: Sequence[Record]
    ) -> tuple[frozenset[int], int, tuple[str, ...]]:
        """The places of segments that do not come, how many of them stand in another conversation, and the ids of those
        that were forgotten or evicted."""
        if self._told:
            told = self._away_of(draft)
            return frozenset(told), 0, tuple(told.values())
        if self._anew:
            return frozenset(), 0, ()
        if draft.source_kind != "conversation":
            sections = forgotten_sections(self._edit, self._space, id, draft.segments, before)
            return frozenset(sections), 0, tuple(sections.values())
        away = self._away_messages(draft)
        places = places_of(away, draft.segments, before)
        all_away = places.keys() | copied_places(self._edit, self._space, draft)
        return frozenset(all_away), len(all_away) - len(places), tuple(one.id for one in away.values())

    def _is_forgotten(self, draft: SourceDraft, id: str) -> bool:
        """Was a whole conversation forgotten?"""
        if self._anew or draft.source_kind != "conversation":
            return False
        return bool(forgotten_among(self._edit, self._space, "record", [id]))

    def append(self, draft: SourceDraft, *, named: bool = False) -> tuple[list[Record], tuple[str, ...]]:
        """Puts segments behind those that a source has, which are not read for it. Answers the new ones as records.

        They have the title that the source has, unless somebody has `named` it otherwise since.
        """
        known = self._edit.get(Record, self._space, source_id(draft.location))
        screened, words, masked = self._screened(CountedSource(draft))
        if not screened.segments:
            return [], masked
        kind = segment_kind(draft.source_kind)
        first = 0 if known is None else _count(known)
        total = first + len(screened.segments)
        if known is not None:
            title = screened.title if named else known.title or screened.title
            titled = tuple(msgspec.structs.replace(one, title=title) for one in screened.segments)
            screened = msgspec.structs.replace(screened, title=title, segments=titled)
        puts = [
            self._put_segment(screened, kind, segment, None, first + place, counted)
            for place, (segment, counted) in enumerate(zip(screened.segments, words, strict=True))
        ]
        done = self._edit.apply([self._put_source(screened, known, total), *(put for put in puts if put is not None)])
        return [one.thing for one in done[1:] if isinstance(one.thing, Record)], masked

    def _screened(self, ready: CountedSource) -> tuple[SourceDraft, Sequence[Words], tuple[str, ...]]:
        """A source as it may be kept, what is known of the words of its segments, and the kinds of masked secrets."""
        draft, screen = ready.draft, self._screen
        known = ready.words if len(ready.words) == len(draft.segments) else _unknown(len(draft.segments))
        texts = [one.text for one in draft.segments]
        talk = draft.source_kind == "conversation"
        public = texts if talk else screen.carry(texts)  # a message is whole
        confided = Confided(masking=screen.policy != "allow") if talk else None
        segments: list[Segment] = []
        words: list[Words] = []
        masked: list[str] = []
        for segment, text, counted in zip(stepping(draft.segments, self._step, 0, 2), public, known, strict=True):
            told = text if confided is None else confided.without(segment.role or "", text)
            given = segment if told == segment.text else msgspec.structs.replace(segment, text=told)
            kept, kinds = screen.take(given)
            masked += kinds
            if confided is not None:
                confided.learn(segment.role or "", text, secrets=bool(kinds))
            if kept.text.strip() and not (kinds and screen.policy == "reject"):
                segments.append(kept)
                words.append(counted if kept is segment else (None, None))
        screened = msgspec.structs.replace(
            draft, segments=tuple(segments), title=screen.text(draft.title)[0], summary=screen.text(draft.summary)[0],
            payload=screen.values(draft.payload),
        )  # fmt: skip
        return screened, words, tuple(dict.fromkeys(masked))

    def _loose(self, session: str, kind: str) -> list[Record]:
        """Messages of a session that came in before it was a source."""
        held = Filter(spaces=(self._space,), sessions=(session,), kinds=(kind,), valid_only=False)
        return [
            record for record in self._edit.select(Record, held, "position", MOST_SEGMENTS) if record.source is None
        ]

    def _put_source(self, draft: SourceDraft, known: Record | None, segments: int) -> Put:
        text = "\n".join(part for part in (draft.title, draft.location, draft.summary) if part)[:_SUMMARY_CHARS]
        made = msgspec.structs.replace(
            self._blank, id=source_id(draft.location), kind=SOURCE, memory_type="semantic",
            title=draft.title[:_LONGEST_TITLE],
            text=text, content_hash=content_hash(text), source=draft.location, session=None, role=None, locator=None,
            metadata=self._describe(draft, segments),
        )  # fmt: skip
        if draft.event_time is not None:
            made = msgspec.structs.replace(made, event_time=draft.event_time)
        if known is not None:
            made = msgspec.structs.replace(made, created_at=known.created_at)
        lexis = derive_lexis(self._edit, made, any_known=self._any_known)
        return Put(thing=made, verb="ingest", before=known, lexis=lexis)

    def _describe(self, draft: SourceDraft, segments: int) -> Metadata:
        checked = {"checked_at": self._edit.now.isoformat(), "is_current": True, "fingerprint": draft.fingerprint}
        described: dict[str, Json] = {
            **self._fields.metadata,
            "source_kind": draft.source_kind,
            "fingerprint": draft.fingerprint,
            "adapter": describe_adapter(draft.adapter),
            "freshness": checked,
            "payload": draft.payload,
            "segments": segments,
        }
        if draft.file is not None:
            described["file"] = draft.file
        return described

    def _put_segment(
        self, draft: SourceDraft, kind: str, segment: Segment, twin: Record | None, position: int, words: Words
    ) -> Put | None:
        new = msgspec.structs.replace(
            self._blank if twin is None else twin, **self._given,
            id=self._core.new_id() if twin is None else twin.id, text=segment.text,
            content_hash=twin.content_hash if twin and twin.text == segment.text else content_hash(segment.text),
            kind=kind, title=segment.title, role=segment.role, session=draft.session, source=draft.location,
            position=position, locator=_place(segment, kind, position), superseded_by=None,
            event_time=segment.event_time or draft.event_time or (twin or self._blank).event_time,
            metadata={**_captured(twin), **self._fields.metadata, **segment.metadata},
        )  # fmt: skip
        if new == twin:
            return None
        lexis = derive_lexis(self._edit, new, words[0], any_known=self._any_known, named=words[1])
        return Put(thing=new, verb="ingest", before=twin, lexis=lexis)


def _place(segment: Segment, kind: str, position: int) -> Metadata:
    """Where a segment stands; a message at the place that it has among all of them."""
    return {**segment.locator, "index": position} if kind == "message" else segment.locator


def _captured(twin: Record | None) -> Metadata:
    """That a message came by itself, which stays so when its transcript is read for another reason."""
    return {} if twin is None or CAPTURED not in twin.metadata else {CAPTURED: twin.metadata[CAPTURED]}


def _unknown(count: int) -> Sequence[Words]:
    return ((None, None),) * count


def _match(
    segments: Sequence[Segment], before: Sequence[Record], *, extend: bool
) -> tuple[list[Segment | Record], list[Record | None], list[Record]]:
    """What a source holds from now on, the records that hold the same text already, and those that go."""
    held: dict[str, list[Record]] = {}
    for record in before:
        held.setdefault(record.text, []).append(record)
    twins = [held[segment.text].pop(0) if held.get(segment.text) else None for segment in segments]
    if not extend:
        left = {record.version: record for records in held.values() for record in records}
        twins = _captured_twins(segments, twins, left)
        return list(segments), twins, list(left.values())
    kept = [record for record in before if record.source is not None]
    new = [(one, twin) for one, twin in zip(segments, twins, strict=True) if twin is None or twin.source is None]
    return [*kept, *(one for one, _ in new)], [*kept, *(twin for _, twin in new)], []


def _captured_twins(
    segments: Sequence[Segment], twins: Sequence[Record | None], left: dict[int, Record]
) -> list[Record | None]:
    """The twins with those that came by themselves, without the calls of tools: of one moment and one speaker. They
    are taken from what is left.
    """
    said = {(one.role, one.event_time): one for one in left.values() if CAPTURED in one.metadata}
    found: list[Record | None] = []
    for segment, twin in zip(segments, twins, strict=True):
        same = said.pop((segment.role, segment.event_time), None) if twin is None and segment.event_time else None
        if same is not None:
            del left[same.version]
        found.append(twin or same)
    return found


def _is_same(known: Record, draft: SourceDraft, fields: Draft) -> bool:
    """Does the store hold this very state of a source, read in the same way and with the same labels?

    What a conversation is called is a part of its fingerprint.
    """
    return (
        known.kind == SOURCE
        and known.metadata.get("fingerprint") == draft.fingerprint
        and known.metadata.get("adapter") == describe_adapter(draft.adapter)
        and (draft.source_kind == "conversation" or known.title == draft.title[:_LONGEST_TITLE])
        and has_labels(known, fields)
    )


def _is_older_copy(draft: SourceDraft, known: Record, before: Sequence[Record]) -> bool:
    """Was a conversation changed since by what its program says; or does it come from another file than it was last
    read from, and end sooner there?
    """
    here, there = _changed(known.metadata.get("payload")), _changed(draft.payload)
    if here is not None and there is not None:
        return there < here
    path = None if draft.file is None else draft.file.get("path")
    if path in (None, file_of(known).get("path")) or not before:
        return False
    said = [segment.event_time for segment in draft.segments if segment.event_time is not None]
    return bool(said) and max(said) < max(record.event_time for record in before)


def _changed(payload: Json) -> datetime | None:
    """When its program has changed a conversation last."""
    return read_moment(payload.get("changed")) if isinstance(payload, Mapping) else None


def has_labels(known: Record, fields: Draft) -> bool:
    """Does a source hold, and carry the labels that it would be given now?"""
    return all(getattr(known, name) == getattr(fields, name) for name in _LABELS)


@lru_cache(maxsize=64)
def describe_adapter(adapter: Adapter) -> Mapping[str, Json]:
    """An adapter as it is kept with a source."""
    return msgspec.json.decode(msgspec.json.encode(adapter))


def _count(known: Record) -> int:
    count = known.metadata.get("segments")
    return count if isinstance(count, int) else 0


def _answer(draft: SourceDraft, space: str, outcome: str, **counts: object) -> IngestedSource:
    return convert(
        {
            "id": source_id(draft.location), "space": space, "location": draft.location,
            "source_kind": draft.source_kind, "title": draft.title, "outcome": outcome,
            "fingerprint": draft.fingerprint, **counts,
        },
        IngestedSource,
    )  # fmt: skip


# Files that are gone


def archive_gone(edit: Edit, source: Record) -> bool:
    """Archives a source whose file is no longer there, with what rests on it alone; False where it was before."""
    held = edit.get(Record, source.space, source.id)
    if held is None or held.status == "archived":
        return False
    reason = f"{held.source} is gone"
    freshness = {**cast("Metadata", held.metadata.get("freshness") or {}), "is_current": False}
    archived = msgspec.structs.replace(
        held, status="archived", metadata={**held.metadata, "freshness": freshness, "segments": 0}
    )
    gone = [Retire(thing=record, verb="replace", reason=reason) for record in read_segments(edit, held)]
    edit.apply([put_of(edit, archived, "archive", held, reason=reason), *gone])
    leave_behind(edit, held, reason)
    return True


# Reading


def read_segments(view: View, source: Record) -> list[Record]:
    """What a source holds, in order."""
    if source.source is None:
        return []
    kinds = (segment_kind(source_kind_of(source)),)
    filter = Filter(spaces=(source.space,), sources=(source.source,), kinds=kinds, valid_only=False)
    return view.select(Record, filter, "position", MOST_SEGMENTS)


def segments_of(core: Core, id: str, space: str | None) -> list[Record]:
    with core.store.read() as view:
        source = find(view, Record, id, space)
        if source.kind != SOURCE:
            raise InvalidInput("id", f"{id} is a {source.kind}, not a source")
        return read_segments(view, source)


def sources_below(view: View, space: str, location: str) -> list[Record]:
    """The sources whose location begins so, whatever became of them."""
    filter = Filter(spaces=(space,), kinds=CATALOGUE_KINDS, below=location, valid_only=False)
    return view.select(Record, filter, "oldest", MOST_SEGMENTS)


def files_below(view: View, space: str, folder: str) -> list[str]:
    """The paths below a folder that are held as documents or transcripts."""
    documents = [str(source.source) for source in sources_below(view, space, folder) if source.status != "archived"]
    talks = [str(file_of(source).get("path")) for source in sources_below(view, space, "conversation:")]
    return documents + [path for path in talks if path.startswith(folder)]


def hash_of(parts: Iterable[bytes]) -> str:
    """A fingerprint of something that has several parts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()
