"""Who else may reach the memory over HTTP?"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

import typer

from recollect.cli.options import AllSpaces, AsJson, Home
from recollect.cli.output import put, put_json, say
from recollect.cli.place import open_or_fail, open_or_make, open_to_read
from recollect.engine.grant import SCOPES
from recollect.engine.tokens import Token, create_token, list_tokens, revoke_token
from recollect.errors import InvalidInput

tokens = typer.Typer(
    no_args_is_help=True,
    help="Tokens that clients of `recollect up` show: make, list, take back.\n\nExample: recollect token list",
)
_EXPIRY = re.compile(r"([1-9][0-9]{0,4})([dh])")

Spaces = Annotated[
    list[str] | None, typer.Option("--space", metavar="NAME", help="A space that it reaches; may be repeated.")
]
ScopeName = Annotated[str, typer.Option("--scope", metavar="SCOPE", help=f"What it may do: {', '.join(SCOPES)}.")]
Expires = Annotated[
    str, typer.Option("--expires", metavar="TIME", help="How long it holds: 90d, 12h, or never.", show_default=True)
]
Name = Annotated[str, typer.Option("--name", metavar="TEXT", help="What it is for, in your own words.")]


@tokens.command("create")
def create(
    home: Home = None,
    space: Spaces = None,
    all_spaces: AllSpaces = False,
    scope: ScopeName = "read",
    expires: Expires = "90d",
    name: Name = "",
    as_json: AsJson = False,
) -> None:
    """Make a token for some spaces, and show it this once. Only its hash is kept.

    \b
    Example:
      recollect token create --space work --scope write --expires 90d
    """
    if bool(space) == all_spaces:
        raise InvalidInput("--space", "name the spaces that the token reaches, or give --all-spaces")
    with open_or_make(home) as memory:
        secret, token = create_token(
            memory.core, spaces=None if all_spaces else space, scope=scope, expires=_lasting(expires), name=name
        )
    if as_json:
        put_json({"token": secret, **_fields(token)})
        return
    put(secret)
    say(f"{_line(token)}. It is not shown again; clients send it as `Authorization: Bearer …`.")


@tokens.command("list")
def list_all(home: Home = None, as_json: AsJson = False) -> None:
    """Show which tokens there are, what each may do, and when it was last used.

    \b
    Example:
      recollect token list
    """
    with open_to_read(home, [], as_json=as_json) as memory:
        found = list_tokens(memory.core)
    if as_json:
        put_json([_fields(token) for token in found])
        return
    for token in found:
        put(_line(token))
    if not found:
        say("no tokens; `recollect token create` makes one")


@tokens.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="The token's id, as `recollect token list` shows it.")],
    home: Home = None,
) -> None:
    """Take a token back: from the next request on it is not let in.

    \b
    Example:
      recollect token revoke k3v9x0q2m1ab
    """
    with open_or_fail(home) as memory:
        put(f"revoked {_line(revoke_token(memory.core, id))}")


def _lasting(text: str) -> timedelta | None:
    if text == "never":
        return None
    found = _EXPIRY.fullmatch(text)
    if found is None:
        raise InvalidInput("--expires", f"{text!r} is not a time such as 90d or 12h, nor never")
    count = int(found[1])
    return timedelta(days=count) if found[2] == "d" else timedelta(hours=count)


def _line(token: Token) -> str:
    where = "all spaces" if token.spaces is None else ", ".join(token.spaces)
    until = "for ever" if token.expires_at is None else f"until {token.expires_at:%Y-%m-%d %H:%M} UTC"
    used = "never used" if token.last_used is None else f"last used {token.last_used:%Y-%m-%d %H:%M} UTC"
    name = f" ({token.name})" if token.name else ""
    return f"{token.id}{name}: {token.scope} on {where}, {until}, {used}"


def _fields(token: Token) -> dict[str, object]:
    return {name: getattr(token, name) for name in token.__struct_fields__}
