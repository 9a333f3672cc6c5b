"""How did the SQLite file come to have the shape it has?

A list that is only ever appended to. Each entry is the statements of one step; the file's `user_version` says how many
were applied, and all that are missing are applied in one transaction.
"""

from recollect.store.migrations import (
    m0001_first,
    m0002_projects,
    m0003_grounds,
    m0004_ledger,
    m0005_lifecycle,
    m0006_tokens,
    m0007_shelves,
    m0008_changes,
    m0009_folders,
    m0010_safety,
    m0011_newest_facts,
    m0012_marks,
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    m0001_first.STATEMENTS,
    m0002_projects.STATEMENTS,
    m0003_grounds.STATEMENTS,
    m0004_ledger.STATEMENTS,
    m0005_lifecycle.STATEMENTS,
    m0006_tokens.STATEMENTS,
    m0007_shelves.STATEMENTS,
    m0008_changes.STATEMENTS,
    m0009_folders.STATEMENTS,
    m0010_safety.STATEMENTS,
    m0011_newest_facts.STATEMENTS,
    m0012_marks.STATEMENTS,
)
