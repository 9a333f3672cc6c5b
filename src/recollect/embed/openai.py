"""How does a server with OpenAI's embeddings endpoint turn text into vectors?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.embed.endpoint import EMBEDDING
from recollect.embed.vectors import embed_filled, unit_rows
from recollect.endpoint import Endpoint
from recollect.errors import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_URL = "https://api.openai.com/v1"
BATCH = 64


class Question(Struct, frozen=True, omit_defaults=True):
    """The body of POST /embeddings. `dimensions` goes out only when it was chosen: many servers refuse it."""

    model: str
    input: list[str]
    dimensions: int | None = None


class Item(Struct, frozen=True):
    """One vector, and which text it belongs to (servers that leave it out answer in order)."""

    embedding: list[float]
    index: int | None = None


class Answer(Struct, frozen=True):
    """The part of the answer that is used."""

    data: list[Item]


class OpenAIEmbedder:
    """Owns the connections to one server. The dimension is asked for when nobody chose it."""

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
        self._endpoint = Endpoint(f"{url.rstrip('/')}/embeddings", EMBEDDING, key=key, sleep=sleep)
        self._chosen = dim
        self._dim = dim

    @property
    def name(self) -> str:
        cut = f":{self._chosen}" if self._chosen else ""
        return f"openai:{self._model}{cut}"

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = self._ask(["dimension"]).shape[1]
        return self._dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam
        return embed_filled(texts, self.dim, BATCH, self._ask)

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        answer = self._endpoint.ask(Question(self._model, texts, self._chosen), Answer)
        rows = [item.embedding for item in self._in_order(answer.data)]
        return unit_rows(rows, count=len(texts), dim=self._dim, origin=str(self._endpoint))

    def _in_order(self, items: list[Item]) -> list[Item]:
        by_index = {item.index: item for item in items}
        if set(by_index) == {None}:
            return items
        if set(by_index) != set(range(len(items))):
            raise EmbedderError(f"{self._endpoint} gave vectors whose indexes do not number the texts")
        return [by_index[i] for i in range(len(items))]
