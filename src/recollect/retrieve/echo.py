"""Does a message say again what a statement says, in words of its own?

Vectors are not at hand where this is asked, so words decide. A sentence says it again that shares most of its words
with the statement, or most of the statement's; of an answer to it one word is enough. Where the statement names a
number, and it another one, it says something else.
"""

from __future__ import annotations

from recollect.retrieve.quotes import sentences_of
from recollect.retrieve.restate import Statement, read_statement

_FEWEST = 2  # words that a sentence shares with what it says again
_SOME = 3  # words of an answer that tells something
_COUNTED = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}


def echoes(said: str, heard: str, *, now: str | None = None, answering: bool = False) -> bool:
    """Does some sentence of what was heard say what was said?

    Where something else is said `now`, it must hold a word that is no longer said, and none that is new. `answering`:
    it was the answer.
    """
    own, its = ({_told(read_statement(one)) for one in sentences_of(text)} for text in (said, heard))
    if now is not None:
        before, after = (_told(read_statement(text)) for text in (said, now))
        its = {one for one in its if one & (before - after) and not one & (after - before)}
    holding: dict[str, list[frozenset[str]]] = {}
    for other in its:
        for word in other:
            holding.setdefault(word, []).append(other)
    return any(
        _says(one, other, answering=answering)
        for one in own
        for word in _needed(one, answering=answering)
        for other in holding.get(word, ())
    )


def _needed(own: frozenset[str], *, answering: bool) -> frozenset[str]:
    """Words of which a sentence holds at least one that says this again."""
    numbers = frozenset(filter(str.isdigit, own))
    return own if answering or not numbers else numbers


def is_all_about(heard: str, said: str) -> bool:
    """Is most of what was heard what was said, so that whoever answers it speaks of that?"""
    words = _told(read_statement(heard))
    return 2 * len(words & _told(read_statement(said))) > len(words)


def says_something(text: str) -> bool:
    """Does an answer say more than that it was heard?"""
    return len(_told(read_statement(text))) >= _SOME


def _says(own: frozenset[str], its: frozenset[str], *, answering: bool) -> bool:
    numbers, others = (frozenset(filter(str.isdigit, some)) for some in (own, its))
    if numbers and numbers.isdisjoint(others) and (others or not answering):
        return False
    shared = len(own & its)
    return shared >= 1 if answering else shared >= _FEWEST and 2 * shared > min(len(own), len(its))


def _told(statement: Statement) -> frozenset[str]:
    return frozenset(_COUNTED.get(word, word) for word in (*statement.words, *statement.numbers))
