"""How is the machine's memory run as a service?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, TypeVar

import typer

from recollect.cli.clients import launch_command
from recollect.cli.options import Home
from recollect.cli.output import put
from recollect.cli.serve import begin_beside
from recollect.cli.unit import SYSTEMS, print_unit
from recollect.config import load_settings
from recollect.contracts.registry import CONTRACTS
from recollect.engine.memory import open_memory
from recollect.errors import InvalidInput
from recollect.serve.address import Address, parse_address
from recollect.serve.log import FORMS, LEVELS, Log
from recollect.serve.meeting import meeting_of

T = TypeVar("T", bound=str)

ADDRESS = "127.0.0.1:3031"
Http = Annotated[str, typer.Option("--http", metavar="ADDR", help="Where to listen; :3031 means this machine alone.")]
LogLevel = Annotated[
    str | None, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error; it goes to stderr.")
]
LogFormat = Annotated[
    str, typer.Option("--log-format", metavar="FORM", help="text, or json: one object on each line, for programs.")
]
PrintService = Annotated[
    str | None,
    typer.Option(
        "--print-service",
        metavar="SYSTEM",
        help="Print what has systemd or launchd start the service with these options, and end.",
    ),
]


def up(
    home: Home = None,
    http: Http = ADDRESS,
    log_level: LogLevel = None,
    log_format: LogFormat = "text",
    print_service: PrintService = None,
) -> int:
    """Run the memory as a service for agents that connect by HTTP: every contract on one address, until Ctrl-C.

    \b
    Example:
      recollect up --http 127.0.0.1:3031
    """
    settings = load_settings(home)
    form = _among(FORMS, log_format, "--log-format")
    log = Log(_among(LEVELS, (log_level or settings.log_level).lower(), "--log-level"), form)
    address = parse_address(http)
    if print_service is not None:
        system = _among(SYSTEMS, print_service, "--print-service")
        options = {"--home": home, "--http": http, "--log-level": log_level, "--log-format": log_format}
        given = [word for name, value in options.items() if value is not None for word in (name, str(value))]
        put(print_unit(system, [*launch_command(), "up", *given]).rstrip("\n"))
        return 0
    from recollect.serve.gate import TokenGate  # the libraries that only a server needs
    from recollect.serve.up import Hosting, serve_up

    with open_memory(settings=settings, actor="mcp") as memory:
        gate = TokenGate(memory.core, address, settings.token)
        meeting = meeting_of("native", None if home is None else str(home))
        hosting = Hosting(memory, meeting, lambda offer: begin_beside(offer, memory, log), log)
        return serve_up(memory, address, gate, log, _tell_address, hosting)


def _among(choices: Sequence[T], wanted: str, option: str) -> T:
    found = next((one for one in choices if one == wanted), None)
    if found is None:
        raise InvalidInput(option, f"there is no {wanted!r}; there are: {', '.join(choices)}")
    return found


def _tell_address(address: Address) -> None:
    url = f"http://{address}/mcp"
    entry = {"mcpServers": {"recollect": {"type": "http", "url": url}}}
    put(f"Recollect is up at http://{address} (Ctrl-C ends it). Paste this into your MCP client's settings:")
    put(json.dumps(entry, indent=2))
    others = ", ".join(name for name in CONTRACTS if name != "native")
    put(f"Other contracts are at {url}/NAME: {others}.")
    put(f"What it holds, to look at and to mend: http://{address}/ (or `recollect open`).")
    print(end="", flush=True)
