"""Which records may say the same as another, for someone to look at?

Records that share the rarest words are found by the keyword index; only the foremost of them are read and compared.
"""

from __future__ import annotations

from recollect.engine.core import records_of
from recollect.engine.write.grounds import overlap
from recollect.engine.write.remember import hash_term
from recollect.retrieve.alike import ENOUGH, likeness, score_alike, title_of
from recollect.store.base import View
from recollect.store.search import Pick
from recollect.store.terms import query_terms
from recollect.types import NOT_KNOWLEDGE, Alike, Draft, Filter, Record

MOST_ALIKE = 5
LEFT_OUT = ("superseded", "contested", "archived")
"""Statuses of records that are not compared: what became of them is settled, or in dispute already."""
_MOST_TERMS = 64
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
    """Knowledge that holds most of the weight of the words, those that share more of them first."""
    said = given.text if given.title is None else f"{given.title}\n{given.text}"
    terms = list(dict.fromkeys(map(hash_term, query_terms(said))))[:_MOST_TERMS]
    where = Filter(without_kinds=NOT_KNOWLEDGE)
    found = view.words([space], terms, where, _MOST_WEIGHED).get(space)
    if found is None:
        return []
    told = view.signals({space: Pick(found.versions)}, where, terms=terms)[space]
    shared = (told.tf > 0).sum(axis=1)
    order = sorted(range(len(shared)), key=lambda row: (-int(shared[row]), int(told.versions[row])))
    return records_of(view, [int(told.versions[row]) for row in order[:_MOST_READ]])
