"""Index terms: normalising, stemming, splitting and pairing."""

from __future__ import annotations

import pytest

from recollect.engine.write import remember
from recollect.store import terms as room
from recollect.store.terms import is_pair, query_terms, split_words, stop_terms, terms


def test_forms_of_one_word_share_a_term() -> None:
    assert terms("Painting PAINTED paints") == ["paint", "paint", "paint"]
    assert terms("Книги книга") == ["книг", "книг"]
    assert len(set(terms("дефицит дефицита дефицитом"))) == 1


def test_diacritics_width_and_case_make_no_difference() -> None:
    assert terms("Café Ｎａïｖｅ STRAẞE") == terms("cafe naive strasse")
    assert terms("ёлка") == terms("елка")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("snake_case", ["snakecas", "snake", "case"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("os.path", ["ospath", "os", "path"]),
        ("utf8", ["utf8", "utf", "8"]),
        ("e-mail", ["email", "e", "mail"]),
        ("Painted PAINTED painteD", ["paint", "paint", "paint", "paint", "d"]),
        ("2026 007 v2", ["2026", "007", "v2", "v", "2"]),
    ],
)
def test_an_identifier_is_kept_whole_and_split(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_one_identifier_in_two_styles_is_one_term() -> None:
    assert terms("load_user_data")[0] == terms("loadUserData")[0]


def test_possessives_and_contractions_lose_their_tail() -> None:
    assert terms("Anna's") == terms("Anna")
    assert query_terms("I don't know Anna’s cat") == ["know", "anna", "cat"]


def test_scripts_without_spaces_become_overlapping_pairs() -> None:
    assert terms("カタカナ") == ["カタ", "タカ", "カナ"]
    assert terms("서울에서") == ["서울", "울에", "에서"]


def test_han_characters_are_terms_of_their_own_as_well() -> None:
    assert terms("東京都に") == ["東京", "京都", "都に", "東", "京", "都"]
    assert terms("猫 and 犬") == ["猫", "and", "犬"]
    assert set(query_terms("喝茶")) & set(terms("喝了茶")) == {"喝", "茶"}


def test_marks_stay_with_the_character_they_stand_on() -> None:
    assert terms("ดีที่") == ["ดีที่"]
    assert len(terms("किताब")) == 1


def test_mixed_scripts_split_where_the_script_changes() -> None:
    assert terms("用Python写代码") == ["用", "python", "写代", "代码", "写", "代", "码"]


def test_pairs_are_told_from_words() -> None:
    assert [is_pair(term) for term in terms("ソウ tower")] == [True, False]


def test_a_question_leaves_function_words_out() -> None:
    assert query_terms("When did the dog eat my homework?") == ["dog", "eat", "homework"]
    assert query_terms("Где живёт кошка?") == ["живет", "кошк"]
    assert "什么" not in query_terms("我喜欢什么茶")


def test_a_question_of_function_words_alone_keeps_them() -> None:
    assert query_terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_content_words_of_english_are_not_stopped_by_other_languages() -> None:
    words = ["war", "die", "son", "hat", "era", "sin", "come", "plus", "os", "ten", "may"]
    assert [word for word in words if set(terms(word)) <= stop_terms()] == []


@pytest.mark.parametrize("text", ["", "   ", "!?…", "\u200d", "🙂🙂"])
def test_text_without_words_has_no_terms_or_harmless_ones(text: str) -> None:
    assert all(term.strip() for term in terms(text))


def test_an_endless_word_is_cut() -> None:
    assert max(map(len, terms("x" * 10_000))) == 64


def test_asking_twice_gives_equal_terms() -> None:
    text = "Repeated: getUserName, 東京都, naïve, don't, 3.11"
    assert terms(text) == terms(text)


def test_words_that_come_again_and_again_stay_known_however_many_others_come() -> None:
    made: list[str] = []
    known = room.PerWord(lambda word: made.append(word) or word.upper())
    others = [f"word{number}" for number in range(3 * room.CACHED_WORDS)]
    for place, other in enumerate(others):
        assert known[other] == other.upper()
        if place % 1_000 == 0:
            assert known["gateway"] == "GATEWAY"
    assert made.count("gateway") == 1
    assert len(known) + len(known._before) <= room.CACHED_WORDS


def test_numbers_do_not_fill_the_memory_of_words() -> None:
    numbers = " ".join(str(n) for n in range(700_000, 701_000))
    remember.count_terms(None, "numbers")
    before = len(room._known_terms), len(remember._hashes)
    assert len(terms(numbers)) == len(remember.count_terms(None, numbers)) == 1_000
    assert (len(room._known_terms), len(remember._hashes)) == before


@pytest.mark.parametrize(
    ("question", "whose"),
    [
        ("who is our dentist?", "our"), ("wer ist unser Zahnarzt?", "unser"), ("qui est notre notaire ?", "notre"),
        ("¿quién es nuestra peluquera?", "nuestra"), ("qual è il nostro idraulico?", "nostro"),
        ("quem é o nosso eletricista?", "nosso"), ("wie is onze schilder?", "onze"), ("кто наш репетитор?", "наш"),
    ],
)  # fmt: skip
def test_whose_something_is_says_little_in_any_language(question: str, whose: str) -> None:
    assert set(query_terms(question)).isdisjoint(terms(whose))


def test_a_few_characters_are_cut_as_they_are_in_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those are cut without the patterns that take long to compile."""
    chars = [chr(code) for code in range(0x80, 0x30000, 7) if not 0xD800 <= code < 0xE000]
    texts = [text for char in chars for text in (char, f"a{char}", f"{char}中", f"{char}-{char} b")]
    few = [(split_words(text), is_pair(text), room.terms_of(text)) for text in texts]
    monkeypatch.setattr(room, "_FEW", 0)
    assert [(split_words(text), is_pair(text), room.terms_of(text)) for text in texts] == few
