"""What does a model that is too large to ship compute, and where do its weights come from?

    python -m training.teacher --model model.safetensors --out FOLDER

It is all-mpnet-base-v2 (Apache-2.0): twelve layers of 768, with MiniLM's pieces moved by four. Like the reranker it
reads [CLS] question [SEP] passage [SEP] and gives a number. Its weights are written in 8 bits, in parts that can be
sent.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.model import FIRST, HEADS, LAST, VOCABULARY, Layer
from training.weights import WINDOW

WIDTH, LAYERS, BUCKETS, FARTHEST = 768, 12, 32, 128
MOVED, BEGIN, END, AHEAD = 4, 0, 2, 2
"""Its pieces are MiniLM's, moved; two special ones have other numbers; positions begin later."""
PARTS = 2


class Teacher(nn.Module):
    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(VOCABULARY + MOVED + 1, WIDTH), nn.Embedding(WINDOW + AHEAD, WIDTH)
        self.norm, self.drop = nn.LayerNorm(WIDTH, eps=1e-5), nn.Dropout(dropout)
        self.bias = nn.Embedding(BUCKETS, HEADS)
        self.layers = nn.ModuleList(Layer(dropout, WIDTH, 1e-5) for _ in range(LAYERS))
        self.score = nn.Linear(WIDTH, 1)
        nn.init.normal_(self.score.weight, std=0.02)
        nn.init.zeros_(self.score.bias)
        self.bias.requires_grad_(False)

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector for each token; `ids` are MiniLM's."""
        moved = torch.where(ids == FIRST, BEGIN, torch.where(ids == LAST, END, ids + MOVED))
        length = ids.shape[1]
        x = self.drop(self.norm(self.words(moved) + self.positions.weight[AHEAD : AHEAD + length]))
        apart = self.bias(bucket(length).to(ids.device)).permute(2, 0, 1)[None]
        seen = apart.masked_fill(~mask[:, None, None, :], -1e4)
        if torch.is_autocast_enabled(ids.device.type):
            seen = seen.to(torch.get_autocast_dtype(ids.device.type))
        for layer in self.layers:
            x = layer(x, seen)
        return x

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        x = self.encode(ids, mask)
        return self.score((x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)).float()[:, 0]

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                value = torch.from_numpy(np.array(arrays[name], np.float32))
                tensor.copy_(value[: len(tensor)])

    def tensors(self) -> dict[str, Tensor]:
        """Parameters by the original's names."""
        named = {"embeddings.word_embeddings.weight": self.words.weight}
        named["embeddings.position_embeddings.weight"] = self.positions.weight
        named["encoder.relative_attention_bias.weight"] = self.bias.weight
        named |= _both("embeddings.LayerNorm", self.norm)
        for number, layer in enumerate(self.layers):
            at = f"encoder.layer.{number}"
            for part, which in enumerate("qkv"):
                rows = slice(part * WIDTH, (part + 1) * WIDTH)
                named[f"{at}.attention.attn.{which}.weight"] = layer.qkv.weight[rows]
                named[f"{at}.attention.attn.{which}.bias"] = layer.qkv.bias[rows]
            named |= _both(f"{at}.attention.attn.o", layer.o) | _both(f"{at}.attention.LayerNorm", layer.norm1)
            named |= _both(f"{at}.intermediate.dense", layer.fc1) | _both(f"{at}.output.dense", layer.fc2)
            named |= _both(f"{at}.output.LayerNorm", layer.norm2)
        return named


def _both(name: str, part: nn.Linear | nn.LayerNorm) -> dict[str, Tensor]:
    return {f"{name}.weight": part.weight, f"{name}.bias": part.bias}


def bucket(length: int) -> Tensor:
    """How far tokens are apart (rows: who looks, columns: at whom), in steps that grow with the distance."""
    place = torch.arange(length)
    back = place[:, None] - place[None, :]
    half, exact = BUCKETS // 2, BUCKETS // 4
    far = back.abs()
    grown = exact + (torch.log(far.clamp_min(1) / exact) / math.log(FARTHEST / exact) * (half - exact)).long()
    return (back < 0).long() * half + torch.where(far < exact, far, grown.clamp_max(half - 1))


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    raw = np.memmap(path, np.uint8, "r")
    begin = 8 + int(raw[:8].view(np.uint64)[0])
    found = {}
    for name, about in json.loads(raw[8:begin].tobytes()).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            first, last = about["data_offsets"]
            found[name] = raw[begin + first : begin + last].view(np.float32).reshape(about["shape"])
    return found


def shrink(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Matrices in 8 bits, each row with its own scale; all else as it is."""
    found: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim == 2 and array.size > 100_000:
            scale = np.abs(array).max(1, keepdims=True) / 127 + 1e-12
            found[name], found[f"{name}/scale"] = np.rint(array / scale).astype(np.int8), scale.astype(np.float32)
        else:
            found[name] = np.asarray(array)
    return found


def read_parts(paths: Iterable[Path]) -> dict[str, np.ndarray]:
    held = {name: array for path in paths for name, array in np.load(path).items()}
    return {
        name: array.astype(np.float32) * held.get(f"{name}/scale", np.float32(1))
        for name, array in held.items()
        if not name.endswith("/scale")
    }


def open_teacher(paths: Iterable[Path], dropout: float = 0.0) -> Teacher:
    model = Teacher(dropout)
    model.load(read_parts(paths))
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    names = sorted(Teacher().tensors())
    arrays = read_safetensors(args.model)
    size, whole = 0, sum(arrays[name].size for name in names)
    parts: list[dict[str, np.ndarray]] = [{} for _ in range(PARTS)]
    for name in names:
        parts[min(size * PARTS // whole, PARTS - 1)][name] = arrays[name]
        size += arrays[name].size
    for number, part in enumerate(parts):
        np.savez(args.out / f"teacher-part-{number}.npz", **shrink(part))


if __name__ == "__main__":
    main()
