"""Are texts in other languages told in English words, and those in English left alone?"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import recollect
from recollect.embed.bundled import MODEL_FOLDER
from recollect.embed.glosses import FOLDER, LANGUAGES, SMALL_WORDS, gather_small_words, to_english
from recollect.embed.wordpiece import WordPiece

CODES = [language.code for language in LANGUAGES]
NOTES = {
    "de": {
        "key": "Der Ersatzschlüssel liegt bei der Nachbarin im dritten Stock.",
        "dog": "Der Hund bekommt abends nur trockenes Futter, vom Fleisch wird er krank.",
        "rent": "Die Miete wurde ab Januar um fünfzig Euro erhöht.",
        "server": "Gestern war der Server zwei Stunden ausgefallen, die Festplatte war voll.",
        "wedding": "Hochzeit von Jana am 12. Juni, Geschenk ist schon bestellt.",
        "window": "Das Küchenfenster schließt nicht mehr richtig, der Tischler kommt am Montag.",
    },
    "fr": {
        "key": "La clé de secours est chez la voisine du troisième étage.",
        "dog": "Le chien ne mange le soir que de la nourriture sèche, la viande le rend malade.",
        "rent": "Le loyer a augmenté de cinquante euros depuis janvier.",
        "server": "Hier le serveur est tombé en panne pendant deux heures, le disque était plein.",
        "wedding": "Mariage de Jana le 12 juin, le cadeau est déjà commandé.",
        "window": "La fenêtre de la cuisine ne ferme plus, le menuisier vient lundi.",
    },
    "es": {
        "key": "La llave de repuesto la tiene la vecina del tercer piso.",
        "dog": "El perro por la noche solo come pienso seco, la carne lo pone enfermo.",
        "rent": "El alquiler subió cincuenta euros desde enero.",
        "server": "Ayer el servidor estuvo caído dos horas, el disco estaba lleno.",
        "wedding": "Boda de Jana el 12 de junio, el regalo ya está pedido.",
        "window": "La ventana de la cocina ya no cierra bien, el carpintero viene el lunes.",
    },
}
ASKED = {
    "who has a second key to our flat?": "key",
    "what may our pet not eat?": "dog",
    "how much more do we pay the landlord?": "rent",
    "why was the machine down?": "server",
    "when does Jana get married?": "wedding",
    "who repairs the window?": "window",
}
ENGLISH = (
    "Deposit is paid back within two weeks of moving out.",
    "die cast parts",
    "was man on the moon?",
    "plus size, on sale",
    "The gift for Oma is in the hall.",
    "rate limit 60 req/min per token",
    "argon2 passwords",
    "Son of a gun, or so",
    "SELECT * FROM users",
    "We met Frau Kessler at the Rathaus.",
    "def remember(self, text): return text",
    "door code",
    "classified ad rate per line",
)


@pytest.fixture(scope="module")
def english() -> WordPiece:
    return WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])


@pytest.mark.parametrize("text", ENGLISH)
def test_english_and_code_stay_as_they_are(text: str, english: WordPiece) -> None:
    assert to_english(text, english) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Wann kommt der Schornsteinfeger?", {"when", "come"}),
        ("Die Haustürschlüssel wurden gestern abgeholt.", {"key", "yesterday"}),
        ("Où est la facture du plombier ?", {"where", "plumber"}),
        ("¿Cuándo vence el contrato de alquiler?", {"when", "contract"}),
        ("Dove sono le chiavi della macchina?", {"where", "key"}),
        ("Wanneer komt de loodgieter voor de badkamer?", {"when", "bathroom"}),
        ("Quando é que o médico pode atender?", {"when", "doctor"}),
        ("Gdzie jest klucz do piwnicy?", {"where", "key"}),
        ("När kommer rörmokaren till källaren?", {"when", "plumber", "cellar"}),
        ("Где лежит ключ от подвала?", {"where", "key"}),
        ("Anahtarı nerede?", {"key", "where"}),
    ],
)
def test_sentences_are_told_in_english_words(text: str, words: set[str], english: WordPiece) -> None:
    assert words <= set(re.findall(r"[a-z]+", to_english(text, english).lower()))


def test_a_word_that_stands_alone_is_no_form_of_another_language(english: WordPiece) -> None:
    alone = (
        "docker backend queries toner temp conda silo pager solder charger watermark starlink bedsheets leeks volts"
        " door pure fare solo come hinge saucer glaze alder hamstring"
    ).split()
    told = {word: to_english(word, english) for word in alone}
    listed = {"solo", "fare", "charger"}  # Spanish, Italian and French have these words as they are
    assert {word for word, gloss in told.items() if gloss != word} <= listed, told


def test_a_word_that_stands_alone_is_told_where_it_is_surely_of_another_language(english: WordPiece) -> None:
    asked = {
        "Schlüssel": "key", "Mietvertrag": "lease", "Rechnungen": "invoice", "Zahnarzttermin": "dentist appointment",
        "Stromzähler": "electricity meter", "contraseña": "password", "vacances": "vacation", "sleutel": "key",
        "пароль": "password", "hasło": "password", "anahtar": "key",
    }  # fmt: skip
    assert {word: to_english(word, english) for word in asked} == asked


def test_names_numbers_and_marks_stay_where_they_are(english: WordPiece) -> None:
    told = to_english("Frau Olschewski zahlt 39,50 € am 12.04. für die Rechnung Nr. R-2025/17!", english)
    assert "Olschewski" in told
    assert all(part in told for part in ("39,50 €", "12.04.", "R-2025/17!"))


@pytest.mark.parametrize("code", CODES)
def test_a_word_list_has_a_gloss_and_words_in_every_line(code: str) -> None:
    lines = (FOLDER / f"{code}.txt").read_text("utf-8").splitlines()
    assert len(lines) > 1_200
    assert [line for line in lines if not re.fullmatch(r"[ -~]+?: \S.*\S|[ -~]+: \S", line)] == []


@pytest.mark.parametrize("code", NOTES)
def test_questions_in_english_find_notes_in_another_language(code: str, tmp_path: Path) -> None:
    with recollect.open(tmp_path) as memory:
        names = {memory.remember(text).id: name for name, text in NOTES[code].items()}
        memory.embed_waiting()
        first = {asked: names[memory.recall(asked, limit=1).hits[0].record.id] for asked in ASKED}
    assert sum(first[asked] == name for asked, name in ASKED.items()) >= 5, first


def test_questions_in_another_language_find_english_notes(tmp_path: Path) -> None:
    asked = {"Wer hat noch einen Schlüssel?": 0, "quand est le mariage ?": 1, "¿por qué falló el servidor?": 2}
    with recollect.open(tmp_path) as memory:
        texts = (
            "A spare key is with Mrs Lund on the third floor.", "Jana gets married on 12 June.",
            "The server was down for two hours because its disk was full.", "The dog must not have meat.",
        )  # fmt: skip
        ids = [memory.remember(text).id for text in texts]
        memory.embed_waiting()
        found = {question: ids.index(memory.recall(question, limit=1).hits[0].record.id) for question in asked}
    assert found == asked


def test_only_what_could_be_a_word_is_taken_apart() -> None:
    english = frozenset[str]()
    told = to_english(f"die und der ist {'hausschlüssel' * 4}", english)
    assert told.count("house key") == 4
    endless = "hausschlüssel" * 40_000  # with a look at every letter of it, this would take hours
    assert to_english(f"die und der ist {endless}", english).endswith(endless)


def test_the_small_words_are_those_of_the_lists() -> None:
    """After a list has changed, `python -m tools.write_small_words` writes them anew."""
    assert SMALL_WORDS.read_text("utf-8") == gather_small_words()


def test_no_list_is_read_to_know_that_a_question_is_in_english() -> None:
    program = (
        "from recollect.embed import glosses\n"
        "glosses._read = None\n"
        "print(glosses.to_english('where do we keep the spare key?', {'key', 'keep', 'spare'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "where do we keep the spare key?\n"
