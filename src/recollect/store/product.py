"""How are two matrices multiplied while somebody waits?

The libraries that numpy multiplies with share a large product out among as many threads as there are processors, and
each of them waits for the others, busily: where other work keeps a processor, what takes half a millisecond takes
twenty. Products as small as ours are as fast in one thread, and small enough blocks of them are never shared out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ALONE = 4 * 65_536  # multiplications that OpenBLAS does in the thread that asks for them


def multiply(
    left: NDArray[np.floating], right: NDArray[np.floating], into: NDArray[np.floating] | None = None
) -> NDArray[np.floating]:
    """The product of two matrices, block by block of the rows of the first; or of stacks of them."""
    rows = max(_ALONE // max(right.shape[-2] * right.shape[-1], 1), 1)
    if left.shape[-2] <= rows:
        return np.matmul(left, right, out=into)
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = (*stack, left.shape[-2], right.shape[-1])
    found = np.empty(shape, np.result_type(left, right)) if into is None else into
    for start in range(0, left.shape[-2], rows):
        some = np.s_[..., start : start + rows, :]
        np.matmul(left[some], right, out=found[some])
    return found
