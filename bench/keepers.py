"""How well is it told what of a conversation a person would keep?

A hundred and sixty-eight excerpts (`bench/data/keepers.jsonl`, our own writing) say what is worth keeping in each, if
anything. Seventy are held out; rules were tuned on the others. A candidate is right where it holds what a person
would keep, and each such thing counts once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.table import Plan, Table, within
from recollect.ingest.keepers import find_keepers

DATA = Path(__file__).parent / "data" / "keepers.jsonl"
LIMIT_PRECISION, LIMIT_RECALL = 0.8, 0.5


class Said(Struct):
    role: str
    text: str


class Excerpt(Struct):
    id: int
    held_out: bool
    messages: list[Said]
    keep: list[str]


class Score(Struct, frozen=True):
    right: int
    proposed: int
    wanted: int
    wrong: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.right / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


def excerpts() -> list[Excerpt]:
    return [msgspec.json.decode(line, type=Excerpt) for line in DATA.read_bytes().splitlines() if line.strip()]


def measure(some: Iterable[Excerpt]) -> Score:
    right = proposed = wanted = 0
    wrong: list[str] = []
    missed: list[str] = []
    for one in some:
        found = [keeper.text for said in one.messages for keeper in find_keepers(said.text, said.role)]
        hit = [keep for keep in one.keep if any(keep.casefold() in text.casefold() for text in found)]
        right += len(hit)
        proposed += len(found)
        wanted += len(one.keep)
        wrong += [text for text in found if not any(keep.casefold() in text.casefold() for keep in one.keep)]
        missed += [keep for keep in one.keep if keep not in hit]
    return Score(right, proposed, wanted, tuple(wrong), tuple(missed))


def run(plan: Plan) -> list[Table]:
    del plan
    every = excerpts()
    halves = {
        "tuned on": [one for one in every if not one.held_out],
        "held out": [one for one in every if one.held_out],
    }
    rows = tuple(
        (name, len(half), score.precision, score.recall, "P ≥ 0.8, R ≥ 0.5",
         within(score.precision >= LIMIT_PRECISION and score.recall >= LIMIT_RECALL))
        for name, half in halves.items()
        for score in (measure(half),)
    )  # fmt: skip
    return [Table("keepers", ("half", "excerpts", "precision", "recall", "limit", "holds"), rows)]
