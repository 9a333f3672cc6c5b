"""How does a store keep what fades, what was evicted, and the order of a session's messages?

`faded` holds confidences that have decayed, beside the versions that state them. `moved` is what a run of upkeep found
before it changed it, so that the run can be taken back. `unswept` are versions that a run took out of the present and
whose words still stand among the live ones. `slots` says which hour of a schedule was taken, by whichever process.
"""

STATEMENTS = (
    """CREATE TABLE faded(
        space_no INTEGER NOT NULL, id TEXT NOT NULL, confidence REAL NOT NULL, PRIMARY KEY(space_no, id))
        WITHOUT ROWID""",
    """CREATE TABLE runs(
        entry INTEGER PRIMARY KEY, space_no INTEGER NOT NULL, verb TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX runs_space ON runs(space_no, verb, entry)",
    """CREATE TABLE moved(
        run INTEGER NOT NULL, space_no INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER, was REAL, now REAL,
        PRIMARY KEY(run, id)) WITHOUT ROWID""",
    "CREATE INDEX moved_id ON moved(id)",
    "CREATE TABLE unswept(version INTEGER PRIMARY KEY)",
    """CREATE TABLE messages(
        space_no INTEGER NOT NULL, session TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, role TEXT,
        at INTEGER NOT NULL, flag TEXT NOT NULL, PRIMARY KEY(space_no, session, place)) WITHOUT ROWID""",
    """INSERT INTO messages
        SELECT space_no, session, row_number() OVER (PARTITION BY space_no, session ORDER BY position, version) - 1,
            id, role, event_time, '' FROM records WHERE retired_at IS NULL AND session IS NOT NULL""",
    "CREATE TABLE slots(task TEXT PRIMARY KEY, slot INTEGER NOT NULL) WITHOUT ROWID",
)
