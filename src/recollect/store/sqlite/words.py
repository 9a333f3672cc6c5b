"""Which versions hold a term or mention a name?

FTS5 holds hashed terms behind the number of their space, and ranks nothing. Beside it every version has its terms with
their counts (`lexis`), every space how many records and terms it has (`tallies`), and every entity its names.

An index is made anew in steps, in tables of its own, while the one in use answers and is written to. What a writer
changes of versions that the next index holds already, it changes there too. The last step puts it in use.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import cast

import msgspec

from recollect.store.base import Lexis, N, names_of, normal_name
from recollect.store.sql.database import Row
from recollect.store.sql.rows import lexis_row, to_json, to_lexis
from recollect.store.sqlite.database import gather_blobs, part_blobs
from recollect.store.sqlite.term_lists import TermLists
from recollect.types import Entity

_decode_versions = msgspec.json.Decoder(list[int]).decode
_decode_postings = msgspec.json.Decoder(list[list[int]]).decode
_decode_names = msgspec.json.Decoder(list[str]).decode
_TIDY_PAGES = 500
_KNOWING = """
    SELECT spaces.name, spaces.no FROM json_each(?) AS asked CROSS JOIN spaces ON spaces.name = asked.value
    WHERE EXISTS(SELECT 1 FROM names WHERE names.space_no = spaces.no)"""
_SELDOM = (
    "SELECT (SELECT 1 FROM evicted LIMIT 1), (SELECT 1 FROM names LIMIT 1),"
    " (SELECT version FROM made_by WHERE what = 'made')"
)
_NAMED = "SELECT name FROM names WHERE space_no = ? AND name IN (SELECT value FROM json_each(?))"
_NEXT = (
    "CREATE VIRTUAL TABLE words_next USING fts5(tokens, content='', detail=none, columnsize=0, tokenize='ascii')",
    "CREATE TABLE lexis_next(version INTEGER PRIMARY KEY, terms BLOB NOT NULL, names TEXT NOT NULL)",
    """CREATE TABLE tallies_next(space_no INTEGER PRIMARY KEY, records INTEGER NOT NULL, length INTEGER NOT NULL,
        changes INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0)""",
    "INSERT INTO tallies_next(space_no, records, length) SELECT space_no, 0, 0 FROM tallies",
)


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


def _spell_names(space_no: int, names: Sequence[str | int]) -> list[str]:
    """Names, and terms by their hashes, as the index spells them where versions are live."""
    terms = [name for name in names if isinstance(name, int)]
    if len(terms) == len(names):
        return tokens(space_no, "x", terms).split()
    return [
        token(space_no, "x", name) if isinstance(name, int) else token(space_no, "n", name_hash(name)) for name in names
    ]


def _spell(space_no: int, lexis: Lexis, *, live: bool) -> str:
    if not live:
        return tokens(space_no, "o", lexis.terms.keys())
    words = tokens(space_no, "x", lexis.terms.keys())
    if not lexis.names:
        return words
    return f"{words} {tokens(space_no, 'n', [name_hash(name) for name in lexis.names])}"


class Words:
    """The keyword index of a store, as one connection sees it; or the `next` one, which is being made."""

    def __init__(self, connection: sqlite3.Connection, lists: TermLists | None = None, *, next: bool = False) -> None:
        self._connection = connection
        self._lists = lists
        self._tables = "words_next", "lexis_next", "tallies_next"
        self._next: tuple[Words | None, int] | None = (None, 0)
        if not next:
            self._tables, self._next = ("words", "lexis", "tallies"), None
        self._any_evicted: bool | None = None
        self._any_names: bool | None = None
        self._tallied: dict[int, tuple[int, int, int]] = {}
        self._asked: tuple[TermLists, int, int] | None = None
        self._new: list[tuple[int, Sequence[int]]] = []

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    # Reading

    def _matching(self, words: Sequence[str], *, evicted: bool = False) -> list[list[int]]:
        """The versions that stand under each word, without or only those that are evicted and still to be retired.

        All in one row: between two rows SQLite lets other threads run, and waits for its turn again.
        """
        one = f"SELECT json_group_array(rowid) FROM words WHERE words MATCH asked.value{self._present(evicted=evicted)}"
        sql = f"SELECT '[' || group_concat(({one})) || ']' FROM json_each(?) AS asked"
        return _decode_postings(self._rows(sql, (to_json(words),))[0][0]) if words else []

    def _present(self, *, evicted: bool = False) -> str:
        if not evicted and not self.has_evicted():
            return ""
        return f" AND rowid {'' if evicted else 'NOT '}IN (SELECT version FROM evicted)"

    def has_evicted(self) -> bool:
        """Does anything wait to be retired? Within a snapshot that changes only by what is told here."""
        if self._any_evicted is None:
            self._look()
        return bool(self._any_evicted)

    def _look(self) -> None:
        """Learns by one question what every write has to know, and what seldom is."""
        ((evicted, named, made),) = self._rows(_SELDOM)
        self._any_evicted, self._any_names = bool(evicted), bool(named)
        if self._next is None:
            self._next = (None, 0) if made is None else (Words(self._connection, next=True), made)

    def look_for_evicted(self) -> None:
        """Hears that something was evicted or retired in this transaction."""
        self._any_evicted = None

    def postings(self, space_no: int, terms: Sequence[int], *, old: bool = False) -> list[list[int]]:
        """The live versions that hold each term; with `old`, those that did."""
        live = [token(space_no, "x", term) for term in terms]
        if not old:
            return self._matching(live)
        past = self._matching([token(space_no, "o", term) for term in terms])
        return [[*a, *b] for a, b in zip(past, self._matching(live, evicted=True), strict=True)]

    def mentions(self, space_no: int, names: Sequence[N], most: int | None = None) -> dict[N, list[int]]:
        """The live versions that mention each name, or hold a term."""
        if most is None:
            return dict(zip(names, self._matching(_spell_names(space_no, names)), strict=True))
        if self._lists is None or str in map(type, names):
            return self._newest(space_no, names, most)
        terms = cast("Sequence[int]", names)
        lists = self._lists
        found = lists.find(self._connection, space_no, terms, most, lambda some: self._newest(space_no, some, most))
        changes = lists.changes_of(space_no)
        self._asked = None if changes is None else (lists, space_no, changes)
        return cast("dict[N, list[int]]", found)

    def committed(self) -> None:
        """Hears that what was written here is there for all: lists that were asked for before go on with it."""
        if self._asked is not None and self._new:
            lists, space_no, changes = self._asked
            lists.put(space_no, changes, self._new)

    def _newest(self, space_no: int, names: Sequence[N], most: int) -> dict[N, list[int]]:
        words = _spell_names(space_no, names)
        newest = f"SELECT rowid FROM words WHERE words MATCH asked.value{self._present()} ORDER BY rowid DESC LIMIT ?"
        sql = f"SELECT (SELECT json_group_array(rowid) FROM ({newest})) FROM json_each(?) AS asked"
        found = self._rows(sql, (most, to_json(words)))
        return {name: _decode_versions(held)[::-1] for name, (held,) in zip(names, found, strict=True)}

    def lexis(self, versions: Sequence[int]) -> dict[int, Lexis]:
        sql = (
            f"SELECT json_group_array(version), json_group_array(names), {gather_blobs('terms')} FROM {self._tables[1]}"
        )
        row = self._rows(f"{sql} WHERE version IN (SELECT value FROM json_each(?))", (to_json(versions),))[0]
        held = zip(_decode_versions(row[0]), _decode_names(row[1]), part_blobs(*row[2:]), strict=True)
        return {version: to_lexis(terms, names) for version, names, terms in held}

    def names(self, spaces: Sequence[str], phrases: Sequence[str], text: str) -> dict[str, list[str]]:
        """Of each space that knows names at all: those among the phrases, or in a text without word boundaries."""
        if self._any_names is None:
            self._look()
        if not self._any_names:
            return {}
        knowing = dict(self._rows(_KNOWING, (to_json(spaces),)))
        found: dict[str, list[str]] = {}
        for space, space_no in knowing.items():
            rows = self._rows(_NAMED, (space_no, to_json(phrases))) if phrases else []
            if text:
                rows += self._rows("SELECT name FROM names WHERE space_no = ? AND instr(?, name) > 0", (space_no, text))
            found[space] = sorted({row[0] for row in rows})
        return found

    # Writing

    def _spelled(self, rows: Sequence[Row]) -> None:
        """Rows of "delete" or None, version and tokens; FTS5 keeps them together as long as versions rise."""
        words = self._tables[0]
        rising = sorted(rows, key=itemgetter(1))
        self._connection.executemany(f"INSERT INTO {words}({words}, rowid, tokens) VALUES(?, ?, ?)", rising)

    def _spelled_new(self, rows: Sequence[tuple[int, str]]) -> None:
        """Rows of version and tokens, none of which was there before."""
        self._connection.executemany(f"INSERT INTO {self._tables[0]}(rowid, tokens) VALUES(?, ?)", sorted(rows))

    def put(self, entries: Sequence[tuple[int, int, Lexis]], *, live: bool = True) -> None:
        """Takes in versions that have just been written, or (not `live`) were retired long ago: space, number, terms.

        The names that an old version mentions are nobody's concern.
        """
        rows = [(version, *lexis_row(lexis, named=live)) for _, version, lexis in entries]
        self._connection.executemany(f"INSERT INTO {self._tables[1]} VALUES(?, ?, ?)", rows)
        self._spelled_new([(version, _spell(space_no, lexis, live=live)) for space_no, version, lexis in entries])
        if live:
            for space_no, version, lexis in entries:
                self.count(space_no, 1, lexis.length)
                if self._asked is not None and self._asked[1] == space_no:
                    self._new.append((version, tuple(lexis.terms)))
        following, made = self._following()
        if following is not None and (known := [entry for entry in entries if entry[1] <= made]):
            following.put(known, live=live)

    def retire(self, entries: Sequence[tuple[int, int]]) -> None:
        """Has live versions (space and number of each) stand with the old ones."""
        held = self.lexis([version for _, version in entries])
        spelled: list[Row] = []
        for space_no, version in entries:
            lexis = held.get(version) or Lexis({})
            spelled.append(("delete", version, _spell(space_no, lexis, live=True)))
            spelled.append((None, version, _spell(space_no, lexis, live=False)))
            self.count(space_no, -1, -lexis.length, gone=1)
        self._spelled(spelled)
        following, made = self._following()
        if following is not None and (known := [entry for entry in entries if entry[1] <= made]):
            following.retire(known)

    def erase(self, entries: Sequence[tuple[int, int, bool]], *, for_good: bool = True) -> None:
        """Takes versions out: space, number and whether it is live, of each. For good, or to put them in otherwise."""
        held = self.lexis([version for _, version, _ in entries])
        spelled: list[Row] = []
        for space_no, version, live in entries:
            lexis = held.get(version) or Lexis({})
            spelled.append(("delete", version, _spell(space_no, lexis, live=live)))
            self.count(space_no, -1 if live else 0, -lexis.length if live else 0, gone=1)
        self._spelled(spelled)
        if for_good:
            self._note_erased(1)
        gone = [(version,) for _, version, _ in entries]
        self._connection.executemany(f"DELETE FROM {self._tables[1]} WHERE version = ?", gone)
        following, made = self._following()
        if following is not None and (known := [entry for entry in entries if entry[1] <= made]):
            following.erase(known, for_good=for_good)

    def put_space(self, space_no: int) -> None:
        sql = f"INSERT INTO {self._tables[2]}(space_no, records, length) VALUES(?, 0, 0)"
        self._connection.execute(sql, (space_no,))
        following, _ = self._following()
        if following is not None:
            following.put_space(space_no)

    def drop_space(self, space_no: int) -> None:
        """Forgets a space, whose versions were erased before."""
        self._lists = None
        self._connection.execute("DELETE FROM names WHERE space_no = ?", (space_no,))
        self._connection.execute(f"DELETE FROM {self._tables[2]} WHERE space_no = ?", (space_no,))
        self._tallied.pop(space_no, None)
        following, _ = self._following()
        if following is not None:
            following.drop_space(space_no)

    def put_names(self, space_no: int, entity: Entity) -> None:
        self._any_names = True
        self._connection.executemany(
            "INSERT OR IGNORE INTO names VALUES(?, ?, ?)", [(space_no, name, entity.id) for name in names_of(entity)]
        )

    def drop_names(self, space_no: int, entity: str) -> None:
        self._connection.execute("DELETE FROM names WHERE space_no = ? AND entity = ?", (space_no, entity))

    def drop_all_names(self) -> None:
        self._connection.execute("DELETE FROM names")

    # Making it anew

    def _following(self) -> tuple[Words | None, int]:
        """The next index, if one is being made, and up to which version it is."""
        if self._next is None:
            self._look()
        assert self._next is not None
        return self._next

    def _progress(self) -> dict[str, int]:
        return dict(self._rows("SELECT what, version FROM made_by"))

    def begin(self, rules: int, *, anew: bool) -> int:
        """Begins to make the next index by some rules, or goes on. Answers up to which version it is."""
        progress = self._progress()
        if anew or progress.get("rules") != rules:
            for table in self._next_tables():
                self._connection.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _NEXT:
                self._connection.execute(statement)
            total = self._rows("SELECT count(*) FROM records")[0][0]
            progress = {"rules": rules, "made": 0, "done": 0, "total": total}
            self._keep_progress(progress)
        return progress["made"]

    def _keep_progress(self, progress: Mapping[str, int]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO made_by VALUES(?, ?)", list(progress.items()))
        self._next = None

    def _next_tables(self) -> tuple[str, ...]:
        return tuple(f"{table}_next" for table in self._tables)

    def make(self, live: Sequence[tuple[int, int, Lexis]], old: Sequence[tuple[int, int, Lexis]]) -> tuple[int, int]:
        """Takes some more versions into the next index, in their order. Answers how many it has of how many."""
        following, made = self._following()
        assert following is not None
        following.put(live)
        following.put(old, live=False)
        following.finish()
        progress = self._progress()
        done = progress["done"] + len(live) + len(old)
        made = max((version for _, version, _ in (*live, *old)), default=made)
        self._keep_progress({"made": made, "done": done})
        return done, max(done, progress["total"])

    def put_in_use(self) -> None:
        """Replaces the index by the next one, which is complete."""
        self.finish()
        self._lists = None
        self._connection.execute(
            "UPDATE tallies SET records = made.records, length = made.length,"
            " changes = CAST(tallies.changes AS INTEGER) + 1, gone = CAST(tallies.gone AS INTEGER) + 1"
            " FROM tallies_next AS made WHERE made.space_no = tallies.space_no"
        )
        for table in ("words", "lexis"):
            self._connection.execute(f"DROP TABLE {table}")
            self._connection.execute(f"ALTER TABLE {table}_next RENAME TO {table}")
        self._connection.execute("DROP TABLE tallies_next")
        self._connection.execute("DELETE FROM made_by WHERE what <> 'erased'")
        self._next = None

    def tend(self) -> None:
        """Merges some of the index's segments, so that it stays quick to read. A bounded piece of work."""
        self._connection.execute("INSERT INTO words(words, rank) VALUES('merge', ?)", (_TIDY_PAGES,))

    def purge(self, most: int) -> bool:
        """Takes what was erased out of the index's segments, where it stands until they are merged into one.

        One step of so many pages; False when all is done. What was erased is noted until the log is emptied too.
        """
        state = self._progress().get("erased", 0)
        if state not in (1, 2):
            return False
        before = self._connection.total_changes
        self._connection.execute("INSERT INTO words(words, rank) VALUES('merge', ?)", (-most if state == 1 else most,))
        done = self._connection.total_changes - before < 2
        self._note_erased(3 if done else 2)
        return not done

    def _note_erased(self, state: int) -> None:
        self._connection.execute("INSERT OR REPLACE INTO made_by VALUES('erased', ?)", (state,))

    def purged(self) -> bool:
        """Forgets that something was erased, unless more was since."""
        self._connection.execute("DELETE FROM made_by WHERE what = 'erased' AND version = 3")
        return "erased" not in self._progress()

    def count(self, space_no: int, records: int = 0, length: int = 0, *, gone: int = 0) -> None:
        """Hears that a space changed: by how many records and terms, and how many versions left its present."""
        self._lists = None  # from here on this transaction sees what others do not
        held = self._tallied.get(space_no, (0, 0, 0))
        self._tallied[space_no] = (held[0] + records, held[1] + length, held[2] + gone)

    def finish(self) -> None:
        """Writes what was put off: how many records and terms each space has."""
        if self._tallied:
            self._connection.executemany(
                f"UPDATE {self._tables[2]} SET records = records + ?, length = length + ?, gone = gone + ?,"
                " changes = changes + 1 WHERE space_no = ?",
                [(*more, space_no) for space_no, more in self._tallied.items()],
            )
            self._tallied.clear()
        if self._next is not None and self._next[0] is not None:
            self._next[0].finish()
