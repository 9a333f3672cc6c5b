"""Does what a server once needed go back to the system once it is free?"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from pathlib import Path
from recollect.serve.heaps import Heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 2**20

heap, before = Heap(), resident()
kept = [(bytes([1]) * 100_000, bytes([1]) * 2_000) for _ in range(600)]
kept = [small for _, small in kept]
held = resident() - before
heap.give_back()
print(held, resident() - before)
heap.stop()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or sys.platform != "linux", reason="what this C library can do")
def test_what_is_free_goes_back_though_something_small_stays_beside_it() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    held, left = map(int, done.stdout.split())
    assert held > 40  # of 60 megabytes: what stays lies between
    assert left < 12
