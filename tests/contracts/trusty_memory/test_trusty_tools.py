"""The table: its schemas with and without a palace, and how failures look on the wire."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.clients import Server
from tests.pgserver import prepare

from recollect.contracts.trusty_memory.table import tell_failure
from recollect.errors import RecollectError, StoreBusy

ROOT = Path(__file__).parents[3]
NAMES = [
    "memory_remember", "memory_recall", "memory_recall_deep", "palace_create", "palace_list", "kg_assert", "kg_query",
    "memory_list", "memory_forget", "palace_info",
]  # fmt: skip


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts one server of each kind, for all of whose calls nothing comes."""
    started: dict[tuple[str, ...], Server] = {}

    def start(*options: str) -> Server:
        if options not in started:
            home = tmp_path_factory.mktemp("one") / "home"
            prepare(home)
            given = ("--as", "trusty-memory", "--home", str(home), *options)
            started[options] = Server(*given, RECOLLECT_EMBEDDER="none")
            started[options].initialize()
        return started[options]

    yield start
    assert [server.close() for server in started.values()] == [0] * len(started)


def snapshot(name: str) -> list[dict[str, Any]]:
    return json.loads(Path(__file__).with_name(name).read_text("utf-8"))["tools"]


def test_there_are_ten_tools_in_the_documented_order() -> None:
    assert [tool["name"] for tool in snapshot("tools.json")] == NAMES


def test_with_a_default_palace_nothing_but_the_requirement_changes() -> None:
    for bare, bound in zip(snapshot("tools.json"), snapshot("tools_with_palace.json"), strict=True):
        required = bare["inputSchema"].get("required")
        if required is not None:
            assert bound["inputSchema"]["required"] == [name for name in required if name != "palace"]
            bound["inputSchema"]["required"] = required
        assert bare == bound


def test_hints_tell_what_a_tool_may_do() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in snapshot("tools.json")}
    reading = {name for name in NAMES if hints[name]["readOnlyHint"]}
    assert reading == {"memory_recall", "memory_recall_deep", "palace_list", "kg_query", "memory_list", "palace_info"}
    assert [name for name in NAMES if hints[name]["destructiveHint"]] == ["memory_forget"]
    assert [name for name in NAMES if not hints[name]["idempotentHint"]] == ["kg_assert"]


def test_the_server_names_its_palace_only_if_it_has_one(serve: Callable[..., Server]) -> None:
    assert serve("--palace", "p").initialize()["serverInfo"]["default_palace"] == "p"
    assert list(serve().initialize()["serverInfo"]) == ["name", "version"]


def test_the_default_palace_is_made_at_the_start(serve: Callable[..., Server]) -> None:
    server = serve("--palace", "my-project")
    server.initialize()
    assert server.call("palace_list") == {"palaces": ["my-project"]}
    assert server.call("memory_list") == {"palace": "my-project", "drawers": []}


def test_a_named_palace_wins_over_the_default(serve: Callable[..., Server]) -> None:
    server = serve("--palace", "mine")
    server.initialize()
    assert server.call("memory_remember", palace="other", text="a")["palace"] == "other"
    assert server.call("palace_info", palace="other")["drawer_count"] == 1
    assert server.call("palace_info")["drawer_count"] == 0


@pytest.mark.parametrize("tool", [name for name in NAMES if name not in ("palace_create", "palace_list")])
def test_without_any_palace_the_message_says_so_first(one: Callable[..., Server], tool: str) -> None:
    server = one()
    told = (-32603, f"{tool}: missing 'palace' (no --palace default configured)")
    assert server.fail(tool) == told
    assert server.fail(tool, palace=None) == told


def test_a_missing_argument_is_named_with_its_tool(one: Callable[..., Server]) -> None:
    server = one("--palace", "p")
    assert server.fail("memory_remember") == (-32603, "memory_remember: missing 'text'")
    assert server.fail("memory_recall", query=None) == (-32603, "memory_recall: missing 'query'")
    assert server.fail("palace_create") == (-32603, "palace_create: missing 'name'")
    assert server.fail("kg_assert", subject="a", predicate="b") == (-32603, "kg_assert: missing 'object'")
    assert server.fail("memory_forget") == (-32603, "memory_forget: missing 'drawer_id'")


def test_an_unknown_tool_is_an_internal_error(one: Callable[..., Server]) -> None:
    server = one()
    assert server.fail("memory_compact") == (-32603, "unknown tool: memory_compact")


@pytest.mark.parametrize("tool", ["memory_recall", "memory_recall_deep", "kg_query", "memory_list", "palace_info"])
def test_reading_a_palace_that_is_not_there_fails_and_makes_nothing(one: Callable[..., Server], tool: str) -> None:
    server = one()
    arguments = {"query": "a"} if "recall" in tool else {"subject": "a"} if tool == "kg_query" else {}
    assert server.fail(tool, palace="nowhere", **arguments) == (
        -32603, "open palace nowhere: there is no palace of that name; palace_create makes one",
    )  # fmt: skip
    assert server.call("palace_list") == {"palaces": []}


def test_values_out_of_range_are_clear_errors(one: Callable[..., Server]) -> None:
    server = one("--palace", "p")
    fact = {"subject": "a", "predicate": "b", "object": "c"}
    assert server.fail("memory_recall", query="a", top_k=0) == (
        -32603, "memory_recall: top_k: must be from 1 to 1000, not 0",
    )  # fmt: skip
    assert server.fail("memory_list", limit=-1)[1] == "memory_list: limit: must be from 1 to 100000, not -1"
    assert server.fail("memory_list", limit="ten")[1] == "memory_list: limit: must be a whole number, not 'ten'"
    assert server.fail("kg_assert", **fact, confidence=1.5)[1] == "kg_assert: confidence: must be from 0 to 1, not 1.5"
    assert server.fail("memory_remember", text="  ")[1] == "memory_remember: text: is blank; give it some text"
    assert server.fail("palace_create", name="")[1] == "palace_create: name: must have 1 to 200 characters, not 0"
    assert server.call("kg_query", subject="a") == {"subject": "a", "triples": []}


@pytest.mark.parametrize(
    ("tool", "field", "value", "problem"),
    [
        ("memory_remember", "text", 5, "must be a text, not 5"),
        ("memory_remember", "room", 5, "must be a text, not 5"),
        ("memory_remember", "tags", "auth", "must be a list, not 'auth'"),
        ("memory_remember", "tags", [1], "must be a text, not 1"),
        ("memory_recall", "top_k", "ten", "must be a whole number, not 'ten'"),
        ("memory_list", "limit", 2.5, "must be a whole number, not 2.5"),
        ("kg_assert", "confidence", "high", "must be a number, not 'high'"),
        ("kg_assert", "provenance", {}, "must be a text, not an object"),
    ],
)
def test_a_value_of_another_type_is_told_as_the_schema_has_it(
    one: Callable[..., Server], tool: str, field: str, value: Any, problem: str
) -> None:
    server = one("--palace", "p")
    fitting = {"text": "a", "query": "a", "subject": "a", "predicate": "b", "object": "c"}
    code, told = server.fail(tool, **{**fitting, field: value})
    assert (code, told.replace("[...]", "").replace("[0]", "")) == (-32603, f"{tool}: {field}: {problem}")


@pytest.mark.parametrize(
    ("tool", "field"), [("memory_recall", "top_k"), ("memory_recall_deep", "top_k"), ("memory_list", "limit")]
)
def test_a_whole_number_may_have_a_point(serve: Callable[..., Server], tool: str, field: str) -> None:
    server = serve("--palace", "p")
    server.initialize()
    for text in ("Tea at five.", "Tea at six.", "Tea at seven."):
        server.call("memory_remember", text=text)
    asked = {"query": "tea"} if field == "top_k" else {}
    with_point, without = (server.call(tool, **asked, **{field: count}) for count in (2.0, 2))
    rows = "results" if field == "top_k" else "drawers"
    assert (len(with_point[rows]), len(without[rows])) == (2, 2)


def test_the_folder_of_a_palace_is_there_once_the_palace_is(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve("--palace", "by-option")
    server.initialize()
    server.call("palace_create", name="by-name")
    server.call("memory_remember", palace="by-drawer", text="One.")
    server.call("kg_assert", palace="by-fact", subject="a", predicate="b", object="c")
    folders = {path.name for path in (tmp_path / "home" / "spaces").iterdir() if path.is_dir()}
    assert folders == {"by-option", "by-name", "by-drawer", "by-fact"}
    assert server.call("palace_info", palace="by-fact")["data_dir"] == str(tmp_path / "home" / "spaces" / "by-fact")


def test_a_fault_of_ours_is_told_with_its_cause() -> None:
    fault = RecollectError("Internal error in tool memory_list; the server's log says more")
    fault.__cause__ = ZeroDivisionError("division by zero")
    assert tell_failure("memory_list", fault).message == "memory_list: ZeroDivisionError: division by zero"
    assert tell_failure("memory_list", StoreBusy("the store is busy")).message == "memory_list: the store is busy"


def test_arguments_that_a_schema_does_not_name_are_ignored(serve: Callable[..., Server]) -> None:
    server = serve("--palace", "p")
    server.initialize()
    assert server.call("memory_remember", text="a", colour="red")["status"] == "stored"


def test_what_is_not_json_or_not_text_is_a_parse_error(serve: Callable[..., Server]) -> None:
    server = serve()
    for line in (b"{", b"hello", b'{"jsonrpc":"2.0","id":1,"method":"p\xff"}'):
        server.send(line)
        answer = json.loads(server.line())
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert server.ask("ping") == {}


def test_notifications_get_no_answer(serve: Callable[..., Server]) -> None:
    server = serve()
    server.initialize()
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
    assert server.answer("ping")["id"] == 2


def test_the_flags_of_other_contracts_are_refused(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "recollect.cli", "serve", "--home", str(tmp_path / "home"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, input="")
        return done.returncode, done.stderr

    assert run("--palace", "p") == (2, "error: --palace is not for --as native; its option is --space\n")
    assert run("--as", "trusty-memory", "--space", "p") == (
        2, "error: --space is not for --as trusty-memory; its option is --palace\n",
    )  # fmt: skip
    assert not (tmp_path / "home").exists()


def test_the_log_level_of_the_origin_is_honoured(serve: Callable[..., Server]) -> None:
    assert b"ending: all done" in serve(RUST_LOG="trusty_memory=trace").finish()[2]
    assert serve(RUST_LOG="warn").finish() == (0, b"", b"")
