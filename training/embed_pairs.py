"""What does the exported embedder say of the notes, passages and questions that the ranker is fitted on?

    python -m training.embed_pairs --work FOLDER

Reads data.npz and texts.jsonl.gz (`prepare.py`) and writes embedded.npz: of the everyday stores everything, of pools
that nobody trained on their questions, and of the other sources some, each with the passages of its pool. Vectors are
float16, wordpieces bytes, as the library keeps them.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from recollect.embed.bundled import BundledEmbedder
from recollect.store.late import SCALE
from training.pack import Lists

SEED, HELD, FOLDS = 5, 255, 4
OF_HELD, OF_TRAINED, OF_POOL = 200, 100, 300
TRAINED = ("tldr", "nl2bash", "python", "pypi-readme", "qamr", "fairytale", "molweni")
"""Sources of which no pool is held out: their pooled vectors were held at the stock model's, or they are many."""


def choose(arrays: dict[str, np.ndarray]) -> tuple[list[int], list[int]]:
    """Rows of questions and of passages."""
    chance = np.random.default_rng(SEED)
    answers, sources = Lists(arrays, "answers"), [str(name) for name in arrays["sources"]]
    asked: list[int] = []
    for number, name in enumerate(sources):
        of_source = arrays["source"] == number
        held = chance.permutation(np.flatnonzero(of_source & (arrays["fold"] == HELD)))[:OF_HELD]
        seen = np.flatnonzero(of_source & (arrays["fold"] > FOLDS) & (arrays["fold"] != HELD))
        asked += held.tolist() + (chance.permutation(seen)[:OF_TRAINED].tolist() if name in TRAINED else [])
    needed = {int(row) for question in asked for row in answers[question]}
    told: set[int] = set(needed)
    for pool in sorted({int(arrays["pool"][row]) for row in needed}):
        members = np.flatnonzero(arrays["pool"] == pool)
        told |= set(chance.choice(members, min(len(members), OF_POOL), replace=False).tolist())
    everyday = np.flatnonzero(arrays["fold"] < FOLDS)
    stores = {int(arrays["pool"][answers[row][0]]) for row in everyday}
    told |= set(np.flatnonzero(np.isin(arrays["pool"], sorted(stores))).tolist())
    return sorted([*asked, *everyday.tolist()]), sorted(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    arrays = dict(np.load(args.work / "data.npz"))
    with gzip.open(args.work / "texts.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    asked, told = choose(arrays)
    asked += [len(arrays["fold"]) + row for row in range(len(arrays["unanswered_pool"]))]
    embedder = BundledEmbedder()
    vectors, tokens = embedder.embed_tokens([texts[row] for row in told])
    codes = [np.clip(np.rint(one * SCALE), -127, 127).astype(np.int8) for one in tokens]
    questions, pieces = embedder.embed_tokens([texts[len(arrays["pool"]) + row] for row in asked], query=True)
    np.savez(
        args.work / "embedded.npz",
        prow=told, pv=vectors.astype(np.float16), pt=np.concatenate(codes), pe=np.cumsum([0, *map(len, codes)]),
        qrow=asked, qv=questions, qt=np.concatenate(pieces), qe=np.cumsum([0, *map(len, pieces)]),
    )  # fmt: skip
    print(f"{len(told)} passages, {len(asked)} questions")


if __name__ == "__main__":
    main()
