"""Does a memory behave like a dict with a past, whatever is done to it in whatever order?"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule
from tests.pgserver import ON_POSTGRES, store_url

import recollect
from recollect import Conflict, Memory, NotFound, Receipt, Settings

WORDS = ("alpha", "beta", "gamma", "delta", "東京", "кот", "it's", "os.path")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
shares = st.sampled_from([0.0, 0.25, 1.0])
spaces = st.sampled_from(["one", "two"])

State = tuple[str, str, float, bool]
"""Space, text, importance, and whether it holds."""


class Model(RuleBasedStateMachine):
    """`now` is what should be there; `past` is what was there after every change, by its moment."""

    changes = Bundle("changes")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = self.store_of(Path(self.folder.name))
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)
        self.numbers = count(1)
        self.handles = [self.open(), self.open()]
        self.turn = 0
        self.now: dict[str, State] = {}
        self.past: list[tuple[datetime, dict[str, State]]] = []
        self.undoable: dict[int, tuple[str, State | None, State | None]] = {}
        self.forgotten: set[str] = set()

    @staticmethod
    def store_of(folder: Path) -> str | None:
        """The address of the store of a folder; None: it is a file there."""
        del folder
        return None

    def open(self) -> Memory:
        return recollect.open(
            settings=Settings(home=Path(self.folder.name), store=self.store, embedder="none"),
            clock=lambda: self.moment,
            new_id=lambda: f"r{next(self.numbers)}",
        )

    @property
    def memory(self) -> Memory:
        """One handle after the other: each must see what the other wrote."""
        self.turn += 1
        return self.handles[self.turn % 2]

    def changed(self, receipt: Receipt, before: State | None, after: State | None) -> int:
        assert receipt.outcome == "stored"
        assert receipt.id is not None
        assert receipt.entry is not None
        if after is None:
            self.now.pop(receipt.id, None)
        else:
            self.now[receipt.id] = after
        self.undoable[receipt.entry] = (receipt.id, before, after)
        (change,) = self.memory.journal(limit=1)
        assert change.entry == receipt.entry
        self.past.append((change.at, dict(self.now)))
        return receipt.entry

    def any_id(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.now)))

    @rule(step=st.sampled_from([-100_000, -3600, 0, 1, 3600]))
    def the_clock_is_set(self, step: int) -> None:
        self.moment += timedelta(seconds=step)

    @rule(target=changes, text=texts, importance=shares, space=spaces)
    def remember(self, text: str, importance: float, space: str) -> int:
        held = [id for id, (where, said, _, holds) in self.now.items() if (where, said, holds) == (space, text, True)]
        receipt = self.memory.remember(text, importance=importance, space=space)
        if held:
            assert receipt.outcome == "deduplicated"
            assert receipt.id in held
            return 0
        return self.changed(receipt, None, (space, text, importance, True))

    @precondition(lambda self: self.now)
    @rule(target=changes, data=st.data(), text=st.none() | texts, importance=st.none() | shares)
    def revise(self, data: st.DataObject, text: str | None, importance: float | None) -> int:
        id = self.any_id(data)
        before = self.now[id]
        fields = {"text": text, "importance": importance}
        given = {name: value for name, value in fields.items() if value is not None} or {"importance": before[2]}
        after = (before[0], text or before[1], before[2] if importance is None else importance, before[3])
        receipt = self.memory.revise(id, **given)  # type: ignore[arg-type]
        if after == before:
            assert receipt.outcome == "deduplicated"
            return 0
        return self.changed(receipt, before, after)

    @precondition(lambda self: any(state[3] for state in self.now.values()))
    @rule(target=changes, data=st.data())
    def invalidate(self, data: st.DataObject) -> int:
        id = data.draw(st.sampled_from(sorted(id for id, state in self.now.items() if state[3])))
        before = self.now[id]
        return self.changed(self.memory.invalidate(id), before, (*before[:3], False))

    @precondition(lambda self: self.now)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        id = self.any_id(data)
        self.memory.forget(id)
        del self.now[id]
        self.forgotten.add(id)
        for _, known in self.past:
            known.pop(id, None)
        (change,) = self.memory.journal(limit=1)
        self.past.append((change.at, dict(self.now)))

    @rule(target=changes, entry=consumes(changes))
    def undo(self, entry: int) -> int:
        if entry == 0:
            return 0
        id, before, after = self.undoable[entry]
        current = self.now.get(id)
        expected = self.undone(before, after, current)
        if id in self.forgotten or expected == "conflict":
            with pytest.raises((Conflict, NotFound)):
                self.memory.undo(entry)
            return 0
        return self.changed(self.memory.undo(entry), current, expected)  # type: ignore[arg-type]

    @staticmethod
    def undone(before: State | None, after: State | None, current: State | None) -> State | str | None:
        """The state after an undo: what the change set is set back, unless it was set again since."""
        if before is None:
            return "conflict" if current is None else None
        if after is None:
            return before if current is None else "conflict"
        if current is None:
            return "conflict"
        set_by_it = [at for at in range(4) if before[at] != after[at]]
        if any(current[at] != after[at] for at in set_by_it):
            return "conflict"
        return tuple(before[at] if at in set_by_it else current[at] for at in range(4))  # type: ignore[return-value]

    @rule(which=st.sampled_from([0, 1]))
    def reopen(self, which: int) -> None:
        self.handles[which].close()
        self.handles[which] = self.open()

    @rule()
    def reindex(self) -> None:
        self.memory.reindex()

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def look_back(self, data: st.DataObject) -> None:
        moment, _ = data.draw(st.sampled_from(self.past))
        known = next(known for at, known in reversed(self.past) if at <= moment)  # whatever the clock said in between
        seen = self.memory.list(space=None, as_of=moment, valid_only=False, limit=1_000)
        assert {record.id: (record.space, record.text, record.importance) for record in seen} == {
            id: state[:3] for id, state in known.items()
        }

    @rule(word=st.sampled_from(WORDS), space=spaces)
    def recall(self, word: str, space: str) -> None:
        hits = self.memory.recall(word, space=space, limit=1_000)
        found = {hit.record.id for hit in hits} | {id for hit in hits for id in hit.folded}
        assert found == {
            id for id, (where, text, _, holds) in self.now.items() if where == space and holds and word in text.split()
        }

    @invariant()
    def the_present_is_as_expected(self) -> None:
        for space in ("one", "two"):
            held = {id: state for id, state in self.now.items() if state[0] == space}
            seen = self.memory.list(space=space, valid_only=False, limit=1_000)
            assert {r.id: (r.space, r.text, r.importance, r.valid_until is None) for r in seen} == held
            assert self.memory.count(space=space) == sum(state[3] for state in held.values())

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            assert self.memory.check() == []
            for handle in self.handles:
                handle.close()
            self.folder.cleanup()


class PostgresModel(Model):
    """The same, kept in PostgreSQL."""

    @staticmethod
    def store_of(folder: Path) -> str | None:
        return store_url(folder)


TestPostgresModel = PostgresModel.TestCase
TestPostgresModel.settings = settings(
    max_examples=60 if ON_POSTGRES else 5,
    stateful_step_count=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
)  # fmt: skip
TestModel = Model.TestCase
TestModel.settings = settings(
    max_examples=50, stateful_step_count=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
