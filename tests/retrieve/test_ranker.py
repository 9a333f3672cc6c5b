"""The ranker: probabilities that do not depend on order, on missing signals, or on what a network was never shown."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from recollect.retrieve.evidence import Evidence, Likeness
from recollect.retrieve.ranker import (
    FEATURES,
    WEIGHTS,
    Weights,
    describe,
    judge,
    logits,
    neighbours_of,
    pair_neighbours,
    put_newer_first,
    say,
    unpack,
)

NAN = float("nan")


def evidence(near: list[float], **more: object) -> Evidence:
    count = len(near)
    given: dict[str, object] = {
        "covered": [0.0] * count, "words": [0.0] * count, "near": near, "late": [NAN] * count, "deep": [NAN] * count,
        "length": [12.0] * count, "group": [-1] * count, "position": [0] * count, "time": list(range(count)),
    } | more  # fmt: skip
    arrays = {name: np.array(value, int if name in ("group", "position") else float) for name, value in given.items()
              if name not in ("like", "terms", "asks_past", "records")}  # fmt: skip
    return Evidence(
        **arrays, like=more.get("like"), terms=4, pairs=0.0, records=int(str(more.get("records", count))),
        asks_past=bool(more.get("asks_past", False)),
    )  # fmt: skip


def some(seed: int, count: int = 40) -> Evidence:
    chance = np.random.default_rng(seed)
    return evidence(
        chance.normal(2, 2, count).tolist(), covered=chance.random(count), words=chance.random(count) / 2,
        late=chance.uniform(0.3, 0.8, count), time=chance.permutation(count),
    )  # fmt: skip


def test_the_file_fits_the_features_and_stays_small() -> None:
    fitted = msgspec.json.decode(WEIGHTS.read_bytes(), type=Weights)
    assert fitted.features == list(FEATURES)
    weights = sum(len(row) for net in fitted.networks for layer in net for row in [*layer.weights, layer.bias])
    assert weights < 15_000
    assert {"fitted on", "embedder", "licence"} <= fitted.card.keys()


@pytest.mark.parametrize("seed", range(5))
def test_every_candidate_gets_a_probability_whatever_their_order(seed: int) -> None:
    given = some(seed)
    said = judge(given)
    assert ((said > 0) & (said < 1)).all()
    order = np.random.default_rng(seed).permutation(len(said))
    fields = {
        name: value[order] if isinstance(value := getattr(given, name), np.ndarray) else value
        for name in given.__struct_fields__
    }
    np.testing.assert_allclose(judge(Evidence(**fields)), said[order], rtol=1e-4)  # single precision


def test_no_candidates_and_a_single_one_are_described_too() -> None:
    assert describe(evidence([])).shape == (0, len(FEATURES))
    assert 0 < judge(evidence([5.0], covered=[0.9]))[0] < 1


@pytest.mark.parametrize("missing", [("near", "late"), ("late",), ("near", "late", "covered")])
def test_a_signal_that_is_missing_is_no_number(missing: tuple[str, ...]) -> None:
    given = some(3)
    none = np.full(len(given.near), NAN)
    left = {name: none if name in missing and name != "covered" else getattr(given, name) for name in
            given.__struct_fields__}  # fmt: skip
    assert np.isfinite(judge(Evidence(**left))).all()


def test_more_of_the_question_and_nearer_is_likelier_in_stores_of_every_size() -> None:
    for count in (5, 20, 100, 400):
        near, covered = [1.0] * count, [0.0] * count
        near[count // 2], covered[count // 2] = 6.0, 0.8
        late = [0.4] * count
        late[count // 2] = 0.75
        said = judge(evidence(near, covered=covered, words=covered, late=late))
        assert said.argmax() == count // 2
        assert said.max() > 0.5 > np.sort(said)[-2]


def test_of_two_that_say_nearly_the_same_the_newer_leads_and_asking_for_the_past_lifts_the_older() -> None:
    newer, older = 0, 0
    for seed in range(30):
        chance = np.random.default_rng(seed)
        near, late = chance.normal(1, 1, 30), chance.uniform(0.35, 0.5, 30)
        near[[3, 9]], late[[3, 9]] = 5.0, 0.68
        alike = np.eye(2) + 0.85 * (1 - np.eye(2))
        like = Likeness(np.array([3, 9]), alike, alike)
        now = judge(evidence(near.tolist(), late=late, covered=[0.3] * 30, like=like))
        past = judge(evidence(near.tolist(), late=late, covered=[0.3] * 30, like=like, asks_past=True))
        newer += int(now[9] > now[3])
        older += int(past[3] / past[9] > now[3] / now[9])
    assert newer >= 25
    assert older >= 25


@pytest.mark.parametrize("cosine", [0.42, 0.5, 0.58])
@pytest.mark.parametrize("gap", [0.1, 0.5, 0.9])
def test_a_newer_one_that_says_so_itself_takes_the_place_of_what_it_is_less_like(cosine: float, gap: float) -> None:
    like = Likeness(np.array([0, 1]), np.array([[1.0, cosine], [cosine, 1.0]]), np.eye(2))
    sure, unsure = np.array([1.5, 1.5 - gap]), np.array([-1.5, -1.5 - gap])
    told = np.array([False, True])
    says_so = msgspec.structs.replace(evidence([6.0, 5.0], like=like), changing=told)
    leads = [
        int(put_newer_first(given, said).argmax())
        for given, said in (
            (says_so, sure),
            (says_so, unsure),  # nothing that answers was changed
            (evidence([6.0, 5.0], like=like), sure),
            (msgspec.structs.replace(says_so, changing=~told), sure),
            (msgspec.structs.replace(says_so, changing=told | True), sure),
            (msgspec.structs.replace(says_so, time=np.array([1.0, 0.0])), sure),
            (msgspec.structs.replace(says_so, named=np.array([1, 0])), sure),
        )
    ]
    assert leads == [1, 0, 0, 0, 0, 0, 0]


def beside_passages(seed: int, records: int) -> tuple[np.ndarray, np.ndarray]:
    """What is said of thirty notes, the first of which answers, alone and among passages that are worth as little as
    the rest.
    """
    chance = np.random.default_rng(seed)

    def signals(count: int) -> dict[str, np.ndarray]:
        covered = 0.3 * chance.random(count) * (chance.random(count) < 0.4)
        near, late = chance.normal(1.5, 1.2, count), chance.uniform(0.3, 0.5, count)
        return {"near": near, "covered": covered, "words": covered / 2, "late": late}

    notes, passages = signals(30), signals(200)
    for name, least, more in (("near", 4.0, 2.0), ("late", 0.62, 0.15), ("covered", 0.35, 0.3)):
        notes[name][0] = least + more * chance.random()
    both = {name: np.concatenate([notes[name], passages[name]]) for name in notes}
    place = {
        "group": [-1] * 30 + [at // 20 for at in range(200)],
        "position": [0] * 30 + [at % 20 for at in range(200)],
    }
    among = evidence(both.pop("near").tolist(), **both, **place, length=[12.0] * 30 + [80.0] * 200, records=records)
    return judge(evidence(notes.pop("near").tolist(), **notes)), judge(among)[:30]


@pytest.mark.parametrize("records", [230, 900])
def test_a_note_that_answers_is_not_unlikely_because_passages_stand_beside_it(records: int) -> None:
    found = [beside_passages(seed, records) for seed in range(60)]
    assert all(alone.argmax() == among.argmax() == 0 for alone, among in found)
    whole, kept = (sum(one[at][0] for one in found) for at in range(2))
    assert 0.4 * whole <= kept <= whole


def test_what_was_noted_before_is_found_beside_a_thousand_passages() -> None:
    older = 0
    for seed in range(30):
        chance = np.random.default_rng(seed)
        near, late = chance.normal(1, 1, 230), chance.uniform(0.35, 0.5, 230)
        near[[3, 9]], late[[3, 9]] = (5.0, 5.6), (0.68, 0.71)
        alike = np.eye(2) + 0.85 * (1 - np.eye(2))
        place = {
            "group": [-1] * 30 + [at // 20 for at in range(200)],
            "position": [0] * 30 + [at % 20 for at in range(200)],
        }
        told = {"covered": [0.3] * 230, "like": Likeness(np.array([3, 9]), alike, alike), "records": 1_400}
        past = judge(evidence(near.tolist(), late=late, asks_past=True, **place, **told))
        older += int(past.argmax() == 3)
    assert older >= 25


def test_without_vectors_the_words_say_how_sure_one_may_be() -> None:
    held = {"covered": [1.0, 0.3, 0.1], "words": [0.8, 0.2, 0.1]}
    sure = judge(evidence([NAN] * 3, **held))
    vague = judge(evidence([NAN] * 3, covered=[0.3, 0.3, 0.1], words=[0.2, 0.2, 0.1]))
    assert sure.argmax() == 0
    assert sure[0] > 0.6 > 0.4 > vague.max()


def test_a_few_that_have_vectors_are_judged_as_the_rest_that_has_none() -> None:
    held = {"covered": [0.9] + [0.2] * 9, "words": [0.7] + [0.1] * 9}
    none, one = judge(evidence([NAN] * 10, **held)), judge(evidence([NAN] * 9 + [5.0], **held))
    assert one == pytest.approx(none)


def test_one_without_a_vector_among_others_that_have_one_is_as_likely_as_its_words_say() -> None:
    among = [NAN] + [1.0] * 9
    whole = judge(evidence(among, covered=[1.0] + [0.1] * 9, words=[0.9] + [0.1] * 9))
    hardly = judge(evidence(among, covered=[0.2] + [0.1] * 9, words=[0.1] * 10))
    assert whole.argmax() == 0
    assert whole[0] > 0.5 > hardly[0]


def test_among_many_records_a_hit_that_stands_out_is_likely_and_what_stands_close_behind_it_is_not_impossible() -> None:
    def judged(best: float, next_: float) -> np.ndarray:
        covered, late = [best, next_] + [0.1] * 40, [best, next_] + [0.35] * 40
        near = [9 * best, 9 * next_] + [0.5] * 40
        return np.asarray(judge(evidence(near, covered=covered, words=covered, late=late, records=4_000)))

    clear, close = judged(0.95, 0.3), judged(0.95, 0.93)
    assert clear[0] > 0.6 > 0.1 > clear[1]
    assert close[0] < clear[0]
    assert close[1] > 0.1


def test_one_without_a_vector_is_likelier_where_reading_speaks_for_it_and_less_where_it_was_passed_over() -> None:
    among = {"near": [NAN] + [2.0] * 9, "covered": [0.6] + [0.1] * 9, "words": [0.5] + [0.1] * 9}
    spoke, silent = judge(evidence(**among, deep=[3.0] + [-3.0] * 9)), judge(evidence(**among, deep=[-3.0] * 10))
    passed = judge(evidence(**among, deep=[NAN] + [-3.0] * 9))
    assert spoke[0] > silent[0] > passed[0]


def test_one_without_a_vector_stands_behind_what_words_and_vector_speak_for() -> None:
    among = {"covered": [0.5, 0.5] + [0.1] * 8, "words": [0.4, 0.4] + [0.1] * 8, "late": [NAN, 0.8] + [0.4] * 8}
    judged = judge(evidence([NAN, 8.0] + [1.0] * 8, **among))
    assert judged[1] > 0.5 > judged[0]


def test_how_likely_notes_are_goes_by_how_many_were_read_and_never_changes_their_order() -> None:
    fitted = msgspec.json.decode(WEIGHTS.read_bytes(), type=Weights)
    assert [one.read for one in fitted.notes] == sorted({0, *(one.read for one in fitted.notes)})
    for seed, count in ((1, 0), (2, 5), (3, 20)):
        given = some(seed)
        deep = np.full(len(given.near), NAN)
        deep[:count] = np.random.default_rng(seed).normal(0, 2, count)
        given = msgspec.structs.replace(given, deep=deep)
        by = [one for one in fitted.notes if one.read <= count][-1]
        expected = by.slope * say(unpack(fitted), given) + by.level
        if count > 5:  # whether any note answers is told by the best of each signal, whosever it is
            expected += by.deep * np.nanmax(deep) + by.near * given.near.max()
            assert by.deep > 0
        np.testing.assert_allclose(logits(given), expected, atol=1e-6)
        assert by.slope > 0


def test_what_stands_beside_a_record_in_its_session_counts_by_how_near_it_stands() -> None:
    session, place = [0, 1, 0, 0, 0, -1], [3, 3, 1, 0, 2, 4]
    told = evidence([0.0] * 6, covered=[1, 2, 4, 8, 16, 32], group=session, position=place)
    beside = [0.25 * 16 + 0.1 * 4, 0, 0.25 * (8 + 16) + 0.1 * 1, 0.25 * 4 + 0.1 * 16, 0.25 * (4 + 1) + 0.1 * 8, 0]
    np.testing.assert_allclose(neighbours_of(told), beside)
    known = msgspec.structs.replace(told, beside=pair_neighbours(told.group, told.position))
    np.testing.assert_allclose(neighbours_of(known), beside)
    assert neighbours_of(evidence([1.0, 2.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("seed", "count"), [(0, 1), (1, 40), (2, 400), (3, 441), (4, 1_500)])
def test_the_networks_say_what_the_file_says_layer_by_layer(seed: int, count: int) -> None:
    fitted = msgspec.json.decode(WEIGHTS.read_bytes(), type=Weights)
    given = some(seed, count)
    scaled = np.clip((describe(given) - np.array(fitted.mean)) / np.array(fitted.scale), -6, 6)
    told = []
    for first, second, last in fitted.networks:
        hidden = np.maximum(scaled @ np.array(first.weights) + first.bias, 0)
        inner = np.maximum(hidden @ np.array(second.weights) + second.bias, 0)
        told.append((inner @ np.array(last.weights) + last.bias)[:, 0])
    np.testing.assert_allclose(say(unpack(fitted), given), np.mean(told, axis=0), atol=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_where_vectors_alone_can_tell_the_nearest_leads_and_is_the_surer_the_further_it_stands_out(seed: int) -> None:
    near = np.random.default_rng(seed).uniform(0, 2, 60)
    best = int(near.argmax())
    sure = []
    for lead in (0.8, 2.0, 4.0):
        near[best] = np.delete(near, best).max() + lead
        said = judge(evidence(near.tolist(), covered=[0.0] * 60, length=np.full(60, 90.0)))
        assert said.argmax() == best
        sure.append(said[best])
    assert sure == sorted(sure)
    assert sure[-1] - sure[0] > 0.3
    worded = evidence(near.tolist(), covered=[0.9] + [0.0] * 59, words=[0.9] + [0.0] * 59)
    assert judge(worded)[best] != pytest.approx(sure[-1])


def test_whoever_is_left_out_takes_all_that_is_known_of_them_along() -> None:
    whole = evidence([0.0] * 6)
    like = Likeness(np.array([4, 1, 2]), np.eye(3), np.eye(3) * 2)
    kept = np.array([True, False, True, True, True, True])
    left = msgspec.structs.replace(whole, like=like, deep=np.arange(6.0)).keep(kept)
    arrays = {name: value for name, value in msgspec.structs.asdict(left).items() if isinstance(value, np.ndarray)}
    assert {name: len(value) for name, value in arrays.items()} == dict.fromkeys(arrays, 5)
    assert left.deep.tolist() == [0.0, 2.0, 3.0, 4.0, 5.0]
    assert left.like is not None
    assert (left.like.rows.tolist(), left.like.shared.tolist()) == ([3, 1], [[2.0, 0.0], [0.0, 2.0]])
