"""Which files of a folder are source that someone wrote?

What git would ignore is left out (`.gitignore` in every folder, and in those above up to the repository's), and so is
what a `.memoryignore` names, written in the same way. Hidden, generated, downloaded and binary files are left out too,
unless a `.memoryignore` asks for them with `!`. Links are not followed, so there is no loop to get lost in.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from recollect.ingest.grammars import language_of
from recollect.ingest.ignore import MOST_LINES, Patterns, parse_patterns
from recollect.ingest.regular import read_regular
from recollect.types import FileProblem

LARGEST_FILE = 2 * 1024 * 1024
"""Bytes; what is larger is data or was made by a program."""
LARGEST_DATA = 100_000
"""Bytes of a file whose name does not say that a person wrote it."""
TOO_LARGE = "too large"
LARGEST_IGNORE = 1024 * 1024
IGNORE_FILES = (".gitignore", ".memoryignore")
_LONG_LINES = 1_000  # characters a line on average: made by a program
_LOOKED_AT = 8_192
_DEEPEST = 100

SKIPPED_FOLDERS = frozenset(
    """node_modules bower_components jspm_packages venv virtualenv __pycache__ site-packages __pypackages__ target dist
    build vendor Pods Carthage DerivedData coverage htmlcov _build _site""".split()
)
_LOCKS = frozenset(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb cargo.lock poetry.lock uv.lock
    pipfile.lock gemfile.lock composer.lock go.sum flake.lock packages.lock.json podfile.lock mix.lock""".split()
)
_MADE = (
    ".min.js", ".min.css", ".map", ".bundle.js", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".pb.h", ".pb.cc", ".g.dart",
    ".designer.cs", ".lock", ".snap",
)  # fmt: skip
_DATA = frozenset({"json", "xml", "sql", "yaml", "text", "html"})
_BINARY = frozenset(
    """.png .jpg .jpeg .gif .bmp .ico .webp .tif .tiff .psd .mp3 .mp4 .wav .ogg .flac .avi .mov .mkv .webm .pdf .zip .gz
    .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .class .pyc .pyo .pyd .so .dylib .dll .exe .o .a .lib .obj .bin .wasm
    .woff .woff2 .ttf .otf .eot .db .sqlite .sqlite3 .db-wal .db-shm .parquet .npy .npz .onnx .pt .pkl .pickle .h5
    .whl .egg .deb .rpm .dmg .iso .doc .docx .xls .xlsx .ppt .pptx .keystore .p12 .der .mo""".split()
)


class File(Struct, frozen=True):
    """A file that belongs to a project: its path below the root with `/`, its size and when it was last changed."""

    path: str
    size: int
    mtime: int


class Walked(Struct):
    """What a walk found, in the order of paths, and what it left out.

    That is: how many files for which reason, those to be named, and the folders that it could not look into.
    """

    files: list[File] = field(default_factory=list[File])
    skipped: Counter[str] = field(default_factory=Counter[str])
    problems: list[FileProblem] = field(default_factory=list[FileProblem])
    closed: list[str] = field(default_factory=list[str])


class Choice(Struct, frozen=True):
    """Which files are looked for: why one of a name, or of a name and a size, is left out (None: it is not)."""

    skip_name: Callable[[str], str | None]
    skip_size: Callable[[str, int], str | None]


Sides = Sequence[tuple[Choice, Walked]]
"""What is looked for in one walk, each with what is found of it."""


class Rules(Struct, frozen=True):
    """The patterns of one folder; paths are matched from that folder."""

    base: str
    spec: Patterns
    wants: Patterns | None


def skip_name(name: str, *, folder: bool) -> str | None:
    """Why a file or folder of that name is left out, whatever is in it; None where nothing speaks against it."""
    if name.startswith("."):
        return "hidden"
    if folder:
        return "dependency" if name in SKIPPED_FOLDERS or name.endswith(".egg-info") else None
    lower = name.lower()
    if os.path.splitext(lower)[1] in _BINARY:
        return "binary"
    if lower in _LOCKS or lower.endswith(_MADE):
        return "generated"
    return None


def _skip_source(name: str) -> str | None:
    return skip_name(name, folder=False)


def _skip_source_size(name: str, size: int) -> str | None:
    if size > LARGEST_FILE:
        return TOO_LARGE
    return "data" if size > LARGEST_DATA and _is_data(name) else None


SOURCE_CODE = Choice(_skip_source, _skip_source_size)


def walk_files(
    root: Path, choices: Sequence[Choice] = (SOURCE_CODE,), stopped: Callable[[], bool] = lambda: False
) -> list[Walked]:
    """What one walk through a folder finds of each choice; of what is left when it is told to stop, nothing."""
    sides = [(choice, Walked()) for choice in choices]
    _walk(root, "", rules_above(root), sides, stopped)
    return [walked for _, walked in sides]


def _walk(root: Path, below: str, rules: list[Rules], sides: Sides, stopped: Callable[[], bool]) -> None:
    if below.count("/") >= _DEEPEST:
        _name(sides, below, f"folder lies over {_DEEPEST} folders deep", "too deep")
        return
    try:
        with os.scandir(root / below) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        if not below:
            raise
        _name(sides, below, f"folder cannot be read: {error.strerror}", "unreadable")
        for _, walked in sides:
            walked.closed.append(below + "/")
        return
    names = {entry.name for entry in entries}
    if below and "pyvenv.cfg" in names:
        return
    if names.intersection(IGNORE_FILES):
        rules = [*rules, read_rules(root / below, below, [walked for _, walked in sides])]
    for entry in entries:
        if stopped():
            return
        path = f"{below}/{entry.name}" if below else entry.name
        try:
            if not is_text(entry.name):
                _name(sides, ascii(path), "its name cannot be read: not UTF-8", "unreadable")
            elif entry.is_symlink():
                for _, walked in sides:
                    walked.skipped["link"] += 1
            elif entry.is_dir():
                if _why_not(path, entry.name, rules, skip_name(entry.name, folder=True), folder=True) is None:
                    _walk(root, path, rules, sides, stopped)
            elif entry.is_file():
                for choice, walked in sides:
                    _look(path, entry, rules, choice, walked)
        except OSError as error:
            _name(sides, path, f"cannot be read: {error.strerror}", "unreadable")


def _name(sides: Sides, path: str, problem: str, reason: str) -> None:
    """Says, to whatever is looked for, that something could not be looked at."""
    for _, walked in sides:
        walked.problems.append(FileProblem(path=path, problem=problem))
        walked.skipped[reason] += 1


def is_text(name: str) -> bool:
    """Is a name made of characters? On some systems it may be any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _look(path: str, entry: os.DirEntry[str], rules: list[Rules], choice: Choice, walked: Walked) -> None:
    reason = _why_not(path, entry.name, rules, choice.skip_name(entry.name), folder=False)
    if reason is None:
        info = entry.stat(follow_symlinks=False)  # which the entry remembers
        reason = choice.skip_size(entry.name, info.st_size)
        if reason is None:
            walked.files.append(File(path, info.st_size, info.st_mtime_ns))
            return
        if reason == TOO_LARGE:
            walked.problems.append(FileProblem(path=path, problem=f"too large: {info.st_size:,} bytes"))
    walked.skipped[reason] += 1


def _is_data(name: str) -> bool:
    return language_of(name, "") in _DATA


def _why_not(path: str, name: str, rules: list[Rules], reason: str | None, *, folder: bool) -> str | None:
    """Why a path is left out: the nearest rule that speaks of it decides; a `reason` holds unless one asks for it."""
    if reason is not None and name != ".git" and _asked_for(path, rules, folder=folder):
        return None
    if reason is not None:
        return reason
    return "ignored" if is_ignored(path, rules, folder=folder) else None


def is_ignored(path: str, rules: list[Rules], *, folder: bool) -> bool:
    """Do some rules leave a path out? The nearest that speaks of it decides."""
    for rule in reversed(rules):
        spoken = rule.spec.decide(_from(rule.base, path), folder=folder)
        if spoken is not None:
            return spoken
    return False


def _asked_for(path: str, rules: list[Rules], *, folder: bool) -> bool:
    """Does a rule want a path, or else the nearest folder that it lies in?"""
    for rule in reversed(rules):
        if rule.wants is not None:
            seen, is_folder = _from(rule.base, path), folder
            while seen:
                spoken = rule.wants.decide(seen, folder=is_folder)
                if spoken is not None:
                    return not spoken
                seen, is_folder = seen.rpartition("/")[0], True
    return False


def _from(base: str, path: str) -> str:
    """A path as a pattern in `base` sees it. Of a folder above the root, `base` is what lies between, marked `..`."""
    if base.startswith("../"):
        return base[3:] + path
    return path[len(base) + 1 :] if base else path


def rules_above(root: Path) -> list[Rules]:
    """The rules of the folders above, from the repository's own down; none where they would leave out the root."""
    above = [root, *root.parents]
    home = next((place for place in above if (place / ".git").exists()), None)
    if home is None:
        return []
    rules: list[Rules] = []
    for folder in reversed(above[1 : above.index(home) + 1]):
        if (folder / ".gitignore").is_file():
            between = root.relative_to(folder).as_posix()
            rules.append(read_rules(folder, f"../{between}/", ()))
            parts = between.split("/")
            if any(rules[-1].spec.decide("/".join(parts[: at + 1]), folder=True) for at in range(len(parts))):
                return []
    return rules


def read_rules(folder: Path, base: str, walks: Sequence[Walked]) -> Rules:
    """What the ignore files of a folder say; `base` is its path below the root. Walks are told what is wrong."""
    lines: dict[str, tuple[str, ...]] = {}
    for name in IGNORE_FILES:
        below = f"{base}/{name}" if base else name
        try:
            data = read_regular(folder / name, LARGEST_IGNORE, links=False)
            lines[name] = tuple(data.decode("utf-8-sig", errors="replace").split("\n"))
        except FileNotFoundError:
            lines[name] = ()
        except OSError as error:
            lines[name] = ()
            _note(walks, below, f"cannot be read: {error.strerror}")
        if len(lines[name]) > MOST_LINES:
            _note(walks, below, f"has {len(lines[name]):,} lines; the first {MOST_LINES:,} are followed")
    wanted = lines[".memoryignore"]
    wants = wanted if any(line.startswith("!") for line in wanted) else ()
    spec = parse_patterns((*lines[".gitignore"][:MOST_LINES], *wanted[:MOST_LINES]))
    return Rules(base, spec, parse_patterns(wants) if wants else None)


def _note(walks: Sequence[Walked], path: str, problem: str) -> None:
    for walked in walks:
        walked.problems.append(FileProblem(path=path, problem=problem))


def read_source(data: bytes) -> str | None:
    """The text of a file; None where it is binary. Raises UnicodeDecodeError where it is text, but not UTF-8."""
    if b"\0" in data:
        return None
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def looks_generated(path: str, text: str) -> bool:
    """Does a file say that a program made it, or look as no person writes?"""
    lines = text.count("\n") + 1
    if len(text) > _LOOKED_AT and len(text) / lines > _LONG_LINES and PurePosixPath(path).suffix not in (".md", ".txt"):
        return True
    head = "\n".join(text[:2_000].splitlines()[:12])
    return "@generated" in head or ("DO NOT EDIT" in head and "generated" in head.lower())
