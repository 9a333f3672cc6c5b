"""What becomes of a long change whose caller no longer wants it: nothing of it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.contracts.registry import CONTRACTS
from recollect.engine.known import unfinished_projects
from recollect.engine.memory import Memory
from recollect.errors import Cancelled
from recollect.serve.protocol import Connection

HANG_GUARD_SECONDS = 60
LONG = "\n\n".join(f"# Part {n}\n\nThe harbour of part {n} opens at nine." for n in range(100))
SAID = [{"role": "user", "content": f"The harbour of part {n} opens at nine."} for n in range(100)]


def call(memory: Memory, arguments: dict[str, Any], *, withdraw: bool) -> tuple[dict[str, Any] | None, list[Any]]:
    """What `ingest` answers, and which progress it told; whoever withdraws does so when the first is told."""
    connection = Connection(CONTRACTS["native"].make(memory, None))
    told: list[Any] = []

    def notify(message: bytes) -> None:
        told.append(json.loads(message)["params"])
        if withdraw:
            gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
            connection.receive(json.dumps(gone).encode())

    params = {"name": "ingest", "arguments": arguments, "_meta": {"progressToken": "t"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    work = connection.receive(json.dumps(asked).encode())
    assert work is not None
    answer = connection.perform(work, notify)
    return (None if answer is None else json.loads(answer)["result"]), told


@pytest.fixture(params=["text", "source", "messages", "conversation", "path", "key"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "long.md").write_text(LONG, "utf-8")
    forms: dict[str, dict[str, Any]] = {
        "text": {"text": LONG},
        "source": {"text": LONG, "source": "harbours.md"},
        "messages": {"messages": SAID, "session": "harbours"},
        "conversation": {"messages": SAID, "session": "harbours", "title": "Harbours"},
        "path": {"path": str(tmp_path / "long.md")},
        "key": {"text": LONG, "idempotency_key": "once"},
    }
    return forms[request.param]


def test_an_ingest_that_is_withdrawn_keeps_nothing_and_can_be_asked_for_again(
    memory: Memory, given: dict[str, Any]
) -> None:
    memory.remember("The tide turns at six.")
    before = memory.last_entry()
    assert call(memory, given, withdraw=True)[0] is None
    assert memory.last_entry() == before
    answer, told = call(memory, given, withdraw=False)
    assert answer is not None
    assert not answer.get("isError")
    done = [one["progress"] for one in told]
    assert (done == sorted(set(done)), done[-1], told[-1]["total"]) == (True, told[-1]["total"], done[-1])
    assert len(done) > 2
    assert memory.count() >= 100


def test_indexing_that_nobody_wants_any_more_ends_and_a_later_one_goes_on(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    for n in range(1000):
        (tmp_path / "code" / f"part{n}.py").write_text(f"def harbour_{n}():\n    return {n}\n", "utf-8")

    def withdraw(_: object) -> None:
        raise Cancelled("the caller withdrew the request")

    with pytest.raises(Cancelled):
        memory.index_project(tmp_path / "code", progress=withdraw)
    [work] = memory._indexing.projects._runs.values()
    assert work.loop.wait(HANG_GUARD_SECONDS)
    assert len(unfinished_projects(memory.core)) == 1
    status = memory.index_project(tmp_path / "code")
    assert (status.state, status.indexed_files) == ("completed", 1000)
