"""Trying again, giving up, and refusing what cannot be a server."""

from __future__ import annotations

import socket
from datetime import UTC, datetime

import httpx
import pytest
from msgspec import Struct

from loopback import Loopback, Reply
from recollect.embed.endpoint import EMBEDDING
from recollect.endpoint import Endpoint, parse_retry_after
from recollect.errors import ConfigError, EmbedderError

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


class Question(Struct, frozen=True):
    text: str


class Answer(Struct, frozen=True):
    ok: bool


FINE = Reply(body=b'{"ok": true}')


def open_endpoint(loopback: Loopback) -> Endpoint:
    return Endpoint(loopback.url, EMBEDDING, sleep=loopback.waits.append, now=lambda: NOON)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_after_longer_and_longer_waits(loopback: Loopback, status: int) -> None:
    loopback.script = [Reply(status), Reply(status), Reply(status), FINE]
    assert open_endpoint(loopback).ask(Question("hi"), Answer) == Answer(True)
    assert loopback.waits == [0.5, 1.0, 2.0]
    assert [asked.body for asked in loopback.asked] == [{"text": "hi"}] * 4


def test_a_lasting_failure_is_an_error_after_four_tries(loopback: Loopback) -> None:
    loopback.script = [Reply(503, b"still loading")] * 5
    with pytest.raises(EmbedderError, match="answered 503: still loading"):
        open_endpoint(loopback).ask(Question("hi"), Answer)
    assert len(loopback.asked) == 4


def test_the_wait_that_the_server_asks_for_is_kept(loopback: Loopback) -> None:
    dated = Reply(503, headers={"retry-after": "Thu, 01 Jan 2026 12:00:09 GMT"})
    loopback.script = [Reply(429, headers={"retry-after": "7"}), dated, FINE]
    open_endpoint(loopback).ask(Question("hi"), Answer)
    assert loopback.waits == [7.0, 9.0]


def test_a_wait_that_is_too_long_is_an_error_at_once(loopback: Loopback) -> None:
    loopback.script = [Reply(429, headers={"retry-after": "3600"})]
    with pytest.raises(EmbedderError, match="asks to wait 3600 seconds"):
        open_endpoint(loopback).ask(Question("hi"), Answer)
    assert loopback.waits == []


def test_a_refusal_is_not_tried_again(loopback: Loopback) -> None:
    loopback.script = [Reply(401, b"no"), FINE]
    with pytest.raises(EmbedderError, match="refused the key"):
        open_endpoint(loopback).ask(Question("hi"), Answer)
    assert len(loopback.asked) == 1


def test_a_connection_that_breaks_off_is_opened_again(loopback: Loopback) -> None:
    loopback.script = [FINE, Reply(hang_up=True), FINE]
    endpoint = open_endpoint(loopback)
    endpoint.ask(Question("first"), Answer)
    assert endpoint.ask(Question("second"), Answer) == Answer(True)


def test_a_server_that_always_hangs_up_is_an_error(loopback: Loopback) -> None:
    loopback.script = [Reply(hang_up=True)] * 4
    with pytest.raises(EmbedderError, match="broke off the connection, 4 times"):
        open_endpoint(loopback).ask(Question("hi"), Answer)


def test_a_refused_connection_names_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(EmbedderError, match=f"nothing answers at http://127.0.0.1:{port}"):
        Endpoint(f"http://127.0.0.1:{port}", EMBEDDING).ask(Question("hi"), Answer)


def test_a_server_that_accepts_and_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(EmbedderError, match="did not answer in time"):
            Endpoint(url, EMBEDDING, timeout=httpx.Timeout(0.05)).ask(Question("hi"), Answer)


@pytest.mark.parametrize("url", ["", "localhost:11434", "ftp://host/x", "http://", "http://[::1"])
def test_what_is_not_a_url_of_a_server_is_a_setting_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ConfigError, match="not a URL of an embedding server"):
        Endpoint(url, EMBEDDING)


def test_a_key_with_a_line_break_is_a_setting_that_cannot_be_used() -> None:
    with pytest.raises(ConfigError, match="characters that no key has"):
        Endpoint("http://127.0.0.1", EMBEDDING, key="two\nlines")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0.0), (" 12 ", 12.0), ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0), ("soon", None), ("-1", None)],
)
def test_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    assert parse_retry_after(text, NOON) == seconds


def test_a_key_that_a_server_repeats_is_not_passed_on(loopback: Loopback) -> None:
    loopback.script = [Reply(401, b"Incorrect key: sk-secret")]
    with pytest.raises(EmbedderError, match=r"Incorrect key: \*\*\*$"):
        Endpoint(loopback.url, EMBEDDING, key="sk-secret").ask(Question("hi"), Answer)
