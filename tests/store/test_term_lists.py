"""Do the lists of words that a process keeps say what the keyword index says?"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from things import put, record

from recollect import Memory
from recollect.store.ops import Lexis
from recollect.store.terms import hash_term

WORDS = "gateway kettle garden violin harbour lantern".split()
TERMS = [hash_term(word) for word in ("gateway", "kettl", "garden", "violin", "harbour", "lantern", "nowhere")]
MOST = 5


def lists(memory: Memory, most: int = MOST) -> dict[int, list[int]]:
    with memory.core.store.read() as view:
        return view.mentions("default", TERMS, most)


def read_anew(memory: Memory, most: int = MOST) -> dict[int, list[int]]:
    """The same within a transaction that may have written: there, nothing that is kept is asked."""
    with memory.core.store.joined(), memory.core.store.write() as edit:
        return edit.mentions("default", TERMS, most)


def change(memory: Memory, chance: random.Random, number: int) -> None:
    ids = [record.id for record in memory.list(limit=100)]
    text = f"{' '.join(chance.sample(WORDS, 2))} number {number}"
    verb = chance.choice(["remember", "remember", "many", "revise", "forget", "undo", "reindex"])
    if verb == "many" and number % 5 == 0:
        memory.remember_many([{"text": f"{text} of {place}"} for place in range(70)])
    elif verb == "revise" and ids:
        memory.revise(chance.choice(ids), text)
    elif verb == "forget" and ids:
        memory.forget(chance.choice(ids))
    elif verb == "undo" and ids:
        memory.undo(memory.remember(text, compare=False).entry or 0)
    elif verb == "reindex" and number % 7 == 0:
        memory.reindex()
    else:
        memory.remember(text, compare=False)


def test_what_is_kept_of_lists_is_what_the_index_says_whoever_wrote_meanwhile(
    open_memory: Callable[..., Memory],
) -> None:
    one, other, chance = open_memory(), open_memory(), random.Random(7)
    one.remember("The gateway stands in the garden.")
    for number in range(120):
        change(chance.choice([one, other]), chance, number)
        expected = read_anew(one)
        assert lists(one) == expected, number
        if number % 3 == 0:
            assert lists(other) == expected, number


def test_nothing_of_a_write_that_failed_stays_in_the_lists(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember("The gateway stands in the garden.")
    before = lists(memory)
    one = record("lost")
    with pytest.raises(ZeroDivisionError), memory.core.store.write() as edit:
        lost = put(edit, one, Lexis({TERMS[0]: 1}, ()))
        assert edit.mentions("default", TERMS[:1], MOST)[TERMS[0]][-1] == lost.version
        raise ZeroDivisionError
    assert lists(memory) == before
    memory.remember("A lantern hangs at the harbour.")
    assert lists(memory) == read_anew(memory) != before


def test_who_began_to_look_earlier_goes_on_seeing_what_was_there(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember("The gateway stands in the garden.")
    with memory.core.store.read() as early:
        before = early.mentions("default", TERMS[:1], MOST)
        open_memory().remember("Another gateway leads to the harbour.")
        assert len(lists(memory)[TERMS[0]]) == 2
        assert early.mentions("default", TERMS[:1], MOST) == before


def test_lists_of_all_words_are_what_the_index_says(open_memory: Callable[..., Memory]) -> None:
    memory, chance = open_memory(), random.Random(3)
    for number in range(60):
        memory.remember(f"{' '.join(chance.sample(WORDS, 3))} number {number} of {chance.randrange(9)}")
        assert lists(memory, 200) == read_anew(memory, 200), number
    (held,) = memory.core.store._term_lists._spaces.values()
    assert held.is_whole  # whoever goes on asking has them all
    memory.forget(memory.list(limit=1)[0].id)
    assert lists(memory, 200) == read_anew(memory, 200)


def test_what_is_taken_back_leaves_nothing_in_the_lists(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember("The gateway stands in the garden.")
    before = lists(memory)
    with pytest.raises(ZeroDivisionError), memory.core.store.joined():
        memory.remember("The kettle stands in the garden.")
        memory.remember("A lantern stands beside the kettle.")
        raise ZeroDivisionError
    assert lists(memory) == read_anew(memory) == before
    memory.remember("The violin lies in the garden.")
    assert lists(memory) == read_anew(memory)


def test_what_a_process_writes_after_it_has_asked_need_not_be_read_for_its_lists(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    for word in WORDS:
        memory.remember(f"The {word} stands in the hall.")
        (held,) = memory.core.store._term_lists._spaces.values()
        assert held.last == memory.list(limit=1)[0].version
    assert lists(memory) == read_anew(memory)


def test_lists_are_asked_in_a_transaction_of_several_steps_that_has_written_nothing_yet(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    memory.remember("The gateway stands in the garden.")
    memory.remember("A garden stands beside the gateway.")
    said: list[str] = []
    for connection in memory.core.store._idle:
        connection.set_trace_callback(said.append)
    memory.once("key", memory.remember, "In the garden stands the gateway.")
    assert said
    assert not [one for one in said if "MATCH" in one]
    assert lists(memory) == read_anew(memory)
