"""What is refused, and is it refused by name and without a trace?"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from recollect import Draft, InvalidInput, Memory, NotFound

Act = Callable[[Memory], object]
NEW_YEAR = "2026-01-01T00:00:00Z"


def state(memory: Memory) -> object:
    return memory.journal(limit=100_000), memory.list(space=None, valid_only=False), memory.spaces()


def refused(memory: Memory, act: Act) -> InvalidInput:
    """The error of an act, having seen that nothing changed."""
    memory.remember("Something to change.", id="known")
    before = state(memory)
    with pytest.raises(InvalidInput) as caught:
        act(memory)
    assert state(memory) == before
    assert caught.value.code == "invalid_input"
    assert str(caught.value) == f"{caught.value.field}: {caught.value.problem}"
    return caught.value


TEXTS: dict[str, tuple[object, str]] = {
    "empty": ("", "blank"),
    "blank": (" \n\t\u3000", "blank"),
    "too long": ("x" * 1_000_001, "1,000,001 bytes"),
    "too long in bytes": ("é" * 500_001, "1,000,002 bytes"),
    "NUL": ("a\0b", "NUL"),
    "surrogate": ("a\ud800b", "surrogate"),
    "surrogate at the end": ("日本\udfff", "surrogate"),
    "none": (None, "must be text, not nothing"),
    "bytes": (b"abc", "must be text, not bytes"),
    "number": (7, "must be text, not int"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_cannot_be_kept_is_refused(memory: Memory, name: str) -> None:
    text, problem = TEXTS[name]
    acts: list[Act] = [
        lambda memory: memory.remember(text),  # type: ignore[arg-type]
        lambda memory: memory.revise("known", text),  # type: ignore[arg-type]
        lambda memory: memory.remember_many([{"text": "fine"}, {"text": text}]),
        lambda memory: memory.ingest_conversation([{"role": "user", "content": text}], session="s"),
        lambda memory: memory.recall(text),  # type: ignore[arg-type]
    ]
    names = ["text", "text", "drafts[1].text", "messages[0].content", "query"]
    if text is None:
        acts, names = acts[:-1], names[:-1]  # who asks nothing is told what is worth knowing
    fields = [refused(memory, act) for act in acts]
    assert [error.field for error in fields] == names
    assert all(problem in error.problem for error in fields)


def test_the_longest_text_is_kept(memory: Memory) -> None:
    assert memory.remember("x" * 1_000_000).stored


FIELDS: list[tuple[str, object, str]] = [
    ("importance", 1.01, "from 0 to 1"),
    ("importance", -0.1, "from 0 to 1"),
    ("importance", math.nan, "from 0 to 1"),
    ("importance", math.inf, "from 0 to 1"),
    ("importance", 10**400, "from 0 to 1"),
    ("confidence", True, "number"),
    ("confidence", "0.5", "number"),
    ("confidence", None, "number"),
    ("event_time", "once", "a time like"),
    ("event_time", "2026-05-10 around noon", "a time like"),
    ("event_time", "2026-02-30", "not a real time"),
    ("event_time", "2026-13-10T14:32:00Z", "not a real time"),
    ("event_time", "2026-02-30T14:32:00Z", "not a real time"),
    ("event_time", "0001-01-01T00:00:00+14:00", "not a real time"),
    ("event_time", 1_700_000_000, "a time like"),
    ("valid_from", "2026-05-10T14:32:00 Z", "a time like"),
    ("valid_until", datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))), "not a real time"),
    ("kind", "", "1 to 200"),
    ("kind", None, "must be text"),
    ("kind", "k" * 201, "1 to 200"),
    ("memory_type", "vague", "one of episodic, semantic, procedural"),
    ("status", "lost", "one of active"),
    ("trust", ["imported"], "one of user_declared"),
    ("title", "two\nlines", "control characters"),
    ("role", "", "1 to 1000"),
    ("room", "\0", "NUL"),
    ("project", 7, "must be text"),
    ("user", "\ud800", "surrogate"),
    ("source", "s" * 1_001, "1 to 1000"),
    ("tags", 5, "list of texts"),
    ("tags", {"a": 1}, "list of texts"),
    ("tags", b"ab", "list of texts"),
    ("tags", [str(number) for number in range(65)], "at most 64"),
    ("metadata", ["a"], "object with text keys"),
    ("metadata", {1: "a"}, "text keys"),
    ("metadata", {"a": "x" * 64_000}, "at most 64,000"),
    ("metadata", {"a": "\ud800"}, "JSON"),
    ("locator", "line 4", "object with text keys"),
]


@pytest.mark.parametrize(("field", "value", "problem"), FIELDS)
def test_a_field_out_of_range_is_refused_by_name(memory: Memory, field: str, value: object, problem: str) -> None:
    acts: dict[str, Act] = {
        field: lambda memory: memory.remember("fine", **{field: value}),  # type: ignore[arg-type]
        f"{field} ": lambda memory: memory.revise("known", **{field: value}),
        f"drafts[0].{field}": lambda memory: memory.remember_many([{"text": "fine", field: value}]),
        f"drafts[0].{field} ": lambda memory: memory.remember_many([Draft(**{"text": "fine", field: value})]),  # type: ignore[arg-type]
    }
    for name, act in acts.items():
        error = refused(memory, act)
        assert error.field == name.strip()
        assert problem in error.problem


def nested() -> dict[str, object]:
    loop: dict[str, object] = {}
    loop["again"] = loop
    return loop


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"a": [1, math.nan]}, "metadata.a[1]"),
        ({"a": {"b": {1, 2}}}, "metadata.a.b"),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, "metadata.a"),
        ({"a": b"raw"}, "metadata.a"),
        ({"a": {"b": {2: 3}}}, "metadata.a.b"),
        (nested(), "metadata"),
    ],
)
def test_metadata_that_json_does_not_have_is_refused_where_it_stands(
    memory: Memory, value: dict[str, object], field: str
) -> None:
    error = refused(memory, lambda memory: memory.remember("fine", metadata=value))
    assert error.field == field


def test_labels_are_refused_by_their_place(memory: Memory) -> None:
    assert refused(memory, lambda memory: memory.remember("fine", tags=["ok", ""])).field == "tags[1]"
    assert refused(memory, lambda memory: memory.list(tags=["ok", 3])).field == "tags[1]"  # type: ignore[list-item]
    assert refused(memory, lambda memory: memory.list(tags="")).field == "tags"


SPACES = ["", "x" * 201, "a\nb", "a\0", "\ud800", "\x7f", "\x85", 5, b"default", True]


@pytest.mark.parametrize("name", SPACES, ids=repr)
def test_a_name_that_no_space_can_have_is_refused(memory: Memory, name: object) -> None:
    acts: list[Act] = [
        lambda memory: memory.remember("fine", space=name),  # type: ignore[arg-type]
        lambda memory: memory.remember_many([{"text": "fine"}], space=name),  # type: ignore[arg-type]
        lambda memory: memory.recall("fine", space=name),  # type: ignore[arg-type]
        lambda memory: memory.get("known", space=name),  # type: ignore[arg-type]
        lambda memory: memory.ingest("fine", space=name),  # type: ignore[arg-type]
        lambda memory: memory.relate("a", "b", "c", space=name),  # type: ignore[arg-type]
    ]
    assert {refused(memory, act).field for act in acts} == {"space"}
    assert refused(memory, lambda memory: memory.create_space(name)).field == "name"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["a", " ", "x" * 200, "日本語 🎉", "../../etc/passwd", "'; DROP TABLE records; --", "%", "*"]
)
def test_any_other_text_can_name_a_space(memory: Memory, name: str) -> None:
    assert memory.remember("fine", space=name).stored
    assert [record.space for record in memory.list(space=name)] == [name]
    assert memory.recall("fine", space=name)[0].record.space == name
    assert memory.delete_space(name) == 1
    assert memory.spaces() == []


def test_an_empty_list_of_spaces_is_not_taken_for_all_of_them(memory: Memory) -> None:
    for act in (lambda m: m.recall("change", space=[]), lambda m: m.list(space=()), lambda m: m.count(space=[])):
        assert refused(memory, act).field == "space"


def test_an_unknown_field_is_refused_with_a_suggestion(memory: Memory) -> None:
    acts: dict[str, Act] = {
        "drafts[0].importence": lambda memory: memory.remember_many([{"text": "fine", "importence": 1}]),
        "importence": lambda memory: memory.revise("known", importence=1),
        "importence ": lambda memory: memory.ingest("fine", importence=1),
        "importence  ": lambda memory: memory.remember_many([], importence=1),
        "importence   ": lambda memory: memory.remember_many([Draft(text="fine")], importence=1),
        "messages[0].importence": lambda m: m.ingest_conversation([{"content": "x"}], session="s", importence=1),
    }
    for name, act in acts.items():
        error = refused(memory, act)
        assert (error.field, error.problem) == (name.strip(), "is not a known field; did you mean importance?")
    error = refused(memory, lambda memory: memory.ingest_conversation([{"content": "x", "when": 1}], session="s"))
    assert error.field == "messages[0].when"
    assert refused(memory, lambda memory: memory.count(color="red")).field == "color"


NUMBERS: list[tuple[str, Act]] = [
    ("limit", lambda memory: memory.recall("x", limit=0)),
    ("limit", lambda memory: memory.recall("x", limit=1_001)),
    ("limit", lambda memory: memory.recall("x", limit=True)),
    ("limit", lambda memory: memory.recall("x", limit=2.0)),  # type: ignore[arg-type]
    ("limit", lambda memory: memory.list(limit=-1)),
    ("offset", lambda memory: memory.list(offset=-1)),
    ("offset", lambda memory: memory.list(offset=2**70)),
    ("order", lambda memory: memory.list(order="best")),
    ("valid_only", lambda memory: memory.list(valid_only="no")),  # type: ignore[arg-type]
    ("statuses[0]", lambda memory: memory.list(statuses=["lost"])),
    ("memory_types[0]", lambda memory: memory.recall("x", memory_types=["vague"])),
    ("since", lambda memory: memory.recall("x", since="some day")),
    ("as_of", lambda memory: memory.recall("x", as_of="2026-05-10th")),
    ("as_of", lambda memory: memory.get("known", as_of="then")),
    ("min_score", lambda memory: memory.recall("x", min_score=math.nan)),
    ("min_score", lambda memory: memory.recall("x", min_score=2)),
    ("budget_tokens", lambda memory: memory.recall("x", budget_tokens=0)),
    ("budget_tokens", lambda memory: memory.recall("x", budget_tokens=False)),
    ("wait", lambda memory: memory.recall("x", wait=-1)),
    ("wait", lambda memory: memory.recall("x", wait=math.nan)),
    ("wait", lambda memory: memory.recall("x", wait="1")),  # type: ignore[arg-type]
    ("entry", lambda memory: memory.undo(0)),
    ("entry", lambda memory: memory.undo(True)),
    ("entry", lambda memory: memory.undo("1")),  # type: ignore[arg-type]
    ("id", lambda memory: memory.get("")),
    ("id", lambda memory: memory.forget("a\0")),
    ("id", lambda memory: memory.remember("fine", id="x" * 201)),
    ("id", lambda memory: memory.ingest("fine", id="x")),
    ("id", lambda memory: memory.ingest_conversation([{"content": "x"}], session="s", id="x")),
    ("fields", lambda memory: memory.revise("known")),
    ("event_time", lambda memory: memory.revise("known", event_time=None)),
    ("valid_until", lambda memory: memory.remember("fine", valid_from=NEW_YEAR, valid_until=NEW_YEAR)),
    ("valid_until", lambda memory: memory.revise("known", valid_from=NEW_YEAR, valid_until="1999-01-01T00:00:00Z")),
    ("superseded_by", lambda memory: memory.invalidate("known", superseded_by="known")),
    ("at", lambda memory: memory.invalidate("known", at="soon")),
    ("drafts", lambda memory: memory.remember_many("fine")),  # type: ignore[arg-type]
    ("drafts", lambda memory: memory.remember_many(None)),  # type: ignore[arg-type]
    ("drafts", lambda memory: memory.remember_many({"text": "fine"})),  # type: ignore[arg-type]
    ("drafts[0]", lambda memory: memory.remember_many(["fine"])),  # type: ignore[list-item]
    ("drafts[1].text", lambda memory: memory.remember_many([{"text": "fine"}, {}])),
    ("messages[0]", lambda memory: memory.ingest_conversation(["hi"], session="s")),  # type: ignore[list-item]
    ("session", lambda memory: memory.ingest_conversation([{"content": "hi"}], session="")),
    ("text", lambda memory: memory.ingest(" \n")),
    ("name", lambda memory: memory.entity("")),
    ("aliases[0]", lambda memory: memory.entity("Ada", aliases=[""])),
    ("subject", lambda memory: memory.relate("", "is", "b")),
    ("weight", lambda memory: memory.relate("a", "is", "b", weight=1.5)),
    ("replaces", lambda memory: memory.relate("a", "is", "b", replaces="no")),  # type: ignore[arg-type]
    ("valid_until", lambda memory: memory.relate("a", "is", "b", valid_until="2000-01-01T00:00:00Z")),
    ("depth", lambda memory: memory.neighbors("a", depth=101)),
    ("direction", lambda memory: memory.neighbors("a", direction="up")),
    ("seeds", lambda memory: memory.pagerank([])),
    ("active", lambda memory: memory.facts("a", active=1)),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("field", "act"), NUMBERS, ids=[f"{at}-{field}" for at, (field, _) in enumerate(NUMBERS)])
def test_what_cannot_be_meant_is_refused_by_name(memory: Memory, field: str, act: Act) -> None:
    assert refused(memory, act).field == field


def test_what_is_not_there_is_not_found_and_nothing_changes(memory: Memory) -> None:
    memory.remember("Something.", id="known")
    before = state(memory)
    acts: list[Act] = [
        lambda memory: memory.revise("nobody", "x"),
        lambda memory: memory.invalidate("nobody"),
        lambda memory: memory.invalidate("known", superseded_by="nobody"),
        lambda memory: memory.forget("nobody"),
        lambda memory: memory.forget("known", space="elsewhere"),
        lambda memory: memory.history("nobody"),
        lambda memory: memory.undo(10_000),
        lambda memory: memory.neighbors("nobody"),
        lambda memory: memory.describe_space("elsewhere"),
        lambda memory: memory.delete_space("elsewhere"),
    ]
    for act in acts:
        with pytest.raises(NotFound):
            act(memory)
    assert state(memory) == before
    assert memory.get("nobody") is None


def test_a_refused_write_leaves_the_file_as_it_was(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Something.")
    files = sorted(path for path in (tmp_path / "home").iterdir() if not path.name.endswith("-shm"))
    before = {path.name: path.read_bytes() for path in files}
    with pytest.raises(InvalidInput):
        memory.remember_many([{"text": "fine", "space": "x"}])
    with pytest.raises(InvalidInput):
        memory.relate("a", "is", "b", valid_until="2000-01-01T00:00:00Z")
    assert {path.name: path.read_bytes() for path in files} == before
