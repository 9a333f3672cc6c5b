"""Which contracts are there, and what does each want of whoever serves it?

Only the contract that is chosen is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from recollect.environment import FOREIGN_HOMES
from recollect.types import DEFAULT_SPACE

if TYPE_CHECKING:
    from recollect.contracts.tool import Contract
    from recollect.engine.memory import Memory


class Offer(NamedTuple):
    """One contract: how its table is made, and in what serving it differs from serving others.

    `make` gets the memory and the space that a server was bound to, None where it was bound to none.
    """

    make: Callable[[Memory, str | None], Contract]
    scope: str = "--space"
    """The option that names the space of a server."""
    dreams: bool = False
    upkeep: bool = False
    """Are stale memories evicted, and unused ones let fade, at their hours while it serves?"""
    log_variable: str | None = None
    """An environment variable that says how much is logged, as the server that it stands in for has it."""
    follows: bool = False
    """Does what is stored and seen follow the project that the client works in?"""
    home_variable: str | None = None
    """An environment variable that names the store's folder where nothing of ours does."""


def _native(memory: Memory, space: str | None) -> Contract:
    from recollect.contracts.native.table import native_contract

    return native_contract(memory, space=space or DEFAULT_SPACE)


def _trusty_memory(memory: Memory, palace: str | None) -> Contract:
    from recollect.contracts.trusty_memory.table import trusty_contract

    return trusty_contract(memory, palace=palace)


def _memory_mcp(memory: Memory, space: str | None) -> Contract:
    from recollect.contracts.memory_mcp.table import memory_mcp_contract

    return memory_mcp_contract(memory, space=space or DEFAULT_SPACE)


def _memory_substrate(memory: Memory, space: str | None) -> Contract:
    from recollect.contracts.memory_substrate.table import memory_substrate_contract

    return memory_substrate_contract(memory, space=space or DEFAULT_SPACE)


def _rusty_mem(memory: Memory, collection: str | None) -> Contract:
    from recollect.config import rusty_mem_settings
    from recollect.contracts.rusty_mem.params import Defaults
    from recollect.contracts.rusty_mem.table import rusty_mem_contract

    read = rusty_mem_settings()
    defaults = Defaults(
        collection=collection or read.qdrant_collection_name,
        limit=read.search_default_limit,
        max_limit=read.search_max_limit,
        score_threshold=read.search_default_score_threshold,
        max_words=read.summarization_max_words,
        dimension=read.embedding_dimension,
    )
    return rusty_mem_contract(memory, defaults)


def _agentos(memory: Memory, agent: str | None) -> Contract:
    from recollect.contracts.agentos.table import agentos_contract

    return agentos_contract(memory, space=agent or DEFAULT_SPACE)


CONTRACTS: Mapping[str, Offer] = {
    "native": Offer(_native, follows=True),
    "trusty-memory": Offer(_trusty_memory, scope="--palace", dreams=True, log_variable="RUST_LOG"),
    "memory-mcp": Offer(_memory_mcp),
    "memory-substrate": Offer(_memory_substrate, home_variable=FOREIGN_HOMES["memory-substrate"]),
    "rusty-mem": Offer(_rusty_mem, log_variable="RUST_LOG"),
    "agentos": Offer(_agentos, upkeep=True),
}
"""Every contract by the name that `--as` knows."""
