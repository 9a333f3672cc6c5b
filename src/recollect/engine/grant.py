"""What may somebody see and do who is not the owner of the memory?

A grant names spaces and a scope. `read` sees, `write` changes what is in these spaces, and `admin` may also make and
drop them. Whoever has one is told of nothing else: not that there are other spaces, nor how many.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from recollect.types import DEFAULT_SPACE

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "write", "admin")


class Grant(Struct, frozen=True, kw_only=True):
    """What a client may do. Without `spaces` it is all of them; `id` tells one client's things from another's.

    `until` is when it ends, in seconds since 1970, where that is known from the beginning.
    """

    id: str = ""
    name: str = ""
    scope: Scope = "admin"
    spaces: tuple[str, ...] | None = None
    until: float | None = None

    @property
    def owns(self) -> bool:
        """Is it the owner, who is told of all that is done and whose rights do not end?"""
        return self.id in (EVERYTHING.id, BY_TOKEN.id)

    @property
    def of_issuer(self) -> bool:
        """Was it made elsewhere, where a larger one can be had too?"""
        return self.until is not None

    def allows(self, scope: Scope) -> bool:
        return SCOPES.index(self.scope) >= SCOPES.index(scope)

    def sees(self, space: str) -> bool:
        return self.spaces is None or space in self.spaces

    @property
    def usual_space(self) -> str:
        """The space that is meant where none is named: the usual one, or else the first that it names."""
        return self.spaces[0] if self.spaces and DEFAULT_SPACE not in self.spaces else DEFAULT_SPACE


EVERYTHING = Grant()
"""What the owner may do, on the own machine."""
BY_TOKEN = Grant(id="owner")
"""What the owner may do who shows a token, from wherever: all but have files of this machine read or written."""
