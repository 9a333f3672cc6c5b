from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from recollect.engine.write.grounds import source_id

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Shell


def test_remember_stores_with_every_field_that_is_given(shell: Shell) -> None:
    id = shell.remember(
        "The text.", "--title", "T", "--role", "Mira", "--room", "r", "--session", "s", "--project", "p", "--user", "u",
        "--tag", "a", "--tag", "b", "--kind", "note", "--type", "episodic", "--importance", "0.9",
        "--confidence", "0.8", "--time", "2026-05-10T12:00:00Z", "--valid-from", "2026-05-01", "--source", "mail",
        "--id", "mine", "--meta", "n=1",
    )  # fmt: skip
    record = shell.json("show", id)
    shown = {
        name: record[name] for name in ("id", "title", "role", "room", "session", "project", "user", "tags", "trust")
    }
    assert shown == {
        "id": "mine", "title": "T", "role": "Mira", "room": "r", "session": "s", "project": "p", "user": "u",
        "tags": ["a", "b"], "trust": "user_declared",
    }  # fmt: skip
    assert (record["kind"], record["memory_type"], record["importance"]) == ("note", "episodic", 0.9)
    assert (record["valid_from"], record["metadata"]) == ("2026-05-01T00:00:00Z", {"n": 1})


def test_remember_takes_its_text_from_stdin(shell: Shell) -> None:
    assert shell("remember", stdin="from a pipe\n").code == 0
    assert shell("remember", "-", stdin="from a dash\n").code == 0
    assert {record["text"] for record in shell.json("list")["records"]} == {"from a pipe", "from a dash"}


def test_remember_answers_with_the_id_that_holds_the_same_text(shell: Shell) -> None:
    id = shell.remember("Once.")
    assert shell("remember", "Once.").out == f"already there: {id}\n"


def test_an_ingest_of_nothing_tells_of_its_failure_alone(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(_memory: object, report: Callable[[str, int, int], None], **_: object) -> int:
        report("vectors", 1, 1)
        return 0

    monkeypatch.setattr("recollect.cli.ingest.complete_vectors", compute)
    told = shell("ingest", "nowhere.md")
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith("failed: nowhere.md")


def test_remember_says_that_a_changed_secret_is_not_kept(shell: Shell) -> None:
    id = shell.remember("The staff wifi password is levain-nord-77.")
    told = shell("remember", "The staff wifi password is other-thing-12.").out
    assert told.startswith(f"already there: {id}: the same text is already stored; masked")
    assert "the secret itself is not kept" in told


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (("   ",), "", "error: text: is blank; give it some text\n"),
        (("x", "--importance", "7"), "", "error: importance: must be from 0 to 1, not 7.0\n"),
        (("x", "--type", "?"), "", "error: --type: must be one of episodic, semantic, procedural; not '?'\n"),
        (("x", "--time", "2026-13-01"), "", "error: --time: is not a real time: '2026-13-01' (month must be in 1..12);"
            " write it like 2026-05-10T14:32:00Z, 2026-05-10, 2026-03, yesterday, last week or 3 days ago\n"),
        ((), b"\xff\xfe", "error: stdin: is not UTF-8 text (byte 0 does not fit)\n"),
        ((), "a\0b", "error: text: contains a NUL character; remove it\n"),
        (("x", "--space", ""), "", "error: space: must have 1 to 200 characters, not 0\n"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_line_and_nothing_is_stored(shell: Shell, args: str, stdin: str, message: str) -> None:
    outcome = shell("remember", *args, stdin=stdin)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", message)
    assert shell.json("list")["total"] == 0


def test_errors_for_programs_are_json_on_stderr(shell: Shell) -> None:
    outcome = shell("remember", " ", "--json")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        '{"error":{"code":"invalid_input","message":"text: is blank; give it some text","field":"text"}}\n'
    )
    wrong = shell("recall", "x", "--bogus", "--json")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith('{"error":{"code":"usage","message":"No such option: --bogus')


def test_revise_undo_and_history_tell_one_story(shell: Shell) -> None:
    id = shell.remember("RS256.")
    entry = shell.json("revise", id, "ES256.", "--reason", "changed in May")["entry"]
    assert shell("revise", id, "--tag", "keys").code == 0
    assert [step["record"]["text"] for step in shell.json("history", id)["history"]] == ["RS256.", "ES256.", "ES256."]
    assert "changed in May" in shell("history", id).out
    last = shell.json("journal", "--limit", "1")["acts"][0]["entry"]
    shell("undo", str(last))
    shell("undo", str(entry))
    assert shell.json("show", id)["text"] == "RS256."


def test_revising_what_is_not_there_fails(shell: Shell) -> None:
    shell.remember("x")
    assert shell("revise", "nix", "y") == (1, "", "error: there is no record with id 'nix'\n")


def test_forget_needs_yes_where_nobody_can_be_asked(shell: Shell) -> None:
    id = shell.remember("A secret.")
    refused = shell("forget", id)
    assert refused.code == 2
    assert "add --yes" in refused.err
    assert shell.json("list")["total"] == 1
    assert shell("forget", id, "--yes").code == 0
    assert shell("show", id).code == 1


def test_forget_says_of_each_that_goes_along_why_it_does(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# One\n\nWater first.\n\n# Two\n\nThen leaves.\n")
    assert shell("ingest", str(tmp_path / "guide.md")).code == 0
    held = {one["id"]: source_id(one["source"]) for one in shell.json("list")["records"]}
    (source,) = {*held.values()}
    told = shell("forget", source, "--yes").out
    assert "said the same" not in told
    (line,) = [line for line in told.splitlines() if "also removed (part of it): " in line]
    assert {*line.partition(": ")[2].split(", ")} == held.keys()


def test_forget_of_several_removes_none_when_one_is_unknown(shell: Shell) -> None:
    id = shell.remember("Stay.")
    nobody = "error: there is no record, fact or entity with id 'nix'; nothing was forgotten\n"
    assert shell("forget", id, "nix", "--yes").err == nobody
    assert shell.json("list")["total"] == 1


def test_soft_forget_keeps_history_and_can_be_undone(shell: Shell) -> None:
    id = shell.remember("We live in Rome.")
    [receipt] = shell.json("forget", id, "--soft", "--reason", "we moved")["receipts"]
    assert shell.json("recall", "Rome")["hits"] == []
    shell("undo", str(receipt["entry"]))
    assert len(shell.json("recall", "Rome")["hits"]) == 1


@pytest.mark.parametrize("soft", [(), ("--soft",)], ids=["alone", "with --soft"])
def test_forget_with_a_successor_never_removes_and_can_be_undone(shell: Shell, soft: tuple[str, ...]) -> None:
    texts = ("Our doctor is Dr. Weiss.", "The rent is 900 EUR.", "Der Laden öffnet um zehn.")
    olds = [shell.remember(text) for text in texts]
    new = shell.remember("All of that has changed.")
    receipts = shell.json("forget", *olds, "--superseded-by", new, *soft, "--yes", "--reason", "changed")["receipts"]
    for old, text, receipt in zip(olds, texts, receipts, strict=True):
        shown = shell.json("show", old)
        assert (shown["text"], shown["status"], shown["superseded_by"]) == (text, "superseded", new)
        assert shell("undo", str(receipt["entry"])).code == 0
        assert shell.json("show", old)["status"] == "active"


def test_forget_with_a_wrong_successor_changes_nothing(shell: Shell) -> None:
    one, two = shell.remember("One."), shell.remember("Two.")
    for wrong, told in ((two, "cannot take its own place"), ("nowhere", "nowhere")):
        outcome = shell("forget", one, two, "--superseded-by", wrong, "--yes")
        assert (outcome.code > 0, told in outcome.err) == (True, True)
        assert {record["status"] for record in shell.json("list")["records"]} == {"active"}
        assert shell.json("list")["total"] == 2


def test_revising_nothing_says_that_there_is_nothing_to_change(shell: Shell) -> None:
    id = shell.remember("We live in Rome.")
    for stdin in ("", " \n"):
        outcome = shell("revise", id, stdin=stdin)
        assert outcome.code == 2
        assert outcome.err.startswith("error: nothing to change; give the new text, or an option")
    assert len(shell.json("history", id)["history"]) == 1


def test_remember_says_what_it_masked_and_how_such_things_are_kept(shell: Shell) -> None:
    told = shell("remember", "The gate has the PIN 4417.", "--space", "my house")
    [said] = [line for line in told.err.splitlines() if "masked before it was stored: PIN" in line]
    command = said.rpartition(": recollect ")[2]
    assert shell(*shlex.split(command)).code == 0
    assert "masked" not in shell("remember", "The shed has the PIN 5528.", "--space", "my house").err


def test_relate_says_what_it_masked(shell: Shell) -> None:
    told = shell("relate", "svc", "password", "Blaue*Katze42")
    assert ("Katze" in told.out, told.err) == (False, "  masked before it was stored: password\n")
    assert shell.json("relate", "svc", "api_key", "0f3a9c7be1d24568a9b0c1d2e3f4a5b6")["masked"] == ["password"]
    assert "Katze" not in shell("explore", "svc").out


@pytest.mark.parametrize(("ends", "field"), [(("", "runs", "x"), "subject"), (("x", "runs", ""), "object")])
def test_relate_names_the_end_of_a_fact_that_is_wrong(shell: Shell, ends: tuple[str, ...], field: str) -> None:
    outcome = shell("relate", *ends)
    assert (outcome.code, outcome.err) == (2, f"error: {field}: must have 1 to 1000 characters, not 0\n")


def test_relate_replaces_unless_told_to_keep(shell: Shell) -> None:
    shell("relate", "Alice", "likes", "tea")
    shell("relate", "Alice", "likes", "coffee", "--also")
    assert {fact["object"] for fact in shell.json("explore", "Alice")["facts"]} == {"tea", "coffee"}
    shell("relate", "Alice", "likes", "water")
    assert {fact["object"] for fact in shell.json("explore", "Alice")["facts"]} == {"water"}


def test_ingesting_a_file_again_replaces_what_it_held(shell: Shell) -> None:
    file = shell.home / "notes.md"
    file.write_text("# One\nfirst\n\n# Two\nsecond\n")
    assert shell("ingest", str(file)).out == f"{file}: stored, 2 segments\n"
    assert shell("ingest", str(file)).out == f"{file}: unchanged, 2 segments\n"
    file.write_text("# One\nfirst\n\n# Three\nthird\n")
    assert shell("ingest", str(file)).out == f"{file}: updated, 1 new, 1 kept, 1 removed\n"
    titles = {record["title"] for record in shell.json("list")["records"]}
    assert titles == {"notes › One", "notes › Three"}


def test_ingest_reads_stdin_and_refuses_what_it_cannot_read(shell: Shell) -> None:
    assert shell("ingest", "-", "--title", "T", stdin="some text").code == 0
    assert shell.json("list")["records"][0]["title"] == "T"
    missing = str(shell.home / "none.md")
    assert shell("ingest", missing) == (1, "", f"failed: {missing}: path: {missing} does not exist\n")


@pytest.mark.parametrize("words", [["ingest"], ["import"], ["export"], ["backup"], ["restore"], ["index"], ["sync"]])
def test_a_name_that_no_file_may_have_is_told_and_not_dumped(shell: Shell, words: list[str]) -> None:
    shell.remember("Something to export.")
    outcome = shell(*words, "x" * 300)
    assert outcome.code in (1, 2)
    assert "File name too long" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_folder_brings_in_documents_code_and_transcripts_and_names_what_failed(shell: Shell) -> None:
    folder = shell.home / "work"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\nTurn it on.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "till.py").write_text("def price():\n    return 1\n")
    (folder / "talk.jsonl").write_text('{"role": "user", "content": "hello"}\n{"role": "assistant", "content": "hi"}\n')
    (folder / "data.json").write_text('{"a": 1}')
    outcome = shell("ingest", str(folder), "--tag", "work")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        f"{folder}: 2 documents new, 0 changed, 0 unchanged, 0 gone, 1 problem",
        f"{folder}: 2 files of code, 1 chunk",
    ]
    assert "left out: broken.pdf: the PDF cannot be read" in outcome.err
    again = shell.json("ingest", str(folder), "--tag", "work", "--no-code")
    assert (again["folders"][0]["unchanged"], again["code"], again["failed"]) == (2, [], [])


def test_ingesting_a_folder_walks_through_it_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shell.home / "folder"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("# A\nText.\n")
    (folder / "b.py").write_text("def b():\n    return 1\n")
    looked: list[str] = []
    scan = os.scandir

    def look(path: str) -> object:
        looked.append(str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", look)
    assert shell("ingest", str(folder), "--later").code == 0
    assert looked == [str(folder)]


def test_what_fails_does_not_keep_the_rest_from_coming_in(shell: Shell) -> None:
    (shell.home / "a.md").write_text("one")
    outcome = shell("ingest", "http://127.0.0.1:9/x", str(shell.home / "a.md"), str(shell.home / "none"))
    assert (outcome.code, outcome.out) == (1, f"{shell.home / 'a.md'}: stored, 1 segment\n")
    assert [line.partition(": ")[0] for line in outcome.err.splitlines()] == ["failed", "failed"]
    assert "RECOLLECT_ALLOW_PRIVATE_ADDRESSES=true" in outcome.err


def test_reindex_says_how_far_it_is_in_plain_lines(shell: Shell) -> None:
    for n in range(3):
        shell.remember(f"Note {n}")
    outcome = shell("reindex")
    assert outcome.out == "reindexed 3 versions\n"
    assert "words: 3 of 3" in outcome.err


def test_spaces_are_made_described_listed_and_deleted(shell: Shell) -> None:
    shell("spaces", "create", "work", "--description", "The day job")
    shell.remember("x", "--space", "work")
    assert "The day job" in shell("spaces").out
    assert shell("spaces", "list").out == shell("spaces").out
    assert shell.json("spaces", "describe", "work")["stats"]["records"] == 1
    assert shell("spaces", "delete", "work").code == 2
    assert shell("spaces", "delete", "work", "--yes").code == 0
    assert shell("spaces", "describe", "work") == (
        1,
        "",
        "error: there is no space named 'work'; there are: none yet\n",
    )


def test_options_before_a_subcommand_are_not_silently_lost(shell: Shell) -> None:
    outcome = shell("spaces", "--json", "create", "work")
    assert outcome.code == 2
    assert "options go to the end" in outcome.err
    assert not shell.store.exists()


def test_promote_and_contest_say_what_can_be_believed(shell: Shell) -> None:
    id = shell.remember("The office is in Lisbon.")
    outcome = shell("contest", id, "--reason", "the page says Porto")
    assert (outcome.code, outcome.out.startswith(f"contested: {id} (entry ")) == (0, True)
    assert shell.json("show", id)["status"] == "contested"
    assert shell("contest", id).out == f"{id}: nothing would change\n"
    assert shell.json("promote", id)["status"] == "active"
    changes = shell.json("journal", "--entries", "--limit", "2")["changes"]
    assert [one["reason"] for one in changes] == ["by hand", "the page says Porto"]
    assert shell("promote", "nix") == (1, "", "error: there is no record with id 'nix'\n")


def test_remember_shows_what_it_contradicts_and_the_command_that_settles_it(shell: Shell) -> None:
    old = shell.remember("The gateway listens on port 8080.")
    told = shell("remember", "The gateway listens on port 9090.")
    new = told.out.split()[1]
    assert f"differs from {old}" in told.err
    assert "port 8080" in told.err
    command = f"recollect forget {old} --superseded-by {new}"
    assert command in told.err
    assert shell(*command.split()[1:]).code == 0
    assert [record["id"] for record in shell.json("list")["records"]] == [new]


def test_remember_puts_a_text_in_the_place_of_a_record(shell: Shell) -> None:
    old = shell.remember("The office is in Berlin.")
    new = shell.remember("The office is in Lisbon.", "--replaces", old)
    assert shell.json("show", old)["superseded_by"] == new
    wrong = shell("remember", "The office is in Porto.", "--replaces", "nowhere")
    assert wrong.code == 1
    assert "nowhere" in wrong.err


def test_what_was_done_in_one_go_is_one_line_and_taken_back_as_one(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for name in ("lamp", "door", "roof"):
        (tmp_path / "notes" / f"{name}.md").write_text(f"# The {name}\n\nThe {name} is green.\n")
    assert shell("ingest", str(tmp_path / "notes")).code == 0
    act = shell.json("journal")["acts"][0]
    assert (act["verb"], act["count"]) == ("ingest", len(shell.json("journal", "--act", str(act["entry"]))["changes"]))
    assert shell("journal").out.splitlines()[1].split()[:1] == [str(act["entry"])]
    one = shell.json("journal", "--act", str(act["entry"]))["changes"][0]["entry"]
    assert shell("undo", str(one)).code == 0
    assert len(shell.json("journal", "--limit", "1")["acts"][0]["verbs"]) == 1
    assert f"changes of entry {act['entry']}" in shell("undo", str(act["entry"])).err
    assert shell.json("list")["records"] == []
    assert shell("journal", "--after", "1").err.startswith("error: --after: needs --entries")


def test_a_time_that_is_none_is_told_by_the_option_that_was_typed(shell: Shell) -> None:
    told = shell("remember", "The pond is frozen.", "--time", "soon")
    assert told.code == 2
    assert told.err.startswith("error: --time: must be a time like ")


def test_a_transcript_that_is_read_again_says_what_was_forgotten_and_stays_so(shell, tmp_path):
    file = tmp_path / "talk.json"
    said = [{"role": "user", "content": text} for text in ("Green tea.", "Black tea.")]
    file.write_text(json.dumps({"id": "t1", "title": "Tea", "messages": said}))
    assert "stored, 2 segments" in shell("ingest", str(file)).out
    black = next(one["id"] for one in shell.json("list")["records"] if one["text"] == "Black tea.")
    assert shell("forget", black, "--yes").code == 0
    said.append({"role": "user", "content": "White tea."})
    file.write_text(json.dumps({"id": "t1", "title": "Tea", "messages": said}))
    assert "1 new, 1 kept, 0 removed; 1 was forgotten here and stays so" in shell("ingest", str(file)).out
    source = shell.json("ingest", str(file))["sources"][0]["id"]
    assert shell("forget", source, "--yes").code == 0
    assert "forgotten here, and stays so" in shell("ingest", str(file)).out
    assert shell.json("list")["records"] == []


def test_of_two_that_differ_the_later_is_offered_in_the_place_of_the_earlier(shell: Shell) -> None:
    now = shell.remember("The shop opens at 9.", "--valid-from", "2026-07-01")
    before = shell("remember", "The shop opens at 8.", "--time", "2024-05")
    id = before.out.split()[1]
    assert f"if that took its place: recollect forget {id} --superseded-by {now}" in before.err
    after = shell("remember", "The shop opens at 10.")
    assert f"if it takes its place: recollect forget {now} --superseded-by {after.out.split()[1]}" in after.err


def test_of_two_that_differ_one_whose_id_another_space_has_too_is_offered(shell: Shell) -> None:
    assert shell("remember", "The shop opens at 9.", "--id", "shop", "--space", "town").code == 0
    assert shell("remember", "The shop opens at 9.", "--id", "shop", "--space", "harbour").code == 0
    after = shell("remember", "The shop opens at 10.", "--space", "town")
    assert after.code == 0
    assert f"if it takes its place: recollect forget shop --superseded-by {after.out.split()[1]}" in after.err


def test_of_two_that_speak_of_two_things_neither_is_offered_in_the_place_of_the_other(shell: Shell) -> None:
    pairs = [("TODO: send the invoice to Halden.", "TODO: send the invoice to Berg."),
             ("Exam 1 is on 20 February.", "Exam 2 is on 29 May."),
             ("The shop is in Dock Street.", "The shop is in Quay Road.")]  # fmt: skip
    for older, newer in pairs:
        id = shell.remember(older)
        told = shell("remember", newer)
        assert f"differs from {id}" in told.err
        assert "--superseded-by" not in told.err


def test_a_note_that_says_no_more_is_not_offered_in_the_place_of_a_fuller_one(shell: Shell) -> None:
    full = shell("remember", "Standup is at 9:30 every day in the small room on the second floor.").out.split()[1]
    short = shell("remember", "Standup at 9:30.")
    command = f"recollect forget {short.out.split()[1]} --superseded-by {full}"
    assert f"it says no more than that; if one is enough: {command}" in short.err
    assert f"forget {full} " not in short.err
    assert shell(*command.split()[1:], "--soft").code == 0
    rent = shell("remember", "The rent is 940.").out.split()[1]
    assert f"recollect forget {rent} --superseded-by" in shell("remember", "The rent is 940, due on the 3rd.").err


def test_a_space_that_a_word_makes_is_told_as_new_and_where_nothing_is_the_others_are_named(shell: Shell) -> None:
    told = shell("remember", "The gate is green.", "--space", "gardne")
    assert "the space gardne is new" in told.err
    assert "is new" not in shell("remember", "The gate is wide.", "--space", "gardne").err
    assert "nothing is stored in 'default'; there is something in: gardne" in shell("recall", "gate").err


def test_a_mistyped_entity_or_project_is_met_with_the_one_there_is(shell: Shell, tmp_path: Path) -> None:
    assert shell("relate", "Mira", "likes", "tea").code == 0
    assert "did you mean 'Mira'?" in shell("explore", "Mirra").err
    shell.remember("The gate is green.", "--project", "garden")
    file = tmp_path / "all.jsonl"
    refused = shell("export", str(file), "--project", "GARDNE")
    assert refused.code == 1
    assert "no record has the project 'GARDNE'" in refused.err
    assert not file.exists()


def test_undo_without_a_number_shows_what_was_done_last_and_changes_nothing(shell: Shell) -> None:
    shell("remember", "The door is red.", "--id", "door")
    shell("revise", "door", "The door is blue.")
    asked = shell("undo")
    assert (asked.code, "revise" in asked.out, "remember" in asked.out) == (2, True, True)
    assert "nothing was undone" in asked.err
    assert "recollect undo 17" in asked.err
    last = shell.json("journal")["acts"][0]["entry"]
    assert str(last) in asked.out
    assert shell.json("journal")["acts"][0]["verb"] == "revise"
    asked = shell("undo", "--json")
    assert json.loads(asked.out)["acts"][0]["entry"] == last
    assert (asked.code, json.loads(asked.err)["error"]["code"]) == (2, "usage")
