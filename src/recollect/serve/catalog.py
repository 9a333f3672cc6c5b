"""How does a contract's table look on the wire: its lists, its documents, its results?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Raw

from recollect.contracts.fit import write_fitted
from recollect.contracts.tool import (
    Answer,
    Call,
    Content,
    Contract,
    Failure,
    Prompt,
    PromptMessage,
    Resource,
    ResourceBytes,
    ResourceTemplate,
    ResourceText,
    Text,
    Tool,
)
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.serve.message import INTERNAL_ERROR, INVALID_PARAMS, MAX_ERROR_TEXT, RESOURCE_NOT_FOUND, encode
from recollect.types import Json

Result: TypeAlias = dict[str, object]
Kind: TypeAlias = Literal["tools", "resources", "resourceTemplates", "prompts"]
_BRIEF_BYTES = 2_048
"""What is no longer may be sent twice: as text and as structured content."""


class Refusal(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def refusal(error: RecollectError) -> Refusal:
    """An error of a resource or a prompt, which have no results that could tell of it."""
    told = INVALID_PARAMS if isinstance(error, InvalidInput | NotFound) else INTERNAL_ERROR
    return Refusal(told, str(error))


def present(fields: Mapping[str, object]) -> Result:
    return {name: value for name, value in fields.items() if value is not None}


def text(params: Mapping[str, Json], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Refusal(INVALID_PARAMS, f"Invalid params: {name} must be a string")
    return value


def mapping(params: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Refusal(INVALID_PARAMS, f"Invalid params: {name} must be an object")
    return value


# What the server says of itself.


def capabilities(contract: Contract) -> Result:
    has = {
        "tools": contract.tools,
        "resources": contract.resources or contract.templates,
        "prompts": contract.prompts,
    }
    offered: Result = {name: {} for name, entries in has.items() if entries}
    return {**offered, "extensions": contract.extensions} if contract.extensions else offered


def server_info(contract: Contract) -> Result:
    known = {"name": contract.name, "title": contract.title, "version": contract.version}
    return {**present(known), **contract.server_info}


def with_instructions(about: Result, contract: Contract) -> Result:
    return {**about, "instructions": contract.instructions} if contract.instructions else about


# The lists.


def write_list(contract: Contract, kind: Kind) -> Result:
    match kind:
        case "tools":
            entries = [_tool(contract, tool) for tool in contract.tools if tool.listed]
        case "resources":
            entries = [_resource(resource) for resource in contract.resources]
        case "resourceTemplates":
            entries = [_template(template) for template in contract.templates]
        case "prompts":
            entries = [_prompt(entry) for entry in contract.prompts]
    return {kind: Raw(encode(entries))}


def _tool(contract: Contract, tool: Tool[object]) -> Result:
    return present(
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": contract.input_schema(tool),
            "outputSchema": tool.output_schema(),
            "annotations": tool.annotations,
            "_meta": tool.meta or None,
        }
    )


def _resource(resource: Resource) -> Result:
    return {"uri": resource.uri, **_document(resource)}


def _template(template: ResourceTemplate) -> Result:
    return {"uriTemplate": template.uri_template, **_document(template)}


def _document(document: Resource | ResourceTemplate) -> Result:
    return present(
        {
            "name": document.name,
            "title": document.title,
            "description": document.description,
            "mimeType": document.mime_type,
        }
    )


def _prompt(entry: Prompt) -> Result:
    return present(
        {
            "name": entry.name,
            "title": entry.title,
            "description": entry.description,
            "arguments": entry.arguments or None,
        }
    )


# The results of calls.


def render_answer(returned: object, tool: Tool[Any], structured: bool, *, any_value: bool) -> Result:
    """A tool's result. Before 2026-07-28 only an object may stand in `structuredContent`.

    What is long is sent once: as text, or structured where the tool declares in which form.
    """
    answer = _as_answer(returned)
    written = None if answer.value is None else write_fitted(answer.value, tool.length, encode)
    content: list[Content] = list(answer.content)
    value: Raw | None = None
    if written is not None:
        brief = len(written) <= _BRIEF_BYTES
        fits = structured and (any_value or written.startswith(b"{"))
        value = Raw(written) if fits and (brief or tool.returns is not None) else None
        told = f"{len(written):,} bytes, in structuredContent"
        text = told if value is not None and not brief else written.decode()
        content.insert(0, Text(text if answer.text is None else answer.text))
    elif answer.text is not None:
        content.insert(0, Text(answer.text))
    result: Result = {"content": Raw(encode(content))}
    if value is not None:
        result["structuredContent"] = value
    return {**result, "isError": True} if answer.failed else result


def _as_answer(returned: object) -> Answer:
    if isinstance(returned, Answer):
        return returned
    return Answer(text=returned) if isinstance(returned, str) else Answer(value=returned)


def render_failure(failure: Failure) -> Result:
    if failure.code is not None:
        raise Refusal(failure.code, failure.message, failure.data)
    told = failure.message if len(failure.message) <= MAX_ERROR_TEXT else f"{failure.message[:MAX_ERROR_TEXT]}…"
    return {"content": Raw(encode([Text(told)])), "isError": True}


def read(contract: Contract, uri: str, call: Call, *, legacy: bool) -> Result:
    """The document at an address, from the table's fixed ones or else from its templates."""
    for resource in contract.resources:
        if resource.uri == uri:
            return _contents(uri, resource.mime_type, resource.read(call))
    for template in contract.templates:
        parts = template.match(uri)
        if parts is not None:
            return _contents(uri, template.mime_type, template.read(parts, call))
    code = RESOURCE_NOT_FOUND if legacy else INVALID_PARAMS
    raise Refusal(code, f"Resource not found: {uri}", {"uri": uri})


def _contents(uri: str, mime_type: str, document: object) -> Result:
    if isinstance(document, bytes):
        return {"contents": Raw(encode([ResourceBytes(uri, document, mime_type)]))}
    written = document if isinstance(document, str) else write_fitted(document, "cut", encode).decode()
    return {"contents": Raw(encode([ResourceText(uri, written, mime_type)]))}


def prompt(contract: Contract, name: str, arguments: Mapping[str, Json], call: Call) -> Result:
    for entry in contract.prompts:
        if entry.name == name:
            messages = entry.get(entry.parse(arguments), call)
            if isinstance(messages, str):
                messages = (PromptMessage(Text(messages)),)
            return present({"description": entry.description, "messages": Raw(encode(messages))})
    raise Refusal(INVALID_PARAMS, f"Unknown prompt: {name}")
