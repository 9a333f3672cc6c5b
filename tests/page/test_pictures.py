"""Does the page still look as it did when somebody looked at it?

The kept pictures were looked at. Letters may differ a little from machine to machine, and dates from day to day: what
is compared is the picture made small. RECOLLECT_WRITE_PICTURES=1 writes them anew; look at them then.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.serve.up import Service
from tools.screenshots import DESK, PHONE, VIEWS, take

KEPT = Path(__file__).with_name("pictures")
SHRUNK = 8
MEAN, WORST = 5.0, 160.0
"""Of 255: how far the whole may be off, and any spot of it: bars of a chart move with the calendar."""
LOOKED_AT = [
    ("recall", "light", DESK), ("recall", "dark", DESK), ("record", "light", DESK), ("inbox", "dark", DESK),
    ("start", "light", DESK), ("timeline", "dark", DESK), ("spaces", "light", DESK), ("health", "dark", DESK),
    ("graph", "light", DESK), ("entity", "dark", DESK),
    ("recall", "light", PHONE), ("inbox", "light", PHONE), ("record", "dark", PHONE),
]  # fmt: skip


def small(picture: Image.Image, size: dict[str, int]) -> Any:
    """A picture in which only what is where can be told."""
    whole = (size["width"] // SHRUNK, size["height"] // SHRUNK)
    return np.asarray(picture.convert("L").resize(whole, Image.Resampling.BOX), dtype=float)


@pytest.mark.parametrize(("view", "scheme", "size"), LOOKED_AT)
def test_a_view_looks_as_it_did(browser: Any, up: Service, view: str, scheme: str, size: dict[str, int]) -> None:
    records = up.web.get("/api/records", params={"space": "work", "limit": 100}).json()["records"]
    flags = next(one["id"] for one in records if one["text"].startswith("Feature flags"))
    taken = Image.open(io.BytesIO(take(browser, up.url, VIEWS[view].format(flags=flags), scheme, size)))
    path = KEPT / f"{view}-{scheme}{'-phone' if size is PHONE else ''}.png"
    if os.environ.get("RECOLLECT_WRITE_PICTURES"):
        path.parent.mkdir(exist_ok=True)
        taken.convert("RGB").resize((taken.width // 2, taken.height // 2)).quantize(64).save(path, optimize=True)
    off = np.abs(small(taken, size) - small(Image.open(path), size))
    assert (off.mean() <= MEAN, off.max() <= WORST) == (True, True), (
        f"off by {off.mean():.1f}, at worst {off.max():.0f}"
    )
