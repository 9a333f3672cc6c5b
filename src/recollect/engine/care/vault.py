"""How are a folder of Markdown and a space kept in step, whichever of them changes?

What both said when they last agreed is kept on a shelf, as a hash for each record. Whoever still says that has not
changed; whoever says something else has. Where both have, both are kept: one of them under the record's id, the other
as a record of its own. A file gets its id from us, and its name and folder are its owner's to choose.

A person's own files stay theirs: one that is new to us gets its id and its time in two lines at its top, and is the
same below, byte by byte; one whose text we may not keep as it stands (a secret, a private part) is left alone and told
of.

A file is written whole or not at all, and before the shelf says so; what a file says is kept in the transaction that
notes it on the shelf. So whatever is killed when, the next run finds either nothing done, or all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from recollect.engine.care.conflicts import CONFLICT_OF, note_conflict, unnoted
from recollect.engine.care.note_files import NoteFiles
from recollect.engine.care.note_folders import FOLDERS, require_own, shelf_of
from recollect.engine.care.note_names import located, names_in
from recollect.engine.care.note_pages import (
    LEFT_OUT,
    KnownFile,
    NoteFile,
    are_twins,
    content_of,
    hash_of,
    page_of,
    parse_note,
    sign,
    told_above,
    told_moment,
)
from recollect.engine.care.note_records import (
    VERB,
    has_said,
    notes_of,
    require_not_let_go,
    require_not_undone,
    visible,
)
from recollect.engine.core import (
    Core,
    as_one_act,
    parts,
    taking,
)  # fmt: skip
from recollect.engine.graph.link import describe, name_one, resolve
from recollect.engine.intake.results import Synced
from recollect.engine.parse import parse_label
from recollect.engine.write.remember import content_hash, ensure_space, make_record, put_of
from recollect.engine.write.revise import vouched
from recollect.engine.write.screen import Screen, told_refused
from recollect.engine.write.taken_back import take_back
from recollect.errors import InvalidInput, RecollectError
from recollect.ingest.frontmatter import put_on_top
from recollect.ingest.merged import has_marks
from recollect.ingest.vault import (
    KEYS,
    Page,
    are_text,
    id_above,
    name_page,
    parse_page,
    plain_ends,
    render_page,
    says_same,
    sides_of,
)
from recollect.ingest.walk_files import is_text
from recollect.store.base import Edit, Shelf, View
from recollect.types import HIDDEN_STATUSES, FileProblem, Filter, Json, Record

_LARGEST = 8_000_000  # bytes of a file: more than the longest text takes with all that can stand above it
_MANY = 5
_AT_ONCE, _WRITERS = 50, 8


@as_one_act
def sync(core: Core, folder: Path, space: str) -> Synced:
    """Brings a folder and a space in step. One process at a time does so."""
    shelf = shelf_of(folder)
    require_own(core, folder, space, shelf)
    with taking(core, f"a sync of {folder}", "vault", str(folder.resolve())):
        return Run(core, folder, space, shelf).run()


def foreign_files(core: Core, folder: Path, space: str) -> list[str]:
    """The files of a folder that was never in step with the space which would become notes and get an id."""
    shelf = shelf_of(folder)
    require_own(core, folder, space, shelf)
    with core.store.read() as view:
        if space in {one.name for one in view.spaces()} and view.kept(shelf, space=space):
            return []
        screen = Screen(view, space)
        files = (file for file in Run(core, folder, space, shelf).read_files({}) if file.page.id is None)
        return [file.path for file in files if screen.take(file.draft)[0] is file.draft]  # others are left alone


class NoNotes(InvalidInput):
    """The folder held many notes and holds none, perhaps only for a moment."""


class Run:
    """One pass over both sides."""

    def __init__(
        self, core: Core, folder: Path, space: str, shelf: Shelf[KnownFile], files: NoteFiles | None = None
    ) -> None:
        self._core = core
        self._folder = folder
        self._files = files or NoteFiles(folder)
        self._space = space
        self._shelf = shelf
        self._problems: list[FileProblem] = []
        self._did: Counter[str] = Counter()
        self._conflicts: list[str] = []
        self._called: dict[str, str] = {}  # by what links say, what notes are called
        self._texts: dict[str, str] = {}  # what the records say
        self._with_marks: set[str] = set()
        """The records whose texts are about merges."""
        self._damaged: set[str] = set()
        """The records whose files say whose they are, and not what they should."""
        self._shut: set[str] = set()
        """The folders that cannot be read."""
        self._joined: dict[str, str] = {}
        """The records whose files a merge made one with that of another, by which it is known from then on."""
        self._copied: dict[str, tuple[str, str]] = {}  # the files of two that had one id, by the new one
        self._to_write: dict[str, NoteFile] = {}
        """Files of what was changed on both sides: they may be written once what they say is kept beside."""

    def run(self) -> Synced:
        self._files.require_own()
        with self._core.store.write(actor=self._core.actor) as edit:
            ensure_space(edit, self._space)
            folder = str(self._folder.resolve())
            if edit.kept(FOLDERS, space=self._space, keys=[self._shelf.name]) != {self._shelf.name: folder}:
                edit.keep(FOLDERS, {self._shelf.name: folder}, space=self._space)
        with self._core.store.read() as view:
            known = view.kept(self._shelf, space=self._space)
            notes = notes_of(view, self._space)
        self._problems += self._files.sweep()
        there = {one.id: hash_of(one, one.event_time) for one in notes}
        records = {one.id: one for one in notes}
        self._texts = {one.id: plain_ends(one.text) for one in notes}
        self._with_marks = {id for id, text in self._texts.items() if has_marks(text)}
        read = self._known_again(list(self.read_files(known)), known, records)
        self._require_files(known, read)
        self._called = names_in(read)
        files = self._by_id(read, known)
        unread = self._unread(known, read)
        for id in dict.fromkeys([*known, *files]):
            kept, file = known.get(id), files.get(id)
            if file is None and id in unread:
                continue
            if not self._is_settled(kept, file, there.get(id), records.get(id)):
                self._one(id, kept, file)
        with self._core.store.read() as view:
            known = view.kept(self._shelf, space=self._space, keys=list(self._to_write))
        for id, file in list(self._to_write.items()):
            self._one(id, known.get(id), file)
        for file in read:
            if file.page.id is None:
                self._new(file)
        self._write_missing()
        self._note_carried()
        self._core.written()
        return Synced(
            folder=str(self._folder), space=self._space, conflicts=tuple(self._conflicts), copied=self._copied,
            problems=tuple(self._problems), added=self._did["added"], revised=self._did["revised"],
            archived=self._did["archived"], written=self._did["written"], removed=self._did["removed"],
        )  # fmt: skip

    def _require_files(self, known: Mapping[str, KnownFile], read: list[NoteFile]) -> None:
        lost = sum(not self._is_shut(kept.path) for kept in known.values())
        if lost >= _MANY and not read and len(self._problems) == len(self._shut):
            raise NoNotes(
                "folder",
                f"{self._folder} holds no note any more, and {lost:,} did: is it the right folder, and there? Put"
                " one note back, and the others are archived",
            )

    def _unread(self, known: Mapping[str, KnownFile], read: list[NoteFile]) -> set[str]:
        """The records whose files are there and could not be read: they stay as they are, and that is told."""
        broken, seen = {problem.path for problem in self._problems}, {file.path for file in read}
        found = set(self._damaged)
        for id, kept in known.items():
            if kept.path in broken or self._is_shut(kept.path):
                found.add(id)
            elif kept.path and kept.path not in seen and id not in found and self._files.is_there(kept.path):
                found.add(id)
                problem = "is a link, or lies in a folder that is passed over, and is not read; its record stays"
                self._problems.append(FileProblem(path=kept.path, problem=problem))
        return found

    def _is_settled(
        self, kept: KnownFile | None, file: NoteFile | None, there: str | None, record: Record | None
    ) -> bool:
        """Do both still say what they said last, in the same place?"""
        return (
            kept is not None and file is not None and kept.path == file.path and there == kept.hash
            and file.is_as(kept) and not file.marked and file.signed is None
            and (record is None or located(record, file) is record)
        )  # fmt: skip

    # Reading

    def read_files(self, known: Mapping[str, KnownFile]) -> Iterator[NoteFile]:
        for path in self._files.notes(self._tell_shut):
            yield from self._read_one(path, known)

    def _tell_shut(self, folder: str, why: str) -> None:
        if folder not in self._shut:
            self._shut.add(folder)
            problem = f"is a folder that cannot be read: {why}; the records of its notes stay"
            self._problems.append(FileProblem(path=folder if is_text(folder) else ascii(folder), problem=problem))

    def _is_shut(self, path: str) -> bool:
        """Does it lie in a folder that cannot be read?"""
        return bool(self._shut) and any(str(above) in self._shut for above in PurePosixPath(path).parents)

    def _read_one(self, path: str, known: Mapping[str, KnownFile]) -> Iterator[NoteFile]:
        """A file. Of one in which a merge has left its marks, one side, which knows the other."""
        id = None
        try:
            data = (self._folder / path).read_bytes()
            if len(data) > _LARGEST:
                raise InvalidInput("file", f"is larger than {_LARGEST:,} bytes")
            content = content_of(data)
            id = id_above(content)
            if not is_text(path):
                raise InvalidInput("file", "its name cannot be read: not UTF-8; rename it, and it is read")
            sides = sides_of(content, self._texts.get(id) if id is not None and id in known else None)
            merged = None if sides is None else self._merged(path, data, content, sides, known)
            file = merged or parse_note(path, data, content)
            if file.page.id is None and id in known:
                raise InvalidInput(
                    "file", f"is the note {id}, but a line of --- above or below its fields is missing; put it back"
                )
            yield file
        except (InvalidInput, OSError) as error:
            self._problems.append(FileProblem(path=path if is_text(path) else ascii(path), problem=str(error)))
            if id is not None:
                self._damaged.add(id)

    def _merged(
        self, path: str, data: bytes, content: str, sides: tuple[str, str], known: Mapping[str, KnownFile]
    ) -> NoteFile:
        id = next((id for side in sides if (id := parse_page(side).id)), None)
        if id is None:
            raise InvalidInput(
                "file",
                "holds the marks of a merge (<<<<<<<), and whose it is cannot be told; settle it by hand, or put the"
                " marks into a block of code where they are text, and it is read",
            )
        if (id in self._with_marks or id in known) and not are_text(content):
            whole = parse_note(path, data, content)
            if id in self._with_marks or whole.hash == known[id].hash:
                return msgspec.structs.replace(whole, marked=True)  # somebody's note on merges, from before it said so
        both = (parse_note(path, data, side) for side in sides)
        first, second = sorted(both, key=lambda one: (one.hash, one.page.id or ""))
        twins = are_twins(first, second)
        if twins:
            now = self._core.clock()
            second, first = sorted((first, second), key=lambda one: one.draft.event_time or now)
        page = msgspec.structs.replace(second.page, id=second.page.id or id)
        if first.page.id not in (None, page.id):
            self._joined[first.page.id or ""] = page.id or ""
        other = None if twins or first.hash == second.hash else first
        return msgspec.structs.replace(second, page=page, marked=True, other=other)

    def _known_again(
        self, read: Sequence[NoteFile], known: Mapping[str, KnownFile], notes: Mapping[str, Record]
    ) -> list[NoteFile]:
        """A file that has lost its id and stands where a note stood is that note: an editor had it open before it got
        one, or what wrote it knows of none.
        """
        seen = {file.page.id for file in read}
        places = {kept.path: notes[id] for id, kept in known.items() if id in notes and id not in seen}
        return [
            sign(file, places[file.path]) if file.page.id is None and file.path in places else file for file in read
        ]

    def _without_strangers(self, read: Sequence[NoteFile], known: Mapping[str, KnownFile]) -> Iterator[NoteFile]:
        """The files, without those that share an id which nobody here knows: of none of them it can be told that it is
        a copy of another. They may have it from one template.
        """
        paths: dict[str, list[str]] = {}
        for file in read:
            if file.page.id is not None and file.page.id not in known:
                paths.setdefault(file.page.id, []).append(file.path)
        shared = {id for id, some in paths.items() if len(some) > 1}
        if shared:
            with self._core.store.read() as view:
                where = Filter(spaces=(self._space,), ids=tuple(shared), valid_only=False)
                shared -= {one.id for one in view.select(Record, where)}
        for file in read:
            if file.page.id not in shared:
                yield file
                continue
            others = [path for path in paths[file.page.id] if path != file.path]
            problem = f"id: {file.page.id} stands in {', '.join(others[:_MANY])}, too, and is of no note that is known"
            problem += " here; take that line out of all of them but one"
            self._problems.append(FileProblem(path=file.path, problem=problem))

    def _by_id(self, read: list[NoteFile], known: Mapping[str, KnownFile]) -> dict[str, NoteFile]:
        """The file of each record. Of two that have its id, one keeps it: that which was there before."""
        files: dict[str, NoteFile] = {}
        for file in self._without_strangers(read, known):
            if (id := file.page.id) is None:
                continue
            if id not in files:
                files[id] = file
                continue
            place = known[id].path if id in known else ""
            pair = sorted((files[id], file), key=lambda one: (one.path == place, one.hash, one.path))
            files[id] = pair[1]
            self._tell_apart(id, pair[0], pair[1])
        return files

    def _tell_apart(self, id: str, copy: NoteFile, other: NoteFile) -> None:
        """A copy that says the same is removed; one that says something else is a note of its own from now on."""
        if not self._keep_other(id, copy):
            return
        with self._step(copy.path) as edit:
            if copy.hash == other.hash:
                self._files.remove(copy.path, copy.data)
                self._did["removed"] += 1
                return
            record = self._keep_beside(edit, copy, id)
            self._write_file(copy.path, page_of(edit, record, copy), copy.data)
            kept = KnownFile(copy.path, hash_of(record, record.event_time), lines=True)
            edit.keep(self._shelf, {record.id: kept}, space=self._space)
            self._did.update(("added", "written"))
            self._copied[record.id] = (copy.path, other.path)

    # One record

    @contextmanager
    def _step(self, path: str) -> Generator[Edit]:
        """One transaction. What it fails with is told of the file, and what it had counted is not told."""
        did, conflicts = self._did.copy(), len(self._conflicts)
        try:
            with self._core.store.write(actor=self._core.actor) as edit:
                yield edit
        except RecollectError as error:
            self._did = did
            del self._conflicts[conflicts:]
            self._problems.append(FileProblem(path=path, problem=str(error)))

    def _keep_other(self, id: str, file: NoteFile) -> bool:
        """Keeps the other side of a merge, before the file that still has it is written anew. False where it cannot."""
        if file.other is None:
            return True
        with self._step(file.path) as edit:
            self._keep_beside(edit, file.other, id)
            return True
        return False

    def _one(self, id: str, kept: KnownFile | None, file: NoteFile | None) -> None:
        if file is not None and not self._keep_other(id, file):
            return
        with self._step(file.path if file is not None else "" if kept is None else kept.path) as edit:
            record = visible(edit, self._space, id)
            there = None if record is None else hash_of(record, record.event_time)
            base = None if kept is None else kept.hash
            if kept is not None and file is not None and file.is_as(kept):
                base, there = file.hash, file.hash if there == base else there
            if file is None:
                self._gone(edit, id, record, there, kept)
            elif (away := _put_away(edit, self._space, id, file)) is not None:
                self._agree(edit, away, file)
            elif record is not None and there == file.hash:
                self._agree(edit, record, file)
            elif there is None and base == file.hash:
                self._remove(edit, id, file)
            elif there == base or there is None:
                self._take(edit, id, file, record, edited=kept is not None)
            elif record is not None and (file.hash == base or has_said(edit, record, file.hash, base)):
                self._write(edit, record, file)
            else:
                self._keep_beside(edit, file, id)
                edit.keep(self._shelf, {id: KnownFile(file.path, file.hash, lines=True)}, space=self._space)
                self._to_write[id] = file

    def _gone(self, edit: Edit, id: str, record: Record | None, there: str | None, kept: KnownFile | None) -> None:
        """The file is no longer there: so is the record, unless it has changed since."""
        if record is None:
            edit.keep(self._shelf, {id: None}, space=self._space)
        elif there == (kept and kept.hash):
            gone = msgspec.structs.replace(record, status="archived")
            joined = self._joined.get(id)
            reason = "its file was deleted" if joined is None else f"a merge made its file one with that of {joined}"
            edit.apply([put_of(edit, gone, VERB, record, reason=reason)])
            self._conflicts += [] if joined is None else [id]
            take_back(edit, record)
            edit.keep(self._shelf, {id: None}, space=self._space)
            self._did["archived"] += 1
        else:
            self._write(edit, record, None, again="" if kept is None else kept.path)

    def _agree(self, edit: Edit, record: Record, file: NoteFile) -> None:
        if (now := located(record, file)) is not record and record.status not in HIDDEN_STATUSES:
            edit.apply([put_of(edit, now, VERB, record, reason=f"its file is {file.path}")])
        if file.signed is not None:
            self._files.write(file.path, file.signed, file.data)
        elif file.marked:
            self._write_file(file.path, page_of(edit, record, file), file.data)
        said = hash_of(record, record.event_time)
        edit.keep(self._shelf, {record.id: KnownFile(file.path, said, lines=said == file.hash)}, space=self._space)

    def _remove(self, edit: Edit, id: str, file: NoteFile) -> None:
        """The record is no longer there, and nobody has touched the file since."""
        require_not_undone(edit, self._space, id)
        self._files.remove(file.path, file.data)
        edit.keep(self._shelf, {id: None}, space=self._space)
        self._did["removed"] += 1

    def _take(self, edit: Edit, id: str, file: NoteFile, record: Record | None, *, edited: bool = False) -> None:
        """The file says something new."""
        old = record or edit.get(Record, self._space, id)
        if old is not None and old.kind in LEFT_OUT:
            raise InvalidInput(
                "id", f"{id} is a {old.kind}, which has no file; take the line out, and it is a new note"
            )
        require_not_let_go(edit, self._space, id, file, edited=edited)
        if old is None:
            at = file.draft.event_time or told_moment(file, edit.now)
            draft = located(msgspec.structs.replace(file.draft, id=id, event_time=at), file)
            new = self._screened(edit, make_record(self._core, edit, draft, self._space))
            edit.apply([put_of(edit, new, VERB, reason=f"read from {file.path}")])
            self._did["added"] += 1
        else:
            said = {name: getattr(file.draft, name) for name in KEYS if name != "event_time"}
            at = file.draft.event_time or old.event_time
            text = file.draft.text
            new = msgspec.structs.replace(old, **said, text=text, event_time=at, content_hash=content_hash(text))
            new = located(new, file)
            changed = [name for name, value in said.items() if value != getattr(old, name)]
            new = vouched(edit, old, self._screened(edit, new), changed, by_person=True)
            edit.apply([put_of(edit, new, VERB, old, reason=f"edited in {file.path}")])
            if new.text != old.text:
                take_back(edit, old, now=new.text)
            self._did["revised"] += 1
        self._name(edit, file.page)
        self._settle(edit, new, file)

    def _screened(self, edit: Edit, record: Record) -> Record:
        screen = Screen(edit, self._space)
        kept, masked = screen.take(record)
        if masked and screen.policy == "reject":
            raise InvalidInput("text", told_refused(masked))
        if kept is not record:
            raise InvalidInput("text", f"holds {_told(masked)}, which is not kept; take that out, and it is read")
        return kept

    def _name(self, edit: Edit, page: Page) -> None:
        for name in page.about:
            label = parse_label(name, "about")
            called = self._called.get(label.casefold())
            if called is None or resolve(edit, self._space, label) is not None:
                name_one(self._core, edit, label, self._space, {})
                continue
            entity, _ = name_one(self._core, edit, parse_label(called, "about"), self._space, {})
            describe(edit, entity, msgspec.structs.replace(entity, aliases=(*entity.aliases, label)))

    def _settle(self, edit: Edit, record: Record, file: NoteFile) -> None:
        """Both agree from here on; the file is written where it does not say all of it yet."""
        said = hash_of(record, record.event_time)
        if file.page.id is None or file.signed is not None or file.hash != said or file.marked:
            self._write_file(file.path, page_of(edit, record, file), file.data, whole=self._signed(record, file, said))
        edit.keep(self._shelf, {record.id: KnownFile(file.path, said, lines=True)}, space=self._space)

    def _signed(self, record: Record, file: NoteFile, said: str) -> bytes | None:
        """The file as it is, with the record's id and time at its top, if that says all of the record."""
        if file.signed is not None:
            return file.signed if file.hash == said else None
        if file.page.id is not None or file.marked:
            return None
        data = put_on_top(file.data, told_above(file, record))
        again = parse_note(file.path, data, content_of(data))
        return data if (again.page.id, again.hash) == (record.id, said) else None

    def _write(self, edit: Edit, record: Record, file: NoteFile | None, *, again: str = "") -> None:
        """The record says something new. Its file's own fields stay as they are, where it was of an earlier release.
        One that is gone is written `again` under the name that it had, where nothing else has it now.
        """
        page = page_of(edit, record, file)
        was = None if file is None else file.page.before
        as_before = file is not None and was is not None and says_same(record.metadata, was)
        if file is not None and as_before:
            page = msgspec.structs.replace(page, fields={**page.fields, "metadata": file.page.fields["metadata"]})
        path = self._place(page, self._files.taken(), again) if file is None else file.path
        if self._write_file(path, page, None if file is None else file.data):
            kept = KnownFile(path, hash_of(record, record.event_time), lines=not as_before)
            edit.keep(self._shelf, {record.id: kept}, space=self._space)
            self._did["written"] += 1

    def _keep_beside(self, edit: Edit, file: NoteFile, of: str) -> Record:
        """What one side said, as a record of its own. Its id follows from what it says: it is the same everywhere."""
        require_not_let_go(edit, self._space, of, file, edited=True)
        id = f"{of}~{file.hash[:8]}"[-200:]
        record = edit.get(Record, self._space, id)
        if record is None:
            metadata: dict[str, Json] = {**file.draft.metadata, CONFLICT_OF: of}
            draft = msgspec.structs.replace(file.draft, id=id, metadata=metadata)
            record = self._screened(edit, make_record(self._core, edit, draft, self._space))
            edit.apply([put_of(edit, record, VERB, reason=f"{of} was changed on both sides")])
        if note_conflict(edit, self._space, id, of):
            self._conflicts.append(id)
        return record

    # Files that are no record yet, and records that have no file yet

    def _new(self, file: NoteFile) -> None:
        with self._step(file.path) as edit:
            self._take(edit, self._core.new_id(), file, None)

    def _note_carried(self) -> None:
        """Notes what another machine has kept as both: whoever has the files is asked which of them stays."""
        with self._core.store.read() as view:
            carried = unnoted(view, self._space, notes_of(view, self._space))
        for id, of in carried.items():
            with self._core.store.write(actor=self._core.actor) as edit:
                note_conflict(edit, self._space, id, of)
            self._conflicts.append(id)

    def _write_missing(self) -> None:
        with self._core.store.read() as view:
            known = view.kept(self._shelf, space=self._space)
            records = [one for one in notes_of(view, self._space) if one.id not in known]
        taken = self._files.taken()
        with ThreadPoolExecutor(_WRITERS) as pool:  # a disk takes many files at once in little more time than one
            for _, some in parts(records, _AT_ONCE):
                with self._core.store.write(actor=self._core.actor) as edit:
                    self._write_some(edit, some, taken, pool)

    def _write_some(self, edit: Edit, records: Sequence[Record], taken: set[str], pool: ThreadPoolExecutor) -> None:
        new: dict[str, tuple[Record, bytes]] = {}
        for record in records:
            held = visible(edit, self._space, record.id)
            if held is None:
                continue
            page = page_of(edit, held)
            path = self._place(page, taken)
            if not self._is_shut(path):
                taken.add(path.casefold())
                new[path] = held, render_page(page).encode()

        def write(path: str) -> bool:
            return self._files.write(path, new[path][1], None)

        done = pool.map(write, new)
        written = [(path, new[path][0]) for path, is_written in zip(new, done, strict=True) if is_written]
        known = {one.id: KnownFile(path, hash_of(one, one.event_time), lines=True) for path, one in written}
        edit.keep(self._shelf, known, space=self._space)
        self._did["written"] += len(known)

    def _place(self, page: Page, taken: set[str], again: str = "") -> str:
        """A name for a new file, `again` if that is free: never in a folder that is passed over, where nobody would
        find it again.
        """
        if again and again.casefold() not in taken and not self._files.is_there(again) and self._files.may_hold(again):
            return again
        path = name_page(page, taken)
        return path if self._is_shut(path) or self._files.may_hold(path) else name_page(page, taken, sorted=False)

    def _write_file(self, path: str, page: Page, was: bytes | None, *, whole: bytes | None = None) -> bool:
        """Writes the file of a page. False where somebody has changed it since it was read."""
        data = whole or render_page(page).encode()
        if whole is None and was is not None and b"\r\n" in was:
            data = data.replace(b"\n", b"\r\n")
        return self._files.write(path, data, was)


def _put_away(view: View, space: str, id: str, file: NoteFile) -> Record | None:
    """The record of a note whose file itself says that it is archived, or superseded: such a file stays."""
    if file.draft.status not in HIDDEN_STATUSES:
        return None
    held = view.get(Record, space, id)
    return held if held is not None and hash_of(held, held.event_time) == file.hash else None


def _told(masked: Sequence[str]) -> str:
    return "a part that is marked as private" if not masked else f"what looks like a secret ({', '.join(masked)})"
