"""How is the embedder trained?

Its MaxSim over a question's answer and near misses is drawn to what the cross-encoder says of them (KL), and must
prefer the answer to all other passages of the batch. Where people talk or note something down, its pooled vector is
trained in the same way and only lightly held at the stock model's; elsewhere it is held fast, so that what that one is
good at, code above all, stays. Where a question has no answer, MaxSim of the nearest must be low by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.mine import Data
from training.model import HEAD_SEED, Bank, Embedder, maxsim, split_by_length
from training.train_reranker import batches, paced, pick


@dataclass(frozen=True)
class Plan:
    steps: int = 1500
    batch: int = 64
    misses: int = 11
    rate: float = 6e-5
    head_rate: float = 1e-3
    warm: float = 0.05
    scale: float = 30.0
    teacher_heat: float = 1.0
    in_batch: float = 0.5
    hold: float = 10.0
    everyday: int = 5
    pooled: float = 1.5
    pooled_scale: float = 20.0
    pooled_hold: float = 1.0
    absolute: float = 0.2
    unanswered_every: int = 3
    leave_out: tuple[int, ...] = ()


TALK = {"everyday", "spc", "asked", "told", "chat", "molweni", "qamr", "fairytale"}
"""Sources of talk, notes and stories: there the pooled vector is trained too."""


def encode(model: Embedder, bank: Bank, rows: np.ndarray, parts: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pooled vectors, token vectors, token weights and mask of some texts, in their order."""
    split = split_by_length(bank.lengths[rows], parts)
    longest = -(-int(bank.lengths[rows].max()) // 8) * 8
    found: list[tuple[Tensor, ...]] = []
    for part in split:
        ids, mask = bank.take(rows[part])
        pooled, tokens, weights = model(ids, mask)
        short = longest - ids.shape[1]
        found.append((pooled, F.pad(tokens, (0, 0, 0, short)), F.pad(weights, (0, short)), F.pad(mask, (0, short))))
    back = torch.from_numpy(np.argsort(np.concatenate(split))).to(bank.flat.device)
    pooled, tokens, weights, mask = (torch.cat(parts)[back] for parts in zip(*found, strict=True))
    return pooled, tokens, weights, mask


def losses(scores: Tensor, taught: Tensor, told: Tensor, plan: Plan) -> tuple[Tensor, Tensor]:
    """KL to the teacher over a question's own list, and the answer against the whole batch.

    Scores: questions × all passages of the batch, each question's own list of `told.shape[1]` in a row.
    """
    count, width = told.shape
    lists = scores.view(count, count, width)
    own = lists[torch.arange(count), torch.arange(count)]
    teach = F.softmax(taught / plan.teacher_heat, dim=-1)
    follow = F.kl_div(F.log_softmax(own, dim=-1), teach, reduction="batchmean")
    answers = told[:, 0]
    repeated = told.view(1, -1) == answers[:, None]
    repeated[torch.arange(count), torch.arange(count) * width] = False
    target = torch.arange(count, device=scores.device) * width
    return follow, F.cross_entropy(scores.masked_fill(repeated, -1e4), target)


def _judge(matched: Tensor, sure: Tensor, *, answered: bool) -> Tensor:
    """Does MaxSim say by itself which passage answers? The first of a row does, or none."""
    target, weight = torch.zeros_like(matched), torch.ones_like(matched)
    if answered:
        target[:, 0], weight[:, 0] = 1.0, 4.0
    return F.binary_cross_entropy_with_logits(matched * sure[0] + sure[1], target, weight)


def _judge_unanswered(
    model: Embedder, data: Data, unanswered: np.ndarray, sure: Tensor, plan: Plan, chance: np.random.Generator
) -> Tensor:
    open_questions = np.flatnonzero(~np.isin(data.unanswered_fold, plan.leave_out))
    rows = chance.choice(open_questions, min(plan.batch, len(open_questions)), replace=False)
    told = unanswered[rows]
    with torch.autocast(sure.device.type, torch.bfloat16):
        _, questions, weights, _ = encode(model, data.unanswered, rows, 1)
        _, passages, _, mask = encode(model, data.passages, told.ravel(), 2)
        matched = maxsim(questions, weights, passages, mask)
    lists = matched.view(len(rows), len(rows), -1)[torch.arange(len(rows)), torch.arange(len(rows))]
    return _judge(lists, sure, answered=False)


def train_embedder(
    data: Data,
    base: dict[str, np.ndarray],
    stock: tuple[Tensor, Tensor],
    answer: np.ndarray,
    misses: np.ndarray,
    taught: np.ndarray,
    unanswered: np.ndarray,
    seed: int,
    plan: Plan,
) -> Embedder:
    """`stock`: the stock model's pooled vectors of questions and passages. `taught`: the teacher's scores.

    `unanswered`: the nearest passages of each question that nothing answers.
    """
    torch.manual_seed(HEAD_SEED)
    chance = np.random.default_rng(seed)
    device = data.questions.flat.device
    model = Embedder()
    model.load(base)
    model.to(device)
    scale, pooled_scale = (
        nn.Parameter(torch.tensor(first, device=device).log()) for first in (plan.scale, plan.pooled_scale)
    )
    sure = nn.Parameter(torch.tensor([20.0, -12.0], device=device))
    heads = [*model.head.parameters(), *model.weight.parameters()]
    optimizer = torch.optim.AdamW(
        [
            {"params": model.encoder.parameters(), "lr": plan.rate},
            {"params": [*heads, scale, pooled_scale, sure], "lr": plan.head_rate},
        ],
        weight_decay=0.01,
    )
    todo = batches(data, plan.batch, plan.steps, plan.everyday, plan.leave_out, chance)
    teacher = torch.from_numpy(taught).to(device)
    for step in paced(optimizer, plan.steps, plan.warm):
        rows = todo[step]
        columns = pick(misses, rows, plan.misses, chance)
        told = np.concatenate([answer[rows][:, None], misses[rows[:, None], columns]], axis=1)
        at = torch.from_numpy(np.concatenate([np.zeros((len(rows), 1), np.int64), columns + 1], axis=1)).to(device)
        with torch.autocast(device.type, torch.bfloat16):
            asked, questions, weights, _ = encode(model, data.questions, rows, 1)
            pooled, passages, _, mask = encode(model, data.passages, told.ravel(), 4)
            matched = maxsim(questions, weights, passages, mask)
        own = teacher[torch.from_numpy(rows).to(device)].gather(1, at), torch.from_numpy(told).to(device)
        follow, prefer = losses(matched * scale.exp(), *own, plan)
        was_asked, was_told = (
            old[torch.from_numpy(r).to(device)].float() for old, r in zip(stock, (rows, told.ravel()), strict=True)
        )
        held = 2 - (asked * was_asked).sum(-1).mean() - (pooled * was_told).sum(-1).mean()
        loss = follow + plan.in_batch * prefer
        name = data.sources[data.source[rows[0]]]
        if name in TALK:
            near, first = losses((asked @ pooled.T) * pooled_scale.exp(), *own, plan)
            loss = loss + plan.pooled * (near + plan.in_batch * first) + plan.pooled_hold * held
        else:
            loss = loss + plan.hold * held
        if name == "everyday" and plan.absolute:
            lists = matched.view(len(rows), len(rows), -1)[torch.arange(len(rows)), torch.arange(len(rows))]
            loss = loss + plan.absolute * _judge(lists, sure, answered=True)
        if plan.absolute and step % plan.unanswered_every == 0:
            loss = loss + plan.absolute * _judge_unanswered(model, data, unanswered, sure, plan, chance)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(
                f"embedder {step}/{plan.steps} kl {follow.item():.3f} batch {prefer.item():.3f} held {held.item():.4f} "
                f"scale {scale.exp().item():.1f}",
                flush=True,
            )
    return model
