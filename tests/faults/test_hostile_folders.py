"""Does a folder that was made to do harm end anything but its own run?"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults.spoken import Spoken

Open = Callable[..., Spoken]


@pytest.fixture
def speak(home: Path) -> Iterator[Open]:
    opened: list[Spoken] = []

    def begin(*arguments: str, **more: object) -> Spoken:
        opened.append(Spoken(home, *arguments, **more))  # pyright: ignore[reportArgumentType]  names of variables
        return opened[-1]

    yield begin
    for one in opened:
        one.popen.kill()
        one.end()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    root = tmp_path / "untrusted"
    root.mkdir()
    (root / ".gitignore").write_text("*a" * 12 + "*b\n")
    (root / ("a" * 40)).write_text("x = 1\n")
    (root / "ok.py").write_text("def fine():\n    return 1\n")
    return root


def test_a_repository_whose_patterns_hang_others_is_indexed_and_the_server_answers(speak: Open, hostile: Path) -> None:
    server = speak("--as", "memory-mcp")
    running = server.begin("tools/call", {"name": "index_project", "arguments": {"path": str(hostile)}})
    assert server.ask("ping")["result"] == {}
    answer = json.loads(server.wait(running)["result"]["content"][0]["text"])
    assert (answer["project_id"], answer["files_indexed"]) == ("untrusted", 2)
    assert server.end() == 0


def test_a_run_that_did_not_end_is_not_gone_on_with_by_the_next_server(speak: Open, tmp_path: Path) -> None:
    root, log = tmp_path / "large", tmp_path / "log"
    root.mkdir()
    for number in range(400):
        (root / f"file{number}.py").write_text("".join(f"def f{number}_{n}():\n    return {n}\n\n" for n in range(25)))
    first = speak("--as", "memory-mcp")
    arguments = {"name": "index_project", "arguments": {"path": str(root)}, "_meta": {"progressToken": 1}}
    first.begin("tools/call", arguments)
    while not any(told["params"]["progress"] for told in first.told):
        assert first.ask("ping")["result"] == {}
    first.popen.send_signal(signal.SIGKILL)
    first.popen.wait()
    second = speak("--as", "memory-mcp", log=log)
    status = second.call("get_index_status", project_id="large")["content"][0]["text"]
    assert json.loads(status)["status"] == "pending"
    assert second.call("get_index_status", project_id="large")["content"][0]["text"] == status
    assert f"the last indexing of {root} did not end; `recollect index` goes on with it" in log.read_text()
    done = json.loads(second.call("index_project", path=str(root))["content"][0]["text"])
    assert done["files_indexed"] == 400
