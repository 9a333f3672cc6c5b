"""How near is everything in a graph to some seeds?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

N = TypeVar("N", bound=Hashable)


def rank_nodes(
    edges: Sequence[tuple[N, N, float]],
    seeds: Mapping[N, float],
    *,
    damping: float = 0.5,
    iterations: int = 15,
    tolerance: float = 1e-6,
) -> dict[N, float]:
    """Personalised PageRank over directed, weighted edges.

    Mass that reaches a node without a way out goes back to the seeds. The answer covers the seeds and every node
    that an edge touches; it sums to 1.
    """
    numbers: dict[N, int] = {}
    for node in [*seeds, *(end for a, b, _ in edges for end in (a, b))]:
        numbers.setdefault(node, len(numbers))
    total = sum(seeds.values())
    if total <= 0:
        return {}
    home = np.zeros(len(numbers))
    for node, weight in seeds.items():
        home[numbers[node]] = weight / total
    source = np.array([numbers[a] for a, _, _ in edges], dtype=np.int64)
    target = np.array([numbers[b] for _, b, _ in edges], dtype=np.int64)
    weight = np.array([w for _, _, w in edges], dtype=np.float64)
    out = np.bincount(source, weight, minlength=len(numbers)) if len(edges) else np.zeros(len(numbers))
    share = weight / out[source] if len(edges) else weight
    dangling = out == 0
    rank = home.copy()
    for _ in range(iterations):
        moved = np.bincount(target, rank[source] * share, minlength=len(numbers)) if len(edges) else 0 * home
        following = (1 - damping) * home + damping * (moved + rank[dangling].sum() * home)
        step = float(np.abs(following - rank).sum())
        rank = following
        if step < tolerance:
            break
    return {node: float(rank[number]) for node, number in numbers.items()}
