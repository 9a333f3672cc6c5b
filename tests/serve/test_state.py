"""How somebody outside sees how the service is: events, readiness, metrics, logs, and how it is started and ends."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from test_tokens import run
from test_up import HANG_GUARD_SECONDS, Up

import recollect
from recollect import Settings
from recollect.serve.log import Log

SECRET = "The heliotrope is in the attic."


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    server = Up(tmp_path_factory.mktemp("state"))
    yield server
    server.close()


def remember(up: Up, text: str, **headers: str) -> None:
    arguments: dict[str, Any] = {"text": text}
    answer = up.alone("tools/call", {"name": "remember", "arguments": arguments}, **headers)
    assert '"outcome":"stored"' in answer.text


def changes(stream: httpx.Response, most: int) -> list[dict[str, Any]]:
    """The next so many changes of a stream."""
    found: list[dict[str, Any]] = []
    for line in stream.iter_lines():
        if line.startswith("data: ") and '"type":"change"' in line:
            found.append(json.loads(line[len("data: ") :]))
            if len(found) == most:
                break
    return found


# Events


def test_a_listener_hears_of_what_another_process_writes(up: Up) -> None:
    with up.web.stream("GET", "/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert next(lines) == 'data: {"type":"connected"}'
        assert run(up.home, "remember", "Written from outside.").returncode == 0
        told = next(json.loads(line[6:]) for line in lines if line.startswith("data: ") and '"record"' in line)
    assert (told["verb"], told["space"], told["object_type"]) == ("remember", "default", "record")


def test_a_listener_that_comes_back_hears_all_that_it_missed(up: Up) -> None:
    for number in range(3):
        remember(up, f"Event {number}.")
    with up.web.stream("GET", "/events", headers={"last-event-id": "0"}) as stream:
        every = changes(stream, 4)
    with up.web.stream("GET", "/events", headers={"last-event-id": str(every[1]["entry"])}) as stream:
        assert changes(stream, 2) == every[2:]
    with up.web.stream("GET", f"/events?after={every[2]['entry']}") as stream:
        assert changes(stream, 1) == every[3:]


def test_more_than_a_thousand_missed_changes_are_told(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember_many([{"text": f"Note {number}."} for number in range(1_500)])
        last = memory.last_entry()
    server = Up(tmp_path)
    try:
        with server.web.stream("GET", "/events?after=0") as stream:
            assert [one["entry"] for one in changes(stream, last)] == list(range(1, last + 1))
    finally:
        server.close()


@pytest.mark.parametrize("said", ["soon", "-1", "9" * 30])
def test_an_entry_that_cannot_be_is_refused(up: Up, said: str) -> None:
    refused = up.web.get("/events", headers={"last-event-id": said})
    assert (refused.status_code, refused.json()["error"][:13]) == (400, "Last-Event-ID")


def test_a_token_hears_of_its_spaces_alone(tmp_path: Path) -> None:
    token = run(tmp_path, "token", "create", "--space", "work", "--scope", "write").stdout.strip()
    for space in ("work", "vault", "work", "vault", "work"):
        run(tmp_path, "remember", f"A note of {os.urandom(4).hex()}.", "--space", space)
    server, bearer = Up(tmp_path), {"authorization": f"Bearer {token}"}
    try:
        with server.web.stream("GET", "/events?after=0", headers=bearer) as stream:
            assert {one["space"] for one in changes(stream, 4)} == {"work"}
        with server.web.stream("GET", "/events", headers=bearer) as stream:
            lines = stream.iter_lines()
            next(lines)
            run(tmp_path, "remember", "Hidden.", "--space", "vault")
            remember(server, "Seen.", **bearer)
            assert '"space":"work"' in next(line for line in lines if "change" in line)
    finally:
        server.close()


# Ready, and what is counted


def test_it_is_alive_and_ready(up: Up) -> None:
    assert [up.web.get(path).status_code for path in ("/health", "/healthz", "/readyz")] == [200, 200, 200]
    assert up.web.get("/readyz").json() == {"ready": True, "problem": None, "model": "none"}


def test_a_store_that_cannot_be_read_is_not_ready(tmp_path: Path) -> None:
    server = Up(tmp_path)
    try:
        for path in tmp_path.glob("*.db*"):
            path.write_bytes(b"not a store any more " * 500)
        answer = server.web.get("/readyz")
        assert (answer.status_code, answer.json()["ready"]) == (503, False)
        assert server.web.get("/healthz").status_code == 200
    finally:
        server.close()


def counted(up: Up) -> dict[str, float]:
    lines = [line for line in up.web.get("/metrics").text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_metrics_count_requests_and_what_is_kept(up: Up) -> None:
    asked = 'recollect_requests_total{method="POST",route="/mcp/rusty-mem",status="200"}'
    before = counted(up)
    up.alone("tools/list", {}, "/mcp/rusty-mem")
    up.web.get("/nowhere/at-all")
    after = counted(up)
    assert after[asked] == before.get(asked, 0) + 1
    assert after['recollect_request_seconds_count{route="/mcp/rusty-mem"}'] >= 1
    assert after["recollect_store_bytes"] > 0
    assert {
        "recollect_vectors_waiting",
        "recollect_backups",
        "recollect_injected_tokens_total",
        "process_resident_memory_bytes",
    } <= set(after)
    assert not any("at-all" in name for name in after)


def test_nobody_fills_the_metrics_with_words_of_their_own(tmp_path: Path) -> None:
    token = "0123456789abcdef01"
    server = Up(tmp_path, RECOLLECT_TOKEN=token)
    for n in range(5):
        assert server.web.request(f"BREW{n}", f"/pot{n}/x").status_code == 401
    server.web.get("/mcp/made-up")
    told = server.web.get("/metrics", headers={"authorization": f"Bearer {token}"}).text
    server.close()
    assert 'recollect_requests_total{method="other",route="unknown",status="401"} 5.0' in told
    assert 'recollect_requests_total{method="GET",route="/mcp",status="401"} 1.0' in told
    assert re.findall("BREW|pot|made-up", told) == []


def test_metrics_tell_how_long_the_model_worked(tmp_path: Path) -> None:
    server = Up(tmp_path, RECOLLECT_EMBEDDER="bundled")
    try:
        remember(server, "Ships leave at ten.")
        question = {"name": "recall", "arguments": {"query": "when do boats depart"}}
        assert "Ships" in server.alone("tools/call", question).text
        seconds = {name: value for name, value in counted(server).items() if name.startswith("recollect_model_seconds")}
        assert len(seconds) == 1
        assert next(iter(seconds.values())) > 0
    finally:
        server.close()


@pytest.mark.parametrize("words", [["--space", "work", "--scope", "admin"], ["--all-spaces", "--scope", "write"]])
def test_metrics_are_for_whoever_sees_everything(up: Up, words: list[str]) -> None:
    token = run(up.home, "token", "create", *words).stdout.strip()
    refused = up.web.get("/metrics", headers={"authorization": f"Bearer {token}"})
    assert (refused.status_code, "--all-spaces" in refused.json()["error"]) == (403, True)


# Logs


def test_a_log_for_programs_tells_of_requests_and_not_of_what_is_in_them(tmp_path: Path) -> None:
    server = Up(tmp_path, "--log-level", "debug", "--log-format", "json")
    remember(server, SECRET)
    server.alone("tools/call", {"name": "recall", "arguments": {"query": "where is the heliotrope"}})
    server.alone("tools/call", {"name": "remember", "arguments": {"text": SECRET, "kind": 7}})
    server.web.get("/heliotrope/attic?heliotrope=attic")
    server.web.close()
    server.popen.send_signal(signal.SIGTERM)
    _, said = server.popen.communicate(timeout=HANG_GUARD_SECONDS)
    lines = [json.loads(line) for line in said.splitlines()]
    assert [(one["route"], one["status"]) for one in lines if one["message"] == "request"] == [
        ("/mcp", 200), ("/mcp", 200), ("/mcp", 200), ("unknown", 404),
    ]  # fmt: skip
    assert re.findall(rb"heliotrope|attic", said) == []


def test_a_fault_is_logged_without_what_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        Log("error", "json").fault("a call failed", error)
    told = json.loads(capsys.readouterr().err)
    assert (told["error"], told["message"]) == ("ValueError", "a call failed")
    assert "test_state.py" in told["way"]
    assert "heliotrope" not in json.dumps(told)


# How it is started, and how it ends


def test_when_it_is_told_to_end_streams_end_well_and_nothing_is_lost(tmp_path: Path) -> None:
    server = Up(tmp_path)
    try:
        with server.web.stream("GET", "/events") as stream:
            remember(server, "Kept before the end.")
            server.popen.send_signal(signal.SIGTERM)
            assert "connected" in "".join(stream.iter_text())  # to its end, without an error
        assert server.popen.wait(HANG_GUARD_SECONDS) == 0
    finally:
        server.close()
    assert "Kept before the end." in run(tmp_path, "recall", "kept").stdout


def test_systemd_is_told_how_to_start_it(tmp_path: Path) -> None:
    home = tmp_path / "a memory's 100% home"
    unit = run(home, "up", "--http", ":4000", "--print-service", "systemd").stdout
    line = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    words = shlex.split(line.removeprefix("ExecStart=").replace("%%", "%"))
    assert words[-7:-2] == ["up", "--home", str(home), "--http", ":4000"]
    assert Path(words[0]).is_file()
    assert not home.exists()


def test_launchd_is_told_how_to_start_it(tmp_path: Path) -> None:
    told = plistlib.loads(run(tmp_path / "a & b", "up", "--print-service", "launchd").stdout.encode())
    assert told["ProgramArguments"][-6:-2] == ["--home", str(tmp_path / "a & b"), "--http", "127.0.0.1:3031"]


@pytest.mark.parametrize("system", ["systemd", "launchd"])
def test_a_started_service_finds_the_memory_of_the_environment_and_no_secret_is_written_down(
    tmp_path: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "100% $mine"
    for name, value in {
        "HOME": str(home), "TOKEN": "0123456789abcdef01", "EMBEDDER": "none",
        "STORE": "postgresql://me:pass4word@db/memory", "TLS_CERT": "cert.pem",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"RECOLLECT_{name}", value)
    command = [sys.executable, "-m", "recollect.cli", "up", "--print-service", system]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_GUARD_SECONDS, check=True, cwd=tmp_path)
    plain = {
        "RECOLLECT_HOME": str(home), "RECOLLECT_EMBEDDER": "none", "RECOLLECT_TLS_CERT": str(tmp_path / "cert.pem")
    }  # fmt: skip
    if system == "launchd":
        assert plistlib.loads(done.stdout.encode())["EnvironmentVariables"] == plain
    else:
        lines = [line.removeprefix("Environment=") for line in done.stdout.splitlines() if "Environment=" in line]
        assert {shlex.split(line)[0].replace("%%", "%") for line in lines} == {f"{k}={v}" for k, v in plain.items()}
        assert "\nEnvironmentFile=%h/.config/recollect/service.env\n" in done.stdout
    for told in (done.stdout, done.stderr):
        assert "RECOLLECT_STORE and RECOLLECT_TOKEN" in told
        assert not {"pass4word", "0123456789abcdef01"} & {*re.split(r"[^\w]", told)}


def test_a_system_that_is_not_known_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "up", "--print-service", "openrc")
    assert (done.returncode, "systemd, launchd" in done.stderr) == (2, True)


def test_make_run_tries_a_memory_and_then_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "RECOLLECT_HOME": str(tmp_path), "RECOLLECT_EMBEDDER": "none"}
    made = subprocess.Popen(
        ["make", "-o", ".venv/.installed", "run", "HTTP=127.0.0.1:0", f"PY={sys.executable}"], cwd=root,
        env=environment, stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        assert made.stdout is not None
        said: list[str] = []
        for line in made.stdout:
            said.append(line.decode())
            if "is up at" in said[-1]:
                break
        url = said[-1].split()[4]
        assert httpx.get(f"{url}/readyz", timeout=HANG_GUARD_SECONDS).json()["ready"]
        assert any("how are auth tokens checked?" in line for line in said)
    finally:
        os.killpg(made.pid, signal.SIGINT)
        made.communicate(timeout=HANG_GUARD_SECONDS)
