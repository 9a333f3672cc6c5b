"""Which versions hold a term, as far as that was asked before?

Who remembers one thing after another asks for much the same words each time, and the keyword index takes longer to find
the list of a word than to read it. So lists that were asked for are kept, and what is new since is put behind them. Who
goes on asking is given the lists of all words at once, where a space is no larger than that: most words of a new text
are in no list, and it takes the index as long to find that out.

Where a version has left the present, all lists of its space are read anew. What this process itself writes after it has
asked is put behind the lists once it is committed.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence

from recollect.store.sql.rows import terms_in
from recollect.store.sql.where import NOT_EVICTED
from recollect.store.sqlite.database import decode_numbers, gather_blobs, part_blobs

_MOST_TERMS = 30_000  # in all spaces
_WHOLE = 5_000  # records of a space whose lists are all kept
_BOUGHT = 3  # of a space's records for each term that was read alone: then all lists are read
_MOST_NEW = 64  # versions that are put behind the lists; beyond that they are read anew
_STATE = "SELECT changes, gone, records FROM tallies WHERE space_no = ?"
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'records'"
_NEW = """
    SELECT lexis.version, lexis.terms FROM records CROSS JOIN lexis ON lexis.version = records.version
    WHERE records.version > ? AND +records.space_no = ? AND +records.retired_at IS NULL
    ORDER BY records.version LIMIT ?"""  # the + has SQLite begin at the version
_ALL = f"""
    SELECT json_group_array(version), {gather_blobs("terms")} FROM (
        SELECT lexis.version, lexis.terms FROM records CROSS JOIN lexis ON lexis.version = records.version
        WHERE records.space_no = ? AND records.retired_at IS NULL AND {NOT_EVICTED} ORDER BY records.version)"""

Read = Callable[[Sequence[int]], dict[int, list[int]]]


class _SpaceLists:
    """The lists of one space, as they were after so many changes, up to a version."""

    def __init__(self, changes: int, gone: int, last: int, most: int) -> None:
        self.changes, self.gone, self.last, self.most = changes, gone, last, most
        self.terms: dict[int, list[int]] = {}
        self.is_whole = False
        """Is a term that has no list in no version?"""
        self.asked = 0
        """How many terms were read one by one."""
        self.is_large = False
        """Has it more terms than are kept?"""

    def add(self, version: int, terms: Sequence[int]) -> None:
        lists, most, is_whole = self.terms, 2 * self.most, self.is_whole
        for term in terms:
            known = lists.get(term)
            if known is not None:
                known.append(version)
                if len(known) > most:
                    del known[: -self.most]
            elif is_whole:
                lists[term] = [version]

    def read_all(self, connection: sqlite3.Connection, space_no: int) -> None:
        """Has the lists of all terms of a space."""
        versions, *blobs = connection.execute(_ALL, (space_no,)).fetchone()
        self.terms, self.is_whole = {}, True
        for version, terms in zip(decode_numbers(versions), part_blobs(*blobs), strict=True):
            self.add(version, terms_in(terms))


class TermLists:
    """The lists that a process has asked for. What somebody sees who began to look earlier is left as it is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spaces: dict[int, _SpaceLists] = {}

    def find(
        self, connection: sqlite3.Connection, space_no: int, terms: Sequence[int], most: int, read: Read
    ) -> dict[int, list[int]]:
        """The newest versions that hold each term, oldest first; those that are not known are read."""
        with self._lock:
            lists = self._current(connection, space_no, most)
            if lists is None:
                return read(terms)
            known = lists.terms
            missing = [] if lists.is_whole else [term for term in terms if term not in known]
            if missing:
                lists.asked += len(missing)
                known.update(read(missing))
            return {term: known[term][-most:] if term in known else [] for term in terms}

    def _current(self, connection: sqlite3.Connection, space_no: int, most: int) -> _SpaceLists | None:
        """The lists of a space as a connection sees it; None where they are newer than that."""
        found = connection.execute(_STATE, (space_no,)).fetchone()
        if found is None:
            return None
        changes, gone, records = found
        lists = self._spaces.get(space_no)
        if lists is not None and lists.changes > changes:
            return None
        if lists is None or lists.gone != gone or lists.most != most:
            lists = self._spaces[space_no] = _SpaceLists(changes, gone, _last(connection), most)
        elif lists.changes != changes:
            lists = self._caught_up(connection, space_no, lists, changes)
        if not lists.is_whole and not lists.is_large and records <= min(_WHOLE, _BOUGHT * lists.asked):
            lists.read_all(connection, space_no)
        if sum([len(one.terms) for one in self._spaces.values()]) > _MOST_TERMS:
            large = len(lists.terms) > _MOST_TERMS
            lists = _SpaceLists(changes, gone, lists.last, most)
            lists.is_large = large
            self._spaces = {space_no: lists}
        return lists

    def _caught_up(
        self, connection: sqlite3.Connection, space_no: int, lists: _SpaceLists, changes: int
    ) -> _SpaceLists:
        """The lists with what is new behind them; where that is much, they begin anew."""
        last = _last(connection)
        new = connection.execute(_NEW, (lists.last, space_no, _MOST_NEW + 1)).fetchall()
        if len(new) > _MOST_NEW:
            lists = self._spaces[space_no] = _SpaceLists(changes, lists.gone, last, lists.most)
        else:
            for version, terms in new:
                lists.add(version, terms_in(terms))
        lists.changes, lists.last = changes, last
        return lists

    def changes_of(self, space_no: int) -> int | None:
        """After how many changes of a space its lists are."""
        lists = self._spaces.get(space_no)
        return None if lists is None else lists.changes

    def put(self, space_no: int, changes: int, new: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Hears what a transaction that is committed has put into a space, and was the next change after so many: the
        lists need not be told by reading it. Whoever has read it meanwhile has them further.
        """
        with self._lock:
            lists = self._spaces.get(space_no)
            if lists is None or lists.changes != changes or len(new) > _MOST_NEW:
                return
            for version, terms in new:
                if version > lists.last:  # else it was there before, and was given other names
                    lists.add(version, terms)
                    lists.last = version
            lists.changes += 1


def _last(connection: sqlite3.Connection) -> int:
    """The last number that a version has had."""
    row = connection.execute(_LAST).fetchone()
    return 0 if row is None else row[0]
