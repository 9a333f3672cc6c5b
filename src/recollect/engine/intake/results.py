"""What becomes of what is brought in?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from recollect.engine.known import ProjectState
from recollect.types import Adapter, FileProblem, Json, Metadata, Segment, SourceKind


class Project(Struct, frozen=True, kw_only=True):
    """A folder of source code whose files are indexed as records of kind "code" with `project` set to the id."""

    id: str
    space: str
    path: str
    created_at: datetime
    watched: bool = False


class ProjectStatus(Struct, frozen=True, kw_only=True):
    """How far the index of a project is. `skipped` counts the files that were left out, by reason.

    `completed_at` is when the last file was read, `embedded_at` when every chunk had its vector.
    """

    id: str
    space: str
    path: str
    state: ProjectState
    total_files: int = 0
    indexed_files: int = 0
    total_chunks: int = 0
    percent: float = 0.0
    eta_seconds: float | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    embedded_at: datetime | None = None
    watching: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    errors: tuple[FileProblem, ...] = ()
    problem: str | None = None

    @property
    def done(self) -> bool:
        return self.state in ("completed", "failed")


class SourceDraft(Struct, frozen=True, kw_only=True):
    """A source that was read, ready to be stored. `location` (a path, a URL, `conversation:…`) decides its id."""

    location: str
    source_kind: SourceKind
    title: str
    fingerprint: str
    adapter: Adapter
    segments: tuple[Segment, ...] = ()
    summary: str = ""
    """What the source is found by, beside its title and location: its headings, say."""
    payload: Metadata = field(default_factory=dict[str, Json])
    file: Metadata | None = None
    """Size, time of change and time of reading of a file."""
    session: str | None = None
    event_time: datetime | None = None
    goes_on_from: str | None = None
    """The location of the conversation that `copied` segments stand in, too."""


class IngestedSource(Struct, frozen=True, kw_only=True):
    """What became of a source. `entries` are the journal's, the source's own first; none where nothing changed."""

    id: str
    space: str
    location: str
    source_kind: SourceKind
    title: str
    outcome: Literal["stored", "updated", "unchanged"]
    fingerprint: str
    segments: int = 0
    added: int = 0
    kept: int = 0
    removed: int = 0
    entries: tuple[int, ...] = ()
    masked: tuple[str, ...] = ()
    """The kinds of secrets that it held and the memory does not."""
    refused: int = 0
    """Segments that were left out: all of them private, or with a secret in a space that takes none."""
    forgotten: tuple[str, ...] = ()
    """The ids of messages and sections, or of the source itself, that were forgotten or evicted here and do not come
    back."""
    copied: int = 0
    """Messages that were said in another conversation, which this one goes on from, and are held there."""
    older: bool = False
    """A conversation as it was before it became what is here: nothing was taken of it."""


class Ingested(Struct, frozen=True, kw_only=True):
    """What became of a document or a conversation: the records that hold it now, in order.

    `source` is there where it was kept as a source.
    """

    ids: tuple[str, ...]
    stored: int
    deduplicated: int
    rejected: int = 0
    removed: int = 0
    forgotten: int = 0
    """Messages that were forgotten or evicted here, and do not come back."""
    masked: tuple[str, ...] = ()
    source: IngestedSource | None = None


class IngestedFolder(Struct, frozen=True, kw_only=True):
    """What became of the documents of a folder: how many are new, changed, as they were, gone or left out, and why."""

    path: str
    space: str
    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    archived: int = 0
    segments: int = 0
    """How many segments were written."""
    forgotten: int = 0
    """How many conversations, and messages or sections of others, were forgotten here and do not come back."""
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    problems: tuple[FileProblem, ...] = ()
    finished: bool = True
    """False where the run was cancelled; the next one goes on from there."""

    @property
    def documents(self) -> int:
        """How many documents of the folder are held now."""
        return self.stored + self.updated + self.unchanged


class IngestedRepo(Struct, frozen=True, kw_only=True):
    """What became of a repository's map: its source, its entities (its own first), and the journal's entries.

    `agent_state` are folders of agents that were met, `pending` those that were left out until somebody decides;
    `left_out` counts what the map does not hold, by the reason.
    """

    source: IngestedSource
    nodes: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()
    agent_state: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    problems: tuple[FileProblem, ...] = ()


class Differing(Struct, frozen=True, kw_only=True):
    """An object that was changed here and elsewhere since both were the same: what stands here is kept.

    `fields` are those in which they differ, each with what it is here and there. Where history was `thinned` on either
    side, it may be that one of both is only older.
    """

    type: Literal["record", "entity", "relation"]
    id: str
    here: str
    there: str
    fields: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    thinned: bool = False


class Imported(Struct, frozen=True, kw_only=True):
    """What came into a space from files of another program, or from an export; `problems` says what did not, and why.

    `newer` are records that were here and have more versions now, `removed` those that are no longer in their
    conversation, note or page and were retired, `same` parts of sources, entities and facts that are here under another
    id, by the one that they have there, and are counted as present; `differing` those that were changed on both sides,
    `forgotten` the ids of what was forgotten or evicted here and therefore does not come back. `masked` are the kinds
    of secrets that the files held and this memory does not.
    """

    space: str
    folder: str
    records: int = 0
    records_present: int = 0
    facts: int = 0
    facts_present: int = 0
    entities: int = 0
    newer: int = 0
    removed: int = 0
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    identity: bool = False
    differing: tuple[Differing, ...] = ()
    forgotten: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def came_to_nothing(done: Sequence[Imported]) -> bool:
    """Is there nothing but problems?"""
    return bool(done) and all(one.problems and not _something(one) for one in done)


def _something(one: Imported) -> bool:
    return bool(one.records or one.records_present or one.facts or one.facts_present or one.entities or one.identity)


class Synced(Struct, frozen=True, kw_only=True):
    """What a sync did to the memory and to its folder; `conflicts` are the ids of what was kept beside another.

    `copied` are those of them whose file had the id of another file: its path, and that of the other.
    """

    folder: str
    space: str
    added: int = 0
    revised: int = 0
    archived: int = 0
    written: int = 0
    removed: int = 0
    conflicts: tuple[str, ...] = ()
    copied: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    problems: tuple[FileProblem, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.added or self.revised or self.archived or self.written or self.removed or self.conflicts)
