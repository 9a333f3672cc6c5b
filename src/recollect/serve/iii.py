"""How is a contract reached by clients of the iii protocol?

JSON messages in text frames over WebSocket. A client that connects is told its worker id; then it invokes functions,
any number at once, and each answer names the invocation that it belongs to. What else such clients say (functions and
triggers of their own, telemetry) is heard and left alone: this is no engine, and only the contract has functions here.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from uuid import uuid4

import msgspec
from msgspec import UNSET, Struct, UnsetType
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from recollect.contracts.tool import Contract
from recollect.forms import decoder
from recollect.serve.admission import Admission, Refused
from recollect.serve.capacity import HEADER_SECONDS, Room, room_for_connections
from recollect.serve.functions import FAILED, Functions, Outcome, Problem
from recollect.serve.log import Log
from recollect.serve.message import MAX_BYTES, MAX_ERROR_TEXT, encode

READS_AT_ONCE, WRITES_AT_ONCE = 2, 8
"""So many calls run at the same time, of all clients: more reads would only take turns on the interpreter, while a
write may wait for a language model."""

WAITING = 64
"""So many invocations of one client may wait; beyond that nothing more is read from it until one is done."""

GOING_AWAY = 1001
TELEMETRY = "/otel"


class _Message(Struct, frozen=True):
    """What matters of an incoming message; all else in it is somebody else's concern."""

    type: str = ""
    invocation_id: object = None
    function_id: object = None
    data: object = None


class _Answer(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="invocationresult"):
    """How an invocation ended, as it is sent."""

    invocation_id: object
    function_id: object
    result: object = UNSET
    error: Problem | UnsetType = UNSET


_decode = decoder(_Message)


def _connection(room: Room) -> type[ServerConnection]:
    """What reads messages off connections; there are only so many of these."""

    class Counted(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            if room.enter(self, transport):
                super().connection_made(transport)
            else:
                super(ServerConnection, self).connection_made(transport)  # without anybody who attends to it

        def connection_lost(self, exc: Exception | None) -> None:
            room.leave(self)
            super().connection_lost(exc)

    return Counted


class IiiServer:
    """One contract on one socket. `run` returns after `stop`, which any thread may call."""

    def __init__(self, contract: Contract, admission: Admission, log: Log) -> None:
        self._functions = Functions(contract, log)
        self._admission = admission
        self._log = log
        self._clients: set[ServerConnection] = set()
        self._room = room_for_connections()
        self._calls: set[asyncio.Task[None]] = set()
        self._reads = ThreadPoolExecutor(READS_AT_ONCE, thread_name_prefix="recollect-iii-read")
        self._writes = ThreadPoolExecutor(WRITES_AT_ONCE, thread_name_prefix="recollect-iii")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end = asyncio.Event()
        logging.getLogger("websockets").setLevel(logging.CRITICAL)  # it speaks of every client that left

    def run(self, listener: socket.socket) -> None:
        asyncio.run(self._serve(listener))

    def stop(self) -> None:
        """Takes no more clients or calls. Running calls may end, and are answered."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end.set)
        else:
            self._end.set()

    def cancel_calls(self) -> None:
        self._functions.cancel_all()

    async def _serve(self, listener: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        async with serve(
            self._attend, sock=listener, process_request=self._admit, compression=None, max_size=MAX_BYTES,
            server_header=None, close_timeout=1, open_timeout=HEADER_SECONDS, create_connection=_connection(self._room),
        ) as server:  # fmt: skip
            await self._end.wait()
            server.close(close_connections=False)
            if self._calls:
                await asyncio.wait(self._calls)
            for client in tuple(self._clients):
                await client.close(GOING_AWAY, "the server ends")
        for pool in (self._reads, self._writes):
            pool.shutdown(wait=False)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuses whom HTTP would refuse too: a page on the web must not reach this machine's memory."""
        try:
            self._admission.check({name.lower(): value for name, value in request.headers.raw_items()}, pages=False)
        except Refused as refused:
            response = connection.respond(HTTPStatus(refused.status), f"{refused}\n")
            for name, value in refused.headers.items():
                response.headers[name] = value
            return response
        return None

    async def _attend(self, client: ServerConnection) -> None:
        """One client, until it leaves."""
        path = "" if client.request is None else client.request.path
        self._clients.add(client)
        try:
            if path.partition("?")[0].rstrip("/") == TELEMETRY:
                async for _ in client:
                    continue
                return
            await client.send(encode({"type": "workerregistered", "worker_id": str(uuid4())}), text=True)
            room = asyncio.Semaphore(WAITING)
            async for frame in client:
                await self._take(client, frame, room)
        except ConnectionClosed as gone:
            self._log.write("debug", f"iii: a client is gone ({gone})")
        finally:
            self._clients.discard(client)

    async def _take(self, client: ServerConnection, frame: str | bytes, room: asyncio.Semaphore) -> None:
        try:
            message = _decode(frame)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._log.write("info", f"iii: a frame that is no message was passed over: {error}")
            refusal = _refuse(frame, error)
            if refusal is not None:
                await client.send(refusal, text=True)
            return
        if message.type == "ping":
            await client.send(b'{"type":"pong"}', text=True)
        elif message.type == "invokefunction" and not self._end.is_set():
            await room.acquire()
            call = asyncio.create_task(self._invoke(client, message, room))
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)

    async def _invoke(self, client: ServerConnection, message: _Message, room: asyncio.Semaphore) -> None:
        try:
            loop = asyncio.get_running_loop()
            pool = self._reads if self._functions.only_reads(message.function_id) else self._writes
            answer = await loop.run_in_executor(pool, self._answer, message)
            if answer is not None:
                await client.send(answer, text=True)
        except ConnectionClosed as gone:
            self._log.write("debug", f"iii: a client did not wait for its answer ({gone})")
        finally:
            room.release()

    def _answer(self, message: _Message) -> bytes | None:
        outcome = self._functions.invoke(message.function_id, message.data)
        if message.invocation_id is None:
            self._tell_unheard(message, outcome)
            return None
        return encode(_Answer(message.invocation_id, message.function_id, result=outcome.result, error=outcome.error))

    def _tell_unheard(self, message: _Message, outcome: Outcome) -> None:
        """Nobody waits for this answer; what went wrong is at least in the log."""
        if isinstance(outcome.error, Problem):
            self._log.write("info", f"iii: {message.function_id} without an answer failed: {outcome.error.message}")


def _refuse(frame: str | bytes, error: Exception) -> bytes | None:
    """An answer to an invocation that cannot be read as it should, where at least its id can: somebody waits for it."""
    try:
        found: object = json.loads(frame)
    except (ValueError, RecursionError):
        return None
    from recollect.serve.surrogates import decode_with_surrogates  # the slow decoder, for this case alone

    stray = decode_with_surrogates(frame.encode() if isinstance(frame, str) else frame)
    why = f"the message cannot be read: {error}"
    if stray is not None:
        why = f"{stray[1].removeprefix('data.')}: is not Unicode text (it holds half of a surrogate pair)"
    problem = Problem(FAILED, why[:MAX_ERROR_TEXT])
    match found:
        case {"type": "invokefunction", "invocation_id": str() | int() as id, "function_id": str() as function}:
            return encode(_Answer(id, function, error=problem))
        case _:
            return None
