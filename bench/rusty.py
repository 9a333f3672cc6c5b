"""How long does a large document take to push, and fifty memories to summarise, the model's own time aside?"""

from __future__ import annotations

from collections.abc import Mapping

from bench.recall import clock
from bench.remember import fresh
from bench.stores import open_quiet
from bench.table import Plan, Table, median, quantile, within
from bench.texts import texts
from recollect.contracts.rusty_mem.table import rusty_mem_contract
from recollect.types import Json

DOCUMENT_BYTES = 1_000_000
LIMIT_MS = 1_000.0
MEMORIES = 50
_EVER: Mapping[str, Json] = {"start": "2000-01-01T00:00:00Z", "end": "2100-01-01T00:00:00Z"}
_SEED = 17


def write_document(size: int, seed: int) -> str:
    """So many bytes of prose, a paragraph for every few sentences."""
    parts: list[str] = []
    length = 0
    for number, text in enumerate(texts(size // 20, seed)):
        parts.append(text + ("\n\n" if number % 5 == 4 else " "))
        length += len(parts[-1])
        if length >= size:
            break
    return "".join(parts)[:size]


def run(plan: Plan) -> list[Table]:
    size = DOCUMENT_BYTES // 100 if plan.tiny else DOCUMENT_BYTES
    documents = [write_document(size, _SEED + turn) for turn in range(min(plan.repeats, 5))]
    with open_quiet(fresh(plan.folder / "rusty")) as memory:
        contract = rusty_mem_contract(memory)
        tools = {tool.name: tool for tool in contract.tools}

        def use(tool: str, given: Mapping[str, Json]) -> object:
            return contract.answer(tools[tool], given, contract.open_call())

        def timed(tool: str, *asked: Mapping[str, Json]) -> list[float]:
            return [clock(lambda given=given: use(tool, given)) for given in asked]

        first = timed("push", *({"text": document} for document in documents))
        again = timed("push", *({"text": document} for document in documents))
        for text in texts(MEMORIES, _SEED):
            use("push", {"text": text, "memory_type": "episodic", "project_id": "log"})
        words = [60 + turn for turn in range(max(plan.repeats, 3))]
        summaries = timed(
            "summarize", *({"project_id": "log", "time_range": _EVER, "max_words": count} for count in words)
        )
    rows = (
        ("push, 1 MB, new", median(first), quantile(first, 0.9), LIMIT_MS, within(median(first) < LIMIT_MS)),
        ("push, the same again", median(again), quantile(again, 0.9), LIMIT_MS, within(median(again) < LIMIT_MS)),
        (f"summarize, {MEMORIES} memories, by words alone", median(summaries), quantile(summaries, 0.9), None, None),
    )
    note = f"A document of {size:,} bytes: cut by tokens and stored, durable, in one transaction. No vectors."
    return [Table("rusty", ("through the contract's table", "p50 ms", "p90 ms", "limit ms", "holds"), rows, note)]
