"""Who does acts, tells what was begun and what was acknowledged, and starts what died anew?"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.torture.acts import CALLS, CLI, Act, Call
from tests.torture.forks import Outcome, Server, Surroundings, Tear, command
from tests.torture.life import Life

_SYLLABLES = ("ba", "do", "fe", "gu", "ki", "lo", "mi", "na", "po", "ru", "sa", "te", "vu", "wo", "xi", "zu")
_MOST_ASKED = 8
_USUAL_CALLS = 60
"""How often a command writes, syncs or renames, before it was counted."""
Tell = Callable[[Mapping[str, Any]], None]


class Agent:
    """One who acts on a memory. `plan` says whether, and how, what it does next is torn."""

    def __init__(
        self, name: str, life: Life, chance: random.Random, tell: Tell, ways: tuple[str, ...], share: float
    ) -> None:
        self.where, self.life, self.chance, self._tell = life.where, life, chance, tell
        self._ways, self._share = ways, share
        self.clocks: tuple[int, ...] = ()
        self.refuses = False
        self.crowded = False
        """May another process, which serves this one's clients too, be torn?"""
        self._name, self._numbers = name, 0
        self.known = list(life.records)

    def mark(self) -> str:
        self._numbers += 1
        return f"zq{self._name}n{self._numbers}qz"

    def fill(self, template: str, values: Mapping[str, str]) -> str:
        words = " ".join("".join(self.chance.choices(_SYLLABLES, k=3)) for _ in range(5))
        for name, value in {"new:words": words, **values}.items():
            template = template.replace(f"{{{name}}}", value)
        return template

    def plan(self, calls: int = _USUAL_CALLS) -> Tear | None:
        if not self._ways or self.chance.random() >= self._share:
            return None
        return Tear(self.chance.choice(self._ways), self.chance.randint(1, max(calls, 1)))

    def surroundings(self) -> Surroundings:
        return self.where._replace(clock=self.chance.choice(self.clocks)) if self.clocks else self.where

    # Commands

    def act(self, name: str, seen: dict[str, int]) -> None:
        """One act of a person. `seen` is how often each act calls the system."""
        act = CLI[name]
        values = self._values(act)
        if values is None:
            return
        fresh = [values["new"]] if act.marks else []
        old = [values["old"]] if act.takes else []
        steps = [[self.fill(word, values) for word in step] for step in act.steps]
        said = self.fill(act.stdin, values)
        self._lay_out(act, values)
        self.tell(act=name, may=[*fresh, *old])
        tear = self.plan(seen.get(name, _USUAL_CALLS))
        done, got = self._steps(steps, said, act.get, tear)
        torn = tear is not None and (done.code < 0 or done.calls >= tear.at)
        if not torn:
            seen[name] = max(seen.get(name, 0), done.calls)
        self.tell(torn=list(tear) if torn and tear else None, code=done.code, calls=done.calls)
        self._judge(name, done, torn=torn)
        if (torn or not done.done) and act.again and self.chance.random() < 0.7:
            for step in steps:  # all of them: the first may be what was torn
                done, torn = command([word.replace("{got}", got) for word in step], self.where, None, said), False
            self.tell(again=name, code=done.code)
            self._judge(name, done, torn=torn)
        if done.done and not (act.quiet and (torn or self.refuses)):
            self.tell(**{"is": {**dict.fromkeys(fresh, act.leaves), **dict.fromkeys(old, 0)}})

    def _values(self, act: Act) -> dict[str, str] | None:
        self._numbers += 1
        path = self.where.folder / f"acts-{self._name}-{self._numbers}"
        values = {"new": self.mark(), "path": str(path), "n": f"{self._name}-{self._numbers}"}
        values |= {"home": str(self.life.home), "place": self.life.place}
        if any("{id}" in word for step in act.steps for word in step):
            if not self.known:
                return None
            values["id"], values["old"] = self.known.pop(self.chance.randrange(len(self.known)))
        return values

    def _lay_out(self, act: Act, values: Mapping[str, str]) -> None:
        for name, content in act.files.items():
            path = Path(values["path"], self.fill(name.replace("../{home}", "{home}"), values))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.fill(content, values), "utf-8")

    def _steps(self, steps: list[list[str]], said: str, get: str, tear: Tear | None) -> tuple[Outcome, str]:
        where, got = self.surroundings(), ""
        last = len(steps) - 1
        torn_at = self.chance.randint(0, last)
        for number, step in enumerate(steps):
            done = command(
                [word.replace("{got}", got) for word in step], where, tear if number == torn_at else None, said
            )
            if not done.done or number == last:
                return done, got
            got = found(done.out, get) or got if get else ""
        raise AssertionError("an act has a step")

    def _judge(self, name: str, done: Outcome, *, torn: bool) -> None:
        """What must not be, whatever was torn: a hang, a raw error; and where nothing was, a failure."""
        if done.code == -14:
            self.tell(wrong=f"{name} hangs: {done.err[-8000:]}")
        elif done.code > (2 if torn or self.refuses else 1) or "Traceback" in done.err:
            self.tell(wrong=f"{name} ended with {done.code}: {done.err[-3000:]}")
        elif not done.done and not torn and not self.refuses and "no memory yet" not in done.err:
            self.tell(wrong=f"{name} failed, and nothing was wrong: {done.code} {done.err[-2000:]}")

    def tell(self, **told: Any) -> None:
        self._tell(told)


class Session:
    """A server of one contract and its client, which calls what the table says, one after the other, with keys."""

    def __init__(self, agent: Agent, contract: str, tear: Tear | None) -> None:
        self.agent, self.contract = agent, contract.replace("{n}", agent.mark())
        self._calls = list(CALLS[contract])
        self._got = self._mark = ""
        self.torn = tear is not None or agent.crowded
        agent.tell(serves=contract, torn=None if tear is None else list(tear))
        self.server = self._start(tear)

    def _start(self, tear: Tear | None = None) -> Server:
        where = self.agent.surroundings() if tear is not None else self.agent.where
        return Server(where, "--as", *self.contract.split(), tear=tear)

    def step(self) -> bool:
        """One call, asked again of a new server where it was not answered. Says whether there is more to do."""
        call = self._calls.pop(0)
        if "{got}" in json.dumps(call.arguments) and not self._got:
            return bool(self._calls)
        agent = self.agent
        mark = agent.mark() if call.marks else self._mark
        values = {"new": mark, "got": self._got, "path": str(agent.where.folder)}
        arguments = json.loads(agent.fill(json.dumps(call.arguments), values))
        fresh, old = [mark] if call.marks else [], [self._mark] if call.takes else []
        agent.tell(act=f"{self.contract} {call.tool}", may=[*fresh, *old])
        key = f"{agent.mark()}"
        answer = self.server.call(call.tool, arguments, key)
        if answer is None or answer.get("isError"):
            answer = self._again(call, arguments, key, answer)
        if _is_done(answer):
            agent.tell(**{"is": {**dict.fromkeys(fresh, call.leaves), **dict.fromkeys(old, 0)}})
            self._got = found(json.dumps(answer), call.get) if call.get else self._got  # none, where it was removed
            self._mark = mark
        else:
            self._got = ""
        return bool(self._calls)

    def _again(self, call: Call, arguments: object, key: str, answer: dict[str, Any] | None) -> dict[str, Any] | None:
        agent = self.agent
        ended = self.end()
        if answer is not None and not self.torn and not agent.refuses:
            agent.tell(wrong=f"{self.contract} {call.tool} was refused, and nothing was wrong: {answer}")
        agent.tell(again=call.tool, code=ended)
        self.torn = agent.crowded
        for left in reversed(range(_MOST_ASKED if agent.crowded else 1)):  # who serves this one in a crowd may be torn
            self.server = self._start()
            answer = self.server.call(call.tool, arguments, key)
            if _is_done(answer) or not left:
                break
            agent.tell(again=call.tool, code=self.end())
        if not _is_done(answer) and not agent.refuses:
            agent.tell(wrong=f"{self.contract} {call.tool}, asked again with its key, was not done: {answer}")
        return answer

    def end(self) -> int:
        code, said = self.server.end()
        if code in (-14, 70) or "Traceback" in said:
            self.agent.tell(wrong=f"serve --as {self.contract} ended with {code}: {said[-12000:]}")
        self.agent.tell(code=code)
        return code


def _is_done(answer: dict[str, Any] | None) -> bool:
    """Says it so; also where somebody forgot something meanwhile, and answers that were kept are told no more."""
    return answer is not None and (
        not answer.get("isError") or "was done; its answer was removed" in json.dumps(answer)
    )


def found(answer: str, field: str) -> str:
    """What an answer has in a field, wherever that is."""
    at = re.search(rf'\\*"{field}\\*"\s*:\s*\\*"?([^"\\,}}\s]+)', answer)
    return "" if at is None else at[1]
