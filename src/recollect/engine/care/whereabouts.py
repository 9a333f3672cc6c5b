"""Where in an export does stand what belongs to one object?

Its versions are scattered over the file, and what the journal says of them comes at the end. Of each such line sixteen
bytes are kept, and it is read again when the turn of its object has come: so an export may be larger than memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from recollect.errors import InvalidInput
from recollect.store.base import Horizon
from recollect.store.portable import (
    OBJECTS,
    Row,
    Spaces,
    change_of,
    horizon_of,
    id_of,
    message_of,
    parse_line,
    row_of,
    session_of,
    space_no,
    space_of_row,
)
from recollect.types import Change, Message, Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 200
_LARGE = 1_000_000  # bytes


class Parcel(NamedTuple):
    """All versions of some objects, and what the journal says of how each came, or ended."""

    rows: list[Row]
    came: dict[int, Change]
    ended: dict[int, Change]


class Whereabouts:
    """The lines of a file that is read through once, and can then be asked for some objects after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._numbers: Spaces = {}
        self.spaces: dict[int, Space] = {}
        self.horizons: dict[str, Horizon] = {}
        self._versions = {noun: _Lines() for noun in OBJECTS}
        self._came = {noun: _Lines() for noun in OBJECTS}
        self._ended = {noun: _Lines() for noun in OBJECTS}
        self._lists = _Lines()

    def note(self, noun: str, row: Row, place: int) -> None:
        """Takes in that a line begins at a byte of the file."""
        if noun == "space":
            self._numbers[row[1]] = row[0]
            self.spaces[row[0]] = space_of_row(row)
        elif noun == "shelf" and space_no(noun, row) in self.spaces and (horizon := horizon_of(row)) is not None:
            self.horizons[self.spaces[space_no(noun, row)].name] = horizon
        elif noun in OBJECTS:
            self._versions[noun].add(hash((space_no(noun, row), id_of(noun, row))), place)
        elif noun == "message" and space_no(noun, row) in self.spaces:
            self._lists.add(hash((space_no(noun, row), session_of(row))), place)
        elif noun == "entry" and (change := change_of(row)).object_type in OBJECTS:
            if change.after is not None:
                self._came[change.object_type].add(change.after, place)
            elif change.before is not None:
                self._ended[change.object_type].add(change.before, place)

    def holds(self, noun: str, space: str, id: str) -> bool:
        """Does the file tell of an object of that id in that space?"""
        return bool(self._versions[noun].places_of([hash((self._numbers.get(space, -1), id))]))

    def parcels(self, noun: str) -> Iterator[Parcel]:
        """All objects of a kind, some at a time, in the order in which the file begins to tell of them."""
        rows: list[Row] = []
        count = size = 0
        for places in self._versions[noun].groups():
            for row, length in self._read(noun, places):
                rows.append(row)
                size += length
            count += 1
            if count == _AT_ONCE or size > _LARGE:
                yield self._parcel(noun, rows)
                rows, count, size = [], 0, 0
        if rows:
            yield self._parcel(noun, rows)

    def lists(self) -> Iterator[tuple[str, str, list[Message]]]:
        """The list of each session, with its space and its name."""
        for places in self._lists.groups():
            lists: dict[tuple[str, str], list[Message]] = {}
            for row, _ in self._read("message", places):
                home = self.spaces[space_no("message", row)].name, session_of(row)
                lists.setdefault(home, []).append(message_of(row))
            for (space, session), messages in lists.items():
                yield space, session, messages

    def _parcel(self, noun: str, rows: list[Row]) -> Parcel:
        versions = [row[0] for row in rows]
        came, ended = (
            (change_of(row) for row, _ in self._read("entry", lines[noun].places_of(versions)))
            for lines in (self._came, self._ended)
        )
        return Parcel(rows, {change.after or 0: change for change in came}, {one.before or 0: one for one in ended})

    def _read(self, noun: str, places: Iterable[int]) -> Iterator[tuple[Row, int]]:
        for place in places:
            self._file.seek(place)
            data = self._file.readline()
            try:
                named, fields = parse_line(data, 0)
                if named != noun:
                    raise InvalidInput("file", f"says {named} in the place of {noun}")
                yield row_of(noun, fields, self._numbers, 0), len(data)
            except InvalidInput as error:
                raise InvalidInput("file", "was changed while it was read; run the import again") from error


class _Lines:
    """Numbers, and at which byte of a file the line of each begins. A number may have several lines."""

    def __init__(self) -> None:
        self._numbers, self._places = array("q"), array("q")

    def add(self, number: int, place: int) -> None:
        self._numbers.append(number)
        self._places.append(place)

    def groups(self) -> Iterator[list[int]]:
        """The places of each number, in the order in which numbers came first."""
        import numpy as np  # only where something is merged

        numbers, places, order = self._sorted
        begins = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)])
        ends = np.append(begins[1:], len(numbers))
        for group in np.argsort(order[begins]):
            yield places[begins[group] : ends[group]].tolist()

    def places_of(self, wanted: Sequence[int]) -> list[int]:
        """Where the last lines of these numbers begin, of those that have some, in the order of the file."""
        numbers, places, _ = self._sorted
        last = numbers.searchsorted(wanted, side="right") - 1
        found = [at for at, number in zip(last, wanted, strict=True) if at >= 0 and numbers[at] == number]
        return sorted(places[found].tolist())

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The numbers as they rise, the place of each, and where it stood."""
        import numpy as np

        numbers, places = np.array(self._numbers, np.int64), np.array(self._places, np.int64)
        self._numbers, self._places = array("q"), array("q")
        order = np.argsort(numbers, kind="stable")
        return numbers[order], places[order], order
