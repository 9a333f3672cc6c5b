"""How does a server with OpenAI's embeddings endpoint turn text into vectors?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.embed.endpoint import ServerEmbedder
from recollect.embed.vectors import unit_rows
from recollect.errors import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


class OpenAIEmbedder(ServerEmbedder):
    """Asks a server of that form. A dimension that was chosen is asked for, and is part of the name."""

    provider = "openai"
    default_url = "https://api.openai.com/v1"
    path = "/embeddings"
    batch = 64

    @property
    def name(self) -> str:
        cut = f":{self._chosen}" if self._chosen else ""
        return f"{super().name}{cut}"

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
