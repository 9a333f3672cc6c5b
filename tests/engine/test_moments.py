"""Is a time understood as people write it?"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect import Memory
from recollect.engine.moments import read_moment

NOW = datetime(2026, 11, 15, 14, 30, tzinfo=UTC)  # a Sunday


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("yesterday", "2026-11-14", "2026-11-14"),
        ("Today", "2026-11-15", "2026-11-15"),
        ("tomorrow", "2026-11-16", "2026-11-16"),
        ("last week", "2026-11-02", "2026-11-08"),
        ("this month", "2026-11-01", "2026-11-30"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("3 days ago", "2026-11-12", "2026-11-12"),
        ("two weeks  ago", "2026-11-01", "2026-11-01"),
        ("a month ago", "2026-10-15", "2026-10-15"),
        ("in 3 days", "2026-11-18", "2026-11-18"),
        ("friday", "2026-11-13", "2026-11-13"),
        ("last sunday", "2026-11-08", "2026-11-08"),
        ("sunday", "2026-11-15", "2026-11-15"),
        ("next mon", "2026-11-16", "2026-11-16"),
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2026-05-10", "2026-05-10", "2026-05-10"),
        ("march", "2026-03-01", "2026-03-31"),
        ("December", "2025-12-01", "2025-12-31"),
        ("Mar 2025", "2025-03-01", "2025-03-31"),
        ("5 March 2026", "2026-03-05", "2026-03-05"),
        ("March 5, 2026", "2026-03-05", "2026-03-05"),
    ],
)
def test_a_stretch_of_time_has_a_first_and_a_last_moment(words: str, first: str, last: str) -> None:
    begin, end = read_moment(words, NOW), read_moment(words, NOW, end=True)
    assert begin == datetime.fromisoformat(f"{first}T00:00:00+00:00")
    assert end == datetime.fromisoformat(f"{last}T23:59:59.999999+00:00")


IN_TEN_LANGUAGES = {
    ("2026-11-15", "2026-11-15"): "heute|aujourd'hui|hoy|oggi|hoje|vandaag|сегодня|今天|今日",
    ("2026-11-14", "2026-11-14"): "gestern|hier|ayer|ieri|ontem|gisteren|вчера|昨天|昨日",
    ("2026-11-13", "2026-11-13"): "vorgestern|avant-hier|anteayer|eergisteren|позавчера|前天|一昨日|am Freitag|viernes",
    ("2026-11-02", "2026-11-08"): "letzte Woche|letzter Woche|la semaine dernière|la semana pasada|la settimana scorsa"
    "|semana passada|na semana passada|vorige week|afgelopen week|на прошлой неделе|上周|上星期|先週",
    (
        "2026-10-01",
        "2026-10-31",
    ): "letzten Monat|im letzten Monat|le mois dernier|el mes pasado|il mese scorso|mês passado"
    "|vorige maand|в прошлом месяце|上个月|先月",
    ("2025-01-01", "2025-12-31"): "letztes Jahr|l'année dernière|l'an dernier|el año pasado|l'anno scorso|ano passado"
    "|vorig jaar|в прошлом году|去年|昨年",
    (
        "2026-11-09",
        "2026-11-15",
    ): "diese Woche|cette semaine|esta semana|questa settimana|deze week|на этой неделе|这周|今週",
    ("2026-11-12", "2026-11-12"): "vor 3 Tagen|vor drei Tagen|il y a 3 jours|hace tres días|3 giorni fa|há 3 dias"
    "|3 dagen geleden|3 дня назад|3天前|3日前",
    ("2026-03-01", "2026-03-31"): "März|im März|mars|en mars|marzo|en marzo|março|maart|в марте|3月|三月",
    ("2026-08-01", "2026-08-31"): "August|août|agosto|augustus|август|8月|八月",
    ("2025-06-01", "2025-06-30"): "Juni 2025|juin 2025|junio de 2025|giugno 2025|junho de 2025|июнь 2025|2025年6月",
    ("2026-03-05", "2026-03-05"): "5. März 2026|5 mars 2026|5 de marzo de 2026|5 marzo 2026|5 maart 2026|3月5日",
}


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [(words, *stretch) for stretch, all_words in IN_TEN_LANGUAGES.items() for words in all_words.split("|")],
)
def test_a_stretch_is_understood_in_ten_languages(words: str, first: str, last: str) -> None:
    begin, end = read_moment(words, NOW), read_moment(words, NOW, end=True)
    assert (begin, end) == tuple(
        datetime.fromisoformat(f"{day}T{hour}+00:00") for day, hour in ((first, "00:00:00"), (last, "23:59:59.999999"))
    )


@pytest.mark.parametrize(
    ("words", "moment"),
    [("now", NOW), ("2 hours ago", NOW.replace(hour=12)), ("2026-11-15 12:30", NOW.replace(hour=12))],
)
def test_a_moment_is_the_same_at_both_ends(words: str, moment: datetime) -> None:
    assert read_moment(words, NOW) == read_moment(words, NOW, end=True) == moment


@pytest.mark.parametrize(
    "words",
    ["", "soon", "3 apples ago", "many days ago", "last banana", "12", "5 March 6", "٣ days ago", "２０２６-03"],
)
def test_what_means_no_time_is_none(words: str) -> None:
    assert read_moment(words, NOW) is None


@pytest.mark.parametrize("words", ["2026-13", "2026-02-30", "30 february"])
def test_a_day_that_there_is_not_is_an_error(words: str) -> None:
    with pytest.raises(ValueError, match=r"must be in|out of range"):
        read_moment(words, NOW)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What happened in June 2024?", ["Tom went to Oslo.", "The barn roof was mended."]),
        ("what did we do on 12 June 2024?", ["The barn roof was mended."]),
        ("What is new since August 2024?", ["We painted the hall."]),
        ("what happened in May 2019?", []),
    ],
)
def test_what_happened_at_some_time_is_answered_by_what_is_of_that_time(
    memory: Memory, question: str, found: list[str]
) -> None:
    memory.remember("The barn roof was mended.", event_time="2024-06-12T10:00:00Z")
    memory.remember("Tom went to Oslo.", event_time="2024-06-20T10:00:00Z")
    memory.remember("We painted the hall.", event_time="2024-08-03T10:00:00Z")
    answer = memory.recall(question, min_score=0.3)
    assert [hit.record.text for hit in answer] == found


def test_the_last_of_a_month_is_that_which_is_over() -> None:
    now = datetime(2026, 11, 19, 12)
    assert read_moment("last march", now) == read_moment("2026-03", now)
    assert read_moment("last november", now) == read_moment("2025-11", now)
    assert read_moment("last 3 march", now) is None
