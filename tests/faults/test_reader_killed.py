"""A service under load has a process more that reads: what becomes of requests when that is killed, and of it when the
service is?
"""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.service import ask_all, recall_request
from tests.serve.up import HANG_GUARD_SECONDS, Service

import recollect
from recollect import Settings

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs a handle on a process of another")

ROUNDS = 100  # until there must be a reader: where others keep the machine busy, requests seldom meet
REQUESTS = [recall_request(f"Which lamps are broken in room {number}?") for number in range(8)]


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """One that readers have answered for already."""
    with recollect.open(settings=Settings(home=tmp_path / "home", embedder="none")) as memory:
        memory.remember_many([{"text": f"The lamp of room {n} on floor {n % 7} is broken"} for n in range(6_000)])
    monkeypatch.setenv("RECOLLECT_READERS", "1")
    served = Service(tmp_path / "home")
    try:
        for _ in range(ROUNDS):
            if measured(served, "recollect_read_elsewhere_total"):
                break
            asyncio.run(load(served))
        else:
            pytest.fail("nothing was answered elsewhere")
        yield served
    finally:
        served.close()


async def load(service: Service) -> int:
    """How many requests were answered, of 32 clients at once; one that fails is an error."""
    return len(await ask_all(service.url, REQUESTS, 32, None))


def measured(service: Service, name: str) -> int:
    found = re.search(rf"^{name} (\d+)", service.web.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def reader_of(service: Service) -> int:
    children = Path(f"/proc/{service.popen.pid}/task").glob("*/children")
    return next(int(pid) for path in children for pid in path.read_text("utf-8").split())


def test_no_request_fails_when_the_reader_is_killed(service: Service) -> None:
    async def every() -> int:
        asked = asyncio.create_task(load(service))
        await asyncio.sleep(0)  # from here on they are under way
        os.kill(reader_of(service), signal.SIGKILL)
        return await asked

    assert asyncio.run(every()) == 32 * len(REQUESTS)
    for _ in range(ROUNDS):
        if not measured(service, "recollect_readers"):
            return
        asyncio.run(load(service))  # whoever asks it next finds that it is gone
    pytest.fail("one that is gone is still counted")


def test_the_reader_is_gone_when_the_service_was_killed(service: Service) -> None:
    handle = os.pidfd_open(reader_of(service))
    try:
        service.popen.kill()
        assert select.select([handle], [], [], HANG_GUARD_SECONDS)[0], "it still runs"
    finally:
        os.close(handle)
