"""Is the health of small graphs what one sees by looking at them?"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieve.health import Cluster, Scope, graph_health

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


def components(nodes: set[str], edges: list[tuple[str, str]]) -> int:
    left, found = set(nodes), 0
    while left:
        found += 1
        reached = {left.pop()}
        while reached:
            reached = {b if a in reached else a for a, b in edges if (a in reached) != (b in reached)} & left
            left -= reached
    return found


def test_a_node_without_relations_is_isolated() -> None:
    health = graph_health(["a", "b", "c"], [("a", "b"), ("c", "c"), ("c", "gone")], {})
    assert health.isolated == ("c",)
    assert health.counts["relations"] == 1


def test_a_chain_is_a_sparse_cluster_and_a_triangle_is_none() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    triangle = [("x", "y"), ("y", "z"), ("z", "x")]
    health = graph_health([*"abcdxyz"], chain + triangle, {})
    assert health.sparse == (Cluster(("a", "b", "c", "d"), 4, 3, 0.5),)


def test_the_node_between_two_triangles_is_a_bridge() -> None:
    edges = [("a", "b"), ("b", "m"), ("m", "a"), ("x", "y"), ("y", "m"), ("m", "x"), ("b", "m")]
    assert graph_health([*"abmxy"], edges, {}).bridges == (("m", 4),)


def test_bridges_with_most_relations_come_first() -> None:
    edges = [("hub", leaf) for leaf in "abcd"] + [("d", "e"), ("e", "f")]
    assert graph_health(["hub", *"abcdef"], edges, {}).bridges == (("hub", 4), ("d", 2), ("e", 2))


def test_a_scope_whose_members_are_not_related_is_weak() -> None:
    scopes = {"a": ["s", "t"], "b": ["s", "t"], "c": ["s"], "d": ["u"]}
    health = graph_health([*"abcd"], [("a", "b"), ("c", "d")], scopes)
    assert health.weak_scopes == (Scope("s", 3, 1, ("a", "b", "c")),)


def test_lists_are_cut_and_counts_are_whole() -> None:
    health = graph_health([f"n{at:03}" for at in range(100)], [], {}, longest=5)
    assert (len(health.isolated), health.counts["isolated_nodes"]) == (5, 100)


def test_a_chain_deeper_than_the_stack_of_python_is_walked() -> None:
    names = [f"n{at:05}" for at in range(20_000)]
    health = graph_health(names, list(pairwise(names)), {})
    assert health.counts["bridge_nodes"] == len(names) - 2


@given(EDGES)
def test_a_bridge_is_a_node_without_which_there_are_more_parts(pairs: list[tuple[int, int]]) -> None:
    nodes = {f"n{at}" for at in range(10)}
    edges = [(f"n{a}", f"n{b}") for a, b in pairs if a != b]
    whole = components(nodes, edges)
    cuts = {
        node
        for node in nodes
        if components(nodes - {node}, [edge for edge in edges if node not in edge]) > whole
        and any(node in edge for edge in edges)
    }
    assert {name for name, _ in graph_health(sorted(nodes), edges, {}).bridges} == cuts


@given(EDGES)
def test_the_order_in_which_relations_come_changes_nothing(pairs: list[tuple[int, int]]) -> None:
    nodes = [f"n{at}" for at in range(10)]
    edges = [(f"n{a}", f"n{b}") for a, b in pairs]
    turned = [(b, a) for a, b in reversed(edges)]
    assert graph_health(nodes, edges, {}) == graph_health(nodes[::-1], turned, {})
