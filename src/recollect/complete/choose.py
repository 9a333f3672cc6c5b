"""Which language model do the settings ask for?

Each kind's module is imported only when it is chosen: it brings an HTTP client along.
"""

from __future__ import annotations

from recollect.complete.base import Completer
from recollect.errors import ConfigError

PROVIDERS = ("ollama", "openai", "anthropic")
"""Those that are asked over HTTP."""
KINDS = ("none", "client", *PROVIDERS)
"""`client` is the model of whoever is connected, where it offers that."""


def choose_completer(kind: str, *, model: str | None, url: str | None = None, key: str | None = None) -> Completer:
    """The completer of a provider."""
    if kind not in PROVIDERS:
        raise ConfigError(f"there is no provider {kind!r} of a language model; there are: {', '.join(KINDS)}")
    if not model:
        raise ConfigError(f"the provider {kind!r} needs the name of a model: set RECOLLECT_SUMMARIZER_MODEL")
    if kind == "ollama":
        from recollect.complete.ollama import OllamaCompleter as Chosen
    elif kind == "openai":
        from recollect.complete.openai import OpenAICompleter as Chosen
    else:
        from recollect.complete.anthropic import AnthropicCompleter as Chosen
    return Chosen(model, url=url, key=key)
