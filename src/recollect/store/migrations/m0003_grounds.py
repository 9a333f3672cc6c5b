"""How is kept on what a record rests?

`refs` is derived from the grounds of live versions: which of them cite a source, speak of a subject, hold in a scope,
or claim something of the same subject and predicate.
"""

STATEMENTS = (
    "ALTER TABLE records ADD COLUMN grounds TEXT",
    """CREATE INDEX records_grounds ON records(space_no, status)
        WHERE retired_at IS NULL AND grounds IS NOT NULL""",
    """CREATE TABLE refs(
        space_no INTEGER NOT NULL, ref TEXT NOT NULL, version INTEGER NOT NULL,
        PRIMARY KEY(space_no, ref, version)) WITHOUT ROWID""",
    "CREATE INDEX refs_version ON refs(version)",
)
