"""How does a memory run as a service: every contract at once, on one address, until it is told to stop?"""

from __future__ import annotations

import os
import signal
import ssl
import sys
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from types import FrameType
from typing import NamedTuple

from recollect.config import Settings
from recollect.contracts.registry import CONTRACTS, Offer
from recollect.contracts.route import Web
from recollect.contracts.tool import Contract
from recollect.engine.care.backups import Backed
from recollect.engine.care.lifecycle import Maintained
from recollect.engine.care.schedule import Scheduler, backup_tasks, history_tasks
from recollect.engine.core import utc_now
from recollect.engine.grant import EVERYTHING, Grant
from recollect.engine.guard import guarded
from recollect.engine.loop import Loop
from recollect.engine.memory import Memory
from recollect.engine.read.readers import usual_readers
from recollect.errors import ConfigError, RecollectError
from recollect.serve.address import Address, address_of, listen
from recollect.serve.admission import Gate
from recollect.serve.api import Api, Palaces
from recollect.serve.gate import TokenGate
from recollect.serve.heaps import Heap
from recollect.serve.http import Health, HttpServer, Part, Tls
from recollect.serve.limits import Limits
from recollect.serve.log import Log
from recollect.serve.meeting import Meeting
from recollect.serve.oauth import Issuer, Metadata
from recollect.serve.owner import Begin, Owner
from recollect.serve.page import Page
from recollect.serve.state import Journal, Metrics, Readiness
from recollect.serve.streamable import Streamable
from recollect.types import DEFAULT_SPACE

RATE = 50.0
"""Requests a second of one client beyond this machine, where the settings say nothing."""
SWITCH_SECONDS = 0.001
"""A thread that computes lets others go on after this time: requests that come in, and answers that a reader has given,
wait for it no longer.
"""
HEARING_SECONDS = 0.2
"""A signal is heard within this time, however unlucky its moment is."""
COURTESY_SECONDS = 2.0
"""At the end a running call may take so long before it is asked to stop."""
HOSTING_SECONDS = 0.2
"""So often it is tried to take over from a process that serves others on this machine."""
PATIENCE_SECONDS = 10.0
"""The process ends within this time, whatever is still running."""


class Offered:
    """The contracts as each client may see them. Each is made when it is first asked for."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._made: dict[tuple[str, str], Contract] = {}
        self._webs: dict[str, Web] = {}
        self._memories: dict[str, Memory] = {}

    def memory(self, grant: Grant) -> Memory:
        """The memory, as far as a grant reaches: whatever answers a client works on this."""
        if grant == EVERYTHING:
            return self._memory
        if grant.id not in self._memories:
            self._memories[grant.id] = guarded(self._memory, grant)
        return self._memories[grant.id]

    def palaces(self, grant: Grant) -> Web:
        """What trusty-memory has on the web."""
        if grant.id not in self._webs:
            contract = self("trusty-memory", grant)
            assert contract is not None
            assert contract.web is not None
            self._webs[grant.id] = contract.web()
        return self._webs[grant.id]

    def __call__(self, name: str, grant: Grant) -> Contract | None:
        offer = CONTRACTS.get(name)
        if offer is None:
            return None
        key = (name, grant.id)
        if key not in self._made:
            self._made[key] = offer.make(self.memory(grant), _usual_space(offer, grant))
        return self._made[key]


def _usual_space(offer: Offer, grant: Grant) -> str | None:
    """The space that is meant where none is named; None leaves that to the contract."""
    if grant.usual_space == DEFAULT_SPACE:
        return None
    if offer.scope == "--palace" and not grant.allows("write"):
        return None  # one that is named is made
    return grant.usual_space


class Hosting:
    """Serves the agents' own processes on this machine too, as soon as nobody else does."""

    def __init__(self, memory: Memory, meeting: Meeting | None, begin: Begin, log: Log) -> None:
        self._memory, self._begin, self._log = memory, begin, log
        self._meeting = meeting
        self._owner: Owner | None = None
        self._trying = Loop(
            "recollect-hosting", self._try, delay=HOSTING_SECONDS, again=lambda: self._owner is None
        )  # fmt: skip

    def start(self) -> None:
        self._try()
        if self._meeting is not None and self._owner is None:
            self._trying.wake()

    def _try(self) -> None:
        claim = None if self._meeting is None else self._meeting.claim()
        if claim is not None:
            self._owner = Owner(claim, self._log)
            self._owner.open(self._memory, self._begin)

    def stop(self) -> None:
        self._trying.stop()
        if self._owner is not None:
            self._owner.stop()


class Guarding(NamedTuple):
    """What a service keeps others out by: whoever they are, how often they come, and who listens on the way."""

    gate: Gate
    limits: Limits
    tls: Tls | None = None
    issuer: Issuer | None = None


def guarding_of(memory: Memory, address: Address) -> Guarding:
    """What the settings ask for; a setting that cannot be used is an error that names it."""
    settings = memory.settings
    if (settings.oauth_issuer is None) != (settings.oauth_resource is None):
        raise ConfigError("oauth_issuer and oauth_resource go together: who makes tokens, and for which address")
    issuer = None
    if settings.oauth_issuer is not None and settings.oauth_resource is not None:
        issuer = Issuer(settings.oauth_issuer, settings.oauth_resource)
    usual = 0.0 if address.is_loopback else RATE
    return Guarding(
        TokenGate(memory.core, address, settings.token, issuer),
        Limits(usual if settings.rate is None else settings.rate), _tls(settings), issuer,
    )  # fmt: skip


def _tls(settings: Settings) -> Tls | None:
    if settings.tls_cert is None and settings.tls_key is None:
        return None
    if settings.tls_cert is None or settings.tls_key is None:
        raise ConfigError("tls_cert and tls_key go together: a certificate, and its key")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"tls_cert: {settings.tls_cert} with {settings.tls_key} cannot be used: {error}") from error
    return Tls(str(settings.tls_cert), str(settings.tls_key))


def serve_up(
    memory: Memory, address: Address, guarding: Guarding, log: Log, ready: Callable[[str], None], hosting: Hosting
) -> int:
    """Serves until a signal comes; `ready` is told at which URL. Returns the process's exit code."""
    heap = Heap()
    sys.setswitchinterval(SWITCH_SECONDS)
    if memory.settings.store is None:  # a database answers many at once by itself
        memory.readers.allow(usual_readers() if memory.settings.readers is None else memory.settings.readers)
    listener = listen(address)
    offered = Offered(memory)
    protocol = Streamable(offered, log)
    metrics = Metrics(memory, lambda: protocol.sessions)
    watching = (Health(), Readiness(memory), metrics, Journal(memory, log))
    parts: Sequence[Part] = (*watching, Page(), Api(offered.memory), Palaces(offered.palaces), protocol)
    if guarding.issuer is not None:
        parts = (Metadata(guarding.issuer), *parts)
    server = HttpServer(parts, guarding.gate, log, metrics.count, limits=guarding.limits, tls=guarding.tls)
    ends: SimpleQueue[int] = SimpleQueue()

    def run() -> None:
        try:
            server.run(listener)
        except Exception as error:  # noqa: BLE001  the top of a transport
            log.fault("the server failed", error)
        ends.put(1)

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  the seam's shape
        ends.put(0)

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)
    tasks = [*backup_tasks(memory), *history_tasks(memory)]
    scheduled = Scheduler(memory, tasks, clock=utc_now, tell=lambda name, done: _tell(log, name, done))
    scheduled.start()
    serving = Loop("recollect-http", run)
    serving.wake()
    hosting.start()
    ready(f"{'http' if guarding.tls is None else 'https'}://{address_of(listener)}")
    code = _wait(ends)
    Loop("recollect-end", lambda: os._exit(code), delay=PATIENCE_SECONDS).wake()
    scheduled.stop()
    heap.stop()
    server.stop()
    hosting.stop()
    if not serving.wait(COURTESY_SECONDS):
        server.cancel_calls()
        serving.wait()
    listener.close()
    return code


def _tell(log: Log, name: str, done: Sequence[object] | RecollectError) -> None:
    """What a schedule did, or failed with."""
    if isinstance(done, RecollectError):
        log.write("warning", f"{name} failed: {done}")
    for one in () if isinstance(done, RecollectError) else done:
        if isinstance(one, Backed):
            log.write("info", f"backed up to {one.path} ({one.bytes:,} bytes) in {one.seconds:.1f} s")
        elif isinstance(one, Maintained) and one.count:
            log.write("info", f"{name} {one.space}: {one.count:,} versions in {one.seconds:.1f} s")


def _wait(ends: SimpleQueue[int]) -> int:
    """The exit code. The wait times out now and then: on Windows only that lets a signal through."""
    while True:
        try:
            return ends.get(timeout=HEARING_SECONDS)
        except Empty:
            continue
