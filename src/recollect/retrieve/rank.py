"""Which of the scored candidates are shown, and in which order?"""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from recollect.retrieve.fuse import Floats, Ints

NEAR_IDENTICAL = 0.95
"""Two texts fold when they share at least this part of all their distinct terms, and every number."""


def rank_scores(score: Floats, tie: Sequence[str], min_score: float = 0.0) -> Ints:
    """Indices of the candidates from best to worst, those below `min_score` left out; ties go by `tie`."""
    kept = [at for at in range(len(score)) if score[at] > 0 and score[at] >= min_score]
    return np.array(sorted(kept, key=lambda at: (-float(score[at]), tie[at])), dtype=np.int64)


def fold_near_duplicates(
    order: Sequence[int], signatures: Sequence[Set[str]], limit: int | None = None
) -> list[tuple[int, tuple[int, ...]]]:
    """Near-identical texts put behind the best of them: (index, indices folded into it), best first.

    `signatures` holds each candidate's set of distinct terms (an empty one never folds). Only a text that
    adds nothing folds: one that differs in a number, or in more than a word or two of a long text, is shown.
    The walk ends when `limit` texts are shown.
    """
    shown: list[tuple[int, list[int]]] = []
    for at in order:
        home = next((folded for kept, folded in shown if _near(signatures[kept], signatures[at])), None)
        if home is not None:
            home.append(at)
        elif limit is not None and len(shown) >= limit:
            break
        else:
            shown.append((at, []))
    return [(at, tuple(folded)) for at, folded in shown]


def _near(one: Set[str], other: Set[str]) -> bool:
    small, large = sorted((len(one), len(other)))
    if small == 0 or small < NEAR_IDENTICAL * large:
        return False
    different = one ^ other
    every = (len(one) + len(other) + len(different)) // 2
    if len(different) > (1 - NEAR_IDENTICAL) * every:
        return False
    return not any(char.isdigit() for term in different for char in term)
