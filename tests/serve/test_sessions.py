"""Sessions of clients that leave without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect import Memory, Settings
from recollect.contracts.registry import CONTRACTS
from recollect.engine.grant import EVERYTHING
from recollect.serve.message import Problem
from recollect.serve.protocol import Connection
from recollect.serve.sessions import IDLE_SECONDS, SILENT_SECONDS, Session, Sessions

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "heron", "version": "1"}}


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as one:
        yield one


def opened(memory: Memory, sessions: Sessions) -> Session:
    connection = Connection(CONTRACTS["native"].make(memory, None))
    work = connection.receive(msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}))
    assert work is not None
    connection.perform(work, lambda _: None)
    return sessions.add(EVERYTHING, "native", connection)


def open_now(memory: Memory) -> int:
    return next(one.open for one in memory.callers.all() if one.name == "heron")


def test_a_client_that_left_without_a_word_no_longer_counts_as_open_and_may_come_back(memory: Memory) -> None:
    time = Time()
    sessions = Sessions(time)
    session = opened(memory, sessions)
    time.now = SILENT_SECONDS - 1
    sessions.tidy()
    assert open_now(memory) == 1
    time.now = SILENT_SECONDS
    sessions.tidy()
    assert open_now(memory) == 0
    assert sessions.find(EVERYTHING, "native", session.id) is session
    assert open_now(memory) == 1


def test_a_session_that_nobody_uses_for_a_day_ends(memory: Memory) -> None:
    time = Time()
    sessions = Sessions(time)
    session = opened(memory, sessions)
    time.now = IDLE_SECONDS
    sessions.tidy()
    assert (len(sessions), open_now(memory)) == (0, 0)
    assert isinstance(sessions.find(EVERYTHING, "native", session.id), Problem)


def test_a_session_that_is_listened_to_is_in_use_however_long_nothing_is_said(memory: Memory) -> None:
    time = Time()
    sessions = Sessions(time)
    session = opened(memory, sessions)
    session.listeners = 1
    time.now = 3 * IDLE_SECONDS
    sessions.tidy()
    assert (len(sessions), open_now(memory)) == (1, 1)
    session.listeners = 0
    time.now += SILENT_SECONDS
    sessions.tidy()
    assert (len(sessions), open_now(memory)) == (1, 0)
