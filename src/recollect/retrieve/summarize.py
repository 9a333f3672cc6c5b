"""Which sentences of some texts say the most of what they say, in few words?

A summary is chosen by what it adds: every sentence of the texts is a thing to be covered, worth as much as its words
tell; a chosen one covers those that are like it, and covering the same again counts for nothing. That is a monotone
submodular sum, which the greedy choice by gain comes close to the best of. A second part rewards sentences from texts
that were not heard yet. What is nearly the same as something chosen is never chosen beside it. Nothing here is random,
so the same texts give the same summary.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from recollect.retrieve.restate import LIKELY, Statement, read_statement, resemblance

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOO_ALIKE = 0.8
_LIKE = 0.3  # what is less alike is not the same statement
_UNRELATED = 0.3  # sentences of one text have about this cosine whatever they say
_SAME_MEANING = 0.88
_LONGEST = 48  # words; a longer sentence is cut at clauses
_RARITY = 1.5  # the power of what a sentence's words tell
_NAMES = 0.6  # what each name or number adds, as a share
_MOST_NAMES = 3
_QUESTION = 0.5
_CODE_COSTS = 6.0  # for each mark of code, as a share of the words
_MOSTLY = 0.75  # of a sentence's words are plain, or it is not prose
_VARIETY = 0.3  # how much sentences of texts that were not heard yet count beside coverage
_THRIFT = 0.3  # the power of a sentence's length that its gain is divided by
_ENOUGH = 1e-9
_IDLE = 0.03  # what tells less than this share of the best is left out, even where there is room

_WIDE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_RUN = rf"[{_WIDE}]|[^\s{_WIDE}]+"  # a word, where anything in it is a letter or a digit
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*+\s+|(?<=[。！？])")
_CLAUSE = re.compile(r"(?<=[,;:，；、])\s*")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|Inc|Ltd)|\b[A-Z])\.$")
_NAMED = re.compile(r"(?<=[\w,;] )[A-Z]\w+|\d+")
_PLAIN = re.compile(r"[\"'“‘(\[*_]*[^\W_]+(?:[-'’./:%][^\W_]+)*%?[\"'”’)\]*_]*[.,;:!?…。！？，、]*")
_CODE = re.compile(r"\S{40,}|\w\(|[{}<>$]|=+|::|->|\w_\w|//")
_MARKS = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+|>\s*)+")
_FENCE = re.compile(r"^(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^\1\s*$|\Z)", re.MULTILINE | re.DOTALL)
_LONGEST_HELD = 400  # characters; no sentence goes on for longer over abbreviations


class Sentence(Struct, frozen=True):
    """A sentence, which of the texts it is from, and how many words it counts as."""

    text: str
    source: int
    words: int


def count_words(text: str) -> int:
    """Words between white space; in a script without spaces every character is one."""
    spaced = len(text.split())
    return spaced if text.isascii() else max(spaced, sum(map(_has_letter, re.findall(_RUN, text))))


def _has_letter(run: str) -> bool:
    return re.search(r"\w", run) is not None


def split_sentences(texts: Sequence[str]) -> list[Sentence]:
    """All sentences in order. A line is a sentence too; code between fences is left out where there is prose."""
    found: list[Sentence] = []
    for source, text in enumerate(texts):
        prose = _FENCE.sub("\n", text)
        for part in _sentences(prose) or _sentences(text):
            found += [Sentence(piece, source, count_words(piece)) for piece in _shorten(part)]
    return found


def take_whole(texts: Sequence[str]) -> list[Sentence]:
    """Texts as they stand: for those that hold no word, only signs, and so no sentence."""
    return [Sentence(bare, at, count_words(bare)) for at, text in enumerate(texts) if (bare := text.strip())]


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    held = ""
    for line in text.splitlines():
        bare = _MARKS.sub("", line).replace("**", "").strip()
        for piece in _END.split(bare):
            held = f"{held} {piece}".strip() if held else piece.strip()
            if len(held) < _LONGEST_HELD and _ABBREVIATED.search(held):
                continue
            if any(character.isalnum() for character in held):
                parts.append(held)
            held = ""
        if any(character.isalnum() for character in held):
            parts.append(held)
        held = ""
    return parts


def _shorten(sentence: str) -> list[str]:
    """A sentence in pieces of at most `_LONGEST` words: at clauses where there are any, else between words."""
    if count_words(sentence) <= _LONGEST:
        return [sentence]
    pieces: list[str] = []
    for clause in _CLAUSE.split(sentence):
        joined = f"{pieces[-1]} {clause}" if pieces else clause
        if pieces and count_words(joined) <= _LONGEST:
            pieces[-1] = joined
        else:
            pieces += _cut(clause)
    return [piece for piece in pieces if any(character.isalnum() for character in piece)]


def _cut(clause: str) -> list[str]:
    if count_words(clause) <= _LONGEST:
        return [clause]
    words = clause.split()
    if len(words) > 1:
        return [" ".join(words[start : start + _LONGEST]) for start in range(0, len(words), _LONGEST)]
    return [clause[start : start + _LONGEST] for start in range(0, len(clause), _LONGEST)]


def weigh_sentences(sentences: Sequence[Sentence], terms: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
    """How much each sentence tells, within 0..1: rare words, names and numbers much, a question less than an answer.

    Fitted on dialogues, to what people later ask about: a fifth of a session's words chosen so holds 29 to 30 % of
    that, the first fifth 28 %, any fifth 20 %.
    """
    spread = Counter(term for counted in terms for term in counted)
    worth = {term: math.log((len(terms) + 1) / n) for term, n in spread.items()}
    told = np.zeros(len(sentences), np.float32)
    for row, (sentence, counted) in enumerate(zip(sentences, terms, strict=True)):
        named = min(len(_NAMED.findall(sentence.text)), _MOST_NAMES)
        told[row] = sum(worth[term] for term in counted) ** _RARITY * (1 + _NAMES * named)
        told[row] *= _prose(sentence.text)
        if sentence.text.rstrip("\"')”’").endswith(("?", "？")):
            told[row] *= _QUESTION
    return told / max(float(told.max(initial=0.0)), _ENOUGH)


def _prose(text: str) -> float:
    """1 for a sentence of words; the less, the more of it is code, addresses or tables."""
    if not text.isascii() and re.search(f"[{_WIDE}]", text):  # words are not set apart there, so none can be judged
        return 1.0
    words = text.split()
    plain = sum(_PLAIN.fullmatch(word) is not None for word in words) / max(len(words), 1)
    marked = len(_CODE.findall(text)) / max(len(words), 1)
    return (min(plain / _MOSTLY, 1.0) / (1 + _CODE_COSTS * marked)) ** 2 + _ENOUGH


def shortlist(sentences: Sequence[Sentence], weights: NDArray[np.float32], most: int) -> list[int]:
    """So many sentences at most, in order. The best of every text comes before the second best of any."""
    if len(sentences) <= most:
        return list(range(len(sentences)))
    by_weight = sorted(range(len(sentences)), key=lambda index: (-float(weights[index]), index))
    ranks: Counter[int] = Counter()
    placed: list[tuple[int, float, int]] = []
    for index in by_weight:
        source = sentences[index].source
        placed.append((ranks[source], -float(weights[index]), index))
        ranks[source] += 1
    return sorted(index for _, _, index in sorted(placed)[:most])


def liken_terms(terms: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
    """The likeness of sentences by their words: cosines of counts weighed by rarity."""
    spread = Counter(term for counted in terms for term in counted)
    columns = {term: column for column, term in enumerate(spread)}
    rows = np.zeros((len(terms), len(columns)), np.float32)
    for row, counted in enumerate(terms):
        for term, n in counted.items():
            rows[row, columns[term]] = (1 + math.log(n)) * math.log1p(len(terms) / spread[term])
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(length > 0, length, 1)
    return rows @ rows.T


def liken(terms: Sequence[Mapping[str, int]], vectors: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """The likeness of sentences within 0..1: by words and, where a model has read them, by meaning."""
    words = liken_terms(terms)
    if vectors is not None:
        cosines = vectors @ vectors.T
        meaning = np.clip((cosines - _UNRELATED) / (1 - _UNRELATED), 0.0, 1.0)
        words = np.maximum(words * 0.5 + meaning * 0.5, words)
        words = np.where(cosines >= _SAME_MEANING, np.maximum(words, cosines), words)
    np.fill_diagonal(words, 1.0)
    return words


def choose_sentences(
    sentences: Sequence[Sentence],
    weights: NDArray[np.float32],
    likeness: NDArray[np.float32],
    max_words: int,
    *,
    days: Sequence[str] | None = None,
) -> list[int]:
    """The sentences to keep, in the order in which they were worth most. A new day costs the word that names it."""
    words = np.asarray([sentence.words for sentence in sentences], np.int64)
    sources = np.asarray([sentence.source for sentence in sentences], np.int64)
    covered = np.zeros(len(sentences), np.float32)
    heard = np.zeros(int(sources.max(initial=0)) + 1, np.float32)
    free, left, chosen = weights >= _IDLE * weights.max(initial=0.0), max_words, list[int]()
    named: set[str] = set()
    while True:
        cost = words + (0 if days is None else np.asarray([days[source] not in named for source in sources]))
        free &= cost <= left
        at = np.flatnonzero(free)
        if not len(at):
            return chosen
        added = weights @ np.maximum(likeness[:, at] - covered[:, None], 0.0)
        fresh = np.sqrt(heard[sources[at]] + weights[at]) - np.sqrt(heard[sources[at]])
        gain = (added + _VARIETY * fresh) / np.power(np.maximum(cost[at], 1), _THRIFT)
        best = int(at[int(np.argmax(gain))])
        chosen.append(best)
        left -= int(cost[best])
        covered = np.maximum(covered, likeness[:, best])
        heard[sources[best]] += weights[best]
        free &= likeness[best] < TOO_ALIKE
        free[best] = False
        if days is not None:
            named.add(days[int(sources[best])])


def tell_latest(
    sentences: Sequence[Sentence],
    chosen: Sequence[int],
    likeness: NDArray[np.float32],
    dates: Sequence[datetime],
    max_words: int,
) -> list[int]:
    """The chosen sentences, each in its latest wording: one that was said anew later, with the same or another value,
    is told as it was said last. Where both are there already, both stay, in time order."""
    told = list(chosen)
    for place, index in enumerate(chosen):
        said = read_statement(sentences[index].text)
        later = [
            other
            for other in map(int, np.flatnonzero(likeness[index] >= _LIKE))
            if dates[sentences[other].source] > dates[sentences[index].source]
            and _says_anew(read_statement(sentences[other].text), said)
        ]
        if not later:
            continue
        last = max(later, key=lambda other: (dates[sentences[other].source], other))
        instead = [*told[:place], last, *told[place + 1 :]]
        if last not in told and _count_told(sentences, instead, dates) <= max_words:
            told = instead
    return told


def _says_anew(new: Statement, old: Statement) -> bool:
    """Is it the same statement, with at most one word of the old one changed?"""
    return len(old.words - new.words) <= 1 and resemblance(new, old, {}) >= LIKELY


def _count_told(sentences: Sequence[Sentence], chosen: Sequence[int], dates: Sequence[datetime]) -> int:
    """Words of a summary, with those that name its days."""
    days = {dates[sentences[index].source].date() for index in chosen}
    return sum(sentences[index].words for index in chosen) + len(days)


def lay_out(
    sentences: Sequence[Sentence], chosen: Sequence[int], dates: Sequence[datetime] | None, max_words: int
) -> str:
    """The chosen sentences in time order: a line for each day that begins with it, or without dates for each text."""
    if not chosen:
        return _cut_first(sentences, dates, max_words)
    days = None if dates is None else [date.date().isoformat() for date in dates]

    def place(index: int) -> tuple[object, int, int]:
        source = sentences[index].source
        return (0 if dates is None else dates[source]), source, index

    lines: dict[object, list[str]] = {}
    for index in sorted(chosen, key=place):
        source = sentences[index].source
        lines.setdefault(source if days is None else days[source], []).append(sentences[index].text)
    return "\n".join(" ".join(said) if days is None else f"{day}: {' '.join(said)}" for day, said in lines.items())


def _cut_first(sentences: Sequence[Sentence], dates: Sequence[datetime] | None, max_words: int) -> str:
    """The beginning of the first sentence, where not even one fits whole."""
    if not sentences:
        return ""
    first = sentences[0]
    room = max_words - (dates is not None and max_words > 3)
    head = f"{dates[first.source].date().isoformat()}: " if dates is not None and max_words > 3 else ""
    pieces = re.findall(rf"(?:{_RUN})\s*", first.text)
    return f"{head}{''.join(pieces[:room]).rstrip()}{'…' if len(pieces) > room else ''}"


def fit_words(text: str, max_words: int) -> str:
    """A text cut to some words: after the last sentence that fits, or where none does, after the last word."""
    whole = text.strip()
    if count_words(whole) <= max_words:
        return whole
    kept, left = "", max_words
    for part in re.split(r"(?<=[.!?…])(?=\s)|(?<=[。！？])|(?=\n)", whole):
        words = count_words(part)
        if words > left:
            break
        kept, left = kept + part, left - words
    if kept.strip():
        return kept.strip()
    pieces = re.findall(rf"(?:{_RUN})\s*", whole)
    return f"{''.join(pieces[:max_words]).rstrip()}…"
