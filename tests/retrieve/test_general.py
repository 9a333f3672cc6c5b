"""Are general questions told from those for something in particular?"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from re import _parser  # type: ignore[attr-defined]  # how a pattern is built, which only it knows
from typing import Any

import pytest

from recollect.retrieve import general
from recollect.retrieve.general import OneOf, asked_of_a_time, asked_section, asks_generally

GENERAL = """
what should I know?
What should I know about this project?
what do you know about this project?
What do you know about me?
what do you remember?
What do we know about the project
tell me everything you know
tell me about this project
Tell me a bit about the codebase.
describe this repo
where do we stand?
what's in your memory?
Erzähl mir etwas über dieses Projekt
Parle-moi de ce projet
Háblame de este proyecto
Parlami di questo progetto
Vertel me iets over dit project
Расскажи о проекте
介绍一下这个项目
Hey, what should I know before I start?
please brief me
give me an overview of this project
Give me a quick summary
catch me up
bring me up to speed
is there anything I should know?
anything important?
what's important here?
what is new?
whats new
what's changed?
tell me everything important
what changed recently?
what has changed lately?
any news?
Was hat sich zuletzt geändert?
Gibt es etwas Wichtiges?
Where did we leave off?
what have you learned so far?
what do I need to know?
what must I keep in mind?
Do you remember anything about me?
show me what you know
what is known about this codebase?
Was sollte ich wissen?
Was muss ich über dieses Projekt wissen?
Was weißt du über mich?
Was weißt du über dieses Projekt?
Gib mir einen Überblick
Was gibt es Neues?
Woran erinnerst du dich?
Que dois-je savoir ?
Qu'est-ce que je dois savoir sur ce projet ?
Que sais-tu de moi ?
Quoi de neuf ?
¿Qué debería saber?
¿Qué sabes sobre este proyecto?
Ponme al día, por favor
Cosa devo sapere?
Cosa sai di questo progetto?
O que devo saber?
O que você sabe sobre este projeto?
tell me everything
Show me everything, please!
everything
remind me of everything
Summarize what you know
summarise everything you know about this project
What have I told you so far?
what is in your memory?
Is there anything I should keep in mind?
anything to remember?
Erzähl mir alles
Wat moet ik weten?
Wat weet je over dit project?
Co powinienem wiedzieć?
Co wiesz o tym projekcie?
Что мне нужно знать?
Что ты знаешь об этом проекте?
Что нового?
Ne bilmeliyim?
Bu proje hakkında ne biliyorsun?
我应该知道什么？
关于这个项目你知道什么？
你记得什么？
有什么重要的吗？
何を知っておくべきですか？
このプロジェクトについて知っていること
내가 알아야 할 것은?
이 프로젝트에 대해 뭘 알고 있어?
मुझे क्या पता होना चाहिए?
मुझे क्या मालूम होना चाहिए?
हमें क्या जानना चाहिए?
इस प्रोजेक्ट के बारे में मुझे क्या पता होना चाहिए?
ماذا تعرف عن هذا المشروع؟
"""
PARTICULAR = """
what should I know about deploys?
What should I know about Mira?
what do you know about Kafka?
what do you know about the gateway's tokens?
what do you remember about our trip to Rome?
what did we decide?
what did we decide about the database?
What is this project's license?
what is the port of the gateway?
what's new in release 2.4?
what is important for Anna?
is there anything new from the landlord?
what should we do about the flaky test?
what do I need to know to renew the passport?
tell me about Mira
tell me about the project plan
describe the project of Mira
Erzähl mir etwas über Lissabon
tell me everything about the invoice bug
give me a summary of the meeting with Acme
an overview of the payment flow
where did we leave the keys?
where were we on 3 May?
catch block style
brief for the Acme pitch
who should I ask about the budget?
what do we use for logging?
what should I cook?
tell me everything about Lotte
show me everything from May
summarize what you know about Kafka
what did I tell you about the boiler?
what is in the red crate?
anything to remember for the flight?
everything is broken
remember the milk
how do I get up to speed on Rust?
what have we learned about caching?
what matters to Jonas in a review?
when is the standup?
project deadline
this project
important
overview page route
Was sollte ich über Kafka wissen?
Was weißt du über die Gateway-Tokens?
Was ist wichtig beim Deployen?
Was gibt es zum Mittagessen?
Was muss ich für den Umzug wissen?
Que sais-tu de Kafka ?
Que dois-je acheter ?
¿Qué sabes de Mira?
¿Qué debo comprar?
Cosa devo comprare?
Cosa sai di Kafka?
O que você sabe sobre Kafka?
Wat weet je over Kafka?
Co wiesz o Kafce?
Что ты знаешь о Кафке?
Что мне купить?
Kafka hakkında ne biliyorsun?
你知道网关的端口是什么吗？
网关的端口是什么？
我应该什么时候部署？
ゲートウェイのポートは何ですか？
게이트웨이 포트가 뭐야?
كيف أنشر التطبيق؟
"""


@pytest.mark.parametrize("question", GENERAL.strip().splitlines())
def test_a_question_for_whatever_is_worth_knowing_is_general(question: str) -> None:
    assert asks_generally(question)


@pytest.mark.parametrize("question", PARTICULAR.strip().splitlines())
def test_a_question_for_something_is_not_general(question: str) -> None:
    assert not asks_generally(question)


@pytest.mark.parametrize(
    ("question", "time", "since"),
    [
        ("What happened in June?", "june", False),
        ("what did we do last week?", "last week", False),
        ("What happened on 12 June 2025?", "12 june 2025", False),
        ("show me everything from yesterday", "yesterday", False),
        ("what have we done since Monday?", "monday", True),
        ("What's new since last week?", "last week", True),
        ("anything from March?", "march", False),
        ("Was ist letzte Woche passiert?", "letzte woche", False),
        ("Was haben wir gestern gemacht?", "gestern", False),
        ("was war im Juni los?", "im juni", False),
        ("Was gab es Neues seit Montag?", "montag", True),
        ("Que s'est-il passé la semaine dernière ?", "la semaine dernière", False),
        ("Qu'avons-nous fait hier ?", "hier", False),
        ("quoi de neuf depuis lundi ?", "lundi", True),
        ("¿Qué pasó en junio?", "en junio", False),
        ("¿Qué ha pasado desde el lunes?", "el lunes", True),
        ("Cosa abbiamo fatto ieri?", "ieri", False),
        ("O que aconteceu na semana passada?", "na semana passada", False),
        ("Wat is er vorige week gebeurd?", "vorige week", False),
        ("Что случилось в июне?", "в июне", False),
        ("上周发生了什么？", "上周", False),
        ("6月に何がありましたか？", "6月", False),
    ],
)
def test_whatever_happened_at_some_time_is_asked_of_that_time(question: str, time: str, since: bool) -> None:
    assert asked_of_a_time(question) == (time, since)


@pytest.mark.parametrize("question", ["who moved in June?", "what happened", "when did we meet last week?", "x" * 500])
def test_a_question_for_something_is_not_asked_of_a_time(question: str) -> None:
    assert asked_of_a_time(question) is None


FORBIDDEN = """
what is forbidden?
What's forbidden here?
what am I not allowed to do?
what are we not allowed to do?
what must I not do?
What mustn't I do?
what can't we do here?
what is not allowed?
what should I avoid?
is anything forbidden?
was ist verboten?
Was darf ich hier nicht?
was darf man nicht tun?
qu'est-ce qui est interdit ?
que ne dois-je pas faire ?
¿qué está prohibido?
¿qué no puedo hacer?
cosa è vietato?
cosa non posso fare?
o que é proibido?
o que não posso fazer?
wat is verboden?
wat mag ik niet doen?
co jest zabronione?
czego nie wolno?
что запрещено?
что нельзя делать?
ne yasak?
什么是禁止的？
我不能做什么？
禁止されていることは何ですか？
してはいけないことは何ですか？
뭐가 금지야?
क्या मना है?
मुझे क्या नहीं करना चाहिए?
ما الممنوع؟
"""
FORBIDDEN_THERE = (
    "what is forbidden in the lab?", "what am I not allowed to eat?", "what is banned on the balcony?", "forbidden",
    "was ist im Labor verboten?", "what should I avoid in Rome?", "¿qué está prohibido en el parque?",
    "what is allowed on the plane?", "什么食物是禁止的？",
)  # fmt: skip


@pytest.mark.parametrize("question", FORBIDDEN.strip().splitlines())
def test_what_is_forbidden_is_asked_of_the_rules(question: str) -> None:
    assert asked_section(question) == "rules"


def test_what_is_forbidden_somewhere_is_searched_for() -> None:
    assert [question for question in FORBIDDEN_THERE if asked_section(question)] == []


def say(parsed: Iterable[tuple[Any, Any]], rng: random.Random) -> str:
    """Something that a pattern matches."""
    return "".join(_say_part(kind, what, rng) for kind, what in parsed)


def _say_part(kind: Any, what: Any, rng: random.Random) -> str:
    match str(kind):
        case "LITERAL":
            return chr(what)
        case "SUBPATTERN":
            return say(what[3], rng)
        case "BRANCH":
            return say(rng.choice(what[1]), rng)
        case "MAX_REPEAT":
            least, most, some = what
            return "".join(say(some, rng) for _ in range(rng.randint(least, min(int(most), least + 2))))
        case "IN":
            return chr(rng.choice(what)[1])
        case _:
            raise ValueError(kind)


@pytest.mark.parametrize("ways", [general.GENERAL, *general.OF_SECTIONS.values()])
def test_no_question_that_a_pattern_knows_is_dismissed_by_its_words(ways: Sequence[str]) -> None:
    rng, one = random.Random(7), OneOf(ways)
    parsed = [_parser.parse(OneOf((way,)).source) for way in ways]
    said = [say(some, rng) for some in parsed for _ in range(150)]
    assert [words for words in said if not one.matches(words)] == []


def test_a_question_about_something_is_dismissed_before_a_pattern_is_compiled() -> None:
    compiled = OneOf(general.GENERAL)
    assert not compiled.matches("where is the blue bicycle kept")
    assert "fullmatch" not in vars(compiled.pattern)
