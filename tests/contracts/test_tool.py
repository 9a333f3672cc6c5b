"""What a table says of itself, and what it refuses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from recollect.contracts.schema import REQUIRED, Habits, derive_schema, own_word, parse_params
from recollect.contracts.tool import (
    Annotations,
    Call,
    Cancellation,
    Contract,
    Prompt,
    PromptArgument,
    ResourceTemplate,
    Tool,
)
from recollect.errors import Cancelled, InvalidInput


class Place(Struct, forbid_unknown_fields=True):
    """Where it was."""

    title: str
    line: int = 0


class Params(Struct, forbid_unknown_fields=True, kw_only=True):
    """Not repeated in the schema: the tool has a description of its own."""

    text: Annotated[str, Meta(min_length=1, description="What to keep")]
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    kind: Literal["memory", "note"] | None = None
    tags: tuple[str, ...] = ()
    since: Annotated[datetime, Meta(tz=True)] | None = None
    spaces: str | list[str] | None = None
    place: Place | None = None
    places: list[Place] = []


class Loose(Struct):
    default: str = "x"
    title: str | None = None


class Tree(Struct):
    children: list[Tree]


def test_a_schema_is_derived_without_references_or_noise() -> None:
    place: dict[str, Any] = {
        "type": "object",
        "description": "Where it was.",
        "properties": {"title": {"type": "string"}, "line": {"type": "integer", "default": 0}},
        "required": ["title"],
        "additionalProperties": False,
    }
    assert derive_schema(Params) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "description": "What to keep"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            "kind": {"type": "string", "enum": ["memory", "note"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "since": {"type": "string", "format": "date-time"},
            "spaces": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "place": place,
            "places": {"type": "array", "items": place},
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_a_property_may_be_called_like_a_keyword() -> None:
    assert derive_schema(Loose) == {
        "type": "object",
        "properties": {"default": {"type": "string", "default": "x"}, "title": {"type": "string"}},
    }


def test_a_type_that_contains_itself_has_no_schema() -> None:
    with pytest.raises(TypeError, match="Tree contains itself"):
        derive_schema(Tree)


def test_a_type_that_is_not_an_object_is_not_a_tools_params() -> None:
    with pytest.raises(TypeError, match="int is not an object"):
        derive_schema(int)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "text: is required"),
        ({"text": 5}, "text: must be a text, not 5"),
        ({"text": ""}, "text: must not be empty"),
        ({"text": "x", "limit": 0}, "limit: must be at least 1, not 0"),
        ({"text": "x", "limit": "3"}, "limit: must be a whole number, not '3'"),
        ({"text": "x", "limit": True}, "limit: must be a whole number, not true"),
        ({"text": "x", "kind": "dog"}, "kind: must be one of memory, note, not 'dog'"),
        ({"text": "x", "tags": ["a", 1]}, "tags[1]: must be a text, not 1"),
        ({"text": "x", "since": "yesterday"}, "since: must be a time like 2026-05-10T09:00:00Z, not 'yesterday'"),
        ({"text": "x", "places": [{}]}, "places[0].title: is required"),
        ({"text": "x", "place": {"title": "t", "x": 1}}, "place.x: unknown field (known: title, line)"),
        ({"text": "x", "spaces": 1}, "spaces: must be a text or a list, not 1"),
        (
            {"text": "x", "txt": 1},
            "txt: unknown field (known: text, limit, kind, tags, since, spaces, place, places)",
        ),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_params(Params, arguments)
    assert str(caught.value) == message


def test_a_missing_argument_can_be_told_from_a_wrong_one() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_params(Params, {})
    assert (caught.value.field, caught.value.problem) == ("text", REQUIRED)


def test_a_schema_that_a_document_fixes_is_served_word_for_word() -> None:
    fixed = {"type": "object", "properties": {"k": {"type": "integer"}}, "x-odd": True}
    tool = Tool(
        name="search",
        description="",
        params=dict,
        call=lambda given, _: given,
        annotations=Annotations(read_only=True),
        schema=fixed,
    )
    assert tool.input_schema() == fixed
    assert tool.parse({"k": 1, "more": [2]}) == {"k": 1, "more": [2]}


def test_a_name_stands_once_in_a_table() -> None:
    tool = Tool(name="twice", description="", params=Loose, call=lambda p, _: p.default, annotations=Annotations())
    with pytest.raises(ValueError, match="c declares twice: tool twice"):
        Contract(name="c", tools=(tool, tool))


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("mcp://repo/tags", {"project": "repo"}),
        ("mcp://a%20b%2Fc/tags", {"project": "a b/c"}),
        ("mcp://caf%C3%A9/tags", {"project": "café"}),
        ("mcp://100%/tags", {"project": "100%"}),
        ("mcp:///tags", None),
        ("mcp://a/b/tags", None),
        ("mcp://a/tags/more", None),
        ("mcp://a/", None),
        ("http://a/tags", None),
    ],
)
def test_a_template_matches_whole_addresses(uri: str, parts: dict[str, str] | None) -> None:
    template = ResourceTemplate(uri_template="mcp://{project}/tags", name="Tags", read=lambda found, _: found)
    assert template.match(uri) == parts


def test_a_prompt_asks_for_what_it_needs() -> None:
    prompt = Prompt(
        name="greet",
        arguments=(PromptArgument("who", required=True), PromptArgument("how")),
        get=lambda given, _: given["who"],
    )
    assert prompt.parse({"who": "Ada"}) == {"who": "Ada"}
    with pytest.raises(InvalidInput, match="who: is required"):
        prompt.parse({"how": "loudly"})


def test_a_withdrawn_call_stops_where_it_reports() -> None:
    told: list[tuple[float, float | None, str | None]] = []
    cancellation = Cancellation()
    call = Call("me", report=lambda *step: told.append(step), cancellation=cancellation)
    call.progress(1, 2, "half")
    cancellation.requested = True
    with pytest.raises(Cancelled):
        call.progress(2, 2)
    assert (told, call.cancelled) == ([(1, 2, "half")], True)


class Asked(Struct, forbid_unknown_fields=True, kw_only=True):
    words: Annotated[str, Meta(description="What to look for")]
    most: Annotated[int, Meta(ge=1, le=50)] = 10
    label: str | None = None


HABITS = Habits(
    null_is_nothing=True, blank_is_nothing=frozenset({"words", "label"}), carriers_mark="_", whole_floats=True,
    aliases={"query": "words", "limit": "most"}, keywords=("type", "default", "description"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ({"words": "tea", "most": None}, {"words": "tea"}),
        ({"words": "tea", "most": 5.0}, {"words": "tea", "most": 5}),
        ({"words": "tea", "most": 5.5}, {"words": "tea", "most": 5.5}),
        ({"query": "tea"}, {"words": "tea"}),
        ({"query": "tea", "words": None}, {"words": "tea"}),
        ({"query": "tea", "words": "milk"}, {"words": "milk"}),
        ({"words": "", "label": ""}, {"words": ""}),
        ({"words": "tea", "_caller": 1}, {"words": "tea"}),
    ],
)
def test_arguments_are_settled_as_callers_hand_them_over(given: dict[str, Any], settled: dict[str, Any]) -> None:
    assert HABITS.settle(given, Asked) == settled


def test_a_document_may_word_a_schema_in_its_own_order_and_otherwise() -> None:
    said = {"most": {"minimum": None, "maximum": 99}}
    properties = HABITS.word(derive_schema(Asked), said)["properties"]
    assert [list(each.items()) for each in properties.values()] == [
        [("type", "string"), ("description", "What to look for")],
        [("type", "integer"), ("default", 10), ("maximum", 99)],
        [("type", "string")],
    ]


@pytest.mark.parametrize(
    ("field", "own"),
    [
        ("text", "content"),
        ("text[3].text", "content[3].text"),
        ("grounds.evidence[0].source", "evidence_refs[0].source_id"),
        ("grounds.claim", "grounds.claim"),
        ("other", "other"),
    ],
)
def test_the_engines_words_become_the_callers(field: str, own: str) -> None:
    words = {"text": "content", "grounds.evidence": "evidence_refs", ".source": ".source_id"}
    assert own_word(field, words) == own


def test_an_error_speaks_of_arguments_as_callers_know_them_and_of_unknown_ones_as_they_came() -> None:
    def call(given: Asked, _: Call) -> None:
        raise InvalidInput("limit", f"{given.most} is too many")

    tool = Tool("ask", "Asks.", Asked, call, Annotations())
    contract = Contract(name="c", tools=(tool,), words={"limit": "most", "text": "words"})
    for arguments, told in (
        ({"words": "x"}, "most: 10 is too many"),
        ({"words": "x", "text": 1}, "text: unknown field"),
    ):
        with pytest.raises(InvalidInput) as caught:
            contract.answer(tool, arguments, contract.open_call())
        assert str(caught.value).startswith(told)
