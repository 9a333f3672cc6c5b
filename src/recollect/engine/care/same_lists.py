"""How does the list of a session come from another memory?

Records that come stand at the end of the lists of their sessions. A session that had no list here before gets the one
that it has there: in its order, with what was said again, a summary in the place of messages, and the places of what
was forgotten there. What did not come is not listed.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from msgspec import Struct

from recollect.engine.care.whereabouts import Whereabouts
from recollect.engine.core import Core, forgotten_among
from recollect.engine.write.sessions import put_messages
from recollect.store.base import Edit
from recollect.types import Filter, Message

_MOST = 10_000_000


class _Named(Struct, frozen=True):
    id: str


def listed(core: Core, spaces: Collection[str]) -> set[tuple[str, str]]:
    """The sessions of some spaces that have a list here."""
    with core.store.read() as view:
        return {
            (space.name, group.key)
            for space in view.spaces(list(spaces))
            for group in view.count(Filter(spaces=(space.name,), valid_only=False), by="list", limit=_MOST)
        }


def take_lists(core: Core, export: Whereabouts, had: Collection[tuple[str, str]]) -> None:
    """Gives sessions their lists, but for those that `had` one before anything came."""
    for space, session, messages in export.lists():
        if (space, session) not in had:
            with core.store.write(actor=core.actor) as edit:
                _take_list(edit, export, space, session, messages)


def _take_list(edit: Edit, export: Whereabouts, space: str, session: str, messages: list[Message]) -> None:
    ids = tuple(dict.fromkeys(one.id for one in messages))
    named = edit.select(_Named, Filter(spaces=(space,), ids=ids, valid_only=False, past=True))
    here = {one.id for one in named}
    gone = forgotten_among(edit, space, "record", [id for id in ids if id not in here])
    come = [
        msgspec.structs.replace(one, role=None) if one.id in gone else one
        for one in messages
        if one.id in here or not export.holds("record", space, one.id)
    ]
    if here and edit.select(Message, Filter(spaces=(space,), sessions=(session,))) != come:
        put_messages(edit, space, session, come)
