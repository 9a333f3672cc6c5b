"""What kinds of arguments do the tools of rusty-mem have, and what is wrong with one that does not fit?

An argument is declared once: its schema, and how it is read. Some are brought into shape, and every error names one
field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct

from recollect.contracts.schema import REQUIRED
from recollect.engine.parse import parse_timestamp
from recollect.errors import InvalidInput
from recollect.types import Json

P = TypeVar("P", bound=Struct)


class Argument(Struct, frozen=True):
    """One argument. `read` gets its name and its value, which is None where nothing was given."""

    schema: Mapping[str, Json]
    read: Callable[[str, Json], object]
    required: bool = False


Arguments = Mapping[str, Argument]


def write_schema(arguments: Arguments) -> dict[str, Json]:
    required: list[Json] = [name for name, argument in arguments.items() if argument.required]
    schema: dict[str, Json] = {"type": "object", "properties": {name: each.schema for name, each in arguments.items()}}
    return {**schema, "required": required} if required else schema


def read_arguments(params: type[P], arguments: Arguments, given: Mapping[str, Json]) -> P:
    """The arguments of a call as a value, or an `InvalidInput` that names one."""
    unknown = next((name for name in given if name not in arguments), None)
    if unknown is not None:
        there = f"known: {', '.join(arguments)}" if arguments else "there are none"
        raise InvalidInput(unknown, f"is not an argument here ({there})")
    missing = next((name for name, each in arguments.items() if each.required and name not in given), None)
    if missing is not None:
        raise InvalidInput(missing, REQUIRED)
    values: dict[str, Any] = {name: argument.read(name, given.get(name)) for name, argument in arguments.items()}
    return params(**values)


# Texts


def text(description: str) -> Argument:
    """A text that says something."""
    return Argument({"type": "string", "description": description}, _filled, required=True)


def label(description: str, *, required: bool = False, **more: Json) -> Argument:
    """A text without the space around it, if it is given."""

    def read(name: str, value: Json) -> str | None:
        return None if value is None else _filled(name, value).strip()

    return Argument({"type": "string", "description": description, **more}, read, required)


def project(description: str, default: str) -> Argument:
    """A blank project is as good as none."""

    def read(name: str, value: Json) -> str:
        return (_string(name, value) or "").strip() or default

    return Argument({"type": "string", "description": description, "default": default}, read)


def choice(description: str, words: Sequence[str], default: str | None = None, *, told: str | None = None) -> Argument:
    """One of some words, however it is capitalised. `told` is what is assumed later, where nothing is assumed here."""

    def read(name: str, value: Json) -> str | None:
        given = _string(name, value)
        if given is None:
            return default
        word = given.strip().lower()
        if word not in words:
            raise InvalidInput(name, f"must be one of {'|'.join(words)}, not {_shown(given)}")
        return word

    usual = default or told
    more: dict[str, Json] = {} if usual is None else {"default": usual}
    return Argument({"type": "string", "description": description, "enum": list(words), **more}, read)


def tags(description: str) -> Argument:
    """Each once, without the space around it. A single text is a list of one; an empty list is as good as none."""

    def read(name: str, value: Json) -> tuple[str, ...]:
        items: Sequence[Json] = [value] if isinstance(value, str) else value if isinstance(value, list) else [None]
        items = () if value is None else items
        words = [item.strip() for item in items if isinstance(item, str) and item.strip()]
        if len(words) < len(items):
            raise InvalidInput(name, "must be an array of non-empty strings")
        return tuple(dict.fromkeys(words))

    items: dict[str, Json] = {"type": "string", "minLength": 1}
    return Argument({"type": "array", "items": items, "description": description}, read)


def _string(name: str, value: Json) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput(name, f"must be a string, not {_shown(value)}")
    return value


def _filled(name: str, value: Json) -> str:
    given = _string(name, value) or ""
    if not given.strip():
        raise InvalidInput(name, "must not be empty")
    return given


# Numbers


def count(description: str, default: int, most: int) -> Argument:
    def read(name: str, value: Json) -> int:
        number = default if value is None else _whole(name, value)
        if value is not None and not 1 <= number <= most:
            raise InvalidInput(name, f"must be between 1 and {most}")
        return number

    schema: dict[str, Json] = {"type": "integer", "minimum": 1, "maximum": most, "default": default}
    return Argument({**schema, "description": description}, read)


def capped(description: str, default: int, most: int) -> Argument:
    """So many at most, where more may be asked for."""

    def read(name: str, value: Json) -> int:
        number = default if value is None else _whole(name, value)
        if number < 1:
            raise InvalidInput(name, "must be greater than 0")
        return min(number, most)

    return Argument({"type": "integer", "minimum": 1, "default": default, "description": description}, read)


def positive(description: str, most: int, default: int | None = None) -> Argument:
    def read(name: str, value: Json) -> int | None:
        if value is None:
            return default
        number = _whole(name, value)
        if not 1 <= number <= most:
            raise InvalidInput(name, "must be greater than 0" if number < 1 else f"must be at most {most}")
        return number

    told: dict[str, Json] = {} if default is None else {"default": default}
    return Argument({"type": "integer", "minimum": 1, **told, "description": description}, read)


def share(description: str, default: float) -> Argument:
    def read(name: str, value: Json) -> float:
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidInput(name, f"must be a number, not {_shown(value)}")
        if not 0 <= value <= 1:
            raise InvalidInput(name, "must be between 0.0 and 1.0")
        return float(value)

    schema: dict[str, Json] = {"type": "number", "minimum": 0.0, "maximum": 1.0, "default": default}
    return Argument({**schema, "description": description}, read)


def _whole(name: str, value: Json) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(name, f"must be an integer, not {_shown(value)}")
    return value


# Times


class TimeRange(Struct, frozen=True, omit_defaults=True):
    """The bounds as they were written, which are echoed, and as moments."""

    start: str | None = None
    end: str | None = None

    def moment(self, bound: str) -> datetime | None:
        written = self.start if bound == "start" else self.end
        return None if written is None else parse_timestamp(written, f"time_range.{bound}")


def time_range(description: str, *, both: bool) -> Argument:
    """Two bounds, of which one may be left out unless `both` are wanted; then the range itself is required too."""

    def read(name: str, value: Json) -> TimeRange | None:
        bounds = None if value is None else _bounds(name, value)
        if bounds is not None and both and None in (bounds.start, bounds.end):
            raise InvalidInput(name, "must have both `start` and `end`")
        if bounds == TimeRange():
            raise InvalidInput(name, "must have `start`, `end` or both")
        return bounds

    moment: dict[str, Json] = {"type": "string", "format": "date-time"}
    schema: dict[str, Json] = {"type": "object", "properties": {"start": moment, "end": moment}}
    if both:
        schema["required"] = ["start", "end"]
    return Argument({**schema, "additionalProperties": False, "description": description}, read, both)


def _bounds(name: str, value: Json) -> TimeRange:
    if not isinstance(value, Mapping):
        raise InvalidInput(name, f"must be an object with `start` and `end`, not {_shown(value)}")
    unknown = next((each for each in value if each not in ("start", "end")), None)
    if unknown is not None:
        raise InvalidInput(f"{name}.{unknown}", "is not known; there are `start` and `end`")
    bounds = TimeRange(*(_bound(f"{name}.{end}", value.get(end)) for end in ("start", "end")))
    start, end = bounds.moment("start"), bounds.moment("end")
    if start is not None and end is not None and start > end:
        raise InvalidInput(f"{name}.start", f"must not be later than `{name}.end`")
    return bounds


def _bound(name: str, value: Json) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput(name, f"must be an RFC3339 timestamp like 2025-01-31T09:30:00Z, not {_shown(value)}")
    return None if value is None else value.strip()


def _shown(value: Json) -> str:
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."
