"""How long do the calls of the memory-mcp contract take at 10,000 memories, the model's own time aside?

The limits are a fifth of the times that the contract's own server aims at. A tenth of the memories mention one of the
entities, which are related in a chain, so that recall has a graph to walk.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from bench.recall import clock
from bench.stores import open_quiet, stand_in
from bench.table import Plan, Table, median, quantile, within
from bench.texts import questions, texts
from recollect import Memory
from recollect.contracts.memory_mcp.table import memory_mcp_contract

SIZE = 10_000
LIMITS = {"store_memory": 20, "search": 4, "search_text": 6, "recall": 20}  # milliseconds
_ENTITIES = 100
_SEED = 3


def _fill(folder: Path, size: int) -> Path:
    """A store of memories, some of which name entities; all have vectors."""
    home = folder / f"memory-mcp-{size}"
    if (home / "filled").exists():
        return home
    with open_quiet(home, stand_in()) as memory:
        names = [f"Project {number}X" for number in range(_ENTITIES)]
        for name in names:
            memory.entity(name)
        for one, other in pairwise(names):
            memory.relate(one, "depends_on", other, replaces=False)
        written = [
            f"{text[:-1]} for {names[at // 10 % _ENTITIES]}." if at % 10 == 0 else text
            for at, text in enumerate(texts(size, _SEED))
        ]
        memory.remember_many([{"text": text, "importance": 1.0} for text in written])
        memory.embed_waiting()
    (home / "filled").touch()
    return home


def _calls(memory: Memory) -> dict[str, Callable[[str], object]]:
    """Each tool by name, as a function of a text."""
    contract = memory_mcp_contract(memory)
    tools = {tool.name: tool for tool in contract.tools}

    def ask(name: str, argument: str) -> Callable[[str], object]:
        return lambda text: contract.answer(tools[name], {argument: text}, contract.open_call())

    return {name: ask(name, "content" if name == "store_memory" else "query") for name in LIMITS}


def run(plan: Plan) -> list[Table]:
    size = min(SIZE, max(plan.sizes))
    asked = [
        f"{question} Project {number % _ENTITIES}X" if number % 2 else question
        for number, question in enumerate(questions(plan.questions, size, _SEED))
    ]
    took: dict[str, list[float]] = {name: [] for name in LIMITS}
    copy = plan.folder / "memory-mcp-copy"  # what is stored here should not be there in the next run
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(_fill(plan.folder, size), copy)
    with open_quiet(copy, stand_in()) as memory:
        calls = _calls(memory)
        for question in asked:
            calls["search"](question)  # its vector is cached from here on
        for question in asked * max(plan.repeats // 3, 1):
            for name in ("search", "search_text", "recall"):
                took[name].append(clock(lambda name=name, question=question: calls[name](question)))
        for text in texts(min(plan.writes, 400), _SEED + 1):
            took["store_memory"].append(clock(lambda text=text: calls["store_memory"](text)))
    rows = tuple(
        (name, median(took[name]), quantile(took[name], 0.9), f"< {limit}", within(median(took[name]) < limit))
        for name, limit in LIMITS.items()
    )
    columns = (f"at {size:,} memories", "p50 ms", "p90 ms", "limit ms", "holds")
    return [Table("memory-mcp", columns, rows, "Through the contract's table, one call at a time.")]
