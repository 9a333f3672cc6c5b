"""What must a database be able to do, and which words does it have for what others say otherwise?

Statements are written once, with `?` for a value, in the SQL that databases share. What they do not share is asked of
the dialect: these few methods are all that a second database has to say differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

S = TypeVar("S")

Row: TypeAlias = tuple[Any, ...]  # what the module of a database hands out
Condition: TypeAlias = tuple[str, list[object]]


class Dialect(Protocol):
    """How a database spells what others spell otherwise."""

    def among(self, column: str, values: Sequence[int] | Sequence[str]) -> Condition:
        """Is a column one of some values? Any number of them is one parameter."""
        ...

    def listed(self, values: Sequence[str]) -> Condition:
        """Some texts as a query that has a row for each."""
        ...

    def shares(self, column: str, values: Sequence[str]) -> Condition:
        """Has a column that holds a JSON list any of some texts?"""
        ...

    def items(self, column: str) -> tuple[str, str]:
        """What a column that holds a JSON list is joined with to have a row for each item, and the item there."""
        ...

    def field(self, column: str, name: str) -> str:
        """The text of a field of a JSON object."""
        ...

    def holds(self, text: str, part: str) -> str:
        """Does a text hold a part?"""
        ...

    def larger(self, one: str, other: str) -> str:
        """The larger of two numbers."""
        ...

    def unindexed(self, column: str) -> str:
        """A column by which rows should not be looked up, where a planner takes hints."""
        ...


class Database(Protocol):
    """One transaction of a database."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def limited(self) -> bool:
        """Does this user see some spaces only?"""
        ...

    def owner_only(self, what: str) -> None:
        """Refuses what the owner of the tables alone can do, before anything is done."""
        ...

    whole: int
    """Under which number this user keeps what is of the whole store: 0, or one of its own below that."""

    def roles(self) -> list[int]:
        """All such numbers whose rows this user can change."""
        ...

    known_spaces: list[Row] | None
    """All spaces by name (as `SqlView.spaces` asks for them), where they were read already and none has changed since.
    """
    stamped: bool | None
    """Has the journal entries with a stamp, as far as that was read already?"""

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]: ...

    def together(self, asks: Sequence[Callable[[], S]]) -> list[S]:
        """What some questions are answered, none of which needs another's answer or changes anything.

        A database that is far away is asked for all of them at once: a question may be put more than once until it has
        all its answers.
        """
        ...

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        """Changes something, no later than when something is read or the transaction ends."""
        ...

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """Answers how many rows were changed."""
        ...

    def many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        """The same statement for many rows."""
        ...

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """New rows of a table, by the quickest way that there is."""
        ...

    def columns(self, names: Sequence[str], sql: str, values: Sequence[object] = ()) -> list[list[Any]]:
        """Some columns of all rows, each as a list, by the quickest way that there is."""
        ...

    def reserve(self, table: str, count: int) -> int:
        """The first of so many numbers in a row that a table's key has not had yet; who writes them is alone.

        Of none, it is the number that comes next.
        """
        ...

    def last_number(self, table: str) -> int:
        """The last number that a table's key has had, be it of a row that is gone."""
        ...

    def count_from(self, table: str, last: int) -> None:
        """Has the numbers of a table go on after one."""
        ...
