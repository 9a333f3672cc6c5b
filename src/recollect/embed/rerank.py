"""How well does a text answer a question, read together?

A second model reads the question and a text at once, which is slower than comparing vectors and knows more: it is asked
about the few best candidates of a deep recall only. Its file is not opened before the first of those. It reads the
embedder's vocabulary and, but for the commonest words, its table of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from recollect.embed.bundled import Model, load_model, run_each
from recollect.embed.files import MODEL_FOLDER, RERANKER, read_manifest
from recollect.embed.glosses import to_english
from recollect.errors import EmbedderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FADES = 0.9  # of the slowest is left after each text


class Reranker:
    """Loads the model when it is first needed. Threads may share it; `threads` is how many texts are read at a time."""

    def __init__(self, *, threads: int | None = None, folder: Path = MODEL_FOLDER) -> None:
        self._folder = folder
        self._threads = threads or min(2, os.cpu_count() or 1)
        self._manifest = read_manifest(folder / RERANKER)
        self._failed: EmbedderError | None = None
        self.slowest = 0.0
        """How many seconds a text took lately at most."""
        self._lock = Lock()
        self._model: Model | None = None

    @property
    def name(self) -> str:
        return self._manifest.name

    def reads(self, text: str) -> bool:
        """Does the vocabulary know the script of a text?"""
        return self.open().tokenizer.encode(text, self._manifest.window).readable

    def score(self, question: str, texts: Sequence[str], until: float | None = None) -> NDArray[np.float32]:
        """A number for each text, on no scale of its own: the higher, the surer it answers.

        With `until`, a moment of `time.monotonic`, it reads no text that it would not be done with by then, as far as
        it can tell by those before; such a text has NaN.
        """
        longest = 0.0

        def read(text: str) -> float:
            nonlocal longest
            began = time.monotonic()
            if until is not None and began + longest >= until:
                return np.nan
            logit = self._read(question, text)
            took = time.monotonic() - began
            longest = max(longest, took)
            self.slowest = max(self.slowest * _FADES, took)
            return logit

        return np.array(run_each(read, texts, self._threads), np.float32)

    def _read(self, question: str, text: str) -> float:
        model = self.open()
        tokenizer, session = model.tokenizer, model.session
        ids = tokenizer.encode_pair(to_english(question, tokenizer), to_english(text, tokenizer), self._manifest.window)
        try:
            return float(session.run(None, {"input_ids": np.array([ids], np.int64)})[0].reshape(-1)[0])
        except RuntimeError as error:
            raise EmbedderError(f"the bundled reranker failed: {error}") from error

    @property
    def is_open(self) -> bool:
        """Need nobody wait until it is opened? It was, or cannot be."""
        return self._model is not None or self._failed is not None

    def open(self) -> Model:
        """What could not be loaded once is not tried again: its files are large, and others wait."""
        with self._lock:
            if self._failed is not None:
                raise self._failed
            if self._model is None:
                try:
                    self._model = load_model(self._folder, self._manifest)
                except EmbedderError as error:
                    self._failed = error
                    raise
            return self._model
