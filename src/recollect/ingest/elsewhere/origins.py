"""Which programs are known from which a memory can come?"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.ingest.elsewhere import (
    accounts,
    basic_memory,
    claude_mem,
    mem0,
    memory_service,
    mempalace,
    server_memory,
)
from recollect.ingest.elsewhere.found import Origin

ORIGINS: Mapping[str, Origin] = {
    one.name: one
    for one in (
        server_memory.ORIGIN, mempalace.ORIGIN, claude_mem.ORIGIN, memory_service.ORIGIN, mem0.ORIGIN,
        accounts.CHATGPT, accounts.CLAUDE, accounts.GEMINI, basic_memory.ORIGIN,
    )
}  # fmt: skip
"""In the order in which files are compared with what they write."""
