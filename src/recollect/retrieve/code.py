"""How likely does a piece of code answer, alone or beside notes?

The networks of the ranker have seen notes and talk; what they take for unlikely is likely in code, whose words are
others. So here a plain sum of the signals says it, and beside them what kind of piece it is: people ask for what can be
called from outside and says what it does, seldom for a helper, and hardly ever for lines between definitions. Where
code stands beside something else, each is judged as if it stood alone, and code answers as far as the likeliest of the
others leaves that open.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recollect.retrieve.evidence import Evidence, Floats
from recollect.retrieve.ranker import judge

LOOKED_AT = 60
"""Of so many of the best it is looked at what kind of piece they are."""
_NEAR, _LATE, _WORDS, _READ = 0.85, 5.0, 3.0, 0.6
_NAMELESS, _HELPER, _INSIDE, _CLASS, _DOCUMENTED, _CALLED = -3.0, -0.5, -1.7, -0.8, 1.4, 5.0
_LEAST = _NAMELESS + _HELPER + _INSIDE + _CLASS
_SLOPE, _LEVEL = 0.38, -3.9
_ASIDE = 1.0
"""So much of the logarithm of its odds code loses where notes or documents stand beside it."""
_CERTAIN = 0.999
_CALLABLE = frozenset({"function", "method", "macro"})


class Piece(Struct, frozen=True):
    """What kind of piece it is: its name inside of what holds it (`Class.method`), empty for lines between definitions;
    `kind` is the chunk's, `documented` whether a comment or a string says what it does, `called` whether the
    question names it: all its words stand in the name.
    """

    name: str
    kind: str
    documented: bool
    called: bool = False


def worth_of(evidence: Evidence) -> Floats:
    """What the signals say of each piece, on no particular scale."""
    return _NEAR * np.nan_to_num(evidence.near) + _LATE * np.nan_to_num(evidence.late) + _WORDS * evidence.words


def _standing(piece: Piece) -> float:
    """What its kind adds to the worth of a piece."""
    if not piece.name:
        return _NAMELESS
    outer, _, own = piece.name.rpartition(".")
    helper = own.startswith("_") or outer.startswith("_") or "._" in outer
    value = _DOCUMENTED * piece.documented + _CALLED * piece.called + _HELPER * helper
    return value + (_INSIDE * bool(outer) if piece.kind in _CALLABLE else _CLASS)


def judge_code(evidence: Evidence, pieces: Sequence[Piece | None], aside: float = 0.0) -> Floats:
    """The probability of each to answer, its odds lower where it is `aside` of what is asked for more; whose kind was
    not looked at comes behind those.
    """
    added = np.array([_LEAST if piece is None else _standing(piece) for piece in pieces])
    worth = worth_of(evidence) + added + _READ * _as_read(evidence.deep)
    return 1.0 / (1.0 + np.exp(-(_SLOPE * worth + _LEVEL - aside)))


def judge_beside_code(evidence: Evidence, code: NDArray[np.bool_], pieces: Sequence[Piece | None]) -> Floats:
    """The probability of each to answer, where some are `code`; `pieces` are told of all, and are None for others.

    What the likeliest of either kind takes, the other kind has no more.
    """
    if code.all():
        return judge_code(evidence, pieces)
    share = np.count_nonzero(~code) / len(code)
    others = judge(msgspec.structs.replace(evidence.keep(~code), records=max(round(evidence.records * share), 1)))
    own = judge_code(evidence.keep(code), list(compress(pieces, code)), _ASIDE)
    first, second = (_odds(float(one.max())) for one in (others, own))
    sure = np.zeros(len(code))
    sure[~code] = others * (1.0 + first) / (1.0 + first + second)
    sure[code] = own * (1.0 + second) / (1.0 + first + second)
    return sure


def _odds(sure: float) -> float:
    return sure / (1.0 - min(sure, _CERTAIN))


def _as_read(said: Floats) -> Floats:
    """What the second model says of each; what it did not read is no better than the worst that it did."""
    read = ~np.isnan(said)
    return np.where(read, said, said[read].min()) if read.any() else np.zeros(len(said))
