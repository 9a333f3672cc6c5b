"""How does memory-substrate speak of a memory?

Four tools, each a table of modes, on one space: evidence comes in by memory_ingest, is read by memory_query, becomes
governed knowledge by memory_remember, and is kept in order by memory_maintain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.contracts.memory_substrate.envelope import Modes, envelope_schema, open_envelope
from recollect.contracts.memory_substrate.ingest import INGEST_MODES, ingest
from recollect.contracts.memory_substrate.maintain import MAINTAIN_MODES, maintain
from recollect.contracts.memory_substrate.query import query
from recollect.contracts.memory_substrate.remember import remember
from recollect.contracts.memory_substrate.schemas import QUERY_MODES, REMEMBER_MODES
from recollect.contracts.memory_substrate.texts import DESCRIPTIONS, INSTRUCTIONS, prompts, resources
from recollect.contracts.tool import Annotations, Call, Contract, Failure, Tool
from recollect.engine.memory import Memory
from recollect.errors import RecollectError
from recollect.types import Json

Answering = Callable[[Memory, str, str, Any, Any, Call], Mapping[str, object]]
"""(memory, space, mode, input_data, options, call): the shape of what answers a tool's calls."""


def memory_substrate_contract(memory: Memory, *, space: str) -> Contract:
    """The tools, documents and prompts of memory-substrate on one space of a memory."""
    return Contract(
        name="memory-substrate",
        instructions=INSTRUCTIONS,
        failure=_told,
        resources=resources(),
        prompts=prompts(),
        tools=(
            _tool(memory, space, "memory_ingest", INGEST_MODES, ingest, Annotations(idempotent=True, open_world=True)),
            _tool(memory, space, "memory_query", QUERY_MODES, query, Annotations(read_only=True, idempotent=True)),
            _tool(memory, space, "memory_remember", REMEMBER_MODES, remember, Annotations()),
            _tool(memory, space, "memory_maintain", MAINTAIN_MODES, maintain, Annotations(destructive=True)),
        ),
    )


def _tool(
    memory: Memory, space: str, name: str, modes: Modes, answer: Answering, annotations: Annotations
) -> Tool[dict[str, Json]]:
    def call_tool(arguments: Mapping[str, Json], call: Call) -> Mapping[str, object]:
        given = open_envelope(name, arguments, modes)
        acting = memory.acting_as(call.client or "mcp")
        return answer(acting, space, given.mode, given.input_data, given.options, call)

    return Tool(
        name=name, description=DESCRIPTIONS[name], params=dict, schema=envelope_schema(modes), call=call_tool,
        annotations=annotations,
    )  # fmt: skip


def _told(tool: str, error: RecollectError) -> Failure:
    """Failures are results, and say which tool failed."""
    return Failure(f"Error executing tool {tool}: {error}")


__all__ = ["memory_substrate_contract"]
