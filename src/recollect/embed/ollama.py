"""How does an Ollama server turn text into vectors?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.embed.endpoint import ServerEmbedder
from recollect.embed.vectors import unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Question(Struct, frozen=True):
    """The body of POST /api/embed."""

    model: str
    input: list[str]
    truncate: bool = True


class Answer(Struct, frozen=True):
    """The part of its answer that is used."""

    embeddings: list[list[float]]


class OllamaEmbedder(ServerEmbedder):
    """Asks an Ollama server."""

    provider = "ollama"
    default_url = "http://127.0.0.1:11434"
    path = "/api/embed"
    batch = 32

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        answer = self._endpoint.ask(Question(self._model, texts), Answer)
        return unit_rows(answer.embeddings, count=len(texts), dim=self._dim, origin=str(self._endpoint))
