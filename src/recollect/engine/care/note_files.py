"""How are the files of a folder of notes found, written and removed?

A file is written whole or not at all: first in a folder of our own beside the notes, which git and editors pass over,
and from there it takes its name. What a process that was killed has left there is removed by the next one.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from recollect import private
from recollect.errors import InvalidInput
from recollect.types import FileProblem

OWN = ".recollect-sync"
"""Our folder beside the notes: what is being written."""
_PART = re.compile(r"([1-9][0-9]{0,8})-[0-9]+\.part")
_EARLIER_PART = re.compile(r"\..+\.md\.([1-9][0-9]{0,8})")
"""What earlier releases wrote beside a file, until it took its name."""
_BEGINS = (b"---", b"\xef\xbb\xbf---")
_LONGEST_WRITE = 3_600
"""Seconds after which nobody writes a file any more, whoever has the number of the process that did."""
_ENDINGS = (".md", ".markdown")
_BESIDE = (".tmp", ".temp", ".bak", ".backup", ".orig", ".swp", "~")
"""How the name ends, before `.md`, of what an editor or a merge keeps of a file for a while."""
_SKIPPED = ("node_modules", "site-packages", "__pycache__")
_NOT_NOTES = ("pyvenv.cfg", ".git", ".hg", ".svn", ".jj", "_darcs", "CVS")
"""A folder that has one of these is an environment or a repository of its own."""
_BARE = {"HEAD", "objects", "refs"}
"""What a repository of git without files has."""
_BROUGHT = ("vendor", "third_party", "bower_components", "Pods", "target", "build", "dist")
"""What such a folder holds was brought or made by a program where one of the next stands beside it."""
_BUILT_BY = frozenset(
    """package.json composer.json go.mod Cargo.toml pyproject.toml setup.py Gemfile Podfile bower.json pom.xml
    build.gradle build.gradle.kts CMakeLists.txt Makefile""".split()
)
_GONE = (FileNotFoundError, NotADirectoryError)


class NoteFiles:
    """The files of one folder, by their paths in it."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._held: dict[str, bool] = {}  # what folders may hold, as was found out

    def notes(self, tell: Callable[[str, str], None] | None = None) -> Iterator[str]:
        """The Markdown files that are files, and not links to some. A folder that cannot be read is told, and why."""
        for path in self._all(tell):
            if is_note(path.name) and self._may_be_read(path, tell):
                yield self._named(path)

    def taken(self) -> set[str]:
        """The names that there are, in small letters."""
        return {self._named(path).casefold() for path in self._all()}

    def is_there(self, path: str) -> bool:
        """Is anything at all of that name there, or can nobody tell?"""
        try:
            os.lstat(self._top / path)
        except _GONE:
            return False
        except OSError:
            return True
        return True

    def read(self, path: str) -> bytes | None:
        try:
            return (self._top / path).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, path: str, data: bytes, was: bytes | None) -> bool:
        """Writes a file, unless somebody has changed it since it was read: then the next run looks at it again."""
        target = self._top / path
        try:
            if self.read(path) != was:
                return False
            if data != was:
                target.parent.mkdir(parents=True, exist_ok=True)
                part = self._own_folder() / f"{os.getpid()}-{threading.get_ident()}.part"
                private.write_whole(target, data, shared=True, by=part)
        except OSError as error:
            raise InvalidInput("file", f"{target} cannot be written: {error.strerror}") from error
        return True

    def remove(self, path: str, was: bytes) -> None:
        """Removes a file, unless somebody has changed it since it was read."""
        try:
            if self.read(path) == was:
                (self._top / path).unlink()
        except OSError as error:
            raise InvalidInput("file", f"{self._top / path} cannot be removed: {error.strerror}") from error

    def sweep(self) -> list[FileProblem]:
        """Removes what a process was writing when it was killed. Answers what could not be removed."""
        own, problems = self._top / OWN, list[FileProblem]()
        parts = [path for path in own.glob("*.part") if _is_left(path, _PART)]
        for path in [*parts, *(path for path in self._all() if _is_left(path, _EARLIER_PART))]:
            try:
                if path in parts or _begins_as_ours(path):
                    path.unlink(missing_ok=True)
            except OSError as error:
                problem = f"was left by a sync that was killed, and cannot be removed: {error.strerror}"
                problems.append(FileProblem(path=self._named(path), problem=problem))
        return problems

    def require_own(self) -> None:
        """What has the name of our folder must be a folder, and no way to another."""
        own = self._top / OWN
        try:
            mode = os.lstat(own).st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unreadable(error) from error
        if not stat.S_ISDIR(mode):
            what = "a link" if stat.S_ISLNK(mode) else "a file"
            raise InvalidInput(
                "folder", f"{own} is {what}, where sync has a folder of its own; move it away, and sync again"
            )

    def _own_folder(self) -> Path:
        self.require_own()
        own = self._top / OWN
        own.mkdir(exist_ok=True)
        ignore = own / ".gitignore"
        if not os.path.lexists(ignore):
            ignore.write_text("*\n", "utf-8")
        return own

    def _named(self, path: Path) -> str:
        return path.relative_to(self._top).as_posix()

    def _unreadable(self, error: OSError) -> InvalidInput:
        return InvalidInput("folder", f"{self._top} cannot be read: {error.strerror}")

    def _may_be_read(self, path: Path, tell: Callable[[str, str], None] | None) -> bool:
        """Is it a file, or something of which only reading it says what is wrong?"""
        try:
            return stat.S_ISREG(os.lstat(path).st_mode)
        except _GONE:
            return False
        except PermissionError as error:
            self._tell_shut(path.parent, error, tell)  # who may list a folder may not always look at what is in it
            return False
        except OSError:
            return True

    def _tell_shut(self, folder: Path, error: OSError, tell: Callable[[str, str], None] | None) -> None:
        if folder == self._top:
            raise self._unreadable(error) from error
        if tell is not None and not isinstance(error, _GONE):
            tell(self._named(folder), error.strerror or str(error))

    def _all(self, tell: Callable[[str, str], None] | None = None) -> Iterator[Path]:
        """The files of folders that may hold notes: none that is hidden, an environment or another repository."""

        def shut(error: OSError) -> None:
            self._tell_shut(Path(error.filename), error, tell)

        for folder, folders, names in os.walk(self._top, onerror=shut):
            if folder != str(self._top) and _is_foreign({*names, *folders}):
                folders.clear()
                continue
            folders[:] = sorted(name for name in folders if not _is_skipped(name, names))
            yield from (Path(folder, name) for name in sorted(names))

    def may_hold(self, path: str) -> bool:
        """May a file of that name be written: is the folder it lies in, as far as there is one, looked into?"""
        folder = path.rpartition("/")[0]
        if folder not in self._held:
            self._held[folder] = self._is_looked_into(folder)
        return self._held[folder]

    def _is_looked_into(self, folder: str) -> bool:
        place = self._top
        for name in filter(None, folder.split("/")):
            try:
                beside = os.listdir(place)
                place /= name
                if _is_skipped(name, beside):
                    return False
                if not os.path.lexists(place):
                    return True
                if place.is_symlink() or _is_foreign(os.listdir(place)):
                    return False
            except OSError:
                return False
        return True


def _is_foreign(names: Collection[str]) -> bool:
    """Is a folder, by what is in it, an environment or a repository of its own?"""
    return any(mark in names for mark in _NOT_NOTES) or _BARE.issubset(names)


def _is_skipped(name: str, beside: Collection[str]) -> bool:
    """Is a folder of that name, beside such files, none of notes?"""
    return name.startswith(".") or name in _SKIPPED or (name in _BROUGHT and not _BUILT_BY.isdisjoint(beside))


def is_hidden(name: str) -> bool:
    """Is a folder of that name, whatever it is in, none of notes?"""
    return _is_skipped(name, ())


def is_note(name: str) -> bool:
    """Is it by its name a Markdown file that is not hidden, and not what an editor puts beside one?"""
    stem, ending = os.path.splitext(name.lower())
    return ending in _ENDINGS and not name.startswith((".", "~$")) and not stem.endswith(_BESIDE)


def _is_left(path: Path, form: re.Pattern[str]) -> bool:
    """Is it by its name what a process wrote that is no more? Another may have its number by now."""
    named = form.fullmatch(path.name)
    if named is None:
        return False
    try:
        found = os.lstat(path)
    except OSError:
        return False  # it has taken its name meanwhile, or its folder cannot be read, which is told
    if stat.S_ISLNK(found.st_mode):
        return False
    written = found.st_mtime
    return not private.runs_elsewhere(int(named[1])) or written < time.time() - _LONGEST_WRITE


def _begins_as_ours(path: Path) -> bool:
    with path.open("rb") as file:
        begins = file.read(8)
    return begins.startswith(_BEGINS) or any(mark.startswith(begins) for mark in _BEGINS)
