"""What is special about the store in a SQLite file: its format, and files that are not what they should be."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.things import put, record

import recollect
from recollect import Settings
from recollect.engine.care.ledger import Spending
from recollect.engine.core import utc_now
from recollect.engine.read.alike import alike_knowledge
from recollect.engine.write.govern import claim_duplicates, promotable
from recollect.errors import NewerStore, NotAStore, StoreError
from recollect.store.base import Lexis, Shelf
from recollect.store.migrations import MIGRATIONS
from recollect.store.ops import Put, Retire
from recollect.store.sql.edit import SqlEdit
from recollect.store.sqlite import _FEW_CONNECTIONS, SqliteStore
from recollect.types import Filter, Record

WITH_A_CLAIM = 3
"""The first format whose store has a record with grounds."""
STORES = Path(__file__).parent / "stores"
MANY = 20  # threads, more than there are connections for


def pragma(path: Path, name: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def shape(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT type, name FROM sqlite_master ORDER BY 1, 2").fetchall()


def opened(path: Path) -> None:
    SqliteStore(path, utc_now).close()


def test_a_fresh_file_gets_the_newest_format(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    opened(path)
    assert pragma(path, "user_version") == len(MIGRATIONS)
    assert pragma(path, "application_id") == int.from_bytes(b"RCLT")
    assert pragma(path, "journal_mode") == "wal"


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    opened(path)
    before = (shape(path), path.read_bytes())
    opened(path)
    assert (shape(path), path.read_bytes()) == before


def test_an_empty_file_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    opened(path)
    assert pragma(path, "user_version") == len(MIGRATIONS)


def test_a_store_of_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    opened(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(NewerStore, match=f"format {len(MIGRATIONS) + 1}.*upgrade") as caught:
        opened(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks(url)")
    before = path.read_bytes()
    with pytest.raises(NotAStore, match="not one of Recollect's") as caught:
        opened(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]


@pytest.mark.parametrize("content", [b"Dear diary,\n" * 500, b"x", bytes(range(256)) * 64])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(content)
    with pytest.raises(NotAStore, match="not a Recollect store"):
        opened(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]


def test_a_damaged_file_is_reported_as_damaged(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, embedder="none")
    with recollect.open(settings=settings) as memory:
        memory.remember_many([{"text": f"note {number} " * 50} for number in range(200)])
    path = tmp_path / "recollect.db"
    path.write_bytes(path.read_bytes()[:8192])
    with pytest.raises(StoreError, match="damaged") as caught, recollect.open(settings=settings) as memory:
        memory.list()
    assert caught.value.code == "store_damaged"
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("number", range(1, len(MIGRATIONS) + 1))
def test_a_store_of_every_released_format_opens_and_reads(tmp_path: Path, number: int) -> None:
    shutil.copy(STORES / f"format_{number}.db", tmp_path / "recollect.db")
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        assert memory.check() == []
        assert [space.name for space in memory.spaces()] == ["default", "other"]
        assert [record.id for record in memory.list(order="oldest")] == ["gateway", "meeting"]
        texts = [past.record.text for past in memory.history("gateway") if past.record]
        assert texts == [f"The gateway validates tokens with {name}256." for name in ("RS", "ES")]
        assert memory.recall("gateway tokens")[0].record.id == "gateway"
        assert memory.recall("会議")[0].record.id == "meeting"
        assert [fact.object for fact in memory.facts("Countess")] == ["Analytical Engine"]
        assert memory.remember("It can be written, too.").stored
        assert memory.reindex() == 5 + (number >= WITH_A_CLAIM)
        assert memory.check() == []


@pytest.mark.parametrize("number", range(WITH_A_CLAIM, len(MIGRATIONS) + 1))
def test_claims_of_a_store_of_every_format_that_has_them_still_hold(tmp_path: Path, number: int) -> None:
    shutil.copy(STORES / f"format_{number}.db", tmp_path / "recollect.db")
    claim = {"subject": "ada", "predicate": "wrote", "value": "notes"}
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        again = memory.remember("She wrote notes.", space="other", grounds={"claim": claim})
        assert again.reason == "grounds.claim: is a duplicate of what claim claims already"
        record = memory.get("claim")
        assert record is not None
        assert [found.state for found in memory.evidence_state(record)] == ["current"]


def test_nothing_done_every_day_goes_through_a_whole_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    plain = SqliteStore._connect

    def listened(store: SqliteStore) -> sqlite3.Connection:
        connection = plain(store)
        connection.set_trace_callback(said.append)
        return connection

    monkeypatch.setattr(SqliteStore, "_connect", listened)
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        said.clear()  # making the file is not done every day
        id = memory.remember("Ada met Grace in Lisbon.", session="s", source="f").id or ""
        memory.relate("Ada", "knows", "Grace", replaces=False)
        memory.recall("who met Grace?", as_of=utc_now()), memory.recall("who met Grace?")
        memory.revise(id, "Ada met Grace in Porto.")
        memory.get(id), memory.history(id), memory.facts("Ada"), memory.neighbors("Ada"), memory.list(session="s")
        page = memory.remember("A page.", kind="source", id="src:f", source="f").id or ""
        grounds = {"evidence": [page], "scopes": ["s"], "claim": {"subject": "Ada", "predicate": "met", "value": 1}}
        known = memory.remember("Ada met one.", kind="fact", grounds=grounds).id or ""
        memory.promote(known, reason="seen"), alike_knowledge(memory.core, id), memory.contradictions(known)
        claim_duplicates(memory.core), promotable(memory.core), memory.archive_source(page, reason="gone")
        memory.undo(memory.invalidate(id)), memory.forget(id)
    with closing(sqlite3.connect(tmp_path / "recollect.db")) as connection:
        asked = {sql for sql in said if sql.startswith(("SELECT", "UPDATE", "DELETE")) and "words" not in sql}
        plans = {sql: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")] for sql in asked}
    large = (
        "records",
        "entities",
        "relations",
        "journal",
        "lexis",
        "signs",
        "halves",
        "queue",
        "names",
        "accesses",
        "refs",
    )
    steps = {(sql, step) for sql, plan in plans.items() for step in plan if "LIMIT" not in sql}
    assert {pair for pair in steps if pair[1].startswith(tuple(f"SCAN {table}" for table in large))} == set()
    newest_facts = ("AND relations.retired_at IS NULL AND", "relations.version DESC LIMIT")
    newest = [plan for sql, plan in plans.items() if all(part in sql for part in newest_facts)]
    assert newest
    assert not any("ORDER BY" in step for plan in newest for step in plan)  # a sort reads them all, LIMIT or not


def test_bookkeeping_of_older_files_comes_to_stand_on_shelves(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    shutil.copyfile(STORES / "format_6.db", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO ledger VALUES('2026-05-01', 'openai', 2, 30, 4, 750000)")
        connection.execute("INSERT INTO counters VALUES('ingest.documents', 3)")
        connection.execute("INSERT INTO slots VALUES('fade', 1770000000000000)")
        connection.execute("INSERT INTO runs SELECT 1, no, 'fade', 1 FROM spaces WHERE name = 'default'")
    store = SqliteStore(path, utc_now)
    spent = Spending(day="2026-05-01", provider="openai", calls=2, tokens_in=30, tokens_out=4, spent=0.75)
    with store.read() as view:
        assert view.kept(Shelf("ledger", Spending)) == {"2026-05-01 openai": spent}
        assert view.kept(Shelf("counters", int)) == {"ingest.documents": 3}
        assert view.kept(Shelf("slots", int)) == {"fade": 1770000000000000}
        runs = view.kept(Shelf("runs", dict[str, object]), space="default")
    assert runs == {"1": {"verb": "fade", "undone": True}}
    store.close()


def test_many_readers_share_few_connections_and_each_of_them_is_served(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db", utc_now)
    inside, served = threading.Barrier(MANY), list[int]()

    def read() -> None:
        with store.read() as view, store.read():  # one within the other waits for nobody
            inside.wait(30)  # all of them at once, though there are not so many connections
            served.append(len(view.spaces()))

    threads = [threading.Thread(target=read) for _ in range(MANY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert served == [0] * MANY
    assert len(store._idle) == store._opened <= _FEW_CONNECTIONS
    store.close()


def test_a_view_may_end_in_another_thread_than_it_began_in(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db", utc_now)
    for _ in range(MANY):
        reading = store.read()
        reading.__enter__()
        ending = threading.Thread(target=reading.__exit__, args=(None, None, None))
        ending.start()
        ending.join()
    assert len(store._idle) == store._opened == 1
    store.close()


def test_what_is_retired_the_last_first_is_taken_out_of_the_keyword_index_at_once(tmp_path: Path) -> None:
    written: list[int] = []
    for turn in (1, -1):
        with closing(SqliteStore(tmp_path / f"{turn}.db", utc_now)) as store:
            with store.write() as edit:
                kept = [put(edit, record(f"r{n}"), Lexis({n: 1, n % 7: 1})) for n in range(10, 310)]
            with store.write() as edit:
                assert isinstance(edit, SqlEdit)
                [(before,)] = edit.database.rows("SELECT total_changes()")
                edit.apply([Retire(thing=one, verb="undo") for one in kept[::turn]])
                [(after,)] = edit.database.rows("SELECT total_changes()")
                written.append(after - before)
    assert written[0] == written[1]


@pytest.mark.parametrize("long", [True, False])
def test_a_long_log_is_emptied_once_those_are_done_who_read_it_and_no_other_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    monkeypatch.setattr("recollect.store.sqlite._READERS_MS", 60_000)
    monkeypatch.setattr("recollect.store.sqlite._LONG_LOG_PAGES", 0 if long else 8_000)
    reads, waited_for = threading.Event(), threading.Event()
    with closing(SqliteStore(tmp_path / "s.db", utc_now)) as store:

        def read() -> None:
            with store.read() as view:
                view.spaces()
                reads.set()
                waited_for.wait()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reads.wait()
        with store.write() as edit:
            put(edit, record("a"))
        with store._connection() as connection:
            connection.set_trace_callback(lambda sql: waited_for.set() if "busy_timeout = 60000" in sql else None)
        store.settle()  # by the same connection, which is the last that came back
        assert waited_for.is_set() is long
        waited_for.set()
        reader.join()
        assert ((tmp_path / "s.db-wal").stat().st_size == 0) is long


def test_a_column_that_may_be_empty_is_empty_unless_it_is_filled(tmp_path: Path) -> None:
    """Rows are written without the columns that none of them fills."""
    SqliteStore(tmp_path / "recollect.db", utc_now).close()
    with closing(sqlite3.connect(tmp_path / "recollect.db")) as connection:
        columns = connection.execute(
            "SELECT tables.name, columns.name, columns.dflt_value FROM sqlite_master AS tables,"
            " pragma_table_info(tables.name) AS columns WHERE tables.type = 'table' AND NOT columns.\"notnull\""
        ).fetchall()
    assert len(columns) > 20
    assert [column for column in columns if column[2] is not None] == []


def test_rows_that_fill_different_columns_are_written_together(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "recollect.db", utc_now)) as store:
        with store.write() as edit:
            put(edit, record("a", title="Tea"))
        with store.write() as edit:
            edit.apply(
                [
                    Put(thing=record("b", room="kitchen"), verb="remember"),
                    Put(thing=record("c", title="Salt"), verb="remember", reason="it was asked for"),
                ]
            )
        with store.read() as view:
            found = view.select(Record, Filter(spaces=("default",)))
            reasons = [change.reason for change in view.journal() if change.object_type == "record"]
    assert [(one.id, one.title, one.room) for one in found] == [
        ("a", "Tea", None), ("b", None, "kitchen"), ("c", "Salt", None),
    ]  # fmt: skip
    assert reasons == [None, None, "it was asked for"]
