"""Which vectors does each version have?

A piece of a version is a row with the signs of its numbers, and the numbers as a halfvec under one HNSW index for each
model. Its wordpieces stand in a table of their own, since only those of a few candidates are ever read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.store.postgres.database import PostgresDatabase
from recollect.store.postgres.state import State
from recollect.store.search import Model, Vector
from recollect.store.sql.queue import Queue
from recollect.types import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_INDEXED = 4_000
"""Numbers of a vector up to which pgvector has an index for it."""
HEADER = 4
"""Bytes of a vector as PostgreSQL sends it before its numbers."""
_LEAST_MEMORY, _MOST_MEMORY, _EACH = 512 * 2**20, 2**31, 700
"""Bytes for making an index, and what each vector in it takes beside its numbers."""
_MORE_MEMORY = """SELECT set_config('maintenance_work_mem',
    greatest(pg_size_bytes(current_setting('maintenance_work_mem')), ?) / 1024 || 'kB', true)"""
"""Until the end of the transaction: an index that does not fit into memory is made many times more slowly."""


def spell_vector(numbers: NDArray[np.floating]) -> str:
    """A vector as PostgreSQL reads it: nine digits tell any float32 from every other."""
    return f"[{','.join(['%.9g'] * len(numbers))}]" % tuple(numbers.tolist())


def spell_bits(numbers: NDArray[np.floating], mean: bytes) -> str:
    """The signs of a vector around the model's mean, as PostgreSQL reads them."""
    import numpy as np  # whoever has vectors has loaded it

    return ((numbers > np.frombuffer(mean, dtype=np.float32)).view(np.uint8) + ord("0")).tobytes().decode()


def _spell_signs(one: Vector, mean: bytes) -> str:
    import numpy as np

    if one.signs is None:
        return spell_bits(one.numbers, mean)
    held = np.unpackbits(np.frombuffer(one.signs, np.uint8), count=len(one.numbers))
    return (held + ord("0")).tobytes().decode()


class PostgresVectors(Queue[PostgresDatabase]):
    """The vectors of a store, as one transaction sees them."""

    def __init__(self, db: PostgresDatabase, state: State) -> None:
        super().__init__(db, state.models)
        self._state = state

    # Reading

    def models(self) -> list[Model]:
        if self._state.models is None:
            self._state.models = self._read_models()
        return self._state.models

    def may_wait(self) -> bool:
        return self._state.any_waiting

    # Writing

    def put(self, entries: Sequence[tuple[int, Record, int]]) -> None:
        shared = self._enqueue(entries)
        if not shared:
            return
        sql = "SELECT version, piece FROM pieces WHERE version = ANY(?::bigint[]) ORDER BY piece"
        pieces: dict[int, list[int]] = {}
        for version, piece in self._db.rows(sql, ([same_as for _, _, same_as in shared],)):
            pieces.setdefault(version, []).append(piece)
        copied = [
            (piece, space_no, version) for space_no, version, same_as in shared for piece in pieces.get(same_as, ())
        ]
        if copied:
            self._copy(copied)

    def _copy(self, copied: Sequence[tuple[int, int, int]]) -> None:
        """Gives versions the vectors of others: the piece, and the space and version of its copy."""
        first = self._db.reserve("pieces", len(copied))
        known, spaces, versions = (list(column) for column in zip(*copied, strict=True))
        new = list(range(first, first + len(copied)))
        each = "unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) AS each(known, new, space_no, version)"
        self._db.run(
            "INSERT INTO pieces SELECT each.new, pieces.model, each.space_no, each.version, true, pieces.bits,"
            " pieces.numbers"
            f" FROM {each} JOIN pieces ON pieces.piece = each.known",
            (known, new, spaces, versions),
        )
        self._db.run(
            f"INSERT INTO tokens SELECT each.new, tokens.tokens FROM {each} JOIN tokens ON tokens.piece = each.known",
            (known, new, spaces, versions),
        )

    def retire(self, versions: Sequence[int]) -> None:
        self._db.run("UPDATE pieces SET live = false WHERE version = ANY(?::bigint[]) AND live", (list(versions),))

    def erase(self, versions: Sequence[int]) -> None:
        self._drop("version = ANY(?::bigint[])", (list(versions),))
        super().erase(versions)

    def drop_space(self, space_no: int) -> None:
        self._drop("space_no = ?", (space_no,))
        super().drop_space(space_no)

    def _drop(self, which: str, values: Sequence[object]) -> None:
        self._db.run(f"DELETE FROM tokens WHERE piece IN (SELECT piece FROM pieces WHERE {which})", values)
        self._db.run(f"DELETE FROM pieces WHERE {which}", values)

    def drop_strays(self) -> None:
        self._drop("NOT EXISTS (SELECT 1 FROM records WHERE records.version = pieces.version)", ())
        self._db.run("DELETE FROM tokens WHERE NOT EXISTS (SELECT 1 FROM pieces WHERE pieces.piece = tokens.piece)")
        super().drop_strays()

    def adopt(self, name: str, dim: int, mean: bytes, floor: float, spread: float) -> Model:
        if all(known.name != name for known in self.models()):
            self._db.owner_only(f"take up a model ({name})")
        return super().adopt(name, dim, mean, floor, spread)

    def make_index(self, model: Model) -> None:
        if model.dim <= MOST_INDEXED:
            column = f"(numbers::@vector.halfvec({model.dim})) @vector.halfvec_ip_ops"
            near = f"CREATE INDEX IF NOT EXISTS pieces_near_{model.no} ON pieces USING hnsw ({column})"
            count: int = self._db.rows("SELECT count(*) FROM pieces WHERE model = ?", (model.no,))[0][0]
            size = min(count * (2 * model.dim + _EACH), _MOST_MEMORY)
            self._db.run(_MORE_MEMORY, (max(size, _LEAST_MEMORY),))
            with self._db.patient():
                self._db.change(f"{near} WHERE model = {model.no}")

    def _begin(self, model: Model) -> None:
        self._state.models = None
        self.make_index(model)

    def drop_index(self, model: Model) -> None:
        self._db.run(f"DROP INDEX IF EXISTS pieces_near_{model.no}")

    def read(self, model: int, versions: Sequence[int]) -> list[Vector]:
        import numpy as np

        from recollect.store.late import unpack_tokens

        rows = self._db.rows(
            "SELECT pieces.version, @vector.halfvec_send(numbers), tokens.tokens, varbit_send(bits) FROM pieces"
            " LEFT JOIN tokens ON tokens.piece = pieces.piece"
            " WHERE pieces.version = ANY(?::bigint[]) AND pieces.model = ? ORDER BY pieces.piece",
            (list(versions), model),
        )
        return [
            Vector(
                version, np.frombuffer(numbers, ">f2", offset=HEADER).astype(np.float32),
                None if held is None else unpack_tokens(held), bits[HEADER:],
            )
            for version, numbers, held, bits in rows
        ]  # fmt: skip

    def _replace(self, model: int, versions: Sequence[int]) -> list[int]:
        had, values = "version = ANY(?::bigint[]) AND model = ?", (list(versions), model)
        spaces = [row[0] for row in self._db.rows(f"SELECT space_no FROM pieces WHERE {had}", values)]
        if spaces:
            self._drop(had, values)
        return spaces

    def _insert(self, model: int, vectors: Sequence[Vector], homes: Mapping[int, int], retired: set[int]) -> None:
        import numpy as np  # whoever has vectors has loaded it

        from recollect.store.late import pack_tokens

        mean = next(known.mean for known in self.models() if known.no == model)
        first = self._db.reserve("pieces", len(vectors))
        self._db.many(
            "INSERT INTO pieces VALUES(?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    piece, model, homes[one.version], one.version, one.version not in retired,
                    _spell_signs(one, mean),
                    spell_vector(one.numbers.astype(np.float16)),
                )
                for piece, one in enumerate(vectors, first)
            ],
        )  # fmt: skip
        self._db.many(
            "INSERT INTO tokens VALUES(?, ?)",
            [
                (piece, pack_tokens(one.tokens))
                for piece, one in enumerate(vectors, first)
                if one.tokens is not None and len(one.tokens)
            ],
        )

    def drop_vectors(self, keep_model: str | None) -> int:
        self._db.owner_only("drop the vectors of a model")
        gone = [model.no for model in self.models() if model.name != keep_model]
        for number in gone:
            self._drop("model = ?", (number,))
            self._db.run(f"DROP INDEX IF EXISTS pieces_near_{number}")
            self._drop_model(number)
        self._state.models = None
        return len(gone)
