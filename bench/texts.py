"""What is stored and asked when no real texts are at hand, and how does it get vectors without a model?

Words are made of syllables and occur as often as words do (Zipf), among real function words and some names. The
same seed gives the same texts.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import cast

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 30_000
DIM = 384
_FUNCTION_WORDS = """the of and to in a is that it was for on with as he be at by this had not are but from or have an
they which you were all her she there would their we him been has when who will no more if out so up said what its
about than into them can only other some could these may do any my now such like our over me""".split()
_NAMES = 1_500
_NAMED = 0.4  # of all texts mention one
_CHUNK = 10_000
_ROWS = 4_096


def _words(seed: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    heads = "b c d f g h j k l m n p r s t v w br cl dr fl gr pl pr st sh th tr".split()
    tails = "a e i o u ai ea oo an en in on er ar el et is ock und ate ing ent ain eed orn ish ale".split()
    syllables = [head + tail for head, tail in product(heads, tails)]
    wanted = VOCABULARY + _NAMES
    parts = rng.choice(syllables, (2 * wanted, 3))
    made = dict.fromkeys("".join(row if at % 2 else row[:2]) for at, row in enumerate(parts.tolist()))
    every = list(made)[:wanted]
    return [*_FUNCTION_WORDS, *every[:VOCABULARY]], [name.capitalize() for name in every[VOCABULARY:]]


def texts(count: int, seed: int = 1) -> Iterator[str]:
    """Sentences of 10 to 30 words, each unlike the others."""
    words, names = _words(0)
    rng = np.random.default_rng(seed)
    share = np.cumsum(1.0 / (np.arange(len(words)) + 2.7))
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        lengths = rng.integers(10, 31, size).tolist()
        drawn_at = rng.random(sum(lengths)) * share[-1]
        places = np.searchsorted(share, drawn_at)  # pyright: ignore[reportUnknownVariableType]  # numpy overloads
        drawn = iter(cast("list[int]", places.tolist()))
        named = (rng.zipf(1.4, size) % _NAMES).tolist()
        for length, name, chance in zip(lengths, named, rng.random(size).tolist(), strict=True):
            chosen = [words[at] for at in islice(drawn, length)]
            if chance < _NAMED:
                chosen[1 + int(chance / _NAMED * (length - 1))] = names[name]
            yield f"{chosen[0].capitalize()} {' '.join(chosen[1:])}."


def questions(count: int, among: int, seed: int = 1) -> list[str]:
    """Questions that ask with some of the words of one stored text, in another order."""
    rng = np.random.default_rng(seed + 1_000)
    asked: list[str] = []
    for text in texts(min(among, 4 * count), seed):
        rare = [word for word in text.rstrip(".").split() if word.lower() not in _FUNCTION_WORDS]
        if len(rare) >= 4 and len(asked) < count:
            chosen = rng.permutation(rare)[: int(rng.integers(3, 7))]
            asked.append(f"What about {' '.join(chosen)}?")
    return asked


class HashedWords:
    """Stands in for a model: a text is the sum of the directions that its longer words hash to.

    It goes by the name of another embedder where its vectors should pass for that one's.
    """

    def __init__(self, name: str = "hashed-words", dim: int = DIM) -> None:
        self._name, self._dim = name, dim
        self._rows = np.random.default_rng(7).standard_normal((_ROWS, dim)).astype(np.float32)
        self._known: dict[str, int] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam
        if not texts:
            return np.zeros((0, self._dim), np.float32)
        numbers = [self._numbers(text) for text in texts]
        starts = np.cumsum([0, *map(len, numbers[:-1])])
        sums = np.add.reduceat(self._rows[np.concatenate(numbers)], starts)
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    def _numbers(self, text: str) -> list[int]:
        known = self._known
        words = text.split()
        found = [known.get(word) or self._learn(word) for word in words if len(word) > 4]
        return found or [zlib.crc32(text.encode()) % _ROWS]

    def _learn(self, word: str) -> int:
        number = zlib.crc32(word.strip(".,?!").lower().encode()) % _ROWS
        self._known[word] = number
        return number


class HashedPieces(HashedWords):
    """The same with a small vector for each word, and one for the rest of a longer one, as wordpieces have it."""

    def __init__(self, name: str, dim: int, token_dim: int) -> None:
        super().__init__(name, dim)
        rows = np.random.default_rng(8).standard_normal((_ROWS, token_dim)).astype(np.float32)
        self._pieces = rows / np.linalg.norm(rows, axis=1, keepdims=True)

    @property
    def token_dim(self) -> int:
        return self._pieces.shape[1]

    def embed_tokens(
        self, texts: Sequence[str], *, query: bool = False
    ) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        pieces = [self._pieces[self._parts(text)] for text in texts]
        return self.embed(texts, query=query), [one / len(one) for one in pieces] if query else pieces

    def _parts(self, text: str) -> list[int]:
        words = text.lower().split()
        return [zlib.crc32(part.encode()) % _ROWS for word in words for part in (word[:5], word[5:]) if part]
