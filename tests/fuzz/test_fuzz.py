"""Does whatever reads foreign bytes answer or refuse, whatever they are? `make fuzz` does so at length."""

from __future__ import annotations

import pytest
from tests.fuzz.fuzz import feed, inputs
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_no_bytes_bring_down_what_reads_them(name: str) -> None:
    target = TARGETS[name]
    for data in inputs(name, 0, 60):
        problem = feed(target, data)
        assert problem is None or problem.startswith("took "), f"{data!r}\n{problem}"


@pytest.mark.parametrize("name", ["mem0", "palace", "drawers", "memory-service", "claude-mem"])
def test_the_databases_that_are_changed_are_read_while_they_are_whole(name: str) -> None:
    target = TARGETS[f"{name} database"]
    assert target.feed(target.seeds[0])


@pytest.mark.parametrize(
    "name", ["imports", "sync folders", "documents", "pdf", "outlines", "hooks", "clients' toml", "clients' json"]
)
def test_what_is_meant_is_taken_whole_before_it_is_changed(name: str) -> None:
    for data in TARGETS[name].seeds:
        TARGETS[name].feed(data)
