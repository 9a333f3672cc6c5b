"""Who may ask? A page on the web must not reach this machine's memory through its reader's browser.

Where only this machine is served, the names in `Host` and `Origin` must mean this machine: that stops pages of
other sites, and names that are made to point here. Elsewhere, and wherever one is set, a token decides.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from hmac import compare_digest
from typing import Protocol

from msgspec import Struct

from recollect.engine.grant import EVERYTHING, Grant
from recollect.errors import ConfigError, Forbidden
from recollect.serve.address import Address, is_loopback

PREFIX = "recollect:"
"""Before the names of our scopes, where others know them."""
SHORTEST_TOKEN = 16
"""Characters of a token that other machines may try."""
_LEAST_DIFFERENT = 6

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[0-9A-Za-z.-]{1,253})(?::\d{1,5})?")
_ORIGIN = re.compile(r"https?://(.*)", re.DOTALL)


class Refused(Exception):
    """A request that is not let in, or not understood, and how that is told."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, *, tried: bool = True
    ) -> None:
        super().__init__(message)
        self.status = status
        self.tried = tried
        """May it be that somebody tries tokens?"""
        self.headers = headers or {}


def lacking(error: Exception, grant: Grant, method: str) -> Mapping[str, str]:
    """The header by which somebody with a token is told that it does not allow this, and which scope would."""
    if grant.owns or not isinstance(error, Forbidden):
        return {}
    if error.scope is None and (method == "GET" or grant.allows("write")):
        return {"WWW-Authenticate": 'Bearer realm="recollect", error="insufficient_scope"'}
    return step_up(grant, error.scope or "write")


def step_up(grant: Grant, scope: str) -> Mapping[str, str]:
    """The header that names all scopes with which a token of the same spaces would do."""
    spaces = " ".join(f"{PREFIX}space:{name}" for name in grant.spaces or ("*",))
    named = f"{PREFIX}{scope} {spaces}"
    return {"WWW-Authenticate": f'Bearer realm="recollect", error="insufficient_scope", scope="{named}"'}


class Gate(Protocol):
    """Whoever comes is let in here, or is not."""

    async def admit(self, headers: Mapping[str, str], *, open_to_all: bool = False) -> Grant:
        """What a request may do, by its headers (their names in lower case); `Refused` where that is nothing."""
        ...

    async def ended(self, grant: Grant) -> None:
        """Returns when what was granted holds no longer; those who listen are sent away then."""
        ...


class Admission(Struct, frozen=True, kw_only=True):
    """The rules of one server, where whoever is let in may do everything."""

    loopback: bool
    token: str | None = None

    async def admit(self, headers: Mapping[str, str], *, open_to_all: bool = False) -> Grant:
        self.check(headers, open_to_all=open_to_all)
        return EVERYTHING

    async def ended(self, grant: Grant) -> None:  # noqa: ARG002  the seam's shape
        await asyncio.Event().wait()  # the owner's rights do not end

    def check(self, headers: Mapping[str, str], *, open_to_all: bool = False, pages: bool = True) -> None:
        """Refuses a request by its headers (their names in lower case).

        Without `pages`, what a browser sends for a page is refused too, unless the page shows the token: a browser
        keeps the answers of HTTP from pages of other places, also from those on this machine, but not WebSockets.
        """
        origin = headers.get("origin")
        if self.loopback:
            check_here(headers)
        if origin is not None and not pages and self.token is None:
            raise Refused(403, "pages are let in with a token alone; set RECOLLECT_TOKEN (or --token)")
        if self.token is not None and not open_to_all:
            _check_token(headers.get("authorization"), self.token)


def is_guessed(token: str) -> bool:
    """Is a token too short, or made of too few characters, to keep anybody out?"""
    return len(token) < SHORTEST_TOKEN or len(set(token)) < _LEAST_DIFFERENT


def admission(address: Address, token: str | None, option: str = "--http") -> Admission:
    """The rules for an address. Beyond this machine nothing is served without a token."""
    if not address.is_loopback and token is None:
        raise ConfigError(
            f"{option}: {address} can be reached from other machines; set RECOLLECT_TOKEN (or --token), which every"
            " client must then show, or listen on 127.0.0.1"
        )
    if not address.is_loopback and token is not None and is_guessed(token):
        raise ConfigError(
            f"{option}: {address} can be reached from other machines, and the token has {len(token)} characters,"
            f" {len(set(token))} of them different; it must have at least {SHORTEST_TOKEN} that nobody guesses"
        )
    return Admission(loopback=address.is_loopback, token=token)


def check_here(headers: Mapping[str, str]) -> None:
    """Refuses what a page of another site, or a name that is made to point here, has brought to this machine."""
    _check_host(headers.get("host"))
    _check_origin(headers.get("origin"))


def _check_host(host: str | None) -> None:
    if host is None or not _is_here(host):
        raise Refused(403, f"the host {host!r} is not this machine")


def _check_origin(origin: str | None) -> None:
    if origin is None:
        return
    found = _ORIGIN.fullmatch(origin)
    if found is None or not _is_here(found.group(1)):
        raise Refused(403, f"requests of pages from {origin!r} are not answered")


def _is_here(host: str) -> bool:
    """Does a host, with or without a port, mean this machine? All of it must be a name or an address."""
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback(found.group(1))


def _check_token(given: str | None, token: str) -> None:
    scheme, _, shown = (given or "").partition(" ")
    if scheme.lower() != "bearer" or not compare_digest(shown.strip().encode(), token.encode()):
        raise Refused(401, "this server wants `Authorization: Bearer` with its token", {"WWW-Authenticate": "Bearer"})
