"""What may each tool of rusty-mem be given, and what is wrong with it if not?

Arguments are read by hand: some have other names, some are brought into shape, and every error names one field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Struct

from recollect.contracts.tool import REQUIRED
from recollect.engine.parse import parse_time
from recollect.errors import InvalidInput
from recollect.types import MEMORY_TYPES, Json, MemoryType

DEFAULT_PROJECT = "default"
STRATEGIES = ("auto", "abstractive", "extractive")
PROVIDERS = ("ollama", "none")
_ALIASES = {"project": "project_id", "type": "memory_type", "k": "limit"}
_MOST_WORDS = 100_000


class Defaults(Struct, frozen=True, kw_only=True):
    """What a server assumes where a call says nothing, and how far a call may go."""

    collection: str = "rusty-mem"
    limit: int = 5
    max_limit: int = 50
    score_threshold: float = 0.25
    max_words: int = 250
    dimension: int | None = None


class TimeRange(Struct, frozen=True, omit_defaults=True):
    """The bounds as they were written, which are echoed, and as moments."""

    start: str | None = None
    end: str | None = None

    def moment(self, bound: str) -> datetime | None:
        text = self.start if bound == "start" else self.end
        return None if text is None else parse_time(text, f"time_range.{bound}")


class Search(Struct, frozen=True, kw_only=True):
    query_text: str
    project_id: str
    memory_type: MemoryType | None
    tags: tuple[str, ...]
    time_range: TimeRange | None
    limit: int
    score_threshold: float
    collection: str | None


class Push(Struct, frozen=True, kw_only=True):
    """`memory_type`, `tags` and `source_uri` are None where nothing was said of them."""

    text: str
    collection: str | None
    project_id: str
    memory_type: MemoryType | None
    tags: tuple[str, ...] | None
    source_uri: str | None


class Summarize(Struct, frozen=True, kw_only=True):
    project_id: str
    memory_type: MemoryType
    tags: tuple[str, ...]
    time_range: TimeRange
    limit: int
    strategy: str
    provider: str | None
    model: str | None
    max_words: int
    collection: str | None


class NewCollection(Struct, frozen=True, kw_only=True):
    name: str
    vector_size: int | None


Given = Annotated[Mapping[str, Json], "arguments under their own names; null is the same as nothing"]


def settle_names(arguments: Mapping[str, Json], known: Sequence[str]) -> dict[str, Json]:
    """Arguments under their own names. Another name counts only where the own one is not given."""
    given: dict[str, Json] = {}
    for name, value in arguments.items():
        own = name if name in known else _ALIASES.get(name, name)
        if own not in known:
            there = f"known: {', '.join(known)}" if known else "there are none"
            raise InvalidInput(name, f"is not an argument here ({there})")
        if value is not None and (name == own or arguments.get(own) is None):
            given[own] = value
    return given


def parse_search(arguments: Mapping[str, Json], defaults: Defaults) -> Search:
    given = settle_names(arguments, Search.__struct_fields__)
    bounds = _time_range(given)
    if "time_range" in given and (bounds is None or bounds == TimeRange()):
        raise InvalidInput("time_range", "must have `start`, `end` or both")
    return Search(
        query_text=_filled(given, "query_text"),
        project_id=_project(given),
        memory_type=_memory_type(given),
        tags=_tags(given, some=True) or (),
        time_range=bounds,
        limit=_count(given, "limit", defaults.limit, defaults.max_limit),
        score_threshold=_threshold(given, defaults.score_threshold),
        collection=_label(given, "collection"),
    )


def parse_push(arguments: Mapping[str, Json]) -> Push:
    given = settle_names(arguments, Push.__struct_fields__)
    return Push(
        text=_filled(given, "text"),
        collection=_label(given, "collection"),
        project_id=_project(given),
        memory_type=_memory_type(given),
        tags=_tags(given),
        source_uri=_label(given, "source_uri"),
    )


def parse_summarize(arguments: Mapping[str, Json], defaults: Defaults) -> Summarize:
    given = settle_names(arguments, Summarize.__struct_fields__)
    bounds = _time_range(given)
    if bounds is None:
        raise InvalidInput("time_range", REQUIRED)
    if bounds.start is None or bounds.end is None:
        raise InvalidInput("time_range", "must have both `start` and `end`")
    return Summarize(
        project_id=_project(given),
        memory_type=_memory_type(given) or "episodic",
        tags=_tags(given, some=True) or (),
        time_range=bounds,
        limit=_count(given, "limit", min(50, defaults.max_limit), defaults.max_limit),
        strategy=_choice(given, "strategy", STRATEGIES) or "auto",
        provider=_choice(given, "provider", PROVIDERS),
        model=_label(given, "model"),
        max_words=_positive(given, "max_words", _MOST_WORDS) or defaults.max_words,
        collection=_label(given, "collection"),
    )


def parse_new_collection(arguments: Mapping[str, Json]) -> NewCollection:
    given = settle_names(arguments, NewCollection.__struct_fields__)
    return NewCollection(name=_filled(given, "name").strip(), vector_size=_positive(given, "vector_size", 2**31))


def parse_nothing(arguments: Mapping[str, Json]) -> None:
    settle_names(arguments, ())


def _text(given: Given, name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(name, f"must be a string, not {_shown(value)}")
    return value


def _filled(given: Given, name: str) -> str:
    text = _text(given, name)
    if text is None:
        raise InvalidInput(name, REQUIRED)
    if not text.strip():
        raise InvalidInput(name, "must not be empty")
    return text


def _label(given: Given, name: str) -> str | None:
    return None if name not in given else _filled(given, name).strip()


def _project(given: Given) -> str:
    """A blank project is as good as none."""
    return (_text(given, "project_id") or "").strip() or DEFAULT_PROJECT


def _choice(given: Given, name: str, choices: Sequence[str]) -> str | None:
    text = _text(given, name)
    if text is None:
        return None
    word = text.strip().lower()
    if word not in choices:
        raise InvalidInput(name, f"must be one of {'|'.join(choices)}, not {_shown(text)}")
    return word


def _memory_type(given: Given) -> MemoryType | None:
    word = _choice(given, "memory_type", MEMORY_TYPES)
    return next((known for known in MEMORY_TYPES if known == word), None)


def _tags(given: Given, *, some: bool = False) -> tuple[str, ...] | None:
    """Each once, without the space around it. A single text is a list of one; where `some`, a list has at least one."""
    value = given.get("tags")
    if value is None:
        return None
    items: Sequence[Json] = [value] if isinstance(value, str) else value if isinstance(value, list) else [None]
    words = [item.strip() for item in items if isinstance(item, str) and item.strip()]
    if len(words) < len(items) or (some and not words):
        raise InvalidInput("tags", "must be an array of non-empty strings")
    return tuple(dict.fromkeys(words))


def _whole(given: Given, name: str) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(name, f"must be an integer, not {_shown(value)}")
    return value


def _count(given: Given, name: str, default: int, most: int) -> int:
    value = _whole(given, name)
    if value is None:
        return default
    if not 1 <= value <= most:
        raise InvalidInput(name, f"must be between 1 and {most}")
    return value


def _positive(given: Given, name: str, most: int) -> int | None:
    value = _whole(given, name)
    if value is not None and value < 1:
        raise InvalidInput(name, "must be greater than 0")
    if value is not None and value > most:
        raise InvalidInput(name, f"must be at most {most}")
    return value


def _threshold(given: Given, default: float) -> float:
    value = given.get("score_threshold")
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput("score_threshold", f"must be a number, not {_shown(value)}")
    if not 0 <= value <= 1:
        raise InvalidInput("score_threshold", "must be between 0.0 and 1.0")
    return float(value)


def _time_range(given: Given) -> TimeRange | None:
    value = given.get("time_range")
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInput("time_range", f"must be an object with `start` and `end`, not {_shown(value)}")
    unknown = next((name for name in value if name not in ("start", "end")), None)
    if unknown is not None:
        raise InvalidInput(f"time_range.{unknown}", "is not known; there are `start` and `end`")
    bounds = TimeRange(_bound(value, "start"), _bound(value, "end"))
    start, end = bounds.moment("start"), bounds.moment("end")
    if start is not None and end is not None and start > end:
        raise InvalidInput("time_range.start", "must not be later than `time_range.end`")
    return bounds


def _bound(value: Mapping[str, Json], name: str) -> str | None:
    text = value.get(name)
    if text is None:
        return None
    if not isinstance(text, str):
        raise InvalidInput(f"time_range.{name}", f"must be an RFC3339 timestamp, not {_shown(text)}")
    return text.strip()


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
