"""Which of many texts read the same but for one thing: a word, a number, a name, a sign, or a short run of words?

Nobody compares each with each. A text has a frame for each of its places: what is left of it when a few words are left
out there. Two texts of one frame differ in what stands in it, and in nothing else. A frame that many texts have says
that they are a series ("Room 12 has 3 beds", "Room 13 has 3 beds"): each speaks of another thing. So they do where many
pairs differ in the same place of texts of one form, or in what they begin with ("Lena likes tea", "Tom likes tea").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import chain, takewhile

import numpy as np
from numpy.typing import NDArray

from recollect.pattern import pattern_of
from recollect.retrieve.same import normal_form

LONGEST = 300
"""Characters of a text: in what is longer, one word changes little of how a model sees it."""
_RUN, _RUN_UNSPACED = 3, 6  # words of a run; or characters, in a script without spaces
_LEAST_SHARED = 2  # words, and half as many again as are in the run
_OF_A_FRAME = 4  # texts: more are a series
_OF_A_SERIES = 8  # pairs, at most: more of one shape speak of many things
_MOST_WORDS = 200_000  # of all texts together: some fifteen thousand notes, in 40 MB
_MOST_PAIRS = 4_000  # whose words are looked at
_STOP_EVERY = 256  # texts
_BASE, _BEFORE, _AFTER = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_UNSPACED = pattern_of("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_IDLE = frozenset({"the", "a", "an"})
_AT_ENDS = " \t\n.!?…。-*#"

Text = tuple[Hashable, str]
"""Where a text stands, and what it says: only what stands in the same place is compared."""
_Words = tuple[str, ...]
_Hashes = NDArray[np.uint64]
_Places = NDArray[np.int64]


def differ_in_one_thing(texts: Sequence[Text], stop: Callable[[], bool] = lambda: False) -> list[tuple[int, int]]:
    """The places of pairs, those first whose frame the fewest have, then what stands first; until told to stop."""
    read = _read_all(texts, stop)
    if len(read) < 2 or stop():
        return []
    places = np.array(list(read), np.int64)
    pairs = [(int(places[one]), int(places[other])) for one, other in _share_frames(texts, read)]
    shapes = [(texts[one][0], _shape(read[one], read[other])) for one, other in pairs]
    times = Counter(shapes)
    return [pair for pair, shape in zip(pairs, shapes, strict=True) if times[shape] <= _OF_A_SERIES]


def read_words(text: str) -> _Words:
    """What of a text may carry a meaning, and the characters of what is written without spaces."""
    words = [word.casefold() for word in normal_form(text)]
    return tuple(chain.from_iterable(word if _UNSPACED.match(word) else (word,) for word in words))


def _read_all(texts: Sequence[Text], stop: Callable[[], bool]) -> dict[int, _Words]:
    """The words of those that may have another like them, no more than can be compared; the same words only once."""
    read: dict[int, _Words] = {}
    known: set[tuple[Hashable, _Words]] = set()
    count = 0
    for turn, at in enumerate(_may_have_another(texts)):
        if count > _MOST_WORDS or (turn % _STOP_EVERY == 0 and stop()):
            break
        words = read_words(texts[at][1])
        if (texts[at][0], words) not in known:
            known.add((texts[at][0], words))
            read[at] = words
            count += len(words)
    return read


def _may_have_another(texts: Sequence[Text]) -> list[int]:
    """Those that begin or end like another, as two do that differ in one run: most do not, and are not read."""
    begun: dict[int, int] = {}
    needed: list[tuple[int, tuple[int, int] | None]] = []
    for at, (where, text) in enumerate(texts):
        if len(text) > LONGEST:
            continue
        words, run = _rough_words(text)
        half = max(0, len(words) - run + 1) // 2
        needed.append((at, (hash((where, *words[:half])), hash((0, where, *words[-half:]))) if half else None))
        for size in range(max(1, half - run // 2), min(half + run // 2, len(words)) + 1):  # as others are as long
            for key in (hash((where, *words[:size])), hash((0, where, *words[-size:]))):
                begun[key] = begun.get(key, 0) + 1
    return [at for at, keys in needed if keys is None or any(begun[key] > 1 for key in keys)]


def _rough_words(text: str) -> tuple[Sequence[str], int]:
    """The words of a text, quickly, and how many of them may differ where one thing does."""
    plain = text.strip(_AT_ENDS).casefold()
    if not plain.isascii() and _UNSPACED.search(plain):
        return plain, _RUN_UNSPACED + 1
    return [word for word in plain.split() if word not in _IDLE], _RUN + 1


def _share_frames(texts: Sequence[Text], read: dict[int, _Words]) -> list[tuple[int, int]]:
    """Pairs of rows that share a frame which few have, the fewest first."""
    keys, owners = _frames(list(read.values()), [hash(texts[at][0]) for at in read])
    order = np.argsort(keys, kind="stable")
    keys, owners = keys[order], owners[order]
    other = np.ones(len(keys), np.bool_)
    other[1:] = (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1])  # "very very" has one frame in two places
    keys, owners = keys[other], owners[other]
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
    sizes = np.diff(np.append(begins, len(keys)))
    found: dict[tuple[int, int], None] = {}
    for size in range(2, _OF_A_FRAME + 1):
        some = begins[sizes == size]
        pairs = [np.stack([owners[some + a], owners[some + b]], 1) for b in range(size) for a in range(b)]
        rows = np.sort(np.concatenate(pairs), axis=1)
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        for one, two in rows.tolist():
            if len(found) == _MOST_PAIRS:
                return list(found)
            found[one, two] = None
    return list(found)


def _frames(read: Sequence[_Words], where: Sequence[int]) -> tuple[_Hashes, _Places]:
    """A number for each frame, and the row of the text that has it, in order of rows for each length of a run."""
    sizes = np.array([len(words) for words in read], np.int64)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    of = np.repeat(np.arange(len(sizes)), sizes)
    at = np.arange(len(of)) - starts[of]
    said = np.array([hash(word) for words in read for word in words], np.int64).view(np.uint64)
    powers = np.cumprod(np.full(int(sizes.max(initial=0)) + 1, _BASE, np.uint64), dtype=np.uint64)
    none = np.zeros(1, np.uint64)
    before = np.concatenate([none, np.cumsum(said * powers[at], dtype=np.uint64)])
    after = np.concatenate([none, np.cumsum(said * powers[sizes[of] - 1 - at], dtype=np.uint64)])
    places = np.array(where, np.int64).view(np.uint64)
    unspaced = np.array([any(map(_UNSPACED.match, words)) for words in read])
    keys, owners = list[_Hashes](), list[_Places]()
    for run in range(_RUN_UNSPACED + 1):
        shared = sizes - run
        least = np.where(unspaced, run, max(-(-3 * run // 2), _LEAST_SHARED) if run > 1 else _LEAST_SHARED)
        rows = np.flatnonzero((shared >= np.maximum(least, _LEAST_SHARED)) & (unspaced | (run <= _RUN)))
        owner = np.repeat(rows, shared[rows] + 1)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(shared[rows] + 1) - (shared[rows] + 1), shared[rows] + 1)
        head = before[starts[owner] + place] - before[starts[owner]]
        tail = after[ends[owner]] - after[starts[owner] + place + run]
        keys.append((head * _BEFORE) ^ ((tail + places[owner]) * _AFTER))
        owners.append(owner)
    return np.concatenate(keys), np.concatenate(owners)


def _shape(one: _Words, other: _Words) -> tuple[_Words, int]:
    """What two begin with, whatever its numbers, and how many words they have behind what differs. Nothing, where they
    begin otherwise.
    """
    before = _begin_alike(one, other)
    if not before:
        return (), 0
    begun = tuple("0" if any(map(str.isdigit, word)) else word for word in one[:before])
    return begun, _begin_alike(one[before:][::-1], other[before:][::-1])


def _begin_alike(one: _Words, other: _Words) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
