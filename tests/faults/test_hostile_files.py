"""Does a file that was made to do harm end anything but its own reading?"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.faults.bombs import write_html, write_pdf
from tests.faults.spoken import Spoken

from recollect import Memory, SourceError, open
from recollect.config import Settings
from recollect.engine.intake import workers
from recollect.errors import Cancelled
from recollect.types import FileProblem

HANG = "re.match('(a*)*b', 'a' * 64)"  # in C, while it holds the interpreter
GROW = "bytearray(8 << 30)"
DIE = "os._exit(1)"


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    with open(settings=Settings(home=home, embedder="none")) as memory:
        yield memory


@pytest.fixture
def trap(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has the processes that read do something else over files that are called so; they have a second."""
    really = workers._program()

    def set_trap(act: str) -> None:
        deed = (
            "import os, re, recollect.engine.intake.workers as w, recollect.engine.intake.reading as m;"
            f"w.SECONDS = 1; real = m.read_file;"
            f"m.read_file = lambda root, order: {act} if 'trap' in order.path else real(root, order); work()"
        )
        monkeypatch.setattr(workers, "_program", lambda: really.replace("work()", deed))

    return set_trap


def children(of: int) -> list[int]:
    """The processes that one has started, and that have not ended."""
    found: list[int] = []
    for task in Path(f"/proc/{of}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found += [int(pid) for pid in (task / "children").read_text().split()]
    return [pid for pid in found if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")


@pytest.mark.parametrize(
    ("act", "told"),
    [(HANG, workers.TOO_LONG), (GROW, "needs more than 1,536 MB of memory to be read"), (DIE, "its parser failed")],
)
def test_the_rest_of_a_folder_comes_in_and_the_file_is_named(
    memory: Memory, tmp_path: Path, trap: Callable[[str], None], act: str, told: str
) -> None:
    trap(act)
    for number in range(20):
        (tmp_path / f"page{number:02}.md").write_text(f"# Page {number}\n\nSomething.\n")
    write_pdf(tmp_path / "page10trap.pdf", operators=5)
    done = memory.ingest_folder(tmp_path)
    assert (done.stored, done.finished) == (20, True)
    assert done.problems == (FileProblem(path="page10trap.pdf", problem=told),)


@pytest.mark.parametrize("name", ["trap.pdf", "trap.html", "trap.md"])
def test_a_single_file_that_hangs_its_parser_is_an_error_that_says_so(
    memory: Memory, tmp_path: Path, trap: Callable[[str], None], name: str
) -> None:
    trap(HANG)
    path = tmp_path / name
    if name.endswith("pdf"):
        write_pdf(path, operators=5)
    else:
        path.write_text("<html><body><p>one</p></body></html>" if name.endswith("html") else "word " * 10_000)
    with pytest.raises(SourceError, match=f"{name}: took longer to be read than 30 seconds"):
        memory.ingest_file(path)
    assert memory.count(catalogue=True) == 0


@needs_proc
def test_a_reading_that_is_cancelled_leaves_no_process(
    memory: Memory, tmp_path: Path, trap: Callable[[str], None]
) -> None:
    trap(HANG)
    before = set(children(os.getpid()))
    with pytest.raises(Cancelled):
        memory.ingest_file(
            write_html(tmp_path / "trap.html", deep=5), cancelled=lambda: bool(set(children(os.getpid())) - before)
        )
    assert set(children(os.getpid())) <= before


@needs_proc
def test_a_client_that_cancels_ends_the_reading_and_the_server_goes_on(home: Path, tmp_path: Path) -> None:
    write_pdf(tmp_path / "slow.pdf", operators=400_000)
    server = Spoken(home)
    try:
        request = server.begin("tools/call", {"name": "ingest", "arguments": {"path": str(tmp_path / "slow.pdf")}})
        while not children(server.popen.pid):
            assert server.ask("ping")["result"] == {}
        server.tell("notifications/cancelled", {"requestId": request, "reason": "too slow"})
        while children(server.popen.pid):
            assert server.ask("ping")["result"] == {}
        assert server.call("recall", query="anything")["structuredContent"]["hits"] == []
    finally:
        server.end()


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when its time is over")
def test_a_server_that_is_killed_leaves_no_reader_behind(home: Path, tmp_path: Path) -> None:
    write_pdf(tmp_path / "slow.pdf", operators=400_000)
    server = Spoken(home)
    try:
        server.begin("tools/call", {"name": "ingest", "arguments": {"path": str(tmp_path / "slow.pdf")}})
        while not (readers := children(server.popen.pid)):
            server.ask("ping")
        server.popen.send_signal(signal.SIGKILL)
        while any(map(_runs, readers)):
            os.sched_yield()  # the test ends with this loop, or not at all
    finally:
        server.end()
