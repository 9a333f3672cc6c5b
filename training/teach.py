"""What does the large model say of the questions that the small ones are trained on?

    python -m training.teach --data data.npz --base base.npz --teacher PART PART --out teach.npz [--half 0]

It is trained like the reranker and then judges questions about everyday notes and talk: each with its answer, its
misses and the nearest notes of other stores. With `--half` it is trained without a half of the everyday stores and
judges just that half, so that it says how likely a note answers and not what it learned by heart; `run.py --taught`
takes both halves together. Without, it is trained for so few steps that it meets most questions once or not at all.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from training import alone
from training.mine import FOLDS, HELD, MISSES, SEED, Data, Mined, mine_all, read_data
from training.model import Bank, Embedder
from training.runtimes import score_by_torch, teller
from training.teacher import Teacher, open_teacher
from training.train_reranker import Plan, fit_reader, score_pairs_all

TAUGHT = 12
TALK = ("spc", "asked", "told", "chat", "molweni")


def judge(model: Teacher, data: Data, mined: Mined, half: int | None) -> dict[str, np.ndarray]:
    """What the model says; NaN where it is not asked."""
    wide = np.concatenate([mined.answer[:, None], mined.misses, mined.beyond], axis=1)
    everyday = np.flatnonzero(_of_half(data.fold, half))
    talk = np.isin(data.source, [number for number, name in enumerate(data.sources) if name in TALK])
    others = np.flatnonzero(talk & (data.fold != HELD))[slice(half, None, 1 if half is None else 2)]
    said = np.full(wide.shape, np.nan, np.float32)
    said[everyday] = score_lists(model, data.questions, data.passages, everyday, wide[everyday])
    said[others, : 1 + TAUGHT] = score_lists(model, data.questions, data.passages, others, wide[others, : 1 + TAUGHT])
    open_rows = np.flatnonzero(_of_half(data.unanswered_fold, half))
    told = np.full(mined.unanswered.shape, np.nan, np.float32)
    told[open_rows] = score_lists(model, data.unanswered, data.passages, open_rows, mined.unanswered[open_rows])
    return {"said": said.astype(np.float16), "unanswered": told.astype(np.float16)}


def _of_half(fold: np.ndarray, half: int | None) -> np.ndarray:
    return fold < FOLDS if half is None else fold // 2 == half


def score_lists(model: Teacher, questions: Bank, passages: Bank, rows: np.ndarray, told: np.ndarray) -> np.ndarray:
    flat = score_pairs_all(model, questions, passages, np.repeat(rows, told.shape[1]), told.ravel())
    return flat.reshape(told.shape)


def read_taught(paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    """All halves in one: numbers for answer, misses and notes beyond of each question, and for those without answer."""
    parts = [np.load(path) for path in paths]
    said, unanswered = (np.stack([part[name] for part in parts]).astype(np.float32) for name in ("said", "unanswered"))
    return np.nanmax(said, axis=0), np.nanmax(unanswered, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, nargs="+", required=True)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--steps", type=int, default=1400)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--misses", type=int, default=7)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--everyday", type=int, default=10)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    say = teller()
    torch.set_float32_matmul_precision("high")
    data = read_data(args.data, args.device)
    small = Embedder()
    small.load(dict(np.load(args.base)))
    mined, _ = mine_all(data, small.to(args.device).eval())
    say("near misses mined")
    torch.manual_seed(SEED)
    model = open_teacher(args.teacher, 0.1).to(args.device)
    left_out = () if args.half is None else (2 * args.half, 2 * args.half + 1)
    given = {name: getattr(args, name) for name in ("steps", "batch", "misses", "rate", "everyday")}
    plan = Plan(**given, leave_out=left_out)
    fit_reader(model, data, mined, None, SEED, plan)
    model.eval()
    say("teacher trained")
    if args.sets:
        for name, arrays in alone.read_sets(args.sets).items():
            if name == "everyday-dev":
                say(f"{name} {alone.measure_reader(arrays, score_by_torch(model))}")
    found = judge(model, data, mined, args.half)
    np.savez(args.out, **found)
    for name, at in (("everyday", data.fold < FOLDS), ("others", data.fold >= FOLDS)):
        said = found["said"][at].astype(np.float32)
        said = said[~np.isnan(said[:, 0])]
        first = np.nanargmax(said[:, : 1 + MISSES], axis=1) == 0
        say(f"{name}: answer first for {100 * first.mean():.1f} % of {len(said)}")


if __name__ == "__main__":
    main()
