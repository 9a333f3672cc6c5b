"""Which ten tools does a client of palaces find, and how are failures told to it?

The schemas are the documented ones word for word. With a default palace, `palace` may be left out, and is not among
what is required.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from msgspec import Meta, Struct
from msgspec.structs import replace

from recollect.contracts.schema import REQUIRED, Habits, parse_params
from recollect.contracts.tool import INTERNAL_ERROR, Annotations, Call, Contract, Failure, Tool
from recollect.contracts.trusty_memory.palaces import MalformedId, NoPalace, NoSuchPalace, Palaces
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, RecollectError
from recollect.types import Json

if TYPE_CHECKING:
    from recollect.contracts.route import Web

P = TypeVar("P", bound=Struct)

NAME = "trusty-memory"
_HABITS = Habits(null_is_nothing=True, whole_floats=True, keywords=("type", "items", "description", "default"))
_READS = Annotations(read_only=True, idempotent=True)
_SETS = Annotations(idempotent=True)
_DELETES = Annotations(destructive=True, idempotent=True)


class InPalace(Struct):
    """What most tools may be given; what a schema does not name is ignored, since it allows that."""

    palace: str


class Remember(InPalace):
    palace: Annotated[str, Meta(description="Palace ID (optional if server started with --palace)")]
    text: Annotated[str, Meta(description="Memory content")]
    room: Annotated[str | None, Meta(description="Room type (optional)")] = None
    tags: list[str] | None = None


class Recall(InPalace):
    query: str
    top_k: int = 10


class CreatePalace(Struct, kw_only=True):
    name: str
    description: str | None = None


class ListPalaces(Struct):
    pass


class Assert(InPalace):
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    provenance: str | None = None


class QueryTriples(InPalace):
    subject: str


class ListDrawers(InPalace):
    room: Annotated[
        str | None,
        Meta(
            description="Filter by room type (Frontend, Backend, Testing, Planning, Documentation, Research, "
            "Configuration, Meetings, General, or custom)"
        ),
    ] = None
    tag: Annotated[str | None, Meta(description="Filter by tag")] = None
    limit: Annotated[int | None, Meta(description="Max results (default 50)")] = None


class Forget(InPalace):
    drawer_id: Annotated[str, Meta(description="UUID of the drawer to delete")]


def trusty_contract(memory: Memory, *, palace: str | None = None) -> Contract:
    """The table of a server that is bound to one palace, or (None) to none. A palace that the owner
    names is made; one of a guest, when something is first kept in it.
    """
    palaces = Palaces(memory, palace)
    if palace is not None and not memory.core.client:
        palaces.create(palace)

    def web() -> Web:
        from recollect.contracts.trusty_memory.rest import trusty_web  # only where the web is asked for

        return trusty_web(memory, palaces)

    return Contract(
        name=NAME,
        tools=tuple(_with_default(tool, palace) for tool in _TOOLS),
        memory=memory,
        habits=_HABITS,
        structured=False,
        failure=tell_failure,
        unknown_tool=tell_unknown_tool,
        server_info={} if palace is None else {"default_palace": palace},
        web=web,
    )


def _with_default(tool: Tool[Any], palace: str | None) -> Tool[Any]:
    """The tool of a server that has a palace of its own; without one, the first thing to miss is the palace."""
    if not issubclass(tool.params, InPalace):
        return tool

    def read(given: Mapping[str, Json]) -> InPalace:
        if "palace" not in given and palace is None:
            raise NoPalace
        return parse_params(tool.params, {"palace": palace, **given})

    schema = tool.input_schema(_HABITS)
    required = [name for name in cast("list[str]", schema["required"]) if name != "palace" or palace is None]
    return replace(tool, read=read, schema={**schema, "required": required})


def _tool(
    name: str, description: str, params: type[P], annotations: Annotations, call: Callable[[Palaces, P], object]
) -> Tool[P]:
    def call_as(given: P, asked: Call) -> object:
        return call(Palaces(asked.memory), given)

    return Tool(name, description, params, call_as, annotations)


_TOOLS: tuple[Tool[Any], ...] = (
    _tool(
        "memory_remember", "Store a memory (drawer) in a palace room.", Remember, _SETS,
        lambda palaces, given: palaces.remember(given.palace, given.text, given.room, given.tags),
    ),
    _tool(
        "memory_recall", "Recall memories using L0+L1+L2 progressive retrieval.", Recall, _READS,
        lambda palaces, given: palaces.recall(given.palace, given.query, given.top_k),
    ),
    _tool(
        "memory_recall_deep", "Deep recall using L3 full HNSW search.", Recall, _READS,
        lambda palaces, given: palaces.recall(given.palace, given.query, given.top_k, deep=True),
    ),
    _tool(
        "palace_create", "Create a new memory palace.", CreatePalace, _SETS,
        lambda palaces, given: palaces.create(given.name, given.description),
    ),
    _tool("palace_list", "List all palaces on this machine.", ListPalaces, _READS, lambda palaces, _: palaces.names()),
    _tool(
        "kg_assert", "Assert a fact in the temporal knowledge graph.", Assert, Annotations(),
        lambda palaces, given: palaces.state(
            given.palace, given.subject, given.predicate, given.object, given.confidence, given.provenance
        ),
    ),
    _tool(
        "kg_query", "Query active knowledge-graph triples for a subject.", QueryTriples, _READS,
        lambda palaces, given: palaces.triples(given.palace, given.subject),
    ),
    _tool(
        "memory_list", "List drawers in a palace, optionally filtered by room type or tag.", ListDrawers, _READS,
        lambda palaces, given: palaces.list_drawers(given.palace, given.room, given.tag, given.limit),
    ),
    _tool(
        "memory_forget", "Delete a drawer from a palace by its UUID.", Forget, _DELETES,
        lambda palaces, given: palaces.forget(given.palace, given.drawer_id),
    ),
    _tool(
        "palace_info", "Get metadata and stats for a single palace.", InPalace, _READS,
        lambda palaces, given: palaces.info(given.palace),
    ),
)  # fmt: skip


def tell_failure(tool: str, error: RecollectError) -> Failure:
    """Every failure of a tool is an internal error of JSON-RPC, and its message says of which tool."""
    match error:
        case NoPalace():
            told = f"{tool}: missing 'palace' (no --palace default configured)"
        case MalformedId():
            told = f"{tool}: invalid {error.field} UUID: {error.problem}"
        case InvalidInput(problem=problem) if problem == REQUIRED:
            told = f"{tool}: missing '{error.field}'"
        case NoSuchPalace():
            told = str(error)
        case _ if error.__cause__ is not None and type(error) is RecollectError:  # a fault of ours
            told = f"{tool}: {type(error.__cause__).__name__}: {error.__cause__}"
        case _:
            told = f"{tool}: {error}"
    return Failure(told, INTERNAL_ERROR)


def tell_unknown_tool(name: str, known: Collection[str]) -> Failure:
    return Failure(f"unknown tool: {name}", INTERNAL_ERROR)
