"""What in a space refers to something that is not there, and what was changed in it of late?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from recollect.engine.care.upkeep import outlines_of
from recollect.engine.core import Core, find
from recollect.engine.parse import parse_limit, parse_space
from recollect.engine.write.remember import put_of
from recollect.store.base import Changes, Edit, Entities, Ident, Outline, Thing, View
from recollect.store.refs import named_in
from recollect.types import (
    DEFAULT_SPACE,
    DOING_KINDS,
    VOUCHED,
    Change,
    Entity,
    Filter,
    Grounds,
    Json,
    Metadata,
    Record,
    Relation,
)

_ID = re.compile(r"(?:src|know|act|work):.+|node:[0-9a-f]{32}")
"""What is the id of something or of nothing; any other word is a name, and what it names is there by being named."""
_TYPES: dict[str, type[Thing]] = {"record": Record, "entity": Entity, "relation": Relation}
_ASKED = 1_000  # ids at once
_STATED = ("grounds.claim.subject", "grounds.claim.object", "grounds.scopes")
"""What is claimed, and where it holds, is not taken out: such references are told, and kept."""
_ALWAYS_IDS = ("grounds.evidence", "superseded_by")


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
    """Drops references that lead nowhere. What a claim says stays as it was said, and is only told."""
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
    """References to what is not there."""
    outlines = outlines_of(view, space)
    named = [(one.id, field, ref) for one in outlines for field, ref in _named(one)]
    known = {one.id for one in outlines}
    asked = tuple({ref for _, _, ref in named} - known)
    for start in range(0, len(asked), _ASKED):
        some = asked[start : start + _ASKED]
        known |= {one.id for one in view.select(Ident, Filter(spaces=(space,), ids=some, valid_only=False))}
        known |= {entity.id for entity in view.entities(Entities(space=space, ids=some))}
    for id, field, ref in named:
        if ref not in known and (field in _ALWAYS_IDS or _ID.fullmatch(ref)):
            yield BrokenReference(id=id, field=field, ref=ref, safe=field not in _STATED)


def _named(one: Outline) -> Iterator[tuple[str, str]]:
    grounds = one.grounds
    if grounds is not None:
        yield from (("grounds.evidence", source) for source in {item.source for item in grounds.evidence})
        yield from (("grounds.subjects", subject) for subject in grounds.subjects)
        yield from (("grounds.scopes", scope) for scope in grounds.scopes)
    if grounds is not None and grounds.claim is not None:
        yield "grounds.claim.subject", grounds.claim.subject
        yield from [("grounds.claim.object", grounds.claim.object)] if grounds.claim.object else []
    if one.superseded_by is not None:
        yield "superseded_by", one.superseded_by
    if one.kind in DOING_KINDS:
        yield from named_in(one.doing or {})


def _drop(edit: Edit, space: str, id: str, broken: list[BrokenReference]) -> int:
    old = find(edit, Record, id, space)
    gone = {name: {one.ref for one in broken if one.field == name} for name in {one.field for one in broken}}
    grounds = old.grounds or Grounds()
    evidence = tuple(item for item in grounds.evidence if item.source not in gone.get("grounds.evidence", ()))
    subjects = tuple(ref for ref in grounds.subjects if ref not in gone.get("grounds.subjects", ()))
    lost = evidence != grounds.evidence and not evidence and old.status == "active" and old.trust not in VOUCHED
    new = msgspec.structs.replace(
        old,
        grounds=old.grounds and msgspec.structs.replace(grounds, evidence=evidence, subjects=subjects),
        status="stale" if lost and old.kind not in DOING_KINDS else old.status,
        superseded_by=None if "superseded_by" in gone else old.superseded_by,
        metadata=_without(old.metadata, gone) if old.kind in DOING_KINDS else old.metadata,
    )
    reason = f"refers to what is gone: {', '.join(sorted(one.ref for one in broken if one.safe))}"
    return edit.apply([put_of(edit, new, "mend", old, reason=reason)])[0].entry


def _without(doing: Metadata, gone: Mapping[str, set[str]]) -> Metadata:
    """The metadata of an activity or a work item without references that lead nowhere; empty lists go too."""
    kept: dict[str, Json] = {}
    for name, value in doing.items():
        if name in gone and isinstance(value, Sequence) and not isinstance(value, str):
            value = [ref for ref in value if ref not in gone[name]]
        if name not in gone or (value and not isinstance(value, str)):
            kept[name] = value
    return kept


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
