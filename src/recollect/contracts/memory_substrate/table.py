"""Which four tools, documents and prompts does a client of memory-substrate find?

Each tool is a table of modes, on one space: evidence comes in by memory_ingest, is read by memory_query, becomes
governed knowledge by memory_remember, and is kept in order by memory_maintain.
"""

from __future__ import annotations

from functools import partial

from recollect.contracts.memory_substrate.envelope import Envelope, Modes, answer_call, envelope_schema, open_envelope
from recollect.contracts.memory_substrate.ingest import INGEST
from recollect.contracts.memory_substrate.maintain import MAINTAIN
from recollect.contracts.memory_substrate.query import QUERY
from recollect.contracts.memory_substrate.remember import REMEMBER
from recollect.contracts.memory_substrate.texts import DESCRIPTIONS, INSTRUCTIONS, prompts, resources
from recollect.contracts.tool import Annotations, Contract, Failure, Tool
from recollect.engine.memory import Memory
from recollect.errors import RecollectError
from recollect.types import DEFAULT_SPACE

_IN_STEPS = frozenset(("repo", "file", "markdown", "web", "pdf", "reindex", "repair", "cycle"))
"""The modes that read files or pages, or take several transactions."""


def memory_substrate_contract(memory: Memory, *, space: str = DEFAULT_SPACE) -> Contract:
    """The tools, documents and prompts of memory-substrate on one space of a memory."""
    return Contract(
        name="memory-substrate",
        instructions=INSTRUCTIONS,
        tools=(
            _tool("memory_ingest", INGEST, Annotations(idempotent=True, open_world=True)),
            _tool("memory_query", QUERY, Annotations(read_only=True, idempotent=True)),
            _tool("memory_remember", REMEMBER, Annotations()),
            _tool("memory_maintain", MAINTAIN, Annotations(destructive=True)),
        ),
        resources=resources(),
        prompts=prompts(),
        memory=memory,
        space=space,
        failure=_tell_failure,
    )


def _tool(name: str, modes: Modes, annotations: Annotations) -> Tool[Envelope]:
    return Tool(
        name, DESCRIPTIONS[name], Envelope, partial(answer_call, name, modes), annotations,
        schema=envelope_schema(modes), read=partial(open_envelope, name, modes),
        in_steps=lambda given: given.mode in _IN_STEPS,
    )  # fmt: skip


def _tell_failure(tool: str, error: RecollectError) -> Failure:
    """Failures are results, and say which tool failed."""
    return Failure(f"Error executing tool {tool}: {error}")
