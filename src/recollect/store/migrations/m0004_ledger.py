"""How is it kept what language models were asked for, and what was counted?

A row of the ledger is one day (UTC) of one provider; `spent` is in millionths of the currency that prices are given in.
Counters are named numbers that go on counting when a process ends. Both are bookkeeping, not memory: nothing of them
is in the journal.
"""

STATEMENTS = (
    """CREATE TABLE ledger(
        day TEXT NOT NULL, provider TEXT NOT NULL, calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL,
        tokens_out INTEGER NOT NULL, spent INTEGER NOT NULL, PRIMARY KEY(day, provider)) WITHOUT ROWID""",
    "CREATE TABLE counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
)
