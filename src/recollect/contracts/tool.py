"""What is a contract, and what may stand in its table?

A contract is data: tools, resources, prompts, and how failures are told. Everything that a client sees of it
derives from this table; what serves it never looks at a contract's name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from recollect.contracts.schema import PLAIN, REQUIRED, Habits, derive_schema, own_word, parse_params
from recollect.engine.core import PROGRAMS, try_again
from recollect.engine.grant import EVERYTHING, Grant
from recollect.engine.once import KEY, do_once
from recollect.errors import ENDING, Cancelled, Forbidden, InvalidInput, RecollectError
from recollect.types import DEFAULT_SPACE, Json, Sample
from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.contracts.route import Web
    from recollect.engine.memory import Memory

P = TypeVar("P")
V = TypeVar("V", bound=Struct)

Length: TypeAlias = Literal["cut", "page", "whole"]

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UI = "io.modelcontextprotocol/ui"
"""The extension of the protocol by which a client says that it shows apps."""
APP_TYPE = "text/html;profile=mcp-app"
CONFIRM = "confirm"
NOBODY = "mcp"
"""Who acts where a client gave itself no name."""
INDEX_SECONDS = 10.0
"""Before a call that indexes a folder answers with how far it is; the rest goes on in the background."""


class Question(Struct, frozen=True):
    """Something that a client is asked while it waits for an answer: of its user, of its model, of itself."""

    method: str
    params: Mapping[str, Json]
    must_be_put: bool = False
    """Is an answer taken only after it was asked? Else one may come along with the call."""

    @property
    def kind(self) -> str:
        """The capability that a client must have to answer it."""
        return self.method.partition("/")[0]


Ask: TypeAlias = Callable[[Mapping[str, Question]], Mapping[str, Json]]
"""Puts questions to a client, and answers with what it said to each; `CompleterError` where it says nothing."""


class InputRequired(Exception):
    """A call cannot go on before its client has answered: it is answered with these questions, and asked again."""

    def __init__(self, questions: Mapping[str, Question]) -> None:
        super().__init__()
        self.questions = questions


class Cancellation:
    """The wish that a call ends; asked for in one thread, seen in another. It is its caller's, who wants no answer any
    more, or (`by_server`) that of the server, which ends: then the caller is told to ask again.
    """

    __slots__ = ("_owed", "by_server", "requested")

    def __init__(self) -> None:
        self.requested = False
        self.by_server = False
        self._owed = [True]

    def end(self) -> None:
        """The server ends. Who has withdrawn the call is not told so."""
        self.by_server = self.by_server or not self.requested
        self.requested = True

    def settle(self) -> bool:
        """Is there still an answer to be given? Of several threads one is told so, once."""
        try:
            return self._owed.pop()
        except IndexError:
            return False


class Call:
    """One running request, as the function that answers it sees it.

    `client` is the name that the caller gave itself, `memory` what the contract works on, with changes journalled under
    that name, and `space` the one that is meant where nobody names one. A transport hands in `report`, which carries
    progress to the client; without one, progress is only a place where a withdrawn call stops. `sample(system, prompt,
    max_tokens)` has the client's own language model write something; it is None where the client does not lend one.
    `lends_freely` says that it is meant to be used, whether the settings name it or not. `grant` is what the caller may
    see and do; the memory is kept to it already. `folders` tells where the client works, if the server is beside it.
    `ask` puts questions to the client; it is None where that cannot be, and `can` names the kinds that it answers
    (sampling, elicitation, roots).
    """

    __slots__ = (
        "_cancellation", "_memory", "_report", "ask", "can", "client", "folders", "grant", "lends_freely", "sample",
        "space",
    )  # fmt: skip

    def __init__(
        self,
        client: str | None = None,
        *,
        report: Callable[[float, float | None, str | None], None] | None = None,
        cancellation: Cancellation | None = None,
        sample: Sample | None = None,
        lends_freely: bool = False,
        memory: Memory | None = None,
        space: str = DEFAULT_SPACE,
        grant: Grant = EVERYTHING,
        folders: Callable[[], Iterable[str]] = tuple,
        ask: Ask | None = None,
        can: Collection[str] = (),
    ) -> None:
        self.client = client
        self.ask = ask
        self.can = can
        self.grant = grant
        self.folders = folders
        self.sample = sample
        self.lends_freely = lends_freely
        self.space = space
        self._memory = memory
        self._report = report
        self._cancellation = cancellation or Cancellation()

    @property
    def memory(self) -> Memory:
        assert self._memory is not None, "the contract works on no memory"
        return self._memory

    @property
    def cancelled(self) -> bool:
        return self._cancellation.requested

    def checkpoint(self) -> None:
        """Raise `Cancelled` if the caller no longer wants the answer."""
        if self._cancellation.requested:
            raise Cancelled(ENDING if self._cancellation.by_server else "the caller withdrew the request")

    def confirm(self, message: str) -> bool:
        """Does a person say yes? Where nobody can be asked, whoever calls has decided."""
        if self.ask is None or "elicitation" not in self.can:
            return True
        wanted: Json = {"type": "object", "properties": {}}
        params: Mapping[str, Json] = {"message": message, "requestedSchema": wanted}
        said = self.ask({CONFIRM: Question("elicitation/create", params, must_be_put=True)})
        answer = said.get(CONFIRM)
        return isinstance(answer, Mapping) and answer.get("action") == "accept"

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


def view(kind: type[V], shown: object, /, **more: object) -> V:
    """A value that shows another: fields of the same name are taken over, unless `more` names them."""
    taken = {name: getattr(shown, name) for name in kind.__struct_fields__ if name not in more and hasattr(shown, name)}
    return kind(**taken, **more)


class Failure(Struct, frozen=True):
    """How a failed call is told: by a result marked as an error or, with a code, by a JSON-RPC error."""

    message: str
    code: int | None = None
    data: Json = None


def failures_as_results(tool: str, error: RecollectError) -> Failure:
    """The style that lets a model read what went wrong and try again."""
    return Failure(str(error))


def unknown_tool(name: str, known: Collection[str]) -> Failure:
    import difflib  # only when somebody has mistyped

    near = difflib.get_close_matches(name.casefold(), list(known), 1)
    return Failure(f"Unknown tool: {name}" + "".join(f"; did you mean {one}?" for one in near), INVALID_PARAMS)


class Annotations(Struct, frozen=True, kw_only=True):
    """What a client may assume before it lets a model call the tool. `open_world` is left unsaid unless it is given."""

    read_only: bool = field(default=False, name="readOnlyHint")
    destructive: bool = field(default=False, name="destructiveHint")
    idempotent: bool = field(default=False, name="idempotentHint")
    open_world: bool | UnsetType = field(default=UNSET, name="openWorldHint")


def unasked(given: object, call: object) -> str | None:
    """Nobody need say yes."""
    return None


def never(given: object) -> bool:
    return False


def always(given: object) -> bool:
    return True


_derived = cache(derive_schema)  # every connection lists them, and nobody changes them


class Tool(Struct, Generic[P], frozen=True):
    """One thing that can be asked for, declared once: schema, parsing, page and snapshot follow.

    `call` gets the arguments as a `params` value. It returns an `Answer`, a text, or any value that has a JSON form.
    `said` are keywords of properties that a document words in another way than the schema would (None: not at all).
    Where a document's arguments are none that a Struct could describe, `schema` gives their form and `read` reads them.
    `words` are the contract's, for errors of this tool alone. `length` says what becomes of an answer that is too long
    to read: it is cut (`contracts.fit` tells how), of a page every entry is kept, and one thing that was asked for by
    its id is sent whole. `in_steps` says of which arguments the work takes several transactions: files, pages, models.
    A tool that is not `listed` is for the client's own use: it can be called, and no model is told of it. `meta` is
    what clients of an extension are told of it. `confirm` is what a person is asked before it is done, where the client
    can ask one (None: nothing).
    """

    name: str
    description: str
    params: type[P]
    call: Callable[[P, Call], object]
    annotations: Annotations
    title: str | None = None
    said: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Mapping[str, Json]])
    schema: Mapping[str, Json] | None = None
    read: Callable[[Mapping[str, Json]], P] | None = None
    returns: type | Mapping[str, Json] | None = None
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    length: Length = "cut"
    in_steps: Callable[[P], bool] = never
    listed: bool = True
    meta: Mapping[str, Json] = field(default_factory=dict[str, Json])
    confirm: Callable[[P, Call], str | None] = unasked

    def parse(self, arguments: Mapping[str, Json], habits: Habits = PLAIN) -> P:
        settled = habits.settle(arguments, self.params)
        return parse_params(self.params, settled) if self.read is None else self.read(settled)

    def input_schema(self, habits: Habits = PLAIN) -> Mapping[str, Json]:
        return habits.word(_derived(self.params), self.said) if self.schema is None else self.schema

    def output_schema(self) -> Mapping[str, Json] | None:
        return _derived(self.returns) if isinstance(self.returns, type) else self.returns


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


def shows_apps(capabilities: Json) -> bool:
    """Does a client that can do this show apps?"""
    extensions = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    about = extensions.get(UI) if isinstance(extensions, Mapping) else None
    types = about.get("mimeTypes", [APP_TYPE]) if isinstance(about, Mapping) else ()
    return isinstance(types, list) and APP_TYPE in types


def _not_ours(client: str | None) -> str | None:
    """A client by the name that it gave itself, unless that would make it one of our own programs."""
    return f"client {client}" if client is not None and client.strip().casefold() in PROGRAMS else client


class Contract(Struct, frozen=True, kw_only=True):
    """The whole of what one vocabulary offers to a client.

    The tools work on `memory`, in `space` where a call names none; what they store has ids of `new_id`, and is
    journalled as the work of the client unless `actor` says otherwise. `habits` say how arguments are handed over, and
    `words` what the engine's names for them are here: errors speak of arguments as callers know them. `structured`
    False keeps results to their text. `failure` and `unknown_tool` say how failures look on the wire. `server_info` are
    fields beside the server's name and version. `web` makes the table of its addresses on the web, when somebody asks
    for one. `functions` are the ids by which tools are invoked over the iii protocol, and their names. With
    `keys_among_arguments`, `idempotency_key` may stand among the arguments of a change, though no schema lists it.
    `extensions` are those of the protocol that it has; `apps` makes of it the table for clients that show apps.
    `folder` is where the client works, known of one whose child the server is.
    """

    name: str
    tools: tuple[Tool[Any], ...]
    memory: Memory | None = None
    space: str = DEFAULT_SPACE
    new_id: Callable[[], str] | None = None
    actor: str | None = None
    habits: Habits = PLAIN
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    version: str = __version__
    title: str | None = None
    instructions: str | None = None
    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    structured: bool = True
    failure: Callable[[str, RecollectError], Failure] = failures_as_results
    unknown_tool: Callable[[str, Collection[str]], Failure] = unknown_tool
    server_info: Mapping[str, Json] = field(default_factory=dict[str, Json])
    web: Callable[[], Web] | None = None
    functions: Mapping[str, str] = field(default_factory=dict[str, str])
    keys_among_arguments: bool = False
    folder: str | None = None
    extensions: Mapping[str, Json] = field(default_factory=dict[str, Json])
    apps: Callable[[Contract], Contract] | None = None

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

    def open_call(
        self,
        client: str | None = None,
        *,
        report: Callable[[float, float | None, str | None], None] | None = None,
        cancellation: Cancellation | None = None,
        sample: Sample | None = None,
        lends_freely: bool = False,
        folders: Callable[[], Iterable[str]] = tuple,
        ask: Ask | None = None,
        can: Collection[str] = (),
    ) -> Call:
        """A request of a client to this contract."""
        acting = None if self.memory is None else self.memory.acting_as(
            self.memory.core.known_as or self.actor or _not_ours(client) or NOBODY, new_id=self.new_id
        )  # fmt: skip
        if acting is not None:
            acting.callers.called(acting.core.known_as or _not_ours(client) or self.actor or NOBODY)
        return Call(
            client, report=report, cancellation=cancellation, sample=sample, lends_freely=lends_freely, memory=acting,
            space=self.space, folders=folders, ask=ask, can=can,
        )  # fmt: skip

    def answer(self, tool: Tool[Any], arguments: Mapping[str, Json], call: Call) -> object:
        """What a tool answers to arguments as they came."""
        given = tool.parse(arguments, self.habits)
        try:
            return tool.call(given, call)
        except InvalidInput as error:
            own = own_word(error.field, {**self.words, **tool.words})
            if own == error.field:
                raise
            raise InvalidInput(own, error.problem) from error

    def answer_once(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, Json],
        call: Call,
        write: Callable[[object], bytes],
        key: Json = None,
        otherwise: str | None = None,
    ) -> bytes:
        """What a tool answers, as `write` has it. A change with a key is made once, and then answered the same again.

        The key comes with the call or, where the contract has it so, among the arguments; `otherwise` is that of a
        call which has none.
        """
        named = arguments.get(KEY) if self.keys_among_arguments else None
        given = {name: value for name, value in arguments.items() if named is None or name != KEY}
        if key is not None and named is not None and key != named:
            raise InvalidInput(KEY, f"is {named!r}, but the call carries the key {key!r}; give one of them")
        question = tool.confirm(tool.parse(given, self.habits), call) if call.ask is not None else None
        if question is not None and not call.confirm(question):
            raise Forbidden("a person was asked and did not say yes; nothing was changed")
        chosen = otherwise if key is None and named is None else named if key is None else key
        if tool.annotations.read_only:
            return try_again(lambda: write(self.answer(tool, given, call)))
        if chosen is None:
            return write(self.answer(tool, given, call))
        asked = msgspec.json.encode([self.name, self.space, tool.name, given], order="deterministic")
        return do_once(
            call.memory.core, chosen, asked, lambda: write(self.answer(tool, given, call)),
            in_steps=tool.in_steps(tool.parse(given, self.habits)),
        )  # fmt: skip

    def input_schema(self, tool: Tool[Any]) -> Mapping[str, Json]:
        """The schema of a tool as clients see it."""
        return tool.input_schema(self.habits)
