"""Does a walk in one statement reach what a walk step by step does?"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.pgserver import store_url

import recollect
from recollect import Memory, Settings
from recollect.engine.graph.named import find
from recollect.engine.graph.walk import walk, walk_relations

NAMES = [f"Town {letter}" for letter in "ABCDEFGHIJKLMNOPQRST"]


def tell(memory: Memory, chance: random.Random, space: str) -> None:
    """Some towns, roads between them, and notes that mention one or two."""
    for _ in range(chance.randint(1, 40)):
        start, end = chance.sample(NAMES[: chance.randint(2, 20)], 2)
        memory.relate(start, chance.choice(("leads to", "lies by")), end, space=space)
    notes = (" and ".join(chance.sample(NAMES, chance.randint(1, 2))) for _ in range(15))
    memory.remember_many([{"text": f"Note {number} on {note}."} for number, note in enumerate(notes)], space=space)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_walk_in_one_statement_reaches_what_steps_reach(tmp_path: Path, engine: str) -> None:
    url = store_url(tmp_path) if engine == "postgres" else None
    with recollect.open(settings=Settings(home=tmp_path, store=url, embedder="none")) as memory:
        reached = 0
        for seed in range(8):
            chance = random.Random(seed)
            tell(memory, chance, f"map {seed}")
            with memory.core.store.read() as view:
                for name in chance.sample(NAMES, 5):
                    seeds = [one.id for one in find(view, f"map {seed}", name, any_case=True)]
                    told, _ = walk(
                        view, f"map {seed}", names=[name] if seeds else [], records={}, through_records=False
                    )
                    found = walk_relations(view, f"map {seed}", seeds)
                    assert found == pytest.approx(told)
                    reached += len(found)
    assert reached > 100
