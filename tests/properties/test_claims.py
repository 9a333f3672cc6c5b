"""Is the same never claimed twice, and what contradicts always contested, in whatever order things are said?"""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

import recollect
from recollect import Draft, Memory, Settings
from recollect.engine.write.govern import claim_duplicates
from recollect.retrieve.alike import likeness, score_alike

KINDS, SCOPES, SUBJECTS, VALUES = ("fact", "decision"), ("a", "b", "c"), ("s", "t"), (1, "1", None)
texts = st.lists(st.sampled_from(("kuzu", "graph", "the", "backends", "backend", "東京", "of", "x")), max_size=6)


class Said(Struct, frozen=True):
    """What is claimed, and where."""

    kind: str
    scopes: frozenset[str]
    subject: str
    value: int | str | None

    def meets(self, other: Said) -> bool:
        shared = not self.scopes or not other.scopes or bool(self.scopes & other.scopes)
        return shared and (self.kind, self.subject) == (other.kind, other.subject)


claims = st.builds(
    Said,
    st.sampled_from(KINDS),
    st.frozensets(st.sampled_from(SCOPES)),
    st.sampled_from(SUBJECTS),
    st.sampled_from(VALUES),
)
steps = st.lists(
    claims | st.tuples(st.sampled_from(["forget", "invalidate", "reindex"]), st.integers(0, 9)), max_size=25
)


def claim(memory: Memory, said: Said, number: int) -> recollect.Receipt:
    stated = {"subject": said.subject, "predicate": "p", "value": said.value}
    grounds = {"scopes": sorted(said.scopes), "claim": stated}
    return memory.remember(f"Said {number}.", kind=said.kind, grounds=grounds)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(steps)
def test_claims_are_kept_refused_and_contested_as_they_meet(taken: list[Said | tuple[str, int]]) -> None:
    numbers = count(1)
    live: dict[str, Said] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        recollect.open(settings=Settings(home=Path(folder), embedder="none")) as memory,
    ):
        for step in taken:
            if isinstance(step, Said):
                met = {id: held for id, held in live.items() if held.meets(step)}
                receipt = claim(memory, step, next(numbers))
                if any(held.value == step.value for held in met.values()):
                    assert receipt.outcome == "rejected"
                    continue
                assert (receipt.contested, receipt.status) == (tuple(met), "contested" if met else "candidate")
                live[receipt.id or ""] = step
            elif step[0] == "reindex":
                memory.reindex()
            elif live:
                id = sorted(live)[step[1] % len(live)]
                getattr(memory, step[0])(id)
                del live[id]
        assert claim_duplicates(memory.core) == []
        assert memory.check() == []


@settings(max_examples=150, deadline=None, derandomize=True)
@given(texts, texts, texts, texts)
def test_likeness_is_the_same_from_both_sides_and_whole_with_oneself(
    title: list[str], text: list[str], other_title: list[str], other_text: list[str]
) -> None:
    one = likeness(Draft(text=" ".join(text), title=" ".join(title) or None))
    other = likeness(Draft(text=" ".join(other_text), title=" ".join(other_title) or None))
    assert score_alike(one, other) == score_alike(other, one)
    assert 0 <= score_alike(one, other)[0] <= 1
    if one.title and one.text:
        assert score_alike(one, one) == (0.9, ("title_overlap", "summary_overlap", "same_kind"))
