"""What are the files of the bundled models, and are they whole?

Nothing here is slow to import: a model's files are read before the libraries are loaded that run it.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

import msgspec

from recollect.errors import EmbedderError
from recollect.forms import decode

MODEL_FOLDER = Path(__file__).parent / "model"
EMBEDDER, RERANKER = "manifest.json", "reranker.json"
WORDS = "vocab.txt"
CURE = "reinstall Recollect"
_HASHES: dict[str, tuple[tuple[int, int, int], str]] = {}
"""Of each file the hash, and of which state of it: models share files, and are opened at the same time."""
_HASHING: dict[str, Lock] = {}


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


def read_manifest(path: Path) -> Manifest:
    try:
        return decode(path.read_bytes(), Manifest)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EmbedderError(f"a model's manifest cannot be read ({path}: {error}); {CURE}") from error


def check_file(path: Path, digest: str) -> None:
    try:
        found = _hash_of(path)
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read ({error.strerror}); {CURE}") from error
    if found != digest:
        raise EmbedderError(f"{path} is damaged (its hash differs); {CURE}")


def read_ahead(manifest: str, folder: Path = MODEL_FOLDER) -> None:
    """Reads the files of a model that is about to be opened: who opens it has less to do, or tells what is wrong."""
    with suppress(OSError, EmbedderError):
        for file in read_manifest(folder / manifest).sha256:
            _hash_of(folder / file)


def _hash_of(path: Path) -> str:
    """In one go over mapped memory, so that other threads run meanwhile; once, as long as nobody writes to the file."""
    key = str(path.absolute())
    with _HASHING.setdefault(key, Lock()), path.open("rb") as file:
        about = os.fstat(file.fileno())
        state = (about.st_ino, about.st_size, about.st_mtime_ns)
        known = _HASHES.get(key)
        if known is None or known[0] != state:
            known = _HASHES[key] = (state, _digest(file.fileno()) if about.st_size else "")
        return known[1]


def _digest(number: int) -> str:
    with mmap.mmap(number, 0, access=mmap.ACCESS_READ) as content:
        return hashlib.sha256(content).hexdigest()
