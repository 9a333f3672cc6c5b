"""What must something be, to turn text into vectors?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that, in the same pass, can give a small vector for every wordpiece of a text.

    `embed_tokens` answers the rows of `embed`, and for each text the vectors of its wordpieces: `token_dim` numbers, of
    length 1. Those of a question are as long as they count, 1 together. A text that the model cannot read has none. A
    `token_dim` of 0 says that this model gives none at all.
    """

    @property
    def token_dim(self) -> int: ...

    def embed_tokens(
        self, texts: Sequence[str], *, query: bool = False
    ) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]: ...
