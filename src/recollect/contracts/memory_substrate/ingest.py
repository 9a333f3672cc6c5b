"""How is evidence captured, and what is said of it?

An ingest writes a source and its segments, and never knowledge: what is worth keeping is for the caller to decide, with
the suggestions that every answer carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, field

from recollect.contracts.memory_substrate.envelope import Modes, Problem, Rejected, read_moment
from recollect.contracts.memory_substrate.schemas import Moment, Nothing, Params
from recollect.contracts.memory_substrate.suggestions import NEXT_ACTIONS, suggest
from recollect.contracts.memory_substrate.view import audit_ids, patch_id
from recollect.contracts.tool import Call
from recollect.engine.care.concepts import concepts_of
from recollect.engine.intake.results import IngestedRepo, IngestedSource
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput

MOST_SHOWN = 100
"""Audit ids and node ids that one answer lists; the rest is counted, and `memory_maintain audit` shows it."""
MOST_PROBLEMS = 20
_REASON = "Repository contains local/agent state that may not belong in durable memory."

_Path = Annotated[str, Meta(min_length=1, max_length=4_096, description="Absolute path")]
_Patterns = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=1_000)]],
    Meta(max_length=200, description="Compared with paths below the folder and with names; * and ? stand for anything"),
]


class RepoInput(Params, frozen=True, kw_only=True):
    path: Annotated[_Path, Meta(description="Absolute path of the repository's folder")]
    include_patterns: (
        Annotated[_Patterns, Meta(description="Only files that fit (all but what git ignores)")] | None
    ) = None
    exclude_patterns: Annotated[_Patterns, Meta(description="Files and folders to leave out (none)")] | None = None


class RepoOptions(Params, frozen=True, kw_only=True):
    force: Annotated[bool, Meta(description="Take in local and agent state such as .codex too (false)")] | None = None


class FileInput(Params, frozen=True, kw_only=True):
    path: Annotated[_Path, Meta(description="Absolute path of the file")]


class WebInput(Params, frozen=True, kw_only=True):
    url: Annotated[str, Meta(min_length=1, max_length=8_000, description="Address of the page, http or https")]


class Message(Params, frozen=True, kw_only=True):
    role: Annotated[str, Meta(min_length=1, max_length=200, description="user, assistant, system, …")]
    content: Annotated[str, Meta(min_length=1, description="What was said")]
    name: str | None = None
    created_at: Annotated[Moment, Meta(description="When it was said, ISO 8601")] | None = None
    metadata: dict[str, Any] | None = None


class ConversationInput(Params, frozen=True, kw_only=True):
    title: Annotated[str, Meta(min_length=1, max_length=1_000, description="What the conversation is called")]
    messages: Annotated[list[Message], Meta(min_length=1, description="In the order in which they were said")]
    origin: Annotated[dict[str, Any], Meta(description="Where it took place: host, project, …")] | None = field(
        default=None
    )


INGEST_MODES: Modes = {
    "repo": (RepoInput, RepoOptions),
    "file": (FileInput, Nothing),
    "markdown": (FileInput, Nothing),
    "web": (WebInput, Nothing),
    "pdf": (FileInput, Nothing),
    "conversation": (ConversationInput, Nothing),
}


def ingest(memory: Memory, space: str, mode: str, input_data: Any, options: Any, call: Call) -> dict[str, object]:
    """Captures what one call of memory_ingest hands in or points at."""
    try:
        if mode == "repo":
            return _ingest_repo(memory, space, input_data, options, call)
        return _told(memory, space, _CAPTURES[mode](memory, space, input_data))
    except InvalidInput as error:
        place = error.field.replace("[", ".").replace("]", "")
        raise Rejected("memory_ingest", [Problem(f"args.input_data.{place}", error.problem)]) from error


# Repositories


def _ingest_repo(memory: Memory, space: str, given: RepoInput, options: RepoOptions, call: Call) -> dict[str, object]:
    force = options.force is True
    done = memory.ingest_repo(
        given.path,
        space=space,
        include=_patterns(given.include_patterns, "include_patterns"),
        exclude=_patterns(given.exclude_patterns, "exclude_patterns"),
        force=force,
        checkpoint=call.checkpoint,
    )
    noop = done.source.outcome == "unchanged"
    status = "noop" if noop else "completed_with_pending_decisions" if done.pending else "completed"
    answer = {
        "result_type": "repo_ingest_result",
        "status": status,
        "requires_decision": bool(done.pending),
        **_written(done.source, done.entries),
        "segment_count": done.source.segments,
        "node_ids": list(done.nodes[:MOST_SHOWN]),
        "counts": dict(done.counts),
        **_decisions(done, force=force),
        "memory_suggestions": suggest(concepts_of(memory.core, space, source=done.source.id), done.source.id),
        "next_actions": list(NEXT_ACTIONS),
    }
    return {**answer, "reason": "repo_fingerprint_unchanged"} if noop else answer


def _patterns(given: Sequence[str] | None, name: str) -> Sequence[str]:
    for number, pattern in enumerate(given or ()):
        if not pattern.strip(" ./"):
            raise InvalidInput(f"{name}.{number}", "names nothing; give a name, a path or a pattern such as docs/*.md")
    return given or ()


def _decisions(done: IngestedRepo, *, force: bool) -> dict[str, object]:
    """What somebody should decide on: agents' state that was met and left out, or taken in all the same."""
    state = list(done.agent_state)
    warnings: list[str] = []
    if state:
        fate = "They are included because options.force=true was used." if force else (
            "They are excluded from the clean repo ingest unless options.force=true is used."
        )  # fmt: skip
        warnings.append(
            "Repository contains local/agent state entries that may not belong in memory: "
            f"{', '.join(state[:MOST_PROBLEMS])}. {fate}"
        )
    warnings += [f"{one.path}: {one.problem}" for one in done.problems[:MOST_PROBLEMS]]
    if len(done.problems) > MOST_PROBLEMS:
        warnings.append(f"{len(done.problems) - MOST_PROBLEMS} more files could not be read")
    return {
        "excluded_by_preflight": list(done.pending),
        "pending_decisions": [
            {"path": path, "kind": "local_agent_state", "reason": _REASON, "suggested_action": "exclude"}
            for path in done.pending
        ],
        "warnings": warnings,
        "suggested_exclude_patterns": state,
    }


# All others


def _told(memory: Memory, space: str, captured: IngestedSource) -> dict[str, object]:
    noop = captured.outcome == "unchanged"
    answer = {
        "result_type": "source_ingest_result",
        "status": "noop" if noop else "completed",
        **_written(captured, captured.entries),
        "source_kind": captured.source_kind,
        "title": captured.title,
        "segment_count": captured.segments,
        "warnings": [],
        "memory_suggestions": suggest(concepts_of(memory.core, space, source=captured.id), captured.id),
        "next_actions": list(NEXT_ACTIONS),
    }
    return {**answer, "reason": "source_fingerprint_unchanged"} if noop else answer


def _written(source: IngestedSource, entries: Sequence[int]) -> dict[str, object]:
    """What was written, by the journal's entries; of very many only the first are listed."""
    told: dict[str, object] = {
        "patch_id": patch_id(entries),
        "source_id": source.id,
        "applied_operations": len(entries),
        "audit_event_ids": audit_ids(entries[:MOST_SHOWN]),
        "projection_count": len(entries),
    }
    left = len(entries) - MOST_SHOWN
    return {**told, "audit_event_ids_omitted": left} if left > 0 else told


def _file(memory: Memory, space: str, given: FileInput) -> IngestedSource:
    return memory.ingest_file(given.path, space=space, mode="file")


def _markdown(memory: Memory, space: str, given: FileInput) -> IngestedSource:
    return memory.ingest_file(given.path, space=space, mode="markdown")


def _pdf(memory: Memory, space: str, given: FileInput) -> IngestedSource:
    return memory.ingest_file(given.path, space=space, mode="pdf")


def _web(memory: Memory, space: str, given: WebInput) -> IngestedSource:
    return memory.ingest_url(given.url, space=space)


def _conversation(memory: Memory, space: str, given: ConversationInput) -> IngestedSource:
    messages = [_message(message, f"args.input_data.messages.{i}") for i, message in enumerate(given.messages)]
    done = memory.ingest_conversation(messages, space=space, title=given.title, origin=given.origin or {})
    assert done.source is not None, "a conversation with a title is kept as a source"
    return done.source


def _message(message: Message, place: str) -> Mapping[str, object]:
    said_at = read_moment("memory_ingest", message.created_at, f"{place}.created_at")
    told = {**msgspec.structs.asdict(message), "created_at": said_at}
    return {name: value for name, value in told.items() if value is not None}


_CAPTURES: Mapping[str, Callable[[Memory, str, Any], IngestedSource]] = {
    "file": _file,
    "markdown": _markdown,
    "web": _web,
    "pdf": _pdf,
    "conversation": _conversation,
}
