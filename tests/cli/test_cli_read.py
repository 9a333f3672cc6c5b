from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Shell

import recollect
from recollect import Settings


@pytest.mark.parametrize(
    ("command", "empty"),
    [
        (("recall", "anything"), {"hits": [], "context": "", "signals": None}),
        (("list",), {"records": [], "total": 0}),
        (("journal",), {"acts": []}),
        (("journal", "--entries"), {"changes": []}),
        (("spaces",), {"spaces": []}),
        (("stats",), {"store": None, "bytes": 0, "spaces": [], "models": []}),
        (("reindex",), {"reindexed": 0}),
        (("embed",), {"embedded": 0, "waiting": 0}),
        (("brief",), {"notes": [], "text": "", "left_out": 0}),
        (("maintain", "evict"), {"runs": []}),
        (("maintain", "merge"), {"merges": []}),
        (("projects", "list"), {"projects": []}),
        (("search-code", "x"), {"hits": [], "signals": None}),
        (("token", "list"), []),
        (("doctor", "--secrets"), {"found": [], "masked": 0}),
    ],
)
def test_reading_where_there_is_no_memory_makes_none(shell: Shell, command: str, empty: str) -> None:
    assert shell.json(*command) == empty
    outcome = shell(*command)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"no memory yet at {shell.store / 'recollect.db'}\n"
    assert not shell.store.exists()


@pytest.mark.parametrize("command", ["show x", "history x", "revise x y", "forget x --yes", "undo 1", "explore x"])
def test_asking_for_one_thing_where_there_is_no_memory_fails_and_makes_none(shell: Shell, command: str) -> None:
    outcome = shell(*command.split())
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == f"error: no memory yet at {shell.store / 'recollect.db'}\n"
    assert not shell.store.exists()


def test_recall_shows_score_date_title_text_and_id(shell: Shell) -> None:
    id = shell.remember("Tokens are validated with RS256.", "--title", "Gateway", "--time", "2026-05-10T12:00:00Z")
    header, row = shell("recall", "how", "are", "tokens", "validated?").out.splitlines()
    assert header.split() == ["score", "date", "who", "/", "title", "text", "id"]
    assert row.split()[1:3] == ["2026-05-10", "Gateway"]
    assert row.split()[-1] == id
    assert "Tokens are validated with RS256." in row


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_a_recall_had_no_time_for_is_computed_once_its_answer_is_there(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "bundled")
    for number in range(3):
        shell.remember(f"Ferry {number} leaves from pier {number}.")
    monkeypatch.setattr("recollect.engine.embedding.semantics.Semantics.time_for_vectors", lambda *_: 0.0)
    first = shell("recall", "which pier for ferry 1?", *form)
    assert '"waiting_for_vectors": 3' in first.out or "3 records wait for their vectors" in first.err
    assert shell.json("recall", "which pier for ferry 1?")["signals"]["waiting_for_vectors"] == 0


def test_recall_says_why_in_words_and_numbers(shell: Shell) -> None:
    shell.remember("Tokens are validated with RS256.")
    outcome = shell("recall", "tokens", "--why")
    assert "words 1.00" in outcome.out
    assert "searched by words" in outcome.err


def test_recall_as_json_has_hits_context_and_signals(shell: Shell) -> None:
    id = shell.remember("Tokens are validated with RS256.", "--time", "2026-05-10T12:00:00Z")
    answer = shell.json("recall", "tokens")
    [hit] = answer["hits"]
    assert hit["record"]["id"] == id
    assert hit["record"]["event_time"] == "2026-05-10T12:00:00Z"
    assert id in answer["context"]
    assert answer["signals"]["keyword_candidates"] == 1


def test_recall_with_a_budget_prints_the_block_for_a_prompt(shell: Shell) -> None:
    id = shell.remember("Tokens are validated with RS256.")
    out = shell("recall", "tokens", "--budget", "200").out
    assert out.startswith("<recollect>")
    assert f"[{id}]" in out


def test_recall_keeps_to_its_filters(shell: Shell) -> None:
    old = shell.remember("The plan of May.", "--time", "2026-05-10T12:00:00Z", "--tag", "plan", "--kind", "note")
    new = shell.remember("The plan of June.", "--time", "2026-06-10T12:00:00Z", "--project", "p", "--session", "s")
    other = shell.remember("The plan of others.", "--space", "work")

    def found(*options: str) -> set[str]:
        return {hit["record"]["id"] for hit in shell.json("recall", "plan", *options)["hits"]}

    assert found() == {old, new}
    assert found("--tag", "plan") == found("--kind", "note") == found("--until", "2026-05-10") == {old}
    assert found("--project", "p") == found("--session", "s") == found("--since", "2026-06-10") == {new}
    assert found("--space", "work") == {other}
    assert found("--all-spaces") == {old, new, other}
    assert len(found("--limit", "1")) == 1


def test_recall_warns_when_nothing_is_found(shell: Shell) -> None:
    shell.remember("Tokens are validated with RS256.")
    outcome = shell("recall", "zebras")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "nothing found\n")


def test_exploring_a_time_before_anything_was_recorded_says_so(shell: Shell) -> None:
    shell.remember("Biscuit eats duck.", "--time", "2026-02-03")
    told = shell("explore", "Biscuit", "--as-of", "2020-01-01").err
    assert told.startswith("error: nothing was recorded before")
    assert "--true-at" in told
    assert "there is no entity 'Bisquit'" in shell("explore", "Bisquit").err


def test_as_of_answers_what_was_known_then(shell: Shell) -> None:
    id = shell.remember("The key is ES256.")
    assert shell.json("list", "--as-of", "2020-01-01") == {"records": [], "total": 0}
    assert (
        shell("show", id, "--as-of", "2020-01-01").err == f"error: there is no record with id '{id}' as of 2020-01-01\n"
    )
    assert shell.json("show", id)["text"] == "The key is ES256."


def test_list_pages_and_says_what_is_left(shell: Shell) -> None:
    ids = [shell.remember(f"Note {n}", "--time", f"2026-05-1{n}T00:00:00Z") for n in range(3)]
    outcome = shell("list", "--limit", "1", "--offset", "1", "--order", "oldest")
    assert ids[1] in outcome.out
    assert outcome.err == "2 to 2 of 3 records\n"


def test_show_has_the_whole_text_and_the_fields_that_are_set(shell: Shell) -> None:
    id = shell.remember("First line.\n" + "long " * 200, "--tag", "a", "--meta", "n=1", "--meta", "word=yes no")
    out = shell("show", id).out
    assert "long " * 199 in out
    assert "tags" in out
    assert "n=1, word=yes no" in out
    assert "room" not in out


def test_show_tells_where_in_its_source_something_stands(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# Guide\nTurn it on.\n")
    (tmp_path / "talk.json").write_text('[{"role": "user", "content": "Where is the key?"}]')
    shell("ingest", str(tmp_path / "guide.md"), str(tmp_path / "talk.json"))
    places = {}
    for record in shell.json("list")["records"]:
        lines = [line.split(maxsplit=1) for line in shell("show", record["id"]).out.splitlines()]
        places[record["kind"]] = next(line[1].strip() for line in lines if line and line[0] == "place")
    assert places == {"document": "lines 1 to 2", "message": "message 1"}


def test_text_cannot_play_tricks_on_the_terminal(shell: Shell) -> None:
    id = shell.remember("red \x1b[31malert\x07")
    for command in (("show", id), ("list",), ("recall", "red"), ("history", id)):
        out = shell(*command).out
        assert "alert" in out
        assert "\x1b" not in out
        assert "\x07" not in out


def test_show_tells_what_a_record_claims_and_rests_on(shell: Shell) -> None:
    with recollect.open(settings=Settings(home=shell.store, embedder="none")) as memory:
        said = memory.remember("Maria: we ship on Fridays.").id
        claim = {"subject": "team", "predicate": "ships on", "value": "Friday"}
        grounds = {"scopes": ["scope:team"], "evidence": [said], "claim": claim}
        id = str(memory.remember("The team ships on Fridays.", grounds=grounds).id)
    lines = [line.split() for line in shell("show", id).out.splitlines()]
    assert ["status", "candidate"] in lines
    assert ["trust", "agent", "inferred"] in lines
    assert ["claims", "team", "ships", "on", "Friday"] in lines
    assert ["rests", "on", said, "(current)"] in lines
    assert shell.json("show", id)["grounds"]["claim"] == claim


def test_explore_shows_facts_past_facts_neighbours_and_mentions(shell: Shell) -> None:
    shell("relate", "Alice", "works_at", "Acme", "--valid-from", "2026-01-01")
    shell("relate", "Alice", "works_at", "Beta", "--valid-from", "2026-03-01")
    id = shell.remember("Alice leads the team.")
    answer = shell.json("explore", "Alice")
    assert [fact["object"] for fact in answer["facts"]] == ["Beta"]
    assert [fact["object"] for fact in answer["past_facts"]] == ["Acme"]
    assert [record["id"] for record in answer["mentions"]] == [id]
    assert {entity["name"] for entity in answer["neighborhood"]["entities"]} == {"Alice", "Beta"}
    out = shell("explore", "Alice").out
    for word in ("What is stated", "What was stated once", "Neighbourhood", "Mentioned in", id):
        assert word in out
    assert "2026-02-28" in out  # the last day of which the first held


@pytest.mark.parametrize("name", ["Muller", "MULLER", "mueller", "Müller", "müller"])
def test_explore_finds_a_name_without_its_diacritics(shell: Shell, name: str) -> None:
    shell("remember", "We met Müller at the fair.")
    shell("relate", "Müller", "works_at", "Łódź Steel")
    found = shell.json("explore", name)
    assert ([fact["object"] for fact in found["facts"]], len(found["mentions"])) == (["Łódź Steel"], 1)
    assert shell.json("explore", "Lodz Steel")["neighborhood"]["start"]["name"] == "Łódź Steel"
    assert "there is no entity 'Miller'" in shell("explore", "Miller").err


def test_explore_shows_who_mentions_a_name_written_without_its_diacritics(shell: Shell) -> None:
    shell("remember", "José called about the roof.")
    assert len(shell.json("explore", "Jose")["mentions"]) == 1


def test_explore_prefers_who_is_called_just_so(shell: Shell) -> None:
    shell("relate", "Müller", "works_at", "Acme")
    shell("relate", "Muller", "works_at", "Borg")
    assert [fact["object"] for fact in shell.json("explore", "Muller")["facts"]] == ["Borg"]


def test_explore_tells_what_is_to_hold_later_apart_from_what_is_over(shell: Shell) -> None:
    shell("relate", "Alice", "works_at", "Acme", "--valid-from", "2024", "--valid-until", "2025")
    shell("relate", "Alice", "works_at", "Beta", "--valid-from", "2026")
    before = shell.json("explore", "Alice", "--true-at", "2024-06")
    assert [fact["object"] for fact in before["facts"]] == ["Acme"]
    assert (before["past_facts"], [fact["object"] for fact in before["coming_facts"]]) == ([], ["Beta"])
    out = shell("explore", "Alice", "--true-at", "2024-06").out
    assert "What is to hold later" in out
    assert "What was stated once" not in out
    assert [fact["object"] for fact in shell.json("explore", "Alice")["past_facts"]] == ["Acme"]


def test_explore_answers_for_a_name_that_is_only_mentioned(shell: Shell) -> None:
    id = shell.remember("Then we met Zebulon Pike in Rome.")
    assert [record["id"] for record in shell.json("explore", "Zebulon Pike")["mentions"]] == [id]
    assert "only mentioned" in shell("explore", "Zebulon Pike").out
    assert shell("explore", "Nobody Atall").code == 1


def test_stats_counts_every_space(shell: Shell) -> None:
    shell.remember("One.")
    shell.remember("Two.", "--space", "work", "--kind", "note")
    answer = shell.json("stats")
    assert [(one["space"], one["records"], one["by_kind"]) for one in answer["spaces"]] == [
        ("default", 1, {"memory": 1}),
        ("work", 1, {"note": 1}),
    ]
    assert answer["bytes"] > 0
    assert "1 note" in shell("stats", "--space", "work").out


def test_recall_names_a_space_that_is_not_there(shell: Shell) -> None:
    shell.remember("Tokens are validated with RS256.", "--space", "work")
    outcome = shell("recall", "tokens", "--space", "wrok")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "error: there is no space named 'wrok'; there are: work\n"


def test_a_space_without_anything_that_holds_is_told_as_that(shell: Shell) -> None:
    shell("remember", "The lamp is lit at five.")
    shell("spaces", "create", "work")
    for command in ("brief", "list"):
        assert "nothing stored in the space 'work' yet" in shell(command, "--space", "work").err
    shell("remember", "It held once.", "--space", "work", "--valid-until", "2020")
    for command in ("brief", "list"):
        assert "nothing stored that holds now" in shell(command, "--space", "work").err
    assert "nothing stored that fits" in shell("list", "--tag", "none").err


def test_brief_says_what_is_worth_knowing_within_a_budget(shell: Shell) -> None:
    rule = shell.remember("Never deploy on Fridays.")
    pinned = shell.remember("The emergency number is 555-0199.", "--tag", "pinned")
    for command in (["brief"], ["recall"], ["recall", "what should I know?"]):
        told = shell(*command)
        assert told.code == 0
        assert told.out.index(pinned) < told.out.index(rule)
    small = shell("brief", "--budget", "60")
    assert (pinned in small.out, rule in small.out) == (True, False)
    assert "1 other record left out" in small.err
    assert shell.json("brief", "--project", "none")["notes"][0]["record"]["id"] == pinned


def test_a_budget_that_holds_nothing_is_told_so(shell: Shell) -> None:
    shell.remember("The gateway validates tokens with RS256.")
    asked = shell("recall", "how does the gateway validate tokens?", "--budget", "5")
    assert (asked.code, asked.out, asked.err) == (0, "", "nothing found that fits into 5 tokens\n")
    told = shell("brief", "--budget", "5")
    assert (told.code, told.out) == (0, "")
    assert told.err.splitlines()[0] == "nothing fits into 5 tokens"


def test_a_budget_shows_the_best_first_with_dates(shell: Shell) -> None:
    shell.remember("The gateway validates tokens with RS256.", "--time", "2026-01-10")
    shell.remember("Tokens of the arcade are made of brass.", "--time", "2026-05-10")
    lines = shell("recall", "how does the gateway validate tokens?", "--budget", "300").out.splitlines()
    assert "] (2026-01-10 · user declared) The gateway validates" in lines[2]
    assert "] (2026-05-10 · user declared) Tokens of the arcade" in lines[3]


def test_list_is_sorted_by_the_date_that_it_shows(shell: Shell) -> None:
    for text, date in (("second", "2026-02-01"), ("third", "2026-03-01"), ("first", "2026-01-01")):
        shell.remember(text, "--time", date)
    shown = [line.split()[0] for line in shell("list").out.splitlines()[1:]]
    assert shown == ["2026-03-01", "2026-02-01", "2026-01-01"]
    assert [record["text"] for record in shell.json("list", "--order", "oldest")["records"]] == [
        "first", "second", "third",
    ]  # fmt: skip
    assert shell.json("list", "--order", "updated")["records"][0]["text"] == "first"


def test_versions_are_counted_for_each_record_by_itself(shell: Shell) -> None:
    other = shell.remember("Another one.")
    id = shell.remember("The gateway listens on port 8080.")
    shell("revise", id, "The gateway listens on port 9090.")
    assert shell.json("show", id)["version"] == 2
    assert shell.json("show", other)["version"] == 1
    assert [step["record"]["version"] for step in shell.json("history", id)["history"]] == [1, 2]
    assert {one["id"]: one["version"] for one in shell.json("list")["records"]} == {id: 2, other: 1}
    assert shell.json("recall", "gateway port")["hits"][0]["record"]["version"] == 2


def test_a_space_that_is_not_there_is_named_as_such(shell: Shell) -> None:
    shell.remember("x", "--space", "work")
    for command in (["recall", "x"], ["list"], ["brief"], ["explore", "Mira"]):
        outcome = shell(*command, "--space", "wrok")
        assert outcome.code == 1
        assert outcome.err == "error: there is no space named 'wrok'; there are: work\n"
    assert shell("list").code == 0  # the default one need not be there yet


def test_explore_finds_a_name_that_begins_sentences(shell: Shell) -> None:
    id = shell.remember("Mira prefers short answers.")
    shell.remember("We mired the cart in mud.")
    found = shell.json("explore", "Mira")
    assert [record["id"] for record in found["mentions"]] == [id]
    assert shell("explore", "Mira").code == 0
    assert shell("explore", "Nobody").code == 1


def test_an_id_that_is_mistyped_by_a_letter_or_in_capitals_is_told(shell: Shell) -> None:
    id = shell.remember("One.")
    shell.remember("Two.")
    for typed in (id[:-1], id[1:], id.upper(), f"{id}x"):
        outcome = shell("show", typed)
        assert (outcome.code, outcome.err) == (
            1,
            f"error: there is no record with id {typed!r}; did you mean {id!r}?\n",
        )
    assert shell("show", "nowhere").err == "error: there is no record with id 'nowhere'\n"


@pytest.mark.parametrize(
    "words",
    [
        ["search-code", "x"], ["projects", "list"], ["summarize"], ["embed"], ["stats"], ["journal"],
        ["journal", "--entries"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_command_finds_nothing_in_a_space_that_is_not_there(shell: Shell, words: list[str]) -> None:
    shell.remember("Something", "--space", "work")
    told = "error: there is no space named 'wrok'; there are: work\n"
    assert shell(*words, "--space", "wrok") == (1, "", told)
    assert shell("spaces", "describe", "wrok") == (1, "", told)


def test_what_was_done_in_a_space_that_was_deleted_is_shown(shell: Shell) -> None:
    shell.remember("Something", "--space", "work")
    assert shell("spaces", "delete", "work", "--yes").code == 0
    assert shell("journal", "--space", "work").code == 0
