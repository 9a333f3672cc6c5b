"""Does a text say of itself that it is still to be done?"""

from __future__ import annotations

import re

from recollect.pattern import pattern_of

_TODO = pattern_of(
    r"\A\W*(?:(?:to[ -]?dos?|fixme|next (?:steps?|tasks?|actions?|up)|(?:reste )?à faire|(?:tareas )?pendientes?|"
    r"(?:resta )?da fare|сделать|nächste schritte?|offene (?:punkte|fragen|aufgaben|themen)|"
    r"open (?:points?|questions?|items?|issues?|tasks?|work|to-?dos?|ends|bugs?|tickets?|prs?|pull requests?))\b\W|"
    r"(?:open|offen|next)\b(?:\s*[:\])>]|\s+[-–—]|\s*\n)|next\b(?:,| (?:we|i)\b)|"
    r"offen (?:ist|sind|bleibt|bleiben) noch\b)",
    re.IGNORECASE,
)
"""What stands open, and not a shop that is ("Open Tuesdays") or whoever is next ("Next door")."""
_UNCHECKED = pattern_of(r"^[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?\[ ?\][ \t]+\S", re.MULTILINE)
"""A line of a list that waits for its mark."""


def stands_open(text: str) -> bool:
    """Does a text begin as what is to be done does, or has it a box that waits for its mark?"""
    return (_TODO.match(text) or _UNCHECKED.search(text)) is not None
