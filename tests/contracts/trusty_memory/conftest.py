"""Palaces without a server, and servers that nobody has greeted."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from recollect import Memory
from recollect.contracts.trusty_memory.palaces import Palaces


@pytest.fixture
def usual() -> dict[str, Any]:
    return {"arguments": ("--as", "trusty-memory"), "version": None, "environment": {"RECOLLECT_EMBEDDER": "none"}}


@pytest.fixture
def palaces(memory: Memory) -> Palaces:
    """Palaces of a memory that searches by words alone, with ids that can be foreseen."""
    numbers = count(1)
    return Palaces(memory, "home", new_id=lambda: f"00000000-0000-4000-8000-{next(numbers):012}")


@pytest.fixture
def semantic_palaces(semantic: Memory) -> Palaces:
    return Palaces(semantic, "home")
