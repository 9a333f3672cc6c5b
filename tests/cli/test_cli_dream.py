"""`recollect dream`, typed."""

from __future__ import annotations


def test_a_dream_is_told_and_a_dry_run_changes_nothing(shell, monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "bundled")
    for word in ("every", "each"):
        shell.remember(f"The deploy of the gateway happens {word} Tuesday morning.", "--space", "work")
    told = shell.json("dream", "--space", "work", "--dry-run")["dreams"]
    assert [(dream["space"], len(dream["merges"]), dream["dry_run"]) for dream in told] == [("work", 1, True)]
    outcome = shell("dream")
    assert outcome.code == 0
    assert outcome.out.startswith("work: 2 records, 1 merged, 0 index entries mended, 0 faded")
    entry = outcome.err.split("recollect undo ")[1].split()[0]
    assert shell("undo", entry).code == 0
    assert shell("dream", "--space", "work").out.startswith("work: 2 records, 0 merged")


def test_dreaming_makes_nothing_where_nothing_is(shell):
    outcome = shell("dream")
    assert (outcome.code, outcome.out) == (0, "")
    assert "no memory yet" in outcome.err
    assert not shell.store.exists()


def test_dreaming_of_an_unknown_space_is_an_error(shell):
    shell.remember("a")
    outcome = shell("dream", "--space", "nowhere")
    assert (outcome.code, outcome.err) == (1, "error: there is no space named 'nowhere'; there are: default\n")


def test_a_dream_advises_what_remember_advises_and_what_can_be_undone(shell, monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "bundled")
    old = shell.remember("The deploy of the gateway happens every Tuesday morning at 9.")
    stored = shell("remember", "The deploy of the gateway happens every Tuesday morning at 11.")
    new = stored.out.split()[1]
    command = f"recollect forget {old} --superseded-by {new}"
    assert command in stored.err
    assert command in shell("dream", "--dry-run").err
    assert shell(*command.split()[1:]).code == 0
    assert shell.json("show", old)["superseded_by"] == new
