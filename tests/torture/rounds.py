"""Does a memory keep what it promised, whatever happens to it? `python -m tests.torture.rounds --rounds 1000 --seed 7`.

Each round has its weather: processes are ended, or their calls fail, at any write, sync or rename; the power goes;
eight work at once; all are killed together; an owner dies and a relay takes over; the clock jumps; the disk is full;
nothing may be written. On PostgreSQL connections break, and the server restarts. After each round the memory is read
through: everything that was acknowledged is there once, what was forgotten is not, a sync has nothing left to do, and
`doctor` finds nothing. The seed decides all that is done.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import importlib
import io
import json
import os
import pkgutil
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple

from tests.torture.acts import CALLS, CLI
from tests.torture.agent import Agent, Session
from tests.torture.forks import Surroundings, Tear, build_layer, command
from tests.torture.life import Life

ENDS = ("kill", "torn", "after")
FAILS = ("eio", "full")
YEAR = 365 * 86_400
_LEFT_SECONDS = 60
_ROUNDS_OF_A_LIFE = 20


class Weather(NamedTuple):
    """What goes wrong in a round, and how many work meanwhile."""

    agents: int = 1
    acts: int = 4
    ways: tuple[str, ...] = ()
    share: float = 0.0
    """How much of what is done is torn."""
    clocks: tuple[int, ...] = ()
    refuses: bool = False
    """May what nobody tore be refused?"""
    cut: bool = False
    """Are all killed at once, somewhere in between?"""
    relays: bool = False
    revoked: bool = False
    server: str = ""


SQLITE: Mapping[str, Weather] = {
    "torn": Weather(acts=5, ways=(*ENDS, *FAILS, "power"), share=0.7),
    "full": Weather(ways=("fills",), share=0.8),
    "crowd": Weather(agents=8, acts=2, ways=(*ENDS, *FAILS), share=0.3),
    "cut": Weather(agents=8, acts=3, cut=True),
    "relays": Weather(ways=(*ENDS, *FAILS), share=0.8, relays=True),
    "clock": Weather(ways=ENDS, share=0.2, clocks=(0, 10 * YEAR, -10 * YEAR, -40 * YEAR, 200 * YEAR), refuses=True),
    "revoked": Weather(acts=3, revoked=True, refuses=True),
}
POSTGRES: Mapping[str, Weather] = {
    "torn": Weather(acts=5, ways=(*ENDS, "eio"), share=0.7),
    "crowd": Weather(agents=8, acts=2, ways=ENDS, share=0.3),
    "cut": Weather(agents=8, acts=3, cut=True),
    "relays": Weather(ways=ENDS, share=0.8, relays=True),
    "clock": Weather(ways=ENDS, share=0.2, clocks=(0, 10 * YEAR, -10 * YEAR), refuses=True),
    "severed": Weather(agents=4, acts=3, refuses=True, server="sever"),
    "restarted": Weather(agents=4, acts=3, refuses=True, server="restart"),
}
RELAYED = [contract for contract in CALLS if " " not in contract]


# What an agent does in a round


def live(agent: Agent, weather: Weather, seen: dict[str, int], *, files: bool) -> None:
    """Acts and sessions, by chance."""
    agent.clocks, agent.refuses = weather.clocks, weather.refuses
    agent.crowded = weather.agents > 1 and bool(weather.ways)
    names = [
        name
        for name, act in CLI.items()
        if (files or not act.files_only)
        and not (act.steady and weather.clocks)
        and not (act.alone and weather.agents > 1)
    ]
    if weather.relays:
        _meet(agent)
        return
    for number in range(weather.acts):
        if weather.revoked:
            _allow(agent.where, writing=number != 1)
        if agent.chance.random() < 0.3:
            _converse(agent, agent.chance.choice(list(CALLS)))
        else:
            agent.act(agent.chance.choice(names), seen)
    if weather.revoked:
        _allow(agent.where, writing=True)


def _converse(agent: Agent, contract: str) -> None:
    session = Session(agent, contract, agent.plan(150))
    while session.step():
        pass
    session.end()


def _meet(agent: Agent) -> None:
    """Three clients of one memory, of whom the first has it open; somewhere in between it dies."""
    contracts = agent.chance.sample(RELAYED, 3)
    sessions = [Session(agent, contract, agent.plan(200) if not n else None) for n, contract in enumerate(contracts)]
    for one in sessions[1:]:
        one.torn = sessions[0].torn  # what fails for the first, fails for those that it serves
    dies = agent.chance.randint(0, 6)
    for turn in range(20):
        if turn == dies and not sessions[0].torn:
            agent.tell(torn=["kill", 0])
            sessions[0].server.kill()
        for one in list(sessions):
            if not one.step():
                one.end()
                sessions.remove(one)
        if not sessions:
            return


def _allow(where: Surroundings, *, writing: bool) -> None:
    """Lets a memory be written, or only be read."""
    for path in [*where.folder.rglob("*"), where.folder]:
        with suppress(FileNotFoundError):
            path.chmod((0o700 if writing else 0o500) if path.is_dir() else (0o600 if writing else 0o400))


# A round


class Extent(NamedTuple):
    """Which rounds there are, and when there are no more, even so."""

    first: int
    count: int
    seconds: float
    most_wrong: int


class Run:
    """Many rounds, and what came of them."""

    def __init__(
        self, folder: Path, seed: int, new_life: Callable[[int], Life], weathers: Mapping[str, Weather]
    ) -> None:
        self.seed, self._new_life, self._weathers, self._folder = seed, new_life, weathers, folder
        self.counts: Counter[str] = Counter()
        self.seen: dict[str, int] = {}
        self.wrong = 0
        self.disturb: Callable[[str], None] = lambda _: None
        self.spared: Callable[[], frozenset[int]] = frozenset
        """Processes that stay when a round is over."""

    def rounds(self, extent: Extent) -> None:
        first, count, seconds, most_wrong = extent
        until = time.monotonic() + seconds
        life = None
        for number in range(first, first + count):
            if time.monotonic() > until or self.wrong >= most_wrong:
                return
            if life is None or number % _ROUNDS_OF_A_LIFE == 0:
                life = self._begun(number)
            if not self._round(life, number):
                life = None
            self.counts["rounds"] += 1
            if self.counts["rounds"] % 50 == 0:
                print(self.told(), flush=True)

    def _begun(self, number: int) -> Life:
        """A memory that is being made, torn, and then made."""
        life = self._new_life(number)
        chance = random.Random(f"{self.seed} life {number}")
        tear = Tear(chance.choice((*ENDS, *FAILS)), chance.randint(1, 100))
        for torn in (tear, None):
            command(["remember", "It began."], life.where, torn)
        return life

    def _round(self, life: Life, number: int) -> bool:
        chance = random.Random(f"{self.seed} {number}")
        name = chance.choice(list(self._weathers))
        weather = self._weathers[name]
        told = list(self._lived(life, weather, number, chance))
        wrong = [one["wrong"] for one in told if "wrong" in one]
        wrong += _left_behind(self.spared())
        for one in told:
            life.note(one)
            self._count(one)
        wrong += life.examine()
        self.counts[f"weather {name}"] += 1
        if wrong:
            self.wrong += 1
            done = "\n".join(json.dumps(one) for one in told)
            kept = tempfile.mkdtemp(prefix=f"torture-{self.seed}-{number}-")
            shutil.copytree(life.where.folder, kept, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
            print(
                f"seed {self.seed}, round {number}, {name}, as it was left in {kept}:",
                done,
                *wrong,
                sep="\n",
                flush=True,
            )
        return not wrong

    def _lived(self, life: Life, weather: Weather, number: int, chance: random.Random) -> Iterator[dict[str, Any]]:
        """What all agents of a round tell; where they are to be cut off, until then."""
        hears: dict[int, int] = {}
        shares = [life.records[n :: weather.agents] for n in range(weather.agents)]
        for n in range(weather.agents):
            reading, writing = os.pipe()
            child = os.fork()
            if not child:
                self._be(life, weather, f"{number}a{n}", shares[n], writing)
            os.close(writing)
            hears[reading] = child
        cut = chance.randint(3, 40) if weather.cut or weather.server else -1
        try:
            yield from self._hear(hears, cut, weather)
        finally:
            for reading, child in hears.items():
                os.close(reading)
                with suppress(ProcessLookupError):
                    os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)

    def _be(self, life: Life, weather: Weather, name: str, share: Any, writing: int) -> None:
        os.setsid()
        code = 1
        try:
            life.records, life.where = share, life.where._replace(humble=weather.revoked)
            agent = Agent(
                name, life, random.Random(f"{self.seed} {name}"),
                lambda told: _write(writing, {**told, "agent": name}), weather.ways, weather.share,
            )  # fmt: skip
            live(agent, weather, self.seen, files=life.keeps_files)
            _write(writing, {"seen": self.seen})
            code = 0
        except BaseException as error:  # noqa: BLE001  told by the round
            import traceback

            _write(writing, {"wrong": f"{error!r}\n{traceback.format_exc()[-1500:]}"})
        finally:
            os._exit(code)

    def _hear(self, hears: Mapping[int, int], cut: int, weather: Weather) -> Iterator[dict[str, Any]]:
        held, lines = dict.fromkeys(hears, b""), 0
        open_ones = set(hears)
        while open_ones:
            for reading in select.select(list(open_ones), [], [])[0]:
                more = os.read(reading, 65_536)
                if not more:
                    open_ones.remove(reading)
                *whole, held[reading] = (held[reading] + more).split(b"\n")
                for line in whole:
                    lines += 1
                    told = json.loads(line)
                    self.seen |= told.pop("seen", {})
                    yield told
            if cut >= 0 and lines >= cut:
                cut = -1
                self.disturb(weather.server) if weather.server else _kill_all(hears.values())
                yield {
                    "torn": ["kill" if weather.cut else weather.server, 0],
                    "cut": True,
                    "killed": len(hears) * weather.cut,
                }

    def _count(self, told: Mapping[str, Any]) -> None:
        self.counts["acts"] += "act" in told
        self.counts["kills"] += (told.get("code") == -signal.SIGKILL) + told.get("killed", 0)
        if (torn := told.get("torn")) and (torn[0] not in (*ENDS, "power") or torn[1] == 0):
            self.counts["faults"] += 1
        self.counts["acknowledged"] += len(told.get("is", {}))

    def told(self) -> str:
        names = ("rounds", "acts", "kills", "faults", "acknowledged")
        rounds, acts, kills, faults, acknowledged = (f"{self.counts[name]:,}" for name in names)
        weathers = [(name, self.counts[f"weather {name}"]) for name in self._weathers]
        return (
            f"seed {self.seed}: {rounds} rounds, {acts} acts, {kills} kills, {faults} faults,"
            f" {acknowledged} acknowledged writes, {self.wrong} rounds with something wrong"
            f" ({', '.join(f'{name} {count}' for name, count in weathers if count)})"
        )


def _write(file: int, told: Mapping[str, Any]) -> None:
    os.write(file, json.dumps(told).encode() + b"\n")


def _kill_all(groups: Any) -> None:
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def _left_behind(spared: frozenset[int]) -> list[str]:
    """Waits until every process that a round started is gone; says which are not."""
    until = time.monotonic() + _LEFT_SECONDS
    while left := _children() - spared:
        for child in left:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
        if time.monotonic() > until:
            for child in left:
                os.kill(child, signal.SIGKILL)
            return [f"processes were left behind: {left}"]
        time.sleep(0.02)
    return []


def _children() -> frozenset[int]:
    return frozenset(int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


# Where


def sqlite_lives(folder: Path) -> Callable[[int], Life]:
    def begin(number: int) -> Life:
        for old in folder.glob("life*"):
            shutil.rmtree(old, ignore_errors=True)
        home = _made(folder / f"life{number}") / "home"
        return Life(_where(home, {}), home, str(home), keeps_files=True)

    return begin


def _made(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True)
    return path


def _where(home: Path, more: Mapping[str, str], *, sockets: bool = False) -> Surroundings:
    variables = {
        "HOME": str(home.parent), "RECOLLECT_HOME": str(home), "RECOLLECT_EMBEDDER": "none",
        "RECOLLECT_HOOK_SECONDS": "60", "RECOLLECT_BACKUP_SCHEDULE": "off", **more,
    }  # fmt: skip
    return Surroundings(home.parent, variables, sockets=sockets)


def postgres_lives(folder: Path, server: Any) -> Callable[[int], Life]:
    from tests.pgserver import store_url

    def begin(number: int) -> Life:
        home = _made(folder / f"life{number}") / "home"
        home.mkdir()
        url = store_url(str(home), server=server.get_uri())
        return Life(_where(home, {"RECOLLECT_STORE": url}, sockets=True), home, url, keeps_files=False)

    return begin


def run(seed: int, extent: Extent, store: str) -> int:
    _import_all(store)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # whose parent was killed is waited for by this process
    with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as named:
        folder = Path(named)
        folder.chmod(0o755)
        if store == "sqlite":
            done = Run(folder, seed, sqlite_lives(folder), SQLITE)
            done.rounds(extent)
        else:
            done = _on_postgres(folder, seed, extent)
    print(done.told())
    return 1 if done.wrong else 0


def _on_postgres(folder: Path, seed: int, extent: Extent) -> Run:
    import psycopg
    from tests.pgserver import restart_server, start_server, stop_server

    server = start_server(folder / "pg", quick=False)

    def disturb(how: str) -> None:
        if how == "restart":
            restart_server(server)
            return
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    try:
        done = Run(folder, seed, postgres_lives(folder, server), POSTGRES)
        done.disturb = disturb
        done.spared = lambda: frozenset({int((folder / "pg" / "postmaster.pid").read_text().split()[0])})
        done.rounds(extent)
    finally:
        stop_server(server)
    return done


def _import_all(store: str) -> None:
    """What commands import and make when they run: here once for all, so that each is a matter of milliseconds."""
    import typer.main

    import recollect
    from recollect.cli import main
    from recollect.environment import spare_processors

    spare_processors()
    rooms = ("cli", "contracts", "engine", "ingest", "retrieve", "store")
    for found in pkgutil.walk_packages(recollect.__path__, "recollect."):
        parts = found.name.split(".")
        if parts[1] in rooms and parts[-1] != "__main__" and (store == "postgres" or "postgres" not in parts):
            importlib.import_module(found.name)
    for name in ("serve.owner", "serve.relay", "serve.stdio"):
        importlib.import_module(f"recollect.{name}")
    typer.main.get_command = functools.cache(typer.main.get_command)
    heard = io.TextIOWrapper(io.BytesIO())
    with redirect_stdout(heard), redirect_stderr(heard), tempfile.TemporaryDirectory() as nothing:
        main(["--help"])
        main(["list", "--home", nothing])
    gc.collect()
    gc.freeze()
    assert len(os.listdir("/proc/self/task")) == 1, "a process that has threads cannot be forked"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first round, to see one again")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no round after so long")
    parser.add_argument("--wrong", type=int, default=5, help="begin no round after so many with something wrong")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    given = parser.parse_args()
    if "LD_PRELOAD" not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="tear-"))
        arguments = [sys.executable, "-m", "tests.torture.rounds", *sys.argv[1:]]
        os.execve(sys.executable, arguments, {**os.environ, "LD_PRELOAD": str(build_layer(folder))})
    try:
        extent = Extent(given.first, given.rounds, given.seconds, given.wrong)
        return run(given.seed, extent, given.store)
    finally:
        shutil.rmtree(Path(os.environ["LD_PRELOAD"]).parent)


if __name__ == "__main__":
    sys.exit(main())
