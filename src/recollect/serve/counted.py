"""What of a request is counted and logged? Nothing that a stranger could make up without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OPEN = ("", "web", "health", "healthz", "readyz", ".well-known")
"""Addresses that tell nothing of what is kept, and need no token."""
KNOWN = (*OPEN, "mcp", "api", "events", "metrics")
"""How addresses begin that are counted also where somebody is refused."""


class Answer(NamedTuple):
    """An answer that begins: to what, by whom it was asked, how it is, and how long it took until then."""

    method: str
    segments: tuple[str, ...]
    client: str
    status: int
    seconds: float
    let_in: bool = True

    @property
    def route(self) -> str:
        """Of the address, what says what was asked for: no id, no name of a space, no word of a question.

        Nor what a stranger made up: of one who was not let in, only what there is anyway.
        """
        words = 2 if self.let_in and self.segments[0] in ("mcp", "api") else 1
        known = self.let_in or self.segments[0] in KNOWN
        return "unknown" if self.status == 404 or not known else "/" + "/".join(self.segments[:words])


Tell: TypeAlias = Callable[[Answer], None]
