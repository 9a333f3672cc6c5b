"""Which tools does Recollect offer in its own words?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from recollect.contracts.tool import INDEX_SECONDS, Annotations, Call, Contract, Tool, view
from recollect.engine.core import missing_space, utc_now
from recollect.engine.graph.link import Fact
from recollect.engine.hook_log import HookCall, log_call
from recollect.engine.intake.results import Ingested, IngestedSource
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, NotFound
from recollect.retrieve.context import cut_text, estimate_tokens
from recollect.retrieve.fence import DATA
from recollect.types import (
    DEFAULT_SPACE,
    NOISE,
    Act,
    Already,
    Change,
    Claim,
    Evidence,
    Grounds,
    ProjectStatus,
    Receipt,
    Record,
    Why,
)
from recollect.version import __version__
from recollect.working import meant_path

_FOLDER_SECONDS = 40.0  # before ingest answers with what has come in of a folder's documents; the next call goes on
_MOST_ERRORS = 10
_ENVELOPE_TOKENS = 60
_HIT_TOKENS = 110  # id, date, score, signals and names around a hit's text
_SHORT_TEXT_TOKENS = 150
_TITLE_TOKENS = 20
_MOST_LISTED = 50
_MOST_ACTS = 5

_INSTRUCTIONS = (
    "Long-term memory shared by all of this person's agents. Recall before you answer from memory or start a task;"
    " remember decisions, preferences, facts and outcomes worth keeping, one per call; revise what changed instead of"
    " storing it again. Inside a repository both keep to its project and to what is of none, unless `everywhere` is set"
    f". Cite records by [id]. {DATA}"
)

Moment = str
"""As the engine reads times: RFC 3339, 2026-05-10, 2026-03, yesterday, 3 days ago."""


_SHOWN_FIRST = 300  # characters of a record that is to go


class Params(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What all tools' arguments have in common: unknown ones are refused."""


class Remember(Params):
    text: Annotated[str, Meta(description="One self-contained statement")]
    title: str | None = None
    tags: list[str] = field(default_factory=list[str])
    memory_type: Literal["episodic", "semantic", "procedural"] = "semantic"
    importance: float = 0.5
    session: str | None = None
    project: str | None = None
    source: str | None = None
    event_time: Moment | None = None
    valid_until: Moment | None = None
    evidence: Annotated[list[str], Meta(description="Ids it rests on")] = field(default_factory=list[str])
    replaces: Annotated[str, Meta(description="Id that it takes the place of")] | None = None
    everywhere: bool = False
    space: str | None = None


class Recall(Params):
    query: Annotated[str, Meta(description="In plain words")] | None = None
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    kinds: list[str] = field(default_factory=list[str])
    tags: list[str] = field(default_factory=list[str])
    session: str | None = None
    project: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Annotated[str, Meta(description="What was known and true then")] | None = None
    true_at: Annotated[str, Meta(description="What held then, as known now")] | None = None
    min_score: float = NOISE
    recency: Annotated[float, Meta(description="0..1")] = 0.0
    deep: bool = False
    explain: bool = False
    budget_tokens: Annotated[int, Meta(ge=50, le=50_000)] = 4_000
    everywhere: bool = False
    space: str | None = None
    all_spaces: bool = False


class Revise(Params):
    id: str
    text: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    importance: float | UnsetType = UNSET
    valid_until: Moment | UnsetType = UNSET
    reason: str | None = None


class Forget(Params):
    id: str
    keep_history: Annotated[bool, Meta(description="Mark it as no longer true")] = False
    superseded_by: Annotated[str, Meta(description="Id that holds instead")] | None = None
    reason: str | None = None


class Relate(Params):
    subject: str
    predicate: str
    object: str
    replaces: Annotated[bool, Meta(description="Ends the one stated before")] = True
    confidence: float = 1.0
    provenance: str | None = None
    valid_from: Moment | None = None
    space: str | None = None


class Explore(Params):
    entity: str | None = None
    id: str | None = None
    depth: Annotated[int, Meta(ge=1, le=3)] = 1
    as_of: Moment | None = None
    true_at: Moment | None = None
    space: str | None = None


class Ingest(Params):
    text: str | None = None
    path: Annotated[str, Meta(description="File, folder or transcript")] | None = None
    url: str | None = None
    messages: Annotated[list[dict[str, Any]], Meta(description="{role, content, name?, created_at?}")] | None = None
    source: Annotated[str, Meta(description="Ingesting a source again replaces it")] | None = None
    title: str | None = None
    session: str | None = None
    tags: list[str] = field(default_factory=list[str])
    space: str | None = None


class Status(Params):
    pass


class Hook(Params):
    prompt: Annotated[str, Meta(description="What the person has asked")]
    session: Annotated[str, Meta(description="Is not given twice what it was given")] | None = None
    folder: Annotated[str, Meta(description="Where the client works")] | None = None
    event: Annotated[str, Meta(description="Answers as a hook of this event does, not as plain text")] | None = None
    client: Annotated[str, Meta(description="Whose hook it is, for the log")] | None = None
    space: str | None = None


class RecordView(Struct, omit_defaults=True, kw_only=True):
    """A record as an agent reads it: what is empty or usual is left out."""

    id: str
    text: str
    date: datetime
    score: float | None = None
    why: Why | None = None
    space: str | None = None
    title: str | None = None
    role: str | None = None
    kind: str = "memory"
    tags: tuple[str, ...] = ()
    session: str | None = None
    project: str | None = None
    source: str | None = None
    trust: str = "agent_inferred"
    status: str = "active"
    valid_until: datetime | None = None
    superseded_by: str | None = None
    also: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    cut: bool = False


class Written(Struct, omit_defaults=True, kw_only=True):
    """What became of a write: what is usual of its standing is left out."""

    outcome: str
    id: str | None
    space: str
    reason: str | None
    entry: int | None
    status: str | None = None
    contested: tuple[str, ...] = ()
    already: tuple[Already, ...] = ()
    masked: tuple[str, ...] = ()


class EvidenceView(Struct, omit_defaults=True, kw_only=True):
    source: str
    state: str
    segment: str | None = None


class StandingView(Struct, omit_defaults=True, kw_only=True):
    """How far a record can be believed, and why."""

    status: str
    trust: str
    confidence: float
    scopes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    claim: Claim | None = None
    evidence: tuple[EvidenceView, ...] = ()
    verified_at: datetime | None = None
    contradicts: tuple[str, ...] = ()


class Recalled(Struct, omit_defaults=True, kw_only=True):
    """What was found. `scope` is the project at hand where only that and what is of none was looked into."""

    hits: list[RecordView]
    scope: str | None = None
    brief: bool = False
    left_out: int = 0
    waiting_for_vectors: int = 0
    problem: str | None = None


class Indexed(Struct, omit_defaults=True, kw_only=True):
    """How far the index of a folder is; where it is not complete, it goes on."""

    project: str
    state: str
    files: int
    chunks: int
    left: int = 0
    eta_seconds: float | None = None
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    problem: str | None = None


class SourceView(Struct, omit_defaults=True, kw_only=True):
    """What became of something that was ingested as a source."""

    id: str
    title: str
    outcome: str
    segments: int
    added: int = 0
    removed: int = 0


class Brought(Struct, omit_defaults=True, kw_only=True):
    """What came in from a path or an address: sources one by one, or the documents of a folder in numbers."""

    sources: tuple[SourceView, ...] = ()
    more: int = 0
    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    archived: int = 0
    segments: int = 0
    unfinished: bool = False
    problems: Mapping[str, str] = {}
    code: Indexed | None = None


class FactView(Struct, omit_defaults=True, kw_only=True):
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_until: datetime | None = None
    confidence: float = 1.0
    provenance: str | None = None


class ChangeView(Struct, omit_defaults=True, kw_only=True):
    entry: int
    at: datetime
    verb: str
    act: int | None = None
    actor: str | None = None
    reason: str | None = None
    text: str | None = None


class ActView(Struct, omit_defaults=True, kw_only=True):
    """What was done in one go, by its first entry in the journal, and how many changes that took."""

    entry: int
    at: datetime
    verb: str
    changes: int
    actor: str | None = None
    about: str | None = None
    undone_by: int | None = None


class Explored(Struct, omit_defaults=True, kw_only=True):
    record: RecordView | None = None
    standing: StandingView | None = None
    history: list[ChangeView] = field(default_factory=list[ChangeView])
    entity: str | None = None
    type: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()
    facts: list[FactView] = field(default_factory=list[FactView])
    past_facts: list[FactView] = field(default_factory=list[FactView])
    neighbours: dict[str, int] = field(default_factory=dict[str, int])
    mentioned_in: list[RecordView] = field(default_factory=list[RecordView])


class SpaceView(Struct, kw_only=True):
    name: str
    records: int
    entities: int
    relations: int
    sessions: int


class StatusView(Struct, kw_only=True):
    version: str
    store: str
    bytes: int
    space: str
    spaces: list[SpaceView]
    embedder: str
    waiting_for_vectors: int
    lately: list[ActView]
    problems: list[str]


def remember(params: Remember, call: Call) -> Written:
    receipt = call.memory.remember(
        params.text, title=params.title, tags=params.tags, memory_type=params.memory_type,
        importance=params.importance, session=params.session,
        project=params.project if params.project or params.everywhere else next(iter(_scope(call)), None),
        source=params.source, event_time=params.event_time, valid_until=params.valid_until,
        grounds={"evidence": [_evidence(ref) for ref in params.evidence]} if params.evidence else None,
        alike=["grounds"] if params.evidence else (), replaces=params.replaces,
        space=params.space or call.space,
    )  # fmt: skip
    return _written(receipt)


def _scope(call: Call) -> tuple[str | None, ...]:
    """The projects that the client sees from where it works, its own first; empty where that is in none."""
    return next((seen for folder in call.folders() if (seen := call.memory.seen_from(folder))), ())


def recall(params: Recall, call: Call) -> Recalled:
    named = params.project or params.session or params.everywhere or params.all_spaces
    scope = () if named else _scope(call)
    found = call.memory.recall(
        params.query or None, space=None if params.all_spaces else params.space or call.space, limit=params.limit,
        kinds=params.kinds, tags=params.tags, session=params.session, project=params.project or scope,
        since=params.since,
        until=params.until, as_of=params.as_of, true_at=params.true_at, min_score=params.min_score,
        recency=params.recency, deep=params.deep,
    )  # fmt: skip
    brief = found.signals.brief
    hits = [
        _record_view(
            hit.record, None, score=None if brief else round(hit.score, 3), why=hit.why if params.explain else None,
            also=hit.folded, space=hit.record.space if params.all_spaces else None,
        )
        for hit in found
    ]  # fmt: skip
    kept = _within(hits, params.budget_tokens)
    return Recalled(
        hits=kept,
        scope=next(iter(scope), None),
        brief=brief,
        left_out=len(hits) - len(kept),
        waiting_for_vectors=found.signals.waiting_for_vectors,
        problem=found.signals.problem,
    )


def revise(params: Revise, call: Call) -> Written:
    names = ("text", "title", "tags", "importance", "valid_until")
    fields = {name: value for name in names if (value := getattr(params, name)) is not UNSET}
    return _written(call.memory.revise(params.id, reason=params.reason, **fields))


def forget(params: Forget, call: Call) -> Written:
    memory = call.memory
    if params.keep_history or params.superseded_by is not None:
        ended = memory.invalidate(params.id, reason=params.reason, superseded_by=params.superseded_by)
        return _written(ended)
    return _written(memory.forget(params.id, reason=params.reason))


def _confirm_forget(params: Forget, call: Call) -> str | None:
    """What goes for good is shown to a person first."""
    if params.keep_history or params.superseded_by is not None:
        return None
    record = call.memory.get(params.id)
    return None if record is None else f"Forget this for good, with its history? {record.text[:_SHOWN_FIRST]}"


def relate(params: Relate, call: Call) -> Mapping[str, object]:
    space = params.space or call.space
    subject, object = (call.memory.meant(end, space=space) for end in (params.subject, params.object))
    relation = call.memory.relate(
        subject, params.predicate, object, replaces=params.replaces, confidence=params.confidence,
        provenance=params.provenance, valid_from=params.valid_from, space=space,
    )  # fmt: skip
    return {"id": relation.id, "valid_from": relation.valid_from}


def explore(params: Explore, call: Call) -> Explored:
    if (params.entity is None) == (params.id is None):
        raise InvalidInput("entity", "give either entity or id")
    if params.id is not None:
        return _explore_record(params.id, params, call)
    return _explore_entity(params.entity or "", params, call)


def _explore_record(id: str, params: Explore, call: Call) -> Explored:
    record = call.memory.get(id, space=params.space, as_of=params.as_of)
    past = call.memory.history(id, space=params.space)[-_MOST_LISTED:]
    return Explored(
        record=None if record is None else _record_view(record, None, space=record.space),
        standing=None if record is None else _standing(record, call),
        history=[_change_view(step.change, step.record) for step in past],
    )


def _standing(record: Record, call: Call) -> StandingView:
    grounds = record.grounds or Grounds()
    rivals = call.memory.contradictions(record.id, space=record.space) if grounds.claim else []
    found = call.memory.evidence_state(record)[:_MOST_LISTED]
    return view(
        StandingView, grounds, status=record.status, trust=record.trust, confidence=record.confidence,
        evidence=tuple(view(EvidenceView, one, source=one.evidence.source) for one in found),
        contradicts=tuple(rival.id for rival in rivals[:_MOST_LISTED]),
    )  # fmt: skip


def _explore_entity(name: str, params: Explore, call: Call) -> Explored:
    memory, space = call.memory, params.space or call.space
    if params.space is not None and not memory.has_space(space):
        raise NotFound(missing_space(space, [one.name for one in memory.spaces()]))
    mentions = memory.mentioning(name, space=space, limit=10, as_of=params.as_of, true_at=params.true_at)
    about = memory.meant(name, space=space)
    known = memory.find_entities(about, space=space)
    if not known and not mentions:
        return Explored(entity=name)
    everything = memory.facts(about, space=space, as_of=params.as_of, active=False)
    holding = memory.facts(about, space=space, as_of=params.as_of, true_at=params.true_at)
    active = {fact.relation.version for fact in holding}
    answer = Explored(
        entity=name,
        facts=[_fact_view(fact) for fact in everything if fact.relation.version in active][:_MOST_LISTED],
        past_facts=[_fact_view(fact) for fact in everything if fact.relation.version not in active][:_MOST_LISTED],
        mentioned_in=[_record_view(record, _SHORT_TEXT_TOKENS) for record in mentions],
    )
    if known:
        around = memory.neighbors(about, space=space, depth=params.depth, as_of=params.as_of, true_at=params.true_at)
        answer.entity, answer.type = around.start.name, around.start.type
        answer.description, answer.aliases = around.start.description, around.start.aliases
        near = around.entities[1 : _MOST_LISTED + 1]
        answer.neighbours = {entity.name: around.distances[entity.id] for entity in near}
    return answer


def ingest(params: Ingest, call: Call) -> Ingested | Brought:
    memory, space = call.memory, params.space or call.space
    if sum(given is not None for given in (params.text, params.messages, params.path, params.url)) != 1:
        raise InvalidInput("text", "give one of text, messages, path and url")
    if params.url is not None:
        return _brought(
            memory.ingest_url(
                params.url, space=space, title=params.title, tags=params.tags, cancelled=lambda: call.cancelled
            )
        )
    if params.path is not None:
        return _bring(memory, params.path, space, params, call)
    if params.text is not None:
        return memory.ingest(
            params.text, space=space, source=params.source, title=params.title, tags=params.tags,
        )  # fmt: skip
    if params.session is None:
        raise InvalidInput("session", "is required with messages; name the conversation")
    return memory.ingest_conversation(
        params.messages or [], session=params.session, space=space, title=params.title, tags=params.tags,
        source=params.source,
    )  # fmt: skip


def _bring(memory: Memory, path: str, space: str, params: Ingest, call: Call) -> Brought:
    """A folder's documents and its code; a transcript; or else a document."""
    if meant_path(path).is_dir():
        end = time.monotonic() + _FOLDER_SECONDS
        folder = memory.ingest_folder(
            path, space=space, tags=params.tags, cancelled=lambda: call.cancelled or time.monotonic() > end,
            progress=lambda done, total: call.progress(done, total, "documents"),
        )  # fmt: skip
        status = memory.index_project(
            path, space=space, wait=INDEX_SECONDS,
            progress=lambda status: call.progress(status.indexed_files, status.total_files, "indexing"),
        )  # fmt: skip
        problems = {one.path: one.problem for one in folder.problems[:_MOST_ERRORS]}
        return view(Brought, folder, unfinished=not folder.finished, code=_indexed(status), problems=problems)
    given: dict[str, Any] = {"space": space, "tags": params.tags, "cancelled": lambda: call.cancelled}
    if path.lower().endswith((".json", ".jsonl")) and memory.is_transcript(path, cancelled=lambda: call.cancelled):
        return _brought(*memory.ingest_transcript(path, **given))
    return _brought(memory.ingest_file(path, title=params.title, **given))


def status(params: Status, call: Call) -> StatusView:
    stats = [call.memory.describe_space(space.name)[1] for space in call.memory.spaces()]
    return StatusView(
        version=__version__,
        store=call.memory.location,
        bytes=call.memory.size(),
        space=call.space,
        spaces=[view(SpaceView, one, name=one.space) for one in stats[:_MOST_LISTED]],
        embedder=call.memory.settings.embedder,
        waiting_for_vectors=sum(s.waiting_for_vectors for s in stats),
        lately=[_act_view(act) for act in call.memory.acts(space=call.space, limit=_MOST_ACTS)],
        problems=call.memory.problems(),
    )


def hook(params: Hook, call: Call) -> str:
    """What a client's hook adds to a prompt; empty where nothing is likely to answer.

    Some clients take a text as it is, and some only what has the form of a hook's output.
    """
    began, unasked = time.perf_counter(), call.memory.unasked
    folder = params.folder or next(iter(call.folders()), None)
    given = unasked.give_answers(params.prompt, space=params.space or call.space, folder=folder, session=params.session)
    if given.text:
        unasked.note_given(given, session=params.session)
    with suppress(OSError):  # a log that cannot be written withholds nothing
        log_call(call.memory.settings.home, HookCall(
            at=utc_now(), client=params.client or call.client or "mcp", event=params.event or "prompt",
            milliseconds=round((time.perf_counter() - began) * 1e3), tokens=given.tokens, records=len(given.ids),
            session=params.session, project=given.project, reason=given.reason,
        ))  # fmt: skip
    if not given.text or params.event is None:
        return given.text
    output = {"hookSpecificOutput": {"hookEventName": params.event, "additionalContext": given.text}}
    return msgspec.json.encode(output).decode()


def _act_view(act: Act) -> ActView:
    about = None if act.about is None else cut_text(act.about, _TITLE_TOKENS)
    return view(ActView, act, changes=act.count, about=about)


def _evidence(ref: str) -> Evidence:
    """`ID` is a record or a source; `ID#seg-2` one segment of a source."""
    source, _, segment = ref.partition("#")
    return Evidence(source=source, segment=segment or None)


def _written(receipt: Receipt) -> Written:
    already = [msgspec.structs.replace(one, text=cut_text(one.text, _SHORT_TEXT_TOKENS)) for one in receipt.already]
    status = None if receipt.status == "active" else receipt.status
    return view(Written, receipt, status=status, already=tuple(already))


def _record_view(record: Record, tokens: int | None, **more: Any) -> RecordView:
    text = record.text if tokens is None else cut_text(record.text, tokens)
    told = {"space": None, "date": record.event_time, "lines": _lines(record), "cut": text != record.text, **more}
    return view(RecordView, record, text=text, **told)


def _lines(record: Record) -> tuple[int, int] | None:
    """Where a chunk of code, or a segment of a document, stands in its file."""
    at = record.locator or {}
    first, last = at.get("start_line", at.get("line_start")), at.get("end_line", at.get("line_end"))
    return (first, last) if isinstance(first, int) and isinstance(last, int) else None


def _indexed(status: ProjectStatus) -> Indexed:
    return view(
        Indexed, status, project=status.id, files=status.indexed_files, chunks=status.total_chunks,
        left=status.total_files - status.indexed_files,
        errors={error.path: error.problem for error in status.errors[:_MOST_ERRORS]},
    )  # fmt: skip


def _brought(*sources: IngestedSource) -> Brought:
    views = tuple(view(SourceView, one) for one in sources[:_MOST_LISTED])
    return Brought(sources=views, more=len(sources) - len(views))


def _within(hits: Sequence[RecordView], budget: int) -> list[RecordView]:
    """As many hits as the budget holds; long texts are cut so that one does not use up what all should share."""
    kept: list[RecordView] = []
    left = budget - _ENVELOPE_TOKENS
    for place, hit in enumerate(hits):
        share = max(left // max(min(len(hits) - place, 5), 1) - _HIT_TOKENS, 0)
        text = cut_text(hit.text, share)
        if not text:
            break
        hit.cut = text != hit.text
        hit.text = text
        kept.append(hit)
        left -= estimate_tokens(text) + _HIT_TOKENS
    return kept


def _fact_view(fact: Fact) -> FactView:
    return view(FactView, fact.relation, subject=fact.subject, predicate=fact.predicate, object=fact.object)


def _change_view(change: Change, record: Record | None) -> ChangeView:
    return view(ChangeView, change, text=None if record is None else cut_text(record.text, _SHORT_TEXT_TOKENS))


_READS = Annotations(read_only=True, idempotent=True)
_WRITES = Annotations(idempotent=True)
_TOOLS = (
    Tool("remember", "Store one thing for good. `already` in the answer: what says nearly this or (differs)"
         " something else.", Remember, remember, _WRITES),
    Tool("recall", "Find what is known about a question, best first. Scores above 0.5 are"
         " likely right, below 0.25 likely nothing is known. Without a query: what is worth knowing.", Recall, recall,
         _READS),
    Tool("revise", "Change a record; the old version stays in its history.", Revise, revise, _WRITES),
    Tool("forget", "Remove a record for good, with its history.", Forget, forget,
         Annotations(destructive=True, idempotent=True), confirm=_confirm_forget),
    Tool("relate", "State a dated fact between two named things.", Relate, relate, _WRITES),
    Tool("explore", "Facts, neighbours and mentions of a named entity, or a record (id) and its past.",
         Explore, explore, _READS, length="whole"),
    Tool("ingest", "Store a document, a conversation, a web page, or a file or folder (documents and code).", Ingest,
         ingest, _WRITES, in_steps=lambda given: given.path is not None or given.url is not None),
    Tool("status", "What this memory holds and whether it is well.", Status, status, _READS),
    Tool("hook", "For a client's own hook, which calls the running server with each prompt (no model is told of this"
         " tool): the records that most likely answer, as plain text, and an empty text where none does.", Hook, hook,
         _WRITES, listed=False),
)  # fmt: skip


def native_contract(memory: Memory, *, space: str = DEFAULT_SPACE) -> Contract:
    """The table of Recollect's own tools on a memory; `space` is meant where a call names none."""
    return Contract(
        name="recollect", title="Recollect", instructions=_INSTRUCTIONS, tools=_TOOLS, memory=memory, space=space,
        keys_among_arguments=True, apps=_with_apps,
    )  # fmt: skip


def _with_apps(table: Contract) -> Contract:
    from recollect.contracts.apps import with_apps  # only for a client that shows apps

    return with_apps(table)
