"""Is a row of an export one that this program could have written?

Whoever takes over a file asks this of every row, whether the memory is empty or holds something already: what nobody
could have stored here does not come in by a file either, whatever its last line says. An error names the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from recollect.engine.parse import (
    MAX_DEPTH,
    MAX_TEXT_BYTES,
    choices_of,
    lies_deeper,
    parse_choice,
    parse_label,
    parse_share,
    parse_space,
    parse_string,
    parse_weight,
)
from recollect.errors import InvalidInput
from recollect.fields import fields_of
from recollect.store import marks
from recollect.store.portable import NOUNS, OBJECTS, Row, Spaces, is_as_written
from recollect.types import Record

_LONGEST = 4 * MAX_TEXT_BYTES  # what was masked, or joined to another, is longer than anybody may state
_DEEPEST = 2 * MAX_DEPTH
_CHOICES = {name: choices for name, field in fields_of(Record).items() if (choices := choices_of(field))}
_CHECKS: Mapping[str, Mapping[str, Callable[[object, str], object]]] = {
    "space": {"name": parse_space},
    "record": {
        "id": parse_label, "importance": parse_share, "confidence": parse_share,
        **{name: partial(parse_choice, choices=choices) for name, choices in _CHOICES.items()},
    },
    "entity": {"id": parse_label, "name": parse_label},
    "relation": {
        "id": parse_label, "subject": parse_label, "predicate": parse_label, "object": parse_label,
        "weight": parse_weight, "confidence": parse_share,
    },
}  # fmt: skip


def check_row(noun: str, row: Row, spaces: Spaces, number: int) -> None:
    """Raises where a row, which stands in the line of that number, says what no row can say."""
    columns = NOUNS[noun].columns
    try:
        for column, value in zip(columns, row, strict=True):
            if isinstance(value, str):
                _check_text(value, f"{noun}.{column}")
        for column, check in _CHECKS.get(noun, {}).items():
            check(row[columns.index(column)], f"{noun}.{column}")
    except InvalidInput as error:
        raise InvalidInput("file", f"line {number:,}: {error}. Nothing was taken") from error
    if noun in OBJECTS and row[columns.index("space_no")] not in spaces.values():
        raise InvalidInput("file", f"line {number:,}: {noun}.space: no line tells of that space. Nothing was taken")
    if noun == "shelf" and not marks.is_as_written(*(row[columns.index(name)] for name in ("shelf", "key", "value"))):
        raise InvalidInput(
            "file",
            f"line {number:,}: marks of what is gone for good (shelf.shelf {row[columns.index('shelf')]!r}) are not as"
            " they were written: they were changed, or damaged. Nothing was taken",
        )
    if not is_as_written(noun, row):
        raise InvalidInput(
            "file",
            f"line {number:,}: this {noun} is not as it was written: it was changed, or damaged. Nothing was taken",
        )


def _check_text(text: str, field: str) -> None:
    parse_string(text, field)
    if len(text) > _LONGEST // 4 and len(text.encode()) > _LONGEST:
        raise InvalidInput(field, f"has more than {_LONGEST:,} bytes, as nothing here has")
    if text[:1] in ("[", "{") and text.count("[") + text.count("{") > _DEEPEST and _is_deep(text):
        raise InvalidInput(field, f"is nested more than {_DEEPEST} levels deep")


def _is_deep(text: str) -> bool:
    """Is it JSON that goes deeper than anything that was ever taken?"""
    try:
        return lies_deeper(msgspec.json.decode(text), _DEEPEST)
    except msgspec.DecodeError:
        return False
    except RecursionError:
        return True
