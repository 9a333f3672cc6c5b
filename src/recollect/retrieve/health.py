"""How well does a graph hold together?

Four things are looked for: nodes without a relation, clusters with few relations for their size, nodes that a cluster
would fall apart without, and scopes whose members are hardly related among themselves. Nothing here depends on the
order in which nodes and relations come; every walk is linear in their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

SPARSE = 0.5
"""The share of all possible relations up to which a cluster of three or more counts as sparse."""
_LEAST_CLUSTER = 3


class Cluster(Struct, frozen=True):
    """A connected part of a graph: some of its nodes, how many there are, and how many relations they have."""

    nodes: tuple[str, ...]
    node_count: int
    edge_count: int
    density: float


class Scope(Struct, frozen=True):
    """A scope with fewer relations inside it than would connect its members."""

    scope: str
    node_count: int
    edge_count: int
    nodes: tuple[str, ...]


class Health(Struct, frozen=True, kw_only=True):
    """What was found, the most telling first, cut to some length; `counts` says how much there was of each."""

    isolated: tuple[str, ...] = ()
    sparse: tuple[Cluster, ...] = ()
    bridges: tuple[tuple[str, int], ...] = ()
    weak_scopes: tuple[Scope, ...] = ()
    counts: Mapping[str, int]


def graph_health(
    nodes: Sequence[str],
    edges: Sequence[tuple[str, str]],
    scopes: Mapping[str, Sequence[str]],
    *,
    longest: int = 20,
    most_groups: int = 10,
) -> Health:
    """The health of a graph. `scopes` says which scopes a node is in. Ends that are no node do not count."""
    names = sorted(set(nodes))
    graph = _join(names, edges)
    degrees = [end - start for start, end in pairwise(graph.starts)]
    isolated = [name for name, degree in zip(names, degrees, strict=True) if not degree]
    parts, cuts = _walk(graph)
    sparse = [one for one in (_cluster(part, degrees, names, longest) for part in parts) if one.density <= SPARSE]
    sparse.sort(key=lambda one: (one.density, -one.node_count, one.nodes))
    bridges = sorted(((degrees[at], names[at]) for at in cuts), key=lambda one: (-one[0], one[1]))
    weak = sorted(_weak_scopes(names, graph, scopes), key=lambda one: (-one.node_count, one.scope))
    return Health(
        isolated=tuple(isolated[:longest]),
        sparse=tuple(sparse[:most_groups]),
        bridges=tuple((name, degree) for degree, name in bridges[:longest]),
        weak_scopes=tuple(weak[:most_groups]),
        counts={
            "nodes": len(names), "relations": len(graph.pairs), "isolated_nodes": len(isolated),
            "sparse_clusters": len(sparse), "bridge_nodes": len(bridges), "weakly_connected_scopes": len(weak),
        },
    )  # fmt: skip


class _Graph(Struct, frozen=True):
    """Nodes by number: those next to node n are `beside[starts[n]:starts[n + 1]]`. `pairs` has each relation once."""

    starts: list[int]
    beside: list[int]
    pairs: list[tuple[int, int]]


def _join(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> _Graph:
    """Who is next to whom, whichever way a relation points; several between the same two are one."""
    import numpy as np  # only where there is a graph to look at

    size = len(names)
    number = {name: at for at, name in enumerate(names)}
    ends = np.array([number.get(end, -1) for edge in edges for end in edge], dtype=np.int64).reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    keys = np.unique(low[(low >= 0) & (low != high)] * size + high[(low >= 0) & (low != high)])
    low, high = keys // max(size, 1), keys % max(size, 1)
    both = np.sort(np.concatenate((keys, high * size + low)))  # one number for a node and one beside it
    starts = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(both // max(size, 1), minlength=size), out=starts[1:])
    beside = both % max(size, 1)
    return _Graph(starts.tolist(), beside.tolist(), list(zip(low.tolist(), high.tolist(), strict=True)))


def _cluster(part: Sequence[int], degrees: Sequence[int], names: Sequence[str], longest: int) -> Cluster:
    edges = sum(degrees[at] for at in part) // 2
    density = edges / (len(part) * (len(part) - 1) / 2)
    return Cluster(tuple(names[at] for at in sorted(part)[:longest]), len(part), edges, round(density, 3))


def _walk(graph: _Graph) -> tuple[list[list[int]], set[int]]:
    """The connected parts of three nodes and more, and the nodes that a part would fall apart without.

    One walk depth first, with a stack of its own: graphs are deeper than Python's.
    """
    starts, beside = graph.starts, graph.beside
    size = len(starts) - 1
    order = [0] * size  # when a node was met, from 1
    low = [0] * size  # the earliest node that it or what hangs below it reaches
    upon = [-1] * size  # the node that it was met from
    place = starts[:-1]  # how far its neighbours have been looked at
    parts: list[list[int]] = []
    cuts: set[int] = set()
    clock = 0
    for root in range(size):
        if order[root] or starts[root] == starts[root + 1]:
            continue
        clock += 1
        order[root] = low[root] = clock
        part, branches, at = [root], 0, root
        while at >= 0:
            if place[at] < starts[at + 1]:
                near = beside[place[at]]
                place[at] += 1
                if not order[near]:
                    clock += 1
                    order[near] = low[near] = clock
                    upon[near] = at
                    branches += at == root
                    part.append(near)
                    at = near
                elif near != upon[at] and order[near] < low[at]:
                    low[at] = order[near]
            else:
                below, at = at, upon[at]
                if at >= 0:
                    low[at] = min(low[at], low[below])
                    if at != root and low[below] >= order[at]:
                        cuts.add(at)
        if branches > 1:
            cuts.add(root)
        if len(part) >= _LEAST_CLUSTER:
            parts.append(part)
    return parts, cuts


def _weak_scopes(names: Sequence[str], graph: _Graph, scopes: Mapping[str, Sequence[str]]) -> Iterator[Scope]:
    inside = [tuple(dict.fromkeys(scopes.get(name, ()))) for name in names]
    members: dict[str, list[str]] = {}
    for name, own in zip(names, inside, strict=True):
        for scope in own:
            members.setdefault(scope, []).append(name)
    related: Counter[str] = Counter()
    for one, other in graph.pairs:
        own, its = inside[one], inside[other]
        if own and its:
            for scope in own:
                if scope in its:
                    related[scope] += 1
    for scope, held in members.items():
        if len(held) >= 2 and related[scope] < len(held) - 1:
            yield Scope(scope, len(held), related[scope], tuple(held[:10]))
