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
_UNDONE = pattern_of(
    r"\b(?:(?:need|needs|have|has|want|wants|remember|don't forget|got|yet|left|remains?) to\b|must\b|should\b|still\b|"
    r"not (?:yet )?done|unfinished|pending|outstanding|to be [^\W\d_]+ed|waiting for|due\b|deadline|"
    r"by (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"noch\b|muss\b|müssen\b|soll(?:en|te)?\b|fällig|offen\b|il faut|doi(?:s|t|vent)\b|encore\b|reste\b|à faire|"
    r"hay que|"
    r"deb[eo]\b|"
    r"falta\b|pendiente|todavía|bisogna|dev[eo]\b|ancora\b|da fare|preciso\b|ainda\b|por fazer|moet(?:en)?\b|nog\b|"
    r"trzeba|jeszcze|"
    r"нужно|надо|ещё|осталось)|还没|还要|待办|必须|未完成|まだ|なければ|必要がある|아직|해야",
    re.IGNORECASE,
)
"""What says that something is to be done, though not in the way in which a list does."""


def stands_open(text: str) -> bool:
    """Does a text begin as what is to be done does, or has it a box that waits for its mark?"""
    return (_TODO.match(text) or _UNCHECKED.search(text)) is not None


def sounds_undone(text: str) -> bool:
    """Does a text say, in whatever words, that something has not been done yet?"""
    return stands_open(text) or _UNDONE.search(text) is not None
