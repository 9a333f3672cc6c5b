"""How fast does a tree of documentation come in, and how fast is it seen that nothing changed?

The tree is made here: Markdown with headings, paragraphs, lists, tables, fenced code and front matter, of the sizes
that documentation has. The model's own time is left aside: vectors are computed later.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

from bench.remember import fresh
from bench.stores import open_quiet
from bench.table import Cell, Plan, Table, within

FILES = 2_000
FILES_PER_SECOND = 300
SECOND_RUN = 0.05
_SMALLEST, _LARGEST = 1_000, 12_000
_YESTERDAY = 86_400
_WORDS = """
account agent alert answer archive argument audit backup balance batch branch budget buffer cache call
certificate channel check client cluster command commit condition connection consumer container contract cookie
copy counter cursor daemon database deadline default delivery deploy device document domain driver edge entry
error event export failure feature field file filter flag folder format gateway graph group hash header health
history host image import index input instance interval invoice issue item job journal key label latency layer
lease level library license limit link list listener load lock log loop machine mailbox manifest mapping memory
merge message method metric migration mirror module monitor namespace network node note object offset operator
option order owner package page parameter parser partition password patch path pattern payload peer permission
pipeline plugin policy pool port prefix process producer profile project prompt proxy publisher query queue
quota range rate reader record region registry relay release replica report request resource response result
retry role rollback root route router rule runner sandbox schedule schema scope script secret section segment
sequence server service session setting shard shell signal site snapshot socket source span stage state status
step store stream string subject summary switch symbol system table tag target task template tenant test thread
ticket timeout token topic trace transaction transfer trigger tunnel type update upload user value vector
version view volume wallet watcher window worker writer zone
""".split()


class _Writer:
    """Writes documents that look like those of a project, the same ones every time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def document(self) -> str:
        size = int(self._random.triangular(_SMALLEST, _LARGEST, 3_500))
        parts = [f"---\ntitle: {self._title()}\nweight: {self._random.randint(1, 99)}\n---\n"] * self._chance(0.3)
        parts.append(f"# {self._title()}\n")
        while sum(map(len, parts)) < size:
            parts.append(self._part())
        return "\n".join(parts)

    def _chance(self, share: float) -> int:
        return int(self._random.random() < share)

    def _title(self) -> str:
        return " ".join(self._random.choices(_WORDS, k=self._random.randint(2, 5))).capitalize()

    def _sentence(self) -> str:
        return " ".join(self._random.choices(_WORDS, k=self._random.randint(6, 18))).capitalize() + "."

    def _part(self) -> str:
        kind = self._random.random()
        if kind < 0.2:
            return f"{'#' * self._random.randint(2, 4)} {self._title()}\n"
        if kind < 0.7:
            return "\n".join(self._sentence() for _ in range(self._random.randint(2, 5))) + "\n"
        if kind < 0.82:
            return "".join(f"- {self._sentence()}\n" for _ in range(self._random.randint(3, 7)))
        if kind < 0.94:
            return "```python\n" + "".join(f"{self._call()}\n" for _ in range(self._random.randint(3, 14))) + "```\n"
        rows = "".join(f"| {self._title()} | `{self._call()}` |\n" for _ in range(self._random.randint(3, 8)))
        return f"| setting | meaning |\n|---|---|\n{rows}"

    def _call(self) -> str:
        one, other, third = self._random.choices(_WORDS, k=3)
        return f"{one}.{other}_{third}({self._random.randint(0, 999)})"


def make_tree(folder: Path, files: int) -> int:
    """Fills a folder with documents, and answers how many bytes they have. They are a day old, as most are."""
    shutil.rmtree(folder, ignore_errors=True)
    writer, size = _Writer(7), 0
    then = time.time() - _YESTERDAY
    for number in range(files):
        path = folder / f"part{number // 50:02}" / f"page{number:04}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = writer.document().encode()
        path.write_bytes(text)
        os.utime(path, (then, then))
        size += len(text)
    return size


def run(plan: Plan) -> list[Table]:
    files = 60 if plan.tiny else FILES
    folder = plan.folder / "documentation"
    size = make_tree(folder, files)
    with open_quiet(fresh(plan.folder / "ingest")) as memory:
        started = time.perf_counter()
        first = memory.ingest_folder(folder)
        spent = time.perf_counter() - started
        started = time.perf_counter()
        second = memory.ingest_folder(folder)
        share = (time.perf_counter() - started) / spent
    assert (first.stored, second.unchanged, first.problems) == (files, files, ())
    rate = files / spent
    found: tuple[tuple[Cell, ...], ...] = (
        ("files", files, None, None),
        ("MB", size / 1e6, None, None),
        ("segments", first.segments, None, None),
        ("files per second", rate, f"≥ {FILES_PER_SECOND}", within(rate >= FILES_PER_SECOND)),
        ("segments per second", first.segments / spent, None, None),
        ("second run, share of the first", share, f"< {SECOND_RUN}", within(share < SECOND_RUN)),
    )
    note = "Markdown of 1 to 12 KB a file, parsed and stored; vectors are computed later."
    return [Table("ingest", ("documentation", "measured", "limit", "holds"), found, note)]
