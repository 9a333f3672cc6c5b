"""How does the process that has the memory open serve the clients of others?

Each of them has a relay, which carries its lines here over a socket. To each this is a server of its own, in two
threads: one takes lines, and says at once that it is there; the other does the work in the order in which it came.
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Queue

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from recollect.contracts.registry import CONTRACTS, Offer
from recollect.contracts.tool import Contract
from recollect.engine.loop import Loop
from recollect.engine.memory import Memory
from recollect.forms import decode
from recollect.serve.heaps import Heap
from recollect.serve.log import Log
from recollect.serve.meeting import Claim, is_own
from recollect.serve.protocol import Connection, Work
from recollect.serve.relay import MARK, MAX_BYTES, OPENED, PING, PONG, REFUSED, TOO_LARGE
from recollect.serve.stdio import WAITING_LINES, read_lines
from recollect.working import work_in

COURTESY_SECONDS = 1.0
"""At the end a running call may take so long before it is asked to stop."""
_SIGN_OF_LIFE_SECONDS = 0.5
_LOOK_SECONDS = 0.5
"""So often it is looked whether the socket is still where relays look for it."""

Begin = Callable[[Offer], Sequence[Callable[[], object]]]
"""Starts what goes on beside a contract, and answers with what ends it."""


class Hello(Struct, frozen=True):
    """What a relay says of its client."""

    character: str
    contract: str
    bound_to: str | None = None
    folder: str | None = None
    """From where its paths are meant."""
    works_in: str | None = None
    """Where its project is."""
    initialize: str | None = None


class Owner:
    """The memory as relays reach it. It can be reached before it is there: who comes early waits."""

    def __init__(self, claim: Claim, log: Log) -> None:
        self.character = claim.character
        self.log = log
        self._claim = claim
        self._begin: Begin = lambda _: ()
        self._memory: Memory | None = None
        self._there = threading.Event()
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str | None], Contract] = {}
        self._beside: dict[str, tuple[int, Sequence[Callable[[], object]]]] = {}
        self._peers: set[_Peer] = set()
        self._stopped = False
        self._waking, self._ending = socket.socketpair()
        self._heap = Heap()
        self._accepting = Loop("recollect-owner", self._accept)
        self._accepting.wake()

    def open(self, memory: Memory, begin: Begin) -> None:
        """From here on the memory can be asked; `begin` starts what goes on beside a contract that is asked for."""
        self._memory, self._begin = memory, begin
        self._there.set()

    def wait(self, seconds: float) -> bool:
        return self._there.wait(seconds)

    def contract(self, name: str, bound_to: str | None) -> Contract:
        assert self._memory is not None, "relays wait until there is a memory"
        with self._lock:
            if (name, bound_to) not in self._made:
                self._made[name, bound_to] = CONTRACTS[name].make(self._memory, bound_to)
            return self._made[name, bound_to]

    def enter(self, contract: str) -> None:
        """Somebody is served by a contract: what goes on beside it goes on."""
        with self._lock:
            count, ends = self._beside.get(contract, (0, ()))
            self._beside[contract] = (count + 1, ends if count else self._begin(CONTRACTS[contract]))

    def leave(self, contract: str) -> None:
        with self._lock:
            count, ends = self._beside.pop(contract)
            if count > 1:
                self._beside[contract] = (count - 1, ends)
        for end in ends if count == 1 else ():
            end()

    def stop(self) -> None:
        """Leaves it to another: nobody new comes in, and whoever waits for an answer takes the question there."""
        if self._stopped:
            return
        self._stopped = True
        self._ending.close()
        self._heap.stop()
        self._accepting.stop(COURTESY_SECONDS)
        self._claim.release()
        self._waking.close()
        with self._lock:
            peers = tuple(self._peers)
        for peer in peers:
            peer.end()
        for peer in peers:
            peer.join()

    def forget(self, peer: _Peer) -> None:
        with self._lock:
            self._peers.discard(peer)

    def _accept(self) -> None:
        while (listener := self._next()) is not None:
            listener.setblocking(False)
            try:
                found, _ = listener.accept()
            except BlockingIOError:
                continue  # it came and left
            except OSError:
                return
            found.setblocking(True)
            if not is_own(found):
                found.close()
                continue
            peer = _Peer(self, found)
            with self._lock:
                self._peers.add(peer)
            peer.start()

    def _next(self) -> socket.socket | None:
        """The socket, once somebody comes; None at the end."""
        while True:
            poll = select.poll()
            for one in (self._claim.listener, self._waking):
                poll.register(one, select.POLLIN)
            ready = dict(poll.poll(_LOOK_SECONDS * 1e3))
            if self._waking.fileno() in ready:
                return None
            if ready:
                return self._claim.listener
            self._claim.renew()


class _Peer:
    """One relay."""

    def __init__(self, owner: Owner, link: socket.socket) -> None:
        self._owner = owner
        self._link = link
        self._sending = threading.Lock()
        self._stopping = False
        self._work: Queue[tuple[bytes, Work] | None] = Queue(WAITING_LINES)
        self._connection: Connection | None = None
        self._folder: str | None = None
        self._reading = Loop("recollect-relayed", self._run)
        self._working = Loop("recollect-relayed-work", self._work_off)

    def start(self) -> None:
        self._reading.wake()

    def end(self) -> None:
        """What is being done may be finished; nothing else is begun."""
        self._stopping = True
        if self._work.empty():
            self._work.put(None)

    def join(self) -> None:
        if not self._working.wait(COURTESY_SECONDS) and self._connection is not None:
            self._connection.cancel_all()
            self._working.wait(COURTESY_SECONDS)
        try:
            self._link.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it has left by itself

    def _run(self) -> None:
        try:
            lines = read_lines(self._link.fileno(), most=MAX_BYTES + 256)
            hello = self._greet(next(lines, None))
            if hello is not None:
                self._owner.enter(hello.contract)
                try:
                    self._serve(hello, lines)
                finally:
                    self._owner.leave(hello.contract)
        except OSError as error:
            self._owner.log.write("debug", f"a relay is gone ({error.strerror})")
        finally:
            self._owner.forget(self)
            self._link.close()

    def _greet(self, line: bytes | None) -> Hello | None:
        """What the relay wants, where that can be had; else it is told to look after its client itself."""
        try:
            hello = decode(line or b"", Hello)
        except msgspec.MsgspecError:
            hello = None
        if hello is None or hello.character != self._owner.character or hello.contract not in CONTRACTS:
            self._send(REFUSED)
            return None
        while not self._owner.wait(_SIGN_OF_LIFE_SECONDS):
            if self._stopping:
                return None
            self._send(PONG)
        return hello

    def _serve(self, hello: Hello, lines: Iterator[bytes | None]) -> None:
        self._folder = hello.folder
        contract = self._owner.contract(hello.contract, hello.bound_to)
        if CONTRACTS[hello.contract].follows:
            contract = replace(contract, folder=hello.works_in)
        connection = Connection(contract, self._owner.log)
        self._connection = connection
        if hello.initialize is not None:
            again = connection.receive(hello.initialize.encode())
            if again is not None:
                connection.perform(again, self._send)
        self._working.wake()
        try:
            for line in lines:
                if self._stopping:
                    return
                self._take(connection, line)
        finally:
            connection.end_input()
            if not self._stopping:
                connection.cancel_all()
            self._stopping = True
            self._work.put(None)
            self._working.wait()

    def _take(self, connection: Connection, line: bytes | None) -> None:
        if line == PING:
            self._send(PONG)
            return
        number, key, said = (*(line or b"").removeprefix(MARK).split(b" ", 2), b"", b"")[:3]
        if not said:
            return  # a relay was killed in the midst of a line: who takes its place asks again
        work = connection.refuse_too_large() if said == TOO_LARGE else connection.receive(said, key.decode())
        if work is not None and work.opens:
            self._send(OPENED + number)
        if work is None:
            self._send(MARK + number)
        elif work.urgent:
            self._perform(connection, number, work)
        else:
            self._work.put((number, work))

    def _work_off(self) -> None:
        with work_in(self._folder):
            while (work := self._work.get()) is not None and not self._stopping:
                assert self._connection is not None, "work comes over a connection"
                self._perform(self._connection, *work)

    def _perform(self, connection: Connection, number: bytes, work: Work) -> None:
        answer = connection.perform(work, self._send)
        if answer is not None:
            self._send(MARK + number + b" " + answer)
        elif not self._stopping:  # else it was broken off by our end, and its client asks whoever serves then
            self._send(MARK + number)

    def _send(self, line: bytes) -> None:
        """One whole line, whoever else is sending."""
        with self._sending:
            try:
                self._link.sendall(line + b"\n")
            except OSError:
                self._stopping = True
                if self._connection is not None:
                    self._connection.cancel_all()
