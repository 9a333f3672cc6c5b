"""How is the machine's memory run as a service?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from recollect.cli.options import Home
from recollect.cli.output import put
from recollect.config import load_settings
from recollect.contracts.registry import CONTRACTS
from recollect.engine.memory import open_memory
from recollect.errors import InvalidInput
from recollect.serve.address import Address, parse_address
from recollect.serve.log import LEVELS, Log

ADDRESS = "127.0.0.1:3031"
Http = Annotated[str, typer.Option("--http", metavar="ADDR", help="Where to listen; :3031 means this machine alone.")]
LogLevel = Annotated[
    str | None, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error; it goes to stderr.")
]


def up(home: Home = None, http: Http = ADDRESS, log_level: LogLevel = None) -> int:
    """Run the memory as a service for agents that connect by HTTP: every contract on one address, until Ctrl-C.

    \b
    Example:
      recollect up --http 127.0.0.1:3031
    """
    settings = load_settings(home)
    log = _log(log_level or settings.log_level)
    address = parse_address(http)
    from recollect.serve.gate import TokenGate  # the libraries that only a server needs
    from recollect.serve.up import serve_up

    with open_memory(settings=settings, actor="mcp") as memory:
        return serve_up(memory, address, TokenGate(memory.core, address, settings.token), log, _tell_address)


def _log(wanted: str) -> Log:
    for level in LEVELS:
        if level == wanted.lower():
            return Log(level)
    raise InvalidInput("--log-level", f"there is no {wanted!r}; there are: {', '.join(LEVELS)}")


def _tell_address(address: Address) -> None:
    url = f"http://{address}/mcp"
    entry = {"mcpServers": {"recollect": {"type": "http", "url": url}}}
    put(f"Recollect is up at http://{address} (Ctrl-C ends it). Paste this into your MCP client's settings:")
    put(json.dumps(entry, indent=2))
    others = ", ".join(name for name in CONTRACTS if name != "native")
    put(f"Other contracts are at {url}/NAME: {others}.")
    print(end="", flush=True)
