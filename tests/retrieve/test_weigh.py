"""Do given weights mean what they say?"""

from __future__ import annotations

import numpy as np
import pytest

from recollect.retrieve.graph import rank_nodes
from recollect.retrieve.weigh import Weights, relate_to_best, scale_cosines, standardize, take_best, weigh_signals


def test_the_best_come_first_and_what_is_missing_not_at_all() -> None:
    values = np.array([0.1, np.nan, 0.7, 0.3])
    assert take_best(values, 2).tolist() == [2, 3]
    assert take_best(values, 9).tolist() == [2, 3, 0]


def test_cosines_of_unrelated_texts_say_nothing() -> None:
    scaled = scale_cosines(np.array([np.nan, -0.4, 0.2, 0.6, 1.0]), 0.2)
    assert scaled.tolist() == pytest.approx([0, 0, 0, 0.5, 1])


def test_the_score_is_the_weighed_sum_and_a_zero_switches_off() -> None:
    vector, keyword, graph = np.array([0.5, 0.0]), np.array([2.0, 8.0]), np.array([0.0, 0.01])
    both = weigh_signals(Weights(vector=0.4, keyword=0.2, graph=0.4), vector, keyword, graph)
    assert both.tolist() == pytest.approx([0.2 + 0.05, 0.2 + 0.4])
    alone = weigh_signals(Weights(vector=0, keyword=1, graph=0), vector, keyword, graph)
    assert alone.tolist() == pytest.approx([0.25, 1])
    assert relate_to_best(np.zeros(2)).tolist() == [0, 0]


def test_z_scores_make_unlike_lists_alike() -> None:
    low, high = np.array([0.1, 0.2, 0.3]), np.array([10.0, 20.0, 30.0])
    assert standardize(low).tolist() == pytest.approx(standardize(high).tolist())
    assert standardize(low).mean() == pytest.approx(0)
    assert standardize(np.array([5.0])).tolist() == [0]
    assert standardize(np.zeros(0)).tolist() == []


def test_an_edge_that_leads_both_ways_is_two_edges() -> None:
    there_and_back = [("a", "b", 1.0), ("b", "a", 1.0), ("b", "c", 0.5), ("c", "b", 0.5), ("c", "c", 0.3)]
    directed = rank_nodes(there_and_back, {"a": 1.0})
    once = [("a", "b", 1.0), ("b", "c", 0.5), ("c", "c", 0.3)]
    assert rank_nodes(once, {"a": 1.0}, two_way=True) == pytest.approx(directed)
    assert sum(directed.values()) == pytest.approx(1)
    by_degree = rank_nodes(there_and_back, {"a": 1.0}, by_degree=True)
    assert by_degree == pytest.approx({node: rank / (2**0.5 if node in "bc" else 1) for node, rank in directed.items()})
