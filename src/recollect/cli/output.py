"""How does a command speak: what goes to stdout, what to stderr, and in which form?

Answers go to stdout, as text for people or as JSON; everything else goes to stderr. Nothing here is slow to import.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SPACES = re.compile(r"\s+")


def put(line: str = "") -> None:
    """One line of the answer."""
    print(clean(line))


def put_json(value: object) -> None:
    """The whole answer, as JSON; times are RFC 3339."""
    import msgspec  # an answer to a hook is no JSON of ours, and does not wait for it

    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    sys.stdout.buffer.flush()


def put_answer(value: object, line: str, *, as_json: bool) -> None:
    """The answer, in the form that was asked for: as JSON or as one line."""
    if as_json:
        put_json(value)
    else:
        put(line)


def say(line: str) -> None:
    """Something beside the answer."""
    print(clean(line), file=sys.stderr)


def tell_error(code: str, message: str, *, field: str | None = None, as_json: bool = False) -> None:
    if not as_json:
        say(f"error: {message}")
        return
    import msgspec

    error = {"code": code, "message": message}
    if field is not None:
        error["field"] = field
    print(msgspec.json.encode({"error": error}).decode(), file=sys.stderr)


def clean(text: str) -> str:
    """A text that cannot play tricks on a terminal, whoever wrote it."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def one_line(text: str, longest: int = 200) -> str:
    """The beginning of a text, on one line."""
    line = clean(_SPACES.sub(" ", text[: 4 * longest]).strip())
    return line if len(line) <= longest and len(text) <= 4 * longest else f"{line[: longest - 1].rstrip()}…"


def day(moment: datetime | None) -> str:
    """A date as people here write it, in their own time zone."""
    return "" if moment is None else f"{moment.astimezone():%Y-%m-%d}"


def minute(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment.astimezone():%Y-%m-%d %H:%M}"


def megabytes(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB"


def many(count: int, noun: str, plural: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty is not None and isatty())
