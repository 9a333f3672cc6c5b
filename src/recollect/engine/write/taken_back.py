"""Which messages say what somebody has taken back?

What was overheard rests on the message that it was drawn from, and what an agent was told it says again in words of its
own. Where somebody corrects a thing, ends it or has it forgotten, those messages say it still, and so do candidates
drawn from them: they stay, and answer who asks, below the correction; unasked they are given to nobody. A shelf
says of which that is so, and by which record; where the record says again what it said, it is so no longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.write.grounds import Sources, is_knowledge, stands
from recollect.retrieve.echo import echoes, is_all_about, says_something
from recollect.store.base import Edit, Shelf, View
from recollect.store.terms import hash_term, query_terms
from recollect.types import CAPTURED, Evidence, Filter, Grounds, Hit, Record

_FORGOTTEN = 0
_MOST_TERMS = 64
_MOST_HELD = 500  # of the records that hold a word, the newest
_MOST_READ = 200
_SHARED = 2  # words, of what may say the same


class TakenBack(Struct, frozen=True):
    """Which records were drawn from a message, and which version of each was taken back (0: it was forgotten)."""

    by: Mapping[str, int]


_TAKEN_BACK = Shelf("taken back", TakenBack)


def said_still(view: View, record: Record, *, now: str | None = None) -> list[Record]:
    """The messages that say what a record says, captured while they were said, and the candidates that were drawn from
    such; those first that it rests on itself.

    Where it says something else `now`, they hold what it no longer says. An agent's answer to such a message says it
    again with a single word of it, and without any where there was hardly anything else to answer.
    """
    if not is_knowledge(record) and not _is_captured(record):
        return []
    drawn, alike = _drawn_from(view, record), _say_the_same(view, record, now)
    seeds = [*drawn, *(one for one in alike if _is_captured(one)), *([record] if _is_captured(record) else [])]
    found = [*drawn, *alike, *_said_beside(view, record, seeds, now)]
    return [one for one in {one.id: one for one in found}.values() if one.id != record.id]


def _drawn_from(view: View, record: Record) -> list[Record]:
    """The captured messages that a record rests on; and those that say just the same."""
    found = [message for _, message in _overheard(view, record)]
    if not found:
        return []
    same = Filter(spaces=(record.space,), kinds=("message",), hashes=(record.content_hash,), valid_only=False)
    return [*found, *filter(_is_captured, view.select(Record, same))]


def _say_the_same(view: View, record: Record, now: str | None) -> list[Record]:
    """The captured messages of a space, and what was overheard, that share enough words with a record."""
    hashes = [hash_term(term) for term in sorted(set(query_terms(record.text)))[:_MOST_TERMS]]
    held = view.mentions(record.space, hashes, _MOST_HELD)
    times = Counter(chain.from_iterable(held.values()))
    versions = sorted((one for one, count in times.items() if count >= _SHARED), reverse=True)[:_MOST_READ]
    if not versions:
        return []
    some = view.select(Record, Filter(spaces=(record.space,), versions=tuple(versions), valid_only=False))
    spoken = (one for one in some if _is_captured(one) or (one.status == "candidate" and _overheard(view, one)))
    return [one for one in spoken if echoes(record.text, one.text, now=now)]


def _said_beside(view: View, record: Record, seeds: Sequence[Record], now: str | None) -> Iterator[Record]:
    """What else says it in the sessions of some messages: any message in words of its own, and the answers to these."""
    sessions, ids = tuple({one.session for one in seeds if one.session is not None}), {one.id for one in seeds}
    if not sessions:
        return
    where = Filter(spaces=(record.space,), kinds=("message",), sessions=sessions, valid_only=False)
    answering = asked = False
    for one in sorted(view.select(Record, where), key=lambda one: (one.session or "", one.position)):
        about = asked and now is None and one.role == "assistant" and says_something(one.text)
        asked = one.id in ids and one.role != "assistant" and is_all_about(one.text, record.text)
        answering = one.id in ids or (answering and one.role == "assistant")
        beside = answering and one.id not in ids
        if _is_captured(one) and (about or echoes(record.text, one.text, now=now, answering=beside)):
            yield one


def _is_captured(record: Record) -> bool:
    return record.kind == "message" and CAPTURED in record.metadata


def other_grounds(view: View, record: Record) -> Grounds | None:
    """What a record rests on beside such messages; None where that is nothing. What claims something keeps its own."""
    away = [item for item, _ in _overheard(view, record)]
    if record.grounds is None or not away:
        return record.grounds
    left = tuple(item for item in record.grounds.evidence if item not in away)
    rest = replace(record.grounds, evidence=left, verified_at=None)
    return None if rest == Grounds() else rest if left else record.grounds


def _overheard(view: View, record: Record) -> list[tuple[Evidence, Record]]:
    if record.grounds is None or not is_knowledge(record):
        return []
    sources = Sources(view, record.space)
    cited = [(item, sources.cited(item)[1]) for item in record.grounds.evidence if item.segment is not None]
    return [(item, one) for item, one in cited if one is not None and CAPTURED in one.metadata]


def take_back(edit: Edit, record: Record, *, now: str | None = None) -> None:
    """Keeps that what a record said was taken back, for all that say it still; `now` it says something else."""
    note_taken_back(edit, record, said_still(edit, record, now=now), record.version)


def note_taken_back(edit: Edit, record: Record, said: Sequence[Record], version: int = _FORGOTTEN) -> None:
    """Keeps of some messages that they say what a version of a record said; without one, what is forgotten."""
    keys = [one.id for one in said]
    held = edit.kept(_TAKEN_BACK, space=record.space, keys=keys) if keys else {}
    kept = {key: TakenBack({**(held[key].by if key in held else {}), record.id: version}) for key in keys}
    edit.keep(_TAKEN_BACK, kept, space=record.space)


def taken_back(view: View, records: Iterable[Record]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Those among some records that say what was taken back, by space and id; with the ids of what took it back."""
    said: dict[str, list[str]] = {}
    for one in records:
        if _is_captured(one) or one.status == "candidate":
            said.setdefault(one.space, []).append(one.id)
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for space, ids in said.items():
        for id, kept in view.kept(_TAKEN_BACK, space=space, keys=ids).items():
            by = tuple(other for other, version in kept.by.items() if not _says_again(view, space, other, version))
            if by:
                found[space, id] = by
    return found


def lower_taken_back(
    hits: Sequence[Hit], others: Sequence[Hit], said: Mapping[tuple[str, str], Sequence[str]]
) -> tuple[Hit, ...]:
    """Hits of which some say what was taken back: those stand below what took it back, as far as that is found."""
    scores = {(hit.record.space, hit.record.id): hit.score for hit in others}
    best = {(hit.record.space, hit.record.id): hit for hit in (*others, *hits)}
    for (space, id), by in said.items():
        hit = best[space, id]
        least = min([hit.score, *(scores[space, one] for one in by if (space, one) in scores)])
        best[space, id] = replace(hit, score=least)
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, (hit.record.space, hit.record.id) in said)))


def _says_again(view: View, space: str, id: str, version: int) -> bool:
    """Does a record say what it said, as after an undo?"""
    was = None if version == _FORGOTTEN else view.get(Record, space, id, version=version)
    now = None if was is None else view.get(Record, space, id)
    return was is not None and now is not None and now.text == was.text and stands(now, view.now)
