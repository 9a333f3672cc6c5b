"""Palaces over the web: every route, good and bad, and the events, from `recollect serve` as it is started."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.contracts.clients import GUARD_SECONDS, Server
from tests.pgserver import prepare, store_of

import recollect
from recollect import Settings, __version__

UNKNOWN = "00000000-0000-4000-8000-000000000000"
FACT = {"subject": "s", "predicate": "p", "object": "o"}
A_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class WebServer(Server):
    """A server with its routes beside its tools."""

    def __init__(self, *arguments: str, **more: Any) -> None:
        super().__init__(*arguments, **more)
        assert self.process.stderr is not None
        found = re.search(r"http://\S+", self.process.stderr.readline().decode())
        assert found is not None
        self.web = httpx.Client(base_url=found[0], timeout=GUARD_SECONDS)

    def get(self, path: str, **query: Any) -> Any:
        return self._answer(self.web.get(f"/api/v1/{path}", params=query))

    def post(self, path: str, **body: Any) -> Any:
        return self._answer(self.web.post(f"/api/v1/{path}", json=body))

    def delete(self, path: str) -> Any:
        return self._answer(self.web.delete(f"/api/v1/{path}"))

    def refuse(self, method: str, path: str, body: Any = None, **query: Any) -> tuple[int, str]:
        answer = self.web.request(method, f"/api/v1/{path}", json=body, params=query)
        assert set(answer.json()) == {"error"}
        return answer.status_code, answer.json()["error"]

    @staticmethod
    def _answer(answer: httpx.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()

    def listen(self) -> Iterator[Any]:
        """Events, until the server ends or nobody asks for more."""
        with self.web.stream("GET", "/sse") as response:
            for line in response.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))

    def close(self) -> int:
        self.web.close()
        return super().close()


Serve = Callable[..., WebServer]


@pytest.fixture
def usual(usual: dict[str, Any]) -> dict[str, Any]:
    return {**usual, "arguments": (*usual["arguments"], "--http", "127.0.0.1:0"), "kind": WebServer}


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """One server for all that is refused: whoever asks, nothing comes of it."""
    home = tmp_path_factory.mktemp("refusing") / "home"
    prepare(home)
    options = ("--as", "trusty-memory", "--http", "127.0.0.1:0", "--palace", "p", "--home", str(home))
    server = WebServer(*options, RECOLLECT_EMBEDDER="none")
    yield server
    assert server.close() == 0


# Routes


def test_status_counts_everything(serve: Serve, tmp_path: Path) -> None:
    server = serve("--palace", "home")
    server.post("palaces/a/drawers", text="One.")
    server.post("palaces/b/drawers", text="Two.")
    server.post("palaces/b/kg", subject="s", predicate="p", object="o")
    server.post("palaces/b/kg", subject="s", predicate="p", object="another")
    assert server.get("status") == {
        "version": __version__,
        "palace_count": 3,
        "default_palace": "home",
        "data_root": str(tmp_path / "home"),
        "total_drawers": 2,
        "total_vectors": 0,
        "total_kg_triples": 1,
    }


def test_vectors_are_counted_where_there_are_some(serve: Serve, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", store=store_of(tmp_path / "home"), embed_threads=1, embed_delay=600.0)
    with recollect.open(settings=settings) as memory:
        memory.remember("One.", space="p")
        memory.embed_waiting()
        memory.remember("Two.", space="p")
    server = serve()
    assert server.get("status")["total_vectors"] == 1
    assert server.get("palaces/p")["vector_count"] == 1


def test_palaces_are_made_listed_and_described(serve: Serve) -> None:
    server = serve()
    assert server.get("palaces") == server.call("palace_list") == {"palaces": []}
    assert server.post("palaces", name="acme", description="Of Acme") == {"palace_id": "acme", "status": "created"}
    assert server.post("palaces", name="acme") == server.call("palace_create", name="acme")
    assert server.get("palaces") == server.call("palace_list") == {"palaces": ["acme"]}
    info = server.get("palaces/acme")
    assert {key: info[key] for key in ("id", "name", "drawer_count", "data_dir")} == server.call(
        "palace_info", palace="acme"
    )
    assert (info["description"], info["vector_count"], info["kg_triple_count"]) == ("Of Acme", 0, 0)
    assert A_TIME.fullmatch(info["created_at"])


def test_a_drawer_is_stored_listed_recalled_and_deleted(serve: Serve) -> None:
    server = serve()
    text = "The API gateway validates JWT tokens using RS256."
    stored = server.post("palaces/my-project/drawers", text=text, room="Backend", tags=["auth"], importance=0.9)
    assert stored == {"drawer_id": stored["drawer_id"], "palace": "my-project", "status": "stored"}
    listed = server.get("palaces/my-project/drawers")
    assert listed == server.call("memory_list", palace="my-project")
    assert [(one["content"], one["importance"], one["tags"]) for one in listed["drawers"]] == [(text, 0.9, ["auth"])]
    recalled = server.get("palaces/my-project/recall", q="token validation", top_k=3)
    assert set(recalled) == {"palace", "query", "results"}
    assert [(one["drawer_id"], one["layer"]) for one in recalled["results"]] == [(stored["drawer_id"], 2)]
    gone = server.delete(f"palaces/my-project/drawers/{stored['drawer_id']}")
    assert gone == {"status": "deleted", "drawer_id": stored["drawer_id"], "palace": "my-project"}
    assert server.get("palaces/my-project/drawers")["drawers"] == []


def test_drawers_are_filtered_and_paged(serve: Serve) -> None:
    server = serve()
    for number in range(6):
        room = "Backend" if number % 2 else "General"
        server.post("palaces/p/drawers", text=f"Note {number}.", room=room, tags=[f"t{number}"], importance=number / 10)
    all_of_them = [one["content"] for one in server.get("palaces/p/drawers")["drawers"]]
    assert all_of_them == [f"Note {number}." for number in (5, 4, 3, 2, 1, 0)]
    assert [one["content"] for one in server.get("palaces/p/drawers", limit=2, offset=3)["drawers"]] == all_of_them[3:5]
    assert len(server.get("palaces/p/drawers", room="Backend")["drawers"]) == 3
    assert len(server.get("palaces/p/drawers", room="General")["drawers"]) == 3
    assert [one["content"] for one in server.get("palaces/p/drawers", tag="t3")["drawers"]] == ["Note 3."]
    assert server.get("palaces/p/drawers", offset=6)["drawers"] == []


def test_answers_over_the_web_are_whole_however_long(serve: Serve) -> None:
    server = serve()
    texts = {f"Ledger {number}: {'a ship came in; ' * 150}" for number in range(20)}
    for text in texts:
        server.post("palaces/p/drawers", text=text)
    assert {one["content"] for one in server.get("palaces/p/drawers", limit=20)["drawers"]} == texts
    assert {one["content"] for one in server.get("palaces/p/recall", q="ship ledger", top_k=20)["results"]} == texts
    assert "Cut to stay below 25 KB" in server.call("memory_list", palace="p")["note"]


def test_the_text_of_a_drawer_may_be_called_content(serve: Serve) -> None:
    server = serve()
    one, other = server.post("palaces/p/drawers", content="Same."), server.post("palaces/p/drawers", text="Same.")
    assert one == other


def test_deep_recall_says_so_by_its_layer(serve: Serve) -> None:
    server = serve()
    server.post("palaces/p/drawers", text="Deployments happen on Tuesdays.")
    results = server.get("palaces/p/recall", q="deployments", deep="true")["results"]
    assert [one["layer"] for one in results] == [3]


def test_triples_are_stated_and_queried(serve: Serve) -> None:
    server = serve()
    fact = {"subject": "auth-service", "predicate": "deployed_version", "object": "2.4.1"}
    assert server.post("palaces/p/kg", **fact, confidence=0.95, provenance="log") == {"status": "asserted"}
    found = server.get("palaces/p/kg", subject="auth-service")
    assert found == server.call("kg_query", palace="p", subject="auth-service")
    [triple] = found["triples"]
    assert A_TIME.fullmatch(triple.pop("valid_from"))
    assert triple == {**fact, "valid_to": None, "confidence": 0.95, "provenance": "log"}
    server.post("palaces/p/kg", **{**fact, "object": "2.5.0"})
    assert [one["object"] for one in server.get("palaces/p/kg", subject="auth-service")["triples"]] == ["2.5.0"]


def test_names_are_decoded(serve: Serve) -> None:
    server = serve()
    name = "Käse/Brot & 100%"
    path = "palaces/K%C3%A4se%2FBrot%20%26%20100%25"
    assert server.post(f"{path}/drawers", text="Lunch.")["palace"] == name
    assert server.get("palaces") == {"palaces": [name]}
    assert server.get(path)["id"] == name
    assert server.get(f"{path}/recall", q="lunch?")["palace"] == name


def test_dreams_are_run_and_told_of(serve: Serve) -> None:
    server = serve()
    none = {"merged": 0, "pruned": 0, "compacted": 0, "closets_updated": 0, "decayed": 0}
    status = server.get("dream/status")
    assert status == {"last_run_at": None, **none, "duration_ms": 0}
    server.post("palaces/p/drawers", text="A note.")
    assert server.post("dream/run", dry_run=True)["last_run_at"] is not None
    assert server.get("dream/status")["last_run_at"] is None
    done = server.web.post("/api/v1/dream/run").json()
    assert {key: done[key] for key in none} == none
    assert server.get("dream/status")["last_run_at"] == done["last_run_at"]
    assert A_TIME.fullmatch(server.post("dream/run", palace="p")["last_run_at"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("GET", "palaces/none", None, 404, "open palace none: there is no palace of that name"),
        ("GET", "palaces/none/drawers", None, 404, "open palace none: there is no palace of that name"),
        ("GET", "palaces/none/recall?q=x", None, 404, "open palace none: there is no palace of that name"),
        ("GET", "palaces/none/kg?subject=x", None, 404, "open palace none: there is no palace of that name"),
        ("DELETE", f"palaces/none/drawers/{UNKNOWN}", None, 404, "open palace none: there is no palace of that name"),
        ("DELETE", f"palaces/p/drawers/{UNKNOWN}", None, 404, f"there is no drawer {UNKNOWN} in palace p"),
        ("DELETE", "palaces/p/drawers/nonsense", None, 400, "drawer_id: 'nonsense' is neither a UUID nor the id"),
        ("GET", f"palaces/p/drawers/{UNKNOWN}", None, 405, "GET is not possible here; possible: DELETE"),
        ("DELETE", "palaces/p", None, 405, "DELETE is not possible here; possible: GET"),
        ("GET", "palaces/p/recall", None, 400, "q: is required"),
        ("GET", "palaces/p/recall?q=", None, 400, "q: is blank; give it some text"),
        ("GET", "palaces/p/recall?q=x&top_k=0", None, 400, "top_k: must be at least 1, not '0'"),
        ("GET", "palaces/p/recall?q=x&top_k=1001", None, 400, "top_k: must be at most 1000, not '1001'"),
        ("GET", "palaces/p/recall?q=x&top_k=ten", None, 400, "top_k: must be a whole number, not 'ten'"),
        ("GET", "palaces/p/recall?q=x&deep=perhaps", None, 400, "deep: must be true or false, not 'perhaps'"),
        ("GET", "palaces/p/recall?query=x", None, 400, "query: unknown field (known: palace, q, top_k, deep, room)"),
        ("GET", "palaces/p/drawers?limit=0", None, 400, "limit: must be at least 1, not '0'"),
        ("GET", "palaces/p/drawers?limit=1001", None, 400, "limit: must be at most 1000, not '1001'"),
        ("GET", "palaces/p/drawers?offset=-1", None, 400, "offset: must be at least 0, not '-1'"),
        ("GET", "palaces/p/drawers?sort=new", None, 400, "sort: unknown field"),
        ("GET", "palaces/p/kg", None, 400, "subject: is required"),
        ("GET", "status?x=1", None, 400, "x: unknown field"),
        ("POST", "palaces", {}, 400, "name: is required"),
        ("POST", "palaces", {"name": ""}, 400, "name: must have 1 to"),
        ("POST", "palaces", {"name": "x" * 5000}, 400, "name: must have 1 to"),
        ("POST", "palaces", {"name": "x", "icon": "y"}, 400, "icon: unknown field (known: name, description)"),
        ("POST", "palaces/p/drawers", {}, 400, "text: is required"),
        ("POST", "palaces/p/drawers", {"text": " \n"}, 400, "text: "),
        ("POST", "palaces/p/drawers", {"text": "<recollect>x"}, 400, "text: this text was made by recall"),
        ("POST", "palaces/p/drawers", {"text": "x", "content": "x"}, 400, "content: means the same as text"),
        ("POST", "palaces/p/drawers", {"text": "x", "importance": 2}, 400, "importance: must be at most 1.0, not 2"),
        ("POST", "palaces/p/drawers", {"text": "x", "tags": "auth"}, 400, "tags: must be a list, not 'auth'"),
        ("POST", "palaces/p/drawers", {"text": "x", "palace": "q"}, 400, "palace: is said by the address"),
        ("POST", "palaces/p/drawers", {"text": "x", "colour": 1}, 400, "colour: unknown field"),
        ("POST", "palaces/p/kg", {"subject": "s", "predicate": "p"}, 400, "object: is required"),
        ("POST", "palaces/p/kg", {**FACT, "confidence": 1.5}, 400, "confidence: must be at most 1.0, not 1.5"),
        ("POST", "palaces/p/kg", {**FACT, "subject": ""}, 400, "subject: must have 1 to"),
        ("POST", "dream/run", {"palace": "none"}, 404, "open palace none: there is no palace of that name"),
        ("POST", "dream/run", {"budget": 9}, 400, "budget: unknown field (known: palace, dry_run)"),
        ("GET", "dream/run", None, 405, "GET is not possible here; possible: POST"),
        ("GET", "nothing", None, 404, "there is nothing at /api/v1/nothing"),
        ("GET", "../v2/status", None, 404, "there is nothing at"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(
    refusing: WebServer, method: str, path: str, body: Any, status: int, error: str
) -> None:
    answer = refusing.web.request(method, f"/api/v1/{path}", json=body)
    assert (answer.status_code, answer.json()["error"][: len(error)]) == (status, error)
    assert refusing.get("palaces") == {"palaces": ["p"]}
    assert refusing.get("palaces/p/drawers") == {"palace": "p", "drawers": []}


def test_changes_over_the_web_are_journalled_as_such(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    server.post("palaces/p/drawers", text="A note.")
    with recollect.open(
        settings=Settings(home=tmp_path / "home", store=store_of(tmp_path / "home"), embedder="none")
    ) as memory:
        assert [(change.verb, change.actor) for change in memory.journal()] == [
            ("remember", "http"),
            ("create", "http"),
        ]


# Events


def test_every_change_is_told_in_the_words_of_palaces(serve: Serve) -> None:
    server = serve()
    events = server.listen()
    assert next(events) == {"type": "connected"}
    server.post("palaces", name="acme")
    assert next(events) == {"type": "palace_created", "id": "acme", "name": "acme"}
    status = {"type": "status_changed", "total_drawers": 0, "total_vectors": 0, "total_kg_triples": 0}
    assert next(events) == status
    id = server.call("memory_remember", palace="acme", text="By a tool.")["drawer_id"]
    assert next(events) == {"type": "drawer_added", "palace_id": "acme", "drawer_id": id, "drawer_count": 1}
    assert next(events) == {**status, "total_drawers": 1}
    server.delete(f"palaces/acme/drawers/{id}")
    assert next(events) == {"type": "drawer_deleted", "palace_id": "acme", "drawer_id": id, "drawer_count": 0}
    assert next(events) == status
    server.post("palaces/acme/kg", subject="s", predicate="p", object="o")
    assert next(events) == {**status, "total_kg_triples": 1}
    server.post("dream/run")
    dreamt = next(events)
    assert dreamt.pop("duration_ms") >= 0
    nothing = {"merged": 0, "pruned": 0, "compacted": 0, "closets_updated": 0, "decayed": 0}
    assert dreamt == {"type": "dream_completed", "palace_id": "acme", **nothing}
    events.close()  # type: ignore[attr-defined]  # a generator, which lets go of its connection


def test_changes_of_other_processes_and_contracts_are_told_too(serve: Serve, tmp_path: Path) -> None:
    server, other = serve(), serve()
    events = server.listen()
    next(events)
    id = other.call("memory_remember", palace="p", text="Elsewhere.")["drawer_id"]
    told = [next(events) for _ in range(3)]
    assert [one["type"] for one in told] == ["palace_created", "drawer_added", "status_changed"]
    assert told[1]["drawer_id"] == id
    with recollect.open(
        settings=Settings(home=tmp_path / "home", store=store_of(tmp_path / "home"), embedder="none")
    ) as memory:
        receipt = memory.invalidate(id, space="p")
        assert next(events)["type"] == "drawer_deleted"
        assert next(events)["type"] == "status_changed"
        memory.undo(receipt)
        memory.delete_space("p")
    assert next(events)["type"] == "status_changed"
    events.close()  # type: ignore[attr-defined]


def test_counts_are_those_of_the_moment_also_where_much_happens_at_once(serve: Serve, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\nIt has one section.\n")
    server = serve()
    events = server.listen()
    next(events)
    with recollect.open(
        settings=Settings(home=tmp_path / "home", store=store_of(tmp_path / "home"), embedder="none")
    ) as memory:
        ids = [one.id for one in memory.remember_many([{"text": f"Note {n}."} for n in range(5)], space="p")]
        memory.remember("Another palace's.", space="q")
        for id in ids[:2]:
            memory.forget(str(id), space="p")
        memory.undo(memory.invalidate(str(ids[2]), space="p"))
        memory.ingest_file(page, space="p")
        memory.remember("The last.", space="p")
    told: list[tuple[str, str, int]] = []
    while len(told) < 12:
        event = next(events)
        if event["type"].startswith("drawer"):
            told.append((event["type"], event["palace_id"], event["drawer_count"]))
    added, deleted = "drawer_added", "drawer_deleted"
    assert told == [
        *((added, "p", count) for count in range(1, 6)), (added, "q", 1), (deleted, "p", 4), (deleted, "p", 3),
        (deleted, "p", 2), (added, "p", 3), (added, "p", 4), (added, "p", 5),
    ]  # fmt: skip
    events.close()  # type: ignore[attr-defined]


# The command line


def test_without_http_nothing_of_the_web_is_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "recollect.cli", "serve", "--as", "trusty-memory"]
    hello = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    done = subprocess.run([*command, "--home", str(tmp_path)], input=hello, capture_output=True, timeout=60, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    web = ("starlette", "uvicorn", "asyncio", "anyio", "recollect.contracts.trusty_memory.rest")
    assert [name for name in web if name in loaded] == []
    assert "recollect.contracts.trusty_memory.table" in loaded


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["--http", "example.org:80"], 2, "is not an address such as 127.0.0.1:3031"),
        (["--http", "0.0.0.0:0"], 1, "set RECOLLECT_TOKEN"),
        (["--http", ":0", "--as", "native"], 2, "the contract recollect is not served over HTTP"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(tmp_path: Path, arguments: list[str], code: int, error: str) -> None:
    command = [sys.executable, "-m", "recollect.cli", "serve", "--as", "trusty-memory", "--home", str(tmp_path)]
    done = subprocess.run([*command, *arguments], stdin=subprocess.PIPE, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (code, "")
    assert error in done.stderr
    assert "Traceback" not in done.stderr


def test_the_token_may_stand_in_the_environment(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_TOKEN", "s3cret")
    server = serve()
    assert server.web.get("/api/v1/status").status_code == 401
    assert server.web.get("/api/v1/status", headers={"authorization": "Bearer s3cret"}).status_code == 200
