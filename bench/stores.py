"""Where do stores of a known size come from?

They are filled once, through the library, and kept in the benchmark's folder for the next run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import recollect
from bench.texts import HashedPieces, HashedWords, texts
from recollect.embed.base import Embedder
from recollect.embed.files import MODEL_FOLDER, read_manifest

_BATCH = 10_000
_DONE = "filled"


def open_quiet(home: Path, embedder: Embedder | None = None) -> recollect.Memory:
    """A memory that computes no vectors in the background."""
    settings = recollect.Settings(home=home, embedder="none" if embedder is None else "bundled", embed_delay=1e6)
    return recollect.open(settings=settings, embedder=embedder)


def stand_in() -> HashedWords:
    """Hashed words under the bundled model's name, so that a store of them opens with that model."""
    manifest = read_manifest(MODEL_FOLDER / "manifest.json")
    return HashedWords(manifest.name, manifest.dim)


def stand_in_with_pieces() -> HashedPieces:
    """The same with wordpieces as many numbers long as that model's."""
    manifest = read_manifest(MODEL_FOLDER / "manifest.json")
    return HashedPieces(manifest.name, manifest.dim, manifest.token_dim)


def drafts(count: int, seed: int = 1) -> Iterator[dict[str, object]]:
    """Messages in sessions of 50."""
    for number, text in enumerate(texts(count, seed)):
        yield {"text": text, "session": f"s{number // 50}", "role": ("ada", "ben")[number % 2]}


def filled(folder: Path, name: str, spaces: Mapping[str, int], embedder: Embedder | None = None) -> Path:
    """The home of a store with so many records in each space; a space's name is its seed."""
    home = folder / name
    if (home / _DONE).exists():
        return home
    started = time.perf_counter()
    with open_quiet(home, embedder or stand_in()) as memory:
        for space, count in spaces.items():
            rows = drafts(count, len(space))
            while batch := list(islice(rows, _BATCH)):
                memory.remember_many(batch, space=space)
        written = time.perf_counter()
        memory.embed_waiting()
    (home / _DONE).write_text(f"{written - started:.1f} s records, {time.perf_counter() - written:.1f} s vectors\n")
    return home
