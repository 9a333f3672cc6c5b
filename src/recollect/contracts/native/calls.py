"""What do Recollect's own tools do?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET

from recollect.contracts.native.answers import (
    MOST_ERRORS,
    MOST_LISTED,
    SHORT_TEXT_TOKENS,
    Brought,
    Explored,
    Recalled,
    SpaceView,
    StatusView,
    Written,
    act_view,
    brought,
    change_view,
    fact_view,
    indexed,
    record_view,
    standing_view,
    told_later,
    within,
    written,
)
from recollect.contracts.native.params import Explore, Forget, Hook, Ingest, Recall, Relate, Remember, Revise, Status
from recollect.contracts.tool import INDEX_SECONDS, Call, view
from recollect.engine.core import missing_space, utc_now
from recollect.engine.embedding.later import told_later as find_told_later
from recollect.engine.grant import BY_TOKEN, EVERYTHING
from recollect.engine.graph.link import as_stored, by_time
from recollect.engine.graph.named import meant
from recollect.engine.hook_log import HookCall, log_call
from recollect.engine.intake.results import Ingested
from recollect.engine.memory import Memory
from recollect.engine.parse import parse_optional_time
from recollect.engine.read.stats import all_sizes
from recollect.engine.write.revise import Past
from recollect.errors import InvalidInput, NotFound
from recollect.types import Evidence
from recollect.version import __version__
from recollect.working import meant_path

_FOLDER_SECONDS = 40.0  # before ingest answers with what has come in of a folder's documents; the next call goes on
_MOST_ACTS = 5
_SHOWN_FIRST = 300  # characters of a record that is to go


def remember(params: Remember, call: Call) -> Written:
    receipt = call.memory.remember(
        params.text, title=params.title, tags=params.tags, memory_type=params.memory_type,
        importance=params.importance, session=params.session,
        project=params.project if params.project or params.everywhere else _claimed(call),
        source=params.source, event_time=params.event_time,
        valid_from=params.valid_from, valid_until=params.valid_until,
        grounds={"evidence": [_evidence(ref) for ref in params.evidence]} if params.evidence else None,
        alike=["grounds"] if params.evidence else (), replaces=params.replaces,
        space=params.space or call.space,
    )  # fmt: skip
    return written(receipt)


def _scope(call: Call) -> tuple[str | None, ...]:
    """The projects that the client sees from where it works, its own first; empty where that is in none."""
    return next((seen for place, plain in _places(call) if (seen := call.memory.seen_from(place, plain=plain))), ())


def _claimed(call: Call) -> str | None:
    """The project that what the client stores is of; None where it works in none."""
    named = (call.memory.claim_project(place, plain=plain) for place, plain in _places(call))
    return next((name for name in named if name), None)


def _places(call: Call) -> Iterator[tuple[str, bool]]:
    """Where the client may work, and whether any folder counts there: what it names before where it started us."""
    folders: list[str] = []
    for folder in call.folders():
        folders.append(folder)
        yield folder, False
    yield from ((folder, True) for folder in reversed(folders))


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
        record_view(
            hit.record, None, score=None if brief else round(hit.score, 3), why=hit.why if params.explain else None,
            also=hit.folded, space=hit.record.space if params.all_spaces else None,
        )
        for hit in found
    ]  # fmt: skip
    answer = Recalled(
        hits=hits,
        scope=next(iter(scope), None),
        brief=brief,
        waiting_for_vectors=found.signals.waiting_for_vectors,
        problem=found.signals.problem,
    )
    return within(answer, params.budget_tokens)


def revise(params: Revise, call: Call) -> Written:
    names = ("text", "title", "tags", "importance", "event_time", "valid_from", "valid_until")
    fields = {name: value for name in names if (value := getattr(params, name)) is not UNSET}
    if not fields:
        raise InvalidInput("text", f"nothing to change; give one of {', '.join(names)}")
    return written(call.memory.revise(params.id, reason=params.reason, **fields))


def forget(params: Forget, call: Call) -> Written:
    memory = call.memory
    if params.keep_history or params.superseded_by is not None:
        ended = memory.invalidate(params.id, reason=params.reason, superseded_by=params.superseded_by)
        return written(ended)
    try:
        return written(memory.forget(params.id, reason=params.reason))
    except NotFound:
        return written(memory.forget_fact(params.id, reason=params.reason))


def confirm_forget(params: Forget, call: Call) -> str | None:
    """What goes for good is shown to a person first."""
    if params.keep_history or params.superseded_by is not None:
        return None
    record = call.memory.get(params.id)
    return None if record is None else f"Forget this for good, with its history? {record.text[:_SHOWN_FIRST]}"


def relate(params: Relate, call: Call) -> Mapping[str, object]:
    space = params.space or call.space
    subject = meant(call.memory.core, params.subject, space=space, field="subject")
    object = meant(call.memory.core, params.object, space=space, field="object")
    relation = call.memory.relate(
        subject, params.predicate, object, replaces=params.replaces, confidence=params.confidence,
        provenance=params.provenance, valid_from=params.valid_from, valid_until=params.valid_until, space=space,
    )  # fmt: skip
    masked = as_stored(call.memory.core, relation).masked
    told = {"id": relation.id, "valid_from": relation.valid_from}
    more = {"valid_until": relation.valid_until, "masked": masked}
    return told | {name: value for name, value in more.items() if value}


def explore(params: Explore, call: Call) -> Explored:
    if (params.entity is None) == (params.id is None):
        raise InvalidInput("entity", "give either entity or id")
    if params.id is not None:
        return _explore_record(params.id, params, call)
    return _explore_entity(params.entity or "", params, call)


def _explore_record(id: str, params: Explore, call: Call) -> Explored:
    record = call.memory.get(id, space=params.space, as_of=params.as_of)
    past = call.memory.history(id, space=params.space)[-MOST_LISTED:]
    return Explored(
        record=None if record is None else record_view(record, None, space=record.space),
        standing=None if record is None else standing_view(record, call),
        history=[change_view(step.change, step.record) for step in past],
        problem=_thinned(past),
    )


def _thinned(past: Sequence[Past]) -> str | None:
    until = next((step.thinned for step in past if step.thinned is not None), None)
    return None if until is None else f"history was thinned up to {until:%Y-%m-%d %H:%M} UTC: what came before is gone"


def _explore_entity(name: str, params: Explore, call: Call) -> Explored:
    memory, space = call.memory, params.space or call.space
    if params.space is not None and not memory.has_space(space):
        raise NotFound(missing_space(space, [one.name for one in memory.spaces()]))
    about = meant(memory.core, name, space=space, plainly=True)
    mentions = memory.mentioning(about, space=space, limit=10, as_of=params.as_of, true_at=params.true_at)
    known = memory.find_entities(about, space=space)
    if not known and not mentions:
        return Explored(entity=name, problem=f"nothing in space {space!r} is about {name!r}, or mentions it")
    everything = memory.facts(about, space=space, as_of=params.as_of, active=False)
    holding = memory.facts(about, space=space, as_of=params.as_of, true_at=params.true_at)
    at = parse_optional_time(params.true_at or params.as_of, "true_at") or memory.core.clock()
    told = by_time(everything, holding, at)
    answer = Explored(
        entity=name,
        facts=[fact_view(fact) for fact in told.holding[:MOST_LISTED]],
        past_facts=[fact_view(fact) for fact in told.past[:MOST_LISTED]],
        coming_facts=tuple(fact_view(fact) for fact in told.coming[:MOST_LISTED]),
        mentioned_in=[record_view(record, SHORT_TEXT_TOKENS) for record in mentions],
    )
    if known:
        around = memory.neighbors(about, space=space, depth=params.depth, as_of=params.as_of, true_at=params.true_at)
        answer.entity, answer.type = around.start.name, around.start.type
        answer.description, answer.aliases = around.start.description, around.start.aliases
        near = around.entities[1 : MOST_LISTED + 1]
        answer.neighbours = {entity.name: around.distances[entity.id] for entity in near}
    return answer


_OF_ITS_OWN = {"path": ("source", "session"), "url": ("source", "session")}
"""What something that is fetched says itself, so that nobody else can."""


def _refuse_idle(params: Ingest, given: str, names: Sequence[str]) -> None:
    """An argument that would have no effect is an error: who gives it relies on it."""
    for name in names:
        if getattr(params, name):
            raise InvalidInput(name, f"has no effect with {given}; leave it out")


def ingest(params: Ingest, call: Call) -> Ingested | Brought:
    def far(done: int, total: int) -> None:
        call.progress(done, total, "messages" if params.messages is not None else "sections")

    memory, space = call.memory, params.space or call.space
    if sum(given is not None for given in (params.text, params.messages, params.path, params.url)) != 1:
        raise InvalidInput("text", "give one of text, messages, path and url")
    for way, names in _OF_ITS_OWN.items():
        if getattr(params, way) is not None:
            _refuse_idle(params, f"a {way}", names)
    if params.url is not None:
        page = memory.ingest_url(
            params.url, space=space, title=params.title, tags=params.tags, cancelled=lambda: call.cancelled,
            progress=far,
        )  # fmt: skip
        return brought(page)
    if params.path is not None:
        return _bring(memory, params.path, space, params, call, far)
    if params.text is not None:
        return memory.ingest(
            params.text, space=space, source=params.source, title=params.title, session=params.session or None,
            tags=params.tags, progress=far,
        )  # fmt: skip
    if params.session is None:
        raise InvalidInput("session", "is required with messages; name the conversation")
    return memory.ingest_conversation(
        params.messages or [], session=params.session, space=space, title=params.title, tags=params.tags,
        source=params.source, progress=far,
    )  # fmt: skip


def _bring(
    memory: Memory, path: str, space: str, params: Ingest, call: Call, far: Callable[[int, int], None]
) -> Brought:
    """A folder's documents and its code; a transcript; or else a document."""
    if os.path.isdir(meant_path(path)):
        _refuse_idle(params, "a folder", ("title",))
        end = time.monotonic() + _FOLDER_SECONDS
        folder = memory.ingest_folder(
            path, space=space, tags=params.tags, cancelled=lambda: call.cancelled or time.monotonic() > end,
            progress=lambda done, total: call.progress(done, total, "documents"),
        )  # fmt: skip
        call.checkpoint()
        status = memory.index_project(
            path, space=space, wait=INDEX_SECONDS,
            progress=lambda status: call.progress(status.indexed_files, status.total_files, "indexing"),
        )  # fmt: skip
        problems = {one.path: one.problem for one in folder.problems[:MOST_ERRORS]}
        return view(Brought, folder, unfinished=not folder.finished, code=indexed(status), problems=problems)
    given: dict[str, Any] = {"space": space, "tags": params.tags, "cancelled": lambda: call.cancelled, "progress": far}
    if path.lower().endswith((".json", ".jsonl")) and memory.is_transcript(path, cancelled=lambda: call.cancelled):
        _refuse_idle(params, "a transcript", ("title",))
        return brought(*memory.ingest_transcript(path, **given))
    return brought(memory.ingest_file(path, title=params.title, **given))


def status(params: Status, call: Call) -> StatusView:
    sizes = all_sizes(call.memory.core, embeds=call.memory.semantics.wanted)
    guest = call.memory.core.client not in (EVERYTHING.id, BY_TOKEN.id)
    return StatusView(
        version=__version__,
        store=None if guest else call.memory.location,
        bytes=None if guest else call.memory.size(),
        space=call.space,
        spaces=[view(SpaceView, one, name=one.space) for one in sizes[:MOST_LISTED]],
        embedder=call.memory.settings.embedder,
        waiting_for_vectors=sum(one.waiting_for_vectors for one in sizes),
        lately=[act_view(act) for act in call.memory.acts(space=call.space, limit=_MOST_ACTS)],
        told_later=[told_later(one) for one in find_told_later(call.memory.core, space=call.space, limit=_MOST_ACTS)],
        problems=call.memory.semantics.problems,
    )


def hook(params: Hook, call: Call) -> str:
    """What a client's hook adds to a prompt; empty where nothing is likely to answer.

    Some clients take a text as it is, and some only what has the form of a hook's output. What comes too late reaches
    nobody, so it does not count as given; whoever waited has logged that.
    """
    if not params.prompt.strip():
        return ""  # a picture, perhaps
    began, unasked = time.perf_counter(), call.memory.unasked
    folder, space = params.folder or next(iter(call.folders()), None), params.space or call.space
    end = unasked.begin(params.session, "prompt", params.prompt, space=space)
    if end is None:
        return ""  # another hook of this session answers this prompt
    try:
        given = unasked.give_answers(params.prompt, space=space, folder=folder, session=params.session)
        if params.until is not None and time.time() > params.until:
            return ""
        if given.text:
            unasked.note_given(given, session=params.session)
    finally:
        end()
        if call.memory.semantics.proven and not call.memory.semantics.awake:
            call.memory.semantics.warm()  # in the background: words have answered this prompt, and others follow
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


def _evidence(ref: str) -> Evidence:
    """`ID` is a record or a source; `ID#seg-2` one segment of a source."""
    source, _, segment = ref.partition("#")
    return Evidence(source=source, segment=segment or None)
