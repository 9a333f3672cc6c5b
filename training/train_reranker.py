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
from torch import Tensor

from training.mine import HELD, Data
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
    leave_out: int = HELD


def batches(
    data: Data, size: int, steps: int, everyday: int, leave_out: int, chance: np.random.Generator
) -> list[np.ndarray]:
    """Questions in batches of one source each, in random order; when all have come up, all over again.

    Those about everyday notes come up several times before; those of a fold are left out.
    """
    found: list[np.ndarray] = []
    seen = (data.fold != leave_out) & (data.fold != HELD)
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
    model: Reranker, questions: Bank, passages: Bank, asked: np.ndarray, told: np.ndarray, parts: int
) -> Tensor:
    lengths = join_lengths(questions, passages, asked, told)
    split = split_by_length(lengths, parts)
    scores = torch.cat([model(*join(questions, passages, asked[rows], told[rows])) for rows in split])
    back = np.argsort(np.concatenate(split))
    return scores[torch.from_numpy(back).to(scores.device)]


def judge(scores: Tensor, plan: Plan, *, answered: bool) -> Tensor:
    """Is each number right by itself? The first of a row answers, or none does."""
    target = torch.zeros_like(scores)
    weight = torch.ones_like(scores)
    if answered:
        target[:, 0] = 1.0
        weight[:, 0] = plan.answer_weight
    return F.binary_cross_entropy_with_logits(scores, target, weight)


def train_reranker(
    data: Data,
    base: dict[str, np.ndarray],
    answer: np.ndarray,
    misses: np.ndarray,
    unanswered: np.ndarray,
    seed: int,
    plan: Plan,
) -> Reranker:
    torch.manual_seed(HEAD_SEED)
    chance = np.random.default_rng(seed)
    device = data.questions.flat.device
    model = Reranker(plan.dropout)
    model.load(base)
    model.to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, weight_decay=0.01)
    open_questions = np.flatnonzero(data.unanswered_fold != plan.leave_out)
    todo = batches(data, plan.batch, plan.steps, plan.everyday, plan.leave_out, chance)
    for step in paced(optimizer, plan.steps, plan.warm):
        rows = todo[step]
        told = np.concatenate(
            [answer[rows][:, None], misses[rows[:, None], pick(misses, rows, plan.misses, chance)]], axis=1
        )
        asked = np.repeat(rows, told.shape[1])
        with torch.autocast(device.type, torch.bfloat16):
            scores = score_pairs(model, data.questions, data.passages, asked, told.ravel(), 4).view(told.shape)
        loss = F.cross_entropy(scores, torch.zeros(len(rows), dtype=torch.long, device=device))
        loss = loss + plan.absolute * judge(scores, plan, answered=True)
        if step % plan.unanswered_every == 0:
            rows = chance.choice(open_questions, min(plan.batch, len(open_questions)), replace=False)
            told = unanswered[rows]
            asked = np.repeat(rows, told.shape[1])
            with torch.autocast(device.type, torch.bfloat16):
                scores = score_pairs(model, data.unanswered, data.passages, asked, told.ravel(), 2).view(told.shape)
            loss = loss + plan.absolute * judge(scores, plan, answered=False)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(f"reranker {step}/{plan.steps} loss {loss.item():.3f}", flush=True)
    return model


@torch.no_grad()
def score_all(model: Reranker, data: Data, answer: np.ndarray, misses: np.ndarray, tokens: int = 400_000) -> np.ndarray:
    """What the model says to each question's answer (first) and misses."""
    told = np.concatenate([answer[:, None], misses], axis=1)
    asked, flat = np.repeat(np.arange(len(told)), told.shape[1]), told.ravel()
    device = data.questions.flat.device
    found = torch.zeros(len(flat), device=device)
    for rows in split_by_tokens(join_lengths(data.questions, data.passages, asked, flat), tokens):
        with torch.autocast(device.type, torch.bfloat16):
            scores = model(*join(data.questions, data.passages, asked[rows], flat[rows]))
        found[torch.from_numpy(rows).to(device)] = scores
    return found.cpu().numpy().reshape(told.shape)
