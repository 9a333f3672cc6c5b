"""Do sources hold what was read, and keep in step with it?"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import (
    Adapter,
    FileProblem,
    IngestedFolder,
    InvalidInput,
    Memory,
    Record,
    Segment,
    SourceDraft,
    SourceError,
)
from recollect.engine.intake import reading, sync, workers
from recollect.engine.read.by_signal import search_keywords, weigh
from recollect.engine.read.stats import tally

ADAPTER = Adapter(name="test", version="1", mode="file", supported_modes=("file",))


def texts(memory: Memory, id: str) -> list[str]:
    return [record.text for record in memory.segments(id)]


def draft(*said: str, fingerprint: str = "a", location: str = "/x/notes") -> SourceDraft:
    segments = tuple(Segment(text=text, locator={"kind": "line", "line_start": i}) for i, text in enumerate(said))
    return SourceDraft(
        location=location, source_kind="file", title="Notes", fingerprint=fingerprint, adapter=ADAPTER,
        segments=segments,
    )  # fmt: skip


def write(root: Path, name: str, text: str | bytes, *, old: bool = True) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    if old:  # older than a moment, so that its time tells whether it has changed
        os.utime(path, (path.stat().st_mtime - 100,) * 2)
    return path


def test_a_file_becomes_a_source_with_its_segments(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path, "guide.md", "---\ntitle: The guide\n---\n# Start\nTurn it on.\n\n## Keys\nRotate them.\n")
    done = memory.ingest_file(path, tags=["ops"], project="gateway")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (done.outcome, done.source_kind, done.segments, done.added) == ("stored", "markdown", 3, 3)
    assert done.id == f"src:{hashlib.sha256(str(path).encode()).hexdigest()[:32]}"
    [source] = memory.sources()
    assert (source.kind, source.source, source.title, source.trust) == ("source", str(path), "The guide", "imported")
    assert (source.tags, source.project, source.status) == (("ops",), "gateway", "active")
    assert source.text == f"The guide\n{path}\nStart\nKeys"
    assert {**source.metadata, "adapter": 0, "freshness": 0, "file": 0} == {
        "source_kind": "markdown", "fingerprint": digest, "segments": 3, "payload": {"headings": ["Start", "Keys"]},
        "adapter": 0, "freshness": 0, "file": 0,
    }  # fmt: skip
    last = memory.segments(done.id)[-1]
    assert (last.kind, last.position, last.title) == ("document", 2, "The guide › Start › Keys")
    assert last.locator == {
        "kind": "line", "line_start": 7, "line_end": 8, "heading_path": ["Start", "Keys"], "chunk_kind": "section",
    }  # fmt: skip
    assert last.content_hash == hashlib.sha256(last.text.encode()).hexdigest()


def test_every_change_of_a_source_is_in_the_journal_with_the_source_first(memory: Memory) -> None:
    done = memory.ingest_source(draft("one", "two"))
    changes = {change.entry: change for change in memory.journal()}
    assert [changes[entry].verb for entry in done.entries] == ["ingest"] * 3
    assert [changes[entry].object_id for entry in done.entries] == [done.id, *(r.id for r in memory.segments(done.id))]


def test_an_unchanged_source_writes_nothing(memory: Memory) -> None:
    memory.ingest_source(draft("one", "two"))
    before = memory.last_entry()
    again = memory.ingest_source(draft("one", "two"))
    assert (again.outcome, again.segments, again.entries) == ("unchanged", 2, ())
    assert memory.last_entry() == before


def test_a_changed_source_keeps_the_ids_of_what_did_not_change(memory: Memory) -> None:
    first = memory.ingest_source(draft("one", "two", "three"))
    ids = {record.text: record.id for record in memory.segments(first.id)}
    done = memory.ingest_source(draft("zero", "one", "three", fingerprint="b"))
    assert (done.outcome, done.added, done.kept, done.removed) == ("updated", 1, 2, 1)
    now = memory.segments(done.id)
    assert [(record.text, record.position) for record in now] == [("zero", 0), ("one", 1), ("three", 2)]
    assert [record.id for record in now[1:]] == [ids["one"], ids["three"]]
    assert [step.change.verb for step in memory.history(ids["two"])] == ["ingest", "replace"]


def test_labels_that_change_are_written_to_what_did_not(memory: Memory) -> None:
    memory.ingest_source(draft("one"))
    done = memory.ingest_source(draft("one"), tags=["new"])
    assert (done.outcome, done.added, done.kept) == ("updated", 0, 1)
    assert [record.tags for record in memory.segments(done.id)] == [("new",)]


def test_a_source_is_forgotten_with_all_that_it_ever_held(memory: Memory) -> None:
    memory.remember("Said of the notes, not in them.", source="/x/notes")
    memory.ingest_source(draft("One is red.", "Two is blue."))
    held = memory.segments(memory.ingest_source(draft("Two is blue.", fingerprint="b")).id)
    [source] = memory.sources()
    old = [change.object_id for change in memory.journal() if change.verb == "replace"]
    assert len(memory.forget(source.id).entries) == 3
    assert [record.text for record in memory.list()] == ["Said of the notes, not in them."]
    for id in (source.id, held[0].id, *old):
        assert [past.record for past in memory.history(id) if past.record is not None] == []
    assert memory.ingest_source(draft("Two is blue.", fingerprint="b")).outcome == "stored"


def test_a_text_that_stands_in_two_sources_is_held_by_both(memory: Memory) -> None:
    memory.remember("the same words", kind="document")
    one = memory.ingest_source(draft("the same words", "the same words"))
    other = memory.ingest_source(draft("the same words", location="/y/notes"))
    assert (texts(memory, one.id), texts(memory, other.id)) == (["the same words"] * 2, ["the same words"])


def test_sources_are_left_out_of_reads_unless_asked_for_by_kind(memory: Memory) -> None:
    done = memory.ingest_source(draft("Miso is a cat."))
    memory.ingest_source(draft("Notes about dogs.", location="/x/dogs"))
    kinds: list[list[Record]] = [
        memory.list(), [hit.record for hit in memory.recall("notes cat dogs")],
        [hit.record for hit in search_keywords(memory, "notes")],
        [hit.record for hit in weigh(memory, "notes", vector=0, keyword=1, graph=0).hits],
        [standing.record for standing in memory.foremost()],
    ]  # fmt: skip
    assert all(found and {record.kind for record in found} == {"document"} for found in kinds)
    assert (memory.count(), tally(memory.core).records) == (2, 2)
    assert {record.id for record in memory.list(kinds=["source"])} >= {done.id}
    assert search_keywords(memory, "notes", kinds=["source"])[0].record.kind == "source"


def test_sources_get_no_vectors(open_plain: Callable[..., Memory]) -> None:
    memory = open_plain("cat")
    memory.ingest_source(draft("A cat."))
    assert memory.embed_waiting() == 0
    memory.ingest_source(draft("A cat.", "A dog.", fingerprint="b"))
    assert memory.count_waiting() == 1
    memory.reindex()
    assert (memory.count_waiting(), tally(memory.core).vectors) == (0, 2)


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("source.location", {"location": ""}),
        ("source.title", {"title": "a\nb"}),
        ("source.source_kind", {"source_kind": "x"}),
    ],
)
def test_a_source_that_cannot_be_kept_is_refused(memory: Memory, field: str, bad: dict[str, str]) -> None:
    given = {"location": "/x", "source_kind": "file", "title": "t", "fingerprint": "f", "adapter": ADAPTER, **bad}
    with pytest.raises(InvalidInput) as caught:
        memory.ingest_source(SourceDraft(**given))  # type: ignore[arg-type]
    assert caught.value.field == field
    with pytest.raises(InvalidInput, match="importence"):
        memory.ingest_source(draft("x"), importence=1)
    assert memory.sources() == []


def test_a_fence_that_no_record_can_hold_is_refused_with_its_line(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path, "big.md", "# A\n\n```\n" + "x" * 1_000_100 + "\n```\n")
    with pytest.raises(InvalidInput, match="the block at line 3 has 1,000,108 bytes and is not cut"):
        memory.ingest_file(path)
    assert memory.sources() == []


def test_files_that_cannot_be_ingested_say_why(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        memory.ingest_file(tmp_path / "none.md")
    with pytest.raises(InvalidInput, match="is not a file"):
        memory.ingest_file(tmp_path)
    with pytest.raises(InvalidInput, match="is not a folder"):
        memory.ingest_folder(write(tmp_path, "a.md", "x"))
    with pytest.raises(InvalidInput, match="mode: must be one of file, markdown, pdf"):
        memory.ingest_file(tmp_path / "a.md", mode="web")
    with pytest.raises(SourceError, match="at most 10,485,760 are read"):
        memory.ingest_file(write(tmp_path, "b.md", b"x" * (10 * 1024 * 1024 + 1)))


# Conversations

HELLO = [{"role": "user", "content": "Where is the key?"}, {"role": "assistant", "content": "Behind the door."}]


def test_a_conversation_with_a_title_becomes_a_source(memory: Memory) -> None:
    done = memory.ingest_conversation(HELLO, title="The key", origin={"host": "codex"})
    assert done.source is not None
    assert (done.stored, done.source.outcome, done.source.source_kind) == (2, "stored", "conversation")
    first = memory.segments(done.source.id)[0]
    assert (first.kind, first.role, first.memory_type) == ("message", "user", "episodic")
    assert (first.locator, first.trust) == ({"kind": "message", "index": 0, "role": "user"}, "imported")
    longer = memory.ingest_conversation(
        [*HELLO, {"role": "user", "content": "Thanks"}], title="The key", origin={"host": "codex"}
    )
    assert (longer.stored, longer.deduplicated, longer.ids[:2]) == (1, 2, done.ids)
    other = memory.ingest_conversation(HELLO[1:], title="The key", origin={"host": "codex"})
    assert other.source is not None
    assert other.source.id != done.source.id


def test_a_session_grows_by_what_is_added_to_it(memory: Memory) -> None:
    first = memory.ingest_conversation(HELLO, session="s", title="The key")
    more = memory.ingest_conversation([{"role": "user", "content": "Thanks"}], session="s", title="The key")
    assert first.source is not None
    assert more.source is not None
    assert (more.stored, more.removed, more.source.id) == (1, 0, first.source.id)
    assert texts(memory, first.source.id) == ["Where is the key?", "Behind the door.", "Thanks"]
    assert [record.position for record in memory.session("s")] == [0, 1, 2]


def test_a_session_that_becomes_a_source_takes_its_messages_along(memory: Memory) -> None:
    before = memory.ingest_conversation(HELLO, session="s")
    done = memory.ingest_conversation([*HELLO, {"role": "user", "content": "Thanks"}], session="s", title="The key")
    assert (done.stored, done.ids[:2]) == (1, before.ids)
    assert [record.locator for record in memory.session("s")] == [
        {"kind": "message", "index": i, "role": role} for i, role in enumerate(("user", "assistant", "user"))
    ]  # fmt: skip


def test_conversations_without_ids_are_told_apart_by_their_place_in_the_file(memory: Memory, tmp_path: Path) -> None:
    chats = [{"chat_messages": [{"sender": "human", "text": text}]} for text in ("One?", "Two?")]
    done = memory.ingest_transcript(write(tmp_path, "chats.json", json.dumps(chats)))
    assert [texts(memory, source.id) for source in done] == [["One?"], ["Two?"]]


def test_conversations_that_begin_alike_do_not_replace_each_other(memory: Memory) -> None:
    def talk(*said: str) -> str:
        messages = [{"role": "user", "content": text} for text in said]
        done = memory.ingest_conversation(messages, title="Chat")
        assert done.source is not None
        return done.source.id

    first, second = talk("Hello", "About tea."), talk("Hello", "About coffee.")
    assert first != second
    assert talk("Hello", "About tea.", "And milk.") == first
    assert talk("Hello", "About coffee.", "And sugar.") == second
    assert [record.text for record in memory.segments(first)] == ["Hello", "About tea.", "And milk."]
    assert [record.text for record in memory.segments(second)] == ["Hello", "About coffee.", "And sugar."]


NAMED: list[dict[str, Any]] = [
    {"title": "Tea"}, {"origin": {"host": "codex"}}, {"session": "s"}, {"session": "s", "title": "Tea"},
]  # fmt: skip


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize("named", NAMED, ids=str)
@pytest.mark.parametrize("which", [0, 1, 3])
def test_a_conversation_that_is_told_again_does_not_bring_back_what_was_forgotten_of_it(
    memory: Memory, named: dict[str, Any], dated: bool, which: int
) -> None:
    def talk(*said: str) -> list[dict[str, object]]:
        times: list[dict[str, object]] = [{"created_at": f"2026-05-10T12:0{n}:00Z"} if dated else {} for n in range(9)]
        return [{"role": "user", "content": text, **time} for text, time in zip(said, times, strict=False)]

    def held() -> list[str]:
        return sorted(record.text for record in memory.list(kinds=["message"], limit=100))

    said = ["Green tea?", "Black tea.", "With milk?", "Yes."]
    first = memory.ingest_conversation(talk(*said), **named)
    memory.forget(first.ids[which])
    left = sorted({*said} - {said[which]})
    again = memory.ingest_conversation(talk(*said), **named)
    assert (again.stored, again.deduplicated, again.forgotten, held()) == (0, 3, 1, left)
    more = memory.ingest_conversation(talk(*said, "And sugar?"), **named)
    assert (more.stored, more.deduplicated, more.forgotten, held()) == (1, 3, 1, sorted([*left, "And sugar?"]))
    if "session" in named:  # to which one may be added that says what another said
        added = memory.ingest_conversation([{"role": "user", "content": "No sugar."}], **named)
        assert (added.stored, added.forgotten) == (1, 0)
    assert memory.check() == []


def test_what_is_added_at_the_moment_of_what_was_forgotten_comes(memory: Memory) -> None:
    def said(*texts: str) -> list[dict[str, object]]:
        return [{"role": "user", "content": text, "created_at": "2026-05-10"} for text in texts]

    first = memory.ingest_conversation(said("Green tea.", "Black tea."), session="s")
    memory.forget(first.ids[0])
    assert memory.ingest_conversation(said("White tea."), session="s").stored == 1
    again = memory.ingest_conversation(said("Green tea.", "Black tea.", "White tea."), session="s")
    assert (again.stored, again.deduplicated, again.forgotten) == (0, 2, 1)


def test_a_dated_conversation_that_was_forgotten_as_a_whole_stays_so_and_what_is_added_comes(memory: Memory) -> None:
    said = [{**message, "created_at": f"2026-05-10T12:0{n}:00Z"} for n, message in enumerate(HELLO)]
    for named in ({"title": "Key"}, {"session": "s", "title": "Key"}):
        for id in memory.ingest_conversation(said, **named).ids:
            memory.forget(id)
        again = memory.ingest_conversation(said, **named)
        assert (again.ids, again.stored, again.deduplicated, again.forgotten) == ((), 0, 0, 2)
        more = {"role": "user", "content": "Thanks", "created_at": "2026-05-10T12:05:00Z"}
        done = memory.ingest_conversation([*said, more], **named)
        assert (done.stored, done.forgotten) == (1, 2)


def test_a_conversation_needs_a_name(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="session: is missing"):
        memory.ingest_conversation(HELLO)
    with pytest.raises(InvalidInput, match="messages: must have at least one"):
        memory.ingest_conversation([], title="Nothing")
    assert memory.ingest_conversation(HELLO, session="plain").source is None


def test_a_transcript_is_known_by_its_conversation_and_not_by_its_file(memory: Memory, tmp_path: Path) -> None:
    chats = [{"uuid": "u1", "name": "Trip", "chat_messages": [{"sender": "human", "text": "Where to?"}]}]
    one = write(tmp_path, "may/conversations.json", json.dumps(chats))
    [first] = memory.ingest_transcript(one)
    chats[0]["chat_messages"].append({"sender": "assistant", "text": "Oslo"})  # type: ignore[attr-defined]
    [again] = memory.ingest_transcript(write(tmp_path, "june/conversations.json", json.dumps(chats)))
    assert (first.id, again.outcome, again.added, again.kept) == (again.id, "updated", 1, 1)
    assert first.location == "conversation:claude:u1"
    assert [record.session for record in memory.segments(first.id)] == ["u1", "u1"]


def test_an_older_export_does_not_take_back_what_a_newer_one_brought(memory: Memory, tmp_path: Path) -> None:
    said = [
        {"sender": "human", "text": "Where to?", "created_at": "2025-05-01T10:00:00Z"},
        {"sender": "assistant", "text": "Oslo", "created_at": "2025-06-01T10:00:00Z"},
    ]
    write(tmp_path, "june.json", json.dumps([{"uuid": "u1", "name": "Trip", "chat_messages": said}]))
    write(tmp_path, "may.json", json.dumps([{"uuid": "u1", "name": "Trip", "chat_messages": said[:1]}]))
    for _ in range(2):
        memory.ingest_folder(tmp_path)
        [source] = memory.sources()
        assert texts(memory, source.id) == ["Where to?", "Oslo"]
    write(tmp_path, "june.json", json.dumps([{"uuid": "u1", "name": "Trip", "chat_messages": said[:1]}]))
    memory.ingest_folder(tmp_path)  # the same file may take back what it said
    assert texts(memory, source.id) == ["Where to?"]


# Folders


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    write(root, "guide.md", "# Guide\nOne.\n\n## Two\nTwo.\n")
    write(root, "deep/notes.txt", "Some notes.")
    write(root, "deep/page.html", f"<html><title>Page</title><body><p>{'A page with words. ' * 20}</p></body></html>")
    write(root, "talk.json", json.dumps(HELLO))
    write(root, "settings.json", '{"a": 1}')
    write(root, "code.py", "x = 1")
    write(root, ".gitignore", "build/\n")
    write(root, "build/made.md", "# Made")
    write(root, "node_modules/x/README.md", "# Dependency")
    return root


def test_a_folder_brings_in_its_documents_and_transcripts(memory: Memory, docs: Path) -> None:
    told: list[tuple[int, int]] = []
    done = memory.ingest_folder(docs, tags=["docs"], progress=lambda ready, total: told.append((ready, total)))
    assert done == IngestedFolder(path=str(docs), space="default", stored=4, segments=6)
    assert told[0] == (0, 5)
    assert told[-1] == (5, 5)
    kinds = {Path(str(source.source)).name: source.metadata["source_kind"] for source in memory.sources()}
    assert kinds == {"guide.md": "markdown", "notes.txt": "file", "page.html": "file", "talk.json": "conversation"}
    assert {record.memory_type for record in memory.list(kinds=["message"])} == {"episodic"}


def test_a_second_run_reads_only_what_may_have_changed(
    memory: Memory, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.ingest_folder(docs)
    before = memory.last_entry()
    read: list[str] = []
    really = reading.read_file
    monkeypatch.setattr(reading, "read_file", lambda root, errand: read.append(errand.path) or really(root, errand))
    assert memory.ingest_folder(docs).unchanged == 4
    assert read == []
    write(docs, "guide.md", "# Guide\nOne.\n\n## Two\nTwo, anew.\n", old=False)
    (docs / "deep/notes.txt").touch()
    done = memory.ingest_folder(docs)
    assert (done.updated, done.unchanged, done.segments) == (1, 3, 1)
    assert sorted(read) == ["deep/notes.txt", "guide.md"]
    assert {change.object_id for change in memory.journal(after=before)} <= {r.id for r in memory.list(
        kinds=["source", "document"], source=str(docs / "guide.md"), valid_only=False
    )} | {change.object_id for change in memory.journal(after=before) if change.verb == "replace"}  # fmt: skip


def test_what_rests_on_a_file_alone_is_stale_once_the_file_is_gone(memory: Memory, docs: Path) -> None:
    memory.ingest_folder(docs)
    guide, other = (memory.ingest_file(docs / name).id for name in ("guide.md", "deep/notes.txt"))
    alone = memory.remember("Tea is ready.", trust="user_declared", grounds={"evidence": [{"source": guide}]})
    evidence = [{"source": guide}, {"source": other}]
    both = memory.remember("So is soup.", trust="user_declared", grounds={"evidence": evidence})
    (docs / "guide.md").unlink()
    assert memory.ingest_folder(docs).archived == 1
    kept = [memory.get(receipt.id or "") for receipt in (alone, both)]
    assert [record.status for record in kept if record] == ["stale", "active"]


def test_what_is_gone_is_archived_and_comes_back(memory: Memory, docs: Path) -> None:
    memory.ingest_folder(docs)
    text = (docs / "guide.md").read_text()
    for name in ("guide.md", "talk.json"):
        (docs / name).unlink()
    done = memory.ingest_folder(docs)
    assert (done.archived, done.unchanged) == (1, 2)
    [gone] = memory.sources(statuses=["archived"])
    assert (gone.source, memory.segments(gone.id)) == (str(docs / "guide.md"), [])
    assert not search_keywords(memory, "Two", kinds=["document"])
    assert search_keywords(memory, "key door")  # what was said stays said
    assert memory.ingest_folder(docs).archived == 0
    write(docs, "guide.md", text)
    assert memory.ingest_folder(docs).updated == 1
    assert len(memory.segments(gone.id)) == 2


def test_a_document_that_is_only_ignored_by_now_stays(memory: Memory, docs: Path) -> None:
    memory.ingest_folder(docs)
    write(docs, ".gitignore", "*.md\n")
    assert memory.ingest_folder(docs).archived == 0
    assert len(memory.sources()) == 4


def test_files_that_cannot_be_read_are_named_and_the_rest_comes_in(memory: Memory, docs: Path) -> None:
    write(docs, "latin.txt", "é".encode("latin-1"))
    write(docs, "blank.md", "\n")
    done = memory.ingest_folder(docs)
    assert (done.stored, done.skipped) == (4, {"unreadable": 2})
    assert done.problems == (
        FileProblem(path="blank.md", problem="blank.md has no text"),
        FileProblem(path="latin.txt", problem="latin.txt is not UTF-8 text (byte 0 does not fit)"),
    )


def test_a_fence_that_no_record_can_hold_does_not_stop_a_folder(memory: Memory, docs: Path) -> None:
    write(docs, "big.md", "# A\n\n```\n" + "x" * 1_000_100 + "\n```\n")
    done = memory.ingest_folder(docs)
    assert (done.stored, [problem.path for problem in done.problems]) == (4, ["big.md"])
    assert "the block at line 3 has 1,000,108 bytes" in done.problems[0].problem


def test_a_name_that_is_not_text_is_refused(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="its name is not UTF-8"):
        memory.ingest_file(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.md"))


def test_documents_of_a_folder_that_cannot_be_looked_into_stay(
    memory: Memory, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(docs, "closed/a.md", "# A\nBehind a door.\n")
    memory.ingest_folder(docs)
    (docs / "closed" / "a.md").unlink()  # what is behind a closed door looks the same
    scan = os.scandir

    def refuse(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done = memory.ingest_folder(docs)
    assert (done.archived, done.problems[0].path) == (0, "closed")


def test_many_documents_are_read_by_other_processes_with_the_same_result(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "many"
    for i in range(60):
        write(root, f"page{i:02}.md", f"# Page {i}\nText about Ada Lovelace, number {i}.\n")
    assert memory.ingest_folder(root).stored == 60
    monkeypatch.setattr(workers, "FEW_FILES", 1_000)
    assert memory.ingest_folder(root, space="here").stored == 60

    def held(space: str) -> list[tuple[object, ...]]:
        found = memory.list(space=space, limit=1_000, order="oldest")
        return sorted((r.source, r.title, r.text, json.dumps(r.locator)) for r in found)

    assert held("default") == held("here")
    assert memory.mentioning("Ada Lovelace", limit=100) != []


def test_a_run_can_be_cancelled_between_its_transactions(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "BATCH_PIECES", 4)
    for i in range(10):
        write(tmp_path, f"many/page{i}.md", "# Page")
    assert memory.ingest_folder(tmp_path / "many", cancelled=lambda: True).stored == 0
    told: list[int] = []
    done = memory.ingest_folder(
        tmp_path / "many", progress=lambda far, _: told.append(far), cancelled=lambda: len(told) > 1
    )
    assert (done.stored, done.finished) == (2, False)
    assert memory.ingest_folder(tmp_path / "many").stored == 8


def talked(*said: str, session: str = "s1") -> str:
    """A transcript as Claude Code writes it."""
    lines = [
        {"type": "user", "sessionId": session, "timestamp": f"2026-05-10T12:0{n}:00Z",
         "message": {"role": "user", "content": text}}
        for n, text in enumerate(said)
    ]  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize("by", ["file", "folder"])
def test_what_was_forgotten_of_a_transcript_stays_so_when_it_is_read_again(
    memory: Memory, tmp_path: Path, by: str
) -> None:
    path = write(tmp_path, "talks/one.jsonl", talked("Green tea.", "Black tea.", "White tea."))

    def read() -> tuple[int, int]:
        if by == "folder":
            folder = memory.ingest_folder(path.parent)
            return folder.forgotten, folder.segments
        [talk] = memory.ingest_transcript(path)
        return len(talk.forgotten), talk.added

    def said() -> set[str]:
        return {record.text for record in memory.list(kinds=["message"], valid_only=False)}

    assert read() == (0, 3)
    memory.forget(next(one.id for one in memory.list(kinds=["message"]) if one.text == "Black tea."))
    write(tmp_path, "talks/one.jsonl", talked("Green tea.", "Black tea.", "White tea.", "Red tea."))
    assert read() == (1, 1)
    assert said() == {"Green tea.", "White tea.", "Red tea."}
    memory.forget(memory.sources()[0].id)
    for more in ((), ("Blue tea.",)):
        write(tmp_path, "talks/one.jsonl", talked("Green tea.", "Black tea.", "White tea.", "Red tea.", *more))
        assert read() == (1, 0)
    assert said() == set()
    assert memory.check() == []


def test_what_was_ended_of_a_transcript_stays_so_when_it_goes_on(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path, "one.jsonl", talked("Green tea.", "Black tea."))
    memory.ingest_transcript(path)
    ended = next(one.id for one in memory.list(kinds=["message"]) if one.text == "Black tea.")
    memory.invalidate(ended)
    for more in (("White tea.",), ("White tea.", "Red tea.")):
        write(tmp_path, "one.jsonl", talked("Green tea.", "Black tea.", *more))
        assert memory.ingest_transcript(path)[0].added == 1
    assert {one.text for one in memory.list(kinds=["message"])} == {"Green tea.", "White tea.", "Red tea."}
    assert memory.get(ended).valid_until is not None  # type: ignore[union-attr]


def test_a_conversation_is_not_called_by_a_message_that_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path, "one.jsonl", talked("The vault opens with lemon.", "Black tea."))
    memory.ingest_transcript(path)
    memory.forget(next(one.id for one in memory.list(kinds=["message"]) if "lemon" in one.text))
    write(tmp_path, "one.jsonl", talked("The vault opens with lemon.", "Black tea.", "White tea."))
    memory.ingest_transcript(path)
    assert memory.ingest_transcript(path)[0].outcome == "unchanged"
    assert not any("lemon" in f"{one.title} {one.text}" for one in memory.list(kinds=["message", "source"]))


LINE = "{:08x}-0000-4000-8000-000000000000"


def lines_of(*said: str, session: str, first: int = 0) -> list[str]:
    """A transcript as Claude Code writes it: a session that goes on from another begins with a copy of its lines."""
    return [
        json.dumps({
            "type": "user", "sessionId": session, "uuid": LINE.format(n), "timestamp": f"2026-05-10T12:0{n}:00.123Z",
            "message": {"role": "user", "content": text},
        }) + "\n"
        for n, text in enumerate(said, first)
    ]  # fmt: skip


@pytest.mark.parametrize("forgotten", ["nothing", "the first", "the last", "all", "the session", "evicted"])
@pytest.mark.parametrize("by", ["file", "folder"])
def test_a_session_that_goes_on_from_another_is_ingested_without_what_was_said_there(
    memory: Memory, tmp_path: Path, forgotten: str, by: str
) -> None:
    said = ["Green tea.", "Black tea.", "White tea."]

    def read(name: str, session: str, *more: str) -> None:
        write(tmp_path, f"talks/{name}", "".join([*lines_of(*said, *more, session=session)]))
        memory.ingest_folder(tmp_path / "talks") if by == "folder" else memory.ingest_transcript(
            tmp_path / "talks" / name
        )

    def held() -> list[str]:
        return sorted(one.text for one in memory.list(kinds=["message"], valid_only=False, limit=100))

    read("s1.jsonl", "s1")
    messages = {one.text: one.id for one in memory.list(kinds=["message"])}
    gone = {"the first": said[:1], "the last": said[1:], "all": said}.get(forgotten, [])
    for text in gone:
        memory.forget(messages[text])
    if forgotten == "the session":
        memory.forget(memory.sources()[0].id)
    if forgotten == "evicted":
        memory.evict(cap=1, min_importance=0.0)
    before = held()
    read("s2.jsonl", "s2")
    assert held() == before
    read("s2.jsonl", "s2", "Red tea.")
    read("s2.jsonl", "s2", "Red tea.", "Black tea.")  # which is said again, and not copied
    read("s2.jsonl", "s2", "Red tea.", "Black tea.", "Blue tea.")
    read("s3.jsonl", "s3", "Red tea.")
    assert held() == sorted([*before, "Red tea.", "Black tea.", "Blue tea."])
    assert not any("Green" in f"{one.title}" for one in memory.sources() if "s1" not in str(one.source))
    assert memory.check() == []


@pytest.mark.parametrize(("first", "end"), [(0, 2), (1, 3), (2, 4)])
def test_a_forgotten_session_is_not_ingested_by_one_that_goes_on_from_its_middle(
    memory: Memory, tmp_path: Path, first: int, end: int
) -> None:
    said = ["Green tea.", "Black tea.", "White tea.", "Blue tea."]
    memory.ingest_transcript(write(tmp_path, "s1.jsonl", "".join(lines_of(*said, session="s1"))))
    memory.forget(memory.sources()[0].id)
    copy = [*lines_of(*said[first:end], session="s2", first=first), *lines_of("Red tea.", session="s2", first=8)]
    [done] = memory.ingest_transcript(write(tmp_path, "s2.jsonl", "".join(copy)))
    assert (done.added, done.copied) == (1, 2)
    assert [one.text for one in memory.list(kinds=["message"])] == ["Red tea."]
    other = lines_of(*said[first:end], session="s3", first=6)  # the same words, said another time
    assert memory.ingest_transcript(write(tmp_path, "s3.jsonl", "".join(other)))[0].added == 2


def test_a_session_whose_beginning_is_held_nowhere_is_ingested_whole(memory: Memory, tmp_path: Path) -> None:
    first = write(tmp_path, "s1.jsonl", "".join(lines_of("Green tea.", session="s1")))
    [done] = memory.ingest_transcript(first)
    memory.undo(done.entries[0], whole=True)
    second = write(tmp_path, "s2.jsonl", "".join(lines_of("Green tea.", "Red tea.", session="s2")))
    assert memory.ingest_transcript(second)[0].added == 2
    assert memory.ingest_transcript(first)[0].copied == 1  # which the other holds by now
    assert len(memory.list(kinds=["message"])) == 2


@pytest.mark.parametrize("by", ["file", "folder", "text"])
def test_a_section_that_was_forgotten_stays_so_until_it_says_something_else(
    memory: Memory, tmp_path: Path, by: str
) -> None:
    def read(*sections: str) -> set[str]:
        text = "\n\n".join(f"# {one.split()[0]}\n\n{one}" for one in sections)
        path = write(tmp_path, "docs/tea.md", text)
        if by == "text":
            memory.ingest(text, source="tea")
        elif by == "file":
            memory.ingest_file(path)
        else:
            memory.ingest_folder(path.parent)
        return {one.text.splitlines()[-1] for one in memory.list(kinds=["document"])}

    read("Green tea is mild.", "Black tea is strong.", "White tea is rare.")
    memory.forget(next(one.id for one in memory.list(kinds=["document"]) if "strong" in one.text))
    new = "Red tea is no tea at all."
    kept = {"Green tea is mild.", "White tea is rare."}
    assert read("Green tea is mild.", "Black tea is strong.", "White tea is rare.", new) == {*kept, new}
    assert read(new, "Green tea is mild.", "Black tea is strong.", "White tea is rare.") == {*kept, new}
    changed = "Black tea is bitter."
    assert read("Green tea is mild.", changed, "White tea is rare.") == {*kept, changed}
    mild = next(one.id for one in memory.list(kinds=["document"]) if "mild" in one.text)
    memory.invalidate(mild)
    assert read("Green tea is mild.", changed, "White tea is rare.", new) == {changed, "White tea is rare.", new}
    assert memory.check() == []
