"""How is it noticed that a row is not as it was written, when a clock jumped, and what was done together?

`checksum` is that of all that a row states; a row of an earlier release has none. `stamp` orders entries whose `at` is
earlier than that of an entry before them, because the clock was set back. `act` is the first entry of what was done
together; that one has none itself. A summary can be found by the records that it was made of.
"""

STATEMENTS = (
    *(
        f"ALTER TABLE {table} ADD COLUMN checksum INTEGER"
        for table in ("spaces", "records", "entities", "relations", "journal")
    ),
    "ALTER TABLE journal ADD COLUMN stamp INTEGER",
    "ALTER TABLE journal ADD COLUMN act INTEGER",
    "CREATE INDEX journal_stamp ON journal(entry) WHERE stamp IS NOT NULL",
    "CREATE INDEX journal_act ON journal(act) WHERE act IS NOT NULL",
    *(
        "INSERT OR IGNORE INTO refs SELECT space_no, 'made_of:' || named.value, version"
        f" FROM records, json_each(iif(json_valid(metadata), metadata, '{{}}'), '$.{name}') AS named"
        " WHERE kind = 'summary' AND named.type = 'text'"
        for name in ("source_memory_ids", "summary_of")
    ),
    "CREATE INDEX records_superseded ON records(superseded_by) WHERE superseded_by IS NOT NULL",
)
