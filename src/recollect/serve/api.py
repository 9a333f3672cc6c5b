"""How are the addresses under `/api/` served, each to whoever may use it?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from starlette.responses import Response

from recollect.contracts.api.openapi import KEY_HEADER, KEY_PATTERN, MOST_OF_KEY, document
from recollect.contracts.api.table import ROOT, ROUTES
from recollect.contracts.api.values import Problem
from recollect.contracts.route import Route, Web
from recollect.contracts.tool import Call, Cancellation
from recollect.engine.core import PAGE
from recollect.engine.grant import Grant
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, RecollectError
from recollect.serve.admission import Refused, lacking
from recollect.serve.http import Exchange, Routes, only_get, status_of, write_json
from recollect.serve.message import MAX_ERROR_TEXT, encode
from recollect.types import Json

API = "api"
"""Who acts where a program calls."""
_NAME = ROOT.strip("/")
_CLIENT = "x-recollect-client"


class Api(Routes):
    """The library, for people and their pages. `memory_of` is what a grant reaches of it."""

    def __init__(self, memory_of: Callable[[Grant], Memory]) -> None:
        super().__init__(lambda _: ROUTES)
        self._memory_of = memory_of

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments[0] != _NAME or exchange.segments[1:2] == ("v1",):
            return None
        if exchange.segments[1:] == ("openapi.json",):
            only_get(exchange.method)
            return write_json(200, _document())
        try:
            _check_key(exchange)
            answered = await super().answer(exchange)
        except Refused as refused:
            return _tell(refused.status, Problem(str(refused), "refused"), refused.headers)
        except RecollectError as error:
            field = error.field if isinstance(error, InvalidInput) else None
            headers = lacking(error, exchange.grant, exchange.method)
            return _tell(status_of(error), Problem(str(error), error.code, field), headers)
        if answered is None:
            where = "/".join(exchange.segments)
            return _tell(
                404, Problem(f"there is nothing at /{where}; {ROOT}/openapi.json lists what there is", "refused")
            )
        return answered

    def complete(self, route: Route[Any], given: Mapping[str, Json], grant: Grant) -> Mapping[str, Json]:
        return {"space": grant.usual_space, **given} if route.means_a_space else given

    def call_of(self, exchange: Exchange, cancellation: Cancellation) -> tuple[Call, Memory | None]:
        by_hand = exchange.request.headers.get(_CLIENT) == PAGE
        memory = self._memory_of(exchange.grant)
        memory = memory.acting_as(memory.core.known_as or (PAGE if by_hand else API), by_hand=by_hand)
        if not by_hand:
            memory.callers.called(memory.core.actor or API)
        return Call(memory.core.actor, memory=memory, cancellation=cancellation, grant=exchange.grant), memory


class Palaces(Routes):
    """What trusty-memory promises under `/api/v1/`; `web_of` is that as far as a grant reaches."""

    def __init__(self, web_of: Callable[[Grant], Web]) -> None:
        super().__init__(lambda grant: web_of(grant).routes)
        self._web_of = web_of

    def call_of(self, exchange: Exchange, cancellation: Cancellation) -> tuple[Call, Memory | None]:
        return super().call_of(exchange, cancellation)[0], self._web_of(exchange.grant).memory


def _check_key(exchange: Exchange) -> None:
    key = exchange.request.headers.get(KEY_HEADER)
    if key is not None and exchange.method != "GET" and not re.fullmatch(KEY_PATTERN, key):
        raise InvalidInput(KEY_HEADER, f"must be 1 to {MOST_OF_KEY} letters, digits, or any of . _ ~ -")


@cache
def _document() -> bytes:
    return encode(document(ROUTES, ROOT))


def _tell(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    told = problem.error if len(problem.error) <= MAX_ERROR_TEXT else f"{problem.error[:MAX_ERROR_TEXT]}…"
    return write_json(status, encode(Problem(told, problem.code, problem.field)), headers)
