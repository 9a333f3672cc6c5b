"""Lives with a memory, and says on stdout what was acknowledged: a line for each change, after it was made.

Run by `test_torn.py` under a layer that ends it, or has a call fail, at some write, sync or rename.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import recollect
from recollect import Memory, RecollectError, Settings


def main(home: Path, notes: Path, seed: int, steps: int) -> None:
    chance = random.Random(seed)
    known: list[str] = []
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        known += [record.id for record in memory.list(limit=10_000)]
        for step in range(steps):
            try:
                said = act(memory, home, notes, chance, f"{seed}.{step}", known)
            except RecollectError as error:
                said = f"failed {error.code}"
            except OSError as error:
                said = f"failed {error.strerror}"
            print(said, flush=True)


def act(memory: Memory, home: Path, notes: Path, chance: random.Random, name: str, known: list[str]) -> str:
    """One change, and what it promises from now on."""
    kind = chance.choice(
        ["remember", "remember", "many", "revise", "forget", "relate", "sync", "backup", "export", "undo"]
    )
    if kind in ("revise", "forget", "undo") and not known:
        kind = "remember"
    if kind == "remember":
        id = memory.remember(f"Said in step {name}: {chance.random()}.", session="talk").id
        known.append(str(id))
        return f"has {id}"
    if kind == "many":
        receipts = memory.remember_many([{"text": f"Part {n} of step {name}: {chance.random()}."} for n in range(5)])
        known.extend(str(one.id) for one in receipts)
        return "has " + " ".join(str(one.id) for one in receipts)
    if kind == "revise":
        id = chance.choice(known)
        memory.revise(id, f"Revised in step {name}: {chance.random()}.")
        return f"says {id} {name}"
    if kind == "forget":
        id = known.pop(chance.randrange(len(known)))
        print(f"may-lack {id}", flush=True)  # who is killed in between may have forgotten it or not
        memory.forget(id)
        return f"lacks {id}"
    if kind == "undo":
        receipt = memory.remember(f"Taken back in step {name}.")
        memory.undo(receipt)
        return f"lacks {receipt.id}"
    if kind == "relate":
        memory.relate("Ada", "did", f"step {name}", replaces=False)
        return f"fact step {name}"
    if kind == "sync":
        memory.sync(notes)
        return "synced"
    if kind == "backup":
        return f"backup {memory.backup(home.parent / f'copy-{name}.db').path}"
    return f"export {memory.export(home.parent / f'export-{name}.jsonl').path}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
