"""Which versions hold a term or mention a name?

Every live version is a row with its terms and names as an array of numbers (`keys`), each of them the hash of a term
behind the number of its space, under one GIN index for all spaces. The index ranks nothing; term counts stand in
`lexis`.

An index is an edition. The next one is made in steps beside the one in use, which answers meanwhile; what a writer
changes of versions that the next edition holds already, it changes in both. The last step puts it in use.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence

from recollect.store.base import Lexis, N, names_of, normal_name
from recollect.store.postgres.database import PostgresDatabase, spell_numbers
from recollect.store.postgres.state import State
from recollect.store.sql.database import Condition, Row
from recollect.store.sql.rows import lexis_row, to_lexis
from recollect.types import Entity

SPACE_BITS = 34
"""A key has the number of the space above this many bits, then whether it is a name, then the hash of 32 bits."""
_NAME = 1 << 32
NOT_EVICTED = "NOT EXISTS (SELECT 1 FROM evicted WHERE evicted.version = {0}.version)"


def term_key(space_no: int, term: int) -> int:
    return space_no << SPACE_BITS | term


def name_key(space_no: int, name: str) -> int:
    return space_no << SPACE_BITS | _NAME | zlib.crc32(normal_name(name).encode("utf-8", "surrogatepass"))


def _spell_keys(space_no: int, lexis: Lexis) -> str:
    """Terms and names as PostgreSQL reads an array."""
    return spell_numbers(
        [term_key(space_no, term) for term in lexis.terms] + [name_key(space_no, name) for name in lexis.names]
    )


def by_version(rows: Sequence[Row]) -> dict[int, tuple[bytes, str]]:
    return {version: (terms, names) for version, terms, names in rows}


class PostgresWords:
    """The keyword index of a store, as one transaction sees it."""

    def __init__(self, db: PostgresDatabase, state: State) -> None:
        self._db = db
        self._state = state
        self._tallied: dict[tuple[int, int], tuple[int, int]] = {}
        self.recounted = True
        """Has what the spaces hold changed since somebody last took note of it?"""

    # Reading

    def present(self, table: str) -> str:
        """The condition that a row of a table is of a live version."""
        evicted = f" AND {NOT_EVICTED.format(table)}" if self._state.any_evicted else ""
        return f"{table}.live{evicted}"

    def mentions(self, space_no: int, names: Sequence[N], most: int | None = None) -> dict[N, list[int]]:
        keys = [term_key(space_no, one) if isinstance(one, int) else name_key(space_no, one) for one in names]
        rows = self._db.rows(
            "SELECT asked.place, held.version FROM unnest(?::bigint[]) WITH ORDINALITY AS asked(key, place)"
            " CROSS JOIN LATERAL (SELECT version FROM words WHERE keys @> ARRAY[asked.key]"
            f" AND edition = ? AND {self.present('words')} ORDER BY version DESC LIMIT ?) AS held ORDER BY 1, 2",
            (spell_numbers(keys), self._state.edition, most),
        )
        found: dict[N, list[int]] = {name: [] for name in names}
        for place, version in rows:
            found[names[place - 1]].append(version)
        return found

    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]:
        held = by_version(self._db.rows(*self.ask_held(versions)))
        return {version: to_lexis(*held[version]) for version in versions if version in held}

    def ask_held(self, versions: Iterable[int]) -> Condition:
        """The terms and names of versions, for `by_version`."""
        sql = "SELECT version, terms, names FROM lexis WHERE version = ANY(?::bigint[]) AND edition = ?"
        return sql, [spell_numbers(versions), self._state.edition]

    def names(self, spaces: Sequence[str], phrases: Sequence[str], text: str) -> dict[str, list[str]]:
        if not self._state.any_names:
            return {}
        rows = self._db.rows(
            """SELECT spaces.name, ARRAY(
                SELECT DISTINCT name FROM names WHERE space_no = spaces.no AND name = ANY(?::text[])
                UNION SELECT name FROM names WHERE ?::text <> '' AND space_no = spaces.no AND strpos(?::text, name) > 0)
            FROM spaces WHERE spaces.name = ANY(?::text[])
                AND EXISTS(SELECT 1 FROM names WHERE names.space_no = spaces.no)""",
            (list(phrases), text, text, list(spaces)),
        )
        found = {space: sorted(named) for space, named in rows}
        return {space: found[space] for space in spaces if space in found}

    # Writing

    def put(self, entries: Sequence[tuple[int, int, Lexis]]) -> None:
        self._put(self._state.edition, entries, live=True)
        made = self._state.made
        if made is not None and (known := [entry for entry in entries if entry[1] <= made]):
            self._put(self._state.edition + 1, known, live=True)

    def _put(self, edition: int, entries: Sequence[tuple[int, int, Lexis]], *, live: bool) -> None:
        """The names that an old version mentions are nobody's concern."""
        kept = [(space_no, version, lexis if live else Lexis(lexis.terms)) for space_no, version, lexis in entries]
        self._db.many(
            "INSERT INTO lexis VALUES(?, ?, ?, ?)",
            [(edition, version, *lexis_row(lexis)) for _, version, lexis in kept],
        )
        self._db.many(
            "INSERT INTO words VALUES(?, ?, ?, ?, ?, ?)",
            [(edition, version, no, live, lexis.length, _spell_keys(no, lexis)) for no, version, lexis in kept],
        )
        if live:
            for space_no, _, lexis in entries:
                self._count(edition, space_no, 1, lexis.length)

    def retire(self, entries: Sequence[tuple[int, int]]) -> None:
        sql = "UPDATE words SET live = false WHERE version = ANY(?::bigint[]) AND live"
        versions = [version for _, version in entries]
        for edition, space_no, length in self._db.rows(f"{sql} RETURNING edition, space_no, length", (versions,)):
            self._count(edition, space_no, -1, -length)

    def erase(self, entries: Sequence[tuple[int, int, bool]], *, for_good: bool = True) -> None:
        del for_good  # either way their rows go
        versions = [version for _, version, _ in entries]
        sql = "DELETE FROM words WHERE version = ANY(?::bigint[]) RETURNING edition, space_no, length, live"
        for edition, space_no, length, live in self._db.rows(sql, (versions,)):
            if live:
                self._count(edition, space_no, -1, -length)
        self._db.run("DELETE FROM lexis WHERE version = ANY(?::bigint[])", (versions,))

    def put_space(self, space_no: int) -> None:
        editions = [self._state.edition] if self._state.made is None else [self._state.edition, self._state.edition + 1]
        self._db.many("INSERT INTO tallies VALUES(?, ?, 0, 0)", [(edition, space_no) for edition in editions])

    def drop_space(self, space_no: int) -> None:
        self._db.run("DELETE FROM names WHERE space_no = ?", (space_no,))
        self._db.run("DELETE FROM tallies WHERE space_no = ?", (space_no,))
        self._tallied = {key: more for key, more in self._tallied.items() if key[1] != space_no}
        self.recounted = True

    def put_names(self, space_no: int, entity: Entity) -> None:
        self._state.any_names = True
        self._db.many(
            "INSERT INTO names VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
            [(space_no, name, entity.id) for name in names_of(entity)],
        )

    def drop_names(self, space_no: int, entity: str) -> None:
        self._db.run("DELETE FROM names WHERE space_no = ? AND entity = ?", (space_no, entity))

    def drop_all_names(self) -> None:
        self._db.run("DELETE FROM names")

    def has_evicted(self) -> bool:
        return self._state.any_evicted

    def look_for_evicted(self) -> None:
        self._state.any_evicted = True

    # Making it anew

    def begin(self, rules: int, *, anew: bool) -> int:
        self._db.owner_only("make the keyword index anew")
        progress = self._state.progress
        if anew or progress.get("rules") != rules:
            for table in ("words", "lexis", "tallies"):
                self._db.run(f"DELETE FROM {table} WHERE edition <> ?", (self._state.edition,))
            self._db.run("INSERT INTO tallies SELECT ?::bigint, no, 0, 0 FROM spaces", (self._state.edition + 1,))
            total = self._db.rows("SELECT count(*) FROM records")[0][0]
            self._keep_progress({"rules": rules, "made": 0, "done": 0, "total": total})
        return progress["made"]

    def _keep_progress(self, progress: Mapping[str, int]) -> None:
        self._db.many(
            "INSERT INTO made_by VALUES(?, ?) ON CONFLICT(what) DO UPDATE SET version = excluded.version",
            list(progress.items()),
        )
        self._state.progress.update(progress)

    def make(self, live: Sequence[tuple[int, int, Lexis]], old: Sequence[tuple[int, int, Lexis]]) -> tuple[int, int]:
        progress, following = self._state.progress, self._state.edition + 1
        self._put(following, live, live=True)
        self._put(following, old, live=False)
        done = progress["done"] + len(live) + len(old)
        made = max((version for _, version, _ in (*live, *old)), default=progress["made"])
        self._keep_progress({"made": made, "done": done})
        return done, max(done, progress["total"])

    def put_in_use(self) -> None:
        self.finish()
        following = self._state.edition + 1
        for table in ("words", "lexis", "tallies"):
            self._db.run(f"DELETE FROM {table} WHERE edition <> ?", (following,))
        self._db.run("DELETE FROM made_by WHERE what <> 'edition'")
        self._state.progress.clear()
        self._keep_progress({"edition": following})

    def tend(self) -> None:
        """Has the index take in what still stands in the list of what is new."""
        if not self._db.limited:  # the database allows it to the owner alone
            self._db.run("SELECT gin_clean_pending_list('words_keys')")

    # How much there is

    def count(self, space_no: int, records: int = 0, length: int = 0, *, gone: int = 0) -> None:
        """Nothing is kept in memory that would have to hear of more than records and terms, which are counted here."""
        del gone
        if records or length:
            self._count(self._state.edition, space_no, records, length)

    def _count(self, edition: int, space_no: int, records: int, length: int) -> None:
        self.recounted = True
        held = self._tallied.get((edition, space_no), (0, 0))
        self._tallied[edition, space_no] = (held[0] + records, held[1] + length)

    def finish(self) -> None:
        """Writes how many records and terms each space has now."""
        for (edition, space_no), (records, length) in self._tallied.items():
            if records or length:
                self._db.run(
                    "UPDATE tallies SET records = records + ?, length = length + ? WHERE edition = ? AND space_no = ?",
                    (records, length, edition, space_no),
                )
        self._tallied.clear()
