"""Which tools does Recollect offer in its own words?"""

from __future__ import annotations

from recollect.contracts.native import calls, params
from recollect.contracts.tool import Annotations, Contract, Tool
from recollect.engine.memory import Memory
from recollect.retrieve.fence import DATA
from recollect.types import DEFAULT_SPACE

_INSTRUCTIONS = (
    "Long-term memory shared by all of this person's agents. Recall before you answer from memory or start a task;"
    " remember decisions, preferences, facts and outcomes worth keeping, one per call; revise what changed instead of"
    " storing it again. Inside a repository both keep to its project and to what is of none, unless `everywhere` is set"
    f". Cite records by [id]. {DATA}"
)

_READS = Annotations(read_only=True, idempotent=True)
_WRITES = Annotations(idempotent=True)
_TOOLS = (
    Tool("remember", "Store one thing for good. Answers in `already` what says nearly this or (differs)"
         " something else.", params.Remember, calls.remember, _WRITES),
    Tool("recall", "What is known about a question, best first. Scores above 0.5: likely right;"
         " below 0.25: likely nothing is known. Without a query: what is worth knowing.",
         params.Recall, calls.recall, _READS),
    Tool("revise", "Change a record; the old version stays in its history.", params.Revise, calls.revise, _WRITES),
    Tool("forget", "Remove a record for good, with its history.", params.Forget, calls.forget,
         Annotations(destructive=True, idempotent=True), confirm=calls.confirm_forget),
    Tool("relate", "State a dated fact between two named things.", params.Relate, calls.relate, _WRITES),
    Tool("explore", "Facts, neighbours and mentions of an entity, or a record (id) and its past.",
         params.Explore, calls.explore, _READS, length="whole"),
    Tool("ingest", "Store a document, conversation, web page, file or folder (also of code).",
         params.Ingest, calls.ingest, _WRITES,
         in_steps=lambda given: given.path is not None or given.url is not None),
    Tool("status", "What this memory holds, how it is, and what differed (told_later).", params.Status, calls.status,
         _READS),
    Tool("hook", "For a client's own hook, which calls the running server with each prompt (no model is told of this"
         " tool): the records that most likely answer, as plain text, and an empty text where none does.",
         params.Hook, calls.hook, _WRITES, listed=False),
)  # fmt: skip


def native_contract(memory: Memory, *, space: str = DEFAULT_SPACE) -> Contract:
    """The table of Recollect's own tools on a memory; `space` is meant where a call names none."""
    return Contract(
        name="recollect", title="Recollect", instructions=_INSTRUCTIONS, tools=_TOOLS, memory=memory, space=space,
        keys_among_arguments=True, apps=_with_apps,
    )  # fmt: skip


def _with_apps(table: Contract) -> Contract:
    from recollect.contracts.apps import with_apps  # only for a client that shows apps

    return with_apps(table)
