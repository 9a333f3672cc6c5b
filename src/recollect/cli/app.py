"""Which commands are there, and what becomes of a command line that makes no sense?"""

from __future__ import annotations

import copy
import difflib
import re
import sys
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Annotated

import typer

from recollect import __version__
from recollect.cli import code, govern, keep, read, unasked, write
from recollect.cli.connect import connect, disconnect
from recollect.cli.doctor import doctor
from recollect.cli.dream import dream
from recollect.cli.export import export
from recollect.cli.flags import FLAGS, to_serving
from recollect.cli.imports import import_
from recollect.cli.ingest import ingest
from recollect.cli.maintain import maintain
from recollect.cli.move import move
from recollect.cli.open import open_page
from recollect.cli.options import sign
from recollect.cli.output import put, say, tell_error
from recollect.cli.plugin import plugin
from recollect.cli.serve import serve
from recollect.cli.spaces import spaces
from recollect.cli.summarize import summarize
from recollect.cli.sync import sync
from recollect.cli.tokens import tokens
from recollect.cli.up import up
from recollect.cli.welcome import welcome
from recollect.contracts.registry import CONTRACTS

SERVE_HELP = f"""Serve the memory to an agent over stdio, by the Model Context Protocol.

You rarely type this: the agent's client starts it. `recollect connect` tells the client how. Contracts: \
{", ".join(CONTRACTS)}.

\b
Example:
  recollect serve --space work
"""

app = typer.Typer(
    name="recollect",
    help="One long-term memory for all of your AI agents.\n\nStart with `recollect welcome`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        put(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """The options of `recollect` itself."""


def _serve_command() -> Callable[..., int]:
    """A function with the options of `serve.FLAGS` for a signature, which is how typer learns of them."""

    def command(**given: str | None) -> int:
        return serve(to_serving(given))

    parameters = [
        Parameter(
            flag.key,
            Parameter.KEYWORD_ONLY,
            default=flag.default,
            annotation=Annotated[str | None, typer.Option(flag.name, metavar=flag.metavar, help=flag.help)],
        )
        for flag in FLAGS
    ]
    return sign(command, parameters)


app.command("serve", help=SERVE_HELP)(_serve_command())
app.command("remember")(write.remember)
app.command("recall")(read.recall)
app.command("brief")(read.brief)
app.command("list")(read.list_records)
app.command("show")(read.show_record)
app.command("revise")(write.revise)
app.command("forget")(write.forget)
app.command("promote")(govern.promote)
app.command("contest")(govern.contest)
app.command("history")(read.history)
app.command("undo")(write.undo)
app.command("journal")(read.journal)
app.command("relate")(write.relate)
app.command("explore")(read.explore)
app.command("ingest")(ingest)
app.command("index")(code.index)
app.command("search-code")(code.search_code)
app.add_typer(code.projects, name="projects")
app.command("import")(import_)
app.add_typer(spaces, name="spaces")
app.command("sync")(sync)
app.command("summarize")(summarize)
app.command("stats")(read.stats)
app.command("dream")(dream)
app.add_typer(maintain, name="maintain")
app.command("embed")(write.embed)
app.command("move")(move)
app.command("reindex")(write.reindex)
app.command("doctor")(doctor)
app.command("export")(export)
app.command("backup")(keep.backup)
app.command("restore")(keep.restore)
app.command("compact")(keep.compact)
app.command("up")(up)
app.command("open")(open_page)
app.add_typer(tokens, name="token")
app.command("connect")(connect)
app.command("disconnect")(disconnect)
app.command("plugin")(plugin)
app.command("hook")(unasked.hook)
app.command("watch")(unasked.watch)
app.command("pause")(unasked.pause)
app.command("resume")(unasked.resume)
app.command("status")(unasked.status)
app.command("welcome")(welcome)


_MEANT = {
    word: command
    for command, words in {
        "remember": "add save store note put write new create insert",
        "recall": "search find query ask lookup grep",
        "recall --why": "explain why",
        "show": "get view cat read",
        "forget": "delete remove rm erase drop",
        "revise": "edit update change set",
        "journal": "log changes",
        "connect": "setup install init",
        "up": "start run server daemon",
        "status": "info state",
        "ingest": "load upload",
        "explore": "graph entity facts",
        "stats": "count size",
    }.items()
    for word in words.split()
}
"""What people type who know other programs."""
_ALIKE = 0.7  # how much of two words must be the same for one to be meant by the other
_NUMBERS = {"int": "a whole number", "float": "a number"}
_NO_NUMBER = re.compile(r"(Invalid value for [^:]+): (.+) is not a valid (int|float)\.", re.DOTALL)


def run_app(args: Sequence[str], *, as_json: bool) -> int:
    """Runs a command by typer. A wrong command line is told in one line, and how to learn more in another."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that lacks a letter shows another, rather than nothing at all
    if args[:1] == ["help"]:
        args = [*args[1:], "--help"]
    try:
        code: object = _with(args[:1])(args=list(args), prog_name="recollect", standalone_mode=False)
    except typer.TyperException as error:
        if error.format_message():  # without one, typer has answered with the help text
            _tell_usage(error, as_json=as_json)
        return error.exit_code
    except typer.Abort:
        say("stopped; nothing was changed")
        return 1
    return code if isinstance(code, int) else 0


def _with(named: Sequence[str]) -> typer.Typer:
    """The command that is named, alone: typer takes longer to make all of them than most take to run. Else all."""
    one = copy.copy(app)
    one.registered_commands = [command for command in app.registered_commands if command.name in named]
    one.registered_groups = [group for group in app.registered_groups if group.name in named]
    return one if one.registered_commands or one.registered_groups else app


def _tell_usage(error: typer.TyperException, *, as_json: bool) -> None:
    tell_error("usage", _in_plain_words(error), as_json=as_json)
    context = getattr(error, "ctx", None)
    if context is not None and not as_json:
        say(f"see: {context.command_path} --help")


def _in_plain_words(error: typer.TyperException) -> str:
    """What typer says of a command line, with the value that was typed and with nothing that is merely alike."""
    message = error.format_message()
    if message.startswith("No such command '"):
        unknown, near = message.split("'")[1], message.split("'")[3::2]
        meant = [_MEANT[unknown]] if unknown in _MEANT else difflib.get_close_matches(unknown, near, 3, _ALIKE)
        told = ", ".join(f"'{one}'" for one in meant)
        return f"No such command '{unknown}'." + (f" Did you mean {told}?" if told else "")
    option = message.partition("No such option: ")[2]
    if option.removeprefix("-").isdigit():
        return f"{option} is taken for an option; a number that is given here is 1 or more"
    wrong = _NO_NUMBER.fullmatch(message)
    return message if wrong is None else f"{wrong[1]}: must be {_NUMBERS[wrong[3]]}, not {wrong[2]}"
