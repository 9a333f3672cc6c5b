"""How does a client's child process get from its options to serving?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from msgspec.structs import replace

from recollect.cli.flags import Serving
from recollect.cli.output import tell_error
from recollect.config import Settings, foreign_home, foreign_log_level, load_settings
from recollect.contracts.registry import CONTRACTS, Offer
from recollect.engine.care.backups import Backed
from recollect.engine.care.dream import Dream
from recollect.engine.care.lifecycle import Maintained
from recollect.engine.known import unfinished_projects
from recollect.engine.loop import Loop
from recollect.engine.memory import Memory, open_memory
from recollect.environment import working_folder
from recollect.errors import InvalidInput, RecollectError

if TYPE_CHECKING:
    from recollect.contracts.tool import Contract
    from recollect.serve.address import Address
    from recollect.serve.admission import Admission
    from recollect.serve.companion import Companion, SocketServer
    from recollect.serve.log import Level, Log
    from recollect.serve.relay import Handed
    from recollect.serve.stdio import Beside

USAGE = 2
_ASKED = "which question does nobody wait for"
_FIRST = 0.2  # seconds in which what was asked already is answered


def serve(chosen: Serving, handed: Handed | None = None) -> int:
    """Serves one client over standard input and output until it leaves. Returns the exit code.

    With what was `handed` over it goes on where another process left; with a claim it serves the clients of others too.
    """
    claim = None if handed is None else handed.claim
    try:
        return _serve_as(chosen, handed)
    finally:
        if claim is not None:
            claim.release()


def _serve_as(chosen: Serving, handed: Handed | None) -> int:
    offer = CONTRACTS.get(chosen.contract)
    if offer is None:
        return _refuse(f"there is no contract {chosen.contract!r}; there are: {', '.join(CONTRACTS)}")
    wrong = "--palace" if offer.scope != "--palace" and chosen.palace is not None else None
    wrong = "--space" if offer.scope != "--space" and chosen.space is not None else wrong
    if wrong is not None:
        return _refuse(f"{wrong} is not for --as {chosen.contract}; its option is {offer.scope}")
    from recollect.serve.log import LEVELS

    named_home = None if offer.home_variable is None else foreign_home(offer.home_variable)
    settings = load_settings(chosen.home or named_home)
    named = None if offer.log_variable is None else foreign_log_level(offer.log_variable)
    wanted = (chosen.log_level or named or settings.log_level).lower()
    levels: Mapping[str, Level] = {name: name for name in LEVELS}
    level = levels.get(wanted)
    if level is None:
        return _refuse(f"there is no log level {wanted!r}; there are: {', '.join(LEVELS)}")
    return _serve(chosen, offer, settings, level, handed)


def _serve(chosen: Serving, offer: Offer, settings: Settings, level: Level, handed: Handed | None) -> int:
    """Opens the memory and everything beside it; whatever fails on the way, what was opened is closed again."""
    from recollect.serve.log import Log
    from recollect.serve.stdio import serve_stdio

    log, token = Log(level), chosen.token or settings.token
    address = None if chosen.http is None else _address(chosen.http, "--http")
    iii_address = None if chosen.iii is None else _address(chosen.iii, "--iii")
    with ExitStack() as opened:
        owner = None
        if handed is not None and handed.claim is not None:
            from recollect.serve.owner import Owner

            owner = Owner(handed.claim, log)
            opened.callback(owner.stop)
        memory = open_memory(settings=settings, actor="mcp")
        opened.callback(memory.close)
        if owner is not None:
            opened.callback(owner.stop)  # before the memory is closed
        for note in memory.core.notes:
            log.tell(note)
        contract = offer.make(memory, chosen.bound_to)
        if offer.follows:
            contract = replace(contract, folder=working_folder())
        parts: list[Beside] = []
        if address is not None:
            parts.append(_companion(contract, address, token, log))
        if iii_address is not None:
            parts.append(_iii(contract, iii_address, token, log))
        if chosen.iii_engine is not None:
            parts.append(_worker(contract, chosen.iii_engine, log))
        companion = _together(parts)
        for project in unfinished_projects(memory.core):
            log.write("warning", f"the last indexing of {project.path} did not end; `recollect index` goes on with it")
        memory.semantics.resume()
        if handed is not None and handed.initialize is not None:
            opened.callback(_get_ready(memory, log))  # a session goes on that was served by another
        if owner is not None:
            owner.open(memory, lambda beside: begin_beside(beside, memory, log))
            owner.enter(chosen.contract)
            opened.callback(owner.leave, chosen.contract)
        else:
            for end_one in begin_beside(offer, memory, log):
                opened.callback(end_one)
        end = opened.pop_all().close
    return serve_stdio(contract, log_level=level, on_close=end, beside=companion, handed=handed)


def _get_ready(memory: Memory, log: Log) -> Callable[[], object]:
    """Asks what nobody waits for, so that whoever asks next finds models and index in memory. Returns what ends it."""

    def failed(error: RecollectError) -> None:
        log.write("debug", f"models and index are not in memory yet: {error}")

    asking = Loop("recollect-ready", lambda: memory.recall(_ASKED, touch=False, wait=0.0), delay=_FIRST, failed=failed)
    asking.wake()
    return asking.stop


def begin_beside(offer: Offer, memory: Memory, log: Log) -> list[Callable[[], object]]:
    """Starts what goes on while a contract is served; answers with what ends it."""
    dreaming = [_start_dreaming(memory, log)] if offer.dreams else []
    return [*dreaming, *([_start_upkeep(memory, log)] if offer.upkeep else [])]


def _start_dreaming(memory: Memory, log: Log) -> Callable[[], object]:
    """Puts idle palaces in order while they are served, until what it returns is called."""
    from recollect.engine.care.dreamer import Dreamer

    def tell(news: Dream | RecollectError) -> None:
        if isinstance(news, RecollectError):
            log.write("warning", f"dreaming failed: {news}")
        else:
            log.write("info", f"dreamt of {news.space}: {len(news.merges)} merged in {news.seconds} s")

    dreamer = Dreamer(memory, tell=tell)
    dreamer.start()
    return dreamer.stop


def _start_upkeep(memory: Memory, log: Log) -> Callable[[], object]:
    """Does upkeep at its hours while the memory is served, until what it returns is called."""
    from recollect.engine.care.schedule import Scheduler, upkeep_tasks
    from recollect.engine.core import utc_now

    def tell(name: str, done: Sequence[Maintained | Backed] | RecollectError) -> None:
        if isinstance(done, RecollectError):
            log.write("warning", f"{name} failed: {done}")
        else:
            count = sum(one.count for one in done if isinstance(one, Maintained))
            log.write("info", f"{name}: {count} memories in {len(done)} spaces")

    scheduled = Scheduler(memory, upkeep_tasks(memory), clock=utc_now, tell=tell)
    scheduled.start()
    return scheduled.stop


def _address(text: str, option: str) -> Address:
    from recollect.serve.address import parse_address  # sockets, for those alone who ask for them

    return parse_address(text, option)


def _together(parts: Sequence[Beside]) -> Beside | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    from recollect.serve.companion import Together

    return Together(parts)


def _iii(contract: Contract, address: Address, token: str | None, log: Log) -> Companion:
    """The contract's functions over the iii protocol as well."""
    from recollect.serve.companion import III, Companion

    _need_functions(contract, "--iii")

    def make(admission: Admission, log: Log) -> SocketServer:
        from recollect.serve.iii import IiiServer  # the library that only it needs

        return IiiServer(contract, admission, log)

    return Companion(make, address, token=token, log=log, kind=III)


def _worker(contract: Contract, url: str, log: Log) -> Beside:
    """The contract's functions in a running engine as well."""
    from recollect.serve.worker import EngineWorker

    _need_functions(contract, "--iii-engine")
    return EngineWorker(contract, url, log)


def _need_functions(contract: Contract, option: str) -> None:
    if not contract.functions:
        raise InvalidInput(option, f"the contract {contract.name} has no functions; agentos has")


def _companion(contract: Contract, address: Address, token: str | None, log: Log) -> Companion:
    """The contract on the web as well. Nothing of this is loaded unless it is asked for."""
    from recollect.serve.companion import Companion

    web = contract.web
    if web is None:
        raise InvalidInput("--http", f"the contract {contract.name} is not served over HTTP")

    def make(admission: Admission, log: Log) -> SocketServer:
        from recollect.serve.http import HttpServer, web_parts  # the libraries that only it needs

        return HttpServer(web_parts(web(), log), admission, log)

    return Companion(make, address, token=token, log=log)


def _refuse(message: str) -> int:
    tell_error("usage", message)
    return USAGE
