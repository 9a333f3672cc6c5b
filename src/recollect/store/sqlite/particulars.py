"""What is told of single versions and terms of a large space, and how long does it stay true?

A question looks at some hundred candidates, and the next one at many of the same; most questions have a word in common,
and the more common it is the longer is the list of who holds it. What was read holds until the space changes, however
it does. What is told of versions stands in columns, so that what is told of all candidates of a question is
taken out at once. All of it is read in one row: between two rows SQLite lets other threads run, and waits for its turn
again.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recollect.store.distinct import Places, put_behind
from recollect.store.search import HeldTerms
from recollect.store.sql.database import Condition
from recollect.store.sql.findings import PARTICULARS, READ_FROM, Ints, Rows, Terms, number_groups, unpack_terms
from recollect.store.sqlite.database import gather_blobs, part_blobs
from recollect.types import HIDDEN_STATUSES, Filter

_FOREVER = 2**62
_LIST_BYTES = 200  # that a list takes beside its numbers
BEGINS = f"iif(valid_from > recorded_at, valid_from, {-_FOREVER})"  # as `true_at` has it
ENDS = f"coalesce(iif(valid_until <= recorded_at, {-_FOREVER}, valid_until), {_FOREVER})"
IS_HIDDEN = f"status IN ({', '.join(map(repr, HIDDEN_STATUSES))})"
_decode = msgspec.json.Decoder(list[Any]).decode
COLUMNS = {**PARTICULARS, "hidden": IS_HIDDEN, "begins": BEGINS, "ends": ENDS, "kind": "records.kind"}
_READ = f"""
    SELECT {gather_blobs("lexis.terms")}, {", ".join(f"json_group_array({how})" for how in COLUMNS.values())}{READ_FROM}
    LEFT JOIN lexis ON lexis.version = records.version"""
ROW = np.dtype([
    ("version", np.int64), ("position", np.int64), ("event_time", np.int64), ("since", np.int64),
    ("begins", np.int64), ("ends", np.int64),
    ("importance", np.float64), ("confidence", np.float64), ("length", np.float64), ("start", np.int64),
    ("terms", np.int32), ("group", np.int32), ("kind", np.int16), ("replaced", np.bool_), ("code", np.bool_),
    ("hidden", np.bool_),
])  # fmt: skip
"""One version: what ranking is told of it, where its terms begin and how many they are, and what decides whether a
plain filter lets it through: whether it is hidden, from and until when it is true, its kind. Sessions and sources
(`group`) and kinds are numbered.
"""
_PLAIN = tuple(name for name in ROW.names or () if name in COLUMNS and name != "kind")
"""Columns that are kept as they are read."""
Columns: TypeAlias = Mapping[str, Sequence[Any]]
Reader: TypeAlias = Callable[[Sequence[int]], Columns]
ListReader: TypeAlias = Callable[[Sequence[int]], Sequence[Sequence[int]]]
"""Reads the versions that hold each of some terms."""


def read_particulars(connection: sqlite3.Connection, condition: Condition) -> Columns:
    """What is told of all versions that a condition lets through: a list for each column, and their terms (`lexis`)."""
    lengths, held, *columns = connection.execute(f"{_READ} WHERE {condition[0]}", condition[1]).fetchone()
    return {"lexis": part_blobs(lengths, held), **dict(zip(COLUMNS, map(_decode, columns), strict=True))}


def make_rows(columns: Columns, groups: dict[object, int], kinds: dict[str, int]) -> tuple[NDArray[np.void], Terms]:
    """A row for each version that was read, and their terms; sessions, sources and kinds that are new get numbers."""
    hashes, owners, times = unpack_terms(columns["lexis"])
    rows = np.empty(len(columns["version"]), ROW)
    for name in _PLAIN:
        rows[name] = columns[name]
    rows["length"] = np.bincount(owners, times, minlength=len(rows))
    rows["terms"] = np.bincount(owners, minlength=len(rows))
    rows["start"] = np.cumsum(rows["terms"]) - rows["terms"]
    rows["group"] = number_groups(columns["session"], columns["source"], groups)
    rows["kind"] = [kinds.setdefault(kind, len(kinds)) for kind in columns["kind"]]
    return rows, (hashes, owners, times)


def let_through(rows: Rows, kinds: Mapping[str, int], where: Filter, now: int) -> NDArray[np.bool_]:
    """Which rows a plain filter lets through, whose kinds have these numbers."""
    hidden, kind_of = rows["hidden"], rows["kind"]
    if where.valid_only:
        seen = ~hidden & (rows["begins"] <= now) & (rows["ends"] > now)
    else:
        seen = np.ones(len(hidden), dtype=np.bool_)
    if where.kinds:
        asked = np.zeros(len(hidden), dtype=np.bool_)
        for kind in where.kinds:
            asked |= kind_of == kinds.get(kind, -1)
        seen &= asked
    for kind in where.without_kinds:
        if kind in kinds:
            seen &= kind_of != kinds[kind]
    return seen


class _Known(Struct, frozen=True, eq=False):
    """All that is known at one moment. What comes later stands behind it, and changes nothing."""

    places: Places
    rows: NDArray[np.void]
    hashes: NDArray[np.uint32]
    times: NDArray[np.uint8]
    terms: int = 0


class Particulars:
    """What is told of versions and terms of one space, as far as it was asked for. Safe for threads."""

    def __init__(self) -> None:
        self._known = _Known(Places(), np.empty(0, ROW), np.empty(0, np.uint32), np.empty(0, np.uint8))
        self._groups: dict[object, int] = {None: -1}
        self._kinds: dict[str, int] = {}
        self._lists: dict[int, Ints] = {}
        self._listed = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """In bytes."""
        known = self._known
        return known.rows.nbytes + known.hashes.nbytes + known.times.nbytes + 12 * len(known.places) + self._listed

    def holding(self, terms: Sequence[int], read: ListReader) -> list[Ints]:
        """The versions that hold each term. Nobody changes these lists."""
        missing = [term for term in terms if term not in self._lists]
        if missing:
            fresh = {term: np.array(one, np.int64) for term, one in zip(missing, read(missing), strict=True)}
            with self._lock:
                self._lists |= fresh
                self._listed += sum(_LIST_BYTES + one.nbytes for one in fresh.values())
        return [self._lists[term] for term in terms]

    def look(self, versions: Ints, where: Filter, now: int, read: Reader) -> tuple[NDArray[np.void], Terms, HeldTerms]:
        """Those versions that a plain filter lets through, in their order, with their terms. Of what is not known yet,
        `read` tells what there is.
        """
        known = self._known
        places, there = known.places.find(versions)
        if not there.all():
            known = self._add(read(versions[~there].tolist()))
            places, there = known.places.find(versions)
        rows = known.rows[places if there.all() else places[there]]
        seen = let_through(rows, self._kinds, where, now)
        rows = rows if seen.all() else rows[seen]
        sizes: NDArray[np.int64] = rows["terms"].astype(np.int64)
        begins: NDArray[np.int64] = rows["start"].copy()
        at = np.arange(int(sizes.sum())) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        terms = known.hashes[at], np.repeat(np.arange(len(rows)), sizes), known.times[at]
        return rows, terms, HeldTerms(known.hashes, begins, begins + sizes)

    def _add(self, columns: Columns) -> _Known:
        """Takes in what was read, but for what another thread has read meanwhile."""
        with self._lock:
            known = self._known
            rows, (hashes, _, times) = make_rows(columns, self._groups, self._kinds)
            rows["start"] += known.terms
            fresh = rows[~known.places.find(rows["version"])[1]]
            self._known = known = _Known(
                known.places.extended(fresh["version"]),
                put_behind(known.rows, len(known.places), fresh),
                put_behind(known.hashes, known.terms, hashes),
                put_behind(known.times, known.terms, times),
                known.terms + len(hashes),
            )
        return known
