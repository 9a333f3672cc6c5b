"""What should someone who begins a task know?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from msgspec import UNSET
from msgspec.structs import asdict, replace

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import answer, fitting
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.search import Found, Lookup
from recollect.contracts.tool import Call
from recollect.types import Entity, Grounds, Json

_OPEN = ("open", "pending", "in_progress", "blocked")
_NEXT_READS = 5
_KEY_TITLES = 3
_EVIDENCE_OF_ONE = 3
_LONGEST_KEY = 60
_OF_A_CHUNK = ("segment_id", "locator", "excerpt")


def context(objects: Objects, given: s.ContextInput, options: s.GraphOptions, call: Call) -> dict[str, object]:
    """A pack for one task. Only `items` says what things are; everything else points into it."""
    most = options.max_items or s.CONTEXT_ITEMS
    asked = Lookup(objects, given.task, given.scope, "args.input_data.scope", most)
    items = [_view(one) for one in asked.found]
    scope = {name: values for name, values in asdict(given.scope or s.Filters()).items() if values}
    pack = fitting(len(items), lambda fit: {**_pack(asked.query, scope, items[:fit], most), **asked.told})
    left = len(items) - len(cast("list[v.Item]", pack["items"]))
    warnings = [*asked.warnings, *([f"{left} more objects bear on it; ask for less at once."] if left else [])]
    return answer("context_pack", pack, warnings)


def _view(one: Found) -> v.Item:
    thing, item = one.object, v.view_item(one.object)
    if isinstance(thing, Entity):
        return replace(item, score=round(one.score, 4))
    grounds = thing.grounds or Grounds()
    evidence = [v.view_evidence(each) for each in grounds.evidence[:_EVIDENCE_OF_ONE]]
    refs = [{name: ref[name] for name in ("source_id", "segment_id") if name in ref} for ref in evidence]
    chunks = [{name: chunk[name] for name in _OF_A_CHUNK} for chunk in one.chunks[:1]]
    return replace(
        item, evidence_refs=refs, scope_refs=grounds.scopes[:_EVIDENCE_OF_ONE], matched_chunks=chunks or UNSET,
        score=round(one.score, 4),
    )  # fmt: skip


def _pack(task: str, scope: Mapping[str, object], items: Sequence[v.Item], most: int) -> dict[str, object]:
    decisions = _section("decisions", [i for i in items if i.object_type == v.KNOWLEDGE and i.kind == "decision"])
    procedures = _section("procedures", [i for i in items if i.object_type == v.KNOWLEDGE and i.kind == "procedure"])
    open_work = _section("open_work", [i for i in items if i.object_type == v.WORK_ITEM and i.status in _OPEN])
    evidence = _citations(items, most)
    next_reads = [item.id for item in items[:_NEXT_READS]]
    now = datetime.now(UTC)
    places = [f"{each['source_id']}#{each.get('segment_id', '')}".rstrip("#") for each in evidence]
    cited = {"field": "evidence", "count": len(evidence), "ids": list(dict.fromkeys(places))}
    return {
        "id": v.mint_id("ctx"),
        "task": task,
        "summary": _summary(task, items),
        "scope": scope,
        "items": items,
        "evidence": evidence,
        "decisions": decisions,
        "procedures": procedures,
        "open_work": open_work,
        "conflicts": [item.id for item in items if item.status == "contested"],
        "missing_context": [] if items else ["No relevant context found yet."],
        "recommended_next_reads": next_reads,
        "freshness": {"generated_at": now, "expires_at": None},
        "context_tiers": {
            "policy": {"field": "policy", "count": 0, "ids": []},
            "active_task": {"task": task, "scope": scope},
            "decisions": decisions,
            "procedures": procedures,
            "evidence": cited,
            "open_work": open_work,
            "deep_search_hints": [
                {"tool": "memory_query", "mode": "expand", "input_data": {"id": id}, "options": {"max_items": 10}}
                for id in next_reads
            ],
        },
        "context_budget": {"max_items": most, "returned_items": len(items), "detail": "compact"},
        "generated_at": now,
        "expires_at": None,
    }


def _section(field: str, items: Sequence[v.Item]) -> dict[str, object]:
    return {"field": field, "count": len(items), "ids": [item.id for item in items]}


def _citations(items: Sequence[v.Item], most: int) -> list[dict[str, Json]]:
    """What the items rest on, at most as many as there may be items."""
    found = [{**ref, "object_id": item.id} for item in items for ref in (item.evidence_refs or ())]
    return found[:most]


def _summary(task: str, items: Sequence[v.Item]) -> str:
    if not items:
        return f"Nothing is stored yet that bears on: {v.clip(task, v.SUMMARY_CHARS)}"
    titles = ", ".join(v.clip(item.title, _LONGEST_KEY) for item in items[:_KEY_TITLES])
    return f"{len(items)} objects bear on: {v.clip(task, v.SUMMARY_CHARS)}. First: {titles}"
