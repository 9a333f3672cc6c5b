"""`recollect maintain`, typed."""

from __future__ import annotations

import json


def test_eviction_is_told_dry_or_done_and_can_be_taken_back(shell):
    for number in range(5):
        shell.remember(f"Note number {number}", "--importance", f"0.{number}", "--space", "work")
    told = shell.json("maintain", "evict", "--cap", "2", "--dry-run")["runs"]
    assert [(run["space"], run["count"], run["dry_run"], run["entry"]) for run in told] == [("work", 3, True, None)]
    outcome = shell("maintain", "evict", "--space", "work", "--cap", "2")
    assert (outcome.code, outcome.out.startswith("work: 3 records evicted")) == (0, True)
    assert len(shell.json("list", "--space", "work")["records"]) == 2
    entry = outcome.err.split("recollect undo ")[1].split()[0]
    assert shell("undo", entry).code == 0
    assert len(shell.json("list", "--space", "work")["records"]) == 5


def test_thinning_is_told_dry_or_done_and_what_was_known_before_is_refused(shell):
    shell.remember("The first text", "--id", "a", "--space", "work")
    shell("revise", "a", "The second text")
    told = shell.json("maintain", "thin", "--older-than", "0m", "--dry-run")["runs"]
    assert [(run["space"], run["verb"], run["count"], run["dry_run"]) for run in told] == [("work", "thin", 1, True)]
    assert shell("maintain", "thin", "--older-than", "90d").out.startswith("work: 0 old versions removed")
    assert shell("maintain", "thin", "--older-than", "0m").out.startswith("work: 1 old version removed")
    assert "history was thinned up to" in shell("history", "a").err
    for unread in ("90", "٣d", "３d"):  # digits that int() would take, and nobody can be sure to have meant
        assert "write 30m, 2h or 1d" in shell("maintain", "thin", "--older-than", unread).err
    assert "--older-than" in shell("maintain", "thin").err
    refused = shell("list", "--space", "work", "--as-of", "2026-01-01")
    assert (refused.code, "was thinned up to" in refused.err) == (2, True)


def test_consolidating_and_merging_are_told(shell, monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "bundled")
    for word in ("every", "each"):
        shell.remember(f"The deploy of the gateway happens {word} Tuesday morning.", "--space", "work")
    assert shell("maintain", "consolidate").out.startswith("work: 0 records faded")
    assert shell("maintain", "merge", "--dry-run").out.startswith("work: 1 record would be merged")
    merged = shell.json("maintain", "merge", "--space", "work")["merges"]
    assert [(one["space"], len(one["merges"]), one["finished"]) for one in merged] == [("work", 1, True)]


def test_a_wrong_number_is_an_error_that_names_the_option(shell):
    shell.remember("a")
    assert shell("maintain", "evict", "--max-age", "-1").err.startswith("error: --max-age: must be a number of days")
    assert shell("maintain", "consolidate", "--decay-rate", "2").err.startswith(
        "error: decay_rate: must be from 0 to 1"
    )


def test_agentos_brings_its_memories_along(shell, tmp_path):
    file = tmp_path / "state.json"
    entry = {"id": "m1", "agentId": "a", "content": "Tea at five", "timestamp": 1_700_000_000_000}
    file.write_text(json.dumps({"memories": [entry], "sessions": []}))
    assert shell("import", "agentos", str(file), "--dry-run").out == "a: 1 record, 0 facts would come\n"
    assert shell("import", "agentos", str(file)).out == "a: 1 record, 0 facts came\n"
    assert shell("import", "agentos", str(file)).out == "a: 0 records, 0 facts came; 1 was here already\n"
    dry = shell("import", "agentos", str(file), "--dry-run")
    assert dry.out == "a: 0 records, 0 facts would come; 1 was here already\n"
    assert shell("forget", "m1", "--yes").code == 0
    again = shell("import", "agentos", str(file))
    assert (again.out, again.err) == ("a: 0 records, 0 facts came\n", "  1 was forgotten here and stays so: m1\n")
    assert shell.json("list", "--space", "a")["records"] == []
    file.write_text("{")
    assert "is no export of agentos" in shell("import", "agentos", str(file)).err
