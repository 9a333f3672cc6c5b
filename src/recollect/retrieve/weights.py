"""What is fitted of the ranker, and kept in `ranker.json`?"""

from __future__ import annotations

from msgspec import Struct


class Layer(Struct, frozen=True):
    """One layer: a row of weights for each number that goes in, and what is added."""

    weights: list[list[float]]
    bias: list[float]


class Talk(Struct, frozen=True):
    """How likely the best is where it stands in a session or source, where much is said of the same: `said` times what
    the networks say of it, `woven` times its weaving, `lead` times its lead over the next, `size` for each ten times as
    many records, and `level`.
    """

    said: float
    woven: float
    lead: float
    size: float
    level: float


class Woven(Struct, frozen=True):
    """How much the weaving counts for what stands in a group or among many, and how that becomes a probability.

    The order is that of said + weight × weaving. Where the best stands in no group, it is as likely as `said`, `woven`
    and `lead` times each and `level` tell, else as `talk` does. Others are less likely by `slope` times what they are
    behind.
    """

    weight: float
    said: float
    woven: float
    lead: float
    level: float
    slope: float
    talk: Talk


class Lacking(Struct, frozen=True):
    """How likely a candidate is that has no vector, among others that have one: the networks have hardly seen such.

    `said` times what they say of it, `covered` times what its words cover, and `level`; where it was read together with
    the question, `deep` times what the reading said, and where others were and it was passed over, `passed`.
    """

    said: float
    covered: float
    passed: float
    deep: float
    level: float


class Notes(Struct, frozen=True):
    """How likely a note of a small store is where at least so many were read together with the question: `slope` times
    what the networks say of it, and `level`.

    Whether any note answers is told by more than the first hit: `deep` times the highest that was read and `near` times
    the highest nearness, whosever they are, are added to all notes of a question.
    """

    read: int
    slope: float
    level: float
    deep: float = 0.0
    near: float = 0.0


class Meaning(Struct, frozen=True):
    """How likely notes are where vectors alone can tell (`is_told_by_meaning`).

    The order is that of `said` times what the networks say + `near` times the nearness. The best is as likely as `lead`
    times its lead over the next, `over` times how far its nearness lies above the middle one, and `level` tell; others
    are less likely by what they are behind.
    """

    said: float
    near: float
    lead: float
    over: float
    level: float


class Weights(Struct, frozen=True):
    """A fitted ranker: which features it takes, how they are brought to one scale, and its networks, layer by layer."""

    name: str
    card: dict[str, str]
    features: list[str]
    mean: list[float]
    scale: list[float]
    networks: list[list[Layer]]
    notes: list[Notes]
    meaning: Meaning
    lacking: Lacking
    woven: Woven
