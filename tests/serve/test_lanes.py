"""Do calls wait for their turn, without one that takes long keeping the others?"""

from __future__ import annotations

import asyncio
import os
import threading

from recollect.serve.capacity import Lanes

FEW = max(os.cpu_count() or 1, 2)


def test_calls_run_as_many_at_once_as_there_are_processors_and_in_the_order_in_which_they_came() -> None:
    begun: list[int] = []
    running, most = 0, 0
    lock = threading.Lock()

    def call(number: int) -> None:
        nonlocal running, most
        with lock:
            begun.append(number)
            running += 1
            most = max(most, running)
        sum(range(20_000))
        with lock:
            running -= 1

    async def every() -> None:
        lanes = Lanes()
        await asyncio.gather(*(lanes.run(lambda n=n: call(n)) for n in range(40)))

    asyncio.run(every())
    assert most <= FEW
    assert all(abs(number - place) < FEW for place, number in enumerate(begun))


def test_calls_that_wait_for_something_make_room_for_the_one_that_they_wait_for() -> None:
    answered = threading.Event()

    async def every() -> list[bool]:
        lanes = Lanes()
        waiting = [lanes.run(lambda: answered.wait(20)) for _ in range(3 * FEW)]
        answering = lanes.run(lambda: answered.set() or True)
        return await asyncio.gather(*waiting, answering)

    assert asyncio.run(every()) == [True] * (3 * FEW + 1)
