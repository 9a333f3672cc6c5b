"""Does a text that stands first speak of something else than what is asked for, where another speaks of just that?

"The gate code is 1133", and later "The cabin code is 8820": both are as near to "gate code", and the newer of two that
are alike mostly tells what is so now. But it says "cabin" in the place of the word that was asked for, and says so of
the cabin. That is seen by laying both beside each other, which is only worth it for the first few. Pure.
"""

from __future__ import annotations

from datetime import datetime
from difflib import SequenceMatcher
from itertools import chain, starmap

import msgspec

from recollect.retrieve.called import may_speak_of_another, speaks_of_another
from recollect.retrieve.change import without_verbs
from recollect.retrieve.restate import Statement, are_values, read_statement
from recollect.types import Hit, Record

_LOOKED_AT, _CALLED_AT = 3, 5
_LONGEST = 14  # words; of longer ones, what stands in the place of what cannot be told
_SAME = 0.3  # of the words of the shorter one
_LIKELY, _CALLED_LIKELY = 0.1, 0.01


def put_asked_first(hits: tuple[Hit, ...], question: str, asked: frozenset[str], *, past: bool) -> tuple[Hit, ...]:
    """Where the first speaks of something else than one of the next that is asked for, that stands before it.

    `asked` are the question's terms; with `past` it asks for what was, so that being older says nothing.
    """
    named = bool(hits) and may_speak_of_another(question, hits[0].record.text)
    for at, hit in enumerate(hits[1 : _CALLED_AT if named else _LOOKED_AT], 1):
        if (named and _is_called_so(question, hits[0], hit)) or (not past and _is_meant(asked, hits[0], hit, at)):
            moved = (hit, *hits[:at], *hits[at + 1 :])
            scores = (other.score for other in hits)
            return tuple(msgspec.structs.replace(one, score=score) for one, score in zip(moved, scores, strict=True))
    return hits


def _is_called_so(question: str, first: Hit, hit: Hit) -> bool:
    """Whenever it was told, and whichever time the question asks of."""
    return hit.score >= _CALLED_LIKELY and speaks_of_another(question, hit.record.text, first.record.text)


def _is_meant(asked: frozenset[str], first: Hit, hit: Hit, at: int) -> bool:
    """An older one, by what is said of it."""
    meant, other = hit.record, first.record
    if at >= _LOOKED_AT or hit.score < _LIKELY or _since(meant) > _since(other):
        return False
    return says_instead(asked, meant.text, other.text)


def _since(record: Record) -> datetime:
    return record.valid_from or record.event_time


def says_instead(asked: frozenset[str], older: str, newer: str) -> bool:
    """Does the newer of two that are built alike say another word where the older says one that is asked for?"""
    old, new = (without_verbs(read_statement(text)) for text in (older, newer))
    if max(len(old.order), len(new.order)) > _LONGEST or not asked:
        return False
    steps = SequenceMatcher(None, old.order, new.order, autojunk=False).get_opcodes()
    same = sum(end - start for verb, start, end, _, _ in steps if verb == "equal")
    changed = [
        (old.order[start:end], new.order[first:last]) for verb, start, end, first, last in steps if verb != "equal"
    ]
    if same and all(len(before) == len(after) for before, after in changed):
        same += sum(starmap(_are_amounts, chain.from_iterable(zip(*pair, strict=True) for pair in changed)))
    if same < _SAME * min(len(old.order), len(new.order)) or asked & new.words > asked & old.words:
        return False
    return any(_differs(asked, old, new, before, after) for before, after in changed)


def _are_amounts(one: str, other: str) -> bool:
    """Is a value in the place of another? Where word stands for word all along, that is built alike."""
    return are_values(one, other) or (any(map(str.isdigit, one)) and any(map(str.isdigit, other)))


def _differs(
    asked: frozenset[str], old: Statement, new: Statement, before: tuple[str, ...], after: tuple[str, ...]
) -> bool:
    """Do as many words stand for as many, one of which is asked for, and its counterpart is in neither?

    A number or a day in the place of another says something else of the same thing.
    """
    if len(before) != len(after):
        return False
    return any(_is_wanted(one, other, asked, old, new) for one, other in zip(before, after, strict=True))


def _is_wanted(one: str, other: str, asked: frozenset[str], old: Statement, new: Statement) -> bool:
    wanted, instead = asked.intersection(one.split()) - new.words, set(other.split())
    if not wanted or any(map(str.isdigit, other)) or are_values(one, other):
        return False
    return instead.isdisjoint(old.words | asked)
