"""Many agents, one engine: relays, and what becomes of their clients when the process that serves them is no more."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from tests.faults.spoken import SOURCE, Spoken

import recollect
from recollect import Settings
from recollect.cli.flags import CONTRACT_NAMES
from recollect.contracts.registry import CONTRACTS
from recollect.errors import ENDING
from recollect.serve.meeting import PREFIX, Meeting, meeting_of
from recollect.serve.relay import MARK, PING, PONG, Handed, Relay

pytestmark = pytest.mark.skipif(os.name != "posix", reason="relays need sockets and locks that only POSIX has")

DIES = """
import os, sys, threading
sys.path.insert(0, {source!r})
at, told, seen = {at}, {told!r}, [0]

def count(frame, event, _):
    if event != "call" or threading.current_thread().name != "recollect-relayed-work":
        return
    if seen[0] or frame.f_code.co_name == "_call_tool":
        seen[0] += 1
        if seen[0] == at:
            os._exit(9)
        if frame.f_code.co_name == "_send":
            open(told, "w").write(str(seen[0]))

threading.setprofile(count)
from recollect.cli import main
sys.exit(main())
"""
THREADS = """
import sys, threading
sys.path.insert(0, {source!r})
begin = threading.Thread.start

def start(self):
    with open({told!r}, "a") as told:
        print(self.name, file=told)
    begin(self)

threading.Thread.start = start
from recollect.cli import main
sys.exit(main())
"""
READY, BUNDLED = "recollect-ready", {"RECOLLECT_EMBEDDER": "bundled"}
Start = Callable[..., Spoken]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Servers of one home, of which none is left behind."""
    started: list[Spoken] = []

    def begin(*more: str, **given: Any) -> Spoken:
        started.append(Spoken(tmp_path / "home", *more, **given))
        return started[-1]

    yield begin
    for one in started:
        one.popen.kill()
        one.end()


def is_relay(server: Spoken) -> bool:
    """A process that has nothing of the engine has no store open."""
    return not any("recollect.db" in os.readlink(file) for file in Path(f"/proc/{server.popen.pid}/fd").iterdir())


def texts(home: Path) -> list[str]:
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        return sorted(record.text for record in memory.list(limit=1000))


def test_the_short_way_knows_the_same_names_as_the_long_one() -> None:
    assert tuple(CONTRACTS) == CONTRACT_NAMES


def test_a_relay_loads_nothing_of_the_engine(start: Start) -> None:
    owner, second = start(), start()
    assert [is_relay(one) for one in (owner, second)] == [False, True]
    mapped = Path(f"/proc/{second.popen.pid}/maps").read_text()
    assert [name for name in ("msgspec", "numpy", "onnxruntime", "sqlite") if name in mapped] == []
    held = Path(f"/proc/{second.popen.pid}/status").read_text()
    assert int(held.partition("VmRSS:")[2].split()[0]) < 30_000


def test_a_relay_loads_nothing_that_it_can_do_without() -> None:
    heavy = ("typing", "json", "re", "enum", "collections", "socket", "signal", "threading", "msgspec", "sqlite3")
    code = f"import sys, recollect.cli.flags, recollect.serve.relay; print([m for m in {heavy} if m in sys.modules])"
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {SOURCE!r}); {code}"]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "[]\n"


HOOKED = """
import sys
from recollect.cli import main
code = main(["hook", "claude", "UserPromptSubmit", "--home", {home!r}])
loaded = [name for name in ("msgspec", "numpy", "sqlite3", "recollect.engine") if name in sys.modules]
print(code, *loaded, file=sys.stderr)
"""
STORED = "The staging database of billing listens on port 5544."


def prompted(home: Path, session: str, said: bytes | None = None, seconds: str = "30") -> tuple[str, str]:
    """What a client's hook adds to a prompt, and what its process had to load for that."""
    told = {"session_id": session, "prompt": "On which port does the staging database of billing listen?"}
    done = subprocess.run(
        [sys.executable, "-c", HOOKED.format(home=str(home))], input=said or json.dumps(told).encode(),
        capture_output=True, check=True,
        env={
            **os.environ, "PYTHONPATH": SOURCE, "RECOLLECT_EMBEDDER": "none", "RECOLLECT_HOOK_SECONDS": seconds,
        },
    )  # fmt: skip
    return done.stdout.decode(), done.stderr.decode().strip()


def test_a_prompt_is_answered_by_whoever_has_the_memory_open_as_it_is_without(start: Start, tmp_path: Path) -> None:
    owner = start()
    owner.call("remember", text=STORED)
    served, loaded = prompted(tmp_path / "home", "one")
    assert loaded == "0"
    again, _ = prompted(tmp_path / "home", "one")
    owner.end()
    alone, loaded = prompted(tmp_path / "home", "two")
    assert "recollect.engine" in loaded
    assert STORED in json.loads(served)["hookSpecificOutput"]["additionalContext"]
    assert (served, again) == (alone, "")  # a session is not told the same twice


def test_a_prompt_is_answered_also_where_who_had_the_memory_open_was_killed(start: Start, tmp_path: Path) -> None:
    owner = start()
    owner.call("remember", text=STORED)
    owner.popen.kill()
    owner.popen.wait()
    said, loaded = prompted(tmp_path / "home", "one")
    assert STORED in said
    assert "recollect.engine" in loaded


@pytest.mark.parametrize(
    ("said", "problem"), [(b"{nonsense", "JSONDecodeError"), (b'{"x":' + b"[" * 5000, "nested too deeply")]
)
def test_a_prompt_that_cannot_be_read_is_noted_and_not_answered(
    start: Start, tmp_path: Path, said: bytes, problem: str
) -> None:
    start().call("remember", text=STORED)
    assert prompted(tmp_path / "home", "one", said)[0] == ""
    log = (tmp_path / "home" / "hooks.jsonl").read_text("utf-8").splitlines()
    assert problem in json.loads(log[-1])["problem"]


def test_a_prompt_waits_no_longer_than_it_may_for_one_that_hangs(start: Start, tmp_path: Path) -> None:
    owner = start()
    owner.call("remember", text=STORED)
    os.kill(owner.popen.pid, signal.SIGSTOP)
    try:
        assert prompted(tmp_path / "home", "one", seconds="0.3")[0] == ""
    finally:
        os.kill(owner.popen.pid, signal.SIGCONT)
    log = (tmp_path / "home" / "hooks.jsonl").read_text("utf-8").splitlines()
    assert any("found nothing within 0.3 seconds" in json.loads(line).get("problem", "") for line in log)
    assert STORED in prompted(tmp_path / "home", "one")[0]  # what came too late was not shown


def test_every_contract_is_served_through_a_relay_as_it_is_directly(start: Start) -> None:
    start()
    for name in CONTRACTS:
        relayed, alone = start("--as", name), start("--as", name, RECOLLECT_SHARED="off")
        assert [is_relay(one) for one in (relayed, alone)] == [True, False]
        assert relayed.ask("tools/list", {}) == alone.ask("tools/list", {})


def test_a_path_is_meant_where_the_client_is(start: Start, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Lamps\n\nThe lamp in the hall is green.", "utf-8")
    start()
    second = start(folder=tmp_path)
    assert "Lamps" in json.dumps(second.call("ingest", path="notes.md")["structuredContent"])


def test_twenty_at_once_have_one_owner_and_lose_nothing(start: Start, tmp_path: Path) -> None:
    said = [f"Agent {number} was here." for number in range(20)]

    def arrive(text: str) -> tuple[Spoken, dict[str, Any]]:
        server = start()
        return server, server.call("remember", text=text)

    with ThreadPoolExecutor(20) as together:
        servers, answers = zip(*together.map(arrive, said), strict=True)
    assert {answer["structuredContent"]["outcome"] for answer in answers} == {"stored"}
    assert sum(not is_relay(one) for one in servers) == 1
    assert texts(tmp_path / "home") == sorted(said)


def test_when_the_owners_client_leaves_another_takes_over_and_nothing_is_left_behind(start: Start) -> None:
    servers = [start() for _ in range(3)]
    home = servers[0].home
    for one in servers:
        one.call("remember", text=f"Said to {one.popen.pid}.")
        left = one.end()
        assert left == 0
    assert len(texts(home)) == 3
    assert [path.name for path in home.iterdir() if path.name.startswith(PREFIX)] == []


def test_a_relay_takes_over_when_the_owner_is_killed_and_the_session_goes_on(start: Start) -> None:
    owner, second, third = start(), start(), start()
    second.call("remember", text="Said before.")
    owner.popen.kill()
    owner.popen.wait()
    for one in (second, third):
        assert "Said before." in json.dumps(one.call("recall", query="said before"))
    assert sorted(is_relay(one) for one in (second, third)) == [False, True]


def test_who_takes_over_has_model_and_index_in_memory_before_it_is_asked_and_who_was_first_does_not(
    start: Start, tmp_path: Path
) -> None:
    told = [tmp_path / name for name in ("first", "second")]
    first, second = (start(program=THREADS.format(source=SOURCE, told=str(path)), **BUNDLED) for path in told)
    assert is_relay(second)
    first.popen.kill()
    first.popen.wait()
    second.call("remember", text="Said after it.")
    assert [READY in path.read_text().split() for path in told] == [False, True]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many calls of functions it takes to answer a write that came through a relay."""
    home, told = tmp_path_factory.mktemp("steps"), tmp_path_factory.mktemp("told") / "steps"
    owner = Spoken(home, program=DIES.format(source=SOURCE, at=0, told=str(told)))
    second = Spoken(home)
    second.call("remember", text="The lamp is green.")
    second.end()
    owner.end()
    return int(told.read_text())


@pytest.mark.parametrize("part", [0.0, 0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0])
def test_a_write_is_made_once_at_whichever_step_the_owner_is_killed(start: Start, steps: int, part: float) -> None:
    at = max(round(steps * part), 1)
    owner = start(program=DIES.format(source=SOURCE, at=at, told=os.devnull))
    second = start()
    answer = second.call("remember", text="The lamp is green.")["structuredContent"]
    assert owner.popen.wait(60) == 9
    assert answer["outcome"] == "stored"
    assert second.ask("ping", {})["result"] == {}  # so no second answer came
    second.end()
    assert texts(second.home) == ["The lamp is green."]


def test_a_long_call_is_answered_though_the_owner_leaves_in_the_middle_of_it(start: Start, tmp_path: Path) -> None:
    (code := tmp_path / "code").mkdir()
    for number in range(40):
        (code / f"part{number}.py").write_text("".join(f"def f{n}():\n    return {n}\n\n" for n in range(40)))
    owner, second = start(), start("--as", "memory-mcp")
    asked = second.begin("tools/call", {"name": "index_project", "arguments": {"path": str(code)}})
    assert owner.end() == 0
    answer = second.wait(asked)["result"]
    assert not answer.get("isError"), answer
    assert json.loads(answer["content"][0]["text"])["files_indexed"] == 40


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_relay_that_ends_has_its_client_ask_again(start: Start, number: signal.Signals) -> None:
    owner, second = start(), start()
    with closing(sqlite3.connect(owner.home / "recollect.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # so that no call can end
        asked = second.begin("tools/call", {"name": "remember", "arguments": {"text": "Held up."}})
        assert second.ask("ping", {})["result"] == {}  # so it was read
        second.popen.send_signal(number)
        assert second.wait(asked)["error"] == {"code": -32000, "message": ENDING}
        assert second.popen.wait(60) == 0
    assert owner.call("remember", text="Held up.")["structuredContent"]["id"]
    assert texts(owner.home) == ["Held up."]


def hang(owner: Spoken) -> None:
    """Stops a process at a moment at which it is not writing: whoever hangs in a transaction keeps all from writing."""
    while True:
        owner.popen.send_signal(signal.SIGSTOP)
        os.waitpid(owner.popen.pid, os.WUNTRACED)  # it goes on for a moment
        try:
            with closing(sqlite3.connect(owner.home / "recollect.db", timeout=0, isolation_level=None)) as store:
                store.execute("BEGIN IMMEDIATE")
                store.execute("ROLLBACK")
                return
        except sqlite3.OperationalError:
            owner.popen.send_signal(signal.SIGCONT)


def test_an_owner_that_hangs_keeps_nobody_waiting(start: Start) -> None:
    owner, second = start(), start()
    hang(owner)
    answer = second.call("remember", text="The lamp is green.")["structuredContent"]
    assert (answer["outcome"], is_relay(second)) == ("stored", False)
    third = start()
    assert "The lamp is green." in json.dumps(third.call("recall", query="green lamp"))
    owner.popen.send_signal(signal.SIGCONT)
    assert "The lamp is green." in json.dumps(owner.call("recall", query="green lamp"))
    assert texts(owner.home) == ["The lamp is green."]


def test_an_owner_whose_socket_was_taken_away_is_found_again(start: Start) -> None:
    owner = start()
    owner.call("remember", text="The lamp is green.")
    [place] = owner.home.glob(f"{PREFIX}*.sock")
    place.unlink()
    second = start()
    assert "The lamp is green." in json.dumps(second.call("recall", query="green lamp"))
    assert is_relay(second)
    assert place.is_socket()
    assert place.stat().st_mode & 0o077 == 0


def test_nobody_waits_for_the_right_to_serve_where_nobody_can_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.serve.relay.FINDING_SECONDS", float("inf"))
    nowhere = Meeting(str(tmp_path / "gone"), "any")
    assert Relay(nowhere, {}).run() == Handed(None)


def test_what_differs_keeps_apart(start: Start) -> None:
    first = start()
    assert not is_relay(start(RECOLLECT_EMBED_DELAY="5"))
    assert not is_relay(start(RECOLLECT_SHARED="off"))
    (first.home / "config.toml").write_text('shared = "off"\n', "utf-8")
    assert not is_relay(start())


def test_a_process_of_another_release_keeps_apart(start: Start) -> None:
    other = "import sys; sys.path.insert(0, {source!r}); import recollect.version as v; v.__version__ = '9.9.9'\n"
    program = other.format(source=SOURCE) + "from recollect.cli import main\nsys.exit(main())"
    start()
    newer = start(program=program)
    assert not is_relay(newer)
    assert is_relay(start(program=program))


def test_the_socket_is_for_its_owner_alone(start: Start) -> None:
    home = start().home
    modes = {path.suffix: stat.S_IMODE(path.lstat().st_mode) for path in home.glob(f"{PREFIX}*")}
    assert modes == {".lock": 0o600, ".sock": 0o600}
    next(home.glob(f"{PREFIX}*.sock")).chmod(0o666)
    assert not is_relay(start())


def test_who_says_nonsense_on_the_socket_is_refused(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start()
    path = next(server.home.glob(f"{PREFIX}*.sock"))
    monkeypatch.chdir(server.home)  # an address of a socket is a short one
    for said in (b"{}\n", b"\x00\xff\n", b'{"character": "x", "contract": "native"}\n'):
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path.name)
            link.sendall(said)
            assert link.recv(100) == b"\0-\n"
    assert is_relay(start())


@pytest.mark.parametrize("cut", [0, 1, 3, 9, 40])
def test_a_relay_that_is_killed_in_the_midst_of_a_line_troubles_nobody(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    log = tmp_path / "log"
    server = start(log=log)
    meeting = meeting_of("native", str(server.home))
    assert meeting is not None
    link = meeting.connect()
    assert link is not None
    with closing(link):
        hello = {"character": meeting.character, "contract": "native"}
        line = MARK + b'7 some-key {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}'
        link.sendall(json.dumps(hello).encode() + b"\n" + PING + b"\n" + line[: len(MARK) + cut])
        assert link.recv(100).startswith(PONG)
    assert is_relay(start())
    server.end()
    assert "Traceback" not in log.read_text("utf-8")


def test_a_line_that_is_too_long_is_refused_through_a_relay(start: Start) -> None:
    start()
    second = start()
    second.send(b"x" * (17 * 1024 * 1024))
    assert second.wait(cast("int", None))["error"]["code"] == -32600
    assert second.ask("ping", {})["result"] == {}


def test_a_service_serves_the_agents_processes_too(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {**os.environ, "RECOLLECT_EMBEDDER": "none", "RECOLLECT_HOME": str(home)}
    command = [sys.executable, "-m", "recollect.cli", "up", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        service.stdout.readline()
        agent = start()
        assert is_relay(agent)
        agent.call("remember", text="Said to the service.")
        service.terminate()
        service.stdout.read()
        assert "Said to the service." in json.dumps(agent.call("recall", query="service"))
        assert not is_relay(agent)
