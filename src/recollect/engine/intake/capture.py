"""How does what is said in a client's session get into a memory while the session goes on?

A transcript is read from where it was last left, in pieces of whole lines; each piece is one transaction that writes
its messages, what in them sounds worth keeping, and how far it was read. So a hook that is killed loses and doubles
nothing. One process at a time reads a transcript; another that comes meanwhile waits, and finds less to do.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, as_one_act, forgotten_among
from recollect.engine.intake import overheard
from recollect.engine.intake.drafts import place_conversation
from recollect.engine.intake.files import locate_file
from recollect.engine.intake.reached import REACHED, Reached, ends_of
from recollect.engine.intake.results import SourceDraft
from recollect.engine.intake.sources import SourceWriter
from recollect.engine.intake.withheld import Said, away_elsewhere, away_messages, said_elsewhere
from recollect.engine.pauses import Pause, is_paused, read_pauses
from recollect.engine.read.unasked import shown_to
from recollect.engine.workplaces import claim_project
from recollect.engine.write.confided import Confided
from recollect.engine.write.grounds import source_id
from recollect.engine.write.remember import (
    content_hash,
    count_stated,
    ensure_space,
    make_record,
    take_all,
)
from recollect.engine.write.screen import Screen, secrets_of
from recollect.engine.write.taken_back import note_taken_back
from recollect.engine.write.tell import find_already
from recollect.errors import SourceError
from recollect.forms import decode
from recollect.ingest.keepers import find_keepers
from recollect.ingest.lines import BROKEN, mend
from recollect.ingest.parsed import conversation_adapter
from recollect.ingest.regular import open_regular
from recollect.ingest.talk import Conversation, Message, read_moment
from recollect.ingest.transcripts import find_reader, find_reader_of_lines, parse_conversation, still_queued
from recollect.retrieve.decided import decide_the_same, matter_of
from recollect.retrieve.fence import drop_blocks
from recollect.store.base import Edit
from recollect.types import CAPTURED, Draft, Evidence, Filter, Grounds, Record, Segment

_PIECE = 4 * 1024 * 1024  # bytes that are read at once
_LONGEST_LINE = 64 * 1024 * 1024
_HEAD = 1_024
_TAIL = 65_536
_TOLD = "messages"
_WAIT = 10.0  # seconds for whoever reads the same transcript
_OF_SESSIONS = ("session_meta", "turn_context", "session.start", "session.resume")  # lines in which nobody speaks
_LINE_ID = re.compile(rb'"uuid"\s*:\s*"([0-9a-fA-F-]{36})"')  # as Claude Code writes it, and copies it with the line
_FORGETS = re.compile(r"(?m)^[^\S\n]*\[(?:[\w.:-]*forget\b|\w+: .{0,2000}\brecollect\b.{0,2000}\bforget\b)")
"""An agent has something forgotten: by a tool, or by the command line."""
_CALL = re.compile(r"\[[\w.:-]{1,80}(?:: .*)?\]")


class Captured(Struct, frozen=True, kw_only=True):
    """What became of a transcript: the messages and candidates that are new, and how many bytes are still to be read.

    `busy`: another process was reading it all the while. `masked` are the kinds of secrets that were masked.
    """

    session: str | None
    project: str | None
    messages: int = 0
    candidates: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    left: int = 0
    busy: bool = False


class Wish(Struct, frozen=True, kw_only=True):
    """Whose transcript it is, where the caller knows; else the transcript says.

    Without `keep` it is only noted how far it goes: what was said until now is kept neither now nor later. `at` is when
    the client told of it, and so when was said what does not tell that itself. `before`: what was said earlier.
    """

    session: str | None = None
    project: str | None = None
    cwd: str | None = None
    within: float | None = None
    keep: bool = True
    at: datetime | None = None
    before: tuple[Message, ...] = ()


@as_one_act
def capture(core: Core, path: str | os.PathLike[str], space: str, wish: Wish) -> Captured:
    """Keeps what was said in a transcript since it was last read."""
    found = locate_file(path)
    given_up = threading.Event()
    timer = threading.Timer(_WAIT if wish.within is None else wish.within, given_up.set)
    timer.daemon = True
    timer.start()
    try:
        with core.store.turn("capture", str(found), stop=given_up) as turn:
            if not turn.mine:
                return Captured(session=wish.session, project=wish.project, left=found.stat().st_size, busy=True)
            return _read_on(core, found, space, wish)
    except OSError as error:
        raise SourceError(f"{found} cannot be read: {error.strerror}") from error
    finally:
        timer.cancel()


def _read_on(core: Core, path: Path, space: str, wish: Wish) -> Captured:
    key = hashlib.sha256(f"{space}\0{path}".encode()).hexdigest()
    begun = time.monotonic()
    with core.store.read() as view:
        reached = view.kept(REACHED, keys=[key]).get(key, Reached())
        pauses = read_pauses(view, core.clock())
        confided = Confided(masking=secrets_of(view, space) != "allow")
    so_far = Captured(session=wish.session or reached.session, project=wish.project or reached.project)
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        before: Reached | None = None
        if not _goes_on(file, reached, size):  # cut short, or another file by the same name
            before, reached = reached, Reached(session=reached.session, until=reached.until)
        reached = msgspec.structs.replace(reached, space=space)
        if not wish.keep:
            return msgspec.structs.replace(so_far, left=max(0, size - _pass_over(core, file, key, reached)))
        for start, end in reached.to_hear_again(_PIECE):
            _learn(confided, _part(file, start, end - start))
        confided.take_news()
        for end, lines in _pieces(file, reached.offset):
            begins = reached.offset == 0
            new = _beyond(lines, _ends(core, space)) if begins else _forked(file) + lines
            _learn(confided, lines[: len(lines) - len(new)] if begins else b"")
            conversation = _unread(_heard(new, pauses, wish.at or core.clock(), confided), before, so_far)
            conversation = _unqueued(conversation, file, reached.offset)
            now = _reach(file, _until(reached, conversation, lines), end)
            now = msgspec.structs.replace(now, confiding=(*reached.confiding, (reached.offset, end)))
            so_far, reached = _write(
                core, space, path, key, now, conversation, wish, so_far, confided, begins=begins
            )  # fmt: skip
            if wish.within is not None and time.monotonic() - begun > wish.within:
                break
    return msgspec.structs.replace(so_far, left=max(0, size - reached.offset))


def _pass_over(core: Core, file: BinaryIO, key: str, reached: Reached) -> int:
    """Notes how far a transcript goes, and when what it says was said: none of that is kept, now or later."""
    for end, lines in _pieces(file, reached.offset):
        reached = msgspec.structs.replace(_until(reached, _conversation(lines), lines), offset=end)
    _note(core, key, _reach(file, reached, reached.offset))
    return reached.offset


def _unread(talk: Conversation | None, before: Reached | None, so_far: Captured) -> Conversation | None:
    """Of a session that is read anew, what was said after all that was read: what was forgotten does not come back."""
    if talk is None or before is None or before.until is None:
        return talk
    if before.session not in (so_far.session, talk.id):
        return talk
    late = tuple(one for one in talk.messages if one.at is None or one.at > before.until)
    return msgspec.structs.replace(talk, messages=late)


def _unqueued(talk: Conversation | None, file: BinaryIO, at: int) -> Conversation | None:
    """Without what was typed while the agent worked, before a place, and comes once more as a line of its own."""
    waiting = still_queued(_sound(_part(file, max(at - _TAIL, 0), min(_TAIL, at)))) if talk is not None and at else []
    if talk is None or not waiting:
        return talk
    messages: list[Message] = []
    for one in talk.messages:
        if one.role == "user" and one.text in waiting:
            waiting.remove(one.text)
            continue
        waiting = [] if one.role == "user" else waiting
        messages.append(one)
    return msgspec.structs.replace(talk, messages=tuple(messages))


def _ends(core: Core, space: str) -> set[str]:
    with core.store.read() as view:
        return ends_of(view, space)


def _beyond(lines: bytes, ends: set[str]) -> bytes:
    """The lines after the last that was the last of another transcript: up to there they are a copy of that one."""
    copied = [found.end() for found in _LINE_ID.finditer(lines) if found[1].decode() in ends]
    return lines[lines.find(b"\n", copied[-1]) + 1 :] if copied else lines


def _until(reached: Reached, talk: Conversation | None, lines: bytes) -> Reached:
    """How far was read, with the moment of the last message and the name of the last line."""
    times = [one.at for one in (() if talk is None else talk.messages) if one.at is not None]
    if reached.until is not None:
        times.append(reached.until)
    last = next((found[1].decode() for found in reversed([*_LINE_ID.finditer(lines)])), reached.last)
    return msgspec.structs.replace(reached, until=max(times, default=None), last=last)


def _goes_on(file: BinaryIO, reached: Reached, size: int) -> bool:
    return size >= reached.offset and all(
        _hash(_part(file, start, count)) == known
        for start, count, known in (
            (0, reached.head_bytes, reached.head),
            (reached.offset - reached.tail_bytes, reached.tail_bytes, reached.tail),
        )
        if count
    )


def _reach(file: BinaryIO, reached: Reached, end: int) -> Reached:
    at = file.tell()
    head = _part(file, 0, min(_HEAD, end))
    tail = _part(file, max(end - _TAIL, 0), min(_TAIL, end))
    file.seek(at)
    return msgspec.structs.replace(
        reached, offset=end, head=_hash(head), head_bytes=len(head), tail=_hash(tail), tail_bytes=len(tail)
    )


def _forked(file: BinaryIO) -> bytes:
    """The first line of a session of Codex that goes on from another: it tells what of the rest was said there."""
    file.seek(0)
    line = file.readline(_LONGEST_LINE)
    return line if b'"forked_from_id"' in line else b""


def _part(file: BinaryIO, start: int, count: int) -> bytes:
    file.seek(start)
    return file.read(count)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _pieces(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines, some megabytes of them at once, and where each piece ends. Half a line waits for its other half."""
    at = start
    most = _PIECE
    while True:
        file.seek(at)
        data = file.read(most)
        end = data.rfind(b"\n") + 1
        if not end and len(data) < most:
            return
        if not end and most < _LONGEST_LINE:
            most = min(2 * most, _LONGEST_LINE)
            continue
        lines = data[:end] if end else b""  # a line that no person wrote is passed over
        at += end or len(data)
        most = _PIECE
        yield at, lines


class _Told(Struct):
    """When a line was written, and whether it tells of a whole session."""

    type: object = None
    timestamp: object = None
    created_at: object = None


def _heard(lines: bytes, pauses: Sequence[Pause], at: datetime, confided: Confided) -> Conversation | None:
    """What is said in some lines but for what was said during a pause, on both sides of which nothing is joined.

    What does not say when it was said counts as said just now.
    """
    runs: list[list[bytes]] = [[]]
    for line in lines.split(b"\n") if pauses else ():
        if _is_outside(line, pauses, at):
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    told = (_conversation(some, confided) for some in ([b"\n".join(run) for run in runs] if pauses else [lines]))
    talks = [talk for talk in told if talk is not None]
    if len(talks) < 2:
        return next(iter(talks), None)
    return msgspec.structs.replace(talks[0], messages=tuple(one for talk in talks for one in talk.messages))


def _is_outside(line: bytes, pauses: Sequence[Pause], at: datetime) -> bool:
    try:
        told = decode(mend(line), _Told)
    except BROKEN:
        told = _Told()
    moment = read_moment(told.timestamp) or read_moment(told.created_at) or at
    return told.type in _OF_SESSIONS or not is_paused(pauses, moment)


def _conversation(lines: bytes, confided: Confided | None = None) -> Conversation | None:
    """What is said in some lines of a transcript; a subagent's own talk is left out.

    Of what was copied from another session it is only known from then on what was told there in confidence.
    """
    reader = find_reader_of_lines(lines) or find_reader(lines) if lines.strip() else None
    if reader is None:
        sound = _sound(lines)
        return None if sound == lines else _conversation(sound, confided)
    try:
        talk = next(iter(reader(lines)), None)
    except BROKEN:
        sound = _sound(lines)
        return None if sound == lines else _conversation(sound, confided)
    if talk is None or (talk.format == "claude-code" and talk.id is None):
        return None
    if confided is not None:
        for one in talk.messages[: talk.copied]:
            confided.learn(one.role, spoken(one))
    return msgspec.structs.replace(talk, messages=talk.messages[talk.copied :], copied=0)


def _learn(confided: Confided, lines: bytes) -> None:
    """What was told in confidence in lines that are not read for anything else; the first may be half a one."""
    talk = _conversation(lines, confided) if lines else None
    for one in () if talk is None else talk.messages:
        confided.learn(one.role, spoken(one))


def _sound(lines: bytes) -> bytes:
    """The lines that are JSON of an object; others were cut off when their program ended."""
    kept: list[bytes] = []
    for line in lines.split(b"\n"):
        try:
            msgspec.json.decode(line, type=dict[str, object])
        except BROKEN:
            continue
        kept.append(line)
    return b"\n".join(kept)


def spoken(message: Message) -> str:
    """What a message says itself: without calls of tools and their failures, and without what was recalled for it."""
    text = drop_blocks(message.text)
    if message.role == "assistant":
        text = "\n".join(line for line in text.splitlines() if not _CALL.fullmatch(line.strip()))
    return text.strip() if text == message.text or any(map(str.isalnum, text)) else ""  # signs around what was left out


def _forgetting(messages: Iterable[Message]) -> list[Message]:
    """The messages of turns in which an agent has something forgotten: both who asks and who does it say what."""
    turns: list[list[Message]] = []
    for one in messages:
        if one.role == "user" or not turns:
            turns.append([])
        turns[-1].append(one)
    return [
        one
        for turn in turns
        if any(one.role == "assistant" and _FORGETS.search(one.text) for one in turn)
        for one in turn
    ]


def _write(
    core: Core, space: str, path: Path, key: str, reached: Reached, talk: Conversation | None, wish: Wish,
    so_far: Captured, confided: Confided, *, begins: bool,
) -> tuple[Captured, Reached]:  # fmt: skip
    """One piece, in one transaction with how far it reaches."""
    told = talk.id if talk is not None else None
    session = wish.session or told or so_far.session or f"{path.stem}"
    cwd = wish.cwd or (talk.origin.get("cwd") if talk is not None else None)
    project = _project(core, wish, cwd if isinstance(cwd, str) else None, so_far.project)
    reached = msgspec.structs.replace(reached, session=session, project=project)
    kept, reached = _keep(core, space, talk, key, reached, confided, begins=begins)
    whole = msgspec.structs.replace(
        kept, messages=so_far.messages + kept.messages, candidates=(*so_far.candidates, *kept.candidates),
        masked=tuple(dict.fromkeys((*so_far.masked, *kept.masked))),
    )  # fmt: skip
    return whole, reached


def _project(core: Core, wish: Wish, cwd: str | None, before: str | None) -> str | None:
    """The project that is meant, or the repository that is worked in; else that of the session, or the folder."""
    if wish.project is not None or cwd is None:
        return wish.project or before
    return claim_project(core, cwd, plain=False) or before or claim_project(core, cwd, plain=True)


def capture_said(core: Core, said: Sequence[Message], space: str, session: str, wish: Wish) -> Captured:
    """Keeps what a client tells was said in a session, where it does not write it down in a form that is known.

    What was told up to a moment is not looked at again: what was forgotten of it would come back.
    """
    project = _project(core, wish, wish.cwd, None)
    key = f"told:{space}:{session}"
    with core.store.read() as view:
        until = view.kept(REACHED, keys=[key]).get(key, Reached()).until
        pauses = read_pauses(view, core.clock())
        confided = Confided(masking=secrets_of(view, space) != "allow")
    fresh = tuple(one for one in said if until is None or one.at is None or one.at > until)
    heard = tuple(one for one in fresh if not is_paused(pauses, one.at or wish.at or core.clock()))
    talk = Conversation(format=_TOLD, messages=heard, id=session) if heard else None
    times = [one.at for one in fresh if one.at is not None]
    reached = Reached(session=session, project=project, until=max(times, default=until))
    if not wish.keep:
        _note(core, key, reached)
        return Captured(session=session, project=project)
    for one in (*wish.before, *(one for one in said if one not in fresh)):
        confided.learn(one.role, spoken(one))
    return _keep(core, space, talk, key, reached, confided, begins=True)[0]


def _note(core: Core, key: str, reached: Reached) -> None:
    with core.store.write(actor=core.actor) as edit:
        edit.keep(REACHED, {key: reached})


def _keep(
    core: Core, space: str, talk: Conversation | None, key: str, reached: Reached, confided: Confided, *, begins: bool
) -> tuple[Captured, Reached]:  # fmt: skip
    """Writes messages, what in them sounds worth keeping, and how far was read, all in one transaction."""
    captured = Captured(session=reached.session, project=reached.project)
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        piece = None if talk is None else _Piece(core, edit, space, talk, reached, confided, begins=begins)
        if not confided.take_news():
            reached = msgspec.structs.replace(reached, confiding=reached.confiding[:-1])
        if piece is None:
            edit.keep(REACHED, {key: reached})
            return captured, reached
        ids, masked = piece.write()
        candidates = piece.propose()
        piece.note_use()
        reached = msgspec.structs.replace(reached, again=+piece.again, away=piece.away)
        edit.keep(REACHED, {key: reached})
    if ids:
        core.written()
        overheard.settle(core, space)
    done = msgspec.structs.replace(captured, messages=len(ids), candidates=tuple(candidates), masked=masked)
    return done, reached


class _Piece:
    """Some messages of a session, on their way into a space."""

    def __init__(
        self, core: Core, edit: Edit, space: str, talk: Conversation, reached: Reached, confided: Confided, *,
        begins: bool,
    ) -> None:  # fmt: skip
        self._core = core
        self._edit = edit
        self._space = space
        self._project = reached.project
        self._session = reached.session or ""
        heard = [(one, confided.hear(one.role, spoken(one))) for one in talk.messages]
        said = tuple(msgspec.structs.replace(one, text=text) for one, text in heard if text)
        title = talk.title and (confided.without("assistant", talk.title) or None)
        named = msgspec.structs.replace(talk, id=self._session, title=title)
        self._talk = msgspec.structs.replace(named, messages=said)
        self._forgetting = frozenset(map(spoken, _forgetting(talk.messages)))
        self._location = place_conversation(named, self._session, 0)
        self._written: list[Record] = []
        self._begins = begins
        self.again = Counter(reached.again)
        self.away = reached.away

    def write(self) -> tuple[list[str], tuple[str, ...]]:
        fresh = self._unknown()
        if not fresh:
            return [], ()
        talk = msgspec.structs.replace(self._talk, messages=tuple(fresh))
        parsed = parse_conversation(talk)
        draft = SourceDraft(
            location=self._location, source_kind="conversation", title=parsed.title,
            fingerprint=content_hash(self._location), adapter=conversation_adapter(talk.format),
            segments=tuple(self._segment(one) for one in parsed.segments),
            payload={"format": talk.format, "origin": talk.origin}, session=self._session,
        )  # fmt: skip
        fields = Draft(text="(a message)", memory_type="episodic", trust="imported", project=self._project)
        self._written, masked = SourceWriter(self._core, self._edit, self._space, fields).append(
            draft, named=talk.title is not None
        )
        for record in self._written:
            if any(record.text in text for text in self._forgetting):
                note_taken_back(self._edit, record, [record])
        return [record.id for record in self._written], masked

    def _segment(self, segment: Segment) -> Segment:
        return msgspec.structs.replace(segment, metadata={**segment.metadata, CAPTURED: self._talk.format})

    def _unknown(self) -> list[Message]:
        """What is not held already.

        What says when it was said is the same in whichever session it stands with these words: one that goes on from
        another begins with a copy of it, of which nothing is said again. What does not say when comes again only where
        a file is read from its beginning.
        """
        screen = Screen(self._edit, self._space)
        said = [(one, content_hash(screen.text(one.text)[0])) for one in self._talk.messages]
        held, elsewhere = said_elsewhere(
            self._edit, self._space, self._location, [(hash, one.at) for one, hash in said]
        )
        copied = max((place for place, (one, hash) in enumerate(said) if (hash, one.at) in elsewhere), default=-1)
        self._count_again(said)
        rest = said[copied + 1 :]
        if self._begins:
            lines = [(one.at, one.line) for one, _ in rest]
            rest = rest[away_elsewhere(self._edit, self._space, self._session, lines) :]
        fresh = [one for one, hash in rest if not self._is_known(hash, one.at, held)]
        return self._not_forgotten(fresh)

    def _not_forgotten(self, said: Sequence[Message]) -> list[Message]:
        """What was not said in a conversation before all of it was forgotten, nor at the moment of a message that was.

        At the beginning of a file, what does not say when it was said counts as said before.
        """
        source = source_id(self._location)
        known = self._edit.get(Record, self._space, source) is not None
        until = None if known else forgotten_among(self._edit, self._space, "record", [source]).get(source)
        gone = self._away_moments(said)
        left: list[Message] = []
        for one in said:
            if until is not None and (self._begins if one.at is None else one.at <= until):
                continue
            if one.at is not None and gone[one.at] > 0:
                gone[one.at] -= 1
                continue
            left.append(one)
        return left

    def _away_moments(self, said: Sequence[Message]) -> Counter[datetime]:
        """When messages of the session were said that were forgotten or evicted. What is said after the last of them
        is new to the session, whose list is not read for it.
        """
        if not self._begins and not any(one.at and self.away and one.at <= self.away for one in said):
            return Counter()
        away = Counter(one.at for one in away_messages(self._edit, self._space, self._session).values())
        if self._begins:
            self.away = max(away, default=None)
        return away

    def _is_known(self, hash: str, at: datetime | None, held: Set[Said]) -> bool:
        if at is not None:
            return (hash, at) in held
        self.again[hash] -= 1
        return self.again[hash] >= 0

    def _count_again(self, said: Sequence[tuple[Message, str]]) -> None:
        """At the beginning of a file, how often the session holds each of the words that do not say when they were."""
        if self._begins and any(one.at is None for one, _ in said):
            held = Filter(spaces=(self._space,), sources=(self._location,), kinds=("message",), valid_only=False)
            self.again = Counter(one.content_hash for one in self._edit.select(Record, held))

    def propose(self) -> list[str]:
        """What in these messages sounds worth keeping becomes a candidate, unless it is known already."""
        source = source_id(self._location)
        proposed: list[str] = []
        for record in self._written:
            for keeper in () if record.text in self._forgetting else find_keepers(record.text, record.role or ""):
                evidence = Evidence(source=source, segment=f"seg-{record.position + 1}")
                draft = Draft(
                    text=keeper.text, kind=keeper.kind, trust="agent_inferred", confidence=overheard.CONFIDENCE,
                    status="candidate", project=self._project, event_time=record.event_time,
                    grounds=Grounds(evidence=(evidence,)), reason=f"said by {record.role} ({keeper.why})",
                )  # fmt: skip
                proposed += self._propose(draft)
        return proposed

    def _propose(self, draft: Draft) -> list[str]:
        same = Filter(
            spaces=(self._space,), hashes=(content_hash(draft.text),), without_kinds=("message",), valid_only=False,
            projects=() if self._project is None else (self._project, ""),
        )  # fmt: skip
        already = find_already(self._edit, make_record(self._core, self._edit, draft, self._space))
        known = [record.id for record in self._edit.select(Record, same, limit=1)]
        bare = msgspec.structs.replace(draft, text=matter_of(draft.text) or draft.text)
        matter = make_record(self._core, self._edit, bare, self._space)
        alike = (*already, *find_already(self._edit, matter))
        known += [one.id for one in already if not one.differs]
        known += [one.id for one in alike if decide_the_same(draft.text, one.text)]
        if known:
            overheard.confirm(self._edit, self._space, known, self._session)
            return []
        if already:
            draft = msgspec.structs.replace(draft, metadata={"differs_from": [one.id for one in already]})
        counted = [count_stated(draft)]
        receipts = take_all(self._core, self._edit, [draft], self._space, counted).finish()
        ids = [receipt.id for receipt in receipts if receipt.stored and receipt.id is not None]
        for id in ids:
            overheard.begin(self._edit, self._space, id, self._session)
        return ids

    def note_use(self) -> None:
        """Candidates that the session was shown, and that an agent's answer made use of, have been of use."""
        answers = [record.text for record in self._written if record.role == "assistant"]
        if answers:
            overheard.note_use(self._edit, self._space, shown_to(self._edit, self._session), self._session, answers)
