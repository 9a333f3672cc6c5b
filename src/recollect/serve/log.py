"""Where does a server say what it does, when its standard output belongs to the client?"""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
Form: TypeAlias = Literal["text", "json"]
FORMS: tuple[Form, ...] = ("text", "json")
Value: TypeAlias = str | int | float


class Log:
    """Lines on standard error, from a level on, for people or (as JSON) for programs. Nobody listening is not an error.

    What is written here may be kept by others for long: no text of a memory and no question is among it.
    """

    __slots__ = ("_form", "_least")

    def __init__(self, level: Level = "warning", form: Form = "text") -> None:
        self._least = LEVELS.index(level)
        self._form: Form = form

    def write(self, level: Level, line: str, **fields: Value) -> None:
        if LEVELS.index(level) < self._least:
            return
        if self._form == "json":
            self._print_json(level, line, fields)
        else:
            more = "".join(f" {name}={value}" for name, value in fields.items() if value != "")
            self._print(f"recollect {level}: {line}{more}")

    def tell(self, line: str) -> None:
        """Something that whoever started us must know, at any level."""
        if self._form == "json":
            self._print_json("warning", line, {})
        else:
            self._print(f"recollect: {line}")

    def fault(self, line: str, error: BaseException) -> None:
        """A failure that nobody foresaw, with the way it came. What it says of itself may quote anything: a line of
        JSON has its type and its way alone.
        """
        if self._form == "json":
            way = [f"{at.filename}:{at.lineno} {at.name}" for at in traceback.extract_tb(error.__traceback__)]
            self._print_json("error", line, {"error": type(error).__name__, "way": " < ".join(reversed(way))})
            return
        self._print(f"recollect error: {line}")
        sys.__excepthook__(type(error), error, error.__traceback__)

    def _print_json(self, level: Level, line: str, fields: dict[str, Value]) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._print(msgspec.json.encode({"at": at, "level": level, "message": line, **fields}).decode())

    @staticmethod
    def _print(line: str) -> None:
        if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]  closed by whoever started us
            return
        try:
            print(line.encode("utf-8", "replace").decode("utf-8"), file=sys.stderr, flush=True)
        except OSError:
            return
