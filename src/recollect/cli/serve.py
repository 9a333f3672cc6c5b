"""How does a client's child process get from argv to serving?

As fast as can be. The options are declared once, in `FLAGS`: the short way reads them here, and `recollect serve
--help` and every usage error are made by typer from the same table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.cli.output import tell_error
from recollect.config import load_settings
from recollect.engine.memory import Memory, open_memory
from recollect.types import DEFAULT_SPACE

if TYPE_CHECKING:
    from recollect.contracts.tool import Contract
    from recollect.serve.log import Level

USAGE = 2


class Flag(NamedTuple):
    """One option of `serve`: the field of `Serving` that it fills, and what people read about it."""

    key: str
    name: str
    metavar: str
    default: str | None
    help: str


FLAGS = (
    Flag("contract", "--as", "CONTRACT", "native", "The vocabulary to speak to the client."),
    Flag("space", "--space", "NAME", DEFAULT_SPACE, "The space that tools use unless they are told another."),
    Flag("home", "--home", "FOLDER", None, "The store's folder (else RECOLLECT_HOME, else your data folder)."),
    Flag("log_level", "--log-level", "LEVEL", None, "debug, info, warning or error; the log goes to stderr."),
)


class Serving(NamedTuple):
    """What `serve` was asked for."""

    contract: str
    space: str
    home: str | None = None
    log_level: str | None = None


def parse_flags(args: Sequence[str]) -> Serving | None:
    """The options of a plain call; None for anything else (`--help`, a mistake), which typer answers better."""
    flags = {flag.name: flag.key for flag in FLAGS}
    values = {flag.key: flag.default for flag in FLAGS}
    rest = iter(args)
    for arg in rest:
        name, equals, value = arg.partition("=")
        given = value if equals else next(rest, None)
        if name not in flags or given is None:
            return None
        values[flags[name]] = given
    return to_serving(values)


def to_serving(values: Mapping[str, str | None]) -> Serving:
    return Serving(
        contract=values["contract"] or "", space=values["space"] or "", home=values["home"],
        log_level=values["log_level"],
    )  # fmt: skip


def _native(memory: Memory, space: str) -> Contract:
    from recollect.contracts.native import native_contract

    return native_contract(memory, space=space)


def _memory_mcp(memory: Memory, space: str) -> Contract:
    from recollect.contracts.memory_mcp import memory_mcp_contract

    return memory_mcp_contract(memory, space=space)


CONTRACTS: Mapping[str, Callable[[Memory, str], Contract]] = {"native": _native, "memory-mcp": _memory_mcp}
"""Every contract by the name that `--as` knows. Only the chosen one is imported."""


def serve(chosen: Serving) -> int:
    """Serves one client over standard input and output until it leaves. Returns the exit code."""
    if chosen.contract not in CONTRACTS:
        return _refuse(f"there is no contract {chosen.contract!r}; there are: {', '.join(CONTRACTS)}")
    from recollect.serve.log import LEVELS
    from recollect.serve.stdio import serve_stdio

    settings = load_settings(chosen.home)
    wanted = (chosen.log_level or settings.log_level).lower()
    levels: Mapping[str, Level] = {name: name for name in LEVELS}
    level = levels.get(wanted)
    if level is None:
        return _refuse(f"there is no log level {wanted!r}; there are: {', '.join(LEVELS)}")
    memory = open_memory(settings=settings, actor="mcp")
    contract = CONTRACTS[chosen.contract](memory, chosen.space)
    memory.resume_projects()
    return serve_stdio(contract, log_level=level, on_close=memory.close)


def _refuse(message: str) -> int:
    tell_error("usage", message)
    return USAGE
