"""Starting and ending other processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import recollect

Start = Callable[..., "subprocess.Popen[str]"]
WORKER = Path(__file__).parent / "worker.py"


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a worker; those that still run at the end are ended."""
    started: list[subprocess.Popen[str]] = []
    source = str(Path(recollect.__file__).parents[1])

    def begin(act: str, home: Path, name: str, *more: str, wrapped: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        command = [*wrapped, sys.executable, str(WORKER), act, str(home), name, *more]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": source},
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """As on a disk that takes no larger files, or that somebody has a share of: what is written beyond it fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
