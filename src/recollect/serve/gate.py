"""Which client of the service is this, and what was it granted?

On this machine whoever asks may do everything, unless a token says less; beyond it, nothing is answered without one.
Whoever shows a token, be it the owner's, may sit elsewhere (behind a proxy, say): no files of this machine for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hmac import compare_digest
from time import monotonic, time

from starlette.concurrency import run_in_threadpool

from recollect.engine.core import Core
from recollect.engine.grant import BY_TOKEN, EVERYTHING, Grant
from recollect.engine.tokens import find_token, list_tokens
from recollect.errors import ConfigError
from recollect.serve.address import Address
from recollect.serve.admission import SHORTEST_TOKEN, Refused, check_here, is_guessed
from recollect.serve.oauth import Issuer, NotOurs, TooLittle, Unsure

LOOK_AGAIN_SECONDS = 1.0
"""So soon a stream ends after its token was revoked or has expired."""


class TokenGate:
    """Knows tokens by what the store keeps of them, and the owner by a token of the settings, if there is one."""

    def __init__(self, core: Core, address: Address, owner: str | None, issuer: Issuer | None = None) -> None:
        self._core = core
        self._issuer = issuer
        self._loopback = address.is_loopback
        self._owner = owner
        self._looking = asyncio.Lock()
        self._looked = float("-inf")
        self._held: frozenset[str] = frozenset()
        if not self._loopback:
            self._require_tokens(address)

    def _require_tokens(self, address: Address) -> None:
        if self._owner is not None and is_guessed(self._owner):
            raise ConfigError(f"RECOLLECT_TOKEN: must have at least {SHORTEST_TOKEN} characters that nobody guesses")
        if self._owner is None and self._issuer is None and not list_tokens(self._core):
            raise ConfigError(
                f"--http: {address} can be reached from other machines; make a token first"
                " (`recollect token create --space NAME`), or listen on 127.0.0.1"
            )

    async def admit(self, headers: Mapping[str, str], *, open_to_all: bool = False) -> Grant:
        if self._loopback:
            check_here(headers)
        given = headers.get("authorization")
        if open_to_all or (given is None and self._loopback and self._owner is None):
            return EVERYTHING
        scheme, _, shown = (given or "").partition(" ")
        shown = shown.strip()
        if scheme.lower() != "bearer" or not shown:
            raise self._unknown("this server wants `Authorization: Bearer` with a token")
        if self._owner is not None and compare_digest(shown.encode(), self._owner.encode()):
            return BY_TOKEN
        if self._issuer is not None and shown.count(".") == 2:
            return await self._grant(self._issuer, shown)
        token = await run_in_threadpool(find_token, self._core, shown)
        if token is None:
            raise self._unknown("the token is not known here, was revoked, or has expired", 'error="invalid_token"')
        return token.grant

    async def _grant(self, issuer: Issuer, shown: str) -> Grant:
        try:
            return await run_in_threadpool(issuer.grant, shown)
        except TooLittle as error:
            told = f'Bearer realm="recollect", error="insufficient_scope", {issuer.challenge()}'
            raise Refused(403, str(error), {"WWW-Authenticate": told}) from error
        except NotOurs as error:
            raise self._unknown(str(error), 'error="invalid_token"', tried=not isinstance(error, Unsure)) from error

    def _unknown(self, why: str, *more: str, tried: bool = True) -> Refused:
        told = ['realm="recollect"', *more, *([] if self._issuer is None else [self._issuer.challenge()])]
        return Refused(401, why, {"WWW-Authenticate": f"Bearer {', '.join(told)}"}, tried=tried)

    async def ended(self, grant: Grant) -> None:
        if grant.owns:
            await asyncio.Event().wait()  # the owner's rights do not end
        if grant.until is not None:
            await asyncio.sleep(max(grant.until - time(), 0.0))
            return
        while grant.id in await self._holding():
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _holding(self) -> frozenset[str]:
        """The tokens that hold, as of a moment ago: however many listen, one of them looks."""
        async with self._looking:
            if monotonic() - self._looked >= LOOK_AGAIN_SECONDS:
                now = self._core.clock()
                tokens = await run_in_threadpool(list_tokens, self._core)
                self._held = frozenset(one.id for one in tokens if one.holds(now))
                self._looked = monotonic()
            return self._held
