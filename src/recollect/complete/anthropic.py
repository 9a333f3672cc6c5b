"""How does Anthropic's Messages API write a text?"""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct

from recollect.complete.base import Completion, need_text
from recollect.complete.server import WRITING
from recollect.endpoint import LONG_TIMEOUT, Endpoint

DEFAULT_URL = "https://api.anthropic.com/v1"
VERSION = "2023-06-01"


class Turn(Struct, frozen=True):
    role: str
    content: str


class Question(Struct, frozen=True):
    """The body of POST /messages."""

    model: str
    max_tokens: int
    system: str
    messages: list[Turn]


class Block(Struct, frozen=True):
    """A part of the answer; only parts of type `text` are read."""

    type: str
    text: str = ""


class Usage(Struct, frozen=True):
    input_tokens: int | None = None
    output_tokens: int | None = None


class Answer(Struct, frozen=True):
    """The part of the answer that is used."""

    content: list[Block]
    model: str | None = None
    usage: Usage | None = None


class AnthropicCompleter:
    """Owns the connections to one server."""

    provider = "anthropic"

    def __init__(
        self,
        model: str,
        *,
        url: str = DEFAULT_URL,
        key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self._endpoint = Endpoint(
            f"{url.rstrip('/')}/messages", WRITING, key=key, key_header="x-api-key",
            headers={"anthropic-version": VERSION}, timeout=LONG_TIMEOUT, sleep=sleep,
        )  # fmt: skip

    def complete(self, system: str, prompt: str, max_tokens: int) -> Completion:
        asked = Question(self.model, max_tokens, system, [Turn("user", prompt)])
        answer = self._endpoint.ask(asked, Answer)
        usage = answer.usage or Usage()
        written = "".join(block.text for block in answer.content if block.type == "text")
        return Completion(
            text=need_text(written, str(self._endpoint)),
            model=answer.model or self.model,
            tokens_in=usage.input_tokens,
            tokens_out=usage.output_tokens,
        )
