"""What becomes of one new statement, beside what is known already?

It is stored, takes the place of a record where the caller says so, and is answered with what says nearly this or
something else of the same thing. Nobody waits for a model: that is found by words and, where one is loaded, by what it
sees. Where none is, a shelf says that it is to be looked at again once there are vectors (`embedding/later.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import chain

import msgspec
from msgspec import Struct

from recollect.engine.core import FEW_WORDS, Core, Lengths, find, is_joined, records_of
from recollect.engine.sight import Eyes, Sight
from recollect.engine.write.govern import supersede_one
from recollect.engine.write.remember import count_stated, make_room, put_of, take_all
from recollect.engine.write.screen import told_masked_again
from recollect.errors import InvalidInput, NotFound, StoreError
from recollect.retrieve.asking import is_question
from recollect.retrieve.change import Said, differs, hide_alike, read_said, says_otherwise, worth_telling
from recollect.retrieve.displace import speaks_of_the_same
from recollect.retrieve.restate import LONGEST, Gate, Statement, least_words, may_resemble, rarity
from recollect.store.base import Edit, Shelf, View
from recollect.store.search import Pick
from recollect.store.terms import hash_term, terms
from recollect.types import NOT_KNOWLEDGE, Already, Draft, Filter, Receipt, Record

MOST_TOLD = 3
_MOST_TERMS = 64
_MOST_READ = 24
_MOST_HELD = 200  # of the records that hold a word, the newest: it says no less where more hold it
_MANY = 24  # of the records that hold a word: alone, it tells little
_MOST_NEAR = 6
_MOST_MEASURED = 256  # texts at a time; those that are not are met again
UNTOLD = Shelf("untold", datetime)
"""The records of a space, and when they were stored, that no model has been asked about."""
See = Callable[[Record], Sight | None]


def tell(
    core: Core,
    draft: Draft,
    space: str,
    *,
    alike: Sequence[str] = (),
    anywhere: bool = False,
    replaces: str | None = None,
    compare: bool = True,
) -> Receipt:
    """Stores a draft in one transaction, with what it replaces, and says what was known already."""
    counted = count_stated(draft)
    eyes = core.eyes if compare and _is_statement(draft.kind, draft.text) else None
    later = eyes is not None and eyes.wanted and not eyes.awake
    with core.store.write(actor=core.actor) as edit:
        old = None if replaces is None else _replaced(edit, replaces, space)
        make_room(edit, space, [draft])
        batch = take_all(core, edit, [draft], space, [counted], alike=alike, anywhere=anywhere)
        look = lengths = None
        if compare and old is None and batch.pending:  # before it stands in the index itself
            lengths = _lengths(core)
            look = Look(edit, batch.pending[0], lengths)
        [receipt], record = batch.finish(), next(iter(batch.written), None)
        if compare and old is None and receipt.outcome == "deduplicated":
            receipt = _renew(edit, receipt, draft)
        elif old is not None and receipt.id is not None:
            receipt, record = _put_in_place(edit, receipt, old, draft.reason), None
        elif later and receipt.stored and receipt.id is not None:
            edit.keep(UNTOLD, {receipt.id: edit.now}, space=space)
    if receipt.entries:
        core.written()
    if record is not None and lengths is not None:
        lengths.learn(record.version, least_words(record.text))
    if not compare or receipt.id is None or receipt.already:
        return receipt
    eyes = None if later else eyes
    if look is not None and not look.may_tell(seen=eyes is not None):
        return receipt  # as most are: nobody has to look at the store again
    return _full_receipt(core, receipt, record, eyes, look)


def _full_receipt(core: Core, receipt: Receipt, record: Record | None, eyes: Eyes | None, look: Look | None) -> Receipt:
    """A receipt with what was known already."""
    looks: list[Sight | None] = []

    def see(record: Record) -> Sight | None:
        looks.append(None if eyes is None else eyes.see(record))
        return looks[-1]

    try:
        with core.store.read() as view:
            record = record or view.get(Record, receipt.space, receipt.id or "")
            look = look or (None if record is None else Look(view, record, _lengths(core)))
            already = () if record is None or look is None else look.compare(view, record, see)
        if eyes is not None and eyes.awake and looks == [None] and receipt.stored:
            with core.store.write(actor=core.actor) as edit:  # it was too busy to look: that is made up for
                edit.keep(UNTOLD, {receipt.id or "": edit.now}, space=receipt.space)
        return msgspec.structs.replace(receipt, already=already)
    except StoreError:
        return receipt  # it is stored, and whoever hears of an error would think that it is not


def _lengths(core: Core) -> Lengths:
    """How long versions are that were committed."""
    return Lengths(core.lengths) if is_joined() else core.lengths  # the number of one that is not may yet be another's


def _replaced(edit: Edit, id: str, space: str) -> Record:
    if not edit.spaces([space]):
        raise NotFound(f"there is no record with id {id!r} in space {space!r}: the space is new")
    return find(edit, Record, id, space)


def _put_in_place(edit: Edit, receipt: Receipt, old: Record, reason: str | None) -> Receipt:
    """The new record stands where an old one stood, which is kept. Undoing the one brings the other back."""
    if receipt.id == old.id:
        raise InvalidInput("replaces", f"{old.id} says exactly this already")
    new = find(edit, Record, receipt.id or "", old.space)
    entries = supersede_one(edit, old, new, told_replaced(new.id, reason))
    entries = [*receipt.entries, *entries]
    return msgspec.structs.replace(receipt, entries=tuple(entries), entry=receipt.entry or next(iter(entries), None))


def told_replaced(by: str, reason: str | None = None) -> str:
    """How the journal says that one thing took the place of another."""
    return f"replaced by {by}" if reason is None else f"replaced by {by}: {reason}"


def _renew(edit: Edit, receipt: Receipt, draft: Draft) -> Receipt:
    """A text that is stored already, and was contradicted since, is said again: from now on it is the newer one."""
    held = find(edit, Record, receipt.id or "", receipt.space)
    already = find_already(edit, held)
    said = draft.event_time or edit.now
    if not any(other.differs and held.event_time < other.date <= said for other in already):
        return msgspec.structs.replace(receipt, already=already)
    renewed = msgspec.structs.replace(held, event_time=said)
    entry = edit.apply([put_of(edit, renewed, "restate", held, reason=draft.reason)])[0].entry
    again = "the same text was stored before something else was said of it; from now on it counts as said again"
    reason = f"{again}; {told_masked_again(receipt.masked)}" if receipt.masked else again
    return msgspec.structs.replace(receipt, already=already, reason=reason, entry=entry, entries=(entry,))


def find_already(view: View, record: Record, see: See | None = None) -> tuple[Already, ...]:
    """The records that say nearly what one says, or something else of the same thing; the most alike first."""
    return Look(view, record).compare(view, record, see)


class Look:
    """What the words of a record alone tell of others: which share enough of them to be compared with it.

    It may be one that is about to be written. Whoever knows how long some versions are saves that they are read for it,
    and hears how long others are.
    """

    def __init__(self, view: View, record: Record, lengths: Lengths | None = None) -> None:
        self._shared: _Shared | None = None
        self._best: list[int] = []
        if _is_statement(record.kind, record.text):
            self._new = read_said(record.text)
            self._changes = self._new.changing.changing
            held = _held(view, record.space, self._new.statement)
            itself = 1 if record.version > 0 else 0  # it is in the index
            self._weights = {word: rarity(max(len(versions) - itself, 0)) for word, versions in held.items()}
            known = Lengths() if lengths is None else lengths
            self._shared = _Shared(record.version, self._new.statement, held, self._weights, known)
            measured = view if lengths is not None and lengths.learns else None
            self._best = self._shared.best(all=self._changes, measured=measured)

    def may_tell(self, *, seen: bool) -> bool:
        """May anything come of comparing it; also where it is `seen` by a model?"""
        if self._shared is None:
            return False
        return bool(self._best) or (seen and (self._changes or self._shared.may_be_old()))

    def compare(self, view: View, record: Record, see: See | None) -> tuple[Already, ...]:
        """What says nearly the same, or something else of the same thing.

        What a model would `see` is asked for only where it can make a difference: of a statement that says itself that
        something changed, or that shares enough words with another.
        """
        shared = self._shared
        if shared is None:
            return ()
        new, changes, weights = self._new, self._changes, self._weights
        candidates = _candidates(view, record, self._best)
        if not changes:
            candidates = [one for one in candidates if shared.enough(one)]
            if not candidates and not shared.may_be_old():
                return ()
        sight = None if see is None else see(record)
        if sight is not None and sight.model not in view.models():
            sight = None  # another process has taken up another model
        if sight is not None:
            known = {one.version for one in candidates}
            near = [version for version in _near(view, record, sight) if version not in known]
            candidates += [one for one in _candidates(view, record, near) if changes or shared.enough(one)]
        nearness = {} if sight is None else _nearness(view, record.space, [one.version for one in candidates], sight)
        nearest = max(nearness, key=lambda version: nearness[version], default=0)
        found: list[tuple[float, int, Said]] = []
        asks = is_question(record.text)
        for other in candidates:
            if is_question(other.text) != asks:
                continue  # what is asked neither says the same as what is stated, nor something else
            if not changes and not may_resemble(new.statement, other.text, weights):
                continue
            old = read_said(other.text)
            near_by = nearness.get(other.version)
            score = worth_telling(new, old, weights, near_by, nearest=other.version == nearest)
            if score:
                found.append((score, other.version, old))
        best = sorted(found, key=lambda one: one[:2], reverse=True)[:MOST_TOLD]
        told = records_of(view, [version for _, version, _ in best]) if best else []
        return tuple(
            Already(id=one.id, text=one.text, date=one.event_time, differs=differs(new, old))
            for one, (_, _, old) in zip(told, best, strict=True)
        )


def _is_statement(kind: str, text: str) -> bool:
    """Is something compared with others? What is no knowledge, or a document, is not."""
    return kind not in NOT_KNOWLEDGE and len(text) <= LONGEST


def _near(view: View, record: Record, sight: Sight) -> list[int]:
    """The versions that lie nearest to a record."""
    where = Filter(spaces=(record.space,), without_kinds=NOT_KNOWLEDGE)
    found = view.near([record.space], sight.model.no, sight.vector, where, _MOST_NEAR).get(record.space)
    return [] if found is None else list(dict.fromkeys(found.versions.tolist()))


def _nearness(view: View, space: str, versions: Sequence[int], sight: Sight) -> dict[int, float]:
    import numpy as np  # a model that sees has brought it in

    if not versions:
        return {}
    pick = Pick(np.array(sorted(versions), np.int64))
    told = view.signals({space: pick}, None, model=sight.model.no, vector=sight.vector)[space]
    pairs = zip(told.versions.tolist(), told.cosine.tolist(), strict=True)
    return {version: near for version, cosine in pairs if (near := sight.nearness(cosine)) is not None}


class _Text(Struct, frozen=True, gc=False):
    """As much of a record as is measured."""

    version: int
    text: str


def _measure(view: View, lengths: Lengths, versions: Sequence[int]) -> None:
    """Learns how long some versions are: in a process that has just begun, that is known of none."""
    if versions:
        for one in view.select(_Text, Filter(versions=tuple(versions), past=True, valid_only=False)):
            lengths.learn(one.version, least_words(one.text))


class _Told(Struct, frozen=True):
    """As much of a record as is compared."""

    version: int
    id: str
    text: str
    project: str | None
    user: str | None
    event_time: int
    """Microseconds since 1970, as the times that follow."""
    valid_from: int | None
    valid_until: int | None


def _held(view: View, space: str, new: Statement) -> dict[str, list[int]]:
    """Which versions hold each word of a statement; of those that many hold, the newest."""
    hashes = {word: hash_term(word) for word in sorted(new.words)[:_MOST_TERMS]}
    held = view.mentions(space, list(hashes.values()), _MOST_HELD)
    return {word: held[hash] for word, hash in hashes.items()}


class _Shared:
    """How much of a statement others hold: at least what lists of their words say, and at most also each word that
    stands in no whole list, because very many hold it or it was not asked for.
    """

    def __init__(
        self, own: int, new: Statement, held: Mapping[str, Sequence[int]], weights: Mapping[str, float],
        lengths: Lengths,
    ) -> None:  # fmt: skip
        self._own, self._held, self._weights, self._lengths = own, held, weights, lengths
        self._gate = Gate(new, weights)
        common = [weights[word] for word, versions in held.items() if len(versions) >= _MOST_HELD]
        common += [rarity(1)] * (len(new.words) - len(held))
        self._more, self._common = len(common), sum(common)

    def best(self, *, all: bool, measured: View | None) -> list[int]:
        """The versions that share the most, or (not `all`) those of them that may share enough for their length.

        Of those that may only because nobody knows how long they are, some are `measured`.
        """
        some = self._worth_weighing(all=all)
        if measured is not None and not all:
            _measure(measured, self._lengths, sorted(some.difference(self._lengths.words))[-_MOST_MEASURED:])
        if measured is not None:
            self._lengths.forget_gone(measured)
        weighed, counted = self._weigh(some)
        length = self._lengths.words.get
        if not all:
            least, common = self._gate.least, self._common
            weighed = {one: weight for one, weight in weighed.items() if weight + common >= least[length(one, 1)]}
        ranked = sorted(zip(weighed.values(), weighed, strict=True), reverse=True)[:_MOST_READ]
        return [one for weight, one in ranked if all or self._lets(weight, counted[one], length(one, 1))]

    def _worth_weighing(self, *, all: bool) -> set[int]:
        """The versions that stand in some list or (not `all`) those of them that may share enough.

        Where some words that many hold do not make enough together, such a one holds another as well. And where no
        single word is enough, it holds two. That is so of all that are known to be longer than a few words; whatever
        may be shorter is weighed.
        """
        held, longer = self._held, set[int]() if all else self._lengths.longer
        often = self._often(1 if all else FEW_WORDS)
        times = Counter(chain.from_iterable([versions for word, versions in held.items() if word not in often]))
        alone = max(self._weights.values(), default=0.0) + self._common
        if all or self._gate.lets(alone, 1, 1 + self._more, FEW_WORDS + 1):
            some = set(times)
        else:
            some = {one for one, count in times.items() if count > 1 or one not in longer}
            some.update(*[times.keys() & held[word] for word in often])
        if not all:
            some.update(*[set(held[word]).difference(longer) for word in often])
        some.discard(self._own)
        return some

    def _often(self, few: int) -> list[str]:
        """Words that many hold, as far as they do not make enough together to be about the same thing for one that has
        more than a few.
        """
        weights, weight, often = self._weights, self._common, list[str]()
        many = [word for word, versions in self._held.items() if len(versions) > _MANY]
        for word in sorted(many, key=weights.__getitem__):
            weight += weights[word]
            if self._gate.lets(weight, 2, len(self._held), few + 1):
                break
            often.append(word)
        return often

    def _weigh(self, some: set[int]) -> tuple[dict[int, float], dict[int, int]]:
        """How much each of some versions shares by the lists, and in how many words."""
        weighed, counted = dict.fromkeys(some, 0.0), dict.fromkeys(some, 0)
        for word, versions in self._held.items() if some else ():
            weight = self._weights[word]
            for version in some.intersection(versions):
                weighed[version] += weight
                counted[version] += 1
        return weighed, counted

    def may_be_old(self) -> bool:
        """May one be about the same thing that shares only words that very many hold, some of them?"""
        return self._more > 1 and self._gate.lets(self._common, 2, self._more, 2)

    def enough(self, other: _Told) -> bool:
        """Does one share enough for its length?"""
        words = least_words(other.text)
        self._lengths.learn(other.version, words)
        weighed, counted = self._weigh({other.version})
        return self._lets(weighed[other.version], counted[other.version], words)

    def _lets(self, weight: float, count: int, words: int) -> bool:
        return self._gate.lets(weight + self._common, count, count + self._more, words)


def _candidates(view: View, record: Record, versions: Sequence[int]) -> list[_Told]:
    """Those of some versions that are statements, of no other project or person, and hold at some time when it does."""
    distinct = tuple(dict.fromkeys(versions))
    where = Filter(spaces=(record.space,), without_kinds=NOT_KNOWLEDGE, versions=distinct)
    return [
        other
        for other in (view.select(_Told, where) if distinct else ())
        if other.id != record.id and len(other.text) <= LONGEST and _together(other, record)
    ]


def _together(one: _Told, other: Record) -> bool:
    pairs = ((one.project, other.project), (one.user, other.user))
    ours = all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)
    return ours and _meet(one, other)


def _meet(one: _Told, other: Record) -> bool:
    """Was there a time at which both held? Else both may be true, each of its own."""
    begins, ends = (other.valid_from or other.event_time).timestamp() * 1e6, other.valid_until
    if one.valid_until is not None and one.valid_until <= begins:
        return False
    return ends is None or ends.timestamp() * 1e6 > (one.valid_from or one.event_time)


def adds_nothing(text: str, to: str) -> bool:
    """Has a text no word of its own beside another that has more?"""
    return frozenset(terms(text)) < frozenset(terms(to))


def may_stand_instead(newer: str, older: str) -> bool:
    """May a text that is like an older one stand in its place: it says nothing else, or gives another value to the same
    thing? Of two that speak of two things neither may.
    """
    return not says_otherwise(read_said(newer), read_said(older)) or speaks_of_the_same(newer, older)


def told_beside(text: str, one: Already) -> str:
    """How what was known before is told beside a text."""
    if not one.differs:
        return "nearly the same as"
    alike = hide_alike(text, one.text) and not says_otherwise(read_said(text), read_said(one.text))
    return "may differ, by what was masked, from" if alike else "differs from"
