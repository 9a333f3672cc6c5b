"""What kind of code people ask for: what can be called from outside and says what it does stands first."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from recollect.retrieve.code import Piece, judge_beside_code, judge_code
from recollect.retrieve.evidence import Evidence
from recollect.retrieve.ranker import judge


def alike(count: int) -> Evidence:
    """So many pieces of which every signal says the same."""
    same, none = np.full(count, 0.4), np.full(count, np.nan)
    return Evidence(
        covered=same, words=same, near=np.full(count, 6.0), late=none, deep=none, length=same,
        group=np.full(count, -1), position=np.zeros(count, int), time=same, like=None, terms=4, pairs=0.0,
        records=count,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked_for", "other"),
    [
        (Piece("quote", "function", True), Piece("", "text", True)),
        (Piece("quote", "function", True), Piece("_quote", "function", True)),
        (Piece("quote", "function", True), Piece("quote", "function", False)),
        (Piece("Queue.get", "method", True), Piece("Queue._get", "method", True)),
        (Piece("Queue.get", "method", True), Piece("Queue.__init__", "method", True)),
        (Piece("Queue.get", "method", True), Piece("_Queue.get", "method", True)),
        (Piece("load", "function", True), Piece("Decoder.load", "method", True)),
        (Piece("Queue._get", "method", False, called=True), Piece("Queue", "class", True)),
    ],
)
def test_what_is_asked_for_more_often_stands_before_its_like(asked_for: Piece, other: Piece) -> None:
    first, second = judge_code(alike(2), [asked_for, other])
    assert first > second


def test_what_was_not_looked_at_comes_behind_what_was() -> None:
    sure = judge_code(alike(3), [Piece("", "text", False), None, Piece("quote", "function", True)])
    assert np.argsort(-sure).tolist() == [2, 0, 1]
    assert ((sure > 0) & (sure < 1)).all()


def test_what_was_read_closely_counts_and_what_was_not_is_no_better_than_the_worst_that_was() -> None:
    read = msgspec.structs.replace(alike(4), deep=np.array([-2.0, 3.0, np.nan, np.nan]))
    sure = judge_code(read, [Piece("quote", "function", True)] * 4)
    assert sure[1] > sure[0] == sure[2] == sure[3]


def test_beside_notes_code_and_notes_are_judged_apart_and_leave_each_other_room() -> None:
    pieces = [Piece("quote", "function", True), Piece("", "text", True), None, None]
    code = np.array([True, True, False, False])
    sure = judge_beside_code(alike(4), code, pieces)
    notes = judge(msgspec.structs.replace(alike(4).keep(~code), records=2))
    own = judge_code(alike(4).keep(code), pieces[:2])
    assert sure[0] > sure[1]
    assert (sure[code] < own).all()
    assert (sure[~code] < notes).all()
    assert sure[code].max() + sure[~code].max() < 1


def test_code_alone_is_judged_as_where_only_code_is_asked_for() -> None:
    pieces = [Piece("quote", "function", True), Piece("", "text", True)]
    assert (judge_beside_code(alike(2), np.array([True, True]), pieces) == judge_code(alike(2), pieces)).all()
