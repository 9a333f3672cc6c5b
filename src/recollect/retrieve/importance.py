"""How important is a record now, given how important it was said to be, its age, and how often it was recalled?"""

from __future__ import annotations

HALF_LIFE_DAYS = 90.0
PER_ACCESS = 0.05
MOST_BY_ACCESS = 0.3
LEAST = 0.05
MOST = 1.0


def effective_importance(base: float, age_days: float, accesses: int) -> float:
    """What was stated halves every ninety days, and each recall adds a little, within 0.05..1."""
    kept = base * 2.0 ** (-max(age_days, 0.0) / HALF_LIFE_DAYS)
    return min(max(kept + min(PER_ACCESS * accesses, MOST_BY_ACCESS), LEAST), MOST)
