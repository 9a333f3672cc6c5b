"""Which parts of something that is read do not come into a memory again?

What was forgotten or evicted stays away when its file is read anew, and so does what was said in another session that
this one goes on from, and stands there. Of a text that was forgotten nothing is kept that tells what it said: a message
is known again by its moment, or its place, or where its whole conversation is gone by a hash of its moment; a section
of a document by its length and one byte of a hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.core import LET_GO, forgotten_among, last_changes, ways_out
from recollect.engine.intake.reached import ends_of, keep_ends
from recollect.engine.intake.results import SourceDraft
from recollect.engine.write.grounds import source_id, source_kind_of
from recollect.engine.write.remember import content_hash
from recollect.ingest.parsed import short_title
from recollect.store.base import Edit, Ident, Shelf, View
from recollect.types import CATALOGUE_KINDS, HIDDEN_STATUSES, Draft, Filter, Message, Record, Segment

_INGEST = "ingest"
_AT_ONCE = 10_000  # hashes of a question

Said = tuple[str, datetime | None]
"""The hash of what was said, and when."""


def away_messages(view: View, space: str, session: str) -> dict[int, Message]:
    """What was forgotten or evicted of the messages of a session, by its place in the session's list."""
    return _away_places(view, space, view.select(Message, Filter(spaces=(space,), sessions=(session,))))


def _away(view: View, space: str, listed: Sequence[Message]) -> Collection[str]:
    """Those of some messages that are there no more since they were forgotten or evicted; history tells which of both,
    also where it was thinned.
    """
    ids = tuple({one.id for one in listed})
    found = view.select(Ident, Filter(spaces=(space,), ids=ids, valid_only=False)) if ids else []
    there = {one.id for one in found}
    ways = ways_out(view, space, "record", (id for id in ids if id not in there))
    return {id for id, verb in ways.items() if verb in LET_GO}


def places_of(
    away: Mapping[int, Message], segments: Sequence[Segment | Draft], before: Sequence[Record]
) -> dict[int, str]:
    """Where among segments those messages stand that are away, with their ids: none that is held, of that time, nearest
    to that place.

    Of what was said, nothing may be left to compare it with.
    """
    if not away:
        return {}
    unheld = missing(segments, before)
    found: dict[int, str] = {}
    for place, message in away.items():
        same = [
            one
            for one in unheld
            if one not in found and (segments[one].event_time or message.at) == message.at
            and (segments[one].event_time is not None or one == place)
        ]  # fmt: skip
        found |= dict.fromkeys(sorted(same, key=lambda one: abs(one - place))[:1], message.id)
    return found


def away_among(view: View, space: str, session: str, said: Sequence[Segment | Draft]) -> dict[int, str]:
    """Where among messages that somebody adds to a session those stand that were forgotten or evicted of it, with their
    ids: by their moment, where all that is held of that is said again. What does not say when it was said is known by
    its place, where all that the session holds is said again.
    """
    of = Filter(spaces=(space,), sessions=(session,))
    times = [one.event_time for one in said if one.event_time is not None]
    dated = view.select(Message, replace(of, since=min(times), until=max(times))) if times else []
    away = _away_places(view, space, dated)
    listed = view.select(Message, of)
    whole = _away_places(view, space, listed) if len(listed) <= len(said) else {}
    if not away and not whole:
        return {}
    hashes = tuple({content_hash(one.text) for one in said})
    held = view.select(Record, replace(of, kinds=("message",), hashes=hashes, valid_only=False))
    texts = {one.id: one.text for one in held}
    again = (texts.get(one.id) == said[place].text for place, one in enumerate(listed) if place not in whole)
    told = {(one.event_time, one.text) for one in said}
    apart = {one.at for place, one in enumerate(dated) if place not in away and (one.at, texts.get(one.id)) not in told}
    away = {place: one for place, one in away.items() if one.at not in apart}
    by_time = {place: id for place, id in places_of(away, said, held).items() if said[place].event_time is not None}
    return by_time | (places_of(whole, said, held) if whole and all(again) else {})


def _away_places(view: View, space: str, listed: Sequence[Message]) -> dict[int, Message]:
    gone = _away(view, space, listed)
    return {place: one for place, one in enumerate(listed) if one.id in gone}


def away_with_all(view: View, space: str, id: str, said: Sequence[Segment]) -> dict[int, str]:
    """Where those messages stand that were said when something was said in a conversation that was forgotten as a
    whole, by its id.
    """
    known = view.kept(_MOMENTS, space=space, keys=[id]).get(id)
    gone = frozenset[int]() if known is None else frozenset(known.gone)
    times = ((place, one.event_time) for place, one in enumerate(said))
    return {place: id for place, at in times if at is not None and _moment(at) in gone}


def stands_as(view: View, space: str, session: str, held: Mapping[str, str], said: Sequence[str]) -> bool:
    """Does one of two conversations go on where the other ends, with whatever was said where something was forgotten or
    evicted? Each is given by hashes, that which is held by the ids of its messages.
    """
    listed = view.select(Message, Filter(spaces=(space,), sessions=(session,)))
    gone = _away(view, space, listed)
    known = [None if one.id in gone else held[one.id] for one in listed if one.id in gone or one.id in held]
    known = known or [*held.values()]
    same = [one == other for one, other in zip(known, said, strict=False) if one is not None]
    return all(same) and (bool(same) or not gone)


def missing(segments: Sequence[Segment | Draft], before: Sequence[Record]) -> list[int]:
    """The places of segments whose text is not held as often as it comes."""
    held = Counter(record.text for record in before)
    held.subtract(segment.text for segment in segments)
    return [place for place, segment in enumerate(segments) if held[segment.text] < 0]


def put_away(view: View, space: str, records: Iterable[Record]) -> frozenset[str]:
    """Those of some records that somebody ended, archived or merged since they were ingested: who reads their file
    again does not mean to take that back, and so they are left as they are.
    """
    ended = [
        one.id
        for one in records
        if one.valid_until is not None or one.superseded_by is not None or one.status in HIDDEN_STATUSES
    ]
    last = last_changes(view, space, "record", ended)
    return frozenset(id for id in ended if id in last and last[id].verb != _INGEST)


# What was said in another session


def said_elsewhere(view: View, space: str, location: str, said: Sequence[Said]) -> tuple[set[Said], set[Said]]:
    """Which of these words of these moments a session holds, and which any other does."""
    times = [at for _, at in said if at is not None]
    if not times:
        return set(), set()
    within = Filter(
        spaces=(space,), kinds=("message",), valid_only=False, since=min(times), until=max(times) + timedelta(seconds=1)
    )
    hashes = tuple({hash for hash, _ in said})
    found: tuple[set[Said], set[Said]] = (set(), set())
    for start in range(0, len(hashes), _AT_ONCE):
        for one in view.select(Record, replace(within, hashes=hashes[start : start + _AT_ONCE])):
            found[one.source != location].add((one.content_hash, one.event_time))
    return found


def copied_places(view: View, space: str, draft: SourceDraft) -> frozenset[int]:
    """The places of messages that were said in another conversation, which this one goes on from, and came from there:
    all up to the last that stands there, or that it ended with when something of it was forgotten.
    """
    segments = draft.segments
    of = None if draft.goes_on_from is None else source_id(draft.goes_on_from)
    told = of is not None and (
        view.get(Record, space, of) is not None or of in forgotten_among(view, space, "record", [of])
    )
    said: list[Said] = [(content_hash(one.text), one.event_time) for one in segments]
    here, elsewhere = said_elsewhere(view, space, draft.location, said)
    ends = ends_of(view, space, but=draft.session) if any(one.line for one in segments) else set[str]()
    copied = 0
    for place, one in enumerate(segments):
        if (told and one.copied) or one.line in ends or said[place] in elsewhere:
            copied = place + 1
    copied += away_elsewhere(view, space, draft.session, [(one.event_time, one.line) for one in segments[copied:]])
    return frozenset(place for place in range(copied) if said[place] not in here)


def away_elsewhere(
    view: View, space: str, session: str | None, said: Sequence[tuple[datetime | None, str | None]]
) -> int:
    """How many of these messages of a session, from the first on, were forgotten or evicted where they come from. Each
    is given by when it was said and what its program calls its line: of what is away moments are left, which tell where
    a program copies whole lines, with their names and times."""
    times = {at for at, line in said if at is not None and line is not None}
    if not times:
        return 0
    own = {one.id for one in view.select(Message, Filter(spaces=(space,), sessions=(session or "",)))}
    others = view.select(Message, Filter(spaces=(space,), since=min(times), until=max(times)))
    asked = [one for one in others if one.at in times and one.id not in own]
    gone = _away(view, space, asked)
    away = {one.at for one in asked if one.id in gone} | _of_forgotten(view, space, times)
    return next((place for place, (at, _) in enumerate(said) if at not in away), len(said))


# What is left of conversations that were forgotten


class _Moments(Struct, frozen=True):
    """Four bytes of a hash of each moment at which something was said."""

    gone: tuple[int, ...]


_MOMENTS = Shelf("forgotten conversations", _Moments)
"""What was forgotten as a whole, by the ids of the sources."""


def _of_forgotten(view: View, space: str, times: Set[datetime]) -> set[datetime]:
    """Those of some moments at which something was said in a conversation of which nothing is left."""
    gone = {one for some in view.kept(_MOMENTS, space=space).values() for one in some.gone}
    return {at for at in times if _moment(at) in gone}


def _keep_moments(edit: Edit, space: str, id: str, sessions: Set[str]) -> None:
    """A conversation is about to be erased, whose sessions are still listed: keeps when it was spoken, in no order."""
    listed = edit.select(Message, Filter(spaces=(space,), sessions=tuple(sessions))) if sessions else []
    if listed:
        edit.keep(_MOMENTS, {id: _Moments(tuple(sorted({_moment(one.at) for one in listed})))}, space=space)


def _moment(at: datetime) -> int:
    return int.from_bytes(blake2b(at.astimezone(UTC).isoformat().encode(), digest_size=4).digest(), "big")


# What is left of sections that were forgotten


Faint = tuple[int, int]
"""The length and one byte of a hash."""


class _Sections(Struct, frozen=True):
    """The length and one byte of a hash of sections of a document that were forgotten, by the id of each."""

    gone: Mapping[str, Faint]


_SECTIONS = Shelf("forgotten sections", _Sections)
"""What was forgotten of sources that stay, by their ids."""


def note_forgotten(edit: Edit, space: str, records: Iterable[Record]) -> None:
    """Some records are about to be erased: keeps by what those parts of sources are known again that stay."""
    removed = list(records)
    whole = {one.id: one for one in removed if one.kind in CATALOGUE_KINDS}
    edit.keep(_SECTIONS, dict.fromkeys(whole), space=space)
    parts: dict[str, list[Record]] = {}
    for one in removed:
        if one.source is not None and one.locator is not None and not one.file_name() and one.id not in whole:
            parts.setdefault(source_id(one.source), []).append(one)
    ends: dict[str, str] = {}
    for id in {*whole, *parts}:
        source = whole.get(id) or edit.get(Record, space, id)
        if source is not None and source_kind_of(source) == "conversation":
            ends |= _end_of(source)
            if id in whole:
                _keep_moments(edit, space, id, {one.session for one in parts.get(id, ()) if one.session is not None})
        elif id not in whole:
            held = edit.kept(_SECTIONS, space=space, keys=[id]).get(id, _Sections({}))
            faint = {one.id: _faint(one.text) for one in parts[id] if one.kind != "message"}
            if faint:
                edit.keep(_SECTIONS, {id: _Sections({**held.gone, **faint})}, space=space)
    keep_ends(edit, space, ends)


def _end_of(source: Record) -> dict[str, str]:
    """The session of a conversation that was ingested, with the name of its last line."""
    payload = source.metadata.get("payload")
    last = payload.get("last_line") if isinstance(payload, Mapping) else None
    place = str(source.source).split(":", 2)
    return {place[2]: last} if isinstance(last, str) and len(place) == 3 else {}


def _faint(text: str) -> Faint:
    return len(text), blake2b(text.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0]


def forgotten_sections(
    view: View, space: str, id: str, segments: Sequence[Segment | Draft], before: Sequence[Record]
) -> dict[int, str]:
    """The places of segments of a source that were forgotten, as far as can be told, each with the id that it had."""
    left = sections_away(view, space, id)
    found: dict[int, str] = {}
    for place in missing(segments, before) if left else ():
        same = section_among(left, segments[place].text)
        if same is not None:
            found[place] = same
            del left[same]
    return found


def sections_away(view: View, space: str, id: str) -> dict[str, Faint]:
    """What is known of the sections of a source that were forgotten, by the id of each."""
    known = view.kept(_SECTIONS, space=space, keys=[id]).get(id)
    return {} if known is None else dict(known.gone)


def section_among(away: Mapping[str, Faint], text: str) -> str | None:
    """The id of a section that was forgotten and said this, as far as can be told."""
    return next((one for one, faint in away.items() if tuple(faint) == _faint(text)), None)


# What it is called without them


def retitled(draft: SourceDraft, away: Set[int]) -> SourceDraft:
    """A conversation that is called by how a message begins, without that one, is called by another."""
    said = [" ".join(draft.segments[place].text.split()) for place in away]
    left = [one for place, one in enumerate(draft.segments) if place not in away]
    if not left or not any(one.startswith(draft.title.removesuffix("…")) for one in said):
        return draft
    title = short_title(next((one for one in left if one.role == "user"), left[0]).text)
    segments = tuple(replace(one, title=title) if one.title == draft.title else one for one in draft.segments)
    return replace(draft, title=title, segments=segments)
