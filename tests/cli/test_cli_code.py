from __future__ import annotations

import json

import pytest


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "shop"
    root.mkdir()
    (root / "till.py").write_text("def price(article):\n    # with tax\n    return article.net * 1.07\n")
    (root / "cart.ts").write_text("export function price(cart: Cart) {\n  return cart.sum;\n}\n")
    return root


def test_a_folder_is_indexed_and_searched(shell, project):
    outcome = shell("index", str(project))
    assert outcome.code == 0
    assert outcome.out.startswith("shop: 2 files, 2 chunks in ")
    assert "files/s" in outcome.out
    assert outcome.err == "files: 2 of 2\n"
    found = shell("search-code", "price with tax")
    assert "till.py:1-3  function price\n      def price(article):\n" in found.out
    assert found.code == 0


def test_a_search_is_kept_to_a_project_and_a_language(shell, project):
    assert shell.json("index", str(project))["state"] == "completed"
    hits = shell.json("search-code", "price", "--language", "typescript", "--project", "shop")["hits"]
    assert [hit["record"]["locator"] for hit in hits] == [
        {
            "path": "cart.ts", "start_line": 1, "end_line": 3, "language": "typescript", "chunk_type": "function",
            "name": "price",
        }
    ]  # fmt: skip
    assert shell.json("search-code", "price", "--project", "other")["hits"] == []
    assert "words" in shell("search-code", "price", "--why").out


def test_what_was_left_out_is_named(shell, project):
    (project / "latin.py").write_bytes("é".encode("latin-1"))
    outcome = shell("index", str(project))
    assert outcome.code == 0
    assert "left out: latin.py: not UTF-8\n" in outcome.err


def test_a_path_that_is_no_folder_is_told_in_one_line(shell, project):
    outcome = shell("index", str(project / "till.py"))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"error: path: {project / 'till.py'} is a file; name the folder that it is in\n"


def test_projects_are_listed_and_deleted(shell, project):
    assert shell("projects", "list").err.startswith("no memory yet")
    shell("index", str(project))
    listed = shell("projects", "list").out
    assert "completed 100 %" in listed
    assert str(project) in listed
    assert shell("projects", "delete", "shop").code == 2
    assert shell("projects", "delete", "shop", "--yes").out == "shop: 2 chunks removed\n"
    assert shell.json("projects", "list") == {"projects": []}
    missing = shell("projects", "delete", "shop", "--yes", "--json")
    assert json.loads(missing.err)["error"]["code"] == "not_found"


def test_nothing_is_made_where_there_is_no_memory(shell):
    assert shell.json("search-code", "x") == {"hits": [], "signals": None}
    assert not shell.store.exists()
