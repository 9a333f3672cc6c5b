"""How does the page come to a browser: from the package, to everybody who reaches the server, and with what rules?

What is in the files tells nothing of any memory; everything else the page asks for under `/api/`, with its token.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from starlette.responses import Response

from recollect.serve.http import Exchange, only_get

FOLDER = Path(__file__).with_name("web")
NAME = "web"
RULES = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src"
    " 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


class File(Struct, frozen=True):
    """A file of the page, as it is sent."""

    data: bytes
    type: str
    mark: str


class Page:
    """The page at `/`, and its files. They are read when they are first asked for."""

    def __init__(self) -> None:
        self._files: dict[str, File] = {}
        self._known = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}

    def close(self) -> None:
        """Nobody listens here."""

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    async def answer(self, exchange: Exchange) -> Response | None:
        name = _name(exchange.segments)
        if name is None or name not in self._known:
            return None
        only_get(exchange.method)
        file = self._file(name)
        headers: Mapping[str, str] = {**RULES, "ETag": file.mark, "Cache-Control": "no-cache"}
        if exchange.request.headers.get("if-none-match") == file.mark:
            return Response(None, 304, headers)
        return Response(file.data, 200, headers, file.type)

    def _file(self, name: str) -> File:
        if name not in self._files:
            data, suffix = (FOLDER / name).read_bytes(), Path(name).suffix
            type_ = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "text/plain"
            self._files[name] = File(data, type_, f'"{hashlib.sha256(data).hexdigest()[:20]}"')
        return self._files[name]


def _name(segments: tuple[str, ...]) -> str | None:
    if segments == ("",):
        return "index.html"
    return "/".join(segments[1:]) if segments[0] == NAME and len(segments) > 1 else None
