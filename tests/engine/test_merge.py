"""What becomes of two memories that have gone different ways, when one takes in the other's export?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import recollect
from recollect import Imported, Memory, Settings


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Memory, Memory]]:
    """Two memories, each of which holds something of its own."""
    homes = [Settings(home=tmp_path / name, embedder="none") for name in ("one", "two")]
    with recollect.open(settings=homes[0]) as one, recollect.open(settings=homes[1]) as two:
        one.remember("This is one.")
        two.remember("This is two.")
        yield one, two


_NUMBERS = count()


def bring(there: Memory, here: Memory, tmp_path: Path) -> Imported:
    """Has one memory take in what another holds."""
    file = tmp_path / f"export-{next(_NUMBERS)}.jsonl"
    there.export(file)
    (done,) = here.import_(file)
    return done


def test_going_back_to_an_earlier_text_on_one_side_is_a_change_like_any_other(
    pair: tuple[Memory, Memory], tmp_path: Path
) -> None:
    one, two = pair
    id = one.remember("Tea is at four.").id
    assert id is not None
    one.revise(id, "Tea is at five.")
    bring(one, two, tmp_path)
    one.revise(id, "Tea is at four.")
    two.revise(id, "Tea is at six.")
    for there, here in ((one, two), (two, one)):
        (told,) = bring(there, here, tmp_path).differing
        assert (told.here, told.there) == (here.get(id).text, there.get(id).text)
    assert (one.get(id).text, two.get(id).text) == ("Tea is at four.", "Tea is at six.")
    one.revise(id, "Tea is at six.")
    assert bring(one, two, tmp_path).differing == ()
