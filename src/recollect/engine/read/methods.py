"""How does a caller ask a memory?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from time import monotonic, perf_counter
from typing import Unpack, get_args

import msgspec

from recollect.engine.core import Core, is_joined, last_entry, missing_space, space_of, try_again
from recollect.engine.embedding.semantics import WAIT_SECONDS, Ready, Semantics
from recollect.engine.moments import read_period
from recollect.engine.parse import (
    LONGEST_QUESTION,
    MAX_LIMIT,
    parse_choice,
    parse_count,
    parse_filter,
    parse_flag,
    parse_limit,
    parse_offset,
    parse_optional,
    parse_optional_time,
    parse_question,
    parse_ref,
    parse_seconds,
    parse_share,
    parse_space,
    parse_text,
)
from recollect.engine.read.acts import list_acts
from recollect.engine.read.brief import Brief, make_brief
from recollect.engine.read.facts import KIND as FACT
from recollect.engine.read.foremost import MOST_KEPT, Foremost, Standing, importance_of, rank_standing
from recollect.engine.read.foresight import foresee
from recollect.engine.read.readers import Handover, Readers
from recollect.engine.read.scope import projects_seen
from recollect.engine.read.stats import stats_of
from recollect.engine.read.unasked import Unasked
from recollect.engine.read.unheld import tell_unheld, too_early
from recollect.engine.workplaces import claim_project
from recollect.engine.write import revise
from recollect.engine.write.revise import Past
from recollect.engine.write.sessions import list_sessions
from recollect.engine.write.touches import Touches
from recollect.errors import InvalidInput, NotFound
from recollect.fields import Filters, Moment, Spaces
from recollect.retrieve.asking import subject_of
from recollect.retrieve.brief import Section
from recollect.retrieve.context import pack_context
from recollect.retrieve.general import asked_of_a_time, asked_section, asks_generally
from recollect.retrieve.todo import sounds_undone
from recollect.store.base import Acts, Changes, View
from recollect.types import (
    CATALOGUE_KINDS,
    DEFAULT_SPACE,
    NOISE,
    SEGMENT_KINDS,
    Act,
    Change,
    Filter,
    Hit,
    Order,
    Query,
    Recall,
    Record,
    Session,
    Signals,
    Space,
    SpaceStats,
    Why,
)

_ORDERS: tuple[Order, ...] = get_args(Order)
_NO_OPEN_WORK = "no open work is known: nothing has the status open, begins with TODO or has an unmarked box"
_FEW = 1_000  # records that wait for vectors; of more it takes too long to tell which of them a question means


def _parse_budget(value: object) -> int | None:
    return None if value is None else parse_limit(value, "budget_tokens", most=10_000_000)


def _parse_period(question: str, now: datetime) -> tuple[datetime, datetime | None] | None:
    """The time of which somebody asks whatever happened then, if nothing else is asked; without an end, up to now."""
    asked = asked_of_a_time(question)
    if asked is None:
        return None
    words, since = asked
    try:
        stretch = read_period(words, now)
    except (ValueError, OverflowError):  # a day that there is not
        return None
    if stretch is None:
        return None
    first, last = stretch
    return first.astimezone(UTC), None if since else last.astimezone(UTC)


class Reading:
    """What a memory answers."""

    core: Core
    semantics: Semantics
    touches: Touches
    asked: dict[str, datetime]
    """When each space was last asked something."""
    readers: Readers
    """Processes that answer too, where there are any."""
    _foremost: Foremost

    def recall(
        self,
        query: str | None = None,
        *,
        space: Spaces = DEFAULT_SPACE,
        limit: int = 10,
        min_score: float = NOISE,
        recency: float = 0.0,
        importance: float = 0.02,
        deep: bool = False,
        deep_within: float | None = None,
        thorough: bool = False,
        fold: bool = True,
        touch: bool = True,
        facts: bool = True,
        budget_tokens: int | None = None,
        wait: float = WAIT_SECONDS,
        **filters: Unpack[Filters],
    ) -> Recall:
        """The records that answer a question, best first.

        Scores lie within 0..1: above 0.5 a hit most likely answers, below 0.25 most likely nothing that is stored
        does; hits below `min_score` are left out. `recency` and `importance` are the shares that the newest and the
        most important may gain: small ones decide between equals. With `deep` a slower model reads the best twenty
        together with the question, for some tenths of a second, and puts them in order, or as many as leave the whole
        answer within `deep_within` seconds (in a small store some in any case). `thorough` weighs three times as many
        candidates; with `fold=False` near-duplicates stand beside each other. Hits that score 0.5 or more (where only
        words can be compared: that hold most of the question's) count as recalled, without `touch` none. `wait` bounds
        the seconds spent on vectors that are still missing: what words find and what is newest comes first,
        `.waiting` says how many are left, and `embed_waiting` has all of them computed.

        Facts that were stated by `relate` and say most of the question's words are among the hits, as records of kind
        "fact" with the relation's id, unless the hits are narrowed by more than a space or a time; `facts=False` leaves
        them out.

        Where whatever happened at some time is asked for ("what happened in June?", "what did we do last week?"), the
        answer is what is of that time, the latest first, each with a score of 1; if nothing is, it is searched for.

        Without a query, or where the question is a general one ("what should I know?"), the answer is `brief`'s: its
        records in its order, and `signals.brief` says so. Nothing was asked that a record could answer: the score of
        each is its importance now, and `min_score` leaves out none. One for a section of it alone ("what
        are the open todos?", "which rules do we have?", "what did we decide lately?") is answered by that section;
        where no open work is known, by what sounds as if it were still to be done, and else by `signals.problem`.
        """
        where = parse_filter(space=space, **filters)
        text = None if query is None else parse_question(query)
        if text is None or asks_generally(text):
            return self._recall_brief(where, limit, budget_tokens)
        if (section := asked_section(text)) and (
            told := self._recall_brief(where, limit, budget_tokens, section, text)
        ):
            return told
        period = None
        if where.since is None and where.until is None:
            period = _parse_period(text, datetime.fromtimestamp(self.core.clock().timestamp()))
        if period is not None and (then := self._recall_period(where, period, limit, budget_tokens)):
            return then
        parsed = Query(
            text=text,
            filter=where,
            limit=parse_limit(limit, most=MAX_LIMIT),
            min_score=parse_share(min_score, "min_score"),
            recency=parse_share(recency, "recency"),
            importance=parse_share(importance, "importance"),
            deep=parse_flag(deep, "deep"),
            deep_within=None if deep_within is None else parse_seconds(deep_within, "deep_within"),
            thorough=parse_flag(thorough, "thorough"),
            fold=parse_flag(fold, "fold"),
            budget_tokens=_parse_budget(budget_tokens),
        )
        seconds, stated = parse_seconds(wait, "wait"), parse_flag(facts, "facts")
        answer = try_again(lambda: self._answer(parsed, seconds, facts=stated))
        if section == "open":  # nothing is known to be open: what merely shares a word is no work
            answer.hits = tuple(hit for hit in answer.hits if sounds_undone(hit.record.text))
        if not answer.hits and where.as_of is not None and answer.signals.problem is None:
            answer.signals = msgspec.structs.replace(answer.signals, problem=too_early(self.core, where.as_of))
        if answer.signals.problem is None and not answer:
            answer.signals = msgspec.structs.replace(answer.signals, problem=self._nothing(parsed.filter))
        if answer.signals.problem is None and not answer and section == "open":
            answer.signals = msgspec.structs.replace(answer.signals, problem=_NO_OPEN_WORK)
        if answer.signals.problem is None and query is not None and len(query) > LONGEST_QUESTION:
            read = f"of the query, the first {LONGEST_QUESTION:,} characters were read"
            answer.signals = msgspec.structs.replace(answer.signals, problem=read)
        now = self.core.clock()
        self.asked.update((name, now) for name in parsed.filter.spaces)
        if parse_flag(touch, "touch"):
            likely = [hit.record for hit in answer if hit.is_likely and hit.record.kind != FACT]
            self.touches.add((record.space, record.id) for record in likely)
        return answer

    def _answer(self, query: Query, wait: float, *, facts: bool) -> Recall:
        """Looks once where all vectors are there; otherwise as many of them are computed first as there is time for."""
        asked, semantics = monotonic(), self.semantics
        semantics.open_together(partial(self._foresee, query))
        from recollect.engine.read.recall import answer, promising  # brings in numpy: only when something is asked

        def look(view: View, ready: Ready) -> Recall:
            in_time = semantics.read_by(asked, wait)
            by = ready.by if ready.waiting else in_time
            within = semantics.reranker_if_open if ready.waiting else partial(semantics.reranker_within, in_time)
            unhurried = query.deep or (semantics.patient and not ready.waiting)
            return answer(
                self.core, view, ready.vectors, query, facts=facts, waiting=ready.waiting, problem=ready.problem,
                reranker=semantics.reranker if unhurried else within, read_by=None if unhurried else by,
            )  # fmt: skip

        spaces = list(query.filter.spaces) or None
        with semantics.precedence.answering(), self.readers.turn() as turn:
            with self.core.store.read() as view:
                ready = semantics.ready_already(view, spaces)
                if ready is not None:
                    elsewhere = turn.answer(partial(self._hand_over, view, query, ready, facts=facts))
                    return look(view, ready) if elsewhere is None else elsewhere
            least = partial(promising, self.core, query)
            ready = semantics.ready(spaces, semantics.time_for_vectors(wait), least, began=asked)
            began = perf_counter()
            if ready.vectors is not None and 0 < ready.waiting <= _FEW:  # what has ended waits too, and is not missed
                ready = msgspec.structs.replace(ready, waiting=ready.vectors.missing(spaces, query.filter))
            with self.core.store.read() as view:
                found = look(view, ready)
            semantics.answers.note(perf_counter() - began)
            return found

    def _foresee(self, query: Query) -> tuple[bool, bool]:
        with self.core.store.read() as view:
            return foresee(view, query)

    def _hand_over(self, view: View, query: Query, ready: Ready, *, facts: bool) -> Handover | None:
        """What another process needs to answer, of the spaces that are seen here; None where none other can."""
        there = [space.name for space in view.spaces(query.filter.spaces or None)]
        spaces = tuple(name for name in query.filter.spaces or there if name in there)
        if query.deep or not spaces or is_joined():
            return None
        narrow = msgspec.structs.replace(query, filter=msgspec.structs.replace(query.filter, spaces=spaces))
        vectors = ready.vectors
        model, seen = (None, None) if vectors is None else (vectors.model(), vectors.query(subject_of(query.text)))
        return Handover(narrow, facts, self.core.clock(), model, seen, ready.waiting, ready.problem)

    def _missing(self, where: Filter) -> str | None:
        """Says so where a space that was named is not there, or no record has what was asked for by name.

        The first space of a new store need not be there.
        """
        with self.core.store.read() as view:
            return self._missing_in(view, where)

    def _missing_in(self, view: View, where: Filter) -> str | None:
        named = [name for name in where.spaces if name != DEFAULT_SPACE]
        there = {one.name for one in view.spaces(named)} if named else set[str]()
        missing = next((name for name in named if name not in there), None)
        if missing is not None:
            return missing_space(missing, [one.name for one in view.spaces()])
        return tell_unheld(view, where)

    def _nothing(self, where: Filter) -> str | None:
        """Why nothing is found, where that is known."""
        with self.core.store.read() as view:
            return self._missing_in(view, where) or self._empty(view, where)

    def _empty(self, view: View, where: Filter) -> str | None:
        """Names the spaces that hold something where those that were asked for hold nothing at all."""
        spaces = where.spaces
        if (
            not spaces
            or where.as_of is not None
            or view.select(int, Filter(spaces=tuple(spaces), valid_only=False), limit=1)
        ):
            return None
        others = (one.name for one in view.spaces() if one.name not in spaces)
        held = [name for name in others if view.select(int, Filter(spaces=(name,)), limit=1)]
        return (
            f"nothing is stored in {' or '.join(map(repr, spaces))}; there is something in: {', '.join(held)}"
            if held
            else None
        )

    def _recall_brief(
        self, where: Filter, limit: int, budget_tokens: int | None, section: Section | None = None, asked: str = ""
    ) -> Recall:
        started = perf_counter()
        if where.projects:
            where = msgspec.structs.replace(where, projects=(*where.projects, ""))
        most, budget = parse_limit(limit), _parse_budget(budget_tokens)
        foremost = self._foremost
        made = make_brief(
            self.core, where, limit=most, budget_tokens=budget, foremost=foremost, only=section, asked=asked
        )
        now = self.core.clock()
        weighed = [(noted.record, round(importance_of(noted.record, now), 6)) for noted in made.notes]
        hits = tuple(Hit(record=one, score=weight, why=Why(importance=round(weight, 4))) for one, weight in weighed)
        taken = round((perf_counter() - started) * 1e3, 3)
        problem = None if hits else self._nothing(where)
        signals = Signals(brief=True, milliseconds=taken, problem=problem)
        return Recall(hits=hits, pack=lambda _: made.text, signals=signals)

    def _recall_period(
        self, where: Filter, period: tuple[datetime, datetime | None], limit: int, budget_tokens: int | None
    ) -> Recall:
        """What is of a time, the latest first; what was said or read then fills what room is left."""
        started, most = perf_counter(), parse_limit(limit)
        then = msgspec.structs.replace(where, since=period[0], until=period[1])
        told = msgspec.structs.replace(then, without_kinds=(*then.without_kinds, *SEGMENT_KINDS, "code"))
        said = msgspec.structs.replace(then, kinds=then.kinds or SEGMENT_KINDS)
        with self.core.store.read() as view:
            records = view.select(Record, told, "latest", most)
            records += view.select(Record, said, "latest", most - len(records)) if len(records) < most else []
        hits = tuple(Hit(record=one, score=1.0, why=Why()) for one in {one.id: one for one in records}.values())
        signals = Signals(milliseconds=round((perf_counter() - started) * 1e3, 3))
        return Recall(
            hits=hits, pack=partial(pack_context, budget_tokens=_parse_budget(budget_tokens)), signals=signals
        )

    def brief(
        self,
        *,
        space: Spaces = DEFAULT_SPACE,
        project: str | None = None,
        budget_tokens: int = 800,
        limit: int = 50,
    ) -> Brief:
        """What is worth knowing before anything is asked: pinned, rules, decisions, open work, the most important.

        With a `project`, of that project and of none in particular; else of all. `text` is ready for a prompt and has
        at most `budget_tokens`; each line has its date and its id. No model is loaded for it.
        """
        projects = () if project is None else (project, None)
        where = parse_filter(space=space, project=projects)
        problem = self._missing(where)
        if problem is not None:
            raise NotFound(problem)
        budget = parse_limit(budget_tokens, "budget_tokens", most=10_000_000)
        most = parse_limit(limit)
        return make_brief(self.core, where, limit=most, budget_tokens=budget, foremost=self._foremost)

    def seen_from(self, folder: str | os.PathLike[str], *, plain: bool = False) -> tuple[str | None, ...]:
        """The projects that somebody sees who works in a folder, for the `project` of a recall.

        That of the git repository around it or of the folder (as `claim_project` calls it), None for what is of no
        project, and the code that was indexed there or in no project. Empty where there is none.
        """
        return projects_seen(self.core, parse_text(os.fspath(folder), "folder"), plain=plain)

    def claim_project(self, folder: str | os.PathLike[str], *, plain: bool = False) -> str | None:
        """What the project is called whose git repository is around a folder, for whoever stores something of it.

        From then on no other is called so: of two repositories by one name the second is called with its owner, or
        with the folder that it is in. Outside of any repository a folder is a project once an agent has worked there,
        with all that is below it; a `plain` one is from now on. None for others, and for the home folder.
        """
        return claim_project(self.core, parse_text(os.fspath(folder), "folder"), plain=plain)

    @property
    def unasked(self) -> Unasked:
        """What sessions are given that asked for nothing, and how a person steers that."""
        return Unasked(self.core, self.semantics, self._foremost)

    def search_code(
        self,
        query: str,
        *,
        space: Spaces = DEFAULT_SPACE,
        project: str | Sequence[str] | None = None,
        language: str | Sequence[str] | None = None,
        limit: int = 10,
        wait: float = WAIT_SECONDS,
        fold: bool = True,
    ) -> Recall:
        """The chunks of indexed code that answer a question, best first; of some nearly alike one, with `fold`.

        `record.locator` says where each stands: path, start_line, end_line, language, chunk_type and name.
        """
        languages = (language,) if isinstance(language, str) else language or ()
        return self.recall(
            query, space=space, kinds=("code",), project=project, tags=languages, limit=limit, wait=wait,
            facts=False, fold=fold,
        )  # fmt: skip

    def get(self, id: str, *, space: str | None = None, as_of: Moment = None) -> Record | None:
        """The record of that id, or None. With `as_of`, as it was known then."""
        ref, home = parse_ref(id, space)
        moment = parse_optional_time(as_of, "as_of")
        with self.core.store.read() as view:
            homes = [one.name for one in view.spaces(holding=(Record, ref))] if home is None else [home]
            found = [record for name in homes if (record := view.get(Record, name, ref, moment)) is not None]
        if len(found) > 1:
            raise InvalidInput("space", f"{ref} is in several spaces ({', '.join(r.space for r in found)}); say which")
        return found[0] if found else None

    def list(
        self,
        *,
        space: Spaces = DEFAULT_SPACE,
        order: str = "newest",
        limit: int = 50,
        offset: int = 0,
        beyond: int | Record | None = None,
        **filters: Unpack[Filters],
    ) -> list[Record]:
        """Records in order, page by page. With `valid_only=False` also what no longer holds.

        The next page begins `beyond` the last record of this one (or its version), whatever is stored meanwhile; an
        `offset` counts from the first.

        `true_at` lists what held at a moment as far as is known now; `as_of`, what was known then.
        """
        filter = parse_filter(space=space, **filters)
        last = beyond.version if isinstance(beyond, Record) else beyond
        with self.core.store.read() as view:
            return view.select(
                Record,
                filter,
                parse_choice(order, "order", _ORDERS),
                parse_limit(limit),
                parse_offset(offset),
                beyond=None if beyond is None else parse_count(last, "beyond", least=1, most=2**63 - 1),
            )

    def foremost(
        self,
        *,
        space: str = DEFAULT_SPACE,
        rooms: Sequence[str | None] = (),
        tags: Sequence[str] = (),
        without_kinds: Sequence[str] = (),
        limit: int = 15,
    ) -> list[Standing]:
        """The records that are most important now: what was stated fades with time, and being recalled keeps it up."""
        most = parse_limit(limit)
        filter = parse_filter(space=parse_space(space), rooms=rooms, tags=tags, without_kinds=without_kinds)
        if not filter.rooms and not filter.tags and most <= MOST_KEPT:
            return self._foremost.of(filter.spaces[0], most, filter.without_kinds)
        with self.core.store.read() as view:
            return rank_standing(view, filter, self.core.clock(), most)

    def count(self, *, space: Spaces = DEFAULT_SPACE, **filters: Unpack[Filters]) -> int:
        """How many records a list with the same filters would have."""
        filter = parse_filter(space=space, **filters)
        with self.core.store.read() as view:
            return view.count(filter)

    def history(self, id: str, *, space: str | None = None) -> list[Past]:
        """Every change of a record, oldest first, with the state that each led to."""
        return revise.history(self.core, *parse_ref(id, space))

    def journal(
        self,
        *,
        space: str | None = None,
        after: int = 0,
        before: int | None = None,
        newest_first: bool = True,
        limit: int = 100,
        act: int | Act | None = None,
    ) -> list[Change]:
        """What was changed in the memory, by whom, when and why: entries after one or before one, or of an act."""
        since, home = parse_count(after, "after", least=0, most=2**63 - 1), parse_optional(space, "space")
        first = act.entry if isinstance(act, Act) else act
        if first is not None:
            first = parse_count(first, "act", least=1, most=2**63 - 1)
        end = None if before is None else parse_count(before, "before", least=1, most=2**63 - 1)
        newest, most = parse_flag(newest_first, "newest_first"), parse_limit(limit)
        with self.core.store.read() as view:
            where = Changes(space=home, after=since, before=end, act=first)
            return view.journal(where, newest_first=newest, limit=most)

    def acts(
        self, *, space: str | None = None, actor: str | None = None, project: str | None = None,
        before: int | None = None, limit: int = 100,
    ) -> list[Act]:  # fmt: skip
        """What was done, the newest first: an ingested folder, an index, a dream or an eviction is one act.

        Only by an `actor` ("" is nobody in particular) or with something of a `project`, where one is named. `before`
        is an entry, from which a list goes on. `undo` takes an act as a whole, and `journal(act=…)` lists
        its entries.
        """
        where = Acts(
            space=parse_optional(space, "space"), project=parse_optional(project, "project"),
            actor=actor if not actor else parse_optional(actor, "actor"),
            before=None if before is None else parse_count(before, "before", least=1, most=2**63 - 1),
        )  # fmt: skip
        with self.core.store.read() as view:
            return list_acts(view, where, parse_limit(limit))

    def follow(self, after: int, seconds: float, *, limit: int = 1000) -> list[Change]:
        """What was changed after an entry, oldest first and by whichever process; waits so long where nothing was."""
        since = parse_count(after, "after", least=0, most=2**63 - 1)
        return self.core.store.follow(since, parse_seconds(seconds, "seconds"), limit=parse_limit(limit))

    def last_entry(self) -> int:
        """The number of the journal's newest entry, whoever wrote it; 0 where there is none."""
        with self.core.store.read() as view:
            return last_entry(view)

    def sessions(self, *, space: str = DEFAULT_SPACE, limit: int = 100, offset: int = 0) -> list[Session]:
        """The sessions of a space, the most recent first."""
        with self.core.store.read() as view:
            return list_sessions(view, parse_space(space), "session", parse_limit(limit), parse_offset(offset))

    def session(self, id: str, *, space: str = DEFAULT_SPACE, as_of: Moment = None) -> list[Record]:
        """The messages of a session, in order."""
        return self.list(space=space, session=id, as_of=as_of, valid_only=False, order="position", limit=100_000)

    def sources(
        self,
        *,
        space: Spaces = DEFAULT_SPACE,
        statuses: Sequence[str] = (),
        source: str | Sequence[str] | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Record]:
        """What was ingested as a source, the newest first; archived ones are left out unless asked for by status."""
        return self.list(
            space=space, kinds=CATALOGUE_KINDS, statuses=statuses, source=source, limit=limit, offset=offset
        )

    def spaces(self) -> list[Space]:
        """All spaces, by name."""
        with self.core.store.read() as view:
            return view.spaces()

    def has_space(self, name: str) -> bool:
        """Is there a space of that name?"""
        label = parse_space(name, "name")
        with self.core.store.read() as view:
            return bool(view.spaces([label]))

    def describe_space(self, name: str = DEFAULT_SPACE) -> tuple[Space, SpaceStats]:
        """A space and how much it holds."""
        label = parse_space(name, "name")
        with self.core.store.read() as view:
            space = space_of(view, label)
            if space is None:
                raise NotFound(f"there is no space named {label!r}")
            return space, stats_of(view, label, embeds=self.semantics.wanted)

    def check(self) -> list[str]:
        """What is wrong with the store, one sentence each; empty when all is well."""
        return list(self.core.store.check())

    def size(self) -> int:
        """Bytes on disk."""
        return self.core.store.size()
