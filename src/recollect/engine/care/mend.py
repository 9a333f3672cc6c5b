"""What in a space refers to something that is not there, and what was changed in it of late?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from recollect.engine.care.upkeep import outlines_of
from recollect.engine.core import Core, find
from recollect.engine.parse import parse_limit, parse_space
from recollect.engine.write.remember import put_of
from recollect.store.base import Changes, Edit, Entities, Outline, Thing, View
from recollect.types import DEFAULT_SPACE, VOUCHED, Change, Entity, Grounds, Record, Relation

_MINTED = re.compile(r"node:[0-9a-f]{32}")
_TYPES: dict[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}
_MOST_ENTITIES = 200_000


class BrokenReference(Struct, frozen=True, kw_only=True):
    """Something that a record refers to and that is not there. `safe` where nothing is lost by dropping it."""

    id: str
    field: str
    ref: str
    safe: bool = True


class Mended(Struct, frozen=True, kw_only=True):
    """References that led nowhere, those that were dropped, and the entries of the journal. No entries: a dry run."""

    broken: tuple[BrokenReference, ...] = ()
    ids: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()


class Audited(Struct, frozen=True, kw_only=True):
    """A change with the states before and after it, as far as they are still known."""

    change: Change
    before: Record | Entity | Relation | None = None
    after: Record | Entity | Relation | None = None


def mend(core: Core, space: str = DEFAULT_SPACE, *, dry_run: bool = False) -> Mended:
    """Drops references that lead nowhere. A subject may be anybody's word, so those are only told."""
    space = parse_space(space)
    if dry_run:
        with core.store.read() as view:
            return Mended(broken=tuple(_broken(view, space)))
    with core.store.write(actor=core.actor) as edit:
        broken = tuple(_broken(edit, space))
        ids = tuple(dict.fromkeys(one.id for one in broken if one.safe))
        entries = tuple(_drop(edit, space, id, [one for one in broken if one.id == id]) for id in ids)
    if entries:
        core.written()
    return Mended(broken=broken, ids=ids, entries=entries)


def _broken(view: View, space: str) -> Iterator[BrokenReference]:
    outlines = outlines_of(view, space)
    known = {one.id for one in outlines}
    nodes: set[str] | None = None
    for one in outlines:
        for field, ref in _named(one):
            if field == "grounds.subjects":
                if _MINTED.fullmatch(ref):
                    found = view.entities(Entities(space=space), limit=_MOST_ENTITIES)
                    nodes = nodes or {entity.id for entity in found}
                    if ref not in nodes:
                        yield BrokenReference(id=one.id, field=field, ref=ref, safe=False)
            elif ref not in known and view.get(Record, space, ref) is None:
                yield BrokenReference(id=one.id, field=field, ref=ref)


def _named(one: Outline) -> Iterator[tuple[str, str]]:
    if one.grounds is not None:
        yield from (("grounds.evidence", source) for source in {item.source for item in one.grounds.evidence})
        yield from (("grounds.subjects", subject) for subject in one.grounds.subjects)
    if one.superseded_by is not None:
        yield "superseded_by", one.superseded_by


def _drop(edit: Edit, space: str, id: str, broken: list[BrokenReference]) -> int:
    old = find(edit, Record, id, space)
    gone = {one.ref for one in broken if one.field == "grounds.evidence"}
    grounds = old.grounds or Grounds()
    evidence = tuple(item for item in grounds.evidence if item.source not in gone)
    lost = bool(gone) and not evidence and old.status == "active" and old.trust not in VOUCHED
    new = msgspec.structs.replace(
        old,
        grounds=msgspec.structs.replace(grounds, evidence=evidence) if gone else old.grounds,
        status="stale" if lost else old.status,
        superseded_by=None if any(one.field == "superseded_by" for one in broken) else old.superseded_by,
    )
    reason = f"refers to what is gone: {', '.join(sorted(one.ref for one in broken if one.safe))}"
    return edit.apply([put_of(edit, new, "mend", old, reason=reason)])[0].entry


def audit(core: Core, *, space: str = DEFAULT_SPACE, limit: int = 100) -> list[Audited]:
    """The newest changes of a space, each with the states before and after it."""
    most = parse_limit(limit, most=1_000)
    with core.store.read() as view:
        changes = view.journal(Changes(space=parse_space(space)), newest_first=True, limit=most)
        return [_audited(view, change) for change in changes]


def _audited(view: View, change: Change) -> Audited:
    type_ = _TYPES.get(change.object_type)
    if type_ is None:
        return Audited(change=change)
    before, after = (
        None if version is None else view.get(type_, change.space, change.object_id, version=version)
        for version in (change.before, change.after)
    )
    return Audited(change=change, before=before, after=after)
