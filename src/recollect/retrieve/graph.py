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
    two_way: bool = False,
    by_degree: bool = False,
) -> dict[N, float]:
    """Personalised PageRank over directed, weighted edges (or `two_way`: each leads there and back).

    Mass that reaches a node without a way out goes back to the seeds. The answer covers the seeds and every node
    that an edge touches; it sums to 1, unless each rank is divided `by_degree`: by the root of its edges out.
    """
    total = sum(seeds.values())
    if total <= 0:
        return {}
    firsts, seconds, weights = zip(*edges, strict=True) if edges else ((), (), ())
    numbers = {node: number for number, node in enumerate(dict.fromkeys([*seeds, *firsts, *seconds]))}
    home = np.zeros(len(numbers))
    for node, weight in seeds.items():
        home[numbers[node]] = weight / total
    source = np.array([numbers[node] for node in firsts], dtype=np.int64)
    target = np.array([numbers[node] for node in seconds], dtype=np.int64)
    weight = np.array(weights, dtype=np.float64)
    if two_way:
        back = source != target  # what leads to itself does so once
        source, target = np.concatenate([source, target[back]]), np.concatenate([target, source[back]])
        weight = np.concatenate([weight, weight[back]])
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
    if by_degree:
        rank = rank / np.sqrt(np.maximum(np.bincount(source, minlength=len(numbers)), 1))
    return dict(zip(numbers, rank.tolist(), strict=True))
