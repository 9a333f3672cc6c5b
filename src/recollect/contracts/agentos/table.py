"""Which nine functions does a client of agentos find?

An agent is a space. Over the iii protocol the names of functions are parted by `::`, which clients of MCP refuse, so
that the tools have `_` there.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.contracts.agentos import calls
from recollect.contracts.agentos import params as p
from recollect.contracts.schema import Habits
from recollect.contracts.tool import Annotations, Contract, Tool, always
from recollect.engine.core import random_uuid
from recollect.engine.memory import Memory
from recollect.retrieve.fence import DATA
from recollect.types import DEFAULT_SPACE

INSTRUCTIONS = (
    "Long-term memory for agents. Store what should outlast this conversation with memory_store, and look with"
    " memory_recall before you answer from memory. memory_kg_add and memory_kg_query keep and walk a graph of entities."
    f" Name yourself in agentId: memories, graph and sessions of different agents are kept apart. {DATA}"
)

FUNCTIONS = (
    "memory::store", "memory::recall", "memory::evict", "memory::consolidate", "memory::kg::add", "memory::kg::query",
    "memory::session::list", "memory::session::compact", "memory::session::repair",
)  # fmt: skip
_HABITS = Habits(null_is_nothing=True, whole_floats=True, carriers_mark="_")
_WORDS = {
    "text": "content", "session": "sessionId", "space": "agentId", "name": "agentId", "decay_rate": "decayRate",
    "max_age": "maxAge", "min_importance": "minImportance", "keep_recent": "keepRecent",
}  # fmt: skip
_READS = Annotations(read_only=True, idempotent=True)
_WRITES = Annotations(idempotent=True)

_TOOLS = (
    Tool(
        "memory_store",
        "Keep a text as a memory of an agent. The same text is kept once: then `deduplicated` is true and `id` names"
        " the memory that holds it. With a sessionId it also becomes the session's next message.",
        p.Store, calls.store, _WRITES,
    ),
    Tool(
        "memory_recall",
        "Find an agent's memories that answer a question, best first: by meaning (half of the score), by words, and by"
        " how new, important and well believed they are. What is recalled counts as used, and does not fade.",
        p.Recall, calls.recall, _READS,
    ),
    Tool(
        "memory_evict",
        "Take stale memories out, of all agents: older than maxAge and less important than minImportance, or with a"
        " confidence below 0.1, or the least important beyond `cap`. They are archived: the journal brings them back.",
        p.Evict, calls.evict, Annotations(destructive=True, idempotent=True),
    ),
    Tool(
        "memory_consolidate",
        "Let memories fade, of all agents: each that was not used for seven days loses a share of its confidence, down"
        " to 0.1. The journal can take it back.",
        p.Consolidate, calls.consolidate, Annotations(),
    ),
    Tool(
        "memory_kg_add",
        "Add an entity to an agent's knowledge graph, or add to it: properties join what was known, and relations"
        " are kept in both directions (A works_on B is also B inverse:works_on A). Targets that are not there yet are"
        " made.",
        p.KgAdd, calls.kg_add, _WRITES,
        words={
            "id": "entity.id",
            "type": "entity.type",
            "properties": "entity.properties",
            "target": "entity.relations",
        },
    ),
    Tool(
        "memory_kg_query",
        "Walk an agent's knowledge graph from an entity, breadth first, in both directions. Depth 1 is the entity and"
        " its neighbours. Answers the entities in the order of discovery; an unknown entity has none.",
        p.KgQuery, calls.kg_query, _READS,
    ),
    Tool(
        "memory_session_list",
        "List an agent's sessions with how many messages each has, the most recent first.",
        p.SessionList, calls.session_list, _READS,
    ),
    Tool(
        "memory_session_compact",
        "Put a summary in the place of all but the last messages of a long session. The messages themselves stay"
        " memories. A session with fewer messages than the threshold is left alone.",
        p.SessionCompact, calls.session_compact, Annotations(), in_steps=always,
    ),
    Tool(
        "memory_session_repair",
        "Check a session's list of messages and mend it: empty and repeated entries go, messages in a row of one"
        " speaker become one, the order is put right; messages that are gone or over 500 KB are counted. Repeatable.",
        p.SessionRepair, calls.session_repair, _WRITES,
    ),
)  # fmt: skip


def agentos_contract(
    memory: Memory, *, space: str = DEFAULT_SPACE, new_id: Callable[[], str] = random_uuid
) -> Contract:
    """The functions of agentos on a memory; `space` is the agent whose they are where a call names nobody."""
    return Contract(
        name="agentos",
        instructions=INSTRUCTIONS,
        tools=_TOOLS,
        memory=memory,
        space=space,
        new_id=new_id,
        actor="agentos",
        habits=_HABITS,
        words=_WORDS,
        functions={function: function.replace("::", "_") for function in FUNCTIONS},
    )
