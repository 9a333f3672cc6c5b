"""How is the history of a memory kept from growing for ever?

By default it is kept. Whoever asks for it has what lies before a horizon removed for good: texts that were superseded,
records that were archived, and the entries of the journal that tell of them. What holds now stays, whenever it was
written, and so does whatever something refers to. It is done in many small transactions, so that nobody has to wait;
the first of them says how far history reaches back from then on. A run that was killed is finished by the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import get_args

import msgspec

from recollect.engine.care.lifecycle import RUNS, Maintained, ago, portions, told
from recollect.engine.core import Core, as_one_act, let_go_among, records_of
from recollect.engine.read.acts import UNDONE
from recollect.engine.settle import note_traces, scrub
from recollect.store.base import Edit, View
from recollect.store.ops import Historic, Note, PutMessages, Thin, ThinningRule
from recollect.types import Filter, Message

_AT_ONCE: dict[Historic, int] = {"record": 60, "entity": 200, "relation": 200, "entry": 500}
"""Versions or entries of a transaction: 10 to 20 ms of work."""


@as_one_act
def thin(
    core: Core,
    space: str,
    *,
    older_than: timedelta,
    dry_run: bool,
    cancelled: Callable[[], bool] = lambda: False,
) -> Maintained:
    """Removes for good what a space has not held for so long, and what the journal says of it."""
    began, until = time.monotonic(), ago(core.clock(), older_than)
    due = {of: _due(core, space, until, of) for of in get_args(Historic)}
    count = sum(len(numbers) for of, numbers in due.items() if of != "entry")
    if dry_run or not any(due.values()):
        return told(space, "thin", count, None, began, dry_run=dry_run)
    with core.store.write(actor=core.actor) as edit:
        edit.apply([Thin(space=space, until=until, of="entry")])
        run = edit.apply([Note(space=space, verb="thin", reason=f"history up to {until:%Y-%m-%d %H:%M} UTC")])[0].entry
        note_traces(edit)
    done = sum(_thin(core, space, until, of, due[of], cancelled) for of in due if of != "entry")
    _thin(core, space, until, "entry", _due(core, space, until, "entry"), cancelled)
    scrub(core)
    return told(space, "thin", done, run, began, dry_run=False)


def _due(core: Core, space: str, until: datetime, of: Historic) -> tuple[int, ...]:
    with core.store.read() as view:
        return view.due(space, ThinningRule(until=until, of=of)).versions


def _thin(
    core: Core, space: str, until: datetime, of: Historic, numbers: tuple[int, ...], cancelled: Callable[[], bool]
) -> int:
    count = 0
    for portion in portions(len(numbers), _AT_ONCE[of]):
        if cancelled():
            break
        with core.store.write(actor=core.actor) as edit:
            lists = _ending_lists(edit, space, numbers[portion]) if of == "record" else {}
            done = edit.apply([Thin(space=space, until=until, of=of, numbers=numbers[portion])])[0]
            _keep_places(edit, space, lists)
            edit.keep(RUNS, dict.fromkeys(map(str, done.entries)), space=space)
            edit.keep(UNDONE, dict.fromkeys(map(str, done.entries)), space=space)
        count += done.count
    return count


def _ending_lists(view: View, space: str, versions: tuple[int, ...]) -> dict[str, list[Message]]:
    """The lists of those sessions of some old versions in which nothing holds any more."""
    sessions = {one.session for one in records_of(view, versions) if one.session is not None}
    over = [
        session for session in sorted(sessions)
        if not view.select(int, Filter(spaces=(space,), sessions=(session,), valid_only=False), limit=1)
    ]  # fmt: skip
    lists = {session: view.select(Message, Filter(spaces=(space,), sessions=(session,))) for session in over}
    return {session: listed for session, listed in lists.items() if listed}


def _keep_places(edit: Edit, space: str, lists: Mapping[str, Sequence[Message]]) -> None:
    """A list goes with the last message that is left of it; where one was forgotten or evicted, which is known again by
    its place and its moment alone, it stays.
    """
    for session, listed in lists.items():
        if edit.select(Message, Filter(spaces=(space,), sessions=(session,))):
            continue
        if let_go_among(edit, space, "record", [one.id for one in listed]):
            nobody = tuple(msgspec.structs.replace(one, role=None) for one in listed)
            edit.apply([PutMessages(space=space, session=session, messages=nobody)])
