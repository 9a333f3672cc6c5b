"""Which versions hold a term, as far as that was asked before?

Who remembers one thing after another asks for much the same words each time, and the keyword index takes longer to find
the list of a word than to read it. So lists that were asked for are kept, and what is new since is put behind them.
Where a version has left the present, all lists of its space are read anew.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence

from recollect.store.sql.rows import terms_in

_MOST_TERMS = 20_000  # in all spaces
_MOST_NEW = 64  # versions that are put behind the lists; beyond that they are read anew
_STATE = (
    "SELECT changes, gone, (SELECT seq FROM sqlite_sequence WHERE name = 'records') FROM tallies WHERE space_no = ?"
)
_NEW = """
    SELECT lexis.version, lexis.terms FROM records CROSS JOIN lexis ON lexis.version = records.version
    WHERE records.version > ? AND +records.space_no = ? AND +records.retired_at IS NULL
    ORDER BY records.version LIMIT ?"""  # the + has SQLite begin at the version

Read = Callable[[Sequence[int]], dict[int, list[int]]]


class _Lists:
    """The lists of one space, as they were after so many changes, up to a version."""

    def __init__(self, changes: int, gone: int, last: int, most: int) -> None:
        self.changes, self.gone, self.last, self.most = changes, gone, last, most
        self.terms: dict[int, list[int]] = {}

    def add(self, version: int, terms: Sequence[int]) -> None:
        for term in terms:
            known = self.terms.get(term)
            if known is not None:
                known.append(version)
                if len(known) > 2 * self.most:
                    del known[: -self.most]


class Held:
    """The lists that a process has asked for. What somebody sees who began to look earlier is left as it is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spaces: dict[int, _Lists] = {}

    def find(
        self, connection: sqlite3.Connection, space_no: int, terms: Sequence[int], most: int, read: Read
    ) -> dict[int, list[int]]:
        """The newest versions that hold each term, oldest first; those that are not known are read."""
        with self._lock:
            lists = self._current(connection, space_no, most)
            if lists is None:
                return read(terms)
            missing = [term for term in terms if term not in lists.terms]
            if missing:
                lists.terms.update(read(missing))
            return {term: lists.terms[term][-most:] for term in terms}

    def _current(self, connection: sqlite3.Connection, space_no: int, most: int) -> _Lists | None:
        """The lists of a space as a connection sees it; None where they are newer than that."""
        found = connection.execute(_STATE, (space_no,)).fetchone()
        if found is None:
            return None
        changes, gone, last = found
        lists = self._spaces.get(space_no)
        if lists is not None and lists.changes > changes:
            return None
        if lists is None or lists.gone != gone or lists.most != most or not self._catch_up(connection, space_no, lists):
            if sum(len(one.terms) for one in self._spaces.values()) > _MOST_TERMS:
                self._spaces.clear()
            lists = self._spaces[space_no] = _Lists(changes, gone, last or 0, most)
        lists.changes, lists.last = changes, last or 0
        return lists

    def _catch_up(self, connection: sqlite3.Connection, space_no: int, lists: _Lists) -> bool:
        """Puts what is new behind the lists, unless it is much."""
        new = connection.execute(_NEW, (lists.last, space_no, _MOST_NEW + 1)).fetchall()
        if len(new) > _MOST_NEW:
            return False
        for version, terms in new:
            lists.add(version, terms_in(terms))
        return True
