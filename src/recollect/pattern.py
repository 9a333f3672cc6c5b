"""How is a pattern written down where it belongs, and compiled no sooner than it is needed?

Compiling the patterns that a text may be read by takes longer than loading all else, and whoever starts a server waits
for it; most of them are never asked.
"""

from __future__ import annotations

import re
from typing import cast


class _Pattern:
    """Stands for a compiled pattern. What is asked of it once is at hand from then on, as if it had been compiled."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(self._source, self._flags), name)  # which `re` keeps for the next name
        setattr(self, name, found)
        return found


def pattern_of(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used."""
    return cast("re.Pattern[str]", _Pattern(source, flags))
