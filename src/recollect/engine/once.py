"""How is something that is asked for twice done once?

Whoever asks for a change may name it by a key. What was answered is kept under that key in the transaction that makes
the change: who lost the answer asks again with the same key and gets it, and nothing is done a second time. Work in
several transactions, which is the same however often it is done, keeps its answer after the last of them.

What is erased later is taken out of them (`erased.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar, cast, get_type_hints

import msgspec
from msgspec import Raw, Struct

from recollect.engine.core import Core, joined, space_of, taking, try_again
from recollect.engine.parse import parse_label
from recollect.errors import Conflict
from recollect.forms import decode
from recollect.ingest.secrets import drop_private, mask_secrets
from recollect.store.base import Changes, Shelf, View
from recollect.types import Entity, Json, Relation, Space

T = TypeVar("T")

KEY = "idempotency_key"
"""What the key is called where it is an argument."""
KEPT_FOR = timedelta(days=7)
_PATIENCE = 10.0
"""Seconds that a call waits for the same one, which another process may be at: one that is about to end, perhaps."""


class _Age(Struct, frozen=True):
    """When an answer was kept."""

    at: datetime


class Answered(_Age, frozen=True, omit_defaults=True):
    """An answer, and a hash of what it was asked for ("" is not compared). Neither, where the answer was removed.

    It tells of the entries after `since` up to `until`. Under the number of an entry stands the key `of` its answer.
    """

    asked: str | None = None
    answer: Raw = Raw(b"null")
    since: int = 0
    until: int = 0
    of: str | None = None


ANSWERS, _AGES = Shelf("answers", Answered), Shelf("answers", _Age)
LOOSE = Shelf("loose answers", bool)
"""Keys of answers that are looked at whatever is erased: they quote, tell of many entries, or (True) of none."""
_FEW = 8  # entries
LISTED = ""
"""Stands among them once no answer of an earlier release is left, of which nobody knows what it says."""
FORGOTTEN = "[forgotten]"
_NAMING = re.compile(
    r"(?:.*_)?(?:ids?|keys?|status|outcome|types?|kinds?|space|palace|collection|project|role|mode|protocol|verb|pile"
    r"|removed|rewritten|contested|masked)|.*Ids?|mimeType"
)
"""Under such names one word is an id or a choice of ours, and no quotation."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)")


def do_once(core: Core, key: object, asked: bytes, act: Callable[[], bytes], *, in_steps: bool = False) -> bytes:
    """What `act` answers (as JSON), or answered before to the same key.

    `asked` is all that the answer depends on: a key that was used for something else is refused. Unless it works
    `in_steps`, everything that `act` reads and writes in this thread becomes one transaction.
    """
    label, print_ = parse_label(key, KEY), _print(asked)
    if core.client:
        label = f"{core.client}\n{label}"  # what one client is answered, no other is; a key has one line
    if in_steps:
        with taking(core, f"what was asked for with {KEY} {key!r}", "once", label, patience=_PATIENCE):
            known, last = _known(core, label, print_)
            return known or _keep(core, label, print_, last, act())

    def act_once() -> bytes:
        with joined(core):
            known, last = _known(core, label, print_)
            return known or _keep(core, label, print_, last, act())

    return try_again(act_once)


_IN_STEPS = (
    "ingest_file", "ingest_folder", "ingest_project", "ingest_repo", "ingest_transcript", "ingest_url", "index_project",
    "delete_project", "clear_space", "dream", "summarize", "reindex", "embed_waiting", "backup", "compact",
)  # fmt: skip
"""Methods that read files or pages, ask a model, wait for other threads, or take several transactions."""


def once(core: Core, key: object, act: Callable[..., T], args: Sequence[object], kwargs: Mapping[str, object]) -> T:
    """The same for a method of a memory and its arguments. What it answers is of the type that it declares."""
    name, answered = act.__name__, _answer_of(getattr(act, "__func__", act))
    asked = msgspec.json.encode([name, args, kwargs], enc_hook=repr, order="deterministic")
    written = do_once(
        core, key, asked, lambda: msgspec.json.encode(_named(act(*args, **kwargs))), in_steps=name in _IN_STEPS
    )
    if answered not in (Entity, Relation, Space):
        try:
            return decode(written, answered)
        except msgspec.ValidationError as error:
            raise Conflict(_removed(str(key))) from error
    named = decode(written, _Named)
    with core.store.read() as view:
        found = (
            view.get(cast("type[Entity]", answered), named.space, named.id, version=named.version)
            if answered is not Space
            else space_of(view, named.space)
        )
    if found is None:
        raise Conflict(f"what was done with {KEY} {key!r} is gone since")
    return cast("T", found)


@lru_cache(128)
def _answer_of(act: Callable[..., object]) -> Any:
    """The type of what a function answers, as it declares it."""
    return get_type_hints(act)["return"]


class _Named(Struct, frozen=True):
    """What can be read again, so that only its name is kept."""

    space: str
    id: str = ""
    version: int = 0


def _named(answer: object) -> object:
    if isinstance(answer, Entity | Relation):
        return _Named(answer.space, answer.id, answer.version)
    return _Named(answer.name) if isinstance(answer, Space) else answer


def _known(core: Core, key: str, asked: str) -> tuple[bytes | None, int]:
    """What was answered to a key, and the last entry that there is."""
    with core.store.read() as view:
        kept, last = view.together(lambda: view.kept(ANSWERS, keys=[key]), lambda: _last_entry(view))
        found = kept.get(key)
        if found is None or found.at < view.now - KEPT_FOR:
            return None, last
    told = key.rpartition("\n")[2]
    if found.asked is None:
        raise Conflict(_removed(told))
    if found.asked not in (asked, ""):
        raise Conflict(f"{KEY} {told!r} was used for another call or other arguments; give every change its own key")
    return bytes(found.answer), last


def _removed(key: str) -> str:
    return f"what was asked for with {KEY} {key!r} was done; its answer was removed with what was forgotten since"


def _print(asked: bytes) -> str:
    """A hash of what was asked for, but for secrets and what is private: by it they could be guessed."""
    text = asked.decode("utf-8", "replace").replace('\\"', '"').replace("\\n", "\n")
    kept = mask_secrets(drop_private(text))[0]
    return blake2b(kept.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _keep(core: Core, key: str, asked: str, since: int, answer: bytes) -> bytes:
    with core.store.write(actor=core.actor) as edit:
        told = [change.entry for change in edit.journal(Changes(after=since), limit=_FEW + 1)]
        until = _last_entry(edit) if len(told) > _FEW else max(told, default=since)
        told = told if len(told) <= _FEW else []
        kept = {key: Answered(edit.now, asked, Raw(answer), since, until)}
        edit.keep(ANSWERS, kept | {key_of(entry): Answered(edit.now, of=key) for entry in told})
        if not told or _speaks(msgspec.json.decode(answer)):
            edit.keep(LOOSE, {key: since == until})
    return answer


def _last_entry(view: View) -> int:
    return max((change.entry for change in view.journal(newest_first=True, limit=1)), default=0)


def key_of(entry: int) -> str:
    """The key that stands for an entry; that of an answer does not begin with the end of a line."""
    return f"\n{entry}"


def replaced(value: Json, is_meant: Callable[[str, str], bool], name: str = "") -> Json:
    """A value with a mark in the place of some texts, also where one is JSON itself; the same where there is none."""
    if isinstance(value, str):
        if (within := json_in(value)) is not None:
            left = replaced(within, is_meant, name)
            return value if left is within else msgspec.json.encode(left).decode()
        return FORGOTTEN if is_meant(value, name) else value
    if isinstance(value, Mapping):
        new = {key: replaced(one, is_meant, key) for key, one in value.items()}
        return value if all(new[key] is one for key, one in value.items()) else new
    if isinstance(value, list):
        items = [replaced(one, is_meant, name) for one in value]
        return value if all(one is before for one, before in zip(items, value, strict=True)) else items
    return value


def json_in(text: str) -> Json:
    """What a text says as JSON, where that is an object or a list."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def may_quote(text: str, name: str) -> bool:
    """Is this more than an id, a choice of ours or a time?"""
    words = len(text.split())
    return words > 1 or (words == 1 and not _NAMING.fullmatch(name) and not _TIME.fullmatch(text))


def _speaks(answer: Json) -> bool:
    """Does an answer hold any text that may quote something?"""
    return replaced(answer, may_quote) is not answer


def sweep(core: Core) -> None:
    """Takes away what was kept long enough."""
    with core.store.read() as view:
        old = _outlived(view)
    if old:
        with core.store.write(actor=core.actor) as edit:
            old = _outlived(edit)
            edit.keep(ANSWERS, dict.fromkeys(old))
            edit.keep(LOOSE, dict.fromkeys(old))


def _outlived(view: View) -> list[str]:
    return [key for key, found in view.kept(_AGES).items() if found.at < view.now - KEPT_FOR]
