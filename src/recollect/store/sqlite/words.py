"""Which versions hold a term or mention a name?

FTS5 holds hashed terms behind the number of their space, and ranks nothing. Beside it every version has its terms with
their counts (`lexis`), every space how many records and terms it has (`tallies`), and every entity its names.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Collection, Iterable, Sequence
from typing import cast

import msgspec

from recollect.store.base import Lexis, Tally, normal_name
from recollect.store.sql.rows import Row, lexis_row, to_json, to_lexis
from recollect.types import Entity

_decode_versions = msgspec.json.Decoder(list[int]).decode
_TIDY_PAGES = 500
_PUT_WORDS = "INSERT INTO words(words, rowid, tokens) VALUES(?, ?, ?)"
_PUT_LEXIS = "INSERT INTO lexis VALUES(?, ?, ?)"


def token(space_no: int, mark: str, term: int) -> str:
    """A term of one space, as the index spells it. Marks: x live term, n live name, o term of an old version."""
    return tokens(space_no, mark, (term,))


def tokens(space_no: int, mark: str, terms: Collection[int]) -> str:
    """Many terms, parted by spaces: eight hexadecimal digits each, behind what they all begin with."""
    head = f"{space_no:x}{mark}"
    digits = struct.pack(f">{len(terms)}I", *terms).hex(" ", 4)
    return f"{head}{digits.replace(' ', f' {head}')}" if digits else ""


def name_hash(name: str) -> int:
    return zlib.crc32(normal_name(name).encode("utf-8", "surrogatepass"))


def _spell(space_no: int, lexis: Lexis, *, live: bool) -> str:
    if not live:
        return tokens(space_no, "o", lexis.terms.keys())
    words = tokens(space_no, "x", lexis.terms.keys())
    if not lexis.names:
        return words
    return f"{words} {tokens(space_no, 'n', [name_hash(name) for name in lexis.names])}"


class Words:
    """The keyword index of a store, as one connection sees it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._any_evicted: bool | None = None
        self._tallied: dict[int, tuple[int, int]] = {}

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    # Reading

    def _matching(self, word: str, *, evicted: bool = False) -> list[int]:
        """The versions that stand under a word, without or only those that are evicted and still to be retired."""
        sql = "SELECT json_group_array(rowid) FROM words WHERE words MATCH ?"
        if evicted or self.has_evicted():
            sql += f" AND rowid {'' if evicted else 'NOT '}IN (SELECT version FROM evicted)"
        return _decode_versions(self._rows(sql, (word,))[0][0])

    def has_evicted(self) -> bool:
        """Does anything wait to be retired? Within a snapshot that changes only by what is told here."""
        if self._any_evicted is None:
            self._any_evicted = bool(self._rows("SELECT 1 FROM evicted LIMIT 1"))
        return self._any_evicted

    def look_for_evicted(self) -> None:
        """Hears that something was evicted or retired in this transaction."""
        self._any_evicted = None

    def postings(self, space_no: int, term: int, *, old: bool = False) -> list[int]:
        live = token(space_no, "x", term)
        if not old:
            return self._matching(live)
        return self._matching(token(space_no, "o", term)) + self._matching(live, evicted=True)

    def mentions(self, space_no: int, name: str) -> list[int]:
        return self._matching(token(space_no, "n", name_hash(name)))

    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]:
        sql = "SELECT version, terms, names FROM lexis WHERE version IN (SELECT value FROM json_each(?))"
        return {row[0]: to_lexis(row[1], row[2]) for row in self._rows(sql, (to_json(versions),))}

    def term_blobs(self, versions: Sequence[int]) -> list[tuple[int, bytes]]:
        sql = "SELECT version, terms FROM lexis WHERE version IN (SELECT value FROM json_each(?))"
        return cast("list[tuple[int, bytes]]", self._rows(sql, (to_json(versions),)))

    def tally(self, space_no: int | None) -> Tally:
        self.finish()
        rows = self._rows("SELECT records, length FROM tallies WHERE space_no = ?", (space_no,))
        return Tally(*rows[0]) if rows else Tally()

    def made_by(self) -> int:
        """Which way of making terms and names the index was built with; 0 where there is none yet."""
        rows = self._rows("SELECT version FROM made_by WHERE what = 'lexis'")
        return rows[0][0] if rows else 0

    def knows_names(self, space_no: int | None) -> bool:
        return bool(self._rows("SELECT 1 FROM names WHERE space_no = ? LIMIT 1", (space_no,)))

    def known_names(self, space_no: int | None, phrases: Sequence[str], text: str) -> list[str]:
        sql = "SELECT DISTINCT name FROM names WHERE space_no = ? AND name IN (SELECT value FROM json_each(?))"
        found = self._rows(sql, (space_no, to_json(phrases)))
        if text:
            sql = "SELECT DISTINCT name FROM names WHERE space_no = ? AND instr(?, name) > 0"
            found += self._rows(sql, (space_no, text))
        return sorted({row[0] for row in found})

    # Writing

    def put(self, entries: Iterable[tuple[int, int, Lexis]]) -> None:
        """Takes in new live versions: space, version and terms of each."""
        entries = list(entries)
        self._connection.executemany(_PUT_LEXIS, [(version, *lexis_row(lexis)) for _, version, lexis in entries])
        spelled = [(None, version, _spell(space_no, lexis, live=True)) for space_no, version, lexis in entries]
        self._connection.executemany(_PUT_WORDS, spelled)
        for space_no, _, lexis in entries:
            self._count(space_no, 1, lexis.length)

    def put_old(self, entries: Sequence[tuple[int, int, Lexis]]) -> None:
        """Takes in versions that were retired before they were indexed."""
        rows = [(version, *lexis_row(Lexis(lexis.terms))) for _, version, lexis in entries]
        self._connection.executemany(_PUT_LEXIS, rows)
        spelled = [(None, version, _spell(space_no, lexis, live=False)) for space_no, version, lexis in entries]
        self._connection.executemany(_PUT_WORDS, spelled)

    def retire(self, entries: Sequence[tuple[int, int]]) -> None:
        """Has live versions (space and number of each) stand with the old ones."""
        held = self.lexis([version for _, version in entries])
        spelled: list[Row] = []
        for space_no, version in entries:
            lexis = held.get(version) or Lexis({})
            spelled.append(("delete", version, _spell(space_no, lexis, live=True)))
            spelled.append((None, version, _spell(space_no, lexis, live=False)))
            self._count(space_no, -1, -lexis.length)
        self._connection.executemany(_PUT_WORDS, spelled)

    def erase(self, entries: Sequence[tuple[int, int, bool]]) -> None:
        """Takes versions out for good: space, number and whether it is live, of each."""
        held = self.lexis([version for _, version, _ in entries])
        spelled: list[Row] = []
        for space_no, version, live in entries:
            lexis = held.get(version) or Lexis({})
            spelled.append(("delete", version, _spell(space_no, lexis, live=live)))
            if live:
                self._count(space_no, -1, -lexis.length)
        self._connection.executemany(_PUT_WORDS, spelled)
        self._connection.executemany("DELETE FROM lexis WHERE version = ?", [(version,) for _, version, _ in entries])

    def put_space(self, space_no: int) -> None:
        self._connection.execute("INSERT INTO tallies VALUES(?, 0, 0)", (space_no,))

    def drop_space(self, space_no: int) -> None:
        """Forgets a space, whose versions were erased before."""
        for table in ("names", "tallies"):
            self._connection.execute(f"DELETE FROM {table} WHERE space_no = ?", (space_no,))
        self._tallied.pop(space_no, None)

    def put_names(self, space_no: int, entity: Entity) -> None:
        names = {normal_name(name) for name in (entity.name, *entity.aliases)}
        self._connection.executemany(
            "INSERT OR IGNORE INTO names VALUES(?, ?, ?)", [(space_no, name, entity.id) for name in sorted(names)]
        )

    def drop_names(self, space_no: int, entity: str) -> None:
        self._connection.execute("DELETE FROM names WHERE space_no = ? AND entity = ?", (space_no, entity))

    def clear(self, made_by: int) -> None:
        """Empties the index, to be made anew in another way."""
        self._connection.execute("INSERT OR REPLACE INTO made_by VALUES('lexis', ?)", (made_by,))
        self._connection.execute("INSERT INTO words(words) VALUES('delete-all')")
        for table in ("lexis", "names"):
            self._connection.execute(f"DELETE FROM {table}")
        self._connection.execute("UPDATE tallies SET records = 0, length = 0")
        self._tallied.clear()

    def tidy(self) -> None:
        """Merges some of the index's segments, so that it stays quick to read. A bounded piece of work."""
        self._connection.execute("INSERT INTO words(words, rank) VALUES('merge', ?)", (_TIDY_PAGES,))

    def _count(self, space_no: int, records: int, length: int) -> None:
        held = self._tallied.get(space_no, (0, 0))
        self._tallied[space_no] = (held[0] + records, held[1] + length)

    def finish(self) -> None:
        """Writes what was put off: how many records and terms each space has."""
        if self._tallied:
            self._connection.executemany(
                "UPDATE tallies SET records = records + ?, length = length + ? WHERE space_no = ?",
                [(records, length, space_no) for space_no, (records, length) in self._tallied.items()],
            )
            self._tallied.clear()
