"""Does one text repeat what another says, word for word?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.pattern import pattern_of

_RUN = 5  # words in a row that two texts hardly share by chance
_WORD = pattern_of(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")
_SENTENCE = pattern_of(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")


_LOWER = bytes(byte if byte > 127 or chr(byte).isalnum() or byte == 95 else 32 for byte in range(256)).lower()


class Said:
    """What some texts say, but for what others do, in a form in which it is found again."""

    def __init__(self, texts: Iterable[str], but: Iterable[str] = ()) -> None:
        words, others = [_words(text) for text in texts], [_words(text) for text in but]
        self._runs = {run for some in words for run in _runs(some)} - {run for some in others for run in _runs(some)}
        self._whole, self._others = _joined(words), _joined(others)
        self._lengths = {len(run) for run in self._runs}
        self.words = frozenset(word for run in self._runs for word in run)

    def is_in(self, text: str) -> bool:
        """Does a text hold a run of words that was said? A short one counts where it was said as a whole."""
        words = _words(text)
        if len(words) < _RUN:
            return bool(words) and f" {' '.join(words)} " in self._whole
        return not self._runs.isdisjoint(_runs(words))

    def is_quoted_in(self, text: str) -> bool:
        """Does a text hold a run of words that was said, or a short text as a whole?"""
        words = _words(text)
        return any(
            tuple(words[at : at + length]) in self._runs
            for length in self._lengths
            for at in range(len(words) - length + 1)
        )

    def is_part(self, text: str) -> bool:
        """Is a short text a part of what was said?"""
        part = f" {' '.join(_words(text))} "
        return part.isspace() is False and part in self._whole and part not in self._others

    def seldom(self, counts: Mapping[str, int]) -> set[str]:
        """Words of which one is in every text that holds anything of this: those that are counted least."""
        return {min(run, key=lambda word: counts.get(word, 0)) for run in self._runs}


def is_short(text: str) -> bool:
    """Has a text too few words to repeat another by them?"""
    return len(_words(text)) < _RUN


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, as far as its marks tell."""
    return [one for one in _SENTENCE.split(text) if one.strip()]


def words_in(data: bytes) -> set[str]:
    """The words of a text that is written as JSON, in the form in which they are compared; a few others among them."""
    plain = data.replace(b"\\n", b"  ")
    if plain.isascii():
        return set(plain.translate(_LOWER).decode().split())
    return set(_words(plain.decode("utf-8", "replace")))


def without(text: str, gone: Said, rest: Said) -> str:
    """The sentences of a summary that repeat what is left and nothing of what is gone; a line keeps its beginning."""
    lines: list[str] = []
    for line in text.splitlines():
        head, colon, told = line.partition(": ")
        head, told = (f"{head}: ", told) if colon and len(head.split()) == 1 else ("", line)
        kept = [one for one in sentences_of(told) if rest.is_in(one) and not gone.is_in(one)]
        if kept:
            lines.append(head + " ".join(kept))
    return "\n".join(lines)


def _joined(texts: Iterable[list[str]]) -> str:
    return "\n".join(f" {' '.join(words)} " for words in texts)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    if len(words) < _RUN:
        return [tuple(words)] if words else []
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
