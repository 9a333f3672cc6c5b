"""How is a session kept short and sound?

A session has a list: which record holds each message, who spoke and when. Records may leave the memory while the list
still names them, a list may come from elsewhere with holes and repeats, and messages may arrive out of order. A repair
brings the list and the records into agreement; compaction puts a summary in the place of all but the last messages.
What is said again is listed again, and marked so, while its record is the earlier one. An emptied session is still one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from typing import cast

import msgspec
from msgspec import Struct

from recollect.engine.core import Core
from recollect.engine.parse import MAX_TEXT_BYTES, parse_count, parse_label, parse_limit, parse_space
from recollect.engine.write.remember import content_hash, count_terms, put_of, take_all
from recollect.errors import Conflict, NotFound
from recollect.store.base import By, Edit, Shelf, View
from recollect.store.ops import PutMessages
from recollect.types import DEFAULT_SPACE, REPEATED, Condensed, Draft, Filter, Message, Record, Session, least_trust

SUMMARY = "summary"
CHUNK_CHARACTERS = 80_000
OVERSIZED_BYTES = 500_000
SUMMARY_IMPORTANCE = 0.9
_MOST_NAMED = 1_000  # messages that a summary names as its sources
ORPHANED, OVERSIZED = "orphaned", "oversized"
BELOW, NOTHING = "below_threshold", "nothing_to_summarize"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

Condense = Callable[[Sequence[str], Sequence[datetime]], Condensed]


class _Emptied(Struct, frozen=True):
    """That a session was left without messages, and when."""

    at: datetime


_EMPTIED = Shelf("emptied sessions", _Emptied)


def put_messages(edit: Edit, space: str, session: str, messages: Sequence[Message]) -> None:
    """Gives a session its list."""
    edit.apply([PutMessages(space=space, session=session, messages=tuple(messages))])
    edit.keep(_EMPTIED, {session: None if messages else _Emptied(edit.now)}, space=space)


def _listed(view: View, space: str, session: str) -> list[Message]:
    return view.select(Message, Filter(spaces=(space,), sessions=(session,)))


def _records(view: View, space: str, listed: Sequence[Message]) -> dict[str, Record]:
    """The records that a list names and that are there, by id."""
    ids = tuple({one.id for one in listed if one.id})
    found = view.select(Record, Filter(spaces=(space,), ids=ids, valid_only=False)) if ids else []
    return {record.id: record for record in found}


# Compaction


class Compaction(Struct, frozen=True, kw_only=True):
    """What became of a long session: `summarized` messages gave way to one summary, `kept` stayed.

    `reason` says why nothing was done: the session is "below_threshold", or there is "nothing_to_summarize". `note`
    says why a summary is not what was asked for: a model failed, and sentences were chosen instead.
    """

    compacted: bool
    summarized: int = 0
    kept: int = 0
    summary: str | None = None
    reason: str | None = None
    note: str | None = None


class Repair(Struct, frozen=True, kw_only=True):
    """What was wrong with a session's list, by kind. Orphaned and oversized ones are flagged; the rest is mended."""

    empty: int = 0
    duplicates: int = 0
    consecutive: int = 0
    orphaned: int = 0
    reordered: int = 0
    oversized: int = 0

    @property
    def fixes(self) -> int:
        return self.empty + self.duplicates + self.consecutive + self.orphaned + self.reordered + self.oversized


def messages(core: Core, session: str, *, space: str = DEFAULT_SPACE) -> list[Message]:
    """A session's list: which record holds each message. After a compaction a summary stands for earlier ones."""
    with core.store.read() as view:
        return _listed(view, parse_space(space), parse_label(session, "session"))


def compact_session(
    core: Core,
    condense: Condense,
    session: str,
    *,
    space: str = DEFAULT_SPACE,
    threshold: int = 30,
    keep_recent: int = 10,
) -> Compaction:
    """Puts a summary in the place of all but the last messages of a session that has `threshold` or more.

    The messages themselves stay in the memory, out of the list. Summaries are made by `condense`, 80,000 characters at
    a time; `note` says what failed, if something did.
    """
    space, session = parse_space(space), parse_label(session, "session")
    least = parse_count(threshold, "threshold", least=1, most=1_000_000)
    keep = parse_count(keep_recent, "keep_recent", least=0, most=1_000_000)
    with core.store.read() as view:
        listed = _listed(view, space, session)
        if len(listed) < least:
            return Compaction(compacted=False, reason=BELOW)
        split = max(len(listed) - keep, 0)
        known = _records(view, space, listed[:split])
        early = [_as_said(known[one.id], one) for one in listed[:split] if one.id in known]
    done_before = len(early) == 1 and early[0].kind == SUMMARY
    parts = [] if done_before else [condense(*chunk) for chunk in chunks(early)]
    summary = "\n\n".join(part.text for part in parts).strip()
    if not summary:
        return Compaction(compacted=False, reason=NOTHING)
    draft = Draft(
        text=summary, kind=SUMMARY, memory_type="episodic", role="system", session=session,
        importance=SUMMARY_IMPORTANCE, trust=least_trust("system_generated", *(record.trust for record in early)),
        event_time=early[-1].event_time,
        metadata={"summary_of": list(dict.fromkeys(record.id for record in early))[:_MOST_NAMED]},
    )  # fmt: skip
    with core.store.write(actor=core.actor) as edit:
        now = _listed(edit, space, session)
        if now[: len(listed)] != listed:
            raise Conflict(f"session {session!r} was compacted or repaired by someone else meanwhile; try again")
        (receipt,) = take_all(core, edit, [draft], space, [count_terms(None, summary)], anywhere=True).finish()
        if receipt.id is None:
            raise Conflict(f"the summary of session {session!r} cannot be stored: {receipt.reason}")
        head = Message(id=receipt.id, role="system", at=early[-1].event_time)
        late = [one for one in now[split:] if one.id != receipt.id]
        put_messages(edit, space, session, [head, *late])
    core.written()
    note = "; ".join(dict.fromkeys(part.note for part in parts if part.note)) or None
    return Compaction(compacted=True, summarized=split, kept=len(late), summary=receipt.id, note=note)


def _as_said(record: Record, message: Message) -> Record:
    """The record of a message; one that was said again, as it was said then."""
    if REPEATED not in message.flag.split():
        return record
    return msgspec.structs.replace(record, role=message.role, event_time=message.at)


def chunks(records: Sequence[Record], most: int = CHUNK_CHARACTERS) -> list[tuple[list[str], list[datetime]]]:
    """What was said, by whom and when, in parts of at most so many characters together."""
    parts: list[tuple[list[str], list[datetime]]] = []
    room = 0
    for spoken, at in (said for record in records for said in _said(record)):
        for start in range(0, len(spoken), most):
            piece = spoken[start : start + most]
            if not piece.strip():
                continue
            if len(piece) > room:
                parts.append(([], []))
                room = most
            parts[-1][0].append(piece)
            parts[-1][1].append(at)
            room -= len(piece)
    return parts


def _said(record: Record) -> list[tuple[str, datetime]]:
    """What a message says, by whom and when. An earlier summary's lines keep the days that they begin with."""
    if record.kind != SUMMARY:
        return [(f"{record.role or 'user'}: {record.text}", record.event_time)]
    return [_dated(line, record.event_time) for line in record.text.splitlines()]


def _dated(line: str, otherwise: datetime) -> tuple[str, datetime]:
    day, colon, rest = line.partition(": ")
    if not colon or not _DAY.fullmatch(day):
        return line, otherwise
    try:
        return rest, datetime.combine(date.fromisoformat(day), time.min, UTC)
    except ValueError:  # a day that no calendar has
        return line, otherwise


# Repair


class _Mending(Struct):
    """A session on its way to be sound: its list, the records behind it as they will be and as they were."""

    listed: list[Message]
    records: dict[str, Record]
    held: dict[str, Record]
    shared: set[str]
    """Records that are listed once more as said again, here or in another session: those are nobody's to merge."""
    merged: dict[str, list[Record]]
    found: Repair


def repair_session(core: Core, session: str, *, space: str = DEFAULT_SPACE) -> Repair:
    """Mends a session's list: empty and repeated entries, one speaker's messages in a row, and the order.

    Messages that are gone or larger than 500 KB are flagged. It can be done again: then there is nothing to mend.
    """
    space, session = parse_space(space), parse_label(session, "session")
    with core.store.write(actor=core.actor) as edit:
        listed = _listed(edit, space, session)
        if not listed and not edit.kept(_EMPTIED, space=space, keys=[session]):
            raise NotFound(f"there is no session {session!r} in space {space!r}")
        records = _records(edit, space, listed)
        mending = _Mending(list(listed), records, dict(records), _shared(edit, space), {}, Repair())
        _drop_empty(mending)
        _drop_duplicates(mending)
        _order(mending)  # before anything is merged: only then it shows what was said in a row
        _merge(mending)
        _flag(mending, ORPHANED, lambda one: one.id not in records)
        _flag(mending, OVERSIZED, lambda one: one.id in records and _size(records[one.id]) > OVERSIZED_BYTES)
        if mending.listed != listed or mending.merged:
            _write(edit, space, session, mending)
    if mending.merged:
        core.written()
    return mending.found


def _note(mending: _Mending, **more: int) -> None:
    counts = {name: getattr(mending.found, name) + count for name, count in more.items()}
    mending.found = msgspec.structs.replace(mending.found, **counts)


def _drop_empty(mending: _Mending) -> None:
    kept = [one for one in mending.listed if one.id.strip()]
    _note(mending, empty=len(mending.listed) - len(kept))
    mending.listed = kept


def _drop_duplicates(mending: _Mending) -> None:
    """Of entries for one message the first stays; what was said again is a message of its own."""
    kept: list[Message] = []
    seen: set[str] = set()
    for one in mending.listed:
        if one.id not in seen or REPEATED in one.flag.split():
            kept.append(one)
        seen.add(one.id)
    _note(mending, duplicates=len(mending.listed) - len(kept))
    mending.listed = kept


def _shared(view: View, space: str) -> set[str]:
    """The records of a space that some session lists as said again."""
    return {one.id for one in view.select(Message, Filter(spaces=(space,))) if REPEATED in one.flag.split()}


def _flag(mending: _Mending, flag: str, holds: Callable[[Message], bool]) -> None:
    """Marks what cannot be mended, once. A mark that no longer holds is taken away."""
    marked = 0
    for at, one in enumerate(mending.listed):
        flags, wrong = one.flag.split(), holds(one)
        if wrong != (flag in flags):
            flags = [*flags, flag] if wrong else [other for other in flags if other != flag]
            mending.listed[at] = msgspec.structs.replace(one, flag=" ".join(flags))
            marked += wrong
    _note(mending, **{flag: marked})


def _order(mending: _Mending) -> None:
    """By time; messages of one moment stay as they are. A message is out of order if a later one stands before it."""
    latest, wrong = mending.listed[0].at if mending.listed else None, 0
    for one in mending.listed:
        if latest is not None and one.at < latest:
            wrong += 1
        else:
            latest = one.at
    mending.listed.sort(key=lambda one: one.at)
    _note(mending, reordered=wrong)


def _merge(mending: _Mending) -> None:
    """Messages in a row of one speaker become one that holds all their texts, as long as it fits into a record.

    A message whose record is gone was said all the same, and parts those before it from those after.
    """
    kept: list[Message] = []
    last: Message | None = None
    for one in mending.listed:
        record = mending.records.get(one.id)
        if record is None:
            kept.append(one)
            last = None
            continue
        first = None if last is None else mending.records[last.id]
        if last is not None and first is not None and _joins(mending, last, one) and _fits(first, record):
            text = f"{first.text}\n\n{record.text}"
            mending.records[last.id] = msgspec.structs.replace(first, text=text, content_hash=content_hash(text))
            mending.merged.setdefault(last.id, []).extend([mending.held[one.id], *mending.merged.pop(one.id, [])])
            continue
        kept.append(one)
        last = one
    _note(mending, consecutive=len(mending.listed) - len(kept))
    mending.listed = kept


def _joins(mending: _Mending, one: Message, other: Message) -> bool:
    """Did one voice say both, and nobody lists them elsewhere?"""
    one_voice = one.role == other.role and one.role not in (None, "system")
    return one_voice and not mending.shared & {one.id, other.id}


def _fits(one: Record, other: Record) -> bool:
    return _size(one) + _size(other) + 2 <= MAX_TEXT_BYTES


def _size(record: Record) -> int:
    return len(record.text.encode())


def _write(edit: Edit, space: str, session: str, mending: _Mending) -> None:
    """Writes the list, the merged texts, and the places of records in the session."""
    for id, others in mending.merged.items():
        whole = mending.records[id]
        reason = f"took the texts of {', '.join(other.id for other in others[:5])}"
        ops = [put_of(edit, whole, "revise", mending.held[id], reason=reason)]
        for other in others:
            ended = msgspec.structs.replace(other, status="superseded", superseded_by=id, valid_until=edit.now)
            ops.append(put_of(edit, ended, "merge", other, reason=f"its text stands in {id} now"))
        mending.records[id] = cast("Record", edit.apply(ops)[0].thing)
    listed = dict.fromkeys(one.id for one in mending.listed if REPEATED not in one.flag.split())
    present = [record for id in listed if (record := mending.records.get(id)) is not None and record.session == session]
    places = sorted(record.position for record in present)
    ordered = [
        put_of(edit, msgspec.structs.replace(record, position=place), "revise", record, reason="put in order")
        for record, place in zip(present, places, strict=True)
        if record.position != place
    ]
    edit.apply(ordered)
    put_messages(edit, space, session, mending.listed)


def listed_sessions(core: Core, *, space: str = DEFAULT_SPACE, limit: int = 100_000) -> list[Session]:
    """The sessions of a space by their lists of messages, the most recent first."""
    name = parse_space(space)
    with core.store.read() as view:
        found = list_sessions(view, name, "list", parse_limit(limit))
        empty = {id: one for id, one in view.kept(_EMPTIED, space=name).items() if id not in {s.id for s in found}}
    found += [Session(id=id, space=name, messages=0, started_at=one.at, last_at=one.at) for id, one in empty.items()]
    return sorted(found, key=lambda one: one.last_at, reverse=True)[:limit]


def list_sessions(view: View, space: str, by: By, limit: int, offset: int = 0) -> list[Session]:
    """The sessions of a space by their records or by their lists, the most recent first."""
    groups = view.count(Filter(spaces=(space,), valid_only=False), by=by, limit=limit, offset=offset)
    return [
        Session(id=group.key, space=space, messages=group.count, started_at=group.first, last_at=group.last)
        for group in groups
    ]
