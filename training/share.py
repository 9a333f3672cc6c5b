"""How do both models read one table of words?

    python -m training.share --embedder embedder.onnx --reranker reranker.onnx --out FOLDER

Both models begin with the same table, 11.7 MB of each file, and training moves its rows by some five percent. So the
embedder's table becomes a file that both name (`words.int8`, which onnxruntime maps into memory), and the reranker
keeps how its own codes differ from those: in four bits each, or, for the one word in seven where that is not enough,
the codes as they are. What either model says stays the same to the last bit.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from tools.build_model import take_initializer

from training.fuse import fuse

FILE = "words.int8"
CODES, PICKED, READ = "word_codes", "codes_picked", "codes_as_float"
LEAST, MOST = -8, 7


def name_table(graph: onnx.GraphProto, codes: np.ndarray) -> None:
    """Has a graph find the table in the file beside it."""
    table = numpy_helper.from_array(codes, CODES)
    set_external_data(table, FILE, offset=0, length=codes.nbytes)
    table.ClearField("raw_data")
    table.data_location = TensorProto.EXTERNAL
    graph.initializer.append(table)


def constants(own: np.ndarray, shared: np.ndarray) -> dict[str, np.ndarray]:
    """What turns shared codes into a model's own: a factor for each word, then a difference for each code."""
    own, shared = own.astype(np.float32), shared.astype(np.float32)
    fitted = (shared * own).sum(axis=1, keepdims=True) / np.maximum((shared * shared).sum(axis=1, keepdims=True), 1)
    factors = fitted.astype(np.float32)
    apart = own - np.rint(shared * factors)
    near = ((apart >= LEAST) & (apart <= MOST)).all(axis=1)
    rows = np.where(near, np.cumsum(near) - 1, near.sum() + np.cumsum(~near) - 1)
    nibbles = (apart[near] - LEAST).astype(np.uint8)
    last = near.sum() - 1
    return {
        "word_factors": factors,
        "word_rows": rows.astype(np.int32),
        "near_codes": nibbles[:, 0::2] | nibbles[:, 1::2] << 4,  # the even ones below, the odd ones above
        "far_codes": own[~near].astype(np.int8),
        "last_near": np.array(last, np.int32),
        "first_far": np.array(last + 1, np.int32),
        "no_far": np.array(0, np.int32),
        "half_byte": np.array([0, 4], np.uint8),
        "low_bits": np.array(15, np.uint8),
        "least_apart": np.array(LEAST, np.float32),
        "last_axis": np.array([-1], np.int64),
        "as_one_row": np.array([0, 0, own.shape[1]], np.int64),
    }


def nodes() -> list[onnx.NodeProto]:
    """The steps from `input_ids` to the reranker's own codes."""
    steps = [
        ("Gather", [CODES, "input_ids"], "shared_codes"),
        ("Cast", ["shared_codes"], "shared_as_float"),
        ("Gather", ["word_factors", "input_ids"], "factors_picked"),
        ("Mul", ["shared_as_float", "factors_picked"], "shared_scaled"),
        ("Round", ["shared_scaled"], "shared_rounded"),
        ("Gather", ["word_rows", "input_ids"], "rows_picked"),
        ("Min", ["rows_picked", "last_near"], "near_rows"),
        ("Gather", ["near_codes", "near_rows"], "pairs_picked"),
        ("Unsqueeze", ["pairs_picked", "last_axis"], "pairs_apart"),
        ("BitShift", ["pairs_apart", "half_byte"], "pairs_shifted"),
        ("BitwiseAnd", ["pairs_shifted", "low_bits"], "pairs_split"),
        ("Reshape", ["pairs_split", "as_one_row"], "nibbles_picked"),
        ("Cast", ["nibbles_picked"], "nibbles_as_float"),
        ("Add", ["nibbles_as_float", "least_apart"], "apart_picked"),
        ("Add", ["shared_rounded", "apart_picked"], "near_read"),
        ("Sub", ["rows_picked", "first_far"], "far_or_less"),
        ("Max", ["far_or_less", "no_far"], "far_rows"),
        ("Gather", ["far_codes", "far_rows"], "far_picked"),
        ("Cast", ["far_picked"], "far_read"),
        ("Less", ["rows_picked", "first_far"], "are_near"),
        ("Unsqueeze", ["are_near", "last_axis"], "are_near_rows"),
        ("Where", ["are_near_rows", "near_read", "far_read"], READ),
    ]
    special = {"Cast": {"to": TensorProto.FLOAT}, "BitShift": {"direction": "RIGHT"}}
    return [helper.make_node(kind, given, [made], **special.get(kind, {})) for kind, given, made in steps]


def read_shared(graph: onnx.GraphProto, shared: np.ndarray) -> None:
    """Has the reranker's graph make its codes of the shared ones."""
    made = constants(take_initializer(graph, CODES), shared)
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in made.items())
    name_table(graph, shared)
    others = [node for node in graph.node if not {PICKED, READ} & set(node.output)]
    del graph.node[:]
    graph.node.extend([*nodes(), *others])
    # All other shapes stay known: onnxruntime joins steps by them, and joined ones round differently.
    graph.value_info.remove(next(value for value in graph.value_info if value.name == PICKED))


def share_words(embedder: Path, reranker: Path, out: Path) -> None:
    """Writes both models anew, with the table that they share, as they are to be run."""
    first, second = onnx.load(embedder), onnx.load(reranker)
    codes = take_initializer(first.graph, CODES)
    (out / FILE).write_bytes(codes.tobytes())
    name_table(first.graph, codes)
    read_shared(second.graph, codes)
    for model, name in ((first, "embedder.onnx"), (second, "reranker.onnx")):
        (out / name).write_bytes(model.SerializeToString(deterministic=True))
        onnx.checker.check_model(str(out / name))
        fuse(out / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--reranker", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    share_words(args.embedder, args.reranker, args.out)
    for path in sorted(args.out.iterdir()):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
