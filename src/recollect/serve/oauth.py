"""Is a token one that the configured issuer has made for us, and what does it allow?

We are a resource server alone: somebody else lets people sign in. A token is a JWT, signed by one of the issuer's keys,
made for this service (audience), not expired, and its scopes say what it may do: `recollect:read`, `recollect:write` or
`recollect:admin`, and `recollect:space:NAME` for each space (`recollect:space:*` for all).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from starlette.responses import Response

from recollect.contracts.registry import CONTRACTS
from recollect.engine.grant import SCOPES, Grant, Scope
from recollect.engine.tokens import LONGEST_NAME
from recollect.errors import ConfigError
from recollect.serve.address import is_loopback
from recollect.serve.admission import PREFIX
from recollect.serve.http import Exchange, only_get, write_json
from recollect.serve.message import encode

if TYPE_CHECKING:
    import httpx

SPACE, ALL = f"{PREFIX}space:", "*"
WELL_KNOWN = ".well-known"
METADATA = "oauth-protected-resource"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
"""Signatures that only the issuer can make; with a shared secret anybody who can check could sign."""
KEYS_SECONDS = 600.0
AGAIN_SECONDS = 3.0
"""A key that is not known has the issuer asked again at once, but not more often than this."""
FETCH_SECONDS = 5.0
LEEWAY_SECONDS = 30
_DISCOVERY = ("oauth-authorization-server", "openid-configuration")


class NotOurs(Exception):
    """A token that is not let in, and why."""


class Unsure(NotOurs):
    """A token whose key is not there: the issuer may have new ones, or cannot be asked."""


class TooLittle(NotOurs):
    """A token of the issuer for us, whose scopes allow nothing."""


class Issuer:
    """The issuer's keys, and what its tokens allow here."""

    def __init__(self, issuer: str, resource: str) -> None:
        import httpx  # which takes a fifth of a service's start, and most have no issuer

        for name, url in (("oauth_issuer", issuer), ("oauth_resource", resource)):
            found = httpx.URL(url)
            if found.scheme != "https" and not (found.scheme == "http" and is_loopback(found.host)):
                raise ConfigError(f"{name}: {url!r} must begin with https://")
        try:
            import jwt  # the extra `oauth`
        except ImportError as error:
            raise ConfigError("oauth_issuer: needs the extra: pip install 'recollect[oauth]'") from error
        self._jwt, self._httpx = jwt, httpx
        self.issuer = issuer
        self.resource = resource.rstrip("/")
        self._keys: dict[str, Any] = {}
        self._fetched = self._asked = float("-inf")
        self._lock = threading.Lock()

    def grant(self, token: str) -> Grant:
        """What a token allows; `NotOurs` where that is nothing."""
        jwt = self._jwt
        try:
            key = self._key(str(jwt.get_unverified_header(token).get("kid", "")))
            claims = jwt.decode(
                token, key, algorithms=list(ALGORITHMS), issuer=self.issuer, leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud"], "verify_aud": False},
            )  # fmt: skip
        except jwt.PyJWTError as error:
            raise NotOurs(f"the token is not valid: {error}") from error
        self._check_audience(claims.get("aud"))
        return _granted(claims)

    def _check_audience(self, audience: object) -> None:
        named = cast("list[object]", audience) if isinstance(audience, list) else [audience]
        mine = f"{self.resource}/mcp"
        ours = (self.resource, mine, *(f"{mine}/{contract}" for contract in CONTRACTS))
        if not any(one in ours for one in named):
            raise NotOurs(f"the token was made for another service; its audience must be {self.resource}")

    def _key(self, kid: str) -> Any:
        with self._lock:
            now = monotonic()
            old = now - self._fetched > KEYS_SECONDS
            if (old or kid not in self._keys) and now - self._asked > AGAIN_SECONDS:
                self._asked = now
                self._keys, self._fetched = self._fetch(), now
                if old:
                    self._asked = float("-inf")  # that was due anyway
            elif old:
                raise Unsure(f"the keys of {self.issuer} could not be had a moment ago")
            if kid not in self._keys:
                raise Unsure("the token is signed with a key that the issuer does not have")
            return self._keys[kid]

    def _fetch(self) -> dict[str, Any]:
        httpx = self._httpx
        try:
            with httpx.Client(timeout=FETCH_SECONDS) as web:
                found = web.get(self._keys_address(web)).raise_for_status()
            keys = self._jwt.PyJWKSet.from_dict(found.json()).keys
        except (httpx.HTTPError, ValueError, self._jwt.PyJWTError) as error:
            raise Unsure(f"the keys of {self.issuer} cannot be had: {error}") from error
        return {key.key_id or "": key.key for key in keys}

    def _keys_address(self, web: httpx.Client) -> str:
        base = self._httpx.URL(self.issuer)
        path = base.path.rstrip("/")
        for name in _DISCOVERY:
            for place in dict.fromkeys((f"/{WELL_KNOWN}/{name}{path}", f"{path}/{WELL_KNOWN}/{name}")):
                found = web.get(base.copy_with(path=place))
                if found.status_code == 200 and found.json().get("issuer") == self.issuer:
                    return str(found.json()["jwks_uri"])
        raise ValueError("it does not say where they are")

    def challenge(self) -> str:
        """What somebody is told whose token does not do: where to get one, and with which scopes."""
        place = self._httpx.URL(self.resource).copy_with(path=f"/{WELL_KNOWN}/{METADATA}/mcp")
        return f'resource_metadata="{place}", scope="{PREFIX}read {SPACE}{ALL}"'


def _granted(claims: Mapping[str, Any]) -> Grant:
    said = claims.get("scope", claims.get("scp", ""))
    words = said.split() if isinstance(said, str) else [str(word) for word in cast("list[object]", said)]
    scopes: list[Scope] = [scope for scope in SCOPES if f"{PREFIX}{scope}" in words]
    if not scopes:
        raise TooLittle(f"the token has none of the scopes {', '.join(PREFIX + scope for scope in SCOPES)}")
    named = tuple(sorted({word.removeprefix(SPACE) for word in words if word.startswith(SPACE)}))
    if not named:
        raise TooLittle(f"the token names no space: it needs {SPACE}NAME, or {SPACE}{ALL} for all of them")
    spaces = None if ALL in named else named
    who = str(claims.get("sub") or claims.get("client_id") or "")
    mark = hashlib.sha256(repr((claims.get("iss"), who, scopes[-1], spaces)).encode()).hexdigest()[:16]
    return Grant(
        id=f"oauth-{mark}",
        name=_spelt(who) or f"oauth:{mark}",
        scope=scopes[-1],
        spaces=spaces,
        until=float(claims["exp"]),
    )


def _spelt(who: str) -> str:
    """An issuer's name for somebody, so that nobody takes it for a name of ours: short, and on one line."""
    plain = " ".join("".join(one if one.isprintable() else " " for one in who).split())
    return f"oauth:{plain[:LONGEST_NAME]}" if plain else ""


class Metadata:
    """`/.well-known/oauth-protected-resource`: who makes tokens for this service, and of which kinds."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer

    def close(self) -> None:
        """Nobody listens here."""

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments[:2] != (WELL_KNOWN, METADATA):
            return None
        path = "".join(f"/{segment}" for segment in exchange.segments[2:])
        if path not in ("", "/mcp", *(f"/mcp/{contract}" for contract in CONTRACTS)):
            return None
        only_get(exchange.method)
        told = {
            "resource": f"{self._issuer.resource}{path}",
            "authorization_servers": [self._issuer.issuer],
            "scopes_supported": [*(PREFIX + scope for scope in SCOPES), f"{SPACE}{ALL}"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Recollect",
        }
        return write_json(200, encode(told))
