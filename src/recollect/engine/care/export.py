"""How is a memory written into a file that anybody can read, and how does it come back from one?

The first line says what the file is, the last one how many lines there are and what they hash to: a file that ends
early, or was changed, is noticed before anything is kept of it. With a passphrase the file is encrypted as age does it
(https://age-encryption.org), so that other programs can open it, too.
"""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Annotated, BinaryIO, TypeVar, cast

import msgspec
from msgspec import Struct

from recollect import parts, private
from recollect.engine.care import merge
from recollect.engine.care.export_rows import check_row
from recollect.engine.care.rebuild import make_words
from recollect.engine.care.whereabouts import Whereabouts
from recollect.engine.core import Core
from recollect.engine.intake.results import Imported
from recollect.engine.places import identity_of, keep_identity
from recollect.errors import ConfigError, Conflict, InvalidInput, ReadOnlyStore, StoreDamaged
from recollect.forms import decode
from recollect.store.kept import Exported
from recollect.store.move import SqlStore
from recollect.store.portable import (
    COUNTED,
    NOUNS,
    OBJECTS,
    Chosen,
    Fields,
    Row,
    Spaces,
    fill,
    is_empty,
    lines_of,
    parse_line,
    require_known,
    retired_at,
    row_of,
    space_no,
    travels,
)

FORMAT = 1
_FILE = "file"  # the field that is wrong where a file is
HEAD, IDENTITY, NUMBERS, END = "recollect", "identity", "numbers", "end"
AGE = b"age-encryption.org/v1\n"
_BEGINS = b'{"recollect":'
_GZIP, _GZIP_BITS = b"\x1f\x8b", 31  # how such a file begins, and how zlib is told
_LONGEST_LINE = 64 * 1024 * 1024
_SHOWN = 60  # bytes of a line
_NUMBERED = tuple(noun for noun, table in NOUNS.items() if table.key in (("no",), ("version",), ("entry",)))
_MARK = b"\xef\xbb\xbf"  # which some editors put before UTF-8

C = TypeVar("C")
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class _Head(Struct, frozen=True):
    format: int
    complete: bool = True
    chosen: dict[str, msgspec.Raw] = msgspec.field(default_factory=dict[str, msgspec.Raw])


class _Identity(Struct, frozen=True):
    space: str = ""
    text: str = ""


class _End(Struct, frozen=True):
    lines: dict[str, int]
    sha256: str


# Writing


def export(core: Core, target: Path | BinaryIO, chosen: Chosen | None, passphrase: str | None) -> Exported:
    """Writes all of a memory, or what belongs to some records of it, as it is at this moment.

    Who sees some spaces only writes out those, which is never all of it.
    """
    if chosen is None and core.store.site.limited:
        chosen = Chosen()
    if not isinstance(target, Path):
        return _write(core, target, chosen, passphrase)
    if target.is_dir():
        ending = "jsonl" if passphrase is None else "jsonl.age"
        target = target / f"recollect-{core.clock():%Y%m%d-%H%M%S}.{ending}"
    if target.exists():
        raise Conflict(f"{target} is there already; name another file, or a folder")
    with _making(target) as file:
        done = _write(core, file, chosen, passphrase)
    return msgspec.structs.replace(done, path=str(target))


@contextmanager
def _making(target: Path) -> Generator[BinaryIO]:
    """A file for its owner alone beside the one that is to be, which takes its name when all of it is on disk."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with parts.making(target) as part:
            with open(private.open_file(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
    except OSError as error:
        raise ReadOnlyStore(f"{target} cannot be written: {error.strerror}") from error


def _write(core: Core, file: BinaryIO, chosen: Chosen | None, passphrase: str | None) -> Exported:
    sealed = None if passphrase is None else _age().Writer(file, passphrase)
    plain = sealed or file
    counts: dict[str, int] = {}
    digest = hashlib.sha256()
    for line in _all_lines(core, chosen):
        plain.write(line)
        digest.update(line)
        noun = line[2 : line.index(b'"', 2)].decode()
        counts[noun] = counts.get(noun, 0) + 1
    counts.pop(HEAD)
    end = _End(lines=counts, sha256=digest.hexdigest())
    plain.write(_line(END, end))
    if sealed is not None:
        sealed.finish()
    return Exported(
        path=None, lines=counts, sha256=end.sha256, complete=chosen is None, encrypted=passphrase is not None
    )


def _all_lines(core: Core, chosen: Chosen | None) -> Iterator[bytes]:
    head: dict[str, object] = {"format": FORMAT, "complete": chosen is None}
    if chosen is not None:
        head["chosen"] = {name: value for name, value in msgspec.structs.asdict(chosen).items() if value}
    yield _line(HEAD, head)
    with cast("SqlStore", core.store).read() as view:
        yield from lines_of(view, chosen)
        names = [space.name for space in view.spaces(chosen.spaces if chosen and chosen.spaces else None)]
    for name in names if chosen is None or not chosen.narrow else ():
        text = identity_of(core.store, core.settings.home, name)
        if text:
            yield _line(IDENTITY, {"space": name, "text": text})


def _line(noun: str, value: object) -> bytes:
    return msgspec.json.encode({noun: value}) + b"\n"


# Reading


def is_export(data: bytes) -> bool:
    """Does a file begin like one of ours, plain, compressed or encrypted?"""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(_GZIP_BITS).decompress(data, max(len(AGE), len(_MARK) + len(_BEGINS)))
        except zlib.error:
            return False
    return data.removeprefix(_MARK).startswith((AGE, _BEGINS))


def is_encrypted(path: Path) -> bool:
    """Does a file need a passphrase? What is no file, as a pipe that may wait for ever, is not opened for it."""
    if not os.path.isfile(path):
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(AGE)) == AGE
    except OSError:
        return False


def import_export(core: Core, path: Path, *, dry_run: bool, passphrase: str | None) -> list[Imported]:
    """Takes over an export: as it is where nothing is held yet, and else object by object."""
    with opened(path, passphrase) as file:
        reading = _Reading(file)
        store = cast("SqlStore", core.store)
        with store.read() as view:
            empty = is_empty(view)
        if reading.head.complete and empty:
            return _take_whole(core, reading, path, dry_run=dry_run)
        held = Whereabouts(file)
        for noun, row in reading.rows():
            held.note(noun, row, reading.place)
        return merge.merge(core, held, reading.identities, str(path), dry_run=dry_run)


class _Undone(Exception):
    """Ends a transaction that was only tried."""


def _take_whole(core: Core, reading: _Reading, path: Path, *, dry_run: bool) -> list[Imported]:
    """Everything in one transaction, with its numbers. What is written out again must be what was read."""
    store = cast("SqlStore", core.store)
    try:
        with core.store.joined():
            with store.write(actor=core.actor) as edit:
                if not is_empty(edit):
                    raise Conflict(f"{store.site.location} was written to just now; run the import again")
                fill(edit, reading.rows(), reading.numbers)
            with core.store.write(actor=core.actor) as edit:
                make_words(edit)
            with store.read() as view:
                _prove(reading, lines_of(view))
            if dry_run:
                raise _Undone
    except _Undone:
        return reading.told(path)
    for space, text in reading.identities.items():
        keep_identity(core.store, space, text)
    core.written()
    return reading.told(path)


def _prove(reading: _Reading, lines: Iterable[bytes]) -> None:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    if digest.hexdigest() != reading.rows_digest:
        raise StoreDamaged("what arrived is not what the file holds; nothing was kept")


def verify(path: Path, passphrase: str | None = None) -> None:
    """Reads an export from its first line to its last, and raises where it is not whole."""
    with opened(path, passphrase) as file:
        for _ in _Reading(file).rows():
            continue


class _Reading:
    """One pass over the lines of an export, which must be whole."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._of_rows = hashlib.sha256()
        self._counts: dict[str, int] = {}
        self._spaces: Spaces = {}
        self._present: Counter[tuple[int, str]] = Counter()
        self._number = 0
        self._last: dict[str, int] = {}
        self._line = b""
        if file.read(len(_MARK)) != _MARK:
            file.seek(0)
        self.place = self._end = file.tell()
        """At which byte the line that was read last begins."""
        self.numbers: dict[str, int] = {}
        self.identities: dict[str, str] = {}
        noun, fields = self._next()
        if noun != HEAD:
            raise InvalidInput("file", "is no export of Recollect: its first line does not say so")
        self.head = _converted(fields, _Head, 1)
        if self.head.format > FORMAT:
            raise InvalidInput(
                "file",
                f"is of format {self.head.format}, and this release reads up to {FORMAT}: upgrade Recollect, or have"
                " the one that wrote it import it",
            )
        require_known(HEAD, fields, _Head.__struct_fields__, 1)
        require_known(f"{HEAD}.chosen", self.head.chosen, Chosen.__struct_fields__, 1)
        self._counts.clear()
        self._peeked = self._next()
        if self._peeked[0] == NUMBERS:
            self.numbers = _converted(self._peeked[1], dict[str, _Count], self._number)
            require_known(NUMBERS, self.numbers, COUNTED, self._number)

    @property
    def rows_digest(self) -> str:
        return self._of_rows.hexdigest()

    def rows(self) -> Iterator[tuple[str, Row]]:
        """The rows of all tables; identity texts are kept on the way. What is wrong with the file is found here."""
        noun, fields = self._peeked
        while noun != END:
            if noun in NOUNS:
                row = self._row(noun, fields)
                if noun in OBJECTS and retired_at(noun, row) is None:
                    self._present[space_no(noun, row), noun] += 1
                if travels(NOUNS[noun], row):
                    self._of_rows.update(self._line)
                    yield noun, row
            elif noun == IDENTITY:
                require_known(IDENTITY, fields, _Identity.__struct_fields__, self._number)
                told = _converted(fields, _Identity, self._number)
                self.identities[told.space] = told.text
            elif noun == NUMBERS:
                self._of_rows.update(self._line)
            else:
                raise InvalidInput(
                    "file", f"line {self._number:,}: this release knows no {noun!r}; a newer one wrote it"
                )
            noun, fields = self._next()
        require_known(END, fields, _End.__struct_fields__, self._number)
        end = _converted(fields, _End, self._number)
        if (end.lines, end.sha256) != (self._counts, self._before_end):
            raise InvalidInput("file", "was changed since it was written: its last line tells of other lines")
        self._require_the_end()

    def _row(self, noun: str, fields: Fields) -> Row:
        """What a line says, which must be what could have been written."""
        row = row_of(noun, fields, self._spaces, self._number)
        check_row(noun, row, self._spaces, self._number)
        if noun in _NUMBERED:
            if row[0] <= self._last.get(noun, -1):
                raise InvalidInput(
                    "file",
                    f"line {self._number:,}: {noun} {row[0]} comes twice, or out of its order. Nothing was taken",
                )
            self._last[noun] = row[0]
        return row

    def _require_the_end(self) -> None:
        """What follows the last line is told of nowhere, so that nobody could say whether it is whole."""
        after = self._file.readline(_LONGEST_LINE)
        if not after:
            return
        number = self._number + 1
        told = "is another export" if after.startswith(_BEGINS) else f"is {after[:_SHOWN].decode(errors='replace')!r}"
        raise InvalidInput(
            "file",
            f"goes on after its end: line {number:,} {told}. Nothing was taken; of several exports, give each its own"
            " file, and import one after the other",
        )

    def told(self, path: Path) -> list[Imported]:
        """How much of each space is in the present."""
        return [
            Imported(
                space=name, folder=str(path), identity=name in self.identities, records=self._present[number, "record"],
                entities=self._present[number, "entity"], facts=self._present[number, "relation"],
            )
            for name, number in self._spaces.items()
        ]  # fmt: skip

    def _next(self) -> tuple[str, Fields]:
        self._number += 1
        data = self._file.readline(_LONGEST_LINE)
        if not data.endswith(b"\n"):
            raise InvalidInput(
                "file",
                f"ends early, at line {self._number:,}: the export was not finished, or was cut off. Nothing was taken",
            )
        self.place, self._end = self._end, self._end + len(data)
        noun, fields = parse_line(data, self._number)
        self._before_end = self._digest.hexdigest() if noun == END else ""
        self._digest.update(data)
        self._line = data
        if noun != END:
            self._counts[noun] = self._counts.get(noun, 0) + 1
        return noun, fields


def _converted(fields: Fields, type_: type[C], number: int) -> C:
    try:
        return decode(msgspec.json.encode(fields), type_)
    except msgspec.DecodeError as error:
        raise InvalidInput("file", f"line {number:,}: {error}") from error


# Encryption


@contextmanager
def opened(path: Path, passphrase: str | None) -> Generator[BinaryIO]:
    """A file to read, decrypted on the way where it is encrypted, unpacked before where it is compressed."""
    try:
        with path.open("rb") as file:
            head = file.read(len(AGE))
            file.seek(0)
            if head == AGE and passphrase is None:
                raise InvalidInput("passphrase", f"{path.name} is encrypted; give the passphrase")
            if head == AGE:
                yield io.BufferedReader(_age().Reader(file, passphrase))
            elif head.startswith(_GZIP):
                with _unpacked(file) as whole:
                    yield whole
            else:
                yield file
    except InvalidInput as error:
        if error.field != _FILE:
            raise
        apart = "," if error.problem.startswith("line ") else ""
        raise InvalidInput(_FILE, f"{path.name}{apart} {error.problem}") from error
    except OSError as error:
        raise InvalidInput("file", f"{path} cannot be read: {error.strerror or error}") from error


@contextmanager
def _unpacked(file: BinaryIO) -> Generator[BinaryIO]:
    """What a compressed file holds, in one without a name: lines are looked up in it in any order."""
    import gzip  # what is only needed where something is compressed
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as whole:
        try:
            with gzip.GzipFile(fileobj=file) as packed:
                shutil.copyfileobj(packed, whole)
        except gzip.BadGzipFile as error:
            raise InvalidInput(
                _FILE,
                f"is damaged, or has other bytes behind what was compressed ({error}); nothing was taken. Compress the"
                " export anew",
            ) from error
        except (EOFError, zlib.error) as error:
            raise InvalidInput("file", "was cut off, or changed since it was compressed; nothing was taken") from error
        whole.seek(0)
        if whole.read(len(AGE)) == AGE:
            raise InvalidInput(
                _FILE, "is an encrypted export that was compressed; nothing was taken. Run gunzip, then import it"
            )
        whole.seek(0)
        yield whole


def _age() -> ModuleType:
    try:
        from recollect.engine.care import age  # brings in a library that few need
    except ImportError as error:
        raise ConfigError('encrypted exports need a package more: pip install "recollect[encrypt]"') from error
    return age
