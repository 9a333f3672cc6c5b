"""Which wordpieces is a text made of, for a BERT vocabulary without case?

The steps of the reference: decompose and drop accents, drop control characters, lower case, set ideographs
and punctuation apart, split at white space, then take the longest known piece of a word from left to right.
Names of special tokens in a text ("[SEP]") are plain text here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from msgspec import Struct

UNKNOWN = "[UNK]"
FIRST = "[CLS]"
LAST = "[SEP]"
LONGEST_WORD = 100
LETTERS_PER_PIECE = 4
MOST_UNREADABLE = 60
"""So many letters of a text may say nothing: the vector of a long one that is half read tells less than its words."""
CACHED_WORDS = 16_384
DROPPED = ("Cc", "Cf", "Co", "Cs", "Mn")
IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Word(Struct, frozen=True):
    """A word's pieces, how many letters it has, and how many of those the vocabulary cannot make sense of."""

    ids: tuple[int, ...]
    letters: int
    unreadable: int


class Encoding(Struct, frozen=True):
    """A text's pieces between the two end marks, cut to the window, and whether they carry its meaning."""

    ids: list[int]
    readable: bool


def spell(code: int) -> str | None:
    """What stands for one decomposed character before words are split: None drops it."""
    char = chr(code)
    category = unicodedata.category(char)
    if char in "\t\n\r" or category in ("Zs", "Zl", "Zp"):
        return " "
    if category in DROPPED or char == "\ufffd":
        return None
    ascii_symbol = code < 128 and not char.isalnum()
    if category[0] == "P" or ascii_symbol or any(low <= code <= high for low, high in IDEOGRAPHS):
        return f" {char} "
    return char.lower()


class Spelling(dict[int, str | None]):
    """A table for str.translate that fills itself."""

    def __missing__(self, code: int) -> str | None:
        self[code] = spelt = spell(code)
        return spelt


class WordPiece:
    """Owns the vocabulary and a bounded memory of words already cut. Threads may share it."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._longest = max(map(len, vocabulary))
        self._unknown = self._ids[UNKNOWN]
        self._ends = self._ids[FIRST], self._ids[LAST]
        self._spelling = Spelling()
        self._words: dict[str, Word] = {}

    def __contains__(self, word: str) -> bool:
        """Is this word one piece, that is, common in the language of the vocabulary?"""
        return word in self._ids

    def encode(self, text: str, window: int) -> Encoding:
        first, last = self._ends
        ids = [first]
        letters = unreadable = 0
        for word in self.split(text):
            known = self._words.get(word) or self._remember(word)
            ids += known.ids
            letters += known.letters
            unreadable += known.unreadable
            if len(ids) >= window:
                break
        del ids[window - 1 :]
        known_enough = 2 * unreadable <= letters and unreadable <= MOST_UNREADABLE
        readable = known_enough and any(i != self._unknown for i in ids[1:])
        ids.append(last)
        return Encoding(ids, readable)

    def encode_pair(self, question: str, text: str, window: int) -> list[int]:
        """A question and a text behind each other, with an end mark after each; a question takes half at most."""
        asked = self.encode(question, window // 2).ids
        return asked + self.encode(text, window - len(asked) + 1).ids[1:]

    def count(self, text: str) -> int:
        """How many pieces a text has. A run of letters that is no word counts by its length."""
        known, total = self._words, 0
        for word in self.split(text):
            total += len((known.get(word) or self._remember(word)).ids)
            if len(word) > LONGEST_WORD:
                total += len(word) // LETTERS_PER_PIECE
        return total

    def split(self, text: str) -> list[str]:
        return unicodedata.normalize("NFD", text).translate(self._spelling).split()

    def _remember(self, text: str) -> Word:
        word = self._cut(text)
        if not text[0].isdigit():  # a number seldom comes again
            if len(self._words) >= CACHED_WORDS:
                self._words = {}
            self._words[text] = word
        return word

    def _cut(self, word: str) -> Word:
        """A letter outside ASCII that is unknown or a piece of its own says nothing: so in most scripts."""
        letters = sum(map(str.isalpha, word))
        foreign = sum(char.isalpha() and not char.isascii() for char in word)
        unknown = Word((self._unknown,), letters, foreign)
        if len(word) > LONGEST_WORD:
            return unknown
        ids: list[int] = []
        start = unreadable = 0
        while start < len(word):
            found = self._longest_piece(word, start)
            if found is None:
                return unknown
            end, piece = found
            if end == start + 1 and word[start].isalpha() and not word[start].isascii():
                unreadable += 1
            ids.append(piece)
            start = end
        return Word(tuple(ids), letters, unreadable)

    def _longest_piece(self, word: str, start: int) -> tuple[int, int] | None:
        prefix = "##" if start else ""
        for end in range(min(len(word), start + self._longest), start, -1):
            piece = self._ids.get(prefix + word[start:end])
            if piece is not None:
                return end, piece
        return None
