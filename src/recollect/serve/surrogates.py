"""Is a message that the strict decoder refuses only broken by half a surrogate pair, and where?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

from recollect.types import Json


def decode_with_surrogates(data: bytes) -> tuple[Json, str] | None:
    """The message and the place of its first stray half, or None when it is broken otherwise."""
    try:
        decoded = cast("Json", json.loads(data.decode("utf-8"), parse_constant=_refuse))
        place = next(_stray_places(decoded, ""), None)
    except (ValueError, RecursionError):
        return None
    return None if place is None else (decoded, place)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _stray_places(value: Json, place: str) -> Iterator[str]:
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            yield place
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _stray_places(item, f"{place}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _stray_places(name, place)
            yield from _stray_places(item, f"{place}.{name}".removeprefix("."))
