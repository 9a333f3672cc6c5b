"""A client that listens to a server's events."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec


class Listener:
    """A client that listens to events."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()
        self.last_id = ""

    def next(self) -> Any:
        """The next event; comments and other fields are passed over."""
        for line in self._lines:
            field, _, value = line.partition(": ")
            if field == "id":
                self.last_id = value
            elif field == "data" and value:
                return msgspec.json.decode(value)
        return None
