"""How is a memory kept in order?"""

from __future__ import annotations

from collections.abc import Callable

from recollect.engine.core import Core, space_of
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.read.stats import stats_of
from recollect.engine.write.remember import LEXIS_VERSION, derive_lexis
from recollect.store.base import Edit, Lexis
from recollect.store.ops import DropSpace, PutSpace
from recollect.types import Record, SpaceStats

Progress = Callable[[str, int, int], None]


def freshen(core: Core) -> None:
    """Makes the keyword index anew where an older Recollect built it another way; a newer one's is left as it is."""
    with core.store.read() as view:
        if view.lexis_version() >= LEXIS_VERSION:
            return
    with core.store.write(actor=core.actor) as edit:
        if edit.lexis_version() < LEXIS_VERSION:  # another process may have done it meanwhile
            _rebuild(edit, None, vectors=False)


def reindex(core: Core, semantics: Semantics, progress: Progress | None) -> int:
    """Makes everything derived anew from what is canonical. Answers how many versions were indexed."""
    vectors = semantics.load()
    with core.store.write(actor=core.actor) as edit:
        edit.drop_vectors(None if vectors is None else vectors.embedder.name)
        count = _rebuild(edit, progress, vectors=True)
    if vectors is not None:
        vectors.drop_matrices()
        vectors.catch_up(progress=_stage("vectors", progress))
    return count


def clear_space(core: Core, name: str) -> SpaceStats | None:
    """Removes everything in a space and leaves it empty, in one transaction. Answers what there was."""
    with core.store.write(actor=core.actor) as edit:
        held = space_of(edit, name)
        if held is None:
            return None
        stats = stats_of(edit, name)
        edit.apply([DropSpace(name), PutSpace(held)])
    core.store.scrub()
    return stats


def _rebuild(edit: Edit, progress: Progress | None, *, vectors: bool) -> int:
    def derive(record: Record) -> Lexis:
        return derive_lexis(edit, record)

    return edit.rebuild(derive, LEXIS_VERSION, _stage("words", progress), vectors=vectors)


def _stage(name: str, progress: Progress | None) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(name, done, total)

    return report
