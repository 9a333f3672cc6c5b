"""How is something forgotten, with all that was made of it?

What says the same goes along: a twin that was merged into it, the segments of a source, what was concluded from it
alone, an entity that nothing else speaks of. What says more than that is written anew without it: a summary of many
records, a message that took in another. Of neither is any version left, and none of this can be undone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from recollect.engine.care.backups import copies_since
from recollect.engine.care.note_folders import forget_files
from recollect.engine.core import Core, records_of
from recollect.engine.erased import Erased, all_of
from recollect.engine.graph.named import names_of
from recollect.engine.intake.withheld import note_forgotten
from recollect.engine.known import DOCUMENTS, file_of, key_of
from recollect.engine.settle import note_erased, scrub
from recollect.engine.write.grounds import segment_id, segment_kind, source_id, source_kind_of
from recollect.engine.write.remember import content_hash, derive_lexis
from recollect.engine.write.revise import any_version
from recollect.engine.write.taken_back import note_taken_back, said_still
from recollect.errors import NotFound
from recollect.ingest.parsed import short_title
from recollect.retrieve.quotes import Said, without
from recollect.store.base import Changes, Entities, Ident, Lexis, Relations, View, normal_name
from recollect.store.ops import Erase, EraseThing, Op, Rewrite, Unsay
from recollect.store.refs import MADE_OF, NAMING, made_of
from recollect.types import CATALOGUE_KINDS, VOUCHED, Entity, Evidence, Filter, Receipt, Record, Relation

_TELLING = 3  # words
_TRACES = "traces of its bytes in the log or the keyword index; they go as soon as nobody reads them"


class Forgotten(Receipt, frozen=True, kw_only=True):
    """What became of a forgetting: which records, entities and facts were removed, which records were rewritten.

    `along` are those that went with it, by the reason why they did. `pending` says what is still left on disk: traces
    that are removed in the background; and backups and the messages that it was drawn from, which are not.
    """

    removed: tuple[str, ...] = ()
    along: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict[str, tuple[str, ...]])
    rewritten: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


class Along(Struct, frozen=True, kw_only=True):
    """What a forgetting would take along: records, facts and entities; and records as they would be without it."""

    removed: tuple[Record, ...]
    rewritten: tuple[Record, ...] = ()
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()


def forget(core: Core, id: str, space: str | None, reason: str | None) -> Forgotten:
    """Removes a record for good: text, versions, index, vectors. Only the fact of it stays in the journal."""
    with core.store.write(actor=core.actor) as edit:
        record = any_version(edit, id, space)
        leaving = Leaving(edit, record.space)
        leaving.follow([record])
        edit.keep(DOCUMENTS, dict.fromkeys(leaving.files), space=record.space)
        note_forgotten(edit, record.space, leaving.removed.values())
        folders = forget_files(edit, record.space, [*leaving.removed, *leaving.rewritten])
        erased = leaving.erased()
        said = [one for one in said_still(edit, record) if one.id not in leaving.removed]
        entries = [entry for done in edit.apply(leaving.ops(reason)) for entry in done.entries]
        note_taken_back(edit, record, said)
        note_erased(edit, erased)
    if leaving.rewritten:
        core.written()
    left = [f"its note in {folder}, until `recollect sync {folder}` runs again" for folder in folders]
    left += [
        f"the {one.kind if one.kind == 'message' else 'candidate'} {one.id}, which says it still: `recollect forget"
        f" {one.id}` removes it too"
        for one in said
    ]
    return _receipt(core, id, leaving, record.space, entries, left)


def forget_fact(core: Core, id: str, space: str | None, reason: str | None) -> Forgotten:
    """Removes a fact for good, or an entity with all facts about it; and entities of which nothing else is known."""
    with core.store.write(actor=core.actor) as edit:
        thing = _find_thing(edit, id, space)
        leaving = Leaving(edit, thing.space)
        leaving.take(thing)
        erased = leaving.erased()
        ops = [EraseThing(thing=one, reason=reason) for one in leaving.things.values()]
        entries = [entry for done in edit.apply(ops) for entry in done.entries]
        note_erased(edit, erased)
    return _receipt(core, id, leaving, thing.space, entries)


def _receipt(
    core: Core, id: str, leaving: Leaving, space: str, entries: Sequence[int], left: Sequence[str] = ()
) -> Forgotten:
    gone = [*leaving.removed.values(), *leaving.things.values()]
    copies = copies_since(core, min(one.created_at for one in gone))
    pending = (*(() if scrub(core) else (_TRACES,)), *left, *(() if copies is None else (copies,)))
    return Forgotten(
        outcome="stored", id=id, space=space, entry=entries[0], entries=tuple(entries),
        reason=f"gone, but for {'; and '.join(pending)}" if pending else None,
        removed=(*leaving.removed, *leaving.things), along=leaving.along(id), rewritten=tuple(leaving.rewritten),
        pending=pending,
    )  # fmt: skip


def _find_thing(view: View, id: str, space: str | None) -> Entity | Relation:
    for home in [one.name for one in view.spaces()] if space is None else [space]:
        found = view.get(Relation, home, id) or view.get(Entity, home, id)
        if found is not None:
            return found
    where = "" if space is None else f" in space {space!r}"
    raise NotFound(f"there is no record, fact or entity with id {id!r}{where}; nothing was forgotten")


def forgets(core: Core, id: str, space: str | None) -> Along:
    """What `forget` would do, the record itself first, or `forget_fact`. Nothing is changed."""
    with core.store.read() as view:
        try:
            record = any_version(view, id, space)
        except NotFound:
            thing = _find_thing(view, id, space)
            leaving = Leaving(view, thing.space)
            leaving.take(thing)
        else:
            leaving = Leaving(view, record.space)
            leaving.follow([record])
    things = leaving.things.values()
    return Along(
        removed=tuple(leaving.removed.values()), rewritten=tuple(leaving.rewritten.values()),
        entities=tuple(one for one in things if isinstance(one, Entity)),
        relations=tuple(one for one in things if isinstance(one, Relation)),
    )  # fmt: skip


class _Origin(Struct, frozen=True):
    """As much of a relation as tells where it comes from."""

    version: int
    id: str
    provenance: str | None


class Leaving:
    """What some records of a space take along when they go: records, entities and relations that go too, and records
    that are written anew."""

    def __init__(self, view: View, space: str) -> None:
        self._view = view
        self._space = space
        self._home = Filter(spaces=(space,), valid_only=False)
        self._said: list[str] = []
        self._places: dict[str, set[str]] = {}
        self._past: set[int] = set()
        self._lexis: dict[str, Lexis] = {}
        self._still_named: set[str] = set()
        self.removed: dict[str, Record] = {}
        self.rewritten: dict[str, Record] = {}
        self.things: dict[str, Entity | Relation] = {}
        self._why: dict[str, str] = {}
        self.files: list[str] = []
        """The keys of files that are to be read anew, should they be brought in again."""

    def follow(self, records: Sequence[Record]) -> None:
        """Finds everything that goes along, and everything that goes along with that."""
        fresh = list(records)
        while fresh:
            self.removed |= {one.id: one for one in fresh}
            versions = self._versions([one.id for one in fresh])
            self._said += [one.text for one in versions]
            self._past |= {one.version for one in (*fresh, *versions)}
            self._said += [one.title for one in fresh if one.title]
            found = {
                "said the same": self._merged(fresh), "part of it": self._pieces(fresh),
                "made of it": self._summaries(), "rested on it": self._derived(fresh),
                "nothing of it is left": self._emptied(fresh),
            }  # fmt: skip
            self._leave_merged(fresh)
            new = {one.id: (one, why) for why, some in found.items() for one in some if one.id not in self.removed}
            self._why |= {id: why for id, (_, why) in new.items()}
            fresh = [one for one, _ in new.values()]
        self.rewritten = {id: one for id, one in self.rewritten.items() if id not in self.removed}
        self._past |= {one.version for one in self.rewritten.values()}
        self._lexis = {id: derive_lexis(self._view, one) for id, one in self.rewritten.items()}
        self._still_named = {normal_name(name) for one in self._lexis.values() for name in one.names}
        self._leave_graph()

    def along(self, id: str) -> dict[str, tuple[str, ...]]:
        """What goes with one that was named, by the reason why it does."""
        found: dict[str, tuple[str, ...]] = {}
        for other, why in {**self._why, **dict.fromkeys(self.things, "nothing else tells of it")}.items():
            if other != id:
                found[why] = (*found.get(why, ()), other)
        return found

    def ops(self, reason: str | None) -> list[Op]:
        ids = tuple(self.removed)
        erased = Filter(spaces=(self._space,), past=True, ids=ids)
        told, said = f"without what {ids[0]} said", Said(self._said)
        given = self._view.count(Changes(space=self._space, reasoned=True), by="reason")
        quoting = tuple(one.key for one in given if _quotes(one.key, said))
        return [
            Erase(where=erased, reason=None if _quotes(reason, said) else reason),
            *(EraseThing(thing=thing) for thing in self.things.values()),
            *(Rewrite(record=one, lexis=self._lexis[id], reason=told) for id, one in self.rewritten.items()),
            *([Unsay(space=self._space, reasons=quoting)] if quoting else []),
        ]

    def erased(self) -> Erased:
        """All that is about to be erased."""
        ids = {*self.removed, *self.things, *self.rewritten}
        return all_of(self._view, self._space, ids).but(self.rewritten.values())

    def _versions(self, ids: Sequence[str]) -> list[Record]:
        """All versions of some records, as far as there are any."""
        changes = [change for id in ids for change in self._view.journal(Changes(object_id=id, space=self._space))]
        named = {version for change in changes for version in (change.before, change.after) if version is not None}
        found = records_of(self._view, sorted(named)) if named else []
        return [one for one in found if one.id in ids and one.space == self._space]

    def _records(self, **narrowed: object) -> list[Record]:
        return self._view.select(Record, msgspec.structs.replace(self._home, **narrowed))

    # What says the same

    def _merged(self, gone: Sequence[Record]) -> list[Record]:
        """The twins that were merged into what goes: they say the same."""
        ids = tuple(one.id for one in gone)
        return [one for one in self._records(superseded_by=ids) if self._was_merged(one)]

    def _was_merged(self, record: Record) -> bool:
        changes = self._view.journal(Changes(object_id=record.id, space=record.space), newest_first=True)
        return any(change.verb == "merge" and change.after is not None for change in changes)

    def _pieces(self, gone: Sequence[Record]) -> list[Record]:
        """The segments of a source that goes: without them nothing would be forgotten."""
        found: list[Record] = []
        for one in gone:
            if one.kind in CATALOGUE_KINDS and one.source is not None:
                kinds = (segment_kind(source_kind_of(one)),)
                found += self._records(sources=(one.source,), kinds=kinds, past=True)
                self.files.append(key_of(str(file_of(one).get("path", one.source))))
        return found

    # What was made of it

    def _summaries(self) -> list[Record]:
        """Writes summaries anew that were made of what goes, or of such a summary; those that are empty then go too."""
        touched: dict[str, list[Record]] = {}
        named: Collection[str] = self.removed.keys()
        while named:
            refs = tuple(f"{MADE_OF}{id}" for id in named)
            found: dict[str, list[Record]] = {}
            for one in self._records(refs=refs, past=True):
                if one.id not in touched and one.id not in self.removed:
                    found.setdefault(one.id, []).append(one)
            touched |= found
            named = found.keys()
        gone: list[Record] = []
        for id, versions in touched.items():
            left = self._remade(versions)
            if left is None:
                gone.append(versions[-1])
            else:
                self.rewritten[id] = left
        return gone

    def _remade(self, versions: Sequence[Record]) -> Record | None:
        """A summary without what goes; None where nothing is left of it, or where it is in the present no more."""
        held = self._view.get(Record, self._space, versions[-1].id)
        if held is None:
            return None
        left = sorted(_sources(versions) - self.removed.keys())
        rest = Said(one.text for one in self._versions(left))
        text = without(held.text, Said(self._said), rest)
        if not text:
            return None
        told = dict(held.metadata)
        for name in NAMING:
            if isinstance(named := told.get(name), list | tuple):
                told[name] = [id for id in named if id not in self.removed]
        if "digest" in told:
            told["digest"] = ""  # asked for again, it is made anew
        return msgspec.structs.replace(held, text=text, content_hash=content_hash(text), metadata=told)

    def _derived(self, gone: Sequence[Record]) -> list[Record]:
        """What rests on what goes: with nothing else to rest on it goes too, unless a person vouches for it."""
        leaving: list[Record] = []
        for one in gone:
            if one.source is not None and one.kind not in CATALOGUE_KINDS:
                self._places.setdefault(source_id(one.source), set()).add(segment_id(one))
        refs = tuple(f"evidence:{id}" for id in (*(one.id for one in gone), *self._places))
        said = Said(self._said)
        for one in self._records(refs=refs):
            assert one.grounds is not None
            left = tuple(item for item in one.grounds.evidence if not self._goes(item))
            if left == one.grounds.evidence:
                continue
            if one.trust not in VOUCHED and (not left or said.is_in(one.text)):
                leaving.append(one)
            else:
                grounds = msgspec.structs.replace(one.grounds, evidence=left)
                self.rewritten[one.id] = msgspec.structs.replace(one, grounds=grounds)
        return leaving

    def _goes(self, evidence: Evidence) -> bool:
        """Is it a record that goes, or such a segment of a source that stays?"""
        return evidence.source in self.removed or evidence.segment in self._places.get(evidence.source, ())

    def _emptied(self, gone: Sequence[Record]) -> list[Record]:
        """Sources of which no segment is left. Those that stay no longer quote what goes, nor do titles."""
        emptied: list[Record] = []
        for source in {one.source for one in gone if one.source is not None and one.kind not in CATALOGUE_KINDS}:
            held = [one for one in self._records(sources=(source,)) if one.id not in self.removed]
            left = [one for one in held if one.kind not in CATALOGUE_KINDS]
            if not left:
                emptied += held
                continue
            rest = Said(one.text for one in left)
            first = next((one for one in left if one.role == "user"), left[0])
            for one in held:
                new = self.rewritten.get(one.id, one)
                if any(_is_named_for(one, said) for said in gone):
                    new = msgspec.structs.replace(new, title=short_title(first.text))
                if one.kind in CATALOGUE_KINDS:
                    told = one.text if one.title is None else one.text.replace(one.title, new.title or "", 1)
                    new = self._unquoted(new, told, rest)
                if new != one:
                    self.rewritten[one.id] = new
        return emptied

    def _unquoted(self, source: Record, told: str, rest: Said) -> Record:
        """A source, of which this is told after its title, without headings that went with their segments."""
        said = Said(self._said)
        title, *lines = told.splitlines()
        text = "\n".join([title, *(one for one in lines if rest.is_in(one) or not said.is_in(one))])
        about = source.metadata.get("payload")
        payload = dict(about) if isinstance(about, Mapping) else {}
        if isinstance(headings := payload.get("headings"), list | tuple):
            payload["headings"] = [one for one in headings if rest.is_in(str(one)) or not said.is_in(str(one))]
        metadata = {**source.metadata, "payload": payload} if payload else source.metadata
        return msgspec.structs.replace(source, text=text, content_hash=content_hash(text), metadata=metadata)

    def _leave_merged(self, gone: Sequence[Record]) -> None:
        """Takes the text, or the tags, of what goes out of the record that it was merged into."""
        for one in gone:
            kept = None if one.superseded_by is None else self._view.get(Record, self._space, one.superseded_by)
            if kept is None or kept.id in self.removed or not self._was_merged(one):
                continue
            kept = self.rewritten.get(kept.id, kept)
            text = kept.text.replace(one.text, "").replace("\n\n\n\n", "\n\n").strip()
            tags = tuple(tag for tag in kept.tags if tag not in self._tags_of(one, kept))
            if text and (text != kept.text or tags != kept.tags):
                self.rewritten[kept.id] = msgspec.structs.replace(
                    kept, text=text, content_hash=content_hash(text), tags=tags
                )

    def _tags_of(self, merged: Record, kept: Record) -> set[str]:
        """The tags that a record took from one that was merged into it."""
        for change in self._view.journal(Changes(object_id=kept.id, space=kept.space)):
            if (change.reason or "").startswith(f"took the tags of {merged.id}") and change.before is not None:
                before = self._view.get(Record, kept.space, kept.id, version=change.before)
                return set(merged.tags) - set(() if before is None else before.tags)
        return set()

    # The graph

    def take(self, thing: Entity | Relation) -> None:
        """A fact goes, or an entity with all facts about it, and so do entities of which nothing else is known."""
        self.things[thing.id] = thing
        if isinstance(thing, Entity):
            self.things |= {fact.id: fact for fact in self._stated(thing.id)}
        self._leave_graph()

    def _stated(self, entity: str) -> list[Relation]:
        """Every fact about an entity, also those that are over."""
        about = (
            Relations(space=self._space, active=False, subjects=(entity,)),
            Relations(space=self._space, active=False, objects=(entity,)),
        )
        return [fact for where in about for fact in self._view.relations(Relation, where)]

    def _leave_graph(self) -> None:
        """Facts that name what goes as where they come from, and entities that nothing else mentions."""
        for origin in self._view.relations(_Origin, Relations(space=self._space, active=False)):
            if origin.provenance in self.removed:
                relation = self._view.get(Relation, self._space, origin.id)
                if relation is not None:
                    self.things[relation.id] = relation
        ends = {end for one in self.things.values() if isinstance(one, Relation) for end in (one.subject, one.object)}
        lexis = self._view.terms(sorted(self._past))
        named = tuple({name for one in lexis.values() for name in one.names})
        found = self._view.entities(Entities(space=self._space, names=named)) if named else []
        if ends:
            found += self._view.entities(Entities(space=self._space, ids=tuple(ends)))
        for entity in found:
            if not self._is_known_otherwise(entity):
                self.things[entity.id] = entity

    def _is_known_otherwise(self, entity: Entity) -> bool:
        """Does anything that stays speak of it? What is written anew counts by what it says then."""
        names = names_of(entity)
        mentions = self._view.mentions(self._space, names).values()
        if any(version not in self._past for versions in mentions for version in versions):
            return True
        if any(normal_name(name) in self._still_named for name in names):
            return True
        about = msgspec.structs.replace(self._home, refs=(f"subject:{entity.id}",))
        if any(one.id not in self.removed for one in self._view.select(Ident, about)):
            return True
        return any(fact.id not in self.things for fact in self._stated(entity.id))


def _quotes(reason: str | None, said: Said) -> bool:
    """Does a reason repeat what was said? A word or two may be anybody's."""
    return reason is not None and len(reason.split()) >= _TELLING and said.is_in(reason)


def _is_named_for(one: Record, message: Record) -> bool:
    """Is a conversation, or what was said in it, called by how a message begins?"""
    if one.title is None or message.kind != "message" or message.source != one.source:
        return False
    return " ".join(message.text.split()).startswith(one.title.removesuffix("…"))


def _sources(versions: Iterable[Record]) -> set[str]:
    """The records that any version of a summary names as what it was made of."""
    return {id for one in versions for id in made_of(one)}
