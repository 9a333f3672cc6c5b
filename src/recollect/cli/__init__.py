"""How is a memory used from a shell?

`main` reads argv, and everything goes through the library. `serve` and `hook` take a short way: a client is waiting for
its answer, so the libraries that only people need (typer, rich) are not loaded for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from recollect.cli.output import tell_error
from recollect.errors import InvalidInput, RecollectError

FAILED, WRONG, INTERRUPTED = 1, 2, 130
_EVERYWHERE = {"--home": 2, "--store": 2, "--space": 2, "--json": 1}
"""Options that may stand before the command, and how many words each takes."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the exit code: 0 done, 1 it failed, 2 it was asked for in a wrong way, 130 Ctrl-C."""
    args = globals_last(list(sys.argv[1:] if argv is None else argv))
    as_json = "--json" in args[: args.index("--") if "--" in args else None]
    try:
        code = _dispatch(args, as_json)
        print(end="", flush=True)  # while a reader that has gone can still be noticed
        return code
    except RecollectError as error:
        tell_error(error.code, str(error), field=getattr(error, "field", None), as_json=as_json)
        return WRONG if isinstance(error, InvalidInput) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _leave_stdout()
        return FAILED


def _dispatch(args: list[str], as_json: bool) -> int:
    if args[:1] == ["hook"]:
        from recollect.cli.hook import parse_call, run_hook

        call = parse_call(args[1:])
        if call is not None:
            return run_hook(call)
    if args[:1] == ["serve"]:
        from recollect.cli.serve import fill_in, parse_flags, serve  # with the contracts, which no hook needs

        args = fill_in(args)
        chosen = parse_flags(args[1:])
        if chosen is not None:
            return serve(chosen)
    from recollect.cli.app import run_app  # typer, and what else only people need

    return run_app(args, as_json=as_json)


def globals_last(args: list[str]) -> list[str]:
    """`recollect --home X list` means `recollect list --home X`."""
    leading: list[str] = []
    while args and args[0].partition("=")[0] in _EVERYWHERE:
        count = 1 if "=" in args[0] else _EVERYWHERE[args[0]]
        leading += args[:count]
        args = args[count:]
    end = args.index("--") if "--" in args else len(args)
    return [*args[:end], *leading, *args[end:]]


def _leave_stdout() -> None:
    """Whoever read our output has gone: nothing more is written, and Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
