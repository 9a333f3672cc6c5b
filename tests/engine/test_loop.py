"""Does what goes on in the background begin, go on, fail and end as its owner would have it?"""

from __future__ import annotations

import ast
import threading
from pathlib import Path

import pytest

import recollect
from recollect.engine.loop import Loop, keep
from recollect.errors import RecollectError, StoreBusy, StoreLost

GUARD_SECONDS = 60
NEVER = 600.0


def test_a_loop_works_when_it_is_woken_and_has_no_thread_otherwise() -> None:
    done: list[int] = []
    loop = Loop("recollect-test", lambda: done.append(1))
    assert not loop.running
    for count in (1, 2):
        loop.wake()
        assert loop.wait(GUARD_SECONDS)
        assert (len(done), loop.running) == (count, False)
    assert [thread for thread in threading.enumerate() if thread.name == "recollect-test"] == []


def test_one_that_is_woken_all_the_time_still_gets_to_work() -> None:
    worked = threading.Event()
    loop = Loop("recollect-test", worked.set, delay=0.01)
    while not worked.is_set():
        loop.wake()
    assert loop.stop(GUARD_SECONDS)


def test_one_that_is_woken_while_it_works_works_once_more() -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def work() -> None:
        begun.set()
        go_on.wait(GUARD_SECONDS)
        done.append(1)

    loop = Loop("recollect-test", work)
    loop.wake()
    assert begun.wait(GUARD_SECONDS)
    for _ in range(3):
        loop.wake()
    go_on.set()
    assert loop.wait(GUARD_SECONDS)
    assert len(done) == 2


def test_one_works_anew_as_long_as_it_is_asked_for_even_where_it_fails() -> None:
    told: list[RecollectError] = []

    def work() -> None:
        raise StoreBusy("somebody else writes")

    loop = Loop("recollect-test", work, delay=0.001, again=lambda: len(told) < 3, failed=told.append)
    loop.wake()
    assert loop.wait(GUARD_SECONDS)
    assert [str(error) for error in told] == ["somebody else writes"] * 3
    assert loop.problem is told[-1]


def test_a_problem_is_kept_until_the_work_succeeds() -> None:
    outcomes = iter([StoreBusy("somebody else writes"), None])

    def work() -> None:
        error = next(outcomes)
        if error is not None:
            raise error

    loop = Loop("recollect-test", work, failed=keep)
    loop.wake()
    assert loop.wait(GUARD_SECONDS)
    assert isinstance(loop.problem, StoreBusy)
    loop.wake()
    assert loop.wait(GUARD_SECONDS)
    assert loop.problem is None


def test_work_within_which_the_stores_server_was_lost_is_done_once_more_and_that_is_nobodys_news() -> None:
    told: list[RecollectError] = []
    outcomes = iter([StoreLost("gone"), None, StoreLost("gone"), StoreLost("still gone")])

    def work() -> None:
        error = next(outcomes)
        if error is not None:
            raise error

    loop = Loop("recollect-test", work, failed=told.append)
    loop.wake()
    assert loop.wait(GUARD_SECONDS)
    assert (told, loop.problem) == ([], None)
    loop.wake()
    assert loop.wait(GUARD_SECONDS)
    assert [str(error) for error in told] == ["still gone"]


def test_an_error_that_is_not_ours_is_shouted_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    shouted: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", shouted.append)
    loop = Loop("recollect-test", lambda: 1 // 0, failed=keep)
    loop.wake()
    assert loop.wait(GUARD_SECONDS)
    assert isinstance(loop.problem, ZeroDivisionError)
    assert [(args.exc_type, args.thread.name) for args in shouted if args.thread] == [
        (ZeroDivisionError, "recollect-test")
    ]


def test_one_that_waits_for_its_moment_ends_at_once() -> None:
    done: list[int] = []
    loop = Loop("recollect-test", lambda: done.append(1), delay=NEVER)
    loop.wake()
    assert loop.running
    assert loop.stop(GUARD_SECONDS)
    loop.wake()
    assert (done, loop.running) == ([], False)


def test_one_that_works_is_told_to_end_and_what_it_fails_with_then_is_nobodys_news() -> None:
    told: list[RecollectError] = []
    begun = threading.Event()

    def work() -> None:
        begun.set()
        loop.stopping.wait(GUARD_SECONDS)
        raise StoreBusy("closed meanwhile")

    loop = Loop("recollect-test", work, again=lambda: True, failed=told.append)
    loop.wake()
    assert begun.wait(GUARD_SECONDS)
    assert not loop.wait(0)
    assert loop.stop(GUARD_SECONDS)
    assert told == []
    assert isinstance(loop.problem, StoreBusy)


def test_one_that_never_began_can_be_ended() -> None:
    assert Loop("recollect-test", lambda: None).stop()


def test_every_thread_is_that_of_a_loop() -> None:
    root = Path(recollect.__file__).parent
    makers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("Thread", "Timer")
    }
    by_the_clock = {"cli/hook.py", "engine/intake/capture.py"}  # each ends with the one call that it watches
    assert makers == {"engine/loop.py"} | by_the_clock
