"""How does a memory move from a folder to a database, or back?"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from recollect.config import load_settings
from recollect.engine.core import utc_now
from recollect.engine.places import identity_of, keep_identity, make_home
from recollect.errors import InvalidInput, NotFound, StoreError, StoreLost
from recollect.store.base import Store
from recollect.store.choose import look_at, open_store
from recollect.store.move import Moved, move_store, require_movable

Report = Callable[[str, int, int], None]
_NOWHERE = Path(os.devnull)
"""Where no files lie: of a database, only what it keeps itself is moved."""


def move(source: str | os.PathLike[str], target: str | os.PathLike[str], *, report: Report | None = None) -> Moved:
    """Copies a whole memory, its history included, into an empty folder or database, and proves that it arrived.

    Each is a folder, or the URL of a database. A move that was ended before it was done goes on when it is asked for
    again. `report` is told the stage, how much is done, and of how much.
    """
    source_home, source_url = _place(source, "from")
    target_home, target_url = _place(target, "to")
    there = look_at(source_home, source_url)
    if not there.there:
        raise NotFound(there.problem or f"there is no memory at {there.shown}")
    if there.shown == look_at(target_home, target_url).shown:
        raise InvalidInput("to", f"is where the memory is already: {there.shown}")
    old = open_store(source_home, utc_now, source_url)
    try:
        require_movable(old)
        if target_url is None:
            make_home(target_home)
        new = open_store(target_home, utc_now, target_url)
        try:
            return move_store(
                old, new, report or _silent, lambda: _carry_identities(old, source_home, new, target_home)
            )
        except StoreLost as error:
            said = str(error.__cause__ or error).partition("\n")[0]
            raise StoreLost(
                f"a connection was lost in the midst of the move ({said}); what has arrived at {new.site.location}"
                " stays there, and the same move goes on with it"
            ) from error
        finally:
            new.close()
    finally:
        old.close()


def _place(named: str | os.PathLike[str], field: str) -> tuple[Path, str | None]:
    """The folder, or the URL. A folder is meant itself, whichever database its config.toml names."""
    if isinstance(named, str) and "://" in named:
        return _NOWHERE, named
    if not os.fspath(named).strip():
        raise InvalidInput(field, "names neither a folder nor the URL of a database")
    return load_settings(named).home, None


def _carry_identities(old: Store, old_home: Path, new: Store, new_home: Path) -> None:
    """The texts that say whose a space is lie in files beside a file, and in the database elsewhere."""
    with new.read() as view:
        names = [space.name for space in view.spaces()]
    for name in names:
        text = identity_of(old, old_home, name)
        if text != identity_of(new, new_home, name):
            keep_identity(new, name, text)
        if text != identity_of(new, new_home, name):
            raise StoreError(f"the identity text of {name} did not arrive at {new.site.location}")


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody wants to know."""
