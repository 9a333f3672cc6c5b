"""How does the model that ships inside the package turn text into vectors?

Our own, made from all-MiniLM-L6-v2, in int8 (docs/embed.md), run by onnxruntime. Texts run one by one, on a few
threads: that is as fast as padded batches on a CPU, needs little memory, and gives a text the same vector
whatever stands beside it. The model's files are not opened before the first text.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

import msgspec
import numpy as np

from recollect.embed.glosses import to_english
from recollect.embed.wordpiece import WordPiece
from recollect.environment import report_nothing
from recollect.errors import EmbedderError
from recollect.forms import decode

report_nothing()
import onnxruntime as ort  # noqa: E402 - it reports when it is loaded

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_FOLDER = Path(__file__).parent / "model"
CURE = "reinstall Recollect"
ERRORS_ONLY = 3


class Manifest(msgspec.Struct, frozen=True):
    """The part of manifest.json that matters at run time."""

    name: str
    dim: int
    window: int
    sha256: dict[str, str]
    token_dim: int = 0

    @property
    def file(self) -> str:
        """The one of its files that is the model itself."""
        return next(file for file in self.sha256 if file.endswith(".onnx"))


STOCK = "all-MiniLM-L6-v2-int8"
"""The model that earlier stores have vectors of. Ours was held near it: cosines of the same text are 0.98."""
_OUTPUTS = ["sentence_vector", "token_vectors", "token_weights"]
_NO_WEIGHTS = np.zeros(0, np.float32)


class Seen(msgspec.Struct, frozen=True, eq=False):
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
        self._manifest = read_manifest(folder / "manifest.json")
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
        return self._vectors(self._run_all(texts))

    def embed_tokens(
        self, texts: Sequence[str], *, query: bool = False
    ) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """What `embed` gives, and for each text one small vector for each wordpiece, from the same pass."""
        seen = self._run_all(texts)
        return self._vectors(seen), [one.weighed if query else one.tokens for one in seen]

    def _vectors(self, seen: Sequence[Seen]) -> NDArray[np.float32]:
        return np.array([one.vector for one in seen], np.float32).reshape(-1, self.dim)

    def _run_all(self, texts: Sequence[str]) -> list[Seen]:
        if min(len(texts), self._threads) < 2:
            return [self._run(text) for text in texts]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self._run, texts))

    def _run(self, text: str) -> Seen:
        if self._model is None:
            self._model = load_model(self._folder, self._manifest)
        tokenizer, session = self._model.tokenizer, self._model.session
        encoding = tokenizer.encode(to_english(text, tokenizer), self.window)
        if not encoding.readable:
            return Seen(np.zeros(self.dim, np.float32), np.zeros((0, self.token_dim), np.float32), _NO_WEIGHTS)
        try:
            vector, tokens, weights = session.run(_OUTPUTS, {"input_ids": np.array([encoding.ids], np.int64)})
        except RuntimeError as error:
            raise EmbedderError(f"the bundled model failed: {error}") from error
        return Seen(vector[0], tokens[0], weights[0])


def load_model(folder: Path, manifest: Manifest) -> Model:
    """One for all memories of this process, as long as any of them has it; whoever comes meanwhile waits for it."""
    key = f"{(folder / manifest.file).absolute()} {manifest.sha256[manifest.file]}"
    with _LOADING.setdefault(key, Lock()):
        model = _MODELS.get(key)
        if model is None:
            for file, digest in manifest.sha256.items():
                check_file(folder / file, digest)
            words = (folder / "vocab.txt").read_text("utf-8").split("\n")[:-1]
            model = _MODELS[key] = Model(WordPiece(words), open_session(folder / manifest.file))
        return model


def read_manifest(path: Path) -> Manifest:
    try:
        return decode(path.read_bytes(), Manifest)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EmbedderError(f"a model's manifest cannot be read ({path}: {error}); {CURE}") from error


def check_file(path: Path, digest: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read ({error.strerror}); {CURE}") from error
    if found != digest:
        raise EmbedderError(f"{path} is damaged (its hash differs); {CURE}")


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
