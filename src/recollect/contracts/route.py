"""What may a contract offer on the web: which addresses, and which news of what changed?

A `Web` is data, like the table of tools beside it. What serves it never looks at a contract's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from recollect.contracts.schema import parse_params
from recollect.contracts.tool import Call
from recollect.errors import InvalidInput
from recollect.types import Change, Json

P = TypeVar("P")
Method = Literal["GET", "POST", "DELETE"]


class Route(Struct, Generic[P], frozen=True, kw_only=True):
    """One address and one method.

    A path is made of words and `{named}` parts. The named parts and the query (of a POST: the body's fields) become
    one `params` value, and `call` answers with any value that has a JSON form.
    """

    method: Method
    path: str
    params: type[P]
    call: Callable[[P, Call], object]

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

    def parse(self, named: Mapping[str, str], given: Mapping[str, Json]) -> P:
        """The arguments as a value, or an `InvalidInput` that names one. A text of a query may stand for a number."""
        for name in given:
            if name in named:
                raise InvalidInput(name, "is said by the address and cannot be given again")
        return parse_params(self.params, {**given, **named}, strict=self.method == "POST")


class News(Struct, frozen=True):
    """Something to tell those who watch, and the entry of the journal that it tells of."""

    entry: int
    event: object


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
    """Everything that a contract offers on the web."""

    routes: tuple[Route[Any], ...]
    feed: Feed

    def __post_init__(self) -> None:
        places = [f"{route.method} {route.path}" for route in self.routes]
        twice = sorted({place for place in places if places.count(place) > 1})
        if twice:
            raise ValueError(f"declared twice: {', '.join(twice)}")


__all__ = ["Feed", "Method", "News", "Route", "Web"]
