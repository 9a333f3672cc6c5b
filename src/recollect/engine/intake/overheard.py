"""What becomes of a candidate that was only overheard?

It rises when the same is said again in another session, when it is recalled, and when a session that was shown it made
use of it; it fades while nothing of that happens. What has risen enough becomes active, what has faded enough is
archived, both with the reason in the journal, where they can be undone. What contradicts something known only a person
can make active. Who said and used it stands on a shelf.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.core import Core
from recollect.engine.write.remember import put_of
from recollect.store.base import Edit, Shelf
from recollect.store.terms import query_terms
from recollect.types import Filter, Record

CONFIDENCE = 0.6
"""What a sentence counts for that was overheard once."""
_RISEN, _FADED = 0.75, 0.35
_SAID_AGAIN, _RECALLED, _USED, _IDLE_WEEK = 0.15, 0.1, 0.15, 0.05
_MOST_RECALLS = 3
_WEEK = timedelta(days=7)
_EVERY = timedelta(hours=20)
_REPEATS = 0.7  # of a candidate's words, for an answer to have made use of it


class Heard(Struct, frozen=True, kw_only=True):
    """In which sessions something was said, and in which it was of use; when it last was either."""

    at: datetime
    said: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


_HEARD = Shelf("overheard", Heard)
_SETTLED = Shelf("overheard-settled", datetime)
_ONLY = "all"


def begin(edit: Edit, space: str, id: str, session: str) -> None:
    """A candidate was overheard for the first time."""
    edit.keep(_HEARD, {id: Heard(at=edit.now, said=(session,))}, space=space)


def confirm(edit: Edit, space: str, ids: Iterable[str], session: str) -> None:
    """The same was said again: that counts once for each session."""
    for id, heard in edit.kept(_HEARD, space=space, keys=list(ids)).items():
        if session not in heard.said:
            edit.keep(_HEARD, {id: replace(heard, at=edit.now, said=(*heard.said, session))}, space=space)


def note_use(edit: Edit, space: str, shown: Iterable[str], session: str, answers: Iterable[str]) -> None:
    """Of what a session was shown, answers that cite a candidate, or say most of its words, made use of it."""
    known = edit.kept(_HEARD, space=space, keys=list(shown))
    if not known:
        return
    texts = list(answers)
    said = [frozenset(query_terms(text)) for text in texts]
    for record in edit.select(Record, Filter(spaces=(space,), ids=tuple(known))):
        words = frozenset(query_terms(record.text))
        repeated = any(len(words & some) >= _REPEATS * len(words) for some in said)
        if session not in known[record.id].used and (repeated or any(f"[{record.id}]" in text for text in texts)):
            heard = known[record.id]
            edit.keep(_HEARD, {record.id: replace(heard, at=edit.now, used=(*heard.used, session))}, space=space)


def standing(record: Record, heard: Heard, now: datetime) -> float:
    """How much a candidate counts for."""
    last = max(moment for moment in (heard.at, record.last_access) if moment is not None)
    gained = (
        _SAID_AGAIN * (len(heard.said) - 1)
        + _RECALLED * min(record.access_count, _MOST_RECALLS)
        + _USED * len(heard.used)
    )
    return min(max(CONFIDENCE + gained - _IDLE_WEEK * ((now - last) // _WEEK), 0.0), 0.95)


def settle(core: Core, space: str, *, now_and_then: bool = True) -> list[str]:
    """Lets the candidates of a space rise and fade; once a day is enough. Answers with those that changed."""
    with core.store.read() as view:
        known = view.kept(_HEARD, space=space)
        before = view.kept(_SETTLED, space=space, keys=[_ONLY]).get(_ONLY)
    if not known or (now_and_then and before is not None and core.clock() - before < _EVERY):
        return []
    with core.store.write(actor=core.actor) as edit:
        edit.keep(_SETTLED, {_ONLY: edit.now}, space=space)
        held = Filter(spaces=(space,), ids=tuple(known), statuses=("candidate",))
        found = {record.id: record for record in edit.select(Record, held)}
        edit.keep(_HEARD, {id: None for id in known if id not in found}, space=space)  # somebody has decided
        return [id for id, record in found.items() if _judge(edit, record, known[id])]


def _judge(edit: Edit, record: Record, heard: Heard) -> bool:
    value = round(standing(record, heard, edit.now), 2)
    told = f"said in {len(heard.said)}, recalled {record.access_count} times, of use in {len(heard.used)} sessions"
    if value >= _RISEN and "differs_from" not in record.metadata:
        new, verb, reason = replace(record, status="active", confidence=value), "promote", f"it has risen: {told}"
    elif value <= _FADED:
        new, verb, reason = replace(record, status="archived", confidence=value), "archive", f"it has faded: {told}"
    elif abs(value - record.confidence) >= _IDLE_WEEK - 0.001:
        new, verb, reason = replace(record, confidence=value), "revise", told
    else:
        return False
    edit.apply([put_of(edit, new, verb, record, reason=reason)])
    if new.status != record.status:
        edit.keep(_HEARD, {record.id: None}, space=record.space)
    return True
