"""How does memory-mcp speak of a memory?

One server is bound to one space. Records of kind "code" are its code chunks, all others its memories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.contracts.memory_mcp import params as p
from recollect.contracts.memory_mcp.calls import Calls
from recollect.contracts.memory_mcp.code import CodeCalls
from recollect.contracts.memory_mcp.schemas import DESCRIPTIONS, SCHEMAS
from recollect.contracts.tool import Annotations, Call, Contract, Failure, Tool, parse_params
from recollect.engine.core import random_id
from recollect.engine.memory import Memory
from recollect.errors import EmbedderError, InvalidInput, RecollectError, StoreError
from recollect.types import Json

ID_LENGTH = 20
NOT_READY = "Embedding service not ready. Please try again."
DATABASE_ERROR = "Database error. Please try again."

_OWN_WORDS = {
    "text": "content", "user": "user_id", "project": "project_id", "tags": "language", "type": "entity_type",
    "subject": "from_entity", "predicate": "relation_type", "object": "to_entity", "entity": "entity_id",
    "vector": "vector_weight", "keyword": "bm25_weight", "graph": "ppr_weight",
}  # fmt: skip
"""What the engine calls arguments, and what they are called here."""
_READS = Annotations(read_only=True, idempotent=True)
_WRITES = Annotations(idempotent=True)
_REMOVES = Annotations(destructive=True, idempotent=True)


def mint_id() -> str:
    return random_id(ID_LENGTH)


def memory_mcp_contract(memory: Memory, *, space: str, new_id: Callable[[], str] = mint_id) -> Contract:
    """The 21 tools of memory-mcp on one space of a memory; `new_id` mints the ids of what they store."""
    calls, code = Calls(memory, space, new_id), CodeCalls(memory, space, new_id)
    return Contract(
        name="memory-mcp",
        instructions="AI agent memory server with knowledge graph and code search. 21 tools available.",
        failure=_told,
        tools=(
            _tool("store_memory", calls.store, p.Store, _WRITES),
            _tool("get_memory", calls.get, p.ById, _READS),
            _tool("update_memory", calls.update, p.Update, _WRITES),
            _tool("delete_memory", calls.delete, p.ById, _REMOVES),
            _tool("list_memories", calls.list, p.Page, _READS),
            _tool("search", calls.search, p.Search, _READS),
            _tool("search_text", calls.search_text, p.Search, _READS),
            _tool("recall", calls.recall, p.Recall, _READS),
            _tool("create_entity", calls.create_entity, p.CreateEntity, _WRITES),
            _tool("create_relation", calls.create_relation, p.CreateRelation, _WRITES),
            _tool("get_related", calls.get_related, p.GetRelated, _READS),
            _tool("get_valid", calls.get_valid, p.Valid, _READS),
            _tool("get_valid_at", calls.get_valid_at, p.ValidAt, _READS),
            _tool("invalidate", calls.invalidate, p.Invalidate, _WRITES),
            _tool("index_project", code.index, p.IndexProject, _WRITES),
            _tool("search_code", code.search, p.SearchCode, _READS),
            _tool("get_index_status", code.status, p.ByProject, _READS),
            _tool("list_projects", code.projects, p.Nothing, _READS),
            _tool("delete_project", code.delete, p.ByProject, _REMOVES),
            _tool("get_status", calls.status, p.Nothing, _READS),
            Tool(
                name="reset_all_memory",
                description=DESCRIPTIONS["reset_all_memory"],
                params=dict,
                schema=SCHEMAS["reset_all_memory"],
                call=calls.reset,
                annotations=_REMOVES,
            ),
        ),
    )


def _tool(
    name: str, call: Callable[[Any, Call], object], params: type[p.Params], annotations: Annotations
) -> Tool[Any]:
    properties = SCHEMAS[name]["properties"]
    assert isinstance(properties, Mapping)
    labels = {key for key, field in properties.items() if isinstance(field, Mapping) and field.get("nullable")}
    labels.discard("content")

    def parse_and_call(arguments: Mapping[str, Json], asked: Call) -> object:
        """Null is the same as nothing, for every argument; so is an empty text, for a label that may be null."""
        given = {key: value for key, value in arguments.items() if value is not None}
        return call(parse_params(params, {k: v for k, v in given.items() if v != "" or k not in labels}), asked)

    return Tool(
        name=name,
        description=DESCRIPTIONS[name],
        params=dict,
        schema=SCHEMAS[name],
        call=parse_and_call,
        annotations=annotations,
    )


def _told(tool: str, error: RecollectError) -> Failure:  # noqa: ARG001  the seam's shape
    """Failures are results. What the store or the model says of itself is told in two fixed sentences."""
    if isinstance(error, InvalidInput):
        field, dot, rest = error.field.partition(".")
        return Failure(f"{_OWN_WORDS.get(field, field)}{dot}{rest}: {error.problem}")
    if isinstance(error, StoreError):
        return Failure(DATABASE_ERROR)
    return Failure(NOT_READY if isinstance(error, EmbedderError) else str(error))


__all__ = ["DATABASE_ERROR", "ID_LENGTH", "NOT_READY", "memory_mcp_contract"]
