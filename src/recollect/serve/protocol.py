"""What does a client's message mean to a contract, in whichever version of the protocol it is written?

A `Connection` is one client. `receive` takes a message's bytes, in the order they came; `perform` does the
work that it asks for, in any thread, and returns the bytes to send back. Neither reads or writes anything.

Two eras are spoken side by side. Up to 2025-11-25 a client says `initialize` once and the connection
remembers its version. From 2026-07-28 every request carries its version in `_meta`; nothing is remembered, and what
is asked of the client is answered by its next request (`rounds.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

import msgspec
from msgspec import Struct

from recollect.contracts.tool import NOBODY, Ask, Call, Cancellation, Contract, InputRequired, Tool, shows_apps
from recollect.errors import ENDING, Cancelled, Forbidden, InvalidInput, RecollectError
from recollect.serve import catalog
from recollect.serve.ask import Asking, sampler
from recollect.serve.catalog import Refusal
from recollect.serve.log import Log
from recollect.serve.message import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    KEY,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Id,
    Message,
    Notification,
    Problem,
    Reply,
    Request,
    decode,
    encode,
    encode_notification,
    encode_problem,
    encode_result,
    too_large,
)
from recollect.serve.relay import SERVER_ENDING
from recollect.serve.rounds import Rounds
from recollect.types import Json

STATEFUL_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
BATCH_VERSIONS = ("2025-03-26",)

META = "io.modelcontextprotocol/"
FRESH_MS = 300_000
"""How long a client may keep a list: the table does not change while the server runs."""

Notify: TypeAlias = Callable[[bytes], None]


class Job(Struct, frozen=True):
    """One message that will be answered, the caller's wish to withdraw it, and the transport's key for it."""

    message: Request | Problem
    cancellation: Cancellation
    key: str | None = None
    lacks: list[str] = []
    """Scopes that the client's token would have needed."""


class Work(Struct, frozen=True):
    """What one line asks for. `urgent` work does not wait for what came before it."""

    jobs: tuple[Job, ...]
    batch: bool = False
    urgent: bool = False

    @property
    def lacks(self) -> str | None:
        """The scope without which nothing of it could be done."""
        return next(iter(self.jobs[0].lacks), None) if len(self.jobs) == 1 else None

    @property
    def put_off(self) -> bool:
        """Was its caller told to ask again, since the server ends?"""
        return any(job.cancellation.by_server for job in self.jobs)

    @property
    def opens(self) -> bool:
        """Does it open a session?"""
        messages = () if self.batch else (job.message for job in self.jobs)
        return any(isinstance(message, Request) and message.method == "initialize" for message in messages)


class Inquiry(Struct, frozen=True):
    """A request with everything that its answer depends on."""

    params: Mapping[str, Json]
    stateless: bool
    stray: str | None
    call: Call
    job: Job


class _Listens(Exception):
    """A request is answered when the connection ends: until then its client listens."""


class _Asker(Struct, frozen=True):
    """How a client is asked something, and what it can be asked."""

    ask: Ask
    can: frozenset[str]


class Connection:
    """One client of one contract: its version, its name, and the requests that are under way."""

    def __init__(self, contract: Contract, log: Log | None = None, asking: Asking | None = None) -> None:
        self.contract = contract
        self.version = STATEFUL_VERSIONS[-1]
        self.client: str | None = None
        self.refused: int | None = None
        """The code of the last error that was answered."""
        self.listening: bytes | None = None
        """What is said at the end to a client that listens."""
        self._can: frozenset[str] = frozenset()
        self._roots: tuple[str, ...] | None = None
        self._asking = asking or Asking()
        self._log = log or Log()
        self._open: dict[Id, Cancellation] = {}
        self._showing: Connection | None = None
        """The same for requests that stand alone, of a client that shows apps."""
        self._entered: str | None = None
        """Under which name it counts as connected."""
        self._serve(contract)

    def _serve(self, contract: Contract) -> None:
        self.contract = contract
        self._tools: dict[str, Tool[Any]] = {tool.name: tool for tool in contract.tools}
        self._methods = self._offered()

    def _offered(self) -> dict[str, Callable[[Inquiry], catalog.Result]]:
        """The methods that this table can answer: what it does not hold is not a method."""
        table = self.contract
        methods: dict[str, Callable[[Inquiry], catalog.Result]] = {}
        if table.tools:
            methods["tools/list"] = self._listing("tools")
            methods["tools/call"] = self._call_tool
        if table.resources or table.templates:
            methods["resources/list"] = self._listing("resources")
            methods["resources/templates/list"] = self._listing("resourceTemplates")
            methods["resources/read"] = self._read_resource
        if table.prompts:
            methods["prompts/list"] = self._listing("prompts")
            methods["prompts/get"] = self._get_prompt
        return methods

    # Receiving: what can be known of a message before its turn comes.

    def receive(self, data: bytes, key: str | None = None) -> Work | None:
        """Take one message. A notification takes effect at once; None means that there is nothing to do.

        With a key, a change that the message asks for is made once, however often it comes.
        """
        return self.take(decode(data), key)

    def take(self, decoded: Message | tuple[Message, ...], key: str | None = None) -> Work | None:
        """Takes what was read of a message already."""
        if not isinstance(decoded, tuple):
            job = self._admit(decoded, key)
            urgent = isinstance(decoded, Request) and decoded.method == "ping"
            return None if job is None else Work((job,), urgent=urgent)
        keys = [None if key is None else f"{key}-{at}" for at in range(len(decoded))]
        jobs = tuple(job for job in map(self._admit, decoded, keys) if job is not None)
        if jobs or not decoded:
            return Work(jobs, batch=True)
        return None

    def refuse_too_large(self) -> Work:
        """The answer to a message that a transport did not read to its end."""
        return Work((Job(too_large(), Cancellation()),))

    def end_input(self) -> None:
        """The client will say no more: what waits for an answer of its own need not wait."""
        self._asking.close()
        self._count_as(None)

    def count_as_open(self, yes: bool = True) -> None:
        """Whether it is among the open connections of its client: one that has been silent for long is not."""
        if yes != (self._entered is not None):
            self._count_as((self._known_as() or self.client or self.contract.actor or NOBODY) if yes else None)

    def _count_as(self, name: str | None) -> None:
        memory = self.contract.memory
        if memory is None:
            return
        if self._entered is not None:
            memory.callers.leave(self._entered)
        if name is not None:
            memory.callers.enter(name)
        self._entered = name

    def cancel_all(self) -> None:
        """Withdraw everything that is under way."""
        for cancellation in tuple(self._open.values()):
            cancellation.requested = True

    def end_all(self) -> None:
        """Ends everything that is under way because the server does: its callers are told to ask again."""
        for cancellation in tuple(self._open.values()):
            cancellation.end()

    def put_off(self, work: Work) -> bytes | None:
        """The answer to work that is not waited for any longer because the server ends; None where it has one."""
        for job in work.jobs:
            job.cancellation.end()
        answers = [answer for job in work.jobs if (answer := _ask_again(job)) is not None]
        return (b"[" + b",".join(answers) + b"]" if work.batch else answers[0]) if answers else None

    def _admit(self, message: Message, key: str | None) -> Job | None:
        match message:
            case Request():
                cancellation = Cancellation()
                if message.method != "initialize":
                    self._open[message.id] = cancellation
                return Job(message, cancellation, key)
            case Problem():
                return Job(message, Cancellation())
            case Notification():
                self._heed(message)
            case Reply() if self._asking.settle(message):
                self._log.write("debug", f"the client answered {message.id}")
            case _:
                self._log.write("debug", "an answer to nothing was ignored")
        return None

    def _heed(self, notification: Notification) -> None:
        self._log.write("debug", notification.method)
        request_id = notification.params.get("requestId")
        if notification.method == "notifications/cancelled" and isinstance(request_id, str | int):
            cancellation = self._open.get(request_id)
            if cancellation is not None:
                cancellation.requested = True
        elif notification.method == "notifications/roots/list_changed":
            self._roots = None

    # Performing: one answer for every request that was not withdrawn.

    def perform(self, work: Work, notify: Notify) -> bytes | None:
        """Do the work and return the answer; `notify` carries progress while it lasts."""
        if not work.batch:
            return self._answer(work.jobs[0], notify)
        if self.version not in BATCH_VERSIONS or not work.jobs:
            for job in work.jobs:
                self._close(job)
            return encode_problem(Problem(INVALID_REQUEST, self._why_no_batch(work)))
        answers = [answer for job in work.jobs if (answer := self._answer(job, notify)) is not None]
        return b"[" + b",".join(answers) + b"]" if answers else None

    def _why_no_batch(self, work: Work) -> str:
        if not work.jobs:
            return "Invalid Request: an empty batch"
        return f"Invalid Request: protocol version {self.version} has no batches; send one message at a time"

    def _answer(self, job: Job, notify: Notify) -> bytes | None:
        request = job.message
        if isinstance(request, Problem):
            self.refused = request.code
            return encode_problem(request)
        self._log.write("debug", request.method)
        if job.cancellation.requested:
            self._close(job)
            return _ask_again(job)
        try:
            answer = encode_result(request.id, self._respond(request, job, notify))
        except Refusal as refusal:
            self.refused = refusal.code
            answer = encode_problem(Problem(refusal.code, str(refusal), request.id, refusal.data))
        except Cancelled:
            return _ask_again(job)
        except _Listens:
            return None
        except Exception as error:  # noqa: BLE001  a fault in one answer must not end the connection
            self.refused = INTERNAL_ERROR
            answer = encode_problem(Problem(INTERNAL_ERROR, str(self._fault(request.method, error)), request.id))
        finally:
            self._close(job)
        if (job.cancellation.requested and not job.cancellation.by_server) or not job.cancellation.settle():
            return None
        job.cancellation.by_server = False  # it was done in time
        return answer

    def _close(self, job: Job) -> None:
        if isinstance(job.message, Request) and self._open.get(job.message.id) is job.cancellation:
            del self._open[job.message.id]

    def _respond(self, request: Request, job: Job, notify: Notify) -> catalog.Result:
        params, method, cancellation = request.params, request.method, job.cancellation
        meta = catalog.mapping(params, "_meta")
        opens_session = method == "initialize" and "protocolVersion" in params
        if META + "protocolVersion" not in meta or opens_session:
            asker = _Asker(self._asking.asker(cancellation, notify), self._can)
            name = _client_name(params.get("clientInfo")) if opens_session else self.client
            call = self._open_call(
                name, job, meta, notify, asker, lambda: self._folders(cancellation, notify)
            )  # fmt: skip
            return self._respond_in_session(method, Inquiry(params, False, request.stray, call, job))
        _check_envelope(meta)
        if method == "subscriptions/listen":
            self._listen(request, notify)
        if self.contract.apps is not None and shows_apps(meta.get(META + "clientCapabilities")):
            if self._showing is None:
                self._showing = Connection(self.contract.apps(self.contract), self._log, self._asking)
            return self._showing._respond(request, job, notify)
        client = _client_name(meta.get(META + "clientInfo"))
        can = _abilities(meta.get(META + "clientCapabilities"))
        rounds, folder = Rounds(method, params, can, self._whose()), self.contract.folder
        asker = _Asker(rounds.ask, can)
        call = self._open_call(client, job, meta, notify, asker, lambda: () if folder is None else (folder,))
        try:
            return self._respond_alone(method, Inquiry(params, True, request.stray, call, job))
        except InputRequired as required:
            return {**rounds.render(required), "_meta": {META + "serverInfo": catalog.server_info(self.contract)}}

    def _open_call(
        self, client: str | None, job: Job, meta: Mapping[str, Json], notify: Notify, asker: _Asker,
        folders: Callable[[], Iterable[str]],
    ) -> Call:  # fmt: skip
        return self.contract.open_call(
            client, report=_reporter(meta, notify), cancellation=job.cancellation, ask=asker.ask, can=asker.can,
            sample=sampler(asker.ask) if "sampling" in asker.can else None, folders=folders,
        )  # fmt: skip

    def _whose(self) -> str:
        """By which token the client came; empty for the owner."""
        return "" if self.contract.memory is None else self.contract.memory.core.client

    def _known_as(self) -> str | None:
        return None if self.contract.memory is None else self.contract.memory.core.known_as

    def _folders(self, cancellation: Cancellation, notify: Notify) -> Iterator[str]:
        """Where the client works: where it started us and, for whom that says nothing, which roots it tells."""
        if self.contract.folder is None:
            return
        yield self.contract.folder
        if "roots" in self._can and self._roots is None:
            self._roots = self._asking.roots(cancellation, notify)
        yield from self._roots or ()

    def _respond_in_session(self, method: str, asked: Inquiry) -> catalog.Result:
        if method == "initialize":
            return self._initialize(asked.params)
        if method == "ping":
            return {}
        if method == "server/discover":
            _check_envelope({})
        return self._method(method)(asked)

    def _respond_alone(self, method: str, asked: Inquiry) -> catalog.Result:
        result = self._discover() if method == "server/discover" else self._method(method)(asked)
        stamp: catalog.Result = {"resultType": "complete"}
        if method == "resources/read":
            stamp = {**stamp, "ttlMs": 0, "cacheScope": "private"}
        elif method == "server/discover" or method.endswith("/list"):
            stamp = {**stamp, "ttlMs": FRESH_MS, "cacheScope": "private"}
        return {**stamp, **result, "_meta": {META + "serverInfo": catalog.server_info(self.contract)}}

    def _method(self, name: str) -> Callable[[Inquiry], catalog.Result]:
        method = self._methods.get(name)
        if method is None:
            raise Refusal(METHOD_NOT_FOUND, f"Method not found: {name}")
        return method

    # The methods.

    def _listen(self, request: Request, notify: Notify) -> NoReturn:
        """Tells a client that wants to hear of changes which it will hear of: none, since no list of ours changes."""
        if not isinstance(request.params.get("notifications"), Mapping):
            raise Refusal(INVALID_PARAMS, "Invalid params: notifications must be an object")
        meta: Json = {META + "subscriptionId": request.id}
        told = {"_meta": meta, "notifications": dict[str, Json]()}
        self.listening = encode_result(request.id, {"resultType": "complete", "_meta": meta})
        notify(encode_notification("notifications/subscriptions/acknowledged", told))
        raise _Listens

    def _initialize(self, params: Mapping[str, Json]) -> catalog.Result:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise Refusal(INVALID_PARAMS, "Invalid params: protocolVersion must be a string")
        self.version = wanted if wanted in STATEFUL_VERSIONS else STATEFUL_VERSIONS[-1]
        self.client = _client_name(params.get("clientInfo"))
        self._count_as(None)
        self.count_as_open()
        offered = params.get("capabilities")
        if self.contract.apps is not None and shows_apps(offered):
            self._serve(self.contract.apps(self.contract))
        self._can = _abilities(offered)
        about: catalog.Result = {
            "protocolVersion": self.version,
            "capabilities": catalog.capabilities(self.contract),
            "serverInfo": catalog.server_info(self.contract),
        }
        return catalog.with_instructions(about, self.contract)

    def _discover(self) -> catalog.Result:
        about: catalog.Result = {
            "supportedVersions": list(STATELESS_VERSIONS),
            "capabilities": catalog.capabilities(self.contract),
        }
        return catalog.with_instructions(about, self.contract)

    def _listing(self, kind: catalog.Kind) -> Callable[[Inquiry], catalog.Result]:
        """A list is written out when it is first asked for. It is one page, so a cursor changes nothing."""
        written: list[catalog.Result] = []

        def answer(asked: Inquiry) -> catalog.Result:
            cursor = asked.params.get("cursor")
            if cursor is not None and not isinstance(cursor, str):
                raise Refusal(INVALID_PARAMS, "Invalid params: cursor must be a string")
            if not written:
                written.append(catalog.write_list(self.contract, kind))
            return written[0]

        return answer

    def _call_tool(self, asked: Inquiry) -> catalog.Result:
        name = catalog.text(asked.params, "name")
        arguments = catalog.mapping(asked.params, "arguments")
        tool = self._tools.get(name)
        if tool is None:
            return catalog.render_failure(self.contract.unknown_tool(name, self._tools))
        try:
            _check_text(asked, "params.arguments.")
            return self._answer_tool(tool, arguments, asked)
        except RecollectError as error:
            if isinstance(error, Forbidden) and error.scope is not None:
                asked.job.lacks.append(error.scope)
            return catalog.render_failure(self.contract.failure(name, self._unless_withdrawn(error, asked)))
        except (InputRequired, Refusal):
            raise
        except Exception as error:  # noqa: BLE001  a fault in one tool must not end the connection
            return catalog.render_failure(self.contract.failure(name, self._fault(f"tool {name}", error)))

    def _answer_tool(self, tool: Tool[Any], arguments: Mapping[str, Json], asked: Inquiry) -> catalog.Result:
        def write(answer: object) -> bytes:
            return encode(catalog.render_answer(answer, tool, self.contract.structured, any_value=asked.stateless))

        key = catalog.mapping(asked.params, "_meta").get(KEY)
        written = self.contract.answer_once(tool, arguments, asked.call, write, key, asked.job.key)
        return {**msgspec.json.decode(written, type=dict[str, msgspec.Raw])}

    def _read_resource(self, asked: Inquiry) -> catalog.Result:
        uri = catalog.text(asked.params, "uri")
        try:
            _check_text(asked, "params.")
            return catalog.read(self.contract, uri, asked.call, legacy=not asked.stateless)
        except RecollectError as error:
            raise catalog.refusal(self._unless_withdrawn(error, asked)) from error

    def _get_prompt(self, asked: Inquiry) -> catalog.Result:
        name = catalog.text(asked.params, "name")
        try:
            _check_text(asked, "params.arguments.")
            return catalog.prompt(self.contract, name, catalog.mapping(asked.params, "arguments"), asked.call)
        except RecollectError as error:
            raise catalog.refusal(self._unless_withdrawn(error, asked)) from error

    @staticmethod
    def _unless_withdrawn(error: RecollectError, asked: Inquiry) -> RecollectError:
        """The error to tell, unless the caller withdrew the request: then nobody wants to hear of it."""
        if isinstance(error, Cancelled) and asked.call.cancelled:
            raise error
        return error

    def _fault(self, where: str, error: Exception) -> RecollectError:
        self._log.fault(f"{where} failed", error)
        told = RecollectError(f"Internal error in {where}; the server's log says more")
        told.__cause__ = error
        return told


def _ask_again(job: Job) -> bytes | None:
    """What is said to the caller of a request that the server's end left without an answer."""
    if not isinstance(job.message, Request) or not job.cancellation.by_server or not job.cancellation.settle():
        return None
    return encode_problem(Problem(SERVER_ENDING, ENDING, job.message.id))


def _check_text(asked: Inquiry, prefix: str) -> None:
    if asked.stray is not None:
        place = asked.stray.removeprefix(prefix)
        raise InvalidInput(place, "is not Unicode text (it holds half of a surrogate pair)")


def _check_envelope(meta: Mapping[str, Json]) -> None:
    """What every request of the stateless era must carry."""
    missing = [key for key in ("protocolVersion", "clientCapabilities") if META + key not in meta]
    if missing:
        keys = ", ".join(META + key for key in missing)
        raise Refusal(INVALID_PARAMS, f"Invalid params: _meta must carry {keys}")
    version = meta[META + "protocolVersion"]
    if not isinstance(version, str):
        raise Refusal(INVALID_PARAMS, f"Invalid params: _meta.{META}protocolVersion must be a string")
    if version not in STATELESS_VERSIONS:
        data: Json = {"supported": list(STATELESS_VERSIONS), "requested": version}
        raise Refusal(UNSUPPORTED_VERSION, f"Unsupported protocol version: {version}", data)


def _abilities(offered: Json) -> frozenset[str]:
    """What a client can be asked for."""
    return (
        frozenset(name for name, value in offered.items() if isinstance(value, Mapping))
        if isinstance(offered, Mapping)
        else frozenset()
    )


def _client_name(info: Json) -> str | None:
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else None


def _reporter(meta: Mapping[str, Json], notify: Notify) -> Callable[[float, float | None, str | None], None] | None:
    """Progress for a request that asked for it; a step that does not go forward is not told."""
    token = meta.get("progressToken")
    if not isinstance(token, str | int) or isinstance(token, bool):
        return None
    furthest = float("-inf")

    def report(done: float, total: float | None, message: str | None) -> None:
        nonlocal furthest
        if done <= furthest:
            return
        furthest = done
        told = {"progressToken": token, "progress": done, "total": total, "message": message}
        notify(encode_notification("notifications/progress", catalog.present(told)))

    return report
