"""What does memory_remember do?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import cast

import msgspec
from msgspec import Struct

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import fitting, written
from recollect.contracts.memory_substrate.envelope import (
    BLANK,
    Mode,
    Modes,
    Problem,
    Rejected,
    dotted,
    filled,
    find_problems,
    in_own_words,
    read,
)  # fmt: skip
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.schema import own_word
from recollect.contracts.tool import Call
from recollect.engine.memory import Memory
from recollect.engine.parse import parse_iso_time
from recollect.engine.read.alike import alike_knowledge
from recollect.errors import InvalidInput
from recollect.types import CATALOGUE_KINDS, NOT_KNOWLEDGE, Json, Receipt, Record

TOOL = "memory_remember"
_FIRST_STATUS = {v.KNOWLEDGE: "candidate", v.ACTIVITY: "finalized", v.WORK_ITEM: "open"}
_WORDS = {
    "text": "summary", "trust": "memory_source", "grounds.evidence": "evidence_refs", "grounds.claim": "payload",
    "grounds.scopes": "scope_refs", "grounds.subjects": "subject_refs", "grounds.verified_at": "last_verified_at",
    "metadata.payload": "payload", "metadata": "payload", "old": "old_knowledge_id", "new": "new_knowledge_id",
    "id": "knowledge_id", ".source": ".source_id", ".segment": ".segment_id",
}  # fmt: skip
_DOING_WORDS = {
    **_WORDS, "grounds.subjects": "related_node_refs", "grounds.evidence": "source_refs", "metadata": "",
    "event_time": "started_at",
}  # fmt: skip
"""The same for activities and work items, whose own fields are kept side by side as metadata."""
_SHARED = tuple(name for name in s.Created.__struct_fields__ if name not in ("kind", "reason"))
"""What stands in fields of the record, not in its metadata."""
_DRAFT = re.compile(r"drafts\[(\d+)\](?:\.(.+))?")
_GOVERNED = re.compile(r"(grounds\.[\w.\[\]]+): (.*)")


def _acting(objects: Objects, given: s.Created | s.Lifecycle | s.BatchInput) -> Objects:
    """The same objects, as whoever the input names as its actor."""
    if given.actor is None:
        return objects
    return Objects(
        objects.memory.acting_as(objects.memory.core.known_as or f"{given.actor.type}:{given.actor.id}"), objects.space
    )


# Creating


def _create(mode: str, objects: Objects, given: s.Created, options: object, call: Call) -> dict[str, object]:
    return _create_all(_acting(objects, given), [(mode, given)], ["args.input_data"])[0]


def _batch(objects: Objects, given: s.BatchInput, options: object, call: Call) -> dict[str, object]:
    """All entries in one transaction: one that is refused leaves nothing behind."""
    problems: list[Problem] = []
    entries: list[tuple[str, s.Created]] = []
    places = [f"args.input_data.entries.{i}.input_data" for i in range(len(given.entries))]
    for entry, place in zip(given.entries, places, strict=True):
        found = find_problems(entry.input_data, s.CREATE_INPUTS[entry.mode], place)
        problems += found
        if not found:
            made = read(TOOL, entry.input_data, s.CREATE_INPUTS[entry.mode])
            entries.append((entry.mode, cast("s.Created", made)))
    if problems:
        raise Rejected(TOOL, problems)
    results = _create_all(_acting(objects, given), entries, places) if entries else []
    return fitting(len(results), partial(_stored, results))


def _stored(results: Sequence[dict[str, object]], shown: int) -> dict[str, object]:
    """What became of a batch: all ids, where not all results can be shown."""
    ids = [result["object_id"] for result in results]
    left = {"object_ids": ids, "results_omitted": len(ids) - shown} if shown < len(ids) else {}
    return {
        "result_type": "remember_batch_result", "status": "completed" if results else "noop", "created": len(results),
        **left, "results": results[:shown],
    }  # fmt: skip


def _create_all(
    objects: Objects, entries: Sequence[tuple[str, s.Created]], places: Sequence[str]
) -> list[dict[str, object]]:
    memory, space = objects.memory, objects.space
    drafts = [_draft(objects, mode, given, place) for (mode, given), place in zip(entries, places, strict=True)]
    try:
        receipts = memory.remember_many(drafts, space=space, atomic=True)
    except InvalidInput as error:
        raise _located(error, [mode for mode, _ in entries], places) from error
    return [
        _created(memory, space, mode, receipt) for (mode, _), receipt in zip(entries, receipts, strict=True)
    ]  # fmt: skip


def _created(memory: Memory, space: str, mode: str, receipt: Receipt) -> dict[str, object]:
    record = memory.get(receipt.id or "", space=space)
    assert record is not None, "it was stored just now"
    answer = _answer(record, receipt)
    if mode != v.KNOWLEDGE:
        return answer
    alike = alike_knowledge(memory.core, record, space=space)
    answer["possible_duplicates"] = [
        v.show(one, "id:object_id reasons title kind status", score=round(one.score, 4)) for one in alike
    ]
    return {**answer, "conflicts_with": list(receipt.contested)} if receipt.contested else answer


def _answer(record: Record, receipt: Receipt) -> dict[str, object]:
    """What became of one object."""
    type_ = v.type_of(record)
    return {
        "result_type": "remember_result",
        "object_type": type_,
        "object_id": record.id,
        "status": v.shown_status(record),
        f"{type_}_id": record.id,
        **written(receipt.entries),
    }


def _located(error: InvalidInput, modes: Sequence[str], places: Sequence[str]) -> Rejected:
    """What the engine refused, with its place in the envelope, in the words of this contract."""
    match = _DRAFT.fullmatch(error.field)
    number, field, problem = 0, error.field, error.problem
    if match is not None:
        number, field = int(match[1]), match[2] or ""
        if not field and (governed := _GOVERNED.fullmatch(problem)) is not None:
            field, problem = governed[1], governed[2]
    own = own_word(field, _WORDS if modes[number] == v.KNOWLEDGE else _DOING_WORDS)
    place = ".".join(part for part in (places[number], dotted(own).lstrip(".")) if part)
    return Rejected(TOOL, [Problem(place, in_own_words(problem))])


def _draft(objects: Objects, mode: str, given: s.Created, place: str) -> dict[str, object]:
    """What the engine is asked to keep."""
    blank = [name for name in ("kind", "title", "summary", "reason") if not getattr(given, name).strip()]
    if blank:
        raise Rejected(TOOL, [Problem(f"{place}.{name}", BLANK) for name in blank])
    status = getattr(given, "status", None) or _FIRST_STATUS[mode]
    common: dict[str, object] = {
        "text": given.summary, "title": " ".join(given.title.split()), "trust": given.memory_source,
        "status": v.record_status(status), "id": v.mint_id(mode), "reason": " ".join(given.reason.split()),
    }  # fmt: skip
    own = (
        _knowledge(given, place) if isinstance(given, s.KnowledgeInput) else _doing(objects, mode, given, status, place)
    )
    return {**common, **own}


def _knowledge(given: s.KnowledgeInput, place: str) -> dict[str, object]:
    if given.kind in NOT_KNOWLEDGE:
        problem = f"Input should not be '{given.kind}', which is another type of object"
        raise Rejected(TOOL, [Problem(f"{place}.kind", problem)])
    payload = given.payload or s.Payload()
    kept, claim = _given_fields(payload), _claim(payload, given.subject_refs)
    named = [end for end in (payload.subject, payload.object) if isinstance(end, str) and end] if claim is None else []
    return {
        "kind": given.kind.strip(),
        "memory_type": "procedural" if given.kind == "procedure" else "semantic",
        "confidence": 0.0 if given.confidence is None else given.confidence,
        **_moments(given, "valid_from", "valid_until"),
        "metadata": {"reason": given.reason, **({"payload": kept} if kept else {})},
        "grounds": {
            "scopes": given.scope_refs,
            "subjects": list(dict.fromkeys([*given.subject_refs, *named])),
            "evidence": list(map(msgspec.structs.asdict, given.evidence_refs)),
            "claim": claim,
            "verified_at": _moments(given, "last_verified_at")["last_verified_at"],
        },
    }


def _claim(payload: s.Payload, subjects: Sequence[str]) -> dict[str, object] | None:
    """What is claimed, where a subject and a predicate are named; other payloads are kept as they are."""
    subject = payload.subject or next(iter(subjects), None)
    if not subject or not payload.predicate:
        return None
    end = payload.object
    return {
        "subject": subject,
        "predicate": payload.predicate,
        "value": payload.value,
        "object": end if end is None or isinstance(end, str) else msgspec.json.encode(end, order="sorted").decode(),
    }


def _doing(objects: Objects, mode: str, given: s.Created, status: str, place: str) -> dict[str, object]:
    """An activity or a work item: what is declared for it alone is kept as it was given.

    A source that is not known (yet) is only noted.
    """
    assert isinstance(given, s.ActivityInput | s.WorkItemInput)
    kept: dict[str, object] = {
        name: getattr(given, name) for name in given.__struct_fields__ if name not in (*_SHARED, "related_node_refs")
    }
    kept |= {
        **_moments(given, *(name for name in kept if name.endswith("_at"))),
        "kind": given.kind.strip(),
        "status": status,
    }
    if isinstance(given, s.WorkItemInput):
        kept |= {"priority": given.priority or "medium", "lifecycle_state": given.lifecycle_state or "active"}
    began, ended = kept.get("started_at"), kept.get("ended_at")
    if (
        isinstance(began, str)
        and isinstance(ended, str)
        and datetime.fromisoformat(ended) < datetime.fromisoformat(began)
    ):
        raise Rejected(TOOL, [Problem(f"{place}.ended_at", "Input should not be earlier than started_at")])
    known = [ref for ref in given.source_refs if (found := objects.record(ref)) and found.kind in CATALOGUE_KINDS]
    return {
        "kind": mode,
        "memory_type": "episodic",
        **({"event_time": began} if began else {}),
        "metadata": {name: value for name, value in kept.items() if value not in (None, [])},
        "grounds": {
            "scopes": given.scope_refs,
            "subjects": given.related_node_refs,
            "evidence": [{"source": ref} for ref in known],
        },
    }


def _given_fields(value: Struct) -> dict[str, Json]:
    """The fields that say something."""
    return {name: field for name, field in msgspec.structs.asdict(value).items() if field not in (None, {}, [])}


def _moments(given: Struct, *names: str) -> dict[str, str | None]:
    """Some moments, all written alike."""
    texts: dict[str, str | None] = {name: getattr(given, name) for name in names}
    return {name: None if text is None else parse_iso_time(text, name).isoformat() for name, text in texts.items()}


# Changing


def _change(verb: str, objects: Objects, given: s.OneKnowledge, options: object, call: Call) -> dict[str, object]:
    """Promotes or contests."""
    change: Callable[..., Receipt] = getattr(_acting(objects, given).memory, verb)
    reason = filled(given.reason)
    objects.knowledge(given.knowledge_id)
    try:
        receipt = change(given.knowledge_id, space=objects.space, reason=reason)
    except InvalidInput as error:  # what it rests on is not what was given here
        if error.field.startswith("grounds."):
            raise InvalidInput("id", error.problem) from error
        raise
    return _answer(objects.knowledge(given.knowledge_id), receipt)


def _supersede(objects: Objects, given: s.SupersedeInput, options: object, call: Call) -> dict[str, object]:
    memory, reason = _acting(objects, given).memory, filled(given.reason)
    for id in (given.old_knowledge_id, given.new_knowledge_id):
        objects.knowledge(id)
    receipt = memory.supersede(given.old_knowledge_id, given.new_knowledge_id, space=objects.space, reason=reason)
    new = objects.knowledge(given.new_knowledge_id)
    old = objects.knowledge(given.old_knowledge_id)
    return {
        **_answer(new, receipt), "old_status": v.shown_status(old), "old_knowledge_id": old.id,
        "new_knowledge_id": new.id,
    }  # fmt: skip


REMEMBER: Modes = {
    **{mode: Mode(inputs, s.RememberOptions, partial(_create, mode)) for mode, inputs in s.CREATE_INPUTS.items()},
    "promote": Mode(s.OneKnowledge, s.RememberOptions, partial(_change, "promote"), _WORDS),
    "supersede": Mode(s.SupersedeInput, s.RememberOptions, _supersede, _WORDS),
    "contest": Mode(s.OneKnowledge, s.RememberOptions, partial(_change, "contest"), _WORDS),
    "batch": Mode(s.BatchInput, s.RememberOptions, _batch),
}
