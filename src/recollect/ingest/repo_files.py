"""Which files of a repository belong into its map?

Generated folders never do. Folders of agents and worktrees (`PREFLIGHT`) do only when they are asked for: somebody has
to decide on them. What git ignores, or a `.memoryignore` names, does only where a pattern asks for it. Patterns are
compared with the path below the repository's root and with the name alone; one that fits a folder speaks for all that
is in it. Links are not followed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from recollect.errors import InvalidInput
from recollect.ingest.walk_files import IGNORE_FILES, Rules, Walked, is_ignored, is_text, read_rules, rules_above
from recollect.types import FileProblem

ALWAYS_EXCLUDED = frozenset(
    (".git", ".venv", "venv", "node_modules", "__pycache__", "dist", "build", "target", ".next", ".idea",
     ".pytest_cache")
)  # fmt: skip
PREFLIGHT = frozenset((".claude", ".codex", ".cursor", ".worktrees"))
MOST_FILES = 200_000
"""Who names a folder of more has most likely not meant a repository."""
_DEEPEST = 60


class Patterns(Struct, frozen=True):
    """What a caller wants in a map, and what not. Without `include` everything is wanted."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, include: Sequence[str], exclude: Sequence[str]) -> Patterns:
        """Patterns in the one form that they are kept in: slashes around them say nothing."""
        return cls(*(tuple(dict.fromkeys(map(_plain, given))) for given in (include, exclude)))

    def excludes(self, path: str) -> bool:
        """Does a pattern speak against a file or folder itself? Folders above it have been asked already."""
        return any(_fits(pattern, path) for pattern in self.exclude)

    def includes(self, path: str) -> bool:
        """Is a file wanted, by its own name or by that of a folder above it?"""
        if not self.include:
            return True
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        return any(_fits(pattern, place) for pattern in self.include for place in above)

    def asks_for(self, path: str) -> bool:
        """Does a pattern name a file or folder itself, or something in it, whatever else speaks against it?"""
        return any(_fits(pattern, path) or _plain(pattern).startswith(f"{path}/") for pattern in self.include)


class Listing(Struct):
    """The files of a repository by path, what stands at its top, agents' state that was met, what cannot be read."""

    files: list[str] = field(default_factory=list[str])
    top_level: list[str] = field(default_factory=list[str])
    preflight: list[str] = field(default_factory=list[str])
    problems: list[FileProblem] = field(default_factory=list[FileProblem])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """How many files and folders were passed over, by the reason."""


def list_repo(root: Path, patterns: Patterns, *, force: bool = False) -> Listing:
    """The files that belong into the map of a repository. With `force`, agents' state does too."""
    listing = Listing()
    walk = _walk(root, "", patterns, rules_above(root), listing, force=force)
    listing.files = sorted(islice(walk, MOST_FILES + 1))
    if len(listing.files) > MOST_FILES:
        raise InvalidInput("path", f"holds over {MOST_FILES:,} files; name a folder below it, or patterns")
    listing.top_level.sort()
    listing.preflight.sort()
    return listing


def _walk(
    root: Path, below: str, patterns: Patterns, rules: list[Rules] | None, listing: Listing, *, force: bool
) -> Iterator[str]:
    """The files of a folder and of those in it; `rules` are None where all was asked for."""
    entries = _entries(root, below, listing)
    here = _rules(root, below, entries, rules, listing)
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        folder = entry.is_dir(follow_symlinks=False)
        if patterns.excludes(path):
            listing.left_out["excluded_by_pattern"] += 1
            continue
        if entry.name in ALWAYS_EXCLUDED and (folder or entry.name == ".git"):  # in a worktree .git is a file
            listing.left_out["generated_folders"] += 1
            continue
        within = here
        if entry.name in PREFLIGHT and _concerns(root, path, patterns, folder=folder):
            listing.preflight.append(path)
            if not force:
                continue
            within = None
        elif here and is_ignored(path, here, folder=folder):
            if not patterns.asks_for(path):
                listing.left_out["ignored_by_git"] += 1
                continue
            within = None
        if not below:
            listing.top_level.append(entry.name)
        if folder:
            yield from _walk(root, path, patterns, within, listing, force=force)
        elif entry.is_file(follow_symlinks=False) and patterns.includes(path):
            yield path
        else:
            listing.left_out["not_included" if entry.is_file(follow_symlinks=False) else "links"] += 1


def _rules(
    root: Path, below: str, entries: Sequence[os.DirEntry[str]], rules: list[Rules] | None, listing: Listing
) -> list[Rules] | None:
    """The rules that hold in a folder: those above, and its own."""
    if rules is None or not any(entry.name in IGNORE_FILES for entry in entries):
        return rules
    walked = Walked()
    own = read_rules(root / below, below, [walked])
    listing.problems += walked.problems
    return [*rules, own]


def _entries(root: Path, below: str, listing: Listing) -> list[os.DirEntry[str]]:
    if below.count("/") >= _DEEPEST:
        listing.problems.append(FileProblem(path=below, problem=f"lies over {_DEEPEST} folders deep"))
        return []
    try:
        with os.scandir(root / below) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        if not below:
            raise
        listing.problems.append(FileProblem(path=below, problem=f"cannot be read: {error.strerror}"))
        return []
    readable: list[os.DirEntry[str]] = []
    for entry in entries:
        if is_text(entry.name):
            readable.append(entry)
        else:
            place = ascii(f"{below}/{entry.name}" if below else entry.name)
            listing.problems.append(FileProblem(path=place, problem="its name is not UTF-8"))
    return readable


def _concerns(root: Path, path: str, patterns: Patterns, *, folder: bool) -> bool:
    """Would this state of an agent come into the map? Where only some files are wanted, one of them must be in it."""
    if not patterns.include:
        return True
    if not folder:
        return patterns.includes(path)
    return next(_walk(root, path, patterns, None, Listing(), force=True), None) is not None


def _fits(pattern: str, path: str) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatchcase(path, form) or fnmatchcase(name, form) for form in _forms(pattern))


@lru_cache(maxsize=1_000)
def _forms(pattern: str) -> Sequence[str]:
    """A pattern as it is compared: `**/` may stand for no folder at all."""
    plain = _plain(pattern)
    return tuple(dict.fromkeys((plain, plain.replace("**/", ""), plain.removesuffix("/**"))))


def _plain(pattern: str) -> str:
    return pattern.strip().removeprefix("./").strip("/")
