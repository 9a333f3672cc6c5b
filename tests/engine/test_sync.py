"""Are the files of a folder read once, whatever they become, and is it known which were?"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect import FileProblem, Memory, Settings
from recollect.engine.intake import reading
from recollect.engine.known import DOCUMENTS
from recollect.engine.write.grounds import source_id

STORES = Path(__file__).parents[1] / "store" / "stores"
LONG_AGO = 1_700_000_000_000_000_123
READ_AT = LONG_AGO // 1_000 + 60_000_000
FIRST_WITH_PROJECTS, LAST_WITH_TABLES = 2, 7


def write(root: Path, path: str, text: str | bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(file, ns=(LONG_AGO, LONG_AGO))
    return file


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(root, "till.py", "def pay(amount):\n    return amount\n")
    write(root, "README.md", "# Shop\n\nSells things.\n")
    write(root, "deep/data.json", '{"a": 1}')
    write(root, "deep/blank.md", "\n")
    return root


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Which files are read, as what."""
    seen: list[tuple[str, str]] = []
    really = reading.read_file

    def listened(root: Path, errand: reading.Errand) -> reading.ReadFile:
        seen.append((errand.kind, errand.path))
        return really(root, errand)

    monkeypatch.setattr(reading, "read_file", listened)
    return seen


def test_documents_and_code_come_of_one_walk(memory: Memory, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = memory.ingest_folder(shop, space="apart"), memory.index_project(shop, space="apart")
    looked: Counter[str] = Counter()
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked.update([Path(path).name]) or scan(path))
    told: list[tuple[int, int]] = []
    documents, code = memory.ingest_project(shop, progress=lambda done, total: told.append((done, total)))
    assert looked == {"shop": 1, "deep": 1}
    assert (documents.stored, documents.segments, documents.problems) == (1, 1, apart[0].problems)
    assert (code.state, code.total_files, code.total_chunks, code.skipped) == (
        "completed", apart[1].total_files, apart[1].total_chunks, apart[1].skipped,
    )  # fmt: skip
    assert told[-1] == (3, 3)


def test_a_second_run_reads_nothing_and_says_the_same(memory: Memory, shop: Path, read: list[tuple[str, str]]) -> None:
    documents, code = memory.ingest_project(shop)
    assert sorted(read) == [
        ("code", "deep/blank.md"), ("code", "deep/data.json"), ("code", "till.py"), ("document", "README.md"),
        ("document", "deep/blank.md"), ("document", "deep/data.json"),
    ]  # fmt: skip
    read.clear()
    entry = memory.last_entry()
    again, then = memory.ingest_project(shop)
    assert (read, memory.last_entry()) == ([], entry)
    assert (again.stored, again.unchanged, again.skipped, again.problems) == (
        0, 1, documents.skipped, documents.problems,
    )  # fmt: skip
    assert (then.total_files, then.total_chunks, then.skipped) == (code.total_files, code.total_chunks, code.skipped)
    assert again.problems == (FileProblem(path="deep/blank.md", problem="blank.md has no text"),)


def test_a_file_that_was_touched_is_read_once_more_and_then_known(
    memory: Memory, shop: Path, read: list[tuple[str, str]]
) -> None:
    memory.ingest_project(shop)
    for name in ("README.md", "till.py"):
        os.utime(shop / name, ns=(LONG_AGO + 1, LONG_AGO + 1))
    read.clear()
    assert memory.ingest_project(shop)[0].unchanged == 1
    assert read == [("document", "README.md"), ("code", "till.py")]
    memory.ingest_project(shop)
    assert len(read) == 2


def test_what_could_not_be_read_is_tried_again_though_it_looks_the_same(
    memory: Memory, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as closed:
        refused = "cannot be read: Permission denied"
        closed.setattr(reading, "read_file", lambda _, errand: reading.ReadFile(errand.path, problem=refused))
        documents, code = memory.ingest_project(shop)
    assert [problem.problem for problem in documents.problems] == [refused] * 3
    assert (documents.skipped, code.skipped) == ({"unreadable": 3}, {"unreadable": 4})
    documents, code = memory.ingest_project(shop)
    assert (documents.stored, code.indexed_files) == (1, 3)


def test_a_document_that_vanishes_before_it_is_read_is_archived(
    memory: Memory, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.ingest_folder(shop)
    write(shop, "README.md", "# Shop\n\nSells other things.\n")
    really = reading.read_file

    def vanish(root: Path, errand: reading.Errand) -> reading.ReadFile:
        (root / errand.path).unlink()
        return really(root, errand)

    monkeypatch.setattr(reading, "read_file", vanish)
    done = memory.ingest_folder(shop)
    assert (done.archived, done.updated, [problem.path for problem in done.problems]) == (1, 0, ["deep/blank.md"])


def test_a_source_that_was_forgotten_is_not_known_any_more(memory: Memory, shop: Path) -> None:
    memory.ingest_folder(shop)
    with memory.core.store.read() as view:
        assert str(shop / "README.md") in view.kept(DOCUMENTS, space="default")
    memory.forget(source_id(str(shop / "README.md")))
    with memory.core.store.read() as view:
        assert str(shop / "README.md") not in view.kept(DOCUMENTS, space="default")
    assert memory.ingest_folder(shop).stored == 1


def test_what_was_undone_comes_back_with_the_next_run(memory: Memory, shop: Path) -> None:
    memory.ingest_folder(shop)
    id = source_id(str(shop / "README.md"))
    [change] = [change for change in memory.journal() if change.object_id == id]
    memory.undo(change.entry)
    assert memory.sources() == []
    assert memory.ingest_folder(shop).stored == 1


def test_labels_that_change_reach_files_that_did_not(memory: Memory, shop: Path) -> None:
    memory.ingest_folder(shop)
    assert memory.ingest_folder(shop, tags=["shop"]).updated == 1
    assert memory.ingest_folder(shop, tags=["shop"]).unchanged == 1


def test_a_folder_in_which_nothing_is_a_document_makes_no_space(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path, "only/blank.md", "\n")
    for _ in range(2):
        done = memory.ingest_folder(tmp_path / "only", space="new")
        assert (done.stored, done.skipped) == (0, {"unreadable": 1})
    assert [space.name for space in memory.spaces()] == []


def stamp(micros: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)


def in_the_way_of_old(file: Path, shop: Path) -> None:
    """Writes into a store of an earlier format what a project and a document left in it then."""
    till, readme = shop / "till.py", shop / "README.md"
    digest = hashlib.sha256(readme.read_bytes()).hexdigest()
    metadata = (
        f'{{"source_kind":"markdown","fingerprint":"{digest}","adapter":{{"version":"1"}},"segments":1,'
        f'"file":{{"size":{readme.stat().st_size},"mtime":{LONG_AGO},"read_at":{READ_AT}}}}}'
    )
    connection = sqlite3.connect(file)
    connection.execute(
        "INSERT INTO projects VALUES(1, 1, 'shop', ?, 1700000000123456, 'completed', 1, 1, 0, 1, 1700000000000001,"
        ' NULL, NULL, \'{"binary":2}\', \'[{"path":"a.bin","problem":"binary"}]\')',
        (str(shop),),
    )
    known = (hashlib.blake2b(till.read_bytes(), digest_size=16).digest(), till.stat().st_size, LONG_AGO, READ_AT)
    connection.execute("INSERT INTO files VALUES(1, 'till.py', ?, ?, ?, ?, 1, NULL)", known)
    connection.execute("INSERT INTO files VALUES(1, 'gone.py', x'00', 1, 1, 1, 0, 'not UTF-8')")
    connection.execute(
        "INSERT INTO records(space_no, id, kind, memory_type, text, position, tags, source, importance, confidence,"
        " status, trust, event_time, created_at, recorded_at, hash, metadata)"
        " VALUES(1, ?, 'source', 'semantic', 'Shop', 0, '[]', ?, 0.5, 1.0, 'active', 'imported', 1, 1, 1, x'00', ?)",
        (source_id(str(readme)), str(readme), metadata),
    )
    connection.commit()
    connection.close()


@pytest.mark.parametrize("number", range(FIRST_WITH_PROJECTS, LAST_WITH_TABLES + 1))
def test_a_store_of_every_format_that_had_projects_knows_them_and_their_files(
    tmp_path: Path, shop: Path, read: list[tuple[str, str]], number: int
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(STORES / f"format_{number}.db", home / "recollect.db")
    in_the_way_of_old(home / "recollect.db", shop)
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        [project] = memory.projects(space=None)
        assert (project.id, project.space, project.path) == ("shop", "default", str(shop))
        assert project.created_at == stamp(1_700_000_000_123_456)
        status = memory.project_status("shop")
        assert (status.state, status.total_chunks, status.skipped) == ("completed", 1, {"binary": 2})
        assert status.errors == (FileProblem(path="a.bin", problem="binary"),)
        assert (status.started_at, status.completed_at) == (stamp(1_700_000_000_000_001), None)
        assert memory.ingest_folder(shop).unchanged == 1
        assert ("document", "README.md") not in read
        status = memory.index_project(shop)
        assert ("code", "till.py") not in read
        assert (status.total_files, status.total_chunks) == (3, 1)
