"""What does somebody see who has never used Recollect?"""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

from recollect.cli import show
from recollect.cli.clients import CLIENTS, launch_command
from recollect.cli.output import put
from recollect.cli.place import ACTOR, own_place
from recollect.config import load_settings
from recollect.engine.memory import open_memory

_FIRST = (
    "The gateway validates tokens with RS256; keys rotate every 90 days.",
    "Mira prefers short answers with an example.",
    "Deployments happen on Tuesdays, after the stand-up.",
)
_QUESTION = "how are auth tokens checked?"


def welcome() -> None:
    """Try Recollect in a scratch store, and print what to paste into your client. Your own store is not touched.

    \b
    Example:
      recollect welcome
    """
    program = launch_command()
    typed = shlex.join(program)
    with tempfile.TemporaryDirectory(prefix="recollect-") as scratch:
        put(f"A scratch store in {scratch}; it is removed at the end.")
        with open_memory(settings=load_settings(Path(scratch)), actor=ACTOR) as memory:
            for text in _FIRST:
                receipt = memory.remember(text, trust="user_declared")
                put(f"{receipt.outcome} {receipt.id}: {text}")
            put()
            put(f"{_QUESTION}")
            show.put_hits(memory.recall(_QUESTION, limit=1), why=True, with_space=False)
    put()
    put("Paste this into your MCP client's settings:")
    put(CLIENTS["claude"].snippet("recollect", [*program, "serve"]).rstrip("\n"))
    put()
    put(f"Or let it be done: {typed} connect {'|'.join(CLIENTS)}")
    put(f"Your own store will be {own_place(None)}")
    put(f'A first memory of your own: {typed} remember "…"')
