"""How does agentos speak of a memory?

An agent is a space. Nine functions work on it; over the iii protocol their names are parted by `::`, which clients of
MCP refuse, so that the tools have `_` there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from recollect.contracts.agentos import params as p
from recollect.contracts.agentos.calls import Calls
from recollect.contracts.tool import Annotations, Call, Contract, Tool, derive_schema, parse_params
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput
from recollect.types import DEFAULT_SPACE, Json

INSTRUCTIONS = (
    "Long-term memory for agents. Store what should outlast this conversation with memory_store, and look with"
    " memory_recall before you answer from memory. memory_kg_add and memory_kg_query keep and walk a graph of entities."
    " Name yourself in agentId: memories, graph and sessions of different agents are kept apart."
)

_DESCRIPTIONS = {
    "memory::store": (
        "Keep a text as a memory of an agent. The same text is kept once: then `deduplicated` is true and `id` names"
        " the memory that holds it. With a sessionId it also becomes the session's next message."
    ),
    "memory::recall": (
        "Find an agent's memories that answer a question, best first: by meaning (half of the score), by words, and by"
        " how new, important and well believed they are. What is recalled counts as used, and does not fade."
    ),
    "memory::evict": (
        "Take stale memories out, of all agents: older than maxAge and less important than minImportance, or with a"
        " confidence below 0.1, or the least important beyond `cap`. They are archived: the journal brings them back."
    ),
    "memory::consolidate": (
        "Let memories fade, of all agents: each that was not used for seven days loses a share of its confidence, down"
        " to 0.1. The journal can take it back."
    ),
    "memory::kg::add": (
        "Add an entity to an agent's knowledge graph, or add to it: properties join what was known, and relations are"
        " kept in both directions (A works_on B is also B inverse:works_on A). Targets that are not there yet are made."
    ),
    "memory::kg::query": (
        "Walk an agent's knowledge graph from an entity, breadth first, in both directions. Depth 1 is the entity and"
        " its neighbours. Answers the entities in the order of discovery; an unknown entity has none."
    ),
    "memory::session::list": "List an agent's sessions with how many messages each has, the most recent first.",
    "memory::session::compact": (
        "Put a summary in the place of all but the last messages of a long session. The messages themselves stay"
        " memories. A session with fewer messages than the threshold is left alone."
    ),
    "memory::session::repair": (
        "Check a session's list of messages and mend it: empty and repeated entries go, messages in a row of one"
        " speaker become one, the order is put right; messages that are gone or over 500 KB are counted. Repeatable."
    ),
}
_OWN_WORDS = {
    "text": "content", "session": "sessionId", "space": "agentId", "name": "agentId", "decay_rate": "decayRate",
    "max_age": "maxAge", "min_importance": "minImportance", "keep_recent": "keepRecent",
}  # fmt: skip
"""What the engine calls arguments, and what they are called here."""


def mint_uuid() -> str:
    """A random UUID (version 4)."""
    noise = bytearray(os.urandom(16))
    noise[6] = noise[6] & 0x0F | 0x40
    noise[8] = noise[8] & 0x3F | 0x80
    text = noise.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def agentos_contract(memory: Memory, *, agent: str = DEFAULT_SPACE, new_id: Callable[[], str] = mint_uuid) -> Contract:
    """The functions of agentos on a memory; `agent` is whose they are where a call names nobody."""
    calls = Calls(memory.acting_as("agentos", new_id=new_id), agent)
    reads = Annotations(read_only=True, idempotent=True)
    writes = Annotations(idempotent=True)
    tools = (
        _tool("memory::store", calls.store, p.Store, writes),
        _tool("memory::recall", calls.recall, p.Recall, reads),
        _tool("memory::evict", calls.evict, p.Evict, Annotations(destructive=True, idempotent=True)),
        _tool("memory::consolidate", calls.consolidate, p.Consolidate, Annotations()),
        _tool("memory::kg::add", calls.kg_add, p.KgAdd, writes),
        _tool("memory::kg::query", calls.kg_query, p.KgQuery, reads),
        _tool("memory::session::list", calls.session_list, p.SessionList, reads),
        _tool("memory::session::compact", calls.session_compact, p.SessionCompact, Annotations()),
        _tool("memory::session::repair", calls.session_repair, p.SessionRepair, writes),
    )
    return Contract(
        name="agentos",
        instructions=INSTRUCTIONS,
        tools=tools,
        functions={id: tool_name(id) for id in _DESCRIPTIONS},
    )


def tool_name(function: str) -> str:
    return function.replace("::", "_")


def _tool(
    function: str, call: Callable[[Any, Call], object], params: type[p.Params], annotations: Annotations
) -> Tool[Any]:
    def parse_and_call(arguments: Mapping[str, Json], asked: Call) -> object:
        """Null is the same as nothing, a number such as 5.0 is whole, and what begins with _ is a carrier's own."""
        given = {name: value for name, value in arguments.items() if value is not None and not name.startswith("_")}
        parsed = parse_params(params, {name: _whole(value) for name, value in given.items()})
        try:
            return call(parsed, asked)
        except InvalidInput as error:
            raise _in_own_words(function, error) from error

    return Tool(
        name=tool_name(function),
        description=_DESCRIPTIONS[function],
        params=dict,
        schema=derive_schema(params),
        call=parse_and_call,
        annotations=annotations,
    )


def _in_own_words(function: str, error: InvalidInput) -> InvalidInput:
    """The same error with the argument's name as callers know it."""
    head, dot, rest = error.field.partition(".")
    own = _OWN_WORDS.get(head, head)
    if function == "memory::kg::add" and head in ("id", "type", "properties", "target"):
        own = "entity.relations" if head == "target" else f"entity.{head}"
    return InvalidInput(f"{own}{dot}{rest}", error.problem)


def _whole(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value
