"""How are both models trained, from prepared data to weights and numbers?

    python -m training.run --data data.npz --base base.npz --candidates candidates.npz --seed 1 --out FOLDER

On one GPU: mines near misses, trains the reranker, has it teach the embedder, and measures both before export.
Writes embedder-SEED.npz and reranker-SEED.npz (fp16) and signals-SEED.npz.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from training import train_embedder, train_reranker
from training.evaluate import add_signals, read_sets, report, save_measured
from training.mine import embed_bank, mine, read_data
from training.model import Embedder
from training.runtimes import embed_by_torch, score_by_torch
from training.train_reranker import score_all

MISSES = 32
TAUGHT = 24


def halve(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float16) for name, array in arrays.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--candidates", type=Path, help="measure on these; else the weights are only written")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reranker-steps", type=int, default=train_reranker.Plan.steps)
    parser.add_argument("--embedder-steps", type=int, default=train_embedder.Plan.steps)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    started = time.perf_counter()

    def say(words: str) -> None:
        print(f"[{time.perf_counter() - started:6.1f} s] {words}", flush=True)

    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    base = dict(np.load(args.base))
    data = read_data(args.data, args.device)
    model = Embedder()
    model.load(base)
    model.to(args.device).eval()
    stock = embed_bank(model, data.questions), embed_bank(model, data.passages)
    say(f"{len(data.questions)} questions and {len(data.passages)} passages embedded")
    answer, misses = mine(data, *stock, MISSES, args.seed)
    say("near misses mined")
    plan = train_reranker.Plan(steps=args.reranker_steps)
    reranker = train_reranker.train_reranker(data, base, answer, misses, args.seed, plan).eval()
    np.savez(args.out / f"reranker-{args.seed}.npz", **halve(reranker.dump()))
    say("reranker trained")
    taught = score_all(reranker, data, answer, misses[:, :TAUGHT])
    say(f"teacher has scored: answer first for {100 * (taught.argmax(1) == 0).mean():.1f} %")
    plan = train_embedder.Plan(steps=args.embedder_steps)
    embedder = train_embedder.train_embedder(
        data, base, stock, answer, misses[:, :TAUGHT], taught, args.seed, plan
    ).eval()
    np.savez(args.out / f"embedder-{args.seed}.npz", **halve(embedder.dump()))
    say("embedder trained")
    if args.candidates:
        encode, score = embed_by_torch(embedder), score_by_torch(reranker)
        sets = {name: add_signals(arrays, encode, score) for name, arrays in read_sets(args.candidates).items()}
        save_measured(args.out / f"signals-{args.seed}.npz", sets)
        say("signals written")
        report(sets)
    say("done")


if __name__ == "__main__":
    main()
