"""How is it said in plain words what a value must be, and what it is instead?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

FILLED = "not be empty"
_SHORT = 60
_KINDS = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "an object",
}  # fmt: skip
_SIGNS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_PIECES = {"str": "characters", "array": "entries", "object": "fields"}
_BOUND = re.compile(r"(\w+) (of length )?([<>]=?) (\S+)")


def part_complaint(complaint: str) -> tuple[str, str]:
    """msgspec's sentence ("Expected `int` >= 1 - at `$.limit`") in two: what is wrong, and where ("" at the top)."""
    problem, found, place = complaint.rpartition(" - at `$")
    return (problem, place.rstrip("`").removeprefix(".")) if found else (complaint, "")


class Bound(NamedTuple):
    """How large a value of some kind may be, or of how many pieces."""

    kind: str
    is_length: bool
    sign: str
    number: str


def read_expected(problem: str) -> str | Bound:
    """What msgspec expected: a kind or several, or a bound; "Expected `int | null` >= 1" is one of whole numbers."""
    expected = problem.removeprefix("Expected ").partition(", got ")[0].replace("`", "").replace(" | null", "")
    bound = _BOUND.fullmatch(expected)
    return expected if bound is None else Bound(bound[1], bound[2] is not None, bound[3], bound[4])


def told_wanted(problem: str) -> str:
    """What msgspec expected, in plain words: `int` >= 1 is "be at least 1"."""
    if problem.startswith("Invalid RFC3339"):
        return "be a time like 2026-05-10T09:00:00Z"
    expected = read_expected(problem)
    if "matching regex" in problem:
        return "be a text that is not blank and holds no control characters"
    if isinstance(expected, str):
        return "be " + " or ".join(_KINDS.get(kind, kind) for kind in expected.split(" | "))
    kind, is_length, sign, number = expected
    if not is_length:
        return f"be {_SIGNS[sign]} {number}"
    return f"have {_SIGNS[sign]} {number} {_PIECES[kind]}" if (sign, number) != (">=", "1") else FILLED


def told_value(value: object) -> str:
    """A wrong value as an error shows it: itself if that is short, else what kind of thing it is."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, str) and len(value) > _SHORT:
        return f"a text of {len(value)} characters"
    if isinstance(value, str | int | float):
        return repr(value)
    return "an object" if isinstance(value, Mapping) else "a list"
