"""Of what would be given to a session, what says the same as another or as what it was shown?

A candidate is one sentence of the message that it was drawn from, and carries it as evidence: of both the likelier
one is given, however long the message is. Others say the same where one holds the words of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.store.terms import split_words
from recollect.types import Hit, Record

_MESSAGE = "message"


def without_repeats(hits: Sequence[Hit], known: Sequence[Hit]) -> list[Hit]:
    """The hits without those that say what another says, or what the session knows."""
    kept: list[Hit] = []
    for hit in hits:
        if any(_is_told_by(hit, one) for one in known):
            continue
        told = ((place, _more_telling(one, hit)) for place, one in enumerate(kept))
        place, better = next(((place, better) for place, better in told if better is not None), (len(kept), hit))
        kept[place : place + 1] = [better]
    return kept


def _is_told_by(hit: Hit, known: Hit) -> bool:
    """A message may say more than what was drawn from it: where it is likelier, that is what is asked for."""
    if _rests_on(known.record, hit.record):
        return known.score >= hit.score
    return _more_telling(hit, known) is not None


def _more_telling(one: Hit, other: Hit) -> Hit | None:
    """Of two that say the same, the one that says more, or else is no mere message; None where they do not."""
    if _rests_on(one.record, other.record) or _rests_on(other.record, one.record):
        return max(one, other, key=lambda hit: (hit.score, hit.record.kind != _MESSAGE))
    words, others = (" ".join(split_words(hit.record.text.casefold())) for hit in (one, other))
    short, long, shorter, longer = (
        (words, others, one, other) if len(words) < len(others) else (others, words, other, one)
    )
    if 2 * len(short) < len(long) or f" {short} " not in f" {long} ":
        return None
    merely = longer.record.kind == _MESSAGE and shorter.record.kind != _MESSAGE
    return shorter if merely else longer


def _rests_on(record: Record, message: Record) -> bool:
    """Was a record drawn from these words of a message?"""
    if message.kind != _MESSAGE or record.kind == _MESSAGE or record.grounds is None:
        return False
    return any(item.hash == message.content_hash for item in record.grounds.evidence)
