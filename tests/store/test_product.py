"""Is a product that is reckoned block by block the same?"""

from __future__ import annotations

import numpy as np
import pytest

from recollect.store.product import multiply


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 48, 20), (12_001, 48, 20), (400, 41, 64), (32, 9_000, 32)])
def test_a_product_in_blocks_is_that_of_the_whole(rows: int, inner: int, columns: int) -> None:
    chance = np.random.default_rng(rows)
    left = chance.normal(size=(rows, inner)).astype(np.float32)
    right = chance.normal(size=(inner, columns)).astype(np.float32)
    found = multiply(left, right)
    assert (found.shape, found.dtype) == ((rows, columns), np.float32)
    assert np.allclose(found, left @ right, atol=1e-3)


def test_a_product_of_nothing_has_no_rows() -> None:
    assert multiply(np.zeros((0, 48), np.float32), np.zeros((48, 5), np.float32)).shape == (0, 5)


@pytest.mark.parametrize("stacked", [(), (3,)])
def test_a_stack_of_matrices_is_multiplied_each_by_itself(stacked: tuple[int, ...]) -> None:
    chance = np.random.default_rng(4)
    left = chance.normal(size=(*stacked, 400, 42)).astype(np.float32)
    right = chance.normal(size=(3, 42, 64)).astype(np.float32)
    assert np.allclose(multiply(left, right), left @ right, atol=1e-3)


@pytest.mark.parametrize("rows", [5, 400])
def test_a_product_is_written_where_it_is_wanted_whatever_order_that_is_kept_in(rows: int) -> None:
    chance = np.random.default_rng(rows)
    left = chance.normal(size=(3, rows, 65)).astype(np.float32)
    right = chance.normal(size=(3, 65, 32)).astype(np.float32)
    side_by_side = np.full((rows, 3, 32), np.nan, np.float32)
    multiply(left, right, side_by_side.transpose(1, 0, 2))
    assert np.allclose(side_by_side.transpose(1, 0, 2), left @ right, atol=1e-3)
