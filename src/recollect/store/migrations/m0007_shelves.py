"""Where are small things kept that are bookkeeping and no memory?

A shelf is a named list of values, each under a key, of one space or (`space_no` 0) of the whole store. Nothing on a
shelf is in the journal.
"""

STATEMENTS = (
    """CREATE TABLE shelves(
        space_no INTEGER NOT NULL, shelf TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
        PRIMARY KEY(space_no, shelf, key)) WITHOUT ROWID""",
)
