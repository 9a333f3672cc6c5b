"""Does the benchmark still run? Every section, with next to nothing in it; how fast it was is not asked here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import growth, page, table
from bench.__main__ import SECTIONS

QUICK = ("remember", "recall-pieces", "growth", "quality", "secrets", "keepers")
"""The others start servers, or a browser, or fill stores: `make test-slow` runs them."""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> table.Plan:
    """Stores of a few hundred records, and a measurement set of two."""
    folder = tmp_path_factory.mktemp("bench")
    one = folder / "shared" / "data" / "tiny"
    one.mkdir(parents=True)
    rows = [
        {"cid": "c", "id": "a", "text": "The cat sleeps on the sofa."},
        {"cid": "c", "id": "b", "text": "Trains leave at noon.", "speaker": "Ada", "at": "2026-05-10T12:00:00"},
    ]
    (one / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (one / "queries.jsonl").write_text(
        json.dumps({"qid": "1", "cid": "c", "query": "where does the cat sleep?", "gold": {"a": 1}}), "utf-8"
    )
    return table.small(folder / "stores", folder / "shared")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SECTIONS]
)
def test_a_section_answers_with_tables_that_have_a_place_in_the_page(name: str, plan: table.Plan) -> None:
    plan.folder.mkdir(exist_ok=True)
    tables = SECTIONS[name](plan)
    assert tables
    filled = page.fill(page.PAGE.read_text("utf-8"), tables)
    for one in tables:
        assert all(len(row) == len(one.columns) for row in one.rows)
        assert table.render(one) in filled


def test_the_machine_is_told(plan: table.Plan) -> None:
    assert plan.quick
    assert "SQLite" in page.fill(page.PAGE.read_text("utf-8"), [page.machine()])


def test_a_table_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place for the table 'nowhere'"):
        page.fill("# A page", [table.Table("nowhere", (), ())])


def test_growth_is_drawn(plan: table.Plan, tmp_path: Path) -> None:
    plan.series.update({name: [(10, 1.0), (100, 2.0)] for name in ("recall", "bare scan", "own scan", "remember")})
    growth.draw(plan, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text("utf-8").startswith("<?xml")
