"""How do tables get into docs/performance.md?

The page is written by people; what stands between `<!-- table: NAME -->` and `<!-- end -->` is not.
"""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bench.table import Table, render
from recollect import __version__

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
PLOT = PAGE.with_suffix(".svg")


def machine() -> Table:
    rows = (
        ("Recollect", __version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
        ("SQLite", sqlite3.sqlite_version),
        ("processor", f"{_processor()}, {_cores()} cores"),
        ("system", f"{platform.system()} {platform.machine()}"),
    )
    return Table("machine", ("measured with", ""), rows)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", info.read_text("utf-8"), re.MULTILINE)
        if found:
            return found.group(1).strip()
    return platform.processor() or "unknown"


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def fill(page: str, tables: Iterable[Table]) -> str:
    """The page with these tables in their places; a table that has no place is an error."""
    for table in tables:
        place = re.compile(rf"(<!-- table: {re.escape(table.name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(page):
            raise ValueError(f"{PAGE.name} has no place for the table {table.name!r}")
        shown = render(table)
        page = place.sub(lambda found, shown=shown: f"{found[1]}{shown}\n{found[2]}", page)
    return page
