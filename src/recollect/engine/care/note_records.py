"""Which records have a file among notes, and which may not come back by one?"""

from __future__ import annotations

from recollect.engine.care.note_pages import LEFT_OUT, NoteFile, hash_of
from recollect.engine.core import forgotten_among, forgotten_under, last_changes, let_go_among, ways_out
from recollect.errors import InvalidInput
from recollect.store.base import Changes, View
from recollect.types import HIDDEN_STATUSES, Filter, Record

VERB = "sync"
_JOURNALLED = 1_000


def visible(view: View, space: str, id: str) -> Record | None:
    """The record, where a list would show it."""
    record = view.get(Record, space, id)
    hidden = record is None or record.status in HIDDEN_STATUSES or record.kind in LEFT_OUT
    return None if hidden else record


def require_not_let_go(view: View, space: str, id: str, file: NoteFile, *, edited: bool = False) -> None:
    """What was forgotten for good, or evicted, does not come back by an old copy of its file. What was evicted while
    somebody `edited` its file does.
    """
    here = view.get(Record, space, id)
    if here is None:
        forgotten = bool(forgotten_among(view, space, "record", [id]))
        evicted = not forgotten and not edited and bool(let_go_among(view, space, "record", [id]))
    elif _is_of_another(view, here, file):
        raise InvalidInput(
            "id",
            f"{id} was forgotten here, and is the id of another note by now: delete this old copy, or give it an id of"
            " its own",
        )
    else:
        return
    if forgotten or evicted:
        was = "forgotten" if forgotten else "evicted"
        way = "" if was == "forgotten" else "take that back by `recollect undo`, "
        raise InvalidInput(
            "id",
            f"{id} was {was} here, and does not come back by a file: {way}delete the file, or take the line with its id"
            " out, and it becomes a new note",
        )


def _is_of_another(view: View, record: Record, file: NoteFile) -> bool:
    """Is a file that of something that was forgotten, under an id that another note has now? Its moment tells."""
    at = file.draft.event_time
    if at is None or at == record.event_time:
        return False
    forgotten = forgotten_under(view, record.space, "record", record.id)
    return forgotten is not None and at <= forgotten


def require_not_undone(view: View, space: str, id: str) -> None:
    """Who takes back that a file became a note means the note: the file is its owner's, and stays."""
    last = last_changes(view, space, "record", [id]).get(id)
    if last is not None and last.after is not None:
        return
    undone = () if last is None or last.undoes is None else view.journal(Changes(entry=last.undoes))
    thinned = (last is None or last.verb == "thin") and ways_out(view, space, "record", [id]).get(id) == "undo"
    if thinned or any(one.verb == VERB and one.before is None for one in undone):
        raise InvalidInput(
            "id",
            f"{id} was read from this file, and that was undone: the file stays. Delete it, or take the line with its"
            " id out, and it becomes a new note",
        )


def has_said(view: View, record: Record, said: str, base: str | None) -> bool:
    """Did a record say just this since it and its file last agreed (`base`)? Then a sync that was ended had written it
    into the file, and could not note that any more; nobody has touched the file since.
    """
    told = view.journal(Changes(space=record.space, object_id=record.id), newest_first=True, limit=_JOURNALLED)
    for change in told:
        was = None if change.after is None else view.get(Record, record.space, record.id, version=change.after)
        hashed = None if was is None else hash_of(was, was.event_time)
        if hashed in (said, base):
            return hashed == said
    return False


def notes_of(view: View, space: str) -> list[Record]:
    found = view.select(Record, Filter(spaces=(space,), without_kinds=LEFT_OUT, valid_only=False))
    return [record for record in found if record.status not in HIDDEN_STATUSES]
