"""What is special about the store in PostgreSQL: its address, its shape, lost connections, and who may see what."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.engine.test_watching import until
from tests.pgserver import restart_server, shared_server, start_server, stop_server, store_url
from tests.store.wire import TERMINATED, Cut, Wire
from things import make_space, put, record, space

import recollect
from recollect import ConfigError, Memory, Settings
from recollect.cli import main
from recollect.engine import core
from recollect.engine.care.lifecycle import evict
from recollect.engine.care.move import move
from recollect.engine.care.note_watch import follow
from recollect.engine.intake import indexing, projects
from recollect.errors import NewerStore, NotAStore, ReadOnlyStore, StoreBusy, StoreError, StoreFull, StoreLost
from recollect.store.base import Changes
from recollect.store.choose import look_at
from recollect.store.ops import Lexis, Put
from recollect.store.postgres import PostgresStore, connections
from recollect.store.postgres.connections import Pool, Unreachable, parse_address
from recollect.store.postgres.migrations import MIGRATIONS
from recollect.types import Filter, Record


def now() -> datetime:
    return datetime.now(UTC)


def schema_of(url: str) -> str:
    return url.partition("schema=")[2]


def administer(url: str, *statements: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(shared_server(), autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema_of(url)}, public".encode())
        cursor = None
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor is not None and cursor.description else []


@pytest.fixture
def url(tmp_path: Path) -> str:
    return store_url(tmp_path)


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire(shared_server())
    yield made
    made.close()


def open_at(url: str, tmp_path: Path, **more: object) -> Memory:
    settings = Settings(home=tmp_path, store=url, embedder="none", **more)  # type: ignore[arg-type]
    return recollect.open(settings=settings)


# Addresses


@pytest.mark.parametrize(
    ("url", "shown", "schema"),
    [
        ("postgresql://me:secret@db.example/notes", "postgresql://me@db.example/notes", "recollect"),
        ("postgresql://me@db:5433/n?schema=a_b&password=x", "postgresql://me@db:5433/n?schema=a_b", "a_b"),
        ("postgres:///n?host=/run/pg", "postgresql:///n?host=/run/pg", "recollect"),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_its_password(url: str, shown: str, schema: str) -> None:
    found = parse_address(url)
    assert (found.shown, found.schema) == (shown, schema)


@pytest.mark.parametrize("url", ["postgresql://h/d?schema=Robert'); DROP", "postgresql://h/d?bogus=1", "mysql://h/d"])
def test_an_address_that_cannot_be_meant_is_refused_by_name(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^store: "):
        open_at(url, tmp_path)


def test_a_server_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"postgresql://me@/d\?host=.* cannot be reached"):
        open_at(f"postgresql://me:secret@/d?host={tmp_path}", tmp_path)
    place = look_at(tmp_path, f"postgresql://me@/d?host={tmp_path}")
    assert (place.engine, place.there, place.writable) == ("PostgreSQL", False, False)
    assert "cannot be reached" in str(place.problem)


@pytest.mark.parametrize(
    "rest",
    [
        "me:hunter2/x@h/d", "me:17/hunter2@h/d", "me:hunter2", "me:a@hunter2@h/d", "me:hunter2%zz@h/d",
        "me@h/d?password=hunter2%zz", "me:hunter2@[h/d", "me@h:hunter2/d",
    ],
)  # fmt: skip
def test_no_part_of_a_password_is_in_an_error_about_an_address(rest: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        open_at(f"postgresql://{rest}", tmp_path)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert "postgresql://user:password@host:5432/name" in str(caught.value)


def test_a_server_that_has_no_connection_to_spare_is_waited_for_from_the_first_on(url: str, wire: Wire) -> None:
    role = f"few_{schema_of(url)}"
    administer(url, f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 1")
    address = parse_address(wire.url.replace("postgres@", f"{role}@"))
    held, pool = connections.connect(address), Pool(address)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(list, map(lambda _: pool.reach(), range(1)))
        for _ in range(4):  # the one that is held, two that were refused, and one more
            assert wire.came.acquire(timeout=30)
        assert not waiting.done()
        held.close()
        assert waiting.result() == [None]
    pool.close()


def test_a_server_that_refuses_for_good_is_told_at_once(url: str) -> None:
    pool = Pool(parse_address(url.replace("/postgres?", f"/no_{schema_of(url)}?")))
    with pytest.raises(Unreachable, match="does not exist"):
        pool.reach()
    pool.close()


@pytest.mark.parametrize("given", ["5", "x", "", "1e9"])
def test_a_bound_on_answers_that_cannot_be_is_refused_by_name(given: str) -> None:
    with pytest.raises(ConfigError, match=f"^store: answer_seconds={given} cannot be: wanted is a number of seconds"):
        parse_address(f"postgresql://h/d?answer_seconds={given}")
    found = parse_address("postgresql://h/d?answer_seconds=300&keepalives_idle=7")
    assert (found.answer_seconds, found.schema) == (300, "recollect")
    assert {"keepalives_idle=7", "keepalives_interval=5", "tcp_user_timeout=30000"} <= set(found.database.split())


# Shape


def test_many_that_open_a_new_store_at_once_make_it_once(url: str) -> None:
    ready = threading.Barrier(8)

    def open_one(number: int) -> int:
        ready.wait()
        store = PostgresStore(url, now)
        with store.write() as edit:
            put(edit, record(f"r{number}"))
        store.close()
        return number

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(open_one, range(8))) == list(range(8))
    assert administer(url, "SELECT steps, (SELECT count(*) FROM records) FROM format") == [(len(MIGRATIONS), 8)]


def test_every_step_of_the_format_leads_to_the_next(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for steps in range(1, len(MIGRATIONS) + 1):
        monkeypatch.setattr("recollect.store.postgres.MIGRATIONS", MIGRATIONS[:steps])
        PostgresStore(url, now).close()
        assert administer(url, "SELECT steps FROM format") == [(steps,)]
    store = PostgresStore(url, now)
    with store.write() as edit:
        put(edit, record("a"))
    assert list(store.check()) == []
    store.close()


def test_a_store_of_a_newer_format_or_of_something_else_is_left_alone(url: str, tmp_path: Path) -> None:
    PostgresStore(url, now).close()
    administer(url, "UPDATE format SET steps = 999")
    with pytest.raises(NewerStore, match="format 999"):
        PostgresStore(url, now)
    other = store_url(tmp_path, "other")
    administer(other, f"CREATE SCHEMA {schema_of(other)}", f"CREATE TABLE {schema_of(other)}.records(a int)")
    with pytest.raises(NotAStore, match="something else"):
        PostgresStore(other, now)
    assert look_at(tmp_path, other).there is False


@pytest.mark.parametrize("schema", ["full", "order", "user", "default"])
def test_a_schema_may_have_the_name_of_a_word_of_sql(schema: str, tmp_path: Path) -> None:
    url = f"{shared_server()}&schema={schema}"
    assert look_at(tmp_path, url).problem is None
    with open_at(url, tmp_path) as memory:
        memory.remember("kept")
        assert (memory.check(), memory.core.store.size() > 0) == ([], True)
        assert [one.text for one in memory.list()] == ["kept"]
    assert look_at(tmp_path, url).there
    administer("schema=public", f'DROP SCHEMA "{schema}" CASCADE')


def test_a_name_of_a_schema_that_is_too_long_is_told_so() -> None:
    with pytest.raises(ConfigError, match="1 to 48 lower-case letters"):
        parse_address(f"postgresql://h/d?schema={'a' * 80}")


def test_doctor_tells_beforehand_where_no_store_can_be_made(url: str, tmp_path: Path) -> None:
    latin, bare, role = (f"{kind}_{schema_of(url)}" for kind in ("latin", "bare", "role"))
    administer(
        url, f"CREATE DATABASE {latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
        f"CREATE DATABASE {bare} TEMPLATE template0", f"CREATE ROLE {role} LOGIN",
        f"GRANT CREATE ON DATABASE {bare} TO {role}", f"CREATE SCHEMA {schema_of(url)}", "CREATE TABLE records(a int)",
    )  # fmt: skip
    at = f"{shared_server().partition('?')[2]}&schema=new"
    for there in (url, f"postgresql://postgres@/{latin}?{at}", f"postgresql://{role}@/{bare}?{at}"):
        place = look_at(tmp_path, there)
        with pytest.raises(StoreError) as refused:
            PostgresStore(there, now)
        assert (place.there, place.writable, place.problem) == (False, False, str(refused.value))


def test_a_schema_that_does_not_say_its_format_is_no_store(url: str) -> None:
    PostgresStore(url, now).close()
    administer(url, "DELETE FROM format")
    with pytest.raises(NotAStore, match="has 0 rows and not one"):
        PostgresStore(url, now)


def test_doctor_notices_entries_that_were_deleted_and_numbers_that_were_set_back(url: str, tmp_path: Path) -> None:
    with open_at(url, tmp_path) as memory:
        for text in ("one", "two", "three"):
            memory.remember(text)
        assert memory.check() == []
        administer(url, "DELETE FROM journal WHERE entry = 3")
        assert [line[:42] for line in memory.check()] == ["1 entries are missing from the journal: so"]
        administer(url, "UPDATE numbers SET last = 1 WHERE name IN ('records', 'journal')")
        assert [line[:45] for line in memory.check()] == ["2 tables have numbers beyond the last one tha"]


def test_doctor_tells_which_engine_keeps_the_store_and_what_is_wrong(url: str, tmp_path: Path) -> None:
    with open_at(url, tmp_path) as memory:
        memory.remember("kept")
        assert memory.check() == []
        place = look_at(tmp_path, url)
        assert (place.there, place.writable, place.problem) == (True, True, None)
        assert place.version.startswith("18.")
        assert "pgvector 0." in place.version
        administer(url, "DELETE FROM words", "UPDATE tallies SET records = 7")
        assert memory.check() == [
            "1 versions are missing from the keyword index; run `recollect reindex`",
            "1 spaces are miscounted; run `recollect reindex`",
        ]
        memory.reindex()
        assert memory.check() == []


# Faults


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_connection_that_is_cut_at_any_turn_of_a_remember_leaves_it_whole_or_undone(
    url: str, tmp_path: Path, wire: Wire, how: Cut
) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("there before")
    turn = 0
    for turn in range(1, 40):
        text = f"cut at turn {turn}"
        wire.cut(turn, how)
        kept, problem = True, "nothing was changed"
        try:
            assert memory.remember(text, session="s", title="T").outcome == "stored"
        except StoreError as error:
            kept, problem = False, str(error)
        was_cut = wire.was_cut
        assert "nothing was changed" in problem
        wire.mend()
        held = [one for one in memory.list(limit=1_000) if one.text == text]
        assert len(held) == kept
        assert memory.remember(text, session="s", title="T").outcome == ("deduplicated" if kept else "stored")
        if not was_cut:
            break
    assert turn > 5
    assert memory.check() == []
    entries = [change.entry for change in memory.journal(limit=1_000)]
    assert sorted(entries) == list(range(1, len(entries) + 1))
    memory.close()


def test_a_change_whose_answer_was_lost_is_reported_as_kept(url: str, tmp_path: Path, wire: Wire) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("one")
    wire.cut(10**6, "after")
    memory.remember("two")
    last = wire.turns
    wire.cut(last, "after")
    assert memory.remember("three").outcome == "stored"
    assert wire.was_cut
    wire.mend()
    assert sorted(one.text for one in memory.list()) == ["one", "three", "two"]
    memory.close()


@pytest.mark.parametrize("last_words", [b"", TERMINATED], ids=["silence", "terminated"])
def test_a_change_is_reported_as_kept_wherever_within_the_answer_to_its_commit_the_connection_ends(
    url: str, tmp_path: Path, wire: Wire, last_words: bytes
) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("there before")
    heard, texts = 0, list[str]()
    while heard == 0 or heard <= wire.answered:
        wire.cut(b"COMMIT", "after", heard=heard, last_words=last_words)
        assert memory.remember(f"cut after {heard} bytes").outcome == "stored"
        assert wire.was_cut
        wire.mend()
        texts = [one.text for one in memory.list(limit=1_000)]
        heard += 5
    assert sorted(texts) == sorted(["there before", *(f"cut after {n} bytes" for n in range(0, heard, 5))])
    assert heard > 50
    memory.close()


def test_a_change_that_cannot_be_asked_after_may_or_may_not_have_been_kept(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("one")
    monkeypatch.setattr(connections, "_PATIENCE", 0.0)
    wire.cut(b"COMMIT", "after", last_words=TERMINATED)
    wire.leave()
    with pytest.raises(StoreLost, match=r"may or may not have been kept; look before"):
        memory.remember("two")
    with open_at(url, tmp_path) as again:
        assert sorted(one.text for one in again.list()) == ["one", "two"]
    memory.close()


def test_writers_whose_connections_an_administrator_ends_at_any_moment_know_what_was_kept(
    url: str, tmp_path: Path
) -> None:
    memories = [open_at(f"{url}&application_name={schema_of(url)}", tmp_path) for _ in range(2)]
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{schema_of(url)}'"
    done, unsure = threading.Event(), list[str]()

    def write(writer: int) -> set[str]:
        told: set[str] = set()
        for number in range(40):
            try:
                memories[writer].remember(f"{writer} wrote {number}")
                told.add(f"{writer} wrote {number}")
            except StoreError as error:
                unsure.extend(re.findall("may or may not.*", str(error)))
        return told

    def terminate() -> None:
        with psycopg.connect(shared_server(), autocommit=True) as connection:
            while not done.is_set():
                connection.execute(f"{end} ORDER BY random() LIMIT 1; SELECT pg_sleep(0.05)".encode())

    with ThreadPoolExecutor(3) as pool:
        ending = pool.submit(terminate)
        try:
            told = set[str]().union(*pool.map(write, range(2)))
        finally:
            done.set()
        ending.result()
    for memory in memories:
        memory.close()
    with open_at(url, tmp_path) as memory:
        assert ({one.text for one in memory.list(limit=1_000)}, unsure) == (told, [])
        assert memory.check() == []


@pytest.fixture
def silent(url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A memory whose server is given up where it says nothing for three seconds."""
    monkeypatch.setattr(connections, "_LEAST_ANSWER_SECONDS", 0)
    monkeypatch.setattr(connections, "_ANSWER_SECONDS", 3.0)
    with open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path) as memory:
        memory.remember("The kettle is blue.")
        yield memory


def test_a_recall_to_which_the_server_says_nothing_is_asked_once_more(silent: Memory, wire: Wire) -> None:
    wire.cut(2, "silent")
    assert silent.recall("kettle blue", touch=False).hits[0].record.text == "The kettle is blue."
    assert wire.was_cut


def test_a_change_to_which_the_server_says_nothing_is_undone_and_told(silent: Memory, wire: Wire) -> None:
    given_up = pytest.raises(
        StoreLost, match=r"given up \(the server has not answered for 3 s\); nothing was changed, try again"
    )
    with given_up, silent.core.store.write() as edit:
        put(edit, record("stove"))
        wire.cut(1, "silent")
        edit.journal(Changes(), limit=1)
    assert [one.text for one in silent.list()] == ["The kettle is blue."]
    wire.cut(b"COMMIT", "silent")
    assert silent.remember("The stove is red.").outcome == "stored"
    assert wire.was_cut


def test_threads_that_wait_for_an_absent_server_do_not_wait_for_each_other(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    monkeypatch.setattr(connections, "_PATIENCE", 1.0)
    monkeypatch.setattr("recollect.store.postgres.BUSY_SECONDS", 2.0)
    wire.go()

    def remember(number: int) -> str:
        with pytest.raises(StoreError) as caught:
            memory.remember(f"note {number}")
        return str(caught.value)

    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(remember, range(6)))
    assert [one for one in told if "cannot be reached" not in one] == []
    memory.close()


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_folder_is_indexed_whole_wherever_the_connection_is_cut_and_nobody_shouts(
    url: str, tmp_path: Path, wire: Wire, how: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    shouted: list[object] = []
    monkeypatch.setattr("threading.excepthook", shouted.append)
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    code = tmp_path / "code"
    code.mkdir()
    memory.index_project(code)
    turn, refused = 0, 0
    for turn in range(1, 60):
        (code / f"turn_{turn}.py").write_text(f"def turn_{turn}():\n    return {turn}\n")
        wire.cut(turn, how)
        try:
            status = memory.index_project(code)
        except StoreLost:  # before the run, or after it: who asks is there, and hears it
            refused += 1
            status = memory.index_project(code)
        was_cut = wire.was_cut
        wire.mend()
        assert (status.state, status.indexed_files, status.problem) == ("completed", turn, None)
        assert status.skipped == {}
        if not was_cut:
            break
    assert turn - refused > 5
    assert shouted == []
    assert memory.check() == []
    memory.close()


def test_a_watched_folder_is_brought_in_step_once_a_server_that_was_away_is_back(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", 0.0)
    monkeypatch.setattr(projects, "AWAY_SECONDS", 0.01)
    code = tmp_path / "code"
    code.mkdir()
    with open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path) as memory:
        project = memory.index_project(code, watch=True)
        wire.away()
        (code / "new.py").write_text("def new():\n    return 1\n")
        for _ in range(10):
            assert wire.refused.acquire(timeout=30)
        wire.back()
        until(lambda: memory.project_status(project.id).indexed_files == 1)


def test_a_watched_folder_is_brought_in_step_though_the_server_went_away_while_it_was_read(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", 0.0)
    monkeypatch.setattr(projects, "AWAY_SECONDS", 0.01)
    code, walk, walks = tmp_path / "code", indexing.walk_files, iter([wire.away])
    code.mkdir()

    def walked(*args: Any, **more: Any) -> Any:
        next(walks, lambda: None)()
        return walk(*args, **more)

    with open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path) as memory:
        project = memory.index_project(code, watch=True)
        monkeypatch.setattr(indexing, "walk_files", walked)
        (code / "new.py").write_text("def new():\n    return 1\n")
        for _ in range(10):
            assert wire.refused.acquire(timeout=30)
        wire.back()
        until(lambda: memory.project_status(project.id).indexed_files == 1)


def test_a_command_that_watches_code_waits_for_a_server_that_is_away_and_says_so_once(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", 0.0)
    monkeypatch.setattr(core, "AWAY_SECONDS", 0.01)
    monkeypatch.setattr(projects, "AWAY_SECONDS", 0.01)
    monkeypatch.setattr("recollect.cli.code.time.sleep", lambda _: None)
    code = tmp_path / "code"
    code.mkdir()
    for name, value in (("HOME", tmp_path), ("STORE", f"{wire.url}&schema={schema_of(url)}"), ("EMBEDDER", "none")):
        monkeypatch.setenv(f"RECOLLECT_{name}", str(value))
    said: list[str] = []
    monkeypatch.setattr("recollect.cli.code.say", said.append)
    with ThreadPoolExecutor(1) as pool, open_at(url, tmp_path) as memory:
        command = pool.submit(main, ["index", str(code), "--watch"])
        until(lambda: any("watching" in line for line in said))
        wire.away()
        (code / "new.py").write_text("def new():\n    return 1\n")
        for _ in range(10):
            assert wire.refused.acquire(timeout=30)
        assert not command.done()
        wire.back()
        until(lambda: len(said) == 3 and memory.project_status("code").indexed_files == 1)
        shutil.rmtree(code)
        assert command.result(60) == 0
    assert [line.partition(": ")[0] for line in said[1:]] == ["waiting for the store", "the store is back"]


def test_a_folder_that_is_kept_in_step_waits_for_a_server_that_is_away_and_says_so_once(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", 0.0)
    monkeypatch.setattr(core, "AWAY_SECONDS", 0.01)
    notes, told, stop = tmp_path / "notes", list[str](), threading.Event()
    notes.mkdir()
    with open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path) as memory, ThreadPoolExecutor(1) as pool:
        memory.remember("The kettle is blue.")
        runs = follow(memory.core, notes, "default", stop, told.append)
        for turn in range(1, 3):
            wire.away()
            run = pool.submit(lambda: next(done for done in runs if done.changed))
            for _ in range(10):
                assert wire.refused.acquire(timeout=30)
            wire.back()
            until(lambda turn=turn: len(told) == 2 * turn)
            memory.remember(f"The stove of turn {turn} is red.")
            assert run.result(60).written == 3 - turn
        stop.set()
    assert [line.partition(": ")[0] for line in told] == ["waiting for the store", "the store is back"] * 2


def test_what_was_evicted_is_swept_though_the_connection_is_cut_meanwhile_and_nobody_shouts(
    url: str, tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    shouted: list[object] = []
    monkeypatch.setattr("threading.excepthook", shouted.append)
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    everything = {"max_age": timedelta(0), "min_importance": 1.0, "cap": 0, "dry_run": False, "delete": False}
    turn = 0
    for turn in range(1, 40):
        memory.remember(f"word{turn} that goes")
        assert evict(memory.core, "default", **everything).count == 1
        wire.cut(turn, "before")
        memory.sweeping.wake()
        memory.sweeping.finish()
        was_cut = wire.was_cut
        wire.mend()
        with memory.core.store.read() as view:
            assert view.count(Filter(evicted=True, past=True, valid_only=False)) == 0
        if not was_cut:
            break
    assert turn > 3
    assert shouted == []
    memory.close()


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_change_with_a_key_is_made_once_wherever_its_connection_is_cut(
    url: str, tmp_path: Path, wire: Wire, how: Cut
) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("there before")
    for turn in range(1, 40):
        text, key = f"cut at turn {turn}", f"{how} {turn}"
        wire.cut(turn, how)
        receipt = memory.once(key, memory.remember, text)
        was_cut = wire.was_cut
        wire.mend()
        assert (receipt.outcome, memory.once(key, memory.remember, text)) == ("stored", receipt)
        assert [one.id for one in memory.list(limit=1_000) if one.text == text] == [receipt.id]
        if not was_cut:
            break
    assert memory.check() == []
    entries = [change.entry for change in memory.journal(limit=1_000)]
    assert sorted(entries) == list(range(1, len(entries) + 1))
    memory.close()


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_turn_is_taken_though_its_connection_is_cut_while_it_is_asked_for(url: str, wire: Wire, how: Cut) -> None:
    store, other = PostgresStore(f"{wire.url}&schema={schema_of(url)}", now), PostgresStore(url, now)
    taken, turn, was_cut = 0, 0, True
    while was_cut:
        turn += 1
        wire.cut(turn, how)
        with store.turn("dream") as mine:
            assert (mine.mine, other.turn("dream").take()) == (True, False)
            taken += 1
        was_cut = wire.was_cut
        wire.mend()
    assert taken > 2
    other.close()
    store.close()


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_recall_is_answered_wherever_its_connection_is_cut(url: str, tmp_path: Path, wire: Wire, how: Cut) -> None:
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("The kettle is blue.")
    memory.relate("kettle", "stands in", "kitchen")
    turn, was_cut = 0, True
    while was_cut:
        turn += 1
        wire.cut(turn, how)
        assert memory.recall("kettle blue", touch=False).hits[0].record.text == "The kettle is blue."
        was_cut = wire.was_cut
        wire.mend()
    assert turn > 4
    memory.close()


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_memory_closes_wherever_its_connection_is_cut(url: str, tmp_path: Path, wire: Wire, how: Cut) -> None:
    for turn in range(1, 4):
        memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
        memory.remember("The kettle is blue.")
        assert memory.recall("kettle blue").hits
        wire.cut(turn, how)
        memory.close()
        wire.mend()


def test_a_move_whose_connection_is_lost_says_that_it_can_go_on(url: str, tmp_path: Path, wire: Wire) -> None:
    with recollect.open(settings=Settings(home=tmp_path / "old", embedder="none")) as memory:
        for number in range(30):
            memory.remember(f"note {number}")
    target = f"{wire.url}&schema={schema_of(url)}"
    PostgresStore(target, now).close()
    wire.cut(b"COPY journal", "before")
    with pytest.raises(StoreLost, match=r"what has arrived at .* stays there, and the same move goes on with it"):
        move(tmp_path / "old", target)
    assert wire.was_cut
    assert move(tmp_path / "old", target).rows["records"] == 30


def test_two_processes_see_each_others_writes_at_the_next_call(url: str, tmp_path: Path) -> None:
    program = "import sys, recollect; memory = recollect.open(sys.argv[1]); memory.remember(sys.argv[2]);"
    program += "print([one.text for one in memory.list(order='oldest')])"
    with open_at(url, tmp_path) as memory:
        for number in range(3):
            memory.remember(f"ours {number}")
            given = [sys.executable, "-c", program, url, f"theirs {number}"]
            environment = {**os.environ, "RECOLLECT_HOME": str(tmp_path), "RECOLLECT_EMBEDDER": "none"}
            said = subprocess.run(given, env=environment, capture_output=True, text=True, check=True).stdout
            held = [one.text for one in memory.list(order="oldest")]
            assert said.strip() == str(held)
            assert held[-2:] == [f"ours {number}", f"theirs {number}"]
            assert memory.recall(f"theirs {number}").hits[0].record.text == f"theirs {number}"


def test_connections_that_died_while_nobody_used_them_are_replaced(url: str, tmp_path: Path) -> None:
    with open_at(url, tmp_path) as memory:
        memory.remember("one")
        administer(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'")
        assert [hit.record.text for hit in memory.recall("one")] == ["one"]
        administer(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'")
        assert memory.remember("two").outcome == "stored"


def test_a_reader_whose_connection_dies_says_so_and_the_next_call_works(url: str) -> None:
    store = PostgresStore(url, now)
    with store.write() as edit:
        put(edit, record("a"))
    with pytest.raises(StoreError, match="was lost"), store.read() as view:
        administer(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'")
        view.select(Record, Filter())
    with store.read() as view:
        assert [one.id for one in view.select(Record, Filter())] == ["a"]
    store.close()


LONG, SHORT = "SELECT pg_backend_pid(), count(*) FROM records", "SELECT pg_backend_pid(), count(id) FROM records"


def ask_both(view: Any) -> tuple[list[int], list[int]]:
    """Which connections answer two questions that are asked together, the first of which takes long, and what."""
    db = view._db
    db.takes_long(LONG)
    both = db.together([lambda: db.rows(LONG)[0], lambda: db.rows(SHORT)[0]])
    return [pid for pid, _ in both], [count for _, count in both]


def test_what_two_connections_answer_at_once_is_one_state_of_the_store(url: str) -> None:
    store, other = PostgresStore(url, now), PostgresStore(url, now)
    with store.write() as edit:
        put(edit, record("a"))
    with store.read() as view:
        (first, second), _ = ask_both(view)
        assert first == second, "a process that asks but once makes no second connection"
    with store.read() as view:
        with other.write() as edit:
            put(edit, record("b"))
        (first, second), counts = ask_both(view)
        assert first != second
        assert counts == [1, 1]
    with store.read() as view:
        assert ask_both(view)[1] == [2, 2]
    store.close()
    other.close()


def test_a_second_connection_that_dies_leaves_its_questions_to_the_first(url: str) -> None:
    store = PostgresStore(url, now)
    for _ in range(2):
        with store.read() as view:
            ask_both(view)
    with store.read() as view:
        (first, second), _ = ask_both(view)
        administer(url, f"SELECT pg_terminate_backend({second})")
        assert ask_both(view) == ([first, first], [0, 0])
    with store.read() as view:
        (first, third), _ = ask_both(view)
        assert third not in (first, second)
    store.close()


def test_who_finds_all_connections_in_use_is_told_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.postgres.connections.BUSY_SECONDS", 0.05)
    pool = Pool(parse_address(url), most=2)
    with (
        pool.transaction("SELECT 1"),
        pool.transaction("SELECT 1"),
        pytest.raises(StoreBusy, match="all 2 connections"),
        pool.transaction("SELECT 1"),
    ):
        raise AssertionError("a third connection was handed out")
    with pool.transaction("SELECT 1") as (_, answers):
        assert answers == [[(1,)]]
    pool.close()


def test_a_writer_that_waits_too_long_for_another_is_told_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.postgres.BUSY_SECONDS", 1.0)
    one, other = PostgresStore(url, now), PostgresStore(url, now)
    with one.write() as edit:
        put(edit, record("a"))
        with pytest.raises(StoreBusy), other.write():
            raise AssertionError("two wrote at once")
    with other.write() as edit:
        put(edit, record("b"))
    one.close()
    other.close()


def test_a_turn_goes_with_the_connection_that_holds_it(url: str) -> None:
    one, other = PostgresStore(url, now), PostgresStore(url, now)
    turn = one.turn("work")
    assert turn.take()
    assert not other.turn("work").take()
    administer(url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    with other.turn("work") as second:
        assert second.mine
    turn.release()
    one.close()
    other.close()


def test_whoever_follows_hears_what_happened_while_the_connection_was_lost(url: str) -> None:
    store, other = PostgresStore(url, now), PostgresStore(url, now)
    heard: list[str] = []

    def follow() -> None:
        after = 0
        while len(heard) < 6:
            for change in store.follow(after, 20.0):
                after = change.entry
                heard.append(change.object_id)

    thread = threading.Thread(target=follow)
    thread.start()
    for number in range(5):
        with other.write() as edit:
            put(edit, record(f"r{number}"))
        administer(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    thread.join(60)
    assert heard == ["default", *(f"r{number}" for number in range(5))]
    store.close()
    other.close()


# Limits


def test_a_role_that_is_limited_to_spaces_sees_and_changes_nothing_else(url: str, tmp_path: Path) -> None:
    with open_at(url, tmp_path) as memory:
        for name in ("ours", "theirs"):
            memory.once(name, memory.remember, f"the secret of {name}", space=name)
            memory.remember(f"the secret of {name} is kept", space=name)
            memory.relate("Ada", "knows", name, space=name)
    schema = schema_of(url)
    role = f"limited_{schema[-8:]}"
    administer(url, f"CREATE ROLE {role} LOGIN", f"SELECT admit('{role}', 'ours')")
    with psycopg.connect(make_conninfo(shared_server(), user=role), autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema}, public".encode())
        tables = [row[0] for row in administer(url, f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'")]
        everything = " ".join(str(connection.execute(f"SELECT * FROM {name}".encode()).fetchall()) for name in tables)
        assert "secret of ours" in everything
        assert "theirs" not in everything
        for table in ("records", "entities", "relations", "words", "names", "pieces", "shelves", "messages", "refs"):
            assert connection.execute(f"SELECT count(*) FROM {table} WHERE space_no = 2").fetchone() == (0,)
            assert connection.execute(f"DELETE FROM {table} WHERE space_no = 2").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO shelves VALUES(2, 'x', 'y', 'z')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"SELECT admit('{role}', 'theirs')".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"INSERT INTO members VALUES('{role}', 2)".encode())


def test_a_memory_of_a_limited_role_works_within_its_spaces(url: str, tmp_path: Path) -> None:
    with open_at(url, tmp_path) as memory:
        memory.remember("the secret of theirs", space="theirs")
        memory.remember("a note of ours", space="ours")
    role = f"limited_{schema_of(url)[-8:]}"
    administer(url, f"CREATE ROLE {role} LOGIN", f"SELECT admit('{role}', 'ours')")
    with open_at(url.replace("postgres:@", f"{role}@"), tmp_path) as limited:
        assert [one.name for one in limited.spaces()] == ["ours"]
        receipts = limited.remember_many([{"text": f"note {number}"} for number in range(40)], space="ours")
        assert {receipt.outcome for receipt in receipts} == {"stored"}
        assert [hit.record.text for hit in limited.recall("secret", space=None)] == []
        assert limited.recall("note 7", space="ours").hits[0].record.text == "note 7"
        with pytest.raises(ReadOnlyStore):
            limited.remember("x", space="theirs")
    with open_at(url, tmp_path) as memory:
        assert memory.count(space="ours") == 41
        assert memory.check() == []


def test_a_limited_role_is_refused_a_move_that_would_leave_spaces_behind(url: str, tmp_path: Path) -> None:
    with open_at(url, tmp_path) as memory:
        memory.remember("the secret of theirs", space="theirs")
        memory.remember("a note of ours", space="ours")
    role = f"limited_{schema_of(url)[-8:]}"
    administer(url, f"CREATE ROLE {role} LOGIN", f"SELECT admit('{role}', 'ours')")
    with pytest.raises(ReadOnlyStore, match="sees some spaces of"):
        recollect.move(url.replace("postgres:@", f"{role}@"), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert recollect.move(url, tmp_path / "new").rows["spaces"] == 2


# Filters and positions


def test_positions_and_entries_stay_in_order_with_many_writers(url: str) -> None:
    stores = [PostgresStore(url, now) for _ in range(4)]
    with stores[0].write() as edit:
        make_space(edit, space())

    def write(number: int) -> None:
        for step in range(10):
            made = [record(f"w{number}-{step}-{i}", session="s") for i in range(3)]
            with stores[number].write() as edit:
                edit.apply([Put(thing=one, verb="remember", last=True, lexis=Lexis({7: 1})) for one in made])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    with stores[0].read() as view:
        found = view.select(Record, Filter(), "position", 1_000)
        assert [one.position for one in found] == list(range(120))
        journal = view.journal(limit=1_000)
        assert [change.entry for change in journal] == list(range(1, 122))
        assert [change.at for change in journal] == sorted(change.at for change in journal)
        assert view.words(["default"], [7], Filter(), None)["default"].records == 120
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def own_server() -> Iterator[Any]:
    """A server that a test may break."""
    server = start_server(Path(tempfile.mkdtemp(prefix="recollect-pg-")), quick=False)
    yield server
    stop_server(server)


def test_a_server_that_restarts_is_waited_for(own_server: Any, tmp_path: Path) -> None:
    with open_at(store_url(tmp_path, server=own_server.get_uri()), tmp_path) as memory:
        memory.remember("before")
        restart_server(own_server)
        assert memory.remember("after").outcome == "stored"
        restart_server(own_server)
        assert {one.text for one in memory.list()} == {"before", "after"}
        assert memory.check() == []


def test_a_change_that_the_server_lost_is_not_taken_for_another_that_has_its_number_since(
    own_server: Any, tmp_path: Path
) -> None:
    server = own_server.get_uri()
    url, wire = store_url(tmp_path, server=server), Wire(server)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_commit = off")
        connection.execute("SELECT pg_reload_conf()")
    restart_server(own_server)
    memory = open_at(f"{wire.url}&schema={schema_of(url)}", tmp_path)
    memory.remember("there before", id="before")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        (walwriter,) = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
        ).fetchone()
    os.kill(walwriter, signal.SIGSTOP)  # what is committed from now on stays in the server's memory
    wire.cut(b"COMMIT", "silent")
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(memory.remember, "kept nowhere", id="lost")
        lost = ""
        with psycopg.connect(server, autocommit=True) as connection:
            while not lost:
                sql = f"SELECT xmin::text FROM {schema_of(url)}.journal WHERE object_id = 'lost'"
                lost = "".join(xmin for (xmin,) in connection.execute(sql))
        restart_server(own_server)
        with psycopg.connect(server, autocommit=True) as connection:
            while int(connection.execute("SELECT pg_current_xact_id()::text").fetchone()[0]) <= int(lost):
                continue
        with pytest.raises(StoreLost):
            told.result()
    assert [one.id for one in memory.list()] == ["before"]
    memory.close()
    wire.close()
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM RESET synchronous_commit")
        connection.execute("SELECT pg_reload_conf()")


def test_a_disk_that_is_full_keeps_nothing_of_a_change(own_server: Any, tmp_path: Path) -> None:
    restart_server(own_server, largest_file=2**24 + 4096)  # a file of its log has 2**24 bytes
    store = PostgresStore(store_url(tmp_path, server=own_server.get_uri()), now)
    with store.write() as edit:
        make_space(edit, space())
    noise = random.Random(7)
    large = ["".join(noise.choices(string.printable[:94], k=600_000)) for _ in range(45)]
    with pytest.raises(StoreFull, match="no room left"), store.write() as edit:
        edit.apply([Put(thing=record(f"r{i}", text), verb="remember") for i, text in enumerate(large)])
    with store.read() as view:
        assert view.count(Filter(valid_only=False)) == 0
        assert [change.verb for change in view.journal()] == ["create"]
    with store.write() as edit:
        put(edit, record("a"))
    assert list(store.check()) == []
    store.close()
