"""Which embedder do the settings ask for?

Each kind's module is imported only when it is chosen: they bring numpy, onnxruntime or an HTTP client along.
"""

from __future__ import annotations

from recollect.embed.base import Embedder
from recollect.errors import ConfigError

KINDS = ("bundled", "multilingual", "ollama", "openai", "none")


def choose_embedder(
    kind: str,
    *,
    model: str | None = None,
    url: str | None = None,
    key: str | None = None,
    dim: int | None = None,
    threads: int | None = None,
) -> Embedder | None:
    """The embedder of that kind; None for `none`: recall then goes by keywords alone."""
    if dim is not None and dim < 1:
        raise ConfigError(f"an embedding's dimension must be at least 1, not {dim}")
    if threads is not None and threads < 1:
        raise ConfigError(f"an embedder needs at least 1 thread, not {threads}")
    match kind:
        case "none":
            return None
        case "bundled":
            from recollect.embed.bundled import BundledEmbedder

            return BundledEmbedder(threads=threads)
        case "multilingual":
            from recollect.embed.multilingual import MultilingualEmbedder

            return MultilingualEmbedder(threads=threads)
        case "ollama":
            from recollect.embed import ollama

            return ollama.OllamaEmbedder(need_model(kind, model), url=url or ollama.DEFAULT_URL, key=key, dim=dim)
        case "openai":
            from recollect.embed import openai

            return openai.OpenAIEmbedder(need_model(kind, model), url=url or openai.DEFAULT_URL, key=key, dim=dim)
        case _:
            raise ConfigError(f"there is no embedder {kind!r}; there are: {', '.join(KINDS)}")


def need_model(kind: str, model: str | None) -> str:
    if not model:
        raise ConfigError(f"the embedder {kind!r} needs the name of a model: set RECOLLECT_EMBED_MODEL")
    return model
