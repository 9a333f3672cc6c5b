"""Which names does a text mention?"""

from __future__ import annotations

import pytest

from recollect.ingest.entities import extract_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mira 住在哪里", ["mira"]),
        ("谁是Mira的老师", ["mira"]),
        ("Mira の電話番号は", ["mira"]),
        ("Mira는 어디 살아?", ["mira"]),
        ("где живёт Mira", ["mira"]),
        ("Mira живёт там", ["mira"]),
        ("Иван Петров живёт в Осло", ["иван петров", "осло"]),
        ("ключ от дачи лежит под горшком", []),
        ("Wo wohnt 王伟", ["王伟"]),
        ("Wo wohnt Ömer Çelik?", ["ömer çelik"]),
        ("Das ist Tom Müller von Berg", ["tom müller von berg"]),
        ("Die Reise für Ägypten", ["die reise", "ägypten"]),
    ],
)
def test_a_name_is_seen_beside_words_of_any_script(text: str, names: list[str]) -> None:
    assert extract_names(text) == names
