"""What do the files of a trusty-memory palace mean?

Facts about that format, as its source shows them. `palace.json` describes the palace. Drawers and triples are rows of
SQLite tables, times are RFC 3339 or `YYYY-MM-DD HH:MM:SS`, tags are a JSON list. A drawer does not name its room: it
carries 16 bytes into which the room's name was folded, each byte shifted by its place and laid over the one sixteen
places before it. Names that are short enough can be unfolded again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar, cast

import msgspec
from msgspec import Struct

from recollect.errors import InvalidInput
from recollect.ingest.elsewhere.found import Fact, Note

GENERAL = "General"
_NAMED = (
    "Frontend", "Backend", "Testing", "Planning", "Documentation", "Research", "Configuration", "Meetings", GENERAL,
)  # fmt: skip
_CUSTOM, _END = 'Custom("', '")'
_BYTES = 16
_MILLISECONDS_FROM = 100_000_000_000

T = TypeVar("T")


class PalaceFile(Struct, frozen=True, kw_only=True):
    """What `palace.json` says, as far as it matters here."""

    id: str
    description: str = ""


def parse_palace(data: bytes) -> PalaceFile:
    """The metadata of a palace; fields that do not matter here are passed over."""
    try:
        found = msgspec.json.decode(data, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput("palace.json", f"is not a JSON object: {error}") from error
    id, description = found.get("id") or found.get("name"), found.get("description")
    if not isinstance(id, str):
        raise InvalidInput("palace.json", "names no palace")
    return PalaceFile(id=id, description=description if isinstance(description, str) else "")


def parse_snapshot(data: bytes) -> list[Mapping[str, object]]:
    """The rows of `l1_cache.json`: the most important drawers, as they were last."""
    try:
        found: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput("l1_cache.json", f"is not JSON: {error}") from error
    rows = cast("dict[str, object]", found).get("drawers") if isinstance(found, dict) else found
    if not isinstance(rows, list):
        raise InvalidInput("l1_cache.json", "holds no list of drawers")
    return [cast("Mapping[str, object]", row) for row in cast("list[object]", rows) if isinstance(row, Mapping)]


def parse_drawer(row: Mapping[str, object]) -> Note:
    """A drawer from a row of any of the known forms, or an `InvalidInput` that says what is wrong with it.

    Where the name of its room cannot be told, its metadata has all that is known of it.
    """
    room_id = _text(row, "room_id")
    room = _room(_text(row, "room", "room_type")) or (None if room_id is None else unfold_room(room_id))
    return Note(
        key=_required(_text(row, "id", "drawer_id"), "id"),
        text=_required(_text(row, "content", "text"), "content"),
        room=None if room == GENERAL else room,
        metadata={"room_id": room_id} if room is None and room_id is not None else {},
        importance=_share(row.get("importance"), "importance", 0.5),
        tags=_tags(row.get("tags")),
        source=_text(row, "source_file"),
        at=_time(row.get("created_at"), "created_at"),
        recalled=_count(row.get("access_count")),
        last_recalled=_time(row.get("last_accessed_at"), "last_accessed_at"),
    )


def parse_triple(row: Mapping[str, object]) -> Fact:
    """A triple, with the time in which it holds."""
    start, end = _time(row.get("valid_from"), "valid_from"), _time(row.get("valid_to"), "valid_to")
    if start is None:
        raise InvalidInput("valid_from", "is missing")
    if end is not None and end <= start:
        raise InvalidInput("valid_to", "is not later than valid_from, so that it never held")
    return Fact(
        subject=_required(_text(row, "subject"), "subject"),
        predicate=_required(_text(row, "predicate"), "predicate"),
        object=_required(_text(row, "object"), "object"),
        since=start,
        until=end,
        confidence=_share(row.get("confidence"), "confidence", 1.0),
        provenance=_text(row, "provenance"),
    )


# Rooms


def fold_room(name: str) -> bytes:
    """The 16 bytes that stand for a room."""
    label = name if name in _NAMED else f"{_CUSTOM}{name}{_END}"
    folded = bytearray(_BYTES)
    for place, byte in enumerate(label.encode()):
        folded[place % _BYTES] ^= (byte + place) & 0xFF
    return bytes(folded)


_ROOMS = {fold_room(name): name for name in _NAMED}


def unfold_room(room_id: str) -> str | None:
    """The name of a room, or None where it cannot be told: long names lie over themselves."""
    try:
        folded = bytes.fromhex(room_id.replace("-", ""))
    except ValueError:
        return None
    return _ROOMS.get(folded) or _unfold_custom(folded)


def _unfold_custom(folded: bytes) -> str | None:
    """A room of one's own. How it begins is known, so that what lies over the beginning can be told from it."""
    if len(folded) != _BYTES:
        return None
    known = bytes((byte + place) & 0xFF for place, byte in enumerate(_CUSTOM.encode()))
    over = bytes(one ^ other for one, other in zip(folded, known, strict=False))
    shifted = known + folded[len(known) :] + over
    label = bytes((byte - place) & 0xFF for place, byte in enumerate(shifted))
    for length in range(len(label), len(_CUSTOM), -1):
        try:
            written = label[:length].decode()
        except UnicodeDecodeError:
            continue
        name = written[len(_CUSTOM) : -len(_END)]
        if written.endswith(_END) and name and fold_room(name) == folded:
            return name
    return None


def _room(written: str | None) -> str | None:
    """A room that is written out: plainly, or as a custom one."""
    if written is None:
        return None
    if written.startswith(_CUSTOM) and written.endswith(_END):
        return written[len(_CUSTOM) : -len(_END)]
    return written


# Fields


def _text(row: Mapping[str, object], *names: str) -> str | None:
    for name in names:
        value = row.get(name)
        if isinstance(value, str):
            return value
    return None


def _required(value: str | None, field: str) -> str:
    if value is None or not value.strip():
        raise InvalidInput(field, "is missing")
    return value


def _share(value: object, field: str, usual: float) -> float:
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InvalidInput(field, "is not a number")
    return min(max(float(value), 0.0), 1.0)


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            value = cast("object", msgspec.json.decode(value))
        except msgspec.DecodeError:
            value = value.split(",")
    if not isinstance(value, list | tuple):
        return ()
    texts = [tag.strip() for tag in cast("list[object]", value) if isinstance(tag, str)]
    return tuple(dict.fromkeys(tag for tag in texts if tag))


def _time(value: object, field: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(field, f"is not a time: {error}") from error
    raise InvalidInput(field, "is not a time")
