"""A real server on the loopback interface that sends pages, and misbehaves where its path says so."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

PAGE = (
    "<!doctype html><html><head><meta charset='utf-8'><title>The gateway</title></head><body><nav><a href='/'>Menu</a>"
    "</nav><article><h1>The gateway</h1><p>" + "The gateway checks every token that it is handed. " * 8 + "</p>"
    "<h2>Keys</h2><p>" + "Keys are rotated on the first day of a month by the platform team. " * 8 + "</p></article>"
    "<footer>Imprint</footer></body></html>"
).encode()
LATIN = (
    "<html><head><title>Grüße</title></head><body><article><p>" + "Schöne Grüße aus Köln. " * 20 + "</p></body></html>"
)
BLANK = b"\0" * 1_000_000


class Pages:
    """What the server was asked for, and what holds its answers back."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.hosts: list[str | None] = []
        self.over = Event()
        self.page = PAGE


def _plain(pages: Pages) -> dict[str, tuple[str, bytes]]:
    return {
        "/page": ("text/html; charset=utf-8", pages.page),
        "/notes.md": ("text/markdown", b"# Notes\n\nThe cache is warm.\n"),
        "/plain": ("text/plain", b"Just a line of text.\n"),
        "/data": ("application/json", b'{"tokens": ["RS256"], "rotated": "monthly"}'),
        "/latin": ("text/html", LATIN.encode("latin-1")),
        "/latin-said": ("text/html; charset=iso-8859-1", LATIN.encode("latin-1")),
        "/html-as-text": ("text/plain", PAGE),
        "/html-as-pdf": ("application/pdf", PAGE),
        "/image-as-html": ("text/html", b"\x89PNG\r\n\x1a\n" + b"\0" * 500),
        "/video": ("video/mp4", b"no video at all"),
        "/nothing": ("text/html", b""),
        "/script-only": ("text/html", b"<html><body><div id=app></div><script>run()</script></body></html>"),
        "/long": ("text/plain", b"x" * 50_000),
    }


def _redirects(pages: Pages) -> dict[str, str]:
    port = pages.url.rpartition(":")[2]
    return {
        "/moved": "/page", "/loop": "/loop", "/far": f"http://localhost:{port}/page", "/file": "file:///etc/passwd",
        "/private": "http://10.0.0.1/", "/metadata": "http://169.254.169.254/latest", "/broken": "http://[::/",
        **{f"/hop{i}": f"/hop{i + 1}" if i < 5 else "/page" for i in range(1, 6)},
        **{f"/six{i}": f"/six{i + 1}" if i < 6 else "/page" for i in range(1, 7)},
    }  # fmt: skip


@contextmanager
def serve_pages() -> Iterator[Pages]:
    pages = Pages()

    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            pages.asked.append(self.path)
            pages.hosts.append(self.headers.get("host"))
            try:
                self._answer()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _answer(self) -> None:
            plain = _plain(pages).get(self.path)
            if plain is not None:
                self._send(plain[1], {"content-type": plain[0]})
            elif self.path in _redirects(pages):
                self._send(b"", {"location": _redirects(pages)[self.path]}, 302)
            elif self.path == "/bomb":
                bomb = gzip.compress(BLANK * 60, 9)
                self._send(bomb, {"content-type": "text/plain", "content-encoding": "gzip"})
            elif self.path == "/zipped":
                self._send(gzip.compress(PAGE), {"content-type": "text/html", "content-encoding": "gzip"})
            elif self.path == "/torn":
                self._send(gzip.compress(PAGE)[:-20], {"content-type": "text/html", "content-encoding": "gzip"})
            elif self.path == "/odd":
                self._send(PAGE, {"content-type": "text/html", "content-encoding": "br"})
            elif self.path == "/huge":
                self._send(b"", {"content-length": "99999999999"})
            elif self.path == "/endless":
                self._endless()
            elif self.path in ("/slow", "/drip", "/drip-headers"):
                self._slowly()
            else:
                self._send(b"no such page", {"content-type": "text/plain"}, 404)

        def _send(self, body: bytes, headers: dict[str, str], status: int = 200) -> None:
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _endless(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/plain")
            self.end_headers()
            self.close_connection = True
            while not pages.over.is_set():
                self.wfile.write(b"and on and on " * 1_000)

        def _slowly(self) -> None:
            self.close_connection = True
            if self.path == "/drip":
                self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
            elif self.path == "/drip-headers":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nx-long: ")
            while not pages.over.wait(0.02):
                if self.path != "/slow":
                    self.wfile.write(b".")

        def log_message(self, format: str, *args: object) -> None:
            """Tests are silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Speaker) as server:
        server.daemon_threads = True
        pages.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield pages
        finally:
            pages.over.set()
            server.shutdown()
            thread.join()
