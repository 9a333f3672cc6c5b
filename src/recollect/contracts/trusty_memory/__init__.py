"""How do those speak of a memory who know palaces, rooms and drawers?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.contracts.tool import Contract
from recollect.contracts.trusty_memory.palaces import Palaces
from recollect.contracts.trusty_memory.tools import make_tools, tell_failure, tell_unknown_tool
from recollect.engine.memory import Memory

if TYPE_CHECKING:
    from recollect.contracts.route import Web

NAME = "trusty-memory"


def trusty_contract(memory: Memory, *, palace: str | None = None) -> Contract:
    """The table of a server that is bound to one palace, or (None) to none. A palace that is named is made."""
    palaces = Palaces(memory, palace)
    if palace is not None:
        palaces.create(palace)

    def web() -> Web:
        from recollect.contracts.trusty_memory.rest import trusty_web  # only where the web is asked for

        return trusty_web(memory, palaces)

    return Contract(
        name=NAME,
        tools=make_tools(palaces),
        structured=False,
        failure=tell_failure,
        unknown_tool=tell_unknown_tool,
        server_info={} if palace is None else {"default_palace": palace},
        web=web,
    )
