"""How does a store keep what fades, what was evicted, and the order of a session's messages?

`faded` holds confidences that have decayed, beside the versions that state them. `evicted` are versions that have left
the present and are still to be retired: until then every read leaves them out. `moved` is what a run of upkeep found
before it changed it, so that the run can be taken back. `slots` says which hour of a schedule was taken, by whichever
process.
"""

STATEMENTS = (
    "CREATE TABLE faded(version INTEGER PRIMARY KEY, confidence REAL NOT NULL)",
    "CREATE TABLE evicted(version INTEGER PRIMARY KEY, at INTEGER NOT NULL)",
    """CREATE TABLE runs(
        entry INTEGER PRIMARY KEY, space_no INTEGER NOT NULL, verb TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX runs_space ON runs(space_no, verb, entry)",
    """CREATE TABLE moved(
        run INTEGER NOT NULL, version INTEGER NOT NULL, was REAL, now REAL, PRIMARY KEY(run, version))
        WITHOUT ROWID""",
    """CREATE TABLE messages(
        space_no INTEGER NOT NULL, session TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, role TEXT,
        at INTEGER NOT NULL, flag TEXT NOT NULL, PRIMARY KEY(space_no, session, place)) WITHOUT ROWID""",
    """INSERT INTO messages
        SELECT space_no, session, row_number() OVER (PARTITION BY space_no, session ORDER BY position, version) - 1,
            id, role, event_time, '' FROM records WHERE retired_at IS NULL AND session IS NOT NULL""",
    "CREATE TABLE slots(task TEXT PRIMARY KEY, slot INTEGER NOT NULL) WITHOUT ROWID",
)
