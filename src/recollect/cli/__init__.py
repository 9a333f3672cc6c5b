"""How is a memory used from a shell?

`main` reads argv, and everything goes through the library. `serve` and `hook` take a short way: a client is waiting for
its answer, so the libraries that only people need (typer, rich) are not loaded for it.
"""

from __future__ import annotations

import errno
import os
import sys

from recollect.environment import spare_processors
from recollect.errors import ConfigError, InvalidInput, RecollectError
from recollect.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.cli.flags import Serving

FAILED, WRONG, INTERRUPTED = 1, 2, 130
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_EVERYWHERE = {"--home": 2, "--store": 2, "--space": 2, "--json": 1}
"""Options that may stand before the command, and how many words each takes."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the exit code: 0 done, 1 it failed, 2 it was asked for in a wrong way, 130 Ctrl-C."""
    spare_processors()
    args = globals_last(list(sys.argv[1:] if argv is None else argv))
    as_json = "--json" in args[: args.index("--") if "--" in args else None]
    try:
        code = _dispatch(args, as_json)
        print(end="", flush=True)  # while a reader that has gone can still be noticed
        return code
    except RecollectError as error:
        from recollect.cli.output import tell_error  # not before it is needed: a relay starts at once

        tell_error(error.code, str(error), field=getattr(error, "field", None), as_json=as_json)
        return WRONG if isinstance(error, InvalidInput) or _is_bad_address(error, args) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _leave_stdout()
        return FAILED
    except OSError as error:  # of files the engine tells; there is nobody else to tell of what is printed
        if error.filename is not None or error.errno not in _UNWRITTEN:
            raise
        _leave_stdout()
        from recollect.cli.output import tell_error

        told = f"what was to be printed cannot be written ({error.strerror}); what was asked for may be done"
        tell_error("output", told, as_json=as_json)
        return FAILED


def _dispatch(args: list[str], as_json: bool) -> int:
    if args[:1] == ["hook"]:
        from recollect.cli.hook import parse_call, run_hook

        call = parse_call(args[1:])
        if call is not None:
            return run_hook(call)
    _require_one_place(args)
    if args[:1] == ["serve"]:
        from recollect.cli.flags import fill_in, parse_flags

        args = fill_in(args)
        chosen = parse_flags(args[1:])
        if chosen is not None:
            return _serve(chosen)
    from recollect.cli.app import run_app  # typer, and what else only people need

    return run_app(args, as_json=as_json)


def _serve(chosen: Serving) -> int:
    """Has another process serve, if one has the same memory open; else loads all that serving takes."""
    from recollect.cli.flags import makes_sense
    from recollect.environment import working_folder
    from recollect.serve.meeting import meeting_of

    meeting = meeting_of(chosen.contract, chosen.home) if makes_sense(chosen) else None
    handed = None
    if meeting is not None:
        from recollect.serve.relay import Handed, relay

        if chosen.over_stdio_alone:
            hello = {"contract": chosen.contract, "bound_to": chosen.bound_to, "folder": working_folder({})}
            hello["works_in"] = working_folder()
            done = relay(meeting, hello)
            if isinstance(done, int):
                return done
            handed = done
        else:
            handed = Handed(meeting.claim())
    from recollect.cli.serve import serve  # with the engine and the contracts

    return serve(chosen, handed)


def globals_last(args: list[str]) -> list[str]:
    """`recollect --home X list` means `recollect list --home X`."""
    leading: list[str] = []
    while args and args[0].partition("=")[0] in _EVERYWHERE:
        count = 1 if "=" in args[0] else _EVERYWHERE[args[0]]
        leading += args[:count]
        args = args[count:]
    end = args.index("--") if "--" in args else len(args)
    return [*args[:end], *leading, *args[end:]]


def _require_one_place(args: list[str]) -> None:
    named = {word.partition("=")[0] for word in args[: args.index("--") if "--" in args else None]}
    if {"--home", "--store"} <= named:
        raise InvalidInput("--store", "and --home both say where the store is; give one of them")


def _is_bad_address(error: RecollectError, args: list[str]) -> bool:
    """Did it fail because what was given as --store is no address of a store?"""
    words = [word for one in args for word in (one.split("=", 1) if one.startswith("--store=") else [one])]
    if not isinstance(error, ConfigError) or "--store" not in words[:-1]:
        return False
    from recollect.cli.place import is_address

    return not is_address(words[words.index("--store") + 1])


def _leave_stdout() -> None:
    """Whoever read our output has gone: nothing more is written, and Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
