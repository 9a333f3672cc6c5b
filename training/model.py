"""What do the two models compute?

Both are of MiniLM's kind, the embedder of six layers, the reranker of twelve. The embedder gives a pooled vector and,
through a small head, a short vector and a weight for each token; a question and a passage are compared by MaxSim. The
reranker reads both at once and gives a number.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.pack import Lists
from training.weights import LAYERS, POSITIONS, WINDOW, WORDS

WIDTH, HEADS, VOCABULARY = 384, 12, 30522
TOKEN_DIM = 48
READER_LAYERS = 12
HEAD_SEED = 1
"""Heads begin alike whatever the seed of the training, so that weights of several seeds can be averaged."""
FIRST, LAST = 101, 102
HEAD = "recollect.token_head.weight"
WEIGHT, WEIGHT_BIAS = "recollect.token_weight.weight", "recollect.token_weight.bias"
SCORE, SCORE_BIAS = "recollect.score.weight", "recollect.score.bias"


class Layer(nn.Module):
    def __init__(self, dropout: float, width: int = WIDTH, near: float = 1e-12) -> None:
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=near), nn.LayerNorm(width, eps=near)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        rows, length, width = x.shape
        q, k, v = self.qkv(x).view(rows, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.drop(self.o(seen.transpose(1, 2).reshape(rows, length, width))))
        return self.norm2(x + self.drop(self.fc2(F.gelu(self.fc1(x)))))


class Encoder(nn.Module):
    """MiniLM: one vector of 384 numbers for each token."""

    def __init__(self, dropout: float = 0.0, layers: int = LAYERS) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(WINDOW, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        x = self.drop(self.norm(self.words(ids) + self.positions.weight[: ids.shape[1]]))
        seen = mask[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        for layer in self.layers:
            x = layer(x, seen)
        return x

    def tensors(self) -> dict[str, list[Tensor]]:
        """Parameters by the original's names; three of one name are parts of one matrix, in that order."""
        named: dict[str, list[Tensor]] = {WORDS: [self.words.weight], POSITIONS: [self.positions.weight]}
        named |= _norm("model.layers.-1.embeddings_norm_layernorm", self.norm)
        for number, layer in enumerate(self.layers):
            at = f"model.layers.{number}"
            for part, which in enumerate("qkv"):
                rows = slice(part * WIDTH, (part + 1) * WIDTH)
                named[f"{at}.attn.{which}_proj.MatMul.weight"] = [layer.qkv.weight[rows]]
                named[f"{at}.attn.{which}_proj.Add.bias"] = [layer.qkv.bias[rows]]
            for name, linear in (("attn.o_proj", layer.o), ("mlp.fc1", layer.fc1), ("mlp.fc2", layer.fc2)):
                named[f"{at}.{name}.MatMul.weight"] = [linear.weight]
                named[f"{at}.{name}.Add.bias"] = [linear.bias]
            named |= _norm(f"{at}.attention_output_norm_layernorm", layer.norm1)
            named |= _norm(f"{at}.mlp_output_norm_layernorm", layer.norm2)
        return named

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        with torch.no_grad():
            for name, (tensor,) in self.tensors().items():
                value = torch.from_numpy(np.array(arrays[name], np.float32))
                tensor.copy_(value.T if name.endswith("MatMul.weight") else value)

    def dump(self) -> dict[str, np.ndarray]:
        found = {name: tensor.detach().float().cpu() for name, (tensor,) in self.tensors().items()}
        return {name: (t.T if name.endswith("MatMul.weight") else t).contiguous().numpy() for name, t in found.items()}


def _norm(name: str, norm: nn.LayerNorm) -> dict[str, list[Tensor]]:
    return {f"{name}.weight": [norm.weight], f"{name}.bias": [norm.bias]}


class Embedder(nn.Module):
    """Gives the pooled vector, a vector and a weight for each token."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(WIDTH, TOKEN_DIM, bias=False)
        self.weight = nn.Linear(WIDTH, 1)
        nn.init.orthogonal_(self.head.weight)
        nn.init.zeros_(self.weight.weight)
        nn.init.zeros_(self.weight.bias)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.encoder(ids, mask)
        pooled = F.normalize((x * mask[:, :, None]).sum(1).float(), dim=-1)
        tokens = F.normalize(self.head(x).float(), dim=-1) * mask[:, :, None]
        return pooled, tokens, F.softplus(self.weight(x).float()[:, :, 0]) * mask

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.encoder.load(arrays)
        if HEAD in arrays:
            with torch.no_grad():
                self.head.weight.copy_(torch.from_numpy(arrays[HEAD]).T)
                self.weight.weight.copy_(torch.from_numpy(arrays[WEIGHT]).T)
                self.weight.bias.copy_(torch.from_numpy(arrays[WEIGHT_BIAS]))

    def dump(self) -> dict[str, np.ndarray]:
        heads = {HEAD: self.head.weight.T, WEIGHT: self.weight.weight.T, WEIGHT_BIAS: self.weight.bias}
        return self.encoder.dump() | {name: t.detach().float().cpu().contiguous().numpy() for name, t in heads.items()}


class Reranker(nn.Module):
    """Gives a number for a question and a passage, read together: [CLS] question [SEP] passage [SEP]."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = Encoder(dropout, READER_LAYERS)
        self.encoder.words.weight.requires_grad_(False)  # both models read one table
        self.score = nn.Linear(WIDTH, 1)
        nn.init.normal_(self.score.weight, std=0.02)
        nn.init.zeros_(self.score.bias)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        x = self.encoder(ids, mask)
        return self.score((x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)).float()[:, 0]

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.encoder.load(arrays)
        if SCORE in arrays:
            with torch.no_grad():
                self.score.weight.copy_(torch.from_numpy(arrays[SCORE]).T)
                self.score.bias.copy_(torch.from_numpy(arrays[SCORE_BIAS]))

    def dump(self) -> dict[str, np.ndarray]:
        heads = {SCORE: self.score.weight.T, SCORE_BIAS: self.score.bias}
        return self.encoder.dump() | {name: t.detach().float().cpu().contiguous().numpy() for name, t in heads.items()}


def maxsim(questions: Tensor, weights: Tensor, passages: Tensor, mask: Tensor) -> Tensor:
    """For each question (rows) and passage (columns): the mean over the question's tokens, by their weights, of the
    best cosine with a token of the passage. Questions: q × m × d, passages: p × n × d."""
    cosines = torch.einsum("qmd,pnd->qpmn", questions, passages)
    best = cosines.masked_fill(~mask[None, :, None, :], -2.0).amax(-1).float()
    return (best * weights[:, None, :]).sum(-1) / weights.sum(-1)[:, None].clamp_min(1e-6)


class Bank:
    """Texts as wordpieces, all on the device; batches are cut out of it by row number."""

    def __init__(self, lists: Lists, device: torch.device | str) -> None:
        self.lengths = lists.lengths
        self.flat = torch.from_numpy(lists.flat.astype(np.int32)).to(device)
        self.starts = torch.from_numpy(lists.ends[:-1]).to(device)
        self.sizes = torch.from_numpy(lists.lengths).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, rows: np.ndarray) -> tuple[Tensor, Tensor]:
        """Ids and which of them count; the length is a multiple of 8."""
        at = torch.from_numpy(rows).to(self.flat.device)
        place = torch.arange(_round(int(self.lengths[rows].max())), device=self.flat.device)[None, :]
        mask = place < self.sizes[at][:, None]
        ids = self.flat[(self.starts[at][:, None] + place).clamp_max(len(self.flat) - 1)]
        return torch.where(mask, ids, 0).long(), mask


def join_lengths(questions: Bank, passages: Bank, asked: np.ndarray, told: np.ndarray) -> np.ndarray:
    return np.minimum(questions.lengths[asked] + passages.lengths[told] - 1, WINDOW)


def join(questions: Bank, passages: Bank, asked: np.ndarray, told: np.ndarray) -> tuple[Tensor, Tensor]:
    """What the reranker reads: [CLS] question [SEP] passage [SEP]; where that is too long the passage is cut."""
    device = questions.flat.device
    total = torch.from_numpy(join_lengths(questions, passages, asked, told)).to(device)[:, None]
    place = torch.arange(_round(int(total.max())), device=device)[None, :]
    q, p = torch.from_numpy(asked).to(device), torch.from_numpy(told).to(device)
    lead = questions.sizes[q][:, None]
    first = questions.flat[(questions.starts[q][:, None] + place).clamp_max(len(questions.flat) - 1)]
    later = (passages.starts[p][:, None] + place - lead + 1).clamp(0, len(passages.flat) - 1)
    ids = torch.where(place < lead, first, passages.flat[later]).long()
    ids = torch.where(place == total - 1, LAST, ids)
    mask = place < total
    return torch.where(mask, ids, 0), mask


def _round(length: int) -> int:
    return -(-length // 8) * 8


def split_by_length(lengths: np.ndarray, parts: int) -> list[np.ndarray]:
    """Row numbers in parts of like length, so that little is padded."""
    return [part for part in np.array_split(np.argsort(lengths, kind="stable"), parts) if len(part)]


def split_by_tokens(lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Row numbers in parts of like length with at most so many tokens each."""
    order, parts, first = np.argsort(-lengths, kind="stable"), [], 0
    while first < len(order):
        last = first + max(tokens // int(lengths[order[first]]), 1)
        parts.append(order[first:last])
        first = last
    return parts
