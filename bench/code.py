"""How fast is source code indexed, and is the right function found?

The tree is the standard library of the Python that runs this, with its tests where they are installed: large, public,
and there. The model's own time is left aside: vectors are computed later. With measurement sets, the functions of
cosqa-dev are indexed as files and asked for through `search_code`.
"""

from __future__ import annotations

import os
import platform
import shutil
import sysconfig
import time
from pathlib import Path

import recollect
from bench.quality import rows
from bench.remember import fresh
from bench.start import resident_mb
from bench.stores import open_quiet
from bench.table import Cell, Plan, Table, within
from recollect import ProjectStatus, Settings

FILES_PER_SECOND = 200
SECOND_RUN = 0.05
GROWTH_MB = 64
RECALL = 80.0
_SET = "cosqa-dev"


def tree(plan: Plan) -> tuple[str, Path]:
    """What is indexed, in words, and where it lies."""
    library = Path(sysconfig.get_paths()["stdlib"])
    if plan.tiny:
        return f"json of CPython {platform.python_version()}", library / "json"
    return f"the standard library of CPython {platform.python_version()}", library


class Watcher:
    """Looks at how much memory this process and those that read for it use, as the work goes on."""

    def __init__(self) -> None:
        self.early = 0.0
        self.most = 0.0

    def __call__(self, status: ProjectStatus) -> None:
        used = resident_mb(os.getpid())
        if status.percent < 25 or not self.early:
            self.early = max(self.early, used)
        self.most = max(self.most, used)


def index(plan: Plan) -> Table:
    name, folder = tree(plan)
    watcher = Watcher()
    with open_quiet(fresh(plan.folder / "code")) as memory:
        started = time.perf_counter()
        status = memory.index_project(folder, progress=watcher)
        first = time.perf_counter() - started
        started = time.perf_counter()
        memory.index_project(folder)
        share = (time.perf_counter() - started) / first
    rate = status.indexed_files / first
    grown = watcher.most - watcher.early
    found: tuple[tuple[Cell, ...], ...] = (
        ("files", status.indexed_files, None, None),
        ("chunks", status.total_chunks, None, None),
        ("left out", sum(status.skipped.values()), None, None),
        ("files per second", rate, f"≥ {FILES_PER_SECOND}", within(rate >= FILES_PER_SECOND)),
        ("chunks per second", status.total_chunks / first, None, None),
        ("MB after a quarter", watcher.early, None, None),
        ("MB at most", watcher.most, f"+ {GROWTH_MB}", within(grown <= GROWTH_MB)),
        ("second run, share of the first", share, f"< {SECOND_RUN}", within(share < SECOND_RUN)),
    )
    note = f"{name[:1].upper()}{name[1:]}, parsed and stored; vectors are computed later."
    return Table("code", ("indexing", "measured", "limit", "holds"), found, note)


def search(plan: Plan, folder: Path) -> Table:
    """R@10 through `search_code`, with every function of the set in a file of its own."""
    source = fresh(plan.folder / "code-search") / "functions"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for row in rows(folder / "corpus.jsonl"):
        (source / f"{row['id']}.py").write_text(str(row["text"]), "utf-8")
    asked = right = 0
    spent = 0.0
    with recollect.open(settings=Settings(home=plan.folder / "code-search" / "home")) as memory:
        status = memory.index_project(source)
        memory.embed_waiting()
        for query in rows(folder / "queries.jsonl"):
            started = time.perf_counter()
            hits = memory.search_code(str(query["query"]), project=status.id, language="python", limit=10)
            spent += time.perf_counter() - started
            asked += 1
            right += bool({Path(str(hit.record.source)).stem for hit in hits} & set(map(str, _gold(query))))
    recalled = 100 * right / asked
    row = (_SET, asked, f"{recalled:.1f}", 1000 * spent / asked, f"R@10 ≥ {RECALL:.0f}", within(recalled >= RECALL))
    columns = ("search_code", "questions", "R@10", "ms per question", "limit", "holds")
    return Table(
        "code-search", columns, (row,), "Filtered to one project and one language; the model's time is included."
    )


def _gold(query: dict[str, object]) -> list[object]:
    gold = query["gold"]
    return list(gold) if isinstance(gold, dict) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # ids and grades


def run(plan: Plan) -> list[Table]:
    tables = [index(plan)]
    if plan.shared is not None and (plan.shared / "data" / _SET).is_dir():
        tables.append(search(plan, plan.shared / "data" / _SET))
    return tables
