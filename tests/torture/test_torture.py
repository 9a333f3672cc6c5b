"""Does a memory keep what it promised, whatever happens to it? `make torture ROUNDS=1000 SEED=7` asks at length."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.torture.acts import CALLS, CLI, READS
from tests.torture.rounds import POSTGRES, SQLITE

from recollect import Memory
from recollect.contracts.registry import CONTRACTS

ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "120"))
SEED = int(os.environ.get("TORTURE_SEED", "1"))
needs_a_compiler = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="the layer is for Linux, and needs a C compiler"
)


def torture(store: str, rounds: int, seed: int) -> str:
    """Runs so many rounds, and answers with what they came to."""
    command = [sys.executable, "-m", "tests.torture.rounds", "--store", store, "--rounds", str(rounds)]
    done = subprocess.run(
        [*command, "--seed", str(seed)], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    print(done.stdout)
    return done.stdout.splitlines()[-1]


@needs_a_compiler
@pytest.mark.parametrize(("store", "rounds"), [("sqlite", 3), ("postgres", 1)])
def test_what_was_acknowledged_is_there_once_in_any_weather(store: str, rounds: int) -> None:
    said = torture(store, rounds, SEED)
    assert f"{rounds} rounds" in said
    acknowledged = re.search(r"([\d,]+) acknowledged writes, 0 rounds with something wrong", said)
    assert acknowledged is not None
    assert int(acknowledged[1].replace(",", "")) > rounds


@needs_a_compiler
@pytest.mark.torture
@pytest.mark.parametrize(("store", "share"), [("sqlite", 0.9), ("postgres", 0.1)])
def test_what_was_acknowledged_is_there_once_after_many_rounds(store: str, share: float) -> None:
    said = torture(store, int(ROUNDS * share), SEED + 1)
    weathers = SQLITE if store == "sqlite" else POSTGRES
    assert ROUNDS * share < 50 or all(f"{name} " in said for name in weathers)


def test_every_command_that_writes_is_in_the_mix() -> None:
    from recollect.cli.app import app

    commands = {str(command.name) for command in app.registered_commands}
    for group in app.registered_groups:
        inner = getattr(group.typer_instance, "registered_commands", ())
        commands |= {f"{group.name} {command.name}" for command in inner}
    assert commands - set(CLI) == READS


def test_every_tool_that_writes_is_in_the_mix(memory: Memory) -> None:
    for name, offer in CONTRACTS.items():
        writing = {tool.name for tool in offer.make(memory, None).tools if not tool.annotations.read_only}
        called = {call.tool for contract, calls in CALLS.items() if contract.split()[0] == name for call in calls}
        assert writing <= called, name
