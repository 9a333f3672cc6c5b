"""The wire formats of the three providers, over real connections."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from loopback import Body, Loopback, Reply
from recollect.complete.anthropic import AnthropicCompleter
from recollect.complete.base import Completer, Completion
from recollect.complete.choose import choose_completer
from recollect.complete.ollama import OllamaCompleter
from recollect.complete.openai import OpenAICompleter
from recollect.errors import CompleterError, ConfigError

Make = Callable[..., Completer]
MAKERS: dict[str, Make] = {"ollama": OllamaCompleter, "openai": OpenAICompleter, "anthropic": AnthropicCompleter}
PATHS = {"ollama": "/api/chat", "openai": "/chat/completions", "anthropic": "/messages"}


def speak(provider: str, text: Any) -> Body:
    """A whole answer as each of them writes it."""
    if provider == "ollama":
        message = {"role": "assistant", "content": text}
        return {"model": "tiny", "message": message, "done": True, "prompt_eval_count": 11, "eval_count": 7}
    if provider == "openai":
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return {"id": "c", "object": "chat.completion", "model": "tiny-1", "choices": [choice], "usage": usage}
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}]
    usage = {"input_tokens": 11, "output_tokens": 7}
    return {"id": "m", "type": "message", "role": "assistant", "model": "tiny-1", "content": blocks, "usage": usage}


@pytest.fixture(params=list(MAKERS))
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make(provider: str, loopback: Loopback, **more: Any) -> Completer:
    return MAKERS[provider]("tiny", url=loopback.url, key="secret", sleep=loopback.waits.append, **more)


def test_what_is_written_comes_with_its_model_and_its_tokens(provider: str, loopback: Loopback) -> None:
    loopback.answer = lambda _: speak(provider, " A summary. ")
    completer = make(provider, loopback)
    done = completer.complete("Be brief.", "Tea at five.", 100)
    model = "tiny" if provider == "ollama" else "tiny-1"
    assert done == Completion(text="A summary.", model=model, tokens_in=11, tokens_out=7)
    assert (completer.provider, completer.model) == (provider, "tiny")


def test_the_question_has_the_form_that_the_provider_reads(provider: str, loopback: Loopback) -> None:
    loopback.answer = lambda _: speak(provider, "x")
    make(provider, loopback).complete("Be brief.", "Tea at five.", 100)
    (asked,) = loopback.asked
    system, user = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Tea at five."}
    bodies = {
        "ollama": {
            "model": "tiny", "messages": [system, user], "stream": False,
            "options": {"num_predict": 100, "num_ctx": 4096, "temperature": 0.0, "seed": 0},
        },
        "openai": {"model": "tiny", "messages": [system, user], "max_tokens": 100},
        "anthropic": {"model": "tiny", "max_tokens": 100, "system": "Be brief.", "messages": [user]},
    }  # fmt: skip
    assert (asked.path, asked.body) == (PATHS[provider], bodies[provider])
    if provider == "anthropic":
        assert (asked.headers["x-api-key"], asked.headers["anthropic-version"]) == ("secret", "2023-06-01")
        assert asked.authorization is None
    else:
        assert asked.authorization == "Bearer secret"


def test_a_long_text_gets_a_window_that_holds_it_from_ollama(loopback: Loopback) -> None:
    loopback.answer = lambda _: speak("ollama", "x")
    make("ollama", loopback).complete("", "word " * 6_000, 500)
    assert loopback.asked[0].body["options"]["num_ctx"] == 16_384


def test_a_rate_limit_is_waited_for_as_long_as_the_server_asks(provider: str, loopback: Loopback) -> None:
    fine = Reply(body=json.dumps(speak(provider, "At last.")).encode())
    loopback.script = [Reply(429, headers={"retry-after": "7"}), Reply(529 if provider == "anthropic" else 503), fine]
    assert make(provider, loopback).complete("s", "p", 10).text == "At last."
    assert loopback.waits == [7.0, 1.0]


def test_a_rate_limit_that_lasts_too_long_is_an_error(provider: str, loopback: Loopback) -> None:
    loopback.script = [Reply(429, headers={"retry-after": "600"})]
    with pytest.raises(CompleterError, match="asks to wait 600 seconds"):
        make(provider, loopback).complete("s", "p", 10)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(401, b"no such key"), "refused the key .401.; check RECOLLECT_SUMMARIZER_KEY"),
        (Reply(404, b"no such model"), "or the model does not .404.: no such model"),
        (Reply(400, b"too long"), "answered 400: too long"),
        (Reply(200, b"<html>hello</html>"), "did not answer with a text"),
        (Reply(200, b'{"unexpected": true}'), "did not answer with a text"),
        (Reply(200, b'{"message": 3, "choices": "x", "content": 1}'), "did not answer with a text"),
        (Reply(200, b""), "did not answer with a text"),
    ],
)
def test_a_failure_says_what_it_is(provider: str, loopback: Loopback, reply: Reply, words: str) -> None:
    loopback.script = [reply]
    with pytest.raises(CompleterError, match=words):
        make(provider, loopback).complete("s", "p", 10)
    assert len(loopback.asked) == 1


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_answer_without_a_text_is_an_error(provider: str, loopback: Loopback, text: str) -> None:
    loopback.answer = lambda _: speak(provider, text)
    with pytest.raises(CompleterError, match="answered without a text"):
        make(provider, loopback).complete("s", "p", 10)


def test_a_refusal_of_the_model_is_told(loopback: Loopback) -> None:
    said = {"role": "assistant", "content": None, "refusal": "I would rather not."}
    loopback.answer = lambda _: {"choices": [{"message": said}]}
    with pytest.raises(CompleterError, match=r"tiny refused: I would rather not\."):
        make("openai", loopback).complete("s", "p", 10)
    loopback.answer = lambda _: {"choices": []}
    with pytest.raises(CompleterError, match="answered without a text"):
        make("openai", loopback).complete("s", "p", 10)


def test_a_server_that_says_nothing_is_given_up(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.complete.server.LONG_TIMEOUT", httpx.Timeout(0.05))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(CompleterError, match="did not answer in time"):
            MAKERS[provider]("tiny", url=url).complete("s", "p", 10)


def test_a_provider_is_chosen_by_its_name() -> None:
    for name, made in MAKERS.items():
        chosen = choose_completer(name, model="tiny")
        assert isinstance(chosen, made)  # type: ignore[arg-type]  # the makers are classes
    with pytest.raises(ConfigError, match=r"there is no provider 'gpt' .* there are: none, client, ollama"):
        choose_completer("gpt", model="tiny")
    with pytest.raises(ConfigError, match="set RECOLLECT_SUMMARIZER_MODEL"):
        choose_completer("ollama", model=None)
