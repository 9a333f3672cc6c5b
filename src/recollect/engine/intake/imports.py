"""How does a memory take over what another program kept?

A data folder of trusty-memory has a folder for each palace, in it or in its `palaces`. What can be read there is
stored under the ids and with the times that it had; what cannot is told. The files themselves are never written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.core import Core, as_one_act, space_of, transact
from recollect.engine.intake.elsewhere import Progress, Taking
from recollect.engine.intake.results import Imported
from recollect.engine.parse import parse_space
from recollect.engine.places import identity_of, keep_identity
from recollect.engine.write.screen import screen_text
from recollect.errors import InvalidInput, RecollectError
from recollect.ingest.elsewhere.found import Fact, Note
from recollect.ingest.trusty import GENERAL, PalaceFile, parse_drawer, parse_palace, parse_snapshot, parse_triple
from recollect.store.base import Edit
from recollect.store.foreign import is_sqlite, read_tables
from recollect.store.ops import PutSpace
from recollect.types import Space

METADATA, IDENTITY, SNAPSHOT, REDB = "palace.json", "identity.txt", "l1_cache.json", "kg.redb"
_DATABASES = ("*.db", "*.sqlite", "*.sqlite3", "*.db.migrated")
_OTHER_IDENTITY = "1 identity text left out: the palace has another one here already"

T = TypeVar("T")


class Palace(Struct, frozen=True, kw_only=True):
    """All that could be read of one palace."""

    folder: Path
    about: PalaceFile
    drawers: tuple[Note, ...]
    triples: tuple[Fact, ...]
    identity: str
    problems: tuple[str, ...]


@as_one_act
def import_trusty(core: Core, root: Path, *, dry_run: bool, progress: Progress | None) -> list[Imported]:
    """Takes over every palace below a folder; with `dry_run` nothing is kept, only counted."""
    if not root.is_dir():
        raise InvalidInput("path", f"{root} is not a folder")
    folders = find_palaces(root)
    if not folders:
        raise InvalidInput("path", f"there is no palace in {root}: no folder with a {METADATA} or a kg.db")
    return [_take_over(core, read_palace(folder), dry_run=dry_run, progress=progress) for folder in folders]


def find_palaces(root: Path) -> list[Path]:
    """The folders of palaces: the folder itself, or those in it, or those in its `palaces`."""
    if _is_palace(root):
        return [root]
    below = [folder for place in (root, root / "palaces") if place.is_dir() for folder in sorted(place.iterdir())]
    return [folder for folder in below if folder.is_dir() and _is_palace(folder)]


def _is_palace(folder: Path) -> bool:
    return (folder / METADATA).is_file() or (folder / "kg.db").is_file()


# Reading


def read_palace(folder: Path) -> Palace:
    """Everything that can be read in a palace's folder, and sentences about the rest."""
    problems: list[str] = []
    rows = _rows(folder, problems)
    drawers = _parse_all(rows["drawers"], parse_drawer, "drawer", problems)
    triples = _parse_all(rows["triples"], parse_triple, "triple", problems)
    unique = {drawer.key: drawer for drawer in reversed(drawers)}
    unnamed = sum("room_id" in drawer.metadata for drawer in unique.values())
    if unnamed:
        noun = "drawer" if unnamed == 1 else "drawers"
        problems.append(f"{unnamed} {noun} left in {GENERAL}: its room has a name that cannot be told")
    return Palace(
        folder=folder,
        about=_about(folder, problems),
        drawers=tuple(reversed(unique.values())),
        triples=tuple(triples),
        identity=_identity(folder, problems),
        problems=tuple(problems),
    )


def _about(folder: Path, problems: list[str]) -> PalaceFile:
    try:
        return parse_palace((folder / METADATA).read_bytes())
    except (OSError, InvalidInput) as error:
        problems.append(f"{METADATA} cannot be read ({_why(error)}); the palace is called like its folder")
        return PalaceFile(id=folder.name)


def _identity(folder: Path, problems: list[str]) -> str:
    try:
        return (folder / IDENTITY).read_text("utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{IDENTITY} cannot be read ({_why(error)})")
        return ""


def _rows(folder: Path, problems: list[str]) -> dict[str, list[Mapping[str, object]]]:
    """The rows of all databases of a palace, and of the snapshot of its most important drawers."""
    rows: dict[str, list[Mapping[str, object]]] = {"drawers": [], "triples": []}
    for file in sorted({path for pattern in _DATABASES for path in folder.glob(pattern)}):
        if not is_sqlite(file):
            problems.append(f"{file.name} is not a SQLite database")
            continue
        try:
            for table, found in read_tables(file, tuple(rows)).items():
                rows[table] += found
        except RecollectError as error:
            problems.append(str(error))
    if (folder / SNAPSHOT).is_file():
        try:
            rows["drawers"] += parse_snapshot((folder / SNAPSHOT).read_bytes())
        except (OSError, InvalidInput) as error:
            problems.append(f"{SNAPSHOT} cannot be read ({_why(error)})")
    if (folder / REDB).exists():
        problems.append(
            f"{REDB} cannot be read: later versions of trusty-memory keep drawers and triples in that format, which"
            f" only they can open; what came is from the databases before it and from {SNAPSHOT}"
        )
    return rows


def _parse_all(
    rows: Sequence[Mapping[str, object]], parse: Callable[[Mapping[str, object]], T], noun: str, problems: list[str]
) -> list[T]:
    """What the rows mean; those that mean nothing are counted by what is wrong with them."""
    parsed: list[T] = []
    wrong: Counter[str] = Counter()
    for row in rows:
        try:
            parsed.append(parse(row))
        except InvalidInput as error:
            wrong[str(error)] += 1
    problems += [_left_out(count, noun, reason) for reason, count in wrong.items()]
    return parsed


def _left_out(count: int, noun: str, reason: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'} left out: {reason}"


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


# Writing


def _take_over(core: Core, palace: Palace, *, dry_run: bool, progress: Progress | None) -> Imported:
    folder = str(palace.folder)
    try:
        space = parse_space(palace.about.id, "palace")
    except InvalidInput as error:
        return Imported(space=palace.about.id, folder=folder, problems=(*palace.problems, str(error)))
    transact(core, lambda edit: _describe(edit, space, palace.about.description), dry_run=dry_run)
    taking = Taking(core, "trusty-memory", space, folder, own=("drawer", "triple"))
    done = taking.bring([*palace.drawers, *palace.triples], space, dry_run=dry_run, progress=progress)
    held = identity_of(core.store, core.settings.home, space)
    new = bool(palace.identity) and not held
    if new and not dry_run:
        keep_identity(core.store, space, screen_text(palace.identity))
    other = [_OTHER_IDENTITY] if held and palace.identity not in ("", held) else []
    return replace(done, identity=new, problems=(*palace.problems, *done.problems, *other))


def _describe(edit: Edit, space: str, description: str) -> None:
    """The space, with the palace's description unless it has one of its own."""
    held = space_of(edit, space)
    if held is None:
        edit.apply([PutSpace(Space(name=space, description=description, created_at=edit.now))])
    elif description and not held.description:
        edit.apply([PutSpace(replace(held, description=description))])
