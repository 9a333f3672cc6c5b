"""Is a question compared with a passage token by token?"""

from __future__ import annotations

import numpy as np
from training.compare import Encoded, compare, to_codes


def encoded(*texts: list[list[float]], weights: list[float] | None = None) -> Encoded:
    tokens = np.array([token for text in texts for token in text], np.float32)
    ends = np.cumsum([0, *map(len, texts)])
    given = np.ones(len(tokens), np.float32) if weights is None else np.array(weights, np.float32)
    return Encoded(np.zeros((len(texts), 2), np.float32), tokens, given, ends)


def test_each_token_of_a_question_counts_by_its_best_match_and_its_weight() -> None:
    question = encoded([[1, 0], [0, 1]], weights=[3, 1])
    passages = encoded([[1, 0]], [[0, 1], [0.6, 0.8]], [[0.6, 0.8], [-1, 0], [1, 0]])
    found = compare(question, passages, 0, np.array([0, 1, 2]))
    np.testing.assert_allclose(found, [3 / 4, (3 * 0.6 + 1) / 4, (3 + 0.8) / 4], rtol=1e-6)


def test_eight_bits_keep_the_order_of_token_vectors() -> None:
    chance = np.random.default_rng(5)
    tokens = chance.normal(size=(200, 48)).astype(np.float32)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    kept = to_codes(tokens)
    assert np.abs(np.einsum("nd,nd->n", kept, tokens) - 1).max() < 0.02
