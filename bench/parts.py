"""What does each part of a write cost? With and without it, by turns, in one process and one store.

The time is that of the writing thread alone, on the CPU: what the disk and the background take is left out, since it
is the same with and without.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TypeVar
from unittest.mock import patch

from bench.remember import fresh
from bench.stores import open_quiet
from bench.table import Plan, Table, median, within
from bench.texts import texts
from recollect import Draft, Memory
from recollect.engine.write.screen import Screen
from recollect.store.sql import seal
from recollect.store.sqlite.words import Words

T = TypeVar("T")

LIMIT = 1.05
LEAST_INDEXED = 10_000
_BATCH = 1_000
_UNSEALED = "without checksums"


def _nothing(*_: object, **__: object) -> None:
    """A row without a checksum is taken as it is, and one without words is not found by them."""


_PARTS = (
    ("recollect.store.sql.writer.seal", seal.seal),
    ("recollect.store.sql.writer.seal_version", seal.seal_version),
    ("recollect.engine.write.screen.Screen.take", Screen.take),
    ("recollect.store.sqlite.words.Words.put", Words.put),
)
_SEALS, _TAKES, _WORDS = (_PARTS[0][0], _PARTS[1][0]), (_PARTS[2][0],), (_PARTS[3][0],)


@contextmanager
def _without(*parts: str) -> Generator[None]:
    """All parts are put in their places anew, those left out as well: what that does to a processor is the same."""
    with ExitStack() as stack:
        for name, whole in _PARTS:
            less = _as_given if name in _TAKES else _nothing
            stack.enter_context(patch(name, less if name in parts else whole))
        yield


def _as_given(_: Screen, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    return draft, ()


def _told(memory: Memory, text: str, number: int) -> None:  # noqa: ARG001 - all have one shape
    memory.remember(text)


def _untold(memory: Memory, text: str, number: int) -> None:  # noqa: ARG001
    memory.remember(text, compare=False)


def _keyed(memory: Memory, text: str, number: int) -> None:
    memory.once(f"{number}", memory.remember, text)


def _cpu(act: Callable[[], object]) -> float:
    started = time.thread_time()
    act()
    return (time.thread_time() - started) * 1e3


def one_by_one(plan: Plan) -> Table:
    """Each note by another variant than the one before, so that all see the same store and the same moments."""
    variants = (
        ("remember", _told, ()),
        (_UNSEALED, _told, _SEALS),
        ("without looking for secrets", _told, _TAKES),
        ("without looking for what was known already", _untold, ()),
        ("with an idempotency key", _keyed, ()),
    )
    took: dict[str, list[float]] = {name: [] for name, _, _ in variants}
    given = iter(list(texts(plan.writes * len(variants), seed=21)))
    with open_quiet(fresh(plan.folder / "parts")) as memory:
        memory.remember_many([{"text": text} for text in texts(plan.writes, seed=20)])
        for number in range(plan.writes):
            first = number % len(variants)  # whoever comes after another finds what that has left
            for name, act, left_out in (*variants[first:], *variants[:first]):
                text = next(given)
                with _without(*left_out):
                    took[name].append(_cpu(lambda act=act, text=text, number=number: act(memory, text, number)))
    whole = median(took["remember"])
    rows = tuple((name, median(some), median(some) / whole) for name, some in took.items())
    note = f"Medians of {plan.writes:,} each, in a store of {plan.writes:,} notes and those that came in meanwhile."
    return Table("parts-one", ("one at a time", "CPU ms", "× remember"), rows, note)


def with_checksums(plan: Plan) -> Table:
    """Pairs of writes that follow each other, one with checksums and one without, by turns the one first."""
    size, batches = min(_BATCH, plan.writes), max(plan.writes // 20, 2)
    notes = [{"text": text} for text in texts(2 * batches * size, seed=23)]
    with open_quiet(fresh(plan.folder / "parts-checksums")) as memory:
        memory.remember_many([{"text": text} for text in texts(plan.writes, seed=20)])
        one = _by_turns(memory.remember, list(texts(2 * plan.writes, seed=22)))
        many = _by_turns(memory.remember_many, [notes[at : at + size] for at in range(0, len(notes), size)])
    rows = tuple(
        (name, median(sealed), median(bare), f"{ratio:.3f}", f"≤ {LIMIT:g}", within(ratio <= LIMIT))
        for name, (sealed, bare) in (("remember", one), (f"remember_many, {size:,} at once", many))
        if (ratio := median([mine / other for mine, other in zip(sealed, bare, strict=True)]))
    )
    note = (
        f"Medians of {plan.writes:,} pairs of single notes and {batches:,} of batches; × is the median of the pairs'."
    )
    columns = ("write", "CPU ms", "without checksums", "×", "limit", "holds")
    return Table("parts-checksums", columns, rows, note)


def with_words(plan: Plan) -> Table:
    """What the term index adds to a batch: pairs of batches that follow each other, one with it and one without."""
    batches = max(plan.writes // 20, 2)
    notes = [{"text": text} for text in texts(2 * batches * _BATCH, seed=25)]
    with open_quiet(fresh(plan.folder / "parts-index")) as memory:
        memory.remember_many([{"text": text} for text in texts(plan.writes, seed=20)])
        parts = [notes[at : at + _BATCH] for at in range(0, len(notes), _BATCH)]
        whole, bare = _by_turns(memory.remember_many, parts, _WORDS)
    alone = median([mine - other for mine, other in zip(whole, bare, strict=True)])
    second = _BATCH / alone * 1e3
    rows = (
        (f"remember_many, {_BATCH:,} at once", median(whole), f"{_BATCH / median(whole) * 1e3:,.0f}", "–", "–"),
        ("the term index alone", alone, f"{second:,.0f}", f"≥ {LEAST_INDEXED:,}", within(second >= LEAST_INDEXED)),
    )
    note = f"Medians of {batches:,} pairs, the commit included; of the index alone, of the differences in each pair."
    return Table("parts-index", ("write", "CPU ms", "records/s of CPU", "limit", "holds"), rows, note)


def _by_turns(
    write: Callable[[T], object], given: Sequence[T], parts: Sequence[str] = _SEALS
) -> tuple[list[float], list[float]]:
    """Milliseconds with some parts (checksums), and those without."""
    took: tuple[list[float], list[float]] = [], []
    for number, one in enumerate(given):
        bare = number // 2 % 2 ^ number % 2
        with _without(*parts if bare else ()):
            took[bare].append(_cpu(lambda one=one: write(one)))
    return took


def run(plan: Plan) -> list[Table]:
    return [one_by_one(plan), with_checksums(plan), with_words(plan)]
