"""What does a question ask for: the past, a time, or all about something?"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from recollect.retrieve.asking import asks_past, is_question, subject_of
from recollect.retrieve.period import SIGNS, TimeWords, find_time
from recollect.retrieve.time_words import DAYS, MONTHS


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("who was our doctor before Dr. Adeyemi?", True),
        ("what did we use previously?", True),
        ("wer war früher unser Vermieter?", True),
        ("qui était notre médecin avant?", True),
        ("¿quién era la tesorera antes?", True),
        ("who led the choir before Ines?", True),
        ("which firm supplied the chairs before?", True),
        ("on which day did the group use to meet?", True),
        ("where used the presents to be hidden?", True),
        ("which hotel was first planned?", True),
        ("what was the rent at the beginning of the year?", True),
        ("who was the trainer last winter?", True),
        ("wie hoch war der Preis im Frühjahr?", True),
        ("which contractor did we have first?", True),
        ("which bakery did we start with?", True),
        ("which island had we wanted to see?", True),
        ("who was Edda's first cello teacher?", True),
        ("what was the fee at the very beginning?", True),
        ("output format in the beginning", True),
        ("soil sensor interval in early 2024", True),
        ("VPN client before WireGuard", True),
        ("shader compile time before the new cache", True),
        ("hotline person before Lucinda took over", True),
        ("what generated the docs before Sphinx?", True),
        ("how often could guests come before?", True),
        ("old help desk number", True),
        ("what is the old return period?", True),
        ("earlier citation style in ethics", True),
        ("Wer hat den Verein vor Tobias Kern geleitet?", True),
        ("Welches Wiki hatten wir vor BookStack?", True),
        ("Qui suivait la traduction avant Gwendal ?", True),
        ("¿Quién llevaba los contenedores antes que Iker?", True),
        ("A che temperatura si cuoceva prima delle resistenze nuove?", True),
        ("quel jour venait Mme Diallo avant ?", True),
        ("combien coûtait la cotisation avant ?", True),
        ("à quelle heure ouvrait la boutique avant ?", True),
        ("où dormaient les enfants auparavant ?", True),
        ("quali giorni apriva prima?", True),
        ("wer putzte vorher?", True),
        ("wer leitete den Chor vor Ines?", True),
        ("wer hat vorher geputzt?", True),
        ("woher kamen die Schläuche vorher?", True),
        ("wo lag der Schlüssel zuvor?", True),
        ("que devrait-on payer avant fin mai ?", False),
        ("qui serait là avant ?", False),
        ("où faire un retrait avant le voyage ?", False),
        ("quel forfait prendre avant le trajet ?", False),
        ("chi arriva prima?", False),
        ("was möchte Erna vorher essen?", False),
        ("wann miete ich den Wagen vorher?", False),
        ("wie lange warten wir vorher?", False),
        ("wer kommt vorher vorbei?", False),
        ("muss man vorher gebucht haben?", False),
        ("what must be done before a trip?", False),
        ("what must be ready before?", False),
        ("which ward do I ring the day before?", False),
        ("tablets before meals", False),
        ("what do I check before the new pump starts?", False),
        ("where does the old lady live?", False),
        ("when is the start of the season?", False),
        ("womit mache ich ihm im Sommer eine Freude?", False),
        ("Was muss vor Weihnachten fertig sein?", False),
        ("who has to be told first?", False),
        ("who has to be told before the party?", False),
        ("which forms are needed before the exam?", False),
        ("what do we do in summer?", False),
        ("which part of the used crib do we have to buy?", False),
        ("what should I check before I deploy?", False),
        ("was ist vorher zu tun?", False),
        ("que dois-je vérifier avant de partir?", False),
        ("who is our doctor?", False),
    ],
)
def test_before_asks_for_the_past_only_where_something_is_over(question: str, past: bool) -> None:
    assert asks_past(question) is past


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what did the doctor say in April?", TimeWords("april", names=("april", "april"))),
        ("what happened in May 2025?", TimeWords("may 2025", names=("may", "may"))),
        ("what did we spend in 2025?", TimeWords("2025", names=("2025",))),
        ("what did I do last week?", TimeWords("last week")),
        ("who called yesterday?", TimeWords("yesterday")),
        ("who called two days ago?", TimeWords("two days ago")),
        ("when was it open before June?", TimeWords("june", before=True, names=("june", "june"))),
        ("what changed since March?", TimeWords("march", since=True, names=("march", "march"))),
        ("was sagte der Arzt im März?", TimeWords("march", names=("märz", "march"))),
        ("was war letzte Woche los?", TimeWords("last week")),
        ("may I park here?", None),
        ("how do I march in step?", None),
        ("where is room 2025?", None),
        ("who is our doctor?", None),
    ],
)
def test_the_time_that_a_question_names_is_found(question: str, found: TimeWords | None) -> None:
    assert find_time(question) == found


@pytest.mark.parametrize(
    ("question", "words", "side"),
    [
        ("wo haben wir im Jahr 2024 gewohnt?", "2024", ""), ("wo haben wir 2024 gewohnt?", "2024", ""),
        ("où habitions-nous pendant l'année 2024 ?", "2024", ""), ("¿dónde vivíamos en el año 2024?", "2024", ""),
        ("dove abitavamo nel 2024?", "2024", ""), ("onde morávamos no ano de 2024?", "2024", ""),
        ("waar woonden we in het jaar 2024?", "2024", ""), ("где мы жили в 2024 году?", "2024", ""),
        ("2024年我们住在哪里?", "2024", ""), ("2024年6月我们在哪里?", "2024-06", ""),
        ("2024年以前谁是老板?", "2024", "before"), ("prima del 2024 chi era il capo?", "2024", "before"),
        ("chi è il capo dal 2024?", "2024", "since"), ("2024年以来谁是老板?", "2024", "since"),
        ("¿dónde estuvimos en junio de 2024?", "june 2024", ""), ("quanto costa quest'anno?", "this year", ""),
        ("où habitions-nous il y a deux ans ?", "2 years ago", ""), ("wat kost het dit jaar?", "this year", ""),
        ("brauchen wir 2024 Schrauben?", None, ""), ("qui a 2024 points ?", None, ""), ("2024年版の仕様は?", None, ""),
    ],
)  # fmt: skip
def test_a_year_is_named_as_each_language_says_it(question: str, words: str | None, side: str) -> None:
    found = find_time(question)
    told = None if found is None else (found.words, "before" if found.before else "since" if found.since else "")
    assert told == (None if words is None else (words, side))


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("anything about Henrike", "Henrike"),
        ("Tell me about Imkerei Holm.", "Imkerei Holm"),
        ("what do you know about the chess club?", "the chess club"),
        ("do you have anything on the boiler?", "the boiler"),
        ("Was weißt du über Oluf?", "Oluf"),
        ("what is the fee of the club?", "what is the fee of the club?"),
        ("tell me who paid", "tell me who paid"),
    ],
)
def test_what_is_asked_about_is_what_counts(question: str, subject: str) -> None:
    assert subject_of(question) == subject


@pytest.mark.parametrize(
    "text",
    [
        "what is the wifi password", "who wrote the parser", "which server runs the queue", "how many users do we have",
        "wo liegt der Schlüssel", "wer hat den Schlüssel", "was kostet die Miete", "où se trouve la clé",
        "dónde está la llave", "donde esta la llave", "quanto costa l'abbonamento", "onde está a chave",
        "waar staat de fiets", "где лежит ключ", "как зовут сантехника", "密码是什么", "钥匙在哪里", "鍵はどこ",
    ],
)  # fmt: skip
def test_a_question_is_one_without_a_mark_too(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "How to deploy: run make ship", "How Tom deploys the app", "Wo der Schlüssel liegt: unter der Matte",
        "When in doubt restart the router", "When Mira comes we eat at seven", "Who has the keys is Mira",
        "What is due in May is paid by Tom", "Wie besprochen kommt Tom am Montag", "Wo Tom wohnt",
        "Quand il pleut le toit fuit", "Quando piove il cane resta dentro", "Chi arriva tardi lava i piatti",
        "Cuando llueve cerramos el tejado", "Когда идёт дождь крыша течёт", "没什么特别的", "谁都可以进来",
        "Which port is used by staging 8081", "When does the gym open 6am", "how long does the bread bake 40 minutes",
        "Where do we keep passports → blue folder", "who is the dentist Dr Weiss", "Wie viel kostet der Kurs 40 Euro",
    ],
)  # fmt: skip
def test_what_begins_like_a_question_and_tells_something_is_none(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize("name", "|".join([*MONTHS, *DAYS, *MONTHS.values(), *DAYS.values()]).split("|"))
def test_a_month_or_day_by_any_name_is_seen_before_the_pattern_for_times_is_compiled(name: str) -> None:
    pattern = name.replace("(?:[- ]feira)?", "")
    written = re.sub(r"\[(.).*?\]", r"\1", pattern)
    for said in (written.replace("?", ""), re.sub(".[?]", "", written), written.replace("?", "").upper()):
        assert any(sign in said.casefold() for sign in SIGNS)


def test_a_question_without_a_time_is_known_as_such_by_its_words() -> None:
    program = (
        "from recollect.retrieve import period\n"
        "print(period.find_time('where do we keep the spare key?'), 'finditer' in vars(period._TIME))\n"
        "print(period.find_time('what did we pay in May?').words, 'finditer' in vars(period._TIME))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "None False\nmay True\n"
