"""What does each function of agentos do, in the words of the engine?"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import cast

from recollect.contracts.agentos import params as p
from recollect.contracts.tool import Call
from recollect.engine.graph.link import Neighborhood, connect
from recollect.engine.read.by_signal import appraise
from recollect.engine.write.sessions import compact_session, listed_sessions, repair_session
from recollect.errors import InvalidInput, NotFound
from recollect.types import Entity, Json, Record

_LONG_BYTES = 500
_TELLING = re.compile(r"\b(?:error|bug|fix|critical)\b", re.IGNORECASE)
_FENCE = "```"
_INVERSE = "inverse:"

Value = dict[str, object]


def importance_of(content: str, role: str) -> float:
    """How important a text looks, before anybody has said so."""
    value = 0.5 + 0.1 * (role == "assistant") + 0.1 * (len(content.encode()) > _LONG_BYTES)
    value += 0.15 * (_TELLING.search(content) is not None) + 0.1 * (_FENCE in content)
    return min(round(value, 2), 1.0)


def to_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def store(given: p.Store, call: Call) -> Value:
    role = given.role or "user"
    receipt = call.memory.remember(
        given.content, space=given.agent_id or call.space, memory_type="episodic", role=role,
        session=given.session_id, importance=importance_of(given.content, role), anywhere=True,
        compare=False,
    )  # fmt: skip
    if receipt.id is None:
        raise InvalidInput("content", receipt.reason or "cannot be stored")
    return {"id": receipt.id, "stored": receipt.stored, "deduplicated": not receipt.stored}


def recall(given: p.Recall, call: Call) -> list[Value]:
    found = appraise(
        call.memory, given.query, space=given.agent_id or call.space, limit=given.limit, without_kinds=["code"],
    )  # fmt: skip
    return [{**_message(one.record), "score": round(one.score, 6)} for one in found]


def evict(given: p.Evict, call: Call) -> Value:
    done = call.memory.evict(
        max_age=_milliseconds(given.max_age), min_importance=given.min_importance, cap=given.cap,
        cancelled=lambda: call.cancelled,
    )  # fmt: skip
    return {"evicted": sum(one.count for one in done)}


def consolidate(given: p.Consolidate, call: Call) -> Value:
    began = time.monotonic()
    done = call.memory.consolidate(decay_rate=given.decay_rate, cancelled=lambda: call.cancelled)
    took = round((time.monotonic() - began) * 1000)
    return {"memoriesDecayed": sum(one.count for one in done), "memoriesMerged": 0, "durationMs": took}


def kg_add(given: p.KgAdd, call: Call) -> Value:
    node = given.entity
    connect(
        call.memory.core, node.id, space=given.agent_id or call.space, type=node.type, properties=node.properties,
        relations=[(relation.target, relation.type or p.RELATED) for relation in node.relations or ()],
    )  # fmt: skip
    return {"stored": True, "id": node.id}


def kg_query(given: p.KgQuery, call: Call) -> list[Value]:
    agent = given.agent_id or call.space
    try:
        around = call.memory.neighbors(given.entity_id, space=agent, depth=given.depth)
        beyond = call.memory.neighbors(given.entity_id, space=agent, depth=given.depth + 1)
    except NotFound:
        return []
    ties = _ties(beyond)
    names = {entity.id: entity.name for entity in beyond.entities}
    return [_node(entity, ties, names) for entity in _discovered(around, ties)]


def session_list(given: p.SessionList, call: Call) -> list[Value]:
    agent = given.agent_id or call.space
    return [
        {
            "id": session.id, "agentId": agent, "messageCount": session.messages,
            "createdAt": to_ms(session.started_at), "updatedAt": to_ms(session.last_at),
        }
        for session in listed_sessions(call.memory.core, space=agent)
    ]  # fmt: skip


def session_compact(given: p.SessionCompact, call: Call) -> Value:
    provider = "client" if call.lends_freely and call.memory.settings.summarizer == "none" else None
    done = compact_session(
        call.memory.core,
        lambda texts, dates: call.memory.condense(texts, dates=dates, provider=provider, sample=call.sample),
        given.session_id, space=given.agent_id or call.space, threshold=given.threshold, keep_recent=given.keep_recent,
    )  # fmt: skip
    if not done.compacted:
        return {"compacted": False, "reason": done.reason}
    answer: Value = {"compacted": True, "summarized": done.summarized, "kept": done.kept, "summaryId": done.summary}
    return answer if done.note is None else {**answer, "note": done.note}


def session_repair(given: p.SessionRepair, call: Call) -> Value:
    agent = given.agent_id or call.space
    try:
        found = repair_session(call.memory.core, given.session_id, space=agent)
    except NotFound as error:
        raise NotFound(f"agent {agent!r} has no session {given.session_id!r}") from error
    stats = {
        "emptyRemoved": found.empty, "duplicatesRemoved": found.duplicates,
        "consecutiveMerged": found.consecutive, "orphanedRefs": found.orphaned, "reordered": found.reordered,
        "oversizedDetected": found.oversized,
    }  # fmt: skip
    return {"repaired": found.fixes > 0, "totalFixes": found.fixes, "stats": stats}


def _milliseconds(count: float) -> timedelta:
    return timedelta(milliseconds=min(count, 1e14))  # three thousand years are as good as ever


def _message(record: Record) -> Value:
    return {
        "id": record.id, "role": record.role or "user", "content": record.text, "timestamp": to_ms(record.event_time),
    }  # fmt: skip


def _ties(around: Neighborhood) -> dict[str, list[tuple[str, str]]]:
    """What each entity leads to, by entity: pairs of a target and a type, in the order in which they were stated."""
    ties: dict[str, list[tuple[str, str]]] = {entity.id: [] for entity in around.entities}
    for relation in sorted(around.relations, key=lambda one: one.version):
        for start, end, type_ in (
            (relation.subject, relation.object, relation.predicate),
            (relation.object, relation.subject, f"{_INVERSE}{relation.predicate}"),
        ):
            if start in ties and (end, type_) not in ties[start]:
                ties[start].append((end, type_))
    return ties


def _discovered(around: Neighborhood, ties: Mapping[str, list[tuple[str, str]]]) -> list[Entity]:
    """The entities in the order in which a breadth-first walk meets them."""
    reached = {entity.id: entity for entity in around.entities}
    order, waiting = [around.start], deque([around.start.id])
    seen = {around.start.id}
    while waiting:
        for end, _ in ties[waiting.popleft()]:
            if end in reached and end not in seen:
                seen.add(end)
                waiting.append(end)
                order.append(reached[end])
    return order


def _node(entity: Entity, ties: Mapping[str, list[tuple[str, str]]], names: Mapping[str, str]) -> Value:
    """An entity goes by its name, which is the id that it was given here."""
    return {
        "id": entity.name, "type": entity.type, "properties": cast("Json", entity.metadata),
        "relations": [{"target": names.get(end, end), "type": type_} for end, type_ in ties[entity.id]],
    }  # fmt: skip
