"""Is everything that was acknowledged there, once, whichever write, sync or rename was the last?

A small layer (`tear.c`, compiled when there is a C compiler) stands between a process and the system. It ends the
process at its n-th call below the store's folder: before it, in the middle of a write, after it, or as if the power
went, with all that was not synced taken back; or it has that call fail with an I/O error or a full disk.

`make torture ROUNDS=1000 SEED=7` runs that many rounds; the seed decides everything.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings
from recollect.engine.care.export import verify

HERE = Path(__file__).parent
WAYS = ("kill", "torn", "after", "power", "eio", "full")
STEPS = 14
ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "120"))
SEED = int(os.environ.get("TORTURE_SEED", "1"))

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="the layer is for Linux, and needs a C compiler"
)


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("layer") / "tear.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-o", str(made), str(HERE / "tear.c"), "-ldl", "-lpthread"], check=True
    )
    return made


class Life:
    """A memory over several rounds, and what it has promised so far."""

    def __init__(self, folder: Path, layer: Path) -> None:
        self.home, self.notes, self._layer, self._folder = folder / "home", folder / "notes", layer, folder
        self.notes.mkdir(parents=True)
        self.has: set[str] = set()
        self.lacks: set[str] = set()
        self.says: dict[str, str] = {}
        self.facts: set[str] = set()
        self.copies: list[str] = []

    def round(self, seed: int, how: str, at: int) -> int:
        """One process, ended at some call. Answers how many calls there were, where it only counted."""
        count = self._folder / "count"
        environment = {
            **os.environ, "LD_PRELOAD": str(self._layer), "TEAR_UNDER": f"{self._folder}/", "TEAR_AT": str(at),
            "TEAR_HOW": how, "TEAR_COUNT": str(count.parent.parent / f"{count.parent.name}.count"),
        }  # fmt: skip
        line = [sys.executable, str(HERE / "torn_worker.py"), str(self.home), str(self.notes), str(seed), str(STEPS)]
        done = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=120)
        assert done.returncode in (0, -9) or "Error" in done.stderr, done.stderr
        for said in done.stdout.splitlines():
            self._note(*said.split(" ", 1))
        held = count.parent.parent / f"{count.parent.name}.count"
        return int(held.read_text()) if at == 0 and held.exists() else 0

    def _note(self, what: str, rest: str = "") -> None:
        if what == "has":
            self.has.update(rest.split())
        elif what == "may-lack":
            self.has.discard(rest)
            self.says.pop(rest, None)
        elif what == "lacks":
            self.lacks.add(rest)
            self.has.discard(rest)
            self.says.pop(rest, None)
        elif what == "says":
            id, name = rest.split()
            self.says[id] = name
        elif what == "fact":
            self.facts.add(rest)
        elif what in ("backup", "export"):
            self.copies.append(rest)

    def examine(self) -> None:
        """All that was promised holds, and nothing is damaged, doubled or half done."""
        with recollect.open(settings=Settings(home=self.home, embedder="none")) as memory:
            assert memory.check() == []
            found = memory.list(limit=100_000, valid_only=False)
            ids = [record.id for record in found]
            assert len(ids) == len(set(ids))
            assert self.has <= set(ids), f"lost: {sorted(self.has - set(ids))}"
            assert not self.lacks & set(ids)
            texts = {record.id: record.text for record in found}
            later = {id: text for id, text in texts.items() if id in self.says}
            assert all("Revised in step" in text for text in later.values())
            said = {fact.object for fact in memory.facts("Ada")} if self.facts else set[str]()
            assert self.facts <= said
            self._examine_copies(memory)

    def _examine_copies(self, memory: Memory) -> None:
        for path in self.copies:
            if path.endswith(".jsonl"):
                verify(Path(path))
            else:
                assert Path(path).stat().st_size > 0
        left = [path.name for path in self._folder.rglob("*") if path.name.endswith(".part")]
        assert len(left) < 100
        memory.sync(self.notes)
        assert not memory.sync(self.notes).changed


def rounds(folder: Path, layer: Path, seed: int, count: int) -> Iterator[str]:
    """So many rounds in a row on one memory, which is begun anew now and then."""
    chance = random.Random(seed)
    life, calls = None, 0
    for number in range(count):
        if life is None or number % 20 == 0:
            life = Life(folder / f"life{number}", layer)
            calls = max(life.round(seed * 100_000 + number, "kill", 0), 50)
        how, at = chance.choice(WAYS), chance.randint(1, calls)
        life.round(seed * 100_000 + number + 50_000, how, at)
        try:
            life.examine()
        except BaseException:
            print(f"seed {seed}, round {number}: {how} at call {at} of about {calls}")
            raise
        yield how


def test_what_was_acknowledged_survives_whatever_call_was_the_last(layer: Path, tmp_path: Path) -> None:
    assert len(list(rounds(tmp_path, layer, SEED, 12))) == 12


@pytest.mark.torture
def test_what_was_acknowledged_survives_for_many_rounds(layer: Path, tmp_path: Path) -> None:
    done = list(rounds(tmp_path, layer, SEED + 1, ROUNDS))
    assert len(done) == ROUNDS
    assert set(done) == set(WAYS) or ROUNDS < 50
