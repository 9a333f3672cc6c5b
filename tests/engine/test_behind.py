"""Is it known how far vectors are behind?"""

from __future__ import annotations

from collections.abc import Callable

from recollect import Memory


def test_what_waits_is_counted_for_a_scope(semantic: Memory) -> None:
    for number in range(6):
        semantic.remember(f"Note {number}.", project="mill" if number < 4 else "inn")
    assert [semantic.behind(project=name).waiting for name in ("mill", "inn", "nowhere")] == [4, 2, 0]
    semantic.embed_waiting()
    semantic.remember("Note 7.", project="inn")
    assert [semantic.behind(project=name).waiting for name in ("mill", "inn")] == [0, 1]


def test_a_process_that_has_just_begun_knows_how_long_vectors_take(open_memory: Callable[..., Memory]) -> None:
    first = open_memory(embedder="bundled")
    first.remember("Note 1.")
    assert first.behind().seconds is None
    for number in range(2, 4):  # the first time is that of loading the model
        first.embed_waiting()
        first.remember(f"Note {number}.")
    other = open_memory(embedder="bundled")
    told = other.behind()
    assert (told.waiting, told.seconds is not None and 0 < told.seconds < 60) == (1, True)


def test_without_a_model_nothing_waits(memory: Memory) -> None:
    memory.remember("Note 1.")
    assert memory.behind().waiting == 0
