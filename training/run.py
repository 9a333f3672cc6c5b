"""How are both models trained, from prepared data to weights and numbers?

    python -m training.run --data data.npz --base base.npz --reader-base reader.npz --seed 1 --out FOLDER

On one GPU: mines near misses, trains the reranker, has it teach the embedder, and measures both before export. With
`--taught` both learn from what a larger model said. Writes
embedder-SEED.npz and reranker-SEED.npz (fp16); with `--reader NAME` a reranker alone, as NAME-SEED.npz, and with
`--words EMBEDDER` one that reads that embedder's table of words, as both are shipped. A seed leaves out a part of the
everyday stores (`unseen.py` has the models judge it); `--leave-out -1` leaves none out.
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

import numpy as np
import torch

from training import alone, train_embedder, train_reranker
from training.mine import FOLDS, mine_all, read_data
from training.model import Embedder
from training.runtimes import embed_by_torch, score_by_torch, teller
from training.teach import TAUGHT, read_taught
from training.train_reranker import Taught, score_all
from training.weights import WORDS, as_shipped


def halve(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float16) for name, array in arrays.items()}


def read_weights(path: Path) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float32) for name, array in np.load(path).items()}


def add_plan(parser: argparse.ArgumentParser, name: str, plan: type) -> None:
    for one in fields(plan):
        if one.name != "leave_out":
            kind = type(one.default)
            parser.add_argument(f"--{name}-{one.name.replace('_', '-')}", type=kind, default=one.default)


def read_plan(args: argparse.Namespace, name: str, plan: type, leave_out: tuple[int, ...]) -> object:
    given = {one.name: getattr(args, f"{name}_{one.name}") for one in fields(plan) if one.name != "leave_out"}
    return plan(**given, leave_out=leave_out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "base", "reader-base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--sets", type=Path, help="measure on these (training.alone pack)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--taught", type=Path, nargs="+", help="what a larger model said (training.teach)")
    parser.add_argument("--reader", metavar="NAME", help="train a reranker alone, and call it so")
    parser.add_argument("--words", type=Path, help="the embedder whose table of words the reranker reads")
    parser.add_argument("--leave-out", type=int, help=f"which of {FOLDS} folds; else by the seed")
    add_plan(parser, "reranker", train_reranker.Plan)
    add_plan(parser, "embedder", train_embedder.Plan)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    say = teller()
    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    base, reader_base = (read_weights(path) for path in (args.base, args.reader_base))
    if args.words:
        reader_base[WORDS] = as_shipped(read_weights(args.words)[WORDS])
    data = read_data(args.data, args.device)
    fold = (args.seed - 1) % FOLDS if args.leave_out is None else args.leave_out
    leave_out = () if fold < 0 else (fold,)
    model = Embedder()
    model.load(base)
    mined, stock = mine_all(data, model.to(args.device).eval())
    say(f"near misses mined for {len(data.questions)} questions among {len(data.passages)} passages")
    taught = Taught(*read_taught(args.taught)) if args.taught else None
    plan = read_plan(args, "reranker", train_reranker.Plan, leave_out)
    reranker = train_reranker.train_reranker(data, reader_base, mined, taught, args.seed, plan).eval()
    np.savez(args.out / f"{args.reader or 'reranker'}-{args.seed}.npz", **halve(reranker.dump()))
    say("reranker trained")
    if args.reader:
        return
    said = score_all(reranker, data, mined.answer, mined.misses[:, :TAUGHT])
    say(f"the reranker has scored: answer first for {100 * (said.argmax(1) == 0).mean():.1f} %")
    if taught is not None:
        larger = taught.said[:, : 1 + TAUGHT]
        said = np.where(np.isnan(larger).any(1, keepdims=True), said, larger)
    plan = read_plan(args, "embedder", train_embedder.Plan, leave_out)
    embedder = train_embedder.train_embedder(
        data, base, stock, mined.answer, mined.misses[:, :TAUGHT], said, mined.unanswered, args.seed, plan
    ).eval()
    np.savez(args.out / f"embedder-{args.seed}.npz", **halve(embedder.dump()))
    say("embedder trained")
    if args.sets:
        alone.report(args.sets, embed_by_torch(embedder), score_by_torch(reranker))
    say("done")


if __name__ == "__main__":
    main()
