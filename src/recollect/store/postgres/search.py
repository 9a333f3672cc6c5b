"""How does a PostgreSQL store answer what is asked of its words and vectors?

Everything is counted, weighed and compared where it lies, and only what was chosen is sent: a question is a handful of
round trips, however large a space is. What a snapshot has read of some versions it does not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import sqrt
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.store.distinct import distinct, find
from recollect.store.postgres.database import PostgresDatabase, spell_numbers
from recollect.store.postgres.packed import Packed
from recollect.store.postgres.state import State
from recollect.store.postgres.vectors import HEADER, MOST_INDEXED, PostgresVectors, spell_bits, spell_vector
from recollect.store.postgres.words import SPACE_BITS, PostgresWords, by_version
from recollect.store.search import Findings, HeldTerms, Model, NearMatch, Pick, TokenMatch, WordMatch
from recollect.store.sql.database import Condition, Row
from recollect.store.sql.findings import (
    PARTICULARS,
    READ_FROM,
    Floats,
    Ints,
    count_held,
    find_heaviest,
    find_in_all,
    find_pairs,
    match_pieces,
    pack_pieces,
    tell_alike,
    tell_all,
    tell_vectors,
    unpack_terms,
)  # fmt: skip
from recollect.store.sql.where import record_condition
from recollect.types import Filter

_Said: TypeAlias = tuple[NDArray[np.float32], list[bytes]]
"""The vectors of a version, a row for each piece, and what is kept of the wordpieces of those that have some."""

_MOST = 2**31
_COMPARED = 5_000
"""Records of a space up to which all its vectors are compared, rather than those that an index leads to, whatever else
there is, and by their signs first.
"""
_PASSED_OVER = 4_000.0
"""How much longer an index takes for one vector that it passes over, times how many it is asked for."""
_NUMBER = 8  # bytes
_MANY = 200  # candidates
_SURE = 10
"""How many of the very nearest are among the candidates whatever their signs say."""
_LEAST_BREADTH, _MOST_BREADTH, _SPARE = 40, 1_000, 1.1
_COSINE = "-(numbers::@vector.vector OPERATOR(@vector.<#>) ?::@vector.vector) AS cosine"
_NEAR = Packed(piece="i8", version="i8", cosine="f8")
_COSINES = Packed(version="i8", cosine="f8")
_PARTICULARS = Packed(
    version="i8", space_no="i8", origin="i8", position="i8", event_time="i8", since="i8", importance="f8",
    confidence="f8", replaced="?", code="?",
)  # fmt: skip
_NO_ORIGIN = 0
_ORIGIN = f"coalesce(hashtextextended(session, 1), hashtextextended(source, 2), {_NO_ORIGIN})"
"""A number for a session, or source where there is no session, that stands for no other in 2^64."""
_TELL = f"""
    SELECT {_PARTICULARS.sql} FROM (SELECT {", ".join(f"{how} AS {name}" for name, how in PARTICULARS.items())},
    records.space_no, {_ORIGIN} AS origin{READ_FROM}"""
"""The beginning of a query for what is told of candidates; it ends with which these are."""
_TALLIES = """
    SELECT spaces.name, spaces.no, tallies.records, tallies.length FROM spaces
    JOIN tallies ON tallies.space_no = spaces.no WHERE spaces.name = ANY(?::text[]) AND tallies.edition = ?"""
_HOLDING = f"""
    SELECT asked.*, ARRAY(
        SELECT (SELECT int8send(count(*))
                || coalesce(string_agg(int8send(words.version), ''::bytea){{among}}, ''::bytea)
            FROM words WHERE words.keys @> ARRAY[(asked.no << {SPACE_BITS}) | terms.hash] AND words.edition = ?
                AND {{present}})
        FROM unnest(?::bigint[]) WITH ORDINALITY AS terms(hash, place) ORDER BY place)
    FROM ({_TALLIES}) AS asked"""
"""For each word of each space how many versions hold it, and which: eight bytes each, since to weigh them here takes
many times as long as to send them.
"""


class Tally(msgspec.Struct, frozen=True):
    """How much a space holds."""

    no: int
    records: int
    length: int


class PostgresSearch:
    """What one snapshot answers."""

    def __init__(
        self, db: PostgresDatabase, state: State, words: PostgresWords, vectors: PostgresVectors, now: int
    ) -> None:
        self._db = db
        self._state = state
        self._words = words
        self._vectors = vectors
        self._now = now
        known = [] if state.writing else state.spaces or []
        self._tallies = {row[0]: Tally(*row[4:]) for row in known if row[5] is not None}
        self._said: dict[tuple[int, int], _Said] = {}
        self._spelled: tuple[NDArray[np.float32] | None, str] = (None, "")

    def _spaces(self, names: Sequence[str]) -> dict[str, Tally]:
        """Those of some spaces that are there."""
        if self._state.writing:
            self._words.finish()
            if self._words.recounted:
                self._tallies.clear()
                self._words.recounted = False
        if not all(name in self._tallies for name in names) and (self._state.writing or self._state.spaces is None):
            rows = self._db.rows(_TALLIES, (list(names), self._state.edition))
            self._tallies |= {name: Tally(*row) for name, *row in rows}
        return {name: self._tallies[name] for name in names if name in self._tallies}

    def _spell(self, vector: NDArray[np.float32]) -> str:
        """A vector as PostgreSQL reads it, which several questions about it have in them."""
        known, spelled = self._spelled
        if known is not vector:
            spelled = spell_vector(vector)
            self._spelled = vector, spelled
        return spelled

    def _model(self, no: int) -> Model:
        return next(model for model in self._vectors.models() if model.no == no)

    def _allowed(self, numbers: Sequence[int], filter: Filter) -> Condition:
        """The versions that a filter lets through, as a query."""
        condition, values = record_condition(self._db, filter, numbers, self._now)
        return f"SELECT records.version FROM records WHERE {condition}", values

    def _present(self, table: str, where: Filter) -> str:
        return self._words.present(table) if where.as_of is None else "true"

    # Words

    def words(
        self, spaces: Sequence[str], terms: Sequence[int], where: Filter, most: int | None, *, exact: bool, every: bool
    ) -> dict[str, WordMatch]:
        if every and not terms:
            return {name: self._all(tally, where) for name, tally in self._spaces(spaces).items()}
        self._words.finish()
        edition, among, listed = self._state.edition, "", list[object]()
        if exact:
            allowed, listed = self._allowed([tally.no for tally in self._spaces(spaces).values()], where)
            among = f" FILTER (WHERE words.version IN ({allowed}))"
        rows = self._db.rows(
            _HOLDING.format(present=self._present("words", where), among=among),
            [*listed, edition, spell_numbers(terms), list(spaces), edition],
        )
        self._tallies |= {name: Tally(*row) for name, *row, _ in rows}
        found: dict[str, WordMatch] = {}
        for name, _, records, length, held in rows:
            df = [int.from_bytes(one[:_NUMBER]) for one in held]
            lists = [np.frombuffer(one[_NUMBER:], dtype=">i8").astype(np.int64) for one in held]
            versions, more = find_in_all(lists) if every else find_heaviest(lists, df, records, most)
            found[name] = WordMatch(versions, np.array(df, dtype=np.float64), records, length, more)
        return {space: found[space] for space in spaces if space in found}

    def _all(self, tally: Tally, where: Filter) -> WordMatch:
        sql, values = self._allowed([tally.no], where)
        versions = np.array(self._db.columns(["version"], sql, values)[0], dtype=np.int64)
        return WordMatch(versions, np.zeros(0), tally.records, tally.length)

    # Vectors

    def near(
        self, spaces: Sequence[str], model: int, vector: NDArray[np.float32], where: Filter, most: int, *, exact: bool
    ) -> dict[str, NearMatch]:
        tallies = self._spaces(spaces)
        wanted = most if where.as_of is None else 2 * most
        bound = self._few() if self._model(model).dim <= MOST_INDEXED else _MOST
        few = [tally for tally in tallies.values() if tally.records <= bound]
        many = [tally for tally in tallies.values() if tally.records > bound]
        asks = [
            partial(self._compare_all, few, model, vector, where, wanted, exact=exact, apart=not many),
            *(partial(self._compare_some, one, model, vector, where, wanted, bound, exact=exact) for one in many),
        ]
        found = {no: near for some in self._db.together(asks) for no, near in some.items()}
        return {name: found[tally.no] for name, tally in tallies.items()}

    def _few(self) -> int:
        """How many vectors are compared one by one as fast as an index finds the best of a space among all spaces.

        An index has to pass over those of others: the smaller the part that a space is of all, the more of them.
        """
        return max(_COMPARED, int(sqrt(_PASSED_OVER * max(self._state.pieces, 0.0))))

    def _compare_all(
        self,
        tallies: Sequence[Tally],
        model: int,
        vector: NDArray[np.float32],
        where: Filter,
        most: int,
        *,
        exact: bool,
        among: Condition | None = None,
        apart: bool = False,
    ) -> dict[int, NearMatch]:
        """Compares all vectors of some spaces; of those alone that a filter lets through, where it is to be `exact`.

        In a small space it compares their signs first, as SQLite does, which finds the same; in others this would take
        longer than it is worth.
        """
        if exact and among is None:
            among = self._allowed([tally.no for tally in tallies], where)
        allowed, listed = ("", []) if among is None else (f" AND version IN ({among[0]})", among[1])
        held = (
            "(SELECT piece FROM pieces WHERE space_no = no AND model = ?"
            f" AND {self._present('pieces', where)}{allowed} ORDER BY"
        )
        first: list[object] = [model, *listed]
        numbers = f"{held} numbers OPERATOR(@vector.<#>) ?::@vector.halfvec, version, piece LIMIT ?)"
        signs = f"{held} bit_count(bits # ?::varbit), version, piece LIMIT ?)"
        spelled = self._spell(vector)
        small = [tally.no for tally in tallies if tally.records <= _COMPARED]
        large = [tally.no for tally in tallies if tally.records > _COMPARED]
        asked: list[tuple[str, list[object]]] = []
        if small:
            bits = spell_bits(vector, self._model(model).mean)
            asked.append(
                (_best_of(f"{signs} UNION {numbers}"),
                 [spelled, *first, bits, most, *first, spelled, _SURE, spell_numbers(small)])
            )  # fmt: skip
        if large:
            sql = self._db.takes_long(_best_of(numbers)) if apart else _best_of(numbers)
            asked.append((sql, [spelled, *first, spelled, most, spell_numbers(large)]))
        answers = self._db.together([partial(self._db.rows, *one) for one in asked])
        return {number: _near_match(sent, most) for rows in answers for number, sent in rows}

    def _compare_some(
        self,
        tally: Tally,
        model: int,
        vector: NDArray[np.float32],
        where: Filter,
        most: int,
        bound: int,
        *,
        exact: bool,
    ) -> dict[int, NearMatch]:
        """Has the index lead to the nearest vectors of a large space; few that a filter lets through are compared."""
        allowed, listed = "", []
        if exact:
            sql, values = self._allowed([tally.no], where)
            some = self._db.columns(["version"], f"{sql} LIMIT ?", [*values, bound + 1])[0]
            if len(some) <= bound:
                among: Condition = ("SELECT unnest(?::bigint[])", [spell_numbers(some)])
                return self._compare_all([tally], model, vector, where, most, exact=True, among=among)
            condition, listed = record_condition(self._db, where, [tally.no], self._now)
            allowed = f" AND EXISTS(SELECT 1 FROM records WHERE records.version = pieces.version AND {condition})"
        dim, spelled = self._model(model).dim, self._spell(vector)
        self._db.run(f"SET LOCAL hnsw.ef_search = {self._breadth(tally, most)}")
        sql = (
            f"SELECT {_NEAR.sql} FROM (SELECT piece, version, {_COSINE} FROM pieces"
            f" WHERE model = {model} AND space_no = ? AND {self._present('pieces', where)}{allowed}"
            f" ORDER BY numbers::@vector.halfvec({dim}) OPERATOR(@vector.<#>) ?::@vector.halfvec({dim})"
            " LIMIT ?) AS near"
        )
        rows = self._db.rows(self._db.takes_long(sql), (spelled, tally.no, *listed, spelled, most))
        return {tally.no: _near_match(rows[0][0], most)}

    def _breadth(self, tally: Tally, most: int) -> int:
        """How many vectors the index is to look at, at first, for so many of a space to be among them.

        Where they are not it goes on, and each time costs as much as the first.
        """
        share = tally.records / max(self._state.pieces, tally.records, 1.0)
        return max(_LEAST_BREADTH, min(_MOST_BREADTH, int(_SPARE * most / share)))

    def pairs(
        self, space: str, model: int, least: float, where: Filter, stop: Callable[[], bool]
    ) -> list[tuple[int, int, float]]:
        tally = self._spaces([space]).get(space)
        if tally is None:
            return []
        known = self._model(model)
        allowed, values = self._allowed([tally.no], where)
        versions, bits = self._db.columns(
            ["version", "bits"],
            "SELECT version, varbit_send(bits) AS bits FROM pieces"
            f" WHERE space_no = ? AND model = ? AND {self._present('pieces', where)} AND version IN ({allowed})"
            " ORDER BY version, piece",
            (tally.no, model, *values),
        )
        if not versions:
            return []
        width = -(-known.dim // 64) * 8
        packed = b"".join([one[HEADER:].ljust(width, b"\0") for one in bits])
        rows = np.frombuffer(packed, dtype=np.uint64).reshape(len(versions), -1)
        chosen = np.array(versions, dtype=np.int64)
        return find_pairs(chosen, rows, known, least, stop, lambda some: self._numbers(model, some))

    def _numbers(self, model: int, versions: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        return {version: said[0] for version, said in self._read(model, versions).items()}

    def _read(self, model: int, versions: Sequence[int]) -> dict[int, _Said]:
        """The vectors and wordpieces of those versions that have some."""
        if self._state.writing:
            self._said.clear()
        missing = [version for version in versions if (model, version) not in self._said]
        if missing:
            rows = self._db.rows(
                "SELECT pieces.version, @vector.halfvec_send(numbers), tokens.tokens FROM pieces"
                " LEFT JOIN tokens ON tokens.piece = pieces.piece"
                " WHERE pieces.version = ANY(?::bigint[]) AND pieces.model = ? ORDER BY pieces.piece",
                (spell_numbers(missing), model),
            )
            numbers = _numbers(rows, self._model(model).dim)
            held: dict[int, list[int]] = {version: [] for version in missing}
            for place, row in enumerate(rows):
                held[row[0]].append(place)
            for version, places in held.items():
                tokens = [rows[place][2] for place in places if rows[place][2] is not None]
                self._said[model, version] = numbers[places], tokens
        found = {version: self._said[model, version] for version in versions}
        return {version: said for version, said in found.items() if len(said[0])}

    # Candidates

    def signals(
        self,
        picks: Mapping[str, Pick],
        where: Filter,
        terms: Sequence[int],
        model: int | None,
        vector: NDArray[np.float32] | None,
    ) -> dict[str, Findings]:
        tallies = self._spaces(list(picks))
        versions = _join([picks[name].versions for name in tallies])
        near = [near for name in tallies if (near := picks[name].near) is not None and near.cosines is not None]
        asked = [
            self._ask_told(versions, where, [tally.no for tally in tallies.values()]),
            self._words.ask_held(versions),
            *self._ask_cosines(versions, near, model, vector),
        ]
        told, held, *compared = self._db.together([partial(self._db.rows, *one) for one in asked])
        rows = _PARTICULARS.read(told[0][0])
        cosine = np.full(len(rows), np.nan)
        if model is not None and vector is not None:
            cosine = _best_cosines(rows["version"].astype(np.int64), near, compared)
        seen, hashes = by_version(held), np.array(terms, dtype=np.uint32)
        found: dict[str, Findings] = {}
        for name, tally in tallies.items():
            own = np.flatnonzero(rows["space_no"] == tally.no)
            found[name] = _findings(rows[own], cosine[own], seen, hashes)
        return found

    def _ask_told(self, versions: Ints, where: Filter, spaces: Sequence[int]) -> Condition:
        """What records tell of those of some versions that a filter lets through."""
        among = msgspec.structs.replace(where, versions=tuple(versions.tolist()))
        condition, values = record_condition(self._db, among, spaces, self._now)
        sql = f"{_TELL} WHERE {condition} ORDER BY records.version) AS told"
        return self._db.takes_long(sql) if len(versions) > _MANY else sql, values

    def _ask_cosines(
        self, versions: Ints, near: Sequence[NearMatch], model: int | None, vector: NDArray[np.float32] | None
    ) -> list[Condition]:
        """The cosines of those versions that were not compared already."""
        if model is None or vector is None:
            return []
        others = versions[~find(versions, distinct(_join([one.versions for one in near])))[1]]
        compared = f"SELECT version, {_COSINE} FROM pieces WHERE version = ANY(?::bigint[]) AND model = ?"
        values: list[object] = [self._spell(vector), spell_numbers(others.tolist()), model]
        return [(f"SELECT {_COSINES.sql} FROM ({compared}) AS compared", values)] if len(others) else []

    def compare(
        self,
        picks: Mapping[str, Pick],
        model: int | None,
        vector: NDArray[np.float32] | None,
        tokens: NDArray[np.float32] | None,
        *,
        alike: bool,
    ) -> dict[str, Findings]:
        tallies = self._spaces(list(picks))
        wanted = [version for name in tallies for version in picks[name].versions.tolist()]
        said = {} if model is None else self._read(model, wanted)
        found: dict[str, Findings] = {}
        for name in tallies:
            versions = picks[name].versions
            own = [said.get(version) for version in versions.tolist()]
            late = None if tokens is None or model is None else _late(tokens, own)
            nearness = None
            if alike and model is not None:
                none = np.zeros((1, self._model(model).dim), dtype=np.float32)
                nearness = tell_alike(
                    np.concatenate([none if one is None else one[0][:1] for one in own] or [none[:0]])
                )
            found[name] = tell_vectors(versions, _cosines(own, vector), late, nearness)
        return found


def _join(lists: Sequence[Ints]) -> Ints:
    return np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)


def _best_of(pieces: str) -> str:
    """Some pieces of each space, with how near they are: their numbers are read when it is clear which ones they are,
    since to sort rows takes the longer the more there is in them.
    """
    best = f"SELECT piece, version, {_COSINE} FROM ({pieces}) AS best JOIN pieces USING(piece)"
    return f"SELECT no, (SELECT {_NEAR.sql} FROM ({best}) AS near) FROM unnest(?::bigint[]) AS asked(no)"


def _near_match(sent: bytes, most: int) -> NearMatch:
    """Some pieces and their versions, of which so many were asked for."""
    rows = _NEAR.read(sent)
    versions, pieces = rows["version"].astype(np.int64), rows["piece"].astype(np.int64)
    return NearMatch(versions, pieces, len(rows) >= most, rows["cosine"].astype(np.float64))


def _best_cosines(versions: Ints, near: Sequence[NearMatch], compared: Sequence[Sequence[Row]]) -> Floats:
    """The cosine of each version's best piece, NaN for none: of those that lie near, and of those compared since."""
    more = _COSINES.read(b"".join([rows[0][0] for rows in compared]))
    owners = _join([*(one.versions for one in near), more["version"].astype(np.int64)])
    cosines = np.concatenate([*(one.cosines for one in near if one.cosines is not None), more["cosine"]])
    places, there = find(owners, versions)
    best = np.full(len(versions), -np.inf)
    np.maximum.at(best, places[there], cosines[there])
    return np.where(np.isinf(best), np.nan, best)


def _number_groups(origins: Ints) -> Ints:
    """A number for each origin from 0 on, and -1 for none."""
    known = distinct(origins[origins != _NO_ORIGIN])
    return np.where(origins == _NO_ORIGIN, -1, np.searchsorted(known, origins))


def _findings(
    rows: NDArray[np.void], cosine: Floats, seen: Mapping[int, tuple[bytes, str]], terms: NDArray[np.uint32]
) -> Findings:
    versions = rows["version"].astype(np.int64)
    held = unpack_terms([None if (own := seen.get(version)) is None else own[0] for version in versions.tolist()])
    first = np.searchsorted(held[1], np.arange(len(rows) + 1))
    known = len(held[0]) and len(terms)
    return tell_all(
        rows,
        group=_number_groups(rows["origin"].astype(np.int64)),
        tf=count_held(held, terms, len(rows)),
        length=np.bincount(held[1], held[2], minlength=len(rows)).astype(np.float64) if known else None,
        cosine=cosine,
        held=HeldTerms(held[0], first[:-1], first[1:]),
    )


def _numbers(rows: Sequence[Row], dim: int) -> NDArray[np.float32]:
    """The vectors of rows of versions and what PostgreSQL sent."""
    sent = np.frombuffer(b"".join([row[1][HEADER:] for row in rows]), dtype=">f2")
    return sent.reshape(len(rows), dim).astype(np.float32)


def _cosines(said: Sequence[_Said | None], vector: NDArray[np.float32] | None) -> Floats:
    """The cosine of each version's best piece, NaN for none."""
    if vector is None:
        return np.full(len(said), np.nan)
    return np.array([np.nan if one is None else (one[0] @ vector).max() for one in said], dtype=np.float64)


def _late(tokens: NDArray[np.float32], said: Sequence[_Said | None]) -> TokenMatch:
    pieces = [(piece, row) for row, one in enumerate(said) if one is not None for piece in one[1]]
    return match_pieces(tokens, pack_pieces(pieces), len(said))
