"""Does one text repeat what another says, word for word?"""

from __future__ import annotations

import re
from collections.abc import Iterable

_RUN = 5  # words in a row that two texts hardly share by chance
_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")


class Said:
    """What some texts say, in a form in which it is found again."""

    def __init__(self, texts: Iterable[str]) -> None:
        words = [_words(text) for text in texts]
        self._runs = {run for some in words for run in _runs(some)}
        self._whole = "\n".join(f" {' '.join(some)} " for some in words)

    def is_in(self, text: str) -> bool:
        """Does a text hold a run of words that was said? A short one counts where it was said as a whole."""
        words = _words(text)
        if len(words) < _RUN:
            return bool(words) and f" {' '.join(words)} " in self._whole
        return not self._runs.isdisjoint(_runs(words))


def without(text: str, gone: Said, rest: Said) -> str:
    """The sentences of a summary that repeat what is left and nothing of what is gone; a line keeps its beginning."""
    lines: list[str] = []
    for line in text.splitlines():
        head, colon, told = line.partition(": ")
        head, told = (f"{head}: ", told) if colon and len(head.split()) == 1 else ("", line)
        kept = [one for one in _SENTENCE.split(told) if one and rest.is_in(one) and not gone.is_in(one)]
        if kept:
            lines.append(head + " ".join(kept))
    return "\n".join(lines)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    if len(words) < _RUN:
        return [tuple(words)] if words else []
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
