"""What does the environment say, before anything is made of it?

This and `config.py` alone read it. Nothing here is slow to import: a relay has no more than this.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as `typing` has it, which takes long to import
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

FOREIGN = (
    "QDRANT_COLLECTION_NAME", "SEARCH_DEFAULT_LIMIT", "SEARCH_MAX_LIMIT", "SEARCH_DEFAULT_SCORE_THRESHOLD",
    "SUMMARIZATION_MAX_WORDS", "EMBEDDING_DIMENSION",
)  # fmt: skip
"""What rusty-mem reads, under its own names."""
FOREIGN_HOMES = {"memory-substrate": "MEMORY_SUBSTRATE_ROOT"}
"""Variables that name the store's folder for one contract, where nothing of ours does."""
HOOK_SECONDS = 0.3
"""How long a hook may take, where nothing else is said."""
_OWN = (
    "LOG_LEVEL", "TOKEN", "HOOK_SECONDS", "HOME", "SHARED", "PASSPHRASE", "RATE", "READERS", "VECTORS_MB",
    "TLS_CERT", "TLS_KEY", "OAUTH_ISSUER", "OAUTH_RESOURCE",
)  # fmt: skip
"""Settings of a process, which are no matter of the memory that it works on."""


def home_of(environment: Mapping[str, str] = os.environ) -> str:
    """`RECOLLECT_HOME`, else the platform's folder for a user's data."""
    named = environment.get("RECOLLECT_HOME", "").strip()
    if named:
        return named
    from platformdirs import user_data_dir  # only when nothing was named: it costs start-up time

    return user_data_dir("recollect", appauthor=False)


def place_of(contract: str, home: str | None, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The folder that a server of a contract works in, and the address of its store where that is elsewhere."""
    if home is not None and "://" in home:
        return home_of(environment), home
    if home is not None:
        return home, ""
    store = environment.get("RECOLLECT_STORE", "").strip()
    foreign = environment.get(FOREIGN_HOMES.get(contract, ""), "").strip()
    if foreign and not store and not environment.get("RECOLLECT_HOME", "").strip():
        return foreign, ""
    return home_of(environment), store


def shares(environment: Mapping[str, str] = os.environ) -> bool:
    """May this process be served by another that has the same memory open?"""
    return environment.get("RECOLLECT_SHARED", "").strip() in ("", "on")


def character_of(environment: Mapping[str, str] = os.environ) -> str:
    """All that has two processes answer the same call in different ways: only those of one character share."""
    settings = {
        name: value
        for name, value in environment.items()
        if name in FOREIGN or (name.startswith("RECOLLECT_") and name.removeprefix("RECOLLECT_") not in _OWN)
    }
    return "\n".join(f"{name}={value}" for name, value in sorted(settings.items()))


def hook_seconds(environment: Mapping[str, str] = os.environ) -> float | None:
    """How long a hook may take, as far as that can be said without the settings."""
    said = environment.get("RECOLLECT_HOOK_SECONDS", "").strip()
    try:
        return (float(said) if said.isascii() else None) if said else HOOK_SECONDS
    except ValueError:
        return None


def working_folder(environment: Mapping[str, str] = os.environ) -> str | None:
    """Where the client works that has started this process; None where that folder is gone."""
    named = environment.get("CLAUDE_PROJECT_DIR", "").strip()
    try:
        return named or os.getcwd()
    except FileNotFoundError:
        return None


def spare_processors(environment: MutableMapping[str, str] = os.environ) -> None:
    """Has this process compute in the threads that it starts itself, unless it is told otherwise.

    A library beneath numpy would share every product of small matrices among all processors, and have them wait in
    circles for the next: a recall took three times the work. It looks here once, when it is loaded.
    """
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")


def report_nothing(environment: MutableMapping[str, str] = os.environ) -> None:
    """Has libraries that would tell their makers how they are used tell nothing: nothing leaves this machine.

    onnxruntime does so from 1.31 on, with a device's id, and looks here when it is loaded.
    """
    environment["ORT_DISABLE_TELEMETRY"] = "1"
