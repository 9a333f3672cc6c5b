"""Which six tools and which documents does a client of rusty-mem find, and how are failures told to it?

A collection is a space, a project a label inside it, and a document that is pushed becomes chunks. Records that other
contracts stored without a project belong to the project "default".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct

from recollect.contracts.rusty_mem import calls
from recollect.contracts.rusty_mem import params as p
from recollect.contracts.rusty_mem.arguments import Arguments, read_arguments, write_schema
from recollect.contracts.rusty_mem.resources import list_resources, list_templates
from recollect.contracts.schema import Habits
from recollect.contracts.tool import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    Annotations,
    Call,
    Contract,
    Failure,
    Tool,
    always,
    never,
)
from recollect.engine.core import random_uuid
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, NotFound, RecollectError

P = TypeVar("P", bound=Struct)

INSTRUCTIONS = (
    "Use this server to index, search, and summarize project memories for agents. Index source text, then retrieve"
    " concise context via semantic search with project/type/tag/time filters; summarize time‑bounded entries when"
    " needed."
)
_HABITS = Habits(null_is_nothing=True, aliases={"project": "project_id", "type": "memory_type", "k": "limit"})
_WORDS = {
    "query": "query_text", "project": "project_id", "space": "collection", "source": "source_uri",
    "since": "time_range.start", "until": "time_range.end", "min_score": "score_threshold", "name": "collection",
}  # fmt: skip
_READS = Annotations(read_only=True, idempotent=True, open_world=False)
_WRITES = Annotations(idempotent=True, open_world=False)
_MAY_ASK_A_MODEL = Annotations(idempotent=True)


def rusty_mem_contract(
    memory: Memory, defaults: p.Defaults | None = None, *, new_id: Callable[[], str] = random_uuid
) -> Contract:
    """The six tools, five documents and one kind of document of rusty-mem; `new_id` mints the ids of its chunks."""
    server = defaults or p.Defaults()
    return Contract(
        name="rusty-mem",
        title="Rusty Memory MCP",
        instructions=INSTRUCTIONS,
        tools=_tools(server),
        resources=list_resources(server),
        templates=list_templates(),
        memory=memory,
        space=server.collection,
        new_id=new_id,
        habits=_HABITS,
        words=_WORDS,
        failure=_tell_failure,
    )


def _tools(server: p.Defaults) -> tuple[Tool[Any], ...]:
    return (
        _tool(
            "search", "Search Memories",
            "Find the memories that answer a question. Keep `query_text` concise (≤ 512 chars) and prefer filters"
            " for precision: project, type, tags (any of them) and time. Answers the matches, best first, with their"
            " scores, and `context`: the same as a text ready for a prompt, with [id] citations.",
            p.Search, p.search_arguments(server), calls.search, _READS,
        ),
        _tool(
            "push", "Index Document",
            "Index a document: it is split into chunks of 256 to 1,024 tokens, and each is stored once. Push the"
            " same text again without harm: chunks that the project holds are skipped, or updated where tags or"
            " source_uri are new. Use this instead of pasting long texts into prompts.",
            p.Push, p.push_arguments(server), calls.push, _WRITES,
        ),
        _tool(
            "summarize", "Summarize Memories",
            "Consolidate what happened within a time range (episodic memories, unless told otherwise) into one"
            " semantic summary that names the memories it was made of. The summary is stored; asking again for the"
            " same memories answers the same one. `extractive` picks their own sentences, `abstractive` has a"
            " language model write.",
            p.Summarize, p.summarize_arguments(server), calls.summarize, _MAY_ASK_A_MODEL,
        ),
        _tool(
            "get-collections", "List Collections",
            "List the collections that there are. Each is a memory of its own, with its own projects.",
            p.Nothing, {}, calls.get_collections, _READS,
        ),
        _tool(
            "new-collection", "Create/Resize Collection",
            "Make sure that a collection exists. Everything in it is kept if it does. `vector_size` may only be the"
            " dimension of the embedder in use.",
            p.NewCollection, p.NEW_COLLECTION, partial(calls.new_collection, server.dimension), _WRITES,
            words={"name": "name"},
        ),
        _tool(
            "metrics", "Metrics Snapshot",
            "Say how many documents and chunks were indexed so far, and how large the last chunks could be.",
            p.Nothing, {}, calls.metrics, _READS,
        ),
    )  # fmt: skip


def _tool(
    name: str,
    title: str,
    description: str,
    params: type[P],
    arguments: Arguments,
    call: Callable[[P, Call], object],
    annotations: Annotations,
    words: Mapping[str, str] | None = None,
) -> Tool[P]:
    return Tool(
        name, description, params, call, annotations, title=title, schema=write_schema(arguments),
        read=partial(read_arguments, params, arguments), words=words or {},
        in_steps=always if annotations is _MAY_ASK_A_MODEL else never,
    )  # fmt: skip


def _tell_failure(tool: str, error: RecollectError) -> Failure:
    """Failures are JSON-RPC errors; what is wrong with an argument begins with its name, in backticks."""
    if isinstance(error, InvalidInput):
        return Failure(f"`{error.field}` {error.problem}", INVALID_PARAMS)
    return Failure(str(error), INVALID_PARAMS if isinstance(error, NotFound) else INTERNAL_ERROR)
