"""Which records may say the same as another, for someone to look at?

Records that share the rarest words are found by the keyword index; only the foremost of them are read and compared.
"""

from __future__ import annotations

from collections import Counter

from recollect.engine.core import records_of, within
from recollect.engine.write.grounds import overlap
from recollect.engine.write.remember import hash_term
from recollect.retrieve.alike import ENOUGH, likeness, score_alike, title_of
from recollect.store.base import View
from recollect.store.terms import query_terms
from recollect.types import NOT_KNOWLEDGE, Alike, Draft, Filter, Record

MOST_ALIKE = 5
LEFT_OUT = ("superseded", "contested", "archived")
"""Statuses of records that are not compared: what became of them is settled, or in dispute already."""
_MOST_TERMS = 64
_MOST_POSTINGS = 12_000  # versions that are counted, rarest words first
_MOST_WEIGHED = 300
_MOST_READ = 48


def comparable(record: Record | Draft) -> bool:
    """Is a record one of those whose likeness is told by words alone?"""
    claims = record.grounds is not None and record.grounds.claim is not None
    return record.kind not in NOT_KNOWLEDGE and not claims and record.status not in LEFT_OUT


def find_alike(view: View, given: Record | Draft, space: str) -> list[Alike]:
    """The records that are most like one, or like a draft that may become one; at most five."""
    if not comparable(given):
        return []
    own, id = likeness(given), given.id
    found: list[Alike] = []
    for record in _candidates(view, given, space):
        if record.id == id or not comparable(record) or not overlap(record.grounds, given.grounds):
            continue
        score, reasons = score_alike(own, likeness(record))
        if score >= ENOUGH:
            found.append(_alike(record, score, reasons))
    return sorted(found, key=lambda alike: (-alike.score, alike.title, alike.id))[:MOST_ALIKE]


def _alike(record: Record, score: float, reasons: tuple[str, ...]) -> Alike:
    return Alike(
        id=record.id, score=score, reasons=reasons, title=title_of(record), kind=record.kind, status=record.status
    )


def _candidates(view: View, given: Record | Draft, space: str) -> list[Record]:
    """Knowledge that shares most of the rarest words, those that share more of them first."""
    said = given.text if given.title is None else f"{given.title}\n{given.text}"
    terms = list(dict.fromkeys(map(hash_term, query_terms(said))))[:_MOST_TERMS]
    lists = sorted((postings for term in terms if (postings := view.postings(space, term))), key=len)
    shared: Counter[int] = Counter()
    left = _MOST_POSTINGS
    for postings in lists:
        if left <= 0:
            break
        shared.update(postings)
        left -= len(postings)
    if len(shared) > _MOST_WEIGHED:  # whoever shares a single word of many is not alike
        shared = Counter({version: count for version, count in shared.items() if count > 1})
    foremost = [version for version, _ in shared.most_common(_MOST_WEIGHED)]
    allowed = set(view.select(int, within(Filter(without_kinds=NOT_KNOWLEDGE), space, foremost)))
    return records_of(view, [version for version in foremost if version in allowed][:_MOST_READ])
