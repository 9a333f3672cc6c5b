"""What can a client show of a memory, where it shows apps, beside what a model reads?

An app is a document at a `ui://` address, which a client puts beside what a tool answered (MCP Apps). It reaches
nobody: it speaks with the client, which calls tools for it. Whoever shows no apps is not told of them. What a person
does by hand in an app has tools of its own, which clients show to no model.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from recollect.contracts.tool import APP_TYPE, UI, Annotations, Call, Contract, Resource, Tool, view
from recollect.engine.care.inbox import Matter, Pile, Settled, Waiting, Word, inbox, settle
from recollect.errors import InvalidInput

_FOLDER = Path(__file__).with_name("ui")
_ADDRESS = "ui://recollect/"
_MOST = 10  # matters of one pile


class InboxParams(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What waits, in all spaces or in one; or, with a key, what is to become of one of these."""

    space: str | None = None
    key: str | None = None
    answer: Word | None = None
    keep: str | None = None


class SettleParams(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person wants to become of something that waits."""

    key: str
    answer: Word
    keep: str | None = None
    space: str | None = None


class UndoParams(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Entries of the journal that are to be taken back."""

    entries: Annotated[tuple[int, ...], Meta(min_length=1, max_length=200)]


class Undone(Struct, frozen=True, kw_only=True):
    """The entries that took others back."""

    entries: tuple[int, ...]


class Waits(Struct, omit_defaults=True, kw_only=True):
    """A record that waits, as it is read."""

    id: str
    text: str
    date: datetime
    kind: str = "memory"
    project: str | None = None
    source: str | None = None


class MatterView(Struct, kw_only=True):
    key: str
    space: str
    note: str
    records: list[Waits]


class PileView(Struct, kw_only=True):
    pile: Pile
    count: int
    answers: tuple[Word, ...]
    matters: list[MatterView]
    unseen: int = 0


class Inbox(Struct, kw_only=True):
    piles: list[PileView]


def show_inbox(params: InboxParams, call: Call) -> Inbox | Settled:
    core, space = call.memory.core, params.space
    if params.key is not None:
        if params.answer is None:
            raise InvalidInput("answer", "is required with key; each pile lists its answers")
        return settle(core, params.key, params.answer, space=space, keep=params.keep)
    if space is not None and not call.memory.has_space(space):
        return Inbox(piles=[])
    return Inbox(piles=[_pile(one) for one in inbox(core, space, limit=_MOST)])


def settle_by_hand(params: SettleParams, call: Call) -> Settled:
    return settle(
        call.memory.core, params.key, params.answer, space=params.space, keep=params.keep, by_hand=True
    )  # fmt: skip


def undo(params: UndoParams, call: Call) -> Undone:
    """The newest first, so that what was built upon something goes before it."""
    done = [call.memory.undo(entry) for entry in sorted(params.entries, reverse=True)]
    return Undone(entries=tuple(entry for one in done for entry in one.entries))


def _pile(pile: Waiting) -> PileView:
    return view(PileView, pile, matters=[_matter(one) for one in pile.matters])


def _matter(matter: Matter) -> MatterView:
    records = [view(Waits, one, date=one.event_time) for one in matter.records]
    return view(MatterView, matter, space=matter.records[0].space, records=records)


INBOX = Tool(
    "inbox", "What waits for a person's word (proposals, doubts, duplicates, stale facts, secrets); with key and"
    " answer: what becomes of one of these. Show it when somebody wants to tidy up.", InboxParams, show_inbox,
    Annotations(),
)  # fmt: skip


_BY_HAND = {"ui": {"visibility": ["app"]}}
SETTLE = Tool(
    "settle", "What a person answered in an app to something that waits.", SettleParams, settle_by_hand, Annotations(),
    meta=_BY_HAND,
)  # fmt: skip
UNDO = Tool(
    "undo", "Takes back what a person just did in an app.", UndoParams, undo, Annotations(), meta=_BY_HAND,
)  # fmt: skip


def with_apps(contract: Contract) -> Contract:
    """The same table for clients that show apps: recall has one, and there is an inbox."""
    shown = {"recall": "recall", INBOX.name: "inbox"}
    tools = (*contract.tools, INBOX)
    return msgspec.structs.replace(
        contract,
        tools=(
            *(
                msgspec.structs.replace(tool, meta={"ui": {"resourceUri": _ADDRESS + shown[tool.name]}})
                if tool.name in shown
                else tool
                for tool in tools
            ),
            SETTLE,
            UNDO,
        ),
        resources=(*contract.resources, _app("recall", "Recall"), _app("inbox", "Inbox")),
        extensions={UI: {}},
        apps=None,
    )


def _app(name: str, title: str) -> Resource:
    return Resource(
        uri=_ADDRESS + name, name=f"{name}-app", title=title, mime_type=APP_TYPE, read=lambda _: _document(name)
    )


@cache
def _document(name: str) -> str:
    """The document as a whole: nothing in it is fetched from anywhere."""
    style, script = ((_FOLDER / part).read_text("utf-8") for part in ("app.css", "app.js"))
    document = (_FOLDER / f"{name}.html").read_text("utf-8")
    styled = document.replace("<!-- style -->", f"<style>\n{style}</style>")
    return styled.replace("<!-- script -->", f"<script>\n{script}</script>")
