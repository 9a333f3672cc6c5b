"""Where does a server say what it does, when its standard output belongs to the client?"""

from __future__ import annotations

import sys
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")


class Log:
    """Lines on standard error, from a level on. Nobody listening is not an error."""

    __slots__ = ("_least",)

    def __init__(self, level: Level = "warning") -> None:
        self._least = LEVELS.index(level)

    def write(self, level: Level, line: str) -> None:
        if LEVELS.index(level) >= self._least:
            self._print(f"recollect {level}: {line}")

    def tell(self, line: str) -> None:
        """Something that whoever started us must know, at any level."""
        self._print(f"recollect: {line}")

    def fault(self, line: str, error: BaseException) -> None:
        """A failure that nobody foresaw, with the way it came."""
        self._print(f"recollect error: {line}")
        sys.__excepthook__(type(error), error, error.__traceback__)

    @staticmethod
    def _print(line: str) -> None:
        if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]  closed by whoever started us
            return
        try:
            print(line.encode("utf-8", "replace").decode("utf-8"), file=sys.stderr, flush=True)
        except OSError:
            return
