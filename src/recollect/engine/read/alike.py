"""Which records may say the same as another, for someone to look at?

Records that share the rarest words are found by the keyword index; only the foremost of them are read and compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from recollect.engine.core import Core, find, records_of
from recollect.engine.parse import parse_draft, parse_label, parse_space
from recollect.engine.write.grounds import overlap
from recollect.retrieve.alike import ENOUGH, likeness, score_alike, title_of
from recollect.store.base import View
from recollect.store.search import Pick
from recollect.store.terms import hash_term, query_terms
from recollect.types import DEFAULT_SPACE, NOT_KNOWLEDGE, Draft, Filter, Record, Status

MOST_ALIKE = 5
LEFT_OUT = ("superseded", "contested", "archived")
"""Statuses of records that are not compared: what became of them is settled, or in dispute already."""
_MOST_TERMS = 64
_MOST_WEIGHED = 300
_MOST_READ = 48


class Alike(Struct, frozen=True, kw_only=True):
    """A record that may say the same as another: for someone to look at, nothing follows from it by itself."""

    id: str
    score: float
    reasons: tuple[str, ...]
    title: str
    kind: str
    status: Status


def comparable(record: Record | Draft) -> bool:
    """Is a record one of those whose likeness is told by words alone?"""
    claims = record.grounds is not None and record.grounds.claim is not None
    return record.kind not in NOT_KNOWLEDGE and not claims and record.status not in LEFT_OUT


def alike_knowledge(
    core: Core, given: str | Record | Draft | Mapping[str, object], *, space: str = DEFAULT_SPACE
) -> list[Alike]:
    """The records that may say the same as one (or as a draft), by their words; at most five, best first."""
    home = parse_space(space)
    with core.store.read() as view:
        if isinstance(given, str):
            return find_alike(view, find(view, Record, parse_label(given, "id"), home), home)
        return find_alike(view, given if isinstance(given, Record) else parse_draft(given, {}), home)


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
