"""What is in a file, and what does it become?

A file becomes chunks of code or sources with their segments. What is different about the two is a `Kind`; how they are
read, and what is kept of it, is not.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from recollect.engine.intake.drafts import (
    describe_file,
    draft_conversation,
    draft_document,
    draft_page,
    place_conversation,
)
from recollect.engine.intake.results import SourceDraft
from recollect.engine.intake.sources import CountedSource, check_sizes
from recollect.engine.write.grounds import segment_kind
from recollect.engine.write.remember import count_terms, look_for_names
from recollect.errors import InvalidInput, SourceError
from recollect.ingest.code import Chunk, split_file
from recollect.ingest.documents import DOCUMENTS, LARGEST_DOCUMENT, MODES, Mode, parse_document, sniff
from recollect.ingest.lines import Data
from recollect.ingest.parsed import ADAPTER_VERSION
from recollect.ingest.pieces import heading_of
from recollect.ingest.regular import open_regular, read_regular
from recollect.ingest.repo import Parsed, parse_source
from recollect.ingest.transcripts import knows_transcript, read_transcript
from recollect.ingest.walk_files import SOURCE_CODE, TOO_LARGE, Choice, looks_generated, read_source, skip_name
from recollect.ingest.web import parse_fetched
from recollect.types import Segment

GONE = "gone"
UNREADABLE = "cannot be read"
NO_DOCUMENT = "no document"
FAILED = "its parser failed"
TRANSCRIPTS = (".json", ".jsonl")
LARGEST_TRANSCRIPT = 200 * 1024 * 1024
_LIGHT = 32 * 1024  # bytes
_NAMED = ("not UTF-8", UNREADABLE, FAILED, TOO_LARGE, "took longer", "needs more")


class Errand(Struct, frozen=True, array_like=True):
    """A file to be read, as which kind. If its content still has that hash, it is not parsed again.

    A page was fetched already: `body` is what came, `form` and `charset` what its server says of it. Of a file, `form`
    is the mode in which it must be read, where one was asked for.
    """

    path: str
    kind: str
    hash: str = ""
    form: str | None = None
    body: bytes | None = None
    charset: str | None = None


# What a process that reads sends back

CountedChunk = tuple[Chunk, Mapping[int, int]]
"""A chunk of code, and how often each term occurs in it."""


class ReadSegment(Segment, frozen=True, kw_only=True, array_like=True):
    """A segment, and the terms and names that were found in it."""

    locator: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    terms: dict[int, int]
    names: list[str]


class ReadSource(SourceDraft, frozen=True, kw_only=True, array_like=True):
    """A source, with what was found in its segments."""

    segments: tuple[ReadSegment, ...] = ()
    payload: dict[str, Any] = field(default_factory=dict[str, Any])
    file: dict[str, Any] | None = None

    def ready(self) -> CountedSource:
        return CountedSource(self, [(segment.terms, segment.names) for segment in self.segments])


class ReadFile(Struct, frozen=True, array_like=True):
    """What a file holds. `problem` says why nothing came of it; `same` that its content is what it was."""

    path: str
    hash: str = ""
    size: int = 0
    mtime: int = 0
    language: str = ""
    chunks: tuple[CountedChunk, ...] = ()
    sources: tuple[ReadSource, ...] = ()
    problem: str | None = None
    same: bool = False
    parsed: Parsed | None = None

    @property
    def pieces(self) -> int:
        """How many records it becomes."""
        return len(self.chunks) + sum(1 + len(source.segments) for source in self.sources)


class Kind(Struct, frozen=True):
    """What files can become: which ones are looked at, and what is in one.

    `left_out` says as what a file with a problem is counted, and whether it is named. What came of a file that is
    there, but no longer looked at, is kept with `keeps_ignored`. A change of `reader` has every file read anew.
    """

    name: str
    choice: Choice
    parse: Callable[[Path, Errand, ReadFile, Data], ReadFile]
    left_out: Callable[[str], tuple[str, bool]]
    keeps_ignored: bool
    reader: str = ""


def read_file(root: Path, errand: Errand) -> ReadFile:
    """Reads and parses one file; whatever is wrong with it is said in its `problem`."""
    kind, path = KINDS[errand.kind], root / errand.path
    if errand.body is not None:
        return kind.parse(root, errand, ReadFile(errand.path, size=len(errand.body)), errand.body)
    try:
        with open_regular(path) as file:
            info = os.fstat(file.fileno())
            if (reason := kind.choice.skip_size(path.name, info.st_size)) is not None:  # it has grown since
                return ReadFile(errand.path, problem=reason)
            data = file.read(_LIGHT + 1)
            if len(data) > _LIGHT:  # it need not be in memory as a whole
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        return ReadFile(errand.path, problem=GONE)
    except OSError as error:
        return ReadFile(errand.path, problem=f"{UNREADABLE}: {error.strerror}")
    seen = ReadFile(errand.path, hashlib.sha256(data).hexdigest(), len(data), info.st_mtime_ns)
    if seen.hash == errand.hash:
        return msgspec.structs.replace(seen, same=True)
    return kind.parse(root, errand, seen, data)


def is_light(root: Path, errand: Errand) -> bool:
    """Is a file so small and plain that no parser can take long over it?"""
    try:
        data = read_regular(root / errand.path, _LIGHT) if errand.body is None else errand.body
        return len(data) <= _LIGHT and sniff(errand.path, data) not in ("pdf", "html")
    except SourceError:
        return True  # no document, which is soon said
    except OSError as error:
        return error.errno != errno.EFBIG


# Code


def _parse_code(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:  # noqa: ARG001  the seam's shape
    try:
        text = read_source(bytes(data))
    except UnicodeDecodeError:
        return msgspec.structs.replace(seen, problem="not UTF-8")
    if text is None or looks_generated(seen.path, text):
        return msgspec.structs.replace(seen, problem="binary" if text is None else "generated")
    language, chunks = split_file(seen.path, text)
    counted = tuple((chunk, count_terms(chunk.title or seen.path, chunk.text)) for chunk in chunks)
    return msgspec.structs.replace(seen, language=language, chunks=counted)


def _leave_out_code(problem: str) -> tuple[str, bool]:
    return ("unreadable" if problem.startswith(UNREADABLE) else problem), problem.startswith(_NAMED)


def _parse_mapped(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:  # noqa: ARG001
    """A file of a repository's map; `form` is its language."""
    return msgspec.structs.replace(seen, parsed=parse_source(bytes(data), errand.form or ""))


# Documents and transcripts


def may_be_transcript(path: str) -> bool:
    """Could a file of that name be one? Its content tells."""
    return path.lower().endswith(TRANSCRIPTS)


def _skip(name: str) -> str | None:
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in DOCUMENTS and suffix not in TRANSCRIPTS:
        return NO_DOCUMENT
    if suffix == ".pdf":  # which are binary, as a walk for source code sees it
        return "hidden" if name.startswith(".") else None
    return skip_name(name, folder=False)


def _skip_size(name: str, size: int) -> str | None:
    if may_be_transcript(name):
        return NO_DOCUMENT if size > LARGEST_TRANSCRIPT else None
    return TOO_LARGE if size > LARGEST_DOCUMENT else None


def _parse_document(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:
    if not may_be_transcript(seen.path):
        return _drafted(seen, lambda: _draft_file(root, errand, seen, data), checked=True)
    if not knows_transcript(data):
        return msgspec.structs.replace(seen, problem=NO_DOCUMENT)
    return _drafted(seen, lambda: _draft_talks(root, seen, data), checked=True)


def _parse_file(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:
    return _drafted(seen, lambda: _draft_file(root, errand, seen, data))


def _parse_transcript(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:  # noqa: ARG001
    return _drafted(seen, lambda: _draft_talks(root, seen, data))


def _look_for_transcript(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:  # noqa: ARG001
    return msgspec.structs.replace(seen, problem=None if knows_transcript(data) else NO_DOCUMENT)


def _parse_page(root: Path, errand: Errand, seen: ReadFile, data: Data) -> ReadFile:  # noqa: ARG001
    return _drafted(
        seen, lambda: [draft_page(parse_fetched(seen.path, bytes(data), errand.form or "", errand.charset))]
    )


def _draft_file(root: Path, errand: Errand, seen: ReadFile, data: Data) -> list[SourceDraft]:
    path = root / seen.path
    mode: Mode | None = next((mode for mode in MODES if mode == errand.form), None)
    draft = draft_document(str(path), parse_document(path.name, bytes(data), mode), seen.hash)
    return [msgspec.structs.replace(draft, file=describe_file(seen.size, seen.mtime))]


def _draft_talks(root: Path, seen: ReadFile, data: Data) -> list[SourceDraft]:
    path = str(root / seen.path)
    described = {**describe_file(seen.size, seen.mtime), "path": path}
    return [
        draft_conversation(conversation, place_conversation(conversation, path, number), described)
        for number, conversation in enumerate(read_transcript(os.path.basename(path), data))
    ]


def _drafted(seen: ReadFile, draft: Callable[[], Sequence[SourceDraft]], *, checked: bool = False) -> ReadFile:
    """What a file becomes. Where nobody else will, it is checked here whether records can hold it."""
    try:
        drafts = draft()
        for one in drafts if checked else ():
            check_sizes(one)
    except (SourceError, InvalidInput) as error:
        return msgspec.structs.replace(seen, problem=str(error).removeprefix("path: "))
    if not drafts:
        return msgspec.structs.replace(seen, problem=NO_DOCUMENT)
    return msgspec.structs.replace(seen, sources=tuple(map(_count, drafts)))


def _leave_out_document(problem: str) -> tuple[str, bool]:
    return (NO_DOCUMENT, False) if problem == NO_DOCUMENT else ("unreadable", True)


def _count(draft: SourceDraft) -> ReadSource:
    kind = segment_kind(draft.source_kind)
    segments = tuple(
        ReadSegment(
            **msgspec.structs.asdict(one), terms=count_terms(heading_of(kind, one.title), one.text),
            names=look_for_names(kind, one.text),
        )
        for one in draft.segments
    )  # fmt: skip
    fields: dict[str, Any] = msgspec.structs.asdict(draft) | {"segments": segments}
    return ReadSource(**fields)


CODE = Kind("code", SOURCE_CODE, _parse_code, _leave_out_code, keeps_ignored=False)
DOCUMENT = Kind(
    "document", Choice(_skip, _skip_size), _parse_document, _leave_out_document, keeps_ignored=True,
    reader=ADAPTER_VERSION,
)  # fmt: skip
_ANY = Choice(lambda name: None, lambda name, size: None)  # noqa: ARG005  whoever asks for one file means it
FILE = Kind("file", _ANY, _parse_file, _leave_out_document, keeps_ignored=True)
TRANSCRIPT = Kind("transcript", _ANY, _parse_transcript, _leave_out_document, keeps_ignored=True)
LOOK = Kind("look", _ANY, _look_for_transcript, _leave_out_document, keeps_ignored=True)
PAGE = Kind("page", _ANY, _parse_page, _leave_out_document, keeps_ignored=True)
MAPPED = Kind("mapped", SOURCE_CODE, _parse_mapped, _leave_out_code, keeps_ignored=False)
KINDS = {kind.name: kind for kind in (CODE, DOCUMENT, FILE, TRANSCRIPT, LOOK, PAGE, MAPPED)}
