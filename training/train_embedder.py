"""How is the embedder trained?

Its MaxSim over a question's answer and near misses is drawn to what the cross-encoder says of them (KL), and must
prefer the answer to all other passages of the batch. Its pooled vector is held at the stock model's, so that what that
one is good at, code above all, stays.
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


def train_embedder(
    data: Data,
    base: dict[str, np.ndarray],
    stock: tuple[Tensor, Tensor],
    answer: np.ndarray,
    misses: np.ndarray,
    taught: np.ndarray,
    seed: int,
    plan: Plan,
) -> Embedder:
    """`stock`: the stock model's pooled vectors of questions and passages. `taught`: the teacher's scores."""
    torch.manual_seed(HEAD_SEED)
    chance = np.random.default_rng(seed)
    device = data.questions.flat.device
    model = Embedder()
    model.load(base)
    model.to(device)
    scale = nn.Parameter(torch.tensor(plan.scale, device=device).log())
    heads = [*model.head.parameters(), *model.weight.parameters()]
    optimizer = torch.optim.AdamW(
        [{"params": model.encoder.parameters(), "lr": plan.rate}, {"params": [*heads, scale], "lr": plan.head_rate}],
        weight_decay=0.01,
    )
    todo = batches(data, plan.batch, plan.steps, chance)
    teacher = torch.from_numpy(taught).to(device)
    for step in paced(optimizer, plan.steps, plan.warm):
        rows = todo[step]
        columns = pick(misses, rows, plan.misses, chance)
        told = np.concatenate([answer[rows][:, None], misses[rows[:, None], columns]], axis=1)
        at = torch.from_numpy(np.concatenate([np.zeros((len(rows), 1), np.int64), columns + 1], axis=1)).to(device)
        with torch.autocast(device.type, torch.bfloat16):
            asked, questions, weights, _ = encode(model, data.questions, rows, 1)
            pooled, passages, _, mask = encode(model, data.passages, told.ravel(), 4)
            scores = maxsim(questions, weights, passages, mask) * scale.exp()
        follow, prefer = losses(
            scores, teacher[torch.from_numpy(rows).to(device)].gather(1, at), torch.from_numpy(told).to(device), plan
        )
        was_asked, was_told = (
            old[torch.from_numpy(r).to(device)].float() for old, r in zip(stock, (rows, told.ravel()), strict=True)
        )
        held = 2 - (asked * was_asked).sum(-1).mean() - (pooled * was_told).sum(-1).mean()
        loss = follow + plan.in_batch * prefer + plan.hold * held
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
