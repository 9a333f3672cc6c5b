"""What has a memory promised so far, and does it hold?"""

from __future__ import annotations

import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.torture.forks import Surroundings, command, finished

import recollect

MARK = re.compile(r"zq\w+?qz")
SUMS_UP = frozenset({"summary"})
"""Kinds of records that say again what others say."""
_NAMED = {"record": "text", "entity": "name", "relation": "predicate"}


class Held(NamedTuple):
    """What a memory holds: how often each mark, and the records that have one each."""

    counts: Mapping[str, int]
    records: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]


class Life:
    """A memory over several rounds, and how often each mark may be in it."""

    def __init__(self, where: Surroundings, home: Path, place: str, *, keeps_files: bool) -> None:
        self.where, self.home, self.place, self.keeps_files = where, home, place, keeps_files
        self.promised: dict[str, set[int]] = {}
        self.records: tuple[tuple[str, str], ...] = ()
        self._acting: dict[str, str] = {}
        self._hook_failed = False
        """Was the last hook torn, or its server taken away? Then `doctor` tells of it, as it should."""

    def note(self, told: Mapping[str, Any]) -> None:
        """Takes in what an agent tells of its acts."""
        for mark in told.get("may", ()):
            self.promised.setdefault(mark, {0}).update((0, 1))
        for mark, count in told.get("is", {}).items():
            self.promised[mark] = {count}
        agent = told.get("agent", "")
        self._acting[agent] = told.get("act") or told.get("again") or self._acting.get(agent, "")
        if told.get("cut") and "hook" in self._acting.values():
            self._hook_failed = True
        elif self._acting[agent] == "hook" and "code" in told:
            self._hook_failed = bool(told.get("torn"))

    def examine(self) -> list[str]:
        """What does not hold; nothing, if all is well. What was open so far is known from then on."""
        done = finished(lambda: look(self.home), self.where)
        if done.code:
            return [f"the memory cannot be read through: {done.code} {done.err[-2000:]}"]
        held = Held(**json.loads(done.out))
        wrong = list(held.problems)
        for mark, allowed in self.promised.items():
            found = held.counts.get(mark, 0)
            if found not in allowed:
                wrong.append(f"{mark} is there {found} times, and not {sorted(allowed)}")
            self.promised[mark] = {found}
        wrong += [f"{mark} is there, though nobody asked for it" for mark in held.counts if mark not in self.promised]
        doctor = command(["doctor", "--json"], self.where)
        if doctor.code and not (self._hook_failed and _tells_of_a_hook_alone(doctor.out)):
            wrong.append(f"doctor: {doctor.out[-2000:]} {doctor.err[-2000:]}")
        self.records = tuple((id, mark) for id, mark in held.records)
        return wrong

    def acknowledged(self) -> int:
        return len(self.promised)


def look(home: Path) -> int:
    """Reads a memory through, and says what it holds."""
    file = io.BytesIO()
    notes = home.with_name(f"{home.name}-notes")
    with recollect.open() as memory:
        problems = [str(problem) for problem in memory.check()]
        if notes.exists():
            memory.sync(notes)
            problems += ["the sync had something left to do"] if memory.sync(notes).changed else []
        memory.export(file)
    counts: Counter[str] = Counter()
    records: list[tuple[str, str]] = []
    for noun, row in _present(file.getvalue().splitlines()):
        marks = set(MARK.findall(str(row[_NAMED[noun]])))
        if noun == "record" and (row["kind"] in SUMS_UP or row.get("status") == "archived"):
            continue
        counts.update(marks)
        if noun == "record" and row["space"] == "default" and row["kind"] == "memory" and len(marks) == 1:
            records.append((row["id"], *marks))
    json.dump({"counts": counts, "records": records, "problems": problems}, sys.stdout)
    return 0


def _tells_of_a_hook_alone(said: str) -> bool:
    problems = json.loads(said)["problems"]
    return bool(problems) and all(one.startswith("the last hook of ") for one in problems)


def _present(lines: Iterable[bytes]) -> Iterable[tuple[str, dict[str, Any]]]:
    for line in lines:
        ((noun, row),) = json.loads(line).items()
        if noun in _NAMED and row.get("retired_at") is None:
            yield noun, row
