"""How does rusty-mem speak of a memory?

A collection is a space, a project a label inside it, and a document that is pushed becomes chunks. Records that other
contracts stored without a project belong to the project "default".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.contracts.rusty_mem.calls import Calls
from recollect.contracts.rusty_mem.params import Defaults
from recollect.contracts.rusty_mem.resources import Documents, list_resources, list_templates
from recollect.contracts.rusty_mem.schemas import DESCRIPTIONS, INSTRUCTIONS, TITLES, write_schemas
from recollect.contracts.tool import INTERNAL_ERROR, INVALID_PARAMS, Annotations, Call, Contract, Failure, Tool
from recollect.engine.core import random_uuid
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.types import Json

_OWN_WORDS = {
    "query": "query_text", "project": "project_id", "space": "collection", "source": "source_uri",
    "since": "time_range.start", "until": "time_range.end", "min_score": "score_threshold",
}  # fmt: skip
"""What the engine calls arguments, and what they are called here."""
_READS = Annotations(read_only=True, idempotent=True, open_world=False)
_WRITES = Annotations(idempotent=True, open_world=False)
_MAY_ASK_A_MODEL = Annotations(idempotent=True)


def rusty_mem_contract(
    memory: Memory, defaults: Defaults | None = None, *, new_id: Callable[[], str] = random_uuid
) -> Contract:
    """The six tools, five documents and one kind of document of rusty-mem; `new_id` mints the ids of its chunks."""
    chosen = defaults or Defaults()
    calls, documents = Calls(memory, chosen, new_id), Documents(memory, chosen)
    schemas = write_schemas(chosen)

    def tool(
        name: str, call: Callable[[Mapping[str, Json], Call], object], annotations: Annotations
    ) -> Tool[dict[str, Json]]:
        return Tool(
            name=name,
            title=TITLES[name],
            description=DESCRIPTIONS[name],
            params=dict,
            schema=schemas[name],
            call=call,
            annotations=annotations,
        )

    return Contract(
        name="rusty-mem",
        title="Rusty Memory MCP",
        instructions=INSTRUCTIONS,
        tools=(
            tool("search", calls.search, _READS),
            tool("push", calls.push, _WRITES),
            tool("summarize", calls.summarize, _MAY_ASK_A_MODEL),
            tool("get-collections", calls.collections, _READS),
            tool("new-collection", calls.new_collection, _WRITES),
            tool("metrics", calls.metrics, _READS),
        ),
        resources=list_resources(documents),
        templates=list_templates(documents),
        failure=_told,
    )


def _told(tool: str, error: RecollectError) -> Failure:
    """Failures are JSON-RPC errors; what is wrong with an argument begins with its name, in backticks."""
    if isinstance(error, InvalidInput):
        field, rest = error.field, ""
        for mark in (".", "["):
            head, found, tail = field.partition(mark)
            field, rest = head, f"{found}{tail}{rest}"
        if field == "name" and tool != "new-collection":
            field = "collection"
        own = _OWN_WORDS.get(field, field)
        return Failure(f"`{own}{rest}` {error.problem}", INVALID_PARAMS)
    if isinstance(error, NotFound):
        return Failure(str(error), INVALID_PARAMS)
    return Failure(str(error), INTERNAL_ERROR)


__all__ = ["Defaults", "rusty_mem_contract"]
