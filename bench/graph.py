"""What do many entities, many spaces and long records cost?"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.recall import asked, clock
from bench.stores import drafts, filled, open_quiet, stand_in
from bench.table import Cell, Plan, Table, median, quantile
from bench.texts import texts
from recollect import Memory

_DONE = "graph-filled"


def run(plan: Plan) -> list[Table]:
    return [Table("graph", ("case", "p50 ms", "p90 ms", "without ms"), (*_graph(plan), _spaces(plan), *_long(plan)))]


def _graph(plan: Plan) -> list[tuple[Cell, ...]]:
    """Recall and remember in a space with a large graph, beside the same space without one."""
    entities, relations = (20, 40) if plan.tiny else (1_000, 5_000) if plan.quick else (10_000, 50_000)
    records = min(plan.sizes[1], 10_000)
    plain = filled(plan.folder, f"many-{records}", {"default": records})
    home = filled(plan.folder, f"graph-{records}-{entities}", {"default": records})
    with open_quiet(home, stand_in()) as memory, open_quiet(plain, stand_in()) as without:
        if not (home / _DONE).exists():
            _relate(memory, entities, relations)
            (home / _DONE).touch()
        rng = np.random.default_rng(5)
        names = [f"Entity{number}" for number in rng.integers(0, entities, plan.questions)]
        pairs = [
            (f"What about {name} and {question[11:]}", question)
            for name, question in zip(names, asked(plan.questions, "default", records), strict=False)
        ]
        recalls, plains = _both(memory, without, pairs)
        given = list(texts(plan.questions * 3, seed=31))
        kept: list[tuple[Memory, str | None]] = []
        took: dict[bool, list[float]] = {True: [], False: []}
        for text in given:
            for known, one in ((True, memory), (False, without)):
                told = f"{text} Entity{int(rng.integers(entities))} was there."
                took[known].append(clock(lambda one=one, told=told: kept.append((one, one.remember(told).id))))
        for one, id in kept:
            one.forget(id or "")
    graph = f"{entities:,} entities, {relations:,} relations"
    return [
        (f"recall by a name, {graph}", median(recalls), quantile(recalls, 0.9), median(plains)),
        (f"remember, {graph}", median(took[True]), quantile(took[True], 0.9), median(took[False])),
    ]


def _relate(memory: Memory, entities: int, relations: int) -> None:
    rng = np.random.default_rng(3)
    for number in range(entities):
        memory.entity(f"Entity{number}")
    subjects = rng.integers(0, entities, relations)
    objects = np.where(rng.random(relations) < 0.1, 0, rng.integers(0, entities, relations))  # one knows everybody
    for subject, object_ in zip(subjects.tolist(), objects.tolist(), strict=True):
        memory.relate(f"Entity{subject}", f"knows since {object_ % 7}", f"Entity{object_}", replaces=False)


def _both(memory: Memory, without: Memory, pairs: list[tuple[str, str]]) -> tuple[list[float], list[float]]:
    for named, plain in pairs:
        memory.recall(named)
        without.recall(plain)
    recalls = [clock(lambda named=named: memory.recall(named)) for named, _ in pairs * 2]
    plains = [clock(lambda plain=plain: without.recall(plain)) for _, plain in pairs * 2]
    return recalls, plains


def _spaces(plan: Plan) -> tuple[Cell, ...]:
    """A question to a hundred spaces at once, beside one to a single space with as many records."""
    records = plan.sizes[1]
    count = 5 if plan.tiny else 100
    names = [f"space {'i' * number}" for number in range(count)]
    home = filled(plan.folder, f"spaces-{records}", {name: records // count for name in names})
    plain = filled(plan.folder, f"many-{records}", {"default": records})
    given = asked(plan.questions, "default", records)
    with open_quiet(home, stand_in()) as memory, open_quiet(plain, stand_in()) as without:
        for question in given:
            memory.recall(question, space=None)
            without.recall(question)
        took = [clock(lambda question=question: memory.recall(question, space=None)) for question in given]
        single = [clock(lambda question=question: without.recall(question)) for question in given]
    return (f"recall over {count} spaces of {records // count:,}", median(took), quantile(took, 0.9), median(single))


def _long(plan: Plan) -> list[tuple[Cell, ...]]:
    """Records of 100 KB: remember one, and recall among them."""
    size = 2_000 if plan.tiny else 100_000
    home: Path = plan.folder / "long"
    rows = drafts(40 * size // 100, seed=41)
    with open_quiet(home, stand_in()) as memory:
        took: list[float] = []
        while memory.count() < (5 if plan.tiny else 40):
            text = ""
            while len(text) < size:
                text += f" {next(rows)['text']}"
            took.append(clock(lambda text=text: memory.remember(text)))
        memory.embed_waiting()
        given = asked(plan.questions, "default", 1_000)
        for question in given:
            memory.recall(question)
        recalls = [clock(lambda question=question: memory.recall(question)) for question in given]
    found: list[tuple[Cell, ...]] = [(f"recall among records of {size // 1000} KB", median(recalls),
                                      quantile(recalls, 0.9), None)]  # fmt: skip
    if took:
        found.append((f"remember a record of {size // 1000} KB", median(took), quantile(took, 0.9), None))
    return found
