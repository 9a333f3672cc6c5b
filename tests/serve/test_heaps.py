"""Does what was large go back to the system once it is free?"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from pathlib import Path
from recollect.serve.heaps import share_heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 2**20

share_heap()
np.ones(2**22, np.uint8)  # left to itself, the library takes this for usual from here on
kept, before = [], resident()
for _ in range(100):
    large = np.ones(2**20, np.uint8), np.ones(2**20, np.uint8)
    kept.append((np.ones(2000, np.uint8), large))
kept = [small for small, _ in kept]
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or sys.platform != "linux", reason="a setting of this C library")
def test_what_was_large_goes_back_though_something_small_stays_beside_it() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert int(done.stdout) < 20  # of 200 megabytes
