"""Which ten tools does a client of palaces find, and how are failures told to it?

The schemas are the documented ones word for word. With a default palace, `palace` may be left out, and is not among
what is required.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from recollect.contracts.schema import REQUIRED
from recollect.contracts.tool import INTERNAL_ERROR, Annotations, Call, Failure, Tool, parse_params
from recollect.contracts.trusty_memory.palaces import MalformedId, NoPalace, Palaces
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.types import Json

_STRING: Json = {"type": "string"}
_READS = Annotations(read_only=True, idempotent=True)
_ADDS = Annotations()
_SETS = Annotations(idempotent=True)
_DELETES = Annotations(destructive=True, idempotent=True)


class Arguments(Struct, kw_only=True):
    """What most tools may be given beside their own; what a schema does not name is ignored, since it allows that."""

    palace: str | None = None


class Remember(Arguments):
    text: str
    room: str | None = None
    tags: list[str] | None = None


class Recall(Arguments):
    query: str
    top_k: int | None = None


class CreatePalace(Struct, kw_only=True):
    name: str
    description: str | None = None


class ListPalaces(Struct):
    pass


class Assert(Arguments):
    subject: str
    predicate: str
    object: str
    confidence: float | None = None
    provenance: str | None = None


class QueryTriples(Arguments):
    subject: str


class ListDrawers(Arguments):
    room: str | None = None
    tag: str | None = None
    limit: int | None = None


class Forget(Arguments):
    drawer_id: str


class DescribePalace(Arguments):
    pass


_PALACE = {"palace": _STRING}
_QUESTION: dict[str, Json] = {**_PALACE, "query": _STRING, "top_k": {"type": "integer", "default": 10}}
_ROOMS = (
    "Filter by room type (Frontend, Backend, Testing, Planning, Documentation, Research, Configuration, Meetings,"
    " General, or custom)"
)


class _Row(Struct, frozen=True):
    """One tool as the document lists it."""

    name: str
    description: str
    params: type[Struct]
    properties: Mapping[str, Json]
    required: Sequence[str] | None
    annotations: Annotations
    call: Callable[[Palaces, Any], object]


_TABLE = (
    _Row(
        "memory_remember",
        "Store a memory (drawer) in a palace room.",
        Remember,
        {
            "palace": {"type": "string", "description": "Palace ID (optional if server started with --palace)"},
            "text": {"type": "string", "description": "Memory content"},
            "room": {"type": "string", "description": "Room type (optional)"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        ("palace", "text"),
        _SETS,
        lambda palaces, given: palaces.remember(given.palace, given.text, given.room, given.tags),
    ),
    _Row(
        "memory_recall",
        "Recall memories using L0+L1+L2 progressive retrieval.",
        Recall,
        _QUESTION,
        ("palace", "query"),
        _READS,
        lambda palaces, given: palaces.recall(given.palace, given.query, given.top_k),
    ),
    _Row(
        "memory_recall_deep",
        "Deep recall using L3 full HNSW search.",
        Recall,
        _QUESTION,
        ("palace", "query"),
        _READS,
        lambda palaces, given: palaces.recall(given.palace, given.query, given.top_k, deep=True),
    ),
    _Row(
        "palace_create",
        "Create a new memory palace.",
        CreatePalace,
        {"name": _STRING, "description": _STRING},
        ("name",),
        _SETS,
        lambda palaces, given: palaces.create(given.name, given.description),
    ),
    _Row(
        "palace_list",
        "List all palaces on this machine.",
        ListPalaces,
        {},
        None,
        _READS,
        lambda palaces, _: palaces.names(),
    ),
    _Row(
        "kg_assert",
        "Assert a fact in the temporal knowledge graph.",
        Assert,
        {
            **_PALACE,
            "subject": _STRING,
            "predicate": _STRING,
            "object": _STRING,
            "confidence": {"type": "number", "default": 1.0},
            "provenance": _STRING,
        },
        ("palace", "subject", "predicate", "object"),
        _ADDS,
        lambda palaces, given: palaces.state(
            given.palace, given.subject, given.predicate, given.object, given.confidence, given.provenance
        ),
    ),
    _Row(
        "kg_query",
        "Query active knowledge-graph triples for a subject.",
        QueryTriples,
        {**_PALACE, "subject": _STRING},
        ("palace", "subject"),
        _READS,
        lambda palaces, given: palaces.triples(given.palace, given.subject),
    ),
    _Row(
        "memory_list",
        "List drawers in a palace, optionally filtered by room type or tag.",
        ListDrawers,
        {
            **_PALACE,
            "room": {"type": "string", "description": _ROOMS},
            "tag": {"type": "string", "description": "Filter by tag"},
            "limit": {"type": "integer", "description": "Max results (default 50)"},
        },
        ("palace",),
        _READS,
        lambda palaces, given: palaces.list_drawers(given.palace, given.room, given.tag, given.limit),
    ),
    _Row(
        "memory_forget",
        "Delete a drawer from a palace by its UUID.",
        Forget,
        {**_PALACE, "drawer_id": {"type": "string", "description": "UUID of the drawer to delete"}},
        ("palace", "drawer_id"),
        _DELETES,
        lambda palaces, given: palaces.forget(given.palace, given.drawer_id),
    ),
    _Row(
        "palace_info",
        "Get metadata and stats for a single palace.",
        DescribePalace,
        _PALACE,
        ("palace",),
        _READS,
        lambda palaces, given: palaces.info(given.palace),
    ),
)


def make_tools(palaces: Palaces) -> tuple[Tool[Any], ...]:
    return tuple(_tool(row, palaces) for row in _TABLE)


def _tool(row: _Row, palaces: Palaces) -> Tool[Any]:
    def call(arguments: Mapping[str, Json], asked: Call) -> object:
        given = {name: value for name, value in arguments.items() if value is not None}
        if "palace" in row.properties and "palace" not in given and palaces.default is None:
            raise NoPalace  # before anything else that may be missing
        return row.call(palaces.acting_as(asked.client), parse_params(row.params, given))

    return Tool(
        name=row.name,
        description=row.description,
        params=dict,
        call=call,
        annotations=row.annotations,
        schema=_schema(row, has_default=palaces.default is not None),
    )


def _schema(row: _Row, *, has_default: bool) -> Mapping[str, Json]:
    schema: dict[str, Json] = {"type": "object", "properties": row.properties}
    if row.required is None:
        return schema
    return {**schema, "required": [name for name in row.required if name != "palace" or not has_default]}


def tell_failure(tool: str, error: RecollectError) -> Failure:
    """Every failure of a tool is an internal error of JSON-RPC, and its message says of which tool."""
    match error:
        case NoPalace():
            told = f"{tool}: missing 'palace' (no --palace default configured)"
        case MalformedId():
            told = f"{tool}: invalid {error.field} UUID: {error.problem}"
        case InvalidInput(problem=problem) if problem == REQUIRED:
            told = f"{tool}: missing '{error.field}'"
        case NotFound() if str(error).startswith("open palace "):
            told = str(error)
        case _:
            told = f"{tool}: {error}"
    return Failure(told, INTERNAL_ERROR)


def tell_unknown_tool(name: str) -> Failure:
    return Failure(f"unknown tool: {name}", INTERNAL_ERROR)
