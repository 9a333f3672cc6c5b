"""Do two statements that nobody put into a form say the same, as far as their words tell?

Four tenths each for the words that their titles and their texts share, a tenth each for the same kind, a shared subject
and shared evidence. From a half on someone should look at the two.
"""

from __future__ import annotations

import re
from itertools import pairwise

from msgspec import Struct

from recollect.types import Draft, Record

ENOUGH = 0.5
_TITLE_SHARE, _TEXT_SHARE, _SAME_SHARE = 0.4, 0.4, 0.1
_TITLE_OVERLAP, _TEXT_OVERLAP = 0.3, 0.25
_DIGITS = 3
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_SAY_LITTLE = frozenset("a an and are as at be by for from in is it of on or should that the this to was with".split())
_LONGEST = 4_000  # characters; what is longer is a document, and told by its beginning


class Likeness(Struct, frozen=True, kw_only=True):
    """What of a statement is compared."""

    kind: str
    title: frozenset[str]
    text: frozenset[str]
    subjects: frozenset[str]
    evidence: frozenset[tuple[str, str | None]]


def title_of(record: Record | Draft) -> str:
    """A record's title, or its first line."""
    return record.title or record.text.strip().split("\n", 1)[0]


def likeness(record: Record | Draft) -> Likeness:
    grounds = record.grounds
    return Likeness(
        kind=record.kind,
        title=words_of(title_of(record)),
        text=words_of(record.text),
        subjects=frozenset(() if grounds is None else grounds.subjects),
        evidence=frozenset(() if grounds is None else [(item.source, item.segment) for item in grounds.evidence]),
    )


def words_of(text: str) -> frozenset[str]:
    """The words that say something, without a plural's s; pairs of characters where words are not parted."""
    found: set[str] = set()
    for word in _WORD.findall(text[:_LONGEST].casefold()):
        if word.isascii():
            if word not in _SAY_LITTLE:
                found.add(word[:-1] if len(word) > 3 and word.endswith("s") else word)
        elif _UNSPACED.search(word):
            found.update("".join(pair) for pair in pairwise(word))
            if len(word) == 1:
                found.add(word)
        else:
            found.add(word)
    return frozenset(found)


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def score_alike(one: Likeness, other: Likeness) -> tuple[float, tuple[str, ...]]:
    """How much two statements are alike, within 0..1, and in what."""
    title, text = _shared(one.title, other.title), _shared(one.text, other.text)
    same = {
        "same_kind": one.kind == other.kind,
        "shared_subject": not one.subjects.isdisjoint(other.subjects),
        "shared_evidence": not one.evidence.isdisjoint(other.evidence),
    }
    reasons = {"title_overlap": title >= _TITLE_OVERLAP, "summary_overlap": text >= _TEXT_OVERLAP, **same}
    score = _TITLE_SHARE * title + _TEXT_SHARE * text + _SAME_SHARE * sum(same.values())
    return round(min(score, 1.0), _DIGITS), tuple(name for name, holds in reasons.items() if holds)
