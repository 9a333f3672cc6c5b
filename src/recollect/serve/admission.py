"""Who may ask? A page on the web must not reach this machine's memory through its reader's browser.

Where only this machine is served, the names in `Host` and `Origin` must mean this machine: that stops pages of
other sites, and names that are made to point here. Elsewhere, and wherever one is set, a token decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest

from msgspec import Struct

from recollect.errors import ConfigError
from recollect.serve.address import Address, is_loopback


class Refused(Exception):
    """A request that is not let in, or not understood, and how that is told."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class Admission(Struct, frozen=True, kw_only=True):
    """The rules of one server."""

    loopback: bool
    token: str | None = None

    def check(self, headers: Mapping[str, str], *, open_to_all: bool = False) -> None:
        """Refuses a request by its headers (their names in lower case)."""
        if self.loopback:
            _check_host(headers.get("host"))
            _check_origin(headers.get("origin"))
        if self.token is not None and not open_to_all:
            _check_token(headers.get("authorization"), self.token)


def admission(address: Address, token: str | None, option: str = "--http") -> Admission:
    """The rules for an address. Beyond this machine nothing is served without a token."""
    if not address.is_loopback and token is None:
        raise ConfigError(
            f"{option}: {address} can be reached from other machines; set RECOLLECT_TOKEN (or --token), which every"
            " client must then show, or listen on 127.0.0.1"
        )
    return Admission(loopback=address.is_loopback, token=token)


def _check_host(host: str | None) -> None:
    if host is None or not is_loopback(_without_port(host)):
        raise Refused(403, f"the host {host!r} is not this machine")


def _check_origin(origin: str | None) -> None:
    if origin is None:
        return
    scheme, found, host = origin.partition("://")
    if not found or scheme not in ("http", "https") or not is_loopback(_without_port(host)):
        raise Refused(403, f"requests of pages from {origin!r} are not answered")


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0]
    return host.partition(":")[0]


def _check_token(given: str | None, token: str) -> None:
    scheme, _, shown = (given or "").partition(" ")
    if scheme.lower() != "bearer" or not compare_digest(shown.strip().encode(), token.encode()):
        raise Refused(401, "this server wants `Authorization: Bearer` with its token", {"WWW-Authenticate": "Bearer"})
