"""How do the networks learn from stores that no model was trained on, where nothing else is at hand?

    python -m training.refine_ranker --pairs PAIRS --work FOLDER [--out ranker.json]

`fit_ranker.py` needs what models said of the stores that they had not seen, which only their training can write. Notes
that were written after the models were made need no such thing: the library itself recalls them, and what its ranker
knew is what the networks are refined on (REFINED, parts of notes.jsonl.gz). So that they stay as they are elsewhere,
they are held at what they said before of everyday stores and of conversations and pages (PAIRS), whatever is right
there. Prints what they say of stores that were left out, before and after, and learns from all then; how likely that
makes a first hit is moved by what was seen of those that were left out (twice a quarter of them).

FOLDER keeps what was recalled; it is recalled again where FOLDER has none.
"""

from __future__ import annotations

import argparse
import pickle
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import nn

import recollect
from recollect.retrieve import ranker
from recollect.retrieve.evidence import Evidence
from recollect.retrieve.weights import Layer, Notes, Weights
from training import check
from training.fit_ranker import BATCH, build_net, lose, rounded
from training.fit_talk import Row, Watched, measure_error
from training.lines import save
from training.prepare import LEFT_OUT, NOTES

NAME, REFINED = "recollect-ranker-6", ("la",)
SEED, TOGETHER, STORES, ASKED = 1, 4, 110, 15
TALK, PAGES = ("spc", "molweni"), ("fairytale", "medquad", "pypi-readme", "qamr")
POOLS, OF_POOL, LONGEST = 12, 25, 300
EPOCHS, RATE, HELD = 20, 1e-3, 1.0
DEPTHS = (0, 5, 20)
LEFT_OUT_QUARTERS = (0, 2)


@dataclass(frozen=True)
class Seen:
    """What the ranker knew of one question (with twenty read), which candidates answer, and what kind of question."""

    evidence: Evidence
    right: np.ndarray
    kind: str
    store: str

    def read_only(self, count: int) -> Evidence:
        """The same with fewer read: those that promise most."""
        told = self.evidence
        order = np.argsort(-ranker.weigh_roughly(told.covered, told.words, told.near, told.late), kind="stable")
        deep = np.full(len(order), np.nan)
        deep[order[:count]] = told.deep[order[:count]]
        return msgspec.structs.replace(told, deep=deep)


def turns_of(store: Row, first: int = 0) -> list[Row]:
    return [
        {"id": first + note["id"], "text": note["text"], "at": f"{note['at']}T08:{note['id'] % 60:02}:00"}
        for note in store["notes"]
    ]


def ask_stores(watched: Watched, stores: Sequence[Row], name: str, most: int | None) -> Iterator[Seen]:
    """Questions over some stores in one space."""
    chance, asked = random.Random(SEED), list[tuple[Row, str]]()
    turns = list[Row]()
    for place, store in enumerate(stores):
        turns += turns_of(store, 1_000 * place)
        some = store["questions"]
        for one in some if most is None else chance.sample(some, min(most, len(some))):
            gold = [1_000 * place + id for id in one["gold"]]
            asked.append(({"query": one["q"], "gold": gold, "kind": one["kind"]}, store["store"]))
    turns.sort(key=lambda turn: turn["at"])
    watched.store(turns, name)
    for one, store in asked:
        seen = watched.ask(one, name, name, 0, deep=True)
        if seen is not None:
            yield Seen(seen.evidence, seen.right, one["kind"], store)


def ask_new(watched: Watched) -> Iterator[Seen]:
    stores = [row for row in check.read_rows(NOTES) if row["part"] in REFINED]
    for number, store in enumerate(stores):
        yield from ask_stores(watched, [store], f"new-{number}", None)
    for first in range(0, len(stores), TOGETHER):
        yield from ask_stores(watched, stores[first : first + TOGETHER], f"together-{first}", ASKED)


def ask_known(watched: Watched, pairs: Path) -> Iterator[Seen]:
    """Everyday stores, conversations and pages: what they are held at."""
    stores = [*check.read_rows(pairs / "everyday.jsonl.gz"), *check.read_rows(NOTES)]
    stores = [row for row in stores if row["part"] not in REFINED]
    for number, store in enumerate(random.Random(SEED).sample(stores, STORES)):
        yield from ask_stores(watched, [store], f"known-{number}", ASKED)
    pools, asked = defaultdict(list), defaultdict(list)
    for row in check.read_rows(pairs / "questions.jsonl.gz"):
        if row["source"] not in LEFT_OUT:
            asked[row["source"], row["pool"]].append(row)
    chance, wanted = random.Random(SEED), dict[tuple[str, object], list[Row]]()
    for source in (*TALK, *PAGES):
        some = sorted((key for key in asked if key[0] == source), key=str)
        wanted |= {key: asked[key] for key in chance.sample(some, min(POOLS, len(some)))}
    meant = {pool for _, pool in wanted}
    for row in check.read_rows(pairs / "passages.jsonl.gz"):
        if row["pool"] in meant:
            pools[row["pool"]].append(row)
    for number, ((source, pool), questions) in enumerate(wanted.items()):
        session = {"session": "talk"} if source in TALK else {}
        turns = [
            {"id": row["id"], "text": row["text"], "at": f"2025-03-01T{at // 60 % 24:02}:{at % 60:02}:00", **session}
            for at, row in enumerate(pools[pool][:LONGEST])
        ]
        watched.store(turns, f"pool-{number}")
        held = {turn["id"] for turn in turns}
        questions = [one for one in questions if held.issuperset(one["pos"])]
        for one in chance.sample(questions, min(OF_POOL, len(questions))):
            seen = watched.ask({"query": one["q"], "gold": one["pos"]}, f"pool-{number}", source, 0, deep=True)
            if seen is not None:
                yield Seen(seen.evidence, seen.right, source, str(pool))


@dataclass
class Lists:
    """Features of all candidates of all questions in a row, and what is wanted of them.

    `slope` and `level` make what the networks say of a list what the ranker says; `before` is what they said.
    """

    values: torch.Tensor
    right: torch.Tensor
    ends: np.ndarray
    slope: torch.Tensor
    level: torch.Tensor
    before: torch.Tensor


def describe(seen: Sequence[Seen], found: Weights) -> Lists:
    fitted, values, right, before, lines = ranker.unpack(found), [], [], [], []
    mean, scale = np.array(found.mean), np.array(found.scale)
    for one in seen:
        for depth in DEPTHS:
            evidence = one.read_only(depth)
            by = next(line for line in reversed(fitted.notes) if line.read <= depth)
            values.append(np.clip((ranker.describe(evidence) - mean) / scale, -6, 6).astype(np.float32))
            right.append(one.right)
            before.append(ranker.say(fitted, evidence))
            known = not np.isnan(evidence.near).all() and (depth == 0 or not np.isnan(evidence.deep).all())
            lines.append((by.slope, ranker.weigh_best(by, evidence) + by.level if known else by.level))
    ends = np.cumsum([0, *map(len, right)])
    slope, level = torch.tensor(np.array(lines), dtype=torch.float32).T
    told = torch.from_numpy(np.concatenate(before)).float()
    return Lists(
        torch.from_numpy(np.concatenate(values)),
        torch.from_numpy(np.concatenate(right).astype(np.float32)),
        ends,
        slope,
        level,
        told,
    )


def take(lists: Lists, chosen: np.ndarray) -> tuple[np.ndarray, torch.Tensor]:
    rows = np.concatenate([np.arange(lists.ends[i], lists.ends[i + 1]) for i in chosen])
    return rows, torch.from_numpy(np.repeat(np.arange(len(chosen)), np.diff(lists.ends)[chosen]))


def load(layers: Sequence[Layer], features: int) -> nn.Sequential:
    net = build_net(features)
    for part, layer in zip((one for one in net if isinstance(one, nn.Linear)), layers, strict=True):
        part.weight.data = torch.tensor(layer.weights, dtype=torch.float32).T.contiguous()
        part.bias.data = torch.tensor(layer.bias, dtype=torch.float32)
    return net


def refine(layers: Sequence[Layer], new: Lists, known: Lists, seed: int) -> list[Layer]:
    """One network that says what is right of the new stores, and what it said before of the others."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    net = load(layers, new.values.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.0)
    parts = -(-(len(new.ends) - 1) // BATCH)
    for epoch in range(EPOCHS):
        for number, batch in enumerate(np.array_split(chance.permutation(len(new.ends) - 1), parts)):
            done = (epoch * parts + number) / (EPOCHS * parts)
            for group in optimizer.param_groups:
                group["lr"] = RATE * (1.0 - done)
            rows, owner = take(new, batch)
            said = net(new.values[rows])[:, 0] * new.slope[batch][owner] + new.level[batch][owner]
            loss = lose(said, new.right[rows], owner, torch.ones(len(batch)))
            some = chance.choice(len(known.ends) - 1, BATCH, replace=False)
            rows, _ = take(known, some)
            before = known.before[rows]
            apart = net(known.values[rows])[:, 0] - before
            loss = loss + HELD * ((0.02 + torch.sigmoid(before)) * apart**2).sum() / BATCH
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    linear = [part for part in net if isinstance(part, nn.Linear)]
    return [Layer(rounded(part.weight.detach().numpy().T), rounded(part.bias.detach().numpy())) for part in linear]


def refine_all(found: Weights, new: Sequence[Seen], known: Sequence[Seen]) -> Weights:
    of_new, of_known = describe(new, found), describe(known, found)
    networks = [refine(layers, of_new, of_known, seed) for seed, layers in enumerate(found.networks, 1)]
    return msgspec.structs.replace(found, networks=networks)


def move(line: Notes, said: np.ndarray, right: np.ndarray) -> Notes:
    """The same line, raised or lowered so that as many first hits are right as it says."""
    level = 0.0
    for _ in range(50):
        likely = 1.0 / (1.0 + np.exp(-said - level))
        level += (right - likely).sum() / (likely * (1.0 - likely)).sum()
    return msgspec.structs.replace(line, level=round(float(line.level + level), 5))


def tell(name: str, found: Weights, seen: Sequence[Seen], depth: int = 5) -> None:
    """By kind of question how many have their answer first; whether any answers (AUC); and ECE."""
    fitted = ranker.unpack(found)
    ranker._load = lambda: fitted
    first, best, answered, right = defaultdict(list), [], [], []
    for one in seen:
        said = ranker.judge(one.read_only(depth))
        at = int(said.argmax())
        if one.right.any():
            first[one.kind].append(bool(one.right[at]))
        best.append(said[at])
        answered.append(bool(one.right.any()))
        right.append(bool(one.right[at]))
    scores, has, hit = np.array(best), np.array(answered), np.array(right)
    of, without = scores[has], scores[~has]
    auc = (of[:, None] > without).mean() if len(without) and len(of) else np.nan
    kinds = ", ".join(f"{kind} {100 * np.mean(of):.1f} of {len(of)}" for kind, of in sorted(first.items()))
    print(f"{name}, {depth} read: {kinds}; AUC {auc:.3f}, ECE {measure_error(scores, hit):.3f}", flush=True)


def recalled(path: Path, make: Iterator[Seen]) -> list[Seen]:
    if not path.exists():
        path.write_bytes(pickle.dumps(list(make)))
    return pickle.loads(path.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="passages, questions and everyday (.jsonl.gz)")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=ranker.WEIGHTS)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
        watched = Watched(memory)
        new = recalled(args.work / "new.pickle", ask_new(watched))
        known = recalled(args.work / "known.pickle", ask_known(watched, args.pairs))
    found = msgspec.json.decode(ranker.WEIGHTS.read_bytes(), type=Weights)
    stores = list(dict.fromkeys(one.store for one in new))
    said, right = defaultdict(list), defaultdict(list)
    for quarter in LEFT_OUT_QUARTERS:
        left = set(stores[quarter::4])
        unseen = [one for one in new if one.store in left]
        tried = refine_all(found, [one for one in new if one.store not in left], known)
        for depth in DEPTHS:
            tell("before", found, unseen, depth)
            tell("refined without these stores", tried, unseen, depth)
            for one in unseen:
                likely = ranker.logits(one.read_only(depth))
                said[depth].append(likely.max())
                right[depth].append(bool(one.right[likely.argmax()]))
    moved = [
        move(line, np.array(said[depth]), np.array(right[depth]))
        for line, depth in zip(found.notes, DEPTHS, strict=True)
    ]
    card = {**found.card, "refined on": f"{len(new)} questions over {len(stores)} stores that no model was trained on"}
    save(msgspec.structs.replace(refine_all(found, new, known), name=NAME, notes=moved, card=card), args.out)


if __name__ == "__main__":
    main()
