"""What of a text must not be kept?

Everything that comes into a memory goes through here before it is compared, counted or written, whichever way it
comes: secrets are masked (or refused, or let through, as its space says), and what stands in `<private>…</private>` is
left out in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Literal, TypeVar, cast, get_args

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, existing
from recollect.engine.parse import parse_choice
from recollect.errors import InvalidInput
from recollect.ingest.secrets import carry_keys, carry_private, drop_private, mask_secrets, mask_value
from recollect.store.base import Shelf, View
from recollect.types import DEFAULT_SPACE, Entity, Grounds, Json, Metadata, Relation, Segment, Space, Stated

Secrets = Literal["mask", "reject", "allow"]
POLICIES: tuple[Secrets, ...] = get_args(Secrets)
SETTINGS = Shelf("settings", str)
"""What a space does in its own way, each under its name."""
_SECRETS = "secrets"

ALL_PRIVATE = "all of it is private; nothing was stored"

_SCREENED: Mapping[type[Struct], tuple[str, ...]] = {
    Stated: ("text", "title", "role", "room", "source", "locator", "metadata", "grounds", "reason", "tags"),
    Segment: ("text", "title", "role", "locator", "metadata"),
    Entity: ("name", "type", "description", "aliases", "metadata"),
    Space: ("description", "metadata"),
    Relation: ("predicate", "provenance", "metadata"),
}

T = TypeVar("T", bound=Struct)


@cache
def _screened(type_: type[Struct]) -> tuple[tuple[str, ...], Callable[[Struct], tuple[object, ...]]]:
    """Which fields of a type are screened, and what takes their values out of a thing."""
    named = next(names for known, names in _SCREENED.items() if issubclass(type_, known))
    fields = tuple(name for name in named if name in type_.__struct_fields__)
    return fields, attrgetter(*fields)


def secrets_of(view: View, space: str) -> Secrets:
    """What a space does with secrets."""
    kept = view.kept(SETTINGS, space=space, keys=[_SECRETS]).get(_SECRETS) if view.spaces([space]) else None
    return kept if kept in POLICIES else "mask"


def secrets_policy(core: Core, *, space: str = DEFAULT_SPACE) -> Secrets:
    """What a space does with keys, tokens and passwords: mask (as a rule), reject or allow."""
    with core.store.read() as view:
        return secrets_of(view, existing(core, space))


def set_secrets(core: Core, policy: str, *, space: str = DEFAULT_SPACE) -> Secrets:
    """Says what a space does with keys, tokens and passwords from now on: mask, reject or allow."""
    chosen = parse_choice(policy, "secrets", POLICIES)
    home = existing(core, space)
    with core.store.write(actor=core.actor) as edit:
        edit.keep(SETTINGS, {_SECRETS: None if chosen == "mask" else chosen}, space=home)
    return chosen


class Screen:
    """What goes into one space, screened. The space is asked for its way only where a secret was found."""

    def __init__(self, view: View, space: str, policy: Secrets | None = None) -> None:
        self._view = view
        self._space = space
        self._policy: Secrets | None = policy

    @property
    def policy(self) -> Secrets:
        if self._policy is None:
            self._policy = secrets_of(self._view, self._space)
        return self._policy

    def take(self, thing: T) -> tuple[T, tuple[str, ...]]:
        """A draft, segment, entity or relation as it may be kept, and the kinds of secrets that are masked in it."""
        fields, values = _screened(type(thing))
        found: list[str] = []
        changes: dict[str, object] = {}
        for name, held in zip(fields, values(thing), strict=True):
            if held and (kept := self._value(held, found)) is not held:
                changes[name] = kept
        if not changes:
            return thing, ()
        return msgspec.structs.replace(thing, **changes), tuple(dict.fromkeys(found))

    def require(self, thing: T, field: str) -> T:
        """The same where there is no receipt to say so; a space that takes no secrets refuses it."""
        kept, kinds = self.take(thing)
        if kinds and self.policy == "reject":
            raise InvalidInput(field, told_refused(kinds))
        return kept

    def text(self, text: str) -> tuple[str, tuple[str, ...]]:
        found: list[str] = []
        return self._text(text, found), tuple(found)

    def value(self, name: str, text: str) -> tuple[str, tuple[str, ...]]:
        """What something of a name is, which may say that it is a secret."""
        found: list[str] = []
        return self._text(text, found, name), tuple(found)

    def carry(self, texts: Sequence[str]) -> list[str]:
        """Texts that follow each other as they may be screened one by one: what is private, or a private key, may begin
        in one and end in another.
        """
        public = carry_private(texts)
        carried = carry_keys(public)
        return public if carried == public or self.policy == "allow" else carried

    def values(self, values: Metadata) -> Metadata:
        """What else is said of something, by name."""
        return cast("Metadata", self._value(values, []))

    def _text(self, text: str, found: list[str], name: str = "") -> str:
        public = drop_private(text)
        masked, kinds = mask_value(name, public) if name else mask_secrets(public)
        if not kinds or self.policy == "allow":
            return public if public != text else text
        found += kinds
        return masked

    def _value(self, value: object, found: list[str], name: str = "") -> object:
        """The same value where nothing in it had to go."""
        if isinstance(value, str):
            return self._text(value, found, name)
        if isinstance(value, Grounds):
            return self._grounds(value, found)
        if isinstance(value, Mapping):
            held = cast("Mapping[str, object]", value)
            kept = {name: self._value(one, found, str(name)) for name, one in held.items()}
            return kept if any(kept[name] is not held[name] for name in held) else held
        if isinstance(value, Sequence):
            items = cast("Sequence[object]", value)
            made = tuple(self._value(one, found, name) for one in items)
            changed = any(one is not other for one, other in zip(made, items, strict=True))
            return made if changed else items
        return value

    def _grounds(self, grounds: Grounds, found: list[str]) -> Grounds:
        claim = grounds.claim
        if claim is None or (value := self._value(claim.value, found, claim.predicate)) is claim.value:
            return grounds
        return msgspec.structs.replace(grounds, claim=msgspec.structs.replace(claim, value=cast("Json", value)))


def screen_text(text: str) -> str:
    """A text that is kept beside the records, such as why something was done: without secrets in any space."""
    return mask_secrets(drop_private(text))[0]


def told_masked(kinds: Sequence[str]) -> str:
    """How a receipt says what is not in the record."""
    return f"masked before it was stored: {', '.join(kinds)}"


def told_masked_again(kinds: Sequence[str]) -> str:
    """How the receipt of a duplicate says that it may have been told another secret: both are masked to one text."""
    return f"masked, and the secret itself is not kept, so that a changed one changes nothing: {', '.join(kinds)}"


def told_refused(kinds: Sequence[str]) -> str:
    return f"it holds a secret ({', '.join(kinds)}), and this space takes none; leave it out, or put it into <private>"
