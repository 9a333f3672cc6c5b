"""What is opened is closed again, however serving begins or ends."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Memory
from recollect.cli.flags import Serving
from recollect.cli.serve import serve
from recollect.errors import StoreError


@pytest.mark.parametrize("contract", ["native", "trusty-memory", "agentos"])
def test_a_memory_whose_projects_cannot_be_listed_is_closed(
    contract: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Memory] = []

    def fail(memory: Memory) -> None:
        opened.append(memory)
        raise StoreError("the disk is gone")

    monkeypatch.setattr(Memory, "unfinished_projects", fail)
    with pytest.raises(StoreError, match="the disk is gone"):
        serve(Serving(contract=contract, space="default", home=str(tmp_path)))
    with pytest.raises(StoreError, match="closed"):
        opened[0].count()
