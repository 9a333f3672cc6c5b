"""What must something be, to turn text into vectors?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Three members, and nothing about where or how.

    `embed` answers one row of `dim` float32 numbers, of length 1, for every text it was given. Text beyond the
    model's window is not seen: the caller cuts long texts into pieces first. A text that the model cannot read
    (a script that its vocabulary lacks) gets a row of zeros, which means "no vector signal".
    `query` tells a question from a passage, for models that treat them differently.
    """

    @property
    def name(self) -> str:
        """Stable identity of the model: two embedders of one name give interchangeable vectors."""
        ...

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]: ...
