"""Does what is stored and seen follow the project that somebody works in?"""

# pyright: basic, reportOptionalMemberAccess=false
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GATEWAY, SHOP, GLOBAL = "The gateway's tokens are RS256.", "The shop's tokens are HS256.", "Tokens are never logged."
ASKED = "which tokens?"


def repository(folder: Path, remote: str | None = None) -> Path:
    git = folder / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("" if remote is None else f'[remote "origin"]\n\turl = {remote}\n')
    return folder


@pytest.fixture
def work(shell, tmp_path, monkeypatch):
    """Two repositories, one of them known by its remote, and a folder in neither; each was told something."""
    places = {
        "gateway": repository(tmp_path / "checkout", "git@example.org:team/gateway.git") / "src",
        "shop": repository(tmp_path / "shop"),
        None: tmp_path / "elsewhere",
    }
    for (_, place), text in zip(places.items(), (GATEWAY, SHOP, GLOBAL), strict=True):
        place.mkdir(exist_ok=True)
        monkeypatch.chdir(place)
        shell.remember(text)
    return places


def texts(answer) -> set[str]:
    return {hit["record"]["text"] for hit in answer["hits"]}


def test_a_recall_sees_its_project_and_what_is_of_none(shell, work, monkeypatch):
    seen = {}
    for project, place in work.items():
        monkeypatch.chdir(place)
        answer = shell.json("recall", ASKED)
        seen[project] = (texts(answer), answer.get("scope"))
    assert seen == {
        "gateway": ({GATEWAY, GLOBAL}, "gateway"), "shop": ({SHOP, GLOBAL}, "shop"),
        None: ({GATEWAY, SHOP, GLOBAL}, None),
    }  # fmt: skip


def test_everywhere_sees_all_and_a_table_says_of_which_project_each_is(shell, work, monkeypatch):
    monkeypatch.chdir(work["shop"])
    assert texts(shell.json("recall", ASKED, "--everywhere")) == {GATEWAY, SHOP, GLOBAL}
    assert texts(shell.json("recall", ASKED, "--project", "gateway")) == {GATEWAY}
    table = shell("recall", ASKED, "--everywhere").out
    assert [word in table for word in ("project", "gateway", "shop", "–")] == [True] * 4


def test_what_is_kept_everywhere_is_of_no_project(shell, work, monkeypatch):
    monkeypatch.chdir(work["shop"])
    assert "of the project shop" in shell("remember", "A rule of the shop.").err
    shell("remember", "A rule of mine about tokens.", "--everywhere")
    monkeypatch.chdir(work["gateway"])
    assert "A rule of mine about tokens." in texts(shell.json("recall", ASKED))
    brief = shell("brief").out
    assert ["RS256" in brief, "HS256" in brief, "of mine" in brief] == [True, False, True]
    assert "HS256" in shell("brief", "--everywhere").out


def test_code_that_was_indexed_in_a_repository_is_seen_there(shell, work, monkeypatch):
    (work["shop"] / "checkout.py").write_text("def refund_invoice(invoice):\n    return invoice.pay_back()\n")
    monkeypatch.chdir(work["shop"])
    assert shell("index", ".").code == 0
    assert any("refund_invoice" in text for text in texts(shell.json("recall", "refund invoice")))
    monkeypatch.chdir(work["gateway"])
    assert not any("refund_invoice" in text for text in texts(shell.json("recall", "refund invoice")))


def test_a_transcript_belongs_to_the_project_that_it_was_held_in(shell, work, tmp_path):
    talk = (("user", "Which cipher do tokens have?"), ("assistant", "ES256 from May on."))
    lines = [
        {
            "type": role, "sessionId": "s", "uuid": f"u{n}", "cwd": str(work["gateway"]),
            "message": {"role": role, "content": text}, "timestamp": f"2026-05-10T10:00:0{n}Z",
        }
        for n, (role, text) in enumerate(talk)
    ]  # fmt: skip
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shell("ingest", str(path))
    records = [one for one in shell.json("list", "--kind", "message")["records"] if "cipher" in one["text"]]
    assert [one["project"] for one in records] == ["gateway"]


class Server:
    """`recollect serve` as a client's child, spoken to line by line."""

    def __init__(self, home: Path, cwd: Path, **capabilities: object) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "recollect.cli", "serve", "--home", str(home)], cwd=cwd,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.number = 0
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": "c", "version": "1"},
        }
        self.ask("initialize", about)

    def ask(self, method: str, params: object, roots: list[str] | None = None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            told = json.loads(self.child.stdout.readline())
            if told.get("method") == "roots/list":
                self.send(
                    {"jsonrpc": "2.0", "id": told["id"], "result": {"roots": [{"uri": one} for one in roots or ()]}}
                )
            elif told.get("id") == self.number:
                return told["result"]

    def send(self, message: object) -> None:
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()

    def recall(self, roots: list[str] | None = None, **arguments: object):
        told = self.ask("tools/call", {"name": "recall", "arguments": {"query": ASKED, **arguments}}, roots)
        found = told["structuredContent"]
        return {hit["text"]: hit.get("project") for hit in found["hits"]}, found.get("scope")

    def close(self) -> None:
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


def test_a_server_knows_the_project_that_it_was_started_in(shell, work):
    server = Server(shell.store, work["shop"])
    assert server.recall() == ({SHOP: "shop", GLOBAL: None}, "shop")
    assert set(server.recall(everywhere=True)[0]) == {GATEWAY, SHOP, GLOBAL}
    server.ask("tools/call", {"name": "remember", "arguments": {"text": "The shop closes at noon."}})
    server.close()
    stored = {one["text"]: one["project"] for one in shell.json("list")["records"]}
    assert stored["The shop closes at noon."] == "shop"


def test_what_an_agent_stores_in_a_folder_without_a_repository_is_of_that_folder(shell, work, monkeypatch):
    letters = work[None].parent / "letters" / "2026"
    letters.mkdir(parents=True)
    server = Server(shell.store, letters.parent)
    server.ask("tools/call", {"name": "remember", "arguments": {"text": "Huber's tokens are paid in May."}})
    assert server.recall() == ({"Huber's tokens are paid in May.": "letters", GLOBAL: None}, "letters")
    server.close()
    for place, seen in ((letters, True), (work["shop"], False), (work[None], True)):
        monkeypatch.chdir(place)
        assert ("Huber's tokens are paid in May." in texts(shell.json("recall", ASKED))) is seen
    monkeypatch.chdir(letters)
    assert "of the project letters" in shell("remember", "Stamps are in the drawer.").err


def test_a_client_that_starts_its_servers_elsewhere_tells_its_roots(shell, work):
    server = Server(shell.store, work[None], roots={"listChanged": True})
    assert server.recall([work["gateway"].as_uri()])[1] == "gateway"
    assert server.recall()[1] == "gateway"
    server.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    assert server.recall(["https://example.org/", work["shop"].as_uri()])[1] == "shop"
    server.close()
