"""Which candidates does the library weigh for the questions of a measurement set, and what do its signals say?

    python -m training.candidates --sets FOLDER [--set NAME ...] --out candidates.npz

Every set (corpus.jsonl, queries.jsonl) is put into a real store and every question is asked of the real library. What
fusion is shown is written down: `evaluate.py` adds the trained models' signals to it, and tries weights in
seconds. The texts themselves are written as wordpieces, cut as the library cuts them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench.quality import load, rows

import recollect
from recollect.embed.bundled import MODEL_FOLDER
from recollect.embed.wordpiece import WordPiece
from recollect.engine.core import records_of
from recollect.engine.embedding.vectors import Vectors
from recollect.engine.read import recall as recalling
from recollect.engine.read.candidates import Question, SpaceCandidates
from recollect.ingest.pieces import cut_pieces
from recollect.retrieve import fuse
from recollect.store.base import View
from training import pack

SETS = ("locomo-dev", "beam-dev", "cosqa-dev", "xquad-en")
WINDOW = 256


class Overheard:
    """Listens to what ranking is given, while recall goes on as ever."""

    def __init__(self) -> None:
        self.given: SpaceCandidates | None = None
        self.ids: list[str] = []
        self._gather = recalling.gather
        recalling.gather = self.gather

    def gather(
        self, view: View, vectors: Vectors | None, question: Question, spaces: Sequence[str]
    ) -> list[SpaceCandidates]:
        found = self._gather(view, vectors, question, spaces)
        self.given = found[0] if found else None
        self.ids = [record.id for record in records_of(view, found[0].findings.versions.tolist())] if found else []
        return found


def describe(given: SpaceCandidates, ids: list[str], row_of: dict[str, int]) -> dict[str, np.ndarray]:
    """What fusion sees of one question's candidates, and which documents they are; the floor is the same for all."""
    documents = np.array([row_of[id] for id in ids], np.int32)
    signals = describe_signals(given.query, given.candidates)
    return {**signals, "doc": documents, "floor": signals["floor"][:1]}


def describe_signals(query: fuse.QueryView, seen: fuse.Candidates) -> dict[str, np.ndarray]:
    """`keyword` has its weight already; `fall` is what a long record keeps."""
    weight, relative = fuse._keyword_order(fuse.keyword_scores(query, seen))
    return {
        "keyword": (weight * relative).astype(np.float32),
        "cosine": seen.cosine.astype(np.float32),
        "fall": fuse._long_fall(seen.length, query.pair).astype(np.float32),
        "nudge": fuse._nudges(query, seen).astype(np.float32),
        "graph": seen.graph.astype(np.float32),
        "group": seen.group.astype(np.int32),
        "position": seen.position.astype(np.int32),
        "floor": np.full(len(seen.length), query.unrelated_cosine, np.float32),
    }


def dump_set(memory: recollect.Memory, heard: Overheard, folder: Path, words: WordPiece) -> dict[str, np.ndarray]:
    load(memory, folder)
    corpus, pieces, piece_of = rows(folder / "corpus.jsonl"), [], []
    for row, doc in enumerate(corpus):
        for piece in cut_pieces(str(doc["text"])):
            pieces.append(words.encode(piece, WINDOW).ids)
            piece_of.append(row)
    questions, gold, found = [], [], []
    for query in rows(folder / "queries.jsonl"):
        if not query["gold"]:
            continue
        row_of = {str(doc["id"]): row for row, doc in enumerate(corpus) if doc["cid"] == query["cid"]}
        memory.recall(str(query["query"]), space=f"{folder.name}/{query['cid']}", limit=10, touch=False)
        if heard.given is None:
            continue
        found.append(describe(heard.given, heard.ids, row_of))
        questions.append(words.encode(str(query["query"]), WINDOW).ids)
        gold.append([row_of[str(key)] for key in query["gold"] if str(key) in row_of])
    arrays = {"piece_of": np.array(piece_of, np.int32), "docs": np.array([len(corpus)])}
    arrays |= pack.pack_lists("pieces", pieces, np.uint16) | pack.pack_lists("questions", questions, np.uint16)
    arrays |= pack.pack_lists("gold", gold, np.int32)
    arrays["ends"] = np.cumsum([0, *(len(one["doc"]) for one in found)])
    arrays |= {key: np.concatenate([one[key] for one in found]) for key in found[0]}
    return {f"{folder.name}/{key}": value for key, value in arrays.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True, help="the folder that holds the measurement sets")
    parser.add_argument("--set", action="append", help=f"one of them; else {', '.join(SETS)}")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    words = WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])
    heard = Overheard()
    arrays: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as folder, recollect.open(Path(folder) / "store") as memory:
        for name in args.set or SETS:
            arrays |= dump_set(memory, heard, args.sets / name, words)
            print(json.dumps({"set": name, "questions": len(arrays[f"{name}/ends"]) - 1}), flush=True)
    np.savez_compressed(args.out, **arrays)


if __name__ == "__main__":
    main()
