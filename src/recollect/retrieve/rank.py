"""Which of the scored candidates are shown, and in which order?"""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from recollect.retrieve.fuse import Floats, Ints

NEAR_IDENTICAL = 0.9
"""Two texts fold when they share at least this part of all their distinct terms."""

_FEWEST_TERMS = 5


def rank_scores(score: Floats, tie: Sequence[str], min_score: float = 0.0) -> Ints:
    """Indices of the candidates from best to worst, those below `min_score` left out; ties go by `tie`."""
    kept = [at for at in range(len(score)) if score[at] > 0 and score[at] >= min_score]
    return np.array(sorted(kept, key=lambda at: (-float(score[at]), tie[at])), dtype=np.int64)


def fold_near_duplicates(
    order: Sequence[int], signatures: Sequence[Set[str]]
) -> list[tuple[int, tuple[int, ...]]]:
    """Near-identical texts put behind the best of them: (index, indices folded into it), best first.

    `signatures` holds each candidate's set of distinct terms (an empty one never folds). Texts fold when they
    share nine tenths of their terms; a text of fewer than five terms folds only into one with the very same.
    """
    shown: list[tuple[int, list[int]]] = []
    for at in order:
        home = next((folded for kept, folded in shown if _near(signatures[kept], signatures[at])), None)
        if home is None:
            shown.append((at, []))
        else:
            home.append(at)
    return [(at, tuple(folded)) for at, folded in shown]


def _near(one: Set[str], other: Set[str]) -> bool:
    small, large = sorted((len(one), len(other)))
    if small == 0 or small < NEAR_IDENTICAL * large:
        return False
    if small < _FEWEST_TERMS:
        return one == other
    shared = len(one & other)
    return shared >= NEAR_IDENTICAL * (len(one) + len(other) - shared)
