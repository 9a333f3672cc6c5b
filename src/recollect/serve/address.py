"""Where may a server listen, and does only this machine reach it there?"""

from __future__ import annotations

import os
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

from msgspec import Struct

from recollect.errors import ConfigError, InvalidInput

HERE = "127.0.0.1"
_WAITING = 128
_LOOK_SECONDS = 2.0
_UNREAD_MS = 30_000
"""Bytes that the other side has not taken in for so long end a connection, where the system can do that."""


class Address(Struct, frozen=True):
    """An IP address and a port; port 0 stands for any that is free."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def is_everywhere(self) -> bool:
        """Does it stand for every address of this machine, and so for none that anybody could call?"""
        return ip_address(self.host).is_unspecified

    @property
    def here(self) -> Address:
        """Where this machine calls it."""
        return Address("::1" if ":" in self.host else HERE, self.port) if self.is_everywhere else self

    @property
    def elsewhere(self) -> str:
        """Where other machines call it, as far as we know: by this machine's name, or at the one address."""
        return f"{socket.gethostname()}:{self.port}" if self.is_everywhere else str(self)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, option: str = "--http") -> Address:
    """`127.0.0.1:3031`, `[::1]:3031`, or `:3031`, which means this machine alone."""
    host, colon, port = text.strip().rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65_535:
        raise _not_an_address(text, option)
    if host.startswith("[") and host.endswith("]"):
        found = _ip(host[1:-1])
        if not isinstance(found, IPv6Address):
            raise _not_an_address(text, option)
    else:
        found = _ip(HERE if host in ("", "localhost") else host)
        if not isinstance(found, IPv4Address):
            raise _not_an_address(text, option)
    return Address(str(found), int(port))


def _not_an_address(text: str, option: str) -> InvalidInput:
    return InvalidInput(option, f"{text!r} is not an address such as 127.0.0.1:3031, [::1]:3031 or :3031")


def _ip(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Does this name or address, as it stands in a URL, mean this machine?"""
    name = host.lower().removeprefix("[").removesuffix("]")
    found = _ip(name)
    return name == "localhost" if found is None else found.is_loopback


def listen(address: Address, option: str = "--http") -> socket.socket:
    """A socket that takes connections from now on, whoever will serve them."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # The protocol must be named: without it asyncio does not send small answers at once.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
        listener.bind((address.host, address.port))
        listener.listen(_WAITING)
    except OSError as error:
        listener.close()
        raise ConfigError(f"{option}: cannot listen on {address}: {error.strerror}") from error
    return listener


def answers(address: Address) -> bool:
    """Does somebody take connections there?"""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(_LOOK_SECONDS)
        return probe.connect_ex((address.host, address.port)) == 0


def address_of(listener: socket.socket) -> Address:
    """Where a socket really listens: the port that was picked for it."""
    host, port = listener.getsockname()[:2]
    return Address(host, port)
