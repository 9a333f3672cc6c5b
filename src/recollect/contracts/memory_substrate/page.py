"""What is one object, and what belongs to it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import answer, bound
from recollect.contracts.memory_substrate.graph import around
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.tool import Call
from recollect.engine.write.grounds import EvidenceState
from recollect.types import Entity, Record

_REPO = "repo"
_COMPACT = "Compact page returned. Use options.detail='full' only when the complete stored object is required."
_COMPACT_REPO = (
    "Compact repo source page returned. Read complete code or documents from the local files by the returned locators;"
    " full repo source pages are unavailable."
)
_STATES = {
    "changed": "the text that was cited is gone, its source says something else there.",
    "missing": "the text that was cited is gone.",
    "archived": "its source was archived.",
}
_NO_FULL_REPO = "A repo source has no full page: its compact page has locators, and the local files have the rest."


def page(objects: Objects, given: s.ById, options: s.PageOptions, call: Call) -> dict[str, object]:
    """One object, compact unless all of it is asked for."""
    thing = objects.require(given.id)
    full = options.detail == "full"
    type_ = v.type_of(thing)
    is_repo = type_ == v.SOURCE and v.kind_of(thing) == _REPO
    if full and is_repo:
        return _unavailable(given.id)
    most, chars = options.max_items or s.DEFAULT_ITEMS, options.snippet_chars or s.SNIPPET_CHARS
    whole = {**v.view_object(thing), **_standing(objects, thing)}
    truncated: dict[str, dict[str, int]] = {}
    data: dict[str, object] = {
        "object_type": type_,
        "object": whole if full else _compact(whole, most, chars, truncated),
        "detail": "full" if full else "compact",
    }
    with_segments = full if options.include_segments is None else options.include_segments
    if with_segments and isinstance(thing, Record) and type_ == v.SOURCE:
        segments = objects.segments(thing, most)
        data["segments"] = [v.view_segment(each, None if full else chars) for each in segments]
        held = thing.metadata.get("segments")
        if isinstance(held, int) and held > len(segments):
            truncated["segments"] = {"returned": len(segments), "total": held}
    data["truncated"] = truncated
    return answer("page", data, [] if full else [_COMPACT_REPO if is_repo else _COMPACT])


def _standing(objects: Objects, thing: v.Object) -> dict[str, object]:
    """What has become of what knowledge rests on, and which other claims it contradicts."""
    if not isinstance(thing, Record) or v.type_of(thing) != v.KNOWLEDGE:
        return {}
    told: dict[str, object] = {"evidence_refs": [_view_state(state) for state, _ in objects.evidence(thing)]}
    rivals = [rival.id for rival in objects.rivals(thing)]
    return {**told, "conflicts_with": rivals} if rivals else told


def _view_state(state: EvidenceState) -> dict[str, object]:
    told: dict[str, object] = {**v.view_evidence(state.evidence), "state": state.state}
    moved = state.segment not in (None, state.evidence.segment)
    return {**told, "moved_to": state.segment} if moved else told


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


def _unavailable(id: str) -> dict[str, object]:
    data = {
        "object_type": v.SOURCE, "object_id": id, "kind": _REPO, "requested_detail": "full",
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
    near = around(objects, thing, most - 1, scopes=False)
    others = (replace(v.view_item(each), relation=near.relations[each.id]) for each in near.objects)
    items = [v.view_item(thing), *others][:most]
    data: dict[str, object] = {"root_id": given.id, "items": items}
    if options.include_segments is not False:
        data["source_segments"] = _segments(objects, thing, most, chars)
    return answer("expanded_context", data, list(_gone(objects, thing)))


def _gone(objects: Objects, thing: v.Object) -> Iterator[str]:
    """What evidence no longer says, in a sentence each."""
    for state, text in objects.evidence(thing) if isinstance(thing, Record) else ():
        cited = f"{state.evidence.source}#{state.evidence.segment or ''}".rstrip("#")
        if state.state != "current":
            gone = " The text that was cited is gone." if state.state == "archived" and text is None else ""
            yield f"Evidence {cited}: {_STATES[state.state]}{gone if state.evidence.segment else ''}"
        elif state.segment not in (None, state.evidence.segment):
            yield f"Evidence {cited} moved within its source and stands at {state.segment} now."


def _segments(objects: Objects, thing: v.Object, most: int, chars: int) -> list[dict[str, object]]:
    """Of a source its first segments, of anything else those that it rests on, wherever they stand by now."""
    if isinstance(thing, Entity):
        return []
    if v.type_of(thing) == v.SOURCE:
        return [{"source_id": thing.id, **v.view_segment(each, chars)} for each in objects.segments(thing, most)]
    owner = objects.owner(thing)
    if owner is not None:
        return [{"source_id": owner.id, **v.view_segment(thing, chars)}]
    cited = [(state.evidence.source, text) for state, text in objects.evidence(thing) if text is not None]
    return [{"source_id": source, **v.view_segment(text, chars)} for source, text in cited[:most]]
