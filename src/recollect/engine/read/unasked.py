"""What is a session given that asked for nothing, and what was it given already?

At its start the brief; with a prompt the few records that most likely answer it, none of them twice in one session. No
model is loaded for it: one that is loaded already helps, and else words decide. Whether at all, how much, and from
which probability on stands on a shelf for each space. Shelves of the store say until when all of it is paused, what a
session was shown, and what was given each day. Which records made the last brief is kept as well: where nothing was
changed since, it is not made anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from recollect.engine.core import Core, last_entry
from recollect.engine.parse import parse_optional, parse_space, parse_text
from recollect.engine.pauses import begin_pause, end_pause, paused_until
from recollect.engine.read.repeats import without_repeats
from recollect.engine.workplaces import project_at
from recollect.engine.write.taken_back import taken_back
from recollect.errors import InvalidInput, ReadOnlyStore
from recollect.forms import convert
from recollect.retrieve.brief import Noted, Section, note, render_brief, render_noted
from recollect.retrieve.context import estimate_tokens, pack_context, render_hit
from recollect.retrieve.contradict import contradicts, statements_in
from recollect.retrieve.fence import drop_blocks
from recollect.retrieve.restate import lacks_a_name
from recollect.store.base import Shelf, View
from recollect.store.terms import query_terms, terms
from recollect.types import DEFAULT_SPACE, NOISE, Filter, Hit, Query, Record, Why

if TYPE_CHECKING:
    from recollect.engine.embedding.semantics import Semantics
    from recollect.engine.embedding.vectors import Vectors
    from recollect.engine.read.foremost import Foremost

MOST_RECORDS = 5
_NOTES = 50  # of a brief, at most
_LONGEST_PROMPT = 2_000  # characters: of a long one the beginning and the end say what is wanted
_FEWEST_TERMS = 2  # "go on" asks nothing
_LOOKS_AT = 4  # times as many as are shown: some were shown already
_LEFT_OUT = ("code", "source", "activity")
_KEPT_DAYS = 30
FOREVER = 9999  # is the year until which a pause lasts that nobody said the end of
_PATIENCE = 0.05  # seconds, for vectors of what was just stored
_NEARLY = 0.8  # of what the best holds of a prompt
_ENOUGH = 0.35  # chosen by what bench/unasked.py measures
_NEAR = 4.0  # standard deviations above the cosine of unrelated texts: so near is what shares no word with a prompt
_BELOW, _FURTHER = 8, 3  # lines below what is given that a preview shows, and times the budget for those
_SECTIONS: dict[Section, str] = {
    "pinned": "it is pinned", "rules": "it is a rule or a preference", "decisions": "it is a decision",
    "open": "it is open work", "important": "it is among the most important",
}  # fmt: skip
_COMMAND = re.compile(r"\s*(?:[/!#]\S*|(?:please )?(?:go (?:on|ahead)|carry on|keep going)(?: please)?[.!\s]*)", re.I)
_MESSAGE = "message"
_SAYS_MUCH = 5  # terms: so many may mean what a prompt asks for in other words


class Steering(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a space allows to happen unasked."""

    capture: bool = True
    inject: bool = True
    start_tokens: Annotated[int, Meta(ge=50, le=2_400)] = 800
    prompt_tokens: Annotated[int, Meta(ge=50, le=2_400)] = 600
    threshold: Annotated[float, Meta(ge=0.0, le=1.0)] = _ENOUGH


class Given(Struct, frozen=True, kw_only=True):
    """A text for a session, what it costs, the records in it, and why it is empty where it is."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    project: str | None = None
    reason: str | None = None


class Line(Struct, frozen=True, kw_only=True):
    """A record that was thought of for a session: whether it is `given`, and why or why not.

    `tokens` is what it costs, or would. Of a brief it has a section, of answers to a prompt a score and its signals.
    """

    record: Record
    text: str
    tokens: int
    given: bool
    reason: str
    section: Section | None = None
    score: float | None = None
    why: Why | None = None


class Preview(Struct, frozen=True, kw_only=True):
    """What a session would be given, and what was thought of for it: first what is given, then what is just below."""

    given: Given
    budget: int
    lines: tuple[Line, ...] = ()


class Shown(Struct, frozen=True):
    """Which records a session was shown, and when it was last shown some: by what (`anew`), where it had forgotten."""

    at: datetime
    ids: tuple[str, ...]
    anew: str | None = None


class Injected(Struct, frozen=True, kw_only=True):
    """What sessions were given on a day (UTC)."""

    day: str
    times: int = 0
    tokens: int = 0


class Prepared(Struct, frozen=True, kw_only=True):
    """Which records made a brief, by section: those of a project (or of none) as of an entry of the journal."""

    entry: int
    at: datetime
    tokens: int
    notes: tuple[tuple[Section, str], ...]


_PREPARED = Shelf("briefs", Prepared)
_STEERING = Shelf("steering", Steering)
_SHOWN = Shelf("shown", Shown)
_INJECTED = Shelf("injected", Injected)
_ONLY = "all"
_NONE = ""
"""Stands for the project of what is of none, and so for where somebody works who works on no project; None for all."""
_AT_ONCE = timedelta(seconds=5)  # between two hooks that one event called, one after the other
_FRESH = timedelta(hours=12)  # with time alone, what is important changes slowly


def _seen(project: str | None) -> tuple[str, ...]:
    """The projects that are seen: one and what is of none, or all."""
    return () if project is None else tuple(dict.fromkeys((project, _NONE)))


def _key(project: str | None) -> str:
    """Where the brief of a project is kept; no project is called by a slash alone."""
    return _NONE if project is None else project or "/"


def steering_of(view: View, space: str) -> Steering:
    """What a space allows; of a space that nobody has set, the usual."""
    return view.kept(_STEERING, space=space, keys=[_ONLY]).get(_ONLY) or Steering()


def give_brief(
    core: Core, space: str, project: str | None, resumed: str | None = None, foremost: Foremost | None = None,
    anew: str | None = None,
) -> tuple[Given, Prepared | None]:  # fmt: skip
    """What a session begins with; and where it had to be made, of what it was."""
    with core.store.read() as view:
        steering, reason = _looked_up(core, view, space)
        if reason is None and resumed is not None and _has_brief(view, resumed, anew, core.clock()):
            reason = "the session has its brief already"
        entry, now = last_entry(view), core.clock()
        known = view.kept(_PREPARED, space=space, keys=[_key(project)]).get(_key(project))
        holds = known is not None and known.entry == entry and known.tokens == steering.start_tokens
        if reason is None and known is not None and holds and timedelta() <= now - known.at < _FRESH:
            return _render(_noted(view, space, known), project), None
    if reason is not None:
        return Given(project=project or None, reason=reason), None
    from recollect.engine.read.brief import make_brief  # for what has to be made, and that is seldom

    where = Filter(spaces=(space,), projects=_seen(project))
    made = make_brief(core, where, limit=_NOTES, budget_tokens=steering.start_tokens, foremost=foremost)
    notes: tuple[tuple[Section, str], ...] = tuple((noted.section, noted.record.id) for noted in made.notes)
    return _render(made.notes, project), Prepared(entry=entry, at=now, tokens=steering.start_tokens, notes=notes)


def _has_brief(view: View, session: str, anew: str | None, now: datetime) -> bool:
    """Was a session shown something? Where it begins anew, that counts which it was just shown for the same reason."""
    shown = view.kept(_SHOWN, keys=[session]).get(session)
    if shown is None or not shown.ids:
        return False
    return anew is None or (shown.anew == anew and abs(now - shown.at) < _AT_ONCE)


def give_earlier(core: Core, space: str, project: str | None) -> Given:
    """What of the last brief holds still, for when there is no time to make another."""
    with core.store.read() as view:
        known = view.kept(_PREPARED, space=space, keys=[_key(project)]).get(_key(project))
        reason = _looked_up(core, view, space)[1]
        return _render([] if known is None or reason is not None else _noted(view, space, known), project)


def _noted(view: View, space: str, known: Prepared) -> list[Noted]:
    """The notes of a brief that was made before, but for those of records that hold no longer."""
    held = Filter(spaces=(space,), ids=tuple(id for _, id in known.notes))
    records = {record.id: record for record in (view.select(Record, held) if known.notes else ())}
    return [note(section, records[id]) for section, id in known.notes if id in records]


def _render(notes: Sequence[Noted], project: str | None) -> Given:
    text = render_brief(notes)
    if not text:
        return Given(project=project or None, reason="nothing is known that fits into a brief")
    ids = tuple(noted.record.id for noted in notes)
    return Given(text=text, tokens=estimate_tokens(text), ids=ids, project=project or None)


def give_answers(
    core: Core, space: str, project: str | None, prompt: str, session: str | None, vectors: Vectors | None
) -> Given:
    """The records that probably answer a prompt, without those that the session has seen."""
    if not _asks(prompt):
        return Given(project=project or None, reason="the prompt asks for nothing that could be looked up")
    with core.store.read() as view:
        steering, reason = _looked_up(core, view, space)
        seen = frozenset[str]() if session is None else shown_to(view, session)
    if reason is not None:
        return Given(project=project or None, reason=reason)
    hits = [hit for hit in _search(core, space, project, prompt, vectors) if _has_to_do(hit, vectors)]
    return _choose(_narrow(core, hits, prompt, steering.threshold), seen, session, project, steering)


def _has_to_do(hit: Hit, vectors: Vectors | None) -> bool:
    """Does a hit share a word with the prompt, or lie near it?

    Most prompts are tasks, and ask for nothing that was stored: where neither is so, the probability of an answer to a
    question means nothing. A message that says little must share a word: every "thanks" lies near something.
    """
    if hit.why.keyword > 0.0 or vectors is None or hit.why.vector is None:
        return True
    if hit.record.kind == _MESSAGE and len(set(query_terms(hit.record.text))) < _SAYS_MUCH:
        return False
    model = vectors.model()
    return hit.why.vector >= model.floor + _NEAR * model.spread


def _narrow(core: Core, hits: Sequence[Hit], prompt: str, threshold: float) -> list[Hit]:
    """The hits without those that only ask, and with what was said since in the place of what it contradicts, or beside
    it where it lacks a name of the prompt, unless that asks for what was. By words alone, without what holds much less.
    """
    from recollect.retrieve.asking import asks_past, not_at_hand, without_asked  # many patterns, for a prompt alone

    hits = not_at_hand(without_asked(hits, prompt), prompt)
    most = max((hit.why.keyword for hit in hits), default=0.0)
    near = [hit for hit in hits if hit.why.vector is not None or hit.why.keyword >= _NEARLY * most]
    if asks_past(prompt) or not any(hit.score >= threshold for hit in near):
        return near
    from recollect.engine.read.brief import said_since  # for what is given, and that is seldom

    with core.store.read() as view:
        sure = [hit.record for hit in near if hit.score >= threshold]
        since = {one.id: said_since(view, one) or _said_later(one, hits) for one in sure}
    told: dict[str, Hit] = {}
    for hit, newer in ((hit, since.get(hit.record.id)) for hit in near):
        if newer is None or lacks_a_name(newer.text, hit.record.text, prompt):
            told.setdefault(hit.record.id, hit)
        if newer is not None:
            told.setdefault(newer.id, replace(hit, record=newer, folded=()))
    likely = [hit.record for hit in told.values() if hit.score >= threshold]
    return [hit for hit in told.values() if not any(_overtakes(one, hit.record, prompt) for one in likely)]


def _said_later(record: Record, hits: Sequence[Hit]) -> Record | None:
    """What was said last, among what was found of the same project, that overtakes a record, however likely it answers
    by itself. An agent's word overtakes nothing that somebody stored.
    """
    later = (hit.record for hit in hits if hit.record.project == record.project and _overtakes(hit.record, record))
    heard = (one for one in later if one.role != "assistant" or record.kind == _MESSAGE)
    return max(heard, key=lambda one: one.event_time, default=None)


def _overtakes(newer: Record, older: Record, prompt: str = "") -> bool:
    """Does a record surely say something else than an older one, of what is named? Of a message, one sentence does."""
    if newer.event_time <= older.event_time or lacks_a_name(newer.text, older.text, prompt):
        return False
    return any(contradicts(one, other) for one in statements_in(newer) for other in statements_in(older))


def _choose(
    hits: Sequence[Hit], seen: frozenset[str], session: str | None, project: str | None, steering: Steering
) -> Given:
    likely = [hit for hit in hits if hit.score >= steering.threshold]
    known = [hit for hit in likely if hit.record.id in seen or (session is not None and hit.record.session == session)]
    fresh = without_repeats([hit for hit in likely if hit not in known], known)
    text, shown = _pack(fresh[:MOST_RECORDS], steering.prompt_tokens)
    if not text:
        why = "this session has seen what would answer" if likely else "nothing stored is likely to answer"
        return Given(project=project or None, reason=why)
    return Given(text=text, tokens=estimate_tokens(text), ids=shown, project=project or None)


def preview_brief(core: Core, space: str, project: str | None, foremost: Foremost | None = None) -> Preview:
    """What a session would begin with, and what there was no room for."""
    from recollect.engine.read.brief import make_brief

    with core.store.read() as view:
        steering, reason = _looked_up(core, view, space)
    if reason is not None:
        return Preview(given=Given(project=project or None, reason=reason), budget=steering.start_tokens)
    budget, where = steering.start_tokens, Filter(spaces=(space,), projects=_seen(project))
    notes, more = (
        make_brief(core, where, limit=limit, budget_tokens=tokens, foremost=foremost).notes
        for limit, tokens in ((_NOTES, budget), (_NOTES + _BELOW, _FURTHER * budget))
    )
    given = _render(notes, project)
    lines = [_noted_line(noted, given=True, budget=budget) for noted in (notes if given.text else ())]
    below = [_noted_line(noted, given=False, budget=budget) for noted in more if noted.record.id not in given.ids]
    return Preview(given=given, budget=budget, lines=(*lines, *below[:_BELOW]))


def _noted_line(noted: Noted, *, given: bool, budget: int) -> Line:
    why = _SECTIONS[noted.section] if given else f"no room was left within {budget} tokens"
    tokens = estimate_tokens(render_noted(noted))
    return Line(
        record=noted.record, text=noted.text, tokens=tokens, given=given, reason=why, section=noted.section
    )  # fmt: skip


def preview_answers(
    core: Core, space: str, project: str | None, prompt: str, session: str | None, vectors: Vectors | None
) -> Preview:
    """What a prompt would be answered with unasked, and what came close."""
    with core.store.read() as view:
        steering, reason = _looked_up(core, view, space)
        seen = frozenset[str]() if session is None else shown_to(view, session)
    if reason is not None or not _asks(prompt):
        given = give_answers(core, space, project, prompt, session, vectors)
        return Preview(given=given, budget=steering.prompt_tokens)
    hits = _search(core, space, project, prompt, vectors)
    near = _narrow(core, [hit for hit in hits if _has_to_do(hit, vectors)], prompt, steering.threshold)
    given, considered = _choose(near, seen, session, project, steering), {hit.record.id for hit in near}
    thought_of = (*near, *(hit for hit in hits if hit.record.id not in considered))
    lines = [_hit_line(hit, given, considered, seen, session, steering) for hit in thought_of]
    chosen, below = [line for line in lines if line.given], [line for line in lines if not line.given]
    return Preview(given=given, budget=steering.prompt_tokens, lines=(*chosen, *below[:_BELOW]))


def _hit_line(
    hit: Hit, given: Given, considered: set[str], seen: frozenset[str], session: str | None, steering: Steering
) -> Line:
    if hit.record.id in given.ids:
        why = f"probably answers: {hit.score:.2f}, and {steering.threshold:.2f} is enough"
    elif hit.score < steering.threshold:
        why = f"not likely enough: {hit.score:.2f}, and {steering.threshold:.2f} would be"
    elif hit.record.id not in considered:
        why = "it has too little to do with the prompt, only asks, or something newer says otherwise"
    elif hit.record.id in seen or (session is not None and hit.record.session == session):
        why = "this session has seen it"
    elif (
        len(given.ids) < MOST_RECORDS
        and given.tokens + estimate_tokens(render_hit(hit, projects=True)) <= steering.prompt_tokens
    ):
        why = "something else says the same"
    else:
        why = f"no room was left: {MOST_RECORDS} records and {steering.prompt_tokens} tokens are the most"
    return Line(
        record=hit.record, text=hit.record.text, tokens=estimate_tokens(render_hit(hit, projects=True)), reason=why,
        given=hit.record.id in given.ids, score=hit.score, why=hit.why,
    )  # fmt: skip


def _asks(prompt: str) -> bool:
    """Does a prompt ask for something that could be looked up?"""
    from recollect.retrieve.general import asks_generally  # many patterns, for a prompt alone

    if _COMMAND.fullmatch(prompt) or (len(prompt) <= _LONGEST_PROMPT and asks_generally(prompt)):
        return False
    return len(set(terms(prompt[:200]))) >= _FEWEST_TERMS


def _looked_up(core: Core, view: View, space: str) -> tuple[Steering, str | None]:
    """What a space allows, and why nothing is given where nothing is."""
    steering, until = steering_of(view, space), paused_until(view, core.clock())
    if until is not None:
        return steering, "paused until " + ("it is resumed" if until.year == FOREVER else f"{until:%Y-%m-%d %H:%M} UTC")
    if not view.spaces([space]):
        return steering, f"there is no space {space!r} yet"
    return steering, None if steering.inject else f"the space {space!r} gives nothing unasked"


def _search(core: Core, space: str, project: str | None, prompt: str, vectors: Vectors | None) -> Sequence[Hit]:
    from recollect.engine.read.recall import recall  # brings in numpy: only when a prompt is there

    half = _LONGEST_PROMPT // 2
    asked = prompt if len(prompt) <= _LONGEST_PROMPT else f"{prompt[:half]}\n{prompt[-half:]}"
    where = Filter(spaces=(space,), projects=_seen(project), without_kinds=_LEFT_OUT)
    query = Query(text=parse_text(asked, "prompt"), filter=where, limit=_LOOKS_AT * MOST_RECORDS, min_score=NOISE)
    hits = recall(core, vectors, query).hits
    if vectors is not None and any(hit.why.vector is None for hit in hits):  # judged as where no model is
        words = {hit.record.id: hit for hit in recall(core, None, query).hits}
        told = (hit if hit.why.vector is not None else words.get(hit.record.id, hit) for hit in hits)
        hits = sorted(told, key=lambda hit: -hit.score)
    with core.store.read() as view:
        said = taken_back(view, [hit.record for hit in hits])
    return [hit for hit in hits if (hit.record.space, hit.record.id) not in said]


def _pack(hits: Sequence[Hit], budget: int) -> tuple[str, tuple[str, ...]]:
    """A block of the best, and the ids of those in it."""
    text = pack_context(hits, budget, projects=True)
    return text, tuple(hit.record.id for hit in hits if f"- [{hit.record.id}] (" in text)


def shown_to(view: View, session: str) -> frozenset[str]:
    """The records that a session was shown."""
    shown = view.kept(_SHOWN, keys=[session]).get(session)
    return frozenset() if shown is None else frozenset(shown.ids)


def note_given(core: Core, given: Given, session: str | None, *, anew: str | None = None) -> None:
    """Keeps that a session was given a text. `anew`: by what it has forgotten what it was shown before."""
    with core.store.write(actor=core.actor) as edit:
        day = edit.now.date().isoformat()
        so_far = edit.kept(_INJECTED, keys=[day]).get(day) or Injected(day=day)
        edit.keep(_INJECTED, {day: Injected(day=day, times=so_far.times + 1, tokens=so_far.tokens + given.tokens)})
        if session is None:
            return
        before = () if anew else tuple(shown_to(edit, session))
        edit.keep(_SHOWN, {session: Shown(edit.now, tuple(dict.fromkeys((*before, *given.ids))), anew)})
        if not before:
            old = edit.now - timedelta(days=_KEPT_DAYS)
            edit.keep(_SHOWN, {key: None for key, shown in edit.kept(_SHOWN).items() if shown.at < old})


class Unasked:
    """What a memory gives without being asked, and how a person steers that."""

    def __init__(self, core: Core, semantics: Semantics | None = None, foremost: Foremost | None = None) -> None:
        self._core = core
        self._semantics = semantics
        self._foremost = foremost
        self._made: tuple[str, str, Prepared] | None = None

    def give_brief(
        self,
        *,
        space: str = DEFAULT_SPACE,
        project: str | None = None,
        folder: str | None = None,
        resumed: str | None = None,
        anew: str | None = None,
    ) -> Given:
        """The text that a session begins with: the brief of a project, or of the one that a folder belongs to.

        A session that is `resumed` and was shown something before still has it, and is given nothing; unless it begins
        `anew` (by what, such as "compact"), and was not just given its brief for that.
        """
        label, named = parse_space(space), self._project(project, folder)
        begun = parse_optional(resumed, "resumed")
        given, made = give_brief(self._core, label, named, begun, self._foremost, parse_optional(anew, "anew"))
        self._made = None if made is None else (label, _key(named), made)
        return given

    def give_earlier(
        self, *, space: str = DEFAULT_SPACE, project: str | None = None, folder: str | None = None
    ) -> Given:
        """What of the brief that was given last holds still: at hand at once, and without what is new since."""
        return give_earlier(self._core, parse_space(space), self._project(project, folder))

    def give_answers(
        self,
        prompt: str,
        *,
        space: str = DEFAULT_SPACE,
        project: str | None = None,
        folder: str | None = None,
        session: str | None = None,
    ) -> Given:
        """What of a memory most likely answers a prompt, at most five records; empty when nothing is likely to.

        What the session was shown before is left out. A model is used once it has read something, and neither loaded
        for this nor waited for while it is.
        """
        label = parse_space(space)
        semantics = self._semantics
        loaded = None if semantics is None else semantics.loaded
        works = loaded is not None and loaded.worked
        ready = semantics.ready([label], _PATIENCE, tuple) if semantics is not None and works else None
        return give_answers(
            self._core,
            label,
            self._project(project, folder),
            drop_blocks(parse_text(prompt, "prompt")),
            parse_optional(session, "session"),
            None if ready is None else ready.vectors,
        )

    def _project(self, project: str | None, folder: str | None) -> str | None:
        named = parse_optional(project, "project")
        if named is not None or folder is None:
            return named
        with self._core.store.read() as view:
            return project_at(view, folder, plain=True) or _NONE

    def preview(
        self,
        prompt: str | None = None,
        *,
        space: str = DEFAULT_SPACE,
        project: str | None = None,
        session: str | None = None,
    ) -> Preview:
        """What a session would be given with a prompt, or (without one) at its start; why, and what was just below.

        Nothing is kept of it. Unlike a hook, whoever looks has time for the model to be loaded.
        """
        label, named = parse_space(space), parse_optional(project, "project")
        if prompt is None:
            return preview_brief(self._core, label, named, self._foremost)
        text = drop_blocks(parse_text(prompt, "prompt"))
        ready = None if self._semantics is None else self._semantics.ready([label], _PATIENCE, tuple)
        vectors, seen = None if ready is None else ready.vectors, parse_optional(session, "session")
        return preview_answers(self._core, label, named, text, seen, vectors)

    def note_given(self, given: Given, *, session: str | None = None, anew: str | None = None) -> None:
        """Keeps that a session was given something, so that it is not given the same again (and of what it was made).

        `anew`: by what ("clear", "compact") the session has none of what it was shown before.
        """
        note_given(self._core, given, parse_optional(session, "session"), anew=parse_optional(anew, "anew"))
        self.keep_made()

    def begin(
        self, session: str | None, moment: str, said: str, *, space: str = DEFAULT_SPACE
    ) -> Callable[[], None] | None:
        """Begins to answer a session that asked for nothing, and answers with what ends that.

        None: another is at it, for the same session at the same moment with the same words. A client may be wired
        twice, for a user and for a project, and call both at once.
        """
        turn = self._core.store.turn("unasked", parse_space(space), session or "", moment, said)
        try:
            return turn.release if session is None or turn.take() else None
        except ReadOnlyStore:
            return turn.release  # where nothing can be written, nothing is noted either

    def keep_made(self) -> None:
        """Keeps which records the last brief was made of."""
        if self._made is not None:
            space, key, prepared = self._made
            with self._core.store.write(actor=self._core.actor) as edit:
                edit.keep(_PREPARED, {key: prepared}, space=space)

    def steering(self, *, space: str = DEFAULT_SPACE) -> Steering:
        """What a space allows to happen unasked."""
        with self._core.store.read() as view:
            return steering_of(view, parse_space(space))

    def steer(self, *, space: str = DEFAULT_SPACE, **changes: bool | int | float) -> Steering:
        """Changes what a space allows to happen unasked, and answers with all of it."""
        label = parse_space(space)
        with self._core.store.write(actor=self._core.actor) as edit:
            before = msgspec.structs.asdict(steering_of(edit, label))
            unknown = next((name for name in changes if name not in before), None)
            if unknown is not None:
                raise InvalidInput(unknown, f"is no such setting; there are: {', '.join(before)}")
            steering = _parse_steering({**before, **changes})
            edit.keep(_STEERING, {_ONLY: steering}, space=label)
        return steering

    def pause(self, until: datetime | None = None) -> datetime:
        """Has nothing happen unasked until a moment, or until `resume`."""
        with self._core.store.write(actor=self._core.actor) as edit:
            moment = edit.now.replace(year=FOREVER) if until is None else until
            if moment <= self._core.clock():
                raise InvalidInput("until", "is over already; name a moment that is still to come")
            begin_pause(edit, moment)
        return moment

    def resume(self) -> None:
        """Ends a pause."""
        with self._core.store.write(actor=self._core.actor) as edit:
            end_pause(edit)

    def paused_until(self) -> datetime | None:
        """Until when nothing happens unasked; None where it does. The year 9999 stands for "until resumed"."""
        with self._core.store.read() as view:
            return paused_until(view, self._core.clock())

    def injected(self, days: int = 7) -> list[Injected]:
        """How often and how much sessions were given, of the last so many days on which they were, the newest first."""
        with self._core.store.read() as view:
            return sorted(view.kept(_INJECTED).values(), key=lambda one: one.day, reverse=True)[:days]


def _parse_steering(values: dict[str, object]) -> Steering:
    try:
        return convert(values, Steering)
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at ")
        raise InvalidInput(where.strip("`$.") or "settings", problem.replace("`", "").lower()) from error
