"""How likely is what stands in a conversation to answer?

    python -m training.fit_talk --set SETS/locomo-dev [--out ranker.json]

Conversations are cut to 20, 100 and 500 turns, half of the cuts in one piece and half drawn at random, and asked whole
too: what each holds, and a fifth as many questions that nothing in it answers. The library recalls; what the ranker
knew of the first hit, and whether it was right, is what the line of `Talk` is fitted on. Prints how far scores lie
from how often they are right (ECE), by size, each conversation left out in turn and with none left out; then writes the
line into the file.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

import recollect
from recollect.embed import bundled
from recollect.engine.read import recall
from recollect.retrieve import ranker
from recollect.retrieve.evidence import Evidence
from recollect.retrieve.weights import Talk, Weights
from training.lines import regress, save

CUTS = ((20, 12), (100, 6), (500, 2))
WHOLE, EVERY, MOST, SEED = 0, 4, 20, 1
Row = dict[str, object]


@dataclass(frozen=True)
class Seen:
    """What the ranker knew of the candidates of one question, which of them answer, and of which cut they are."""

    evidence: Evidence
    right: np.ndarray
    talk: str
    size: int


def cut(turns: list[Row], asked: list[Row], size: int, number: int, chance: random.Random) -> list[Row]:
    """A window of turns, or the answers of some questions among turns from anywhere."""
    if number % 2:
        first = chance.randrange(max(len(turns) - size, 1))
        return turns[first : first + size]
    needed = {id for one in chance.sample(asked, min(max(size // 12, 2), len(asked))) for id in one["gold"]}
    others = [turn["id"] for turn in turns if turn["id"] not in needed]
    kept = needed | set(chance.sample(others, min(max(size - len(needed), 0), len(others))))
    return [turn for turn in turns if turn["id"] in kept]


def choose(kept: list[Row], asked: list[Row], chance: random.Random) -> list[Row]:
    ids = {turn["id"] for turn in kept}
    answered = [one for one in asked if set(one["gold"]) <= ids]
    open_ones = [one for one in asked if not set(one["gold"]) & ids]
    answered = chance.sample(answered, min(MOST, len(answered)))
    return answered + chance.sample(open_ones, min(max(round(len(answered) / 4), 1), len(open_ones)))


class Watched:
    """A memory that keeps what the ranker was given last. A text is embedded once, however many cuts it is in."""

    def __init__(self, memory: recollect.Memory) -> None:
        self._memory, self._id = memory, dict[int, object]()
        self._pool: recall._Pool | None = None
        scores, run, known = recall._Pool.scores, bundled.BundledEmbedder._run, dict[str, bundled.Seen]()

        def watch(pool: recall._Pool, rows: np.ndarray | None = None) -> np.ndarray:
            self._pool = pool
            return scores(pool, rows)

        def run_once(embedder: bundled.BundledEmbedder, text: str) -> bundled.Seen:
            if text not in known:
                known[text] = run(embedder, text)
            return known[text]

        recall._Pool.scores, bundled.BundledEmbedder._run = watch, run_once

    def store(self, turns: list[Row], space: str) -> None:
        names = {"text": "text", "speaker": "role", "session": "session"}
        drafts = [
            {name: turn.get(of) for of, name in names.items()} | {"event_time": f"{turn['at']}Z"} for turn in turns
        ]
        for turn, receipt in zip(turns, self._memory.remember_many(drafts, space=space), strict=True):
            self._id[self._memory.get(receipt.id, space=space).version] = turn["id"]
        self._memory.embed_waiting()

    def ask(self, question: Row, space: str, talk: str, size: int, *, deep: bool = False) -> Seen | None:
        """None where nothing was judged, as with a question for everything."""
        self._pool = None
        self._memory.recall(str(question["query"]), space=space, deep=deep)
        if self._pool is None:
            return None
        gold = set(question["gold"])
        right = np.array([self._id.get(version) in gold for version in self._pool.version.tolist()])
        return Seen(self._pool.evidence, right, talk, size)


def ask_all(watched: Watched, folder: Path) -> Iterator[Seen | None]:
    corpus, queries = (
        [json.loads(line) for line in (folder / f"{name}.jsonl").open()] for name in ("corpus", "queries")
    )
    chance = random.Random(SEED)
    for talk in dict.fromkeys(turn["cid"] for turn in corpus):
        turns = [turn for turn in corpus if turn["cid"] == talk]
        asked = [one for one in queries if one["cid"] == talk and one["gold"]]
        for size, count in CUTS:
            for number in range(count):
                space, kept = f"{talk}-{size}-{number}", cut(turns, asked, size, number, chance)
                watched.store(kept, space)
                for one in choose(kept, asked, chance):
                    yield watched.ask(one, space, talk, size)
        watched.store(turns, talk)
        for one in asked[::EVERY]:
            yield watched.ask(one, talk, talk, WHOLE)


def describe(fitted: ranker.Fitted, seen: Seen) -> tuple[list[float], bool]:
    """What the line goes by, in the order of Talk's fields, and whether the first is right."""
    told = seen.evidence
    said = ranker._judge_lacking(fitted.lacking, told, ranker.say(fitted, told), slice(None))
    woven = ranker._weave(told)
    best = int((said + fitted.woven.weight * woven).argmax())
    others = np.delete(woven, best)
    lead = min(max(float(woven[best] - others.max(initial=0.0)), -1.0), 1.0)
    return [said[best], woven[best], lead, np.log10(told.records), 1.0], bool(seen.right[best])


def measure_error(likely: np.ndarray, right: np.ndarray) -> float:
    part = np.minimum((likely * 10).astype(int), 9)
    return sum(abs((likely - right)[part == at].sum()) for at in set(part.tolist())) / len(right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, required=True, help="conversations: corpus.jsonl and queries.jsonl")
    parser.add_argument("--out", type=Path, default=ranker.WEIGHTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
        every = [
            one
            for one in ask_all(Watched(memory), args.set)
            if one is not None and (one.evidence.group >= 0).all() and len(one.right)
        ]
    weights = msgspec.json.decode(args.out.read_bytes(), type=Weights)
    fitted = ranker.unpack(weights)
    told, right = (np.array(some, float) for some in zip(*(describe(fitted, one) for one in every), strict=True))
    talk, size = np.array([one.talk for one in every]), np.array([one.size for one in every])
    likely = np.zeros(len(every))
    for one in np.unique(talk):
        line = regress(told[talk != one], right[talk != one])
        likely[talk == one] = 1.0 / (1.0 + np.exp(-told[talk == one] @ line))
    line = Talk(*np.round(regress(told, right), 4).tolist())
    fitted_likely = 1.0 / (1.0 + np.exp(-told @ msgspec.structs.astuple(line)))
    for one in np.unique(size):
        of = size == one
        left_out, of_all = (measure_error(some[of], right[of]) for some in (likely, fitted_likely))
        print(
            f"{one or 'whole'}: {of.sum()} questions, ECE {left_out:.3f}, with the line of all {of_all:.3f}", flush=True
        )
    print(line)
    save(msgspec.structs.replace(weights, woven=msgspec.structs.replace(weights.woven, talk=line)), args.out)


if __name__ == "__main__":
    main()
