"""How fast are vectors computed?"""

from __future__ import annotations

from recollect.store.base import Shelf

PACE = Shelf("pace", float)
"""How many seconds the vectors of one record took lately, by model: a process that has just begun knows it too."""
