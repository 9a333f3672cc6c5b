"""How is a small space read into memory as a whole, and what does it then answer?

A question over many small spaces would otherwise look up thousands of rows one by one. All spaces that are to be read
are read together, one statement for each table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from recollect.store.distinct import distinct
from recollect.store.halves import widen
from recollect.store.search import NearMatch
from recollect.store.sql.database import Row
from recollect.store.sql.findings import READ_FROM, pack_pieces
from recollect.store.sql.rows import to_json
from recollect.store.sql.where import NOT_EVICTED
from recollect.store.sqlite.cache import Image, Pulse
from recollect.store.sqlite.particulars import COLUMNS, ROW, Columns, make_rows

MOST = 200
"""Records, and vectors, up to which a space is small."""
_COLUMNS = {"space_no": "records.space_no", **COLUMNS, "lexis": "lexis.terms"}
_RECORDS = f"""
    SELECT {", ".join(_COLUMNS.values())}{READ_FROM} LEFT JOIN lexis ON lexis.version = records.version
    WHERE records.space_no IN (SELECT value FROM json_each(?)) AND retired_at IS NULL AND {NOT_EVICTED}
    ORDER BY records.space_no, records.version"""
_COUNTED = """
    SELECT space_no, count(*) FROM signs WHERE model = ? AND space_no IN (SELECT value FROM json_each(?))
    GROUP BY space_no"""
_VECTORS = f"""
    SELECT signs.space_no, signs.version, signs.vector, halves.half, tokens.tokens FROM signs
    JOIN halves ON halves.vector = signs.vector LEFT JOIN tokens ON tokens.vector = signs.vector
    WHERE signs.model = ? AND signs.space_no IN (SELECT value FROM json_each(?))
        AND {NOT_EVICTED.replace("records.", "signs.")}
    ORDER BY signs.space_no, signs.version, signs.vector"""


def read_images(
    connection: sqlite3.Connection, model: int | None, dim: int, pulses: Sequence[Pulse]
) -> dict[int, Image | None]:
    """The images of some spaces, None for one that is too large."""
    small = [pulse.space_no for pulse in pulses if pulse.records <= MOST]
    counted = dict(connection.execute(_COUNTED, (model, to_json(small))).fetchall()) if model is not None else {}
    small = [space_no for space_no in small if counted.get(space_no, 0) <= MOST]
    listed = to_json(small)
    records = _by_space(connection.execute(_RECORDS, (listed,)).fetchall())
    vectors = _by_space(connection.execute(_VECTORS, (model, listed)).fetchall()) if counted else {}
    images = {space_no: _image(records.get(space_no, ()), vectors.get(space_no, ()), dim) for space_no in small}
    return {pulse.space_no: images.get(pulse.space_no) for pulse in pulses}


def _by_space(rows: Iterable[Row]) -> dict[int, list[Row]]:
    return {space_no: list(group) for space_no, group in groupby(rows, itemgetter(0))}


def _image(records: Sequence[Row], vectors: Sequence[Row], dim: int) -> Image:
    columns: Columns = dict.fromkeys(_COLUMNS, ()) | dict(zip(_COLUMNS, zip(*records, strict=True), strict=False))
    kinds = dict[str, int]()
    rows, (hashes, owners, times) = make_rows(columns, {None: -1}, kinds)
    versions: NDArray[np.int64] = rows["version"].copy()
    order = np.argsort(hashes, kind="stable")
    of = np.searchsorted(versions, np.array([row[1] for row in vectors], dtype=np.int64))
    embedded = distinct(of)
    said = [(row[4], home) for row, home in zip(vectors, of.tolist(), strict=True) if row[4] is not None]
    return Image(
        versions=versions,
        rows={name: rows[name].copy() for name in ROW.names or ()},
        kinds=kinds,
        hashes=hashes[order],
        owners=owners[order],
        times=times[order],
        terms=hashes,
        vectors=widen(np.frombuffer(b"".join(row[3] for row in vectors), np.float16)).reshape(-1, dim or 1),
        pieces=NearMatch(versions[of], np.array([row[2] for row in vectors], dtype=np.int64)),
        embedded=embedded,
        starts=np.searchsorted(of, embedded),
        tokens=pack_pieces(said),
    )


def postings(image: Image, terms: NDArray[np.uint32]) -> list[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Of each term the rows that hold it, and how often."""
    first, last = (np.searchsorted(image.hashes, terms, side).tolist() for side in ("left", "right"))
    return [(image.owners[a:b], image.times[a:b]) for a, b in zip(first, last, strict=True)]


def count_terms(image: Image, terms: NDArray[np.uint32]) -> NDArray[np.float64]:
    """How often each row holds each term."""
    counts = np.zeros((len(image.versions), len(terms)))
    for column, (rows, times) in enumerate(postings(image, terms)):
        if len(rows):
            counts[rows, column] = times
    return counts


def cosines(image: Image, vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosine of each row's best piece; NaN for a row without a vector."""
    found = np.full(len(image.versions), np.nan)
    if len(image.embedded):
        values = image.vectors @ vector
        single = len(values) == len(image.embedded)
        found[image.embedded] = values if single else np.maximum.reduceat(values, image.starts)
    return found
