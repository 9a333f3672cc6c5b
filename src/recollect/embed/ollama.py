"""How does an Ollama server turn text into vectors?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.embed.endpoint import EMBEDDING
from recollect.embed.vectors import embed_filled, unit_rows
from recollect.endpoint import Endpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_URL = "http://127.0.0.1:11434"
BATCH = 32


class Question(Struct, frozen=True):
    """The body of POST /api/embed."""

    model: str
    input: list[str]
    truncate: bool = True


class Answer(Struct, frozen=True):
    """The part of its answer that is used."""

    embeddings: list[list[float]]


class OllamaEmbedder:
    """Owns the connections to one Ollama server. The dimension is asked for when nobody gave it."""

    remote = True
    """It computes elsewhere: many texts are handed over at once."""

    def __init__(
        self,
        model: str,
        *,
        url: str = DEFAULT_URL,
        key: str | None = None,
        dim: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._endpoint = Endpoint(f"{url.rstrip('/')}/api/embed", EMBEDDING, key=key, sleep=sleep)
        self._dim = dim

    @property
    def name(self) -> str:
        return f"ollama:{self._model}"

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = self._ask(["dimension"]).shape[1]
        return self._dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam
        return embed_filled(texts, self.dim, BATCH, self._ask)

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        answer = self._endpoint.ask(Question(self._model, texts), Answer)
        return unit_rows(answer.embeddings, count=len(texts), dim=self._dim, origin=str(self._endpoint))
