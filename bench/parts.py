"""What does each part of a write cost? With and without it, by turns, in one process and one store.

The time is that of the writing thread alone, on the CPU: what the disk and the background take is left out, since it
is the same with and without.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from bench.remember import fresh
from bench.stores import open_quiet
from bench.table import Plan, Table, median, within
from bench.texts import texts
from recollect import Draft, Memory
from recollect.engine.write.screen import Screen
from recollect.store.sql import seal

LIMIT = 1.05
_BATCH = 1_000
_UNSEALED = "without checksums"


def _nothing(*_: object) -> None:
    """A row without a checksum is taken as it is."""


_PARTS = (
    ("recollect.store.sql.writer.seal", seal.seal),
    ("recollect.store.sql.writer.seal_version", seal.seal_version),
    ("recollect.engine.write.screen.Screen.take", Screen.take),
)
_SEALS, _TAKES = (_PARTS[0][0], _PARTS[1][0]), (_PARTS[2][0],)


@contextmanager
def _without(*parts: str) -> Generator[None]:
    """All parts are put in their places anew, those left out as well: what that does to a processor is the same."""
    with ExitStack() as stack:
        for name, whole in _PARTS:
            less = _nothing if name in _SEALS else _as_given
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
    sealed = within(whole <= LIMIT * median(took[_UNSEALED]))
    rows = tuple(
        (
            name, median(some), median(some) / whole,
            *((f"remember ≤ {LIMIT:g} ×", sealed) if name == _UNSEALED else (None, None)),
        )
        for name, some in took.items()
    )  # fmt: skip
    note = f"Medians of {plan.writes:,} each, in a store of {plan.writes:,} notes and those that came in meanwhile."
    return Table("parts-one", ("one at a time", "CPU ms", "× remember", "limit", "holds"), rows, note)


def in_batches(plan: Plan) -> Table:
    """Batches with and without checksums."""
    size, rounds = min(_BATCH, plan.batch), max(plan.repeats, 2)
    sealed: list[float] = []
    bare: list[float] = []
    unscreened: list[float] = []
    with open_quiet(fresh(plan.folder / "parts-batch")) as memory:
        for turn in range(rounds):
            for place, (took, left_out) in enumerate(
                ((sealed, ()), (bare, _SEALS), (unscreened, _TAKES), (bare, _SEALS), (sealed, ()))
            ):
                batch: Sequence[dict[str, str]] = [{"text": text} for text in texts(size, seed=100 + 10 * turn + place)]
                with _without(*left_out):
                    took.append(_cpu(lambda batch=batch: memory.remember_many(batch)))
    whole, without, plain = min(sealed), min(bare), min(unscreened)
    ratio = whole / without
    rows = (
        ("remember_many", whole, f"{ratio:.3f}", f"≤ {LIMIT:g}", within(ratio <= LIMIT)),
        (_UNSEALED, without, "1", None, None),
        ("without looking for secrets", plain, f"{plain / without:.3f}", None, None),
    )
    columns = (f"{size:,} at once", "CPU ms", "× without checksums", "limit", "holds")
    return Table("parts-batch", columns, rows, f"The best of {2 * rounds} batches of each, by turns.")


def run(plan: Plan) -> list[Table]:
    return [one_by_one(plan), in_batches(plan)]
