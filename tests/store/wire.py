"""A wire to a PostgreSQL server that a test can cut, and that counts what goes over it.

It stands between a client and the socket of a server, in this process. A turn is what the client says before it waits
for an answer: the number of turns is the number of round trips. When the server happens to speak does not count: to the
first statements of a pipeline it may have answered before the last are said.
"""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
from pathlib import Path
from typing import Literal

import psycopg.conninfo

Cut = Literal["before", "after", "silent"]
_ENDS_READING = b"Q\0\0\0\rROLLBACK\0"
"""What nobody waits for the answer to."""
_FATAL = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
TERMINATED = b"E" + (len(_FATAL) + 4).to_bytes(4, "big") + _FATAL
"""What a server says where an administrator ends a connection."""


class _Speech:
    """What one client says, message by message, wherever its bytes are cut.

    A client that waits has said so: a query, a sync or a flush comes last. What it says after one begins a turn.
    """

    def __init__(self) -> None:
        self._read = b""
        self._left = 0
        """So many bytes of a message are still to come."""
        self._waits = self._is_first = True

    def begins_a_turn(self, said: bytes) -> bool:
        """Does a turn begin within these bytes?"""
        self._read += said
        begins = False
        while True:
            passed = min(self._left, len(self._read))
            self._read, self._left = self._read[passed:], self._left - passed
            named = 0 if self._is_first else 1  # a first message has no kind
            if self._left or len(self._read) < named + 4:
                return begins
            kind = self._read[:named]
            self._left = named + int.from_bytes(self._read[named : named + 4], "big")
            begins |= self._waits and kind not in (b"S", b"H")
            self._waits, self._is_first = kind in (b"", b"Q", b"S", b"H"), False


class Wire:
    """Passes everything on, until it is told to cut at a turn: before the server hears it, or after it has answered.

    It can also keep what the server answers from then on to itself.
    """

    def __init__(self, server: str) -> None:
        known = psycopg.conninfo.conninfo_to_dict(server)
        self._server = f"{known['host']}/.s.PGSQL.{known.get('port', 5432)}"
        self._folder = tempfile.TemporaryDirectory(prefix="wire-")
        path = Path(self._folder.name, ".s.PGSQL.5432")
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen()
        self._lock = threading.Lock()
        self._away = threading.Event()
        self._since: dict[_Speech, int] = {}
        self._open: list[socket.socket] = []
        self.came = threading.Semaphore(0)
        """Can be acquired once for each connection that came."""
        self.refused = threading.Semaphore(0)
        """The same for those that came while the server was away."""
        self.turns = 0
        self.longest = 0
        """The turns of the connection that had most of them: others had theirs at the same time."""
        self._cut_at: int | bytes | None = None
        self._how: Cut = "before"
        self._heard: int = 0
        self._last_words = b""
        self.answered = 0
        """How many bytes the server answered to the turn that was cut."""
        self.was_cut = False
        self.url = f"postgresql://{known['user']}@/{known['dbname']}?host={self._folder.name}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, at: int | bytes, how: Cut, *, heard: int = 0, last_words: bytes = b"") -> None:
        """Cuts at a turn from now on, counted from 1, or where that is said; other connections stay. Of an answer after
        which it cuts, the client hears the first bytes, and then perhaps what a server says that ends a connection.
        """
        with self._lock:
            self._heard, self._last_words = heard, last_words
            self.turns, self._cut_at, self._how, self.was_cut = 0, at, how, False
            self.longest, self._since = 0, {}

    def mend(self) -> None:
        with self._lock:
            self._cut_at = None

    def leave(self) -> None:
        """Lets nobody in any more; who is in stays."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def go(self) -> None:
        """Ends all connections, and lets nobody in any more."""
        self.leave()
        for end in self._open:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def away(self) -> None:
        """Ends all connections, and has the server seem away until it is `back`."""
        self._away.set()
        for end in self._open:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def back(self) -> None:
        self._away.clear()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect("" if self._away.is_set() else self._server)
            except OSError:  # it is away, perhaps for a moment
                self.refused.release()
                client.close()
                server.close()
                continue
            self._open += [client, server]
            self.came.release()
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        """One connection, in turns: what the client says, and then what the server says until the client speaks."""
        speech = _Speech()
        cut = threading.Event()
        threading.Thread(target=self._answer, args=(client, server, cut), daemon=True).start()
        with contextlib.suppress(OSError):
            while said := client.recv(65_536):
                begins = speech.begins_a_turn(said)
                how = None if said == _ENDS_READING else self._turn(speech, said, begins)
                if how == "before":
                    break
                if how is not None:
                    cut.set()
                server.sendall(said)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _turn(self, speech: _Speech, said: bytes, begins: bool) -> Cut | None:
        """Counts a turn where one begins, and says whether this one is cut."""
        with self._lock:
            if isinstance(self._cut_at, bytes) and self._cut_at in said:
                self._cut_at, self.was_cut = None, True
                return self._how
            if not begins and self.turns:
                return None
            self.turns += 1
            self._since[speech] = self._since.get(speech, 0) + 1
            self.longest = max(self.longest, self._since[speech])
            if self.turns != self._cut_at:
                return None
            self.was_cut = True
            return self._how

    def _answer(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while said := server.recv(65_536):
                if cut.is_set() and self._how == "silent":
                    continue
                if cut.is_set():
                    self.answered = len(said)
                    client.sendall(said[: self._heard] + self._last_words)
                    break
                client.sendall(said)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for end in (self._door, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._folder.cleanup()
