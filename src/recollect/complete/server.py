"""What do all completers have in common that ask a server?"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

from msgspec import Struct

from recollect.complete.base import Completion
from recollect.endpoint import LONG_TIMEOUT, About, Endpoint
from recollect.errors import CompleterError

WRITING = About("a language model's server", "a text", "RECOLLECT_SUMMARIZER_KEY", CompleterError)


class Turn(Struct, frozen=True):
    """What somebody says in a conversation with a model."""

    role: str
    content: str


class ServerCompleter(ABC):
    """Owns the connections to one server."""

    provider: ClassVar[str]
    default_url: ClassVar[str]
    path: ClassVar[str]
    key_header: ClassVar[str] = "authorization"
    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self._url = (url or self.default_url).rstrip("/")
        self._endpoint = Endpoint(
            self._url + self.path, WRITING, key=key, key_header=self.key_header, headers=self.headers,
            timeout=LONG_TIMEOUT, sleep=sleep,
        )  # fmt: skip

    @abstractmethod
    def complete(self, system: str, prompt: str, max_tokens: int) -> Completion: ...
