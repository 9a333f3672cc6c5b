"""How does a PostgreSQL store answer what is asked of its words and vectors?

Everything is counted, weighed and compared where it lies, and only what was chosen is sent: a question is a handful of
round trips, however large a space is. What a snapshot has read of some versions it does not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.store.postgres.database import PostgresDatabase
from recollect.store.postgres.state import State
from recollect.store.postgres.vectors import HEADER, MOST_INDEXED, PostgresVectors, spell_bits, spell_vector
from recollect.store.postgres.words import SPACE_BITS, PostgresWords
from recollect.store.search import Findings, Model, NearMatch, Pick, TokenMatch, WordMatch
from recollect.store.sql.database import Condition, Row
from recollect.store.sql.findings import (
    WEIGHT,
    Floats,
    find_pairs,
    match_pieces,
    pack_pieces,
    select_candidates,
    tell_alike,
    tell_candidates,
    tell_vectors,
)  # fmt: skip
from recollect.store.sql.rows import to_lexis
from recollect.store.sql.where import record_condition
from recollect.types import Filter

_Said: TypeAlias = tuple[NDArray[np.float32], list[bytes]]
"""The vectors of a version, a row for each piece, and what is kept of the wordpieces of those that have some."""

_MOST = 2**31
_COMPARED = 5_000
"""Records of a space up to which all its vectors are compared, rather than those that an index leads to."""
_PASSED_OVER = 4_000.0
"""How much longer an index takes for one vector that it passes over, times how many it is asked for."""
_SURE = 10
"""How many of the very nearest are among the candidates whatever their signs say."""
_TALLIES = """
    SELECT spaces.name, spaces.no, tallies.records, tallies.length FROM spaces
    JOIN tallies ON tallies.space_no = spaces.no WHERE spaces.name = ANY(?::text[]) AND tallies.edition = ?"""
_HELD = f"""
    asked AS MATERIALIZED ({_TALLIES}),
    terms AS (SELECT * FROM unnest(?::bigint[]) WITH ORDINALITY AS terms(hash, place)),
    held AS MATERIALIZED (
        SELECT asked.no, terms.place, found.version FROM asked CROSS JOIN terms CROSS JOIN LATERAL (
            SELECT words.version FROM words
            WHERE words.keys @> ARRAY[(asked.no << {SPACE_BITS}) | terms.hash] AND words.edition = ? AND {{present}}
        ) AS found),
    sizes AS (SELECT no, place, count(*) AS size FROM held GROUP BY no, place)"""
_HEAVIEST = f"""
    WITH {_HELD},
    weights AS (
        SELECT no, place, round({WEIGHT} * ln(1 + (asked.records - size + 0.5::float8) / (size + 0.5::float8)))::bigint
            AS weight FROM sizes JOIN asked USING(no)),
    scored AS (
        SELECT no, version, sum(weight) AS weight FROM held JOIN weights USING(no, place) {{among}}
        GROUP BY no, version)
    SELECT asked.*, {{sizes}}, ARRAY(
        SELECT version FROM scored WHERE scored.no = asked.no ORDER BY weight DESC, version DESC LIMIT ?) FROM asked"""
_IN_ALL = f"""
    WITH {_HELD},
    scored AS (SELECT no, version FROM held {{among}} GROUP BY no, version HAVING count(*) = ?)
    SELECT asked.*, {{sizes}}, ARRAY(
        SELECT version FROM scored WHERE scored.no = asked.no ORDER BY version) FROM asked"""
_SIZES = """ARRAY(
        SELECT coalesce(size, 0) FROM terms LEFT JOIN sizes ON sizes.place = terms.place AND sizes.no = asked.no
        ORDER BY terms.place)"""


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

    def _spaces(self, names: Sequence[str]) -> dict[str, Tally]:
        """Those of some spaces that are there."""
        if self._state.writing:
            self._tallies.clear()
            self._words.finish()
        if not all(name in self._tallies for name in names) and (self._state.writing or self._state.spaces is None):
            rows = self._db.rows(_TALLIES, (list(names), self._state.edition))
            self._tallies |= {name: Tally(*row) for name, *row in rows}
        return {name: self._tallies[name] for name in names if name in self._tallies}

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
        edition = self._state.edition
        values: list[object] = [list(spaces), edition, list(terms), edition]
        among = ""
        if exact:
            numbers = [tally.no for tally in self._spaces(spaces).values()]
            allowed, listed = self._allowed(numbers, where)
            among, values = f"WHERE version IN ({allowed})", [*values, *listed]
        wanted = _MOST if most is None else most
        sql = (_IN_ALL if every else _HEAVIEST).format(present=self._present("words", where), among=among, sizes=_SIZES)
        rows = self._db.rows(sql, [*values, len(terms) if every else wanted + 1])
        found = {name: _word_match(row, _MOST if every else wanted) for name, *row in rows}
        self._tallies |= {name: Tally(*row[:3]) for name, *row in rows}
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
        few = [tally.no for tally in tallies.values() if tally.records <= bound]
        found = self._compare_all(few, model, vector, where, wanted, exact=exact) if few else {}
        for tally in tallies.values():
            if tally.no not in few:
                found[tally.no] = self._compare_some(tally.no, model, vector, where, wanted, bound, exact=exact)
        return {name: found.get(tally.no) or _near_match([], wanted) for name, tally in tallies.items()}

    def _few(self) -> int:
        """How many vectors are compared one by one as fast as an index finds the best of a space among all spaces.

        An index has to pass over those of others: the smaller the part that a space is of all, the more of them.
        """
        return max(_COMPARED, int(sqrt(_PASSED_OVER * max(self._state.pieces, 0.0))))

    def _compare_all(
        self,
        numbers: Sequence[int],
        model: int,
        vector: NDArray[np.float32],
        where: Filter,
        most: int,
        *,
        exact: bool,
        among: Condition | None = None,
    ) -> dict[int, NearMatch]:
        """Compares the signs of all vectors of some spaces, as SQLite does, and adds the very nearest that signs miss.

        Of those alone that a filter lets through, where it is to be `exact`.
        """
        if exact and among is None:
            among = self._allowed(numbers, where)
        allowed, listed = ("", []) if among is None else (f" AND version IN ({among[0]})", among[1])
        rows = self._db.rows(
            f"""WITH every AS MATERIALIZED (
                SELECT space_no, piece, version, bit_count(bits # ?::varbit) AS signs, numbers <#> ?::halfvec AS far
                FROM pieces
                WHERE space_no = ANY(?::bigint[]) AND model = ? AND {self._present("pieces", where)}{allowed})
            SELECT best.* FROM unnest(?::bigint[]) AS asked(no) CROSS JOIN LATERAL (
                (SELECT no, piece, version, false FROM every WHERE space_no = no ORDER BY signs, piece LIMIT ?)
                UNION ALL
                (SELECT no, piece, version, true FROM every WHERE space_no = no ORDER BY far, piece LIMIT {_SURE})
            ) AS best""",
            (
                spell_bits(vector, self._model(model).mean), spell_vector(vector), list(numbers), model, *listed,
                list(numbers), most + 1,
            ),
        )  # fmt: skip
        found: dict[int, NearMatch] = {}
        for number in numbers:
            signs = [row[1:3] for row in rows if row[0] == number and not row[3]]
            sure = [row[1:3] for row in rows if row[0] == number and row[3]]
            found[number] = _near_match(signs, most, sure)
        return found

    def _compare_some(
        self, number: int, model: int, vector: NDArray[np.float32], where: Filter, most: int, bound: int, *, exact: bool
    ) -> NearMatch:
        """Has the index lead to the nearest vectors of a large space; few that a filter lets through are compared."""
        allowed, listed = "", []
        if exact:
            sql, values = self._allowed([number], where)
            some = self._db.columns(["version"], f"{sql} LIMIT ?", [*values, bound + 1])[0]
            if len(some) <= bound:
                among: Condition = ("SELECT unnest(?::bigint[])", [some])
                found = self._compare_all([number], model, vector, where, most, exact=True, among=among)
                return found.get(number) or _near_match([], most)
            condition, listed = record_condition(self._db, where, [number], self._now)
            allowed = f" AND EXISTS(SELECT 1 FROM records WHERE records.version = pieces.version AND {condition})"
        dim = self._model(model).dim
        rows = self._db.rows(
            f"SELECT piece, version FROM pieces WHERE model = {model} AND space_no = ?"
            f" AND {self._present('pieces', where)}{allowed}"
            f" ORDER BY numbers::halfvec({dim}) <#> ?::halfvec({dim}) LIMIT ?",
            (number, *listed, spell_vector(vector), most + 1),
        )
        return _near_match(rows, most)

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
            " ORDER BY piece",
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
                "SELECT pieces.version, halfvec_send(numbers), tokens.tokens FROM pieces"
                " LEFT JOIN tokens ON tokens.piece = pieces.piece"
                " WHERE pieces.version = ANY(?::bigint[]) AND pieces.model = ? ORDER BY pieces.piece",
                (missing, model),
            )
            held: dict[int, list[Row]] = {version: [] for version in missing}
            for version, *row in rows:
                held[version].append(tuple(row))
            dim = self._model(model).dim
            self._said |= {(model, version): _said(some, dim) for version, some in held.items()}
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
        versions = [version for name in tallies for version in picks[name].versions.tolist()]
        among = msgspec.structs.replace(where, versions=tuple(versions))
        condition, values = record_condition(self._db, among, [tally.no for tally in tallies.values()], self._now)
        cosine, asked = "NULL::float8", list[object]()
        if model is not None and vector is not None:
            best = "SELECT max(-(numbers::vector <#> ?::vector)) FROM pieces"
            near = [picks[name].near for name in tallies]
            pieces = [piece for some in near if some is not None for piece in some.pieces.tolist()]
            brought = sorted({version for some in near if some is not None for version in some.versions.tolist()})
            which = "piece = ANY(?::bigint[]) OR pieces.version <> ALL(?::bigint[])"
            cosine = f"({best} WHERE pieces.version = records.version AND pieces.model = ? AND ({which}))"
            asked = [spell_vector(vector), model, pieces, brought]
        begins = select_candidates("lexis.names", "records.space_no", cosine)
        rows = self._db.rows(
            f"{begins} AND lexis.edition = ? WHERE {condition} ORDER BY records.version",
            [*asked, self._state.edition, *values],
        )
        if not self._state.writing:
            self._words.seen |= {row[0]: to_lexis(row[8], row[9]) for row in rows if row[8] is not None}
        hashes = np.array(terms, dtype=np.uint32)
        found: dict[str, Findings] = {}
        for name, tally in tallies.items():
            some = [row for row in rows if row[10] == tally.no]
            told = np.array([np.nan if row[11] is None else row[11] for row in some], dtype=np.float64)
            columns = list(zip(*(row[:9] for row in some), strict=True)) or [()] * 9
            found[name] = tell_candidates(columns, hashes, lambda _, told=told: told)
        return found

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


def _word_match(row: Sequence[object], most: int) -> WordMatch:
    _, records, length, sizes, versions = row
    assert isinstance(records, int)
    assert isinstance(length, int)
    found = np.array(versions, dtype=np.int64)
    return WordMatch(found[:most], np.array(sizes, dtype=np.float64), records, length, len(found) > most)


def _near_match(rows: Sequence[Row], most: int, sure: Sequence[Row] = ()) -> NearMatch:
    """The first so many of some pieces and their versions, and those that are among them in any case."""
    chosen = list(dict.fromkeys([*rows[:most], *sure]))
    pieces, versions = (np.array([row[at] for row in chosen], dtype=np.int64) for at in (0, 1))
    return NearMatch(versions, pieces, len(rows) > most)


def _said(rows: Sequence[Row], dim: int) -> _Said:
    numbers = np.frombuffer(b"".join([row[0][HEADER:] for row in rows]), dtype=">f2").reshape(len(rows), dim)
    return numbers.astype(np.float32), [row[1] for row in rows if row[1] is not None]


def _cosines(said: Sequence[_Said | None], vector: NDArray[np.float32] | None) -> Floats:
    """The cosine of each version's best piece, NaN for none."""
    if vector is None:
        return np.full(len(said), np.nan)
    return np.array([np.nan if one is None else (one[0] @ vector).max() for one in said], dtype=np.float64)


def _late(tokens: NDArray[np.float32], said: Sequence[_Said | None]) -> TokenMatch:
    pieces = [(piece, row) for row, one in enumerate(said) if one is not None for piece in one[1]]
    return match_pieces(tokens, pack_pieces(pieces), len(said))
