"""What may a database role do that is limited to some spaces of a store in PostgreSQL, and what is its own?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.pgserver import shared_server, store_url

import recollect
from recollect import InvalidInput, Memory, Settings
from recollect.engine.care.export import export
from recollect.engine.care.lifecycle import claim
from recollect.engine.care.schedule import backup_tasks
from recollect.engine.read.acts import beginnings
from recollect.engine.tokens import create_token, find_token, list_tokens
from recollect.errors import ReadOnlyStore, StoreBusy, StoreDamaged
from recollect.store.portable import Chosen
from recollect.store.postgres import PostgresStore
from recollect.store.postgres.migrations import MIGRATIONS
from recollect.store.sql.seal import NOTED, seal

NOON = datetime(2026, 5, 10, 12, tzinfo=UTC)
BEFORE_ROLES, BEFORE_NAMES, BEFORE_NUMBERS = 5, 6, 7  # steps of the format


class Shared:
    """A store with two spaces, and a role that was admitted to one of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = store_url(folder)
        self.schema = self.url.partition("schema=")[2]
        self.role = f"limited_{self.schema[-8:]}"
        self._opened: list[Memory] = []

    def fill(self) -> None:
        owner = self.owner()
        owner.remember("the secret of theirs", space="theirs")
        owner.remember("a note of ours", space="ours")
        self.admit()

    def admit(self) -> None:
        self.sql(f"CREATE ROLE {self.role} LOGIN", f"SELECT admit('{self.role}', 'ours')")

    def owner(self) -> Memory:
        return self._open(self.url)

    def limited(self, **more: Any) -> Memory:
        return self._open(self.url_of_role, **more)

    @property
    def url_of_role(self) -> str:
        return self.url.replace("postgres:@", f"{self.role}@")

    def _open(self, url: str, **more: Any) -> Memory:
        settings = Settings(home=self._folder, store=url, **{"embedder": "none", **more})
        self._opened.append(recollect.open(settings=settings))
        return self._opened[-1]

    def sql(self, *statements: str, role: str | None = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(make_conninfo(shared_server(), user=role or "postgres"), autocommit=True) as connection:
            connection.execute(f"SET search_path = {self.schema}, public".encode())
            cursor = None
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor is not None and cursor.description else []

    def refuses(self, *statements: str) -> bool:
        """May the role not do this?"""
        try:
            self.sql(*statements, role=self.role)
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation):
            return True
        return False

    def close(self) -> None:
        for memory in self._opened:
            memory.close()


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Shared]:
    shared = Shared(tmp_path)
    yield shared
    shared.close()


@pytest.fixture
def shared(made: Shared) -> Shared:
    made.fill()
    return made


# Directly in SQL


def test_every_table_has_row_level_security(shared: Shared) -> None:
    found = shared.sql(
        f"SELECT relname FROM pg_class WHERE relnamespace = '{shared.schema}'::regnamespace AND relkind = 'r'"
        " AND NOT relrowsecurity"
    )
    assert found == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE numbers SET last = 0",
        "UPDATE format SET steps = 999",
        "DELETE FROM made_by",
        "DELETE FROM models",
        "INSERT INTO roles(role) VALUES(current_user)",
        "INSERT INTO shelves VALUES(0, 'paused', 'only', '\"2030-01-01T00:00:00Z\"')",
        "INSERT INTO shelves VALUES(0, 'tokens', 'x', '{}')",
        "INSERT INTO shelves VALUES(-999, 'tokens', 'x', '{}')",
        "INSERT INTO shelves VALUES(0, 'index', 'unfinished', '1')",
        "SELECT take('records', -1)",
        "SELECT take('records', 9000000000000000000)",
        "SELECT take('spaces', 3)",
        "SELECT take('models', 1)",
        "UPDATE records SET version = 9000000000000000000",
        "UPDATE journal SET entry = 9000000000000000000",
        "UPDATE journal SET actor = 'somebody else'",
        "UPDATE journal SET reason = 'rewritten'",
        "UPDATE journal SET after = after + 1",
        "UPDATE records SET text = 'rewritten', checksum = NULL",
        "INSERT INTO queue SELECT 9, space_no, version FROM records",
        "DELETE FROM journal",
        "UPDATE words SET keys = ARRAY[1::bigint << 34]",
        "UPDATE words SET version = 1",
        "INSERT INTO records(version, space_no, id, kind, memory_type, text, position, tags, importance, confidence,"
        " status, trust, event_time, created_at, recorded_at, hash, metadata) SELECT 2, 2, 'x', 'note', 'fact', 'x', 0,"
        " '[]', 0, 0, 'active', 'user', 0, 0, 0, '', '{}'",  # has no checksum
    ],
)
def test_a_limited_role_changes_nothing_that_is_the_whole_stores(shared: Shared, statement: str) -> None:
    assert shared.refuses(statement)


def test_what_is_kept_for_the_whole_store_cannot_be_taken_away_or_read_by_a_limited_role(shared: Shared) -> None:
    shared.sql("INSERT INTO shelves VALUES(0, 'paused', 'only', 'true'), (0, 'tokens', 'x', '{}')")
    assert shared.sql("DELETE FROM shelves WHERE space_no = 0 RETURNING 1", role=shared.role) == []
    assert shared.sql("SELECT DISTINCT shelf FROM shelves WHERE space_no = 0", role=shared.role) == [("index",)]


def test_numbers_are_taken_of_the_store_and_not_of_a_table_that_the_role_made(shared: Shared) -> None:
    before = shared.sql("SELECT last FROM numbers WHERE name = 'records'")[0][0]
    shared.sql(
        "CREATE TEMP TABLE numbers(name text, last bigint)",
        "INSERT INTO numbers VALUES('records', 0)",
        f"SELECT {shared.schema}.take('records', {before + 1})",
        role=shared.role,
    )
    assert shared.sql("SELECT last FROM numbers WHERE name = 'records'") == [(before + 1,)]
    assert shared.owner().remember("the next one", space="theirs").outcome == "stored"


def write_entry(shared: Shared, taken: int = 1, **stated: Any) -> list[str]:
    """What writes an entry of `ours` and takes so many numbers for it; what is not said otherwise is sound."""
    last = shared.sql("SELECT last FROM numbers WHERE name = 'journal'")[0][0]
    usual = {"entry": last + 1, "at": 1794866839482266, "space": "ours", "verb": "remember", "object_type": "record"}
    row = dict.fromkeys(NOTED) | usual | {"object_id": "x"} | stated
    row.setdefault("checksum", seal([row[name] for name in NOTED]))
    values = ", ".join("NULL" if one is None else repr(one) for one in row.values())
    writes = f"INSERT INTO journal({', '.join(row)}) VALUES({values})"
    return ["BEGIN", f"SELECT take('journal', {last + taken})", writes, "COMMIT"]


@pytest.mark.parametrize(
    "stated",
    [
        {"after": 1},
        {"before": 1},
        {"object_type": "entity", "after": 1},
        {"object_type": "relation", "after": 1},
        {"object_type": "space", "after": 2},
        {"undoes": 1},
        {"act": 1},
        {"checksum": None},
        {"checksum": 0},
        {"at": -1},
        {"at": 10**18},
        {"stamp": 10**18},
        {"entry": 0, "taken": 0},
        {"taken": 2},
    ],
)
def test_an_entry_of_a_limited_role_names_nothing_of_another_space_and_is_sound(
    shared: Shared, stated: dict[str, Any]
) -> None:
    assert shared.refuses(*write_entry(shared, **stated))
    assert list(shared.owner().core.store.check()) == []


@pytest.mark.parametrize("length", [2, 31, 32, 255, 256, 65_536])
def test_the_database_knows_the_checksum_of_every_entry(shared: Shared, length: int) -> None:
    said = "é".rjust(length - 1, "x")
    stated = {"after": 2, "reason": said, "act": 4, "stamp": 2**40, "actor": None}
    assert not shared.refuses(*write_entry(shared, **stated))
    assert next(one.reason for one in shared.owner().journal(space="ours")) == said


def test_no_number_of_an_entry_is_taken_without_one(shared: Shared) -> None:
    last = shared.sql("SELECT last FROM numbers WHERE name = 'journal'")[0][0]
    assert shared.refuses(f"SELECT take('journal', {last + 1})")
    assert shared.sql("SELECT last FROM numbers WHERE name = 'journal'") == [(last,)]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("INSERT INTO queue VALUES(1, 2, 1)", "INSERT INTO queue VALUES(1, 2, 2)"),
        ("INSERT INTO refs VALUES(2, 'claim:x', 1)", "INSERT INTO refs VALUES(2, 'claim:x', 2)"),
        ("INSERT INTO faded VALUES(1, 0.1)", "INSERT INTO faded VALUES(2, 0.1)"),
        ("INSERT INTO evicted VALUES(1, 0)", "INSERT INTO evicted VALUES(2, 0)"),
        ("INSERT INTO moved VALUES(1, 1)", "INSERT INTO moved VALUES(1, 2)"),
        ("INSERT INTO lexis VALUES(9, 1, '', '')", "INSERT INTO lexis VALUES(9, 2, '', '')"),
        ("INSERT INTO words VALUES(9, 1, 2, true, 0, '{}')", "INSERT INTO words VALUES(9, 2, 2, true, 0, '{}')"),
        (
            "INSERT INTO pieces VALUES(1, 1, 2, 1, true, B'1', '[1]')",
            "INSERT INTO pieces VALUES(1, 1, 2, 2, true, B'1', '[1]')",
        ),
        ("UPDATE journal SET after = 1 WHERE after = 2", "UPDATE journal SET after = 2 WHERE after = 2"),
    ],
)
def test_a_row_of_a_limited_role_names_only_versions_of_its_space(shared: Shared, theirs: str, ours: str) -> None:
    shared.sql("INSERT INTO models VALUES(1, 'one', 1, '', 0, 0)")
    shared.sql("SELECT take('pieces', 1)", role=shared.role)
    assert shared.refuses(theirs)
    assert not shared.refuses(ours)


def test_an_entry_that_names_a_version_of_another_space_tells_nothing_of_it(shared: Shared) -> None:
    owner = shared.owner()
    shared.sql(
        "ALTER TABLE journal DISABLE TRIGGER only_emptied",
        "UPDATE journal SET after = 1, checksum = NULL WHERE space = 'ours' AND after = 2",
        "UPDATE journal SET act = 2, checksum = NULL WHERE space = 'ours' AND after IS NULL",
    )
    told = owner.acts(space="ours")
    assert [act.about for act in told if act.object_type == "record"] == [None]
    assert beginnings(owner.core, owner.journal(space="ours")) == {}
    assert [act.count for act in owner.acts(space="theirs")] == [1, 1]


def test_vectors_stand_in_the_space_of_their_record_whatever_the_queue_says(shared: Shared) -> None:
    owner = shared._open(shared.url, embedder="bundled")
    owner.embed_waiting()
    before = shared.sql("SELECT version, space_no FROM pieces ORDER BY 1")
    shared.sql("INSERT INTO queue VALUES(1, 2, 1)")
    assert any("another space than their record" in problem for problem in owner.core.store.check())
    assert owner.embed_waiting(space="ours") == 0
    assert shared.sql("SELECT version, space_no FROM pieces ORDER BY 1") == before == [(1, 1), (2, 2)]
    owner.reindex()
    assert list(owner.core.store.check()) == []


def test_nothing_that_a_role_puts_beside_the_store_is_run_by_its_owner(shared: Shared) -> None:
    owner = shared._open(shared.url, embedder="bundled")
    owner.remember("The boiler stands in the cellar.", space="ours")
    owner.embed_waiting()
    role, mine = shared.role, f"x{shared.schema[-8:]}"
    trap = "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$"
    shared.sql(f"GRANT CREATE ON SCHEMA public TO {role}")
    try:
        shared.sql(
            f"CREATE FUNCTION public.{mine}(varbit, varbit) RETURNS bit varying {trap}",
            f"CREATE OPERATOR public.# (FUNCTION = public.{mine}, LEFTARG = varbit, RIGHTARG = varbit)",
            f"CREATE FUNCTION public.varbit_send(text) RETURNS bytea {trap}",
            role=role,
        )
        assert not owner.recall("where is the heating", space="ours").signals.problem
        with shared._open(shared.url, embedder="bundled") as other:
            assert [hit.record.text for hit in other.recall("boiler", space="ours")][:1]
    finally:
        shared.sql(f"REVOKE CREATE ON SCHEMA public FROM {role}", f"DROP OWNED BY {role}")


def test_a_row_that_a_role_wrote_wrongly_is_told_with_its_space_and_ends_no_other_spaces_export(
    shared: Shared, tmp_path: Path
) -> None:
    owner = shared.owner()
    shared.sql("UPDATE records SET checksum = 0", role=shared.role)
    (problem,) = owner.core.store.check()
    assert f"records version 2 (space ours, which {shared.role} may write to)" in problem
    with pytest.raises(StoreDamaged, match=r"records version 2 \(space ours\)"):
        export(owner.core, tmp_path / "all.jsonl", None, None)
    with pytest.raises(StoreDamaged, match=r"version 2 of records \(space ours\) is not as it was written"):
        owner.list(space="ours")
    assert export(owner.core, tmp_path / "theirs.jsonl", Chosen(spaces=("theirs",)), None).lines["record"] == 1


def test_whoever_reads_is_not_kept_waiting_by_a_lock_for_good(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.postgres.connections.BUSY_SECONDS", 0.2)
    owner = shared.owner()
    with psycopg.connect(make_conninfo(shared_server(), user=shared.role)) as held:
        held.execute(f"LOCK TABLE {shared.schema}.records IN ACCESS EXCLUSIVE MODE".encode())
        with pytest.raises(StoreBusy, match="locked by another process"):
            owner.recall("note", space="ours")
        held.rollback()
        assert [hit.record.text for hit in owner.recall("note", space="ours")] == ["a note of ours"]


# Who is admitted


def test_a_role_that_was_made_anew_has_nothing_of_the_one_before_it(shared: Shared) -> None:
    create_token(shared.limited().core, spaces=None, scope="admin")
    shared.sql(f"SELECT admit('{shared.role}', 'theirs')")
    shared.sql(f"DROP OWNED BY {shared.role}", f"DROP ROLE {shared.role}", f"CREATE ROLE {shared.role} LOGIN")
    shared.sql(f"GRANT USAGE ON SCHEMA {shared.schema} TO {shared.role}")
    shared.sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA {shared.schema} TO {shared.role}")
    assert shared.sql("SELECT text FROM records", role=shared.role) == []
    assert shared.sql("SELECT * FROM shelves WHERE space_no < 0", role=shared.role) == []
    shared.sql(f"SELECT admit('{shared.role}', 'ours')")
    assert shared.sql("SELECT text FROM records", role=shared.role) == [("a note of ours",)]
    assert shared.sql("SELECT * FROM shelves WHERE space_no < 0") == []
    assert list_tokens(shared.limited().core) == []


def test_what_was_not_admitted_is_not_dismissed(shared: Shared) -> None:
    role = shared.role
    for asked, told in (
        (f"admit('{role}', 'nowhere')", "there is no space named nowhere"),
        ("admit('nobody_at_all', 'ours')", "there is no role named nobody_at_all"),
        (f"dismiss('{role}', 'nowhere')", "there is no space named nowhere"),
        ("dismiss('nobody_at_all', 'ours')", "there is no role named nobody_at_all"),
        (f"dismiss('{role}', 'theirs')", f"{role} was not admitted to theirs"),
    ):
        with pytest.raises(psycopg.errors.RaiseException, match=told):
            shared.sql(f"SELECT {asked}")
    shared.sql(f"SELECT dismiss('{role}', 'ours')")
    assert shared.sql("SELECT text FROM records", role=role) == []


def test_whoever_has_the_whole_store_cannot_be_admitted_to_a_part_of_it(shared: Shared) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match="postgres has the whole store already"):
        shared.sql("SELECT admit('postgres', 'ours')")
    member = f"member_{shared.schema[-8:]}"
    shared.sql(f"CREATE ROLE {member} IN ROLE postgres")
    with pytest.raises(psycopg.errors.RaiseException, match=f"{member} has the whole store already"):
        shared.sql(f"SELECT admit('{member}', 'ours')")
    shared.sql(f"DROP ROLE {member}")


# What a role keeps is its own


def test_the_owner_honours_no_token_of_a_limited_role(shared: Shared) -> None:
    owner, limited = shared.owner(), shared.limited()
    secret, token = create_token(limited.core, spaces=None, scope="admin")
    theirs, _ = create_token(owner.core, spaces=None, scope="admin")
    assert find_token(owner.core, secret) is None
    assert find_token(limited.core, theirs) is None
    found = find_token(limited.core, secret)
    assert found is not None
    assert [one.id for one in list_tokens(limited.core)] == [token.id]


def test_a_limited_role_pauses_itself_alone(shared: Shared) -> None:
    owner, limited = shared.owner(), shared.limited()
    limited.unasked.pause()
    assert limited.unasked.paused_until() is not None
    assert owner.unasked.paused_until() is None


def test_a_limited_role_takes_no_slot_of_the_owners_schedules_and_makes_no_backups(shared: Shared) -> None:
    owner, limited = shared.owner(), shared.limited()
    assert claim(limited.core, "backup", NOON, NOON)
    assert claim(owner.core, "backup", NOON, NOON)
    assert not claim(owner.core, "backup", NOON, NOON)
    assert [task.name for task in backup_tasks(owner)] == ["backup"]
    assert backup_tasks(limited) == []


def test_an_export_of_a_limited_role_does_not_say_that_it_is_all(shared: Shared, tmp_path: Path) -> None:
    owner, limited = shared.owner(), shared.limited()
    assert export(owner.core, tmp_path / "all.jsonl", None, None).complete
    part = export(limited.core, tmp_path / "part.jsonl", None, None)
    assert not part.complete
    assert part.lines["record"] == 1
    assert b'"complete":false' in (tmp_path / "part.jsonl").read_bytes().splitlines()[0]


def test_the_same_key_of_two_roles_stands_for_two_changes(shared: Shared) -> None:
    owner, limited = shared.owner(), shared.limited()
    first = owner.once("monday", owner.remember, "what the owner did", space="ours")
    second = limited.once("monday", limited.remember, "what the role did", space="ours")
    assert first.id != second.id
    assert limited.once("monday", limited.remember, "what the role did", space="ours") == second


def test_what_the_owner_forgets_is_taken_out_of_the_answers_that_roles_keep(shared: Shared) -> None:
    owner, limited = shared.owner(), shared.limited()
    kept = limited.once("k", limited.remember_many, [{"text": "The kettle is blue.", "title": "kettle"}], space="ours")
    owner.forget(str(kept[0].id), space="ours")
    answers = shared.sql("SELECT space_no < 0, value FROM shelves WHERE shelf = 'answers' AND key = 'k'")
    assert [own for own, _ in answers] == [True]
    assert '"asked":""' in answers[0][1]


# Work


def test_a_limited_role_is_told_what_is_left_to_the_owner_and_nothing_is_done(shared: Shared) -> None:
    limited = shared.limited()
    (note,) = limited.list(space="ours")
    limited.revise(note.id, "another note of ours", space="ours")
    before = shared.sql("SELECT name, last FROM numbers ORDER BY name")
    refused: list[Callable[[], object]] = [
        lambda: limited.create_space("mine"),
        lambda: limited.remember("x", space="theirs"),
        lambda: limited.delete_space("ours"),
        limited.reindex,
        limited.compact,
        lambda: limited.thin(older_than=timedelta(0), space="ours"),
    ]
    for act in refused:
        with pytest.raises(ReadOnlyStore, match="is left to the owner of the store's tables"):
            act()
    assert limited.list(space="theirs") == []
    assert shared.sql("SELECT name, last FROM numbers ORDER BY name") == before


def test_a_limited_role_does_and_takes_back_all_that_is_done_in_its_spaces(shared: Shared) -> None:
    limited = shared.limited()
    limited.remember_many(
        [{"text": f"note {number} about tea", "title": f"t{number}"} for number in range(8)], space="ours"
    )
    noted = limited.remember("The kettle is blue.", space="ours")
    limited.revise(str(noted.id), text="The kettle is red.", space="ours")
    limited.undo(limited.acts(space="ours")[0])
    limited.relate("Ada", "lives in", "Paris", space="ours")
    limited.undo(limited.acts(space="ours")[0], whole=True)
    limited.ingest("# Setup\nRun make.\n# Teardown\nRun make clean.", source="guide.md", space="ours")
    (evicted,) = limited.evict(space="ours", cap=5)
    assert evicted.entry is not None
    limited.sweeping.finish()
    limited.undo(evicted.entry)
    limited.summarize(space="ours")
    limited.forget(str(noted.id), space="ours", reason="wrong")
    assert limited.count(space="ours") == 12
    assert list(shared.owner().core.store.check()) == []


def test_what_a_limited_role_wrote_and_the_owner_thinned_stays_as_it_is_for_both(shared: Shared) -> None:
    limited = shared.limited()
    (note,) = limited.list(space="ours")
    limited.revise(note.id, "another note of ours", space="ours")
    limited.remember("let go", id="gone", space="ours", importance=0.1)
    limited.evict(space="ours", cap=1)
    limited.sweeping.finish()
    owner = shared.owner()
    assert [one.count for one in owner.thin(older_than=timedelta(0), space="ours")] == [2]
    for memory in (limited, owner):
        assert [one.text for one in memory.list(space="ours")] == ["another note of ours"]
        assert memory.history(note.id, space="ours")[0].thinned is not None
        with pytest.raises(InvalidInput, match="thinned up to"):
            memory.list(space="ours", as_of=note.recorded_at)
    limited.revise(note.id, "a third note of ours", space="ours")
    limited.undo(limited.acts(space="ours")[0])
    assert [one.text for one in owner.list(space="ours")] == ["another note of ours"]
    assert list(owner.core.store.check()) == []


def test_a_limited_role_works_by_words_until_the_owner_has_taken_up_the_model(shared: Shared) -> None:
    limited = shared.limited(embedder="bundled")
    limited.remember("The boiler stands in the cellar.", space="ours")
    answer = limited.recall("boiler", space="ours")
    assert [hit.record.text for hit in answer][:1] == ["The boiler stands in the cellar."]
    assert "may use a model once the owner" in str(answer.signals.problem)
    assert limited.embed_waiting(space="ours") == 2
    assert limited.dream("ours").space == "ours"
    with shared._open(shared.url, embedder="bundled") as owner:
        assert owner.embed_waiting() == 0
    limited.remember("The heating is below the ground floor.", space="ours")
    assert limited.embed_waiting(space="ours") == 0
    assert not limited.recall("where is the warmth made", space="ours").signals.problem


# Stores of earlier releases


def test_roles_of_an_earlier_release_keep_what_is_theirs_and_lose_what_was_the_stores(
    made: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.store.postgres.MIGRATIONS", MIGRATIONS[:BEFORE_ROLES])
    PostgresStore(made.url, lambda: NOON).close()
    made.sql("INSERT INTO spaces VALUES(1, 'ours', '', 0, '{}')", "INSERT INTO tallies VALUES(1, 1, 0, 0)")
    made.sql("UPDATE numbers SET last = 1 WHERE name = 'spaces'")
    made.admit()
    made.sql("INSERT INTO shelves VALUES(0, 'tokens', 'a', '1'), (0, 'paused', 'a', '1'), (0, 'ledger', 'a', '1')")
    made.sql(
        "INSERT INTO shelves VALUES(0, 'tokens', 'b', '2'), (0, 'paused', 'b', '2'), (0, 'ledger', 'b', '2')",
        "UPDATE numbers SET last = 1 WHERE name = 'spaces'",
        role=made.role,
    )
    monkeypatch.undo()
    with pytest.raises(ReadOnlyStore, match="only the owner of its tables can bring it up to date"):
        made.limited()
    PostgresStore(made.url, lambda: NOON).close()
    found = made.sql("SELECT space_no, shelf, key FROM shelves WHERE shelf <> 'index' ORDER BY 2, 3")
    own = next(number for number, shelf, key in found if (shelf, key) == ("tokens", "b"))
    assert own < 0
    assert found == [
        (0, "ledger", "a"), (0, "ledger", "b"), (0, "paused", "a"), (own, "paused", "b"), (0, "tokens", "a"),
        (own, "tokens", "b"),
    ]  # fmt: skip
    assert made.refuses("UPDATE numbers SET last = 0")
    made.sql(f"DELETE FROM shelves WHERE space_no = {own}")
    assert made.limited().remember("it still works", space="ours").outcome == "stored"


def test_what_roles_named_of_other_spaces_before_is_theirs_again_and_tells_nothing(
    made: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.store.postgres.MIGRATIONS", MIGRATIONS[:BEFORE_NAMES])
    made.fill()
    made._open(made.url, embedder="bundled").embed_waiting()
    made.sql(*write_entry(made, after=1, checksum=None), role=made.role)
    made.sql("INSERT INTO queue VALUES(1, 2, 1)", "INSERT INTO refs VALUES(2, 'claim:x', 1)", role=made.role)
    made.sql("UPDATE pieces SET space_no = 2")
    monkeypatch.undo()
    owner = made.owner()
    assert made.sql("SELECT DISTINCT space_no FROM pieces", role=made.role) == [(2,)]
    assert made.sql("SELECT version, space_no FROM pieces ORDER BY 1") == [(1, 1), (2, 2)]
    assert made.sql("SELECT count(*) FROM queue UNION SELECT count(*) FROM refs") == [(0,)]
    assert made.sql("SELECT after FROM journal WHERE object_id = 'x'") == [(None,)]
    assert list(owner.core.store.check()) == []
    assert made.refuses(*write_entry(made, after=1))
    assert made.limited().remember("it still works", space="ours").outcome == "stored"


def test_a_role_that_was_made_anew_before_roles_had_numbers_is_not_the_one_that_was_admitted(
    made: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.store.postgres.MIGRATIONS", MIGRATIONS[:BEFORE_NUMBERS])
    made.fill()
    stays = f"stays_{made.schema[-8:]}"
    made.sql(f"CREATE ROLE {stays} LOGIN", f"SELECT admit('{stays}', 'ours')", "SELECT admit('postgres', 'ours')")
    create_token(made.limited().core, spaces=None, scope="admin")
    made.sql(f"DROP OWNED BY {made.role}", f"DROP ROLE {made.role}", f"CREATE ROLE {made.role} LOGIN")
    monkeypatch.undo()
    made.owner()
    assert made.sql("SELECT role FROM members UNION ALL SELECT role FROM roles") == [(stays,), (stays,)]
    assert made.sql("SELECT text FROM records", role=stays) == [("a note of ours",)]
    assert made.sql("SELECT * FROM shelves WHERE space_no < 0") == []
    held = "SELECT 1 FROM pg_class, aclexplode(relacl) WHERE oid = 'numbers'::regclass AND grantee = relowner"
    assert made.sql(f"{held} AND privilege_type = 'UPDATE'") == [(1,)]
