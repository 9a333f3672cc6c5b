"""How does a process hear that another changed a space?

Every transaction that changes what can be found in a space adds one to its `changes`, and to `gone` how many versions
left its present: who keeps something of the space in memory compares these two numbers with those it saw.
"""

STATEMENTS = (
    "ALTER TABLE tallies ADD COLUMN changes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE tallies ADD COLUMN gone INTEGER NOT NULL DEFAULT 0",
)
