"""Why may a read have found nothing: which name that it was narrowed by does no record have, was it too early?"""

from __future__ import annotations

from msgspec import structs

from recollect.engine.core import Core
from recollect.engine.parse import parse_optional_time
from recollect.fields import Moment
from recollect.store.base import View
from recollect.store.questions import By
from recollect.types import Filter

_NAMED: dict[str, By] = {
    "kinds": "kind", "tags": "tag", "projects": "project", "sessions": "session", "rooms": "room"
}  # fmt: skip
_MOST_TOLD = 10


def too_early(core: Core, as_of: Moment) -> str | None:
    """Says so where nothing had been recorded yet at a moment, and how to ask instead; else None."""
    moment = parse_optional_time(as_of, "as_of")
    with core.store.read() as view:
        first = next((change.at for change in view.journal(limit=1)), None)
    if moment is None or (first is not None and first <= moment):
        return None
    began = "nothing is recorded" if first is None else f"nothing was recorded before {first:%Y-%m-%d %H:%M} UTC"
    return f"{began}; true_at (--true-at) asks what held then, as far as is known now"


def tell_unheld(view: View, where: Filter) -> str | None:
    """The first name that no record has, ended ones included, with one that is like it or some that there are.

    Where records of none are asked for too (as from a folder of a project), nobody has named anything.
    """
    everything = Filter(spaces=where.spaces, valid_only=False)
    for attribute, by in _NAMED.items():
        names: tuple[str, ...] = getattr(where, attribute)
        for name in names if "" not in names else ():
            if not view.select(int, structs.replace(everything, **{attribute: (name,)}), limit=1):
                known = [group.key for group in view.count(everything, by) if group.key]
                return f"no record has the {by} {name!r}; {_instead(name, known)}"
    return None


def _instead(name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # of those alone who ask for what there is not

    near = get_close_matches(name, known, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    more = f" and {len(known) - _MOST_TOLD:,} more" if len(known) > _MOST_TOLD else ""
    return f"there are: {', '.join(known[:_MOST_TOLD])}{more}" if known else "none has any"
