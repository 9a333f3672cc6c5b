"""How is evidence captured, and what is said of it?

An ingest writes a source and its segments, and never knowledge: what is worth keeping is for the caller to decide, with
the suggestions that every answer carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate.answers import MOST_SHOWN, written
from recollect.contracts.memory_substrate.envelope import Mode, Modes
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.suggestions import NEXT_ACTIONS, suggest
from recollect.contracts.tool import Call
from recollect.engine.care.concepts import concepts_of
from recollect.engine.intake.results import IngestedRepo, IngestedSource
from recollect.engine.parse import parse_iso_time
from recollect.errors import InvalidInput

MOST_PROBLEMS = 20
_AWAY = "Forgotten here, and left out: {:,}."
_REASON = "Repository contains local/agent state that may not belong in durable memory."


# Repositories


def _repo(objects: Objects, given: s.RepoInput, options: s.RepoOptions, call: Call) -> dict[str, object]:
    force = options.force is True
    done = objects.memory.ingest_repo(
        given.path,
        space=objects.space,
        include=_patterns(given.include_patterns, "include_patterns"),
        exclude=_patterns(given.exclude_patterns, "exclude_patterns"),
        force=force,
        checkpoint=call.checkpoint,
    )
    unchanged = done.source.outcome == "unchanged"
    noop = unchanged and not done.pending
    status = "completed_with_pending_decisions" if done.pending else "noop" if noop else "completed"
    answer: dict[str, object] = {
        "result_type": "repo_ingest_result",
        "status": status,
        "requires_decision": bool(done.pending),
        **written(done.entries, source_id=done.source.id),
        "segment_count": done.source.segments,
        "node_ids": done.nodes[:MOST_SHOWN],
        "counts": done.counts,
        "left_out": done.left_out,
        **_decisions(done, force=force),
        **_suggestions(objects, done.source),
    }
    return {**answer, "reason": "repo_fingerprint_unchanged"} if unchanged else answer


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
    beyond = {name: count for name, count in done.left_out.items() if name.endswith("_beyond_cap")}
    if beyond:
        told = ", ".join(f"{count} {name.removesuffix('_beyond_cap')}" for name, count in beyond.items())
        warnings.append(f"The map is full and leaves out {told.replace('_', ' ')}; name folders by include_patterns.")
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


def _suggestions(objects: Objects, source: IngestedSource) -> dict[str, object]:
    if source.outcome == "unchanged" and not source.segments:
        return {}  # all of it was forgotten
    found = concepts_of(objects.memory.core, objects.space, source=source.id)
    return {"memory_suggestions": suggest(found, source.id), "next_actions": list(NEXT_ACTIONS)}


# All others


def _file(mode: str, objects: Objects, given: s.FileInput, options: s.Nothing, call: Call) -> dict[str, object]:
    return _captured(
        objects,
        objects.memory.ingest_file(
            given.path, space=objects.space, mode=mode, cancelled=lambda: call.cancelled, progress=_far(call)
        ),
    )


def _web(objects: Objects, given: s.WebInput, options: s.Nothing, call: Call) -> dict[str, object]:
    return _captured(
        objects,
        objects.memory.ingest_url(
            given.url, space=objects.space, cancelled=lambda: call.cancelled, progress=_far(call)
        ),
    )


def _conversation(objects: Objects, given: s.ConversationInput, options: s.Nothing, call: Call) -> dict[str, object]:
    messages = [_message(message) for message in given.messages]
    done = objects.memory.ingest_conversation(
        messages, space=objects.space, title=given.title, origin=given.origin or {}, progress=_far(call)
    )  # fmt: skip
    assert done.source is not None, "a conversation with a title is kept as a source"
    return _captured(objects, done.source)


def _far(call: Call) -> Callable[[int, int], None]:
    return lambda done, total: call.progress(done, total, "segments")


def _message(message: s.Message) -> Mapping[str, object]:
    said_at = None if message.created_at is None else parse_iso_time(message.created_at, "created_at")
    told = {**msgspec.structs.asdict(message), "created_at": said_at}
    return {name: value for name, value in told.items() if value is not None}


def _captured(objects: Objects, source: IngestedSource) -> dict[str, object]:
    noop = source.outcome == "unchanged"
    answer: dict[str, object] = {
        "result_type": "source_ingest_result",
        "status": "noop" if noop else "completed",
        **written(source.entries, source_id=source.id),
        "source_kind": source.source_kind,
        "title": source.title,
        "segment_count": source.segments,
        "warnings": [_AWAY.format(len(source.forgotten))] if source.forgotten else [],
        **_suggestions(objects, source),
    }
    if not noop:
        return answer
    return {**answer, "reason": "source_fingerprint_unchanged" if source.segments else "forgotten"}


INGEST: Modes = {
    "repo": Mode(s.RepoInput, s.RepoOptions, _repo, {"include": "include_patterns"}),
    "file": Mode(s.FileInput, s.Nothing, partial(_file, "file")),
    "markdown": Mode(s.FileInput, s.Nothing, partial(_file, "markdown")),
    "web": Mode(s.WebInput, s.Nothing, _web),
    "pdf": Mode(s.FileInput, s.Nothing, partial(_file, "pdf")),
    "conversation": Mode(s.ConversationInput, s.Nothing, _conversation),
}
