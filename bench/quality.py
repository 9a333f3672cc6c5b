"""Does recall find the right thing? R@10 and MRR on measurement sets, with one set of defaults.

A set is a folder with corpus.jsonl (cid, id, text and where known speaker, session, at) and queries.jsonl (qid, cid,
query, gold). Every cid becomes a space; its rows become records in the order of the file.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from pathlib import Path

import recollect
from bench.table import Cell, Plan, Table, within

LIMITS = {  # what R@10 and, where there is a second number, MRR@10 must reach
    "locomo-dev": (79.0, 57.0), "beam-dev": (59.0,), "cosqa-dev": (82.0,), "xquad-en": (99.5,), "xquad-zh": (98.0,),
    "xquad-ru": (95.0,),
}  # fmt: skip
DEEP_LIMITS = {"locomo-dev": (81.0, 61.0), "beam-dev": (61.0,)}
_NAMES = ("R@10", "MRR@10")


def rows(path: Path) -> list[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def load(memory: recollect.Memory, folder: Path) -> None:
    """Puts a set into a memory, unless it is there already."""
    spaces: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in rows(folder / "corpus.jsonl"):
        at = row.get("at")
        spaces[f"{folder.name}/{row['cid']}"].append(
            {
                "id": row["id"], "text": row["text"], "session": row.get("session"), "role": row.get("speaker"),
                "event_time": None if at is None else f"{at}Z",
            }
        )  # fmt: skip
    for space, drafts in spaces.items():
        memory.remember_many(drafts, space=space)
    memory.embed_waiting()


def measure(memory: recollect.Memory, folder: Path, *, deep: bool = False) -> tuple[int, float, float, float]:
    """How many questions were asked, R@10, MRR@10 and milliseconds for each."""
    found: list[tuple[float, float]] = []
    spent = 0.0
    for query in rows(folder / "queries.jsonl"):
        gold = query["gold"]
        if not isinstance(gold, dict) or not gold:
            continue
        wanted = set(map(str, gold))  # pyright: ignore[reportUnknownArgumentType]  # a mapping of ids to grades
        started = time.perf_counter()
        hits = memory.recall(str(query["query"]), space=f"{folder.name}/{query['cid']}", limit=10, deep=deep)
        spent += time.perf_counter() - started
        places = [place for place, hit in enumerate(hits) if hit.record.id in wanted]
        found.append((len(places) / len(wanted), 1 / (places[0] + 1) if places else 0.0))
    asked = len(found)
    return (
        asked,
        100 * sum(share for share, _ in found) / asked,
        100 * sum(rank for _, rank in found) / asked,
        1000 * spent / asked,
    )


def _row(memory: recollect.Memory, folder: Path, least: tuple[float, ...], *, deep: bool = False) -> tuple[Cell, ...]:
    name = f"{folder.name}, deep" if deep else folder.name
    queries, recalled, ranked, took = measure(memory, folder, deep=deep)
    print(f"  {name}: {recalled:.1f} / {ranked:.1f}", flush=True)
    limit = ", ".join(f"{of} ≥ {value:g}" for of, value in zip(_NAMES, least, strict=False)) or None
    reached = all(value >= wanted for value, wanted in zip((recalled, ranked), least, strict=False))
    return name, queries, f"{recalled:.1f}", f"{ranked:.1f}", took, limit, within(reached) if least else None


def run(plan: Plan) -> list[Table]:
    """A row for each set in the folder `shared`/data; nothing without one."""
    if plan.shared is None:
        return []
    found: list[tuple[Cell, ...]] = []
    with recollect.open(plan.folder / "quality") as memory:
        for folder in sorted(path for path in (plan.shared / "data").iterdir() if path.is_dir()):
            load(memory, folder)
            found.append(_row(memory, folder, LIMITS.get(folder.name, ())))
            if plan.deep and folder.name in DEEP_LIMITS:
                found.append(_row(memory, folder, DEEP_LIMITS[folder.name], deep=True))
    note = "One set of defaults for all; the model's time is included."
    columns = ("set", "questions", "R@10", "MRR@10", "ms per question", "limit", "holds")
    return [Table("quality", columns, tuple(found), note)]
