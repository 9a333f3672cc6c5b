"""Is damage noticed wherever it is, told as ours, and repaired without dropping anything?"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect import Memory, NewerStore, RecollectError, Settings, StoreDamaged
from recollect.cli import main
from recollect.cli.doctor import examine
from recollect.embed import rerank
from recollect.embed.bundled import MODEL_FOLDER
from recollect.engine.care.keep import repair, unsealed
from recollect.store.sqlite import salvage

TABLES = ("records", "entities", "relations", "journal", "spaces")


def opened(home: Path) -> Memory:
    return recollect.open(settings=Settings(home=home, embedder="none"))


@pytest.fixture
def store(home: Path) -> Path:
    with opened(home) as memory:
        memory.remember_many(
            [{"text": f"Note number {n} about the harbour.", "tags": ["harbour"], "id": f"n{n}"} for n in range(60)]
        )
        memory.revise("n7", "Note number seven was changed.", reason="it was wrong")
        memory.relate("Ada", "wrote", "notes", provenance="a letter")
    return home / "recollect.db"


def change(store: Path, sql: str) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE records SET text = 'Note number 9 about the harbor.' WHERE id = 'n9'",
        "UPDATE records SET confidence = 0.25 WHERE id = 'n9'",
        "UPDATE records SET trust = 'user_declared' WHERE id = 'n9'",
        "UPDATE records SET space_no = 2 WHERE id = 'n9'",
        "UPDATE records SET recorded_at = recorded_at + 1 WHERE id = 'n9'",
        "UPDATE records SET tags = '[\"harbour' WHERE id = 'n9'",
        "UPDATE records SET metadata = '[1]' WHERE id = 'n9'",
        "UPDATE records SET event_time = 9e18 WHERE id = 'n9'",
        "UPDATE records SET text = CAST(x'ff00fe' AS TEXT) WHERE id = 'n9'",
    ],
)
def test_a_row_that_is_not_as_written_is_an_error_of_ours_and_is_told_by_doctor(store: Path, sql: str) -> None:
    change(store, sql)
    with opened(store.parent) as memory:
        if "space_no" not in sql:
            with pytest.raises(RecollectError):
                memory.get("n9", space="default")
        assert memory.get("n8") is not None
        try:
            assert any("records" in line for line in memory.check())
        except RecollectError as error:  # a text that SQLite's module cannot hand out at all
            assert error.code == "store_damaged"  # noqa: PT017


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE entities SET name = 'Eve' WHERE name = 'Ada'",
        "UPDATE relations SET provenance = 'a lie'",
        "UPDATE journal SET after = after + 1 WHERE entry = 9",
        "UPDATE journal SET reason = 'it was right' WHERE reason = 'it was wrong'",
        "UPDATE spaces SET description = 'x'",
    ],
)
def test_every_canonical_table_is_verified(store: Path, sql: str) -> None:
    change(store, sql)
    with opened(store.parent) as memory:
        (problem,) = memory.check()
        assert "not as written" in problem
        assert sql.split()[1] in problem


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE names SET name = 'adb' WHERE name = 'ada'",
        "DELETE FROM names WHERE name = 'ada'",
        "INSERT INTO names SELECT space_no, 'eve', entity FROM names WHERE name = 'ada'",
    ],
)
def test_names_by_which_facts_are_found_are_verified_and_made_anew(store: Path, sql: str) -> None:
    change(store, sql)
    with opened(store.parent) as memory:
        (problem,) = memory.check()
        assert "names of entities are not what the entities say" in problem
        memory.reindex()
        assert memory.check() == []
        assert [(fact.subject, fact.object) for fact in memory.facts("Ada")] == [("Ada", "notes")]


@pytest.mark.parametrize(
    ("sql", "needed"),
    [
        ("UPDATE lexis SET names = '[\"harb'", False),
        ("UPDATE lexis SET names = '[7]'", False),
        ("UPDATE lexis SET terms = substr(terms, 2)", True),
    ],
)
def test_a_recall_that_cannot_read_what_it_needs_of_the_keyword_index_says_that_the_store_is_damaged(
    store: Path, sql: str, needed: bool
) -> None:
    change(store, sql)
    with opened(store.parent) as memory:
        if needed:
            with pytest.raises(StoreDamaged, match="run `recollect doctor`"):
                memory.recall("harbour", limit=60)
        else:
            assert len(memory.recall("harbour", limit=60)) > 20
        (problem,) = memory.check()
        assert "61 keyword rows cannot be read; run `recollect reindex`" in problem
        memory.reindex()
        assert len(memory.recall("harbour", limit=60)) > 20


def test_no_flipped_bit_of_a_canonical_row_goes_unnoticed(store: Path) -> None:
    """Bits of one page after another, of those that hold rows which are not derived."""
    content = store.read_bytes()
    chance = random.Random(7)
    with closing(sqlite3.connect(store)) as connection:
        texts = [row[0].encode() for row in connection.execute("SELECT text FROM records")]
    unnoticed = []
    for text in chance.sample(texts, 12):
        at = content.rindex(text) + chance.randrange(len(text))
        store.write_bytes(content[:at] + bytes([content[at] ^ 0x01]) + content[at + 1 :])
        with opened(store.parent) as memory:
            if not memory.check():
                unnoticed.append(text)
    assert unnoticed == []


def test_a_repair_keeps_every_sound_row_and_sets_the_others_aside(store: Path) -> None:
    with opened(store.parent) as memory:
        before = {record.id: record for record in memory.list(limit=100)}
    change(store, "UPDATE records SET text = 'Something else.' WHERE id = 'n9'")
    change(store, "UPDATE entities SET name = 'Eve' WHERE name = 'Ada'")
    done = repair(Settings(home=store.parent, embedder="none"))
    assert (done.set_aside, done.unreadable) == (2, 0)
    aside = Path(str(done.kept_aside))
    rows = [json.loads(line) for line in (aside / "rows.jsonl").read_text().splitlines()]
    assert {(row["table"], row["id"]) for row in rows} >= {("records", "n9")}
    assert (aside / "recollect.db").exists()
    with opened(store.parent) as memory:
        assert memory.check() == []
        assert {record.id: record for record in memory.list(limit=100)} == {
            id: record for id, record in before.items() if id != "n9"
        }
        assert len(memory.recall("harbour", limit=100)) > 20
        assert next(past.record.text for past in memory.history("n7") if past.record).startswith("Note number 7")
        assert memory.remember("It goes on.").stored
    assert repair(Settings(home=store.parent, embedder="none")).kept_aside is None


@pytest.mark.parametrize(
    ("change_of", "told"),
    [
        ("description = 'x'", "spaces no 1"),
        ("checksum = NULL, created_at = 9000000000000000000", "a space"),
        ("name = 'harbour'", "spaces no 1"),
    ],
)
def test_what_stands_in_a_space_whose_row_is_damaged_stays_in_it(store: Path, change_of: str, told: str) -> None:
    with opened(store.parent) as memory:
        memory.remember("Of another space.", space="work", id="w")
    change(store, f"UPDATE spaces SET {change_of} WHERE name = 'default'")
    assert any(told in problem for problem in examine(Settings(home=store.parent, embedder="none")).problems)
    assert repair(Settings(home=store.parent)).set_aside == 1  # and vectors are computed of what is there
    with opened(store.parent) as memory:
        assert (memory.check(), memory.count(), memory.count(space="work")) == ([], 60, 1)
        assert next(past.record.text for past in memory.history("n7") if past.record).startswith("Note number 7")
        assert memory.remember("It goes on.").stored


VALUES = ("-1", "9000000000000000000", "'x'", "x'ff00'", "1.5", "''", "'[1'")
DERIVED = [
    ("words_data", "block"), ("words_config", "v"), ("words_config", "k"), ("tallies", "records"),
    ("tallies", "length"), ("tallies", "changes"), ("tallies", "gone"), ("lexis", "terms"), ("names", "name"),
    ("shelves", "value"),
]  # fmt: skip
CANONICAL = [
    ("records", "version"), ("records", "created_at"), ("entities", "version"), ("relations", "version"),
    ("spaces", "created_at"), ("journal", "at"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "column"), [*DERIVED, *CANONICAL])
def test_whatever_stands_in_the_place_of_a_value_a_repair_ends_with_a_store_that_goes_on(
    store: Path, table: str, column: str
) -> None:
    whole = store.read_bytes()
    settings = Settings(home=store.parent, embedder="none")
    for value in VALUES:
        store.write_bytes(whole)
        with closing(sqlite3.connect(store, isolation_level=None)) as connection:
            try:
                connection.execute(f"UPDATE {table} SET {column} = {value} LIMIT 1")
            except sqlite3.IntegrityError:
                continue  # no such value can stand there
        examine(settings)
        repair(settings)
        with opened(store.parent) as memory:
            assert memory.check() == [], (table, column, value)
            assert memory.count() >= 59
            assert len(memory.recall("harbour", limit=100)) > 20
            assert memory.remember(f"It goes on after {value}.").stored
            memory.journal(limit=100)


def test_a_store_behind_a_link_is_repaired_where_it_lies_with_what_its_log_held(store: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    with opened(store.parent) as memory:
        memory.remember("Of the log.", id="logged")
        shutil.copytree(store.parent, tmp_path / "killed")  # as a process leaves it that was killed
    place = tmp_path / "killed" / store.name
    (linked / store.name).symlink_to(place)
    change(place, "UPDATE records SET text = 'Something else.' WHERE id = 'n9'")
    assert repair(Settings(home=linked, embedder="none")).set_aside == 1
    assert (linked / store.name).readlink() == place
    for home in (linked, place.parent):
        with opened(home) as memory:
            assert (memory.check(), memory.count()) == ([], 60)
            assert memory.get("logged") is not None
            assert memory.remember(f"It goes on, by {home.name}.").stored
            memory.forget(memory.list(limit=1)[0].id)
    assert sorted(path.name for path in linked.iterdir() if path.name.startswith("recollect.db")) == [store.name]


def test_a_repair_sets_a_text_aside_that_is_no_text_any_more(store: Path) -> None:
    change(store, "UPDATE records SET text = CAST(x'4e6f746520ff392e' AS TEXT) WHERE id = 'n9'")
    done = repair(Settings(home=store.parent, embedder="none"))
    [row] = [json.loads(line) for line in (Path(str(done.kept_aside)) / "rows.jsonl").read_text().splitlines()]
    assert (row["table"], row["id"], row["text"]) == ("records", "n9", "Note \\xff9.")
    with opened(store.parent) as memory:
        assert memory.check() == []
        assert memory.count() == 59


@pytest.mark.parametrize("page", range(3, 40, 4))
def test_a_repair_saves_what_broken_pages_leave(store: Path, page: int) -> None:
    content = bytearray(store.read_bytes())
    if (page + 1) * 4096 > len(content):
        pytest.skip("the store is smaller")
    content[page * 4096 : (page + 1) * 4096] = random.Random(page).randbytes(4096)
    store.write_bytes(content)
    done = repair(Settings(home=store.parent, embedder="none"))
    with opened(store.parent) as memory:
        assert memory.check() == []
        assert memory.count() + done.set_aside + done.unreadable >= 30
        assert memory.remember("It goes on.").stored
    if done.kept_aside is not None:
        assert Path(done.kept_aside, "recollect.db").read_bytes() == content


@pytest.mark.parametrize("logged", [0, 1])
def test_a_repair_saves_what_a_file_that_was_cut_off_still_holds(store: Path, logged: int) -> None:
    with opened(store.parent) as memory:
        memory.remember_many([{"text": f"Another note, {number}, about the quay."} for number in range(300)])
        memory.core.store.settle()
        for _ in range(logged):
            memory.remember("one more, in the log")
        os.truncate(store, store.stat().st_size // 4096 * 3 // 4 * 4096)
    done = repair(Settings(home=store.parent, embedder="none"))
    assert done.kept > 0
    assert done.unreadable > 0
    with opened(store.parent) as memory:
        assert memory.check() == []
        assert memory.remember("and on").stored


def test_a_repair_that_can_save_nothing_changes_nothing_and_says_so(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.truncate(store, 2 * 4096)
    with pytest.raises(StoreDamaged, match=r"nothing of it can be read.*recollect restore FILE --over"):
        repair(Settings(home=store.parent, embedder="none"))
    assert store.stat().st_size == 2 * 4096
    assert [path.name for path in store.parent.glob("recollect*") if path.is_dir() or path.suffix == ".new"] == []
    assert main(["doctor", "--repair", "--home", str(store.parent)]) == 1
    assert "nothing of it can be read" in " ".join(capsys.readouterr().out.split())


def test_a_store_that_lost_its_log_goes_on_with_what_is_there_after_a_repair(store: Path) -> None:
    with opened(store.parent) as memory:
        memory.core.store.settle()
        memory.remember("the last one")
        kept = {path.name: path.read_bytes() for path in store.parent.iterdir() if path.is_file()}
    for name in ("recollect.db", "recollect.db-last"):
        with (store.parent / name).open("r+b") as file:
            file.truncate()
            file.write(kept[name])
    with pytest.raises(recollect.StoreError, match="lacks its newest entries"):
        opened(store.parent)
    assert repair(Settings(home=store.parent, embedder="none")).kept_aside is None
    with opened(store.parent) as memory:
        assert memory.count() == 60


def test_damage_is_told_with_what_to_do(store: Path) -> None:
    change(store, "UPDATE records SET text = 'x' WHERE id = 'n9'")
    with opened(store.parent) as memory, pytest.raises(StoreDamaged, match="run `recollect doctor`"):
        memory.list(limit=100)


def test_rows_of_an_earlier_release_get_their_checksums_and_doctor_says_how_many_lack_one(store: Path) -> None:
    rows = 0
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM shelves WHERE shelf = 'sealed'")
        for table in TABLES:
            rows += connection.execute(f"UPDATE {table} SET checksum = NULL").rowcount
    assert f"{rows} rows of an earlier release have no checksum yet" in "".join(
        examine(Settings(home=store.parent)).advice
    )
    with opened(store.parent) as memory:
        while unsealed(memory.core):
            memory.core.store.settle()
        assert memory.check() == []
        memory.forget("n8")
    with closing(sqlite3.connect(store)) as connection:
        for table in TABLES:
            assert connection.execute(f"SELECT count(*) FROM {table} WHERE checksum IS NULL").fetchone() == (0,), table
    change(store, "UPDATE records SET text = 'Note number 9 about the harbor.' WHERE id = 'n9'")
    with opened(store.parent) as memory, pytest.raises(StoreDamaged):
        memory.get("n9")


def test_a_recall_answers_without_a_reranker_that_is_damaged_and_names_its_file(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(MODEL_FOLDER, tmp_path / "reranker")
    (tmp_path / "reranker" / "reranker.onnx").write_bytes(random.Random(1).randbytes(100_000))
    monkeypatch.setattr(rerank.Reranker.__init__, "__kwdefaults__", {"threads": None, "folder": tmp_path / "reranker"})
    with recollect.open(settings=Settings(home=home)) as memory:
        memory.remember("The lamp in the hall is green.")
        memory.remember("The cellar door is shut at night.")
        for deep in (False, True):
            found = memory.recall("What colour is the lamp?", deep=deep, wait=60)
            assert found[0].record.text == "The lamp in the hall is green."
            assert f"{tmp_path / 'reranker' / 'reranker.onnx'} is damaged" in str(found.signals.problem)
    assert any(
        "reranker: " in line and "reranker.onnx is damaged" in line for line in examine(Settings(home=home)).problems
    )


def flip_a_letter(store: Path, behind: bytes, at: int, bit: int) -> None:
    data = bytearray(store.read_bytes())
    data[data.find(behind) + at] ^= bit
    store.write_bytes(data)


@pytest.mark.parametrize("behind", [b"NULL DEFAULT", b"tablerecords", b"CREATE TABLE journal"])
def test_a_file_whose_tables_are_told_in_no_text_is_damaged_and_is_repaired_whole(store: Path, behind: bytes) -> None:
    flip_a_letter(store, behind, 5, 0x80)
    mark = store.with_name("recollect.db-last").read_bytes()
    with pytest.raises(StoreDamaged, match=r"recollect doctor --repair"):
        opened(store.parent)
    assert store.with_name("recollect.db-last").read_bytes() == mark
    assert repair(Settings(home=store.parent, embedder="none")).kept_aside is not None
    with opened(store.parent) as memory:
        assert len(memory.list(limit=100)) == 60
        assert memory.get("n7").text == "Note number seven was changed."
        assert [(fact.predicate, fact.object) for fact in memory.facts("Ada")] == [("wrote", "notes")]


def test_a_page_that_stands_in_the_place_of_another_is_told_as_damage(store: Path) -> None:
    data, told = store.read_bytes(), list[str]()
    pages, chance = range(len(data) // 4096), random.Random(5)
    for _ in range(40):
        to, taken = (chance.choice(pages[1:]) * 4096 for _ in range(2))
        store.write_bytes(data[:to] + data[taken : taken + 4096] + data[to + 4096 :])
        try:
            with opened(store.parent) as memory:
                memory.list(limit=100), memory.journal(limit=100), memory.facts("Ada"), list(memory.check())
        except RecollectError as error:  # and no other
            told.append(error.code)
    assert "store_damaged" in told


def test_a_repair_that_fails_leaves_what_was_acknowledged_as_it_was(store: Path) -> None:
    mark = store.with_name("recollect.db-last")
    held, size = mark.read_bytes(), store.stat().st_size
    store.write_bytes(store.read_bytes()[:4096] + b"\xff" * (size - 4096))
    with pytest.raises(StoreDamaged):
        repair(Settings(home=store.parent, embedder="none"))
    assert mark.read_bytes() == held


@pytest.mark.parametrize("behind", [b"defaultremember", b"it was wrong"])
def test_an_entry_of_the_journal_that_is_not_as_written_is_not_shown(store: Path, behind: bytes) -> None:
    flip_a_letter(store, behind, 7, 1)
    with opened(store.parent) as memory:
        with pytest.raises(StoreDamaged, match=r"entry \d+ of the journal \(space .*\) is not as it was written; run"):
            memory.journal(limit=100)
        assert memory.count() == 60


def test_an_entry_without_a_checksum_whose_verb_is_no_text_is_not_shown(store: Path) -> None:
    change(store, "UPDATE journal SET checksum = NULL WHERE entry = 8")
    with opened(store.parent) as memory:
        assert any(one.entry == 8 for one in memory.journal(limit=100))  # as earlier releases wrote them
    change(store, "UPDATE journal SET checksum = NULL, verb = x'2a' WHERE entry = 9")
    with opened(store.parent) as memory, pytest.raises(StoreDamaged, match="entry 9 of the journal"):
        memory.journal(limit=100)


@pytest.mark.parametrize("column", ["at", "stamp"])
@pytest.mark.parametrize("value", ["9e18", "9000000000000000000", "-1", "'soon'"])
def test_a_last_entry_without_a_checksum_of_an_impossible_time_is_damage_and_is_set_aside(
    store: Path, column: str, value: str
) -> None:
    change(store, f"UPDATE journal SET checksum = NULL, {column} = {value} ORDER BY entry DESC LIMIT 1")
    with pytest.raises(StoreDamaged, match=r"of no time that there can be; run `recollect doctor --repair`"):
        opened(store.parent)
    assert repair(Settings(home=store.parent, embedder="none")).set_aside == 1
    with opened(store.parent) as memory:
        assert memory.check() == []
        assert memory.count() == 60
        assert memory.remember("It goes on.").stored


@pytest.mark.parametrize("logged", [False, True])
def test_a_repair_of_a_store_of_a_newer_format_leaves_it_alone(store: Path, *, logged: bool) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
        if logged:  # as a process leaves it that was killed right after its upgrade
            shutil.copytree(store.parent, store.parent.parent / "killed")
    home = store.parent.parent / "killed" if logged else store.parent
    (home / "recollect.db-last").unlink()
    before = sorted(path.name for path in home.iterdir())
    with pytest.raises(NewerStore, match=r"format 99.*upgrade") as caught:
        repair(Settings(home=home, embedder="none"))
    assert str(caught.value).startswith(f"{home / 'recollect.db'} ")
    if logged:  # to be read, the log is opened
        assert not (home / "recollect.db.new").exists()
    else:
        assert sorted(path.name for path in home.iterdir()) == before


def test_a_repair_that_breaks_off_leaves_no_new_file(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(store, "UPDATE records SET text = 'Another.' WHERE id = 'n9'")
    monkeypatch.setattr(salvage, "_take_numbers", _break_off)
    with pytest.raises(KeyboardInterrupt):
        repair(Settings(home=store.parent, embedder="none"))
    assert list(store.parent.glob("*.new*")) == []


def _break_off(*_: object) -> None:
    raise KeyboardInterrupt
