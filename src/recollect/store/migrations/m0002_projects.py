"""How are folders of source code kept track of?

The chunks of a project are records; these tables only say which files they came from, so that a file that has not
changed is not read again. `files.problem` says why a file has no chunks.
"""

STATEMENTS = (
    """CREATE TABLE projects(
        no INTEGER PRIMARY KEY AUTOINCREMENT, space_no INTEGER NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL,
        created_at INTEGER NOT NULL, state TEXT NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL,
        base INTEGER NOT NULL, chunks INTEGER NOT NULL, started_at INTEGER, completed_at INTEGER, problem TEXT,
        skipped TEXT NOT NULL, problems TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX projects_id ON projects(space_no, id)",
    "CREATE UNIQUE INDEX projects_path ON projects(space_no, path)",
    """CREATE TABLE files(
        project_no INTEGER NOT NULL, path TEXT NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL,
        mtime INTEGER NOT NULL, read_at INTEGER NOT NULL, chunks INTEGER NOT NULL, problem TEXT,
        PRIMARY KEY(project_no, path)) WITHOUT ROWID""",
    "CREATE INDEX records_project ON records(space_no, project, source) WHERE project IS NOT NULL",
)
