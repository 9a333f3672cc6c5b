"""What does the document of OpenAPI say of a table of addresses?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, defstruct

from recollect.contracts.api.values import Problem
from recollect.contracts.route import IN_QUERY, Route
from recollect.contracts.schema import derive_schema
from recollect.types import Json
from recollect.version import __version__

_REF = "#/components/schemas/{name}"
_JSON = {"application/json": {"schema": {"$ref": _REF.format(name="Problem")}}}
_REFUSALS = {
    "400": "Something was given wrongly; `field` names it.",
    "401": "A token is wanted, and none or another was shown.",
    "403": "Whoever asks may not do this.",
    "404": "There is no such thing.",
    "409": "It cannot be done as things stand, or the key was used for something else.",
    "413": "The body is too large.",
    "415": "The body does not say that it is JSON.",
    "429": "Too much at once; `Retry-After` says when to come back.",
    "503": "The store or the model cannot be reached just now.",
}
KEY_HEADER = "Idempotency-Key"
MOST_OF_KEY = 200
KEY_PATTERN = f"^[A-Za-z0-9._~-]{{1,{MOST_OF_KEY}}}$"
_KEY = {
    "name": KEY_HEADER,
    "in": "header",
    "description": "A change with a key is made once; asked for again, it is answered the same.",
    "schema": {"type": "string", "pattern": KEY_PATTERN},
}


def document(routes: Sequence[Route[Any]], root: str) -> Mapping[str, Json]:
    """The whole document, of version 3.1."""
    answers = [plain(route.returns) for route in routes]
    schemas, components = msgspec.json.schema_components([*answers, Problem], ref_template=_REF)
    paths: dict[str, dict[str, Json]] = {}
    for route, answer in zip(routes, schemas, strict=False):
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, answer, root)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recollect",
            "version": __version__,
            "description": "One long-term memory for all of a person's AI agents.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(route: Route[Any], answer: Mapping[str, Json], root: str) -> Json:
    schema = derive_schema(route.params)
    properties = cast("dict[str, dict[str, Json]]", schema["properties"])
    required = cast("list[str]", schema.get("required", []))
    named = [part.strip("{}") for part in route.path.split("/") if part.startswith("{")]
    parameters: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": properties[name]} for name in named
    ]
    rest = {name: one for name, one in properties.items() if name not in named}
    wanted = [name for name in required if name not in named]
    words = [part.strip("{}") for part in route.path.removeprefix(root).split("/") if part]
    operation: dict[str, Json] = {
        "operationId": "_".join([route.method.lower(), *words]),
        "summary": route.about,
        "tags": [words[0]],
        "responses": _responses(answer),
    }
    if route.method in IN_QUERY:
        parameters += [
            {"name": name, "in": "query", "required": name in wanted, "schema": one} for name, one in rest.items()
        ]
    else:
        fields = {name: _or_null(one, route.params, name) for name, one in rest.items()}
        body: dict[str, Json] = {"type": "object", "properties": fields, "additionalProperties": False}
        body |= {"required": wanted} if wanted else {}
        operation["requestBody"] = {"required": bool(wanted), "content": {"application/json": {"schema": body}}}
    if route.method != "GET":
        parameters.append(_KEY)
    return {**operation, "parameters": parameters}


def _or_null(schema: Mapping[str, Json], params: type[Struct], name: str) -> Json:
    """In a body null may stand for nothing, where nothing may be said."""
    field = next(one for one in msgspec.structs.fields(params) if one.name == name)
    return {"anyOf": [schema, {"type": "null"}]} if field.default is None else schema


def _responses(answer: Mapping[str, Json]) -> Json:
    refused = {code: {"description": why, "content": _JSON} for code, why in _REFUSALS.items()}
    return {"200": {"description": "Done.", "content": {"application/json": {"schema": answer}}}, **refused}


@cache
def plain(type_: Any) -> Any:
    """The same type with anything where it holds JSON, which has no end and so no schema of its own."""
    if isinstance(type_, type) and issubclass(type_, Struct):
        hints = get_type_hints(type_)
        fields = [_field(field, plain(hints[field.name])) for field in msgspec.structs.fields(type_)]
        return defstruct(type_.__name__, fields, kw_only=True, namespace={"__doc__": type_.__doc__})
    origin, inner = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return plain(inner[0])
    if type_ in (str, int, float, bool, bytes, datetime, NoneType) or not inner:
        return type_ if isinstance(type_, type) else Any
    if _is_json(type_):
        return Any
    if origin in (Union, UnionType):
        return Union[tuple(plain(one) for one in inner)]  # noqa: UP007  made of types that are known only here
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[str, plain(inner[1])]
    if origin in (tuple, list):
        return list[plain(inner[0])]
    return cast("Any", type_)


def _field(field: Any, type_: Any) -> Any:
    return (field.name, type_) if field.required else (field.name, type_, UNSET)


def _is_json(type_: Any) -> bool:
    """Is this what JSON may be at all?"""
    return {str, int, float, bool, NoneType} <= set(get_args(type_))
