"""How do the documents of a folder become sources, and how are they kept in step with it?

Files that are as they were by size and time are not read; those that were read and have the same content are not
parsed. Some files make one transaction, each of them whole. The source of a file that is gone is archived; a transcript
that is gone leaves what was said in it.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, space_of
from recollect.engine.intake.files import (
    draft_conversation,
    draft_document,
    locate_file,
    place_conversation,
    read_bytes,
)
from recollect.engine.intake.sources import (
    Ready,
    archive_gone,
    check_sizes,
    file_of,
    has_labels,
    ingest_sources,
    segment_kind,
    sources_below,
)
from recollect.engine.intake.workers import Order, Work, do_orders, take_orders
from recollect.engine.write.remember import count_terms, look_for_names
from recollect.errors import InvalidInput, SourceError
from recollect.ingest.documents import DOCUMENTS, LARGEST_DOCUMENT, parse_document
from recollect.ingest.parsed import ADAPTER_VERSION
from recollect.ingest.transcripts import knows_transcript, read_transcript
from recollect.ingest.walk_files import TOO_LARGE, Choice, Found, Walked, skip_name, walk_files
from recollect.types import Adapter, Draft, FileProblem, IngestedFolder, Record, Segment, SourceDraft, SourceKind

TRANSCRIPTS = (".json", ".jsonl")
LARGEST_TRANSCRIPT = 200 * 1024 * 1024
MOST_NAMED = 1_000
_BATCH_SEGMENTS = 2_000
_BATCH_SECONDS = 1.0
_GONE_AT_ONCE = 50
_RACY = 2_000_000_000  # nanoseconds: a file that changed this shortly before it was read may have changed again

Progress = Callable[[int, int], None]


# What a process that reads sends back


class _Segment(Struct, frozen=True, array_like=True):
    text: str
    title: str | None
    role: str | None
    event_time: datetime | None
    locator: dict[str, Any]
    terms: dict[int, int]
    names: list[str]


class _Source(Struct, frozen=True, array_like=True):
    location: str
    source_kind: SourceKind
    title: str
    fingerprint: str
    adapter: Adapter
    summary: str
    session: str | None
    payload: dict[str, Any]
    file: dict[str, Any]
    segments: tuple[_Segment, ...]


class ReadDocument(Struct, frozen=True, array_like=True):
    """What a file holds; else `problem` says why not, `same` that it is as it was, `other` that it is no transcript."""

    path: str
    sources: tuple[_Source, ...] = ()
    problem: str | None = None
    same: bool = False
    other: bool = False


def read_document(root: Path, order: Order) -> ReadDocument:
    """Reads and parses one file; whatever is wrong with it is said in its `problem`."""
    path = root / order.path
    named = path.suffix.lower() in TRANSCRIPTS
    try:
        data, known_by = read_bytes(path, LARGEST_TRANSCRIPT if named else LARGEST_DOCUMENT)
        digest = hashlib.sha256(data)
        if digest.digest() == order.hash:
            return ReadDocument(order.path, same=True)
        if not named:
            draft = draft_document(str(path), parse_document(path.name, data), digest.hexdigest())
            check_sizes(draft)
            return ReadDocument(order.path, (_pack(msgspec.structs.replace(draft, file=known_by)),))
        if not knows_transcript(data):
            return ReadDocument(order.path, other=True)
        known = {**known_by, "path": str(path), "hash": digest.hexdigest()}
        drafts = [
            draft_conversation(conversation, place_conversation(conversation, str(path), number), known)
            for number, conversation in enumerate(read_transcript(path.name, data))
        ]
        return ReadDocument(order.path, tuple(map(_pack, drafts)), other=not drafts)
    except (SourceError, InvalidInput) as error:
        return ReadDocument(order.path, problem=str(error).removeprefix("path: "))


def _pack(draft: SourceDraft) -> _Source:
    kind = segment_kind(draft.source_kind)
    segments = tuple(
        _Segment(
            one.text, one.title, one.role, one.event_time, dict(one.locator), count_terms(one.title, one.text),
            look_for_names(kind, one.text)
        )
        for one in draft.segments
    )  # fmt: skip
    return _Source(
        draft.location, draft.source_kind, draft.title, draft.fingerprint, draft.adapter, draft.summary, draft.session,
        dict(draft.payload), dict(draft.file or {}), segments,
    )  # fmt: skip


def _unpack(source: _Source) -> Ready:
    segments = tuple(
        Segment(text=s.text, title=s.title, role=s.role, event_time=s.event_time, locator=s.locator)
        for s in source.segments
    )
    draft = SourceDraft(
        location=source.location, source_kind=source.source_kind, title=source.title,
        fingerprint=source.fingerprint, adapter=source.adapter, summary=source.summary, session=source.session,
        payload=source.payload, file=source.file, segments=segments,
    )  # fmt: skip
    return Ready(draft, [(segment.terms, segment.names) for segment in source.segments])


def work() -> None:
    """The whole life of a process that reads documents."""
    take_orders(_WORK)


_WORK = Work(
    module=__name__,
    read=lambda root, order: read_document(root, order),
    decode=msgspec.msgpack.Decoder(tuple[ReadDocument, ...]).decode,
    failed=lambda order: ReadDocument(order.path, problem="its parser failed or took too long"),
)


# A run


def _skip(name: str) -> str | None:
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in DOCUMENTS and suffix not in TRANSCRIPTS:
        return "no document"
    if suffix == ".pdf":  # which are binary, as a walk for source code sees it
        return "hidden" if name.startswith(".") else None
    return skip_name(name, folder=False)


def _skip_size(name: str, size: int) -> str | None:
    if name.lower().endswith(TRANSCRIPTS):
        return "no document" if size > LARGEST_TRANSCRIPT else None
    return TOO_LARGE if size > LARGEST_DOCUMENT else None


_CHOICE = Choice(_skip, _skip_size)


def ingest_folder(
    core: Core,
    path: str | os.PathLike[str],
    space: str,
    fields: Draft,
    progress: Progress | None,
    cancelled: Callable[[], bool],
) -> IngestedFolder:
    """Brings the sources of a folder in step with its documents."""
    root = locate_file(path)
    if not root.is_dir():
        raise InvalidInput("path", f"{root} is not a folder")
    return _Run(core, root, space, fields, progress, cancelled).go()


class _Run:
    """One pass over a folder."""

    def __init__(
        self,
        core: Core,
        root: Path,
        space: str,
        fields: Draft,
        progress: Progress | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self._core = core
        self._root = root
        self._space = space
        self._fields = fields
        self._progress = progress
        self._cancelled = cancelled
        self._stop = threading.Event()
        self._counts = {"stored": 0, "updated": 0, "unchanged": 0}
        self._segments = 0
        self._problems: list[FileProblem] = []

    def go(self) -> IngestedFolder:
        walked = Walked()
        try:
            found = list(walk_files(self._root, walked, _CHOICE))
        except OSError as error:
            raise SourceError(f"{self._root} cannot be read: {error.strerror}") from error
        held, said = self._held(any(_is_transcript(file.path) for file in found))
        self._problems += walked.problems
        orders = [order for file in found if (order := self._order(file, held, said)) is not None]
        total, done = len(found), len(found) - len(orders)
        self._tell(done, total)
        for batch in self._batches(do_orders(self._root, orders, self._stop, _WORK)):
            self._store(batch, walked)
            done += len(batch)
            self._tell(done, total)
            if self._cancelled():
                self._stop.set()
        archived = 0 if self._stop.is_set() else self._drop(held, found, walked)
        skipped = {reason: count for reason, count in sorted(walked.skipped.items()) if reason != "no document"}
        return IngestedFolder(
            path=str(self._root), space=self._space, **self._counts, archived=archived, segments=self._segments,
            finished=not self._stop.is_set(),
            skipped=skipped, problems=tuple(self._problems[:MOST_NAMED]),
        )  # fmt: skip

    def _tell(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(done, total)

    def _held(self, transcripts: bool) -> tuple[dict[str, Record], dict[str, list[Record]]]:
        """What the store holds of this folder: sources by their path, and conversations by that of their transcript."""
        with self._core.store.read() as view:
            if space_of(view, self._space) is None:
                return {}, {}
            below = sources_below(view, self._space, str(self._root).rstrip(os.sep) + os.sep)
            talks = sources_below(view, self._space, "conversation:") if transcripts else []
        said: dict[str, list[Record]] = {}
        for record in talks:
            said.setdefault(str(file_of(record).get("path")), []).append(record)
        return {str(record.source): record for record in below}, said

    def _order(self, file: Found, held: Mapping[str, Record], said: Mapping[str, list[Record]]) -> Order | None:
        """What must be done about a file; None where it is as it was."""
        path = str(self._root / file.path)
        records = said.get(path, []) if _is_transcript(path) else [held[path]] if path in held else []
        if not records or not all(has_labels(record, self._fields) and _is_current(record) for record in records):
            return Order(file.path, b"")
        if all(_is_unchanged(file, file_of(record)) for record in records):
            self._counts["unchanged"] += len(records)
            return None
        known = file_of(records[0]).get("hash") or records[0].metadata.get("fingerprint")
        return Order(file.path, bytes.fromhex(str(known)))

    def _batches(self, documents: Iterator[ReadDocument]) -> Iterator[list[ReadDocument]]:
        """Documents in handfuls that make one transaction."""
        batch: list[ReadDocument] = []
        size, since = 0, time.monotonic()
        for document in documents:
            batch.append(document)
            size += 1 + sum(len(source.segments) for source in document.sources)
            if size >= _BATCH_SEGMENTS or time.monotonic() - since > _BATCH_SECONDS:
                yield batch
                batch, size, since = [], 0, time.monotonic()
        if batch:
            yield batch

    def _store(self, batch: Sequence[ReadDocument], walked: Walked) -> None:
        ready: list[Ready] = []
        for document in batch:
            if document.problem is not None:
                self._problems.append(FileProblem(path=document.path, problem=document.problem))
                walked.skipped["unreadable"] += 1
            self._counts["unchanged"] += document.same
            ready += map(_unpack, document.sources)
        spoken = [one for one in ready if one.draft.source_kind == "conversation"]
        written = [one for one in ready if one.draft.source_kind != "conversation"]
        said = msgspec.structs.replace(self._fields, memory_type="episodic")
        for some, fields in ((written, self._fields), (spoken, said)):
            for answer in ingest_sources(self._core, some, self._space, fields) if some else ():
                self._counts[answer.outcome] += 1
                self._segments += answer.added

    def _drop(self, held: Mapping[str, Record], found: Sequence[Found], walked: Walked) -> int:
        """Archives what came from files that are no longer there.

        One that is only ignored by now stays, and so does one in a folder that could not be looked into.
        """
        there = {str(self._root / file.path) for file in found}
        closed = tuple(f"{self._root / folder}{os.sep}" for folder in walked.closed)
        gone = [
            record
            for path, record in held.items()
            if path not in there and record.status != "archived" and not path.startswith(closed)
            and not os.path.lexists(path)
        ]  # fmt: skip
        parts = [gone[start : start + _GONE_AT_ONCE] for start in range(0, len(gone), _GONE_AT_ONCE)]
        return sum(archive_gone(self._core, part) for part in parts)


def _is_transcript(path: str) -> bool:
    return path.lower().endswith(TRANSCRIPTS)


def _is_current(record: Record) -> bool:
    adapter = record.metadata.get("adapter")
    return isinstance(adapter, Mapping) and adapter.get("version") == ADAPTER_VERSION


def _is_unchanged(file: Found, known: Mapping[str, object]) -> bool:
    """Is a file, by its size and time, what it was when it was read, and was it old enough then to tell?"""
    read_at = known.get("read_at")
    if (file.size, file.mtime) != (known.get("size"), known.get("mtime")) or not isinstance(read_at, int):
        return False
    return read_at * 1_000 - file.mtime > _RACY
