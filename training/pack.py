"""How are lists of unequal length kept in one file of arrays?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np


def pack_lists(name: str, lists: Iterable[Sequence[int]], kind: type) -> dict[str, np.ndarray]:
    """All numbers in a row, and where each list begins and the last one ends."""
    held = [np.asarray(one, dtype=kind) for one in lists]
    ends = np.cumsum([0, *map(len, held)]).astype(np.int64)
    flat = np.concatenate(held) if held else np.zeros(0, kind)
    return {f"{name}.flat": flat, f"{name}.ends": ends}


class Lists:
    """Reads what `pack_lists` wrote."""

    def __init__(self, arrays: Mapping[str, np.ndarray], name: str) -> None:
        self.flat, self.ends = arrays[f"{name}.flat"], arrays[f"{name}.ends"]
        self.lengths = np.diff(self.ends)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, row: int) -> np.ndarray:
        return self.flat[self.ends[row] : self.ends[row + 1]]
