"""How is a trained model run: as torch computes it in training, or as onnxruntime does in the library?"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from training.compare import Encode, Encoded, Score
from training.pack import Lists

TOKENS = 100_000
THREADS = 2
LAST, WINDOW = 102, 256


def teller() -> Callable[[str], None]:
    """Says how far it is, and after how many seconds."""
    started = time.perf_counter()
    return lambda words: print(f"[{time.perf_counter() - started:6.1f} s] {words}", flush=True)


def open_embedder(path: Path, device: str) -> Encode:
    if path.suffix == ".onnx":
        return _embed_by_onnx(path)
    from training.model import Embedder

    model = Embedder()
    model.load(dict(np.load(path)))
    return embed_by_torch(model.to(device).eval())


def open_reranker(path: Path, device: str) -> Score:
    if path.suffix == ".onnx":
        return _score_by_onnx(path)
    from training.model import Reranker

    model = Reranker()
    model.load(dict(np.load(path)))
    return score_by_torch(model.to(device).eval())


def embed_by_torch(model: object) -> Encode:
    import torch

    from training.model import Bank, Embedder, split_by_tokens

    assert isinstance(model, Embedder)
    device = next(model.parameters()).device

    @torch.no_grad()
    def encode(texts: Lists) -> Encoded:
        bank = Bank(texts, device)
        pooled = np.zeros((len(texts), 384), np.float32)
        tokens = np.zeros((int(texts.ends[-1]), 48), np.float32)
        weights = np.zeros(int(texts.ends[-1]), np.float32)
        for rows in split_by_tokens(texts.lengths, TOKENS):
            found = [part.cpu().numpy() for part in model(*bank.take(rows))]
            pooled[rows] = found[0]
            for at, row in enumerate(rows):
                span = slice(texts.ends[row], texts.ends[row + 1])
                tokens[span], weights[span] = (part[at, : texts.lengths[row]] for part in found[1:])
        return Encoded(pooled, tokens, weights, texts.ends)

    return encode


def score_by_torch(model: object) -> Score:
    import torch

    from training.model import Bank, join, join_lengths, split_by_tokens

    assert isinstance(model, torch.nn.Module)
    device = next(model.parameters()).device

    @torch.no_grad()
    def score(questions: Lists, passages: Lists, asked: np.ndarray, told: np.ndarray) -> np.ndarray:
        q, p = Bank(questions, device), Bank(passages, device)
        found = np.zeros(len(asked), np.float32)
        for rows in split_by_tokens(join_lengths(q, p, asked, told), TOKENS):
            found[rows] = model(*join(q, p, asked[rows], told[rows])).cpu().numpy()
        return found

    return score


def _open(path: Path) -> object:
    from recollect.embed.bundled import open_session

    return open_session(path)


def _embed_by_onnx(path: Path) -> Encode:
    session = _open(path)

    def encode(texts: Lists) -> Encoded:
        def run(row: int) -> list[np.ndarray]:
            return session.run(None, {"input_ids": texts[row].astype(np.int64)[None]})

        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(run, range(len(texts))))
        pooled, tokens, weights = zip(*found, strict=True)
        return Encoded(
            np.concatenate(pooled),
            np.concatenate([t[0] for t in tokens]),
            np.concatenate([w[0] for w in weights]),
            texts.ends,
        )

    return encode


def _score_by_onnx(path: Path) -> Score:
    session = _open(path)

    def score(questions: Lists, passages: Lists, asked: np.ndarray, told: np.ndarray) -> np.ndarray:
        def run(pair: tuple[int, int]) -> float:
            ids = join_ids(questions[pair[0]], passages[pair[1]])
            return float(session.run(None, {"input_ids": ids[None]})[0][0])

        with ThreadPoolExecutor(THREADS) as pool:
            return np.array(list(pool.map(run, zip(asked, told, strict=True))), np.float32)

    return score


def join_ids(question: np.ndarray, passage: np.ndarray) -> np.ndarray:
    """[CLS] question [SEP] passage [SEP]; where that is too long the passage is cut."""
    ids = np.concatenate([question, passage[1:]]).astype(np.int64)[:WINDOW]
    ids[-1] = LAST
    return ids
