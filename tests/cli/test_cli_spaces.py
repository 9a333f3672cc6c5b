"""`recollect spaces identity`, typed."""

from __future__ import annotations


def test_the_identity_of_a_space_is_shown_set_and_cleared(shell):
    shell.remember("a", "--space", "work")
    assert shell("spaces", "identity", "work").err == "work has no identity\n"
    assert shell("spaces", "identity", "work", "I", "plan.").out == "I plan.\n"
    assert (shell.store / "spaces" / "work" / "identity.txt").read_text("utf-8") == "I plan.\n"
    assert shell("spaces", "identity", "work", "-", stdin="From a pipe.\n").out == "From a pipe.\n"
    assert shell.json("spaces", "identity", "work") == {"space": "work", "identity": "From a pipe."}
    assert shell("spaces", "identity", "work", "--clear").err == "work has no identity\n"


def test_the_identity_of_an_unknown_space_is_an_error(shell):
    shell.remember("a")
    assert shell("spaces", "identity", "nowhere").code == 1
    assert shell("spaces", "identity", "nowhere", "text").code == 1
