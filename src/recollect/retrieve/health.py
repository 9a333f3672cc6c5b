"""How well does a graph hold together?

Four things are looked for: nodes without a relation, clusters with few relations for their size, nodes that a cluster
would fall apart without, and scopes whose members are hardly related among themselves. Nothing here depends on the
order in which nodes and relations come; every walk is linear in their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

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
    number = {name: at for at, name in enumerate(names)}
    beside = _neighbours(len(names), number, edges)
    isolated = [name for name, near in zip(names, beside, strict=True) if not near]
    clusters = [part for part in _components(beside) if len(part) >= _LEAST_CLUSTER]
    sparse = [one for one in (_cluster(part, beside, names, longest) for part in clusters) if one.density <= SPARSE]
    sparse.sort(key=lambda one: (one.density, -one.node_count, one.nodes))
    cuts = sorted(((len(beside[at]), names[at]) for at in _cut_nodes(beside)), key=lambda one: (-one[0], one[1]))
    weak = sorted(_weak_scopes(names, beside, scopes), key=lambda one: (-one.node_count, one.scope))
    return Health(
        isolated=tuple(isolated[:longest]),
        sparse=tuple(sparse[:most_groups]),
        bridges=tuple((name, degree) for degree, name in cuts[:longest]),
        weak_scopes=tuple(weak[:most_groups]),
        counts={
            "nodes": len(names), "relations": sum(map(len, beside)) // 2, "isolated_nodes": len(isolated),
            "sparse_clusters": len(sparse), "bridge_nodes": len(cuts), "weakly_connected_scopes": len(weak),
        },
    )  # fmt: skip


def _neighbours(size: int, number: Mapping[str, int], edges: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Who is next to whom, whichever way a relation points; several between the same two are one."""
    beside: list[list[int]] = [[] for _ in range(size)]
    seen: set[int] = set()
    for subject, object_ in edges:
        one, other = number.get(subject), number.get(object_)
        if one is None or other is None or one == other:
            continue
        pair = one * size + other if one < other else other * size + one
        if pair not in seen:
            seen.add(pair)
            beside[one].append(other)
            beside[other].append(one)
    return beside


def _components(beside: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    seen = bytearray(len(beside))
    for start in range(len(beside)):
        if seen[start]:
            continue
        seen[start] = 1
        part = [start]
        for at in part:
            for near in beside[at]:
                if not seen[near]:
                    seen[near] = 1
                    part.append(near)
        yield part


def _cluster(part: list[int], beside: Sequence[Sequence[int]], names: Sequence[str], longest: int) -> Cluster:
    edges = sum(len(beside[at]) for at in part) // 2
    density = edges / (len(part) * (len(part) - 1) / 2)
    return Cluster(tuple(names[at] for at in sorted(part)[:longest]), len(part), edges, round(density, 3))


def _cut_nodes(beside: Sequence[Sequence[int]]) -> set[int]:
    """The articulation points, by one depth-first walk that keeps its own stack (graphs are deeper than Python's)."""
    found: set[int] = set()
    order = [0] * len(beside)  # when a node was met, from 1
    low = [0] * len(beside)  # the earliest node that it or what hangs below it reaches
    clock = 0
    for root in range(len(beside)):
        if order[root] or not beside[root]:
            continue
        clock += 1
        order[root] = low[root] = clock
        branches = 0
        stack = [(root, -1, iter(beside[root]))]
        while stack:
            at, parent, rest = stack[-1]
            for near in rest:
                if not order[near]:
                    clock += 1
                    order[near] = low[near] = clock
                    branches += at == root
                    stack.append((near, at, iter(beside[near])))
                    break
                if near != parent and order[near] < low[at]:
                    low[at] = order[near]
            else:
                stack.pop()
                if parent >= 0:
                    if low[at] < low[parent]:
                        low[parent] = low[at]
                    if parent != root and low[at] >= order[parent]:
                        found.add(parent)
        if branches > 1:
            found.add(root)
    return found


def _weak_scopes(
    names: Sequence[str], beside: Sequence[Sequence[int]], scopes: Mapping[str, Sequence[str]]
) -> Iterator[Scope]:
    inside = [frozenset(scopes.get(name, ())) for name in names]
    members: dict[str, list[str]] = {}
    for name, own in zip(names, inside, strict=True):
        for scope in own:
            members.setdefault(scope, []).append(name)
    related: Counter[str] = Counter()
    for at, near in enumerate(beside):
        own = inside[at]
        if own:
            for other in near:
                if at < other and inside[other]:
                    related.update(own & inside[other])
    for scope, held in members.items():
        if len(held) >= 2 and related[scope] < len(held) - 1:
            yield Scope(scope, len(held), related[scope], tuple(held[:10]))
