"""How does an Ollama server write a text?"""

from __future__ import annotations

from msgspec import Struct

from recollect.complete.base import Completion, need_text
from recollect.complete.server import ServerCompleter, Turn

_SMALLEST_WINDOW = 4_096
_LARGEST_WINDOW = 65_536


class Options(Struct, frozen=True):
    num_predict: int
    num_ctx: int
    temperature: float = 0.0
    seed: int = 0


class Question(Struct, frozen=True):
    """The body of POST /api/chat."""

    model: str
    messages: list[Turn]
    options: Options
    stream: bool = False


class Said(Struct, frozen=True):
    content: str = ""


class Answer(Struct, frozen=True):
    """The part of its answer that is used."""

    message: Said
    model: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class OllamaCompleter(ServerCompleter):
    """Asks an Ollama server."""

    provider = "ollama"
    default_url = "http://127.0.0.1:11434"
    path = "/api/chat"

    def complete(self, system: str, prompt: str, max_tokens: int) -> Completion:
        asked = Question(
            self.model,
            [Turn("system", system), Turn("user", prompt)],
            Options(num_predict=max_tokens, num_ctx=_window(len(system) + len(prompt), max_tokens)),
        )
        answer = self._endpoint.ask(asked, Answer)
        return Completion(
            text=need_text(answer.message.content, str(self._endpoint)),
            model=answer.model or self.model,
            tokens_in=answer.prompt_eval_count,
            tokens_out=answer.eval_count,
        )


def _window(characters: int, max_tokens: int) -> int:
    """How many tokens must fit: Ollama cuts the rest off without a word. Few sizes, so that the model stays loaded."""
    needed = characters // 2 + max_tokens
    window = _SMALLEST_WINDOW
    while window < needed and window < _LARGEST_WINDOW:
        window *= 2
    return window
