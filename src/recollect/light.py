"""What has fields, where nothing may take time to import?

A relay and a hook are started while somebody waits, and there may be many of them. `typing` alone takes a third of
their time and a sixth of their memory; so these modules leave it to who checks types.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple, cast

    Plain = NamedTuple
    __all__ = ["TYPE_CHECKING", "Plain", "cast"]
else:

    def cast(kind: object, value: object) -> object:  # noqa: ARG001  for those alone who check
        return value

    class Plain:
        """Fields by their names, or in the order in which a class declares them; what is not given is as it says."""

        def __init_subclass__(cls) -> None:
            cls._fields = tuple(cls.__annotations__)

        def __init__(self, *given: object, **named: object) -> None:
            for name, value in [*zip(self._fields, given), *named.items()]:  # noqa: B905  not all need be given
                setattr(self, name, value)

        def __eq__(self, other: object) -> bool:
            return type(self) is type(other) and all(getattr(self, n) == getattr(other, n) for n in self._fields)

        __hash__ = None
