"""What is here already of what a program tells again, and which of both is later?

A memory is known again by its id, or by one that it had before. Some programs keep no ids for the parts of a whole (the
observations of a note, the paragraphs of a page): of such a whole it is noted what came of it, and a part that is
new there and much like one that is no longer there is that one, edited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher

import msgspec
from msgspec import Struct

from recollect.engine.core import let_go_among
from recollect.engine.write.remember import content_hash
from recollect.ingest.elsewhere.found import Note, key_of, time_of
from recollect.store.base import Edit, Shelf, View
from recollect.types import HIDDEN_STATUSES, Draft, Filter, Record

CHANGED = "updated_at"
"""Under which name of the metadata it is kept when a program says that it changed a memory last."""
_SAID = ("text", "title", "tags", "kind", "memory_type", "project", "room", "user", "source")
_ALIKE = 0.6
_MOST_COMPARED = 2_500
_MOST_GONE = 1_000


class Whole(Struct, frozen=True):
    """What came of something that its program tells as a whole, what is no longer in it, and as of when."""

    ids: tuple[str, ...]
    gone: tuple[str, ...] = ()
    at: datetime | None = None


WHOLES = Shelf("wholes", Whole)
TOLD_AS = Shelf("told as", str)
"""Which record says what something was about that came, by the id that it would have had, or by what it is known in
whichever file it stands: somebody may forget that record."""


class Met(Struct):
    """What is here of some notes, by their places among them."""

    here: dict[int, Record]
    older: set[int]
    """Those of a whole that is here as it was later."""
    gone: list[Record]
    """What is no longer in its whole, or was replaced there."""
    wholes: dict[str, Whole]
    parts: dict[str, list[int]]


def meet(edit: Edit, space: str, origin: str, notes: Sequence[tuple[Note, Draft]]) -> Met:
    """Finds what is here of some notes; of a whole all are among them."""
    found = Met({}, set(), [], {}, {})
    former = [[f"{origin}:{key}"[:200] for key in note.formerly] for note, _ in notes]
    ids = [draft.id or "" for _, draft in notes]
    held = _held(edit, space, [*ids, *(id for some in former for id in some)])
    for place, (note, _) in enumerate(notes):
        earlier = [held[id] for id in former[place] if id in held]
        if ids[place] in held:
            found.here[place] = held[ids[place]]
            found.gone += [one for one in earlier if one.status not in HIDDEN_STATUSES]
        elif earlier:
            found.here[place] = earlier[0]
        if note.whole is not None:
            found.parts.setdefault(f"{origin}:{key_of(note.whole)}", []).append(place)
    known = edit.kept(WHOLES, space=space, keys=list(found.parts)) if found.parts else {}
    for key, places in found.parts.items():
        whole = known.get(key) or _as_before(edit, space, origin, [(ids[one], notes[one][1]) for one in places], held)
        _meet_whole(edit, space, found, key, whole, {place: notes[place][1] for place in places})
    return found


def note_wholes(edit: Edit, space: str, met: Met, ids: Mapping[int, str]) -> None:
    """Writes down what there is of each whole from now on: `ids` are those of its parts, by their places."""
    kept = {
        key: msgspec.structs.replace(whole, ids=tuple(ids[place] for place in met.parts[key] if place in ids))
        for key, whole in met.wholes.items()
    }
    known = edit.kept(WHOLES, space=space, keys=list(kept)) if kept else {}
    if changed := {key: whole for key, whole in kept.items() if known.get(key) != whole}:
        edit.keep(WHOLES, changed, space=space)


def let_go(view: View, space: str, origin: str, notes: Sequence[tuple[Note, Draft]]) -> dict[str, str]:
    """The ids of those notes of which what came was forgotten or evicted here, each with the id that it had."""
    keys = {draft.id or "": _keys_of(origin, note, draft) for note, draft in notes}
    asked = list(dict.fromkeys(key for some in keys.values() for key in some))
    told = view.kept(TOLD_AS, space=space, keys=asked) if asked else {}
    gone = let_go_among(view, space, "record", [*keys, *told.values()])
    found = {id: id if id in gone else next((told[key] for key in some if told.get(key) in gone), "")
             for id, some in keys.items()}  # fmt: skip
    there = _held(view, space, [id for id, was in found.items() if was and was != id])
    return {id: was for id, was in found.items() if was and id not in there}


def _keys_of(origin: str, note: Note, draft: Draft) -> list[str]:
    return [draft.id or "", *([f"{origin}:{note.wherever}"] if note.wherever else [])]


def note_told_as(
    edit: Edit, space: str, origin: str, notes: Sequence[tuple[Note, Draft]], here: Mapping[int, str]
) -> None:
    """Writes down under which ids that is here which some notes say, by their places, where it is not under theirs."""
    told = {
        key: id for place, id in here.items() if id
        for key in _keys_of(origin, *notes[place]) if key not in ("", id)
    }  # fmt: skip
    known = edit.kept(TOLD_AS, space=space, keys=list(told)) if told else {}
    if changed := {id: other for id, other in told.items() if known.get(id) != other}:
        edit.keep(TOLD_AS, changed, space=space)


def _held(view: View, space: str, ids: Iterable[str]) -> dict[str, Record]:
    asked = tuple(dict.fromkeys(ids))
    if not asked:
        return {}
    return {one.id: one for one in view.select(Record, Filter(spaces=(space,), ids=asked, valid_only=False))}


def _as_before(
    view: View, space: str, origin: str, parts: Sequence[tuple[str, Draft]], held: Mapping[str, Record]
) -> Whole:
    """A whole of which nothing was noted: what is here of its source, where some of it says the same still."""
    if not any(id in held and held[id].text == draft.text for id, draft in parts):
        return Whole(())
    draft = parts[0][1]
    same = Filter(spaces=(space,), sources=(draft.source or "",), valid_only=False)
    mine = [one for one in view.select(Record, same) if one.id.startswith(f"{origin}:")]
    kinds = {one.kind for _, one in parts}
    others = {id for whole in view.kept(WHOLES, space=space).values() for id in whole.ids}
    known = (one.id for one in mine if one.project == draft.project and one.kind in kinds)
    return Whole(tuple(id for id in known if id not in others))


def _meet_whole(edit: Edit, space: str, found: Met, key: str, whole: Whole, drafts: Mapping[int, Draft]) -> None:
    meant = {place: found.here.pop(place) for place in drafts if place in found.here}
    mine = _held(edit, space, whole.ids) | {one.id: one for one in meant.values()}
    there = [one for one in mine.values() if one.status not in HIDDEN_STATUSES]
    new = dict(drafts)
    for place, draft in drafts.items():
        same = next((one for one in (meant.get(place), *there) if one is not None and one.text == draft.text), None)
        if same is not None:
            found.here[place] = same
            there = [one for one in there if one is not same]
            del new[place]
    at = max((moment for draft in drafts.values() if (moment := changed_at(draft))), default=None)
    before = [*whole.ids, *whole.gone]
    if whole.at is not None and at is not None and at != whole.at:
        older = at < whole.at
    else:  # nothing tells, but whether all of it was here before
        texts = _texts_of(edit, space, before) if new and before else set[str]()
        older = bool(texts) and all(content_hash(draft.text) in texts for draft in new.values())
    if older and (new or there):
        found.older |= set(new)
        return
    by_id = {place: meant[place] for place in new if place in meant and meant[place] in there}
    rest = [one for one in there if one not in by_id.values()]
    found.here |= by_id | _pairs({place: draft for place, draft in new.items() if place not in by_id}, rest)
    kept = {one.id for one in found.here.values()}
    there = [one for one in there if one.id not in kept]
    found.gone += there
    gone = tuple(dict.fromkeys([*whole.gone, *(one.id for one in there)]))[-_MOST_GONE:]
    found.wholes[key] = Whole((), gone, at or whole.at)


def _texts_of(view: View, space: str, ids: Sequence[str]) -> set[str]:
    """The hashes of all texts that some records ever had."""
    past = view.select(Record, Filter(spaces=(space,), ids=tuple(ids), past=True, valid_only=False))
    return {one.content_hash for one in past}


def _pairs(new: Mapping[int, Draft], there: Sequence[Record]) -> dict[int, Record]:
    """Which of some texts that are new is which of some that are no longer there: those that are most alike first."""
    if len(new) * len(there) > _MOST_COMPARED:
        return {}
    likely = sorted(
        ((share, -place, -number) for place, draft in new.items() for number, one in enumerate(there)
         if draft.kind == one.kind and (share := _likeness(draft, one)) >= _ALIKE),
        reverse=True,
    )  # fmt: skip
    found: dict[int, int] = {}
    for _, place, number in likely:
        if -place not in found and -number not in found.values():
            found[-place] = -number
    return {place: there[number] for place, number in found.items()}


def _likeness(draft: Draft, record: Record) -> float:
    texts = [one.text.removeprefix(f"{one.title}: ") for one in (draft, record)]
    compared = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    return compared.ratio() if compared.real_quick_ratio() >= _ALIKE <= compared.quick_ratio() else 0.0


def says_the_same(there: Draft, here: Record | Draft) -> bool:
    """Do both say the same, whenever that was?"""
    return all(getattr(there, name) == getattr(here, name) for name in _SAID) and _told(there) == _told(here)


def _told(one: Draft | Record) -> dict[str, object]:
    return {name: value for name, value in one.metadata.items() if name != CHANGED}


def changed_at(one: Draft | Record) -> datetime | None:
    """When its program says that it was changed last."""
    return time_of(one.metadata, CHANGED)


def is_later(view: View, there: Draft, here: Record) -> bool:
    """Was it changed there after what came of it? Where the program does not tell, what was never here is later."""
    before, after = (changed_at(one) or one.event_time for one in (here, there))
    if before is not None and after is not None and before != after:
        return before < after
    past = view.select(Record, Filter(spaces=(here.space,), ids=(here.id,), past=True, valid_only=False))
    return not any(says_the_same(there, one) for one in past)
