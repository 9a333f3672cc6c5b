"""A server of its own process: stdio and HTTP on one memory, with calls that behave badly on purpose.

Usage: fixture_web.py HOME ADDRESS [TOKEN]
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

import recollect
from recollect import RecollectError, Settings
from recollect.contracts.route import Feed, News, Route, Web
from recollect.contracts.tool import Annotations, Call, Contract, Tool
from recollect.errors import Conflict, EmbedderError, NotFound, StoreBusy, StoreFull
from recollect.serve.address import parse_address
from recollect.serve.admission import Admission
from recollect.serve.companion import Companion
from recollect.serve.http import HttpServer, web_parts
from recollect.serve.log import Log
from recollect.serve.stdio import serve_stdio
from recollect.types import Change

MEMORY = recollect.open(settings=Settings(home=Path(sys.argv[1]), embedder="none"))
LOG = Log("info")


class Empty(Struct, forbid_unknown_fields=True):
    pass


class Note(Struct, forbid_unknown_fields=True, kw_only=True):
    text: Annotated[str, Meta(min_length=1)]
    count: int = 1


class Named(Struct, forbid_unknown_fields=True, kw_only=True):
    name: str
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    deep: bool = False


class Kind(Struct, forbid_unknown_fields=True, kw_only=True):
    kind: str


def remember(params: Note, call: Call) -> object:  # noqa: ARG001  the seam's shape
    return {"id": MEMORY.remember(params.text).id}


def show(params: Named, call: Call) -> object:  # noqa: ARG001
    return params


def fail(params: Kind, call: Call) -> object:  # noqa: ARG001
    raise {
        "missing": NotFound("there is no such thing"),
        "conflict": Conflict("it changed"),
        "busy": StoreBusy("someone else writes"),
        "full": StoreFull("no room is left"),
        "model": EmbedderError("the model is missing"),
        "ours": RecollectError("ours"),
        "bug": ZeroDivisionError("a secret in the traceback"),
    }[params.kind]


def wait(params: Empty, call: Call) -> object:  # noqa: ARG001
    LOG.tell("waiting")
    while not call.cancelled:
        threading.Event().wait(0.01)
    LOG.tell("noticed the cancellation")
    return {}


def stuck(params: Empty, call: Call) -> object:  # noqa: ARG001
    LOG.tell("waiting")
    threading.Event().wait()
    return {}


def tell(changes: Sequence[Change]) -> list[News]:
    return [News(one.entry, {"type": one.verb, "id": one.object_id}) for one in changes if one.object_type == "record"]


def web() -> Web:
    feed = Feed(
        hello={"type": "connected"},
        last_entry=MEMORY.last_entry,
        follow=lambda after, seconds: MEMORY.follow(after, seconds, limit=100),
        tell=tell,
    )
    routes = (
        Route(method="POST", path="/notes", params=Note, call=remember),
        Route(method="GET", path="/things/{name}", params=Named, call=show),
        Route(method="GET", path="/fail/{kind}", params=Kind, call=fail),
        Route(method="GET", path="/wait", params=Empty, call=wait),
        Route(method="GET", path="/stuck", params=Empty, call=stuck),
    )
    return Web(routes=routes, feed=feed)


def serve_web(admission: Admission, log: Log) -> HttpServer:
    return HttpServer(web_parts(web(), log), admission, log)


def main() -> int:
    tool = Tool(name="remember", description="Store.", params=Note, call=remember, annotations=Annotations())
    contract = Contract(name="fixture", tools=(tool,), web=web)
    try:
        token = sys.argv[3] if len(sys.argv) > 3 else None
        companion = Companion(serve_web, parse_address(sys.argv[2]), token=token, log=LOG)
    except RecollectError as error:
        LOG.write("error", str(error))
        return 1
    return serve_stdio(contract, log_level="info", on_close=MEMORY.close, beside=companion)


if __name__ == "__main__":
    sys.exit(main())
