"""What does Lighthouse say of every view, to people who cannot see it or cannot use a mouse?"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest
from tests.serve.up import Service
from tools.browser import executable, lighthouse

SECONDS = 240
LOADED_MS = 6_000
"""The page listens to /events for as long as it is open, so that it never falls silent."""


def judged(url: str) -> dict[str, Any]:
    """Lighthouse's report on one address, as far as it is about accessibility."""
    program, environment = executable()
    flags = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage"
    command = [
        *lighthouse(), url, "--only-categories=accessibility", "--output=json", "--quiet", "--preset=desktop",
        f"--max-wait-for-load={LOADED_MS}", f"--chrome-flags={flags}",
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**os.environ, **environment, "CHROME_PATH": program},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["recall", "record", "inbox", "given", "timeline", "graph", "spaces", "health"])
def test_lighthouse_finds_every_view_accessible_to_all(up: Service, view: str) -> None:
    record = up.web.get("/api/records", params={"space": "work", "limit": 1}).json()["records"][0]["id"]
    address = {"record": f"record/{record}?space=work", "recall": "recall?q=deploys", "graph": "graph?space=work"}
    report = judged(f"{up.url}/#/{address.get(view, view)}")
    wrong = [name for name, audit in report["audits"].items() if audit["score"] == 0]
    assert (report["categories"]["accessibility"]["score"], wrong) == (1, [])
