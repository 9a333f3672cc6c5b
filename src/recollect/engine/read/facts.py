"""Which stated facts answer a question?

A relation has no text and so no place in any index. Those of the entities that a question names, and the newest others,
are put into words and compared with the question's: what says most of them is shown among the hits, with a score by
the share of words and by how sure the fact is. A question for what was once is answered by what held then, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from recollect.engine.write.remember import content_hash
from recollect.store.base import Entities, Relations, View
from recollect.store.terms import query_terms, terms
from recollect.types import Entity, Filter, Hit, Record, Relation, Why

if TYPE_CHECKING:
    from recollect.engine.read.candidates import Question  # brings in numpy

KIND = "fact"
"""The kind of a hit that is a relation: its id is the relation's, and `relate` changes it."""
_NEWEST = 200
_MOST_TOLD = 5
_LEAST_COVERED = 0.5
_BEST = 0.9  # what a fact that is surely so and has every word of the question is worth
_STEEP = 1.5
_NOT_THEN = 0.5  # of its worth, where another time is asked of than that at which it held
_PLAIN = Filter()


def facts_for(
    view: View, question: Question, named: Mapping[str, Sequence[Entity]], *, back: bool = False
) -> list[Hit]:
    """The facts that say most of what a question asks, as hits; none where it asks for certain records.

    Given are the entities that it names, of each space that knows any, and whether it looks `back`.
    """
    query = question.query
    where = query.filter
    if not _may_see(where):
        return []
    asked = set(query_terms(query.text))
    if back:
        asked -= _words_of_time(query.text)
    found: list[tuple[Hit, Relation]] = []
    stated = view.together(
        *(partial(_relations, view, space, [one.id for one in named[space]], where, back) for space in named)
    )
    for relation, said in chain.from_iterable(stated):
        covered = len(asked & {*terms(said)}) / max(len(asked), 1)
        if covered >= _LEAST_COVERED:
            sure = relation.confidence
            score = round(_BEST * sure * covered**_STEEP, 6)
            why = Why(keyword=round(covered, 4), confidence=round(sure, 4))
            found.append((Hit(record=_record(relation, said), score=score, why=why), relation))
    hits = _of_then(found, question) if back else [hit for hit, _ in found]
    likely = [hit for hit in hits if hit.score >= query.min_score]
    likely.sort(key=lambda hit: (-hit.score, -hit.record.event_time.timestamp()))
    return likely[:_MOST_TOLD]


def _words_of_time(question: str) -> set[str]:
    """It is asked when a fact held, and not what it says."""
    from recollect.retrieve.period import find_time  # brings in numpy: only when something is asked

    time = find_time(question)
    return set() if time is None else {*query_terms(" ".join((time.words, *time.names)))}


def _of_then(found: Sequence[tuple[Hit, Relation]], question: Question) -> list[Hit]:
    """Hits of facts where a question looks back: what held at the time that it names keeps its worth, and where it
    names none, what held before something else of the same subject and predicate.
    """
    period, narrow = question.period, msgspec.structs.replace
    ended = {(one.subject, one.predicate) for _, one in found if _end_of(one) <= question.now}
    told: list[Hit] = []
    for hit, one in found:
        begins, ends = one.valid_from.timestamp() * 1e6, _end_of(one)
        if begins >= ends or begins > question.now:
            continue  # what was taken back at once, and what is still to come
        if period is not None:
            held = begins <= period.last and ends >= period.first
        else:
            held = ends <= question.now or (one.subject, one.predicate) not in ended
        why = hit.why if period is None else narrow(hit.why, period=float(held))
        told.append(narrow(hit, score=hit.score if held else round(hit.score * _NOT_THEN, 6), why=why))
    return told


def _end_of(relation: Relation) -> float:
    return math.inf if relation.valid_until is None else relation.valid_until.timestamp() * 1e6


def _may_see(where: Filter) -> bool:
    """A fact has neither tags nor sessions: it is left out where records are narrowed by such a thing.

    It is of no project, and seen by whoever sees what is of none.
    """
    ours = ("spaces", "as_of", "true_at", "without_kinds", "without_sources", "valid_only", "projects")
    plain = all(getattr(where, name) == getattr(_PLAIN, name) for name in where.__struct_fields__ if name not in ours)
    return plain and KIND not in where.without_kinds and (not where.projects or "" in where.projects)


def _relations(view: View, space: str, ids: Sequence[str], where: Filter, back: bool) -> list[tuple[Relation, str]]:
    """Relations of some entities and the newest of all, in words: those that hold, or `back` to the first."""
    held = tuple(ids)
    when = Relations(space=space, as_of=where.as_of, true_at=where.true_at, active=not back)
    asked = [when]
    if held:
        asked += [msgspec.structs.replace(when, subjects=held), msgspec.structs.replace(when, objects=held)]
    lists = view.together(*(partial(view.relations, Relation, one, newest_first=True, limit=_NEWEST) for one in asked))
    facts = {one.id: one for some in lists for one in some}
    ends = sorted({end for one in facts.values() for end in (one.subject, one.object)})
    known = view.entities(Entities(space=space, ids=tuple(ends), as_of=where.as_of)) if ends else []
    name_of = {entity.id: entity.name for entity in known}
    return [
        (one, f"{name_of.get(one.subject, one.subject)} {_spoken(one.predicate)} {name_of.get(one.object, one.object)}")
        for one in facts.values()
    ]


def _spoken(predicate: str) -> str:
    return predicate.replace("_", " ").replace("-", " ")


def _record(relation: Relation, said: str) -> Record:
    return Record(
        text=said, kind=KIND, id=relation.id, space=relation.space, event_time=relation.valid_from,
        valid_from=relation.valid_from, valid_until=relation.valid_until, confidence=relation.confidence,
        source=relation.provenance, metadata=relation.metadata, created_at=relation.created_at,
        recorded_at=relation.recorded_at, content_hash=content_hash(said), version=relation.version,
    )  # fmt: skip
