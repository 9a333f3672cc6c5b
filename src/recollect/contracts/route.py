"""What may a contract offer on the web: which addresses, and which news of what changed?

A `Web` is data, like the table of tools beside it. What serves it never looks at a contract's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

import msgspec
from msgspec import Struct

from recollect.contracts.schema import derive_schema, parse_params
from recollect.contracts.tool import Call
from recollect.engine.once import do_once
from recollect.errors import InvalidInput
from recollect.types import DEFAULT_SPACE, Change, Json

if TYPE_CHECKING:
    from recollect.engine.memory import Memory

P = TypeVar("P")
Method = Literal["GET", "POST", "PATCH", "DELETE"]
IN_QUERY: tuple[Method, ...] = ("GET", "DELETE")
"""Methods whose arguments stand in the address; those of others are the fields of a JSON object."""


class Route(Struct, Generic[P], frozen=True, kw_only=True):
    """One address and one method.

    A path is made of words and `{named}` parts. The named parts and the query (or the body's fields) become one
    `params` value, and `call` answers with any value that has a JSON form. `in_steps` says that it takes several
    transactions, `looks` that it changes nothing, whatever its method: nothing is kept of its answer then.
    Where a table is documented, `about` says in a line what it does, and `returns` what is answered.
    """

    method: Method
    path: str
    params: type[P]
    call: Callable[[P, Call], object]
    in_steps: bool = False
    looks: bool = False
    about: str = ""
    returns: Any = None

    @property
    def lists(self) -> frozenset[str]:
        """The names that a query may repeat."""
        return _of_type(self.params, "array")

    def match(self, segments: Sequence[str]) -> dict[str, str] | None:
        """The named parts of a path that fits, or None. The segments are decoded already; none may be empty."""
        wanted = self.path.strip("/").split("/")
        if len(wanted) != len(segments) or not all(segments):
            return None
        found: dict[str, str] = {}
        for pattern, segment in zip(wanted, segments, strict=True):
            if pattern.startswith("{"):
                found[pattern.strip("{}")] = segment
            elif pattern != segment:
                return None
        return found

    @property
    def means_a_space(self) -> bool:
        """Is the usual space meant where none is named?"""
        return "{space}" not in self.path and _of_a_space(self.params)

    def parse(self, named: Mapping[str, str], given: Mapping[str, Json]) -> P:
        """The arguments as a value, or an `InvalidInput` that names one. A text of a query may stand for a number."""
        for name in given:
            if name in named:
                raise InvalidInput(name, "is said by the address and cannot be given again")
        in_query = self.method in IN_QUERY
        for name, value in given.items():
            if in_query and value == "null" and name in _of_type(self.params, "integer", "number", "boolean"):
                raise InvalidInput(name, "must be a number, not 'null'")
        return parse_params(self.params, {**_whole(given), **named}, strict=not in_query)

    def answer_once(
        self, params: P, call: Call, write: Callable[[object], bytes], memory: Memory | None, key: str | None
    ) -> bytes:
        """What is answered, as `write` has it. A change of a memory with a key is made once, and answered the same."""
        if key is None or self.looks or self.method == "GET" or memory is None:
            return write(self.call(params, call))
        asked = msgspec.json.encode([self.method, self.path, params], order="deterministic")
        return do_once(memory.core, key, asked, lambda: write(self.call(params, call)), in_steps=self.in_steps)


@cache
def _of_type(params: type, *types: str) -> frozenset[str]:
    properties = cast("Mapping[str, Mapping[str, Json]]", derive_schema(params)["properties"])
    return frozenset(name for name, one in properties.items() if one.get("type") in types)


@cache
def _of_a_space(params: type) -> bool:
    return any(field.name == "space" and field.default == DEFAULT_SPACE for field in msgspec.structs.fields(params))


def _whole(given: Mapping[str, Json]) -> dict[str, Json]:
    """5.0 is a whole number in JSON, also inside of a list."""
    return {
        name: [_whole_one(one) for one in value] if isinstance(value, list) else _whole_one(value)
        for name, value in given.items()
    }


def _whole_one(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


class News(Struct, frozen=True):
    """Something to tell those who watch, the entry of the journal that it tells of, and the space where that was.

    Without a space it is for everybody.
    """

    entry: int
    event: object
    space: str | None = None


class Feed(Struct, frozen=True, kw_only=True):
    """How the journal is followed, and how its changes are told. `hello` is what a watcher hears first.

    `follow` answers with the changes after an entry, oldest first and not too many at once, and waits so many seconds
    for one where there is none; `tell` may stay silent.
    """

    hello: object
    last_entry: Callable[[], int]
    follow: Callable[[int, float], Sequence[Change]]
    tell: Callable[[Sequence[Change]], Sequence[News]]


class Web(Struct, frozen=True, kw_only=True):
    """Everything that a contract offers on the web, and the memory that it works on."""

    routes: tuple[Route[Any], ...]
    feed: Feed
    memory: Memory | None = None

    def __post_init__(self) -> None:
        places = [f"{route.method} {route.path}" for route in self.routes]
        twice = sorted({place for place in places if places.count(place) > 1})
        if twice:
            raise ValueError(f"declared twice: {', '.join(twice)}")


__all__ = ["IN_QUERY", "Feed", "Method", "News", "Route", "Web"]
