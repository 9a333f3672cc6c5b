"""What keeps two processes, perhaps on two machines, from doing the same work twice?

A lock that the database holds for a connection, and takes back whenever and however that connection ends.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import psycopg

from recollect.errors import StoreLost
from recollect.store.base import Turn
from recollect.store.postgres.connections import Connection, is_lost


def lock_key(schema: str, *names: str) -> int:
    """The number of a lock, which no other store in the database has."""
    said = "\0".join((schema, *names)).encode()
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big", signed=True)


class DatabaseTurn(Turn):
    """A turn that is a lock of a connection of its own, which is kept while it is waited for."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        converted: Callable[[], AbstractContextManager[None]],
        key: int,
        stop: threading.Event | None = None,
    ) -> None:
        super().__init__(stop)
        self._connect = connect
        self._converted = converted
        self._key = key
        self._connection: Connection | None = None
        self._mine = False

    @property
    def mine(self) -> bool:
        return self._mine and self._connection is not None and not is_lost(self._connection)

    def _try(self) -> bool:
        try:
            return self._ask()
        except StoreLost:  # and with the connection whatever lock it had
            return self._ask()

    def _ask(self) -> bool:
        if self._connection is not None and is_lost(self._connection):
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._connection = self._connect()
        try:
            with self._converted():
                row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone()
        except StoreLost:
            self.release()
            raise
        self._mine = row is not None and bool(row[0])
        return self._mine

    def release(self) -> None:
        connection, self._connection, self._mine = self._connection, None, False
        if connection is not None:
            try:
                if not is_lost(connection):
                    connection.execute("SELECT pg_advisory_unlock_all()")
            except psycopg.Error:
                return  # the lock went with the connection
            finally:
                connection.close()
