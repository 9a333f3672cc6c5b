"""How does a memory take over what another program kept?

A data folder of trusty-memory has a folder for each palace, in it or in its `palaces`. What can be read there is
stored under the ids and with the times that it had; what cannot is told. The files themselves are never written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, as_one_act, forgotten_among, parts, space_of, transact
from recollect.engine.graph.link import Statement, bring_one
from recollect.engine.intake.results import Imported
from recollect.engine.parse import parse_draft, parse_label, parse_optional, parse_space
from recollect.engine.places import identity_of, keep_identity
from recollect.engine.write.remember import count_stated, ensure_space, take_all
from recollect.engine.write.screen import screen_text
from recollect.errors import InvalidInput, RecollectError
from recollect.ingest.trusty import (
    GENERAL,
    Drawer,
    PalaceFile,
    Triple,
    parse_drawer,
    parse_palace,
    parse_snapshot,
    parse_triple,
)
from recollect.store.base import Edit
from recollect.store.foreign import is_sqlite, read_tables
from recollect.store.ops import PutSpace
from recollect.types import Draft, Space

METADATA, IDENTITY, SNAPSHOT, REDB = "palace.json", "identity.txt", "l1_cache.json", "kg.redb"
_DATABASES = ("*.db", "*.sqlite", "*.sqlite3", "*.db.migrated")
_AT_ONCE = 500
"""So many are written in one transaction, between which others may write."""

Progress = Callable[[str, int, int], None]
T = TypeVar("T")


class Palace(Struct, frozen=True, kw_only=True):
    """All that could be read of one palace."""

    folder: Path
    about: PalaceFile
    drawers: tuple[Drawer, ...]
    triples: tuple[Triple, ...]
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
    done: list[Imported] = []
    for folder in folders:
        done.append(_take_over(core, read_palace(folder), dry_run=dry_run, progress=progress or _silent))
    if not dry_run and any(one.records for one in done):
        core.written()
    return done


def _silent(stage: str, done: int, total: int) -> None:  # noqa: ARG001  the seam's shape
    return


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
    unique = {drawer.id: drawer for drawer in reversed(drawers)}
    unnamed = sum(drawer.room is None and drawer.room_id is not None for drawer in unique.values())
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


class _Tally:
    """What became of the parts of one palace."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.new: Counter[str] = Counter()
        self.present: Counter[str] = Counter()
        self.wrong: Counter[tuple[str, str]] = Counter()
        self.forgotten: list[str] = []
        self.masked: dict[str, None] = {}
        self._problems = problems

    def problems(self) -> tuple[str, ...]:
        return (*self._problems, *(_left_out(count, *what) for what, count in self.wrong.items()))


def _take_over(core: Core, palace: Palace, *, dry_run: bool, progress: Progress) -> Imported:
    tally = _Tally(palace.problems)
    try:
        space = parse_space(palace.about.id, "palace")
    except InvalidInput as error:
        return Imported(space=palace.about.id, folder=str(palace.folder), problems=(*palace.problems, str(error)))
    transact(core, lambda edit: _describe(edit, space, palace.about.description), dry_run=dry_run)
    drafts = list(_drafts(palace.drawers, tally))
    for done, part in parts(drafts, _AT_ONCE):
        transact(core, lambda edit, part=part: _store(core, edit, space, part, tally), dry_run=dry_run)
        progress(space, done, len(drafts) + len(palace.triples))
    statements = list(_statements(palace.triples, tally))
    for done, part in parts(statements, _AT_ONCE):
        transact(core, lambda edit, part=part: _state(core, edit, space, part, tally), dry_run=dry_run)
        progress(space, len(drafts) + done, len(drafts) + len(palace.triples))
    identity = _take_identity(core, space, palace.identity, tally, dry_run=dry_run)
    return Imported(
        space=space,
        folder=str(palace.folder),
        records=tally.new["drawer"],
        records_present=tally.present["drawer"],
        facts=tally.new["triple"],
        facts_present=tally.present["triple"],
        identity=identity,
        forgotten=tuple(tally.forgotten),
        masked=tuple(tally.masked),
        problems=tally.problems(),
    )


def _describe(edit: Edit, space: str, description: str) -> None:
    """The space, with the palace's description unless it has one of its own."""
    held = space_of(edit, space)
    if held is None:
        edit.apply([PutSpace(Space(name=space, description=description, created_at=edit.now))])
    elif description and not held.description:
        edit.apply([PutSpace(msgspec.structs.replace(held, description=description))])


def _drafts(drawers: Sequence[Drawer], tally: _Tally) -> Iterator[tuple[Drawer, Draft]]:
    for drawer in drawers:
        metadata = {"room_id": drawer.room_id} if drawer.room is None and drawer.room_id is not None else {}
        given: dict[str, object] = {
            "text": drawer.text, "id": drawer.id, "room": None if drawer.room == GENERAL else drawer.room,
            "importance": drawer.importance, "tags": drawer.tags, "event_time": drawer.created_at,
            "source": drawer.source, "trust": "imported", "metadata": metadata,
        }  # fmt: skip
        try:
            yield drawer, parse_draft(given, {})
        except InvalidInput as error:
            tally.wrong["drawer", str(error)] += 1


def _store(core: Core, edit: Edit, space: str, part: Sequence[tuple[Drawer, Draft]], tally: _Tally) -> None:
    ensure_space(edit, space)
    gone = forgotten_among(edit, space, "record", (drawer.id for drawer, _ in part))
    tally.forgotten += [drawer.id for drawer, _ in part if drawer.id in gone]
    part = [one for one in part if one[0].id not in gone]
    drafts = [draft for _, draft in part]
    counted = list(map(count_stated, drafts))
    receipts = take_all(core, edit, drafts, space, counted).finish()
    for (drawer, _), receipt in zip(part, receipts, strict=True):
        if receipt.outcome == "rejected":
            tally.wrong["drawer", receipt.reason or "the memory would not take it"] += 1
        elif receipt.stored:
            tally.new["drawer"] += 1
            if drawer.accesses:
                edit.touch({(space, drawer.id): drawer.accesses}, drawer.last_access or edit.now)
        else:
            tally.present["drawer"] += 1
        tally.masked |= dict.fromkeys(receipt.masked)


def _statements(triples: Sequence[Triple], tally: _Tally) -> Iterator[Statement]:
    for triple in triples:
        try:
            yield Statement(
                subject=parse_label(triple.subject, "subject"),
                predicate=parse_label(triple.predicate, "predicate"),
                object=parse_label(triple.object, "object"),
                confidence=triple.confidence,
                provenance=parse_optional(triple.provenance or None, "provenance"),
                valid_from=triple.valid_from,
                valid_until=triple.valid_until,
                metadata={"subject": triple.subject, "object": triple.object},
            )
        except InvalidInput as error:
            tally.wrong["triple", str(error)] += 1


def _state(core: Core, edit: Edit, space: str, part: Sequence[Statement], tally: _Tally) -> None:
    ensure_space(edit, space)
    for statement in part:
        fact, new = bring_one(core, edit, "trusty-memory", statement, space)
        if isinstance(fact, str):
            tally.forgotten.append(fact)
        else:
            (tally.new if new else tally.present)["triple"] += 1


def _take_identity(core: Core, space: str, text: str, tally: _Tally, *, dry_run: bool) -> bool:
    """The identity text comes over unless there is one already. Answers whether it is new."""
    held = identity_of(core.store, core.settings.home, space)
    if not text or text == held:
        return False
    if held:
        tally.wrong["identity text", "the palace has another one here already"] += 1
        return False
    if not dry_run:
        keep_identity(core.store, space, screen_text(text))
    return True
