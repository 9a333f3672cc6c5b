"""What does each signal of the models find by itself, without the library?

    python -m training.alone pack --sets FOLDER --out sets.npz
    python -m training.alone measure --sets sets.npz --embedder FILE --reranker FILE

For every question all texts of its haystack are compared by cosine and by MaxSim; the reranker reads the best few. It
takes seconds on a GPU, so recipes can be compared before anything is exported. Where a set has questions that nothing
answers, AUC tells how well the best number of each signal tells them apart.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from training.compare import Encoded, compare, read_sets, to_codes
from training.pack import Lists, pack_lists

SETS = ("everyday-dev", "locomo-dev", "beam-dev", "cosqa-dev")
WINDOW, READ = 256, 20
Score = Callable[[Lists, Lists, np.ndarray, np.ndarray], np.ndarray]


def pack_set(folder: Path) -> dict[str, np.ndarray]:
    from recollect.ingest.pieces import cut_pieces
    from training.prepare import read_words

    words = read_words()
    rows = {name: [json.loads(line) for line in (folder / f"{name}.jsonl").open()] for name in ("corpus", "queries")}
    stores = {cid: at for at, cid in enumerate(dict.fromkeys(row["cid"] for row in rows["corpus"]))}
    row_of = {(row["cid"], row["id"]): at for at, row in enumerate(rows["corpus"])}
    pieces = [(at, piece) for at, row in enumerate(rows["corpus"]) for piece in cut_pieces(row["text"])]
    gold = [[row_of[q["cid"], id] for id in q["gold"] if (q["cid"], id) in row_of] for q in rows["queries"]]
    arrays = pack_lists("pieces", (words.encode(piece, WINDOW).ids for _, piece in pieces), np.uint16)
    arrays |= pack_lists("questions", (words.encode(q["query"], 64).ids for q in rows["queries"]), np.uint16)
    arrays |= pack_lists("gold", gold, np.int32)
    arrays["piece_of"] = np.array([at for at, _ in pieces], np.int32)
    arrays["store_of"] = np.array([stores[row["cid"]] for row in rows["corpus"]], np.int32)
    arrays["asked_of"] = np.array([stores[q["cid"]] for q in rows["queries"]], np.int32)
    arrays["kind"] = np.array([str(q.get("cat")) for q in rows["queries"]])
    return {f"{folder.name}/{key}": value for key, value in arrays.items()}


def rank_all(
    arrays: Mapping[str, np.ndarray], questions: Encoded, passages: Encoded
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each question the texts of its haystack, their cosine and their MaxSim, by the best piece."""
    piece_of, found = arrays["piece_of"], []
    store = arrays["store_of"][piece_of]
    for at, own in enumerate(arrays["asked_of"]):
        rows = np.flatnonzero(store == own)
        texts, starts = np.unique(piece_of[rows], return_index=True)
        cosine = np.maximum.reduceat(passages.pooled[rows] @ questions.pooled[at], starts)
        found.append((texts, cosine, np.maximum.reduceat(compare(questions, passages, at, rows), starts)))
    return found


def measure(
    arrays: Mapping[str, np.ndarray], encode: Callable[[Lists], Encoded], score: Score | None
) -> dict[str, str]:
    asked, told = Lists(arrays, "questions"), Lists(arrays, "pieces")
    passages = encode(told)
    passages = Encoded(passages.pooled, to_codes(passages.tokens), passages.weights, passages.ends)
    ranked = rank_all(arrays, encode(asked), passages)
    signals = {
        "cosine": [(texts, cosine) for texts, cosine, _ in ranked],
        "maxsim": [(texts, late) for texts, _, late in ranked],
        "both": [(texts, cosine + late) for texts, cosine, late in ranked],
    }
    if score is not None:
        first = np.searchsorted(arrays["piece_of"], np.arange(len(arrays["store_of"])))
        best = [texts[np.argsort(-both)[:READ]] for texts, both in signals["both"]]
        said = score(asked, told, np.repeat(np.arange(len(best)), [len(b) for b in best]), first[np.concatenate(best)])
        parts = np.split(said, np.cumsum([len(b) for b in best])[:-1])
        signals["reranker"] = list(zip(best, parts, strict=True))
    gold = Lists(arrays, "gold")
    return {name: describe(found, gold, arrays["kind"]) for name, found in signals.items()}


def measure_reader(arrays: Mapping[str, np.ndarray], score: Score) -> str:
    """What a reader finds that reads every text of the haystack."""
    first = np.searchsorted(arrays["piece_of"], np.arange(len(arrays["store_of"])))
    members = [np.flatnonzero(arrays["store_of"] == own) for own in arrays["asked_of"]]
    sizes = [len(rows) for rows in members]
    asked, told = np.repeat(np.arange(len(members)), sizes), first[np.concatenate(members)]
    said = score(Lists(arrays, "questions"), Lists(arrays, "pieces"), asked, told)
    found = list(zip(members, np.split(said, np.cumsum(sizes)[:-1]), strict=True))
    return describe(found, Lists(arrays, "gold"), arrays["kind"])


def describe(found: list[tuple[np.ndarray, np.ndarray]], gold: Lists, kind: np.ndarray) -> str:
    first, third, tenth, top, hard = [], [], [], [], []
    for at, (texts, numbers) in enumerate(found):
        top.append(float(numbers.max()))
        order = texts[np.argsort(-numbers, kind="stable")]
        if len(gold[at]):
            right = np.isin(order, gold[at])
            first.append(bool(right[0]))
            third.append(bool(right[:3].any()))
            tenth.append(right[:10].sum() / len(gold[at]))
            if kind[at] == "paraphrase":
                hard.append(bool(right[0]))
    yes = np.array([t for t, g in zip(top, gold.lengths, strict=True) if g])
    no = np.array([t for t, g in zip(top, gold.lengths, strict=True) if not g])
    auc = f" AUC {np.mean(yes[:, None] > no[None, :]):.3f}" if len(no) else ""
    words = f" other words {sum(hard)}/{len(hard)}" if hard else ""
    return (
        f"hit@1 {100 * np.mean(first):.1f} hit@3 {100 * np.mean(third):.1f} R@10 {100 * np.mean(tenth):.1f}{words}{auc}"
    )


def report(sets: Path, encode: Callable[[Lists], Encoded], score: Score | None) -> None:
    for name, arrays in read_sets(sets).items():
        for signal, words in measure(arrays, encode, score).items():
            print(f"{name:13} {signal:9} {words}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("act", choices=("pack", "measure"))
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--embedder", type=Path)
    parser.add_argument("--reranker", type=Path)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    if args.act == "pack":
        arrays: dict[str, np.ndarray] = {}
        for name in SETS:
            arrays |= pack_set(args.sets / name)
        np.savez_compressed(args.out, **arrays)
        return
    from training.runtimes import open_embedder, open_reranker

    score = None if args.reranker is None else open_reranker(args.reranker, args.device)
    report(args.sets, open_embedder(args.embedder, args.device), score)


if __name__ == "__main__":
    main()
