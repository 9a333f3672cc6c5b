"""A real process of `recollect up`, for whoever tests what it serves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx

HANG_GUARD_SECONDS = 60


class Service:
    """A running service on a port of its own; `web` speaks to it."""

    def __init__(self, home: Path, *more: str, embedder: str = "none", port: int = 0) -> None:
        environment = {**os.environ, "RECOLLECT_EMBEDDER": embedder, "RECOLLECT_HOME": str(home)}
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "recollect.cli", "up", "--http", f"127.0.0.1:{port}", *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
        assert self.popen.stdout is not None
        found = re.search(r"http://[\w.]+:(\d+)", self.popen.stdout.readline().decode())
        assert found is not None, self.popen.communicate()
        self.url, self.port = found[0], int(found[1])
        self.web = httpx.Client(base_url=self.url, timeout=HANG_GUARD_SECONDS)

    def close(self) -> None:
        self.web.close()
        self.popen.kill()
        self.popen.communicate()
