"""What does memory_query do?"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import Any

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.context import context
from recollect.contracts.memory_substrate.graph import graph
from recollect.contracts.memory_substrate.normalize import SANITIZED, Plan, plan_query, sanitize
from recollect.contracts.memory_substrate.objects import Objects, Wanted, ids_within, read_filters
from recollect.contracts.memory_substrate.page import expand, page
from recollect.contracts.memory_substrate.search import find_objects, view_found
from recollect.contracts.memory_substrate.view import SEGMENT_KINDS, SUMMARY_CHARS, Item, view_item, view_node_item
from recollect.contracts.tool import Call
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput

SEMANTIC_BACKEND = "recollect"
_LOOKED_THROUGH = 200  # records that may be parts of a source, or may stand alone
_PAGE = 500
_MOST_LISTED = 100_000
_PLACE = "args.options.filters"


def query(memory: Memory, space: str, mode: str, input_data: Any, options: Any, call: Call) -> dict[str, object]:
    """Answers one call; `input_data` and `options` have been checked by the mode's types."""
    try:
        return _MODES[mode](Objects(memory, space), input_data, options, call)
    except InvalidInput as error:
        if error.field != "query":
            raise
        raise InvalidInput(f"args.input_data.{'task' if mode == 'context' else 'query'}", error.problem) from error


def _search(objects: Objects, given: s.SearchInput, options: s.SearchOptions, call: Call) -> dict[str, object]:
    clean, sanitized = sanitize(given.query)
    plan, wanted = plan_query(clean), read_filters(options.filters, _PLACE)
    most = options.max_items or s.DEFAULT_ITEMS
    result = find_objects(
        objects, plan, wanted, most, lambda done, total: call.progress(done, total, "computing vectors")
    )
    items = [view_found(one, SUMMARY_CHARS) for one in result.found]
    data = {
        "query": clean, "items": items, "normalized_terms": plan.terms, "applied_filters": view_filters(wanted),
        "inferred_filters": plan.inferred, "suggested_retry_terms": retry_terms(plan, items),
        "semantic_backend": None if result.backend is None else f"{SEMANTIC_BACKEND}:{result.backend}",
        "query_sanitizer": sanitized,
    }  # fmt: skip
    return answer("search_results", data, [*([SANITIZED] if sanitized.was_sanitized else []), *result.warnings])


def view_filters(wanted: Wanted) -> dict[str, list[str]]:
    """The filters that were applied, each in its plural form."""
    lists = {
        "object_types": wanted.types, "kinds": wanted.kinds, "statuses": wanted.statuses,
        "node_ids": wanted.node_ids, "source_ids": wanted.source_ids,
    }  # fmt: skip
    return {name: list(values) for name, values in lists.items() if values}


def retry_terms(plan: Plan, items: list[Item]) -> list[str]:
    """Words to try next, where nothing was found or nothing held more than a part of the question."""
    phrase = plan.query.casefold()
    found = {term for item in items for term in (item.matched_terms or ())}
    if items and (phrase in found or not plan.words or all(word in found for word in plan.words)):
        return []
    missed = [term for term in plan.terms if term != phrase and term not in found]
    return missed[:16]


def _recent(objects: Objects, given: s.Nothing, options: s.RecentOptions, call: Call) -> dict[str, object]:
    """The objects that were changed last."""
    wanted = read_filters(options.filters, _PLACE)
    most = options.max_items or s.DEFAULT_ITEMS
    within = ids_within(objects, wanted)
    items = [*_recent_records(objects, wanted, most, within), *_recent_nodes(objects, wanted, most, within)]
    newest = heapq.nlargest(most, items, key=lambda item: item.updated_at)
    return answer("recent", {"items": newest, "applied_filters": view_filters(wanted)})


def _recent_records(objects: Objects, wanted: Wanted, most: int, within: set[str] | None) -> list[Item]:
    """Parts of a source are passed over; where there are too many of them, they are left out from the start."""
    filters = wanted.engine_filters()
    if within is not None:
        filters["ids"] = sorted(within)[:1_000] or ["-"]
    limit = max(_LOOKED_THROUGH, 2 * most)
    listed = objects.memory.list(space=objects.space, order="updated", limit=limit, **filters)
    shown = [record for record in listed if wanted.allows(record) and objects.owner(record) is None]
    found = {record.id: view_item(record) for record in shown}
    if len(found) < most and len(listed) == limit:
        without = [*filters.pop("without_kinds", ()), *SEGMENT_KINDS]
        kinds = [kind for kind in filters.pop("kinds", ()) if kind not in SEGMENT_KINDS]
        found |= {
            item.id: item
            for item in _list(objects, wanted, {**filters, "without_kinds": without, "kinds": kinds}, most)
        }
    return list(found.values())


def _list(objects: Objects, wanted: Wanted, filters: Mapping[str, Any], most: int) -> list[Item]:
    """The newest records that may be shown; pages are read until there are enough."""
    found: list[Item] = []
    for offset in range(0, _MOST_LISTED, _PAGE):
        listed = objects.memory.list(space=objects.space, order="updated", limit=_PAGE, offset=offset, **filters)
        found += [view_item(record) for record in listed if wanted.allows(record)]
        if len(found) >= most or len(listed) < _PAGE:
            break
    return found[:most]


def _recent_nodes(objects: Objects, wanted: Wanted, most: int, within: set[str] | None) -> list[Item]:
    if not wanted.allows_nodes:
        return []
    listed = objects.memory.entities(space=objects.space, limit=most if not wanted.kinds and within is None else 10_000)
    allowed = [node for node in listed if wanted.allows_node(node) and (within is None or node.id in within)]
    return [view_node_item(node) for node in allowed[:most]]


_MODES: Mapping[str, Callable[[Objects, Any, Any, Call], dict[str, object]]] = {
    "context": context,
    "expand": expand,
    "page": page,
    "recent": _recent,
    "search": _search,
    "graph": graph,
}
