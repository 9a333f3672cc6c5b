"""How is the cross-encoder trained?

For each question its answer and some of its near misses are read together with it; the loss asks that the answer have
the highest number (softmax over the list), and that the number itself say whether it answers (a logistic loss for every
pair). Every third step has questions that nothing answers: all their nearest passages are wrong. The trained model then
scores answer and misses for the embedder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.mine import HELD, Data, Mined
from training.model import HEAD_SEED, Bank, Reranker, join, join_lengths, split_by_length, split_by_tokens


@dataclass(frozen=True)
class Plan:
    """`misses` of each question's near misses are drawn anew whenever it comes up."""

    steps: int = 2300
    batch: int = 64
    misses: int = 11
    rate: float = 1e-4
    warm: float = 0.05
    everyday: int = 4
    absolute: float = 1.0
    answer_weight: float = 4.0
    unanswered_every: int = 3
    dropout: float = 0.0
    gold: float = 0.5
    leave_out: tuple[int, ...] = ()


@dataclass(frozen=True)
class Taught:
    """What a larger model says: of each question's answer, misses and notes beyond its store, in that order, and of the
    nearest passages of questions that nothing answers. NaN where it was not asked."""

    said: np.ndarray
    unanswered: np.ndarray


def batches(
    data: Data, size: int, steps: int, everyday: int, leave_out: tuple[int, ...], chance: np.random.Generator
) -> list[np.ndarray]:
    """Questions in batches of one source each, in random order; when all have come up, all over again.

    Those about everyday notes come up several times before; those of some folds are left out.
    """
    found: list[np.ndarray] = []
    seen = ~np.isin(data.fold, leave_out) & (data.fold != HELD)
    while len(found) < steps:
        epoch: list[np.ndarray] = []
        for source, name in enumerate(data.sources):
            rows = np.tile(np.flatnonzero(seen & (data.source == source)), everyday if name == "everyday" else 1)
            rows = chance.permutation(rows)
            epoch += [part for part in np.array_split(rows, max(len(rows) // size, 1)) if len(part)]
        found += [epoch[at] for at in chance.permutation(len(epoch))]
    return found[:steps]


def paced(optimizer: torch.optim.Optimizer, steps: int, warm: float) -> Iterator[int]:
    """Counts steps, and sets the learning rate by what is done: up, then down to zero."""
    first = [group["lr"] for group in optimizer.param_groups]
    for step in range(steps):
        done = step / steps
        for group, rate in zip(optimizer.param_groups, first, strict=True):
            group["lr"] = rate * min(done / warm + 0.02, (1 - done) / (1 - warm))
        yield step


def pick(misses: np.ndarray, rows: np.ndarray, count: int, chance: np.random.Generator) -> np.ndarray:
    """Which of each question's misses are taken."""
    return chance.permuted(np.tile(np.arange(misses.shape[1]), (len(rows), 1)), axis=1)[:, :count]


def score_pairs(
    model: nn.Module, questions: Bank, passages: Bank, asked: np.ndarray, told: np.ndarray, parts: int
) -> Tensor:
    lengths = join_lengths(questions, passages, asked, told)
    split = split_by_length(lengths, parts)
    scores = torch.cat([model(*join(questions, passages, asked[rows], told[rows])) for rows in split])
    back = np.argsort(np.concatenate(split))
    return scores[torch.from_numpy(back).to(scores.device)]


def judge(scores: Tensor, plan: Plan, likely: Tensor | None, *, answered: bool) -> Tensor:
    """Is each number right by itself? The first of a row answers, or none does; `likely` is what was taught of it."""
    target = torch.zeros_like(scores)
    weight = torch.ones_like(scores)
    if answered:
        target[:, 0] = 1.0
        weight[:, 0] = plan.answer_weight
    if likely is not None:
        target = torch.where(likely.isnan(), target, plan.gold * target + (1 - plan.gold) * likely)
    return F.binary_cross_entropy_with_logits(scores, target, weight)


def follow(scores: Tensor, said: Tensor | None, gold: float) -> Tensor:
    """The answer, which is the first of its row, above the others; or the order that was taught, by a share."""
    prefer = F.cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long, device=scores.device))
    if said is None or said.isnan().any():
        return prefer
    likely = F.softmax(said, dim=-1)
    return gold * prefer + (1 - gold) * F.kl_div(F.log_softmax(scores, dim=-1), likely, reduction="batchmean")


def train_reranker(
    data: Data, base: dict[str, np.ndarray], mined: Mined, taught: Taught | None, seed: int, plan: Plan
) -> Reranker:
    torch.manual_seed(HEAD_SEED)
    model = Reranker(plan.dropout)
    model.load(base)
    fit_reader(model.to(data.questions.flat.device), data, mined, taught, seed, plan)
    return model


def fit_reader(model: nn.Module, data: Data, mined: Mined, taught: Taught | None, seed: int, plan: Plan) -> None:
    chance, device = np.random.default_rng(seed), data.questions.flat.device
    model.train()
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=plan.rate, weight_decay=0.01)
    open_questions = np.flatnonzero(~np.isin(data.unanswered_fold, plan.leave_out))
    todo = batches(data, plan.batch, plan.steps, plan.everyday, plan.leave_out, chance)
    for step in paced(optimizer, plan.steps, plan.warm):
        rows = todo[step]
        columns = 1 + pick(mined.misses[:, : _known(taught, rows, mined.misses)], rows, plan.misses, chance)
        told = np.concatenate([mined.answer[rows][:, None], mined.misses[rows[:, None], columns - 1]], axis=1)
        columns = np.concatenate([np.zeros((len(rows), 1), np.int64), columns], axis=1)
        if taught is not None and (mined.beyond[rows] >= 0).all():
            beyond = pick(mined.beyond, rows, plan.misses // 3, chance)
            told = np.concatenate([told, mined.beyond[rows[:, None], beyond]], axis=1)
            columns = np.concatenate([columns, 1 + mined.misses.shape[1] + beyond], axis=1)
        said = None if taught is None else torch.from_numpy(taught.said[rows[:, None], columns]).to(device)
        scores = _read(model, data.questions, data.passages, rows, told, 4)
        loss = follow(scores, said, plan.gold)
        loss = loss + plan.absolute * judge(scores, plan, None if said is None else said.sigmoid(), answered=True)
        if step % plan.unanswered_every == 0:
            rows = chance.choice(open_questions, min(plan.batch, len(open_questions)), replace=False)
            scores = _read(model, data.unanswered, data.passages, rows, mined.unanswered[rows], 2)
            likely = None if taught is None else torch.from_numpy(taught.unanswered[rows]).to(device).sigmoid()
            loss = loss + plan.absolute * judge(scores, plan, likely, answered=False)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(f"reader {step}/{plan.steps} loss {loss.item():.3f}", flush=True)


def _known(taught: Taught | None, rows: np.ndarray, misses: np.ndarray) -> int:
    """How many of the misses of these questions something was said of; all, where nobody was asked."""
    if taught is None:
        return misses.shape[1]
    known = int((~np.isnan(taught.said[rows, 1 : 1 + misses.shape[1]])).all(0).sum())
    return known or misses.shape[1]


def _read(model: nn.Module, questions: Bank, passages: Bank, rows: np.ndarray, told: np.ndarray, parts: int) -> Tensor:
    with torch.autocast(questions.flat.device.type, torch.bfloat16):
        scores = score_pairs(model, questions, passages, np.repeat(rows, told.shape[1]), told.ravel(), parts)
    return scores.view(told.shape)


@torch.no_grad()
def score_pairs_all(
    model: nn.Module, questions: Bank, passages: Bank, asked: np.ndarray, told: np.ndarray, tokens: int = 400_000
) -> np.ndarray:
    """What the model says of each pair."""
    device = questions.flat.device
    found = torch.zeros(len(told), device=device)
    for rows in split_by_tokens(join_lengths(questions, passages, asked, told), tokens):
        with torch.autocast(device.type, torch.bfloat16):
            scores = model(*join(questions, passages, asked[rows], told[rows]))
        found[torch.from_numpy(rows).to(device)] = scores
    return found.cpu().numpy()


def score_all(model: nn.Module, data: Data, answer: np.ndarray, misses: np.ndarray) -> np.ndarray:
    """What the model says to each question's answer (first) and misses."""
    told = np.concatenate([answer[:, None], misses], axis=1)
    asked = np.repeat(np.arange(len(told)), told.shape[1])
    return score_pairs_all(model, data.questions, data.passages, asked, told.ravel()).reshape(told.shape)
