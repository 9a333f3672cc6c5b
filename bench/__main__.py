"""`python -m bench [SECTION ...]` measures, prints tables, and writes docs/performance.md and its plot."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bench import (
    agentos,
    code,
    graph,
    growth,
    hooks,
    hooks_left,
    ingest,
    keepers,
    meaning,
    memory_mcp,
    model,
    page_speed,
    parts,
    postgres,
    processes,
    quality,
    ranker,
    recall,
    remember,
    rusty,
    secrets,
    service,
    start,
    substrate,
    substrate_report,
    trusty,
    unasked,
    waiting,
)
from bench.page import PAGE, PLOT, fill, machine
from bench.table import Plan, Table, render

SECTIONS: dict[str, Callable[[Plan], list[Table]]] = {
    "start": start.run,
    "remember": remember.run,
    "parts": parts.run,
    "recall": recall.run,
    "ranker": ranker.run,
    "recall-pieces": recall.run_pieces,
    "waiting": waiting.run,
    "graph": graph.run,
    "processes": processes.run,
    "trusty": trusty.run,
    "memory-mcp": memory_mcp.run,
    "memory-substrate": substrate.run,
    "substrate-report": substrate_report.run,
    "rusty-mem": rusty.run,
    "agentos": agentos.run,
    "postgres": postgres.run,
    "growth": growth.run,
    "code": code.run,
    "code-meaning": meaning.run,
    "ingest": ingest.run,
    "model": model.run,
    "unasked": unasked.run,
    "quality": quality.run,
    "secrets": secrets.run,
    "service": service.run,
    "keepers": keepers.run,
    "hooks": hooks.run,
    "hooks-left": hooks_left.run,
    "page-speed": page_speed.run,
}


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all if none is named"
    )
    parser.add_argument("--quick", action="store_true", help="up to 100,000 records, few repeats; writes no page")
    parser.add_argument("--shared", type=Path, metavar="FOLDER", help="holds data/ with the sets for `quality`")
    parser.add_argument("--stock", type=Path, metavar="FILE", help="the stock model's model.onnx, for `model`")
    parser.add_argument("--deep", action="store_true", help="also deep recall in `quality`, which takes minutes")
    parser.add_argument(
        "--records", type=int, default=20_000, metavar="COUNT", help="how many `postgres` is measured with"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keeps filled stores there for the next run")
    options = parser.parse_args(argv)
    unknown = set(options.sections) - SECTIONS.keys()
    if unknown:
        parser.error(f"there is no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return options


def measure(plan: Plan, names: Sequence[str]) -> list[Table]:
    tables: list[Table] = []
    for name in names:
        started = time.perf_counter()
        print(f"\n# {name}\n", flush=True)
        for table in SECTIONS[name](plan):
            print(render(table) + "\n", flush=True)
            tables.append(table)
        print(f"({time.perf_counter() - started:.0f} s)", flush=True)
    return tables


def main(argv: Sequence[str] | None = None) -> int:
    options = parse(argv)
    names = options.sections or [name for name in SECTIONS if name not in ("quality", "unasked") or options.shared]
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as scratch:
        folder: Path = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        plan = Plan(folder, shared=options.shared, stock=options.stock, deep=options.deep, records=options.records)
        if options.quick:
            sizes = (1_000, 10_000, 100_000)
            plan = replace(plan, quick=True, sizes=sizes, repeats=3, writes=400, questions=20)
        tables = measure(plan, names)
    if not options.quick:
        PAGE.write_text(fill(PAGE.read_text("utf-8"), [machine(), *tables]), "utf-8")
        if "growth" in names:
            growth.draw(plan, PLOT)
        print(f"wrote {PAGE}")
    missed = [f"{table.name}: {row[0]}" for table in tables for row in table.rows if "**no**" in row]
    print("\n".join(["", "Limits that do not hold:", *missed]) if missed else "\nEvery limit holds.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
