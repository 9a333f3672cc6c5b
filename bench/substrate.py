"""How long do the reads of the memory-substrate contract take at 50,000 objects, the model's own time aside?

Knowledge, activities, work items, sources with segments and related nodes, in the shares that a project that has been
worked on for years might have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path

from bench.recall import clock
from bench.stores import open_quiet, stand_in
from bench.table import Plan, Table, median, quantile, within
from bench.texts import questions, texts
from recollect import Memory
from recollect.contracts.memory_substrate.table import memory_substrate_contract
from recollect.engine.intake.results import SourceDraft
from recollect.types import Adapter, Segment

SIZE = 50_000
LIMIT = 20  # milliseconds for a search
_SEED = 5
_BATCH = 5_000
_SCOPES = 20
_SEGMENTS = 18
_KINDS = ("fact", "decision", "preference", "procedure", "concept")


def _drafts(count: int) -> Iterator[dict[str, object]]:
    """Of ten objects eight are knowledge, one is an activity and one a work item."""
    for at, text in enumerate(texts(count, _SEED)):
        title, _, _ = text.partition(",")
        kind = _KINDS[at // 10 % len(_KINDS)] if at % 10 < 8 else ("activity", "work_item")[at % 2]
        grounds: dict[str, object] = {"scopes": [f"scope:{at % _SCOPES}"]}
        if at % 4 == 0 and at % 10 < 8:
            grounds["claim"] = {"subject": f"part-{at}", "predicate": "observed", "value": at}
        yield {
            "text": text, "title": title[:120], "kind": kind, "grounds": grounds, "confidence": 0.8,
            "trust": "user_declared", "status": "open" if kind == "work_item" else "active",
        }  # fmt: skip


def _sources(count: int) -> Iterator[SourceDraft]:
    adapter = Adapter(name="bench", version="1", mode="markdown", supported_modes=("markdown",))
    written = iter(texts(count * _SEGMENTS, _SEED + 1))
    for number in range(count):
        segments = tuple(
            Segment(text=text, title=f"Section {place}", locator={"kind": "line", "line_start": place * 10 + 1})
            for place, text in enumerate(islice(written, _SEGMENTS))
        )
        fingerprint = hashlib.sha256(str(number).encode()).hexdigest()
        yield SourceDraft(
            location=f"/docs/page-{number}.md", source_kind="markdown", title=f"Page {number}",
            fingerprint=fingerprint, adapter=adapter, segments=segments,
        )  # fmt: skip


def fill(folder: Path, size: int) -> Path:
    """A store of so many objects: records, and a hundredth of them each sources and nodes."""
    home = folder / f"substrate-{size}"
    if (home / "filled").exists():
        return home
    few = max(size // 100, 2)
    with open_quiet(home, stand_in()) as memory:
        names = [f"Component {number}X" for number in range(few)]
        for name in names:
            memory.entity(name, type="component")
        for one, other in pairwise(names):
            memory.relate(one, "depends_on", other, replaces=False)
        for source in _sources(few):
            memory.ingest_source(source)
        rows = _drafts(size - 2 * few)
        while batch := list(islice(rows, _BATCH)):
            memory.remember_many(batch)
        memory.embed_waiting()
    (home / "filled").touch()
    return home


def calls(memory: Memory) -> Callable[..., object]:
    """A function that calls a tool of the contract: name, mode, input and options."""
    contract = memory_substrate_contract(memory)
    tools = {tool.name: tool for tool in contract.tools}

    def ask(name: str, mode: str, given: dict[str, object], options: dict[str, object] | None = None) -> object:
        args = {"mode": mode, "input_data": given, "options": options or {}}
        return contract.answer(tools[name], {"args": args}, contract.open_call())  # type: ignore[dict-item]  # JSON

    return ask


def _asks(memory: Memory) -> dict[str, Callable[[str], object]]:
    ask = calls(memory)
    newest = memory.list(limit=1)[0].id
    source = memory.sources(limit=1)[0].id
    knowledge = {"filters": {"object_type": "knowledge", "status": "active"}}
    return {
        "search": lambda text: ask("memory_query", "search", {"query": text}),
        "search of knowledge": lambda text: ask("memory_query", "search", {"query": text}, knowledge),
        "search for a decision": lambda text: ask("memory_query", "search", {"query": f"decision {text}"}),
        "context": lambda text: ask("memory_query", "context", {"task": text}),
        "recent": lambda _: ask("memory_query", "recent", {}),
        "page": lambda _: ask("memory_query", "page", {"id": newest}),
        "expand": lambda _: ask("memory_query", "expand", {"id": source}),
        "graph": lambda _: ask("memory_query", "graph", {"id": source}),
    }


def run(plan: Plan) -> list[Table]:
    size = min(SIZE, max(plan.sizes))
    asked = questions(plan.questions, size, _SEED)
    with open_quiet(fill(plan.folder, size), stand_in()) as memory:
        asks = _asks(memory)
        took: dict[str, list[float]] = {name: [] for name in asks}
        for question in asked:
            for name in ("search", "search for a decision"):
                asks[name](question)  # vectors of questions are cached from here on
        for question in asked * max(plan.repeats // 3, 1):
            for name, ask in asks.items():
                took[name].append(clock(lambda ask=ask, question=question: ask(question)))
    rows = tuple(
        (
            name, median(times), quantile(times, 0.9), f"< {LIMIT}" if name == "search" else None,
            within(median(times) < LIMIT) if name == "search" else None,
        )
        for name, times in took.items()
    )  # fmt: skip
    columns = (f"at {size:,} objects", "p50 ms", "p90 ms", "limit ms", "holds")
    return [Table("memory-substrate", columns, rows, "Through the contract's table, one call at a time.")]
