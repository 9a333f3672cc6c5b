"""How is a page of the web fetched, without being led somewhere else, for too long, or into too much of it?

Every address is looked up once and checked, and the connection goes to the very address that was checked. Each redirect
is a new address, checked anew. One deadline holds for all of it, and one limit for what the body unpacks to. Proxies of
the environment are not used: behind one, nobody could check where a request ends up.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from email.message import Message
from typing import Any
from urllib.parse import unquote

import httpcore
import httpx
from msgspec import Struct

from recollect.engine.loop import Loop
from recollect.errors import InvalidInput, SourceError
from recollect.version import __version__

LARGEST_BODY = 10 * 1024 * 1024
SECONDS = 20.0
MOST_REDIRECTS = 5
_CHUNK = 65_536
_LAST_PORT = 65_535
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TRANSLATING = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
_ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf;q=0.9,*/*;q=0.5"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Fetched(Struct, frozen=True):
    """What came back: the address that was asked for, the one that answered, and what it said."""

    asked: str
    url: str
    body: bytes
    media_type: str
    charset: str | None

    @property
    def name(self) -> str:
        """What the page is called where it does not say: the last part of its path, else its host."""
        url = httpx.URL(self.url)
        return unquote(url.path.rstrip("/").rpartition("/")[2]) or url.host


def fetch(
    url: str,
    *,
    allow_private: bool = False,
    largest: int = LARGEST_BODY,
    seconds: float = SECONDS,
    monotonic: Callable[[], float] = time.monotonic,
) -> Fetched:
    """Fetches a page within the limits, or raises what went wrong."""
    asked = parse_url(url, "url")
    watch = _Watch(monotonic, monotonic() + seconds, seconds)
    at, seen = asked, 0
    with httpx.Client(transport=_Transport(watch, allow_private=allow_private), trust_env=False) as client:
        while True:
            headers = {"user-agent": f"recollect/{__version__}", "accept": _ACCEPT, "accept-encoding": "gzip, deflate"}
            with _said(at, watch), client.stream("GET", at, headers=headers) as response:
                if response.status_code not in _REDIRECTS or "location" not in response.headers:
                    return _read(str(asked), at, response, largest, watch)
                at = _next(at, response.headers["location"])
            seen += 1
            if seen > MOST_REDIRECTS:
                raise SourceError(f"{asked} redirects more than {MOST_REDIRECTS} times")


def parse_url(text: str, field: str) -> httpx.URL:
    """An address that can be fetched: http or https, with a host, and no password in it."""
    try:
        url = httpx.URL(text.strip())
        host = url.host  # which is worked out now, and may be no name
    except (httpx.InvalidURL, UnicodeError) as error:
        raise InvalidInput(field, f"is not an address of the web: {error}") from error
    if url.scheme not in ("http", "https") or not host or "%" in host:
        raise InvalidInput(field, f"must begin with http:// or https:// and name a host, not {text[:100]!r}")
    if url.port is not None and not 0 < url.port <= _LAST_PORT:
        raise InvalidInput(field, f"must have a port from 1 to {_LAST_PORT}, not {url.port}")
    if url.userinfo:
        raise InvalidInput(field, "must not contain a name or password")
    return url.copy_with(fragment=None)


def _next(at: httpx.URL, location: str) -> httpx.URL:
    try:
        return parse_url(str(at.join(location)), "url")
    except (InvalidInput, httpx.InvalidURL, UnicodeError) as error:
        raise SourceError(f"{at} redirects to {location[:200]!r}, which cannot be fetched: {error}") from error


class _Watch:
    """One deadline for everything."""

    def __init__(self, monotonic: Callable[[], float], end: float, seconds: float) -> None:
        self._monotonic = monotonic
        self._end = end
        self.seconds = seconds

    def left(self) -> float:
        """Seconds until the deadline; an error after it."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time is over")
        return left


class _said:
    """Turns what goes wrong on the way into an error that says so."""

    def __init__(self, url: httpx.URL, watch: _Watch) -> None:
        self._url = url
        self._watch = watch

    def __enter__(self) -> None:
        return None

    def __exit__(self, type_: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, httpx.TimeoutException | httpcore.TimeoutException):
            raise SourceError(f"{self._url} took longer than {self._watch.seconds:g} seconds") from error
        if isinstance(error, httpx.ConnectError | httpcore.ConnectError):
            raise SourceError(f"{self._url} cannot be reached: {error}") from error
        if isinstance(error, httpx.HTTPError | httpcore.NetworkError | httpcore.ProtocolError):
            raise SourceError(f"{self._url} broke off: {error}") from error


# The body


def _read(asked: str, at: httpx.URL, response: httpx.Response, largest: int, watch: _Watch) -> Fetched:
    if not response.is_success:
        raise SourceError(f"{at} answered {response.status_code} {response.reason_phrase}".rstrip())
    said = response.headers.get("content-length", "")
    if said.isdecimal() and int(said) > largest:
        raise SourceError(f"{at} has {int(said):,} bytes; at most {largest:,} are read")
    body = bytearray()
    for part in _unpack(at, response.headers.get("content-encoding", ""), _raw(response), largest):
        watch.left()
        body += part
        if len(body) > largest:
            raise SourceError(f"{at} has more than {largest:,} bytes, which is the most that is read")
    kind = Message()
    kind["content-type"] = response.headers.get("content-type", "")
    typed = "content-type" in response.headers
    return Fetched(asked, str(at), bytes(body), kind.get_content_type() if typed else "", kind.get_content_charset())


def _raw(response: httpx.Response) -> Iterator[bytes]:
    yield from response.iter_raw(_CHUNK)


def _unpack(at: httpx.URL, encoding: str, parts: Iterable[bytes], largest: int) -> Iterator[bytes]:
    """The body as it was before it was packed, a bounded piece at a time: a small body may unpack to a huge one."""
    names = [name.strip().lower() for name in encoding.split(",") if name.strip().lower() not in ("", "identity")]
    if not names:
        yield from parts
        return
    if len(names) > 1 or names[0] not in ("gzip", "x-gzip", "deflate"):
        raise SourceError(f"{at} is packed as {encoding!r}, which was not asked for")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        for part in parts:
            if unpacker.eof:
                return
            yield unpacker.decompress(part, largest + 1)
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, largest + 1)
    except zlib.error as error:
        raise SourceError(f"{at} cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise SourceError(f"{at} broke off: what it sent is not complete")


# The connection


class _Transport(httpx.BaseTransport):
    """Connections whose addresses are checked and whose every wait ends at the deadline."""

    def __init__(self, watch: _Watch, *, allow_private: bool) -> None:
        backend = _Backend(watch, allow_private=allow_private)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False), network_backend=backend, max_connections=1
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )  # fmt: skip
        return httpx.Response(status_code=answer.status, headers=answer.headers, stream=_Body(answer))

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class _Backend(httpcore.NetworkBackend):
    """Looks a host up, checks what it found, and connects to just that."""

    def __init__(self, watch: _Watch, *, allow_private: bool) -> None:
        self._watch = watch
        self._allow_private = allow_private
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  the deadline holds instead
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = _look_up(host, port, self._watch.left())
        if not self._allow_private:
            for address in addresses:
                check_address(host, address)
        problem: httpcore.ConnectError | None = None
        for address in addresses:
            try:
                stream = self._real.connect_tcp(str(address), port, self._watch.left(), local_address, socket_options)
            except httpcore.ConnectError as error:
                problem = error
                continue
            return _Stream(stream, self._watch)
        raise problem or httpcore.ConnectError(f"{host} has no address")


class _Stream(httpcore.NetworkStream):
    """A connection on which nothing waits beyond the deadline, whatever timeouts say."""

    def __init__(self, real: httpcore.NetworkStream, watch: _Watch) -> None:
        self._real = real
        self._watch = watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._real.read(max_bytes, self._watch.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._real.write(buffer, self._watch.left())

    def close(self) -> None:
        self._real.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        return _Stream(self._real.start_tls(ssl_context, server_hostname, self._watch.left()), self._watch)

    def get_extra_info(self, info: str) -> Any:
        return self._real.get_extra_info(info)


def _look_up(host: str, port: int, seconds: float) -> list[Address]:
    """The addresses of a host. The system's resolver has no deadline, so it is asked by a thread that may be left."""
    found: list[Address] = []
    failed: list[OSError | UnicodeError] = []

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            failed.append(error)
            return
        found.extend(ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in rows)

    asking = Loop("recollect-resolver", ask)
    asking.wake()
    if not asking.wait(seconds):
        raise httpcore.ConnectTimeout(f"{host} could not be looked up in time")
    if failed:
        raise httpcore.ConnectError(f"{host} is not known ({failed[0]})") from failed[0]
    return list(dict.fromkeys(found))


def check_address(host: str, address: Address) -> None:
    """Refuses what is not on the public web: this machine, its network, and addresses that stand for such ones."""
    if not all(is_public(one) for one in _meant(address)):
        raise SourceError(
            f"{host} is at {address}, which is not on the public web;"
            " set RECOLLECT_ALLOW_PRIVATE_ADDRESSES=true to fetch from this machine and its network"
        )


def is_public(address: Address) -> bool:
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_loopback or address.is_link_local
        or address.is_unspecified or address.is_private
    )  # fmt: skip


def _meant(address: Address) -> list[Address]:
    """An address, and those of IPv4 that it carries: mapped, translated, or tunnelled."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    carried: list[Address] = []
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        carried.append(address.sixtofour)
    if address.teredo is not None:
        carried.extend(address.teredo)
    if any(address in network for network in _TRANSLATING) or int(address) < 2**32:
        carried.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [*carried, *([] if any(address in network for network in _TRANSLATING) else [address])]
