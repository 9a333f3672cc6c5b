"""Is a text that is not read, because it shares too little, one that nobody would have been told of?"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from recollect.retrieve import change
from recollect.retrieve.change import read_said
from recollect.retrieve.restate import KEPT, LIKELY, Gate, least_words, likelihood, rarity, read_statement

FOLDER = Path(__file__).parent.parent / "engine"
TEXTS = sorted(
    {
        text
        for name in ("restated.txt", "changed.txt")
        for line in (FOLDER / name).read_text().splitlines()
        if line and not line.startswith("#")
        for text in line.split("|")[:2]
    }
)


def test_hardly_any_statement_that_resembles_another_is_left_unread_and_most_others_are() -> None:
    said = [(text, read_statement(text)) for text in TEXTS]
    let = likely = missed = 0
    for (_, new), (text, old) in product(said, said):
        shared = new.words & old.words
        gate, weight, words = Gate(new, {}), rarity(1) * len(shared), least_words(text)
        lets = gate.lets(weight, len(shared), len(shared), words)
        assert not lets or weight >= gate.least[words], text
        is_likely = likelihood(new, old, {})[0] >= LIKELY
        let += lets
        likely += is_likely
        missed += is_likely and not lets
    assert likely >= len(TEXTS)
    assert missed <= likely / 100, (missed, likely)
    assert let <= len(TEXTS) ** 2 / 20, (let, len(TEXTS))


def test_of_what_was_compared_a_few_hundred_texts_are_kept_however_many_there_were() -> None:
    for number in range(2 * KEPT):
        said = read_said(f"The harbour of Lund has {number} boats and a lamp for each of them.")
        assert said.changing.numbers
        assert said.kinds
    for reader in (read_statement, change._as_changing, change._kinds_of):
        assert reader.cache_info().currsize <= KEPT <= 256
