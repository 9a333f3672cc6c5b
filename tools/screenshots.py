"""Makes the pictures of the page anew: `make screenshots`.

A made-up store is written, served by a real `recollect up`, and looked at in a real Chromium. With a folder, pictures
of every state go there instead: light and dark, at a desk and on a phone.
"""

from __future__ import annotations

import io
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.serve.up import Service
from tools.browser import launched
from tools.lifelike import write

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 780}
READY = "main :is(.hit, .matter, .line, .act, .graph-side h2, .rooms, .item, .figure, .record-text, .empty)"
VIEWS = {
    "recall": "recall?q=what+happened+with+the+worker+for+product+images",
    "brief": "recall",
    "record": "record/{flags}?space=work",
    "inbox": "inbox?pile=duplicates",
    "given": "given?prompt=Do+refunds+of+300+euros+need+an+approval+before+they+go+to+Mollie%3F",
    "start": "given",
    "timeline": "timeline",
    "graph": "graph?space=work",
    "entity": "graph?space=work&entity=pomona",
    "spaces": "spaces",
    "room": "spaces/work?room=payments",
    "health": "health",
}
SHOWN = (
    ("recall", "light"), ("recall", "dark"), ("record", "light"), ("inbox", "dark"), ("given", "light"),
    ("graph", "dark"),
)  # fmt: skip


def take(browser: Any, url: str, view: str, scheme: str, size: dict[str, int]) -> bytes:
    window = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    try:
        page = window.new_page()
        page.goto(f"{url}/#/{view}")
        page.wait_for_selector(READY)
        page.wait_for_selector(".live[data-state=live]", state="attached")
        page.wait_for_selector("canvas[data-laid=done], main:not(:has(canvas))")
        page.evaluate("() => document.fonts.ready")
        page.evaluate("() => document.activeElement?.blur()")
        page.wait_for_timeout(700)
        return page.screenshot()
    finally:
        window.close()


def keep(picture: bytes, path: Path) -> None:
    """As small as can be without a loss that anybody sees."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(200, dither=Image.Dither.NONE).save(path, optimize=True)


def main(folder: Path | None) -> int:
    with tempfile.TemporaryDirectory() as home, launched() as browser:
        known = write(Path(home), embedder="bundled", today=datetime.now(UTC))
        flags = next(id for text, id in known.items() if text.startswith("Feature flags"))
        server = Service(Path(home), embedder="bundled")
        try:
            for _ in range(3):  # the first loads the models, which is no picture of every day
                server.web.get("/api/recall", params={"q": "what happened with the worker for product images"})
            if folder is None:
                for name, scheme in SHOWN:
                    picture = take(browser, server.url, VIEWS[name].format(flags=flags), scheme, DESK)
                    keep(picture, IMAGES / f"{name}-{scheme}.png")
            else:
                for name, view in VIEWS.items():
                    for scheme, size, where in (("light", DESK, ""), ("dark", DESK, ""), ("light", PHONE, "-phone")):
                        picture = take(browser, server.url, view.format(flags=flags), scheme, size)
                        keep(picture, folder / f"{name}-{scheme}{where}.png")
        finally:
            server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
