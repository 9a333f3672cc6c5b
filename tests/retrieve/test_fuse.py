"""Fusing signals into one score: order, scale and what each signal may do."""

from __future__ import annotations

import numpy as np

from recollect.retrieve.fuse import Candidates, Fused, QueryView, fuse_signals

NAN = float("nan")


def view(df: list[float], *, records: int = 1000, pair: bool = False, **more: float) -> QueryView:
    return QueryView(df=np.array(df, float), pair=np.full(len(df), pair), records=records, mean_length=20.0, **more)


def candidates(tf: list[list[float]], cosine: list[float], **more: list[float]) -> Candidates:
    count = len(cosine)
    given = {
        "length": [20.0] * count,
        "group": [-1.0] * count,
        "position": [0.0] * count,
        "recency": [0.0] * count,
        "importance": [0.5] * count,
        "confidence": [1.0] * count,
        "graph": [0.0] * count,
    } | more
    arrays = {name: np.array(values, float) for name, values in given.items()}
    arrays["group"] = arrays["group"].astype(int)
    arrays["position"] = arrays["position"].astype(int)
    return Candidates(tf=np.array(tf, float).reshape(count, len(tf[0]) if tf else 1), cosine=np.array(cosine), **arrays)


def best(fused: Fused) -> int:
    return int(fused.score.argmax())


def test_no_candidates_give_no_scores() -> None:
    assert len(fuse_signals(view([3.0]), candidates([], [])).score) == 0


def test_words_that_single_out_a_record_lead_over_lukewarm_vectors() -> None:
    tf = [[1.0, 1.0]] + [[0.0, 0.0]] * 12
    fused = fuse_signals(view([1.0, 2.0]), candidates(tf, [0.3] + [0.4] * 12))
    assert best(fused) == 0
    assert fused.keyword_weight > fused.vector_weight


def test_a_strong_vector_leads_over_words_that_many_records_share() -> None:
    tf = [[0.0, 0.0]] + [[1.0, 0.0]] * 12
    fused = fuse_signals(view([400.0, 2.0]), candidates(tf, [0.75] + [0.2] * 12))
    assert best(fused) == 0
    assert fused.vector_weight > fused.keyword_weight


def test_a_question_about_nothing_stored_scores_low() -> None:
    fused = fuse_signals(view([0.0, 0.0, 300.0]), candidates([[0, 0, 1], [0, 0, 0]], [0.12, 0.2]))
    assert fused.score.max() < 0.25


def test_a_good_hit_scores_high_and_scores_stay_within_one() -> None:
    fused = fuse_signals(view([2.0, 5.0]), candidates([[1, 1], [0, 1]], [0.7, 0.3]))
    assert fused.score[0] > 0.5
    assert 0.0 <= fused.score.min() <= fused.score.max() <= 1.0


def test_keywords_carry_alone_when_the_question_has_no_vector() -> None:
    fused = fuse_signals(view([2.0, 5.0]), candidates([[1, 1], [0, 1]], [NAN, NAN]))
    assert best(fused) == 0
    assert fused.score[0] > 0.5
    assert (fused.keyword_weight, fused.vector_weight) == (1.0, 0.0)


def test_a_record_that_waits_for_its_vector_is_taken_at_its_words() -> None:
    tf = [[1, 1], [0, 1], [0, 0]]
    fused = fuse_signals(view([2.0, 50.0]), candidates(tf, [NAN, 0.5, 0.5]))
    assert best(fused) == 0
    assert np.isnan(fused.vector[0])


def test_words_keep_their_level_beside_a_stranger_that_has_a_vector() -> None:
    alone = fuse_signals(view([2.0, 5.0]), candidates([[1, 1]], [NAN]))
    beside = fuse_signals(view([2.0, 5.0]), candidates([[1, 1], [0, 0]], [NAN, 0.1]))
    assert beside.score[0] == alone.score[0]


def test_pairs_of_characters_need_less_cover_than_words() -> None:
    half = candidates([[1, 1, 0, 0]], [NAN])
    words = fuse_signals(view([2.0] * 4), half)
    pairs = fuse_signals(view([2.0] * 4, pair=True), half)
    assert pairs.score[0] > words.score[0]
    assert pairs.keyword[0] <= 1.0


def test_neighbours_lift_a_record_and_strangers_do_not() -> None:
    tf = [[1.0], [0.0], [0.0], [0.0], [0.0]]
    where = candidates(tf, [0.6, 0.3, 0.3, 0.3, 0.3], group=[0, 0, 0, 1, -1], position=[5, 6, 7, 6, 6])
    score = fuse_signals(view([3.0]), where).score
    assert score[1] > score[2] > score[3] == score[4]


def test_records_without_a_group_have_no_neighbours() -> None:
    fused = fuse_signals(view([3.0]), candidates([[1], [1]], [0.5, 0.5], position=[1, 2]))
    assert fused.neighbours.tolist() == [0.0, 0.0]


def test_a_long_record_needs_more_than_a_short_one() -> None:
    fused = fuse_signals(view([3.0]), candidates([[1], [1]], [0.5, 0.5], length=[20, 2000]))
    assert fused.score[0] > fused.score[1]


def test_cosines_of_a_model_that_bunches_high_are_read_on_its_own_scale() -> None:
    low = fuse_signals(view([3.0]), candidates([[0], [0]], [0.6, 0.2]))
    high = fuse_signals(view([3.0], unrelated_cosine=0.75), candidates([[0], [0]], [0.9, 0.8]))
    assert np.allclose(low.score, high.score)


def test_nudges_break_ties_and_never_lead() -> None:
    tied = candidates([[1], [1]], [0.5, 0.5], importance=[0.5, 1.0])
    assert best(fuse_signals(view([3.0]), tied)) == 1
    led = candidates([[1], [1]], [0.6, 0.5], importance=[0.0, 1.0])
    assert best(fuse_signals(view([3.0]), led)) == 0


def test_what_the_graph_reaches_is_found_without_words_and_stands_below_what_matches() -> None:
    pool = candidates([[1], [0], [0]], [0.6, 0.0, 0.0], graph=[0.0, 1.0, 0.0])
    matched, reached, nothing = fuse_signals(view([3.0]), pool).score
    assert matched > reached > nothing == 0


def test_recency_counts_only_when_it_is_asked_for() -> None:
    pool = candidates([[1], [1]], [0.5, 0.5], recency=[0.0, 1.0])
    plain, asked = fuse_signals(view([3.0]), pool), fuse_signals(view([3.0], recency_weight=0.05), pool)
    assert plain.score[0] == plain.score[1]
    assert asked.score[0] < asked.score[1]


def test_a_question_without_terms_ranks_by_vector() -> None:
    fused = fuse_signals(view([]), candidates([[], []], [0.2, 0.6]))
    assert best(fused) == 1
