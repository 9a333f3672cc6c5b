"""What was told in confidence in a conversation, and is said again in it?

An agent repeats what it was told: a password in a sentence that does not call it one, a salary that stood in
`<private>…</private>`. So of messages that follow each other each is kept without the secrets of those before it, and
an agent's without the sentences that say what was private: of the answer one word of it is enough where that was
little, and else a name or two words; of what an agent says later a number, or most of the words.
"""

from __future__ import annotations

import re

from recollect.ingest.secret_values import is_told
from recollect.ingest.secrets import MASK, drop_private, find_secrets
from recollect.pattern import pattern_of
from recollect.retrieve.quotes import sentences_of
from recollect.retrieve.restate import read_statement

_LONGEST = 400  # signs of a secret that somebody repeats
_PARTS = pattern_of(r"([.!?…][\"'”’)\]]*\s+|[。！？]|\n+)")
_AGENT = "assistant"
_LITTLE = 15  # words that were private: of more, each may as well be said of something else
_PART = 0.25  # of the words of a sentence, at least two, that it shares with much that was private
_NAME, _NO_NAME = pattern_of(r"\b[^\W\d_a-z]\w+"), pattern_of(r"\b[a-z]\w+")

Words = frozenset[str]


class Confided:
    """What was told in confidence so far. Without `masking`, secrets may be said again."""

    def __init__(self, *, masking: bool = True) -> None:
        self._masking = masking
        self._secrets: dict[str, str] = {}
        self._private: Words = frozenset()
        self._just: Words = frozenset()
        self._telling: Words = frozenset()
        self._known = 0

    def take_news(self) -> bool:
        """Was something told in confidence that was not known when this was last asked?"""
        before, self._known = self._known, len(self._secrets) + len(self._private)
        return self._known > before

    def hear(self, role: str, text: str) -> str:
        """A message as it may be kept; what it tells in confidence is known from then on."""
        kept = self.without(role, text)
        self.learn(role, text)
        return kept

    def without(self, role: str, text: str) -> str:
        """A message without what was told in confidence before it."""
        if self._private and role == _AGENT:
            text = self._without_private(text)
        return self._masked(text) if self._secrets else text

    def learn(self, role: str, text: str, *, secrets: bool = True) -> None:
        """What a message tells in confidence; it may be known that it holds no secrets."""
        public = drop_private(text)
        if secrets and self._masking:
            told = ((public[one.start : one.end], one.kind) for one in find_secrets(public))
            self._secrets |= {value: kind for value, kind in told if len(value) <= _LONGEST and is_told(value)}
        if role != _AGENT:
            self._just = frozenset[str]() if public == text else _words(text) - _words(public)
            self._private |= self._just
            few = len(self._just) <= _LITTLE
            self._telling = self._just if few else self._just & (_all(_NAME, text) - _all(_NO_NAME, text))

    def _masked(self, text: str) -> str:
        values = sorted((value for value in self._secrets if value in text), key=len, reverse=True)
        if not values:
            return text
        any_of = "|".join(map(re.escape, values))
        return re.sub(rf"(?<!\w)(?:{any_of})(?!\w)", lambda found: f"{MASK}{self._secrets[found.group()]}]", text)

    def _without_private(self, text: str) -> str:
        parts = _PARTS.split(text)
        whole = list(zip(parts[::2], [*parts[1::2], ""], strict=True))
        kept = [said + end for said, end in whole if not self._is_private(said)]
        return text if len(kept) == len(whole) else "".join(kept).strip()

    def _is_private(self, sentence: str) -> bool:
        words = _words(sentence)
        shared = words & self._private
        if not shared:
            return False
        if words & self._telling or any(map(str.isdigit, shared)) or 2 * len(shared) > len(words):
            return True
        just = len(words & self._just)
        return just > 1 and just >= _PART * len(words)


def _words(text: str) -> Words:
    """The words and numbers of a text that say something."""
    read = map(read_statement, sentences_of(text))
    return frozenset(word for one in read for word in (*one.words, *one.numbers))


def _all(pattern: re.Pattern[str], text: str) -> Words:
    """The words of a text that are written in a certain way."""
    return _words(". ".join(pattern.findall(text)))
