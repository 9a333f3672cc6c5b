"""What must something be, to write a text that it is asked for?"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from recollect.errors import CompleterError


class Completion(Struct, frozen=True, kw_only=True):
    """What a model wrote, which model it was, and what that took. None: the server did not say."""

    text: str
    model: str
    tokens_in: int | None = None
    tokens_out: int | None = None


class Completer(Protocol):
    """Three members, and nothing about where or how.

    `complete` is given what the model should be and what it is asked, and how many tokens it may write. It answers with
    a text that is not blank, or raises `CompleterError`.
    """

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    def complete(self, system: str, prompt: str, max_tokens: int) -> Completion: ...


def need_text(text: str | None, origin: str) -> str:
    """What was written, or the error that nothing was."""
    written = (text or "").strip()
    if not written:
        raise CompleterError(f"{origin} answered without a text")
    return written
