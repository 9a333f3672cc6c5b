"""How does long work say how far it is?

With a bar on a terminal, with a plain line now and then otherwise; on stderr, so that answers stay clean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from recollect.cli.output import is_terminal, many, say
from recollect.engine.intake.results import ProjectStatus
from recollect.engine.memory import Memory
from recollect.errors import EmbedderError
from recollect.types import FileProblem

Report = Callable[[str, int, int], None]
_LINES = 10
"""So many lines at most for one stage."""
_NAMED = 10


@contextmanager
def reporting() -> Generator[Report]:
    """A function of (stage, done, total), for as long as the work takes."""
    if not is_terminal(sys.stderr):
        yield plain_lines()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )  # fmt: skip
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        stages: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bar.add_task(stage, total=total)
            bar.update(stages[stage], completed=done, total=total)

        yield report


def plain_lines() -> Report:
    told: dict[str, int] = {}

    def report(stage: str, done: int, total: int) -> None:
        tenth = _LINES * done // max(total, 1)
        if tenth > told.get(stage, 0):
            told[stage] = tenth
            say(f"{stage}: {done:,} of {total:,}")

    return report


def follow_code(report: Report, stage: str) -> Callable[[ProjectStatus], None]:
    """Reports how far the index of a project is."""

    def tell(status: ProjectStatus) -> None:
        if status.total_files:
            report(stage, status.indexed_files, status.total_files)

    return tell


def say_left_out(problems: Sequence[FileProblem]) -> None:
    """Names what a folder holds and was not brought in: the first few, and how many more."""
    for problem in problems[:_NAMED]:
        say(f"left out: {problem.path}: {problem.problem}")
    if len(problems) > _NAMED:
        say(f"left out: {many(len(problems) - _NAMED, 'more', 'more')}")


def complete_vectors(memory: Memory, report: Report, *, space: str | None = None) -> int:
    """Computes the vectors that are missing, and answers how many still are.

    Where that fails, words still find everything: it is only told.
    """
    totals: list[int] = []

    def tell(done: int, total: int) -> None:
        totals.append(total)
        report("vectors", done, total)

    try:
        left = memory.embed_waiting(tell, space=space)
    except EmbedderError as error:
        say(f"warning: no vectors yet: {error}")
        return count_waiting(memory, space)
    if totals:
        report("vectors", max(totals[-1] - left, 0), totals[-1])  # a thread or another process computed some of them
    return left


def count_waiting(memory: Memory, space: str | None) -> int:
    """How many records still miss a vector, without loading a model."""
    names = [one.name for one in memory.spaces() if space in (None, one.name)]
    return sum(memory.describe_space(name)[1].waiting_for_vectors for name in names)


def tell_waiting(waiting: int) -> None:
    """Says that words alone find some records as yet."""
    if waiting:
        say(f"{many(waiting, 'record')} still without vectors: words find them now, meaning after the next recall")
