"""What is one object, and what belongs to it?"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate.answers import answer, bound, bound_locator
from recollect.contracts.memory_substrate.graph import around
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.view import (
    SOURCE,
    Object,
    kind_of,
    segment_position,
    type_of,
    view_item,
    view_object,
    view_segment,
)  # fmt: skip
from recollect.contracts.tool import Call
from recollect.types import Entity, Grounds, Record

_REPO = "repo"
_COMPACT = "Compact page returned. Use options.detail='full' only when the complete stored object is required."
_COMPACT_REPO = (
    "Compact repo source page returned. Read complete code or documents from the local files by the returned locators;"
    " full repo source pages are unavailable."
)
_NO_FULL_REPO = "A repo source has no full page: its compact page has locators, and the local files have the rest."


def page(objects: Objects, given: s.ById, options: s.PageOptions, call: Call) -> dict[str, object]:
    """One object, compact unless all of it is asked for."""
    thing = objects.require(given.id)
    full = options.detail == "full"
    type_ = type_of(thing)
    is_repo = type_ == SOURCE and kind_of(thing) == _REPO
    if full and is_repo:
        return _unavailable(given.id)
    most, chars = options.max_items or s.DEFAULT_ITEMS, options.snippet_chars or s.SNIPPET_CHARS
    whole = view_object(thing)
    truncated: dict[str, dict[str, int]] = {}
    data: dict[str, object] = {
        "object_type": type_,
        "object": whole if full else _compact(whole, most, chars, truncated),
        "detail": "full" if full else "compact",
    }
    with_segments = full if options.include_segments is None else options.include_segments
    if with_segments and isinstance(thing, Record) and type_ == SOURCE:
        segments = objects.segments(thing, most)
        data["segments"] = [_segment(each, None if full else chars) for each in segments]
        held = thing.metadata.get("segments")
        if isinstance(held, int) and held > len(segments):
            truncated["segments"] = {"returned": len(segments), "total": held}
    data["truncated"] = truncated
    return answer("page", data, [] if full else [_COMPACT_REPO if is_repo else _COMPACT])


def _compact(
    whole: Mapping[str, object], most: int, chars: int, truncated: dict[str, dict[str, int]]
) -> dict[str, object]:
    """The object without what is empty, its lists and texts cut."""
    told = {name: value for name, value in whole.items() if value not in (None, "", [], {}, ())}
    payload = told.get("payload")
    if isinstance(payload, Mapping) and payload.get("summary") == told.get("summary"):  # pyright: ignore[reportUnknownMemberType] -- JSON
        told["payload"] = {name: value for name, value in payload.items() if name != "summary"}  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
    cut = bound(told, "", items=most, chars=chars, truncated=truncated)
    assert isinstance(cut, dict)
    return cut  # pyright: ignore[reportUnknownVariableType] -- of JSON values


def _segment(record: Record, chars: int | None) -> dict[str, object]:
    told = view_segment(record, chars)
    return told if chars is None else {**told, "locator": bound_locator(record.locator or {})}


def _unavailable(id: str) -> dict[str, object]:
    data = {
        "object_type": SOURCE, "object_id": id, "kind": _REPO, "requested_detail": "full",
        "unsupported_detail": "repo_source_full", "supported_details": ["compact"],
        "reason": "repo_sources_expose_compact_locators_not_full_payloads",
        "next_actions": [
            "call_memory_query_page_without_full_detail", "use_compact_locators_to_choose_files",
            "read_local_files_for_complete_source",
        ],
    }  # fmt: skip
    return {**answer("page_unavailable", data, [_NO_FULL_REPO]), "status": "unsupported"}


def expand(objects: Objects, given: s.ById, options: s.ExpandOptions, call: Call) -> dict[str, object]:
    """An object, what is connected with it, and the segments that it is or rests on."""
    thing = objects.require(given.id)
    most, chars = options.max_items or s.DEFAULT_ITEMS, options.snippet_chars or s.SNIPPET_CHARS
    near = around(objects, thing, most - 1)
    others = (replace(view_item(each), relation=near.relations[each.id]) for each in near.objects)
    items = [view_item(thing), *others][:most]
    data: dict[str, object] = {"root_id": given.id, "items": items}
    if options.include_segments is not False:
        data["source_segments"] = _segments(objects, thing, most, chars)
    return answer("expanded_context", data)


def _segments(objects: Objects, thing: Object, most: int, chars: int) -> list[dict[str, object]]:
    """Of a source its first segments, of anything else those that it names as evidence."""
    if isinstance(thing, Entity):
        return []
    if type_of(thing) == SOURCE:
        return [{"source_id": thing.id, **_segment(each, chars)} for each in objects.segments(thing, most)]
    owner = objects.owner(thing)
    if owner is not None:
        return [{"source_id": owner.id, **_segment(thing, chars)}]
    found: list[dict[str, object]] = []
    for evidence in (thing.grounds or Grounds()).evidence:
        source = objects.record(evidence.source)
        place = None if evidence.segment is None else segment_position(evidence.segment)
        segment = None if source is None or place is None else objects.segment(source, place)
        if segment is not None and len(found) < most:
            found.append({"source_id": evidence.source, **_segment(segment, chars)})
    return found
