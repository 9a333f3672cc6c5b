"""What is a file or folder that somebody brings along, and how does it come into a memory?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from recollect.config import Settings
from recollect.engine.care import export
from recollect.engine.core import Core, as_one_act
from recollect.engine.intake.elsewhere import fits, import_elsewhere, require_sound
from recollect.engine.intake.import_agentos import import_agentos
from recollect.engine.intake.imports import find_palaces, import_trusty
from recollect.engine.intake.results import Imported
from recollect.engine.places import require_other
from recollect.engine.start import open_core
from recollect.errors import InvalidInput
from recollect.ingest.elsewhere.found import Origin as Elsewhere
from recollect.ingest.elsewhere.origins import ORIGINS as ELSEWHERE
from recollect.store.choose import is_store
from recollect.types import DEFAULT_SPACE

Progress = Callable[[str, int, int], None]
_LOOKED_AT = 65_536
_TOLD_ITSELF = "is told by the file itself; leave it out"


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How something is to come in."""

    space: str | None = None
    """Into which space it comes, where it does not say itself."""
    dry_run: bool = False
    passphrase: str | None = None
    progress: Progress | None = None


class Origin(msgspec.Struct, frozen=True):
    """Where something may come from: how it is told by a path and how a file begins, and what is done with it."""

    fits: Callable[[Path, bytes], bool]
    take: Callable[[Core, Path, Manner], list[Imported]]


def _is_agentos(path: Path, head: bytes) -> bool:
    return path.is_file() and head.lstrip()[:1] == b"{" and (b'"agentId"' in head or b'"agent_id"' in head)


def _is_export(path: Path, head: bytes) -> bool:
    return path.is_file() and export.is_export(head)


def _has_palaces(path: Path, head: bytes) -> bool:
    return not head and path.is_dir() and bool(find_palaces(path))


def _whole(take: Callable[[Core, Path, Manner], list[Imported]]) -> Callable[[Core, Path, Manner], list[Imported]]:
    """What names its spaces itself."""

    def taken(core: Core, path: Path, asked: Manner) -> list[Imported]:
        if asked.space is not None:
            raise InvalidInput("space", _TOLD_ITSELF)
        return take(core, path, asked)

    return taken


def _into_a_space(origin: Elsewhere) -> Origin:
    return Origin(
        lambda path, _: fits(origin, path),
        lambda core, path, asked: import_elsewhere(
            core, origin, path, asked.space or DEFAULT_SPACE, dry_run=asked.dry_run, progress=asked.progress
        ),
    )


ORIGINS: Mapping[str, Origin] = {
    "recollect": Origin(
        _is_export,
        _whole(
            lambda core, path, asked: export.import_export(
                core, path, dry_run=asked.dry_run, passphrase=asked.passphrase or core.settings.passphrase
            )
        ),
    ),
    "trusty-memory": Origin(
        _has_palaces,
        _whole(lambda core, path, asked: import_trusty(core, path, dry_run=asked.dry_run, progress=asked.progress)),
    ),
    "agentos": Origin(_is_agentos, _whole(lambda core, path, asked: import_agentos(core, path, dry_run=asked.dry_run))),
    **{name: _into_a_space(origin) for name, origin in ELSEWHERE.items()},
}
"""All there are, in the order in which they are tried."""


@as_one_act
def arrive(core: Core, path: Path, origin: str | None, asked: Manner) -> list[Imported]:
    """Takes over what a path holds."""
    require_other(core.store, path)
    return ORIGINS[_origin(path, origin)].take(core, path, asked)


def rehearse(path: Path, origin: str | None, asked: Manner) -> list[Imported] | None:
    """What would come into a memory that holds nothing, before one is made for it; raises where that cannot be.

    An export is only read, as it may be of any size: None says that it is whole.
    """
    named = _origin(path, origin)
    if named == "recollect" and not asked.dry_run:
        if asked.space is not None:
            raise InvalidInput("space", _TOLD_ITSELF)
        export.verify(path, asked.passphrase)
        return None
    trying = msgspec.structs.replace(asked, dry_run=named == "recollect")  # others meet what their first part left
    with tempfile.TemporaryDirectory() as folder:
        core = open_core(Settings(home=Path(folder)), actor=None)
        try:
            return arrive(core, path, named, trying)
        finally:
            core.store.close()


def _origin(path: Path, named: str | None) -> str:
    if named is not None and named not in ORIGINS:
        raise InvalidInput("origin", f"{named!r} is not known; there are: {', '.join(ORIGINS)}")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInput(
            "path", f"{path} is no file but a pipe or a device, and is read more than once; save it to a file first"
        )
    return named or told_by(path)


def told_by(path: Path) -> str:
    """Which program wrote it, by what it holds."""
    head = b""
    try:
        if not path.is_dir():
            with path.open("rb") as file:
                head = file.read(_LOOKED_AT)
    except OSError as error:
        raise InvalidInput("path", f"{path} cannot be read: {error.strerror}") from error
    for name, origin in ORIGINS.items():
        if origin.fits(path, head):
            return name
    if is_store(head):
        raise InvalidInput(
            "path",
            f"{path} is a memory, or a backup of one: `recollect restore FILE` makes it the memory; to have it in"
            " another one, restore it into a folder of its own (--home), and import an export of that",
        )
    require_sound(path)
    raise InvalidInput(
        "path", f"{path} is of none of the programs that are known here ({', '.join(ORIGINS)}); say which, if it is"
    )
