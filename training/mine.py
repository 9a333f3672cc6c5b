"""Which passages look like an answer and are none?

For each question the best of its pool by BM25 over wordpieces and by the stock model's vectors, in turns, without what
answers it or reads the same as an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.model import Bank, Embedder, split_by_tokens
from training.pack import Lists

K1, B = 0.9, 0.4
HELD = 255  # the fold that nobody trains on
FOLDS, SEED = 4, 1
MISSES, BEYOND, UNANSWERED = 32, 8, 12
DROPPED = 104  # pieces below are marks, unused and special ones


@dataclass
class Data:
    """What prepare.py wrote, on the device."""

    questions: Bank
    passages: Bank
    answers: Lists
    pool: np.ndarray
    source: np.ndarray
    sources: list[str]
    fold: np.ndarray
    unanswered: Bank
    unanswered_pool: np.ndarray
    unanswered_fold: np.ndarray


def read_data(path: Path, device: str) -> Data:
    arrays = dict(np.load(path))
    return Data(
        Bank(Lists(arrays, "questions"), device),
        Bank(Lists(arrays, "passages"), device),
        Lists(arrays, "answers"),
        arrays["pool"],
        arrays["source"],
        [str(name) for name in arrays["sources"]],
        arrays["fold"],
        Bank(Lists(arrays, "unanswered"), device),
        arrays["unanswered_pool"],
        arrays["unanswered_fold"],
    )


@dataclass(frozen=True)
class Mined:
    """One answer of each question, its misses, the nearest notes of other stores (of everyday questions: else -1), and
    the nearest passages of questions that nothing answers."""

    answer: np.ndarray
    misses: np.ndarray
    beyond: np.ndarray
    unanswered: np.ndarray


@torch.no_grad()
def embed_bank(model: Embedder, bank: Bank, tokens: int = 200_000) -> Tensor:
    """The pooled vector of every text."""
    found = torch.zeros(len(bank), 384, dtype=torch.float16, device=bank.flat.device)
    for rows in split_by_tokens(bank.lengths, tokens):
        with torch.autocast(bank.flat.device.type, torch.bfloat16):
            pooled = model(*bank.take(rows))[0]
        found[torch.from_numpy(rows).to(found.device)] = pooled.half()
    return found


def count_terms(bank: Bank, rows: np.ndarray, vocabulary: int) -> Tensor:
    """How often each wordpiece occurs in each text."""
    ids, mask = bank.take(rows)
    counts = torch.zeros(len(rows), vocabulary, device=ids.device)
    counts.scatter_add_(1, ids, (mask & (ids >= DROPPED)).float())
    return counts


def weigh_terms(counts: Tensor) -> Tensor:
    """BM25's weight of each wordpiece in each text of a pool."""
    length = counts.sum(1, keepdim=True)
    held = (counts > 0).sum(0)
    rarity = torch.log1p((len(counts) - held + 0.5) / (held + 0.5))
    norm = K1 * (1 - B + B * length / length.mean().clamp_min(1))
    return (counts * (K1 + 1) / (counts + norm)) * rarity


@torch.no_grad()
def mine(data: Data, asked: Tensor, told: Tensor, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One answer of each question, and `count` near misses (questions × count), hardest first.

    `asked` and `told` are the pooled vectors. Where a pool is small, misses from anywhere fill the rest.
    """
    chance = np.random.default_rng(seed)
    answer = np.array([chance.choice(data.answers[row]) for row in range(len(data.answers))])
    misses = chance.integers(0, len(data.passages), (len(answer), count))
    keys = data.passages.flat.new_zeros(len(data.passages), dtype=torch.int64)
    owner = torch.repeat_interleave(torch.arange(len(keys), device=keys.device), data.passages.sizes)
    place = torch.arange(len(owner), device=keys.device) - data.passages.starts[owner]
    keys.index_add_(0, owner, (data.passages.flat.long() + 7) * (place + 3) * 2654435761 % 1000003)
    same = keys.cpu().numpy()  # equal texts have equal keys
    pool_of = data.pool[answer]
    for pool in np.unique(pool_of):
        rows, members = np.flatnonzero(pool_of == pool), np.flatnonzero(data.pool == pool)
        for part in np.array_split(rows, -(-len(rows) // 2048)):
            order = _rank(data, asked, told, part, members, count + 16)
            for row, ranked in zip(part, order, strict=True):
                known = set(same[data.answers[row]])
                found = [at for at in dict.fromkeys(ranked) if same[at] not in known][:count]
                misses[row, : len(found)] = found
    return answer, misses


@torch.no_grad()
def mine_unanswered(data: Data, asked: Tensor, told: Tensor, count: int) -> np.ndarray:
    """For each question that nothing answers the nearest passages of its pool: all of them misses."""
    misses = np.zeros((len(data.unanswered), count), np.int64)
    for pool in np.unique(data.unanswered_pool):
        rows, members = np.flatnonzero(data.unanswered_pool == pool), np.flatnonzero(data.pool == pool)
        here, there = (torch.from_numpy(at).to(asked.device) for at in (rows, members))
        order = (asked[here].float() @ told[there].float().T).argsort(1, descending=True).cpu().numpy()
        misses[rows] = members[order[:, np.arange(count) % len(members)]]
    return misses


def _rank(data: Data, asked: Tensor, told: Tensor, rows: np.ndarray, members: np.ndarray, count: int) -> np.ndarray:
    """The best of a pool for some of its questions, by words and vectors in turns."""
    device = asked.device
    among = torch.from_numpy(members).to(device)
    vocabulary = 30522
    words = weigh_terms(count_terms(data.passages, members, vocabulary))
    said = (count_terms(data.questions, rows, vocabulary) > 0).to(words.dtype)
    by_words = said @ words.T
    by_vector = asked[torch.from_numpy(rows).to(device)].float() @ told[among].float().T
    count = min(count, len(members))
    lists = torch.stack([by_words.topk(count).indices, by_vector.topk(count).indices], 2).flatten(1)
    return among[lists].cpu().numpy()


def mine_all(data: Data, model: Embedder) -> tuple[Mined, tuple[Tensor, Tensor]]:
    """And the stock model's vectors of questions and passages."""
    stock = embed_bank(model, data.questions), embed_bank(model, data.passages)
    answer, misses = mine(data, *stock, MISSES, SEED)
    unanswered = mine_unanswered(data, embed_bank(model, data.unanswered), stock[1], UNANSWERED)
    return Mined(answer, misses, mine_beyond(data, *stock, answer), unanswered), stock


def mine_beyond(data: Data, asked: Tensor, told: Tensor, answer: np.ndarray) -> np.ndarray:
    found = np.full((len(answer), BEYOND), -1)
    rows = np.flatnonzero(data.fold < FOLDS)
    notes = np.flatnonzero(np.isin(data.pool, data.pool[answer[rows]]))
    there = told[torch.from_numpy(notes).to(told.device)].float()
    for part in np.array_split(rows, -(-len(rows) // 2048)):
        near = asked[torch.from_numpy(part).to(asked.device)].float() @ there.T
        own = data.pool[answer[part]][:, None] == data.pool[notes][None, :]
        near.masked_fill_(torch.from_numpy(own).to(near.device), -2.0)
        found[part] = notes[near.topk(BEYOND).indices.cpu().numpy()]
    return found
