"""Where are small things kept that are bookkeeping and no memory?

A shelf is a named list of values, each under a key, of one space or (`space_no` 0) of the whole store. Nothing on a
shelf is in the journal. The ledger, the counters, the slots of schedules and the runs of upkeep had tables before.
"""

STATEMENTS = (
    """CREATE TABLE shelves(
        space_no INTEGER NOT NULL, shelf TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
        PRIMARY KEY(space_no, shelf, key)) WITHOUT ROWID""",
    """INSERT INTO shelves SELECT 0, 'ledger', day || ' ' || provider, json_object('day', day, 'provider', provider,
        'calls', calls, 'tokens_in', tokens_in, 'tokens_out', tokens_out, 'spent', spent / 1000000.0) FROM ledger""",
    "INSERT INTO shelves SELECT 0, 'counters', name, CAST(value AS TEXT) FROM counters",
    "INSERT INTO shelves SELECT 0, 'slots', task, CAST(slot AS TEXT) FROM slots",
    """INSERT INTO shelves SELECT space_no, 'runs', CAST(entry AS TEXT),
        json_object('verb', verb, 'undone', json(CASE WHEN undone THEN 'true' ELSE 'false' END)) FROM runs""",
    "DROP TABLE ledger",
    "DROP TABLE counters",
    "DROP TABLE slots",
    "DROP TABLE runs",
)
