"""Do a folder of Markdown and a memory stay in step, whoever changes what, and whatever is killed?"""

from __future__ import annotations

import errno
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.conftest import Clock
from watchfiles import Change

import recollect
from recollect import InvalidInput, Memory, Settings
from recollect.engine.care.inbox import inbox, settle
from recollect.engine.care.note_folders import shelf_of
from recollect.engine.care.note_pages import KnownFile, hash_of
from recollect.engine.care.note_watch import follow
from recollect.engine.care.vault import foreign_files
from recollect.engine.write.remember import put_of
from recollect.ingest.vault import Page, links_in, name_page, parse_page, render_page

KILLED = """
import os, signal, sys, recollect
from datetime import datetime
from pathlib import Path
from recollect import private
from recollect.engine.core import utc_now
whole, left = private.write_whole, int(sys.argv[3])
def dying(path, data, **how):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    whole(path, data, **how)
    if left == 1 and sys.argv[4] == "after":
        os.kill(os.getpid(), signal.SIGKILL)
private.write_whole = dying
clock = (lambda: datetime.fromisoformat(sys.argv[5])) if len(sys.argv) > 5 else utc_now
with recollect.open(settings=recollect.Settings(home=Path(sys.argv[1]), embedder="none"), clock=clock) as memory:
    memory.sync(sys.argv[2])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.md"))
        if ".git" not in path.parts
    }


def only(folder: Path) -> Path:
    (path,) = [one for one in folder.rglob("*.md") if ".git" not in one.parts]
    return path


def texts(memory: Memory) -> dict[str, str]:
    return {record.id: record.text for record in memory.list(limit=1000)}


def test_a_record_becomes_a_file_that_people_can_read_and_edit(memory: Memory, folder: Path) -> None:
    memory.entity("Ada Lovelace", aliases=["Ada"])
    memory.remember(
        "Ada wrote it: the first program.", id="a1", tags=["history", "a: b"], project="Old Engines", importance=0.9
    )
    assert memory.sync(folder).written == 1
    ((name, content),) = files(folder).items()
    assert name.startswith("Old-Engines/ada-wrote-it-the-first-program-")
    front, _, text = content.removeprefix("---\n").partition("\n---\n\n")
    assert [line for line in front.split("\n") if not line.startswith("time: ")] == [
        "id: a1", "tags:", "  - history", '  - "a: b"', "project: Old Engines", "importance: 0.9",
        "trust: agent_inferred", "about:", '  - "[[Ada Lovelace]]"',
    ]  # fmt: skip
    assert text == "Ada wrote it: the first program.\n"
    path = only(folder)
    path.write_text(path.read_text().replace("the first program", "the *very* first program").replace("0.9", "0.4"))
    done = memory.sync(folder)
    assert (done.revised, done.written) == (1, 0)
    (record,) = memory.list()
    assert (record.text, record.importance) == ("Ada wrote it: the *very* first program.", 0.4)
    assert (record.tags, record.project, record.trust) == (("history", "a: b"), "Old Engines", "agent_inferred")
    assert not memory.sync(folder).changed


def test_a_new_file_becomes_a_record_with_its_links_and_gets_its_id(memory: Memory, folder: Path) -> None:
    (folder / "sub").mkdir()
    path = folder / "sub" / "My thought.md"
    path.write_text(
        "---\ncssclass: wide\ntags: [garden, two words]\n---\n\nAsk [[Ada Lovelace|Ada]] about `[[code]]`.\n"
    )
    assert memory.sync(folder).added == 1
    (record,) = memory.list()
    assert record.text == "Ask [[Ada Lovelace|Ada]] about `[[code]]`."
    assert (record.tags, record.trust) == (("garden", "two words"), "user_declared")
    assert [entity.name for entity in memory.entities()] == ["Ada Lovelace"]
    content = path.read_text()
    assert f"id: {record.id}\n" in content
    assert "cssclass: wide\n" in content
    assert not memory.sync(folder).changed
    path.unlink()
    assert memory.sync(folder).archived == 1
    assert memory.list() == []


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ('tags: ["#garden", tea]', ("garden", "tea")),
        ("tags:\n  - '#garden'\n  - 7", ("garden", "7")),
        ("tags: '#garden #tea'", ("garden", "tea")),
        ("tags: [2024, 1.5, true, null]", ("2024", "1.5", "true")),
        ('tags: ["##one"]', ("#one",)),
    ],
)
def test_tags_are_read_without_their_sign_and_numbers_as_text(
    memory: Memory, folder: Path, line: str, tags: tuple[str, ...]
) -> None:
    (folder / "a.md").write_text(f"---\n{line}\n---\n\nRoses.\n")
    done = memory.sync(folder)
    assert (done.problems, memory.list()[0].tags) == ((), tags)
    memory.revise(memory.list()[0].id, "Tulips.")
    memory.sync(folder)
    assert line in (folder / "a.md").read_text()
    memory.remember("Kept.", id="signed", tags=["#one", "##two", "three"])
    memory.sync(folder)
    assert not memory.sync(folder).changed
    assert memory.get("signed").tags == ("#one", "##two", "three")


@pytest.mark.parametrize("line", ["tags: tea, black tea,", "tags: [tea, black tea]", 'tags: "tea, black tea"'])
def test_tags_on_one_line_are_as_many_as_there_are(memory: Memory, folder: Path, line: str) -> None:
    (folder / "tea.md").write_text(f"---\n{line}\n---\n\nTea at five.\n")
    memory.sync(folder)
    assert memory.list()[0].tags == ("tea", "black tea")
    memory.remember("Tea at four.", id="one", tags=["milk, sugar"])
    memory.sync(folder)
    assert memory.sync(folder).changed is False
    assert memory.get("one").tags == ("milk, sugar",)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-01-02T03:04:05.123456+05:30", datetime(2026, 1, 1, 21, 34, 5, 123456, UTC)),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02 03:04", datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)),
        ("2026-01", datetime(2026, 1, 1, tzinfo=UTC)),
        ('"2026-01-02"', datetime(2026, 1, 2, tzinfo=UTC)),
    ],
)
def test_a_time_in_a_file_is_the_same_in_every_zone_and_stays_as_it_is_written(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch, written: str, meant: datetime
) -> None:
    lines = f"time: {written}\nvalid_from: {written}\nvalid_until: 2999-12-31\ncreated: {written}\n"
    (folder / "a.md").write_text(f"---\n{lines}---\n\nThe mill is closed.\n")
    memory.sync(folder)
    (record,) = memory.list()
    assert (record.event_time, record.valid_from) == (meant, meant)
    with monkeypatch.context() as away:
        away.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        assert not memory.sync(folder).changed
    time.tzset()
    memory.revise(record.id, "The mill is open.")
    assert memory.sync(folder).written == 1
    assert set(lines.splitlines()) <= set((folder / "a.md").read_text().splitlines())
    memory.revise(record.id, valid_from=datetime(2026, 2, 3, tzinfo=UTC))
    memory.sync(folder)
    assert 'valid_from: "2026-02-03T00:00:00Z"' in (folder / "a.md").read_text()


@pytest.mark.parametrize("field", ["time", "valid_from", "valid_until"])
@pytest.mark.parametrize("said", ["2026-02-30", "yesterday", "2026-01-01T25:00", "1767100000"])
def test_a_time_that_there_is_not_is_told_and_its_file_and_record_stay(
    memory: Memory, folder: Path, field: str, said: str
) -> None:
    record = memory.remember("The mill is closed.").id or ""
    memory.sync(folder)
    (file,) = folder.glob("*.md")
    lines = [line for line in file.read_text().splitlines(keepends=True) if not line.startswith("time:")]
    text = "".join([lines[0], f"{field}: {said}\n", *lines[1:]]).replace("closed", "open")
    file.write_text(text)
    done = memory.sync(folder)
    assert [one.problem.split(" is no time")[0] for one in done.problems] == [f"{field}: '{said}'"]
    assert file.read_text() == text
    assert memory.get(record).text == "The mill is closed."


def test_a_field_that_is_told_twice_is_told_as_such_and_neither_line_is_lost(memory: Memory, folder: Path) -> None:
    (folder / "a.md").write_text(text := "---\ntitle: One\ntags: a\ntitle: Two\n---\n\nThe mill.\n")
    (problem,) = memory.sync(folder).problems
    assert problem.problem.startswith("title: stands twice above the text")
    assert (folder / "a.md").read_text() == text


@pytest.mark.parametrize(
    ("line", "key", "field", "value", "word"),
    [
        ("type: book", "type", "memory_type", "procedural", "procedural"),
        ("status: reading", "status", "status", "contested", "contested"),
        ("importance: high", "importance", "importance", 0.25, "0.25"),
    ],
)
def test_a_field_called_like_ours_that_says_something_else_is_the_files_own(
    memory: Memory, folder: Path, line: str, key: str, field: str, value: Any, word: str
) -> None:
    (folder / "a.md").write_text(f"---\n{line}\nabout: ships\n---\n\nA book.\n")
    assert memory.sync(folder).problems == ()
    (record,) = memory.list()
    assert record.metadata["properties"][key] == line.split(": ")[1]
    with memory.core.store.write(actor=None) as edit:
        edit.apply([put_of(edit, replace(record, **{field: value}), "revise", record)])
    memory.sync(folder)
    now = (folder / "a.md").read_text().splitlines()
    assert {line, "about: ships", f"recollect_{key}: {word}"} <= {*now}
    assert not memory.sync(folder).changed
    assert getattr(memory.get(record.id), field) == value


@pytest.mark.parametrize("second", ["A body.", "Another body."])
def test_files_of_one_template_that_share_its_id_are_told_and_none_of_them_is_touched(
    memory: Memory, folder: Path, second: str
) -> None:
    for name, text in (("one", "A body."), ("two", second), ("three", "A body.")):
        (folder / f"{name}.md").write_text(f"---\nid: template\nmood: good\n---\n\n{text}\n")
    before = files(folder)
    done = memory.sync(folder)
    assert (done.changed, sorted(one.path for one in done.problems)) == (False, ["one.md", "three.md", "two.md"])
    assert done.problems[0].problem.startswith("id: template stands in ")
    assert files(folder) == before
    for name in ("two", "three"):
        path = folder / f"{name}.md"
        path.write_text(path.read_text().replace("id: template\n", ""))
    done = memory.sync(folder)
    assert (done.added, done.problems) == (3, ())


def test_lines_of_ours_stay_as_somebody_has_written_them_while_they_say_the_same(memory: Memory, folder: Path) -> None:
    lines = ["tags: [mill, 'two words']", "status: active", "title: The mill", "importance: 0.50", "kind:   place"]
    (folder / "a.md").write_text("---\n" + "\n".join(lines) + "\n---\n\nThe mill is closed.\n")
    memory.sync(folder)
    (record,) = memory.list()
    memory.revise(record.id, "The mill is open.", title="Old mill")
    memory.sync(folder)
    now = (folder / "a.md").read_text().splitlines()
    assert {*lines} - {*now} == {"title: The mill"}
    assert "title: Old mill" in now
    assert not memory.sync(folder).changed


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tags: [tea, 'two # words']  # mine", {"tags": ("tea", "two # words")}),
        ("tags:  # mine\n  - tea  # green\n  - 'x # y' # z", {"tags": ("tea", "x # y")}),
        ("tags: # none", {"tags": ()}),
        ("tags: #tea #garden", {"tags": ("tea", "garden")}),
        ("tags: [#tea, #garden]", {"tags": ("tea", "garden")}),
        ("title: The mill # by the river", {"title": "The mill"}),
        ('title: "The # mill" #x', {"title": "The # mill"}),
        ("title: 'The # mill''s' # x", {"title": "The # mill's"}),
        ("source: https://mill.example/#top", {"source": "https://mill.example/#top"}),
        ("title: {{title}}", {"title": "{{title}}"}),
        ("importance: 0.5 # or more", {"importance": 0.5}),
        ('metadata: {"a":"x # y"}  # z', {"metadata": {"a": "x # y"}}),
    ],
)
def test_a_comment_behind_a_field_of_ours_is_no_part_of_it_and_stays(
    memory: Memory, folder: Path, line: str, said: dict[str, object]
) -> None:
    (folder / "a.md").write_text(f"---\n{line}\ncssclass: wide # mine\n---\n\nThe mill is closed.\n")
    assert memory.sync(folder).problems == ()
    (record,) = memory.list()
    own = {name: value for name, value in record.metadata.items() if not name.startswith("properties")}
    assert {name: own if name == "metadata" else getattr(record, name) for name in said} == said
    assert record.metadata["properties"] == {"cssclass": "wide"}
    memory.revise(record.id, "The mill is open.")
    memory.sync(folder)
    now = (folder / "a.md").read_text()
    assert ("cssclass: wide # mine\n---" in now, line in now) == (True, True)
    assert not memory.sync(folder).changed


def test_a_comment_behind_a_field_stays_when_the_memory_says_something_else_there(memory: Memory, folder: Path) -> None:
    lines = "tags:\n  - tea # green\n  # below\n  - milk\ntitle: The mill # old"
    (folder / "a.md").write_text(f"---\n{lines}\n---\n\nThe mill is closed.\n")
    memory.sync(folder)
    (record,) = memory.list()
    assert record.tags == ("tea", "milk")
    memory.revise(record.id, title="New mill", tags=["coffee"])
    memory.sync(folder)
    now = (folder / "a.md").read_text()
    assert "title: New mill  # old\ntags:  # green\n  - coffee\n" in now
    assert "\n# below\n" in now
    assert not memory.sync(folder).changed
    assert memory.get(record.id).tags == ("coffee",)


def test_ends_of_lines_are_no_change(memory: Memory, folder: Path) -> None:
    memory.remember("One line.\r\nAnother one.\r\n", id="lines")
    memory.sync(folder)
    assert not memory.sync(folder).changed
    only(folder).write_bytes(only(folder).read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert not memory.sync(folder).changed


def test_a_file_may_be_renamed_and_moved(memory: Memory, folder: Path) -> None:
    memory.remember("The orchard has ten trees.", id="orchard")
    memory.sync(folder)
    (folder / "deep" / "er").mkdir(parents=True)
    only(folder).rename(folder / "deep" / "er" / "Trees.md")
    assert not memory.sync(folder).changed
    memory.revise("orchard", "The orchard has eleven trees.")
    assert memory.sync(folder).written == 1
    assert list(files(folder)) == ["deep/er/Trees.md"]
    assert "eleven" in only(folder).read_text()


@pytest.mark.parametrize("thinned", [False, True])
def test_an_old_copy_of_a_file_does_not_bring_back_what_was_evicted_and_an_edited_one_does(
    memory: Memory, folder: Path, thinned: bool
) -> None:
    for number in range(4):
        memory.remember(f"Number {number} is here.", id=f"n{number}", importance=number / 4)
    memory.sync(folder)
    before = files(folder)
    edited = next(folder / name for name, text in before.items() if "id: n1\n" in text)
    evicted = memory.evict(cap=3, min_importance=0)[0]
    memory.evict(cap=2, min_importance=0)
    edited.write_text(edited.read_text().replace("here", "still here"))
    done = memory.sync(folder)
    assert (done.removed, done.problems, sorted(texts(memory))) == (1, (), ["n1", "n2", "n3"])
    if thinned:
        memory.thin(older_than=timedelta(0))
    for name, text in before.items():
        if "id: n0\n" in text:
            (folder / name).write_text(text)
    done = memory.sync(folder)
    told = "id: n0 was evicted here, and does not come back by a file: take that back by `recollect undo`, "
    assert [one.problem.startswith(told) for one in done.problems] == [True]
    assert sorted(texts(memory)) == ["n1", "n2", "n3"]
    if not thinned:
        memory.undo(evicted.entry)
        assert (memory.sync(folder).problems, sorted(texts(memory))) == ((), ["n0", "n1", "n2", "n3"])


@pytest.mark.parametrize("thinned", [False, True])
@pytest.mark.parametrize("where", ["before it is synced", "beside its file", "instead of its file"])
def test_an_old_copy_does_not_bring_back_what_was_forgotten_where_something_else_has_its_id(
    memory: Memory, clock: Clock, folder: Path, where: str, thinned: bool
) -> None:
    memory.remember("The code is 7213.", id="code", title="Door")
    memory.sync(folder)
    ((name, old),) = files(folder).items()
    memory.forget("code")
    memory.sync(folder)
    clock.advance(days=1)
    if thinned:
        memory.thin(older_than=timedelta(0))
    memory.remember("The door has no code.", id="code", title="Door")
    if where != "before it is synced":
        memory.sync(folder)
    (folder / (name if where == "instead of its file" else "old.md")).write_text(old)
    for _ in range(3):
        done = memory.sync(folder)
        assert [one.problem.partition(",")[0] for one in done.problems] == ["id: code was forgotten here"]
        assert (done.conflicts, texts(memory)) == ((), {"code": "The door has no code."})
    assert "7213" not in "".join(one.record.text for one in memory.history("code") if one.record is not None)


def test_a_note_without_a_title_is_found_by_the_name_of_its_file(memory: Memory, folder: Path) -> None:
    def found(query: str) -> list[str]:
        return [hit.record.text for hit in memory.recall(query).hits if "Feed" in hit.record.text]

    (folder / "Sourdough starter.md").write_bytes(b"Feed it daily.\r\n")
    memory.remember("The mill is closed.", id="mill")
    memory.sync(folder)
    assert found("sourdough") == ["Feed it daily."]
    (record,) = [one for one in memory.list() if one.id != "mill"]
    assert (record.title, record.metadata, memory.get("mill").locator) == (None, {}, None)
    before = files(folder)
    assert before["Sourdough starter.md"].endswith("---\n\nFeed it daily.\n")
    assert (folder / "Sourdough starter.md").read_bytes().endswith(b"---\r\n\r\nFeed it daily.\r\n")
    assert not memory.sync(folder).changed
    assert (files(folder), len(memory.history(record.id))) == (before, 1)
    memory.reindex()
    assert found("sourdough")
    (folder / "Sourdough starter.md").rename(folder / "Rye.md")
    assert not memory.sync(folder).changed
    assert (found("sourdough"), found("rye")) == ([], ["Feed it daily."])
    memory.revise(record.id, title="Levain")
    memory.sync(folder)
    assert (found("rye"), found("levain")) == ([], ["Feed it daily."])
    (folder / "Leaven.md").write_text("# Bread\n\nFeed the dough.\n")
    memory.sync(folder)
    assert found("leaven") == []
    memory.forget(record.id)
    assert (found("levain"), found("rye"), memory.check()) == ([], [], [])
    (folder / "The wifi password is q7Zk2PbXw9.md").write_text("Feed me.\n")  # which is not kept
    for _ in range(2):
        assert memory.sync(folder).problems == ()
    assert not any(one.locator for one in memory.list() if one.text == "Feed me.")


def test_what_leaves_the_memory_leaves_the_folder_unless_it_was_edited(memory: Memory, folder: Path) -> None:
    for id in ("one", "two", "three"):
        memory.remember(f"Number {id} is here.", id=id)
    memory.sync(folder)
    memory.forget("one")
    memory.supersede("two", "three", reason="newer")
    assert memory.sync(folder).removed == 2
    path = only(folder)
    path.write_text(path.read_text().replace("here", "still here"))
    memory.supersede("three", memory.remember("Number four is here.").id, reason="newer")
    assert memory.sync(folder).revised == 1
    assert texts(memory)["three"] == "Number three is still here."


def test_what_was_forgotten_does_not_come_back_by_a_copy_of_its_file(memory: Memory, folder: Path) -> None:
    memory.remember("Number one is here.", id="one")
    memory.sync(folder)
    path, copy = only(folder), only(folder).read_text()
    memory.forget("one")
    assert memory.sync(folder).removed == 1
    for said in (copy, copy.replace("here", "still here"), copy.replace("Number one is here.\n", MARKS)):
        path.write_text(said)
        done = memory.sync(folder)
        assert not done.changed
        assert [(one.path, "one was forgotten here" in one.problem) for one in done.problems] == [(path.name, True)]
        assert path.read_text() == said
        assert texts(memory) == {}
    path.write_text(copy.replace("id: one\n", ""))
    assert memory.sync(folder).added == 1
    assert list(texts(memory).values()) == ["Number one is here."]
    assert not memory.sync(folder).changed


def test_what_a_killed_sync_was_writing_is_out_of_gits_sight_and_goes_with_the_next(
    tmp_path: Path, folder: Path
) -> None:
    settings = Settings(home=tmp_path / "home", embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember("The plugh is green.", id="lamp")
    git(folder, "init", "-q")
    line = [
        sys.executable,
        "-c",
        KILLED.replace("os.kill(os.getpid()", "how['by'].write_bytes(data); os.kill(os.getpid()"),
    ]
    done = subprocess.run([*line, str(settings.home), str(folder), "1", "before"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path for path in folder.rglob("*.part") if b"plugh" in path.read_bytes()]
    assert git(folder, "status", "--porcelain", "--untracked-files=all") == ""
    gone = done_process()
    (folder / f".of-an-earlier-release.md.{gone}").write_text("---\nid: lamp\n---\n\nThe plugh is green.\n")
    (folder / f".my own.md.{gone}").write_text("is mine")
    with recollect.open(settings=settings) as memory:
        memory.forget("lamp")
        assert memory.sync(folder).problems == ()
    left = {path.name for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert left == {".gitignore", f".my own.md.{gone}"}


def done_process() -> int:
    """The number of a process that is no more."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_what_was_left_long_ago_goes_though_another_process_has_its_number(memory: Memory, folder: Path) -> None:
    memory.remember("The lamp is green.")
    memory.sync(folder)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        old, cut, new = (folder / f".{name}-e8bc16.md.{other.pid}" for name in ("old", "cut", "new"))
        for path, content in ((old, "---\nid: lamp\n---\n"), (cut, "--"), (new, "---\nid: lamp\n")):
            path.write_text(content)
        for path in (old, cut):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        assert memory.sync(folder).problems == ()
        assert [path.exists() for path in (old, cut, new)] == [False, False, True]
        other.communicate(b"\n")


@pytest.mark.parametrize("kind", ["a link", "a file"])
def test_our_folder_that_is_something_else_is_refused_and_left_alone(
    memory: Memory, folder: Path, tmp_path: Path, kind: str
) -> None:
    memory.remember("The lamp is green.")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / f"{done_process()}-1.part").write_text("somebody's")
    own = folder / ".recollect-sync"
    if kind == "a link":
        own.symlink_to(tmp_path / "elsewhere")
    else:
        own.write_text("mine")
    with pytest.raises(InvalidInput, match=rf"recollect-sync is {kind}, .* move it away"):
        memory.sync(folder)
    assert files(folder) == {}
    assert [path.read_text() for path in (tmp_path / "elsewhere").iterdir()] == ["somebody's"]
    own.unlink()
    assert memory.sync(folder).written == 1


@pytest.mark.parametrize("name", ["Lamp.MD", "lamp.markdown", "deep/Lamp.Markdown"])
def test_a_note_may_be_renamed_to_another_ending_of_markdown(memory: Memory, folder: Path, name: str) -> None:
    memory.remember("The lamp is green.", id="lamp")
    memory.sync(folder)
    (folder / "deep").mkdir()
    only(folder).rename(folder / name)
    done = memory.sync(folder)
    assert (done.archived, done.written, done.problems, set(texts(memory))) == (0, 0, (), {"lamp"})
    (folder / name).write_text((folder / name).read_text().replace("green", "red"))
    assert memory.sync(folder).revised == 1
    assert texts(memory) == {"lamp": "The lamp is red."}


@pytest.mark.parametrize("text", ["x" * 1_000_000, "x" + "\r\n\n" * 300_000 + "y"], ids=["long", "of many lines"])
def test_the_longest_record_is_read_from_the_file_that_it_became(memory: Memory, folder: Path, text: str) -> None:
    memory.remember(text, id="long", tags=["a" * 200], metadata={"k": "\x01" * 9_000})
    assert memory.sync(folder).written == 1
    path = only(folder)
    assert path.stat().st_size > 1_000_000
    path.write_bytes(path.read_bytes().replace(b"a" * 200, b"b" * 200).replace(b"\n", b"\r\n"))
    done = memory.sync(folder)
    assert (done.revised, done.problems) == (1, ())
    assert (memory.get("long").text, memory.get("long").tags) == (text, ("b" * 200,))


def test_names_that_no_link_can_hold_make_no_other_entities(memory: Memory, folder: Path, tmp_path: Path) -> None:
    for name in ("C#", "F# 9", "Pipe|Line", "Odd]Name", "Plain Name"):
        memory.entity(name)
    memory.remember("We moved from C# to F# 9 with Pipe|Line, Odd]Name and Plain Name.", id="n")
    memory.sync(folder)
    assert '  - "[[C#]]"\n  - "[[Plain Name]]"\n---' in only(folder).read_text()
    with recollect.open(settings=Settings(home=tmp_path / "there", embedder="none")) as other:
        other.sync(folder)
        assert {one.name for one in other.entities()} >= {"C#", "Plain Name"}
        assert not {one.name for one in other.entities()} & {"C", "F", "Pipe", "Odd", "Line", "Name"}
    assert links_in("[[C#]] [[C#|sharp]] [[C#Types]] [[C#Types|types]]") == ["C#", "C#", "C", "C"]


def test_what_another_process_is_writing_is_left_to_it(memory: Memory, folder: Path) -> None:
    memory.remember("The lamp is green.")
    memory.sync(folder)
    [own] = [path for path in folder.iterdir() if path.is_dir()]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        (own / f"{other.pid}-1.part").write_text("half a")
        memory.sync(folder)
        assert (own / f"{other.pid}-1.part").exists()
        other.communicate(b"\n")
    memory.sync(folder)
    assert not (own / f"{other.pid}-1.part").exists()


def test_a_deleted_file_does_not_take_along_what_changed_since(memory: Memory, folder: Path) -> None:
    memory.remember("The kettle is new.", id="kettle")
    memory.sync(folder)
    only(folder).unlink()
    memory.revise("kettle", "The kettle is broken.")
    assert memory.sync(folder).written == 1
    assert "broken" in only(folder).read_text()


@pytest.mark.parametrize("other", ["", "deep/Kettle.md", "deep/KETTLE.md"])
def test_a_deleted_file_whose_note_has_changed_comes_back_under_its_name_where_that_is_free(
    memory: Memory, folder: Path, other: str
) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "Kettle.md").write_text("The kettle is new.\n")
    (folder / "links.md").write_text("See [[Kettle]].\n")
    memory.sync(folder)
    shutil.rmtree(folder / "deep")
    kettle = next(one for one in memory.list() if "new" in one.text)
    memory.revise(kettle.id, "The kettle is broken.")
    if other:
        (folder / "deep").mkdir()
        (folder / other).write_text("---\nid: other\n---\n\nAnother kettle.\n")
    memory.sync(folder)
    (path,) = [path for path, said in files(folder).items() if "broken" in said]
    assert (path == "deep/Kettle.md") is not bool(other)
    assert not memory.sync(folder).changed


def test_what_was_changed_on_both_sides_is_kept_as_both_and_waits_in_the_inbox(memory: Memory, folder: Path) -> None:
    memory.remember("The door is green.", id="door")
    memory.sync(folder)
    only(folder).write_text(only(folder).read_text().replace("green", "red"))
    memory.revise("door", "The door is blue.")
    (beside,) = memory.sync(folder).conflicts
    assert texts(memory) == {"door": "The door is blue.", beside: "The door is red."}
    assert len(files(folder)) == 2
    (pair,) = memory.review()
    assert (pair.older.id, pair.newer.id, pair.conflict) == ("door", beside, True)
    (pile,) = inbox(memory.core, piles=["duplicates"])
    assert pile.matters[0].note == "they were one, and were changed in two places"
    assert not memory.sync(folder).changed
    memory.supersede(beside, "door", reason="it is blue")
    assert memory.sync(folder).removed == 1
    assert memory.review() == []


def test_marks_of_a_merge_are_taken_for_what_they_are(memory: Memory, folder: Path) -> None:
    memory.remember("The door is green.", id="door")
    memory.sync(folder)
    content = only(folder).read_text()
    marked = "<<<<<<< HEAD\nThe door is red.\n=======\nThe door is blue.\n>>>>>>> theirs\n"
    only(folder).write_text(content.replace("The door is green.\n", marked))
    (beside,) = memory.sync(folder).conflicts
    assert set(texts(memory).values()) == {"The door is red.", "The door is blue."}
    assert set(texts(memory)) == {"door", beside}
    assert not any("<<<<" in one for one in files(folder).values())
    assert not memory.sync(folder).changed


@pytest.mark.parametrize("other", ["The door is red.", "The door is blue."])
def test_a_merge_of_two_notes_tells_which_id_is_no_more(memory: Memory, folder: Path, other: str) -> None:
    memory.remember("The door is red.", id="lamp")
    memory.sync(folder)
    (file,) = folder.glob("*.md")
    said = file.read_text().replace("id: lamp", "id: {}")
    ours, theirs = said.format("lamp"), said.format("torch").replace("The door is red.", other)
    file.write_text(marked_by_git(ours, theirs))
    done = memory.sync(folder)
    kept = {one.id: one.text for one in memory.list()}
    away = memory.get("lamp" if "torch" in kept else "torch")
    assert {*kept.values()} == {"The door is red.", other}
    if away is not None:
        assert (away.status, away.id in done.conflicts) == ("archived", True)
        assert memory.history(away.id)[-1].change.reason == "a merge made its file one with that of torch"
    assert memory.sync(folder).changed is False


def marked_by_git(ours: str, theirs: str) -> str:
    """Two files as git merges them: with marks around the lines that differ."""
    lines: list[str] = []
    for one, other in zip(ours.splitlines(), theirs.splitlines(), strict=True):
        lines += [one] if one == other else ["<<<<<<< HEAD", one, "=======", other, ">>>>>>> theirs"]
    return "\n".join(lines) + "\n"


def test_a_note_about_merges_is_no_merge(memory: Memory, folder: Path) -> None:
    text = "Git writes\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\nwhere both changed."
    memory.remember(text, id="git")
    memory.sync(folder)
    assert not memory.sync(folder).changed
    assert texts(memory) == {"git": text}


MARKS = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"


@pytest.mark.parametrize("front", ["", "---\ntags: [a]\n---\n\n"])
def test_a_merge_in_a_file_without_an_id_is_left_as_it_is_and_told(memory: Memory, folder: Path, front: str) -> None:
    (folder / "todo.md").write_text(said := f"{front}Intro\n{MARKS}")
    for _ in range(2):
        done = memory.sync(folder)
        assert [problem.path for problem in done.problems] == ["todo.md"]
        assert "holds the marks of a merge" in done.problems[0].problem
        assert not done.changed
    assert (folder / "todo.md").read_text() == said


@pytest.mark.parametrize(
    "text",
    [
        f"How git tells:\n```\n{MARKS}```\nthat is all.",
        f"~~~~ text\n```\n{MARKS}~~~~",
        "<<<<<<< HEAD\nours\n=======\nand nothing more",
        "Heading\n=======\n\n>>>>>>> a quote of a quote",
        "<<<<<<<HEAD\nours\n=======\ntheirs\n>>>>>>>no label",
        f"<<<<<<< open\n```\n{MARKS}```",
    ],
)
def test_marks_that_are_only_text_stay_text(memory: Memory, folder: Path, text: str) -> None:
    (folder / "own.md").write_text(f"{text}\n")
    (folder / "known.md").write_text(f"---\nid: known\n---\n\n{text}\n")
    done = memory.sync(folder)
    assert (done.added, done.conflicts, done.problems) == (2, (), ())
    assert set(texts(memory).values()) == {text}
    assert (folder / "own.md").read_text().endswith(f"\n{text}\n")
    assert not memory.sync(folder).changed


def test_a_note_about_merges_is_the_same_on_a_second_machine_and_after_edits(
    open_memory: Callable[..., Memory], tmp_path: Path, folder: Path
) -> None:
    first, second = open_memory(), open_memory(home=tmp_path / "other")
    text = f"Git writes\n{MARKS}where both changed."
    first.remember(text, id="git")
    first.sync(folder)
    shutil.copytree(folder, there := tmp_path / "there")
    assert second.sync(there).conflicts == ()
    assert texts(second) == texts(first) == {"git": text}
    for memory, place in ((first, folder), (second, there)):
        only(place).write_text(only(place).read_text().replace("Git writes", "Git leaves"))
        assert memory.sync(place).revised == 1
        assert texts(memory) == {"git": text.replace("writes", "leaves")}
        assert not memory.sync(place).changed
    titles = "---\n<<<<<<< HEAD\ntitle: One\n=======\ntitle: Two\n>>>>>>> b\n"
    only(folder).write_text(only(folder).read_text().replace("---\n", titles, 1))
    assert len(first.sync(folder).conflicts) == 1
    assert {one.title for one in first.list()} == {"One", "Two"}
    assert {one.text for one in first.list()} == {text.replace("writes", "leaves")}


def test_a_file_about_merges_of_an_earlier_release_learns_to_say_so(memory: Memory, folder: Path) -> None:
    memory.remember(text := f"Git writes\n{MARKS}where both changed.", id="git")
    memory.sync(folder)
    plain = "".join(
        line for line in only(folder).read_text().splitlines(keepends=True) if not line.startswith("text_form")
    )
    only(folder).write_text(plain.replace("Git writes", "Git leaves"))
    memory.sync(folder)
    assert texts(memory) == {"git": text.replace("writes", "leaves")}
    assert 'text_form: {"marks":"text"}' in only(folder).read_text()
    assert not memory.sync(folder).changed


def test_a_merge_is_read_into_a_memory_that_does_not_exist_yet(memory: Memory, folder: Path) -> None:
    (folder / "door.md").write_text(f"---\nid: door\n---\n\nThe door:\n{MARKS}")
    assert foreign_files(memory.core, folder, "default") == []
    assert memory.spaces() == []
    done = memory.sync(folder)
    assert (len(done.conflicts), done.problems) == (1, ())
    assert set(texts(memory).values()) == {"The door:\nours", "The door:\ntheirs"}


def test_a_merge_whose_sides_cannot_be_told_apart_is_left_as_it_is(memory: Memory, folder: Path) -> None:
    memory.remember("The door is green.", id="door")
    memory.sync(folder)
    marked = only(folder).read_text().replace("The door is green.\n", MARKS.replace("ours", "Heading\n=======\nours"))
    only(folder).write_text(marked)
    done = memory.sync(folder)
    assert "2 lines of =======" in done.problems[0].problem
    assert not done.changed
    assert only(folder).read_text() == marked


CODE = "How to start it:\n```sh\nmake build\nmake run\n```\nThat is all."


def test_a_merge_within_a_block_of_code_is_a_conflict_like_any_other(memory: Memory, folder: Path) -> None:
    memory.remember(CODE, id="start")
    memory.sync(folder)
    marked = "<<<<<<< HEAD\nmake run FAST=1\n=======\nmake serve\n>>>>>>> 1f2e3d4 (Serve it)\n"
    content = only(folder).read_text().replace("make run\n", marked).replace("That is all.", "That is really all.")
    only(folder).write_text(content)
    (beside,) = memory.sync(folder).conflicts
    rest = CODE.replace("That is all.", "That is really all.")
    assert set(texts(memory).values()) == {rest.replace("run", "run FAST=1"), rest.replace("make run", "make serve")}
    assert set(texts(memory)) == {"start", beside}
    assert [pair.conflict for pair in memory.review()] == [True]
    assert not any("<<<<" in one for one in files(folder).values())
    assert not memory.sync(folder).changed


def test_an_example_of_a_merge_that_is_added_to_a_note_is_not_torn(memory: Memory, folder: Path) -> None:
    memory.remember(CODE, id="start")
    memory.sync(folder)
    said = f"{CODE}\nIf git says this, settle it:\n```\n{MARKS}```"
    only(folder).write_text(only(folder).read_text().replace(CODE, said))
    done = memory.sync(folder)
    assert (done.revised, done.conflicts, done.problems) == (1, (), ())
    assert texts(memory) == {"start": said}
    marked = "<<<<<<< HEAD\nmake run FAST=1\n=======\nmake serve\n>>>>>>> theirs\n"
    only(folder).write_text(only(folder).read_text().replace("make run\n", marked))
    assert len(memory.sync(folder).conflicts) == 1
    assert set(texts(memory).values()) == {said.replace("run", "run FAST=1"), said.replace("make run", "make serve")}
    assert not memory.sync(folder).changed


KEPT_FIRST = """
import os, signal, sys
from pathlib import Path
import recollect
from recollect import private
def after(path, data, **more):
    path.write_bytes(data)
    os.kill(os.getpid(), signal.SIGKILL)
private.write_whole = after
with recollect.open(settings=recollect.Settings(home=Path(sys.argv[1]), embedder="none")) as memory:
    memory.sync(sys.argv[2])
"""


@pytest.mark.parametrize("by", ["merge", "both"])
def test_neither_side_is_lost_when_the_sync_is_killed_once_the_file_is_written(
    tmp_path: Path, folder: Path, by: str
) -> None:
    settings = Settings(home=tmp_path / "home", embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember("The door is green.", id="door")
        memory.sync(folder)
        if by == "both":
            memory.revise("door", "The door is ours")
    said = "The door is theirs\n" if by == "both" else MARKS
    only(folder).write_text(only(folder).read_text().replace("The door is green.\n", said))
    done = subprocess.run([sys.executable, "-c", KEPT_FIRST, str(tmp_path / "home"), str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    with recollect.open(settings=settings) as memory:
        memory.sync(folder)
        assert {text.rpartition(" ")[2] for text in texts(memory).values()} == {"ours", "theirs"}
        assert not memory.sync(folder).changed


@pytest.mark.parametrize("known", [False, True])
def test_what_changes_after_a_sync_was_killed_is_no_conflict_where_nobody_touched_the_file(
    tmp_path: Path, folder: Path, known: bool
) -> None:
    settings = Settings(home=tmp_path / "home", embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember("The door is green.", id="door")
        if known:
            memory.sync(folder)
            memory.revise("door", "The door is red.")
    done = subprocess.run([sys.executable, "-c", KEPT_FIRST, str(tmp_path / "home"), str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    with recollect.open(settings=settings) as memory:
        memory.revise("door", "The door is blue.")
        done_now = memory.sync(folder)
        assert (done_now.conflicts, done_now.written) == ((), 1)
        assert texts(memory) == {"door": "The door is blue."}
        assert only(folder).read_text().endswith("The door is blue.\n")
        assert not memory.sync(folder).changed


def test_a_file_that_somebody_put_back_while_its_note_changed_is_a_conflict(memory: Memory, folder: Path) -> None:
    memory.remember("The door is green.", id="door")
    memory.sync(folder)
    first = only(folder).read_text()
    memory.revise("door", "The door is red.")
    memory.sync(folder)
    only(folder).write_text(first)
    memory.revise("door", "The door is blue.")
    assert len(memory.sync(folder).conflicts) == 1
    assert set(texts(memory).values()) == {"The door is green.", "The door is blue."}


@pytest.mark.parametrize(
    "text",
    [
        "Two lines below.\n\n\n", "\n\nTwo lines above.", "One\r\ntwo\r\n", "\r\nOne\r\n\r\ntwo", "a\r\nb\nc\r\r\nd",
        "a\rb\n\rc", "\r\rx\r", "One\n\n\ntwo", f"\r\n{MARKS}".replace("\n", "\r\n"),
    ],
)  # fmt: skip
def test_a_text_comes_letter_by_letter_to_a_second_machine(
    open_memory: Callable[..., Memory], tmp_path: Path, folder: Path, text: str
) -> None:
    first, second = open_memory(), open_memory(home=tmp_path / "other")
    first.remember(text, id="a")
    first.sync(folder)
    shutil.copytree(folder, there := tmp_path / "there")
    for path in there.glob("*.md"):  # as git does on Windows
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    second.sync(there)
    assert texts(second) == texts(first) == {"a": text}
    assert not first.sync(folder).changed
    assert not second.sync(there).changed


def test_the_edges_of_a_text_are_a_change_on_either_side(memory: Memory, folder: Path) -> None:
    memory.remember("One line.", id="a")
    memory.sync(folder)
    memory.revise("a", "One line.\n\n")
    assert memory.sync(folder).written == 1
    form = 'text_form: {"after":"\\n\\n"}\n'
    assert form in only(folder).read_text()
    only(folder).write_text(only(folder).read_text().replace(form, ""))
    assert memory.sync(folder).revised == 1
    assert texts(memory) == {"a": "One line."}


def test_files_that_cannot_be_read_are_told_and_their_records_stay(memory: Memory, folder: Path) -> None:
    for id in ("one", "two", "three"):
        memory.remember(f"Number {id}.", id=id)
    memory.sync(folder)
    one, two, three = (
        next(p for p in folder.glob("*.md") if f"number-{id}" in p.name) for id in ("one", "two", "three")
    )
    one.write_bytes(b"\xff\xfe broken")
    two.write_text(two.read_text().replace("time:", "trust: wonderful\ntime:"))
    (folder / "a copy.md").write_text(three.read_text())
    (folder / "empty.md").write_text("")
    done = memory.sync(folder)
    assert {problem.path for problem in done.problems} == {"empty.md", one.name, two.name}
    assert not (folder / "a copy.md").exists()
    assert set(texts(memory)) == {"one", "two", "three"}
    assert one.read_bytes() == b"\xff\xfe broken"


def shut(monkeypatch: pytest.MonkeyPatch, folder: Path, code: int = errno.EACCES, *, listed: bool = False) -> None:
    """As for somebody who is not root: nothing in the folder can be looked at, and it can be listed only if it says."""

    def refusing(really: Callable[..., Any], refused: Callable[[Path], bool]) -> Callable[..., Any]:
        def act(path: str | Path = ".", *args: object, **how: object) -> Any:
            if isinstance(path, str | Path) and refused(Path(path)):
                raise OSError(code, os.strerror(code), str(path))
            return really(path, *args, **how)

        return act

    monkeypatch.setattr(os, "scandir", refusing(os.scandir, lambda path: path.is_relative_to(folder) and not listed))
    for name in ("stat", "lstat"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), lambda path: folder in path.parents))
    monkeypatch.setattr(io, "open", refusing(io.open, lambda path: folder in path.parents))


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_the_notes_of_a_folder_that_cannot_be_listed_stay_and_the_folder_is_told(
    memory: Memory, folder: Path, code: int
) -> None:
    for name in ("sub/deep/a", "sub/b", "c", "d"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(f"The note {name} is here.\n")
    memory.sync(folder)
    (folder / "d.md").unlink()
    (folder / "c.md").write_text((folder / "c.md").read_text().replace("here", "there"))
    memory.remember("This comes meanwhile.", project="sub")
    with pytest.MonkeyPatch.context() as patched:
        shut(patched, folder / "sub", code)
        done = memory.sync(folder)
        assert (done.archived, done.revised, done.written) == (1, 1, 0)
        assert [(one.path, os.strerror(code) in one.problem) for one in done.problems] == [("sub", True)]
    assert len(memory.list()) == 4
    done = memory.sync(folder)
    assert (done.archived, done.written, done.problems) == (0, 1, ())


def test_the_notes_of_a_folder_that_may_only_be_listed_stay_and_the_folder_is_told(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    for name in ("a", "b"):
        (folder / "sub" / f"{name}.md").write_text(f"The note {name} is here.\n")
    memory.sync(folder)
    (folder / "sub" / f".a.md.{done_process()}").write_text("---\n")
    shut(monkeypatch, folder / "sub", listed=True)
    done = memory.sync(folder)
    assert [one.path for one in done.problems] == ["sub"]
    assert (done.changed, len(memory.list())) == (False, 2)


def test_notes_that_are_gone_beside_a_folder_that_cannot_be_read_do_not_empty_the_memory(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    for number in range(5):
        memory.remember(f"Number {number} is here.")
    memory.sync(folder)
    for path in folder.glob("*.md"):
        path.unlink()
    shut(monkeypatch, folder / "sub")
    with pytest.raises(InvalidInput, match="holds no note any more, and 5 did"):
        memory.sync(folder)
    assert len(memory.list()) == 5


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("above", [False, True])
def test_a_folder_that_cannot_be_read_at_all_is_refused_by_its_name(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch, listed: bool, above: bool
) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("This is here.\n")
    shut(monkeypatch, folder if above else folder / "notes", listed=listed)
    with pytest.raises(InvalidInput, match=f"{folder / 'notes'} cannot be read: Permission denied"):
        foreign_files(memory.core, folder / "notes", "default")
    with pytest.raises(InvalidInput, match=f"{folder / 'notes'} cannot be read: Permission denied"):
        memory.sync(folder / "notes")


def test_the_files_that_would_become_notes_are_those_that_do(memory: Memory, folder: Path) -> None:
    (folder / "plain.md").write_text("The lamp is green.\n")
    (folder / "private.md").write_text("The lamp is <private>a gift</private>.\n")
    (folder / "secret.md").write_text("The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a.\n")
    assert foreign_files(memory.core, folder, "default") == ["plain.md"]
    done = memory.sync(folder)
    assert (done.added, sorted(one.path for one in done.problems)) == (1, ["private.md", "secret.md"])


def test_a_file_whose_name_is_no_text_is_told_and_does_not_hold_up_the_others(memory: Memory, folder: Path) -> None:
    memory.remember("one", id="one")
    memory.sync(folder)
    only(folder).rename(folder / os.fsdecode(b"gr\xfcn.md"))
    (folder / os.fsdecode(b"new\xff.md")).write_text("Nobody can call this.")
    (folder / "two.md").write_text("This is the second.")
    for added in (1, 0):
        done = memory.sync(folder)
        assert [problem.path for problem in done.problems] == [r"'gr\udcfcn.md'", r"'new\udcff.md'"]
        assert (done.added, done.archived, memory.get("one").status) == (added, 0, "active")
    named = folder / os.fsdecode(b"gr\xfcn")
    named.mkdir()
    with pytest.raises(InvalidInput, match="not UTF-8"):
        memory.sync(named)
    with pytest.raises(InvalidInput, match="not UTF-8"):
        memory.index_project(named)


def test_what_is_wrong_with_a_file_is_told_in_the_words_of_the_file(memory: Memory, folder: Path) -> None:
    (folder / "book.md").write_text("---\nimportance: 8\n---\nA book.")
    (folder / "old.md").write_bytes("Grün".encode("latin-1"))
    told = {problem.path: problem.problem for problem in memory.sync(folder).problems}
    assert told["book.md"].startswith("importance: must be from 0 to 1")
    assert told["old.md"] == "file: is not UTF-8 text; save it as UTF-8, and it is read"


@pytest.mark.parametrize("line", [0, -1])
def test_a_note_whose_front_matter_is_damaged_is_told_and_its_record_stays(
    memory: Memory, folder: Path, line: int
) -> None:
    memory.remember("The lamp is green.", id="lamp", title="Lamp", tags=["a"])
    memory.sync(folder)
    whole = only(folder).read_text()
    lines = whole.split("\n")
    del lines[[place for place, one in enumerate(lines) if one == "---"][line]]
    only(folder).rename(folder / "renamed.md")
    only(folder).write_text("\n".join(lines))
    done = memory.sync(folder)
    assert [(one.path, "a line of --- " in one.problem) for one in done.problems] == [("renamed.md", True)]
    assert not done.changed
    assert [(one.id, one.title, one.tags) for one in memory.list()] == [("lamp", "Lamp", ("a",))]
    only(folder).write_text(whole)
    assert memory.sync(folder).problems == ()


def test_a_note_that_became_a_link_is_told_and_its_record_stays(memory: Memory, folder: Path) -> None:
    memory.remember("The lamp is green.", id="lamp")
    memory.sync(folder)
    path = only(folder)
    path.unlink()
    path.symlink_to(path.name)
    (folder / "foreign.md").symlink_to("/etc/hostname")
    for _ in range(2):
        done = memory.sync(folder)
        assert [(one.path, "is a link" in one.problem) for one in done.problems] == [(path.name, True)]
        assert not done.changed
    assert set(texts(memory)) == {"lamp"}


def test_a_file_that_is_nested_deeply_does_not_hold_up_the_others(memory: Memory, folder: Path) -> None:
    (folder / "deep.md").write_text(f"---\na: {'[' * 20_000}\n---\nx\n")
    (folder / "closed.md").write_text(f"---\na: {'[' * 20_000}{']' * 20_000}\n---\ny\n")
    (folder / "halfway.md").write_text(f"---\na: {'[' * 400}{']' * 400}\n---\nz\n")
    (folder / "plain.md").write_text("plain")
    done = memory.sync(folder)
    assert [one.path for one in done.problems] == ["halfway.md"]
    assert set(texts(memory).values()) == {"x", "y", "plain"}


def test_what_a_files_own_fields_leave_empty_stays_in_it(memory: Memory, folder: Path) -> None:
    own = "aliases: []\ncssclasses:\n  - wide\ndue:\n"
    (folder / "mine.md").write_text(f"---\nid: mine\n{own}---\n\nThe lamp is green.\n")
    memory.sync(folder)
    memory.revise("mine", "The lamp is blue.")
    memory.sync(folder)
    said = (folder / "mine.md").read_text()
    assert own in said
    assert "The lamp is blue." in said
    assert not memory.sync(folder).changed


OWN_FIELDS = [
    "description: |\n  KEEP1\n\n    KEEP2\nlinks:\n  web: KEEP3",
    "people:\n  - name: one\n    val: 1\n  - name: two",
    "summary: >-\n  folded\n  text\n# a comment",
    'aliases: [a, "b, c"]\nfoo: bar # x\nn: 1.50\nsame: 1\nsame: 2',
    "# above\nlist:\n# inside\n- one\n-\n\t- two\nno field at all",
    "rating: 4\ndone: yes\nday: 2026-05-10",
]


@pytest.mark.parametrize("own", OWN_FIELDS)
def test_a_files_own_fields_stay_line_by_line_whatever_they_are(
    memory: Memory, folder: Path, tmp_path: Path, own: str
) -> None:
    (folder / "a.md").write_text(f"---\n{own}\ntags:\n  - garden\n---\nBody\n")
    assert memory.sync(folder).added == 1
    (record,) = memory.list()
    memory.revise(record.id, tags=["x"])
    assert memory.sync(folder).written == 1
    content = (folder / "a.md").read_text()
    assert f"\n{own}\n---\n" in content
    assert "tags:\n  - x\n" in content
    again = memory.sync(folder)
    assert (again.revised, again.written, again.conflicts, again.problems) == (0, 0, (), ())
    (tmp_path / "second").mkdir()
    shutil.copy(folder / "a.md", tmp_path / "second" / "b.md")
    with recollect.open(settings=Settings(home=tmp_path / "there", embedder="none")) as other:
        other.sync(tmp_path / "second")
        assert other.get(record.id).metadata == memory.get(record.id).metadata
        (tmp_path / "second" / "b.md").unlink()
        other.revise(record.id, text="Changed")
        other.sync(tmp_path / "second")
        assert f"\n{own}\n---\n" in only(tmp_path / "second").read_text()


def test_an_edit_in_a_files_own_fields_is_kept_with_the_record(memory: Memory, folder: Path) -> None:
    (folder / "a.md").write_text("---\ndescription: |\n  before\ncssclass: wide\n---\nBody\n")
    memory.sync(folder)
    (record,) = memory.list()
    content = (folder / "a.md").read_text()
    (folder / "a.md").write_text(content.replace("  before", "  after"))
    assert memory.sync(folder).revised == 1
    assert memory.get(record.id).metadata == {
        "properties": {"cssclass": "wide"}, "properties_form": "description: |\n  after\ncssclass: wide",
    }  # fmt: skip
    memory.revise(record.id, metadata={**memory.get(record.id).metadata, "properties": {"cssclass": "small"}})
    memory.sync(folder)
    assert "description: |\n  after\ncssclass: small\n---" in (folder / "a.md").read_text()


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("title: >\n  folded\n  title", "title"),
        ("title: |", "title"),
        ("tags:\n\t- t1", "tags"),
        ("tags: [a,\n  b]", "tags"),
        ("tags: [a, b", "tags"),
        ("tags: [a, b # and c]", "tags"),
        ("tags: {a: 1}", "tags"),
        ("tags: [a, {b: 1}]", "tags"),
        ('tags: [{"b": 1}]', "tags"),
        ("tags:\n  - area: home", "tags"),
        ("title: {a: 1}  # mine", "title"),
        ("metadata:\n  key: value", "metadata"),
        ('project: "one\n  two"', "project"),
    ],
)
def test_a_field_of_ours_in_another_form_is_told_and_its_record_stays(
    memory: Memory, folder: Path, line: str, field: str
) -> None:
    memory.remember("Ada likes tea.", id="n", tags=["t0"], title="Tea", project="home", metadata={"a": 1})
    memory.sync(folder)
    before, path = memory.get("n"), only(folder)
    written = f"---\nid: n\n{line}\n---\n\nAda likes coffee.\n"
    path.unlink()
    (folder / "renamed.md").write_text(written)
    found = memory.sync(folder)
    ((where, told),) = [(one.path, one.problem) for one in found.problems]
    assert (where, told.startswith(f"{field}: stands in a form that is not read; write it as")) == ("renamed.md", True)
    assert (files(folder), memory.get("n")) == ({"renamed.md": written}, before)


@pytest.mark.parametrize("line", ["  indented: 1", "- one", "\t- two", "# above\n- three"])
def test_a_line_that_is_of_no_field_is_told_and_its_file_left_alone(memory: Memory, folder: Path, line: str) -> None:
    (folder / "a.md").write_text(written := f"---\n{line}\ntitle: T\n---\nBody\n")
    memory.remember("Tea.", id="n", tags=["t"], metadata={"properties_form": line})
    done = memory.sync(folder)
    assert [one.problem.partition(":")[0] for one in done.problems] == ["front matter"]
    assert (done.added, (folder / "a.md").read_text()) == (0, written)
    assert (memory.sync(folder).revised, memory.get("n").tags) == (0, ("t",))


@pytest.mark.parametrize(
    "properties",
    [{"z": 1}, {"z": 1.5, "t": True, "x": "1"}, {}, 3, {"title": "x", "a": "b"}, {"a: b": [1, {"c": None}], "- d": ""}],
)
def test_properties_that_a_program_has_kept_are_no_edit_of_their_file(
    memory: Memory, folder: Path, properties: object
) -> None:
    memory.remember("Ada likes tea.", id="n", metadata={"properties": properties, "k": 1})
    assert memory.sync(folder).written == 1
    again = memory.sync(folder)
    assert (again.revised, again.written, again.problems) == (0, 0, ())
    assert memory.get("n").metadata == {"properties": properties, "k": 1}
    memory.revise("n", text="Ada likes coffee.")
    memory.sync(folder)
    assert memory.sync(folder).revised == 0


def test_a_sync_counts_only_what_it_could_do(memory: Memory, folder: Path) -> None:
    memory.remember("The lamp is green.", id="lamp")
    memory.sync(folder)
    [known] = folder.glob("*.md")
    harm = '---\nid: ID\nabout:\n  - "[[Ad\x7f]]"\n---\n\nThe lamp is blue.\n'
    known.write_text(harm.replace("ID", "lamp"))
    (folder / "new.md").write_text(harm.replace("ID", "other"))
    for _ in range(2):
        done = memory.sync(folder)
        assert not done.changed
        assert {one.path: one.problem for one in done.problems} == dict.fromkeys(
            (known.name, "new.md"), "about: must not contain control characters"
        )
    assert [record.text for record in memory.list()] == ["The lamp is green."]


def test_a_merge_whose_file_cannot_be_written_is_told_as_a_conflict_once(memory: Memory, folder: Path) -> None:
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    memory.remember("The lamp is green.", id="lamp")
    memory.sync(folder)
    [known] = folder.glob("*.md")
    sides = "The lamp is blue.\n=======\nThe lamp is red.\n"
    known.write_text(f"---\nid: lamp\n---\n\nSaid with {key}.\n\n<<<<<<< HEAD\n{sides}>>>>>>> theirs\n")
    for _ in range(3):
        done = memory.sync(folder)
        assert [one.path for one in done.problems] == [known.name]
        assert not done.changed
    known.write_text(f"---\nid: lamp\n---\n\n<<<<<<< HEAD\n{sides}>>>>>>> theirs\n")
    assert len(memory.sync(folder).conflicts) == 1
    assert not memory.sync(folder).changed


def test_a_copy_that_was_edited_is_a_note_of_its_own(memory: Memory, folder: Path) -> None:
    memory.remember("The recipe takes three eggs.", id="eggs")
    memory.sync(folder)
    first = only(folder)
    (folder / "a copy.md").write_text(first.read_text().replace("three", "four"))
    done = memory.sync(folder)
    assert (done.added, done.written) == (1, 1)
    assert [*done.copied] == [*done.conflicts]
    assert [*done.copied.values()] == [("a copy.md", first.name)]
    assert sorted(texts(memory).values()) == ["The recipe takes four eggs.", "The recipe takes three eggs."]
    assert texts(memory)["eggs"] == "The recipe takes three eggs."
    assert "id: eggs\n" in first.read_text()
    assert "id: eggs\n" not in (folder / "a copy.md").read_text()
    assert not memory.sync(folder).changed


@pytest.mark.parametrize(
    "text",
    [
        "The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a and more.\n",
        "Diary. Use the <private> tag for secrets.\nLine two that I need.\nLine three.\n",
        'password = "hunter2-and-then-some-9"\n',
    ],
)
def test_a_file_whose_text_may_not_be_kept_is_left_alone_and_told_of(memory: Memory, folder: Path, text: str) -> None:
    (folder / "key.md").write_text(text)
    (folder / "plain.md").write_text("The bees sleep in winter.")
    done = memory.sync(folder)
    assert [problem.path for problem in done.problems] == ["key.md"]
    assert (folder / "key.md").read_text() == text
    assert [record.text for record in memory.list()] == ["The bees sleep in winter."]


@pytest.mark.parametrize(
    "data",
    [
        b"\r\nhello\r\n\r\nworld  \r\n\r\n",
        b"no newline at the end",
        b"\xef\xbb\xbf# With a mark\n\ttab\n\n\n",
        b"---\ndescription: Long-term: a 'story'\ncssclass: wide   \n---\nBelow.\n",
        b"---\r\ntags: [one, two]\r\n---\r\n\r\nBelow.\r\n",
        b"---\nnot closed, just a line\n",
    ],
)
def test_a_file_that_becomes_a_note_is_the_same_below_its_id(memory: Memory, folder: Path, data: bytes) -> None:
    (folder / "own.md").write_bytes(data)
    assert memory.sync(folder).added == 1
    now = (folder / "own.md").read_bytes()
    below = data.removeprefix(b"\xef\xbb\xbf")
    rest = below.partition(b"\n")[2] if b"\n---" in below else below
    assert now.endswith(rest)
    assert now.count(b"id: ") == 1
    assert not memory.sync(folder).changed


def test_links_by_number_file_or_alias_name_the_note_that_they_mean(memory: Memory, folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "202601011230 Rivers.md").write_text(
        "Silt. [[202601011231]], [[202601011232 Deltas|the deltas]], [[202601011231#Sand bars]],"
        " [[Bed load#Gravel|it]], [[deep/Gauge.md]], ![[map.png]], [[#Here]], [[^part]] and [[Elsewhere]].\n"
    )
    (folder / "202601011231.md").write_text("---\naliases: [Sand, Bed load]\n---\n\n# Sediment\n\nIt moves.\n")
    (folder / "202601011232 Deltas.md").write_text("They grow by [[Sand]], see [[Rivers]].\n")
    (folder / "deep" / "Gauge.md").write_text("---\ntitle: The gauge\n---\n\nAt the bridge.\n")
    before = files(folder)
    assert memory.sync(folder).added == 4
    found = {one.name: {*one.aliases} for one in memory.entities()}
    assert found.keys() == {"Sediment", "Deltas", "The gauge", "Elsewhere", "Rivers"}
    assert found["Sediment"] == {"202601011231", "Bed load", "Sand"}
    assert found["The gauge"] == {"deep/Gauge.md"}
    assert all(now.endswith(before[name].partition("---\n\n")[2]) for name, now in files(folder).items())
    rivers = next(one for one in memory.list() if one.text.startswith("Silt"))
    memory.revise(rivers.id, f"{rivers.text} More.")
    memory.sync(folder)
    assert "about:" not in (folder / "202601011230 Rivers.md").read_text()
    assert not memory.sync(folder).changed


def test_a_link_in_a_table_names_what_stands_before_its_backslash() -> None:
    row = r"| [[Berta Benz\|Berta]] | [[C#\|sharp]] | [[Car#Wheels\|wheels]] | [[End\]] | [[Plain|p]] |"
    assert links_in(row) == ["Berta Benz", "C#", "Car", "End\\", "Plain"]


@pytest.mark.parametrize(
    ("name", "above", "when"),
    [
        ("2025-05-10.md", "", "2025-05-10T00:00:00Z"),
        ("2025-05-10 Rain.md", "date: 2024-02-03T10:00:00+02:00", "2024-02-03T08:00:00Z"),
        ("a.md", "created: 2024-02-03 10:00", "2024-02-03T10:00:00Z"),
        ("a.md", "date: soon\ncreated_at: 2024-02", "2024-02-01T00:00:00Z"),
        ("2025-05-10.md", "time: 2023-01-02", "2023-01-02T00:00:00Z"),
        ("2025-05-10.md", "id: brought", "2025-05-10T00:00:00Z"),
        ("a.md", "", None),
        ("2025-02-30.md", "date: 2999-01-01\ncreated: true", None),
        ("2025-05-101.md", "", None),
    ],
)
def test_a_file_that_tells_no_time_of_ours_is_of_the_time_that_its_fields_or_its_name_tell(
    memory: Memory, folder: Path, name: str, above: str, when: str | None
) -> None:
    (folder / name).write_text(f"---\n{above}\n---\nIt rained.\n" if above else "It rained.\n")
    memory.sync(folder)
    (record,) = memory.list()
    assert record.event_time == (datetime.fromisoformat(when) if when else record.created_at)
    said = (folder / name).read_text()
    assert said.endswith("It rained.\n")
    assert all(line in said for line in above.splitlines())
    assert not memory.sync(folder).changed
    (folder / name).write_text(said.replace("rained", "snowed"))
    memory.sync(folder)
    assert (memory.list()[0].text, memory.list()[0].event_time) == ("It snowed.", record.event_time)


def test_a_title_or_heading_that_several_notes_share_names_none_of_them(memory: Memory, folder: Path) -> None:
    (folder / "a").mkdir()
    for day in ("2025-05-10", "2025-05-11"):
        (folder / f"{day}.md").write_text("# Log\n\nRain.\n")
    (folder / "one.md").write_text("---\ntitle: Draft\n---\n\n# First\n")
    (folder / "two.md").write_text("---\ntitle: Draft\n---\n\nSecond\n")
    (folder / "a" / "Index.md").write_text("Of a.\n")
    (folder / "Index.md").write_text("Of all.\n")
    (folder / "links.md").write_text("[[2025-05-10]], [[2025-05-11]], [[one]], [[two]] and [[a/Index]].\n")
    memory.sync(folder)
    found = {one.name: {*one.aliases} for one in memory.entities()}
    assert found == {"2025-05-10": set(), "2025-05-11": set(), "First": {"one"}, "two": set(), "a/Index": set()}


def test_a_file_is_about_the_names_that_stand_in_its_text_as_words(memory: Memory, folder: Path) -> None:
    names = ["C", "C++", "Bob", "AI", "IT", "R", "Ada Lovelace", "The house at the end of it", "東京", "Mira"]
    (folder / "all.md").write_text(f"About {', '.join(f'[[{name}]]' for name in names)}.\n")
    memory.sync(folder)
    said = {
        "the cat goes bobsledding; she said it again, it's in the air": [],
        "cars in a bobsled, said Cid": [],
        "C++ is fast, and R-squared": ["C++"],
        "We met (Bob), **Ada Lovelace's** friend; AI/IT?": ["AI", "Ada Lovelace", "Bob", "IT"],
        "About the house at the end of it.": ["The house at the end of it"],
        "私は東京都に住む。Mira住在那里": ["Mira", "東京"],
    }
    for text in said:
        memory.remember(text, id=f"n{len(text)}")
    memory.sync(folder)
    found = {one.text: sorted(one.about) for one in map(parse_page, files(folder).values()) if one.text in said}
    assert found == said


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA letter starts with a rule: the plumber is Mr. Tap.\n\n---\n\nAnd ends with one.\n",
        "---\nMr. Tap is the plumber.\n---\nAnd ends with one.\n",
        "---\n\n# Plumber\n\n---\n\nMr. Tap.\n",
        "---\n\n- Mr. Tap\n- plumber\n\n---\n",
        "---\nhttps://tap.example/plumber\n---\n",
    ],
)
def test_a_text_that_begins_with_a_rule_has_no_front_matter_and_comes_whole(
    memory: Memory, folder: Path, text: str
) -> None:
    (folder / "letter.md").write_text(text)
    done = memory.sync(folder)
    assert (done.added, done.problems) == (1, ())
    (record,) = memory.list()
    assert (record.text, record.metadata) == (text.strip("\n"), {})
    assert (folder / "letter.md").read_text().endswith(f"---\n\n{text}")
    assert not memory.sync(folder).changed


def test_environments_hidden_folders_and_other_repositories_are_passed_over(memory: Memory, folder: Path) -> None:
    for place in (".hidden/a", "env/pyvenv.cfg", "env/lib/a", "clone/.git/HEAD", "clone/a", "deep/node_modules/x/a"):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".md" if path.name == "a" else path.suffix).write_text(f"in {place}")
    (folder / "mine.md").write_text("Mine.")
    before = files(folder)
    assert memory.sync(folder).added == 1
    after = files(folder)
    assert {name for name in after if after[name] != before[name]} == {"mine.md"}


@pytest.mark.parametrize(
    "mark", ["gate/.git/HEAD", "gate/.git", "gate/.hg/store", "gate/HEAD gate/objects/a gate/refs/b", "gate/pyvenv.cfg"]
)
def test_no_note_is_written_into_another_repository_that_is_called_like_its_project(
    memory: Memory, folder: Path, mark: str
) -> None:
    for name in mark.split():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    before = files(folder)
    for text in ("Tokens are checked.", "Keys rotate."):
        memory.remember(text, project="gate")
        assert memory.sync(folder).written == 1
    new = files(folder).keys() - before.keys()
    assert len(new) == 2
    assert not any("/" in name for name in new)
    assert files(folder).items() >= before.items()
    done = memory.sync(folder)
    assert (done.changed, done.problems) == (False, ())


def test_no_note_is_written_through_a_link_or_into_what_a_program_brought(
    memory: Memory, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "gate").symlink_to(tmp_path / "elsewhere")
    (folder / "go.mod").write_text("module x")
    (folder / "vendor" / "lib").mkdir(parents=True)
    (folder / "vendor" / "lib" / "README.md").write_text("Of a library.")
    for project in ("gate", "vendor", "node_modules"):
        memory.remember(f"About {project}.", project=project)
    done = memory.sync(folder)
    assert (done.written, done.added, done.problems) == (3, 0, ())
    assert not list((tmp_path / "elsewhere").iterdir())
    assert (folder / "vendor" / "lib" / "README.md").read_text() == "Of a library."
    assert not memory.sync(folder).changed


def test_a_folder_of_notes_on_vendors_is_one_of_notes(memory: Memory, folder: Path) -> None:
    (folder / "vendor").mkdir()
    (folder / "vendor" / "mill.md").write_text("The mill delivers on Mondays.")
    memory.remember("The bakery pays at once.", project="vendor")
    done = memory.sync(folder)
    assert (done.added, done.written) == (1, 1)
    assert len(list((folder / "vendor").iterdir())) == 2


def test_a_folder_is_in_step_with_one_space(memory: Memory, folder: Path) -> None:
    (folder / "mine.md").write_text("Mine.")
    memory.sync(folder)
    with pytest.raises(InvalidInput, match="is kept in step with the space 'default'"):
        memory.sync(folder, space="other")
    assert memory.count(space="default") == 1


@pytest.mark.parametrize("space", ["default", "other"])
@pytest.mark.parametrize(("first", "second", "lies"), [("sub", ".", "holds"), (".", "sub/deep", "lies in")])
def test_a_folder_in_or_around_one_that_is_in_step_is_refused_and_the_other_is_named(
    memory: Memory, folder: Path, first: str, second: str, lies: str, space: str
) -> None:
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "sub" / "deep" / "mine.md").write_text("Mine.")
    memory.sync(folder / first)
    told = f"{folder / second} {lies} {folder / first}, which is kept in step with the space 'default'"
    with pytest.raises(InvalidInput, match=told):
        foreign_files(memory.core, folder / second, space)
    with pytest.raises(InvalidInput, match=told):
        memory.sync(folder / second, space=space)
    assert [one.name for one in memory.spaces()] == ["default"]
    assert not memory.sync(folder / first).changed


def test_a_folder_may_be_in_step_beside_another_and_around_one_that_was_moved_out(
    memory: Memory, folder: Path, tmp_path: Path
) -> None:
    for name in ("sub", "sub2"):
        (folder / name).mkdir()
        (folder / name / "mine.md").write_text(f"Mine in {name}.")
        assert memory.sync(folder / name, space=name).added == 1
    for name in ("sub", "sub2"):
        (folder / name).rename(tmp_path / name)
    (folder / "own.md").write_text("This lies in the folder.")
    assert memory.sync(folder).added == 1
    assert not memory.sync(tmp_path / "sub", space="sub").problems


def test_what_one_sync_did_is_one_act_of_the_journal(memory: Memory, folder: Path) -> None:
    for number in range(4):
        (folder / f"{number}.md").write_text(f"Note {number}.")
    memory.sync(folder)
    newest = memory.acts()[0]
    assert (newest.verb, newest.count) == ("sync", 4)


def test_a_file_that_says_itself_that_it_is_archived_stays(memory: Memory, folder: Path) -> None:
    memory.remember("Ours.", id="ours")
    memory.sync(folder)
    ours = only(folder)
    (folder / "mine.md").write_text("---\nstatus: archived\n---\nThis is done.\n")
    ours.write_text(ours.read_text().replace("id: ours", "id: ours\nstatus: archived"))
    assert (memory.sync(folder).added, texts(memory)) == (1, {})
    ours.rename(folder / "renamed.md")
    for _ in range(2):
        assert memory.sync(folder).changed is False
        assert sorted(files(folder)) == ["mine.md", "renamed.md"]
    memory.revise("ours", status="active")
    memory.sync(folder)
    assert "archived" not in (folder / "renamed.md").read_text()
    memory.revise("ours", status="archived")
    assert memory.sync(folder).removed == 1
    memory.forget(next(one.id for one in memory.list(statuses=["archived"], valid_only=False) if "done" in one.text))
    assert memory.sync(folder).removed == 1


@pytest.mark.parametrize("kind", ["message", "document", "source", "code"])
def test_a_file_makes_no_message_or_document_and_changes_none(memory: Memory, folder: Path, kind: str) -> None:
    memory.ingest_conversation([{"role": "user", "content": "I said this."}], session="s")
    (said,) = memory.list(kinds=["message"])
    (folder / "kind.md").write_text(f"---\nkind: {kind}\n---\nThis is a note.\n")
    (folder / "other.md").write_text(f"---\nid: {said.id}\n---\nI never said this.\n")
    for _ in range(2):
        done = memory.sync(folder)
        assert {one.path: one.problem.split(":")[0] for one in done.problems} == {"kind.md": "kind", "other.md": "id"}
        assert sorted(files(folder)) == ["kind.md", "other.md"]
    assert memory.get(said.id) == said


def test_undoing_that_files_became_notes_leaves_the_files(memory: Memory, folder: Path) -> None:
    memory.remember("Ours.", id="ours")
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"The file {name} is mine.\n")
    memory.sync(folder)
    act = next(one for one in memory.journal(limit=9) if one.object_id != "ours")
    memory.undo(act, whole=True)
    for _ in range(2):
        done = memory.sync(folder)
        assert [problem.path for problem in done.problems] == ["a.md", "b.md"]
        assert (done.removed, done.added, set(texts(memory))) == (0, 0, {"ours"})
    (folder / "a.md").write_text((folder / "a.md").read_text().replace("mine", "ours"))
    memory.undo(memory.journal(limit=1)[0], whole=True)
    assert memory.sync(folder).problems == ()
    assert sorted(texts(memory).values()) == ["Ours.", "The file a is ours.", "The file b is mine."]


def test_undoing_that_files_became_notes_leaves_them_also_once_history_is_thinned(
    memory: Memory, folder: Path, clock: Clock
) -> None:
    (folder / "a.md").write_text("The file a is mine.\n")
    memory.sync(folder)
    memory.undo(memory.journal(limit=1)[0], whole=True)
    clock.advance(days=9)
    memory.thin(older_than=timedelta(days=1))
    assert [problem.path for problem in memory.sync(folder).problems] == ["a.md"]
    assert only(folder).name == "a.md"


def test_a_folder_that_is_suddenly_empty_does_not_empty_the_memory(memory: Memory, folder: Path) -> None:
    for number in range(6):
        memory.remember(f"Number {number} is here.")
    memory.sync(folder)
    for path in folder.glob("*.md"):
        path.unlink()
    with pytest.raises(InvalidInput, match="holds no note any more, and 6 did"):
        memory.sync(folder)
    with pytest.raises(InvalidInput, match="is not a folder"):
        memory.sync(folder / "nowhere")
    assert len(memory.list()) == 6


def test_who_watches_a_folder_that_is_empty_for_a_moment_waits_until_its_notes_are_back(
    memory: Memory, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        memory.remember(f"Number {number} is here.")
    memory.sync(folder)
    names, told = sorted(path.name for path in folder.glob("*.md")), list[str]()

    def move(names: list[str], here: Path, there: Path) -> set[tuple[int, str]]:
        for name in names:
            (here / name).rename(there / name)
        return {(1, str(there / name)) for name in names}

    def looks(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        yield move(names, folder, tmp_path)
        memory.remember("This comes meanwhile.")
        yield set()
        assert list(folder.glob("*.md")) == []
        yield move(names[:2], tmp_path, folder)
        yield move(names[2:], tmp_path, folder)
        yield set()
        yield set()
        (folder / names[0]).unlink()
        yield {(3, names[0])}

    monkeypatch.setattr("watchfiles.watch", looks)
    done = list(follow(memory.core, folder, "default", threading.Event(), told.append))
    assert [(one.archived, one.written) for one in done] == [(0, 1), (1, 0)]
    assert told == [told[0], "the notes are back"]
    assert "holds no note any more, and 6 did" in told[0]
    assert len(memory.list()) == 6


def test_an_editor_that_saves_by_removing_and_renaming_leaves_one_note_that_was_never_away(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = memory.remember("The door is red.").id or ""
    memory.sync(folder)
    (file,) = folder.glob("*.md")
    other = file.with_suffix(".tmp.md")

    def looks(*_: object, **__: object) -> Iterator[set[tuple[Change, str]]]:
        other.write_text(file.read_text().replace("is red", "is blue"))
        yield {(Change.added, str(other))}
        file.rename(file.with_name(f"{file.name}~"))
        yield {(Change.deleted, str(file))}
        other.rename(file)
        yield {(Change.added, str(file)), (Change.deleted, str(other))}
        yield set()
        file.unlink()
        yield {(Change.deleted, str(file))}
        yield set()

    monkeypatch.setattr("watchfiles.watch", looks)
    done = list(follow(memory.core, folder, "default", threading.Event(), [].append))
    assert [(one.added, one.revised, one.archived) for one in done if one.changed] == [(0, 1, 0), (0, 0, 1)]
    assert [one.change.verb for one in memory.history(id)] == ["remember", "sync", "sync"]
    assert not memory.list(statuses=["active", "archived"])[1:]


def test_a_file_that_an_editor_saves_again_without_its_new_id_stays_the_same_note(memory: Memory, folder: Path) -> None:
    for number in range(3):
        part = folder / "new.md.part"
        part.write_bytes(f"---\r\ntags: [a]\r\n---\r\n\r\nAn idea, {number}.\r\n".encode())
        part.rename(folder / "new.md")
        done = memory.sync(folder)
        assert (done.added, done.revised, done.archived, done.problems) == (not number, bool(number), 0, ())
    (record,) = memory.list(statuses=["active", "archived"])
    assert (record.text, record.tags) == ("An idea, 2.", ("a",))
    last = (folder / "new.md").read_bytes()
    assert last.startswith(f"---\r\nid: {record.id}\r\ntime: ".encode())
    assert last.endswith(b"tags: [a]\r\n---\r\n\r\nAn idea, 2.\r\n")
    (folder / "new.md").write_bytes(last.partition(b"\r\n")[0] + b"\r\n" + last.split(b"\r\n", 3)[3])
    done = memory.sync(folder)
    assert (done.revised, done.added, (folder / "new.md").read_bytes()) == (0, 0, last)


@pytest.mark.parametrize("name", ["a.tmp.md", "a.bak.md", "a.orig.md", "a.md~", "~$a.md", ".a.md.swp", "a.md.tmp"])
def test_what_an_editor_keeps_of_a_file_is_no_note(memory: Memory, folder: Path, name: str) -> None:
    id = memory.remember("The door is red.").id or ""
    memory.sync(folder)
    (file,) = folder.glob("*.md")
    (folder / name).write_text(file.read_text().replace("is red", "is blue"))
    assert not memory.sync(folder).changed
    assert [one.id for one in memory.list()] == [id]
    assert (folder / name).exists()


@pytest.mark.parametrize(
    "name", ["a.sync-conflict-20260101-101010-ABCDEFG.md", "a (Ada's conflicted copy 2026-01-01).md"]
)
def test_a_copy_of_a_syncing_program_is_kept_as_the_other_side_and_goes_where_it_says_the_same(
    memory: Memory, folder: Path, name: str
) -> None:
    id = memory.remember("The door is red.").id or ""
    memory.sync(folder)
    (file,) = folder.glob("*.md")
    (folder / name).write_text(file.read_text())
    assert memory.sync(folder).removed == 1
    (folder / name).write_text(file.read_text().replace("is red", "is blue"))
    done = memory.sync(folder)
    assert (done.added, len(done.conflicts)) == (1, 1)
    assert {one.text for one in memory.list()} == {"The door is red.", "The door is blue."}
    assert memory.get(id).text == "The door is red."
    assert not memory.sync(folder).changed


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_sync_that_is_killed_at_any_file_is_finished_by_the_next(tmp_path: Path, folder: Path, when: str) -> None:
    home = tmp_path / "killed"
    settings = Settings(home=home, embedder="none")
    with recollect.open(settings=settings) as memory:
        for number in range(3):
            memory.remember(f"Said number {number}.", id=f"s{number}")
    for number in range(3):
        (folder / f"own {number}.md").write_text(f"Written number {number}.\n")
    for turn in range(1, 8):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(home), str(folder), str(turn), when], capture_output=True
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    with recollect.open(settings=settings) as memory:
        memory.sync(folder)
        said = sorted(texts(memory).values())
        assert said == [*(f"Said number {n}." for n in range(3)), *(f"Written number {n}." for n in range(3))]
        assert len(files(folder)) == 6
        assert not memory.sync(folder).changed
        assert memory.check() == []


def git(folder: Path, *args: str, fails: bool = False) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *args],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert fails or done.returncode == 0, done.stderr
    return done.stdout


class Machine:
    """A computer with a memory of its own, and a clone of the notes."""

    def __init__(self, home: Path, bare: Path, clock: Clock, untouched: set[str]) -> None:
        self.notes, self.clock, self.untouched = home / "notes", clock, untouched
        git(bare, "clone", "-q", str(bare), str(self.notes))
        self.memory = recollect.open(settings=Settings(home=home / "store", embedder="none"), clock=clock)

    def share(self) -> None:
        """What the page tells people to type."""
        self.memory.sync(self.notes)
        git(self.notes, "add", "-A")
        git(self.notes, "commit", "-qm", "notes", fails=True)
        git(self.notes, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main", fails=True)
        for problem in self.memory.sync(self.notes).problems:  # what was forgotten here, and edited there
            assert "was forgotten here" in problem.problem
            (self.notes / problem.path).unlink()
        self.memory.sync(self.notes)
        git(self.notes, "add", "-A")
        git(self.notes, "commit", "-qm", "notes", fails=True)
        git(self.notes, "push", "-q", "origin", "HEAD:main")

    def be_killed(self, chance: random.Random) -> None:
        """Another process begins to sync, and is killed at one of the files that it writes, if it comes to it."""
        at, when = str(chance.randint(1, 4)), chance.choice(("before", "after"))
        line = [sys.executable, "-c", KILLED, str(self.notes.with_name("store")), str(self.notes), at, when]
        done = subprocess.run([*line, self.clock().isoformat()], capture_output=True, check=False)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()

    def file_of(self, id: str) -> Path | None:
        return next((path for path in self.notes.rglob("*.md") if f"id: {id}\n" in path.read_text()), None)

    def live(self, chance: random.Random, day: int) -> None:
        """A day: something new, and changes on whichever side."""
        for number in range(chance.randint(0, 2)):
            self.memory.remember(f"On day {day} {chance.random()} happened, {number}.", tags=[f"day{day}"])
        alone = f"Since day {day} {chance.random()} is left alone."
        self.memory.remember(alone)
        self.untouched.add(alone)
        if chance.random() < 0.5:
            (self.notes / f"thought {chance.random()}.md").write_text(
                f"A thought of [[Day {day}]]: {chance.random()}.\n"
            )
        for id in chance.sample(held := sorted(self.ids()), min(len(held), 3)):
            self.change(id, chance)

    def ids(self) -> set[str]:
        """Of what may be changed."""
        return {id for id, text in texts(self.memory).items() if text not in self.untouched}

    def change(self, id: str, chance: random.Random) -> None:
        """Something is done to a record or to its file: another text, another name, or none of it any more."""
        choice, path, record = chance.random(), self.file_of(id), self.memory.get(id)
        if record is None:
            return
        if choice < 0.35:
            self.memory.revise(id, f"{record.text.split(' (')[0]} ({chance.random()})")
        elif choice < 0.7 and path:
            path.write_text(path.read_text().rstrip() + f" Edited: {chance.random()}.\n")
        elif choice < 0.8 and path:
            path.rename(path.with_name(f"renamed {chance.random()}.md"))
        elif choice < 0.87 and path:
            path.unlink()
        elif choice < 0.92:
            self.memory.forget(id)


def state(memory: Memory) -> dict[str, tuple[object, ...]]:
    return {
        one.id: (one.text, one.title, one.kind, one.tags, one.project, one.event_time, one.trust, one.metadata)
        for one in memory.list(limit=10_000)
    }


def test_a_note_that_two_machines_renamed_and_edited_is_kept_as_both(tmp_path: Path) -> None:
    bare, clock = tmp_path / "notes.git", Clock()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    first = Machine(tmp_path / "first", bare, clock, set())
    first.memory.remember("The door is green, and always was.", id="door")
    first.memory.sync(first.notes)
    git(first.notes, "add", "-A")
    git(first.notes, "commit", "-qm", "begin")
    git(first.notes, "push", "-q", "origin", "HEAD:main")
    second = Machine(tmp_path / "second", bare, clock, set())
    with first.memory, second.memory:
        second.memory.sync(second.notes)
        for machine, colour in ((first, "red"), (second, "blue")):
            path = only(machine.notes)
            path.write_text(path.read_text().replace("green", colour))
            path.rename(path.with_name(f"{colour}.md"))
        for machine in (first, second, first, second):
            machine.share()
        said = {"The door is red, and always was.", "The door is blue, and always was."}
        assert set(texts(first.memory).values()) == set(texts(second.memory).values()) == said
        assert files(first.notes) == files(second.notes)
        assert len(second.memory.review()) == 1


@pytest.mark.parametrize("word", ["newer", "older", "both"])
def test_a_conflict_waits_on_every_machine_until_it_is_settled_on_one(tmp_path: Path, word: str) -> None:
    bare, clock = tmp_path / "notes.git", Clock()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    first = Machine(tmp_path / "first", bare, clock, set())
    first.memory.remember("The door of the mill is green.", id="door")
    first.share()
    second, third = (Machine(tmp_path / name, bare, clock, set()) for name in ("second", "third"))
    machines = (first, second, third)
    with first.memory, second.memory, third.memory:
        for machine in machines[1:]:
            machine.share()
        for machine, colour in zip(machines, ("red", "blue"), strict=False):
            machine.memory.revise("door", f"The door of the mill is {colour}.")
        for machine in (*machines, *machines):
            machine.share()

        def waiting(machine: Machine) -> list[str]:
            return [one.key for pile in inbox(machine.memory.core, piles=["duplicates"]) for one in pile.matters]

        assert len(waiting(first)) == 1
        assert waiting(first) == waiting(second) == waiting(third)
        settle(second.memory.core, waiting(first)[0], word)
        assert waiting(second) == []
        for machine in (second, first, third):
            machine.share()
            assert waiting(machine) == []
            assert machine.memory.review() == []
        said = set(texts(second.memory).values())
        assert len(said) == (2 if word == "both" else 1)
        assert said == set(texts(first.memory).values()) == set(texts(third.memory).values())
        assert all(not machine.memory.sync(machine.notes).changed for machine in machines)


@pytest.mark.parametrize(
    ("seed", "days"), [(1, 7), *(pytest.param(seed, 30, marks=pytest.mark.torture) for seed in range(2, 6))]
)
def test_a_month_on_two_machines_through_git_ends_equal_on_both(tmp_path: Path, seed: int, days: int) -> None:
    chance, bare = random.Random(seed), tmp_path / "notes.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    clock, untouched = Clock(), set[str]()
    first = Machine(tmp_path / "first", bare, clock, untouched)
    (first.notes / ".gitignore").write_text(".obsidian\n")
    git(first.notes, "add", "-A")
    git(first.notes, "commit", "-qm", "begin")
    git(first.notes, "push", "-q", "origin", "HEAD:main")
    second = Machine(tmp_path / "second", bare, clock, untouched)
    with first.memory, second.memory:
        for day in range(days):
            clock.advance(days=1)
            both = sorted(first.ids() & second.ids())
            for id in chance.sample(both, min(len(both), 2)):  # which nobody has heard of from the other
                first.change(id, chance)
                second.change(id, chance)
            for machine in (first, second):
                machine.live(chance, day)
                if chance.random() < 0.15:
                    machine.be_killed(chance)
                if day == 0 or chance.random() < 0.7:
                    machine.share()
        for machine in (first, second, first, second):
            machine.share()
        assert state(first.memory) == state(second.memory)
        assert len(untouched) == 2 * days
        assert untouched < set(texts(first.memory).values())
        assert files(first.notes) == files(second.notes)
        assert [content for content in files(first.notes).values() if "<<<<<<<" in content] == []
        assert first.memory.check() == second.memory.check() == []


def test_a_folder_that_two_machines_take_in_before_they_share_it_is_not_doubled(tmp_path: Path) -> None:
    bare, clock = tmp_path / "notes.git", Clock()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    first = Machine(tmp_path / "first", bare, clock, set())
    for number in range(3):
        (first.notes / f"note {number}.md").write_text(f"---\ntags: [tea]\n---\nThis is note {number}.\n")
    git(first.notes, "add", "-A")
    git(first.notes, "commit", "-qm", "begin")
    git(first.notes, "push", "-q", "origin", "HEAD:main")
    second = Machine(tmp_path / "second", bare, clock, set())
    with first.memory, second.memory:
        for machine in (second, first):
            clock.advance(days=1)
            machine.memory.sync(machine.notes)
        early = {one.id for one in second.memory.list()}
        for machine in (first, second, first, second):
            machine.share()
        assert sorted(files(first.notes)) == [f"note {number}.md" for number in range(3)]
        assert (files(first.notes), state(first.memory)) == (files(second.notes), state(second.memory))
        assert set(state(first.memory)) == early
        assert first.memory.review() == second.memory.review() == []


PAGES = [
    Page(text="One line.", id="a", fields={}),
    Page(text="# Heading\n\n---\nid: not this\n---\n\ntext", id="b c", fields={"title": "T: t", "tags": ["x", "- y"]}),
    Page(text="x", id="1", fields={"metadata": {"a": [1, {"b": None}], "properties": {"own": "é", "n": "3"}}}),
    Page(text="[[Ada]] and [[Bob|b]]", id="d", fields={"importance": 0.25, "status": "open"}, about=("Zoë",)),
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_read_as_it_was_written(page: Page) -> None:
    found = parse_page(render_page(page))
    assert (found.text, found.id, found.fields) == (page.text, page.id, page.fields)
    assert set(found.about) == {*page.about, *links_in(page.text)}


def test_names_of_files_are_safe_and_told_apart() -> None:
    pages = [
        Page(text=text, id=str(n), fields={}) for n, text in enumerate(["../../etc/passwd", "", "日本 語", "a" * 500])
    ]
    names = [name_page(page) for page in pages]
    assert len(set(names)) == 4
    assert all("/" not in name and len(name) < 90 and name.endswith(".md") for name in names)
    assert name_page(pages[0], {names[0].casefold()}) != names[0]
    assert name_page(Page(text="x", id="x", fields={"project": "../.."})).count("/") == 0


OWN_FIELDS = "rating: 5\naddress:\n  street: Mill Lane\n# a comment\npeople: [Ada, Grace]\n"


def as_an_earlier_release_left_it(memory: Memory, folder: Path) -> Path:
    """A synced note with fields of its own, in the store as releases kept it that read those otherwise."""
    path = folder / "shop.md"
    path.write_text(f"---\n{OWN_FIELDS}---\n\nThe shop is open.\n")
    memory.sync(folder)
    (record,) = memory.list()
    known = {"rating": "5", "address": None, "people": ["Ada", "Grace"]}
    earlier = replace(record, metadata={"properties": known})
    shelf = shelf_of(folder)
    with memory.core.store.write() as edit:
        edit.apply([put_of(edit, earlier, "sync", record)])
        edit.keep(shelf, {record.id: KnownFile("shop.md", hash_of(earlier, earlier.event_time))}, space="default")
    return path


def test_a_note_of_an_earlier_release_is_not_revised_because_its_own_fields_are_read_otherwise_now(
    memory: Memory, folder: Path
) -> None:
    path = as_an_earlier_release_left_it(memory, folder)
    said, entry = path.read_text(), memory.last_entry()
    for _ in range(2):
        assert not memory.sync(folder).changed
    assert (memory.last_entry(), path.read_text()) == (entry, said)


def test_a_note_of_an_earlier_release_that_was_changed_on_one_side_is_no_conflict_and_loses_no_line(
    memory: Memory, folder: Path
) -> None:
    path = as_an_earlier_release_left_it(memory, folder)
    (record,) = memory.list()
    memory.revise(record.id, "The shop is shut.")
    done = memory.sync(folder)
    assert (done.written, done.revised, done.conflicts) == (1, 0, ())
    assert OWN_FIELDS in path.read_text()
    assert "The shop is shut." in path.read_text()
    assert not memory.sync(folder).changed
    path.write_text(path.read_text().replace("rating: 5", "rating: 4"))
    assert memory.sync(folder).revised == 1
    assert memory.get(record.id).metadata["properties"]["rating"] == 4
    assert "street: Mill Lane" in memory.get(record.id).metadata["properties_form"]
    assert not memory.sync(folder).changed
