"""Which options does `recollect serve` take?

They are declared once, in `FLAGS`: the short way reads them here, and `recollect serve --help` and every usage error
are made by typer from the same table. Nothing here is slow to import.
"""

from __future__ import annotations

from recollect.light import TYPE_CHECKING, Plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONTRACT_NAMES = ("native", "trusty-memory", "memory-mcp", "memory-substrate", "rusty-mem", "agentos")
"""As the registry of contracts has them, which takes longer to import."""
_PALACES = "trusty-memory"
_LEVELS = (None, "debug", "info", "warning", "error")


class Flag(Plain):
    """One option of `serve`: the field of `Serving` that it fills, and what people read about it."""

    key: str
    name: str
    metavar: str
    default: str | None
    help: str


III_ADDRESS = "127.0.0.1:49134"
FLAGS = (
    Flag("contract", "--as", "CONTRACT", "native", "The vocabulary to speak to the client."),
    Flag("space", "--space", "NAME", None, "The space that tools use unless they are told another (else default)."),
    Flag("palace", "--palace", "NAME", None, "The palace of a trusty-memory server, made if it is missing."),
    Flag("home", "--home", "FOLDER", None, "The store's folder (else RECOLLECT_HOME, else your data folder)."),
    Flag("store", "--store", "URL", None, "The store's database: postgresql://me@host/db (else RECOLLECT_STORE)."),
    Flag("log_level", "--log-level", "LEVEL", None, "debug, info, warning or error; the log goes to stderr."),
    Flag("http", "--http", "ADDR", None, "Serve HTTP beside stdio, at an address such as 127.0.0.1:3031."),
    Flag("iii", "--iii", "ADDR", None, f"Serve the iii protocol beside stdio (without an address: {III_ADDRESS})."),
    Flag("iii_engine", "--iii-engine", "URL", None, "Be a worker of a running iii engine (extra: recollect[iii])."),
    Flag("token", "--token", "TOKEN", None, "What HTTP clients must show (better set as RECOLLECT_TOKEN)."),
)


class Serving(Plain):
    """What `serve` was asked for."""

    contract: str
    space: str | None = None
    home: str | None = None
    log_level: str | None = None
    palace: str | None = None
    http: str | None = None
    token: str | None = None
    iii: str | None = None
    iii_engine: str | None = None

    @property
    def over_stdio_alone(self) -> bool:
        return (self.http, self.iii, self.iii_engine) == (None, None, None)

    @property
    def bound_to(self) -> str | None:
        """The space that the server was bound to, by whichever option; None for the usual one."""
        return self.palace or self.space


def fill_in(args: Sequence[str]) -> list[str]:
    """The words of a call, with the address put in where `--iii` stands without one."""
    filled: list[str] = []
    for at, arg in enumerate(args):
        filled.append(arg)
        if arg == "--iii" and (at + 1 == len(args) or args[at + 1].startswith("--")):
            filled.append(III_ADDRESS)
    return filled


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
        contract=values["contract"] or "", space=values["space"], home=values["store"] or values["home"],
        log_level=values["log_level"], palace=values["palace"], http=values["http"], token=values["token"],
        iii=values["iii"], iii_engine=values["iii_engine"],
    )  # fmt: skip


def makes_sense(chosen: Serving) -> bool:
    """Can this be served at all? What makes no sense is told by the long way."""
    named = chosen.space is None if chosen.contract == _PALACES else chosen.palace is None
    return chosen.contract in CONTRACT_NAMES and named and chosen.log_level in _LEVELS
