"""Which store keeps a memory, and where in its folder?

The only place outside a store's own package that knows which stores there are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from recollect.store.base import Store
from recollect.store.sqlite import SqliteStore

_SQLITE_FILE = "recollect.db"


def store_path(home: Path) -> Path:
    """What a person who looks for the store in a folder finds there, once it is made."""
    return home / _SQLITE_FILE


def engine_of() -> tuple[str, str]:
    """What keeps a store, and which version of that."""
    return "SQLite", sqlite3.sqlite_version


def open_store(home: Path, clock: Callable[[], datetime]) -> Store:
    """Opens the store in a folder, or makes it."""
    return SqliteStore(store_path(home), clock)
