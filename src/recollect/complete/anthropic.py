"""How does Anthropic's Messages API write a text?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from recollect.complete.base import Completion, need_text
from recollect.complete.server import ServerCompleter, Turn


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


class AnthropicCompleter(ServerCompleter):
    """Asks a server of that form."""

    provider = "anthropic"
    default_url = "https://api.anthropic.com/v1"
    path = "/messages"
    key_header = "x-api-key"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": "2023-06-01"}

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
