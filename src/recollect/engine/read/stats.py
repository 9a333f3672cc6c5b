"""How much is there in a space?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, Unpack

from msgspec import Struct
from msgspec.structs import asdict, replace

from recollect.engine.core import Core
from recollect.engine.parse import parse_filter, parse_space
from recollect.errors import NotFound, StoreDamaged
from recollect.fields import Filters, Spaces
from recollect.store.base import By, Changes, Entities, Group, Ident, Relations, Sessions, View
from recollect.types import CATALOGUE_KINDS, DEFAULT_SPACE, HIDDEN_STATUSES, Change, Filter, Record, SpaceStats

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_LATER = 10_000  # changes after those that are asked about; beyond, counts are those of now

_HINTED_ROOMS = 100
_HINTS = 3
_HINT_LENGTH = 80


class SpaceTally(Struct, frozen=True, kw_only=True):
    """The little about a space that is cheap to count: records and facts that hold now, and how many have vectors."""

    records: int
    facts: int
    vectors: int


class SpaceSize(Struct, frozen=True, kw_only=True):
    """What is counted of a space without looking at each of its records."""

    space: str
    records: int
    sessions: int
    entities: int
    relations: int
    waiting_for_vectors: int


def size_of(view: View, space: str, *, embeds: bool = True) -> SpaceSize:
    """How much a space holds. Where it `embeds` and no model is known yet, all of it waits."""
    live = Filter(spaces=(space,), valid_only=False)
    waits = view.waiting(None, [space]).count
    if embeds and not view.models():
        waits = view.count(replace(live, without_kinds=CATALOGUE_KINDS))
    return SpaceSize(
        space=space,
        records=view.count(live),
        sessions=view.count(Sessions(space)),
        entities=view.count(Entities(space=space)),
        relations=view.count(Relations(space=space, active=False)),
        waiting_for_vectors=waits,
    )


def all_sizes(core: Core, *, embeds: bool = True) -> list[SpaceSize]:
    """How much each space holds, by name."""
    with core.store.read() as view:
        return [size_of(view, space.name, embeds=embeds) for space in view.spaces()]


def stats_of(view: View, space: str, *, embeds: bool = True) -> SpaceStats:
    """Everything of a space that can be counted."""
    if not view.spaces([space]):
        raise NotFound(f"there is no space named {space!r}")
    live = Filter(spaces=(space,), valid_only=False)
    newest = view.select(Ident, live, "newest", 1)
    return SpaceStats(
        **asdict(size_of(view, space, embeds=embeds)),
        by_kind={kind.key: kind.count for kind in view.count(live, by="kind")},
        newest=_moment_of(newest[0]) if newest else None,
    )


def _moment_of(newest: Ident) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=newest.created_at)
    except (TypeError, OverflowError) as error:  # what is counted is not compared with its checksum
        raise StoreDamaged(
            f"record {newest.id} is of no time that there can be; run `recollect doctor`, which tells what is damaged"
            " and how to go on"
        ) from error


def tally_of(view: View, space: str) -> SpaceTally:
    """What a space holds now: records, facts, and how many of the records have a vector."""
    records = view.count(Filter(spaces=(space,), without_kinds=CATALOGUE_KINDS))
    embedded = max(records - view.waiting(None, [space]).count, 0) if view.models() else 0
    return SpaceTally(records=records, facts=view.count(Relations(space=space)), vectors=embedded)


def tally(core: Core, *, space: str = DEFAULT_SPACE) -> SpaceTally:
    """How much a space holds now, by the few counts that are cheap at any size."""
    with core.store.read() as view:
        return tally_of(view, parse_space(space))


def distinct(
    core: Core, by: Literal["project", "tag"], *, space: Spaces = DEFAULT_SPACE, **filters: Unpack[Filters]
) -> list[str]:
    """The different projects or tags among some records; "" stands for no project."""
    with core.store.read() as view:
        return [group.key for group in view.count(parse_filter(space=space, **filters), by=by)]


def grouped(core: Core, space: str, by: By) -> list[Group]:
    """How many records of a space have something in common, each with its first and its last moment."""
    with core.store.read() as view:
        return view.count(Filter(spaces=(space,), without_kinds=CATALOGUE_KINDS), by=by)


def hints_of(core: Core, space: str) -> dict[str, tuple[str, ...]]:
    """The beginnings of the newest few texts of each room, as far as there are not too many rooms."""
    with core.store.read() as view:
        rooms = view.count(Filter(spaces=(space,), without_kinds=CATALOGUE_KINDS), by="room", limit=_HINTED_ROOMS)
        return {
            room.key: tuple(_begin(one) for one in view.select(Record, _lying_in(space, room.key), "newest", _HINTS))
            for room in rooms
        }


def _lying_in(space: str, room: str) -> Filter:
    return Filter(spaces=(space,), rooms=(room,), without_kinds=CATALOGUE_KINDS)


def _begin(record: Record) -> str:
    words = " ".join((record.title or record.text[: 4 * _HINT_LENGTH]).split())
    return words if len(words) <= _HINT_LENGTH else f"{words[:_HINT_LENGTH].rstrip()}…"


class _State(Struct, frozen=True):
    """What decides whether a version counts."""

    version: int
    kind: str
    status: str
    valid_until: int | None


class Counted(Struct, frozen=True):
    """A change, what it did to the number of records in its space (+1, -1 or 0), and how many those were then."""

    change: Change
    effect: int
    records: int


def count_back(core: Core, changes: Sequence[Change]) -> list[Counted]:
    """How many records there were in the space of each change right after it: those of now, less what came since."""
    with core.store.read() as view:
        later = view.journal(Changes(after=changes[-1].entry), limit=_MOST_LATER)
        spaces = view.spaces(list({change.space for change in changes}))
        counts = {space.name: tally_of(view, space.name).records for space in spaces}
        holding = _holding(view, [*changes, *later])
    counted: list[Counted] = []
    for change in reversed([*changes, *later]):
        effect, now = _effect(change, holding), counts.get(change.space, 0)
        counts[change.space] = max(now - effect, 0)
        counted.append(Counted(change, effect, now))
    return counted[::-1][: len(changes)]


def _holding(view: View, changes: Sequence[Change]) -> dict[int, bool]:
    """For each version of some changes: is it one that counts, while it is its record's last?"""
    versions = {version for change in changes for version in (change.before, change.after) if version is not None}
    where = Filter(versions=tuple(versions), past=True, valid_only=False)
    now = view.now.timestamp() * 1e6
    return {
        one.version: one.kind not in CATALOGUE_KINDS
        and one.status not in HIDDEN_STATUSES
        and (one.valid_until is None or one.valid_until > now)
        for one in (view.select(_State, where) if versions else ())
    }


def _effect(change: Change, holding: Mapping[int, bool]) -> int:
    """Is a record there now that was not, or the other way round? One that is forgotten since has left no versions."""
    if change.object_type != "record":
        return 0
    if change.before is None and change.after is None:
        return {"remember": 1, "forget": -1}.get(change.verb, 0)
    was, is_now = (version is not None and holding.get(version, True) for version in (change.before, change.after))
    return int(is_now) - int(was)
