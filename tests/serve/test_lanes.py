"""Do calls wait for their turn, without one that takes long keeping the others?"""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from recollect.serve import capacity
from recollect.serve.capacity import Lanes

FEW = (os.cpu_count() or 1) + 1


def test_hardly_more_calls_run_at_once_than_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "LONG_SECONDS", 60.0)
    running, most = 0, 0
    lock = threading.Lock()

    def call() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        sum(range(20_000))
        with lock:
            running -= 1

    async def every() -> None:
        lanes = Lanes()
        await asyncio.gather(*(lanes.run(call) for _ in range(40)))

    asyncio.run(every())
    assert 1 <= most <= FEW


def test_calls_have_their_turn_in_the_order_in_which_they_came() -> None:
    begun: list[int] = []

    async def every() -> None:
        lanes = Lanes(most=1)
        await asyncio.gather(*(lanes.run(lambda n=n: begun.append(n)) for n in range(40)))

    asyncio.run(every())
    assert begun == list(range(40))


def test_calls_that_wait_for_something_make_room_for_the_one_that_they_wait_for() -> None:
    answered = threading.Event()

    async def every() -> list[bool]:
        lanes = Lanes()
        waiting = [lanes.run(lambda: answered.wait(20)) for _ in range(3 * FEW)]
        answering = lanes.run(lambda: answered.set() or True)
        return await asyncio.gather(*waiting, answering)

    assert asyncio.run(every()) == [True] * (3 * FEW + 1)
