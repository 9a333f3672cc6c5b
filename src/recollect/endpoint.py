"""How is a question put to a server of a model over HTTP, and which failures are worth another try?"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx
import msgspec

from recollect.errors import ConfigError, RecollectError
from recollect.forms import decode

AnswerT = TypeVar("AnswerT")
TRY_AGAIN = frozenset({429, 500, 502, 503, 504, 529})
TRIES = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
TIMEOUT = httpx.Timeout(60.0, connect=5.0)
LONG_TIMEOUT = httpx.Timeout(180.0, connect=5.0)
"""For servers that write a text before they answer."""
SHOWN = 200


class About(msgspec.Struct, frozen=True):
    """What a kind of server is called in messages, and which error a failure of it is."""

    server: str
    answer: str
    key_setting: str
    error: type[RecollectError]


def read_clock() -> datetime:
    return datetime.now(UTC)


class Endpoint:
    """Owns the connections to one URL. Threads may share it; they are closed when it is no longer used."""

    def __init__(
        self,
        url: str,
        about: About,
        *,
        key: str | None = None,
        key_header: str = "authorization",
        headers: Mapping[str, str] | None = None,
        timeout: httpx.Timeout = TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = read_clock,
    ) -> None:
        self._about = about
        self.url = parse_url(url, about)
        self._sleep = sleep
        self._now = now
        sent = {"content-type": "application/json", **(headers or {})}
        self._key = parse_key(key, about) if key else ""
        if self._key:
            sent[key_header] = f"Bearer {self._key}" if key_header == "authorization" else self._key
        # A proxy of the environment is for other machines, not for a server on this one.
        elsewhere = self.url.host not in ("localhost", "127.0.0.1", "::1")
        self._client = httpx.Client(headers=sent, timeout=timeout, trust_env=elsewhere)
        weakref.finalize(self, self._client.close)

    def __str__(self) -> str:
        return str(self.url)

    def ask(self, question: msgspec.Struct, answer: type[AnswerT]) -> AnswerT:
        """POST the question as JSON and parse what comes back."""
        body = self._post(msgspec.json.encode(question))
        try:
            return decode(body, answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = "numbers that are not finite" if b"NaN" in body else str(error)
            raise self._about.error(f"{self} did not answer with {self._about.answer}: {problem}") from error

    def _post(self, body: bytes) -> bytes:
        response = self._send(body)
        for attempt in range(1, TRIES):
            if response is not None and response.status_code not in TRY_AGAIN:
                break
            self._sleep(self._wait(response, FIRST_WAIT * 2 ** (attempt - 1)))
            response = self._send(body)
        if response is None:
            raise self._about.error(f"{self} broke off the connection, {TRIES} times")
        if response.is_success:
            return response.content
        raise self._about.error(self._explain(response))

    def _send(self, body: bytes) -> httpx.Response | None:
        """None when the server hung up, as it does when it closes an idle connection."""
        try:
            return self._client.post(self.url, content=body)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            return None
        except httpx.ConnectError as error:
            raise self._about.error(f"nothing answers at {self}; is the server running? ({error})") from error
        except httpx.TimeoutException as error:
            raise self._about.error(f"{self} did not answer in time") from error
        except httpx.HTTPError as error:
            raise self._about.error(f"{self} could not be asked: {error}") from error

    def _wait(self, response: httpx.Response | None, otherwise: float) -> float:
        """Seconds before the next try: what the server asks for, unless that is too long to wait."""
        asked = response.headers.get("retry-after") if response is not None else None
        seconds = parse_retry_after(asked, self._now()) if asked else None
        if seconds is None:
            return otherwise
        if seconds > LONGEST_WAIT:
            raise self._about.error(f"{self} is busy and asks to wait {seconds:.0f} seconds")
        return seconds

    def _explain(self, response: httpx.Response) -> str:
        status = response.status_code
        text = response.text.replace(self._key, "***") if self._key else response.text  # some servers repeat it
        said = " ".join(text.split())[:SHOWN]
        if status in (401, 403):
            return f"{self} refused the key ({status}); check {self._about.key_setting}: {said}"
        if status == 404:
            return f"{self} does not exist there, or the model does not (404): {said}"
        return f"{self} answered {status}: {said}"


def parse_url(text: str, about: About) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ConfigError(f"{text!r} is not a URL of {about.server}: {error}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"{text!r} is not a URL of {about.server}: it must begin with http:// or https://")
    return url


def parse_key(text: str, about: About) -> str:
    key = text.strip()
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"the key of {about.server} has characters that no key has")
    return key


def parse_retry_after(text: str, now: datetime) -> float | None:
    """Seconds, or a date (both are allowed); None when it is neither."""
    if text.strip().isdecimal():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
