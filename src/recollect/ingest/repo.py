"""What is in a repository, in outline?

A map of it: which source files there are, what the modules define and import, which documents there are and what their
sections are about, each with the lines where it stands. Whoever wants the whole of something reads the file.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct

from recollect.ingest.chunks import Chunk, chunk_markdown, plain_lines
from recollect.ingest.grammars import is_parsed, language_of
from recollect.ingest.repo_files import Listing, Patterns, list_repo
from recollect.ingest.symbols import Outline, outline_source
from recollect.ingest.walk_files import LARGEST_FILE
from recollect.types import FileProblem

MOST_DOCUMENTS = 300
MOST_SECTIONS = 400
MOST_CODE_FILES = 500
MOST_MODULES = 200
EXCERPT_CHARS = 240
_CODE_CHARS = 1_600
_CODE_LINES = 40
_MAP = b"repo_map.v1\n"
_NOT_CODE = frozenset(("json", "yaml", "toml", "ini", "xml", "text", "rst", "markdown"))
_ASIDE = frozenset(
    ("test", "tests", "spec", "specs", "example", "examples", "bench", "benchmarks", "fixtures", "vendor")
)


class Source(Struct, frozen=True):
    """A file of code or documentation: its path below the root, and what can be said of it at a glance."""

    path: str
    language: str
    lines: int
    hash: str


class Module(Struct, frozen=True):
    """A parsed source file, and how it begins."""

    source: Source
    name: str
    outline: Outline
    beginning: str
    beginning_lines: int


class Parsed(Struct, frozen=True, array_like=True):
    """What is in one file: a module's outline and how it begins, or the parts of a document."""

    outline: Outline = Outline()
    beginning: str = ""
    beginning_lines: int = 0
    chunks: tuple[Chunk, ...] = ()


class Section(Struct, frozen=True):
    """A part of a document, and where it stands."""

    path: str
    chunk: Chunk


class RepoMap(Struct, frozen=True, kw_only=True):
    """A repository in outline. The totals count what the caps left out, too."""

    root: str
    name: str
    fingerprint: str
    top_level: tuple[str, ...]
    preflight: tuple[str, ...]
    languages: dict[str, int]
    code: tuple[Source, ...]
    modules: tuple[Module, ...]
    documents: tuple[Source, ...]
    sections: tuple[Section, ...]
    sections_of: dict[str, int]
    totals: dict[str, int]
    left_out: dict[str, int]
    problems: tuple[FileProblem, ...]


class Scan(Struct, frozen=True):
    """The files of a repository as they are now, before any of them is parsed."""

    root: Path
    listing: Listing
    code: tuple[Source, ...]
    documents: tuple[Source, ...]
    fingerprint: str
    problems: tuple[FileProblem, ...]


def scan_repo(
    root: Path, patterns: Patterns, *, force: bool = False, checkpoint: Callable[[], None] = lambda: None
) -> Scan:
    """Lists the files of a repository and takes their fingerprint.

    It is the same as long as no file changes and the same is asked for, by the same patterns.
    """
    listing = list_repo(root, patterns, force=force)
    problems = list(listing.problems)
    found: list[Source] = []
    for path in listing.files:
        language = _sort_of(path)
        if language is None:
            listing.left_out["neither_code_nor_markdown"] += 1
            continue
        checkpoint()
        source = _look_at(root, path, language, problems)
        if source is not None:
            found.append(source)
    digest = hashlib.sha256(_MAP)
    for line in (
        *_asked(patterns, force=force),
        "",
        *listing.top_level,
        "",
        *(f"{one.path}\0{one.hash}" for one in found),
    ):
        digest.update(line.encode() + b"\n")
    return Scan(
        root,
        listing,
        tuple(one for one in found if one.language != "markdown"),
        tuple(one for one in found if one.language == "markdown"),
        digest.hexdigest(),
        tuple(problems),
    )


Read = Callable[[Path, Sequence[Source]], Iterator[tuple[str, Parsed | str]]]
"""Parses files below a folder: of each its path and what is in it, or what is wrong with it. In whichever order."""


def read_here(root: Path, sources: Sequence[Source]) -> Iterator[tuple[str, Parsed | str]]:
    """Parses files in this process, which is for those that one wrote oneself."""
    for source in sources:
        problems: list[FileProblem] = []
        data = _bytes(root, source.path, problems)
        yield source.path, problems[0].problem if data is None else parse_source(data, source.language)


def parse_source(data: bytes, language: str) -> Parsed:
    """What is in a file of code, or in a document."""
    text = plain_lines(data.decode("utf-8-sig", "replace"))
    if language == "markdown":
        return Parsed(chunks=tuple(chunk_markdown(text)))
    return Parsed(outline_source(text, language), *_beginning(text))


def map_repo(scan: Scan, read: Read = read_here) -> RepoMap:
    """Parses what a scan found, as far as the caps allow."""
    documents = tuple(sorted(scan.documents, key=_prominence))[:MOST_DOCUMENTS]
    code = tuple(sorted(scan.code, key=_prominence))
    parsed = [source for source in code if is_parsed(source.language)]
    problems = list(scan.problems)
    found = dict(read(scan.root, [*parsed[:MOST_MODULES], *documents]))
    problems += [FileProblem(path=path, problem=one) for path, one in sorted(_wrong(found))]
    modules = [
        Module(source, module_name(source.path), one.outline, one.beginning, one.beginning_lines)
        for source in parsed[:MOST_MODULES]
        if isinstance(one := found.get(source.path), Parsed)
    ]
    sections: list[Section] = []
    counts: dict[str, int] = {}
    for source in documents:
        one = found.get(source.path)
        chunks = one.chunks if isinstance(one, Parsed) else ()
        counts[source.path] = len(chunks)
        sections += [Section(source.path, chunk) for chunk in chunks]
    return RepoMap(
        root=str(scan.root),
        name=scan.root.name or str(scan.root),
        fingerprint=scan.fingerprint,
        top_level=tuple(scan.listing.top_level),
        preflight=tuple(scan.listing.preflight),
        languages=dict(Counter(source.language for source in scan.code).most_common()),
        code=code[:MOST_CODE_FILES],
        modules=tuple(modules),
        documents=documents,
        sections=tuple(sections[:MOST_SECTIONS]),
        sections_of=counts,
        totals={
            "code_files": len(scan.code), "code_modules": len(parsed), "documents": len(scan.documents),
            "document_sections": len(sections),
        },
        left_out=dict(scan.listing.left_out),
        problems=tuple(problems),
    )  # fmt: skip


def _wrong(found: Mapping[str, Parsed | str]) -> Iterator[tuple[str, str]]:
    return ((path, one) for path, one in found.items() if isinstance(one, str))


def _asked(patterns: Patterns, *, force: bool) -> Iterator[str]:
    """What was asked for, in one form."""
    yield from (f"+{pattern}" for pattern in sorted(set(patterns.include)))
    yield from (f"-{pattern}" for pattern in sorted(set(patterns.exclude)))
    yield from ["forced"] if force else []


def _sort_of(path: str) -> str | None:
    """The language of a file that belongs into a map; None where it does not."""
    language = language_of(path, "")
    return language if language == "markdown" or language not in _NOT_CODE else None


def _look_at(root: Path, path: str, language: str, problems: list[FileProblem]) -> Source | None:
    data = _bytes(root, path, problems)
    if data is None:
        return None
    if path.endswith(".h"):  # of C or of C++: the text tells
        language = language_of(path, data[:4_000].decode("utf-8", "replace"))
    lines = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    return Source(path, language, lines, hashlib.sha256(data).hexdigest())


def _bytes(root: Path, path: str, problems: list[FileProblem]) -> bytes | None:
    """The bytes of a text that is not too large; what is neither is named among the problems."""
    try:
        with open(os.path.join(root, path), "rb") as file:  # thousands of them: a Path takes longer
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        problems.append(FileProblem(path=path, problem=f"cannot be read: {error.strerror}"))
        return None
    if len(data) > LARGEST_FILE:
        problems.append(FileProblem(path=path, problem=f"too large: over {LARGEST_FILE:,} bytes"))
        return None
    if b"\0" in data:
        problems.append(FileProblem(path=path, problem="binary, though its name says text"))
        return None
    return data


def _prominence(source: Source) -> tuple[bool, int, str]:
    """What is read first where not all can be: the code before its tests and examples, README before the rest."""
    place = PurePosixPath(source.path)
    stem = place.stem.lower()
    aside = bool(_ASIDE.intersection(part.lower() for part in place.parts[:-1])) or (
        stem.startswith("test_") or stem.endswith(("_test", ".test", ".spec"))
    )
    front = stem == "readme" and len(place.parts) == 1
    return aside, 0 if front else 1, source.path


def module_name(path: str) -> str:
    """`src/pkg/core.py` is `src.pkg.core`; a package is called by its folder."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if len(parts) > 1 and parts[-1] in ("__init__", "mod"):
        parts.pop()
    return ".".join(parts)


def _beginning(text: str) -> tuple[str, int]:
    """The first lines of a file, and how many they are."""
    kept: list[str] = []
    size = 0
    for line in text.split("\n")[:_CODE_LINES]:
        size += len(line) + 1
        if kept and size > _CODE_CHARS:
            break
        kept.append(line[:_CODE_CHARS])
    while kept and not kept[-1].strip():
        kept.pop()
    return "\n".join(kept), len(kept)


def excerpt(text: str, longest: int = EXCERPT_CHARS) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"


def internal_imports(modules: Sequence[Module]) -> Iterator[tuple[str, str]]:
    """Which module imports which, as far as both are in the map: pairs of paths."""
    by_name = {name: module.source.path for module in modules for name in _spellings(module)}
    for module in modules:
        here = PurePosixPath(module.source.path)
        seen: set[str] = set()
        for name in (*module.outline.imports, *module.outline.members):
            target = _resolve(name, here, by_name)
            if target is not None and target != module.source.path and target not in seen:
                seen.add(target)
                yield module.source.path, target


def _spellings(module: Module) -> Iterator[str]:
    """How others may import a module: by its dotted name from any folder down, or by its path without the suffix."""
    parts = module.name.split(".")
    yield from (".".join(parts[start:]) for start in range(len(parts) - 1))
    if len(parts) == 1:
        yield module.name
    yield "/" + str(PurePosixPath(module.source.path).with_suffix(""))


def _resolve(name: str, here: PurePosixPath, by_name: dict[str, str]) -> str | None:
    if name.startswith("./") or name.startswith("../"):
        steps = list(here.parent.parts)
        for part in PurePosixPath(name).parts:
            if part == "..":
                steps = steps[:-1]
            elif part != ".":
                steps.append(part)
        path = "/" + "/".join(steps)
        return (
            by_name.get(path) or by_name.get(str(PurePosixPath(path).with_suffix(""))) or by_name.get(f"{path}/index")
        )
    if name.startswith("."):
        level = len(name) - len(name.lstrip("."))
        base = list(here.parent.parts)
        base = base[: len(base) - (level - 1)] if level > 1 else base
        rest = [part for part in name.lstrip(".").split(".") if part]
        return by_name.get(".".join([*base, *rest])) if rest or base else None
    return by_name.get(name.replace("::", "."))
