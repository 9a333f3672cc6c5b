"""How is a client served by a process that has nothing of its own?

Another process has the memory open, with its model and its index; this one carries lines. Each line of the client gets
a number and a key, and is remembered until its answer has come. When the other process is gone, the client's last
words go to whoever serves then, or are answered here; by the key nothing is done twice. When it says nothing for long,
this process serves on its own. Nothing here is slow to import.

Between the two, a line of ours begins with a zero byte: `NUL number SP key SP line` one way and `NUL number SP answer`
back, where the answer may be empty; `NUL = number` says before it that this opened a session. Lines without it are what
a server says unasked, such as progress.
"""

from __future__ import annotations

import _socket
import os
import select
import time
from _json import encode_basestring_ascii as quote

from recollect.errors import ENDING
from recollect.light import TYPE_CHECKING, Plain, cast
from recollect.serve.meeting import Claim, Meeting

if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Mapping
else:
    import _signal  # `signal` is this, and a megabyte of what names its numbers

MARK = b"\0"
PING, PONG, REFUSED, OPENED = b"\0?", b"\0!", b"\0-", b"\0="
SERVER_ENDING = -32000
"""The code by which a client is told to ask again; it knows it as that of a connection that ended."""
TOO_LARGE = b"\0"
"""Stands for a line beyond the limit, which was not read to its end."""
MAX_BYTES = 16 * 1024 * 1024
QUIET_SECONDS = 1.0
"""Who says nothing for so long, and owes an answer, is asked whether it is still there."""
HUNG_SECONDS = 3.0
"""Who does not even say that, is not waited for any longer."""
FINDING_SECONDS = 5.0
"""So long somebody else may be about to serve."""
COURTESY_SECONDS = 1.0
"""After a signal what is owed may take so long to come; for the rest the client is told to ask again."""
_LAST_SECONDS = 0.3
_STEP_SECONDS = 0.01
_CHUNK = 64 * 1024
_FULL = 4 * MAX_BYTES
_WRITTEN_AT_ONCE = 4096  # bytes that a pipe takes without making anybody wait


class Said(Plain):
    """A line of the client that was not answered yet, and the key by which it is done once."""

    line: bytes
    key: str


class Handed(Plain):
    """What a process that is to serve its client itself has to go on with. With a claim, it serves others too."""

    claim: Claim | None
    initialize: bytes | None = None
    """What the client said to open its session, where that was answered."""
    waiting: tuple[Said, ...] = ()
    rest: bytes = b""
    """The beginning of a line that was read already."""
    ended: bool = False
    """The client will say no more."""


class Lost(Exception):
    """Whoever served is gone; or it `hangs`, or does not want to: it is not asked again."""

    def __init__(self, *, hangs: bool = False) -> None:
        super().__init__()
        self.hangs = hangs


class Relay:
    """Carries lines between the client of this process and whoever serves the memory."""

    def __init__(self, meeting: Meeting, hello: Mapping[str, str | None], source: int = 0, sink: int = 1) -> None:
        self._meeting = meeting
        self._hello = hello
        self._source = source
        self._sink = sink
        self._name = os.urandom(8).hex()
        self._number = 0
        self._waiting: dict[int, Said] = {}
        self._opening: int | None = None
        self._initialize: bytes | None = None
        self._held = b""
        self._skipping = False
        self._ended = False
        self._told = bytearray()
        """What the client is still to be told."""
        self._telling = False
        self._leaving = False

    def run(self) -> int | Handed:
        """The exit code when all is said; or what this process has to go on with by itself."""
        while True:
            found = self._find()
            if not isinstance(found, _socket.socket):
                self._flush()
                return self._hand(found)
            try:
                return self._carry(found)
            except Lost as lost:
                if lost.hangs:
                    self._flush()
                    return self._hand(None)
            finally:
                found.close()

    def _hand(self, claim: Claim | None) -> Handed:
        if self._leaving:
            self._put_off(0, None)
        waiting = tuple(self._waiting.values())
        return Handed(claim, self._initialize, waiting, self._held, self._ended)

    def _find(self) -> _socket.socket | Claim | None:
        """Whoever serves, or the right to; None where neither is to be had."""
        end = time.monotonic() + FINDING_SECONDS
        while time.monotonic() < end:
            found = self._meeting.connect() or self._meeting.claim()
            if found is not None or not self._meeting.can_be_claimed():
                return found
            select.select([], [], [], _STEP_SECONDS)
        return None

    # One connection

    def _carry(self, peer: _socket.socket) -> int:
        """Returns when the client has said all and has all answers; raises `Lost` where the other end is gone."""
        peer.setblocking(False)
        initialize = None if self._initialize is None else self._initialize.decode("utf-8", "replace")
        hello = {**self._hello, "character": self._meeting.character, "initialize": initialize}
        told = (f"{quote(name)}: {'null' if value is None else quote(value)}" for name, value in hello.items())
        sending = bytearray(f"{{{', '.join(told)}}}\n".encode())
        for number, said in self._waiting.items():
            sending += _numbered(number, said)
        heard, coming = time.monotonic(), bytearray()
        asked = heard
        poll = select.poll()
        while not ((self._ended or self._leaving) and not self._waiting and not self._told):
            self._register(poll, peer, sending)
            ready = dict(poll.poll(QUIET_SECONDS * 1000))
            now = time.monotonic()
            if self._source in ready and not self._ended:
                sending += self._hear_client()
            if self._told and self._sink in ready:
                self._tell()
            state = ready.get(peer.fileno(), 0)
            if state & select.POLLOUT and sending:
                _send(peer, sending)
            if state & (select.POLLIN | select.POLLHUP | select.POLLERR):
                coming += _receive(peer)
                heard = now
                self._hear(coming)
            if self._waiting and now - heard > HUNG_SECONDS:
                raise Lost(hangs=True)
            if not self._waiting:
                heard = now
            elif now - max(heard, asked) > QUIET_SECONDS:
                sending += PING + b"\n"
                asked = now
        return 0

    def _register(self, poll: select.poll, peer: _socket.socket, sending: bytearray) -> None:
        """Says what is waited for: nothing more is taken in where what came before has not gone out."""
        wanted = {peer.fileno(): (select.POLLOUT if sending else 0) | (select.POLLIN if len(self._told) < _FULL else 0)}
        if not self._ended:
            wanted[self._source] = select.POLLIN if len(sending) < _FULL else 0
        if self._told:
            wanted[self._sink] = select.POLLOUT
        for file in (self._source, self._sink, peer.fileno()):
            if file in wanted:
                poll.register(file, wanted[file])
            else:
                try:
                    poll.unregister(file)
                except KeyError:
                    continue

    def _hear_client(self) -> bytes:
        """What the client says, as it goes to the other end."""
        chunk = os.read(self._source, _CHUNK)
        self._ended = not chunk
        *lines, self._held = (self._held + chunk).split(b"\n")
        if self._ended and self._held:
            lines, self._held = [*lines, self._held], b""
        sent = b""
        for line in lines:
            if not self._skipping and line.strip():
                sent += self._note(line)
            self._skipping = False
        if len(self._held) > MAX_BYTES:
            if not self._skipping:
                sent += self._note(TOO_LARGE)
            self._held, self._skipping = b"", True
        return sent

    def _note(self, line: bytes) -> bytes:
        """Remembers a line until it is answered."""
        self._number += 1
        said = self._waiting[self._number] = Said(line, f"{self._name}-{self._number}")
        return _numbered(self._number, said)

    def _hear(self, coming: bytearray) -> None:
        """Takes whole lines of the other end; what is left of one that broke off is nothing."""
        *lines, rest = bytes(coming).split(b"\n")
        coming[:] = rest
        for line in lines:
            if not line.startswith(MARK):
                self._told += line + b"\n"
            elif line == REFUSED:
                raise Lost(hangs=True)
            elif line.startswith(OPENED):
                self._opening = self._opening or int(line[len(OPENED) :])
            elif line != PONG:
                self._settle(line[len(MARK) :])

    def _settle(self, line: bytes) -> None:
        number, _, answer = line.partition(b" ")
        said = self._waiting.pop(int(number), None)
        if said is None:
            return
        if int(number) == self._opening:
            self._initialize = said.line
        if answer:
            self._told += answer + b"\n"

    def _tell(self) -> None:
        self._telling = True
        try:
            written = os.write(self._sink, self._told[:_WRITTEN_AT_ONCE])
        except OSError:
            os._exit(0)  # the client is gone: nobody waits for anything any more
        del self._told[:written]
        self._telling = False

    def leave(self, number: int, frame: object) -> None:  # noqa: ARG002  the seam's shape
        """Ends soon: what is owed may still come, and nothing keeps it waiting for long, nor a second signal at all."""
        if self._leaving or not (self._waiting or self._told):
            os._exit(0)
        self._leaving = True
        _signal.signal(_signal.SIGALRM, self._put_off)
        _signal.setitimer(_signal.ITIMER_REAL, COURTESY_SECONDS, _LAST_SECONDS)

    def _put_off(self, number: int, frame: object) -> None:  # noqa: ARG002  the seam's shape
        """Tells the client to ask again for what has no answer, and is gone; the second time it is gone at once."""
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            os._exit(0)
        for said in waiting.values():
            self._told += _ask_again(said.line)
        if not self._telling:
            self._flush()
            os._exit(0)

    def _flush(self) -> None:
        while self._told:
            self._tell()


def relay(meeting: Meeting, hello: Mapping[str, str | None]) -> int | Handed:
    """Serves the client of this process by another one, for as long as there is one."""
    carrying = Relay(meeting, hello)
    before = _signal.signal(_signal.SIGTERM, carrying.leave), _signal.signal(_signal.SIGINT, carrying.leave)
    done = carrying.run()
    _signal.signal(_signal.SIGTERM, before[0])
    _signal.signal(_signal.SIGINT, before[1])
    return done


def _ask_again(line: bytes) -> bytes:
    """The answers to a line of the client for which there is no time left."""
    import json  # which takes a megabyte, and is needed at an end alone

    try:
        read: object = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    several = cast("list[object]", read) if isinstance(read, list) else [read]
    asked = [cast("dict[str, object]", one) for one in several if isinstance(one, dict)]
    error = {"code": SERVER_ENDING, "message": ENDING}
    answers = [{"jsonrpc": "2.0", "id": one["id"], "error": error} for one in asked if "method" in one and "id" in one]
    return json.dumps(answers if isinstance(read, list) else answers[0]).encode() + b"\n" if answers else b""


def _numbered(number: int, said: Said) -> bytes:
    return b"%s%d %s %s\n" % (MARK, number, said.key.encode(), said.line)


def _send(peer: _socket.socket, sending: bytearray) -> None:
    try:
        del sending[: peer.send(sending[:_CHUNK])]
    except BlockingIOError:
        return
    except OSError as error:
        raise Lost from error


def _receive(peer: _socket.socket) -> bytes:
    try:
        chunk = peer.recv(_CHUNK)
    except BlockingIOError:
        return b""
    except OSError as error:
        raise Lost from error
    if not chunk:
        raise Lost
    return chunk
