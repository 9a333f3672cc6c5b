"""What is a requirement of a contract, and how is it met?

`source` restates the contract's document in our words, `behaviour` says how that is met here, and `differs` where and
why this server does otherwise, or decides what the document leaves open. `tests` show it: a name of a test beside the
table, or `file::name` below tests/. A test follows these links both ways.
"""

from __future__ import annotations

from typing import NamedTuple

SNAPSHOTS = "contracts/test_requirements.py::test_pages_and_snapshots_are_those_of_the_tables"


class Requirement(NamedTuple):
    source: str
    behaviour: str
    tests: tuple[str, ...]
    differs: str = ""
