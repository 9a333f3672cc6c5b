"""What is a time called in the languages that people write in, and what is that in English?

Days, months, and a few phrases ("la semaine dernière", "vor drei Tagen", "上周"). Each is put into the English words
that are read as a time; what is in no table stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.pattern import pattern_of

MONTHS = {
    "january": "januar|jänner|janvier|enero|gennaio|janeiro|januari|январ[ьяе]",
    "february": "februar|février|febrero|febbraio|fevereiro|februari|феврал[ьяе]",
    "march": "märz|mars|marzo|março|maart|марта?|марте",
    "april": "avril|abril|aprile|апрел[ьяе]",
    "may": "mai|mayo|maggio|maio|mei|ма[йяе]",
    "june": "juni|juin|junio|giugno|junho|июн[ьяе]",
    "july": "juli|juillet|julio|luglio|julho|июл[ьяе]",
    "august": "août|agosto|augustus|августа?|августе",
    "september": "septembre|septiembre|settembre|setembro|сентябр[ьяе]",
    "october": "oktober|octobre|octubre|ottobre|outubro|октябр[ьяе]",
    "november": "novembre|noviembre|novembro|ноябр[ьяе]",
    "december": "dezember|décembre|diciembre|dicembre|dezembro|декабр[ьяе]",
}
DAYS = {
    "monday": "montag|lundi|lunes|lunedì|segunda(?:[- ]feira)?|maandag|понедельник|星期一|周一|週一|月曜日?",
    "tuesday": "dienstag|mardi|martes|martedì|terça(?:[- ]feira)?|dinsdag|вторник|星期二|周二|週二|火曜日?",
    "wednesday": "mittwoch|mercredi|miércoles|mercoledì|quarta(?:[- ]feira)?|woensdag|сред[ау]|星期三|周三|週三|水曜",
    "thursday": "donnerstag|jeudi|jueves|giovedì|quinta(?:[- ]feira)?|donderdag|четверг|星期四|周四|週四|木曜日?",
    "friday": "freitag|vendredi|viernes|venerdì|sexta(?:[- ]feira)?|vrijdag|пятниц[ау]|星期五|周五|週五|金曜日?",
    "saturday": "samstag|sonnabend|samedi|sábado|sabato|zaterdag|суббот[ау]|星期六|周六|週六|土曜日?",
    "sunday": "sonntag|dimanche|domingo|domenica|zondag|воскресенье|星期[日天]|周日|週日|日曜日?",
}
NEAR_DAYS = {
    "today": "heute|aujourd hui|hoy|oggi|hoje|vandaag|сегодня|今天|今日",
    "yesterday": "gestern|hier|ayer|ieri|ontem|gisteren|вчера|昨天|昨日|きのう",
    "the day before yesterday": "vorgestern|avant hier|anteayer|antes de ayer|l altro ieri|altro ieri|anteontem"
    "|eergisteren|позавчера|前天|一昨日|おととい",
    "tomorrow": "morgen|demain|mañana|domani|amanhã|завтра|明天|明日",
}
_LAST = (
    r"letzten?[srm]?|vorig(?:en?)?[srm]?|vergangenen?[srm]?|afgelopen|прошл(?:ой|ая|ую|ом|ый|ого)"
    r"|上个?|上個?|先"
)
_THIS = r"diesen?[srm]?|dieser|cette|ce|esta|este|quest[ao]?|deze|dit|эт(?:ой|а|у|ом|от)|这个?|這個?|本|今"
_NEXT = r"nächsten?[srm]?|kommenden?[srm]?|volgende|следующ(?:ей|ая|ую|ем|ий)|下个?|下個?|来"
_LAST_AFTER = r"dernière|dernier|passée?|pasad[ao]|scors[ao]|passad[ao]"
_NEXT_AFTER = r"prochaine?|que viene|próxim[ao]|prossim[ao]|que vem"
_UNITS = {
    "week": r"woche|semaine|semana|settimana|week|недел[еяюи]|周|週間?|星期|礼拜",
    "month": r"monats?|mois|mes|mese|mês|maand|месяц[ае]?|月",
    "year": r"jahre?s?|année|an|año|anno|ano|jaar|год[уа]?|年",
}
_COUNTED = {
    "day": r"tage?n?|jours?|días?|giorn[oi]|dias?|dag(?:en)?|день|дн(?:я|ей)|天|日",
    "week": r"wochen?|semaines?|semanas?|settiman[ae]|weken|week|недел[июья]|недель|周|週間|星期",
    "month": r"monate?n?|mois|mes(?:es)?|mes[ei]|mês|meses|maand(?:en)?|месяц(?:а|ев)?|个月|個月|か月|ヶ月",
    "year": r"jahre?n?|ans?|années?|años?|ann[oi]|anos?|jaar|jaren|год[а]?|лет|年",
}
_NUMBERS = {
    1: "ein(?:e[mnr]?)?|une?|un[ao]?|um|uma|een|один|одну|一|1", 2: "zwei|deux|dos|due|dois|duas|twee|дв[ае]|两|兩|二",
    3: "drei|trois|tres|tre|três|drie|три|三", 4: "vier|quatre|cuatro|quattro|quatro|четыре|四",
    5: "fünf|cinq|cinco|cinque|vijf|пять|五", 6: "sechs|six|seis|sei|zes|шесть|六",
}  # fmt: skip
_ARTICLE = (
    r"(?:(?:im|in der|in den|am|den|dem|der|die|das|"
    r"le|la|l|el|los|il|lo|o|a|na|no|nell|nel|nella|het|de|в|на|во) )?"
)
_AT = r"(?:(?:im|in|en|au|mois de|a|ad|à|em|no|в|во|op|am|om|on) )?"
_IN_YEAR = (
    r"(?:in|im|en|nel|nell|em|no|в|во|pendant|durante?|während) (?:(?:dem|des|l|el|het|o) )?"
    r"(?:(?:jahre?s?|année|an|año|anno|ano|jaar)(?: de)? )?|(?:l )?(?:jahr|année|año|anno|ano|jaar) "
)
_FRENCH = pattern_of(r"\b(?:qu|que|quoi|quel\w*|est|ai|avons|avez|nous|vous|je|le|la|les|fait|dit|où|quand|depuis)\b")
_SPACES = pattern_of(r"[\s'’\u00a0-]+")


def _any(table: dict[str, str] | dict[int, str], name: str) -> str:
    return "|".join(f"(?P<{name}{at}>{others})" for at, others in enumerate(table.values()))


def _phrases() -> tuple[str, ...]:
    """Patterns of times that are counted from today."""
    unit, counted, number = _any(_UNITS, "unit"), _any(_COUNTED, "counted"), _any(_NUMBERS, "number")
    day, near, count = _any(DAYS, "day"), _any(NEAR_DAYS, "near"), rf"(?:(?P<count>\d+)|{number})"
    return (
        rf"(?:{near})",
        rf"{_ARTICLE}(?:(?P<last>{_LAST})|(?P<this>{_THIS})|(?P<next>{_NEXT})) ?(?:{unit}|{day})(?: ci)?",
        rf"{_ARTICLE}(?:{unit}|{day}) (?:(?P<last>{_LAST_AFTER})|(?P<next>{_NEXT_AFTER}))",
        r"(?P<year>去年|(?<!一)昨年|今年|来年|明年)",
        rf"(?:vor|il y a|hace|h[áa]) {count} (?:{counted})(?: atrás)?",
        rf"{count} ?(?:{counted}) ?(?:fa|geleden|назад|前|以前|atrás)",
    )


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compiled when words are there that are not English: patterns of many scripts take a while."""
    month, day = _any(MONTHS, "month"), _any(DAYS, "day")
    dates = (
        rf"{_AT}(?:{_ARTICLE})(?:{day})",
        rf"{_AT}(?:(?P<first>\d{{1,2}})\.? (?:de )?)?(?:{month})(?: (?:de |del )?(?P<of>\d{{4}}))?",
        rf"(?:{_IN_YEAR})?(?P<only>(?:19|20)\d\d)(?: ?(?:г|год[уа]?|年[にはの]?))?",
        r"(?:(?P<of>\d{4})年)?(?P<han>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?(?:(?P<first>\d{1,2})[日号])?",
    )
    return tuple(map(re.compile, (*_phrases(), *dates)))


@cache
def _within() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(rf"(?:(?<=[^\w])|^|(?<=[\u3040-\u9fff]))(?:{one})(?![^\W\u3040-\u9fff])") for one in _phrases()
    )


_HAN = "一二三四五六七八九十"
_YEARS = {"去年": "last year", "昨年": "last year", "今年": "this year", "来年": "next year", "明年": "next year"}


def in_english(words: str) -> str:
    """Words for a time in English; what is not known as such stays as it is."""
    said = _plain(words)
    found = next((found for pattern in _patterns() if (found := pattern.fullmatch(said))), None)
    return words if found is None else _told(found)


_TELLING = pattern_of(
    r"\b(?:heute|vor\w*|letzt\w*|dies\w*|nächst\w*|gestern|semaine|mois|an|année|hier|jours|semana|mes|año|ayer|hoy|hace"
    r"|settimana|mese|anno|ieri|oggi|fa|mês|ano|ontem|hoje|há|atrás|afgelopen|deze|gisteren|vandaag|geleden|passad[ao]"
    r"|pasad[ao]|dernière?|scors[ao]|aujourd|ans|années|dit|quest)\b|недел|месяц|год|вчера|сегодня|назад|[周週月年昨今先前]|星期"
)  # one of these is in every such phrase, and looking for them takes no time


def find_phrase(question: str) -> str | None:
    """In English, the first words of a question in another language that say a time counted from today."""
    said = _plain(question)
    if not _TELLING.search(said):
        return None
    for pattern in _within():
        for found in pattern.finditer(said):
            if found[0] == "morgen" or (found[0] == "hier" and not _FRENCH.search(said)):
                continue  # it is the morning, or "here"
            return _told(found)
    return None


def _plain(words: str) -> str:
    return _SPACES.sub(" ", words.casefold()).strip()


def _told(found: re.Match[str]) -> str:
    has = found.groupdict()
    if has.get("only"):
        return found["only"]
    if has.get("year"):
        return _YEARS[found["year"]]
    if has.get("han"):
        month = _place(found["han"])
        return " ".join(filter(None, (has.get("first"), list(MONTHS)[month - 1], has.get("of"))))
    if month := _which(has, "month", MONTHS):
        return " ".join(filter(None, (has.get("first"), month, has.get("of"))))
    if near := _which(has, "near", NEAR_DAYS):
        return near
    if counted := _which(has, "counted", _COUNTED):
        count = has.get("count") or _which(has, "number", {str(one): "" for one in _NUMBERS})
        return f"{count} {counted}s ago"
    step = next((step for step in ("last", "this", "next") if has.get(step)), None)
    named = _which(has, "unit", _UNITS) or _which(has, "day", DAYS)
    return f"{step} {named}" if step else str(named)


def _which(has: dict[str, str | None], name: str, table: dict[str, str]) -> str | None:
    return next((english for at, english in enumerate(table) if has.get(f"{name}{at}")), None)


def _place(month: str) -> int:
    """The number of a month that is written in digits or in characters."""
    return int(month) if month.isdigit() else sum(_HAN.index(one) + 1 for one in month)
