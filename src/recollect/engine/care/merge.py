"""How does what another memory holds come into one that holds something already?

Objects are the same where their ids are; parts of a source, entities and facts also where they say the same. Of each,
the versions on both sides are compared by what they state, from the last one on that both share: who has the other's
last version among its own has gone on from there, and what came after it is taken over, or is not needed. Where both
have gone on, what stands here is kept, and that they differ is told. What was forgotten here for good stays forgotten,
and secrets are masked unless their space here allows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Literal

import msgspec
from msgspec import Struct

from recollect.engine.care.same_graph import SameGraph, lacks_an_end
from recollect.engine.care.same_lists import listed, take_lists
from recollect.engine.care.same_source import SameSource
from recollect.engine.care.whereabouts import Parcel, Whereabouts
from recollect.engine.core import Core, space_of, tells, transact, ways_out
from recollect.engine.graph.link import describe, joined, names_of, relink
from recollect.engine.intake.results import Differing, Imported
from recollect.engine.places import identity_of, keep_identity
from recollect.engine.write.remember import content_hash, derive_lexis
from recollect.engine.write.revise import state_of
from recollect.engine.write.screen import Screen
from recollect.store.base import THINNED, Changes, Edit, Thing
from recollect.store.marks import FORGET
from recollect.store.ops import GONE, Bring, Brought, Note, Put, PutSpace, Retire
from recollect.store.portable import retired_at, space_no, thing_of
from recollect.types import CATALOGUE_KINDS, Change, Entity, Record, Relation, Space

Noun = Literal["entity", "record", "relation"]
_NOUNS: tuple[Noun, ...] = ("entity", "record", "relation")
"""Entities first: records are linked to those that are known, and relations speak of them."""
_SHOWN = 200
_TAKEN = "import"
_ENDS = ("subject", "object")  # which a relation has by their ids
_OF_THE_READING = ("freshness", "file")
"""What a source says of when and from which file it was read, which is each machine's own."""


class _Life(Struct, frozen=True):
    """All versions of an object that an export holds, oldest first, each with how it came; and how it ended."""

    noun: Noun
    space: str
    id: str
    versions: tuple[Brought, ...]
    end: Brought | None


class _Tally:
    """What became of the objects of a space."""

    def __init__(self, space: Space, beginning: Note, export: Whereabouts) -> None:
        self._space = space
        self._beginning = beginning
        self._horizon = export.horizons.get(space.name)
        self.same_source = SameSource(lambda space, id: export.holds("record", space, id))
        self.same_graph = SameGraph(export.holds)
        self._begun = False
        self.new: dict[Noun, int] = dict.fromkeys(_NOUNS, 0)
        self.present: dict[Noun, int] = dict.fromkeys(_NOUNS, 0)
        self.newer = 0
        self.same: dict[str, str] = {}
        self.differing: list[Differing] = []
        self.forgotten: dict[str, None] = {}
        self.masked: dict[str, None] = {}

    def begin(self, edit: Edit, *, missing: bool = False) -> None:
        """The first entry of what comes into a space says that it was an import: whoever undoes it undoes all.

        The space is made before where it is `missing`: in a dry run in each transaction. Before anything comes whose
        history was thinned, it is told up to when.
        """
        if self._begun and not missing:
            return
        edit.apply([*([PutSpace(self._space)] if missing else ()), self._beginning])
        self._begun = True
        held = edit.kept(THINNED, space=self._space.name).get("")
        if self._horizon is not None and (held is None or held.stamp < self._horizon.stamp):
            edit.keep(THINNED, {"": self._horizon}, space=self._space.name)

    def thinned(self, edit: Edit) -> bool:
        """Was the history of the space thinned, here or there?"""
        return self._horizon is not None or bool(edit.kept(THINNED, space=self._space.name))


def merge(
    core: Core, export: Whereabouts, identities: Mapping[str, str], file: str, *, dry_run: bool
) -> list[Imported]:
    """Takes over what an export holds, some objects in each transaction; whoever is killed runs it again."""
    spaces = export.spaces
    tallies = {
        space.name: _Tally(space, Note(space=space.name, verb=_TAKEN, reason=f"from {file}"), export)
        for space in spaces.values()
    }
    had = listed(core, tallies)
    for noun in _NOUNS:
        for parcel in export.parcels(noun):
            lives = _lives(parcel, noun, spaces)
            transact(core, lambda edit, lives=lives: _take(edit, lives, tallies), dry_run=dry_run)
    if not dry_run:
        _make_empty(core, tallies)
        take_lists(core, export, had)
        core.written()
    return [
        Imported(
            space=name, folder=file, records=one.new["record"], records_present=one.present["record"],
            facts=one.new["relation"], facts_present=one.present["relation"], entities=one.new["entity"],
            newer=one.newer, same=one.same, differing=tuple(one.differing), forgotten=tuple(one.forgotten),
            masked=tuple(one.masked),
            identity=_take_identity(core, name, identities.get(name, ""), dry_run=dry_run),
        )
        for name, one in tallies.items()
    ]  # fmt: skip


def _lives(parcel: Parcel, noun: Noun, spaces: Mapping[int, Space]) -> list[_Life]:
    versions = [
        (thing_of(noun, row, spaces[space_no(noun, row)].name), retired_at(noun, row))
        for row in parcel.rows
        if space_no(noun, row) in spaces
    ]
    first = {(thing.space, thing.id): place for place, (thing, _) in reversed(list(enumerate(versions)))}
    versions.sort(key=lambda one: (first[one[0].space, one[0].id], one[0].version))
    lives: list[_Life] = []
    for (space, id), some in groupby(versions, key=lambda one: (one[0].space, one[0].id)):
        brought = tuple(_brought(thing, gone, parcel.came.get(thing.version)) for thing, gone in some)
        last = brought[-1]
        end = None if last.retired_at is None else _brought(last.thing, None, parcel.ended.get(last.thing.version))
        lives.append(_Life(noun, space, id, brought, end))
    return lives


def _brought(thing: Thing, gone: datetime | None, change: Change | None) -> Brought:
    verb, actor, reason = (_TAKEN, None, None) if change is None else (change.verb, change.actor, change.reason)
    return Brought(thing=thing, verb=verb, actor=actor, reason=reason, retired_at=gone)


def _take(edit: Edit, lives: Sequence[_Life], tallies: Mapping[str, _Tally]) -> None:
    for life in lives:
        if space_of(edit, life.space) is None:
            tallies[life.space].begin(edit, missing=True)
        _take_one(edit, _screened(edit, life, tallies[life.space]), tallies[life.space])


def _screened(edit: Edit, life: _Life, tally: _Tally) -> _Life:
    """The same as it may be kept here; a space that refuses secrets has them masked, since a life comes as a whole."""
    screen = Screen(edit, life.space)
    versions: list[Brought] = []
    for one in life.versions:
        here = tally.same_graph.as_here(one.thing) if isinstance(one.thing, Relation) else one.thing
        thing, kinds = screen.take(here)
        tally.masked |= dict.fromkeys(kinds)
        if kinds and isinstance(thing, Record):
            thing = msgspec.structs.replace(thing, content_hash=content_hash(thing.text))
        versions.append(one if thing is one.thing else msgspec.structs.replace(one, thing=thing))
    return msgspec.structs.replace(life, versions=tuple(versions))


def _make_empty(core: Core, tallies: Mapping[str, _Tally]) -> None:
    """A space that holds nothing comes too: it has a description, and perhaps an identity."""
    with core.store.read() as view:
        there = {space.name for space in view.spaces(list(tallies))}
    for name in tallies.keys() - there:
        with core.store.write(actor=core.actor) as edit:
            tallies[name].begin(edit, missing=True)


def _take_one(edit: Edit, life: _Life, tally: _Tally) -> None:
    type_ = type(life.versions[0].thing)
    changes = [
        change
        for change in edit.journal(Changes(space=life.space, object_id=life.id), limit=100_000)
        if change.object_type == life.noun
    ]
    told = [change for change in changes if tells(change)]
    held = [edit.get(type_, life.space, life.id, version=one.after) for one in changes if one.after is not None]
    ours = [one for one in held if one is not None]
    live = edit.get(type_, life.space, life.id)
    way = ways_out(edit, life.space, life.noun, [life.id]).get(life.id) if live is None else None
    known = any(change.verb in GONE for change in told) if told else way is not None
    if (not ours and known) or (way == FORGET and not (ours and life.end is not None)):
        tally.forgotten[life.id] = None
    elif not ours:
        _take_new(edit, life, tally)
    elif live is None and life.end is None and _was_undone(edit, changes):
        _bring_back(edit, life, ours[-1], tally)
        tally.new[life.noun] += 1
    else:
        came_back = any(change.after is None for change in changes)
        _compare(edit, life, ours, live, tally, came_back=came_back)


def _take_new(edit: Edit, life: _Life, tally: _Tally) -> None:
    """An object of an id that is not known here, and may be here under another."""
    last = life.versions[-1].thing
    here = _same(edit, last, tally) if life.end is None else None
    if here is not None:
        tally.same[life.id] = here
        tally.present[life.noun] += 1
    elif _is_away(edit, last, tally, ended=life.end is not None):
        tally.forgotten[life.id] = None
    else:
        _bring(edit, life, life.versions, None, tally)
        tally.new[life.noun] += 1


def _same(edit: Edit, thing: Thing, tally: _Tally) -> str | None:
    """The id of what is here for something of another memory; what is said of it there is said here from now on."""
    if isinstance(thing, Record):
        return tally.same_source.find(edit, thing)
    if isinstance(thing, Entity):
        entity = tally.same_graph.find_entity(edit, thing)
        if entity is not None:
            _join(edit, entity, thing, tally)
        return None if entity is None else entity.id
    fact = tally.same_graph.find_fact(edit, thing)
    if fact is not None and thing.valid_from < fact.valid_from:
        tally.begin(edit)
        edit.apply([Put(thing=msgspec.structs.replace(fact, valid_from=thing.valid_from), verb=_TAKEN, before=fact)])
    return None if fact is None else fact.id


def _join(edit: Edit, here: Entity, there: Entity, tally: _Tally) -> None:
    """What another memory says of an entity is added to it; where both say something else, that is told."""
    both = joined(here, there)
    if both != here:
        tally.begin(edit)
        describe(edit, here, both)
    told = _apart(edit, both, joined(there, both))
    apart = {name: values for name, values in told.items() if name in ("description", "metadata")}
    if apart:
        tally.differing.append(Differing(type="entity", id=here.id, here=both.name, there=there.name, fields=apart))


def _is_away(edit: Edit, thing: Thing, tally: _Tally, *, ended: bool) -> bool:
    """Was it forgotten here with what it belongs to, or under another id? `ended`: it was let go there."""
    if isinstance(thing, Record):
        return tally.same_source.is_away(edit, thing, ended=ended)
    return tally.same_graph.is_away(edit, thing) if isinstance(thing, Entity) else lacks_an_end(edit, thing)


def _was_undone(edit: Edit, changes: Sequence[Change]) -> bool:
    """Did an object come by an import that was taken back? Whoever imports it again wants it."""
    last = changes[-1]
    undone = next((one for one in changes if last.after is None and one.entry == last.undoes), None)
    act = None if undone is None or undone.act is None else next(iter(edit.journal(Changes(entry=undone.act))), None)
    return act is not None and act.verb == _TAKEN


def _bring_back(edit: Edit, life: _Life, last: Thing, tally: _Tally) -> None:
    """Has an object again as it was last, known since now; and what the file says of it since then."""
    theirs = [_state(one.thing) for one in life.versions]
    known = _state(last) in theirs
    thing = last if known else life.versions[-1].thing
    tally.begin(edit)
    lexis = derive_lexis(edit, thing) if isinstance(thing, Record) else None
    done = edit.apply([Put(thing=thing, verb=_TAKEN, before=None, lexis=lexis)])[0].thing
    if isinstance(done, Entity):
        relink(edit, done.space, names_of(done))
    since = life.versions[_last_place(theirs, _state(last)) + 1 :] if known else ()
    if since:
        _bring(edit, life, since, done, tally)


def _last_place(states: Sequence[dict[str, object]], state: dict[str, object]) -> int:
    return len(states) - 1 - states[::-1].index(state)


def _compare(
    edit: Edit, life: _Life, ours: Sequence[Thing], live: Thing | None, tally: _Tally, *, came_back: bool
) -> None:
    """One of both may have gone on from where the other is.

    Who says again what was said before is later than who does not yet; and what ended there before it came back here
    had ended here, too. Where history was thinned that tells of it, what stands here may have stood here before: where
    times contradict what the versions say, what stands here is kept, and told.
    """
    ours, life, whole = _since_common(ours, life)
    thinned = not whole and tally.thinned(edit)
    states, theirs = [_state(one) for one in ours], [_state(one.thing) for one in life.versions]
    same_end = theirs[-1] == states[-1]
    there = life.versions[-1]
    earlier = live is not None and (there.retired_at or there.thing.recorded_at) < live.recorded_at
    if same_end and (life.end is None or live is None or (came_back and earlier)):
        tally.present[life.noun] += 1
    elif same_end and live is not None and life.end is not None and not (earlier and thinned):
        tally.begin(edit)
        edit.apply([Retire(thing=live, verb=life.end.verb, reason=life.end.reason)])
        tally.newer += 1
    elif (
        live is not None and not same_end and states[-1] in theirs
        and not (earlier and (theirs[-1] in states or thinned))
    ):  # fmt: skip
        _bring(edit, life, life.versions[_last_place(theirs, states[-1]) + 1 :], live, tally)
        tally.newer += 1
    elif not same_end and theirs[-1] in states and (earlier or live is None or not thinned):
        tally.present[life.noun] += 1
    else:
        told = "" if life.end is None else " (gone)"
        tally.differing.append(
            Differing(
                type=life.noun, id=life.id, here=_said(edit, ours[-1]), there=f"{_said(edit, there.thing)}{told}",
                fields=_apart(edit, ours[-1], there.thing), thinned=thinned,
            )
        )  # fmt: skip


def _since_common(ours: Sequence[Thing], life: _Life) -> tuple[Sequence[Thing], _Life, bool]:
    """Both sides from the last version on that they share, and whether all is there that either has said since then;
    without such a version all that there is, which is whole where it begins as its object did.

    What was thinned is older than what is left, so behind a version that is there nothing is missing.
    """
    places = {one.thing.recorded_at: place for place, one in enumerate(life.versions)}
    for here in reversed(range(len(ours))):
        there = places.get(ours[here].recorded_at)
        if there is not None and _state(life.versions[there].thing) == _state(ours[here]):
            return ours[here:], msgspec.structs.replace(life, versions=life.versions[there:]), True
    first = (ours[0], life.versions[0].thing)
    return ours, life, all(one.created_at == one.recorded_at for one in first)


def _bring(edit: Edit, life: _Life, versions: Sequence[Brought], after: Thing | None, tally: _Tally) -> None:
    tally.begin(edit)
    words = [
        msgspec.structs.replace(one, lexis=derive_lexis(edit, one.thing)) if isinstance(one.thing, Record) else one
        for one in versions
    ]
    edit.apply([Bring(versions=tuple(words), after=after, end=life.end)])
    last = versions[-1].thing
    if isinstance(last, Entity) and life.end is None:
        relink(edit, life.space, names_of(last))


def _state(thing: Thing) -> dict[str, object]:
    """What a version says, whenever and under whichever number it was written.

    What happened, or holds since, when it was told first does not say so itself: of the same import of two machines
    each has a moment of its own.
    """
    state = state_of(thing)
    told = state.pop("created_at", None)
    for name in ("event_time", "valid_from"):
        if told is not None and state.get(name) == told:
            state[name] = None
    if isinstance(thing, Record) and thing.kind in CATALOGUE_KINDS:
        state.pop("event_time")  # when it was read, where it does not tell itself
        state["metadata"] = {name: one for name, one in thing.metadata.items() if name not in _OF_THE_READING}
    return state


def _apart(edit: Edit, here: Thing, there: Thing) -> dict[str, tuple[str, str]]:
    """The fields in which two versions differ, with what each of both says."""
    ours, theirs = _state(here), _state(there)
    return {
        name: (
            _shown(edit, here.space, name, ours[name] or getattr(here, name)),
            _shown(edit, here.space, name, theirs[name] or getattr(there, name)),
        )
        for name in ours
        if ours[name] != theirs[name] and name != "content_hash"
    }


def _shown(edit: Edit, space: str, name: str, value: object) -> str:
    if isinstance(value, str) and name in _ENDS:
        return _named(edit, space, value)
    return _short(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _said(edit: Edit, thing: Thing) -> str:
    if isinstance(thing, Relation):
        ends = (_named(edit, thing.space, id) for id in (thing.subject, thing.object))
        return f" {thing.predicate} ".join(ends)
    return _short(thing.text if isinstance(thing, Record) else thing.name)


def _named(edit: Edit, space: str, id: str) -> str:
    """What an entity is called, as far as it is known here."""
    entity = edit.get(Entity, space, id)
    return id if entity is None else entity.name


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _take_identity(core: Core, space: str, text: str, *, dry_run: bool) -> bool:
    """The identity text comes over unless there is one already. Answers whether it is new."""
    if not text or identity_of(core.store, core.settings.home, space):
        return False
    if not dry_run:
        keep_identity(core.store, space, text)
    return True
