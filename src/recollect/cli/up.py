"""How is the machine's memory run as a service?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from msgspec.structs import replace

from recollect.cli.clients import launch_command
from recollect.cli.options import Home
from recollect.cli.output import put, say
from recollect.cli.serve import begin_beside
from recollect.cli.unit import SYSTEMS, print_unit, tell_secrets
from recollect.config import Settings, load_settings, settings_around
from recollect.contracts.registry import CONTRACTS
from recollect.engine.memory import open_memory
from recollect.errors import InvalidInput
from recollect.serve.address import parse_address
from recollect.serve.log import FORMS, LEVELS, Log
from recollect.serve.meeting import meeting_of

T = TypeVar("T", bound=str)

ADDRESS = "127.0.0.1:3031"
VECTORS_MB = 96
"""A service has the memory to answer many at once: so many megabytes of vectors need not be read again."""
Http = Annotated[str, typer.Option("--http", metavar="ADDR", help="Where to listen; :3031 means this machine alone.")]
LogLevel = Annotated[
    str | None, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning or error; it goes to stderr.")
]
LogFormat = Annotated[
    str, typer.Option("--log-format", metavar="FORM", help="text, or json: one object on each line, for programs.")
]
TlsCert = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="FILE", help="Serve HTTPS with this certificate (PEM).")
]
TlsKey = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="The certificate's key (PEM).")]
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
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    print_service: PrintService = None,
) -> int:
    """Run the memory as a service for agents that connect by HTTP: every contract on one address, until Ctrl-C.

    \b
    Example:
      recollect up --http 127.0.0.1:3031
    """
    settings = load_settings(home)
    if settings.vectors_mb is None:
        settings = replace(settings, vectors_mb=VECTORS_MB)
    if tls_cert is not None or tls_key is not None:
        settings = replace(settings, tls_cert=tls_cert or settings.tls_cert, tls_key=tls_key or settings.tls_key)
    form = _among(FORMS, log_format, "--log-format")
    log = Log(_among(LEVELS, (log_level or settings.log_level).lower(), "--log-level"), form)
    address = parse_address(http)
    if print_service is not None:
        system = _among(SYSTEMS, print_service, "--print-service")
        named = None if home is None or settings.store == home else str(settings.home)
        options = {"--home": named, "--http": http, "--log-level": log_level, "--log-format": log_format}
        files = {"--tls-cert": tls_cert, "--tls-key": tls_key}
        options |= {name: None if path is None else str(path.absolute()) for name, path in files.items()}
        given = [word for name, value in options.items() if value is not None for word in (name, str(value))]
        around = settings_around(home)
        put(print_unit(system, [*launch_command(), "up", *given], around).rstrip("\n"))
        if around.secret:
            say(tell_secrets(system, around.secret))
        return 0
    from recollect.serve.up import Hosting, guarding_of, serve_up  # the libraries that only a server needs

    with open_memory(settings=settings, actor="mcp") as memory:
        guarding = guarding_of(memory, address)
        meeting = meeting_of("native", None if home is None else str(home))
        hosting = Hosting(memory, meeting, lambda offer: begin_beside(offer, memory, log), log)
        return serve_up(memory, address, guarding, log, partial(_tell_address, settings), hosting)


def _among(choices: Sequence[T], wanted: str, option: str) -> T:
    found = next((one for one in choices if one == wanted), None)
    if found is None:
        raise InvalidInput(option, f"there is no {wanted!r}; there are: {', '.join(choices)}")
    return found


def _tell_address(settings: Settings, base: str) -> None:
    scheme, _, at = base.partition("://")
    address = parse_address(at)
    url = f"{scheme}://{address.elsewhere}/mcp"
    entry: dict[str, object] = {"type": "http", "url": url}
    wanted = settings.token is not None or not address.is_loopback
    if wanted:
        entry["headers"] = {"Authorization": "Bearer TOKEN"}
    told = ", for other machines too" if address.is_everywhere else ""
    put(f"Recollect is up at {base}{told} (Ctrl-C ends it). Paste this into your MCP client's settings:")
    put(json.dumps({"mcpServers": {"recollect": entry}}, indent=2))
    if wanted:
        own = " (or RECOLLECT_TOKEN, which may do everything)" if settings.token is not None else ""
        put(f"TOKEN is what `recollect token create --space NAME --scope write` prints{own}; make one for each client.")
    if settings.oauth_issuer is not None:
        put(f"A client that can sign in at {settings.oauth_issuer} needs no headers: it is led there.")
    others = ", ".join(name for name in CONTRACTS if name != "native")
    put(f"Other contracts are at {url}/NAME: {others}.")
    here = str(address.here)
    option = "" if here == ADDRESS else f" --http {here}"
    opens = f" (or `recollect open{option}`)" if scheme == "http" else ""
    put(f"What it holds, to look at and to mend: {scheme}://{here}/{opens}.")
    print(end="", flush=True)
