"""Is what was forgotten really nowhere?"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect import Conflict, Memory, NotFound, Settings
from recollect.engine.intake import ingest
from recollect.engine.write.remember import count_terms
from recollect.engine.write.sessions import messages, repair_session
from recollect.errors import StoreBusy
from recollect.store.base import Shelf
from recollect.store.ops import Note
from recollect.types import Filter

SECRET = "Zqxvswordfish"
CJK = "鱻龘靐"


def traces(home: Path, *words: str) -> list[str]:
    """The files that hold a word, in any case, as UTF-8 or UTF-16."""
    found: list[str] = []
    for path in (path for path in home.rglob("*") if path.is_file()):
        content = path.read_bytes().lower()
        for word in words:
            if any(word.lower().encode(code) in content for code in ("utf-8", "utf-16-le")):
                found.append(f"{path.name}: {word}")
    return found


def confide(memory: Memory, space: str = "default") -> None:
    memory.remember(f'The "{SECRET} Code" opens {SECRET} {CJK}.', id="a", title=SECRET, tags=[SECRET], space=space)
    memory.revise("a", f"The code {SECRET} was changed {CJK}.", reason=f"not {SECRET}", space=space)
    memory.invalidate("a", reason=f"{SECRET} is over", space=space)
    for number in range(50):
        memory.remember(f"Harmless thing number {number}.", space=space)


def test_no_file_holds_a_word_of_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    confide(memory)
    assert traces(tmp_path / "home", SECRET, CJK) != []
    memory.forget("a")
    assert traces(tmp_path / "home", SECRET, CJK, "opens") == []
    memory.reindex()
    memory.close()
    assert traces(tmp_path / "home", SECRET, CJK, "opens") == []


def test_the_receipt_names_backups_that_may_hold_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    confide(memory)
    memory.remember("Tea is made with hot water.", id="b")
    copy = tmp_path / "home" / "backups" / "recollect-20260510-020000.db"
    copy.parent.mkdir()
    memory.backup(copy)
    receipt = memory.forget("a")
    assert [f"a backup in {copy.parent}" in left for left in receipt.pending] == [True]
    assert "a backup" in str(receipt.reason)
    copy.unlink()
    assert (memory.forget("b").pending, traces(tmp_path / "home", SECRET)) == ((), [])


def test_no_word_of_a_note_that_was_synced_stays_and_its_folder_is_named(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    memory.remember(f"{SECRET} has the flu {CJK}.", id="a")
    memory.remember("Bread is baked at seven.", id="b")
    memory.sync(folder)
    assert len(traces(folder, SECRET)) == 1
    receipt = memory.forget("a")
    assert receipt.pending == (f"its note in {folder}, until `recollect sync {folder}` runs again",)
    assert traces(tmp_path / "home", SECRET, CJK) == []
    assert memory.sync(folder).removed == 1
    assert traces(tmp_path, SECRET, CJK) == []
    assert [record.id for record in memory.list()] == ["b"]


def test_a_note_that_was_rewritten_since_stays_its_owners(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    memory.remember(f"{SECRET} has the flu.", id="a")
    memory.sync(folder)
    memory.forget("a")
    (file,) = folder.glob("*.md")
    file.write_text(file.read_text().replace(f"{SECRET} has the flu.", "Somebody was ill."))
    assert ["was forgotten here" in one.problem for one in memory.sync(folder).problems] == [True]
    file.write_text(file.read_text().replace("id: a\n", ""))
    assert memory.sync(folder).added == 1
    assert [record.text for record in memory.list()] == ["Somebody was ill."]


def test_the_receipt_names_what_a_restore_kept_aside(memory: Memory, tmp_path: Path) -> None:
    home = tmp_path / "home"
    confide(memory)
    copy = tmp_path / "copy.db"
    memory.backup(copy)
    with pytest.raises(StoreBusy):
        recollect.restore(copy, home, over=True)  # it is open here
    assert [path.name for path in home.glob("*.new")] == []
    memory.close()
    aside = Path(str(recollect.restore(copy, home, over=True).kept_aside))
    with recollect.open(settings=Settings(home=home, embedder="none")) as again:
        receipt = again.forget("a")
    assert [f"{aside.name} in {home} may hold of it" in left for left in receipt.pending] == [True]
    assert traces(home, SECRET) == traces(aside, SECRET) != []


def test_the_receipt_names_copies_beside_the_store_also_where_backups_go_elsewhere(
    memory: Memory, tmp_path: Path
) -> None:
    home, far = tmp_path / "home", tmp_path / "far"
    confide(memory)
    memory.backup(home / "backups" / "before-upgrade-from-format-10-20260510-120000.db")
    memory.close()
    with recollect.open(settings=Settings(home=home, embedder="none", backup_folder=str(far))) as again:
        again.backup(far)
        left = " ".join(again.forget("a").pending)
    assert [f"a backup in {folder} may hold of it" in left for folder in (far, home / "backups")] == [True, True]


def test_what_a_killed_backup_left_is_removed_by_who_forgets_and_what_is_being_made_is_named(
    memory: Memory, tmp_path: Path
) -> None:
    home, gone = tmp_path / "home", subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    confide(memory)
    memory.backup(tmp_path / "copy.db")
    (home / "backups").mkdir()
    left = home / "backups" / f".recollect-20260510-120000.db.{gone.pid}.part"
    live = home / "backups" / f".recollect-20260510-120001.db.{os.getppid()}.part"
    for part in (left, live, left.with_name(f"{left.name}-journal")):
        shutil.copy(tmp_path / "copy.db", part)
    receipt = memory.forget("a")
    assert [path.name for path in (home / "backups").iterdir()] == [live.name]
    assert [f"what {live.name} in {home / 'backups'} may hold of it" in one for one in receipt.pending] == [True]
    live.unlink()
    assert traces(home, SECRET, CJK) == []


def test_no_file_holds_a_word_of_a_deleted_space(memory: Memory, tmp_path: Path) -> None:
    confide(memory, "private")
    memory.entity(SECRET, space="private", description=CJK)
    memory.relate(SECRET, "is", CJK, space="private", provenance=SECRET)
    memory.create_space("private", description=SECRET)
    memory.remember("Something public.")
    assert memory.delete_space("private") == 53
    assert traces(tmp_path / "home", SECRET, CJK) == []
    assert [space.name for space in memory.spaces()] == ["default"]
    assert memory.check() == []


def test_vectors_of_what_was_forgotten_are_gone(semantic: Memory) -> None:
    semantic.remember("The password is swordfish.", id="a")
    semantic.remember("Tea is made with hot water.", id="b")
    assert semantic.embed_waiting() == 0
    semantic.forget("a")
    with semantic.core.store.read() as view:
        (model,) = view.models()
        vector = np.ones(model.dim, dtype=np.float32)
        found = view.near(["default"], model.no, vector, Filter(valid_only=False), 100)["default"].versions
        assert found.tolist() == [record.version for record in semantic.list()]
    assert [hit.record.id for hit in semantic.recall("secret word to log in")] in ([], ["b"])


def test_a_second_handle_forgets_at_once(open_memory: Callable[..., Memory]) -> None:
    one, other = open_memory(), open_memory()
    one.remember("The password is swordfish.", id="a")
    assert other.recall("password")[0].record.id == "a"
    one.forget("a")
    assert list(other.recall("password")) == []
    assert other.get("a") is None


def test_a_reader_keeps_forgotten_bytes_in_the_log_for_a_while_and_nobody_waiting(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    memory = open_memory()
    memory.remember(f"The code is {SECRET}.", id="a")
    with closing(sqlite3.connect(home / "recollect.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchall()
        receipt = memory.forget("a")
        assert receipt.removed == ("a",)
        assert "log" in receipt.pending[0]
        assert "but for traces" in str(receipt.reason)
        assert open_memory().remember("Written meanwhile.").stored
    while not memory.core.store.settle():
        continue
    assert traces(home, SECRET) == []
    memory.remember("Something else.", id="b")
    assert memory.forget("b").pending == ()


def test_what_a_killed_process_left_to_scrub_is_scrubbed_by_whoever_opens_the_memory_next(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    memory = open_memory()
    memory.remember(f"The code is {SECRET}.", id="a")
    reader = sqlite3.connect(home / "recollect.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM records").fetchall()
    assert memory.forget("a").pending
    memory._settling.stop()
    reader.close()
    assert traces(home, SECRET) != []
    again = open_memory()
    assert again._settling._loop.running
    assert again._settling._loop.wait(30)
    assert traces(home, SECRET) == []
    with again.core.store.read() as view:
        assert view.kept(Shelf("erased", bool)) == {}


def spelled(home: Path) -> set[str]:
    """The terms that stand anywhere in the file of the keyword index, as far as they are spelled out."""
    with closing(sqlite3.connect(home / "recollect.db")) as connection:
        blocks = [bytes(block) for (block,) in connection.execute("SELECT block FROM words_data")]
    return {word for block in blocks for word in (WORDS if block else ()) if _tail(word) in block}


WORDS = ("swordfish", "opens", "vault", "behind", "painting", "tonight")


def _tail(word: str) -> bytes:
    """How FTS5 writes a term: only what differs from the one before it, of which the last letters are enough."""
    (term,) = count_terms(None, word)
    return f"{term:08x}"[-6:].encode()


def test_no_word_of_what_was_forgotten_can_be_guessed_from_the_keyword_index(memory: Memory, tmp_path: Path) -> None:
    memory.remember("The swordfish opens the vault.", id="a")
    memory.remember_many([{"text": f"Harmless thing number {number}."} for number in range(200)])
    memory.revise("a", "The swordfish opens the vault behind the painting tonight.")
    memory.remember_many([{"text": f"Another thing, {number} of them."} for number in range(200)])
    memory.core.store.settle()
    assert spelled(tmp_path / "home") == set(WORDS)
    assert memory.forget("a").pending == ()
    assert spelled(tmp_path / "home") == set()
    assert len(memory.recall("harmless thing", limit=50)) == 50
    assert memory.check() == []


def test_a_twin_that_dreaming_merged_is_forgotten_along(open_plain: Callable[..., Memory], tmp_path: Path) -> None:
    memory = open_plain("vault")
    memory.remember(f"The {SECRET} vault is behind the picture.", id="b", tags=["hidden"])
    memory.remember(f"the {SECRET} vault is behind a picture", id="a", importance=0.9)
    (merge,) = memory.dream().merges
    assert (merge.kept, merge.merged) == ("a", "b")
    receipt = memory.forget("a")
    assert set(receipt.removed) == {"a", "b"}
    assert memory.get("b") is None
    assert [past.record for past in memory.history("b")] == [None] * 3
    with pytest.raises(Conflict, match="b was forgotten for good in entry"):
        memory.undo(merge.entry or 0)
    assert traces(tmp_path / "home", SECRET) == []


def test_a_twin_that_was_merged_takes_its_tags_along_when_it_alone_is_forgotten(
    open_plain: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_plain("vault")
    memory.remember("The vault is behind the picture.", id="b", tags=[SECRET, "house"])
    memory.remember("the vault is behind a picture", id="a", importance=0.9, tags=["house"])
    assert len(memory.dream().merges) == 1
    receipt = memory.forget("b")
    assert (receipt.removed, receipt.rewritten) == (("b",), ("a",))
    kept = memory.get("a")
    assert kept is not None
    assert (kept.tags, kept.text) == (("house",), "the vault is behind a picture")
    assert traces(tmp_path / "home", SECRET) == []


def test_a_summary_is_written_anew_without_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    memory.remember(f"The secret word for the door of the cellar is {SECRET}.", id="a")
    memory.remember("The garden needs water on every second evening in July.", id="b")
    memory.remember("Our neighbour feeds the cat while we travel to the coast.", id="c")
    summary = memory.summarize(strategy="extractive")
    assert SECRET in summary.text
    receipt = memory.forget("a")
    assert (receipt.removed, receipt.rewritten) == (("a",), (summary.id,))
    left = memory.get(summary.id)
    assert left is not None
    assert "cellar" not in left.text
    assert "garden" in left.text
    assert left.metadata["source_memory_ids"] == ["b", "c"]
    assert SECRET not in "".join(hit.record.text for hit in memory.recall("secret word cellar door", limit=50))
    assert traces(tmp_path / "home", SECRET, "cellar") == []
    with pytest.raises(Conflict, match="forgotten for good"):
        memory.undo(receipt.entries[-1])


def test_a_summary_of_nothing_else_goes_along_and_so_does_one_of_that(memory: Memory, tmp_path: Path) -> None:
    memory.remember(f"The secret word for the door of the cellar is {SECRET}.", id="a")
    text = f"A door has a word: {SECRET}."
    memory.remember(text, id="s1", kind="summary", metadata={"summary_of": ["a"]})
    memory.remember(f"It is {SECRET}.", id="s2", kind="summary", metadata={"summary_of": ["s1"]})
    assert set(memory.forget("a").removed) == {"a", "s1", "s2"}
    assert memory.list() == []
    assert traces(tmp_path / "home", SECRET) == []


def test_a_message_that_took_in_another_is_written_anew_without_it(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Where is it?", id="a", session="s", role="user")
    memory.remember(f"Look behind the {SECRET}.", id="b", session="s", role="user")
    repair_session(memory.core, "s")
    whole = memory.get("a")
    assert whole is not None
    assert SECRET in whole.text
    receipt = memory.forget("b")
    assert (receipt.removed, receipt.rewritten) == (("b",), ("a",))
    left = memory.get("a")
    assert left is not None
    assert left.text == "Where is it?"
    assert traces(tmp_path / "home", SECRET) == []


def test_what_was_concluded_from_it_goes_along_unless_it_rests_on_more(memory: Memory, tmp_path: Path) -> None:
    memory.remember(f"Minutes: the launch of {SECRET} is on Friday.", id="a")
    memory.remember("Minutes: the budget was agreed upon.", id="b")
    memory.remember(f"{SECRET} launches on Friday.", id="alone", grounds={"evidence": ["a"]})
    memory.remember("There was a meeting.", id="both", grounds={"evidence": ["a", "b"]})
    memory.remember("I attended.", id="mine", trust="user_declared", grounds={"evidence": ["a"]})
    receipt = memory.forget("a")
    assert set(receipt.removed) == {"a", "alone"}
    assert set(receipt.rewritten) == {"both", "mine"}
    both, mine = memory.get("both"), memory.get("mine")
    evidence = [[item.source for item in one.grounds.evidence] for one in (both, mine) if one and one.grounds]
    assert evidence == [["b"], []]
    assert traces(tmp_path / "home", SECRET) == []


def test_a_message_leaves_no_title_no_candidate_and_no_empty_session(memory: Memory, tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": f"Remember that the word of the vault is {SECRET} and changes in May."},
        {"role": "assistant", "content": "That is written down now."},
        {"role": "user", "content": "Which lamp burns in the cellar of the house?"},
    ]
    told = [{**one, "created_at": f"2026-05-0{day}T10:00:00Z"} for day, one in enumerate(said, 1)]
    memory.capture_said(told, session="talk")
    assert {one.kind for one in memory.list() if SECRET in one.text} > {"message"}  # a candidate was made of it
    memory.forget(next(one.id for one in memory.list() if one.text.startswith("Remember")))
    left = memory.list()
    assert {(one.kind, one.title) for one in left} == {("message", said[2]["content"])}
    assert [one.title for one in memory.list(kinds=["source"])] == [said[2]["content"]]
    assert memory.capture_said(told, session="talk").messages == 0
    assert traces(tmp_path / "home", SECRET) == []
    for one in left:
        memory.forget(one.id)
    assert memory.list(kinds=["source"]) == []


def test_a_heading_that_went_with_its_segment_is_no_longer_told_of_the_document(memory: Memory, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Harbour\n\nCranes and tides.\n\n## The {SECRET} affair\n\nNobody knows.\n\n## Tides\n\nSix.\n")
    memory.ingest_file(page)
    page.unlink()
    memory.forget(next(one.id for one in memory.list(kinds=["document"]) if "Nobody" in one.text))
    [source] = memory.list(kinds=["source"])
    assert (source.title, "Tides" in source.text) == ("Harbour", True)
    assert traces(tmp_path / "home", SECRET) == []


def test_no_reason_of_another_change_quotes_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    memory.remember(f"The word of the vault is {SECRET} until May.", id="a")
    memory.remember("The vault is in the cellar.", id="b", reason="a first note")
    memory.revise("b", "The vault is below the stairs.", reason=f"since the word of the vault is {SECRET} until May")
    memory.revise("b", "The vault is under the stairs.", reason="a better word for it")
    memory.forget("a", reason=f"the word of the vault is {SECRET} no more")
    assert [step.change.reason for step in memory.history("b")] == ["a first note", None, "a better word for it"]
    assert traces(tmp_path / "home", SECRET) == []
    assert memory.check() == []
    for step in memory.history("b")[:0:-1]:
        memory.undo(step.change.entry)
    assert [one.text for one in memory.list(kinds=["memory"])] == ["The vault is in the cellar."]


def test_a_forgetting_holds_no_journal_of_many_reasons_in_memory(memory: Memory) -> None:
    memory.remember("The vault is in the cellar.", id="a")
    with memory.core.store.write() as edit:
        edit.apply([Note(space="default", verb="tidy", reason=f"it was {n % 7} days old") for n in range(6_000)])
    tracemalloc.start()
    memory.forget("a")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_an_entity_that_nothing_else_mentions_goes_along(memory: Memory, tmp_path: Path) -> None:
    memory.entity(SECRET, id="only")
    memory.entity("Ada", id="ada")
    memory.entity("Bob", id="bob")
    memory.relate("bob", "knows", "Carol")
    memory.remember(f"{SECRET} met Ada and Bob.", id="a")
    memory.remember("Ada was here.", id="b")
    assert memory.forget("a").removed == ("a", "only")
    assert {entity.id for entity in memory.entities()} >= {"ada", "bob"}
    assert traces(tmp_path / "home", SECRET) == []


def test_an_entity_goes_along_that_only_a_rewritten_summary_mentioned_besides(memory: Memory, tmp_path: Path) -> None:
    memory.remember(f"The harbour crane named {SECRET} broke before Ada came to the quay.", id="a")
    memory.remember("Tea is made with hot water by Ada on every second evening.", id="b")
    memory.relate(SECRET, "stands_in", f"{SECRET}harbour", provenance="a")
    memory.entity("Ada", id="ada")
    summary = memory.summarize(strategy="extractive")
    assert SECRET in summary.text
    assert memory.forget("a").rewritten == (summary.id,)
    assert [entity.id for entity in memory.entities()] == ["ada"]
    assert traces(tmp_path / "home", SECRET) == []
    assert memory.check() == []


def test_an_entity_goes_along_that_only_a_message_mentioned_which_took_it_in(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Where does Ada keep it?", id="a", session="s", role="user")
    memory.remember(f"Look behind {SECRET} and ask Ada.", id="b", session="s", role="user")
    memory.entity(SECRET, id="only")
    memory.entity("Ada", id="ada")
    repair_session(memory.core, "s")
    receipt = memory.forget("b")
    assert (receipt.removed, receipt.rewritten) == (("b", "only"), ("a",))
    assert [entity.id for entity in memory.entities()] == ["ada"]
    assert traces(tmp_path / "home", SECRET) == []


def test_an_entity_goes_along_that_only_an_earlier_text_mentioned(memory: Memory, tmp_path: Path) -> None:
    memory.entity(SECRET, id="only")
    memory.remember(f"The crane {SECRET} broke.", id="a", grounds={"subjects": ["only"]})
    memory.revise("a", "The crane broke.")
    assert memory.forget("a").removed == ("a", "only")
    assert traces(tmp_path / "home", SECRET) == []


def test_what_is_rewritten_and_still_mentions_an_entity_keeps_it(memory: Memory) -> None:
    memory.entity("Ada", id="ada")
    memory.remember("Minutes: Ada opened the meeting.", id="a")
    memory.remember("Minutes: the budget was agreed upon.", id="b")
    memory.remember("Thus Ada has a budget now.", id="both", grounds={"evidence": ["a", "b"]})
    receipt = memory.forget("a")
    assert (receipt.removed, receipt.rewritten) == (("a",), ("both",))
    assert [entity.id for entity in memory.entities()] == ["ada"]


def test_a_session_whose_messages_were_all_forgotten_leaves_no_name(memory: Memory, tmp_path: Path) -> None:
    said = [{"role": "user", "content": "Where is the lamp?", "name": SECRET}]
    memory.ingest_conversation(said, session="zqxvsession")
    memory.remember("Tea is made with hot water.", id="b", session="zqxvother")
    memory.remember("Nothing of this is secret.", id="c")
    assert traces(tmp_path / "home", SECRET, "zqxvsession", "zqxvother") != []
    for id in [one.id for one in memory.list() if one.session is not None]:
        memory.forget(id)
    assert messages(memory.core, "zqxvsession") == messages(memory.core, "zqxvother") == []
    assert traces(tmp_path / "home", SECRET, "zqxvsession", "zqxvother") == []
    memory.remember("The lamp is lit.", id="d", session="zqxvsession")
    assert [one.id for one in messages(memory.core, "zqxvsession")] == ["d"]


def test_a_forgotten_message_keeps_its_place_among_others_but_not_who_spoke(memory: Memory, tmp_path: Path) -> None:
    for id, role in (("a", "user"), ("b", SECRET), ("c", "user")):
        memory.remember(f"Message {id} of the talk.", id=id, session="talk", role=role)
    memory.forget("b")
    listed = [(one.id, one.role) for one in messages(memory.core, "talk")]
    assert listed == [("a", "user"), ("b", None), ("c", "user")]
    assert traces(tmp_path / "home", SECRET) == []
    assert repair_session(memory.core, "talk").orphaned == 1
    assert [one.id for one in messages(memory.core, "talk")] == ["a", "b", "c"]  # what was said between parts the two


def test_a_fact_is_forgotten_for_good_with_what_is_known_of_nothing_else(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Ada was here.", id="a")
    fact = memory.relate("Ada", "guards", SECRET, provenance=f"told by {SECRET}")
    memory.relate("Ada", "lives in", "Delft")
    assert len(memory.forget_fact(fact.id).removed) == 2
    assert {entity.name for entity in memory.entities()} == {"Ada", "Delft"}
    [delft] = [entity.id for entity in memory.entities() if entity.name == "Delft"]
    memory.forget_fact(delft, reason="we moved")
    assert ([entity.name for entity in memory.entities()], memory.facts("Ada")) == (["Ada"], [])
    assert traces(tmp_path / "home", SECRET, "Delft") == []
    assert memory.check() == []
    with pytest.raises(NotFound, match="no record, fact or entity with id 'nobody'"):
        memory.forget_fact("nobody")


def test_undoing_anything_about_a_forgotten_record_says_why_it_cannot_be(memory: Memory) -> None:
    receipt = memory.remember("A secret.", id="a")
    revised = memory.revise("a", "Another secret.")
    forgotten = memory.forget("a")
    for entry in (receipt.entry, revised.entry):
        with pytest.raises(Conflict, match=rf"a was forgotten for good in entry {forgotten.entry} \(2026-"):
            memory.undo(entry or 0)
    with pytest.raises(Conflict, match="forgotten for good by this entry"):
        memory.undo(forgotten)


def test_the_id_of_a_conversation_tells_not_what_was_said_in_it(memory: Memory) -> None:
    def talk(text: str) -> str:
        done = memory.ingest_conversation([{"role": "user", "content": text}], title="The door")
        assert done.source is not None
        return done.source.id

    ids = [talk(f"The code is {number}.") for number in range(400)]
    assert len(set(ids)) == 400
    assert len({one for one in ids if (source := memory.get(one)) and "#" not in str(source.source)}) < 257
    assert talk("The code is 7.") == ids[7]


def test_a_conversation_is_known_again_where_an_earlier_release_has_put_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [{"role": "user", "content": "The code is 7."}, {"role": "assistant", "content": "Noted."}]
    with monkeypatch.context() as earlier:
        place = ingest._place
        earlier.setattr(ingest, "_place", lambda talk, first, by=None: place(talk, first, by or first.text))
        first = memory.ingest_conversation(said, title="The door").source
    again = memory.ingest_conversation(said, title="The door")
    assert first is not None
    assert again.source is not None
    assert (again.source.id, again.stored) == (first.id, 0)
