"""What do the trained models add to the library's own signals on the measurement sets?

    python -m training.evaluate --candidates candidates.npz --embedder FILE --reranker FILE [--out signals.npz]

FILE is a model of this recipe, .npz (weights) or .onnx (as shipped). Every candidate that the library weighed gets its
MaxSim and its new cosine, the best 20 the reranker's number; then they are fused as the library does it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from training.pack import Lists

NEIGHBOURS = (0.25, 0.1)
CODE = 254.0
"""A token's number times this is its int8 code; none of a unit vector's 48 is much above one half."""
DEEP = 20


@dataclass(frozen=True)
class Encoded:
    """Texts as the embedder sees them: pooled vectors, and all tokens in a row, with their weights."""

    pooled: np.ndarray
    tokens: np.ndarray
    weights: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True)
class Measured:
    """One set: what fusion sees (`fields`, all candidates in a row), where each question's end, and the answers."""

    fields: dict[str, np.ndarray]
    ends: np.ndarray
    gold: Lists


Encode = Callable[[Lists], Encoded]
Score = Callable[[Lists, Lists, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Fusion:
    """Weights of one way to fuse. `late` is MaxSim's, `floor` where it begins, `power` how it rises."""

    keyword: float = 1.0
    vector: float = 3.2
    late: float = 0.0
    floor: float = 0.3
    power: float = 2.0
    neighbours: tuple[float, float] = NEIGHBOURS
    best: int = 200
    deep: float = 0.0
    deep_best: int = DEEP


DEFAULT = Fusion(late=3.0)
"""What the weights of all measurement sets together suggest."""


def compare(questions: Encoded, passages: Encoded, asked: int, rows: np.ndarray) -> np.ndarray:
    """MaxSim of one question with some passages."""
    begin, end = questions.ends[asked], questions.ends[asked + 1]
    weights = questions.weights[begin:end]
    spans = [slice(passages.ends[row], passages.ends[row + 1]) for row in rows]
    starts = np.cumsum([0, *(span.stop - span.start for span in spans[:-1])])
    tokens = np.concatenate([passages.tokens[span] for span in spans])
    best = np.maximum.reduceat(questions.tokens[begin:end] @ tokens.T, starts, axis=1)
    return weights @ best / max(float(weights.sum()), 1e-6)


def to_codes(tokens: np.ndarray) -> np.ndarray:
    """Token vectors as they are after they were kept in 8 bits."""
    return (np.clip(np.rint(tokens * CODE), -127, 127) / CODE).astype(np.float32)


def read_sets(path: Path) -> dict[str, Mapping[str, np.ndarray]]:
    arrays = np.load(path)
    names = list(dict.fromkeys(key.split("/")[0] for key in arrays.files))
    return {n: {k.split("/", 1)[1]: arrays[k] for k in arrays.files if k.startswith(f"{n}/")} for n in names}


def add_signals(arrays: Mapping[str, np.ndarray], encode: Encode, score: Score | None) -> Measured:
    """The set with `late` and `cosine` of the embedder, and `deep` of the reranker (NaN where it was not asked)."""
    asked, told = Lists(arrays, "questions"), Lists(arrays, "pieces")
    questions, passages = encode(asked), encode(told)
    passages = Encoded(passages.pooled, to_codes(passages.tokens), passages.weights, passages.ends)
    first = np.searchsorted(arrays["piece_of"], np.arange(int(arrays["docs"][0]) + 1))
    ends = arrays["ends"]
    late, cosine = np.zeros(ends[-1], np.float32), np.zeros(ends[-1], np.float32)
    piece = np.zeros(ends[-1], np.int64)

    def fill(row: int) -> None:
        docs = arrays["doc"][ends[row] : ends[row + 1]]
        rows = np.concatenate([np.arange(first[doc], first[doc + 1]) for doc in docs])
        starts = np.cumsum([0, *(first[doc + 1] - first[doc] for doc in docs[:-1])])
        found = compare(questions, passages, row, rows)
        late[ends[row] : ends[row + 1]] = best = np.maximum.reduceat(found, starts)
        owner = np.repeat(np.arange(len(docs)), np.diff([*starts, len(rows)]))
        top = found >= best[owner]
        piece[ends[row] + owner[top][::-1]] = rows[top][::-1]
        near = passages.pooled[rows] @ questions.pooled[row]
        cosine[ends[row] : ends[row + 1]] = np.maximum.reduceat(near, starts)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, range(len(asked))))
    fields = {key: arrays[key] for key in ("keyword", "fall", "nudge", "graph", "group", "position", "doc")}
    fields["floor"] = np.repeat(arrays["floor"], np.diff(ends))
    fields |= {"old_cosine": arrays["cosine"], "cosine": cosine, "late": late}
    measured = Measured(fields, ends, Lists(arrays, "gold"))
    if score is not None:
        fields["deep"] = _rerank(measured, asked, told, piece, score)
    return measured


def _rerank(measured: Measured, asked: Lists, told: Lists, piece: np.ndarray, score: Score) -> np.ndarray:
    """The reranker's number for the best candidates, each by the piece that MaxSim found best."""
    chosen: list[np.ndarray] = []
    for row in range(len(asked)):
        begin, end = measured.ends[row], measured.ends[row + 1]
        order = order_candidates({k: v[begin:end] for k, v in measured.fields.items()}, DEFAULT)
        chosen.append(np.argsort(-order)[:DEEP] + begin)
    rows = np.concatenate(chosen)
    owner = np.repeat(np.arange(len(asked)), [len(one) for one in chosen])
    deep = np.full(measured.ends[-1], np.nan, np.float32)
    deep[rows] = score(asked, told, owner, piece[rows])
    return deep


def order_candidates(seen: Mapping[str, np.ndarray], fusion: Fusion) -> np.ndarray:
    """One question's candidates scored as retrieve/fuse.py does it, with MaxSim beside words and vectors."""
    vector = np.clip((seen["cosine"] - seen["floor"]) / (1 - seen["floor"]), 0, 1)
    own = (fusion.keyword * seen["keyword"] + fusion.vector * vector**2) * seen["fall"]
    if fusion.late:
        late = np.clip((seen["late"] - fusion.floor) / (1 - fusion.floor), 0, 1) ** fusion.power
        if len(own) > fusion.best:
            known = np.zeros(len(own), bool)
            known[np.argpartition(-_complete(own, seen, fusion), fusion.best)[: fusion.best]] = True
            late = np.where(known, late, 0.5 * float(np.median(late[known])))
        own = own + fusion.late * late * seen["fall"]
    order = _complete(own, seen, fusion)
    if fusion.deep:
        order = _deepen(order, seen["deep"], fusion)
    return order


def _complete(own: np.ndarray, seen: Mapping[str, np.ndarray], fusion: Fusion) -> np.ndarray:
    near = np.zeros_like(own)
    order = np.lexsort((seen["position"], seen["group"]))
    group, position = seen["group"], seen["position"]
    for apart in range(1, len(fusion.neighbours) + 1):
        before, after = order[:-apart], order[apart:]
        together = (group[before] == group[after]) & (group[after] >= 0)
        for places, share in enumerate(fusion.neighbours, 1):
            pairs = together & (position[after] - position[before] == places)
            near[after[pairs]] += share * own[before[pairs]]
            near[before[pairs]] += share * own[after[pairs]]
    return (own + near + 0.1 * seen["graph"] * max(float(own.max()), 1.0)) * seen["nudge"]


def _deepen(order: np.ndarray, deep: np.ndarray, fusion: Fusion) -> np.ndarray:
    """The best few again, by their score and the reranker's number, which counts by how it stands among them."""
    top = np.argsort(-order)[: fusion.deep_best]
    said = np.nan_to_num(deep[top], nan=float(np.nanmin(deep[top])) if np.isfinite(deep[top]).any() else 0.0)
    share = 1 / (1 + np.exp(-(said - said.max()) / 2.0))
    changed = order.copy()
    changed[top] = order[top].max() * (1 + order[top] / order[top].max() + fusion.deep * share)
    return changed


def measure(measured: Measured, fusion: Fusion) -> tuple[float, float]:
    """R@10 and MRR over all candidates, in percent."""
    recalled, ranked = [], []
    for row in range(len(measured.gold)):
        begin, end = measured.ends[row], measured.ends[row + 1]
        seen = {key: value[begin:end] for key, value in measured.fields.items()}
        order = np.argsort(-order_candidates(seen, fusion), kind="stable")
        places = np.flatnonzero(np.isin(seen["doc"][order], measured.gold[row]))
        recalled.append((places < 10).sum() / len(measured.gold[row]))
        ranked.append(1 / (places[0] + 1) if len(places) else 0.0)
    return 100 * float(np.mean(recalled)), 100 * float(np.mean(ranked))


FUSIONS = {
    "words and vector": Fusion(),
    "late 2": replace(DEFAULT, late=2.0),
    "late 3": DEFAULT,
    "late 4": replace(DEFAULT, late=4.0),
    "late 3, deep 0.3": replace(DEFAULT, deep=0.3),
    "late 3, deep 0.6": replace(DEFAULT, deep=0.6),
    "late 3, deep 1": replace(DEFAULT, deep=1.0),
}


def save_measured(path: Path, sets: Mapping[str, Measured]) -> None:
    arrays: dict[str, np.ndarray] = {}
    for name, one in sets.items():
        arrays |= {
            f"{name}/{k}": v.astype(np.float32 if v.dtype.kind == "f" else v.dtype) for k, v in one.fields.items()
        }
        arrays |= {f"{name}/ends": one.ends, f"{name}/gold.flat": one.gold.flat, f"{name}/gold.ends": one.gold.ends}
    np.savez_compressed(path, **arrays)


def load_measured(path: Path) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    for name, arrays in read_sets(path).items():
        fields = {k: v for k, v in arrays.items() if k not in ("ends", "gold.flat", "gold.ends")}
        found[name] = Measured(fields, arrays["ends"], Lists(arrays, "gold"))
    return found


def report(sets: Mapping[str, Measured], fusions: Mapping[str, Fusion] = FUSIONS) -> None:
    for name, fusion in fusions.items():
        cells = []
        for set_name, one in sets.items():
            recalled, ranked = measure(one, fusion)
            cells.append(f"{set_name} {recalled:.1f} ({ranked:.1f})")
        print(f"{name:<20} " + "  ".join(cells), flush=True)


def main() -> None:
    from training import runtimes  # torch or onnxruntime: only where models are run

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--reranker", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--set", action="append", help="only this one")
    parser.add_argument("--out", type=Path, help="keep the signals, to try other weights")
    args = parser.parse_args()
    encode = runtimes.open_embedder(args.embedder, args.device)
    score = runtimes.open_reranker(args.reranker, args.device) if args.reranker else None
    found: dict[str, Measured] = {}
    for name, arrays in read_sets(args.candidates).items():
        if args.set and name not in args.set:
            continue
        started = time.perf_counter()
        found[name] = add_signals(arrays, encode, score)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
    if args.out:
        save_measured(args.out, found)
    report(found, FUSIONS if score else {k: v for k, v in FUSIONS.items() if not v.deep})


if __name__ == "__main__":
    main()
