"""What is opened is closed again, however serving begins or ends."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

from recollect.cli.flags import Serving
from recollect.cli.serve import serve
from recollect.engine.core import Core
from recollect.errors import StoreError


@pytest.mark.parametrize("contract", ["native", "trusty-memory", "agentos"])
def test_a_memory_whose_projects_cannot_be_listed_is_closed(
    contract: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Core] = []

    def fail(core: Core) -> None:
        opened.append(core)
        raise StoreError("the disk is gone")

    monkeypatch.setattr("recollect.cli.serve.unfinished_projects", fail)
    with pytest.raises(StoreError, match="the disk is gone"):
        serve(Serving(contract=contract, home=str(tmp_path)))
    with pytest.raises(StoreError, match="closed"), opened[0].store.read():
        pytest.fail("a memory that is closed was read")
