"""How are tokens made, known again, and taken back?

A token is `rcl_` and 43 letters that nobody guesses (256 bits). The store keeps its SHA-256, so that whoever reads the
file cannot show it. What stands on the shelf is bookkeeping, not memory: it is in no journal and in no space.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from recollect.engine.core import PROGRAMS, Core
from recollect.engine.grant import SCOPES, Grant, Scope
from recollect.engine.parse import parse_label, parse_space
from recollect.errors import InvalidInput, NotFound
from recollect.store.base import Shelf

PREFIX = "rcl_"
LONGEST_NAME = 100
_BYTES = 32
_MARKS = ("token ", "oauth:")
"""How those begin who were given a name here."""
_SEEN_EVERY = timedelta(minutes=1)
"""How exactly the last use is known."""


class Token(Struct, frozen=True, kw_only=True):
    """What is known of a token. `id` is how people speak of it, and tells nothing of the token itself."""

    id: str
    scope: Scope
    created_at: datetime
    spaces: tuple[str, ...] | None = None
    name: str = ""
    expires_at: datetime | None = None
    last_used: datetime | None = None

    @property
    def grant(self) -> Grant:
        return Grant(id=self.id, name=self.known_as, scope=self.scope, spaces=self.spaces)

    @property
    def known_as(self) -> str:
        """Who acts with it, in the journal: nobody signs as somebody else by leaving the name out."""
        named = bool(self.name.strip()) and self.name.isprintable() and not _is_ours(self.name)
        return self.name if named else f"token {self.id}"

    def holds(self, now: datetime) -> bool:
        return self.expires_at is None or self.expires_at > now


TOKENS = Shelf("tokens", Token)


def create_token(
    core: Core,
    *,
    spaces: Sequence[str] | None,
    scope: str,
    expires: timedelta | None = None,
    name: str = "",
) -> tuple[str, Token]:
    """Makes a token for some spaces (None: for all), and answers with it this once."""
    allowed: Scope | None = next((one for one in SCOPES if one == scope), None)
    if allowed is None:
        raise InvalidInput("scope", f"{scope!r} is none of {', '.join(SCOPES)}")
    if spaces is not None and not spaces:
        raise InvalidInput("space", "name at least one, or all of them")
    if name:
        _check_name(parse_label(name, "name", longest=LONGEST_NAME))
    named = None if spaces is None else tuple(dict.fromkeys(parse_space(space) for space in spaces))
    secret = PREFIX + secrets.token_urlsafe(_BYTES)
    with core.store.write(actor=core.actor) as edit:
        token = Token(
            id=core.new_id(), scope=allowed, created_at=edit.now, spaces=named, name=name,
            expires_at=None if expires is None else edit.now + expires,
        )  # fmt: skip
        edit.keep(TOKENS, {_hashed(secret): token})
    return secret, token


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable():
        raise InvalidInput("name", "must be on one line, and not blank")
    if _is_ours(name):
        raise InvalidInput("name", f"{name!r} is what Recollect itself, or another token, is called; choose another")


def _is_ours(name: str) -> bool:
    plain = name.strip().casefold()
    return plain in PROGRAMS or plain.startswith(_MARKS)


def list_tokens(core: Core) -> list[Token]:
    """All tokens that were not revoked, the oldest first; expired ones are among them."""
    with core.store.read() as view:
        return sorted(view.kept(TOKENS).values(), key=lambda token: token.created_at)


def revoke_token(core: Core, id: str) -> Token:
    """Takes a token back, from the next request on."""
    with core.store.write(actor=core.actor) as edit:
        for key, token in edit.kept(TOKENS).items():
            if token.id == id:
                edit.keep(TOKENS, {key: None})
                return token
    raise NotFound(f"there is no token {id!r}; `recollect token list` shows those there are")


def find_token(core: Core, secret: str) -> Token | None:
    """The token that somebody shows, unless it was revoked or has expired. That it was used is written down."""
    key = _hashed(secret)
    with core.store.read() as view:
        token = view.kept(TOKENS, keys=[key]).get(key)
        now = core.clock()
    if token is None or not token.holds(now):
        return None
    if token.last_used is None or now - token.last_used >= _SEEN_EVERY:
        with core.store.write(actor=core.actor) as edit:
            if edit.kept(TOKENS, keys=[key]):  # it may have been revoked meanwhile
                edit.keep(TOKENS, {key: replace(token, last_used=now)})
    return token


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
