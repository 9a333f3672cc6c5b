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
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recollect.store.distinct import Places, put_behind
from recollect.store.search import Held as HeldTerms
from recollect.store.sql.database import Condition
from recollect.store.sql.findings import TOLD, TOLD_BY, Ints, Terms, number_groups, unpack_terms
from recollect.store.sqlite.database import gather_blobs, part_blobs
from recollect.types import HIDDEN_STATUSES, Filter

_FOREVER = 2**62
_LIST_BYTES = 200  # that a list takes beside its numbers
BEGINS = f"iif(valid_from > recorded_at, valid_from, {-_FOREVER})"  # as `true_at` has it
ENDS = f"coalesce(iif(valid_until <= recorded_at, {-_FOREVER}, valid_until), {_FOREVER})"
IS_HIDDEN = f"status IN ({', '.join(map(repr, HIDDEN_STATUSES))})"
_decode = msgspec.json.Decoder(list[Any]).decode
_COLUMNS = (*TOLD.values(), IS_HIDDEN, BEGINS, ENDS, "records.kind")
_READ = f"""
    SELECT {gather_blobs("lexis.terms")}, {", ".join(f"json_group_array({column})" for column in _COLUMNS)}{TOLD_BY}
    LEFT JOIN lexis ON lexis.version = records.version"""
_ROW = np.dtype([
    ("version", np.int64), ("position", np.int64), ("event_time", np.int64), ("begins", np.int64), ("ends", np.int64),
    ("importance", np.float64), ("confidence", np.float64), ("length", np.float64), ("start", np.int64),
    ("terms", np.int32), ("group", np.int32), ("kind", np.int16), ("replaced", np.bool_), ("hidden", np.bool_),
])  # fmt: skip
"""One version: what ranking is told of it, where its terms begin and how many they are, and what decides whether a
plain filter lets it through: whether it is hidden, from and until when it is true, its kind. Sessions and sources
(`group`) and kinds are numbered.
"""
_Rows: TypeAlias = NDArray[np.void]
Reader: TypeAlias = Callable[[Sequence[int]], list[list[Any]]]
ListReader: TypeAlias = Callable[[Sequence[int]], Sequence[Sequence[int]]]
"""Reads the versions that hold each of some terms."""


def read_told(connection: sqlite3.Connection, condition: Condition) -> list[list[Any]]:
    """What is told of all versions that a condition lets through: their terms, and a list for each column."""
    lengths, held, *columns = connection.execute(f"{_READ} WHERE {condition[0]}", condition[1]).fetchone()
    return [part_blobs(lengths, held), *map(_decode, columns)]


class _Held(Struct, frozen=True, eq=False):
    """All that is known at one moment. What comes later stands behind it, and changes nothing."""

    places: Places
    rows: _Rows
    hashes: NDArray[np.uint32]
    times: NDArray[np.uint8]
    terms: int = 0


class Told:
    """What is told of versions and terms of one space, as far as it was asked for. Safe for threads."""

    def __init__(self) -> None:
        self._held = _Held(Places(), np.empty(0, _ROW), np.empty(0, np.uint32), np.empty(0, np.uint8))
        self._groups: dict[object, int] = {None: -1}
        self._kinds: dict[str, int] = {}
        self._lists: dict[int, Ints] = {}
        self._listed = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """In bytes."""
        held = self._held
        return held.rows.nbytes + held.hashes.nbytes + held.times.nbytes + 12 * len(held.places) + self._listed

    def holding(self, terms: Sequence[int], read: ListReader) -> list[Ints]:
        """The versions that hold each term. Nobody changes these lists."""
        missing = [term for term in terms if term not in self._lists]
        if missing:
            fresh = {term: np.array(one, np.int64) for term, one in zip(missing, read(missing), strict=True)}
            with self._lock:
                self._lists |= fresh
                self._listed += sum(_LIST_BYTES + one.nbytes for one in fresh.values())
        return [self._lists[term] for term in terms]

    def look(self, versions: Ints, where: Filter, now: int, read: Reader) -> tuple[_Rows, Terms, HeldTerms]:
        """Those versions that a plain filter lets through, in their order, with their terms. Of what is not known yet,
        `read` tells what there is.
        """
        held = self._held
        places, there = held.places.find(versions)
        if not there.all():
            held = self._add(read(versions[~there].tolist()))
            places, there = held.places.find(versions)
        rows = held.rows[places if there.all() else places[there]]
        seen = self._seen(rows, where, now)
        rows = rows if seen.all() else rows[seen]
        sizes: NDArray[np.int64] = rows["terms"].astype(np.int64)
        begins: NDArray[np.int64] = rows["start"].copy()
        at = np.arange(int(sizes.sum())) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        terms = held.hashes[at], np.repeat(np.arange(len(rows)), sizes), held.times[at]
        return rows, terms, HeldTerms(held.hashes, begins, begins + sizes)

    def _seen(self, rows: _Rows, where: Filter, now: int) -> NDArray[np.bool_]:
        """Which rows a plain filter lets through."""
        seen = np.ones(len(rows), dtype=np.bool_)
        if where.valid_only:
            seen = ~rows["hidden"] & (rows["begins"] <= now) & (rows["ends"] > now)
        if where.kinds:
            seen &= np.isin(rows["kind"], [self._kinds.get(kind, -1) for kind in where.kinds])
        if where.without_kinds:
            seen &= ~np.isin(rows["kind"], [self._kinds.get(kind, -1) for kind in where.without_kinds])
        return seen

    def _add(self, columns: list[list[Any]]) -> _Held:
        """Takes in what was read, but for what another thread has read meanwhile."""
        blobs, versions, sessions, sources, position, event_time, importance, confidence, replaced, *rest = columns
        hidden, begins, ends, kinds = rest
        hashes, owners, times = unpack_terms(blobs)
        rows = np.empty(len(versions), _ROW)
        told = {
            "version": versions, "position": position, "event_time": event_time, "begins": begins, "ends": ends,
            "importance": importance, "confidence": confidence, "replaced": replaced, "hidden": hidden,
            "length": np.bincount(owners, times, minlength=len(rows)),
            "terms": np.bincount(owners, minlength=len(rows)),
        }  # fmt: skip
        for name, values in told.items():
            rows[name] = values
        with self._lock:
            held = self._held
            rows["group"] = number_groups(sessions, sources, self._groups)
            rows["kind"] = [self._kinds.setdefault(kind, len(self._kinds)) for kind in kinds]
            rows["start"] = held.terms + np.cumsum(rows["terms"]) - rows["terms"]
            fresh = rows[~held.places.find(rows["version"])[1]]
            self._held = held = _Held(
                held.places.extended(fresh["version"]),
                put_behind(held.rows, len(held.places), fresh),
                put_behind(held.hashes, held.terms, hashes),
                put_behind(held.times, held.terms, times),
                held.terms + len(hashes),
            )
        return held
