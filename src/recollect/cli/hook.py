"""How does a client's hook get an answer before anybody notices that it asked?

A client waits for this process, so it always ends well, says nothing but its answer, and keeps to a deadline: what has
not been found by then is not said. What a session was given is noted after it was said, so that a hook that is killed
has withheld nothing. What is to be kept of a turn is read by a process of its own, for which nobody waits; so at the
top nothing is imported that takes time, and the answer to a turn needs nothing else.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from select import select
from time import perf_counter, time

from recollect.cli.hook_forms import MOMENTS, HookEvent, added_by, parse_event, render_answer
from recollect.errors import RecollectError
from recollect.light import TYPE_CHECKING, Plain

if TYPE_CHECKING:
    from typing import TextIO

    from recollect.cli.hook_forms import Moment
    from recollect.config import Settings
    from recollect.engine.intake.capture import Captured
    from recollect.engine.read.unasked import Given, Unasked
    from recollect.serve.meeting import Meeting

_LEAST_SECONDS = 0.1  # for the notes, when the answer took all of its time
_TURN_SECONDS = 2  # for what a client tells at the end of a turn: it is at hand, or never comes
_CAPTURE_SECONDS = 120
_NICE = 10  # of 19: it goes on where others leave it time
_MOST_INPUT = 64_000_000  # bytes; a prompt may carry a whole file, and the end of a turn all that was said in a session
_CHUNK = 65_536
_LULL = 0.02  # seconds without a word, after which it is looked whether all was said
_SPACE = "default"
_OPTIONS = {"--space": "space", "--home": "home", "--store": "home", "--at": "at"}
_FOR_PEOPLE = ("--help", "-h", "--preview")
_NOW = "--now"  # this process is the one for which nobody waits
_NOTE = "--note"  # and it notes what was given
_AT = "--at"
_USAGE = "name a client and an event, such as `recollect hook claude Stop`; see `recollect hook --help`"


class Call(Plain):
    """A hook that was called."""

    client: str
    event: str
    space: str = _SPACE
    home: str | None = None
    now: bool = False
    note: bool = False
    at: float | None = None
    """When it was called, in seconds since 1970, where another process works on it."""

    @property
    def moment(self) -> Moment | None:
        return MOMENTS.get(self.client, {}).get(self.event)

    @property
    def words(self) -> list[str]:
        """What calls the same hook again, in a process for which nobody waits."""
        place = ["--home", self.home] if self.home else []
        how = _NOW if self.moment == "turn" else _NOTE
        return ["hook", self.client, self.event, "--space", self.space, *place, how, f"{_AT}={self.at}"]


def parse_call(args: Sequence[str]) -> Call | None:
    """The words after `recollect hook`; None for what a person types (`--help`, `--preview`, too little at a terminal).

    A call that makes no sense is one to which there is nothing to say: to some clients an exit code of 2 means that the
    prompt is refused.
    """
    if any(word.partition("=")[0] in _FOR_PEOPLE for word in args):
        return None
    if len([word for word in args[:2] if not word.startswith("-")]) < 2:
        if sys.stdin is not None and sys.stdin.isatty():
            return None
        _complain(_USAGE)
    values: dict[str, str] = {}
    rest = iter(args[2:])
    for word in rest:
        name, equals, value = word.partition("=")
        if name in _OPTIONS:
            values[_OPTIONS[name]] = value if equals else next(rest, "")
    client, event = [*args[:2], "", ""][:2]
    told = values.pop("at", "")
    at = float(told) if told.replace(".", "", 1).isdecimal() else time()
    return Call(client, event, now=_NOW in args, note=_NOTE in args, at=at, **{k: v for k, v in values.items() if v})  # pyright: ignore[reportArgumentType]  texts all


def run_hook(call: Call) -> int:
    """Answers one call. Whatever happens, the exit code is 0: a memory that fails is no reason to stop an agent."""
    _fill_streams()
    gc.disable()  # this process is over before there is anything to gain
    if call.moment == "turn":
        return _run_turn(call)
    if call.note:
        return _note_later(call)
    data = None
    if call.moment == "prompt" and (found := _server(call)) is not None:
        server, seconds = found
        data = _read_input(seconds)
        if _is_served(call, server, data, seconds):
            return 0
    settings = _settings(call)
    if settings is None or call.moment is None:
        _put(render_answer(call.client, call.event, ""))
        if settings is not None and call.client in MOMENTS:
            known = ", ".join(MOMENTS[call.client])
            _log(call, settings, HookEvent(), problem=f"there is no event {call.event!r}; there are: {known}")
        return 0
    return _Answer(call, settings, data).run()


def _server(call: Call) -> tuple[Meeting, float] | None:
    """Where a process may be found that has the memory open, and how long its answer may take; None where none may."""
    from recollect.environment import hook_seconds, place_of
    from recollect.serve.meeting import meeting_of

    folder, seconds = place_of("native", call.home)[0], hook_seconds()
    if seconds is None or not os.path.isdir(os.path.expanduser(folder)):
        return None
    meeting = meeting_of("native", call.home)
    if meeting is None or "hook_seconds" in meeting.character or not meeting.may_be_served():
        return None
    return meeting, seconds


def _is_served(call: Call, server: Meeting, data: bytes, seconds: float) -> bool:
    """Has a process answer that has the memory open, with the model that is loaded there. Was there one?"""
    from recollect.serve.asking import ask_tool

    told, began = HookEvent(), perf_counter()
    try:
        told = parse_event(call.client, data)
        if told.prompt is None:
            return False
        arguments = {
            "prompt": told.prompt, "session": told.session, "folder": told.folder, "client": call.client,
            "event": call.event, "space": call.space, "until": time() + seconds,
        }  # fmt: skip
        said = ask_tool(server, "hook", arguments, seconds)
    except ValueError:
        return False  # what it is that cannot be read is told by the long way
    except TimeoutError:
        _put(render_answer(call.client, call.event, ""))
        settings = _settings(call)
        if settings is not None:
            problem = f"the server of this memory found nothing within {seconds:g} seconds"
            _log(call, settings, told, milliseconds=round((perf_counter() - began) * 1e3), problem=problem)
        return True
    if said is None:
        return False
    _put(render_answer(call.client, call.event, added_by(said)))
    return True


def _settings(call: Call) -> Settings | None:
    """The settings; None where they make no sense, which is said on stderr."""
    from recollect.config import load_settings

    try:
        return load_settings(call.home)
    except RecollectError as error:
        _complain(error)
        return None


class _Answer:
    """A call at the start of a session or at a prompt: one thread looks, and the other watches the clock."""

    def __init__(self, call: Call, settings: Settings, data: bytes | None = None) -> None:
        from threading import Event

        from recollect.engine.read.unasked import Given

        if call.moment == "prompt":
            import_module("recollect.engine.read.recall")  # numpy, before the clock runs: it is start-up
        self._call, self._settings, self._data = call, settings, data
        self._began = perf_counter()
        self._given = self._earlier = Given()
        self._told = HookEvent()
        self._problem: str | None = None
        self._found, self._done = Event(), Event()
        self._end: Callable[[], object] = self._done.is_set  # nothing is begun yet

    def run(self) -> int:
        from threading import Thread

        Thread(target=self._work, daemon=True).start()
        in_time = self._found.wait(self._settings.hook_seconds)
        given = self._given  # what was not found by now is not said
        late = not in_time and given is self._earlier
        if late:
            found = "the brief is that of before: no new one" if given.text else "nothing"
            self._problem = f"{found} was found within {self._settings.hook_seconds:g} seconds"
        _put(render_answer(self._call.client, self._call.event, given.text))
        milliseconds = round((perf_counter() - self._began) * 1e3)
        self._found.set()
        if late and given.text:
            _hand_over(self._call, _written(given, self._told))
        left = self._settings.hook_seconds - (perf_counter() - self._began)
        ended = self._done.wait(max(left, _LEAST_SECONDS))
        _log(
            self._call, self._settings, self._told, milliseconds=milliseconds, tokens=given.tokens,
            records=len(given.ids), project=given.project, reason=given.reason, problem=self._problem,
        )  # fmt: skip
        if not ended:
            self._end()
            os._exit(0)  # the other thread is waiting for the store, and no client waits for that
        return 0

    def _work(self) -> None:
        from recollect.engine.read.unasked import Unasked
        from recollect.engine.start import open_present

        try:
            data = _read_input(self._settings.hook_seconds) if self._data is None else self._data
            self._told = parse_event(self._call.client, data)
            core = open_present(self._settings, actor=f"hook:{self._call.client}")
            if core is not None:
                try:
                    self._look(Unasked(core))
                finally:
                    core.store.close()
        except Exception as error:  # noqa: BLE001  the top of a transport
            self._problem = f"{type(error).__name__}: {error}"
        finally:
            self._found.set()
            self._done.set()

    def _look(self, unasked: Unasked) -> None:
        told, moment = self._told, self._call.moment or ""
        end = unasked.begin(told.session, moment, told.prompt or told.source or "", space=self._call.space)
        if end is None:
            self._given = type(self._given)(reason="another hook of this session answers it")
            return
        self._end = end
        try:
            given = self._find(unasked, told)
            if self._found.is_set():
                return  # too late: it was not said
            self._given = given
            self._found.set()
            if given.text:
                unasked.note_given(given, session=told.session, anew=_anew(told))
        finally:
            end()

    def _find(self, unasked: Unasked, told: HookEvent) -> Given:
        call = self._call
        if call.moment == "start":
            if not told.resumed:
                self._earlier = unasked.give_earlier(space=call.space, folder=told.folder)
                self._given = self._earlier  # for when time runs out
            return unasked.give_brief(space=call.space, folder=told.folder, resumed=told.session, anew=_anew(told))
        if told.prompt is not None:
            return unasked.give_answers(told.prompt, space=call.space, folder=told.folder, session=told.session)
        return type(self._given)(reason="the client told no prompt")


def _anew(told: HookEvent) -> str | None:
    """By what a session has forgotten what it was shown; None where it has not."""
    return told.source if told.anew else None


def _written(given: Given, told: HookEvent) -> bytes:
    """What a session was given, for the process that notes it."""
    import json

    return json.dumps([given.tokens, given.ids, told.session, _anew(told)]).encode()


def _note_later(call: Call) -> int:
    """Notes that a session was given the brief of before: whoever gave it had no time left."""
    import json

    from recollect.engine.read.unasked import Given, Unasked
    from recollect.engine.start import open_present

    settings = _settings(call)
    if settings is None:
        return 0
    try:
        tokens, ids, session, anew = json.loads(_read_input(_TURN_SECONDS))
        core = open_present(settings, actor=f"hook:{call.client}")
        if core is not None:
            try:
                Unasked(core).note_given(Given(tokens=tokens, ids=tuple(ids)), session=session, anew=anew)
            finally:
                core.store.close()
    except Exception as error:  # noqa: BLE001  the top of a transport
        problem = f"what was given is not counted: {type(error).__name__}: {error}"
        _log(call, settings, HookEvent(), problem=problem)
    return 0


def _run_turn(call: Call) -> int:
    """A call at the end of a turn: answered at once, and worked on afterwards."""
    data = _read_input(_TURN_SECONDS)
    if call.now:
        _capture(call, data)
        return 0
    _put(render_answer(call.client, call.event, ""))
    _detach(call, data, _capture)
    return 0


def _capture(call: Call, data: bytes) -> None:
    gc.enable()
    settings = _settings(call)
    if settings is None:
        return
    began = perf_counter()
    told, problem, reason, kept = HookEvent(), None, None, None
    try:
        told = parse_event(call.client, data)
        if told.transcript is None and not told.said:
            reason = "the client told of no transcript"
        else:
            kept, reason = _keep(call, settings, told)
    except Exception as error:  # noqa: BLE001  the top of a transport
        problem = f"{type(error).__name__}: {error}"
    found = {} if kept is None else {"captured": kept.messages, "project": kept.project, "session": kept.session}
    _log(
        call,
        settings,
        told,
        milliseconds=round((perf_counter() - began) * 1e3),
        reason=reason,
        problem=problem,
        **found,
    )


def _keep(call: Call, settings: Settings, told: HookEvent) -> tuple[Captured | None, str | None]:
    """What was kept of a turn, and why nothing was where nothing was."""
    from datetime import UTC, datetime

    from recollect.engine.memory import open_memory

    with open_memory(settings=settings, actor=f"hook:{call.client}") as memory:
        unasked, reason = memory.unasked, None
        if not unasked.steering(space=call.space).capture:
            reason = f"the space {call.space!r} captures nothing"
        at = None if call.at is None else datetime.fromtimestamp(call.at, UTC)
        where = {"space": call.space, "session": told.session, "cwd": told.folder, "keep": reason is None, "at": at}
        if told.said and told.session is not None:
            where["transcript"] = told.transcript
            kept = memory.capture_said(_dated(call, settings, told), **where)  # pyright: ignore[reportArgumentType]  each is of its type
        elif told.transcript is not None:
            kept = memory.capture(told.transcript, **where)  # pyright: ignore[reportArgumentType]
        else:
            return None, "the client told of no session"
        if reason is not None:
            return kept, reason  # and what was said meanwhile is not kept later, either
        if not kept.messages and unasked.paused_until() is not None:
            return kept, "paused"
        unasked.give_brief(space=call.space, folder=told.folder)  # now, while nobody waits for it
        unasked.keep_made()
        return kept, "another process is reading this transcript" if kept.busy else None


def _dated(call: Call, settings: Settings, told: HookEvent) -> tuple[Mapping[str, str | None], ...]:
    """What was said, and when.

    A client that tells of a turn when it is over tells when that was: its prompt was said when the hook was called with
    it, as the log says.
    """
    from datetime import datetime

    from recollect.engine.hook_log import read_calls

    first, *rest = told.said
    ended = first.get("created_at")
    if told.prompt is None or ended is None:
        return told.said
    prompts = [event for event, moment in MOMENTS[call.client].items() if moment == "prompt"]
    own = (one for one in read_calls(settings.home) if (one.client, one.session) == (call.client, told.session))
    try:
        until = datetime.fromisoformat(ended)
        asked = max((one.at for one in own if one.event in prompts and one.at <= until), default=None)
    except (ValueError, TypeError):  # no time, or none that can be compared
        return told.said
    return told.said if asked is None else ({**first, "created_at": asked.isoformat()}, *rest)


def _detach(call: Call, data: bytes, work: Callable[[Call, bytes], None]) -> None:
    """Has work done by a process that is nobody's child, and that ends by itself."""
    if hasattr(os, "fork"):
        if os.fork():
            return
        os.setsid()
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        _hold_back()
        try:
            work(call, data)
        finally:
            os._exit(0)
    _hand_over(call, data)  # where there is no fork


def _hand_over(call: Call, data: bytes) -> None:
    """Has a process of its own do it that begins anew, as where a thread of this one may be at anything."""
    import subprocess

    child = subprocess.Popen(
        [sys.executable, "-m", "recollect.cli", *call.words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, creationflags=getattr(subprocess, "DETACHED_PROCESS", 0), close_fds=True,
        start_new_session=os.name != "nt",
    )  # fmt: skip
    assert child.stdin is not None
    child.stdin.write(data)
    child.stdin.close()


def _hold_back() -> None:
    """Lets whoever is waited for go first, and does not go on for ever."""
    import signal  # of this process alone

    os.nice(_NICE)
    signal.alarm(_CAPTURE_SECONDS)


def _read_input(seconds: float) -> bytes:
    """What the client writes, as far as it comes in time. Whoever leaves the pipe open has told all with one object."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    try:
        file = sys.stdin.fileno()
    except ValueError:  # it is in memory, where nobody leaves anything open
        return sys.stdin.buffer.read(_MOST_INPUT)
    until = perf_counter() + seconds
    return _read_aside(file, until) if os.name == "nt" else _read_pipe(file, until)


def _read_pipe(file: int, until: float) -> bytes:
    held, looked_at = bytearray(), 0
    while len(held) < _MOST_INPUT and (left := until - perf_counter()) > 0:
        if select([file], [], [], min(left, _LULL) if looked_at < len(held) else left)[0]:
            chunk = os.read(file, _CHUNK)
            if not chunk:
                break
            held += chunk
        elif _is_whole(held):
            break
        else:
            looked_at = len(held)
    return bytes(held)


def _read_aside(file: int, until: float) -> bytes:
    """The same where nobody can tell whether there is something in a pipe."""
    from threading import Thread

    held = bytearray()

    def read() -> None:
        while len(held) < _MOST_INPUT and (chunk := os.read(file, _CHUNK)):
            held.extend(chunk)

    reader = Thread(target=read, daemon=True)
    reader.start()
    while reader.is_alive() and perf_counter() < until and not _is_whole(held):
        reader.join(_LULL)
    return bytes(held)


def _is_whole(held: bytearray) -> bool:
    """Is it a whole object?"""
    if not held.rstrip().endswith(b"}"):
        return False
    import json  # for a client that leaves its pipe open alone

    try:
        json.loads(held)
    except ValueError:
        return False
    return True


def _put(answer: str) -> None:
    """The answer and nothing else. A client that has gone does not read it, which is its own affair."""
    _write(sys.stdout, 1, answer)


def _complain(problem: object) -> None:
    _write(sys.stderr, 2, f"recollect: {problem}\n")


def _write(stream: TextIO | None, file: int, text: str) -> None:
    """Writes a text where somebody may read it: the stream may be closed, full, or have lost its reader."""
    if stream is None:
        return
    try:
        stream.flush()
        stream.buffer.write(text.encode("utf-8", "replace"))
        stream.buffer.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), file)  # where Python writes at its end what it could not write now


def _fill_streams() -> None:
    """Has no file that is opened take the place of a stream that is closed: what is written there is for nobody."""
    while (file := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(file)


def _log(call: Call, settings: Settings, told: HookEvent, **found: int | str | None) -> None:
    """Writes the call down for `recollect doctor`; where that cannot be done, it is said on stderr."""
    from datetime import UTC, datetime

    from recollect.engine.hook_log import HookCall, log_call

    try:
        log_call(
            settings.home,
            HookCall(at=datetime.now(UTC), client=call.client, event=call.event, **{"session": told.session, **found}),  # pyright: ignore[reportArgumentType]  each is of its field's type
        )
    except OSError as error:
        _complain(error)
