"""What is a contract, and what may stand in its table?

A contract is data: tools, resources, prompts, and how failures are told. Everything that a client sees of it
derives from this table; what serves it never looks at a contract's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Struct, UnsetType, field

from recollect.contracts.schema import REQUIRED, UNKNOWN, derive_schema, parse_params
from recollect.errors import Cancelled, InvalidInput, RecollectError
from recollect.types import Json, Sample
from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.contracts.route import Web

P = TypeVar("P")

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class Cancellation:
    """The wish of a caller to withdraw a request; asked for in one thread, seen in another."""

    __slots__ = ("requested",)

    def __init__(self) -> None:
        self.requested = False


class Call:
    """One running request, as the function that answers it sees it.

    `client` is the name that the caller gave itself. A transport hands in `report`, which carries progress to
    the client; without one, progress is only a place where a withdrawn call stops. `sample(system, prompt, max_tokens)`
    has the client's own language model write something; it is None where the client does not lend one.
    """

    __slots__ = ("_cancellation", "_report", "client", "sample")

    def __init__(
        self,
        client: str | None = None,
        *,
        report: Callable[[float, float | None, str | None], None] | None = None,
        cancellation: Cancellation | None = None,
        sample: Sample | None = None,
    ) -> None:
        self.client = client
        self.sample = sample
        self._report = report
        self._cancellation = cancellation or Cancellation()

    @property
    def cancelled(self) -> bool:
        return self._cancellation.requested

    def checkpoint(self) -> None:
        """Raise `Cancelled` if the caller no longer wants the answer."""
        if self._cancellation.requested:
            raise Cancelled("the caller withdrew the request")

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far this is, if it asked. Also a checkpoint."""
        self.checkpoint()
        if self._report is not None:
            self._report(done, total, message)


class Text(Struct, frozen=True, tag_field="type", tag="text"):
    text: str


class Image(Struct, frozen=True, tag_field="type", tag="image", rename="camel"):
    data: bytes
    mime_type: str


class Audio(Struct, frozen=True, tag_field="type", tag="audio", rename="camel"):
    data: bytes
    mime_type: str


class ResourceText(Struct, frozen=True, rename="camel", omit_defaults=True):
    uri: str
    text: str
    mime_type: str | None = None


class ResourceBytes(Struct, frozen=True, rename="camel", omit_defaults=True):
    uri: str
    blob: bytes
    mime_type: str | None = None


class Embedded(Struct, frozen=True, tag_field="type", tag="resource"):
    resource: ResourceText | ResourceBytes


Content: TypeAlias = Text | Image | Audio | Embedded


class Answer(Struct, frozen=True, kw_only=True):
    """A tool's result where the text that people read is not just the value as JSON."""

    value: object = None
    text: str | None = None
    content: tuple[Content, ...] = ()
    failed: bool = False


class Failure(Struct, frozen=True):
    """How a failed call is told: by a result marked as an error or, with a code, by a JSON-RPC error."""

    message: str
    code: int | None = None
    data: Json = None


def failures_as_results(tool: str, error: RecollectError) -> Failure:  # noqa: ARG001  the seam's shape
    """The style that lets a model read what went wrong and try again."""
    return Failure(str(error))


def unknown_tool(name: str) -> Failure:
    return Failure(f"Unknown tool: {name}", INVALID_PARAMS)


class Annotations(Struct, frozen=True, kw_only=True):
    """What a client may assume before it lets a model call the tool. `open_world` is left unsaid unless it is given."""

    read_only: bool = field(default=False, name="readOnlyHint")
    destructive: bool = field(default=False, name="destructiveHint")
    idempotent: bool = field(default=False, name="idempotentHint")
    open_world: bool | UnsetType = field(default=UNSET, name="openWorldHint")


class Tool(Struct, Generic[P], frozen=True, kw_only=True):
    """One thing that can be asked for.

    `call` gets the arguments as a `params` value. It returns an `Answer`, a text, or any value that has a
    JSON form. `schema` is given only where a document fixes it word for word; with `params=dict` the call
    then gets the arguments as they came.
    """

    name: str
    description: str
    params: type[P]
    call: Callable[[P, Call], object]
    annotations: Annotations
    title: str | None = None
    schema: Mapping[str, Json] | None = None
    returns: type | Mapping[str, Json] | None = None

    def parse(self, arguments: Mapping[str, Json]) -> P:
        return parse_params(self.params, arguments)

    def input_schema(self) -> Mapping[str, Json]:
        return derive_schema(self.params) if self.schema is None else self.schema

    def output_schema(self) -> Mapping[str, Json] | None:
        return derive_schema(self.returns) if isinstance(self.returns, type) else self.returns


class Resource(Struct, frozen=True, kw_only=True):
    """A document with a fixed address. `read` returns text, bytes, or a value that has a JSON form."""

    uri: str
    name: str
    read: Callable[[Call], object]
    description: str | None = None
    title: str | None = None
    mime_type: str = "application/json"


class ResourceTemplate(Struct, frozen=True, kw_only=True):
    """Documents whose addresses differ in `{named}` parts, which `read` gets decoded."""

    uri_template: str
    name: str
    read: Callable[[Mapping[str, str], Call], object]
    description: str | None = None
    title: str | None = None
    mime_type: str = "application/json"

    def match(self, uri: str) -> dict[str, str] | None:
        """The named parts of an address that fits, or None. A part is not empty and holds no slash."""
        head, *pieces = self.uri_template.split("{")
        if not uri.startswith(head):
            return None
        rest, found = uri[len(head) :], dict[str, str]()
        for piece in pieces:
            name, _, literal = piece.partition("}")
            end = rest.find(literal) if literal else len(rest)
            value = rest[: max(end, 0)]
            if not value or "/" in value:
                return None
            found[name] = _unquote(value)
            rest = rest[end + len(literal) :]
        return None if rest else found


def _unquote(part: str) -> str:
    """Percent-decoding; what is not a valid escape stands for itself."""
    first, *escapes = part.encode("utf-8", "replace").split(b"%")
    decoded = bytearray(first)
    for escape in escapes:
        digits = escape[:2].decode("latin-1")
        if len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
            decoded += bytes.fromhex(digits) + escape[2:]
        else:
            decoded += b"%" + escape
    return decoded.decode("utf-8", "replace")


class PromptArgument(Struct, frozen=True, omit_defaults=True):
    name: str
    description: str | None = None
    required: bool = False


class PromptMessage(Struct, frozen=True):
    content: Content
    role: Literal["user", "assistant"] = "user"


class Prompt(Struct, frozen=True, kw_only=True):
    """A text that a person can start from. `get` returns one user message's text, or the messages."""

    name: str
    get: Callable[[Mapping[str, str], Call], str | Sequence[PromptMessage]]
    description: str | None = None
    title: str | None = None
    arguments: tuple[PromptArgument, ...] = ()

    def parse(self, arguments: Mapping[str, Json]) -> dict[str, str]:
        """The given arguments as texts, or an `InvalidInput` that names one."""
        given = parse_params(dict[str, str], arguments)
        for argument in self.arguments:
            if argument.required and argument.name not in given:
                raise InvalidInput(argument.name, REQUIRED)
        return given


class Contract(Struct, frozen=True, kw_only=True):
    """The whole of what one vocabulary offers to a client.

    `structured` False keeps results to their text. `failure` and `unknown_tool` say how failures look on the
    wire. `server_info` are fields beside the server's name and version. `web` makes the table of its addresses on the
    web, when somebody asks for one. `functions` are the ids by which tools are invoked over the iii protocol, and their
    names.
    """

    name: str
    tools: tuple[Tool[Any], ...]
    version: str = __version__
    title: str | None = None
    instructions: str | None = None
    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    structured: bool = True
    failure: Callable[[str, RecollectError], Failure] = failures_as_results
    unknown_tool: Callable[[str], Failure] = unknown_tool
    server_info: Mapping[str, Json] = field(default_factory=dict[str, Json])
    web: Callable[[], Web] | None = None
    functions: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        names = [
            *(f"tool {tool.name}" for tool in self.tools),
            *(f"resource {resource.uri}" for resource in self.resources),
            *(f"template {template.uri_template}" for template in self.templates),
            *(f"prompt {prompt.name}" for prompt in self.prompts),
        ]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{self.name} declares twice: {', '.join(twice)}")


__all__ = [
    "INTERNAL_ERROR", "INVALID_PARAMS", "REQUIRED", "UNKNOWN",
    "Annotations", "Answer", "Audio", "Call", "Cancellation", "Content", "Contract", "Embedded", "Failure",
    "Image", "Prompt", "PromptArgument", "PromptMessage", "Resource", "ResourceBytes", "ResourceTemplate",
    "ResourceText", "Text", "Tool", "derive_schema", "failures_as_results", "parse_params", "unknown_tool",
]  # fmt: skip
