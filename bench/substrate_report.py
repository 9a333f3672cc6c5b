"""How long do reports of the memory-substrate contract take at 50,000 objects, and how long does a repository's map?

The objects rest on evidence, speak of nodes and make claims; every fiftieth says nearly what the one before it says.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.recall import clock
from bench.stores import open_quiet
from bench.substrate import calls
from bench.table import Cell, Plan, Table, median, within
from bench.texts import texts
from recollect.engine.intake.results import SourceDraft
from recollect.types import Adapter, Segment

SIZE = 50_000
LIMIT = 2_000  # milliseconds for a report
REPO_FILES = 2_000
_SEED = 11
_SEGMENTS = 10
_BATCH = 5_000
_SCOPES = 200
_KINDS = ("fact", "decision", "procedure", "activity", "work_item")


def run(plan: Plan) -> list[Table]:
    size = min(SIZE, max(plan.sizes))
    files = min(REPO_FILES, size)
    repo = _write_repo(plan.folder / f"repo-{files}", files)
    with open_quiet(_fill(plan.folder, size)) as memory:
        ask = calls(memory)
        reports = {
            mode: [clock(lambda mode=mode: ask("memory_maintain", mode, {})) for _ in range(plan.repeats)]
            for mode in ("report", "structure", "audit")
        }
    with TemporaryDirectory() as scratch, open_quiet(Path(scratch)) as memory:  # a store that does not know it yet
        ask = calls(memory)
        first, *again = [
            clock(lambda: ask("memory_ingest", "repo", {"path": str(repo)})) for _ in range(1 + plan.repeats)
        ]
    rows: list[tuple[Cell, ...]] = [
        (mode, median(took), LIMIT if mode == "report" else None, _holds(mode, median(took)))
        for mode, took in reports.items()
    ]
    rows += [(f"repo of {files:,} files", first, None, None), ("the same repo unchanged", median(again), None, None)]
    note = f"{size:,} objects: knowledge, activities, work items, sources with segments, and nodes."
    return [Table("substrate-report", ("call", "ms, median", "limit, ms", "holds"), tuple(rows), note)]


def _holds(mode: str, took: float) -> str | None:
    return within(took < LIMIT) if mode == "report" else None


def _write_repo(root: Path, files: int) -> Path:
    """A repository of documents and modules, half each."""
    if root.exists():
        return root
    for at, (text, more) in enumerate(islice(pairwise(texts(files + 1, _SEED)), files)):
        folder = root / ("docs" if at % 2 else "src") / f"part{at // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        if at % 2:
            (folder / f"page{at}.md").write_text(f"# Page {at}\n\n{text}\n\n## More\n\n{more}\n", "utf-8")
        else:
            (folder / f"module{at}.py").write_text(f'"""{text}"""\n\n\ndef run_{at}():\n    return {at}\n', "utf-8")
    return root


def _fill(folder: Path, size: int) -> Path:
    home = folder / f"substrate-report-{size}"
    if (home / "filled").exists():
        return home
    nodes = [f"node:{number:032x}" for number in range(max(size // 25, 2))]
    with open_quiet(home) as memory:
        sources = [memory.ingest_source(draft).id for draft in _sources(max(size // 50, 2))]
        for number, id in enumerate(nodes):
            memory.entity(f"Part {number}X", id=id, type="part")
        for one, other in pairwise(nodes):
            memory.relate(one, "needs", other, replaces=False)
        rows = _drafts(size - len(nodes) - len(sources) * (_SEGMENTS + 1), nodes, sources)
        while batch := list(islice(rows, _BATCH)):
            memory.remember_many(batch)
    (home / "filled").touch()
    return home


def _sources(count: int) -> Iterator[SourceDraft]:
    adapter = Adapter(name="bench", version="1", mode="markdown", supported_modes=("markdown",))
    written = iter(texts(count * _SEGMENTS, _SEED + 1))
    for number in range(count):
        segments = tuple(
            Segment(text=text, locator={"kind": "line", "line_start": at + 1, "line_end": at + 1})
            for at, text in enumerate(islice(written, _SEGMENTS))
        )
        yield SourceDraft(
            location=f"/pages/{number}.md", source_kind="markdown", title=f"Page {number}", adapter=adapter,
            fingerprint=hashlib.sha256(str(number).encode()).hexdigest(), segments=segments,
        )  # fmt: skip


def _drafts(count: int, nodes: Sequence[str], sources: Sequence[str]) -> Iterator[dict[str, object]]:
    rng = random.Random(_SEED)
    before = ""
    for at, text in enumerate(texts(max(count, 0), _SEED + 2)):
        said = f"{before.rpartition(' ')[0]} indeed." if at % 50 == 42 else text
        before = text
        kind = _KINDS[at // 50 % 3] if at % 5 < 3 else _KINDS[at % 5]
        grounds: dict[str, object] = {
            "scopes": [f"scope:{at // 50 % _SCOPES}"],
            "subjects": [rng.choice(nodes)],
            "evidence": [{"source": rng.choice(sources), "segment": f"seg-{rng.randrange(_SEGMENTS) + 1}"}],
        }
        if at % 3 == 0 and at % 5 < 3:
            grounds["claim"] = {"subject": rng.choice(nodes), "predicate": "observed", "value": at}
        yield {"text": said, "title": said[:80], "kind": kind, "confidence": rng.random(), "grounds": grounds}
