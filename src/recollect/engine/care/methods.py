"""How does a caller have a memory looked after?"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import BinaryIO

from recollect.engine.care import dream as dreaming
from recollect.engine.care import keep, lifecycle, rebuild
from recollect.engine.care.backups import back_up_to
from recollect.engine.care.dream import Dream, Merge, Review
from recollect.engine.care.forget import Along, Forgotten, forget, forget_fact, forgets
from recollect.engine.care.identity import identity, set_identity
from recollect.engine.care.keep import Compacted
from recollect.engine.care.ledger import Spending, spendings
from recollect.engine.care.lifecycle import Maintained
from recollect.engine.care.secrets import KeptSecret, kept_secrets, mask_kept
from recollect.engine.care.summarize import Summary
from recollect.engine.care.thin import thin
from recollect.engine.care.undo import undo
from recollect.engine.core import Core, existing, named_spaces, space_of
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.erased import Erased
from recollect.engine.intake.methods import Indexing
from recollect.engine.intake.results import Imported, Synced
from recollect.engine.parse import (
    MAX_LIMIT,
    parse_age,
    parse_count,
    parse_filter,
    parse_flag,
    parse_limit,
    parse_optional,
    parse_ref,
    parse_seconds,
    parse_share,
    parse_space,
)
from recollect.engine.places import drop_place
from recollect.engine.read.foremost import Foremost
from recollect.engine.read.stats import stats_of
from recollect.engine.settle import note_erased, scrub
from recollect.engine.write.touches import Touches
from recollect.errors import EmbedderError, InvalidInput
from recollect.fields import Moment, Spaces
from recollect.store.kept import Copied, Exported
from recollect.store.ops import DropSpace, PutSpace
from recollect.types import DEFAULT_SPACE, Act, Change, Condensed, Receipt, Sample, SpaceStats


class Caring:
    """What keeps a memory in order: taking back, making short, letting go, merging, rebuilding."""

    core: Core
    semantics: Semantics
    touches: Touches
    idleness: dreaming.Idleness
    sweeping: lifecycle.Sweeping
    _foremost: Foremost
    _indexing: Indexing

    def undo(self, entry: int | Change | Receipt | Act, *, whole: bool = False, reason: str | None = None) -> Receipt:
        """Takes one change of the journal back; the undoing is journalled too and can itself be undone.

        Of an act, or as a `whole`, all that was done with it is taken back; what was changed again since stays, and
        the receipt's reason names it.
        """
        number = entry.entry if isinstance(entry, Change | Receipt | Act) else entry
        if number is None:
            raise InvalidInput("entry", "this receipt changed nothing, so there is nothing to undo")
        return undo(
            self.core,
            parse_count(number, "entry", least=1, most=2**63 - 1),
            parse_optional(reason, "reason"),
            whole=isinstance(entry, Act) or parse_flag(whole, "whole"),
        )

    def forget(self, id: str, *, space: str | None = None, reason: str | None = None) -> Forgotten:
        """Removes a record for good, with all its versions and all that was made of it. This alone cannot be undone.

        The receipt says what was removed along with it, what was written anew without it, and what is still pending.
        """
        return forget(self.core, *parse_ref(id, space), parse_optional(reason, "reason"))

    def forget_fact(self, id: str, *, space: str | None = None, reason: str | None = None) -> Forgotten:
        """Removes a fact for good, or an entity with all facts about it. This cannot be undone.

        Entities go along of which nothing else is known; records that name them stay.
        """
        return forget_fact(self.core, *parse_ref(id, space), parse_optional(reason, "reason"))

    def forgets(self, id: str, *, space: str | None = None) -> Along:
        """What `forget` would take along and write anew, the record itself first. Nothing is changed."""
        return forgets(self.core, *parse_ref(id, space))

    def condense(
        self,
        texts: Sequence[str],
        *,
        max_words: int = 250,
        strategy: str = "auto",
        provider: str | None = None,
        model: str | None = None,
        dates: Sequence[datetime] | None = None,
        sample: Sample | None = None,
    ) -> Condensed:
        """Makes texts short, and stores nothing. `dates` are when each of them happened.

        `extractive` chooses the texts' own sentences; `abstractive` has a language model write; `auto` asks one where
        one is configured. `sample` asks the model of a connected client. A model that fails, or has been asked for
        enough today, is told of in `note`, and sentences are chosen instead.
        """
        from recollect.engine.care.condense import condense_given, parse_way

        way = parse_way(self.core, max_words, strategy, provider, model, sample)
        return condense_given(self.core, self.semantics, texts, dates, way)

    def summarize(
        self,
        *,
        space: str = DEFAULT_SPACE,
        project: str | Sequence[str | None] | None = None,
        memory_type: str | None = None,
        tags: Sequence[str] = (),
        since: Moment = None,
        until: Moment = None,
        limit: int = 50,
        max_words: int = 250,
        strategy: str = "auto",
        provider: str | None = None,
        model: str | None = None,
        sample: Sample | None = None,
    ) -> Summary:
        """Summarises the newest records of a scope, as `condense` does, and keeps the summary as a record of its own.

        The summary names its sources. Asked for again, it is given back as long as its sources are what they were.
        """
        from recollect.engine.care.condense import parse_way
        from recollect.engine.care.summarize import KIND, summarize

        filter = parse_filter(
            space=parse_space(space), project=project, tags=tags, since=since, until=until,
            memory_types=() if memory_type is None else (memory_type,), without_kinds=(KIND,),
        )  # fmt: skip
        count = parse_limit(limit, most=MAX_LIMIT)
        way = parse_way(self.core, max_words, strategy, provider, model, sample)
        return summarize(self.core, self.semantics, filter, count, way)

    def spending(self, days: int = 30) -> list[Spending]:
        """What language models were asked for, the newest day first."""
        with self.core.store.read() as view:
            return spendings(view, parse_count(days, "days", least=1, most=10_000))

    def delete_space(self, name: str) -> int:
        """Removes a space with everything in it, for good. Answers how many record versions went."""
        label = parse_space(name, "name")
        with self.core.store.write(actor=self.core.actor) as edit:
            count = edit.apply([DropSpace(label)])[0].count
            note_erased(edit, Erased(space=label, everything=True))
        scrub(self.core)
        drop_place(self.core.settings.home, label)
        return count

    def clear_space(self, name: str) -> SpaceStats | None:
        """Removes everything in a space for good and keeps the space. Answers what it held (None: no such space)."""
        label = parse_space(name, "name")
        if self._indexing.projects is not None:
            self._indexing.projects.end(label)
        with self.core.store.write(actor=self.core.actor) as edit:
            space = space_of(edit, label)
            if space is None:
                return None
            stats = stats_of(edit, label)
            edit.apply([DropSpace(label), PutSpace(space)])
            note_erased(edit, Erased(space=label, everything=True))
        scrub(self.core)
        return stats

    def backup(self, path: str | os.PathLike[str]) -> Copied:
        """Copies the whole memory into one file while it is in use, and reads that back before it gets its name.

        A folder gets a file with the time in its name. `recollect.restore` makes a copy the memory again.
        """
        return back_up_to(self.core, path)

    def export(
        self,
        target: str | os.PathLike[str] | BinaryIO,
        *,
        space: Spaces = None,
        project: str | Sequence[str] | None = None,
        since: Moment = None,
        until: Moment = None,
        passphrase: str | None = None,
    ) -> Exported:
        """Writes all that the memory holds as lines of JSON, with every version and every entry of the journal.

        A space, a project or a time of what happened narrows that down. `target` is a file that is not there yet, a
        folder or an open file. With a passphrase it is encrypted as age does it. `import_` brings it back.
        """
        from recollect.engine.care import export  # only when it is asked for
        from recollect.store.portable import Chosen

        filter = parse_filter(space=space, project=project, since=since, until=until)
        chosen = Chosen(spaces=filter.spaces, projects=filter.projects, since=filter.since, until=filter.until)
        for name in chosen.spaces:
            existing(self.core, name)
        self.touches.flush()
        return export.export(
            self.core,
            keep.parse_path(target) if isinstance(target, str | os.PathLike) else target,
            None if chosen == Chosen() else chosen,
            parse_optional(passphrase, "passphrase"),
        )

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        origin: str | None = None,
        space: str | None = None,
        dry_run: bool = False,
        passphrase: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> list[Imported]:
        """Takes over an export, or what another program kept; what it is, is told by its content, or by `origin`.

        An export that is complete comes into an empty memory as it was, with its history and its numbers. Else objects
        are compared by their ids: what stands here is kept where both sides have changed, and told of in `differing`.
        Nothing comes twice. With `dry_run` nothing is kept, only counted. `space` is for what names none itself.
        """
        from recollect.engine.care.arrive import Manner, arrive  # only when it is asked for

        asked = Manner(
            space=None if space is None else parse_space(space), dry_run=parse_flag(dry_run, "dry_run"),
            passphrase=parse_optional(passphrase, "passphrase"), progress=progress,
        )  # fmt: skip
        return arrive(self.core, keep.parse_path(path), origin, asked)

    def sync(self, folder: str | os.PathLike[str], *, space: str = DEFAULT_SPACE) -> Synced:
        """Brings a folder of Markdown and a space in step: edits, new notes, renames and deletions on either side.

        What was changed on both sides is kept as both, and shown by `review`.
        """
        from recollect.engine.care.vault import sync  # only when it is asked for

        return sync(self.core, keep.parse_path(folder), parse_space(space))

    def identity(self, space: str = DEFAULT_SPACE) -> str:
        """What `identity.txt` in a space's folder says of whom the space belongs to; empty where there is none."""
        return identity(self.core, space=space)

    def set_identity(self, space: str, text: str) -> None:
        """Writes `identity.txt` of a space that exists; an empty text removes it."""
        set_identity(self.core, text, space=space)

    def kept_secrets(self, *, space: Spaces = None) -> list[KeptSecret]:
        """What holds keys, tokens or passwords, records in any of their versions. Nothing is changed."""
        return kept_secrets(self.core, space=space)

    def mask_secrets(self, found: Sequence[KeptSecret]) -> int:
        """Masks what `kept_secrets` has found. Versions before are removed for good; this cannot be undone."""
        return mask_kept(self.core, found)

    def compact(self) -> Compacted:
        """Makes the store as small as it can be. Space is also given back by itself, a little at a time."""
        return keep.compact(self.core)

    def dream(
        self,
        space: str = DEFAULT_SPACE,
        *,
        budget_seconds: float = 5.0,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Dream:
        """Puts a space in order: merges records that say the same, checks its keyword index, counts what has faded.

        Every merge is in the journal and can be undone. It ends when its time is over or `cancelled` says so; with
        `dry_run` it only tells what it would do. One process at a time: another's cycle is a `Conflict`.
        """
        name, seconds = existing(self.core, space), parse_seconds(budget_seconds, "budget_seconds")
        try:
            vectors = self.semantics.load()
            return dreaming.dream(
                self.core, vectors, name, budget_seconds=seconds, dry_run=parse_flag(dry_run, "dry_run"),
                cancelled=cancelled,
            )  # fmt: skip
        finally:
            self._foremost.drop(name)

    def merge(
        self, space: str = DEFAULT_SPACE, *, budget_seconds: float = 60.0, dry_run: bool = False
    ) -> tuple[list[Merge], bool]:
        """Merges records that say the same, as a dream does. Answers the merges, and whether time sufficed for all."""
        name, seconds = existing(self.core, space), parse_seconds(budget_seconds, "budget_seconds")
        vectors = self.semantics.load()
        if vectors is None:
            raise EmbedderError("no embedder is configured; set RECOLLECT_EMBEDDER")
        try:
            return dreaming.merge(
                self.core, vectors, name, budget_seconds=seconds, dry_run=parse_flag(dry_run, "dry_run")
            )
        finally:
            self._foremost.drop(name)

    def review(self, space: str = DEFAULT_SPACE) -> list[Review]:
        """The pairs of records that look alike and that the last cycle did not dare to join, side by side.

        Before them stand those that a sync found changed on both sides (`conflict`), what was kept under the id first.
        Where the newer replaces the older, `supersede(older, newer)` says so; where both hold, nothing need be done.
        """
        return dreaming.review(self.core, parse_space(space))

    def consolidate(
        self,
        *,
        space: Spaces = None,
        decay_rate: float = lifecycle.DECAY_RATE,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Maintained]:
        """Lowers the confidence of what was not used for seven days by a share, down to 0.1. One run for each space.

        `undo` of a run's entry takes it back.
        """
        rate, dry = parse_share(decay_rate, "decay_rate"), parse_flag(dry_run, "dry_run")
        self.touches.flush()
        names = named_spaces(self.core, space)
        return [lifecycle.fade(self.core, name, rate=rate, dry_run=dry, cancelled=cancelled) for name in names]

    def evict(
        self,
        *,
        space: Spaces = None,
        max_age: timedelta = lifecycle.MAX_AGE,
        min_importance: float = lifecycle.MIN_IMPORTANCE,
        cap: int = lifecycle.CAP,
        dry_run: bool = False,
        delete: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Maintained]:
        """Takes out what is older than `max_age` and less important than `min_importance`, what is believed by less
        than 0.1, and the least important of a space that holds more than `cap`. One run for each space.

        It leaves the present and stays in the archive: `undo` of a run's entry brings it back. With `delete` it is
        forgotten for good.
        """
        age = parse_age(max_age, "max_age")
        self.touches.flush()
        done: list[Maintained] = []
        for name in named_spaces(self.core, space):
            upkeep = lifecycle.evict(
                self.core,
                name,
                max_age=age,
                min_importance=parse_share(min_importance, "min_importance"),
                cap=parse_count(cap, "cap", least=0, most=2**62),
                dry_run=parse_flag(dry_run, "dry_run"),
                delete=parse_flag(delete, "delete"),
                cancelled=cancelled,
            )
            done.append(upkeep)
            if upkeep.entry is not None:
                self._foremost.drop(name)
                self.sweeping.wake()
        return done

    def thin(
        self,
        *,
        older_than: timedelta,
        space: Spaces = None,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Maintained]:
        """Removes history for good that ended so long ago: superseded texts, what was archived, and what the journal
        says of it. What holds now stays, and so does what something refers to. One run for each space.

        What was known before then, and undoing it, is refused from then on. This cannot be undone.
        """
        age = parse_age(older_than, "older_than")
        dry = parse_flag(dry_run, "dry_run")
        names = named_spaces(self.core, space)
        return [thin(self.core, name, older_than=age, dry_run=dry, cancelled=cancelled) for name in names]

    def reindex(self, progress: Callable[[str, int, int], None] | None = None) -> int:
        """Makes everything derived anew from what is canonical: keyword index, mentions, vectors."""
        return rebuild.reindex(self.core, self.semantics, progress)
