"""How is what is derived made anew?"""

from __future__ import annotations

import threading
from collections.abc import Callable

from recollect.engine.core import Core
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.write.remember import LEXIS_VERSION, derive_lexis
from recollect.errors import StoreBusy
from recollect.store.base import INDEX, UNFINISHED, Edit, Lexis, View
from recollect.types import Record

Progress = Callable[[str, int, int], None]

_LEXIS = "lexis"
_STEP = 500  # versions


def freshen(core: Core) -> bool:
    """Makes some of the keyword index by today's rules, where it is not. Answers whether all of it is.

    Until then the index that is there answers; each step goes on where the last one ended, whichever process made it.
    """
    with core.store.read() as view:
        rules = view.kept(INDEX)
        if UNFINISHED in rules:
            raise StoreBusy(
                f"{core.store.site.location} is being filled by `recollect move`; if that was ended, run it again"
            )
        if rules.get(_LEXIS, 0) >= LEXIS_VERSION or core.store.site.limited:  # the owner's processes make it
            return True
    with core.store.write(actor=core.actor) as edit:
        if is_fresh(edit):  # another process has done it meanwhile
            return True
        if not edit.spaces():  # a new store: there is nothing in it that other rules could have been for
            edit.keep(INDEX, {_LEXIS: LEXIS_VERSION})
            return True
        done, total = _step(edit)
    return done == total


def freshen_all(core: Core, stop: threading.Event) -> None:
    """The same to the end, in steps between which others can write."""
    while not stop.is_set() and not freshen(core):
        pass


def reindex(core: Core, semantics: Semantics, progress: Progress | None) -> int:
    """Makes everything derived anew from what is canonical. Answers how many versions were indexed."""
    vectors = semantics.load()
    done, total = 0, -1
    while done != total:
        with core.store.write(actor=core.actor) as edit:
            done, total = _step(edit, anew=total < 0)
        _report("words", progress)(done, total)
    with core.store.write(actor=core.actor) as edit:
        edit.drop_vectors(None if vectors is None else vectors.embedder.name, renew=True)
    if vectors is not None:
        vectors.catch_up(progress=_report("vectors", progress))
    return done


def make_words(edit: Edit) -> None:
    """Makes the whole keyword index within one transaction, of a store that was just filled."""
    done, total = _step(edit, anew=True)
    while done != total:
        done, total = _step(edit)


def is_fresh(view: View) -> bool:
    """Was the keyword index made by today's rules?"""
    return view.kept(INDEX, keys=[_LEXIS]).get(_LEXIS, 0) >= LEXIS_VERSION


def _step(edit: Edit, *, anew: bool = False) -> tuple[int, int]:
    def derive(record: Record) -> Lexis:
        return derive_lexis(edit, record)

    done, total = edit.rebuild(derive, LEXIS_VERSION, _STEP, anew=anew)
    if done == total:
        edit.keep(INDEX, {_LEXIS: LEXIS_VERSION})
    return done, total


def _report(stage: str, progress: Progress | None) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(stage, done, total)

    return report
