"""How are projects and their files kept in SQLite?"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

import msgspec

from recollect.store.base import IndexedFile, IndexedProject
from recollect.store.sql.rows import Row, to_json, to_micros, to_moment
from recollect.types import FileProblem

_COLUMNS = (
    "id", "path", "created_at", "state", "total", "done", "base", "chunks", "started_at", "completed_at", "problem",
    "skipped", "problems",
)  # fmt: skip
_SELECT = (
    f"SELECT spaces.name, {', '.join(f'projects.{name}' for name in _COLUMNS)}"
    " FROM projects JOIN spaces ON spaces.no = projects.space_no"
)
_PUT = (
    f"INSERT INTO projects(space_no, {', '.join(_COLUMNS)}) VALUES(?{', ?' * len(_COLUMNS)})"
    " ON CONFLICT(space_no, id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name not in ("id", "created_at"))
)
_decode_counts = msgspec.json.Decoder(dict[str, int]).decode
_decode_problems = msgspec.json.Decoder(tuple[FileProblem, ...]).decode


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else to_moment(micros)


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _to_project(row: Row) -> IndexedProject:
    return IndexedProject(
        space=row[0], id=row[1], path=row[2], created_at=to_moment(row[3]), state=row[4], total=row[5], done=row[6],
        base=row[7], chunks=row[8], started_at=_moment(row[9]), completed_at=_moment(row[10]), problem=row[11],
        skipped=_decode_counts(row[12]), problems=_decode_problems(row[13]),
    )  # fmt: skip


def read_projects(connection: sqlite3.Connection, space: str | None) -> list[IndexedProject]:
    where, values = ("", ()) if space is None else (" WHERE spaces.name = ?", (space,))
    rows = connection.execute(f"{_SELECT}{where} ORDER BY spaces.name, projects.id", values).fetchall()
    return [_to_project(row) for row in rows]


def _number(connection: sqlite3.Connection, space_no: int | None, id: str) -> int | None:
    row = connection.execute("SELECT no FROM projects WHERE space_no = ? AND id = ?", (space_no, id)).fetchone()
    return None if row is None else row[0]


def read_files(connection: sqlite3.Connection, space_no: int | None, id: str) -> list[IndexedFile]:
    sql = "SELECT path, hash, size, mtime, read_at, chunks, problem FROM files WHERE project_no = ? ORDER BY path"
    return [IndexedFile(*row) for row in connection.execute(sql, (_number(connection, space_no, id),)).fetchall()]


def write_project(connection: sqlite3.Connection, space_no: int, project: IndexedProject) -> None:
    connection.execute(
        _PUT,
        (
            space_no, project.id, project.path, to_micros(project.created_at), project.state, project.total,
            project.done, project.base, project.chunks, _micros(project.started_at), _micros(project.completed_at),
            project.problem, to_json(project.skipped), to_json(project.problems),
        ),
    )  # fmt: skip


def write_files(connection: sqlite3.Connection, space_no: int, id: str, files: Sequence[IndexedFile]) -> None:
    number = _number(connection, space_no, id)
    connection.executemany(
        "INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, *msgspec.structs.astuple(file)) for file in files],
    )


def delete_files(connection: sqlite3.Connection, space_no: int, id: str, paths: Sequence[str]) -> None:
    number = _number(connection, space_no, id)
    connection.executemany("DELETE FROM files WHERE project_no = ? AND path = ?", [(number, path) for path in paths])


def delete_project(connection: sqlite3.Connection, space_no: int, id: str) -> None:
    number = _number(connection, space_no, id)
    connection.execute("DELETE FROM files WHERE project_no = ?", (number,))
    connection.execute("DELETE FROM projects WHERE no = ?", (number,))


def delete_projects(connection: sqlite3.Connection, space_no: int) -> None:
    connection.execute(
        "DELETE FROM files WHERE project_no IN (SELECT no FROM projects WHERE space_no = ?)", (space_no,)
    )
    connection.execute("DELETE FROM projects WHERE space_no = ?", (space_no,))
