"""Which of the ranked candidates say the same, so that one of them is enough?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set

NEAR_IDENTICAL = 0.95
"""Two texts fold when they share at least this part of all their distinct terms, and every number."""


def fold_near_duplicates(
    terms: Sequence[Set[Hashable]], numbers: Callable[[int], Set[str]], limit: int
) -> list[tuple[int, tuple[int, ...]]]:
    """Near-identical texts put behind the best of them: (index, indices folded into it), best first.

    Given are each text's distinct terms, in any form that can be compared, best first, and its numbers, which are asked
    for only where terms are near-identical. Only a text that adds nothing folds: one that differs in a number, or in
    more than a word or two of a long text, is shown, and so is one without terms. The walk ends when `limit` texts are
    shown.
    """
    shown: list[tuple[int, list[int]]] = []
    for at, own in enumerate(terms):
        rivals = ((other, folded) for other, folded in shown if _near(terms[other], own))
        home = next((folded for other, folded in rivals if numbers(other) == numbers(at)), None)
        if home is not None:
            home.append(at)
        elif len(shown) >= limit:
            break
        else:
            shown.append((at, []))
    return [(at, tuple(folded)) for at, folded in shown]


def _near(one: Set[Hashable], other: Set[Hashable]) -> bool:
    own, its = len(one), len(other)
    if not own or not its or own < NEAR_IDENTICAL * its or its < NEAR_IDENTICAL * own:
        return False
    different = len(one ^ other)
    return different <= (1 - NEAR_IDENTICAL) * (own + its + different) / 2
