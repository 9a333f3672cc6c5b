"""How does a process hear that another changed a space, and how is an index made anew beside the one in use?

Every transaction that changes what can be found in a space adds one to its `changes`, and to `gone` how many versions
left its present: who keeps something of the space in memory compares these two numbers with those it saw.

By which rules the keyword index was made is known to who makes its terms, and stands on a shelf. `made_by` is left with
how far the next one is: it grows in tables that end in `_next`, which are there only meanwhile.
"""

STATEMENTS = (
    "ALTER TABLE tallies ADD COLUMN changes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE tallies ADD COLUMN gone INTEGER NOT NULL DEFAULT 0",
    "INSERT INTO shelves SELECT 0, 'index', what, CAST(version AS TEXT) FROM made_by",
    "DELETE FROM made_by",
)
