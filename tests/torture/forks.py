"""How is a command run as a process of its own a thousand times, and ended at any call it makes of the system?

The process that runs these has imported all of Recollect, has the layer (`tear.c`) before its C library, and has no
thread; every command is a fork of it. So a command begins in milliseconds, and is torn from its first write on.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

SOURCE = Path(__file__).parent / "tear.c"
DEADLINE = 60
"""Seconds; a command or a call that takes longer hangs, and that is a find."""
_SESSION = 600  # seconds that a server may live: many calls, on a machine that may be busy


class Tear(NamedTuple):
    """At which call of the system something happens, and what."""

    how: str
    at: int


class Surroundings(NamedTuple):
    """Where commands of one memory run."""

    folder: Path
    variables: Mapping[str, str]
    sockets: bool = False
    """Is it a connection that is torn, rather than files?"""
    clock: int = 0
    humble: bool = False
    """Do permissions hold for these processes, even if they are root's?"""


class Outcome(NamedTuple):
    """How a command ended: its exit code, or the signal that ended it as a negative number."""

    code: int
    out: str
    err: str
    calls: int = 0

    @property
    def done(self) -> bool:
        return self.code == 0


def build_layer(folder: Path) -> Path:
    """The layer, compiled."""
    made = folder / "tear.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", made, SOURCE, "-ldl", "-lpthread"], check=True)
    return made


def load_layer() -> ctypes.CDLL:
    """The layer that this process was started with."""
    layer = ctypes.CDLL(os.environ["LD_PRELOAD"])
    layer.tear_calls.restype = ctypes.c_long
    return layer


def fork(run: Callable[[], int], where: Surroundings, tear: Tear | None, *files: int, seconds: int = DEADLINE) -> int:
    """Runs something in a process of its own, with these files as its standard ones. Says its number."""
    sys.stdout.flush()
    child = os.fork()
    return child or _become(run, where, tear, files, seconds)


def _become(
    run: Callable[[], int], where: Surroundings, tear: Tear | None, files: Sequence[int], seconds: int
) -> NoReturn:
    code = 70
    try:
        signal.alarm(seconds)
        kept = [os.dup(file) for file in files]
        for number, file in enumerate(kept[:3]):
            os.dup2(file, number)
        count = os.dup2(kept[3], 200) if len(kept) > 3 else None
        os.closerange(3, 200)
        os.environ.update(where.variables)
        os.chdir(where.folder)
        layer = load_layer()
        if where.humble:
            _drop_privileges()
        layer.tear_clock(ctypes.c_long(where.clock))
        way, at = tear or ("", 0)
        layer.tear_begin(f"{where.folder}/".encode(), ctypes.c_long(at), way.encode(), int(where.sockets))
        faulthandler.dump_traceback_later(seconds - 10, file=2)  # where it hangs, before it is ended
        code = run()
        sys.stdout.flush()
        if count is not None:
            os.write(count, str(layer.tear_calls()).encode())
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001  told, and looked for by whoever reads what was said
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _drop_privileges() -> None:
    """Has the bits of files and folders hold for this process."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capget(header, sets) == 0:
        for number in (0, 1, 2):  # effective, permitted, inheritable
            sets[number] &= ~0b1110  # DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER
        libc.capset(header, sets)


def _recollect(argv: Sequence[str]) -> Callable[[], int]:
    def run() -> int:
        from recollect.cli import main

        return main(argv)

    return run


def command(argv: Sequence[str], where: Surroundings, tear: Tear | None = None, said: str = "") -> Outcome:
    """Runs one command of Recollect to its end, or to where it is torn."""
    return finished(_recollect(argv), where, tear, said)


def finished(run: Callable[[], int], where: Surroundings, tear: Tear | None = None, said: str = "") -> Outcome:
    """Runs something in a process of its own to its end, and says what it said."""
    files = [os.memfd_create(name) for name in ("in", "out", "err", "calls")]
    try:
        os.write(files[0], said.encode())
        os.lseek(files[0], 0, os.SEEK_SET)
        child = fork(run, where, tear, *files)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out, err, calls = (_all_of(file) for file in files[1:])
        return Outcome(code, out, err, int(calls or 0))
    finally:
        for file in files:
            os.close(file)


def _all_of(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode("utf-8", "replace")


class Server:
    """A `recollect serve` and its client. After it was torn, every answer is None."""

    def __init__(self, where: Surroundings, *argv: str, tear: Tear | None = None) -> None:
        hears, self._says = os.pipe()
        self._hears, says = os.pipe()
        self._err = os.memfd_create("err")
        self.pid = fork(_recollect(["serve", *argv]), where, tear, hears, says, self._err, seconds=_SESSION)
        os.close(hears)
        os.close(says)
        self._held = b""
        self._last = 0
        client = {"name": "torture", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})

    def call(self, tool: str, arguments: object, key: str) -> dict[str, Any] | None:
        """The result; None where no answer came."""
        meta = {"recollect/idempotencyKey": key}
        return self.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})

    def ask(self, method: str, params: object) -> dict[str, Any] | None:
        self._last += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}) + "\n"
        try:
            os.write(self._says, line.encode())
        except BrokenPipeError:
            return None
        until = time.monotonic() + DEADLINE
        while (message := self._next(until)) is not None:
            if message.get("id") == self._last and "method" not in message:
                return message.get("result") or {"isError": True, "said": message.get("error")}
        return None

    def _next(self, until: float) -> dict[str, Any] | None:
        while b"\n" not in self._held:
            if not select.select([self._hears], [], [], max(until - time.monotonic(), 0))[0]:
                raise TimeoutError(f"no answer for {DEADLINE} s; the server said: {_all_of(self._err)[-3000:]}")
            more = os.read(self._hears, 65_536)
            if not more:
                return None
            self._held += more
        line, _, self._held = self._held.partition(b"\n")
        return json.loads(line)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> tuple[int, str]:
        """Lets it end, and says how it did, and what it complained of."""
        os.close(self._says)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self._hears)
        said = _all_of(self._err)
        os.close(self._err)
        return code, said
