"""Is the right function found by a question in plain words?

The code is that of json, http, email, asyncio, urllib and logging in the standard library of the Python that runs this;
the questions and what answers each stand in `data/code-questions.tsv`: a question, a file, and what in it answers.
"""

from __future__ import annotations

import gzip
import json
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import recollect
from bench.remember import fresh
from bench.table import Cell, Plan, Table, within
from recollect import Hit, Memory

PACKAGES = ("json", "http", "email", "asyncio", "urllib", "logging")
QUESTIONS = Path(__file__).parent / "data" / "code-questions.tsv"
KEPT = Path(__file__).parents[1] / "training" / "notes.jsonl.gz"
FIRST, FIVE, BESIDE = 55.0, 85.0, 40.0
NOTES = 100
Asked = tuple[str, str, frozenset[object]]


def asked() -> list[Asked]:
    """Questions, each with the file and the definitions that answer it."""
    rows = [line.split("\t") for line in QUESTIONS.read_text("utf-8").splitlines()]
    return [(question, file, frozenset(names.split("|"))) for question, file, names in rows]


def notes() -> Iterator[dict[str, str]]:
    """What people keep beside their code: the stores of notes that the models learn from."""
    with gzip.open(KEPT, "rt", encoding="utf-8") as stores:
        for store in stores:
            for note in json.loads(store)["notes"]:
                yield {"text": note["text"], "event_time": f"{note['at']}T10:00:00Z"}


def indexed(memory: Memory, packages: tuple[str, ...] = PACKAGES) -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    for package in packages:
        memory.index_project(library / package)
    memory.embed_waiting()


def rank_of(hits: list[Hit], file: str, names: frozenset[object]) -> int | None:
    """Which hit is the first that answers, from 1."""
    package, _, path = file.partition("/")
    for at, hit in enumerate(hits, 1):
        where = hit.record.locator or {}
        called = {hit.record.title, where.get("name")}
        if hit.record.project == package and where.get("path") == path and not names.isdisjoint(called):
            return at
    return None


def run(plan: Plan) -> list[Table]:
    """By `search_code`, and by a plain recall with some hundred notes in the same space."""
    packages = ("json",) if plan.tiny else PACKAGES
    questions = [one for one in asked() if one[1].split("/")[0] in packages]
    with recollect.open(fresh(plan.folder / "meaning")) as memory:
        indexed(memory, packages)
        searched = _row("search_code", questions, lambda text: memory.search_code(text, limit=10), (FIRST, FIVE))
        memory.remember_many(list(islice(notes(), NOTES)))
        memory.embed_waiting()
        recalled = _row("recall, notes beside", questions, lambda text: memory.recall(text, limit=10), (BESIDE, FIVE))
    return [Table("code-meaning", ("", "questions", "hit@1 %", "hit@5 %", "hit@10 %", "limit"), (searched, recalled))]


def _row(
    name: str, questions: list[Asked], ask: Callable[[str], Iterable[Hit]], least: tuple[float, float]
) -> tuple[Cell, ...]:
    ranks = [rank_of(list(ask(text)), file, names) for text, file, names in questions]
    found = [sum(rank is not None and rank <= most for rank in ranks) / len(ranks) * 100 for most in (1, 5, 10)]
    return (name, len(questions), *found, within(found[0] >= least[0] and found[1] >= least[1]))
