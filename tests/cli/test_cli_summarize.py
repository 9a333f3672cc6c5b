from __future__ import annotations

import json

import pytest

from loopback import serve_loopback


def fill(shell) -> list[str]:
    first = shell.remember("Jon added 200 GB to billing.", "--project", "api", "--time", "2026-05-01T09:00:00Z")
    return [first, shell.remember("Mira was hired in Berlin.", "--project", "api", "--time", "2026-05-02T09:00:00Z")]


def test_summarize_prints_and_keeps_a_summary(shell) -> None:
    ids = fill(shell)
    outcome = shell("summarize", "--project", "api", "--since", "2026-05-01", "--until", "2026-05-02")
    assert outcome.out == "2026-05-01: Jon added 200 GB to billing.\n2026-05-02: Mira was hired in Berlin.\n"
    assert "extractive, of 2 memories; kept as " in outcome.err
    again = shell.json("summarize", "--project", "api")
    assert (again["sources"], again["stored"]) == (ids, False)
    assert "held already as" in shell("summarize", "--project", "api").err


def test_summarize_refuses_by_name(shell) -> None:
    fill(shell)
    assert shell("summarize", "--project", "nowhere").code == 1
    outcome = shell("summarize", "--strategy", "abstractive")
    assert outcome.code == 2
    assert "RECOLLECT_SUMMARIZER" in outcome.err


def test_stats_shows_what_language_models_were_asked_for(shell, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(shell)
    with serve_loopback() as server:
        server.answer = lambda _: {
            "message": {"content": "Jon helped."}, "prompt_eval_count": 1_234, "eval_count": 5,
        }  # fmt: skip
        for name, value in (("", "ollama"), ("_MODEL", "tiny"), ("_URL", server.url)):
            monkeypatch.setenv(f"RECOLLECT_SUMMARIZER{name}", value)
        outcome = shell("summarize")
    assert outcome.out == "Jon helped.\n"
    assert "abstractive by tiny, of 2 memories" in outcome.err
    (day,) = shell.json("stats")["models"]
    assert (day["provider"], day["calls"], day["tokens_in"], day["tokens_out"]) == ("ollama", 1, 1_234, 5)
    table = shell("stats").out
    assert "Language models" in table
    assert "1,234" in table


def test_over_the_limit_of_a_day_it_says_so(shell, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(shell)
    monkeypatch.setenv("RECOLLECT_SUMMARIZER", "ollama")
    monkeypatch.setenv("RECOLLECT_SUMMARIZER_MODEL", "tiny")
    monkeypatch.setenv("RECOLLECT_SUMMARIZER_DAILY_TOKENS", "10")
    outcome = shell("summarize")
    assert outcome.out.startswith("2026-05-01: Jon")
    assert "ollama may take 10 tokens a day" in outcome.err
    assert json.loads(shell("summarize", "--json").out)["strategy"] == "extractive"
