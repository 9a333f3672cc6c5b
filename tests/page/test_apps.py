"""Apps: what a client that shows them puts beside an answer, in a real browser and with a real server behind it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.page.conftest import PATIENCE
from tests.page.test_page import complaints
from tests.serve.up import Service
from tools.browser import axe

import recollect
from recollect import Settings

META = "io.modelcontextprotocol/"
NEW = "2026-07-28"
SHOWS = {"extensions": {META + "ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
HOST = """
(app) => {
  window.heard = [];
  const frame = document.createElement("iframe");
  addEventListener("message", async ({ data }) => {
    const reply = (result) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id: data.id, result }, "*");
    heard.push(data.method);
    if (data.method === "ui/initialize") reply({ protocolVersion: "2026-01-26", hostContext: { theme: "dark" } });
    if (data.method === "tools/call") reply(await callTool(data.params));
    if (data.method === "ui/notifications/initialized") {
      for (const notice of app.notices) frame.contentWindow.postMessage({ jsonrpc: "2.0", ...notice }, "*");
    }
  });
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "width: 700px; height: 600px";
  frame.srcdoc = app.html;
  document.body.append(frame);
}
"""


class Client:
    """A client that shows apps, of the era in which every request stands alone."""

    def __init__(self, up: Service) -> None:
        self._web = up.web
        self._numbers = itertools.count(1)

    def ask(self, method: str, *, shows: bool = True, **params: Any) -> Any:
        meta = {META + "protocolVersion": NEW, META + "clientCapabilities": SHOWS if shows else {}}
        headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": method, "Accept": "application/json, text/event-stream"}
        name = params.get("name", params.get("uri"))
        headers |= {"Mcp-Name": name} if name else {}
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": {**params, "_meta": meta}}
        told = self._web.post("/mcp", json=body, headers=headers).text
        data = next(line for line in reversed(told.splitlines()) if line.startswith(("{", "data: {")))
        answer = json.loads(data.removeprefix("data: "))  # what takes a moment comes as an event
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)


@pytest.fixture
def client(up: Service) -> Client:
    return Client(up)


@pytest.fixture
def host(browser: Any, client: Client) -> Iterator[Any]:
    """Shows an app as a client would: in a frame that reaches nobody, beside what a tool answered."""
    window = browser.new_context()
    page = window.new_page()
    page.set_default_timeout(PATIENCE)

    def call(params: dict[str, Any]) -> Any:
        return client.call(params["name"], **params["arguments"])

    def show(tool: str, **arguments: Any) -> Any:
        page.expose_function("callTool", call)
        tools = {one["name"]: one for one in client.ask("tools/list")["tools"]}
        html = client.ask("resources/read", uri=tools[tool]["_meta"]["ui"]["resourceUri"])["contents"][0]["text"]
        notices = [
            {"method": "ui/notifications/tool-input", "params": {"arguments": arguments}},
            {"method": "ui/notifications/tool-result", "params": client.call(tool, **arguments)},
        ]
        page.evaluate(HOST, {"html": html, "notices": notices})
        return page.frame_locator("iframe")

    yield show
    window.close()


def test_who_shows_no_apps_is_told_of_none(client: Client) -> None:
    plain = client.ask("tools/list", shows=False)["tools"]
    shown = client.ask("tools/list")["tools"]
    assert [tool for tool in plain if "_meta" in tool or tool["name"] == "inbox"] == []
    assert {tool["name"] for tool in shown} - {tool["name"] for tool in plain} == {"inbox", "settle", "undo"}
    hidden = {tool["name"] for tool in shown if tool.get("_meta") == {"ui": {"visibility": ["app"]}}}
    assert hidden == {"settle", "undo"}  # what is done by hand is for no model
    documents = client.ask("resources/list")["resources"]
    assert {(one["uri"], one["mimeType"]) for one in documents} == {
        ("ui://recollect/recall", "text/html;profile=mcp-app"),
        ("ui://recollect/inbox", "text/html;profile=mcp-app"),
    }


def test_a_recall_is_shown_asked_again_and_corrected(host: Any) -> None:
    app = host("recall", query="when are refunds approved", space="work")
    app.get_by_text("Refunds over 200 euros").wait_for()
    app.locator("#q").fill("text from customers shown as text")
    app.locator("#q").press("Enter")
    app.locator(".read", has_text="<script>alert('no')</script>").wait_for()
    app.locator("#q").fill("nightly export to the accountant")
    app.locator("#q").press("Enter")
    app.get_by_text("runs at 02:30").wait_for()
    app.get_by_role("button", name="Correct").first.click()
    app.get_by_label("What is right").fill("The nightly export to the accountant runs at 03:15.")
    app.get_by_role("button", name="Save").click()
    app.locator("li", has_text="runs at 03:15.").wait_for()
    app.get_by_text("What spoke for it: ").first.wait_for(state="attached")
    app.get_by_role("button", name="Undo").click()
    app.locator("li", has_text="runs at 02:30").wait_for()
    app.get_by_text("Taken back.").wait_for()


def test_a_recall_that_came_without_reasons_shows_none(host: Any) -> None:
    app = host("recall", query="when are refunds approved", space="work")
    app.get_by_text("Refunds over 200 euros").wait_for()
    assert ("undefined" in app.locator("main").inner_text(), app.locator(".bars").count()) == (False, 0)
    app.locator("#q").press("Enter")
    app.locator(".bars").first.wait_for()
    assert "undefined" not in app.locator("main").inner_text()


def test_what_is_no_longer_true_is_said_so_in_an_app_and_that_is_taken_back(host: Any) -> None:
    app = host("recall", query="bike shed code", space="home")
    item = app.locator("li", has_text="bike shed's code")
    item.get_by_role("button", name="No longer true").click()
    app.get_by_text("It no longer counts as true.").wait_for()
    item.wait_for(state="detached")
    app.locator("body").press("u")
    item.wait_for()


def test_an_app_asks_again_within_what_it_was_asked_for_and_as_of_a_day(host: Any) -> None:
    app = host("recall", query="feature flags restart", space="work", project="orchard")
    app.get_by_text("read again on SIGHUP").wait_for()
    app.get_by_label("As of").fill("2026-01-15")
    app.get_by_text("Nothing").or_(app.locator("li")).first.wait_for()
    app.locator("#q").press("Enter")
    app.get_by_text("read again on SIGHUP").wait_for(state="detached")
    assert app.get_by_role("button", name="Correct").count() == 0  # what was is no longer to be changed


@pytest.mark.parametrize("tool", ["recall", "inbox"])
def test_an_app_can_be_read_by_everybody_by_day_and_by_night(host: Any, tool: str) -> None:
    app = host(tool, space="work", **({"query": "when are refunds approved"} if tool == "recall" else {}))
    app.locator(".read").first.wait_for()
    frame = app.owner.element_handle().content_frame()
    for theme in ("dark", "light"):
        frame.evaluate("(theme) => (document.documentElement.style.colorScheme = theme)", theme)
        frame.evaluate(axe())
        assert complaints(frame) == []


def test_the_inbox_is_answered_one_after_the_other(host: Any, client: Client) -> None:
    app = host("inbox", space="work")
    first = app.locator(".read").first
    before = first.inner_text()
    app.get_by_role("button", name="Drop").click()
    app.locator(".read", has_text=before).wait_for(state="detached")
    left = client.call("inbox", space="work")["structuredContent"]["piles"]
    assert before not in str([matter for pile in left for matter in pile["matters"]])
    app.get_by_text("Dropped; its history stays.").wait_for()
    app.get_by_role("button", name="Undo").click()
    app.locator(".read", has_text=before).wait_for()
    app.locator("body").press("l")
    app.locator(".read", has_text=before).wait_for(state="detached")
    app.locator("body").press("u")
    app.locator(".read", has_text=before).wait_for()


def test_all_answers_of_an_app_are_taken_back_one_after_the_other(host: Any) -> None:
    app = host("inbox", space="work")
    app.locator("h1").click()
    shown = app.locator(".read").first
    texts = []
    for _ in range(2):
        texts.append(shown.inner_text())
        app.locator("body").press("l")
        app.locator(".read", has_text=texts[-1]).wait_for(state="detached")
    for text in reversed(texts):
        app.get_by_text("Left as it is.").or_(app.get_by_text("Taken back.")).wait_for()
        app.locator("body:not([aria-busy])").press("u")
        app.locator(".read", has_text=text).wait_for()
    app.locator("body:not([aria-busy])").press("u")
    app.get_by_text("Nothing was done here").wait_for()


def test_what_is_pressed_in_an_app_while_an_answer_is_under_way_is_not_done_and_that_is_said(host: Any) -> None:
    app = host("inbox", space="work")
    app.locator(".actions button").first.wait_for()
    app.locator("h1").click()
    total = app.locator("#told").inner_text()
    frame = app.owner.element_handle().content_frame()
    said = frame.evaluate("""() => {
      for (const key of ["l", "l"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      return document.getElementById("done").innerText;
    }""")
    assert said.startswith("One moment")
    app.get_by_text("Left as it is.").wait_for()
    assert int(app.locator("#told").inner_text().split()[0]) == int(total.split()[0]) - 1
    app.locator("body:not([aria-busy])").press("u")
    app.get_by_text("Taken back.").wait_for()


def test_an_app_says_what_was_answered_elsewhere(host: Any, client: Client) -> None:
    app = host("inbox", space="work")
    app.locator("h1").click()
    text = app.locator(".read").first.inner_text()
    piles = client.call("inbox", space="work")["structuredContent"]["piles"]
    key = next(one["key"] for pile in piles for one in pile["matters"] if one["records"][0]["text"] == text)
    client.call("settle", space="work", key=key, answer="leave")
    app.locator("body").press("d")
    app.get_by_text("This was answered already: it was left as it is").wait_for()
    app.locator(".read", has_text=text).wait_for(state="detached")
    client.call("settle", space="work", key=key, answer="again")


def test_a_model_cannot_vouch_for_what_rests_on_nothing_and_a_person_can(client: Client) -> None:
    piles = client.call("inbox", space="work")["structuredContent"]["piles"]
    matter = next(pile for pile in piles if pile["pile"] == "candidates")["matters"][0]
    refused = client.call("inbox", space="work", key=matter["key"], answer="keep")
    assert "needs evidence" in refused["content"][0]["text"]
    kept = client.call("settle", space="work", key=matter["key"], answer="keep")["structuredContent"]
    read = client.call("explore", id=matter["records"][0]["id"], space="work")["content"][0]["text"]
    assert "human_curated" in read
    client.call("undo", entries=kept["entries"])


def test_without_a_space_the_inbox_is_of_all_of_them(client: Client, up: Service) -> None:
    def counted(**where: str) -> dict[str, int]:
        return {one["pile"]: one["count"] for one in client.call("inbox", **where)["structuredContent"]["piles"]}

    names = [one["space"]["name"] for one in up.web.get("/api/spaces").json()]
    each = [counted(space=name) for name in names]
    assert len(names) > 1
    assert counted() == {pile: sum(one[pile] for one in each) for pile in each[0]}


def test_every_answer_of_an_app_can_be_taken_back(host: Any, client: Client) -> None:
    def waiting() -> list[tuple[str, str]]:
        piles = client.call("inbox", space="work")["structuredContent"]["piles"]
        return sorted((pile["pile"], matter["key"]) for pile in piles for matter in pile["matters"])

    app = host("inbox", space="work")
    before = waiting()
    buttons = app.locator(".actions button")
    buttons.first.wait_for()
    for number in range(buttons.count()):
        buttons.nth(number).click()
        app.locator("#done button").click()
        app.get_by_text("Taken back.").wait_for()
        assert waiting() == before


def test_the_inbox_says_what_it_has_not_looked_at(host: Any, home: Path) -> None:
    with recollect.open(settings=Settings(home=home, embedder="none")) as memory:
        texts = [{"text": f"Ticket {number} of the archive is closed.", "kind": "message"} for number in range(10_400)]
        memory.remember_many(texts, space="archive")
    app = host("inbox", space="archive")
    app.get_by_text("Not looked at: 400 versions for secrets.").wait_for()
