"""Does the file give back the room of what has left it?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recollect import Memory


def fill(memory: Memory, count: int) -> list[str]:
    drafts = [{"text": f"Thing {number}: " + f"the words of {number} " * 60} for number in range(count)]
    return [receipt.id or "" for receipt in memory.remember_many(drafts)]


def settle(memory: Memory) -> int:
    """Has the store come to rest; answers its size, and asks for no more than a bounded piece at a time."""
    for _ in range(200):
        if memory.core.store.settle():
            return memory.size()
    raise AssertionError("it never came to rest")


def test_the_file_shrinks_in_small_steps_after_much_was_forgotten(memory: Memory) -> None:
    ids = fill(memory, 600)
    full = settle(memory)
    assert full > 1_000_000
    memory.remember("stays", space="other", id="kept")
    memory.delete_space("default")
    assert settle(memory) < full / 3
    assert memory.get("kept") is not None
    assert memory.get(ids[0]) is None
    assert memory.check() == []


def test_compact_gives_back_everything_at_once(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    memory = open_memory()
    fill(memory, 600)
    settle(memory)
    memory.remember("stays", space="other", id="kept")
    before = memory.size()
    memory.core.store.settle = lambda _="some": False  # type: ignore[method-assign]  # nothing is given back by itself
    memory.delete_space("default")
    del memory.core.store.settle  # type: ignore[attr-defined]
    done = memory.compact()
    assert done.after < before / 3
    assert done.after == memory.size() == (tmp_path / "home" / "recollect.db").stat().st_size
    assert memory.check() == []
