"""How does a caller speak of entities, and of what holds between them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from recollect.engine.core import Core
from recollect.engine.graph import link
from recollect.engine.graph.link import Direction, Fact, Neighborhood
from recollect.engine.parse import (
    MAX_LIMIT,
    parse_as,
    parse_choice,
    parse_count,
    parse_flag,
    parse_label,
    parse_labels,
    parse_limit,
    parse_metadata,
    parse_offset,
    parse_optional,
    parse_optional_time,
    parse_space,
)
from recollect.errors import InvalidInput
from recollect.fields import Moment
from recollect.store.base import Entities, normal_name
from recollect.types import DEFAULT_SPACE, Entity, Record, Relation

MAX_DEPTH = 100
_DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


class Relating:
    """What a memory knows of entities and the facts between them."""

    core: Core

    def entity(
        self,
        name: str,
        *,
        space: str = DEFAULT_SPACE,
        type: str | None = None,
        description: str | None = None,
        aliases: Sequence[str] = (),
        user: str | None = None,
        metadata: Mapping[str, object] | None = None,
        id: str | None = None,
        by_user: bool = False,
    ) -> Entity:
        """Makes an entity, or adds to the one that is known by that name: given fields replace, aliases join.

        With `by_user`, the same name is another entity for every user.
        """
        given: dict[str, object] = {
            "type": parse_optional(type, "type"),
            "description": parse_optional(description, "description", longest=10_000),
            "user": parse_optional(user, "user"),
        }
        fields = {key: value for key, value in given.items() if value is not None}
        if aliases:
            fields["aliases"] = parse_labels(aliases, "aliases")
        if metadata is not None:
            fields["metadata"] = parse_metadata(metadata)
        return link.put_entity(
            self.core, parse_label(name, "name"), parse_space(space), fields, parse_optional(id, "id"),
            by_user=parse_flag(by_user, "by_user"),
        )  # fmt: skip

    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        space: str = DEFAULT_SPACE,
        weight: float = 1.0,
        confidence: float = 1.0,
        provenance: str | None = None,
        valid_from: Moment = None,
        valid_until: Moment = None,
        replaces: bool = True,
        again: bool = False,
        make: bool = True,
        metadata: Mapping[str, object] | None = None,
    ) -> Relation:
        """States a fact about two entities (by name or id; unknown ones are made, or an error without `make`).

        Names count letter by letter: `parse` and `Parse` are two.
        With `replaces`, the fact of the same subject and predicate that holds then ends where this one begins, and this
        one where the next of them does. What is stated already is left as it is unless `again` is set: then it holds
        anew from now on.
        """
        stated = parse_as(
            link.Statement, subject=subject, predicate=predicate, object=object, weight=weight, confidence=confidence,
            provenance=provenance, valid_from=valid_from, valid_until=valid_until,
            metadata={} if metadata is None else metadata,
        )  # fmt: skip
        return link.relate(
            self.core,
            stated,
            parse_space(space),
            replaces=parse_flag(replaces, "replaces"),
            again=parse_flag(again, "again"),
            make=parse_flag(make, "make"),
        )

    def facts(
        self,
        subject: str | None = None,
        *,
        space: str = DEFAULT_SPACE,
        predicate: str | None = None,
        as_of: Moment = None,
        true_at: Moment = None,
        active: bool = True,
    ) -> list[Fact]:
        """What is stated about a subject (None: about all): now, at a moment, or (`active=False`) ever.

        `as_of` asks what was known and held then, `true_at` what held then as it is known now.
        """
        return link.facts(
            self.core,
            parse_optional(subject, "subject"),
            parse_space(space),
            predicate=parse_optional(predicate, "predicate"),
            as_of=parse_optional_time(as_of, "as_of"),
            true_at=parse_optional_time(true_at, "true_at"),
            active=parse_flag(active, "active"),
        )

    def neighbors(
        self,
        entity: str,
        *,
        space: str = DEFAULT_SPACE,
        depth: int = 1,
        direction: str = "both",
        as_of: Moment = None,
        true_at: Moment = None,
    ) -> Neighborhood:
        """Everything within some steps of an entity, breadth first."""
        return link.neighbors(
            self.core,
            parse_label(entity, "entity"),
            parse_space(space),
            depth=parse_count(depth, "depth", least=0, most=MAX_DEPTH),
            direction=parse_choice(direction, "direction", _DIRECTIONS),
            as_of=parse_optional_time(as_of, "as_of"),
            true_at=parse_optional_time(true_at, "true_at"),
        )

    def entities(
        self,
        *,
        space: str = DEFAULT_SPACE,
        words: Sequence[str] = (),
        newest_first: bool = True,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Entity]:
        """The entities of a space, or those that have one of some words in a name or alias."""
        with self.core.store.read() as view:
            named = tuple(normal_name(word) for word in parse_labels(words, "words", most=1_000))
            return view.entities(
                Entities(space=parse_space(space), words=named),
                newest_first=parse_flag(newest_first, "newest_first"),
                limit=parse_limit(limit),
                offset=parse_offset(offset),
            )

    def find_entities(self, entity: str, *, space: str = DEFAULT_SPACE) -> list[Entity]:
        """The entities of that id, name or alias, letter by letter; names before aliases."""
        with self.core.store.read() as view:
            return link.find(view, parse_space(space), parse_label(entity, "entity"))

    def mentioning(
        self,
        entity: str,
        *,
        space: str = DEFAULT_SPACE,
        limit: int = 20,
        as_of: Moment = None,
        true_at: Moment = None,
    ) -> list[Record]:
        """The newest records that mention an entity, by any of its names: now, or of those that did at a moment."""
        return link.mentioning(
            self.core,
            parse_label(entity, "entity"),
            parse_space(space),
            parse_limit(limit, most=MAX_LIMIT),
            as_of=parse_optional_time(as_of, "as_of"),
            true_at=parse_optional_time(true_at, "true_at"),
        )

    def pagerank(
        self, seeds: Sequence[str], *, space: str = DEFAULT_SPACE, limit: int = 20, as_of: Moment = None
    ) -> list[tuple[Record, float]]:
        """The records nearest to some seeds (names, entity ids or record ids) in the graph, with their share."""
        from recollect.engine.graph.walk import rank_records  # brings in numpy

        labels = parse_labels(seeds, "seeds", most=1_000)
        if not labels:
            raise InvalidInput("seeds", "give at least one name or id")
        return rank_records(
            self.core,
            labels,
            parse_space(space),
            limit=parse_limit(limit, most=MAX_LIMIT),
            as_of=parse_optional_time(as_of, "as_of"),
        )
