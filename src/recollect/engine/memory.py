"""What can be done with a memory?

`Memory` is the whole of it: every surface, from the command line to a protocol, is a shell over these methods. Each of
them parses what it is given, does its work in one transaction, and answers with frozen values.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from recollect.config import Settings, load_settings
from recollect.embed.base import Embedder
from recollect.engine.care import dream as dreaming
from recollect.engine.care import lifecycle, maintain
from recollect.engine.care.ledger import spendings
from recollect.engine.core import Core, find, last_entry, random_id, space_of, utc_now
from recollect.engine.embedding.background import Background
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.graph import link
from recollect.engine.intake import ingest as ingesting
from recollect.engine.intake import sources as sourcing
from recollect.engine.parse import (
    MAX_LABEL,
    parse_alike,
    parse_choice,
    parse_count,
    parse_days,
    parse_draft,
    parse_drafts,
    parse_fields,
    parse_filter,
    parse_flag,
    parse_label,
    parse_labels,
    parse_metadata,
    parse_optional,
    parse_optional_time,
    parse_seconds,
    parse_share,
    parse_source_fields,
    parse_space,
    parse_string,
    parse_text,
    parse_weight,
)  # fmt: skip
from recollect.engine.places import drop_place, make_place, read_identity, write_identity
from recollect.engine.read.alike import find_alike
from recollect.engine.read.foremost import MOST_KEPT, Foremost, Standing, importance_of, rank_standing
from recollect.engine.read.stats import list_sessions, stats_of, tally_of
from recollect.engine.write import govern, revise
from recollect.engine.write.grounds import cites
from recollect.engine.write.remember import remember_many
from recollect.engine.write.touches import Touches
from recollect.errors import EmbedderError, InvalidInput, NotFound, ReadOnlyStore
from recollect.store.base import By, Changes, Entities, normal_name
from recollect.store.choose import open_store
from recollect.store.ops import DropSpace, PutSpace
from recollect.types import (
    CATALOGUE_KINDS,
    DEFAULT_SPACE,
    NOISE,
    UNSET,
    Alike,
    Appraised,
    Archived,
    Audited,
    Change,
    Chunked,
    Compaction,
    Concepts,
    Condensed,
    Direction,
    Draft,
    Dream,
    EmbeddingState,
    Entity,
    EvidenceState,
    Fact,
    Filter,
    GraphHealth,
    Grounds,
    Imported,
    Ingested,
    IngestedFolder,
    IngestedRepo,
    IngestedSource,
    Maintained,
    Mended,
    Merge,
    Merged,
    Message,
    Neighborhood,
    Order,
    Past,
    Project,
    ProjectStatus,
    Query,
    Recall,
    Receipt,
    Record,
    Relation,
    Repair,
    Resolution,
    Sample,
    Scored,
    Session,
    Settled,
    SourceDraft,
    Space,
    SpaceStats,
    SpaceTally,
    Spending,
    Summary,
    Twins,
    Unset,
    Upkeep,
    Weighed,
)  # fmt: skip

if TYPE_CHECKING:
    from recollect.engine.intake.projects import Projects

MAX_LIMIT = 1_000
MAX_DEPTH = 100
_ORDERS: tuple[Order, ...] = ("newest", "oldest", "important", "position", "updated")
_DISTINCT: tuple[Literal["project", "tags"], ...] = ("project", "tags")
_DIRECTIONS: tuple[Direction, ...] = ("outgoing", "incoming", "both")

Spaces = str | Sequence[str] | None
"""One space, several, or (None) all."""
Moment = datetime | str | None


def open_memory(
    folder: str | os.PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    actor: str | None = "library",
    clock: Callable[[], datetime] = utc_now,
    new_id: Callable[[], str] = random_id,
) -> Memory:
    """Opens the machine's memory, or the one in a folder, which is made if it is missing.

    `embedder` is used in place of the one that the settings choose.
    """
    if settings is not None and folder is not None:
        raise InvalidInput("folder", "is already in the settings; give one or the other")
    chosen = settings or load_settings(folder)
    _make_home(chosen.home)
    store = open_store(chosen.home, clock)
    core = Core(store, chosen, actor=actor, clock=clock, new_id=new_id)
    try:
        return Memory(core, embedder, fresh=maintain.freshen(core))
    except BaseException:
        store.close()
        raise


def _make_home(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InvalidInput("folder", f"{home} is a file; name the folder that should hold the store") from error
    except OSError as error:
        raise ReadOnlyStore(f"{home} cannot be made: {error.strerror}") from error


class _Indexing:
    """What works on projects, once there is something to do."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.projects: Projects | None = None


class Memory:
    """An open memory. Safe to share between threads; other processes may have the same one open."""

    def __init__(self, core: Core, embedder: Embedder | None = None, *, fresh: bool = True) -> None:
        self._core = core
        self._touches = Touches(core)
        self._foremost = Foremost(core)
        self._idleness = dreaming.Idleness(core)
        self._semantics = Semantics(core, embedder)
        self._indexing = _Indexing()
        self._sweeping = lifecycle.Sweeping(core)
        self._sweeping.look()
        self._freshening = Background(partial(maintain.freshen_all, core), 0.0, "recollect-index")
        if not fresh:
            self._freshening.wake()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, type_: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends background work and lets go of the file. Everything acknowledged is already safe on disk."""
        if self._indexing.projects is not None:
            self._indexing.projects.stop()
        self._semantics.stop()
        self._sweeping.stop()
        self._freshening.stop()
        try:
            self._touches.stop()
        finally:
            self._core.store.close()

    def acting_as(self, actor: str | None, *, new_id: Callable[[], str] | None = None) -> Memory:
        """The same memory, with its changes journalled under another name (and ids of another form for what is new)."""
        core = self._core
        other = Memory.__new__(Memory)
        other.__dict__.update(self.__dict__)
        other._core = Core(core.store, core.settings, actor=actor, clock=core.clock, new_id=new_id or core.new_id)
        other._core.on_write = core.on_write
        return other

    @property
    def location(self) -> str:
        return self._core.store.location

    @property
    def settings(self) -> Settings:
        return self._core.settings

    # Writing

    def remember(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        kind: str = "memory",
        memory_type: str = "semantic",
        title: str | None = None,
        role: str | None = None,
        room: str | None = None,
        session: str | None = None,
        project: str | None = None,
        user: str | None = None,
        tags: Sequence[str] = (),
        importance: float = 0.5,
        confidence: float = 1.0,
        status: str = "active",
        trust: str = "agent_inferred",
        event_time: Moment = None,
        valid_from: Moment = None,
        valid_until: Moment = None,
        source: str | None = None,
        locator: Mapping[str, object] | None = None,
        metadata: Mapping[str, object] | None = None,
        id: str | None = None,
        alike: Sequence[str] = (),
        grounds: Grounds | Mapping[str, object] | None = None,
        anywhere: bool = False,
        reason: str | None = None,
    ) -> Receipt:
        """Stores a text. It is durable when this returns; the receipt says stored, deduplicated or rejected.

        A text is a duplicate where space, kind, session and text are the same; `alike` names fields that must be the
        same too (room, user, project, source, memory_type, metadata, grounds). With `anywhere`, it is one wherever in
        the space the same text stands.

        With `grounds` (scopes, subjects, evidence, claim) the record is governed: its evidence must be there, the same
        claim is not kept twice, one that contradicts another is contested, and what an agent concluded is a candidate.
        Such a record is a duplicate by its claim, and by its text only where it must be `alike` in grounds.
        """
        given: dict[str, object] = {
            "text": text, "kind": kind, "memory_type": memory_type, "title": title, "role": role, "room": room,
            "session": session, "project": project, "user": user, "tags": tags, "importance": importance,
            "confidence": confidence, "status": status, "trust": trust, "event_time": event_time,
            "valid_from": valid_from, "valid_until": valid_until, "source": source, "locator": locator,
            "metadata": {} if metadata is None else metadata, "id": id,
            "grounds": grounds, "reason": reason,
        }  # fmt: skip
        draft = parse_draft(given, {})
        once = parse_flag(anywhere, "anywhere")
        return remember_many(self._core, [draft], parse_space(space), alike=parse_alike(alike), anywhere=once)[0]

    def remember_many(
        self,
        drafts: Sequence[Draft | Mapping[str, object]],
        *,
        space: str = DEFAULT_SPACE,
        atomic: bool = False,
        **defaults: object,
    ) -> list[Receipt]:
        """Stores many texts in one transaction. `defaults` fill what a mapping leaves out.

        With `atomic`, all are stored or none: the first that would be rejected is an error.
        """
        parsed = parse_drafts(drafts, defaults)
        return remember_many(self._core, parsed, parse_space(space), atomic=parse_flag(atomic, "atomic"))

    def revise(
        self,
        id: str,
        text: str | Unset = UNSET,
        *,
        space: str | None = None,
        reason: str | None = None,
        **fields: object,
    ) -> Receipt:
        """Writes a new version of a record with some fields changed; the old one stays in its history."""
        given = fields if text is UNSET else {"text": text, **fields}
        if not given:
            raise InvalidInput("fields", f"nothing to change; give one of {', '.join(revise.REVISABLE)}")
        parsed = parse_fields(given, revise.REVISABLE)
        if parsed.get("event_time", UNSET) is None:
            raise InvalidInput("event_time", "cannot be emptied; give the time at which it happened")
        return revise.revise(self._core, *self._ref(id, space), parsed, parse_optional(reason, "reason"))

    def invalidate(
        self,
        id: str,
        *,
        space: str | None = None,
        reason: str | None = None,
        superseded_by: str | None = None,
        at: Moment = None,
    ) -> Receipt:
        """Says that a record no longer holds (from now, or from `at`). Recall leaves it out; history keeps it."""
        return revise.invalidate(
            self._core,
            *self._ref(id, space),
            reason=parse_optional(reason, "reason"),
            superseded_by=parse_optional(superseded_by, "superseded_by"),
            at=parse_optional_time(at, "at"),
        )

    def forget(self, id: str, *, space: str | None = None, reason: str | None = None) -> Receipt:
        """Removes a record for good, with all its versions. This alone cannot be undone."""
        return revise.forget(self._core, *self._ref(id, space), parse_optional(reason, "reason"))

    def undo(self, entry: int | Change | Receipt, *, reason: str | None = None) -> Receipt:
        """Takes one change of the journal back; the undoing is journalled too and can itself be undone."""
        number = entry.entry if isinstance(entry, Change | Receipt) else entry
        if number is None:
            raise InvalidInput("entry", "this receipt changed nothing, so there is nothing to undo")
        return revise.undo(
            self._core,
            parse_count(number, "entry", least=1, most=2**63 - 1),
            parse_optional(reason, "reason"),
        )

    # Governing

    def promote(self, id: str, *, space: str | None = None, reason: str) -> Receipt:
        """Makes a candidate, contested or stale record active, or verifies an active one anew.

        It needs evidence of which something is left, unless its trust is user_declared or human_curated.
        """
        return govern.promote(self._core, *self._ref(id, space), parse_label(reason, "reason"))

    def supersede(self, old: str, new: str, *, space: str | None = None, reason: str) -> Receipt:
        """Puts one record in the place of another, which is kept; the new one becomes active where it may be."""
        home = None if space is None else parse_space(space)
        return govern.supersede(
            self._core, parse_label(old, "old"), parse_label(new, "new"), home, parse_label(reason, "reason")
        )

    def contest(self, id: str, *, space: str | None = None, reason: str) -> Receipt:
        """Says that a record is in doubt."""
        return govern.contest(self._core, *self._ref(id, space), parse_label(reason, "reason"))

    def archive_source(self, id: str, *, space: str | None = None, reason: str) -> Archived:
        """Retires a source: what rested on it alone is stale from now on."""
        return govern.archive_source(self._core, *self._ref(id, space), parse_label(reason, "reason"))

    def evidence_state(self, record: Record) -> list[EvidenceState]:
        """What has become of what a record rests on: current, changed, missing or archived."""
        return govern.evidence_state(self._core, record)

    def contradictions(self, id: str, *, space: str | None = None) -> list[Record]:
        """The records that claim something else of the same subject and predicate, in a scope that they share."""
        return govern.contradictions(self._core, *self._ref(id, space))

    def citing(self, refs: Sequence[str], *, space: str = DEFAULT_SPACE, limit: int = 100) -> list[Record]:
        """The records whose grounds name any of some refs (`evidence:ID`, `subject:ID`, `scope:NAME`), newest first."""
        with self._core.store.read() as view:
            return cites(
                view,
                parse_space(space),
                parse_labels(refs, "refs", most=1_000, longest=MAX_LABEL),
                parse_count(limit, "limit", least=1, most=100_000),
            )

    def alike_knowledge(
        self, given: str | Record | Draft | Mapping[str, object], *, space: str = DEFAULT_SPACE
    ) -> list[Alike]:
        """The records that may say the same as one (or as a draft), by their words; at most five, best first."""
        home = parse_space(space)
        with self._core.store.read() as view:
            if isinstance(given, str):
                return find_alike(view, find(view, Record, parse_label(given, "id"), home), home)
            return find_alike(view, given if isinstance(given, Record) else parse_draft(given, {}), home)

    def claim_duplicates(self, space: str = DEFAULT_SPACE) -> list[list[Record]]:
        """Records that claim the same in scopes that overlap, group by group."""
        return govern.claim_duplicates(self._core, parse_space(space))

    def merge_duplicates(self, space: str = DEFAULT_SPACE, *, dry_run: bool = False) -> list[Merged]:
        """Makes one of records that claim the same; the others are superseded by it."""
        return govern.merge_duplicates(self._core, parse_space(space), dry_run=parse_flag(dry_run, "dry_run"))

    def promotable(
        self, space: str = DEFAULT_SPACE, *, min_confidence: float = 0.75, min_evidence: int = 1
    ) -> list[Record]:
        """The candidates that are sure enough, and rest on enough that still says what it said."""
        bar = self._bar(min_confidence, min_evidence)
        with self._core.store.read() as view:
            return govern.promotable(view, parse_space(space), bar)

    def promote_candidates(
        self,
        space: str = DEFAULT_SPACE,
        *,
        min_confidence: float = 0.75,
        min_evidence: int = 1,
        dry_run: bool = False,
    ) -> Settled:
        """Promotes every candidate that is promotable, in one transaction."""
        bar = self._bar(min_confidence, min_evidence)
        return govern.promote_candidates(self._core, parse_space(space), bar, dry_run=parse_flag(dry_run, "dry_run"))

    def decay_stale(
        self, space: str = DEFAULT_SPACE, *, days: float = 30, at: Moment = None, dry_run: bool = False
    ) -> Settled:
        """Marks as stale what was last verified more than some days before a moment (None: now)."""
        return govern.decay_stale(
            self._core,
            parse_space(space),
            parse_days(days, "days"),
            parse_optional_time(at, "at"),
            dry_run=parse_flag(dry_run, "dry_run"),
        )

    def _bar(self, min_confidence: float, min_evidence: int) -> govern.Bar:
        return govern.Bar(
            confidence=parse_share(min_confidence, "min_confidence"),
            evidence=parse_count(min_evidence, "min_evidence", least=0, most=MAX_LIMIT),
        )

    # Looking after

    def upkeep(
        self,
        space: str = DEFAULT_SPACE,
        *,
        min_confidence: float = 0.75,
        min_evidence: int = 1,
        at: Moment = None,
        days: float = 30,
    ) -> Upkeep:
        """What in a space asks for somebody's care: candidates, stale records, duplicates, contradictions."""
        from recollect.engine.care.upkeep import Care, survey  # only when it is asked for

        care = Care(
            bar=self._bar(min_confidence, min_evidence),
            at=parse_optional_time(at, "at"),
            days=parse_days(days, "days"),
        )
        return survey(self._core, parse_space(space), care)

    def graph_health(self, space: str = DEFAULT_SPACE) -> GraphHealth:
        """How well entities and records of a space are connected, by relations and by what they say of each other."""
        from recollect.engine.care.upkeep import look_at_graph  # only when it is asked for

        return look_at_graph(self._core, parse_space(space))

    def concepts(self, space: str = DEFAULT_SPACE, *, source: str | None = None) -> Concepts:
        """Terms that a source, or all that is newest in a space, names again and again: for somebody to look at."""
        from recollect.engine.care.concepts import concepts_of  # only when it is asked for

        return concepts_of(self._core, parse_space(space), parse_optional(source, "source"))

    def twins_among(self, ids: Sequence[str], *, space: str = DEFAULT_SPACE) -> list[Twins]:
        """The pairs among some records that may say the same, by their words."""
        from recollect.engine.care.twins import twins_among  # only when it is asked for

        home = parse_space(space)
        with self._core.store.read() as view:
            return twins_among([find(view, Record, id, home) for id in parse_labels(ids, "ids", most=MAX_LIMIT)])

    def resolve_twins(self, resolution: Resolution, *, space: str = DEFAULT_SPACE) -> Settled:
        """Does what somebody decided on records that may say the same, in one transaction. They must still do so."""
        from recollect.engine.care.resolve import resolve  # only when it is asked for

        return resolve(self._core, resolution, parse_space(space))

    def mend(self, space: str = DEFAULT_SPACE, *, dry_run: bool = False) -> Mended:
        """Drops references that lead nowhere, where nothing is lost by it; what rests on nothing then is stale."""
        from recollect.engine.care.mend import mend  # only when it is asked for

        return mend(self._core, parse_space(space), dry_run=parse_flag(dry_run, "dry_run"))

    def audit(self, *, space: str = DEFAULT_SPACE, limit: int = 100) -> list[Audited]:
        """The newest changes of a space, each with the states before and after it."""
        from recollect.engine.care.mend import audit  # only when it is asked for

        return audit(self._core, parse_space(space), parse_count(limit, "limit", least=1, most=MAX_LIMIT))

    # Ingesting

    def ingest(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        source: str | None = None,
        title: str | None = None,
        **fields: object,
    ) -> Ingested:
        """Stores a document in sections. Ingesting the same source again replaces what it held."""
        whole = parse_string(text, "text")
        if not whole.strip():
            raise InvalidInput("text", "is blank; give it some text")
        for name in ("id", "grounds", "reason"):
            if name in fields:
                raise InvalidInput(name, "cannot be given: a document becomes several records")
        draft = parse_draft({"kind": "document", **fields, "text": "(a section)"}, {})
        return ingesting.ingest_text(
            self._core,
            whole,
            parse_space(space),
            parse_optional(source, "source"),
            parse_optional(title, "title"),
            draft,
        )

    def ingest_chunks(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        project: str | None = None,
        memory_type: str | Unset = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        source: str | Unset | None = UNSET,
    ) -> Chunked:
        """Stores a document in chunks of 256 to 1,024 tokens. A chunk that its project holds is not stored again.

        It is `updated` where tags, source or memory type are given and were others; counters tell what came in so far.
        """
        from recollect.engine.intake.chunks import Labels, ingest_chunks  # reads the vocabulary

        whole = parse_string(text, "text")
        if not whole.strip():
            raise InvalidInput("text", "is blank; give it some text")
        given = {"memory_type": memory_type, "tags": tags, "source": source}
        said = {name: value for name, value in given.items() if value is not UNSET}
        fields = parse_fields(said, ("memory_type", "tags", "source"))
        labels = Labels(project=parse_optional(project, "project"), **fields)  # pyright: ignore[reportArgumentType] -- each value was parsed by its field's parser
        return ingest_chunks(self._core, whole, parse_space(space), labels)

    def counters(self, prefix: str = "") -> dict[str, int]:
        """Numbers that go on counting over restarts: `ingest.documents`, `ingest.chunks`, `ingest.chunk_tokens`."""
        from recollect.engine.intake.chunks import COUNTERS  # reads the vocabulary

        with self._core.store.read() as view:
            wanted = parse_string(prefix, "prefix")
            return {name: count for name, count in view.kept(COUNTERS).items() if name.startswith(wanted)}

    def ingest_conversation(
        self,
        messages: Sequence[Mapping[str, object]],
        *,
        session: str | None = None,
        space: str = DEFAULT_SPACE,
        title: str | None = None,
        origin: Mapping[str, object] | None = None,
        **fields: object,
    ) -> Ingested:
        """Stores messages (role, content, and where known name, created_at, metadata) as one session, in order.

        With a title or an origin the conversation becomes a source. With a session, messages are added to what it
        holds; without one, they are the whole conversation, and take the place of what it held before.
        """
        if "id" in fields:
            raise InvalidInput("id", "cannot be given: a conversation becomes several records")
        named = parse_optional(title, "title")
        label = None if session is None else parse_label(session, "session")
        if label is None and named is None and origin is None:
            raise InvalidInput("session", "is missing; name the conversation by session, title or origin")
        talk = ingesting.Talk(label, named, None if origin is None else parse_metadata(origin, "origin"))
        return ingesting.ingest_conversation(self._core, messages, parse_space(space), talk, fields)

    def ingest_file(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        title: str | None = None,
        mode: str | None = None,
        **fields: object,
    ) -> IngestedSource:
        """Stores a document (Markdown, text, HTML, PDF, notebook) as a source. The same file again replaces it.

        What is in the file decides how it is read, unless `mode` (markdown, pdf, file) says so.
        """
        from recollect.engine.intake import files  # brings in what reads documents
        from recollect.ingest.documents import MODES

        return files.ingest_file(
            self._core, path, parse_space(space), parse_source_fields(fields), title=parse_optional(title, "title"),
            mode=None if mode is None else parse_choice(mode, "mode", MODES),
        )  # fmt: skip

    def ingest_folder(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        **fields: object,
    ) -> IngestedFolder:
        """Stores the documents and transcripts below a folder, each as a source, and archives those that are gone.

        What has not changed is left alone. `progress` is told how many of how many files are done.
        """
        from recollect.engine.intake import folders  # brings in what reads documents

        return folders.ingest_folder(
            self._core, path, parse_space(space), parse_source_fields(fields), progress, cancelled
        )

    def ingest_url(
        self, url: str, *, space: str = DEFAULT_SPACE, title: str | None = None, **fields: object
    ) -> IngestedSource:
        """Fetches a page of the public web and stores what it says as a source. The same address again replaces it."""
        from recollect.engine.intake import files  # brings in what fetches pages

        return files.ingest_url(
            self._core, parse_string(url, "url"), parse_space(space), parse_source_fields(fields),
            title=parse_optional(title, "title"),
        )  # fmt: skip

    def ingest_transcript(
        self, path: str | os.PathLike[str], *, space: str = DEFAULT_SPACE, **fields: object
    ) -> tuple[IngestedSource, ...]:
        """Stores the conversations of a transcript or an export, each as a source.

        Known are those of Claude Code, Codex, ChatGPT and Claude, and messages with role and content (JSON or JSONL).
        """
        from recollect.engine.intake import files  # brings in what reads transcripts

        given = parse_source_fields(fields, memory_type="episodic")
        return files.ingest_transcript(self._core, path, parse_space(space), given)

    def is_transcript(self, path: str | os.PathLike[str]) -> bool:
        """Is a file one that `ingest_transcript` can read? Its content decides."""
        from recollect.engine.intake import files  # brings in what reads transcripts

        return files.is_transcript(path)

    def ingest_source(self, source: SourceDraft, *, space: str = DEFAULT_SPACE, **fields: object) -> IngestedSource:
        """Stores a source that somebody else has read, with its segments, in one transaction."""
        memory_type = "episodic" if source.source_kind == "conversation" else "semantic"
        given = parse_source_fields(fields, memory_type=memory_type)
        return sourcing.ingest_source(self._core, sourcing.parse_source(source), parse_space(space), given)

    def sources(
        self,
        *,
        space: Spaces = DEFAULT_SPACE,
        statuses: Sequence[str] = (),
        source: str | Sequence[str] | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Record]:
        """What was ingested as a source, the newest first; archived ones are left out unless asked for by status."""
        return self.list(
            space=space, kinds=CATALOGUE_KINDS, statuses=statuses, source=source, limit=limit, offset=offset
        )

    def segments(self, id: str, *, space: str | None = None) -> list[Record]:
        """The parts of a source, in order."""
        return sourcing.segments_of(self._core, *self._ref(id, space))

    def ingest_repo(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        force: bool = False,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> IngestedRepo:
        """Stores the map of a repository as one source: which code and documents there are, and what is in them.

        Patterns are compared with paths below the folder and with names. State of agents (`.codex`, `.claude`, …) is
        left out unless `force` is set. Nothing is written where nothing has changed.
        """
        from recollect.engine.intake.repo import Wish, ingest_repo  # brings in the parsers
        from recollect.ingest.repo_files import Patterns

        patterns = Patterns.of(parse_labels(include, "include"), parse_labels(exclude, "exclude"))
        wish = Wish(path=Path(path), patterns=patterns, force=parse_flag(force, "force"))
        return ingest_repo(self._core, wish, parse_space(space), checkpoint)

    def import_trusty_memory(
        self,
        folder: str | os.PathLike[str],
        *,
        dry_run: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> list[Imported]:
        """Takes over the palaces in a data folder of trusty-memory, which is only read. Nothing comes twice."""
        from recollect.engine.intake.imports import import_trusty  # only when it is asked for

        return import_trusty(self._core, Path(folder), dry_run=parse_flag(dry_run, "dry_run"), progress=progress)

    def import_agentos(self, file: str | os.PathLike[str], *, dry_run: bool = False) -> list[Imported]:
        """Takes over memories and sessions of agentos from a JSON file. Nothing comes twice."""
        from recollect.engine.intake.import_agentos import import_agentos  # only when it is asked for

        return import_agentos(self._core, Path(file), dry_run=parse_flag(dry_run, "dry_run"))

    # Code

    def index_project(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        watch: bool = False,
        wait: float | None = None,
        progress: Callable[[ProjectStatus], None] | None = None,
    ) -> ProjectStatus:
        """Indexes the source code in a folder: new and changed files are parsed, those that are gone are dropped.

        The work is done in the background; this waits until it is complete, or for at most `wait` seconds. With
        `watch`, changes are followed until the memory is closed.
        """
        return self._code().index(
            self._core,
            path,
            parse_space(space),
            watch=parse_flag(watch, "watch"),
            wait=None if wait is None else parse_seconds(wait, "wait"),
            progress=progress,
        )

    def project_status(self, id: str, *, space: str = DEFAULT_SPACE) -> ProjectStatus:
        """How far the index of a project is."""
        return self._code().status(self._core, parse_label(id, "id"), parse_space(space))

    def projects(self, *, space: Spaces = DEFAULT_SPACE) -> list[Project]:
        """The projects that are indexed, by id."""
        return self._code().list(self._core, parse_filter(space=space).spaces or None)

    def delete_project(self, id: str, *, space: str = DEFAULT_SPACE) -> int:
        """Removes the index of a project for good (never its files). Answers how many chunks went."""
        return self._code().delete(self._core, parse_label(id, "id"), parse_space(space))

    def resume_projects(self) -> list[Project]:
        """Goes on, in the background, with indexing that was broken off when a process ended. Answers what it was."""
        with self._core.store.read() as view:
            if not any(project.state == "indexing" for project in view.projects(None)):
                return []
        return self._code().resume(self._core)

    def search_code(
        self,
        query: str,
        *,
        space: Spaces = DEFAULT_SPACE,
        project: str | Sequence[str] | None = None,
        language: str | Sequence[str] | None = None,
        limit: int = 10,
        wait: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Recall:
        """The chunks of indexed code that answer a question, best first.

        `record.locator` says where each stands: path, start_line, end_line, language, chunk_type and name.
        """
        languages = (language,) if isinstance(language, str) else language or ()
        return self.recall(
            query, space=space, kinds=("code",), project=project, tags=languages, limit=limit, wait=wait,
            progress=progress,
        )  # fmt: skip

    def _code(self) -> Projects:
        """Loaded when first needed, and shared with whoever acts under another name."""
        from recollect.engine.intake.projects import Projects  # brings in what reads and parses files

        with self._indexing.lock:
            if self._indexing.projects is None:
                self._indexing.projects = Projects(self._core)
            return self._indexing.projects

    # Reading

    def recall(
        self,
        query: str,
        *,
        space: Spaces = DEFAULT_SPACE,
        limit: int = 10,
        kinds: Sequence[str] = (),
        memory_types: Sequence[str] = (),
        tags: Sequence[str] = (),
        rooms: Sequence[str | None] = (),
        session: str | Sequence[str] | None = None,
        project: str | Sequence[str | None] | None = None,
        user: str | Sequence[str] | None = None,
        since: Moment = None,
        until: Moment = None,
        statuses: Sequence[str] = (),
        ids: Sequence[str] = (),
        without_kinds: Sequence[str] = (),
        without_sources: Sequence[str] = (),
        catalogue: bool = False,
        valid_only: bool = True,
        as_of: Moment = None,
        min_score: float = NOISE,
        recency: float = 0.0,
        importance: float = 0.02,
        deep: bool = False,
        thorough: bool = False,
        fold: bool = True,
        touch: bool = True,
        budget_tokens: int | None = None,
        wait: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Recall:
        """The records that answer a question, best first.

        Scores lie within 0..1: above 0.5 a hit most likely answers, below 0.25 most likely nothing that is stored
        does; hits below `min_score` are left out. `recency` and `importance` are the shares that the newest and the
        most important may gain: small ones decide between equals. With `deep` a slower model reads the best twenty
        together with the question, for some tenths of a second, and puts them in order. `thorough` weighs three times
        as many candidates and lets near-duplicates stand beside each other, as `fold=False` alone does. With
        `catalogue` records that only say where others come from are searched too, with `valid_only=False` also what
        no longer holds. Without `touch` the hits do not count as recalled. `wait` bounds the seconds spent on vectors
        that are still missing (None: until they are complete).
        """
        from recollect.engine.read.recall import recall  # brings in numpy: only when something is asked

        parsed = Query(
            text=parse_text(query, "query"),
            filter=parse_filter(
                space=space, kinds=kinds, memory_types=memory_types, tags=tags, rooms=rooms, session=session,
                project=project, user=user, since=since, until=until, statuses=statuses, as_of=as_of, ids=ids,
                without_kinds=without_kinds, without_sources=without_sources, catalogue=catalogue,
                valid_only=valid_only,
            ),
            limit=parse_count(limit, "limit", least=1, most=MAX_LIMIT),
            min_score=parse_share(min_score, "min_score"),
            recency=parse_share(recency, "recency"),
            importance=parse_share(importance, "importance"),
            deep=parse_flag(deep, "deep"),
            thorough=parse_flag(thorough, "thorough"),
            fold=parse_flag(fold, "fold"),
            budget_tokens=None
            if budget_tokens is None
            else parse_count(budget_tokens, "budget_tokens", least=1, most=10_000_000),
        )  # fmt: skip
        seconds = None if wait is None else parse_seconds(wait, "wait")
        ready = self._semantics.ready(list(parsed.filter.spaces) or None, seconds, progress)
        reranker = self._semantics.reranker() if parsed.deep and ready.vectors is not None else None
        answer = recall(
            self._core, ready.vectors, parsed, reranker=reranker, waiting=ready.waiting, problem=ready.problem
        )
        now = self._core.clock()
        self._idleness.asked.update((name, now) for name in parsed.filter.spaces)
        if parse_flag(touch, "touch"):
            self.touch([hit.record for hit in answer])
        return answer

    def touch(self, records: Sequence[Record]) -> None:
        """Counts that records were recalled: someone was shown them as an answer."""
        self._touches.add((record.space, record.id) for record in records)

    def search_vectors(
        self,
        query: str,
        *,
        space: str = DEFAULT_SPACE,
        limit: int = 10,
        wait: float | None = None,
        progress: Callable[[int, int], None] | None = None,
        **filters: object,
    ) -> tuple[Scored, ...]:
        """The records whose vectors lie nearest to a question's, by cosine alone. Without a model it is an error."""
        from recollect.engine.read.signals import search_vectors  # brings in numpy

        parsed = self._parse_search(query, space, limit, filters)
        seconds = None if wait is None else parse_seconds(wait, "wait")
        ready = self._semantics.ready([space], seconds, progress)
        if ready.vectors is None:
            raise EmbedderError(ready.problem or "no embedder is configured; set RECOLLECT_EMBEDDER")
        return self._touched(search_vectors(self._core, ready.vectors, parsed, space))

    def search_keywords(
        self, query: str, *, space: str = DEFAULT_SPACE, limit: int = 10, **filters: object
    ) -> tuple[Scored, ...]:
        """The records that hold the words of a question, by BM25 alone. No model is loaded for it."""
        from recollect.engine.read.signals import search_keywords  # brings in numpy

        return self._touched(search_keywords(self._core, self._parse_search(query, space, limit, filters), space))

    def weigh(
        self,
        query: str,
        *,
        vector: float,
        keyword: float,
        graph: float,
        groups: Sequence[Mapping[str, object]] = ({},),
        space: str = DEFAULT_SPACE,
        limit: int = 10,
        wait: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Weighed:
        """The records that answer a question when the caller says how much each signal counts; 0 switches one off.

        `groups` are filters, as `list` takes them: records of several groups are made comparable by z-scores.
        """
        from recollect.engine.read.signals import weigh  # brings in numpy
        from recollect.retrieve.weigh import Weights

        parsed = self._parse_search(query, space, limit, {})
        weights = Weights(
            vector=parse_weight(vector, "vector"),
            keyword=parse_weight(keyword, "keyword"),
            graph=parse_weight(graph, "graph"),
        )
        filters = [parse_filter(space=space, **group) for group in groups]
        seconds = None if wait is None else parse_seconds(wait, "wait")
        ready = self._semantics.ready([space], seconds, progress) if weights.vector > 0 else None
        vectors, problem = (None, None) if ready is None else (ready.vectors, ready.problem)
        found = weigh(self._core, vectors, parsed, space, filters, weights)
        self._touched(found.hits)
        return Weighed(hits=found.hits, nodes=found.nodes, problem=problem)

    def appraise(
        self,
        query: str,
        *,
        space: str = DEFAULT_SPACE,
        limit: int = 10,
        wait: float | None = None,
        progress: Callable[[int, int], None] | None = None,
        **filters: object,
    ) -> list[Appraised]:
        """The records of a space by fixed weights: half the cosine, a quarter the share of the question's words that
        stand in the text, a tenth how new (half-life one week), a tenth how important, a twentieth how well believed.
        """
        from recollect.engine.read.appraise import appraise  # brings in numpy

        parsed = self._parse_search(query, space, limit, filters)
        seconds = None if wait is None else parse_seconds(wait, "wait")
        ready = self._semantics.ready([space], seconds, progress)
        found = appraise(self._core, ready.vectors, parsed, space)
        self._idleness.asked[space] = self._core.clock()
        self.touch([one.record for one in found])
        return found

    def _parse_search(self, query: str, space: str, limit: int, filters: Mapping[str, object]) -> Query:
        return Query(
            text=parse_text(query, "query"),
            filter=parse_filter(space=parse_space(space), **filters),
            limit=parse_count(limit, "limit", least=1, most=MAX_LIMIT),
        )

    def _touched(self, hits: tuple[Scored, ...]) -> tuple[Scored, ...]:
        self._touches.add((hit.record.space, hit.record.id) for hit in hits)
        return hits

    def get(self, id: str, *, space: str | None = None, as_of: Moment = None) -> Record | None:
        """The record of that id, or None. With `as_of`, as it was known then."""
        ref, home = self._ref(id, space)
        moment = parse_optional_time(as_of, "as_of")
        with self._core.store.read() as view:
            homes = view.homes(Record, ref) if home is None else [home]
            found = [record for name in homes if (record := view.get(Record, name, ref, moment)) is not None]
        if len(found) > 1:
            raise InvalidInput("space", f"{ref} is in several spaces ({', '.join(r.space for r in found)}); say which")
        return found[0] if found else None

    def list(
        self,
        *,
        space: Spaces = DEFAULT_SPACE,
        kinds: Sequence[str] = (),
        memory_types: Sequence[str] = (),
        tags: Sequence[str] = (),
        rooms: Sequence[str | None] = (),
        session: str | Sequence[str] | None = None,
        project: str | Sequence[str | None] | None = None,
        user: str | Sequence[str] | None = None,
        source: str | Sequence[str] | None = None,
        since: Moment = None,
        until: Moment = None,
        statuses: Sequence[str] = (),
        without_kinds: Sequence[str] = (),
        ids: Sequence[str] = (),
        catalogue: bool = False,
        as_of: Moment = None,
        valid_at: Moment = None,
        valid_only: bool = True,
        order: str = "newest",
        limit: int = 50,
        offset: int = 0,
    ) -> list[Record]:
        """Records in order, page by page. With `valid_only=False` also what no longer holds.

        `valid_at` lists what held at a moment as far as is known now; `as_of`, what was known then.
        """
        filter = parse_filter(
            space=space, kinds=kinds, memory_types=memory_types, tags=tags, rooms=rooms, session=session,
            project=project, user=user, source=source, since=since, until=until, statuses=statuses, as_of=as_of,
            without_kinds=without_kinds, ids=ids, catalogue=catalogue, valid_at=valid_at, valid_only=valid_only,
        )  # fmt: skip
        with self._core.store.read() as view:
            return view.select(
                Record,
                filter,
                parse_choice(order, "order", _ORDERS),
                parse_count(limit, "limit", least=1, most=100_000),
                parse_count(offset, "offset", least=0, most=2**62),
            )

    def foremost(
        self,
        *,
        space: str = DEFAULT_SPACE,
        rooms: Sequence[str | None] = (),
        tags: Sequence[str] = (),
        limit: int = 15,
    ) -> list[Standing]:
        """The records that are most important now: what was stated fades with time, and being recalled keeps it up."""
        most = parse_count(limit, "limit", least=1, most=100_000)
        filter = parse_filter(space=parse_space(space), rooms=rooms, tags=tags)
        if not filter.rooms and not filter.tags and most <= MOST_KEPT:
            return self._foremost.of(filter.spaces[0], most)
        with self._core.store.read() as view:
            return rank_standing(view, filter, self._core.clock(), most)

    def importance_of(self, record: Record) -> float:
        """How important a record is now, as `foremost` counts it."""
        return importance_of(record, self._core.clock())

    def count(self, *, space: Spaces = DEFAULT_SPACE, valid_only: bool = True, **filters: object) -> int:
        """How many records a list with the same filters would have."""
        filter = parse_filter(space=space, valid_only=valid_only, **filters)
        with self._core.store.read() as view:
            return view.count(filter)

    def history(self, id: str, *, space: str | None = None) -> list[Past]:
        """Every change of a record, oldest first, with the state that each led to."""
        return revise.history(self._core, *self._ref(id, space))

    def journal(
        self, *, space: str | None = None, after: int = 0, newest_first: bool = True, limit: int = 100
    ) -> list[Change]:
        """What was changed in the memory, by whom, when and why."""
        with self._core.store.read() as view:
            since = parse_count(after, "after", least=0, most=2**63 - 1)
            return view.journal(
                Changes(space=parse_optional(space, "space"), after=since),
                newest_first=parse_flag(newest_first, "newest_first"),
                limit=parse_count(limit, "limit", least=1, most=100_000),
            )

    def follow(self, after: int, seconds: float, *, limit: int = 1000) -> list[Change]:
        """What was changed after an entry, oldest first and by whichever process; waits so long where nothing was."""
        since = parse_count(after, "after", least=0, most=2**63 - 1)
        return self._core.store.follow(since, parse_seconds(seconds, "seconds"), limit=limit)

    def last_entry(self) -> int:
        """The number of the journal's newest entry, whoever wrote it; 0 where there is none."""
        with self._core.store.read() as view:
            return last_entry(view)

    def distinct(self, field: str, *, space: Spaces = DEFAULT_SPACE, **filters: object) -> list[str]:
        """The different values of a field ("project" or "tags") among some records; "" stands for no project."""
        by: By = "project" if parse_choice(field, "field", _DISTINCT) == "project" else "tag"
        with self._core.store.read() as view:
            return [group.key for group in view.count(parse_filter(space=space, **filters), by=by)]

    def sessions(self, *, space: str = DEFAULT_SPACE, limit: int = 100, offset: int = 0) -> list[Session]:
        """The sessions of a space, the most recent first."""
        with self._core.store.read() as view:
            return list_sessions(
                view,
                parse_space(space),
                "session",
                parse_count(limit, "limit", least=1, most=100_000),
                parse_count(offset, "offset", least=0, most=2**62),
            )

    def session(self, id: str, *, space: str = DEFAULT_SPACE, as_of: Moment = None) -> list[Record]:
        """The messages of a session, in order."""
        return self.list(space=space, session=id, as_of=as_of, valid_only=False, order="position", limit=100_000)

    # Summaries

    def condense(
        self,
        texts: Sequence[str],
        *,
        max_words: int = 250,
        strategy: str = "auto",
        provider: str | None = None,
        model: str | None = None,
        dates: Sequence[datetime] | None = None,
        sample: Sample | None = None,
    ) -> Condensed:
        """Makes texts short, and stores nothing. `dates` are when each of them happened.

        `extractive` chooses the texts' own sentences; `abstractive` has a language model write; `auto` asks one where
        one is configured. `sample` asks the model of a connected client. A model that fails, or has been asked for
        enough today, is told of in `note`, and sentences are chosen instead.
        """
        from recollect.engine.care.condense import condense_given, parse_way

        way = parse_way(self._core, max_words, strategy, provider, model, sample)
        return condense_given(self._core, self._semantics, texts, dates, way)

    def summarize(
        self,
        *,
        space: str = DEFAULT_SPACE,
        project: str | Sequence[str | None] | None = None,
        memory_type: str | None = None,
        tags: Sequence[str] = (),
        since: Moment = None,
        until: Moment = None,
        limit: int = 50,
        max_words: int = 250,
        strategy: str = "auto",
        provider: str | None = None,
        model: str | None = None,
        sample: Sample | None = None,
    ) -> Summary:
        """Summarises the newest records of a scope, as `condense` does, and keeps the summary as a record of its own.

        The summary names its sources. Asked for again, it is given back as long as its sources are what they were.
        """
        from recollect.engine.care.condense import parse_way
        from recollect.engine.care.summarize import KIND, summarize

        filter = parse_filter(
            space=parse_space(space), project=project, tags=tags, since=since, until=until,
            memory_types=() if memory_type is None else (memory_type,), without_kinds=(KIND,),
        )  # fmt: skip
        count = parse_count(limit, "limit", least=1, most=MAX_LIMIT)
        way = parse_way(self._core, max_words, strategy, provider, model, sample)
        return summarize(self._core, self._semantics, filter, count, way)

    def spending(self, days: int = 30) -> list[Spending]:
        """What language models were asked for, the newest day first."""
        with self._core.store.read() as view:
            return spendings(view, parse_count(days, "days", least=1, most=10_000))

    def listed_sessions(self, *, space: str = DEFAULT_SPACE, limit: int = 100_000) -> list[Session]:
        """The sessions of a space by their lists of messages, the most recent first."""
        most = parse_count(limit, "limit", least=1, most=100_000)
        with self._core.store.read() as view:
            return list_sessions(view, parse_space(space), "list", most)

    def messages(self, session: str, *, space: str = DEFAULT_SPACE) -> list[Message]:
        """A session's list: which record holds each message. After a compaction a summary stands for earlier ones."""
        with self._core.store.read() as view:
            where = Filter(spaces=(parse_space(space),), sessions=(parse_label(session, "session"),))
            return view.select(Message, where)

    def compact_session(
        self,
        session: str,
        *,
        space: str = DEFAULT_SPACE,
        threshold: int = 30,
        keep_recent: int = 10,
        max_words: int = 250,
        sample: Sample | None = None,
    ) -> Compaction:
        """Puts a summary in the place of all but the last messages of a session that has `threshold` or more.

        The messages themselves stay in the memory. Summaries are made as `condense` does, 80,000 characters at a time.
        """
        from recollect.engine.write import sessions

        return sessions.compact(
            self._core,
            parse_space(space),
            parse_label(session, "session"),
            threshold=parse_count(threshold, "threshold", least=1, most=1_000_000),
            keep=parse_count(keep_recent, "keep_recent", least=0, most=1_000_000),
            condense=lambda texts, dates: self.condense(texts, dates=dates, max_words=max_words, sample=sample),
        )

    def repair_session(self, session: str, *, space: str = DEFAULT_SPACE) -> Repair:
        """Mends a session's list: empty and repeated entries, one speaker's messages in a row, and the order.

        Messages that are gone or larger than 500 KB are flagged. It can be done again: then there is nothing to mend.
        """
        from recollect.engine.write import sessions

        return sessions.repair(self._core, parse_space(space), parse_label(session, "session"))

    # The graph

    def connect(
        self,
        id: str,
        *,
        space: str = DEFAULT_SPACE,
        type: str | None = None,
        properties: Mapping[str, object] | None = None,
        relations: Sequence[tuple[str, str]] = (),
    ) -> Entity:
        """Makes an entity of an exact id or adds to it, and relates it to others: pairs of a target's id and a type.

        Targets that are not there yet are made. What is known already is not stated twice, from either end.
        """
        ties = [link.Tie(parse_label(target, "target"), parse_label(kind, "type")) for target, kind in relations]
        named = parse_optional(type, "type")
        given = parse_metadata({} if properties is None else properties, "properties")
        return link.connect(self._core, parse_space(space), parse_label(id, "id", longest=200), named, given, ties)

    def entity(
        self,
        name: str,
        *,
        space: str = DEFAULT_SPACE,
        type: str | None = None,
        description: str | None = None,
        aliases: Sequence[str] = (),
        user: str | None = None,
        metadata: Mapping[str, object] | None = None,
        id: str | None = None,
    ) -> Entity:
        """Makes an entity, or adds to the one that is known by that name: given fields replace, aliases join."""
        given: dict[str, object] = {
            "type": parse_optional(type, "type"),
            "description": parse_optional(description, "description", longest=10_000),
            "user": parse_optional(user, "user"),
        }
        fields = {key: value for key, value in given.items() if value is not None}
        if aliases:
            fields["aliases"] = parse_labels(aliases, "aliases")
        if metadata is not None:
            fields["metadata"] = parse_metadata(metadata)
        return link.put_entity(
            self._core, parse_label(name, "name"), parse_space(space), fields, parse_optional(id, "id")
        )

    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        space: str = DEFAULT_SPACE,
        weight: float = 1.0,
        confidence: float = 1.0,
        provenance: str | None = None,
        valid_from: Moment = None,
        valid_until: Moment = None,
        replaces: bool = True,
        again: bool = False,
        make: bool = True,
        metadata: Mapping[str, object] | None = None,
    ) -> Relation:
        """States a fact about two entities (by name or id; unknown ones are made, or an error without `make`).

        With `replaces`, the fact of the same subject and predicate that holds now ends where this one begins. What is
        stated already is left as it is unless `again` is set: then it holds anew from now on.
        """
        stated = link.Statement(
            subject=parse_label(subject, "subject"),
            predicate=parse_label(predicate, "predicate"),
            object=parse_label(object, "object"),
            weight=parse_share(weight, "weight"),
            confidence=parse_share(confidence, "confidence"),
            provenance=parse_optional(provenance, "provenance"),
            valid_from=parse_optional_time(valid_from, "valid_from"),
            valid_until=parse_optional_time(valid_until, "valid_until"),
            metadata={} if metadata is None else parse_metadata(metadata),
        )
        return link.relate(
            self._core,
            stated,
            parse_space(space),
            replaces=parse_flag(replaces, "replaces"),
            again=parse_flag(again, "again"),
            make=parse_flag(make, "make"),
        )

    def facts(
        self,
        subject: str | None = None,
        *,
        space: str = DEFAULT_SPACE,
        predicate: str | None = None,
        as_of: Moment = None,
        active: bool = True,
    ) -> list[Fact]:
        """What is stated about a subject (None: about all): now, as of a moment, or (`active=False`) ever."""
        return link.facts(
            self._core,
            parse_optional(subject, "subject"),
            parse_space(space),
            predicate=parse_optional(predicate, "predicate"),
            as_of=parse_optional_time(as_of, "as_of"),
            active=parse_flag(active, "active"),
        )

    def neighbors(
        self,
        entity: str,
        *,
        space: str = DEFAULT_SPACE,
        depth: int = 1,
        direction: str = "both",
        as_of: Moment = None,
    ) -> Neighborhood:
        """Everything within some steps of an entity, breadth first."""
        return link.neighbors(
            self._core,
            parse_label(entity, "entity"),
            parse_space(space),
            depth=parse_count(depth, "depth", least=0, most=MAX_DEPTH),
            direction=parse_choice(direction, "direction", _DIRECTIONS),
            as_of=parse_optional_time(as_of, "as_of"),
        )

    def entities(
        self,
        *,
        space: str = DEFAULT_SPACE,
        words: Sequence[str] = (),
        newest_first: bool = True,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Entity]:
        """The entities of a space, or those that have one of some words in a name or alias."""
        with self._core.store.read() as view:
            named = tuple(normal_name(word) for word in parse_labels(words, "words", most=1_000))
            return view.entities(
                Entities(space=parse_space(space), words=named),
                newest_first=parse_flag(newest_first, "newest_first"),
                limit=parse_count(limit, "limit", least=1, most=100_000),
                offset=parse_count(offset, "offset", least=0, most=2**62),
            )

    def knows(self, entity: str, *, space: str = DEFAULT_SPACE) -> bool:
        """Is there an entity of that id, name or alias?"""
        with self._core.store.read() as view:
            return link.resolve(view, parse_space(space), parse_label(entity, "entity")) is not None

    def mentioning(self, entity: str, *, space: str = DEFAULT_SPACE, limit: int = 20) -> list[Record]:
        """The newest records that mention an entity, by any of its names."""
        return link.mentioning(
            self._core,
            parse_label(entity, "entity"),
            parse_space(space),
            parse_count(limit, "limit", least=1, most=MAX_LIMIT),
        )

    def pagerank(
        self, seeds: Sequence[str], *, space: str = DEFAULT_SPACE, limit: int = 20, as_of: Moment = None
    ) -> list[tuple[Record, float]]:
        """The records nearest to some seeds (names, entity ids or record ids) in the graph, with their share."""
        from recollect.engine.graph.walk import rank_records  # brings in numpy

        labels = parse_labels(seeds, "seeds", most=1_000)
        if not labels:
            raise InvalidInput("seeds", "give at least one name or id")
        return rank_records(
            self._core,
            labels,
            parse_space(space),
            limit=parse_count(limit, "limit", least=1, most=MAX_LIMIT),
            as_of=parse_optional_time(as_of, "as_of"),
        )

    # Spaces

    def create_space(
        self, name: str, *, description: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> Space:
        """Makes a space, or changes the description or metadata of one that exists."""
        label = parse_space(name, "name")
        with self._core.store.write(actor=self._core.actor) as edit:
            held = space_of(edit, label) or Space(name=label, created_at=edit.now)
            changed = Space(
                name=label,
                description=held.description if description is None else parse_string(description, "description"),
                created_at=held.created_at,
                metadata=held.metadata if metadata is None else parse_metadata(metadata),
            )
            if space_of(edit, label) != changed:
                edit.apply([PutSpace(changed)])
            return changed

    def spaces(self) -> list[Space]:
        with self._core.store.read() as view:
            return view.spaces()

    def has_space(self, name: str) -> bool:
        """Is there a space of that name?"""
        label = parse_space(name, "name")
        with self._core.store.read() as view:
            return bool(view.spaces([label]))

    def describe_space(self, name: str = DEFAULT_SPACE) -> tuple[Space, SpaceStats]:
        """A space and how much it holds."""
        label = parse_space(name, "name")
        with self._core.store.read() as view:
            space = space_of(view, label)
            if space is None:
                raise NotFound(f"there is no space named {label!r}")
            return space, stats_of(view, label)

    def tally(self, name: str = DEFAULT_SPACE) -> SpaceTally:
        """How much a space holds now, by the few counts that are cheap at any size."""
        label = parse_space(name, "name")
        with self._core.store.read() as view:
            return tally_of(view, label)

    def delete_space(self, name: str) -> int:
        """Removes a space with everything in it, for good. Answers how many record versions went."""
        label = parse_space(name, "name")
        with self._core.store.write(actor=self._core.actor) as edit:
            count = edit.apply([DropSpace(label)])[0].count
        self._core.store.scrub()
        drop_place(self.settings.home, label)
        return count

    def folder(self, space: str = DEFAULT_SPACE) -> Path:
        """The folder for files of a space that exists; it is made if it is missing."""
        return make_place(self.settings.home, self._existing(space))

    def identity(self, space: str = DEFAULT_SPACE) -> str:
        """What `identity.txt` in a space's folder says of whom the space belongs to; empty where there is none."""
        return read_identity(self.settings.home, parse_space(space))

    def set_identity(self, space: str, text: str) -> None:
        """Writes `identity.txt` of a space that exists; an empty text removes it."""
        write_identity(self.settings.home, self._existing(space), parse_string(text, "text"))

    def clear_space(self, name: str) -> SpaceStats | None:
        """Removes everything in a space for good and keeps the space. Answers what it held (None: no such space)."""
        label = parse_space(name, "name")
        if self._indexing.projects is not None:
            self._indexing.projects.end(label)
        return maintain.clear_space(self._core, label)

    # Care

    def embedding(self) -> EmbeddingState:
        """What is known of the embedder, without loading it."""
        return self._semantics.state()

    def dream(
        self,
        space: str = DEFAULT_SPACE,
        *,
        budget_seconds: float = 5.0,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Dream:
        """Puts a space in order: merges records that say the same, checks its keyword index, counts what has faded.

        Every merge is in the journal and can be undone. It ends when its time is over or `cancelled` says so; with
        `dry_run` it only tells what it would do. One process at a time: another's cycle is a `Conflict`.
        """
        name, seconds = self._existing(space), parse_seconds(budget_seconds, "budget_seconds")
        try:
            vectors = self._semantics.load()
            return dreaming.dream(
                self._core, vectors, name, budget_seconds=seconds, dry_run=parse_flag(dry_run, "dry_run"),
                cancelled=cancelled,
            )  # fmt: skip
        finally:
            self._foremost.drop(name)

    def merge(
        self, space: str = DEFAULT_SPACE, *, budget_seconds: float = 60.0, dry_run: bool = False
    ) -> tuple[list[Merge], bool]:
        """Merges records that say the same, as a dream does. Answers the merges, and whether time sufficed for all."""
        name, seconds = self._existing(space), parse_seconds(budget_seconds, "budget_seconds")
        vectors = self._semantics.load()
        if vectors is None:
            raise EmbedderError("no embedder is configured; set RECOLLECT_EMBEDDER")
        try:
            return dreaming.merge(
                self._core, vectors, name, budget_seconds=seconds, dry_run=parse_flag(dry_run, "dry_run")
            )
        finally:
            self._foremost.drop(name)

    def consolidate(
        self,
        *,
        space: Spaces = None,
        decay_rate: float = lifecycle.DECAY_RATE,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Maintained]:
        """Lowers the confidence of what was not used for seven days by a share, down to 0.1. One run for each space.

        `undo` of a run's entry takes it back.
        """
        rate, dry = parse_share(decay_rate, "decay_rate"), parse_flag(dry_run, "dry_run")
        self._touches.flush()
        names = self._spaces_named(space)
        return [lifecycle.fade(self._core, name, rate=rate, dry_run=dry, cancelled=cancelled) for name in names]

    def evict(
        self,
        *,
        space: Spaces = None,
        max_age: timedelta = lifecycle.MAX_AGE,
        min_importance: float = lifecycle.MIN_IMPORTANCE,
        cap: int = lifecycle.CAP,
        dry_run: bool = False,
        delete: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Maintained]:
        """Takes out what is older than `max_age` and less important than `min_importance`, what is believed by less
        than 0.1, and the least important of a space that holds more than `cap`. One run for each space.

        It leaves the present and stays in the archive: `undo` of a run's entry brings it back. With `delete` it is
        forgotten for good.
        """
        self._touches.flush()
        done: list[Maintained] = []
        for name in self._spaces_named(space):
            upkeep = lifecycle.evict(
                self._core,
                name,
                max_age=max_age,
                min_importance=parse_share(min_importance, "min_importance"),
                cap=parse_count(cap, "cap", least=0, most=2**62),
                dry_run=parse_flag(dry_run, "dry_run"),
                delete=parse_flag(delete, "delete"),
                cancelled=cancelled,
            )
            done.append(upkeep)
            if upkeep.entry is not None:
                self._foremost.drop(name)
                self._sweeping.wake()
        return done

    def claim(self, task: str, slot: datetime) -> bool:
        """Takes a slot of a schedule: True for one process alone, however many ask."""
        return lifecycle.claim(self._core, parse_label(task, "task"), slot)

    def finish_sweeping(self) -> None:
        """Waits until the words of what was evicted have left the index, which otherwise happens in the background."""
        self._sweeping.finish()

    def last_dream(self, space: str = DEFAULT_SPACE) -> Dream | None:
        """What the last cycle in a space did, whoever ran it."""
        with self._core.store.read() as view:
            last = dreaming.last_cycle(view, parse_space(space))
        return None if last is None else last.dream

    def due_to_dream(self, *, idle_seconds: float = 300.0) -> list[str]:
        """The spaces that have been left alone for long enough and in which there is something to put in order."""
        return self._idleness.due(parse_seconds(idle_seconds, "idle_seconds"))

    def reindex(self, progress: Callable[[str, int, int], None] | None = None) -> int:
        """Makes everything derived anew from what is canonical: keyword index, mentions, vectors."""
        return maintain.reindex(self._core, self._semantics, progress)

    def embed_waiting(self, progress: Callable[[int, int], None] | None = None, *, space: Spaces = None) -> int:
        """Computes all vectors that are still missing, now. Answers how many stay missing."""
        vectors = self._semantics.load()
        spaces = parse_filter(space=space).spaces
        return 0 if vectors is None else vectors.catch_up(spaces or None, progress=progress)

    def count_waiting(self, *, space: Spaces = None) -> int:
        """How many versions have no vector of the chosen model yet; of a model that is new here, none has one."""
        vectors = self._semantics.load()
        if vectors is None:
            return 0
        spaces = parse_filter(space=space).spaces
        with self._core.store.read() as view:
            model = next((one for one in view.models() if one.name == vectors.embedder.name), None)
            names = [one.name for one in view.spaces() if one.name in spaces or not spaces]
            if model is None:
                return sum(view.count(Filter(spaces=(name,), valid_only=False)) for name in names)
            return view.waiting(model.no, names).count

    def check(self) -> list[str]:
        """What is wrong with the store, one sentence each; empty when all is well."""
        return list(self._core.store.check())

    def problems(self) -> list[str]:
        """What keeps the memory from working as it should right now; empty when nothing does."""
        failed = self._semantics.problem
        return [] if failed is None else [f"vectors: {failed}"]

    def size(self) -> int:
        """Bytes on disk."""
        return self._core.store.size()

    # Inside

    def _ref(self, id: str, space: str | None) -> tuple[str, str | None]:
        return parse_label(id, "id"), None if space is None else parse_space(space)

    def _spaces_named(self, space: Spaces) -> Sequence[str]:
        """One space, several, or (None) all, each of which there must be."""
        named = parse_filter(space=space).spaces
        return [self._existing(name) for name in named] or [one.name for one in self.spaces()]

    def _existing(self, space: str) -> str:
        if not self.has_space(space):
            raise NotFound(f"there is no space named {space!r}")
        return space
