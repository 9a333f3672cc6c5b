"""What has another memory under another id, though it comes from the same place?

Two machines that ingest one document, or read one conversation, give its parts ids of their own. A part is the same
where the same source says the same, and of a conversation at the same moment.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.engine.core import forgotten_among
from recollect.engine.intake.withheld import Faint, away_messages, section_among, sections_away
from recollect.engine.write.grounds import source_id
from recollect.store.base import Edit
from recollect.types import CATALOGUE_KINDS, Filter, Record


class SameSource:
    """Finds what is, or was, here under another id. Each record here is found once: a source may say the same twice."""

    def __init__(self, comes: Callable[[str, str], bool]) -> None:
        """`comes` says whether the other memory holds something of this id in this space, too."""
        self._comes = comes
        self._found: set[tuple[str, str]] = set()
        self._away: dict[tuple[str, str], set[datetime]] = {}
        self._gone: dict[tuple[str, str], bool] = {}
        self._sections: dict[tuple[str, str], dict[str, Faint]] = {}

    def find(self, edit: Edit, record: Record) -> str | None:
        """The id of the record that holds here what another memory holds under the id of this one."""
        if record.source is None or not _is_placed(record) or record.kind in CATALOGUE_KINDS:
            return None
        same = Filter(
            spaces=(record.space,), sources=(record.source,), kinds=(record.kind,), hashes=(record.content_hash,),
            valid_only=False,
        )  # fmt: skip
        held = [
            one
            for one in edit.select(Record, same)
            if one.role == record.role and (one.event_time == record.event_time or record.kind != "message")
            and (one.space, one.id) not in self._found and not self._comes(one.space, one.id)
        ]  # fmt: skip
        nearest = min(held, key=lambda one: abs(one.position - record.position), default=None)
        if nearest is None:
            return None
        self._found.add((nearest.space, nearest.id))
        return nearest.id

    def is_away(self, edit: Edit, record: Record, *, ended: bool) -> bool:
        """Was it forgotten or evicted here under another id, or with its whole source? `ended`: it was let go there."""
        if record.source is None or record.kind in CATALOGUE_KINDS:
            return False
        if not _is_placed(record) and record.kind != "message":
            return False
        return (
            self._is_source_gone(edit, record.space, record.source)
            or self._is_message_away(edit, record)
            or self._is_section_gone(edit, record, record.source, ended=ended)
        )

    def _is_source_gone(self, edit: Edit, space: str, source: str) -> bool:
        home = space, source_id(source)
        if home not in self._gone:
            self._gone[home] = bool(forgotten_among(edit, space, "record", home[1:]))
        return self._gone[home]

    def _is_message_away(self, edit: Edit, record: Record) -> bool:
        if record.kind != "message" or record.session is None:
            return False
        home = record.space, record.session
        if home not in self._away:
            self._away[home] = {one.at for one in away_messages(edit, *home).values()}
        return record.event_time in self._away[home]

    def _is_section_gone(self, edit: Edit, record: Record, source: str, *, ended: bool) -> bool:
        """Each that was forgotten is found once among what stands there: a document may say the same twice."""
        home = record.space, source_id(source)
        if home not in self._sections:
            self._sections[home] = sections_away(edit, *home)
        found = section_among(self._sections[home], record.text) if record.kind != "message" else None
        if found is not None and not ended:
            del self._sections[home][found]
        return found is not None


def _is_placed(record: Record) -> bool:
    """Does it stand somewhere in its source? A note has a file of its own, whatever its source is."""
    return record.locator is not None and record.file_name() is None
