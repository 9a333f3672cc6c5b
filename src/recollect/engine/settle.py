"""What is left to do on disk once a change is made, and when is it done?

What was forgotten is gone for every reader at once, but its bytes may stand in the log while somebody reads, and in the
keyword index until that is merged. That something of it is left is kept on a shelf until it is not, so that whoever
opens the memory next goes on with it. A moment after the last write the log goes into the file, and room is given back.
"""

from __future__ import annotations

import time

from recollect.engine.core import Core
from recollect.engine.erased import Erased, unsay
from recollect.engine.loop import Loop, keep
from recollect.engine.once import sweep
from recollect.errors import RecollectError
from recollect.store.base import Edit, Shelf

_QUIET = 1.0  # seconds after a write
_SWEEPS_EVERY = 3600.0  # seconds between two looks at answers that were kept long enough
_ERASED, _LEFT = Shelf("erased", bool), "left"


def note_erased(edit: Edit, erased: Erased) -> None:
    """Something was erased in this transaction: its traces are to be scrubbed, and no kept answer tells of it."""
    unsay(edit, erased)
    note_traces(edit)


def note_traces(edit: Edit) -> None:
    """Something leaves the store in this transaction that is not to be read out of its files."""
    edit.keep(_ERASED, {_LEFT: True})


def scrub(core: Core) -> bool:
    """Removes the traces of what was erased. False where something is left, which is tried again until it is not."""
    if not core.store.settle("erased"):
        return False
    if _is_left(core):
        with core.store.write(actor=core.actor) as edit:
            edit.keep(_ERASED, {_LEFT: None})
    return True


def _is_left(core: Core) -> bool:
    with core.store.read() as view:
        return bool(view.kept(_ERASED))


class Settling:
    """Brings the store to rest a moment after the last write."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._left = False
        self._swept = time.monotonic()
        self._loop = Loop("recollect-settle", self._settle, delay=_QUIET, again=lambda: self._left, failed=keep)
        core.store.on_commit.append(self._loop.wake)

    def look(self) -> None:
        """Begins where something was left: a process may have ended before it had scrubbed all."""
        if _is_left(self._core):
            self._loop.wake()

    def stop(self) -> None:
        self._loop.stop(1)

    def _settle(self) -> None:
        try:
            if time.monotonic() - self._swept > _SWEEPS_EVERY:
                self._swept = time.monotonic()
                sweep(self._core)
            self._left = not self._core.store.settle()
            if not self._left:
                scrub(self._core)
        except RecollectError:
            self._left = True  # a full disk or a store in use: nobody is told, and it is tried again
