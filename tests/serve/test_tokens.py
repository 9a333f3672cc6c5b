"""Who may do what: tokens, and a table of every contract's tools and resources that must not show a space."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from test_up import HANG_GUARD_SECONDS, Up
from tests.conftest import Clock

import recollect
from recollect import Settings
from recollect.contracts.native.answers import StatusView
from recollect.contracts.registry import CONTRACTS
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.embedding.vectors import Vectors
from recollect.engine.grant import BY_TOKEN, EVERYTHING, Grant, Scope
from recollect.engine.guard import OF_ALL, OWNERS, guarded
from recollect.engine.memory import Memory, open_memory
from recollect.engine.tokens import TOKENS, Token, create_token, list_tokens
from recollect.errors import Conflict, Forbidden, InvalidInput, NotFound, RecollectError
from recollect.serve.up import Offered
from recollect.store.base import Edit, Store, View
from recollect.store.ops import Op
from recollect.types import Filter

HIDDEN = "vaultspace"
OWNERS_TOKEN = "0123456789abcdef01"
MARK = "xylophone7741"
"""A word of the hidden space that nobody who may not see it can know."""


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "recollect.cli", *words, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG_GUARD_SECONDS, check=False)


class Kept:
    """A service over a store with a space that tokens see, and one that they do not."""

    def __init__(self, home: Path) -> None:
        with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
            memory.remember("The harbour opens at nine.", space="work")
            hidden = memory.remember(f"The vault code is {MARK}.", title=MARK, tags=[MARK], space=HIDDEN).id
            assert hidden is not None
            self.hidden = hidden
            memory.relate(MARK, "guards", f"the {MARK} vault", space=HIDDEN)
            memory.ingest(f"# {MARK}\n\nThe vault code is {MARK}.", source=f"{MARK}.md", space=HIDDEN)
            memory.ingest_conversation([{"role": "user", "content": f"{MARK} again"}], session=MARK, space=HIDDEN)
            self.entries = memory.last_entry()
        self.home = home
        self.tokens = {
            scope: run(home, "token", "create", "--space", "work", "--scope", scope).stdout.strip()
            for scope in ("read", "write", "admin")
        }
        self.up = Up(home)

    def ask(self, scope: str, method: str, params: dict[str, Any], contract: str) -> str:
        bearer = {"authorization": f"Bearer {self.tokens[scope]}"}
        return self.up.alone(method, params, f"/mcp/{contract}", **bearer).text


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    service = Kept(tmp_path_factory.mktemp("kept"))
    yield service
    service.up.close()


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Another one, to which nobody says the name of the hidden space."""
    service = Kept(tmp_path_factory.mktemp("quiet"))
    yield service
    service.up.close()


def filled(schema: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Arguments for every property of a schema: texts by their names, and the least of everything else."""
    return {name: value(name, one, texts) for name, one in schema.get("properties", {}).items()}


def value(name: str, schema: Mapping[str, Any], texts: Mapping[str, str]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", [option.get("type") for option in schema.get("anyOf", [])])
    kind = next((one for one in ([kinds] if isinstance(kinds, str) else kinds) if one != "null"), "string")
    if kind == "object":
        return filled(schema, texts)
    if kind == "array":
        return [value(name, schema.get("items", {}), texts)]
    if kind in ("integer", "number"):
        return max(schema.get("minimum", 1), 1)
    return kind == "boolean" or next((said for key, said in texts.items() if key in name), texts[""])


def tables(kept: Kept, contract: str, texts: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every request that a contract answers: each tool with all arguments and with each alone, and each resource."""
    offered = kept.up.alone("tools/list", {}, f"/mcp/{contract}").json()["result"]["tools"]
    for tool in offered:
        whole = filled(tool["inputSchema"], texts)
        needed = {name: whole[name] for name in tool["inputSchema"].get("required", [])}
        asking = {name: one for name, one in whole.items() if one == texts["query"]}
        single = [{**needed, **asking, name: one} for name, one in whole.items()]
        for arguments in (whole, needed, *single):
            yield "tools/call", {"name": tool["name"], "arguments": arguments}
    for kind in ("resources", "resources/templates"):
        found = kept.up.alone(f"{kind}/list", {}, f"/mcp/{contract}").json().get("result", {})
        for one in [*found.get("resources", []), *found.get("resourceTemplates", [])]:
            uri = one.get("uri") or one["uriTemplate"].replace("{", "").replace("}", "")
            yield "resources/read", {"uri": uri}


SAID = {"query": "vault code", "text": "a harbour note", "content": "a harbour note"}


def answers(kept: Kept, contract: str, scope: str, texts: Mapping[str, str]) -> list[tuple[dict[str, Any], str]]:
    asked = list(tables(kept, contract, {**SAID, **texts}))
    return [(params, kept.ask(scope, method, params, contract)) for method, params in asked]


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_no_answer_shows_what_is_in_a_space_that_a_token_does_not_name(kept: Kept, contract: str, scope: str) -> None:
    """Whoever asks knows its name, and the id of a record in it."""
    found = answers(kept, contract, scope, {"id": kept.hidden, "": HIDDEN})
    assert [one for one in found if MARK in one[1]] == []


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_no_answer_tells_that_there_is_another_space(quiet: Kept, contract: str, scope: str) -> None:
    found = answers(quiet, contract, scope, {"": "work"})
    assert [one for one in found if MARK in one[1] or HIDDEN in one[1]] == []


def test_what_was_hidden_is_as_it_was(kept: Kept) -> None:
    with open_memory(settings=Settings(home=kept.home, embedder="none")) as memory:
        changed = [change for change in memory.journal(space=HIDDEN) if change.entry > kept.entries]
        assert changed == []
        assert memory.get(kept.hidden, space=HIDDEN) is not None


@pytest.mark.parametrize("contract", ["native", "trusty-memory", "agentos"])
def test_the_owner_sees_what_tokens_do_not(kept: Kept, contract: str) -> None:
    """By the same questions, where a contract lets a call name a space: so these would find it."""
    asked = tables(kept, contract, {**SAID, "id": kept.hidden, "": HIDDEN})
    found = [kept.up.alone(method, params, f"/mcp/{contract}").text for method, params in asked]
    assert any(MARK in answer for answer in found)


def test_a_token_that_may_read_cannot_write_and_is_told_so(kept: Kept) -> None:
    store = {"name": "remember", "arguments": {"text": "Ships leave at ten."}}
    assert "its scope is read" in kept.ask("read", "tools/call", store, "native")
    assert '"outcome":"stored"' in kept.ask("write", "tools/call", store, "native")
    elsewhere = {"name": "remember", "arguments": {"text": "Ships leave at ten.", "space": HIDDEN}}
    told = kept.ask("write", "tools/call", elsewhere, "native")
    assert f"does not reach the space '{HIDDEN}'; it reaches: work" in told


def test_files_of_the_machine_are_not_read_for_a_token(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("a private file", "utf-8")
    for path in (tmp_path, tmp_path / "note.md"):
        call = {"name": "ingest", "arguments": {"path": str(path)}}
        assert "for its owner alone" in kept.ask("admin", "tools/call", call, "native")


@pytest.mark.parametrize("address", ["127.0.0.1:0", "0.0.0.0:0"])
def test_files_of_the_machine_are_not_read_for_the_owners_token_either(tmp_path: Path, address: str) -> None:
    (tmp_path / "note.md").write_text("a private file", "utf-8")
    server = Up(tmp_path / "home", "--http", address, RECOLLECT_TOKEN=OWNERS_TOKEN)
    try:
        bearer = {"authorization": f"Bearer {OWNERS_TOKEN}"}
        for path, call in (
            ("/mcp", {"name": "ingest", "arguments": {"path": str(tmp_path / "note.md")}}),
            ("/mcp/memory-mcp", {"name": "index_project", "arguments": {"path": str(tmp_path)}}),
        ):
            assert "for its owner alone" in server.alone("tools/call", call, path, **bearer).text
        kept = {"name": "remember", "arguments": {"text": "The gate opens at nine.", "space": "new"}}
        assert server.alone("tools/call", kept, **bearer).status_code == 200
        assert server.web.get("/metrics", headers=bearer).status_code == 200
    finally:
        server.close()


def test_a_session_of_one_token_is_not_another_tokens(kept: Kept) -> None:
    bearer = {scope: {"authorization": f"Bearer {token}"} for scope, token in kept.tokens.items()}
    session = kept.up.initialize(**bearer["read"])
    assert kept.up.post("ping", {}, mcp_session_id=session, **bearer["read"]).status_code == 200
    assert kept.up.post("ping", {}, mcp_session_id=session, **bearer["write"]).status_code == 404
    assert kept.up.post("ping", {}, mcp_session_id=session).status_code == 404


def test_a_token_is_listed_with_its_last_use_and_ends_when_it_is_revoked(kept: Kept) -> None:
    secret = run(kept.home, "token", "create", "--space", "work", "--name", "for a day").stdout.strip()
    id = run(kept.home, "token", "list").stdout.splitlines()[-1].partition(" ")[0]
    assert "never used" in run(kept.home, "token", "list").stdout.splitlines()[-1]
    bearer = {"authorization": f"Bearer {secret}"}
    assert kept.up.alone("tools/list", {}, **bearer).status_code == 200
    assert "last used" in run(kept.home, "token", "list").stdout.splitlines()[-1]
    assert run(kept.home, "token", "revoke", id).returncode == 0
    refused = kept.up.alone("tools/list", {}, **bearer)
    assert (refused.status_code, "invalid_token" in refused.headers["www-authenticate"]) == (401, True)
    assert secret not in run(kept.home, "token", "list").stdout


def test_the_store_does_not_hold_a_token_itself(kept: Kept) -> None:
    held = b"".join(path.read_bytes() for path in kept.home.rglob("*") if path.is_file())
    assert [scope for scope, token in kept.tokens.items() if token.encode() in held] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--space", "work", "--expires", "soon"], "90d"),
        (["--space", "work", "--scope", "all"], "read, write, admin"),
        ([], "--all-spaces"),
    ],
)
def test_a_token_that_cannot_be_meant_is_not_made(tmp_path: Path, words: list[str], told: str) -> None:
    done = run(tmp_path, "token", "create", *words)
    assert (done.returncode, told in done.stderr) == (2, True)


def test_other_machines_are_served_with_a_token_alone(tmp_path: Path) -> None:
    done = run(tmp_path, "up", "--http", "0.0.0.0:0")
    assert (done.returncode, "recollect token create" in done.stderr) == (1, True)
    token = run(tmp_path, "token", "create", "--all-spaces", "--scope", "admin").stdout.strip()
    server = Up(tmp_path, "--http", "0.0.0.0:0")
    try:
        assert server.alone("tools/list", {}).status_code == 401
        assert server.alone("tools/list", {}, authorization=f"Bearer {token}x").status_code == 401
        assert server.alone("tools/list", {}, authorization=f"Bearer {token}").status_code == 200
    finally:
        server.close()


def test_a_stream_ends_when_its_token_is_revoked(kept: Kept) -> None:
    secret = run(kept.home, "token", "create", "--space", "work", "--name", "for a stream").stdout.strip()
    id = run(kept.home, "token", "list").stdout.splitlines()[-1].partition(" ")[0]
    bearer = {"authorization": f"Bearer {secret}"}
    session = kept.up.initialize(**bearer)
    with kept.up.web.stream("GET", "/mcp", headers={**bearer, "mcp-session-id": session}) as stream:
        assert stream.status_code == 200
        revoked = run(kept.home, "token", "revoke", id)
        assert revoked.returncode == 0, revoked.stderr
        assert "".join(stream.iter_text()) == ""  # it comes to an end by itself


# The guard

TOLD_BY_VECTORS = [
    ("I take levothyroxine 50 mcg every morning.", "The doctor raised my thyroid dose to 75 mcg."),
    ("Card payments go through Adyen.", "We take payments with Stripe from this week on."),
    ("The dog eats salmon kibble, 60 grams twice a day.", "Since the vet visit the dog gets duck from a tin."),
    ("The yoga class meets in the town hall.", "Yoga takes place in the gym behind the church from now on."),
]

TRIED = (
    "acts archive_source brief check clear_space compact condense consolidate contest contradictions count"
    " count_waiting create_space delete_project delete_space describe_space dream embed_waiting entities entity"
    " evict evidence_state facts find_entities follow foremost forget forget_fact forgets get has_space history"
    " identity ingest ingest_conversation ingest_source ingest_url invalidate journal kept_secrets last_entry list"
    " mask_secrets mentioning merge neighbors once pagerank project_status projects promote recall reindex relate"
    " remember remember_many review revise search_code secrets segments session sessions set_identity set_secrets"
    " size sources spaces summarize supersede thin told_later unasked undo"
).split()
"""What a memory can be asked through its guarded store alone; what the guard knows of by name is not among these."""
BESIDES = {"acting_as", "close", "location", "settings"}


def test_every_method_of_a_memory_is_guarded_or_kept_for_its_owner() -> None:
    """A method that is added is looked at: does it reach anything but the store?"""
    public = {name for name in dir(Memory) if not name.startswith("_")}
    assert public - set(TRIED) - BESIDES == {*OWNERS, *OF_ALL}


def hidden(memory: Memory, scope: Scope = "admin") -> Memory:
    return guarded(memory, Grant(id="t", scope=scope, spaces=("work",)))


def test_the_history_of_a_space_is_thinned_by_who_reaches_it_and_may_do_all(memory: Memory, clock: Clock) -> None:
    for space in (HIDDEN, "work"):
        memory.remember("First", id="a", space=space)
        memory.revise("a", "Second", space=space)
    clock.advance(days=60)
    for scope in ("read", "write"):
        with pytest.raises(Forbidden):
            hidden(memory, scope).thin(older_than=timedelta(days=1))
    with pytest.raises(NotFound):
        hidden(memory).thin(older_than=timedelta(days=1), space=HIDDEN)
    assert [(one.space, one.count) for one in hidden(memory).thin(older_than=timedelta(days=1))] == [("work", 1)]
    assert [len(memory.history("a", space=space)) for space in (HIDDEN, "work")] == [2, 1]


def test_whom_a_hidden_space_belongs_to_is_not_told_and_a_reader_cannot_say_it(memory: Memory) -> None:
    for space in (HIDDEN, "work"):
        memory.create_space(space)
        memory.set_identity(space, MARK)
    assert (hidden(memory).identity(HIDDEN), hidden(memory).identity("work")) == ("", MARK)
    with pytest.raises(NotFound):
        hidden(memory).set_identity(HIDDEN, "mine")
    with pytest.raises(Forbidden, match="its scope is read"):
        hidden(memory, "read").set_identity("work", "mine")
    assert memory.identity("work") == memory.identity(HIDDEN) == MARK


def test_what_waits_for_a_model_elsewhere_is_not_counted(semantic: Memory) -> None:
    semantic.remember("Ships leave at ten.", space="work")
    for number in range(5):
        semantic.remember(f"Hidden {number}: {MARK}.", space=HIDDEN)
    seen = hidden(semantic)
    assert (seen.count_waiting(), semantic.count_waiting()) == (1, 6)
    assert (
        seen.semantics.behind(Filter(spaces=(HIDDEN,))).waiting,
        semantic.semantics.behind(Filter(spaces=(HIDDEN,))).waiting,
    ) == (0, 5)
    assert seen.embed_waiting() == 0
    assert semantic.count_waiting() >= 0
    semantic.recall(MARK, space=HIDDEN)
    assert (seen.semantics.state().misses, semantic.semantics.state().misses) == (0, 1)


def test_what_a_model_tells_later_of_a_hidden_space_is_not_told(semantic: Memory) -> None:
    for space in ("work", HIDDEN):
        for older, newer in TOLD_BY_VECTORS:
            semantic.remember(older, space=space, compare=False)
            semantic.remember(newer, space=space)
    seen = hidden(semantic, "read")
    assert seen.embed_waiting() == 0
    assert semantic.embed_waiting() == 0
    assert semantic.told_later(space=HIDDEN) != []
    assert seen.told_later(space=HIDDEN) == []
    assert len(seen.told_later(space="work")) == len(semantic.told_later(space="work")) > 0


def test_by_vectors_only_the_spaces_of_a_token_are_found(semantic: Memory) -> None:
    asked = ["when do boats depart", "at what hour does the ferry set off", "sailing times"]
    semantic.remember("Ships leave the harbour at ten.", space="work")
    there = semantic.remember("Vessels depart from the secret pier at eleven.", space=HIDDEN).id
    semantic.embed_waiting()
    for question in asked:
        every = semantic.recall(question, space=None)
        seen = hidden(semantic).recall(question, space=None)
        assert there in {hit.record.id for hit in every}
        assert {hit.record.space for hit in seen} == {"work"}
        assert (seen.signals.vector_candidates, every.signals.vector_candidates) == (1, 2)
        assert list(hidden(semantic).recall(question, space=HIDDEN)) == []


def test_a_key_of_one_client_is_not_anothers(memory: Memory) -> None:
    owners = memory.once("k", memory.remember, MARK, space="work")
    seen = hidden(memory)
    mine = seen.once("k", seen.remember, "Something else.", space="work")
    assert mine.id != owners.id
    assert seen.once("k", seen.remember, "Something else.", space="work") == mine
    with pytest.raises(Conflict, match="'k' was used"):
        seen.once("k", seen.remember, MARK, space="work")


@pytest.mark.parametrize("others", [0, 20])
def test_a_token_changes_its_space_by_key_whatever_others_wrote_meanwhile(memory: Memory, others: int) -> None:
    seen = hidden(memory, "write")
    kept, gone = (seen.remember(text, space="work").id or "" for text in ("The quay is open.", "The pier is shut."))
    for number in range(others):
        memory.remember(f"Hidden {number}.", space=HIDDEN)
    ended = seen.once("end", seen.invalidate, kept, space="work", reason="it burned down last night")
    assert seen.once("end", seen.invalidate, kept, space="work", reason="it burned down last night") == ended
    assert gone in seen.once("forget", seen.forget, gone, space="work").removed
    with pytest.raises(Forbidden, match="its scope is read"):
        hidden(memory, "read").once("again", hidden(memory, "read").forget, kept, space="work")


def test_a_token_is_shown_what_an_agent_would_be_given_of_its_space_alone(memory: Memory) -> None:
    memory.remember("Deploys of ledger go out on Tuesdays.", space="work", importance=0.9)
    memory.remember(f"The vault is {MARK}.", space=HIDDEN, importance=0.9)
    unasked = hidden(memory, "read").unasked
    assert "Tuesdays" in unasked.preview(space="work").given.text
    assert unasked.preview("when do deploys of ledger go out", space="work").lines[0].record.space == "work"
    assert unasked.preview(space=HIDDEN).lines == ()
    for refused in ("give_brief", "give_answers", "note_given", "steer", "pause", "resume", "injected"):
        with pytest.raises(Forbidden, match="all spaces"):
            getattr(unasked, refused)
    memory.unasked.pause()
    assert unasked.paused_until() is not None


def test_a_kind_of_change_that_the_guard_does_not_know_is_refused(memory: Memory) -> None:
    with hidden(memory).core.store.write() as edit, pytest.raises(Forbidden, match="all spaces"):
        edit.apply([cast("Op", object())])


def test_the_guard_knows_all_that_a_store_can_be_asked(memory: Memory) -> None:
    """What it does not know is refused: so whoever adds something to a store comes by here."""
    store = guarded(memory, Grant(id="t", scope="admin")).core.store
    with store.read() as view, store.write() as edit:
        asked = [(Store, store), (View, view), (Edit, edit)]
        lacking = [name for kind, one in asked for name in _members(kind) if not hasattr(one, name)]
    assert lacking == []


def test_the_guard_knows_all_that_models_can_be_asked(memory: Memory) -> None:
    asked = {name for name in vars(Semantics) if not name.startswith("_")} - {"stop", "efforts"}
    assert [name for name in asked if not hasattr(hidden(memory).semantics, name)] == []


KEPT_WITHIN = {"left", "see", "try_out", "remembered_queries", "is_warm", "warm", "hurry", "are_complete"}
"""What only the room of the models itself asks of vectors."""


def test_the_guard_knows_all_that_vectors_can_be_asked_and_in_which_words(semantic: Memory) -> None:
    for grant in (Grant(id="t", scope="admin"), Grant(id="t", scope="read", spaces=("work",))):
        seen = guarded(semantic, grant).semantics.load()
        asked = {name for name in vars(Vectors) if not name.startswith("_")} - KEPT_WITHIN
        assert [name for name in asked if not hasattr(seen, name)] == []
        for name in ("catch_up", "missing"):
            known, meant = (inspect.signature(getattr(one, name)) for one in (type(seen), Vectors))
            assert known == meant, name


@pytest.mark.parametrize("spaces", [None, ("work",)])
def test_a_token_recalls_and_dreams_while_vectors_wait(semantic: Memory, spaces: tuple[str, ...] | None) -> None:
    semantic.remember("Ships leave at ten.", space="work")
    semantic.embed_waiting()
    seen = guarded(semantic, Grant(id="t", scope="write", spaces=spaces))
    for number in range(3):
        seen.remember(f"Boat {number} leaves at noon.", space="work")
        semantic.remember(f"Hidden {number}: {MARK}.", space=HIDDEN)
        answer = seen.recall("when do boats leave?", space="work", wait=0)
        assert answer.signals.waiting_for_vectors == number + 1
    assert seen.dream("work", dry_run=True).records == 4
    assert seen.dream("work").finished
    with pytest.raises(Forbidden, match="its scope is read"):
        guarded(semantic, Grant(id="r", scope="read", spaces=spaces)).dream("work")


def test_whoever_shows_a_token_has_its_name_whatever_they_call_themselves(kept: Kept) -> None:
    token = run(kept.home, "token", "create", "--space", "work", "--scope", "write", "--name", "gate").stdout.strip()
    headers = {"authorization": f"Bearer {token}", "x-recollect-client": "page"}
    record = {"text": "The crane is painted."}  # no space is named: it is the token's
    answer = httpx.post(f"{kept.up.url}/api/records", json=record, headers=headers)
    assert answer.json()["space"] == "work", answer.text
    asked = {"name": "remember", "arguments": {"text": "The winch is oiled."}}
    kept.up.alone("tools/call", asked, **headers)
    acts = httpx.get(f"{kept.up.url}/api/acts", params={"space": "work", "limit": 2}, headers=headers).json()
    assert [act["actor"] for act in acts["acts"]] == ["gate", "gate"]


def test_a_token_without_a_name_signs_with_its_own_id(kept: Kept) -> None:
    made = run(kept.home, "token", "create", "--space", "work", "--scope", "write", "--json").stdout
    told = json.loads(made)
    headers = {"authorization": f"Bearer {told['token']}"}
    for contract in ("native", "agentos"):
        tool = "remember" if contract == "native" else "memory_store"
        given = {"text": f"The {contract} rope is dry."} if contract == "native" else {"content": "The rope is dry."}
        session = kept.up.post(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}},
            f"/mcp/{contract}", **headers,
        ).headers["mcp-session-id"]  # fmt: skip
        kept.up.post(
            "tools/call",
            {"name": tool, "arguments": given},
            f"/mcp/{contract}",
            **{"mcp-session-id": session},
            **headers,
        )
    acts = httpx.get(f"{kept.up.url}/api/acts", params={"space": "work", "limit": 2}, headers=headers).json()
    assert {act["actor"] for act in acts["acts"]} == {f"token {told['id']}"}


def test_who_is_only_called_like_a_program_of_ours_is_not_trusted_as_a_person(memory: Memory) -> None:
    called_page = guarded(memory, Grant(id="t", name="page", scope="write")).acting_as("page")
    assert (called_page.core.by_hand, memory.acting_as("page", by_hand=True).core.by_hand) == (False, True)
    contract = CONTRACTS["native"].make(memory, None)
    assert contract.open_call("cli").memory.core.actor == "client cli"
    assert not contract.open_call("cli").memory.core.by_hand


@pytest.mark.parametrize("name", ["page", " CLI ", "api", "token 3f2a", "oauth:ann", "   ", "two\nlines", "x" * 101])
def test_a_token_is_not_named_like_us_nor_blank_nor_on_two_lines(memory: Memory, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_token(memory.core, spaces=["work"], scope="read", name=name)
    assert refused.value.field == "name"
    old = Token(id="3f2a", scope="read", created_at=memory.core.clock(), name=name[:100])
    assert old.grant.name == ("x" * 100 if name.startswith("x") else "token 3f2a")


@pytest.mark.parametrize("contract", CONTRACTS)
def test_only_what_is_written_makes_a_space_and_under_the_tokens_name(memory: Memory, contract: str) -> None:
    offered = Offered(memory)(contract, Grant(id="t", name="gate", scope="write", spaces=("fresh",)))
    assert offered is not None
    for tool in offered.tools:
        schema = offered.input_schema(tool)
        required = {name: "x" for name in cast("list[str]", schema.get("required", []))}
        if tool.annotations.read_only:
            with suppress(RecollectError):
                offered.answer(tool, required, offered.open_call("raw"))
    assert not memory.has_space("fresh")
    if contract == "trusty-memory":
        store = next(tool for tool in offered.tools if tool.name == "memory_remember")
        offered.answer(store, {"text": "The rope is dry and hangs in the shed."}, offered.open_call("raw"))
        assert {change.actor for change in memory.journal(space="fresh")} == {"gate"}


def test_where_the_store_is_and_how_large_is_told_to_its_owner_alone(memory: Memory) -> None:
    memory.remember("The rope is dry.", space="work")
    told: list[tuple[object, object]] = []
    for grant in (EVERYTHING, BY_TOKEN, Grant(id="t", name="gate", spaces=("work",))):
        offered = Offered(memory)("native", grant)
        assert offered is not None
        status = next(tool for tool in offered.tools if tool.name == "status")
        found = cast("StatusView", offered.answer(status, {}, offered.open_call("raw")))
        told.append((found.store, found.bytes))
    assert told == [(memory.location, memory.size())] * 2 + [(None, None)]


def _members(kind: type) -> list[str]:
    return [name for name in (*vars(kind), *getattr(kind, "__annotations__", {})) if not name.startswith("_")]


def test_a_shelf_of_the_whole_store_is_not_read_or_written(memory: Memory) -> None:
    create_token(memory.core, spaces=None, scope="admin")
    with hidden(memory).core.store.write() as edit:
        assert edit.kept(TOKENS) == {}
        with pytest.raises(Forbidden, match="all spaces"):
            edit.keep(TOKENS, {}, only=True)
    assert len(list_tokens(memory.core)) == 1


def test_names_that_become_known_link_what_a_token_wrote(memory: Memory) -> None:
    seen = hidden(memory, "write")
    note = seen.remember("The Borealis engine was rebuilt in spring.", space="work").id
    seen.relate("Borealis engine", "powers", "the ferry", space="work")
    assert note in {record.id for record in seen.mentioning("Borealis engine", space="work")}


def test_a_guarded_memory_counts_and_follows_its_spaces_alone(memory: Memory) -> None:
    memory.remember("One.", space="work")
    for number in range(5):
        memory.remember(f"Hidden {number}.", space=HIDDEN)
    memory.remember("Two.", space="work")
    seen = guarded(memory, Grant(id="t", scope="read", spaces=("work",)))
    assert [space.name for space in seen.spaces()] == ["work"]
    assert {change.space for change in seen.follow(0, 0.0)} == {change.space for change in seen.journal()} == {"work"}
    assert seen.count(space=None) == 2
    assert seen.count(space=HIDDEN) == 0
    with pytest.raises(Forbidden):
        seen.remember("Three.", space="work")
    with pytest.raises(NotFound, match="no space named"):
        seen.describe_space(HIDDEN)
