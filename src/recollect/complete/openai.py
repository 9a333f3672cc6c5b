"""How does a server with OpenAI's chat completions write a text?"""

from __future__ import annotations

from msgspec import Struct

from recollect.complete.base import Completion, need_text
from recollect.complete.server import ServerCompleter, Turn
from recollect.errors import CompleterError


class Question(Struct, frozen=True, omit_defaults=True):
    """The body of POST /chat/completions. OpenAI itself refuses `max_tokens`, many others know nothing else."""

    model: str
    messages: list[Turn]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


class Said(Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class Choice(Struct, frozen=True):
    message: Said


class Usage(Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Answer(Struct, frozen=True):
    """The part of the answer that is used."""

    choices: list[Choice]
    model: str | None = None
    usage: Usage | None = None


class OpenAICompleter(ServerCompleter):
    """Asks a server of that form."""

    provider = "openai"
    default_url = "https://api.openai.com/v1"
    path = "/chat/completions"

    def complete(self, system: str, prompt: str, max_tokens: int) -> Completion:
        turns = [Turn("system", system), Turn("user", prompt)]
        asked = (
            Question(self.model, turns, max_completion_tokens=max_tokens)
            if self._url == self.default_url
            else Question(self.model, turns, max_tokens=max_tokens)
        )
        answer = self._endpoint.ask(asked, Answer)
        if not answer.choices:
            raise CompleterError(f"{self._endpoint} answered without a text")
        said = answer.choices[0].message
        if said.refusal:
            raise CompleterError(f"{self.model} refused: {said.refusal}")
        usage = answer.usage or Usage()
        return Completion(
            text=need_text(said.content, str(self._endpoint)),
            model=answer.model or self.model,
            tokens_in=usage.prompt_tokens,
            tokens_out=usage.completion_tokens,
        )
