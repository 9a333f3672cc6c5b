"""Which of the ranked candidates say the same, so that one of them is enough?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set

from msgspec import Struct

NEAR_IDENTICAL = 0.95
"""Two texts fold when they share at least this part of all their distinct terms, and every number."""


class Signature(Struct, frozen=True):
    """What is compared of a text: its distinct terms, in any form that can be compared, and its numbers."""

    terms: Set[Hashable]
    numbers: Set[str] = frozenset()


def fold_near_duplicates(signatures: Sequence[Signature], limit: int) -> list[tuple[int, tuple[int, ...]]]:
    """Near-identical texts put behind the best of them: (index, indices folded into it), best first.

    Signatures come best first. Only a text that adds nothing folds: one that differs in a number, or in more than a
    word or two of a long text, is shown, and so is one without terms. The walk ends when `limit` texts are shown.
    """
    shown: list[tuple[int, list[int]]] = []
    by_numbers: dict[Set[str], list[tuple[Set[Hashable], list[int]]]] = {}
    for at, signature in enumerate(signatures):
        rivals = by_numbers.setdefault(frozenset(signature.numbers), [])
        home = next((folded for terms, folded in rivals if _near(terms, signature.terms)), None)
        if home is not None:
            home.append(at)
        elif len(shown) >= limit:
            break
        else:
            shown.append((at, []))
            rivals.append((signature.terms, shown[-1][1]))
    return [(at, tuple(folded)) for at, folded in shown]


def _near(one: Set[Hashable], other: Set[Hashable]) -> bool:
    own, its = len(one), len(other)
    if not own or not its or own < NEAR_IDENTICAL * its or its < NEAR_IDENTICAL * own:
        return False
    different = len(one ^ other)
    return different <= (1 - NEAR_IDENTICAL) * (own + its + different) / 2
