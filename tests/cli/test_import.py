"""A data folder of trusty-memory, as that program leaves it, comes into a memory and stays as it was."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Shell

import recollect
from recollect import InvalidInput, Memory, Settings, StoreError
from recollect.engine.care.identity import identity, set_identity
from recollect.ingest.trusty import fold_room, parse_drawer, unfold_room

Held = Callable[[], Memory]
FIRST, SECOND, THIRD = (f"a3f1c2d4-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))
TABLES = """
CREATE TABLE drawers (
    id TEXT PRIMARY KEY, room_id TEXT NOT NULL, content TEXT NOT NULL, importance REAL NOT NULL DEFAULT 0.5,
    tags TEXT NOT NULL DEFAULT '[]', source_file TEXT, created_at TEXT NOT NULL);
CREATE TABLE triples (
    id INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL,
    valid_from TEXT NOT NULL, valid_to TEXT, confidence REAL NOT NULL DEFAULT 1.0, provenance TEXT);
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, entity_type TEXT NOT NULL, properties TEXT);
"""
DRAWERS = [
    (FIRST, "Backend", "The gateway validates tokens.", 0.9, '["auth"]', None, "2026-04-01T09:00:00.123456789+00:00"),
    (SECOND, "ops room", "Keys rotate every ninety days.", 0.5, "[]", "runbook.md", "2026-04-03 10:30:00"),
    (THIRD, "General", "Lunch is at noon.", 0.2, '["food", "noon"]', None, "2026-05-01T00:00:00Z"),
]
TRIPLES = [
    ("auth", "version", "2.4.0", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z", 1.0, None),
    ("auth", "version", "2.4.1", "2026-05-01T00:00:00Z", None, 0.95, "deploy-log"),
]


def room_id(name: str) -> str:
    return str(uuid.UUID(bytes=fold_room(name)))


def make_palace(folder: Path, id: str, *, drawers: Any = DRAWERS, triples: Any = TRIPLES, wal: bool = False) -> Path:
    """A palace's folder. With `wal`, what was written is in the log alone, as after a crash."""
    folder.mkdir(parents=True)
    about = {"id": id, "name": id, "description": f"About {id}", "created_at": "2026-04-01T00:00:00Z"}
    (folder / "palace.json").write_text(json.dumps({**about, "data_dir": str(folder), "schema_version": 1}))
    (folder / "identity.txt").write_text("I am careful.\n")
    (folder / "index.usearch").write_bytes(b"\x00vectors")
    place = folder if not wal else folder / "live"
    place.mkdir(exist_ok=True)
    with closing(sqlite3.connect(place / "kg.db")) as kg:
        kg.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" + TABLES)
        rows = [(one, room_id(room), *rest) for one, room, *rest in drawers]
        kg.executemany("INSERT INTO drawers VALUES(?, ?, ?, ?, ?, ?, ?)", rows)
        columns = "subject, predicate, object, valid_from, valid_to, confidence, provenance"
        kg.executemany(f"INSERT INTO triples({columns}) VALUES(?, ?, ?, ?, ?, ?, ?)", triples)
        kg.commit()
        if wal:
            for name in ("kg.db", "kg.db-wal"):
                (folder / name).write_bytes((place / name).read_bytes())
    if wal:
        for left in place.iterdir():
            left.unlink()
        place.rmdir()
    return folder


def fingerprint(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_palace(tmp_path / "data" / "my-project", "my-project")
    return tmp_path / "data"


@pytest.fixture
def held(shell: Shell) -> Iterator[Held]:
    """Opens the store that the commands work on."""
    opened: list[Memory] = []

    def open_store() -> Memory:
        opened.append(recollect.open(settings=Settings(home=shell.store, embedder="none")))
        return opened[-1]

    yield open_store
    for memory in opened:
        memory.close()


def test_everything_comes_with_its_id_time_room_tags_and_validity(shell: Shell, held: Held, root: Path) -> None:
    outcome = shell("import", "trusty-memory", str(root))
    assert (outcome.code, outcome.out) == (0, "my-project: 3 records, 2 facts, the identity text came\n")
    memory = held()
    found = {record.id: record for record in memory.list(space="my-project")}
    assert [(id, found[id].room, found[id].tags, found[id].importance) for id in (FIRST, SECOND, THIRD)] == [
        (FIRST, "Backend", ("auth",), 0.9), (SECOND, "ops room", (), 0.5), (THIRD, None, ("food", "noon"), 0.2),
    ]  # fmt: skip
    assert f"{found[FIRST].event_time:%Y-%m-%d %H:%M:%S.%f}" == "2026-04-01 09:00:00.123456"
    assert (f"{found[SECOND].event_time:%Y-%m-%d %H:%M}", found[SECOND].source) == ("2026-04-03 10:30", "runbook.md")
    assert {record.trust for record in found.values()} == {"imported"}
    assert identity(memory.core, space="my-project") == "I am careful."
    assert memory.describe_space("my-project")[0].description == "About my-project"


def test_triples_keep_their_history(shell: Shell, held: Held, root: Path) -> None:
    shell("import", "trusty-memory", str(root))
    memory = held()
    [now] = memory.facts("auth", space="my-project")
    assert (now.object, now.relation.confidence, now.relation.provenance) == ("2.4.1", 0.95, "deploy-log")
    ever = [
        (fact.object, f"{fact.relation.valid_from:%Y-%m-%d}")
        for fact in memory.facts("auth", space="my-project", active=False)
    ]
    assert ever == [("2.4.0", "2026-04-01"), ("2.4.1", "2026-05-01")]


def test_a_second_time_only_what_is_new_comes(shell: Shell, held: Held, root: Path) -> None:
    shell("import", "trusty-memory", str(root))
    entries = held().last_entry()
    again = shell("import", "trusty-memory", str(root))
    assert again.out == "my-project: 0 records, 0 facts came; 5 were here already\n"
    assert held().last_entry() == entries
    with closing(sqlite3.connect(root / "my-project" / "kg.db")) as kg:
        new = (str(uuid.uuid4()), room_id("Testing"), "A new one.", 0.5, "[]", None, "2026-06-01T00:00:00Z")
        kg.execute("INSERT INTO drawers VALUES(?, ?, ?, ?, ?, ?, ?)", new)
        kg.commit()
    assert shell("import", "trusty-memory", str(root)).out.startswith("my-project: 1 record, 0 facts came; 5 were")


def test_a_drawer_and_a_fact_that_were_forgotten_here_stay_so(shell: Shell, held: Held, root: Path) -> None:
    assert shell("import", str(root)).code == 0
    memory = held()
    fact = memory.facts(space="my-project")[0].relation.id
    memory.forget(FIRST, space="my-project")
    memory.forget_fact(fact, space="my-project")
    again = shell("import", str(root))
    assert again.out == "my-project: 0 records, 0 facts came; 3 were here already\n"
    assert f"  2 were forgotten here and stay so: {FIRST}, {fact}\n" in again.err
    assert [one.id for one in memory.list(space="my-project", order="earliest")] == [SECOND, THIRD]
    assert len(memory.facts(space="my-project", active=False)) == 1


def test_a_dry_run_says_the_same_and_keeps_nothing(shell: Shell, root: Path) -> None:
    told = shell("import", "trusty-memory", str(root), "--dry-run")
    assert told.out == "my-project: 3 records, 2 facts, the identity text would come\n"
    assert not shell.store.exists()
    shell.remember("Something else.")
    assert shell("import", "trusty-memory", str(root), "--dry-run").out == told.out
    assert [one["space"]["name"] for one in shell.json("spaces", "list")["spaces"]] == ["default"]
    assert not (shell.store / "spaces").exists()


@pytest.mark.parametrize("wal", [False, True])
def test_the_source_is_only_read(shell: Shell, tmp_path: Path, wal: bool) -> None:
    root = tmp_path / "data"
    make_palace(root / "p", "p", wal=wal)
    before = fingerprint(root)
    assert shell("import", "trusty-memory", str(root)).out.startswith("p: 3 records, 2 facts")
    assert fingerprint(root) == before


def test_a_folder_that_cannot_be_written_is_enough(shell: Shell, root: Path) -> None:
    places = [root / "my-project", root]
    for place in places:
        place.chmod(0o555)
    try:
        assert shell("import", "trusty-memory", str(root)).out.startswith("my-project: 3 records")
    finally:
        for place in places:
            place.chmod(0o755)


def test_palaces_are_found_in_the_root_below_palaces_and_by_themselves(shell: Shell, tmp_path: Path) -> None:
    make_palace(tmp_path / "data" / "one", "one")
    make_palace(tmp_path / "data" / "palaces" / "two", "Two of them")
    (tmp_path / "data" / "logs").mkdir()
    done = shell.json("import", "trusty-memory", str(tmp_path / "data"))
    assert [one["space"] for one in done["spaces"]] == ["one", "Two of them"]
    alone = shell.json("import", "trusty-memory", str(tmp_path / "data" / "one"))
    assert [(one["space"], one["records_present"]) for one in alone["spaces"]] == [("one", 3)]


def test_what_is_only_in_the_snapshot_comes_too(shell: Shell, held: Held, root: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": FIRST, "room_id": room_id("Backend"), "content": "An older form.", "importance": 0.9, "tags": []},
        {"id": str(uuid.uuid4()), "room_id": room_id("Research"), "content": "Only here.", "importance": 0.7,
         "tags": ["x"], "source_file": None, "created_at": "2026-07-01T00:00:00Z", "access_count": 4,
         "last_accessed_at": "2026-07-02T00:00:00Z"},
    ]  # fmt: skip
    (root / "my-project" / "l1_cache.json").write_text(json.dumps(rows))
    (root / "my-project" / "kg.redb").write_bytes(b"redb\x1a")
    outcome = shell("import", "trusty-memory", str(root))
    assert outcome.out.startswith("my-project: 4 records")
    assert "kg.redb cannot be read" in outcome.err
    texts = {record.text: record for record in held().list(space="my-project")}
    assert "An older form." not in texts
    assert (texts["Only here."].access_count, texts["Only here."].room) == (4, "Research")


def test_a_database_that_was_put_aside_is_read(shell: Shell, root: Path) -> None:
    (root / "my-project" / "kg.db").rename(root / "my-project" / "kg.db.migrated")
    assert shell("import", "trusty-memory", str(root)).out.startswith("my-project: 3 records, 2 facts")


def test_what_cannot_be_read_is_told_with_its_reason_and_the_rest_comes(shell: Shell, tmp_path: Path) -> None:
    drawers = [
        *DRAWERS,
        ("x1", "General", "  ", 0.5, "[]", None, "2026-04-01T00:00:00Z"),
        ("x2", "General", "No time.", 0.5, "[]", None, "soon"),
        ("x3", "a room with a very long name", "Somewhere.", 0.5, "[]", None, "2026-04-01T00:00:00Z"),
    ]
    triples = [*TRIPLES, ("a", "b", "c", "2026-04-01T00:00:00Z", "2026-04-01T00:00:00Z", 1.0, None)]
    folder = make_palace(tmp_path / "data" / "p", "p", drawers=drawers, triples=triples)
    (folder / "palace.json").write_text("{")
    (folder / "recall.db").write_bytes(b"not a database")
    done = shell.json("import", "trusty-memory", str(tmp_path / "data"))["spaces"][0]
    assert (done["space"], done["records"], done["facts"]) == ("p", 4, 2)
    assert [problem.partition(" (")[0] for problem in done["problems"]] == [
        "recall.db is not a SQLite database",
        "1 drawer left out: content: is missing",
        "1 drawer left out: created_at: is not a time: Invalid isoformat string: 'soon'",
        "1 triple left out: valid_to: is not later than valid_from, so that it never held",
        "1 drawer left in General: its room has a name that cannot be told",
        "palace.json cannot be read",
    ]


def test_a_damaged_database_is_told_and_the_other_palace_comes(shell: Shell, root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "broken"
    folder.mkdir()
    (folder / "palace.json").write_text('{"id": "broken"}')
    (folder / "kg.db").write_bytes(b"SQLite format 3\x00" + b"\x07" * 5000)
    outcome = shell("import", "trusty-memory", str(root))
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "broken: 0 records, 0 facts came"
    assert outcome.out.splitlines()[1].startswith("my-project: 3 records")
    assert "broken: kg.db cannot be read: file is not a database" in outcome.err


def test_an_identity_that_is_here_already_stays(shell: Shell, held: Held, root: Path) -> None:
    memory = held()
    memory.create_space("my-project")
    set_identity(memory.core, "I am bold.", space="my-project")
    outcome = shell("import", "trusty-memory", str(root))
    assert outcome.out == "my-project: 3 records, 2 facts came\n"
    assert "identity text left out: the palace has another one here already" in outcome.err
    assert identity(memory.core, space="my-project") == "I am bold."


def test_an_id_that_holds_another_text_here_is_told(shell: Shell, root: Path) -> None:
    shell.remember("Mine.", "--space", "my-project", "--id", FIRST)
    outcome = shell("import", "trusty-memory", str(root))
    assert outcome.out.startswith("my-project: 2 records, 2 facts")
    assert f"1 drawer left out: the id {FIRST} already holds another text" in outcome.err


@pytest.mark.parametrize(("make", "error"), [(False, "is not a folder"), (True, "there is no palace in")])
def test_where_there_is_nothing_nothing_is_imported(shell: Shell, tmp_path: Path, make: Any, error: str) -> None:
    if make:
        (tmp_path / "nothing").mkdir()
    outcome = shell("import", "trusty-memory", str(tmp_path / "nothing"))
    assert (outcome.code, outcome.out) == (2, "")
    assert error in outcome.err


def test_many_drawers_come_in_several_transactions(shell: Shell, tmp_path: Path) -> None:
    rest = (0.5, "[]", None, "2026-04-01T00:00:00Z")
    drawers = [(str(uuid.uuid4()), "General", f"Note {number}.", *rest) for number in range(1200)]
    make_palace(tmp_path / "data" / "p", "p", drawers=drawers)
    assert shell("import", "trusty-memory", str(tmp_path / "data")).out.startswith("p: 1,200 records, 2 facts")


@pytest.mark.parametrize(
    "name", ["Backend", "General", "Documentation", "x", "ops", "release notes", "日本", "12345678901234"]
)
def test_the_name_of_a_room_is_unfolded(name: str) -> None:
    assert unfold_room(room_id(name)) == name


@pytest.mark.parametrize(
    "id", [room_id("a name of fifteen and more"), str(uuid.UUID(int=0)), str(uuid.UUID(int=7)), "x"]
)
def test_a_room_that_cannot_be_named_is_not_guessed(id: str) -> None:
    assert unfold_room(id) is None


def test_a_room_that_is_written_out_counts() -> None:
    row = {"id": "a", "content": "b"}
    assert parse_drawer({**row, "room": "Backend"}).room == "Backend"
    assert parse_drawer({**row, "room_type": 'Custom("ops")'}).room == "ops"
    assert parse_drawer({**row, "tags": "a, b", "created_at": 1775000000000}).tags == ("a", "b")


def test_an_export_is_written_read_and_merged_by_commands(shell: Shell, tmp_path: Path) -> None:
    id = shell.remember("Ada wrote the first program.")
    outcome = shell("export", str(tmp_path / "a.jsonl"))
    assert outcome.out == f"wrote 1 version of records, 2 entries to {tmp_path / 'a.jsonl'}\n"
    plain = shell("export")
    assert plain.out.encode() == (tmp_path / "a.jsonl").read_bytes()
    other = ("--home", str(tmp_path / "other"))
    assert (
        shell("import", str(tmp_path / "a.jsonl"), "--dry-run", *other).out == "default: 1 record, 0 facts would come\n"
    )
    assert not (tmp_path / "other").exists()
    assert shell("import", str(tmp_path / "a.jsonl"), *other).out == "default: 1 record, 0 facts came\n"
    shell("revise", id, "Ada wrote it in 1842.")
    shell("revise", id, "Ada wrote it in 1843.", *other)
    shell("export", str(tmp_path / "b.jsonl"))
    told = shell("import", str(tmp_path / "b.jsonl"), *other)
    assert told.code == 0
    assert "here:  Ada wrote it in 1843." in told.err
    assert "there: Ada wrote it in 1842." in told.err
    assert shell.json("import", str(tmp_path / "b.jsonl"), *other)["spaces"][0]["differing"][0]["id"] == id


def test_an_export_of_nothing_is_told_to_hold_nothing(shell: Shell, tmp_path: Path) -> None:
    file = str(tmp_path / "old.jsonl")
    assert shell("remember", "Of today.")[0] == 0
    assert shell("export", file, "--until", "2020-01-01")[0] == 0
    assert shell("import", file) == (0, "", f"there is nothing in {file}\n")


def test_export_import_and_export_again_give_the_same_file_by_commands(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "bundled")  # an import computes vectors, and measures how long that takes
    for text in ("The gateway validates tokens with RS256.", "Keys rotate every ninety days."):
        shell.remember(text)
    files = [tmp_path / f"{n}.jsonl" for n in range(3)]
    assert shell("export", str(files[0])).code == 0
    for n in (1, 2):
        other = str(tmp_path / f"store{n}")
        assert shell("import", str(files[n - 1]), "--home", other).code == 0
        assert shell("export", str(files[n]), "--home", other).code == 0
    assert files[0].read_bytes() == files[1].read_bytes() == files[2].read_bytes()


def test_an_encrypted_export_takes_its_passphrase_from_the_environment(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.remember("Ada wrote the first program.")
    refused = shell("export", str(tmp_path / "a.age"), "--passphrase")
    assert (refused.code, "set RECOLLECT_PASSPHRASE" in refused.err) == (2, True)
    monkeypatch.setenv("RECOLLECT_PASSPHRASE", "orchard")
    assert shell.json("export", str(tmp_path / "a.age"), "--passphrase")["encrypted"] is True
    assert (
        shell("import", str(tmp_path / "a.age"), "--home", str(tmp_path / "b")).out
        == "default: 1 record, 0 facts came\n"
    )


def test_what_cannot_be_taken_over_leaves_no_empty_memory_behind(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.remember("Ada wrote the first program.")
    monkeypatch.setenv("RECOLLECT_PASSPHRASE", "orchard")
    shell("export", str(tmp_path / "whole.age"), "--passphrase")
    shell("export", str(tmp_path / "whole.jsonl"))
    for ending in ("age", "jsonl"):
        (tmp_path / f"cut.{ending}").write_bytes((tmp_path / f"whole.{ending}").read_bytes()[:-40])
    (tmp_path / "other.txt").write_text("Neither this nor that.")
    (tmp_path / "conversations.json").write_text('[{"id": "1", "mapping": {"a": {"message": {"author": {"role": "us')
    other = ("--home", str(tmp_path / "new"))
    told = [shell("import", str(tmp_path / name), *other) for name in ("cut.age", "cut.jsonl", "other.txt")]
    monkeypatch.setenv("RECOLLECT_PASSPHRASE", "meadow")
    told.append(shell("import", str(tmp_path / "whole.age"), *other))
    told.append(shell("import", "netscape", str(tmp_path / "whole.jsonl"), *other))
    told.append(shell("import", "chatgpt", str(tmp_path / "conversations.json"), *other))
    assert [outcome.code for outcome in told] == [2] * 6
    nothing = "othing was taken"
    said = (nothing, nothing, "of none of the programs", "does not open this file", "netscape", nothing)
    assert all(part in outcome.err for part, outcome in zip(said, told, strict=True))
    with pytest.raises(InvalidInput):
        recollect.import_(tmp_path / "cut.jsonl", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("there", [True, False])
def test_of_a_compressed_export_that_cannot_be_read_is_told_why_and_that_nothing_was_taken(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    shell.remember("Ada wrote the first program.")
    monkeypatch.setenv("RECOLLECT_PASSPHRASE", "orchard")
    shell("export", str(tmp_path / "whole.age"), "--passphrase")
    shell("export", str(tmp_path / "whole.jsonl"))
    (tmp_path / "age.gz").write_bytes(gzip.compress((tmp_path / "whole.age").read_bytes()))
    (tmp_path / "more.gz").write_bytes(gzip.compress((tmp_path / "whole.jsonl").read_bytes()) + b"trailing")
    other = () if there else ("--home", str(tmp_path / "new"))
    encrypted, trailing = (shell("import", str(tmp_path / name), *other) for name in ("age.gz", "more.gz"))
    assert (encrypted.code, trailing.code) == (2, 2)
    assert "age.gz is an encrypted export that was compressed; nothing was taken. Run gunzip" in encrypted.err
    assert "more.gz is damaged, or has other bytes behind what was compressed" in trailing.err
    assert "; nothing was taken. Compress the export anew" in trailing.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_whatever_ends_an_import_leaves_no_empty_memory_behind(
    shell: Shell, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, dry: tuple[str, ...]
) -> None:
    shell.remember("Ada wrote the first program.")
    shell("export", str(tmp_path / "whole.jsonl"))
    (tmp_path / "no.json").write_text("Neither this nor that.")
    (tmp_path / "void.jsonl").write_text('{"type": "entity", "name": "", "entityType": "person"}\n')
    lines = [json.dumps({"type": "entity", "name": f"E{n}", "entityType": "a", "observations": []}) for n in range(150)]
    (tmp_path / "memory.jsonl").write_text("\n".join(lines))
    new = (*dry, "--home", str(tmp_path / "new"))
    given = [
        ("agentos", str(tmp_path / "no.json")), ("trusty-memory", str(tmp_path / "no.json")),
        (str(root), "--space", "x"), (str(tmp_path / "whole.jsonl"), "--space", "x"), (str(tmp_path / "void.jsonl"),),
    ]  # fmt: skip
    told = [shell("import", *one, *new) for one in given]
    assert [outcome.code for outcome in told] == [2, 2, 2, 2, 1]
    assert "1 line left out: it is neither an entity nor a relation" in told[-1].err

    def fail(*_: object) -> None:
        raise sqlite3.IntegrityError("UNIQUE constraint failed")

    with monkeypatch.context() as patch:
        patch.setattr("recollect.engine.intake.elsewhere.name_one", fail)
        assert "UNIQUE" in shell("import", str(tmp_path / "memory.jsonl"), *new).err
        with pytest.raises(StoreError):
            recollect.import_(tmp_path / "memory.jsonl", tmp_path / "new")
    assert recollect.import_(tmp_path / "void.jsonl", tmp_path / "new")[0].problems
    assert not (tmp_path / "new").exists()
    assert shell("import", str(tmp_path / "memory.jsonl"), *new).code == 0
    assert (tmp_path / "new").exists() == (not dry)


def test_a_folder_of_markdown_is_kept_in_step_by_a_command(shell: Shell, tmp_path: Path) -> None:
    id = shell.remember("Ada wrote the first program.")
    notes = tmp_path / "notes"
    assert shell("sync", str(notes)).out == "default: 1 file written\n"
    (path,) = notes.glob("*.md")
    path.write_text(path.read_text().replace("first", "very first"))
    assert shell("sync", str(notes)).out == "default: 1 note revised\n"
    assert shell.json("show", id)["text"] == "Ada wrote the very first program."
    path.write_text(path.read_text().replace("very first", "last"))
    shell("revise", id, "Ada wrote it.")
    outcome = shell("sync", str(notes))
    assert f"{id} was changed on both sides; the other is kept as {id}~" in outcome.out
    (notes / "broken.md").write_bytes(b"\xff")
    assert (broken := shell("sync", str(notes))).code == 1
    assert "broken.md: " in broken.err


def test_files_that_are_there_already_become_notes_only_when_somebody_says_so(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (mine := tmp_path / "notes" / "mine.md").write_text("Mine.")
    refused = shell("sync", str(tmp_path / "notes"))
    assert refused.code == 1
    assert "1 file would become a note of default" in refused.err
    assert "say --yes" in refused.err
    assert shell("sync", str(tmp_path / "notes"), "--dry-run").code == 0
    assert mine.read_text() == "Mine."
    assert shell("sync", str(tmp_path / "notes"), "--yes").out == "default: 1 note added\n"
    (tmp_path / "notes" / "later.md").write_text("Later.")
    assert shell("sync", str(tmp_path / "notes")).out == "default: 1 note added\n"
    no_folder = shell("sync", str(mine))
    assert (no_folder.code, "cannot be a folder" in no_folder.err) == (2, True)


def test_a_dry_run_of_a_sync_tells_what_would_be_done_on_either_side_and_does_nothing(
    shell: Shell, tmp_path: Path
) -> None:
    def seen() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in notes.rglob("*") if path.is_file()}

    ids = [shell.remember(f"The {name} is closed.") for name in ("mill", "shop", "quay")]
    notes = tmp_path / "notes"
    shell("sync", str(notes))
    mill, shop, quay = (next(notes.glob(f"the-{name}*.md")) for name in ("mill", "shop", "quay"))
    mill.write_text(mill.read_text().replace("closed", "open"))
    shop.unlink()
    shell("revise", ids[2], "The quay is open.")
    shell.remember("The pier is new.")
    (notes / "own.md").write_text("My own.")
    before, told = seen(), shell.json("list")
    tried = shell("sync", str(notes), "--dry-run")
    assert tried.code == 0
    counts = "1 note added, 1 note revised, 1 note archived, 2 files written"
    assert tried.out.startswith(f"default: {counts}, if it is done\n")
    assert {f"  {quay.name} would be written", "  own.md would be written"} <= {*tried.out.splitlines()}
    assert (seen(), shell.json("list")) == (before, told)
    in_json = shell.json("sync", str(notes), "--dry-run")
    assert (in_json["dry_run"], in_json["would"]["added"], len(in_json["written"])) == (True, 1, 3)
    assert shell("sync", str(notes)).out == f"default: {counts}\n"


def test_a_dry_run_of_a_sync_makes_no_memory_and_no_folder(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "own.md").write_text("My own.")
    tried = shell("sync", str(tmp_path / "notes"), "--dry-run", "--home", str(tmp_path / "new"))
    assert (tried.code, tried.out.splitlines()[0]) == (0, "default: 1 note added, if it is done")
    missing = shell("sync", str(tmp_path / "none"), "--dry-run", "--home", str(tmp_path / "new"))
    assert (missing.code, "is not a folder" in missing.err) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name in ("new", "none")) == []
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["own.md"]


def test_who_imports_a_backup_hears_how_it_becomes_the_memory_or_comes_into_another_one(
    shell: Shell, tmp_path: Path
) -> None:
    shell.remember("Ada wrote the first program.")
    shell("backup", str(tmp_path / "copy.db"))
    told = shell("import", str(tmp_path / "copy.db"))
    assert told.code == 2
    assert "is a memory, or a backup of one: `recollect restore FILE` makes it the memory" in told.err
    beside = ("--home", str(tmp_path / "beside"))
    assert shell("restore", str(tmp_path / "copy.db"), *beside).code == 0
    assert shell("export", str(tmp_path / "copy.jsonl"), *beside).code == 0
    assert "1 was here already" in shell("import", str(tmp_path / "copy.jsonl")).out
