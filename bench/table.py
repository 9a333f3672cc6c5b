"""What does a section of the benchmark answer with?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cell = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Rows under columns. A float is shown with three digits that count; a missing value as a dash."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Plan:
    """How much is measured, and where the stores for it are kept."""

    folder: Path
    quick: bool = False
    shared: Path | None = None
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    repeats: int = 9
    writes: int = 2_000
    batch: int = 20_000
    questions: int = 40
    records: int = 20_000
    """How many are put into a file and into PostgreSQL beside it."""
    stock: Path | None = None
    """The file of the stock model, where what it takes is to be compared with ours."""
    deep: bool = False
    """Whether the sets with a limit for it are asked deeply too, which takes minutes."""
    series: dict[str, list[tuple[int, float]]] = field(default_factory=dict[str, list[tuple[int, float]]])
    """What sections leave for the plot: a name, and a value for each size."""

    @property
    def tiny(self) -> bool:
        return max(self.sizes) < 1_000


def small(folder: Path, shared: Path | None = None) -> Plan:
    """A plan that takes seconds, in which every section still does all that it does."""
    return Plan(folder, True, shared, (200, 400), repeats=1, writes=20, batch=200, questions=3)


def within(holds: bool) -> str:
    return "yes" if holds else "**no**"


def show(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def render(table: Table) -> str:
    """A table in Markdown, padded so that it reads well on a terminal too."""
    lines = [list(table.columns), *([show(cell) for cell in row] for row in table.rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.columns))]
    shown = [_line(line, widths) for line in lines]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    body = "\n".join([shown[0], rule, *shown[1:]])
    return f"{body}\n\n{table.note}" if table.note else body


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def median(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of all values lies."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
