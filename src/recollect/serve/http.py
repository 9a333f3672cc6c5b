"""How is a memory reached over HTTP?

An application of Starlette's parts, served by uvicorn. What it answers is the matter of its parts, each of which knows
some addresses. The engine is synchronous: every call runs in a thread. What these libraries log is not shown; what
fails is told by us.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, unquote

import h11
import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect.contracts.route import IN_QUERY, Feed, Route, Web
from recollect.contracts.tool import Call, Cancellation
from recollect.engine.grant import EVERYTHING, Grant
from recollect.engine.memory import Memory
from recollect.errors import (
    Cancelled,
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    NotFound,
    RecollectError,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.serve.admission import Gate, Refused, lacking
from recollect.serve.capacity import (
    BODY_SECONDS,
    HEADER_SECONDS,
    LAST_SECONDS,
    Lanes,
    Places,
    Room,
    put_off,
    render_refusal,
    room_for_connections,
)
from recollect.serve.counted import METHODS, OPEN, Answer, Tell
from recollect.serve.limits import Limits
from recollect.serve.log import Log
from recollect.serve.message import MAX_BYTES, MAX_ERROR_TEXT, encode
from recollect.serve.watch import Watch
from recollect.types import Json

MAX_WATCHERS = 500
MISSED_ENTRIES = 1000
"""One that comes back to a contract's feed hears of so many entries at most."""
MAX_QUERY_FIELDS = 100
SEND_SECONDS = 30.0
"""A client that takes nothing in for so long is left."""

PASS_OVER_BYTES = 4 * MAX_BYTES
PASS_OVER_SECONDS = 5.0
SILENT_SECONDS = 1.0
GRACE_SECONDS = 3
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_ORIGIN = re.compile(rb"^https?://[^/]*")
_STATUS: tuple[tuple[type[RecollectError], int], ...] = (
    (InvalidInput, 400),
    (NotFound, 404),
    (Conflict, 409),
    (Forbidden, 403),
    (StoreFull, 507),
    (StoreError, 503),
    (EmbedderError, 503),
    (Cancelled, 503),
)
"""The first that fits; anything else is a fault of ours."""


class Exchange(NamedTuple):
    """A request that was let in: by whom it is and by which gate, what its address is made of, the places for those
    who listen, and the threads for those who want something done. `charge` is told of requests in it beyond the first.
    """

    request: Request
    segments: tuple[str, ...]
    grant: Grant
    places: Places
    lanes: Lanes
    gate: Gate
    charge: Callable[[int], None]

    @property
    def method(self) -> str:
        return "GET" if self.request.method == "HEAD" else self.request.method


class Part(Protocol):
    """Some addresses of a server."""

    async def answer(self, exchange: Exchange) -> Response | None:
        """The answer, or None where the address is another part's."""
        ...

    def close(self) -> None:
        """Sends everybody away who only listens."""
        ...

    def cancel_calls(self) -> None:
        """Asks running calls to end."""
        ...


class Tls(NamedTuple):
    """The files of a server that speaks HTTPS: its certificates, and the key of the first of them."""

    cert: str
    key: str


class HttpServer:
    """Some parts on one socket. `run` returns after `stop`, which any thread may call."""

    def __init__(
        self, parts: Sequence[Part], gate: Gate, log: Log, told: Tell | None = None, *, limits: Limits | None = None,
        tls: Tls | None = None,
    ) -> None:  # fmt: skip
        room = room_for_connections()
        self._parts = parts
        places = Places(min(MAX_WATCHERS, room.most // 2))
        self._lanes = Lanes()
        self._loop: asyncio.AbstractEventLoop | None = None
        config = Config(
            _App(parts, gate, log, places, told, limits or Limits(), self._lanes),
            ssl_certfile=None if tls is None else tls.cert, ssl_keyfile=None if tls is None else tls.key,
            http=_protocol(room), ws="none", loop="asyncio", lifespan="off", log_config=None,
            log_level="critical", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )  # fmt: skip
        self._server = Server(config)
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it speaks of every client that left

    def run(self, listener: socket.socket) -> None:
        asyncio.run(self._serve(listener))

    async def _serve(self, listener: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[listener])

    def stop(self) -> None:
        """Takes no more requests, and sends everybody away who only listens. Running calls may end."""
        for part in self._parts:
            part.close()
        self._server.should_exit = True

    def cancel_calls(self) -> None:
        """Asks running calls to end. Whoever has no answer a moment later is told to ask again."""
        for part in self._parts:
            part.cancel_calls()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.call_later, LAST_SECONDS, self._lanes.end)


def _protocol(room: Room) -> type[H11Protocol]:
    """What reads requests off connections: only so many of these, and each within its time."""

    class Timed(H11Protocol):
        _timer: asyncio.TimerHandle | None = None
        _state: object = None
        _refused = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  as in the library
            super().connection_made(transport)
            self._refused = not room.enter(self, transport)
            self._mind()

        def connection_lost(self, exc: Exception | None) -> None:
            room.leave(self)
            self._refused = True
            self._mind()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if not self._refused:
                super().data_received(data)
                self._mind()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._mind()

        def _mind(self) -> None:
            """Sets the time by which the header, and then the body, must have come."""
            state = None if self._refused else self.conn.their_state
            if state is h11.IDLE and self.timeout_keep_alive_task is not None:
                state = None  # it may be silent for as long as the library allows
            if state is self._state:
                return
            self._state = state
            if self._timer is not None:
                self._timer.cancel()
            allowed = ((h11.IDLE, HEADER_SECONDS), (h11.SEND_BODY, BODY_SECONDS + PASS_OVER_SECONDS))
            seconds = next((seconds for phase, seconds in allowed if phase is state), None)
            self._timer = None if seconds is None else self.loop.call_later(seconds, self._give_up)

        def _give_up(self) -> None:
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                why = f"the request was not there after {HEADER_SECONDS:g} seconds"
                self.transport.write(render_refusal(408, "Request Timeout", why))
            self.transport.close()

    return Timed


class Events(StreamingResponse):
    """Server-sent events for one that listens, as long as it may. However it ends, its place is free again."""

    def __init__(
        self, frames: AsyncIterator[bytes], exchange: Exchange, headers: Mapping[str, str] | None = None
    ) -> None:
        if not exchange.places.take():
            raise Refused(503, f"{exchange.places.most} clients are listening already")
        told = {**HEADERS, "X-Accel-Buffering": "no", **(headers or {})}
        super().__init__(frames, media_type="text/event-stream", headers=told)
        self._exchange = exchange

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        telling = asyncio.ensure_future(super().__call__(scope, receive, sending))
        ending = asyncio.ensure_future(self._exchange.gate.ended(self._exchange.grant))
        try:
            await asyncio.wait({telling, ending}, return_when=asyncio.FIRST_COMPLETED)
            if telling.done():
                telling.result()
                return
            telling.cancel()
            await asyncio.wait({telling})
            if begun:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            telling.cancel()
            ending.cancel()
            self._exchange.places.give_back()


class _App:
    """Answers requests. It is one ASGI application, which is a callable of three."""

    def __init__(
        self, parts: Sequence[Part], gate: Gate, log: Log, places: Places, told: Tell | None, limits: Limits,
        lanes: Lanes,
    ) -> None:  # fmt: skip
        self._limits = limits
        self._parts = parts
        self._gate = gate
        self._log = log
        self._places = places
        self._lanes = lanes
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request, began = Request(scope, receive), perf_counter()
        asked = _Incoming(request)
        try:
            response = await self._answer(asked)
            taken = perf_counter() - began
            self._tell(Answer(asked.method, asked.segments, asked.client, response.status_code, taken, asked.let_in))
            await (_last_word if response.status_code == 413 else _say)(response, request, _patient(send))
        except (ClientDisconnect, OSError) as error:  # a send that takes too long is an OSError too
            self._log.write("debug", f"{asked.where}: the client is gone ({error})")
        except Exception as error:  # noqa: BLE001  what was begun cannot be answered otherwise any more: it breaks off
            self._log.fault(f"{asked.where} broke off", error)

    def _tell(self, answer: Answer) -> None:
        told = {"method": answer.method, "route": answer.route, "status": answer.status}
        self._log.write("info", "request", **told, ms=round(answer.seconds * 1e3, 1), client=answer.client)
        if self._told is not None:
            self._told(answer)

    async def _answer(self, asked: _Incoming) -> Response:
        try:
            return await self._dispatch(asked)
        except Refused as refused:
            return write_problem(refused.status, str(refused), refused.headers)
        except RecollectError as error:
            return write_problem(status_of(error), str(error), lacking(error, asked.grant, asked.request.method))
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  the top of a transport: one request must not end the others
            self._log.fault(f"{asked.where} failed", error)
            where = f"{asked.request.method} {asked.request.scope['path']}"
            return write_problem(500, f"internal error in {where}; the server's log says more")

    async def _dispatch(self, asked: _Incoming) -> Response:
        asked.segments = segments = _segments(asked.request.scope)
        if {"content-length", "transfer-encoding"} <= {*asked.request.headers.keys()}:
            why = "Content-Length and Transfer-Encoding exclude each other: where the body ends must be clear"
            raise Refused(
                400, why, {"Connection": "close"}
            )  # what one server takes for a body is another's next request
        grant = await self._admit(asked.request, open_to_all=segments[0] in OPEN)
        asked.client, asked.grant, asked.let_in = grant.id, grant, True
        charge = partial(self._limits.count_more, _counted_as(asked.request, grant))
        exchange = Exchange(asked.request, segments, grant, self._places, self._lanes, self._gate, charge)
        for part in self._parts:
            response = await part.answer(exchange)
            if response is not None:
                return response
        raise Refused(404, f"there is nothing at /{'/'.join(segments)}")

    async def _admit(self, request: Request, *, open_to_all: bool) -> Grant:
        try:
            grant = await self._gate.admit(request.headers, open_to_all=open_to_all)
        except Refused as refused:
            self._limits.count(_host(request))
            if refused.status == 401 and refused.tried and "authorization" in request.headers:
                self._limits.failed(_host(request))
            raise
        self._limits.count(_counted_as(request, grant))
        return grant


class _Incoming:
    """What is known of a request by now."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.segments: tuple[str, ...] = ("",)
        self.client = ""
        self.grant = EVERYTHING
        self.let_in = False

    @property
    def method(self) -> str:
        """As it is counted and logged: a client may make up any."""
        return self.request.method if self.request.method in METHODS else "other"

    @property
    def where(self) -> str:
        return f"{self.method} /{self.segments[0][:40]}"


class Routes:
    """The addresses of tables: of a contract, and of what everybody may ask."""

    def __init__(self, tables: Callable[[Grant], Sequence[Route[Any]]], memory: Memory | None = None) -> None:
        self._tables = tables
        self._memory = memory
        self._running: set[Cancellation] = set()

    def close(self) -> None:
        """Nobody listens here."""

    def cancel_calls(self) -> None:
        for cancellation in tuple(self._running):
            cancellation.end()

    async def answer(self, exchange: Exchange) -> Response | None:
        found = [
            (route, named)
            for route in self._tables(exchange.grant)
            if (named := route.match(exchange.segments)) is not None
        ]
        if not found:
            return None
        method = exchange.method
        for route, named in found:
            if route.method == method:
                in_query = route.method in IN_QUERY
                given = query_of(exchange.request, route.lists) if in_query else await _fields(exchange.request)
                params: object = route.parse(named, self.complete(route, given, exchange.grant))
                return write_json(200, await exchange.lanes.run(partial(self._call, route, params, exchange)))
        raise not_allowed(method, ", ".join(route.method for route, _ in found))

    def complete(self, route: Route[Any], given: Mapping[str, Json], grant: Grant) -> Mapping[str, Json]:  # noqa: ARG002
        """What was given, and what is meant where that was not."""
        return given

    def call_of(self, exchange: Exchange, cancellation: Cancellation) -> tuple[Call, Memory | None]:
        """What a route is called with, and the memory that it changes."""
        return Call("http", cancellation=cancellation, grant=exchange.grant), self._memory

    def _call(self, route: Route[Any], params: object, exchange: Exchange) -> bytes:
        cancellation = Cancellation()
        self._running.add(cancellation)
        try:
            call, memory = self.call_of(exchange, cancellation)
            key = exchange.request.headers.get("idempotency-key")
            return route.answer_once(params, call, encode, memory, key)
        except Cancelled as error:
            if cancellation.by_server:
                raise put_off() from error
            raise
        finally:
            self._running.discard(cancellation)


class Feeding:
    """An address at which those who listen hear of what changed."""

    def __init__(self, address: str, feed: Feed, log: Log) -> None:
        self._address = address
        self._watch = Watch(feed, log)

    def close(self) -> None:
        self._watch.close()

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments != (self._address,):
            return None
        only_get(exchange.request.method)
        last = exchange.request.headers.get("last-event-id", "")
        after = int(last) if last.isascii() and last.isdigit() and len(last) < 19 else None
        return Events(self._watch.stream(after, most=MISSED_ENTRIES), exchange)


class Health:
    """A word for whoever looks whether anybody is there."""

    def close(self) -> None:
        """Nobody listens here."""

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments not in (("health",), ("healthz",)):
            return None
        only_get(exchange.method)
        return PlainTextResponse("ok", headers=HEADERS)


def _host(request: Request) -> str:
    return "" if request.client is None else request.client.host


def _counted_as(request: Request, grant: Grant) -> str:
    """Whose requests are counted together: those of a token, or of the owner those of one address."""
    return _host(request) if grant.owns else grant.id


def web_parts(web: Web, log: Log) -> tuple[Part, ...]:
    """What a contract offers on the web."""
    return (Health(), Feeding("sse", web.feed, log), Routes(lambda _: web.routes, web.memory))


def _patient(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def send_in_time(message: Message) -> None:
        async with asyncio.timeout(SEND_SECONDS):
            await send(message)

    return send_in_time


def _segments(scope: Scope) -> tuple[str, ...]:
    """The parts of a path, decoded one by one, so that a name may hold a slash."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    if not raw.startswith(b"/"):  # a proxy may ask for a whole URL
        raw = _ORIGIN.sub(b"", raw)
    try:
        return tuple(unquote(part, errors="strict") for part in raw.decode("ascii").strip("/").split("/"))
    except UnicodeDecodeError as error:
        raise Refused(400, "the address is not UTF-8") from error


def query_of(request: Request, lists: Collection[str] = ()) -> dict[str, Json]:
    """What stands in the query of an address; only names of lists may be given more than once."""
    try:
        pairs = parse_qsl(
            request.url.query, keep_blank_values=True, errors="strict", max_num_fields=MAX_QUERY_FIELDS
        )  # fmt: skip
    except ValueError as error:
        raise Refused(400, f"the query cannot be read: {error}") from error
    given: dict[str, Json] = {}
    several: dict[str, list[str]] = {}
    for name, value in pairs:
        if name in lists:
            several.setdefault(name, []).append(value)
        elif name in given:
            raise InvalidInput(name, "is given twice")
        else:
            given[name] = value
    return {**given, **several}


async def _fields(request: Request) -> Mapping[str, Json]:
    """The fields of a JSON object; an empty body has none."""
    data = await read_body(request)
    if not data.strip():
        return {}
    check_kind(request)
    try:
        decoded: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, f"the body is not JSON: {error}") from error
    if not isinstance(decoded, dict):
        raise Refused(400, "the body must be a JSON object")
    return decoded  # pyright: ignore[reportUnknownVariableType]  names of JSON are texts


def check_kind(request: Request) -> None:
    """Refuses a body that does not say of itself that it is JSON: a page of another site can send any other unasked."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refused(415, f"the body must be application/json, not {kind or 'of an unknown type'}")


async def read_body(request: Request) -> bytes:
    """The body, as long as it is within the limit; of a longer one no more than that is held in memory."""
    too_large = Refused(413, f"the body is too large: the limit is {MAX_BYTES} bytes", {"Connection": "close"})
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and float(declared) > MAX_BYTES:
        raise too_large
    held = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                held += chunk
                if len(held) > MAX_BYTES:
                    raise too_large
    except TimeoutError as error:
        why = f"the body was not there after {BODY_SECONDS:g} seconds"
        raise Refused(408, why, {"Connection": "close"}) from error
    return bytes(held)


async def _say(response: Response, request: Request, send: Send) -> None:
    await response(request.scope, request.receive, send)


async def _last_word(response: Response, request: Request, send: Send) -> None:
    """Answers at once, and then lets a client finish its sentence, within reason: one that is cut off while it still
    speaks may not hear the answer.
    """
    await send({"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    if "expect" not in request.headers:  # it waits to be told to speak
        await _pass_over(request.receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _pass_over(receive: Receive) -> None:
    passed = 0
    try:
        async with asyncio.timeout(PASS_OVER_SECONDS):
            while passed <= PASS_OVER_BYTES:
                async with asyncio.timeout(SILENT_SECONDS):
                    message = await receive()
                passed += len(message.get("body", b""))
                if not message.get("more_body"):
                    return
    except TimeoutError:
        return


def only_get(method: str) -> None:
    if method != "GET":
        raise not_allowed(method, "GET")


def not_allowed(method: str, allowed: str) -> Refused:
    return Refused(405, f"{method} is not possible here; possible: {allowed}", {"Allow": allowed})


def status_of(error: RecollectError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def write_json(status: int, written: bytes, headers: Mapping[str, str] | None = None) -> Response:
    return Response(written, status, {**HEADERS, **(headers or {})}, "application/json")


def write_problem(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    told = message if len(message) <= MAX_ERROR_TEXT else f"{message[:MAX_ERROR_TEXT]}…"
    return write_json(status, encode({"error": told}), headers)
