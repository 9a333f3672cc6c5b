"""How is something that is asked for twice done once?

Whoever asks for a change may name it by a key. What was answered is kept under that key in the transaction that makes
the change: who lost the answer asks again with the same key and gets it, and nothing is done a second time. Work in
several transactions, which is the same however often it is done, keeps its answer after the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TypeVar, cast, get_type_hints

import msgspec
from msgspec import Raw, Struct

from recollect.engine.core import Core, space_of, taking, try_again
from recollect.engine.parse import parse_label
from recollect.errors import Conflict
from recollect.store.base import Edit, Shelf, View
from recollect.types import Entity, Relation, Space

T = TypeVar("T")

KEY = "idempotency_key"
"""What the key is called where it is an argument."""
KEPT_FOR = timedelta(days=7)
_PATIENCE = 10.0
"""Seconds that a call waits for the same one, which another process may be at: one that is about to end, perhaps."""


class _Age(Struct, frozen=True):
    """When an answer was kept."""

    at: datetime


class _Answered(_Age, frozen=True):
    """An answer, and what it was asked for; neither, where something was forgotten since."""

    asked: str | None = None
    answer: Raw = Raw(b"null")


ANSWERS, _AGES = Shelf("answers", _Answered), Shelf("answers", _Age)


def do_once(core: Core, key: object, asked: bytes, act: Callable[[], bytes], *, in_steps: bool = False) -> bytes:
    """What `act` answers (as JSON), or answered before to the same key.

    `asked` is all that the answer depends on: a key that was used for something else is refused. Unless it works
    `in_steps`, everything that `act` reads and writes in this thread becomes one transaction.
    """
    label, print_ = parse_label(key, KEY), blake2b(asked, digest_size=16).hexdigest()
    if core.client:
        label = f"{core.client}\n{label}"  # what one client is answered, no other is; a key has one line
    if in_steps:
        with taking(core, f"what was asked for with {KEY} {key!r}", "once", label, patience=_PATIENCE):
            return _known(core, label, print_) or _keep(core, label, print_, act())

    def act_once() -> bytes:
        with core.store.joined():
            return _known(core, label, print_) or _keep(core, label, print_, act())

    return try_again(act_once)


_IN_STEPS = (
    "ingest_file", "ingest_folder", "ingest_project", "ingest_repo", "ingest_transcript", "ingest_url", "index_project",
    "import_agentos", "import_trusty_memory", "delete_project", "clear_space", "dream", "summarize", "compact_session",
    "reindex", "embed_waiting", "backup", "compact",
)  # fmt: skip
"""Methods that read files or pages, ask a model, wait for other threads, or take several transactions."""


def once(core: Core, key: object, act: Callable[..., T], args: Sequence[object], kwargs: Mapping[str, object]) -> T:
    """The same for a method of a memory and its arguments. What it answers is of the type that it declares."""
    name, answered = act.__name__, get_type_hints(act)["return"]
    asked = msgspec.json.encode([name, args, kwargs], enc_hook=repr, order="deterministic")
    written = do_once(
        core, key, asked, lambda: msgspec.json.encode(_named(act(*args, **kwargs))), in_steps=name in _IN_STEPS
    )
    if answered not in (Entity, Relation, Space):
        return msgspec.json.decode(written, type=answered)
    named = msgspec.json.decode(written, type=_Named)
    with core.store.read() as view:
        found = (
            view.get(cast("type[Entity]", answered), named.space, named.id, version=named.version)
            if answered is not Space
            else space_of(view, named.space)
        )
    if found is None:
        raise Conflict(f"what was done with {KEY} {key!r} is gone since")
    return cast("T", found)


class _Named(Struct, frozen=True):
    """What can be read again, so that only its name is kept."""

    space: str
    id: str = ""
    version: int = 0


def _named(answer: object) -> object:
    if isinstance(answer, Entity | Relation):
        return _Named(answer.space, answer.id, answer.version)
    return _Named(answer.name) if isinstance(answer, Space) else answer


def _known(core: Core, key: str, asked: str) -> bytes | None:
    with core.store.read() as view:
        found = view.kept(ANSWERS, keys=[key]).get(key)
        if found is None or found.at < view.now - KEPT_FOR:
            return None
    told = key.rpartition("\n")[2]
    if found.asked is None:
        raise Conflict(
            f"what was asked for with {KEY} {told!r} was done; its answer was removed when something was forgotten"
        )
    if found.asked != asked:
        raise Conflict(f"{KEY} {told!r} was used for another call or other arguments; give every change its own key")
    return bytes(found.answer)


def _keep(core: Core, key: str, asked: str, answer: bytes) -> bytes:
    with core.store.write(actor=core.actor) as edit:
        edit.keep(ANSWERS, {key: _Answered(edit.now, asked, Raw(answer))})
    return answer


def drop_answers(edit: Edit) -> None:
    """Something is forgotten in this transaction: no answer may go on saying it. That they were given is kept."""
    edit.keep(ANSWERS, {key: _Answered(found.at) for key, found in edit.kept(_AGES).items()})


def sweep(core: Core) -> None:
    """Takes away what was kept long enough."""
    with core.store.read() as view:
        old = _outlived(view)
    if old:
        with core.store.write(actor=core.actor) as edit:
            edit.keep(ANSWERS, dict.fromkeys(_outlived(edit)))


def _outlived(view: View) -> list[str]:
    return [key for key, found in view.kept(_AGES).items() if found.at < view.now - KEPT_FOR]
