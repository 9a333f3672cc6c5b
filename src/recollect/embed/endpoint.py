"""What do all embedders have in common that ask a server?"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from recollect.embed.vectors import embed_filled
from recollect.endpoint import About, Endpoint
from recollect.errors import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EMBEDDING = About("an embedding server", "embeddings", "RECOLLECT_EMBED_KEY", EmbedderError)


class ServerEmbedder(ABC):
    """Owns the connections to one server. The dimension is asked for when nobody gave it."""

    provider: ClassVar[str]
    default_url: ClassVar[str]
    path: ClassVar[str]
    batch: ClassVar[int]
    remote = True
    """It computes elsewhere: many texts are handed over at once."""

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        key: str | None = None,
        dim: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        address = (url or self.default_url).rstrip("/") + self.path
        self._endpoint = Endpoint(address, EMBEDDING, key=key, sleep=sleep)
        self._chosen = self._dim = dim

    @property
    def name(self) -> str:
        return f"{self.provider}:{self._model}"

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = self._ask(["dimension"]).shape[1]
        return self._dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam
        return embed_filled(texts, self.dim, self.batch, self._ask)

    @abstractmethod
    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        """The rows of some texts, none of which is empty."""
