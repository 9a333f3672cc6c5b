"""What in a space refers to something that is not there, and what was changed in it of late?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from recollect.engine.care.upkeep import outlines_of
from recollect.engine.core import Core, find
from recollect.engine.write.remember import put_of
from recollect.store.base import Changes, Edit, Entities, Outline, Thing, View
from recollect.types import VOUCHED, Audited, BrokenReference, Change, Entity, Grounds, Mended, Record, Relation

_MINTED = re.compile(r"node:[0-9a-f]{32}")
_TYPES: dict[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}
_MOST_ENTITIES = 200_000


def mend(core: Core, space: str, *, dry_run: bool) -> Mended:
    """Drops references that lead nowhere. A subject may be anybody's word, so those are only told."""
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


def audit(core: Core, space: str, limit: int) -> list[Audited]:
    """The newest changes, each with the states before and after it."""
    with core.store.read() as view:
        return [_audited(view, change) for change in view.journal(Changes(space=space), newest_first=True, limit=limit)]


def _audited(view: View, change: Change) -> Audited:
    type_ = _TYPES.get(change.object_type)
    if type_ is None:
        return Audited(change=change)
    before, after = (
        None if version is None else view.get(type_, change.space, change.object_id, version=version)
        for version in (change.before, change.after)
    )
    return Audited(change=change, before=before, after=after)
