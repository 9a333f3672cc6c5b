"""What would onnxruntime do with a model's graph at every load, and can that be done once?

    python -m training.fuse model.onnx reranker.onnx

It joins nodes into the ones that it runs (attention, normalisation, quantised products) and folds constants, which is
half of the work of opening a model. Each file is written anew, beside the table of words that it reads. What depends on
the processor is left to be done at load. The numbers that come of it stay the same to the last bit (seen with
onnxruntime 1.19 and 1.31).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import onnxruntime


def fuse(path: Path) -> None:
    fused = path.with_suffix(".fused")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(fused)
    options.add_session_config_entry("session.save_model_format", "ONNX")
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    fused.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    for path in parser.parse_args().models:
        fuse(path)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
