"""How does what another program kept come into a memory?

What its files hold is told by `ingest/elsewhere`, item by item; everything after that is the same for all of them.
Texts are screened for secrets, ids are made of the program's own, and what came before does not come twice. Files are
only read; of an archive, and of a file that is larger than anything a program writes, no more than fits.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import IO

import msgspec

from recollect.engine.core import Core, forgotten_among, last_changes, transact
from recollect.engine.graph.link import Statement, bring_one, name_one
from recollect.engine.graph.named import names_of
from recollect.engine.intake.again import Met, is_later, let_go, meet, note_told_as, note_wholes, says_the_same
from recollect.engine.intake.drafts import draft_conversation, place_conversation
from recollect.engine.intake.results import Imported
from recollect.engine.intake.sources import parse_source, write_source
from recollect.engine.parse import parse_draft, parse_label, parse_optional, parse_source_fields
from recollect.engine.write.remember import content_hash, count_stated, ensure_space, put_of, take_all
from recollect.engine.write.screen import Screen
from recollect.errors import InvalidInput, RecollectError, StoreError
from recollect.ingest.elsewhere.found import Fact, Item, Left, Named, Note, Origin, Row, key_of
from recollect.ingest.opening import is_json, opening_of
from recollect.ingest.talk import Conversation
from recollect.store.base import Edit, normal_name
from recollect.store.foreign import read_tables, table_names
from recollect.store.ops import Retire
from recollect.types import Draft, Entity, Record

Progress = Callable[[str, int, int], None]
_AT_ONCE = 100
_HEAD = 65_536
_MARK = b"\xef\xbb\xbf"  # which some editors put before UTF-8
_ARCHIVE = b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_LARGEST = 512 * 1024 * 1024
_MOST_FILES = 20_000
_OWNERS = ("user", "project", "metadata.agent_id", "metadata.app_id", "metadata.agent")
"""Whose it is: what one has said is not here already because another has said the same."""
_CAME, _CAME_AGAIN = "remember", "import"
"""By which verbs a record has what another program says of it."""
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Files:
    """A file, or the files of a folder or a ZIP archive, by their names in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._heads: dict[str, bytes] = {}
        self._tables: dict[str, frozenset[str]] = {}
        if not path.exists():
            raise InvalidInput("path", f"{path} does not exist")

    @cached_property
    def _archive(self) -> zipfile.ZipFile | None:
        if not self._path.is_file() or not (zipfile.is_zipfile(self._path) or _begins_as_archive(self._path)):
            return None
        try:
            return zipfile.ZipFile(self._path)
        except zipfile.BadZipFile as error:
            raise InvalidInput(
                "path", f"{self._path} is a ZIP file that is damaged or cut off: {error}. Nothing was taken"
            ) from error

    @property
    def place(self) -> str:
        return str(self._path.resolve())

    @property
    def files(self) -> Sequence[str]:
        return self._files

    @cached_property
    def _files(self) -> Sequence[str]:
        if self._archive is not None:
            return [one.filename for one in self._archive.infolist() if not one.is_dir()][:_MOST_FILES]
        if not self._path.is_dir():
            return [self._path.name]
        found: list[str] = []
        for folder, folders, names in os.walk(self._path):
            folders[:] = sorted(name for name in folders if name not in (".git", "node_modules", ".obsidian"))
            paths = (Path(folder, name) for name in sorted(names))
            found += [path.relative_to(self._path).as_posix() for path in paths if _is_plain(path)]
            if len(found) >= _MOST_FILES:
                raise InvalidInput("path", f"{self._path} has more than {_MOST_FILES:,} files; name the folder inside")
        return found

    def _place(self, name: str) -> Path:
        return self._path / name if self._path.is_dir() else self._path

    def head(self, name: str) -> bytes:
        if name not in self._heads:
            with self._opened(name) as file:
                pieces = _pieces(file)
                first = next(pieces, b"")
                self._heads[name] = opening_of(chain([first], pieces), _HEAD) if is_json(first) else first
        return self._heads[name]

    def read(self, name: str) -> bytes:
        with self._opened(name) as file:
            data = _as_utf_8(file.read(_LARGEST + 1))
        if len(data) > _LARGEST:
            raise InvalidInput("path", f"{name} is larger than {_LARGEST:,} bytes")
        return data

    @contextmanager
    def _opened(self, name: str) -> Generator[IO[bytes]]:
        try:
            with self._place(name).open("rb") if self._archive is None else self._archive.open(name) as file:
                yield file
        except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
            raise InvalidInput("path", f"{name} cannot be read: {error}") from error

    def changed(self, name: str) -> datetime | None:
        if self._archive is not None:  # which tells no time zone
            return None
        with suppress(OSError):
            return datetime.fromtimestamp(self._place(name).stat().st_mtime, UTC)
        return None

    def tables(self, name: str) -> frozenset[str]:
        if self._archive is not None:
            return frozenset()
        if name not in self._tables:
            try:
                self._tables[name] = table_names(self._place(name))
            except StoreError as error:
                raise _damaged(error) from error
        return self._tables[name]

    def rows(self, name: str, table: str) -> Iterator[Row]:
        try:
            yield from read_tables(self._place(name), [table]).get(table, [])
        except StoreError as error:
            raise _damaged(error) from error


def _damaged(error: StoreError) -> InvalidInput:
    return InvalidInput("path", f"{error}. Nothing was taken")


def _as_utf_8(data: bytes) -> bytes:
    """What a file holds, without the mark of its encoding; UTF-16, which some shells write, as UTF-8."""
    if data.startswith(_WIDE):
        return data[: len(data) // 2 * 2].decode("utf-16", "replace").encode()
    return data.removeprefix(_MARK)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The same as `_as_utf_8`, piece by piece, of as much as is ever read."""
    first = file.read(_HEAD)
    decoder = getincrementaldecoder("utf-16")("replace") if first.startswith(_WIDE) else None
    at, piece = 0, first.removeprefix(_MARK)
    while piece:
        yield piece if decoder is None else decoder.decode(piece).encode()
        at += _HEAD
        piece = file.read(_HEAD) if at < _LARGEST else b""


def _begins_as_archive(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_ARCHIVE)) == _ARCHIVE
    return False


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def fits(origin: Origin, path: Path) -> bool:
    """Are these files of that program?"""
    try:
        return origin.fits(Files(path))
    except InvalidInput:
        return False


def require_sound(path: Path) -> None:
    """What no program is told by may be so since it is damaged: then that is the error."""
    files = Files(path)
    look = files.head if zipfile.is_zipfile(path) else files.tables
    for name in files.files:
        look(name)


def read_elsewhere(origin: Origin, path: Path) -> list[Item]:
    """All that some files hold; what cannot be read is an error."""
    files = Files(path)
    if not origin.fits(files):
        require_sound(path)
        raise InvalidInput("path", f"{path} holds nothing that {origin.name} writes")
    try:
        return list(origin.read(files))
    except _BROKEN as error:
        raise InvalidInput(
            "path", f"{path} is damaged or cut off, or no file of {origin.name}: {error}. Nothing was taken"
        ) from error


def import_elsewhere(
    core: Core, origin: Origin, path: Path, space: str, *, dry_run: bool, progress: Progress | None
) -> list[Imported]:
    """Takes over all that some files hold; with `dry_run` nothing is kept, only counted."""
    taking = Taking(core, origin.name, space, str(path))
    return [taking.bring(read_elsewhere(origin, path), origin.name, dry_run=dry_run, progress=progress)]


def _left_out(count: int, what: str, why: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural} left out: {why}"


def _parcels(items: Sequence[Item]) -> Iterator[tuple[int, list[Item]]]:
    """Items by so many at a time, of a whole all at once; each time with how many there were so far."""
    part: list[Item] = []
    for done, item in enumerate(items):
        whole = item.whole if isinstance(item, Note) else None
        last = next((one.whole for one in reversed(part) if isinstance(one, Note)), None)
        if len(part) >= _AT_ONCE and (whole is None or whole != last):
            yield done, part
            part = []
        part.append(item)
    if part:
        yield len(items), part


class Taking:
    """Items on their way into a space, and what becomes of them.

    What a program that we stand in for has kept comes as its `own`: with its ids, and called by its nouns for a memory
    and a fact. Of any other, ids and sources name where it comes from.
    """

    def __init__(self, core: Core, origin: str, space: str, path: str, *, own: tuple[str, str] | None = None) -> None:
        self._core = core
        self._own = own is not None
        self._nouns = own or ("memory", "fact")
        self._origin = origin
        self._space = space
        self._path = path
        self._new: Counter[str] = Counter()
        self._present: Counter[str] = Counter()
        self._left: Counter[tuple[str, str]] = Counter()
        self._forgotten: dict[str, None] = {}
        self._masked: dict[str, None] = {}
        self._talks = 0
        self._removed = 0
        self._newer = 0
        self._told: set[str] = set()
        """The records that some note was about already."""

    def bring(self, items: Sequence[Item], stage: str, *, dry_run: bool, progress: Progress | None) -> Imported:
        """Takes all of them, some in each transaction, between which others may write."""
        if dry_run:  # in one transaction: what comes twice meets what came of it before
            transact(self._core, lambda edit: self._take_all(edit, stage, items, progress), dry_run=True)
        else:
            for done, some in _parcels(items):
                transact(self._core, lambda edit, some=some: self._take(edit, some), dry_run=False)
                if progress is not None:
                    progress(stage, done, len(items))
            self._core.written()
        left = [_left_out(count, what, why) for (what, why), count in self._left.items()]
        return Imported(
            space=self._space, folder=self._path, records=self._new["record"], records_present=self._present["record"],
            facts=self._new["fact"], facts_present=self._present["fact"], entities=self._new["entity"],
            newer=self._newer, removed=self._removed, forgotten=tuple(self._forgotten), masked=tuple(self._masked),
            problems=tuple(left),
        )  # fmt: skip

    def _take_all(self, edit: Edit, stage: str, items: Sequence[Item], progress: Progress | None) -> None:
        for done, some in _parcels(items):
            self._take(edit, some)
            if progress is not None:
                progress(stage, done, len(items))

    def _take(self, edit: Edit, items: Sequence[Item]) -> None:
        ensure_space(edit, self._space)
        screen = Screen(edit, self._space)
        self._take_notes(edit, [item for item in items if isinstance(item, Note)])
        for item in items:
            if isinstance(item, Left):
                self._left[item.what, item.why] += 1
            elif isinstance(item, Named):
                self._try("entity", lambda item=item: self._name(edit, screen, item))
            elif isinstance(item, Fact):
                self._try(self._nouns[1], lambda item=item: self._state(edit, screen, item))
            elif isinstance(item, Conversation):
                self._try("conversation", lambda item=item: self._converse(edit, item))

    def _try(self, what: str, work: Callable[[], None]) -> None:
        """What cannot be kept is told by its reason, and the rest comes."""
        try:
            work()
        except RecollectError as error:
            self._left[what, str(error)] += 1

    def _take_notes(self, edit: Edit, notes: Sequence[Note]) -> None:
        found = [(note, draft) for note in notes if (draft := self._draft(note)) is not None]
        gone = let_go(edit, self._space, self._origin, found)
        self._forgotten |= dict.fromkeys(gone.values())
        coming = [(note, draft) for note, draft in found if draft.id not in gone]
        met = Met({}, set(), [], {}, {}) if self._own else meet(edit, self._space, self._origin, coming)
        known = self._changed_there(edit, [draft for _, draft in coming], met)
        left = [place for place in range(len(coming)) if place not in known]
        drafts = [coming[place][1] for place in left]
        alike = () if self._own else _OWNERS
        taken = take_all(self._core, edit, drafts, self._space, list(map(count_stated, drafts)), alike=alike)
        for place, receipt in zip(left, taken.finish(), strict=True):
            note, draft = coming[place]
            if receipt.outcome == "rejected":
                self._left[self._nouns[0], receipt.reason or "it was not taken"] += 1
            elif receipt.stored:
                self._new["record"] += 1
                if note.recalled:
                    edit.touch({(self._space, draft.id or ""): note.recalled}, note.last_recalled or edit.now)
            else:
                self._count_present(receipt.id)
            if receipt.id is not None and receipt.outcome != "rejected":
                known[place] = receipt.id
                self._told.add(receipt.id)
            self._masked |= dict.fromkeys(receipt.masked)
        note_wholes(edit, self._space, met, known)
        note_told_as(edit, self._space, self._origin, coming, known)

    def _count_present(self, id: str | None) -> None:
        """What some note was about already is not here from before: it comes a second time."""
        if id in self._told:
            self._left[self._nouns[0], "it is told there more than once"] += 1
        else:
            self._present["record"] += 1

    def _changed_there(self, edit: Edit, drafts: Sequence[Draft], met: Met) -> dict[int, str]:
        """Takes over what was changed there since it came, unless it was changed here as well. Answers what is here of
        all that needs no more, by its place.
        """
        touched = [*met.here.values(), *met.gone]
        last = last_changes(edit, self._space, "record", [one.id for one in touched])
        screen, known = Screen(edit, self._space), dict[int, str]()
        for place, draft in enumerate(drafts):
            here, (there, masked) = met.here.get(place), screen.take(draft)
            if place in met.older:
                self._left["memory", "what is here of it is of a later time"] += 1
                known[place] = ""
            if here is None or not there.text.strip():
                continue
            ours = here.id in self._told or last[here.id].verb not in (_CAME, _CAME_AGAIN)
            same = here.text == there.text
            if says_the_same(there, here) or (same and (ours or not is_later(edit, there, here))):
                self._count_present(here.id)
            elif ours or not is_later(edit, there, here):
                self._present["record"] += 1
                self._left["memory", "it says something else here, which is kept"] += 1
            else:
                self._renew(edit, here, there)
                self._masked |= dict.fromkeys(masked)
            self._told.add(here.id)
            known[place] = here.id
        for one in met.gone:
            if last[one.id].verb in (_CAME, _CAME_AGAIN):
                edit.apply([Retire(thing=one, verb=_CAME_AGAIN, reason=f"no longer in {self._origin}")])
                self._removed += 1
        return known

    def _renew(self, edit: Edit, here: Record, there: Draft) -> None:
        new = msgspec.structs.replace(
            here, text=there.text, content_hash=content_hash(there.text), title=there.title, tags=there.tags,
            kind=there.kind, memory_type=there.memory_type, project=there.project, room=there.room, user=there.user,
            source=there.source, metadata=there.metadata, event_time=there.event_time or here.event_time,
        )  # fmt: skip
        edit.apply([put_of(edit, new, _CAME_AGAIN, here, reason=f"changed in {self._origin}")])
        self._newer += 1

    def _stays_forgotten(self, edit: Edit, noun: str, id: str) -> bool:
        """Was it forgotten here for good? Then that is told, and it does not come back."""
        gone = bool(forgotten_among(edit, self._space, noun, [id]))
        self._forgotten |= dict.fromkeys([id] if gone else [])
        return gone

    def _draft(self, note: Note) -> Draft | None:
        given = {name: value for name, value in msgspec.structs.asdict(note).items() if value not in (None, (), {})}
        for told in ("recalled", "last_recalled", "formerly", "whole", "wherever"):
            given.pop(told, None)
        given |= {"id": given.pop("key"), "trust": "imported", "event_time": given.pop("at", None)}
        if not self._own:
            given |= {"id": f"{self._origin}:{given['id']}"[:200], "source": given.get("source") or self._origin}
        try:
            return parse_draft(given, {})
        except InvalidInput as error:
            self._left[self._nouns[0], str(error)] += 1
            return None

    def _name(self, edit: Edit, screen: Screen, item: Named) -> None:
        name = parse_label(item.name, "name")
        id = self._id_of_entity(edit, screen, name)
        if self._stays_forgotten(edit, "entity", id):
            return
        held = edit.get(Entity, self._space, id)
        fields = {
            "type": parse_optional(item.type, "type"), "description": parse_optional(item.description, "description"),
        }  # fmt: skip
        _, new = name_one(self._core, edit, name if held is None else held.name, self._space, fields, id)
        self._note_masked(screen, item.name, item.type, item.description)
        (self._new if new else self._present)["entity"] += 1

    def _id_of_entity(self, edit: Edit, screen: Screen, name: str) -> str:
        """The id by which an entity comes: that of its name in any case, unless another has it whose name differs in
        case or spacing alone.
        """
        usual = f"{self._origin}:{key_of('entity', normal_name(name))}"
        own = f"{self._origin}:{key_of('entity', 'letter by letter', name)}"
        held = edit.get(Entity, self._space, usual)
        taken = held is not None and screen.text(name)[0] not in names_of(held)  # it may be held with a secret masked
        return own if taken or edit.get(Entity, self._space, own) is not None else usual

    def _note_masked(self, screen: Screen, *texts: str | None) -> None:
        """What nobody gets a receipt for."""
        self._masked |= dict.fromkeys(kind for text in texts if text for kind in screen.text(text)[1])

    def _state(self, edit: Edit, screen: Screen, item: Fact) -> None:
        if item.since is not None and item.until is not None and item.until <= item.since:
            raise InvalidInput("valid_until", "is not later than valid_from, so that it never held")
        statement = Statement(
            subject=parse_label(item.subject, "subject"), predicate=parse_label(item.predicate, "predicate"),
            object=parse_label(item.object, "object"), confidence=item.confidence, valid_from=item.since,
            valid_until=item.until,
            provenance=parse_optional(item.provenance or None, "provenance") or (None if self._own else self._origin),
            metadata={"subject": item.subject, "object": item.object} if self._own else {},
        )  # fmt: skip
        fact, new = bring_one(self._core, edit, self._origin, statement, self._space, wherever=item.wherever)
        if isinstance(fact, str):
            self._forgotten[fact] = None
            return
        (self._new if new else self._present)["fact"] += 1
        self._note_masked(screen, item.subject, item.predicate, item.object, item.provenance)

    def _converse(self, edit: Edit, item: Conversation) -> None:
        if not item.messages:
            self._left["conversation", "nothing is said in it"] += 1
            return
        for what in item.left:
            self._left[what, "the export does not hold what is in it"] += 1
        location = place_conversation(item, self._path, self._talks)
        self._talks += 1
        draft = parse_source(draft_conversation(item, location))
        fields = parse_source_fields({"trust": "imported"}, memory_type="episodic")
        answer = write_source(self._core, edit, draft, self._space, fields, anew=False)
        self._forgotten |= dict.fromkeys(answer.forgotten)
        if answer.id in answer.forgotten:
            return
        if answer.older:
            self._left["conversation", "what is here of it is of a later time"] += 1
        self._removed += answer.removed
        self._new["record"] += answer.added
        self._present["record"] += answer.segments - answer.added - len(answer.forgotten)
        self._masked |= dict.fromkeys(answer.masked)
