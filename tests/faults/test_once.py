"""Is a change that is asked for twice with one key made once, whatever happened to the first answer?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.conftest import Clock
from tests.faults.spoken import SOURCE, Spoken

import recollect
from recollect import Conflict, InvalidInput, Memory, Settings
from recollect.engine import once
from recollect.store.base import Changes

KEY = "recollect/idempotencyKey"
DIES = """
import os, sys
sys.path.insert(0, {source!r})
from recollect.serve import {module} as transport
written = transport.{name}
def die(*given):
    if {lost}:
        os._exit(9)
    return written(*given)
transport.{name} = die
from recollect.cli import main
sys.exit(main())
"""
CHANGES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "native": (
        ("remember", {"text": "The lamp is green."}),
        ("relate", {"subject": "Ann", "predicate": "knows", "object": "Bob"}),
        ("ingest", {"text": "A page of notes.", "source": "notes"}),
    ),
    "trusty-memory": (
        ("palace_create", {"name": "attic"}),
        ("memory_remember", {"palace": "attic", "text": "The lamp in the attic is green."}),
        ("kg_assert", {"palace": "attic", "subject": "Ann", "predicate": "knows", "object": "Bob"}),
    ),
    "memory-mcp": (
        ("store_memory", {"content": "The lamp is green."}),
        ("create_entity", {"name": "Ann"}),
    ),
    "memory-substrate": (
        (
            "memory_ingest",
            {
                "args": {
                    "mode": "conversation",
                    "input_data": {
                        "title": "Lamps", "messages": [{"role": "user", "content": "It is green."}],
                    },
                }
            },
        ),
    ),
    "rusty-mem": (
        ("push", {"text": "The lamp is green.", "project_id": "home"}),
        ("new-collection", {"name": "attic"}),
    ),
    "agentos": (
        ("memory_store", {"content": "The lamp is green.", "agentId": "a"}),
        ("memory_consolidate", {}),
        ("memory_kg_add", {"entity": {"id": "person:ann", "type": "person"}}),
    ),
}  # fmt: skip


def keyed(server: Spoken, key: object, tool: str, arguments: object) -> dict[str, Any]:
    answer = server.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": {KEY: key}})
    return answer.get("result") or answer["error"]


def entries(home: Path) -> int:
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        return memory.last_entry()


@pytest.mark.parametrize("contract", CHANGES)
def test_every_contract_answers_a_retry_after_a_restart_as_it_did_first(tmp_path: Path, contract: str) -> None:
    answers: list[list[dict[str, Any]]] = []
    last: list[int] = []
    for _ in range(2):
        server = Spoken(tmp_path, "--as", contract)
        answers.append([keyed(server, f"key-{n}", *change) for n, change in enumerate(CHANGES[contract])])
        server.end()
        last.append(entries(tmp_path))
    assert answers[0] == answers[1]
    assert not any(answer.get("isError") or "code" in answer for answer in answers[0]), answers[0]
    assert last[0] == last[1]


def test_a_server_that_dies_between_commit_and_answer_has_made_the_change_once(tmp_path: Path) -> None:
    program = DIES.format(source=SOURCE, module="protocol", name="encode_result", lost="b'stored' in written(*given)")
    asked = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":'
        b'{"text":"The lamp is green.","idempotency_key":"k"}}}\n'
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", "--home", str(tmp_path)], input=asked, capture_output=True,
        check=False, env={**os.environ, "RECOLLECT_EMBEDDER": "none"}, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (9, b"")
    before = entries(tmp_path)
    server = Spoken(tmp_path)
    again = keyed(server, "k", "remember", {"text": "The lamp is green."})["structuredContent"]
    without = server.call("remember", text="The lamp is green.")["structuredContent"]
    server.end()
    assert (again["outcome"], without["outcome"]) == ("stored", "deduplicated")
    assert again["id"] == without["id"]
    assert entries(tmp_path) == before


def test_a_key_of_another_call_is_refused_and_a_key_that_is_none_too(tmp_path: Path) -> None:
    server = Spoken(tmp_path)
    assert keyed(server, "k", "remember", {"text": "One."})["structuredContent"]["outcome"] == "stored"
    other = keyed(server, "k", "remember", {"text": "Two."})
    tool = keyed(server, "k", "revise", {"id": "x", "text": "One."})
    wrong = keyed(server, 7, "remember", {"text": "Two."})
    both = keyed(server, "k", "remember", {"text": "One.", "idempotency_key": "j"})
    reads = [keyed(server, "k", "recall", {"query": "one"}).get("isError") for _ in range(2)]
    server.end()
    assert [answer["isError"] for answer in (other, tool, wrong, both)] == [True] * 4
    assert "'k' was used for another call" in other["content"][0]["text"]
    assert wrong["content"][0]["text"].startswith("idempotency_key: ")
    assert reads == [None, None]
    assert entries(tmp_path) == 2  # the space and the record


class Web:
    """A real server with its address; `lossy` dies after the first change, before it is answered."""

    def __init__(self, home: Path, *, lossy: bool = False) -> None:
        lost = "b'drawer_id' in given[1]" if lossy else "False"
        program = DIES.format(source=SOURCE, module="http", name="write_json", lost=lost)
        arguments = ["serve", "--as", "trusty-memory", "--home", str(home), "--http", "127.0.0.1:0"]
        self.popen = subprocess.Popen(
            [sys.executable, "-c", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "RECOLLECT_EMBEDDER": "none"},
        )  # fmt: skip
        assert self.popen.stderr is not None
        found = re.search(rb"http://127.0.0.1:\d+", self.popen.stderr.readline())
        assert found is not None
        self.client = httpx.Client(base_url=found[0].decode(), timeout=60)

    def store(self, text: str, key: str) -> httpx.Response:
        return self.client.post("/api/v1/palaces/p/drawers", json={"text": text}, headers={"Idempotency-Key": key})

    def end(self) -> None:
        self.client.close()
        self.popen.kill()
        self.popen.communicate()


def test_a_retry_over_http_after_the_server_died_unanswered_gets_the_first_answer(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.create_space("p")
    lossy = Web(tmp_path, lossy=True)
    with pytest.raises(httpx.TransportError):
        lossy.store("The lamp in the attic is green.", "k")
    lossy.end()
    before = entries(tmp_path)
    sound = Web(tmp_path)
    answers = [sound.store("The lamp in the attic is green.", "k") for _ in range(2)]
    other = sound.store("The lamp in the cellar is blue.", "k")
    removed = [
        sound.client.delete(
            f"/api/v1/palaces/p/drawers/{answers[0].json()['drawer_id']}", headers={"Idempotency-Key": "gone"}
        ).json()
        for _ in range(2)
    ]
    sound.end()
    assert before == 2
    assert answers[0].status_code == 200
    assert answers[0].content == answers[1].content
    assert (other.status_code, "was used for another call" in other.text) == (409, True)
    assert removed[0] == removed[1]


def test_retries_at_the_same_time_make_one_change(memory: Memory) -> None:
    answers: list[object] = []
    threads = [
        threading.Thread(target=lambda: answers.append(memory.once("k", memory.remember, "It rains.")))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == answers[:1] * 6
    assert [change.verb for change in memory.journal()].count("remember") == 1


def test_a_long_change_that_is_under_way_is_answered_for_who_asks_again_meanwhile(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, waits = type(memory.core.store.turn("any")), threading.Event()
    attempt = turns._try
    monkeypatch.setattr(turns, "_try", lambda turn: attempt(turn) or waits.set() or False)
    with ThreadPoolExecutor(1) as another:
        again: list[Future[bytes]] = []

        def work() -> bytes:
            again.append(another.submit(once.do_once, memory.core, "k", b"", lambda: b"2", in_steps=True))
            assert waits.wait(60)
            return b"1"

        assert once.do_once(memory.core, "k", b"", work, in_steps=True) == b"1"
        assert again[0].result() == b"1"


def test_long_changes_with_keys_of_their_own_keep_nobody_from_theirs(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(once, "_PATIENCE", 0.0)

    def others() -> bytes:
        done = [once.do_once(memory.core, f"k{n}", b"", lambda: b"1", in_steps=True) for n in range(300)]
        return b"2" if set(done) == {b"1"} else b"0"

    assert once.do_once(memory.core, "k", b"", others, in_steps=True) == b"2"

    def same() -> bytes:
        return once.do_once(memory.core, "same", b"", same, in_steps=True)

    with pytest.raises(Conflict, match="'same' is under way elsewhere"):
        same()


def test_what_fails_keeps_no_key_and_changes_nothing(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.once("k", memory.remember, "")
    with pytest.raises(RuntimeError):
        once.do_once(memory.core, "k", b"", lambda: _store_and_fail(memory))
    assert memory.list() == []
    assert memory.once("k", memory.remember, "It rains.").outcome == "stored"


def _store_and_fail(memory: Memory) -> bytes:
    memory.remember("Never to be seen.")
    raise RuntimeError


def test_keys_are_kept_for_a_week(open_memory: Callable[..., Memory], clock: Clock) -> None:
    memory = open_memory()
    first = memory.once("k", memory.relate, "Ann", "knows", "Bob")
    clock.now += timedelta(days=6)
    assert memory.once("k", memory.relate, "Ann", "knows", "Bob") == first
    once.sweep(memory.core)
    with pytest.raises(Conflict):
        memory.once("k", memory.remember, "It rains.")
    clock.now += timedelta(days=2)
    once.sweep(memory.core)
    with memory.core.store.read() as view:
        assert view.journal(Changes(), limit=1)
        assert view.kept(once.ANSWERS) == {}
    assert memory.once("k", memory.remember, "It rains.").outcome == "stored"
