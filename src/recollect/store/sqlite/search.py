"""How does a SQLite store answer what is asked of its words and vectors?

A small space is answered from its image in memory. In a larger one words are found by FTS5, vectors by a scan over
their sign bits, and what is said of the candidates is read for them alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.store.distinct import find
from recollect.store.halves import widen
from recollect.store.search import Findings, HeldTerms, Model, NearMatch, Pick, TokenMatch, WordMatch
from recollect.store.sql.database import Row
from recollect.store.sql.findings import (
    Floats,
    Ints,
    Terms,
    count_held,
    find_heaviest,
    find_in_all,
    find_pairs,
    match_pieces,
    pack_pieces,
    tell_alike,
    tell_all,
    tell_vectors,
)  # fmt: skip
from recollect.store.sql.rows import to_json
from recollect.store.sql.where import is_plain, record_condition
from recollect.store.sqlite.cache import Cache, Halves, Image, Pulse
from recollect.store.sqlite.database import SqliteDatabase, decode_numbers
from recollect.store.sqlite.images import (
    MOST,
    cosines,
    count_terms,
    postings,
    read_images,
)  # fmt: skip
from recollect.store.sqlite.matrix import Matrix, sign_bits
from recollect.store.sqlite.particulars import Columns, Particulars, let_through, read_particulars
from recollect.store.sqlite.vectors import VectorTables
from recollect.store.sqlite.words import Words
from recollect.types import Filter

_PULSES = """
    SELECT spaces.name, tallies.space_no, records, length, changes, gone FROM json_each(?) AS asked
    CROSS JOIN spaces ON spaces.name = asked.value CROSS JOIN tallies ON tallies.space_no = spaces.no"""
_CENSUS = "SELECT (SELECT count(*) FROM spaces), (SELECT max(no) FROM spaces), (SELECT group_concat(no) FROM models)"


class SqliteSearch:
    """What one snapshot answers."""

    def __init__(
        self, connection: sqlite3.Connection, words: Words, vectors: VectorTables, now: int, cache: Cache
    ) -> None:
        self._connection = connection
        self._db = SqliteDatabase(connection)
        self._words = words
        self._vectors = vectors
        self._now = now
        self._cache = cache
        self._images: dict[tuple[int | None, Pulse], Image | None] = {}
        self._models: list[Model] | None = None
        self._felt: dict[tuple[str, ...], dict[str, Pulse]] = {}

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def _pulses(self, spaces: Sequence[str]) -> dict[str, Pulse]:
        known = self._felt.get(tuple(spaces))
        if known is not None:
            return known
        self._words.finish()
        census = self._rows(_CENSUS)[0]
        self._cache.heed(census, lambda: (self._numbers("spaces"), self._numbers("models")))
        found = {name: Pulse(*row) for name, *row in self._rows(_PULSES, (to_json(spaces),))}
        if self._cache.shared:  # what is not is a transaction, in which they change
            self._felt[tuple(spaces)] = found
        return found

    def _numbers(self, table: str) -> set[int]:
        return {row[0] for row in self._rows(f"SELECT no FROM {table}")}

    def _model(self, no: int) -> Model:
        if no not in {model.no for model in self._models or ()}:
            self._models = self._vectors.models()
        return next(model for model in self._models or () if model.no == no)

    def _latest_model(self) -> int | None:
        if self._models is None:
            self._models = self._vectors.models()
        return self._models[-1].no if self._models else None

    def _small(self, pulses: Sequence[Pulse], model: int | None) -> dict[int, Image]:
        """The images of those spaces that are small."""
        missing = [pulse for pulse in pulses if (model, pulse) not in self._images]
        if missing:
            known = self._cache.images(model, missing)
            unknown = [pulse for pulse in missing if pulse.space_no not in known]
            if unknown:
                fresh = read_images(self._connection, model, 0 if model is None else self._model(model).dim, unknown)
                for pulse in unknown:
                    self._cache.keep_image(model, pulse, fresh[pulse.space_no])
                known |= fresh
            self._images |= {(model, pulse): known[pulse.space_no] for pulse in missing}
        found = ((pulse.space_no, self._images[model, pulse]) for pulse in pulses)
        return {space_no: image for space_no, image in found if image is not None}

    def _allowed(self, space_no: int, filter: Filter) -> Ints:
        condition, values = record_condition(self._db, filter, [space_no], self._now)
        sql = f"SELECT json_group_array(version) FROM records WHERE {condition}"
        return np.array(decode_numbers(self._rows(sql, values)[0][0]), dtype=np.int64)

    # Words

    def words(
        self, spaces: Sequence[str], terms: Sequence[int], where: Filter, most: int | None, *, exact: bool, every: bool
    ) -> dict[str, WordMatch]:
        pulses = self._pulses(spaces)
        present = where.as_of is None
        images = self._small(list(pulses.values()), self._latest_model()) if present else {}
        hashes = np.array(terms, dtype=np.uint32)
        found: dict[str, WordMatch] = {}
        for name, pulse in pulses.items():
            image = images.get(pulse.space_no)
            if image is None:
                lists = self._holding(pulse, terms, old=not present)
            else:
                lists = [image.versions[rows] for rows, _ in postings(image, hashes)]
            df = [len(one) for one in lists]
            if (exact and terms) or (every and not terms):
                among = self._allowed(pulse.space_no, where)
                lists = [one[np.isin(one, among)] for one in lists] if terms else [among]
            versions, more = find_in_all(lists) if every else find_heaviest(lists, df, pulse.records, most)
            found[name] = WordMatch(versions, np.array(df, dtype=np.float64), pulse.records, pulse.length, more)
        return found

    def _holding(self, pulse: Pulse, terms: Sequence[int], *, old: bool) -> list[Ints]:
        present = self._cache.particulars(pulse).holding(terms, lambda some: self._words.postings(pulse.space_no, some))
        if not old:
            return present
        past = self._words.postings(pulse.space_no, terms, old=True)
        return [np.concatenate([a, np.array(b, dtype=np.int64)]) for a, b in zip(present, past, strict=True)]

    # Vectors

    def near(
        self, spaces: Sequence[str], model: int, vector: NDArray[np.float32], where: Filter, most: int, *, exact: bool
    ) -> dict[str, NearMatch]:
        pulses = self._pulses(spaces)
        present = where.as_of is None
        images = self._small(list(pulses.values()), model) if present and most >= MOST else {}
        found: dict[str, NearMatch] = {}
        for name, pulse in pulses.items():
            image = images.get(pulse.space_no)
            among = self._allowed(pulse.space_no, where) if exact else None
            if image is not None:
                found[name] = image.pieces
                if among is not None:
                    chosen = np.isin(image.pieces.versions, among)
                    found[name] = NearMatch(image.pieces.versions[chosen], image.pieces.pieces[chosen])
            else:
                bits = sign_bits(vector[None, :], np.frombuffer(self._model(model).mean, dtype=np.float32))[0]
                matrix = self._matrix(model, len(bits), pulse, old=not present)
                wanted = most if present else 2 * most
                pieces, versions = matrix.nearest(bits, wanted, among)
                found[name] = NearMatch(versions, pieces, len(matrix) > wanted)
        return found

    def _matrix(self, model: int, words: int, pulse: Pulse, *, old: bool) -> Matrix:
        def read(after: int) -> list[tuple[int, int, bytes]]:
            return self._vectors.signs(model, pulse.space_no, after, old=old)

        return self._cache.matrix(model, words, pulse, read, old=old)

    def pairs(
        self, space: str, model: int, least: float, where: Filter, stop: Callable[[], bool]
    ) -> list[tuple[int, int, float]]:
        """Pairs of versions whose pieces are all near-identical, with the cosine of the least alike."""
        pulse = self._pulses([space]).get(space)
        if pulse is None:
            return []
        known = self._model(model)
        matrix = self._matrix(model, -(-known.dim // 64), pulse, old=False)
        versions, bits = matrix.rows()
        chosen = np.flatnonzero(np.isin(versions, self._allowed(pulse.space_no, where)))
        chosen = chosen[np.argsort(versions[chosen], kind="stable")]
        versions, bits = versions[chosen], bits[chosen]

        def read(some: Sequence[int]) -> dict[int, NDArray[np.float32]]:
            numbers, places = self._pieces(pulse.space_no, model, np.array(some, dtype=np.int64))
            halves, there = Halves(0, known.dim).get(numbers, self._vectors.halves)  # these are not asked for again
            rows: dict[int, list[int]] = {}
            for row, place in enumerate(places[there]):
                rows.setdefault(some[int(place)], []).append(row)
            values = widen(halves)
            return {version: values[own] for version, own in rows.items()}

        return find_pairs(versions, bits, known, least, stop, read)

    def _pieces(self, space_no: int, model: int, versions: Ints) -> tuple[Ints, Ints]:
        """The numbers of all vectors of some versions, each version's in order, and the place of its version for each.

        Most are known from the sign bits in memory, and others are looked up.
        """
        matrix = self._cache.known_matrix(model, space_no)
        none = np.zeros(0, dtype=np.int64)
        numbers, places = (none, none) if matrix is None else matrix.pieces_of(versions)
        unknown = np.ones(len(versions), dtype=np.bool_)
        unknown[places] = False
        if not unknown.any():
            return numbers, places
        place = {int(versions[at]): at for at in np.flatnonzero(unknown).tolist()}
        found = self._vectors.numbers_of(model, list(place))
        more = np.array([number for number, _ in found], dtype=np.int64)
        theirs = np.array([place[version] for _, version in found], dtype=np.int64)
        return np.concatenate([numbers, more]), np.concatenate([places, theirs])

    # Candidates

    def signals(
        self,
        picks: Mapping[str, Pick],
        where: Filter,
        terms: Sequence[int],
        model: int | None,
        vector: NDArray[np.float32] | None,
    ) -> dict[str, Findings]:
        pulses = self._pulses(list(picks))
        used = self._latest_model() if model is None else model
        plain = is_plain(where)
        images = self._small(list(pulses.values()), used) if where.as_of is None else {}
        hashes = np.array(terms, dtype=np.uint32)
        found: dict[str, Findings] = {}
        for name, pulse in pulses.items():
            image = images.get(pulse.space_no)
            if image is not None:
                seen = (
                    let_through(image.rows, image.kinds, where, self._now)
                    if plain
                    else np.isin(image.versions, self._allowed(pulse.space_no, where))
                )
                found[name] = _look(image, picks[name].versions, seen, hashes, vector)
            else:
                found[name] = self._read(pulse, picks[name], where, hashes, model, vector)
        return found

    def _read(
        self,
        pulse: Pulse,
        pick: Pick,
        where: Filter,
        terms: NDArray[np.uint32],
        model: int | None,
        vector: NDArray[np.float32] | None,
    ) -> Findings:
        rows, terms_of, held = self._tell(pulse, pick.versions, where)
        return tell_all(
            rows,
            group=rows["group"],
            tf=count_held(terms_of, terms, len(rows)),
            length=rows["length"] if len(terms_of[0]) and len(terms) else None,
            cosine=self._cosines(pulse.space_no, rows["version"].copy(), pick.near, model, vector),
            held=held,
        )

    def _tell(self, pulse: Pulse, versions: Ints, where: Filter) -> tuple[NDArray[np.void], Terms, HeldTerms]:
        """What is told of those versions that a filter lets through; in their order, if it is a plain one."""

        def read(some: Sequence[int], filter: Filter) -> Columns:
            among = msgspec.structs.replace(filter, versions=tuple(some))
            return read_particulars(self._connection, record_condition(self._db, among, [pulse.space_no], self._now))

        every = Filter(valid_only=False)
        if is_plain(where):
            return self._cache.particulars(pulse).look(versions, where, self._now, lambda some: read(some, every))
        told = read(versions.tolist(), where)
        return Particulars().look(np.array(told["version"], dtype=np.int64), every, self._now, lambda _: told)

    def _cosines(
        self,
        space_no: int,
        versions: Ints,
        near: NearMatch | None,
        model: int | None,
        vector: NDArray[np.float32] | None,
    ) -> Floats:
        """The cosine of each version's best piece, NaN for none. Of one that lies near, those near are the best."""
        if model is None or vector is None:
            return np.full(len(versions), np.nan)
        pieces = places = np.zeros(0, dtype=np.int64)
        if near is not None and len(versions):
            places, there = find(near.versions, versions)
            pieces, places = near.pieces[there], places[there]
        others = np.ones(len(versions), dtype=np.bool_)
        others[places] = False
        more, at = self._pieces(space_no, model, versions[others])
        pieces, places = np.concatenate([pieces, more]), np.concatenate([places, np.flatnonzero(others)[at]])
        halves, there = self._cache.halves(model, len(vector)).get(pieces, self._vectors.halves)
        found = np.full(len(versions), -np.inf)
        if len(halves):
            np.maximum.at(found, places[there], widen(halves) @ vector)
        return np.where(np.isinf(found), np.nan, found)

    def compare(
        self,
        picks: Mapping[str, Pick],
        model: int | None,
        vector: NDArray[np.float32] | None,
        tokens: NDArray[np.float32] | None,
        *,
        alike: bool,
    ) -> dict[str, Findings]:
        """What the vectors of a model tell of some versions, and nothing else."""
        pulses = self._pulses(list(picks))
        images = {} if model is None else self._small(list(pulses.values()), model)
        found: dict[str, Findings] = {}
        for name, pulse in pulses.items():
            versions, image = picks[name].versions, images.get(pulse.space_no)
            rows = None if image is None else _rows_of(image, versions)
            if image is None or rows is None:
                cosine = self._cosines(pulse.space_no, versions, picks[name].near, model, vector)
            else:
                cosine = np.full(len(rows), np.nan) if vector is None else cosines(image, vector)[rows]
            late = None
            if tokens is not None and model is not None:
                late = (
                    self._match(pulse.space_no, versions, model, tokens)
                    if image is None or rows is None
                    else match_pieces(tokens, image.tokens, len(image.versions), rows)
                )
            nearness = self._alike(pulse.space_no, versions, model) if alike and model is not None else None
            found[name] = tell_vectors(versions, cosine, late, nearness)
        return found

    def _alike(self, space_no: int, versions: Ints, model: int) -> Floats:
        """The cosine of each version's first piece with each other's."""
        numbers, places = self._pieces(space_no, model, versions)
        places, first = np.unique(places, return_index=True)
        dim = self._model(model).dim
        halves, there = self._cache.halves(model, dim).get(numbers[first], self._vectors.halves)
        vectors = np.zeros((len(versions), dim), dtype=np.float32)
        vectors[places[there]] = widen(halves)
        return tell_alike(vectors)

    def _match(self, space_no: int, versions: Ints, model: int, tokens: NDArray[np.float32]) -> TokenMatch:
        numbers, places = self._pieces(space_no, model, versions)
        held = zip(self._cache.tokens.get(numbers.tolist(), self._vectors.tokens), places.tolist(), strict=True)
        return match_pieces(tokens, pack_pieces([(one, at) for one, at in held if one is not None]), len(versions))


def _rows_of(image: Image, versions: Ints) -> Ints | None:
    """Where versions stand in an image; None where one does not."""
    if not len(image.versions):
        return None
    at = np.minimum(np.searchsorted(image.versions, versions), len(image.versions) - 1)
    return at if (image.versions[at] == versions).all() else None


def _look(
    image: Image,
    chosen: Ints,
    seen: NDArray[np.bool_],
    terms: NDArray[np.uint32],
    vector: NDArray[np.float32] | None,
) -> Findings:
    """What an image tells of some versions that may be seen."""
    if not len(image.versions):
        chosen = chosen[:0]
    at = np.minimum(np.searchsorted(image.versions, chosen), len(image.versions) - 1)
    at = at[(image.versions[at] == chosen) & seen[at]]
    rows = {name: column[at] for name, column in image.rows.items()}
    begins: Ints = rows["start"]
    return tell_all(
        rows,
        group=rows["group"],
        tf=count_terms(image, terms)[at],
        length=rows["length"] if len(terms) and len(image.hashes) else None,
        cosine=np.full(len(at), np.nan) if vector is None else cosines(image, vector)[at],
        held=HeldTerms(image.terms, begins, begins + rows["terms"]),
    )
