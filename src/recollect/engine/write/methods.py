"""How does a caller change what a memory holds?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar, Unpack

from recollect.engine.core import Core, space_of
from recollect.engine.once import once
from recollect.engine.parse import (
    parse_alike,
    parse_draft,
    parse_drafts,
    parse_fields,
    parse_flag,
    parse_label,
    parse_metadata,
    parse_optional,
    parse_optional_time,
    parse_ref,
    parse_space,
    parse_string,
)
from recollect.engine.write import govern, revise
from recollect.engine.write.govern import Archived
from recollect.engine.write.grounds import EvidenceState
from recollect.engine.write.remember import remember_many
from recollect.engine.write.screen import Screen, Secrets, screen_text, secrets_policy, set_secrets
from recollect.engine.write.tell import tell
from recollect.errors import InvalidInput
from recollect.fields import REVISABLE, Keywords, Moment
from recollect.store.ops import PutSpace
from recollect.types import DEFAULT_SPACE, UNSET, Draft, Receipt, Record, Space, Unset

P = ParamSpec("P")
T = TypeVar("T")


class Writing:
    """What a memory is told, and what becomes of it."""

    core: Core

    def remember(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        alike: Sequence[str] = (),
        anywhere: bool = False,
        replaces: str | None = None,
        compare: bool = True,
        **fields: Unpack[Keywords],
    ) -> Receipt:
        """Stores a text. It is durable when this returns; the receipt says stored, deduplicated or rejected.

        `receipt.already` has up to three records that say nearly this, or something else of the same thing
        (`differs`), found by words alone; `compare=False` does not look for them. With `replaces`, the id of such a
        record, that one is superseded by this in the same transaction; undoing the remembering brings it back.

        A text is a duplicate where space, kind, session and text are the same; `alike` names fields that must be the
        same too (room, user, project, source, memory_type, metadata, grounds). With `anywhere`, it is one wherever in
        the space the same text stands.

        With `grounds` (scopes, subjects, evidence, claim) the record is governed: its evidence must be there, the same
        claim is not kept twice, one that contradicts another is contested, and what an agent concluded is a candidate.
        Such a record is a duplicate by its claim, and by its text only where it must be `alike` in grounds.
        """
        if fields.get("metadata", UNSET) is None:
            fields["metadata"] = {}
        draft = parse_draft({"text": text, **fields}, {}, beside=("space", "replaces", "compare", "alike", "anywhere"))
        return tell(
            self.core,
            draft,
            parse_space(space),
            alike=parse_alike(alike),
            anywhere=parse_flag(anywhere, "anywhere"),
            replaces=parse_optional(replaces, "replaces"),
            compare=parse_flag(compare, "compare"),
        )

    def once(self, key: str, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a method of this memory, once for each key: `memory.once("note-7", memory.remember, "It rained")`.

        Called again with the same key, also after a restart, it changes nothing and answers what it answered first. A
        key that was used for something else is refused. Keys are kept for seven days.
        """
        return once(self.core, key, act, args, kwargs)

    def remember_many(
        self,
        drafts: Sequence[Draft | Mapping[str, object]],
        *,
        space: str = DEFAULT_SPACE,
        atomic: bool = False,
        **defaults: Unpack[Keywords],
    ) -> list[Receipt]:
        """Stores many texts in one transaction. `defaults` fill what a mapping leaves out.

        With `atomic`, all are stored or none: the first that would be rejected is an error.
        """
        parsed = parse_drafts(drafts, defaults)
        return remember_many(self.core, parsed, parse_space(space), atomic=parse_flag(atomic, "atomic"))

    def revise(
        self,
        id: str,
        text: str | Unset = UNSET,
        *,
        space: str | None = None,
        reason: str | None = None,
        **fields: object,
    ) -> Receipt:
        """Writes a new version of a record with some fields changed; the old one stays in its history."""
        given = fields if text is UNSET else {"text": text, **fields}
        if not given:
            raise InvalidInput("fields", f"nothing to change; give one of {', '.join(REVISABLE)}")
        parsed = parse_fields(given, REVISABLE)
        if parsed.get("event_time", UNSET) is None:
            raise InvalidInput("event_time", "cannot be emptied; give the time at which it happened")
        return revise.revise(self.core, *parse_ref(id, space), parsed, _why(reason))

    def invalidate(
        self,
        id: str,
        *,
        space: str | None = None,
        reason: str | None = None,
        superseded_by: str | None = None,
        at: Moment = None,
    ) -> Receipt:
        """Says that a record no longer holds (from now, or from `at`). Recall leaves it out; history keeps it."""
        return revise.invalidate(
            self.core,
            *parse_ref(id, space),
            reason=_why(reason),
            superseded_by=parse_optional(superseded_by, "superseded_by"),
            at=parse_optional_time(at, "at"),
        )

    def promote(self, id: str, *, space: str | None = None, reason: str) -> Receipt:
        """Makes a candidate, contested or stale record active, or verifies an active one anew.

        It needs evidence of which something is left, unless its trust is user_declared or human_curated.
        """
        return govern.promote(self.core, *parse_ref(id, space), _because(reason))

    def supersede(self, old: str, new: str, *, space: str | None = None, reason: str) -> Receipt:
        """Puts one record in the place of another, which is kept; the new one becomes active where it may be."""
        home = None if space is None else parse_space(space)
        return govern.supersede(self.core, parse_label(old, "old"), parse_label(new, "new"), home, _because(reason))

    def contest(self, id: str, *, space: str | None = None, reason: str) -> Receipt:
        """Says that a record is in doubt."""
        return govern.contest(self.core, *parse_ref(id, space), _because(reason))

    def archive_source(self, id: str, *, space: str | None = None, reason: str) -> Archived:
        """Retires a source: what rested on it alone is stale from now on."""
        return govern.archive_source(self.core, *parse_ref(id, space), _because(reason))

    def evidence_state(self, record: Record) -> list[EvidenceState]:
        """What has become of what a record rests on: current, changed, missing or archived."""
        return govern.evidence_state(self.core, record)

    def contradictions(self, id: str, *, space: str | None = None) -> list[Record]:
        """The records that claim something else of the same subject and predicate, in a scope that they share."""
        return govern.contradictions(self.core, *parse_ref(id, space))

    def create_space(
        self, name: str, *, description: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> Space:
        """Makes a space, or changes the description or metadata of one that exists."""
        label = parse_space(name, "name")
        with self.core.store.write(actor=self.core.actor) as edit:
            held = space_of(edit, label) or Space(name=label, created_at=edit.now)
            changed = Space(
                name=label,
                description=held.description if description is None else parse_string(description, "description"),
                created_at=held.created_at,
                metadata=held.metadata if metadata is None else parse_metadata(metadata),
            )
            changed = Screen(edit, label).require(changed, "description")
            if space_of(edit, label) != changed:
                edit.apply([PutSpace(changed)])
            return changed

    def secrets(self, space: str = DEFAULT_SPACE) -> Secrets:
        """What a space does with keys, tokens and passwords: mask (as a rule), reject or allow."""
        return secrets_policy(self.core, space=space)

    def set_secrets(self, policy: str, *, space: str = DEFAULT_SPACE) -> Secrets:
        """Says what a space does with keys, tokens and passwords from now on: mask, reject or allow."""
        return set_secrets(self.core, policy, space=space)


def _why(reason: str | None) -> str | None:
    given = parse_optional(reason, "reason")
    return None if given is None else screen_text(given)


def _because(reason: str) -> str:
    return screen_text(parse_label(reason, "reason"))
