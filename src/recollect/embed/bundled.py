"""How does the model that ships inside the package turn text into vectors?

Our own, made from all-MiniLM-L6-v2, in int8 (docs/embed.md), run by onnxruntime. Texts run one by one, on a few
threads: that is as fast as padded batches on a CPU, needs little memory, and gives a text the same vector
whatever stands beside it. The model's files are not opened before the first text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np
from msgspec import Struct

from recollect.embed.files import EMBEDDER, MODEL_FOLDER, WORDS, Manifest, check_file, read_manifest
from recollect.embed.glosses import to_english
from recollect.embed.wordpiece import WordPiece
from recollect.environment import report_nothing
from recollect.errors import EmbedderError

report_nothing()
import onnxruntime as ort  # noqa: E402 - it reports when it is loaded

if TYPE_CHECKING:
    from numpy.typing import NDArray

ERRORS_ONLY = 3
T = TypeVar("T")


STOCK = "all-MiniLM-L6-v2-int8"
"""The model that earlier stores have vectors of. Ours was held near it: cosines of the same text are 0.98."""
_OUTPUTS = ["sentence_vector", "token_vectors", "token_weights"]
_NO_WEIGHTS = np.zeros(0, np.float32)


class Seen(Struct, frozen=True, eq=False):
    """A text as the model sees it: its vector, those of its wordpieces, and how much each counts in a question.

    What the vocabulary cannot read is a vector of zeros and no wordpieces.
    """

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32]
    weights: NDArray[np.float32]

    @property
    def weighed(self) -> NDArray[np.float32]:
        shares = self.weights / max(float(self.weights.sum()), 1e-6)
        return (self.tokens * shares[:, None]).astype(np.float32, copy=False)


class Model:
    """A model that was loaded, and how text is cut for it. Threads may share it."""

    def __init__(self, tokenizer: WordPiece, session: Any) -> None:
        self.tokenizer = tokenizer
        self.session = session


_MODELS: WeakValueDictionary[str, Model] = WeakValueDictionary()
_VOCABULARIES: WeakValueDictionary[str, WordPiece] = WeakValueDictionary()
_LOADING: dict[str, Lock] = {}


class BundledEmbedder:
    """Loads the model when it is first needed. Threads may share it; `threads` is how many texts are run at a time.

    It can stand for another model, under that one's name, whose vectors are almost the same.
    """

    def __init__(
        self, *, threads: int | None = None, folder: Path = MODEL_FOLDER, stands_for: str | None = None
    ) -> None:
        self._stands_for = stands_for
        self._folder = folder
        self._threads = threads or min(2, os.cpu_count() or 1)
        self._manifest = read_manifest(folder / EMBEDDER)
        self._model: Model | None = None

    @property
    def name(self) -> str:
        return self._stands_for or self._manifest.name

    @property
    def dim(self) -> int:
        return self._manifest.dim

    @property
    def token_dim(self) -> int:
        """How many numbers a single wordpiece's vector has; 0 where the model gives none."""
        return 0 if self._stands_for else self._manifest.token_dim

    @property
    def window(self) -> int:
        """How many wordpieces of a text are seen, the two end marks included."""
        return self._manifest.window

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam
        """Questions and passages are the same to this model."""
        return self._vectors(run_each(self._run, texts, self._threads))

    def embed_tokens(
        self, texts: Sequence[str], *, query: bool = False
    ) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """What `embed` gives, and for each text one small vector for each wordpiece, from the same pass."""
        seen = run_each(self._run, texts, self._threads)
        return self._vectors(seen), [one.weighed if query else one.tokens for one in seen]

    def open(self) -> None:
        """Has the model loaded, for who knows that a text will come."""
        self._opened()

    def _opened(self) -> Model:
        if self._model is None:
            self._model = load_model(self._folder, self._manifest)
        return self._model

    def _vectors(self, seen: Sequence[Seen]) -> NDArray[np.float32]:
        return np.array([one.vector for one in seen], np.float32).reshape(-1, self.dim)

    def _run(self, text: str) -> Seen:
        model = self._opened()
        tokenizer, session = model.tokenizer, model.session
        encoding = tokenizer.encode(to_english(text, tokenizer), self.window)
        if not encoding.readable:
            return Seen(np.zeros(self.dim, np.float32), np.zeros((0, self.token_dim), np.float32), _NO_WEIGHTS)
        try:
            vector, tokens, weights = session.run(_OUTPUTS, {"input_ids": np.array([encoding.ids], np.int64)})
        except RuntimeError as error:
            raise EmbedderError(f"the bundled model failed: {error}") from error
        return Seen(vector[0], tokens[0], weights[0])


def run_each(run: Callable[[str], T], texts: Sequence[str], threads: int) -> list[T]:
    """What comes of each text, several at a time; one by one in a process that is ending: it starts no more threads."""
    if min(len(texts), threads) > 1:
        with suppress(RuntimeError):
            from concurrent.futures import ThreadPoolExecutor  # it cannot be imported then either

            with ThreadPoolExecutor(threads) as pool:
                return list(pool.map(run, texts))
    return [run(text) for text in texts]


def load_model(folder: Path, manifest: Manifest) -> Model:
    """One for all memories of this process, as long as any of them has it; whoever comes meanwhile waits for it."""
    key = f"{(folder / manifest.file).absolute()} {manifest.sha256[manifest.file]}"
    with _LOADING.setdefault(key, Lock()):
        model = _MODELS.get(key)
        if model is None:
            for file, digest in manifest.sha256.items():
                check_file(folder / file, digest)
            words = load_words(folder / WORDS, manifest.sha256[WORDS])
            model = _MODELS[key] = Model(words, open_session(folder / manifest.file))
        return model


def load_words(path: Path, digest: str) -> WordPiece:
    """One vocabulary for all models that read it."""
    key = f"{path.absolute()} {digest}"
    with _LOADING.setdefault(key, Lock()):
        words = _VOCABULARIES.get(key)
        if words is None:
            words = _VOCABULARIES[key] = WordPiece(path.read_bytes().decode().split("\n")[:-1])
        return words


def open_session(path: Path) -> Any:
    """One thread inside a run (texts run side by side instead), and no memory pool that keeps its peak.

    The table of words, a file that a model names, is mapped into memory: all models and processes share its pages.
    """
    # onnxruntime has no types
    options = ort.SessionOptions()  # pyright: ignore[reportUnknownVariableType]
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = ERRORS_ONLY
    try:
        return ort.InferenceSession(str(path), cast(Any, options), providers=["CPUExecutionProvider"])
    except (RuntimeError, ValueError) as error:
        raise EmbedderError(f"{path} cannot be loaded: {error}") from error
