"""What is the mean of models that were trained with several seeds?

    python -m training.average embedder-1.npz embedder-2.npz embedder-3.npz --out embedder.npz

They come from the same weights and their heads begin alike, so they lie close together, and their mean is a model too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np


def average(models: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.mean([model[name].astype(np.float32) for model in models], axis=0) for name in models[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    np.savez(args.out, **average([dict(np.load(path)) for path in args.models]))


if __name__ == "__main__":
    main()
