"""Is it known how far vectors are behind?"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from recollect import Memory
from recollect.engine.embedding import vectors as computing
from recollect.engine.embedding.pace import blend
from recollect.engine.embedding.precedence import Precedence
from recollect.types import Filter


def test_what_waits_is_counted_for_a_scope(semantic: Memory) -> None:
    for number in range(6):
        semantic.remember(f"Note {number}.", project="mill" if number < 4 else "inn")
    assert [
        semantic.semantics.behind(Filter(spaces=("default",), projects=(name,))).waiting
        for name in ("mill", "inn", "nowhere")
    ] == [4, 2, 0]
    semantic.embed_waiting()
    semantic.remember("Note 7.", project="inn")
    assert [
        semantic.semantics.behind(Filter(spaces=("default",), projects=(name,))).waiting for name in ("mill", "inn")
    ] == [0, 1]


def test_a_process_that_has_just_begun_knows_how_long_vectors_take(open_memory: Callable[..., Memory]) -> None:
    first = open_memory(embedder="bundled")
    first.remember("Note 1.", compare=False)  # it is not looked at beforehand
    assert first.semantics.behind(Filter(spaces=("default",))).seconds is None
    for number in range(2, 4):  # the first time is that of loading the model
        first.embed_waiting()
        first.remember(f"Note {number}.", compare=False)
    other = open_memory(embedder="bundled")
    told = other.semantics.behind(Filter(spaces=("default",)))
    assert (told.waiting, told.seconds is not None and 0 < told.seconds < 60) == (1, True)


def test_what_others_took_meanwhile_is_not_counted_as_the_models_time(
    semantic: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = [0.0]
    monkeypatch.setattr(computing, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0]))
    monkeypatch.setattr(Precedence, "give_way", lambda _: ahead.__setitem__(0, ahead[0] + 100_000.0))
    for number in range(2):  # the first time is that of loading the model
        semantic.remember(f"Note {number}.", compare=False)
        semantic.embed_waiting()
    semantic.remember("Note 3.", compare=False)
    assert ahead[0] > 0
    assert 0 < (semantic.semantics.behind(Filter(spaces=("default",))).seconds or 0) < 1_000


@pytest.mark.parametrize("factor", [10.0, 0.1])
def test_one_slow_or_quick_moment_changes_the_estimate_by_no_more_than_a_factor_of_two(factor: float) -> None:
    once = blend(0.2, 0.2 * factor)
    assert 0.1 <= once <= 0.4
    often = functools.reduce(blend, [0.2 * factor] * 12, 0.2)
    assert 0.9 < often / (0.2 * factor) < 1.1


def test_without_a_model_nothing_waits(memory: Memory) -> None:
    memory.remember("Note 1.")
    assert memory.semantics.behind(Filter(spaces=("default",))).waiting == 0
