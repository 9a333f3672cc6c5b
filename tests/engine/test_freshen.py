"""Is a store still of use while its keyword index is made by newer rules?"""

# pyright: basic
from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from recollect import Memory
from recollect.engine.care import rebuild
from recollect.engine.write import remember
from recollect.store.base import Lexis, View
from recollect.store.terms import hash_term
from recollect.types import Record

pytestmark = pytest.mark.usefixtures("_newer")


@pytest.fixture
def _newer(monkeypatch: pytest.MonkeyPatch, memory: Memory) -> None:
    """There is a memory of ten records, which a newer Recollect is about to open."""
    for n in range(10):
        memory.remember(f"Record {n} of the tea.", id=f"r{n}")
    memory.close()

    def derive(view: View, record: Record) -> Lexis:
        lexis = remember.derive_lexis(view, record)
        return Lexis({**lexis.terms, hash_term("newer"): 1}, lexis.names)

    monkeypatch.setattr(rebuild, "LEXIS_VERSION", remember.LEXIS_VERSION + 1)
    monkeypatch.setattr(rebuild, "derive_lexis", derive)
    monkeypatch.setattr(rebuild, "_STEP", 4)
    monkeypatch.setattr(rebuild, "freshen_all", lambda *_: None)  # each test says when


def found(memory: Memory, question: str) -> int:
    return len(memory.recall(question, limit=50))


def test_opening_does_one_step_and_the_old_words_answer(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    assert (found(memory, "tea"), found(memory, "newer")) == (10, 0)
    assert not rebuild.freshen(memory.core)
    assert (found(memory, "tea"), found(memory, "newer")) == (10, 0)
    assert rebuild.freshen(memory.core)
    assert (found(memory, "tea"), found(memory, "newer")) == (10, 10)
    assert memory.check() == []


def test_others_write_between_the_steps_and_nothing_of_it_is_lost(open_memory: Callable[..., Memory]) -> None:
    memory, other = open_memory(), open_memory()
    other.revise("r1", "Record 1 of the coffee.")
    other.forget("r2")
    other.remember("Another tea.")
    while not rebuild.freshen(memory.core):
        pass
    assert (found(memory, "tea"), found(memory, "coffee"), found(memory, "newer")) == (9, 1, 10)
    assert memory.check() == []


def test_the_rest_is_done_in_the_background(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = threading.Event()

    def freshen_all(core: rebuild.Core, stop: threading.Event) -> None:
        while not stop.is_set() and not rebuild.freshen(core):
            pass
        done.set()

    monkeypatch.setattr(rebuild, "freshen_all", freshen_all)
    memory = open_memory()
    assert done.wait(20)
    assert found(memory, "newer") == 10
