"""Does any text that others wrote take longer to read than its length explains, or bring down who reads it?"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.bombs import write_export, write_html, write_pdf, write_transcript
from tests.faults.hostile_text import FOUND, READERS
from tests.faults.spoken import SOURCE, Spoken

from recollect.errors import SourceError
from recollect.ingest.documents import parse_document
from recollect.ingest.symbols import outline_source
from recollect.ingest.transcripts import read_transcript

torture = pytest.mark.torture


@pytest.mark.parametrize(("length", "seconds"), [(20_000, 60), pytest.param(400_000, 1_200, marks=torture)])
def test_hard_texts_are_read_in_time_that_grows_as_they_do(length: int, seconds: int) -> None:
    program = Path(__file__).with_name("hostile_text.py")
    done = subprocess.run(
        [sys.executable, str(program), str(length), str(seconds)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )  # fmt: skip
    assert done.stdout.splitlines() == list(READERS), done.stderr[-500:]


def test_what_once_took_the_square_of_its_length_is_read_at_length() -> None:
    program = Path(__file__).with_name("hostile_text.py")
    done = subprocess.run(
        [sys.executable, str(program), "300000", "60", "found"], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )  # fmt: skip
    assert done.stdout.splitlines() == [name for name, _ in FOUND], done.stderr[-500:]


def mutated(data: bytes, dice: random.Random) -> bytes:
    """The same with some bytes turned over, left out, doubled or put in."""
    found = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(found) + 1)
        act = dice.randrange(5)
        if act == 0 and at < len(found):
            found[at] = dice.randrange(256)
        elif act == 1:
            del found[at : at + dice.randint(1, 200)]
        elif act == 2:
            found[at:at] = found[at : at + 200] * dice.randint(1, 50)
        elif act == 3:
            found[at:at] = dice.randbytes(8)
        else:
            found[at:at] = dice.choice((b"[" * 5_000, b'{"a":' * 5_000, b"\xff\xfe", b"\0", b"<" * 3_000, b"\\ud800"))
    return bytes(found)


def seeds(folder: Path) -> dict[str, bytes]:
    """One small file of each kind that is parsed."""
    talk = {"title": "x", "mapping": {"a": {"message": None, "children": []}}, "current_node": "a"}
    cells = [{"cell_type": "code", "source": ["x = 1\n"]}]
    return {
        "a.pdf": write_pdf(folder / "a.pdf", operators=3).read_bytes(),
        "a.html": write_html(folder / "a.html", deep=3).read_bytes(),
        "a.md": b"---\ntitle: x\n---\n# A\n\n> q\n\n```py\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] b\n",
        "a.rst": b"Title\n=====\n\ntext\n", "a.org": b"* A\n#+begin_src\nx\n#+end_src\n",
        "a.ipynb": json.dumps({"cells": cells, "nbformat": 4}).encode(),
        "a.json": json.dumps([talk]).encode(),
        "b.json": json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode(),
        "a.jsonl": write_transcript(folder / "a.jsonl", megabytes=1, said=3).read_bytes()[-101_000:],
    }  # fmt: skip


@pytest.mark.parametrize("rounds", [20, pytest.param(1_000, marks=torture)])
def test_files_that_were_tampered_with_are_read_or_refused_with_a_reason(tmp_path: Path, rounds: int) -> None:
    dice, refused = random.Random(7), 0
    for name, whole in seeds(tmp_path).items():
        for _ in range(rounds):
            data = mutated(whole, dice)
            try:
                read_transcript(name, data) if "json" in name else parse_document(name, data)
            except SourceError:
                refused += 1
    assert refused > rounds


@pytest.mark.parametrize("rounds", [400, pytest.param(20_000, marks=torture)])
def test_messages_that_were_tampered_with_are_answered_or_passed_over(home: Path, rounds: int) -> None:
    dice = random.Random(11)
    call = {"name": "recall", "arguments": {"query": "anything", "limit": 3}}
    known = [
        {"jsonrpc": "2.0", "id": 7_000_001, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 7_000_002, "method": "tools/list", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    ]
    server = Spoken(home)
    try:
        assert server.popen.stdin is not None
        for number in range(rounds):
            line = mutated(json.dumps(dice.choice(known)).encode(), dice).replace(b"\n", b" ")
            server.popen.stdin.write(line + b"\n")
            if number % 50 == 49:
                assert server.ask("ping")["result"] == {}
        assert server.ask("ping")["result"] == {}
        assert server.end() == 0
    finally:
        server.popen.kill()


@pytest.mark.parametrize("language", ["python", "javascript", "c", "rust", "go"])
def test_code_that_makes_no_sense_is_not_pondered(language: str) -> None:
    for piece in (".", "(", "{", "<!--", "[", "if ", "=", "|-|\n", "---\n", "~~~\n"):
        assert outline_source(piece * (2_000_000 // len(piece)), language).symbols == ()  # else it would take an hour


@torture
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
@pytest.mark.parametrize("write", [write_transcript, write_export])
def test_two_hundred_megabytes_of_a_transcript_are_read_in_bounded_memory(home: Path, tmp_path: Path, write) -> None:
    path = write(tmp_path / ("a.jsonl" if write is write_transcript else "a.json"), megabytes=199)
    server = Spoken(home)
    try:
        server.call("ingest", path=str(path))
        status = Path(f"/proc/{server.popen.pid}/status").read_text()
        peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
        assert peak < (150 if write is write_transcript else 1_000), f"{peak} MB"
        assert server.ask("ping")["result"] == {}
    finally:
        server.end()
