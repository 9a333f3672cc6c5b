"""REST under /api/: a real service, asked as a page or a program asks it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.serve.up import Service

import recollect
from recollect import Settings
from recollect.contracts.api.table import ROUTES
from recollect.engine.care.secrets import look_for_secrets
from recollect.engine.tokens import create_token
from recollect.engine.write.screen import set_secrets

DOCS = Path(__file__).parents[2] / "docs"
SCHEMATHESIS_SECONDS = 300


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    server = Service(tmp_path_factory.mktemp("api"))
    yield server
    server.close()


def get(up: Service, path: str, **query: Any) -> Any:
    answer = up.web.get(f"/api/{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(up: Service, path: str, *, method: str = "POST", key: str | None = None, **body: Any) -> Any:
    headers = {"x-recollect-client": "page"} | ({"idempotency-key": key} if key else {})
    answer = up.web.request(method, f"/api/{path}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def remember(up: Service, text: str, **fields: Any) -> str:
    return post(up, "records", text=text, **fields)["id"]


# Asking


def test_a_recall_says_why_and_how_it_was_made(up: Service) -> None:
    id = remember(up, "The heron nests behind the boathouse.", tags=["birds"])
    found = get(up, "recall", q="where does the heron nest", tags=["birds", "fish"])
    assert [hit["record"]["id"] for hit in found["hits"]] == [id]
    assert found["hits"][0]["why"]["keyword"] > 0.5
    assert (found["signals"]["keyword_candidates"], id in found["context"]) == (1, True)


def test_a_recall_as_of_a_moment_answers_what_was_known_then(up: Service) -> None:
    id = remember(up, "The ferry leaves at seven.")
    then = get(up, f"records/{id}")["recorded_at"]
    post(up, f"records/{id}", method="PATCH", text="The ferry leaves at nine.")
    now, past = (
        get(up, "recall", q="when does the ferry leave", **when)["hits"][0]["record"]["text"]
        for when in ({}, {"as_of": then})
    )
    assert (now, past) == ("The ferry leaves at nine.", "The ferry leaves at seven.")


def test_a_recall_leaves_out_what_scores_less_and_lets_the_newest_gain(up: Service) -> None:
    for at, text in (("2020-01-01", "The kiln is fired on Mondays."), ("2026-05-01", "The kiln is fired by Ruth.")):
        remember(up, text, event_time=at)
    plain, recent = (get(up, "recall", q="when is the kiln fired", **more)["hits"] for more in ({}, {"recency": 1}))
    scores = [{hit["record"]["text"]: hit["score"] for hit in hits} for hits in (plain, recent)]
    assert scores[1]["The kiln is fired by Ruth."] > scores[0]["The kiln is fired by Ruth."]
    least = plain[0]["score"]
    assert all(hit["score"] >= least for hit in get(up, "recall", q="when is the kiln fired", min_score=least)["hits"])
    assert len(plain) > 1


@pytest.mark.parametrize(("field", "value"), [("min_score", "1.5"), ("min_score", "high"), ("recency", "-0.1")])
def test_a_share_of_a_recall_that_is_none_is_refused_by_name(up: Service, field: str, value: str) -> None:
    answer = up.web.get("/api/recall", params={"q": "kiln", field: value})
    assert (answer.status_code, field in answer.json()["error"]) == (400, True)


def test_what_is_only_looked_at_does_not_count_as_recalled(tmp_path: Path) -> None:
    server = Service(tmp_path)
    try:
        ids = [remember(server, text) for text in ("The loft has a ladder.", "The cellar has a lamp.")]
        get(server, "recall", q="the loft has a ladder", touch=False)
        get(server, "recall", q="the cellar has a lamp")
        server.popen.terminate()
        server.popen.communicate()
    finally:
        server.close()
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        found = [memory.get(id) for id in ids]
        assert [one.access_count for one in found if one is not None] == [0, 1]


def test_without_a_question_the_answer_is_the_brief(up: Service) -> None:
    id = remember(up, "Always knock before entering the lab.", tags=["pinned"], project="lab")
    assert get(up, "recall", project="lab")["hits"][0]["record"]["id"] == id
    assert get(up, "brief", project="lab", space="default")["notes"][0]["section"] == "pinned"


def test_records_come_in_windows_each_of_them_once(up: Service) -> None:
    stored = {remember(up, f"Window pane number {n} is clean.", room="panes") for n in range(7)}
    first = get(up, "records", rooms="panes", limit=3)
    remember(up, "Window pane number 8 was put in meanwhile.", room="panes")
    second = get(up, "records", rooms="panes", limit=3, cursor=first["next"])
    third = get(up, "records", rooms="panes", limit=3, cursor=second["next"])
    listed = [record["id"] for window in (first, second, third) for record in window["records"]]
    assert (set(listed), len(listed), third["next"]) == (stored, 7, None)


# What an agent would be given


def test_what_an_agent_would_be_given_says_why_and_what_was_below(up: Service) -> None:
    post(up, "spaces", name="given")
    near = remember(up, "The backup runs every night at three.", space="given")
    far = remember(up, "The cellar smells of apples at night.", space="given")
    seen = post(up, "given", prompt="when does the nightly backup run every night?", space="given")["preview"]
    told = {line["record"]["id"]: (line["given"], line["reason"].partition(":")[0]) for line in seen["lines"]}
    assert told == {near: (True, "probably answers"), far: (False, "not likely enough")}
    assert seen["given"]["ids"] == [near]
    assert 0 < seen["given"]["tokens"] <= seen["budget"]


def test_the_start_of_a_session_is_previewed_line_by_line(up: Service) -> None:
    post(up, "spaces", name="start")
    things = (
        "kettle ladder window engine garden orchard saddle violin barrel anchor lantern compass quarry meadow".split()
    )
    doings = ("polish", "inspect", "paint")
    for thing, doing in product(things, doings):
        remember(up, f"Never {doing} any {thing} while {thing[::-1]} and {doing[::-1]} are near.", space="start")
    seen = post(up, "given", space="start")["preview"]
    shown, below = ([line for line in seen["lines"] if line["given"] is side] for side in (True, False))
    assert {line["record"]["id"] for line in shown} == set(seen["given"]["ids"])
    assert sum(line["tokens"] for line in shown) <= seen["budget"]
    assert {line["reason"] for line in below} == {f"no room was left within {seen['budget']} tokens"}


# Changing


def test_a_record_is_corrected_and_its_history_keeps_both_versions(up: Service) -> None:
    id = remember(up, "The gate opens at 7.")
    receipt = post(up, f"records/{id}", method="PATCH", text="The gate opens at 8.", reason="it was changed")
    steps = get(up, f"records/{id}/history")
    told = [(step["change"]["verb"], step["change"]["actor"]) for step in steps]
    assert told == [("remember", "page"), ("revise", "page")]
    assert [step["record"]["text"][-2:] for step in steps] == ["7.", "8."]
    post(up, "undo", entries=receipt["entries"])
    assert get(up, f"records/{id}")["text"] == "The gate opens at 7."


def test_a_replacement_names_what_it_replaced_and_undo_brings_that_back(up: Service) -> None:
    old = remember(up, "Invoices go to Mara.", tags=["money"], project="shop")
    receipt = post(up, f"records/{old}/replace", text="Invoices go to Ines.")
    ties = get(up, f"records/{receipt['id']}/ties")
    assert [one["id"] for one in ties["replaced"]] == [old]
    assert get(up, f"records/{receipt['id']}")["project"] == "shop"
    assert get(up, f"records/{old}/ties")["replaced_by"]["id"] == receipt["id"]
    post(up, "undo", entries=receipt["entries"][:1])
    assert get(up, f"records/{old}")["status"] == "active"


def test_what_a_forgetting_takes_along_is_told_before_and_goes_then(up: Service) -> None:
    told = post(up, "records", text="Nadja's locker is number 12.")
    post(up, "relations", subject="Nadja", predicate="has locker", object="number 12")
    before = get(up, f"records/{told['id']}/along")
    gone = up.web.delete(f"/api/records/{told['id']}").json()
    planned = [one["id"] for part in ("removed", "entities", "relations") for one in before[part]]
    assert sorted(gone["removed"]) == sorted(planned)
    assert up.web.get(f"/api/records/{told['id']}").status_code == 404


def test_a_pin_goes_in_and_out(up: Service) -> None:
    id = remember(up, "The stove is hot after six.", tags=["kitchen"])
    post(up, f"records/{id}/pin")
    assert get(up, f"records/{id}")["tags"] == ["kitchen", "pinned"]
    post(up, f"records/{id}/unpin")
    assert get(up, f"records/{id}")["tags"] == ["kitchen"]


def test_a_change_with_a_key_is_made_once(up: Service) -> None:
    first, again = (post(up, "records", text="Only once, please.", key="k-1", room="once") for _ in range(2))
    assert first == again
    assert first["outcome"] == "stored"
    other = up.web.post("/api/records", json={"text": "Something else."}, headers={"idempotency-key": "k-1"})
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


def test_a_record_may_say_when_it_happened_how_long_it_holds_and_what_it_replaces(up: Service) -> None:
    old = remember(up, "The ferry leaves at nine.", event_time="2025-03-01T08:00:00Z")
    new = remember(up, "The ferry leaves at ten.", valid_from="2025-06-01", valid_until="2099-01-01", replaces=old)
    found = get(up, f"records/{new}")
    assert (found["valid_from"][:10], found["valid_until"][:10]) == ("2025-06-01", "2099-01-02")  # through the first
    assert get(up, f"records/{old}")["status"] == "superseded"
    wrong = up.web.post("/api/records", json={"text": "When?", "event_time": "soonish"})
    assert (wrong.status_code, "event_time" in wrong.text) == (400, True)
    assert [up.web.delete(f"/api/records/{id}").status_code for id in (new, old)] == [200, 200]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "many"}, "limit"),
        ({"limit": "0"}, "limit"),
        ({"since": "the day after never"}, "since"),
        ({"statuses": "shiny"}, "statuses[0]"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_error_names_the_field(up: Service, query: dict[str, str], field: str) -> None:
    answer = up.web.get("/api/records", params=query)
    assert (answer.status_code, answer.json()["field"], answer.json()["code"]) == (400, field, "invalid_input")


# The inbox


def piles(up: Service, space: str) -> dict[str, list[dict[str, Any]]]:
    return {one["pile"]: one["matters"] for one in get(up, "inbox", space=space)}


def test_a_duplicate_is_resolved_in_the_inbox_and_undone(up: Service) -> None:
    post(up, "spaces", name="twins")
    older = remember(up, "Deploys happen from the release branch on Fridays after lunch.", space="twins")
    newer = remember(up, "Deploys happen from the release branch on Fridays after lunch time.", space="twins")
    matter = piles(up, "twins")["duplicates"][0]
    assert [record["id"] for record in matter["records"]] == [older, newer]
    done = up.web.post("/api/inbox", json={"space": "twins", "key": matter["key"], "answer": "newer"}).json()
    assert piles(up, "twins")["duplicates"] == []
    assert get(up, f"records/{older}")["superseded_by"] == newer
    post(up, "undo", entries=done["entries"])
    assert len(piles(up, "twins")["duplicates"]) == 1


def test_a_matter_that_is_left_stays_away_until_something_changes(up: Service) -> None:
    post(up, "spaces", name="left")
    texts = ("The printer on floor two is out of toner again.", "The printer on floor two is out of toner once again.")
    ids = [remember(up, text, space="left") for text in texts]
    key = piles(up, "left")["duplicates"][0]["key"]
    up.web.post("/api/inbox", json={"space": "left", "key": key, "answer": "both"})
    assert piles(up, "left")["duplicates"] == []
    post(up, f"records/{ids[0]}", method="PATCH", tags=["office"])
    assert [one["key"] for one in piles(up, "left")["duplicates"]] == [key]


@pytest.mark.parametrize(
    ("first", "second", "became"),
    [("newer", "older", "superseded by"), ("both", "newer", "left as it is"), ("doubt", "older", "in doubt")],
)
def test_what_is_answered_is_not_overturned_by_an_answer_that_comes_later(
    up: Service, first: str, second: str, became: str
) -> None:
    space = f"late-{first}"
    post(up, "spaces", name=space)
    for text in ("The gate to the yard is locked at nine in the evening.", "The gate to the yard is locked at nine."):
        remember(up, text, space=space)
    word = {"space": space, "key": piles(up, space)["duplicates"][0]["key"]}
    done = up.web.post("/api/inbox", json={**word, "answer": first}).json()
    known = [get(up, f"records/{id}", space=space) for id in word["key"].split(":")[1].split(",")]
    late = up.web.post("/api/inbox", json={**word, "answer": second})
    assert (late.status_code, became in late.json()["error"]) == (409, True)
    assert [get(up, f"records/{one['id']}", space=space) for one in known] == known
    assert piles(up, space)["duplicates"] == []
    if done["entries"]:
        post(up, "undo", entries=done["entries"])
        assert up.web.post("/api/inbox", json={**word, "answer": "both"}).status_code == 200


def test_secrets_are_looked_for_some_versions_at_a_time_and_all_of_them_in_the_end(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.create_space("default")
        set_secrets(memory.core, "allow")
        texts = [f"Note number {n} of many." for n in range(1_200)]
        key = "ghp_k3JbA9f0GcE1dI7hB2aK5jH8iC4gD6eF0kJ1"
        texts[3], texts[-1] = f"The key is {key}.", f"The other key is {key}."
        ids = [receipt.id for receipt in memory.remember_many([{"text": text} for text in texts])]
        first = look_for_secrets(memory.core, "default", most=500)
        assert ([one.id for one in first.found], first.unseen) == ([ids[3]], 700)
        assert first.last is not None
        rest = look_for_secrets(memory.core, "default", after=first.last, most=5_000)
        assert ([one.id for one in rest.found], rest.last, rest.unseen) == ([ids[-1]], None, 0)


# The whole


def test_what_was_done_is_told_by_client_and_project(up: Service) -> None:
    remember(up, "The loom is threaded with linen.", space="weaving", project="cloth")
    up.web.post("/api/records", json={"text": "The loom stands in the attic.", "space": "weaving"})
    by_page = get(up, "acts", space="weaving", actor="page")["acts"]
    assert [act["about"] for act in by_page][:1] == ["The loom is threaded with linen."]
    assert {act["actor"] for act in by_page} == {"page"}
    assert [act["actor"] for act in get(up, "acts", space="weaving", project="cloth")["acts"]] == ["page"]
    assert {one["name"] for one in get(up, "actors", space="weaving")} == {"page", "api"}


def test_spaces_have_rooms_with_counts_and_hints(up: Service) -> None:
    post(up, "spaces", name="palace", description="For walking in.")
    remember(up, "A map of the east wing hangs here.", space="palace", room="hall", project="wing")
    space = get(up, "spaces/palace")
    rooms = [(room["name"], room["records"], room["hints"]) for room in space["rooms"]]
    assert rooms == [("hall", 1, ["A map of the east wing hangs here."])]
    assert [project["name"] for project in space["projects"]] == ["wing"]


def test_the_graph_shows_what_holds_and_what_did(up: Service) -> None:
    for version in ("2.3", "2.4"):
        post(up, "relations", subject="auth", predicate="runs", object=version, space="graph", replaces=True)
    drawn = get(up, "graph", space="graph", past=True)
    names = {node["id"]: node["name"] for node in drawn["nodes"]}
    assert {(names[edge["object"]], edge["holds"]) for edge in drawn["edges"]} == {("2.3", False), ("2.4", True)}
    assert [fact["object"] for fact in get(up, "entities/auth", space="graph")["facts"]] == ["2.4"]


def test_health_tells_what_was_measured(up: Service) -> None:
    remember(up, "Something to count.")
    health, status = get(up, "health"), get(up, "status")
    assert health["problems"] == []
    assert sum(day["records"] for day in health["grown"]) == sum(one["records"] for one in health["spaces"])
    assert status["entry"] >= 1
    assert {actor["name"] for actor in health["actors"]} >= {"page"}


def test_the_document_names_every_route_and_so_does_the_page_for_readers(up: Service) -> None:
    paths = get(up, "openapi.json")["paths"]
    documented = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert documented == {(route.method, route.path) for route in ROUTES}
    page = (DOCS / "api.md").read_text("utf-8")
    assert [route.path for route in ROUTES if f"| `{route.method} {route.path}` | {route.about} |" not in page] == []


@pytest.mark.slow
def test_schemathesis_finds_nothing(up: Service, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{up.url}/api/openapi.json", "--max-examples", "3",
        "--phases", "coverage,fuzzing", "--seed", "18", "--generation-database", "none", "--workers", "1", "--no-color",
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, timeout=SCHEMATHESIS_SECONDS, check=False, cwd=tmp_path, env={**os.environ}
    )
    assert done.returncode == 0, done.stdout.decode()[-6000:]


def test_the_addresses_of_trusty_memory_are_its_own(up: Service) -> None:
    post(up, "spaces", name="east")
    palaces = up.web.get("/api/v1/palaces").json()
    assert "east" in str(palaces)


def test_a_token_sees_its_space_alone_under_every_address(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none"), actor="test") as memory:
        ids = {space: memory.remember(f"The {space} safe is green.", space=space).id for space in ("east", "west")}
        token, _ = create_token(memory.core, spaces=["east"], scope="read", name="visitor")
    server = Service(tmp_path)
    try:
        server.web.headers["authorization"] = f"Bearer {token}"
        for route in ROUTES:
            if route.method == "GET":
                named = {"{id}": str(ids["west"]), "{name}": "west", "{entity}": "safe", "{session}": "none"}
                path = "/".join(named.get(part, part) for part in route.path.split("/"))
                answer = server.web.get(path, params={"q": "safe"} if "recall" in path else {})
                assert "The west" not in answer.text, route.path
                assert '"west"' not in answer.text, route.path
                assert str(tmp_path) not in answer.text, route.path
        assert [one["space"]["name"] for one in server.web.get("/api/spaces").json()] == ["east"]
        assert [one["space"] for one in server.web.get("/api/health").json()["spaces"]] == ["east"]
        assert server.web.get("/api/recall", params={"q": "safe"}).json()["hits"][0]["record"]["id"] == ids["east"]
        refused = server.web.post("/api/records", json={"text": "Not allowed.", "space": "east"})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    finally:
        server.close()


def test_nothing_is_left_to_say_of_an_address_that_is_not_there(up: Service) -> None:
    answer = up.web.get("/api/nowhere")
    assert (answer.status_code, "openapi.json" in answer.json()["error"]) == (404, True)
    wrong = up.web.put("/api/records")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, POST")


def test_moments_in_the_wrong_order_are_told(up: Service) -> None:
    asked = up.web.get("/api/records", params={"since": "2026-05-01", "until": "2026-04-01"})
    assert (asked.status_code, "until is not after since" in asked.json()["error"]) == (409, True)
    told = {"text": "It holds for no time.", "valid_from": "2026-05-02", "valid_until": "2026-05-01"}
    assert up.web.post("/api/records", json=told).status_code == 409
    assert up.web.get("/api/records", params={"since": "2026-04-01", "until": "2026-04-01"}).status_code == 200


def test_what_is_written_on_the_page_is_a_persons_word_and_what_a_program_writes_its_own(up: Service) -> None:
    old = remember(up, "The lamp is lit at five.")
    new = post(up, f"records/{old}/replace", text="The lamp is lit at four.")["id"]
    assert [get(up, f"records/{id}")["trust"] for id in (old, new)] == ["user_declared", "user_declared"]
    program = up.web.post("/api/records", json={"text": "The lamp burns oil."}).json()["id"]
    assert get(up, f"records/{program}")["trust"] == "agent_inferred"


def test_a_space_that_gives_nothing_unasked_says_that_and_no_other_reason(up: Service) -> None:
    remember(up, "The pantry is locked at night.", space="silent", tags=["pinned"])
    post(up, "spaces/silent/steering", method="PATCH", inject=False)
    preview = post(up, "given", space="silent")["preview"]
    assert (preview["given"]["reason"], preview["lines"]) == ("the space 'silent' gives nothing unasked", [])


def test_without_a_space_the_inbox_is_of_all_of_them_and_an_answer_finds_its_own(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none"), actor="test") as memory:
        ids = {memory.remember(f"It is {space}.", space=space, status="candidate").id for space in ("east", "west")}
    server = Service(tmp_path)
    try:
        [pile] = get(server, "inbox", piles="candidates")
        assert (pile["count"], {one["records"][0]["id"] for one in pile["matters"]}) == (2, ids)
        assert {one["records"][0]["space"] for one in pile["matters"]} == {"east", "west"}
        said = server.web.post("/api/inbox", json={"key": pile["matters"][0]["key"], "answer": "drop"})
        assert said.status_code == 200, said.text
        assert get(server, "inbox", piles="candidates")[0]["count"] == 1
        refused = server.web.get("/api/inbox", params={"after": 5})
        assert (refused.status_code, "name the one in which to go on" in refused.text) == (409, True)
    finally:
        server.close()
