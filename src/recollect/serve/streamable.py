"""How is a contract reached by the Model Context Protocol over HTTP?

Each contract has one address, and every message to it is a POST. Its answer is plain JSON, unless something is to be
said before it or it takes long: then it is a stream of events. Up to 2025-11-25 a client has a session, whose streams
it can take up again where they broke off. From 2026-07-28 every request stands alone, its headers repeat what the body
says, and a client that hangs up withdraws what it asked for.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial

from msgspec.structs import replace
from starlette.responses import Response

from recollect.contracts.tool import Contract
from recollect.engine.grant import Grant
from recollect.serve.admission import Refused, step_up
from recollect.serve.http import HEADERS, Events, Exchange, check_kind, not_allowed, read_body, write_json
from recollect.serve.log import Log
from recollect.serve.message import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    KEY,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Message,
    Problem,
    Request,
    decode,
    encode_problem,
)
from recollect.serve.protocol import META, STATEFUL_VERSIONS, STATELESS_VERSIONS, Connection, Work
from recollect.serve.sessions import Session, Sessions, Stream
from recollect.serve.watch import KEEP_ALIVE, KEEP_ALIVE_SECONDS
from recollect.types import Json

PATIENCE_SECONDS = 2.0
"""An answer that takes longer becomes a stream, so that nobody on the way takes the silence for the end."""
TIDY_SECONDS = 60.0
MOST_CALLS_EACH = 16
"""So many requests of one session may be under way."""

NATIVE = "native"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
_PRIMED = STATEFUL_VERSIONS[-1]
"""The version whose clients want to know a stream's name before anything is said on it."""


class Streamable:
    """Every contract at `/mcp/<contract>`, and the native one at `/mcp`."""

    def __init__(self, offered: Callable[[str, Grant], Contract | None], log: Log) -> None:
        self._offered = offered
        self._log = log
        self._sessions = Sessions()
        self._contracts: dict[tuple[str, str], Contract] = {}
        self._running: dict[asyncio.Task[None], Connection] = {}
        self._listening: dict[Stream, bytes] = {}
        self._ended = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tidying: asyncio.TimerHandle | None = None

    def close(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if self._tidying is not None:
            self._tidying.cancel()
        self._sessions.leave()
        self._ended = True
        for stream, last in self._listening.items():
            stream.put(last)
            stream.finish()

    def cancel_calls(self) -> None:
        for connection in tuple(self._running.values()):
            connection.end_all()

    @property
    def sessions(self) -> int:
        return len(self._sessions)

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments[0] != "mcp" or len(exchange.segments) > 2:
            return None
        self._loop = asyncio.get_running_loop()
        name = exchange.segments[1] if len(exchange.segments) == 2 else NATIVE
        contract = await self._contract(exchange, name)
        if contract is None:
            return None
        method, headers = exchange.request.method, exchange.request.headers
        if method == "POST":
            return await self._post(exchange, name, contract)
        if headers.get("mcp-protocol-version") in STATELESS_VERSIONS or method not in ("GET", "DELETE"):
            raise not_allowed(method, "POST" if method in ("GET", "DELETE") else "POST, GET, DELETE")
        session = self._sessions.find(exchange.grant, name, headers.get("mcp-session-id"))
        if isinstance(session, Problem):
            return _refuse(404 if headers.get("mcp-session-id") else 400, session)
        if method == "GET":
            return self._listen(exchange, session)
        self._sessions.end(session)
        return Response(status_code=204, headers=HEADERS)

    async def _contract(self, exchange: Exchange, name: str) -> Contract | None:
        key = (name, exchange.grant.id)
        if key not in self._contracts:
            made = await exchange.lanes.run(partial(self._offered, name, exchange.grant))
            if made is None:
                return None
            self._contracts[key] = made
        return self._contracts[key]

    # Messages

    async def _post(self, exchange: Exchange, name: str, contract: Contract) -> Response:
        request, headers = exchange.request, exchange.request.headers
        _check_accept(headers.get("accept"), "application/json", "text/event-stream")
        data = await read_body(request)
        check_kind(request)
        message = _with_key(decode(data), headers.get("idempotency-key"))
        version = headers.get("mcp-protocol-version")
        if _stands_alone(message, version):
            return await self._answer_alone(exchange, message, contract)
        if version is not None and version not in STATEFUL_VERSIONS:
            return _refuse(400, _unsupported(version, message))
        if isinstance(message, Request) and message.method == "initialize":
            return await self._open_session(exchange, message, name, contract)
        if isinstance(message, Problem):
            return _refuse(400, message)
        session = self._sessions.find(exchange.grant, name, headers.get("mcp-session-id"))
        if isinstance(session, Problem):
            return _refuse(404 if headers.get("mcp-session-id") else 400, session)
        if isinstance(message, tuple):
            exchange.charge(len(message) - 1)  # whoever sends them one by one is counted the same
        work = session.connection.take(message)
        if work is None:
            return Response(status_code=202, headers=HEADERS)
        if session.calls >= MOST_CALLS_EACH:
            why = f"{session.calls} requests of this session are under way; wait for one of them"
            raise Refused(429, why, {"Retry-After": "1"})
        stream = session.open_stream()
        self._start(exchange, session.connection, work, stream, session)
        return await self._reply(exchange, session.connection, work, stream, session)

    async def _open_session(self, exchange: Exchange, message: Request, name: str, contract: Contract) -> Response:
        connection = Connection(contract, self._log)
        work = connection.take(message)
        assert work is not None, "a request is always answered"
        stream = Stream()
        self._start(exchange, connection, work, stream, None)
        response = await self._reply(exchange, connection, work, stream, None)
        if connection.refused is None:
            response.headers["Mcp-Session-Id"] = self._sessions.add(exchange.grant, name, connection).id
            if self._tidying is None:
                self._tidy()
        return response

    def _tidy(self) -> None:
        """Now and then, for as long as there are sessions."""
        self._sessions.tidy()
        loop = self._loop if self.sessions else None
        self._tidying = None if loop is None else loop.call_later(TIDY_SECONDS, self._tidy)

    async def _answer_alone(
        self, exchange: Exchange, message: Message | tuple[Message, ...], contract: Contract
    ) -> Response:
        if isinstance(message, tuple):
            return _refuse(400, Problem(INVALID_REQUEST, "Invalid Request: this version has no batches"))
        if isinstance(message, Request):
            problem = check_headers(message, exchange.request.headers)
            if problem is not None:
                return _refuse(400, problem)
        connection = Connection(contract, self._log)
        work = connection.take(message)
        if work is None:
            return Response(status_code=202, headers=HEADERS)
        stream = Stream()
        self._start(exchange, connection, work, stream, None)
        return await self._reply(exchange, connection, work, stream, None)

    # Calls, and what is heard of them

    def _start(
        self, exchange: Exchange, connection: Connection, work: Work, stream: Stream, session: Session | None
    ) -> None:
        """Does the work in a thread. It goes on whether anybody still listens or not, until it is withdrawn."""
        loop = asyncio.get_running_loop()

        def notify(message: bytes) -> None:
            loop.call_soon_threadsafe(stream.put, message)

        async def run() -> None:
            try:
                try:
                    answer = await exchange.lanes.run(partial(connection.perform, work, notify))
                except Refused:
                    answer = connection.put_off(work)
                if answer is not None:
                    stream.put(answer, last=True)
            finally:
                last = connection.listening if session is None else None
                if last is not None and not self._ended:
                    self._listening[stream] = last
                else:  # who begins to listen just when all are sent away is sent away likewise
                    if last is not None:
                        stream.put(last)
                    stream.finish()
                if session is not None:
                    session.calls -= 1

        if session is not None:
            session.calls += 1
        task = asyncio.create_task(run())
        self._running[task] = connection
        task.add_done_callback(self._running.pop)

    async def _reply(
        self, exchange: Exchange, connection: Connection, work: Work, stream: Stream, session: Session | None
    ) -> Response:
        """Plain JSON where the answer is the first thing to say and is there soon; else a stream."""
        left = asyncio.create_task(_left(exchange)) if session is None else None
        try:
            await stream.first(PATIENCE_SECONDS, left)
        finally:
            if left is not None:
                left.cancel()
        if session is None and left is not None and left.done() and not left.cancelled():
            connection.cancel_all()
        if stream.only_answer is not None:
            if session is not None:
                session.drop(stream)
            if work.lacks is not None and exchange.grant.of_issuer:  # whose clients know how to get a larger token
                return write_json(403, stream.only_answer, step_up(exchange.grant, work.lacks))
            if work.put_off:
                return write_json(503, stream.only_answer, {"Retry-After": "1"})
            status = _STATUS.get(connection.refused or 0, 200) if session is None else 200
            return write_json(status, stream.only_answer)
        return Events(self._events(stream, connection, session), exchange)

    async def _events(self, stream: Stream, connection: Connection, session: Session | None) -> AsyncIterator[bytes]:
        try:
            if session is not None and session.connection.version >= _PRIMED:
                yield b"id: %s\ndata: \n\n" % stream.mark(0)
            async for one in _frames(stream, 0):
                yield one
        finally:
            self._listening.pop(stream, None)
            if session is None and not stream.finished:
                connection.cancel_all()

    def _listen(self, exchange: Exchange, session: Session) -> Response:
        """The stream of a session: one that broke off from where it was, or one for what belongs to no request."""
        _check_accept(exchange.request.headers.get("accept"), "text/event-stream")
        last = exchange.request.headers.get("last-event-id")
        if last is None:
            return Events(_heard(session, session.own_stream(), 0), exchange)
        found = session.find_stream(last)
        if found is None:
            raise Refused(400, f"Last-Event-ID: {last[:60]!r} is of no stream that is still known")
        stream, after = found
        return Events(_heard(session, stream, after), exchange)


async def _heard(session: Session, stream: Stream, after: int) -> AsyncIterator[bytes]:
    """A stream of a session, which is in use for as long as somebody listens."""
    session.listeners += 1
    try:
        async for one in _frames(stream, after):
            yield one
    finally:
        session.listeners -= 1


async def _frames(stream: Stream, after: int) -> AsyncIterator[bytes]:
    """What was said on a stream after a message, and what is said from now on; signs of life when nothing is."""
    while True:
        for number, message in stream.since(after):
            mark = b"" if stream.name is None else b"id: %s\n" % stream.mark(number)
            yield mark + b"event: message\ndata: " + message + b"\n\n"
            after = number
        if stream.finished:
            return
        if not await stream.more(after, KEEP_ALIVE_SECONDS):
            yield KEEP_ALIVE


async def _left(exchange: Exchange) -> None:
    """Returns when the client is gone."""
    while (await exchange.request.receive())["type"] != "http.disconnect":
        continue


# What headers say


def _with_key(message: Message | tuple[Message, ...], key: str | None) -> Message | tuple[Message, ...]:
    """A call whose key stands in a header has it where it is looked for; what a call says of itself holds."""
    if key is None or not isinstance(message, Request) or message.method != "tools/call":
        return message
    about = message.params.get("_meta", {})
    if not isinstance(about, dict):
        return message
    return replace(message, params={**message.params, "_meta": {KEY: key, **about}})


def _stands_alone(message: Message | tuple[Message, ...], version: str | None) -> bool:
    """Is this of the era without sessions? A request says so itself; of anything else its header does."""
    if version in STATELESS_VERSIONS:
        return True
    if not isinstance(message, Request) or (message.method == "initialize" and "protocolVersion" in message.params):
        return False
    meta = message.params.get("_meta")
    return isinstance(meta, Mapping) and META + "protocolVersion" in meta


def check_headers(message: Request, headers: Mapping[str, str]) -> Problem | None:
    """What is wrong with a request that stands alone: its headers repeat what its body says, which has its envelope."""
    meta = message.params.get("_meta")
    version = meta.get(META + "protocolVersion") if isinstance(meta, Mapping) else None
    name: Json = message.params.get(_NAMED.get(message.method, ""))
    said: tuple[tuple[str, Json], ...] = (("Mcp-Method", message.method),)
    said += () if version is None else (("MCP-Protocol-Version", version),)
    said += () if name is None else (("Mcp-Name", name),)
    for header, expected in said:
        given = headers.get(header.lower())
        if given is None:
            return Problem(HEADER_MISMATCH, f"Header mismatch: the header {header} is missing", message.id)
        if _plain(given) != expected:
            told = f"Header mismatch: {header} is {given[:100]!r}, and the body says {str(expected)[:100]!r}"
            return Problem(HEADER_MISMATCH, told, message.id)
    if version is None:
        told = f"Invalid params: _meta must carry {META}protocolVersion, as the header MCP-Protocol-Version says"
        return Problem(INVALID_PARAMS, told, message.id)
    return None


def _plain(value: str) -> str | None:
    """A header's value; one that is not ASCII comes as `=?base64?…?=`."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[len("=?base64?") : -len("?=")], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _check_accept(accept: str | None, *wanted: str) -> None:
    given = [part.partition(";")[0].strip().lower() for part in (accept or "*/*").split(",")]
    for kind in wanted:
        if not {kind, "*/*", kind.partition("/")[0] + "/*"} & set(given):
            raise Refused(406, f"Accept must list {' and '.join(wanted)}")


def _unsupported(version: str, message: Message | tuple[Message, ...]) -> Problem:
    supported: Json = [*STATEFUL_VERSIONS, *STATELESS_VERSIONS]
    told = f"Unsupported protocol version: {version[:100]}"
    request_id = message.id if isinstance(message, Request) else None
    return Problem(UNSUPPORTED_VERSION, told, request_id, {"supported": supported, "requested": version[:100]})


def _refuse(status: int, problem: Problem) -> Response:
    return write_json(status, encode_problem(problem))
