"""A real browser, and a service with a store that somebody might have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.serve.up import Service
from tools.browser import launched
from tools.lifelike import write

import recollect
from recollect import Memory, Settings

Look = Callable[..., Any]
GO = "(view) => (location.hash = `#/${view}`)"
DESK = {"width": 1360, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE = 30_000
"""Milliseconds that something may take to appear; on a busy machine it may."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as one:
        yield one


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    write(folder, today=datetime.now(UTC))
    return folder


@pytest.fixture(scope="module")
def up(home: Path) -> Iterator[Service]:
    server = Service(home)
    yield server
    server.close()


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """The same store, as an agent has it open."""
    with recollect.open(settings=Settings(home=home, embedder="none"), actor="codex") as one:
        yield one


@pytest.fixture
def look(browser: Any, up: Service) -> Iterator[Look]:
    """Opens a view in a window of its own. At the end nothing may have been complained of."""
    windows: list[Any] = []
    complaints: list[str] = []

    def complain(error: object) -> None:
        complaints.append(str(error))

    def overhear(said: Any) -> None:
        if "Security Policy" in said.text:
            complaints.append(said.text)

    def open_view(
        view: str = "recall", *, url: str | None = None, size: dict[str, int] = DESK, scheme: str = "light"
    ) -> Any:
        window = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        windows.append(window)
        page = window.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", complain)
        page.on("console", overhear)
        page.goto(f"{url or up.url}/#/{view}")
        page.wait_for_selector("main :is(h1, .empty, .broken)", state="attached")
        return page

    yield open_view
    for window in windows:
        window.close()
    assert complaints == []
