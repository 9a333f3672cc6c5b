"""How do the documents of a folder become sources, and how are they kept in step with it?

The source of a file that is gone is archived; a transcript that is gone leaves what was said in it.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from recollect.engine.core import Core, as_one_act
from recollect.engine.intake.files import locate_file
from recollect.engine.intake.reading import DOCUMENT, NO_DOCUMENT, Kind, ReadFile, may_be_transcript
from recollect.engine.intake.results import IngestedFolder
from recollect.engine.intake.sources import SourceWriter, archive_gone, has_labels, sources_below
from recollect.engine.intake.sync import Far, Sync, Write
from recollect.engine.known import DOCUMENTS, Known, file_of, key_of
from recollect.errors import InvalidInput, SourceError
from recollect.ingest.walk_files import Walked, walk_files
from recollect.store.base import Edit, View
from recollect.types import Draft, Record

MOST_NAMED = 1_000

Progress = Callable[[int, int], None]


@as_one_act
def ingest_folder(
    core: Core,
    path: str | os.PathLike[str],
    space: str,
    fields: Draft,
    progress: Progress | None,
    cancelled: Callable[[], bool] = lambda: False,
    beside: Sequence[Kind] = (),
) -> tuple[IngestedFolder, Path, Sequence[Walked]]:
    """Brings the sources of a folder in step with its documents.

    Answers too which folder that is, and what the same walk through it found of other kinds.
    """
    root, stop = locate_file(path), threading.Event()

    def stopped() -> bool:
        if cancelled():
            stop.set()
        return stop.is_set()

    if not root.is_dir():
        raise InvalidInput("path", f"{root} is not a folder")
    try:
        walked, *others = walk_files(root, [kind.choice for kind in (DOCUMENT, *beside)], stopped)
    except OSError as error:
        raise SourceError(f"{root} cannot be read: {error.strerror}") from error
    part = _Documents(core, root, space, fields)
    sync = Sync(core, root, part, walked, stopped)
    tell: Progress = progress or (lambda _done, _total: None)
    tell(sync.far.done, sync.far.total)
    for far in sync.steps():
        tell(far.done, far.total)
    counts = part.counts
    done = IngestedFolder(
        path=str(root), space=space, stored=counts["stored"], updated=counts["updated"],
        unchanged=counts["unchanged"] + sync.unchanged, archived=counts["archived"], segments=counts["segments"],
        forgotten=counts["forgotten"],
        finished=not stopped(), problems=tuple(walked.problems[:MOST_NAMED]),
        skipped={reason: count for reason, count in sorted(walked.skipped.items()) if reason != NO_DOCUMENT},
    )  # fmt: skip
    return done, root, others


class _Documents:
    """The documents and transcripts of a folder, each of which becomes a source or some."""

    kind = DOCUMENT
    shelf = DOCUMENTS

    def __init__(self, core: Core, root: Path, space: str, fields: Draft) -> None:
        self._core = core
        self._fields = fields
        self._below = str(root).rstrip(os.sep) + os.sep
        self.space = space
        self.prefix = key_of(self._below)
        self.counts: Counter[str] = Counter()
        self._held: dict[str, list[Record]] = {}

    def look(self, view: View, walked: Walked) -> Iterable[str]:
        if not view.spaces([self.space]):
            return ()
        below = {key_of(str(one.source)): one for one in sources_below(view, self.space, self._below)}
        self._held = {place: [record] for place, record in below.items()}
        if any(may_be_transcript(file.path) for file in walked.files):
            for record in sources_below(view, self.space, "conversation:"):
                self._held.setdefault(key_of(str(file_of(record).get("path"))), []).append(record)
        return [place.removeprefix(self.prefix) for place, one in below.items() if one.status != "archived"]

    def holds(self, path: str, known: Known) -> bool:
        records = self._held.get(self.prefix + path, [])
        made = sorted(str(record.metadata.get("fingerprint")) for record in records)
        return known.problem is not None or (
            made == sorted(known.made) and all(has_labels(record, self._fields) for record in records)
        )

    def writer(self, edit: Edit) -> Write:
        said = msgspec.structs.replace(self._fields, memory_type="episodic")
        writers = [SourceWriter(self._core, edit, self.space, fields, anew=False) for fields in (self._fields, said)]

        def write(file: ReadFile, known: Known | None) -> tuple[int, tuple[str, ...]]:  # noqa: ARG001  the seam's shape
            made: list[str] = []
            for source in file.sources:
                answer = writers[source.source_kind == "conversation"].write(source.ready())
                self.counts["forgotten"] += len(answer.forgotten)
                if not answer.segments and answer.outcome == "unchanged":  # nothing is held of it
                    continue
                self.counts[answer.outcome] += 1
                self.counts["segments"] += answer.added
                made.append(answer.fingerprint)
            return len(made), tuple(made)

        return write

    def drop(self, edit: Edit, path: str) -> None:
        for record in self._held.get(self.prefix + path, []):
            if key_of(str(record.source)) == self.prefix + path:
                self.counts["archived"] += archive_gone(edit, record)

    def note(self, edit: Edit, far: Far) -> None:
        """How far a run is, its caller is told alone."""
