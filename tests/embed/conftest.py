"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loopback import Loopback, serve_loopback


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    with serve_loopback() as state:
        yield state
