"""What does memory_query do?"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.context import context
from recollect.contracts.memory_substrate.envelope import Mode, Modes
from recollect.contracts.memory_substrate.graph import graph
from recollect.contracts.memory_substrate.normalize import Plan
from recollect.contracts.memory_substrate.objects import Objects, Wanted, read_filters
from recollect.contracts.memory_substrate.page import expand, page
from recollect.contracts.memory_substrate.search import Lookup, view_found
from recollect.contracts.tool import Call

SEMANTIC_BACKEND = "recollect"
_LOOKED_THROUGH = 200  # records that may be parts of a source, or may stand alone
_PAGE = 500
_MOST_LISTED = 100_000
_PLACE = "args.options.filters"


def _search(objects: Objects, given: s.SearchInput, options: s.SearchOptions, call: Call) -> dict[str, object]:
    asked = Lookup(objects, given.query, options.filters, _PLACE, options.max_items or s.DEFAULT_ITEMS)
    items = [view_found(one) for one in asked.found]
    data = {
        "query": asked.query, "items": items, **asked.told, "applied_filters": asked.wanted.view(),
        "suggested_retry_terms": retry_terms(asked.plan, items),
        "semantic_backend": asked.backend and f"{SEMANTIC_BACKEND}:{asked.backend}",
    }  # fmt: skip
    return answer("search_results", data, asked.warnings)


def retry_terms(plan: Plan, items: list[v.Item]) -> list[str]:
    """Words to try next, where nothing was found or nothing held more than a part of the question."""
    phrase = plan.query.casefold()
    found = {term for item in items for term in (item.matched_terms or ())}
    if items and (phrase in found or not plan.words or all(word in found for word in plan.words)):
        return []
    missed = [term for term in plan.terms if term != phrase and term not in found]
    return missed[:16]


def _recent(objects: Objects, given: s.Nothing, options: s.RecentOptions, call: Call) -> dict[str, object]:
    """The objects that were changed last."""
    wanted = read_filters(objects, options.filters, _PLACE)
    most = options.max_items or s.DEFAULT_ITEMS
    items = [*_recent_records(objects, wanted, most), *_recent_nodes(objects, wanted, most)]
    newest = heapq.nlargest(most, items, key=lambda item: item.updated_at)
    return answer("recent", {"items": newest, "applied_filters": wanted.view()})


def _recent_records(objects: Objects, wanted: Wanted, most: int) -> list[v.Item]:
    """Parts of a source are passed over; where there are too many of them, they are left out from the start."""
    filters = wanted.engine_filters()
    if wanted.within is not None:
        filters["ids"] = sorted(wanted.within)[:1_000] or ["-"]
    limit = max(_LOOKED_THROUGH, 2 * most)
    listed = objects.memory.list(space=objects.space, order="updated", limit=limit, **filters)
    shown = [record for record in listed if wanted.allows(record) and objects.owner(record) is None]
    found = {record.id: v.view_item(record) for record in shown}
    if len(found) < most and len(listed) == limit:
        without = [*filters.pop("without_kinds", ()), *v.SEGMENT_KINDS]
        kinds = [kind for kind in filters.pop("kinds", ()) if kind not in v.SEGMENT_KINDS]
        more = _list(objects, wanted, {**filters, "without_kinds": without, "kinds": kinds}, most)
        found |= {item.id: item for item in more}
    return list(found.values())


def _list(objects: Objects, wanted: Wanted, filters: Mapping[str, Any], most: int) -> list[v.Item]:
    """The newest records that may be shown; pages are read until there are enough."""
    found: list[v.Item] = []
    for offset in range(0, _MOST_LISTED, _PAGE):
        listed = objects.memory.list(space=objects.space, order="updated", limit=_PAGE, offset=offset, **filters)
        found += [v.view_item(record) for record in listed if wanted.allows(record)]
        if len(found) >= most or len(listed) < _PAGE:
            break
    return found[:most]


def _recent_nodes(objects: Objects, wanted: Wanted, most: int) -> list[v.Item]:
    if not wanted.allows_nodes:
        return []
    every = not wanted.kinds and wanted.within is None
    listed = objects.memory.entities(space=objects.space, limit=most if every else 10_000)
    return [v.view_item(node) for node in listed if wanted.allows(node)][:most]


QUERY: Modes = {
    "context": Mode(s.ContextInput, s.GraphOptions, context, {"query": "args.input_data.task"}),
    "expand": Mode(s.ById, s.ExpandOptions, expand),
    "page": Mode(s.ById, s.PageOptions, page),
    "recent": Mode(s.Nothing, s.RecentOptions, _recent),
    "search": Mode(s.SearchInput, s.SearchOptions, _search, {"query": "args.input_data.query"}),
    "graph": Mode(s.ById, s.GraphOptions, graph),
}
