"""Matching wordpiece by wordpiece: the same as by the book, in bytes."""

from __future__ import annotations

import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.store.late import match_tokens, pack_tokens


def unit(rng: np.random.Generator, count: int, dim: int = 48) -> np.ndarray:
    rows = rng.normal(size=(count, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def match(question: np.ndarray, texts: list[np.ndarray]) -> np.ndarray:
    packed = [pack_tokens(text) for text in texts]
    starts = np.cumsum([0, *map(len, packed)])[:-1]
    return match_tokens(question, b"".join(packed), starts)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_every_piece_of_a_question_takes_the_nearest_of_a_text(seed: int, asked: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(asked).astype(np.float32) + 0.1
    question = unit(rng, asked) * (weights / weights.sum())[:, None]
    texts = [unit(rng, size) for size in sizes]
    expected = [float((question @ text.T).max(axis=1).sum()) for text in texts]
    assert np.allclose(match(question, texts), expected, atol=0.02)


def test_a_text_is_worth_all_to_itself_and_no_text_gives_no_worth() -> None:
    tokens = unit(np.random.default_rng(1), 5)
    assert match(tokens / 5, [tokens])[0] > 0.99
    assert match(tokens / 5, []).shape == (0,)


def test_a_wordpiece_takes_one_byte_for_each_number() -> None:
    assert len(pack_tokens(unit(np.random.default_rng(2), 7))) == 7 * 48


def test_many_texts_are_matched_alike_and_never_all_of_their_numbers_stand_at_once() -> None:
    rng = np.random.default_rng(3)
    question, texts = unit(rng, 9) / 9, [unit(rng, size) for size in rng.integers(1, 60, 500).tolist()]
    packed = b"".join(map(pack_tokens, texts))
    starts = np.cumsum([0, *(text.size for text in texts)])[:-1]
    tracemalloc.start()
    found = match_tokens(question, packed, starts)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < len(packed), "a number takes four bytes, and what they are kept in takes one"
    assert np.allclose(found, [match(question, [text])[0] for text in texts], atol=1e-6)
