"""What do models say of the everyday stores that they were not trained on?

    python -m training.unseen --data data.npz --embedder embedder-1.npz --reranker reranker-1.npz --fold 0 --out FILE

Writes unseen-SEED.npz for `fit_ranker.py`: every question of the fold with every note of its store, and three numbers
for each. Questions without an answer have their number after all that have one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from training.compare import Encode, Encoded, Score, compare, to_codes
from training.pack import Lists, pack_lists
from training.runtimes import open_embedder, open_reranker


def judge_unseen(arrays: dict[str, np.ndarray], fold: int, encode: Encode, score: Score) -> dict[str, np.ndarray]:
    answered = np.flatnonzero(arrays["fold"] == fold)
    open_questions = np.flatnonzero(arrays["unanswered_fold"] == fold)
    first = Lists(arrays, "answers")
    of_answered = arrays["pool"][[first[row][0] for row in answered]]
    pool = np.concatenate([of_answered, arrays["unanswered_pool"][open_questions]])
    notes = np.flatnonzero(np.isin(arrays["pool"], pool))
    questions, passages, unanswered = (Lists(arrays, name) for name in ("questions", "passages", "unanswered"))
    asked = [*(questions[row] for row in answered), *(unanswered[row] for row in open_questions)]
    asked_lists = Lists(pack_lists("x", asked, np.uint16), "x")
    told_lists = Lists(pack_lists("x", [passages[row] for row in notes], np.uint16), "x")
    seen_asked, seen_told = encode(asked_lists), encode(told_lists)
    codes = Encoded(seen_told.pooled, to_codes(seen_told.tokens), seen_told.weights, seen_told.ends)
    pairs, cosine, late = [], [], []
    for at, own in enumerate(pool):
        rows = np.flatnonzero(arrays["pool"][notes] == own)
        pairs.append(np.stack([np.full(len(rows), at), rows], 1))
        cosine.append(seen_told.pooled[rows] @ seen_asked.pooled[at])
        late.append(compare(seen_asked, codes, at, rows))
    both = np.concatenate(pairs)
    number = np.concatenate([answered, len(arrays["fold"]) + open_questions])
    return {
        "question": number[both[:, 0]].astype(np.int32),
        "note": notes[both[:, 1]].astype(np.int32),
        "cosine": np.concatenate(cosine).astype(np.float32),
        "late": np.concatenate(late).astype(np.float32),
        "deep": score(asked_lists, told_lists, both[:, 0], both[:, 1]).astype(np.float32),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "embedder", "reranker", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--fold", type=int, required=True)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    encode, score = open_embedder(args.embedder, args.device), open_reranker(args.reranker, args.device)
    np.savez_compressed(args.out, **judge_unseen(dict(np.load(args.data)), args.fold, encode, score))


if __name__ == "__main__":
    main()
