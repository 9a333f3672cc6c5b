"""Which stated facts answer a question?

A relation has no text and so no place in any index. Those of the entities that a question names, and the newest others,
are put into words and compared with the question's: what says most of them is shown among the hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain

from recollect.engine.write.remember import content_hash
from recollect.store.base import Entities, Relations, View
from recollect.store.terms import query_terms, terms
from recollect.types import Entity, Filter, Hit, Query, Record, Relation, Why

KIND = "fact"
"""The kind of a hit that is a relation: its id is the relation's, and `relate` changes it."""
_NEWEST = 200
_MOST_TOLD = 5
_LEAST_COVERED = 0.5
_BEST = 0.9  # what a fact that has every word of the question is worth
_STEEP = 1.5
_PLAIN = Filter()


def facts_for(view: View, query: Query, named: Mapping[str, Sequence[Entity]]) -> list[Hit]:
    """The facts that say most of what a question asks, as hits; none where it asks for certain records.

    Given are the entities that it names, of each space that knows any.
    """
    where = query.filter
    if not _may_see(where):
        return []
    asked = set(query_terms(query.text))
    found: list[Hit] = []
    stated = view.together(
        *(partial(_relations, view, space, [one.id for one in named[space]], where) for space in named)
    )
    for relation, said in chain.from_iterable(stated):
        covered = len(asked & {*terms(said)}) / max(len(asked), 1)
        score = round(_BEST * covered**_STEEP, 6)
        if covered >= _LEAST_COVERED and score >= query.min_score:
            found.append(Hit(record=_record(relation, said), score=score, why=Why(keyword=round(covered, 4))))
    found.sort(key=lambda hit: (-hit.score, -hit.record.event_time.timestamp()))
    return found[:_MOST_TOLD]


def _may_see(where: Filter) -> bool:
    """A fact has neither tags nor sessions: it is left out where records are narrowed by such a thing.

    It is of no project, and seen by whoever sees what is of none.
    """
    ours = ("spaces", "as_of", "without_kinds", "without_sources", "valid_only", "projects")
    plain = all(getattr(where, name) == getattr(_PLAIN, name) for name in where.__struct_fields__ if name not in ours)
    return plain and KIND not in where.without_kinds and (not where.projects or "" in where.projects)


def _relations(view: View, space: str, ids: Sequence[str], where: Filter) -> list[tuple[Relation, str]]:
    """Relations of some entities and the newest of all, in words."""
    held = tuple(ids)
    asked = [Relations(space=space, as_of=where.as_of)]
    if held:
        asked += [Relations(space=space, subjects=held, as_of=where.as_of)]
        asked += [Relations(space=space, objects=held, as_of=where.as_of)]
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
