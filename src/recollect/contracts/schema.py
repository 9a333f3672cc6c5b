"""What may a tool be given, as JSON Schema, and what is wrong with what it was given?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar, cast

import msgspec
from msgspec import Struct, field

from recollect.errors import InvalidInput
from recollect.forms import convert
from recollect.plain import FILLED, part_complaint, told_value, told_wanted
from recollect.types import Json

P = TypeVar("P")

REQUIRED = "is required"
"""The problem that an `InvalidInput` states when an argument is missing."""

UNKNOWN = "unknown field"
"""What the problem begins with when nobody knows an argument of that name."""

_REF_PREFIX = "#/$defs/"
_NULL = {"type": "null"}
_PARTS = re.compile(r"(?=[.\[])")
_SOMEWHERE = "[...]"
"""How msgspec names an entry of an object whose names are free: it does not say which."""


class Habits(Struct, frozen=True, kw_only=True):
    """How callers of a contract hand arguments over, and in which order its document writes a schema's keywords.

    Null, or an empty text for some labels, may be the same as nothing; names that begin with a mark may be a carrier's
    own; 5.0 may be a whole number; and an argument may have a second name, which counts where the first is not given.
    """

    null_is_nothing: bool = False
    blank_is_nothing: frozenset[str] = frozenset()
    carriers_mark: str | None = None
    whole_floats: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    keywords: tuple[str, ...] = ()

    def settle(self, arguments: Mapping[str, Json], params: type) -> Mapping[str, Json]:
        """Arguments under their own names and in the form that is parsed."""
        if self is PLAIN:
            return arguments
        known = cast("tuple[str, ...]", getattr(params, "__struct_encode_fields__", ()))
        return {
            own: _whole(value) if self.whole_floats else value
            for name, value in arguments.items()
            if not self._says_nothing(name, value, params)
            and ((own := self._own(name, known)) == name or arguments.get(own) is None)
        }

    def _own(self, name: str, known: tuple[str, ...]) -> str:
        meant = self.aliases.get(name)
        return name if name in known or meant not in known else meant

    def _says_nothing(self, name: str, value: Json, params: type) -> bool:
        if self.carriers_mark is not None and name.startswith(self.carriers_mark):
            return True
        if value == "" and name in self.blank_is_nothing:
            return not any(each.required for each in msgspec.structs.fields(params) if each.encode_name == name)
        return value is None and self.null_is_nothing

    def word(self, schema: dict[str, Json], said: Mapping[str, Mapping[str, Json]]) -> dict[str, Json]:
        """A schema in the words of the document: `said` goes before what was derived, and None leaves a keyword out."""
        if not said and not self.keywords:
            return schema
        properties = cast("dict[str, dict[str, Json]]", schema["properties"])
        worded = {name: self._order({**each, **said.get(name, {})}) for name, each in properties.items()}
        return {**schema, "properties": worded}

    def _order(self, keywords: Mapping[str, Json]) -> dict[str, Json]:
        rank = {word: place for place, word in enumerate(self.keywords)}
        said = [word for word, value in keywords.items() if value is not None]
        return {word: keywords[word] for word in sorted(said, key=lambda word: rank.get(word, len(rank)))}


PLAIN = Habits()
"""Arguments are what they look like."""


def _whole(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def own_word(field: str, words: Mapping[str, str]) -> str:
    """What callers call a field that the engine names. A word that begins with a dot stands inside another."""
    parts = _PARTS.split(field)
    two = "".join(parts[:2])
    head, rest = (words[two], parts[2:]) if two in words else (words.get(parts[0], parts[0]), parts[1:])
    return "".join([head, *(words.get(part, part) for part in rest)])


def derive_schema(params: type) -> dict[str, Json]:
    """The JSON Schema of a params type: no references, no class names, nothing that says nothing."""
    raw = cast("dict[str, Json]", msgspec.json.schema(params))
    definitions = cast("dict[str, Json]", raw.pop("$defs", {}))
    schema = cast("dict[str, Json]", _inline(raw, definitions, ()))
    schema.pop("description", None)
    if schema.get("type") != "object":
        raise TypeError(f"{params.__name__} is not an object: a tool's arguments are")
    schema.setdefault("properties", {})
    return schema


def _inline(node: Json, definitions: Mapping[str, Json], open_refs: tuple[str, ...]) -> Json:
    """A copy of a schema with every reference replaced by what it refers to."""
    if isinstance(node, list):
        return [_inline(item, definitions, open_refs) for item in node]
    if not isinstance(node, dict):
        return node
    ref = node.get("$ref")
    if isinstance(ref, str):
        if ref in open_refs:
            raise TypeError(f"{ref.removeprefix(_REF_PREFIX)} contains itself: its schema has no end")
        own = {key: value for key, value in node.items() if key != "$ref"}
        target = _inline(definitions[ref.removeprefix(_REF_PREFIX)], definitions, (*open_refs, ref))
        return {**cast("dict[str, Json]", target), **own}
    plain = {
        key: _inline_properties(value, definitions, open_refs)
        if key == "properties"
        else value
        if key in ("enum", "const", "default")
        else _inline(value, definitions, open_refs)
        for key, value in node.items()
    }
    return _compact(plain)


def _inline_properties(node: Json, definitions: Mapping[str, Json], open_refs: tuple[str, ...]) -> Json:
    """Property names are not keywords: a property may be called "title" or "default"."""
    properties = cast("dict[str, Json]", node)
    return {name: _inline(value, definitions, open_refs) for name, value in properties.items()}


def _compact(schema: dict[str, Json]) -> dict[str, Json]:
    """Drop a class's name, an empty `required`, and the null that only means "may be left out"."""
    schema.pop("title", None)
    words = schema.get("enum")
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        schema.setdefault("type", "string")
    if not schema.get("required", True):
        del schema["required"]
    if "default" in schema and schema["default"] in (None, (), [], {}):
        empty_default = schema.pop("default")
        choices = schema.get("anyOf")
        if empty_default is None and isinstance(choices, list) and _NULL in choices:
            return _without_null(schema, [choice for choice in choices if choice != _NULL])
    return schema


def _without_null(schema: dict[str, Json], choices: list[Json]) -> dict[str, Json]:
    if len(choices) > 1:
        return {**schema, "anyOf": choices}
    own = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**cast("dict[str, Json]", choices[0]), **own}


def parse_params(params: type[P], arguments: Mapping[str, Json], *, strict: bool = True) -> P:
    """Arguments as a value of the params type, or an `InvalidInput` that names the field.

    Where they are not `strict`, a text may stand for a number.
    """
    try:
        return convert(arguments, params, strict=strict)
    except msgspec.ValidationError as error:
        raise _explain(str(error), params, arguments) from None


def _explain(complaint: str, params: type, arguments: Mapping[str, Json]) -> InvalidInput:
    """Turn msgspec's sentence ("Expected `int` >= 1 - at `$.limit`") into a field and what it must be."""
    problem, place = part_complaint(complaint)
    if problem.startswith("Object missing required field `"):
        return InvalidInput(_join(place, _quoted(problem)), REQUIRED)
    if problem.startswith("Object contains unknown field `"):
        return InvalidInput(_join(place, _quoted(problem)), _unknown(params, place))
    wanted = _choices(params, place) if problem.startswith("Invalid enum value") else told_wanted(problem)
    given = "" if wanted == FILLED or _SOMEWHERE in place else f", not {told_value(_at(place, arguments))}"
    return InvalidInput(place or "arguments", f"must {wanted}{given}")


def _at(place: str, arguments: Json) -> Json:
    """What stands at a place like `tags[1]` or `entity.id`."""
    found = arguments
    for part in _PARTS.split(place):
        if isinstance(found, list) and part[1:-1].isdigit():
            found = found[int(part[1:-1])]
        elif isinstance(found, Mapping):
            found = found.get(part.removeprefix("."))
    return found


def _quoted(problem: str) -> str:
    return problem.split("`")[1]


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _unknown(params: type, place: str) -> str:
    properties = _place_in(params, place).get("properties")
    if not isinstance(properties, dict):
        return UNKNOWN
    return f"{UNKNOWN} (known: {', '.join(properties)})" if properties else f"{UNKNOWN} (there are none)"


def _choices(params: type, place: str) -> str:
    words = _place_in(params, place).get("enum")
    return f"be one of {', '.join(str(word) for word in words)}" if isinstance(words, list) else "be a known word"


def _place_in(params: type, place: str) -> Mapping[str, Json]:
    """The schema of what stands at a place like `entity.relations[0]`, as far as there is one."""
    found: Json = derive_schema(params)
    for part in filter(None, _PARTS.split(place)):
        schemas = [found, *cast("dict[str, list[Json]]", found).get("anyOf", [])] if isinstance(found, dict) else []
        inside: list[Json] = [
            schema.get("items") if part.startswith("[") else _property(schema, part.removeprefix("."))
            for schema in schemas
            if isinstance(schema, dict)
        ]
        found = next((one for one in inside if one is not None), None)
    return found if isinstance(found, dict) else {}


def _property(schema: Mapping[str, Json], name: str) -> Json:
    properties = schema.get("properties")
    return properties.get(name) if isinstance(properties, dict) else None
