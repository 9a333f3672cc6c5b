"""What is known of a store as soon as a transaction has begun, without having asked for it?

A recall asks few things, each of which is a round trip. What nearly every one of them would ask first is therefore read
where a transaction begins: the models, the spaces where they are few, about how many vectors there are, and whether
anything waits, is evicted or has a name at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.store.search import Model
from recollect.store.sql.database import Row
from recollect.store.sql.moment import Last
from recollect.store.sql.view import SELECT_SPACES

_MOST_SPACES = 32
READ_STATE = (
    """SELECT (SELECT at FROM journal ORDER BY entry DESC LIMIT 1),
        (SELECT stamp FROM journal ORDER BY entry DESC LIMIT 1), EXISTS(SELECT 1 FROM queue),
        EXISTS(SELECT 1 FROM evicted), EXISTS(SELECT 1 FROM names),
        EXISTS(SELECT 1 FROM journal WHERE stamp IS NOT NULL),
        (SELECT reltuples FROM pg_class WHERE oid = 'pieces'::regclass)""",
    "SELECT what, version FROM made_by",
    "SELECT no, name, dim, mean, floor, spread FROM models ORDER BY no",
    f"""{SELECT_SPACES.replace(" FROM", ", tallies.records, tallies.length FROM")} LEFT JOIN tallies
        ON tallies.space_no = spaces.no AND edition = (SELECT version FROM made_by WHERE what = 'edition')
        ORDER BY name LIMIT {_MOST_SPACES + 1}""",
)
READ_NUMBERS = "SELECT name, last FROM numbers"


class State:
    """A transaction's own knowledge, which it keeps true while it writes."""

    def __init__(self, answers: Sequence[Sequence[Row]], *, writing: bool) -> None:
        at, stamp, self.any_waiting, self.any_evicted, self.any_names, self.stamped, self.pieces = answers[0][0]
        self.last = None if at is None else Last(at, stamp)
        self.progress: dict[str, int] = dict(answers[1])
        self.models: list[Model] | None = [Model(*row) for row in answers[2]]
        self.spaces = list(answers[3]) if len(answers[3]) <= _MOST_SPACES else None
        self.writing = writing
        if writing:
            self.any_waiting = True

    @property
    def edition(self) -> int:
        """The index of words that is in use."""
        return self.progress["edition"]

    @property
    def made(self) -> int | None:
        """Up to which version the next index of words is, if one is being made."""
        return self.progress.get("made")
