"""Which 21 tools does a client of memory-mcp find, and how are failures told to it?

One server is bound to one space. Records of kind "code" are its code chunks, all others its memories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.contracts.memory_mcp import calls, code
from recollect.contracts.memory_mcp import params as p
from recollect.contracts.schema import Habits
from recollect.contracts.tool import Annotations, Contract, Failure, Tool, always
from recollect.engine.core import random_id
from recollect.engine.memory import Memory
from recollect.errors import EmbedderError, InvalidInput, RecollectError, StoreError
from recollect.types import DEFAULT_SPACE, MEMORY_TYPES, Json

ID_LENGTH = 20
NOT_READY = "Embedding service not ready. Please try again."
DATABASE_ERROR = "Database error. Please try again."

_HABITS = Habits(
    null_is_nothing=True,
    whole_floats=True,
    blank_is_nothing=frozenset(
        "memory_type user_id metadata project_id language entity_type description reason superseded_by".split()
    ),
    keywords=("description", "type", "format", "enum", "nullable", "minimum", "maximum", "default"),
)
_WORDS = {
    "text": "content", "user": "user_id", "project": "project_id", "tags": "language", "type": "entity_type",
    "subject": "from_entity", "predicate": "relation_type", "object": "to_entity", "entity": "entity_id",
    "vector": "vector_weight", "keyword": "bm25_weight", "graph": "ppr_weight",
}  # fmt: skip
_READS = Annotations(read_only=True, idempotent=True)
_WRITES = Annotations(idempotent=True)
_REMOVES = Annotations(destructive=True, idempotent=True)
_UNBOUND: Mapping[str, Json] = {"minimum": None, "maximum": None}

_TOOLS = (
    Tool(
        "store_memory",
        "Store a new memory with automatic embedding generation. Content of 1 byte to 100 KB; answers its id. The"
        " very same memory again answers the id it has.",
        p.Store, calls.store_memory, _WRITES,
        said={"memory_type": {"enum": list(MEMORY_TYPES), "default": None}},
    ),
    Tool(
        "get_memory",
        "Get a memory by its ID, valid or not.",
        p.Get, calls.get_memory, _READS, length="whole",
    ),
    Tool(
        "update_memory",
        "Update an existing memory. Only provided fields will be updated; new metadata takes the place of the"
        " old. Answers the memory as it is now.",
        p.Update, calls.update_memory, _WRITES,
        said={"memory_type": {"enum": None}}, length="whole",
    ),
    Tool(
        "delete_memory",
        "Delete a memory by ID (hard delete): nothing of it stays. To keep it for the record, use invalidate."
        " Unknown ids answer deleted: false.",
        p.Delete, calls.delete_memory, _REMOVES,
    ),
    Tool(
        "list_memories",
        "List memories with pagination, sorted by newest first, those that are no longer valid included.",
        p.Page, calls.list_memories, _READS,
        said={"offset": {"maximum": None}}, length="page",
    ),
    Tool(
        "search",
        "Semantic vector search over memories that are valid now: finds what means the same in other words. The"
        " score is the cosine.",
        p.Search, calls.search, _READS,
    ),
    Tool(
        "search_text",
        "Full-text keyword search using BM25 algorithm, over memories that are valid now. For names, numbers and"
        " exact words.",
        p.SearchText, calls.search_text, _READS,
    ),
    Tool(
        "recall",
        "Hybrid search combining vector similarity, BM25 keywords, and graph context (PPR). Can search memories,"
        " code, or both with Z-Score normalization. The best way to find something; a weight of 0 switches its"
        " signal off.",
        p.Recall, calls.recall, _READS,
        said={name: _UNBOUND for name in ("limit", "vector_weight", "bm25_weight", "ppr_weight")},
    ),
    Tool(
        "create_entity",
        "Create a knowledge graph entity. Memories that mention it by name are linked to it. A name that is known"
        " answers the id it has.",
        p.CreateEntity, calls.create_entity, _WRITES,
    ),
    Tool(
        "create_relation",
        "Create a directed relation between two entities, by the ids that create_entity answered.",
        p.CreateRelation, calls.create_relation, _WRITES,
    ),
    Tool(
        "get_related",
        "Get entities related to a given entity via graph traversal, nearest first, with the relations that lead"
        " to them.",
        p.GetRelated, calls.get_related, _READS,
        said={"direction": {"enum": ["outgoing", "incoming", "both"]}},
    ),
    Tool(
        "get_valid",
        "Get all currently valid memories, newest first.",
        p.Valid, calls.get_valid, _READS,
        said={"limit": _UNBOUND},
    ),
    Tool(
        "get_valid_at",
        "Get memories valid at a specific point in time, newest first.",
        p.ValidAt, calls.get_valid_at, _READS,
        said={"limit": _UNBOUND},
    ),
    Tool(
        "invalidate",
        "Invalidate (soft-delete) a memory. Sets valid_until to now; searches leave it out from then on. Name the"
        " memory that supersedes it, if one does. Unknown ids answer invalidated: false.",
        p.Invalidate, calls.invalidate, _WRITES,
    ),
    Tool(
        "index_project",
        "Index a codebase for semantic search. Answers when it is done, or after ten seconds with the counts so"
        " far: then get_index_status tells the rest. Again for the same folder reads only what changed.",
        p.IndexProject, code.index_project, _WRITES, in_steps=always,
    ),
    Tool(
        "search_code",
        "Semantic search over indexed code: functions, methods and classes with their places.",
        p.SearchCode, code.search_code, _READS,
        said={"limit": _UNBOUND},
    ),
    Tool(
        "get_index_status",
        "Get indexing status for a project: pending, indexing, completed or failed, with progress.",
        p.CheckProject, code.get_index_status, _READS,
    ),
    Tool(
        "list_projects",
        "List all indexed projects.",
        p.Nothing, code.list_projects, _READS,
    ),
    Tool(
        "delete_project",
        "Delete all indexed code chunks for a project; its files stay. Unknown projects answer 0.",
        p.DeleteProject, code.delete_project, _REMOVES, in_steps=always,
    ),
    Tool(
        "get_status",
        "Get server status and health information.",
        p.Nothing, calls.get_status, _READS,
    ),
    Tool(
        "reset_all_memory",
        "Delete ALL data (memories, entities, relations, code_chunks). Requires explicit confirmation. It cannot"
        " be undone.",
        p.Reset, calls.reset_all_memory, _REMOVES,
        read=lambda given: p.Reset(confirm=given.get("confirm") is True), in_steps=always,
    ),
)  # fmt: skip


def mint_id() -> str:
    return random_id(ID_LENGTH)


def memory_mcp_contract(memory: Memory, *, space: str = DEFAULT_SPACE, new_id: Callable[[], str] = mint_id) -> Contract:
    """The 21 tools of memory-mcp on one space of a memory; `new_id` mints the ids of what they store."""
    return Contract(
        name="memory-mcp",
        instructions="AI agent memory server with knowledge graph and code search. 21 tools available.",
        tools=_TOOLS,
        memory=memory,
        space=space,
        new_id=new_id,
        habits=_HABITS,
        words=_WORDS,
        failure=_tell_failure,
    )


def _tell_failure(tool: str, error: RecollectError) -> Failure:
    """Failures are results. What the store or the model says of itself is told in two fixed sentences."""
    if isinstance(error, InvalidInput):
        return Failure(f"{error.field}: {error.problem}")
    if isinstance(error, StoreError):
        return Failure(DATABASE_ERROR)
    return Failure(NOT_READY if isinstance(error, EmbedderError) else str(error))
