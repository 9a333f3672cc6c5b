"""What of a store is kept in memory, and how does it stay true when others write?

Of a large space the sign bits of its vectors, which only ever grow at their end and are read again once a part of them
is stale; a small space as a whole, and what is told of single versions of a large one, both read again after every
change; and the numbers of single vectors, which never change and go with the sign bits. Whether something changed is
told by two numbers that every transaction writes for the spaces it touched.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recollect.store.distinct import Places, find, put_behind
from recollect.store.search import VECTORS_MB, NearMatch
from recollect.store.sqlite.matrix import Matrix
from recollect.store.sqlite.particulars import Particulars

MatrixReader: TypeAlias = Callable[[int], Sequence[tuple[int, int, bytes]]]
"""Reads number, version and sign bits of the vectors above a number."""
BlobReader: TypeAlias = Callable[[Sequence[int]], Mapping[int, bytes]]
HalvesReader: TypeAlias = Callable[[Sequence[int]], tuple[Sequence[int], bytes]]
"""Reads which of some vectors there are, and their numbers one after another."""

_STALE = 5  # of so many rows of a matrix one being stale is too much
_IMAGE_BYTES = 64_000_000
_TOLD_BYTES = 24_000_000  # of all spaces; a version of twenty words takes 200
_MISSED = 4  # times what there is room for
_TOKENS_BYTES = 8_000_000  # of vectors that are compared again and again
_NUMBER_BYTES = 100  # that each takes beside what it holds


class Pulse(Struct, frozen=True):
    """What a view sees of a space: how much it holds, and how often it has changed."""

    space_no: int
    records: int
    length: int
    changes: int
    gone: int


class Image(Struct, frozen=True, eq=False):
    """A small space as it was at one count of changes: all that is asked about its live versions, by row.

    `rows` are the columns that `particulars.py` keeps, with these numbers of `kinds`. Hashes of terms stand sorted,
    with the row that holds each and how often; `terms` are the same by row. Vectors stand in the order of their rows;
    `starts` is where those of each row in `embedded` begin. `tokens` is what is kept of wordpieces, where those of
    each piece begin, and the row that it belongs to.
    """

    versions: NDArray[np.int64]
    rows: Mapping[str, NDArray[Any]]
    kinds: Mapping[str, int]
    hashes: NDArray[np.uint32]
    owners: NDArray[np.int64]
    times: NDArray[np.uint8]
    terms: NDArray[np.uint32]
    vectors: NDArray[np.float32]
    pieces: NearMatch
    embedded: NDArray[np.int64]
    starts: NDArray[np.int64]
    tokens: tuple[bytes, NDArray[np.int64], NDArray[np.int64]]

    @property
    def size(self) -> int:
        return self.vectors.nbytes + 17 * len(self.hashes) + 150 * len(self.versions) + len(self.tokens[0])


class _Grown:
    """A matrix, and what its space was like when it was read and when it was last extended."""

    def __init__(self, matrix: Matrix, pulse: Pulse) -> None:
        self.matrix = matrix
        self.gone = pulse.gone
        self.changes = pulse.changes


def _size(blob: bytes | None) -> int:
    return _NUMBER_BYTES + len(blob or b"")


class Blobs:
    """What never changes of single vectors, by their numbers: as much as there is room for. Of one that has nothing,
    that is kept too.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._taken = 0
        self._kept: dict[int, bytes | None] = {}
        self._lock = threading.Lock()

    def get(self, numbers: Sequence[int], read: BlobReader) -> list[bytes | None]:
        """Those of each number; None where there are none."""
        kept = self._kept
        missing = [number for number in numbers if number not in kept]
        if not missing:
            return [kept.get(number) for number in numbers]  # another thread may be dropping some
        there = read(missing)
        fresh = {number: there.get(number) for number in missing}
        more = sum(map(_size, fresh.values()))
        with self._lock:
            if self._taken + more > self._room:
                self._kept, self._taken = {}, 0
            if more <= self._room:
                self._kept.update(fresh)
                self._taken += more
        return [fresh[number] if number in fresh else kept.get(number) for number in numbers]

    def drop(self, numbers: NDArray[np.int64]) -> None:
        with self._lock:
            for number in numbers.tolist():
                if number in self._kept:
                    self._taken -= _size(self._kept.pop(number))

    def clear(self) -> None:
        with self._lock:
            self._kept, self._taken = {}, 0


class Halves:
    """The numbers of single vectors of one model, which never change: as many as there is room for."""

    def __init__(self, room: int, dim: int) -> None:
        self._most, self._dim = room // (2 * dim), dim
        self._held = Places(), np.empty((0, dim), dtype=np.float16)
        self._missed = 0
        self._lock = threading.Lock()

    def get(self, vectors: NDArray[np.int64], read: HalvesReader) -> tuple[NDArray[np.float16], NDArray[np.bool_]]:
        """A row for each vector that there is, in their order, and which those are."""
        places, rows = self._held
        at, there = places.find(vectors)
        if there.all():
            return rows[at], there
        numbers, held = read(vectors[~there].tolist())
        fresh = np.array(numbers, dtype=np.int64)
        bits = np.frombuffer(held, dtype=np.float16).reshape(len(fresh), self._dim)
        self._keep(fresh, bits)
        more, new = find(vectors, fresh)
        found = np.empty((len(vectors), self._dim), dtype=np.float16)
        found[there], found[new] = rows[at[there]], bits[more[new]]
        there |= new
        return found if there.all() else found[there], there

    def drop(self, numbers: NDArray[np.int64]) -> None:
        with self._lock:
            places, rows = self._held
            if places.find(numbers)[1].any():
                fewer, stood = places.without(numbers)
                self._held = fewer, rows[stood]

    def _keep(self, numbers: NDArray[np.int64], bits: NDArray[np.float16]) -> None:
        """Begins anew where there is no room, but not before so much was missed that others must be wanted by now."""
        with self._lock:
            places, rows = self._held
            if len(places) + len(numbers) > self._most:
                self._missed += len(numbers)
                if self._missed < _MISSED * self._most or len(numbers) > self._most:
                    return
                places, rows, self._missed = Places(), rows[:0].copy(), 0
            new = ~places.find(numbers)[1]
            self._held = places.extended(numbers[new]), put_behind(rows, len(places), bits[new])


class Cache:
    """What the views of one store share. Safe for threads. One that serves a single transaction makes no images."""

    def __init__(self, *, shared: bool = True, vectors_mb: int = VECTORS_MB) -> None:
        self.shared = shared
        self._vectors_mb = vectors_mb
        self._lock = threading.RLock()
        self._matrices: dict[tuple[int, int, bool], _Grown] = {}
        self._images: OrderedDict[tuple[int | None, int], tuple[int, Image | None, int]] = OrderedDict()
        self._image_bytes = 0
        self._particulars: dict[int, tuple[int, Particulars]] = {}
        self._halves: dict[int, Halves] = {}
        self.tokens = Blobs(_TOKENS_BYTES)
        self._census: tuple[object, ...] = ()

    def heed(self, census: tuple[object, ...], read: Callable[[], tuple[set[int], set[int]]]) -> None:
        """Forgets spaces and models that are no more. A census differs when some came or went; `read` says which."""
        with self._lock:
            if census == self._census:
                return
            spaces, models = read()
            self._matrices = {
                key: grown for key, grown in self._matrices.items() if key[0] in models and key[1] in spaces
            }
            for key in [key for key in self._images if key[1] not in spaces or key[0] not in {*models, None}]:
                self._drop_image(key)
            self._particulars, self._halves = {}, {}
            self.tokens.clear()
            self._census = census

    # Matrices

    def matrix(self, model: int, words: int, pulse: Pulse, read: MatrixReader, *, old: bool) -> Matrix:
        """The sign bits of a space (with those of `old` versions, or without), as far as `read` sees them."""
        key = (model, pulse.space_no, old)
        with self._lock:
            grown = self._matrices.get(key)
            if grown is None or (pulse.gone - grown.gone) * _STALE > len(grown.matrix):
                matrix = Matrix(words)
                matrix.extend(read(0))
                self._matrices[key] = _Grown(matrix, pulse)
                if grown is not None:
                    self._drop_vectors(model, grown.matrix.missing_in(matrix))
                return matrix
            if pulse.changes > grown.changes:
                grown.matrix.extend(read(grown.matrix.last))
                grown.changes = pulse.changes
            return grown.matrix

    def _drop_vectors(self, model: int, gone: NDArray[np.int64]) -> None:
        """What left a space is not asked for again: others take its room, and nothing grows for what only passes."""
        if model in self._halves:
            self._halves[model].drop(gone)
        self.tokens.drop(gone)

    def known_matrix(self, model: int, space_no: int) -> Matrix | None:
        """The sign bits of a space as far as they were read before, if they were."""
        with self._lock:
            grown = self._matrices.get((model, space_no, False))
            return None if grown is None else grown.matrix

    # What is told of single versions

    def particulars(self, pulse: Pulse) -> Particulars:
        """What is known of versions of a space as a view sees it, to be added to; dropped once it has changed."""
        if not self.shared:
            return Particulars()
        with self._lock:
            changes, kept = self._particulars.get(pulse.space_no, (-1, Particulars()))
            if pulse.changes < changes:
                return Particulars()  # of one who looks back
            if pulse.changes > changes or sum(one.size for _, one in self._particulars.values()) > _TOLD_BYTES:
                kept = Particulars()
                self._particulars[pulse.space_no] = (pulse.changes, kept)
            return kept

    def halves(self, model: int, dim: int) -> Halves:
        """The numbers of single vectors of a model."""
        with self._lock:
            return self._halves.setdefault(model, Halves(1_000_000 * self._vectors_mb, dim))

    # Images

    def images(self, model: int | None, pulses: Sequence[Pulse]) -> dict[int, Image | None]:
        """The images of some spaces that are still true; None for a space that is too large to have one."""
        if not self.shared:
            return {pulse.space_no: None for pulse in pulses}
        found: dict[int, Image | None] = {}
        with self._lock:
            for pulse in pulses:
                key = (model, pulse.space_no)
                held = self._images.get(key)
                if held is not None and held[0] == pulse.changes:
                    self._images.move_to_end(key)
                    found[pulse.space_no] = held[1]
        return found

    def keep_image(self, model: int | None, pulse: Pulse, image: Image | None) -> None:
        key, size = (model, pulse.space_no), 0 if image is None else image.size
        with self._lock:
            self._drop_image(key)
            self._images[key] = (pulse.changes, image, size)
            self._image_bytes += size
            while self._image_bytes > _IMAGE_BYTES and len(self._images) > 1:
                self._drop_image(next(iter(self._images)))

    def _drop_image(self, key: tuple[int | None, int]) -> None:
        if key in self._images:
            self._image_bytes -= self._images.pop(key)[2]
