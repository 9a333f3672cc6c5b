"""Is something older left out only for what surely says otherwise, and for no question, doubt or rule beside it?"""

from __future__ import annotations

import pytest

from recollect.retrieve.asking import only_asks
from recollect.retrieve.contradict import contradicts

STATE_NOTHING = """
The dev server listens on port 5173.|What port does the dev server listen on?
The dev server listens on port 5173.|which port does the dev server listen on
The dev server listens on port 5173.|Hey, does the dev server listen on port 8080? Or is it another port by now?
The dev server listens on port 5173.|Perhaps the dev server should listen on port 8080.
Billing uses Postgres 16.|Which database does billing use?
Billing uses Postgres 16.|Does billing use MySQL 8 now?
Billing uses Postgres 16.|Maybe billing should use MySQL one day
Billing uses Postgres 16.|Billing might use MySQL 8 instead.
Mira is back on Monday.|When is Mira back?
Mira is back on Monday.|when is Mira back
Mira is back on Monday.|Not sure, Mira is possibly back on Tuesday.
The standup is at 9:15.|Is the standup at 10:00 now?
Das Büro schließt um 18 Uhr.|Wann schließt das Büro?
Das Büro schließt um 18 Uhr.|Vielleicht schließt das Büro jetzt um 20 Uhr.
Le code du portail est 4821.|Quel est le code du portail ?
La reunión semanal es los martes.|¿La reunión semanal es los jueves?
""".strip().splitlines()
STAND_TOGETHER = """
Never commit secrets to the repository.|Never commit generated files to the repository.
Never commit secrets to the repository.|Never commit binaries to the repository.
Do not push to main on Fridays.|Do not push to release on Fridays.
Don't log tokens in production.|Don't log passwords in production.
No meetings on Mondays before ten.|No meetings on Fridays before ten.
Always run the tests before a commit.|Always run the linter before a commit.
Always answer in German.|Always answer in short sentences.
Always answer in German.|Always answer with sources.
Always answer in German in mails.|Always answer in English in tickets.
Always translate the release notes into German.|Always translate the release notes into English.
Always test the build with npm.|Always test the build with yarn.
Always test on dark screens in Berlin.|Always test on light screens in Oslo.
Always run the suite in Chrome.|Always run the suite in Firefox.
Never answer in German.|Never answer in French.
Antworte immer auf Deutsch.|Antworte immer in kurzen Sätzen.
Every pull request must have a test.|Every pull request must have a description.
Immer die Tests vor einem Commit laufen lassen.|Immer den Linter vor einem Commit laufen lassen.
Nie Passwörter ins Repository legen.|Nie Binärdateien ins Repository legen.
Toujours lancer les tests avant un commit.|Toujours lancer le linter avant un commit.
We decided that module m01 is owned by team T01.|We decided that module m02 is owned by team T02.
We decided that module m01 is owned by team Atlas.|We decided that module m02 is owned by team Atlas.
Module m01 is owned by team T01.|Module m02 is owned by team T02 now.
Host eu-1 has 16 GB of memory.|Host us-2 has 32 GB of memory.
Alarm code at Millgate: 5518.|Alarm code at Harbour Row: 7302.
Alarm code at Millgate: 5518.|Alarm code at Station Arcade was changed to 1949.
Signe wears shoe size 31.|Ottilie wears shoe size 26 now, she jumped two sizes over the summer.
Confocal microscope: 18 euros an hour.|Light-sheet microscope: 35 euros an hour from now on.
Logs of the payments namespace are kept for 90 days.|Logs of the search namespace are now kept for 14 days only.
We sell the cinnamon knots at 2.80.|We sell the cardamom buns at 3.10 from now on.
The seeded loaf bakes 38 minutes at 220 degrees.|The olive stick now bakes 22 minutes at 230 degrees.
Visa for Vietnam: apply online, takes 5 working days.|Visa for Tanzania: apply online, takes 15 working days.
Default branch in the Cairn repo is trunk.|Default branch in the Tidepool repo was renamed, it is main now.
Old red open harbour boats of Anna lie near quay Oslo.|Old red open harbour boats of Bilal lie near quay Turin.
""".strip().splitlines()
CONTRADICT = """
Standup is at 9:15|standup is at 10:00
The dev server runs on port 8080|the dev server runs on port 9090
The dev server runs on port 8080.|Do you see it? The dev server runs on port 9090.
Billing uses Postgres 16.|Billing uses Postgres 17.
Billing is owned by team T01.|Billing is owned by team T02.
Always answer in German.|Always answer in English now.
Always answer in German.|Always answer in English.
Always answer in German.|Always answer in English, please.
Always reply to me in French.|Always reply to me in Spanish.
Always write commit messages in German.|Always write commit messages in English.
Antworte immer auf Deutsch.|Antworte immer auf Englisch.
Réponds toujours en français.|Réponds toujours en anglais.
Responde siempre en español.|Responde siempre en inglés.
Rispondi sempre in italiano.|Rispondi sempre in inglese.
Всегда отвечай по-русски.|Всегда отвечай по-английски.
Always use tabs for indentation.|Always use spaces for indentation.
Always use npm in this project.|Always use pnpm in this project.
Always use pip for Python packages.|Always use uv for Python packages.
Strings must use single quotes.|Strings must use double quotes.
Always keep answers short.|Always keep answers long.
Always use British spelling.|Always use American spelling.
Unit tests must not touch the network.|Unit tests may touch the network.
Never deploy after 16:00.|Never deploy after 15:00.
Passwords must have 12 characters.|Passwords must have 16 characters.
Helena leads the platform team.|Helena no longer leads the platform team.
Our CI runs on Jenkins.|Our CI runs on GitHub Actions.
Our dentist is Dr. Weiss.|Our dentist is Dr. Albrecht now.
Das Büro schließt um 18 Uhr.|Das Büro schließt um 20 Uhr.
Logs of the payments namespace are kept for 90 days.|Auditors were here: payments namespace logs are kept 400 days.
Signe's teacher this year is Mrs Abernathy.|Signe's teacher this year is Mr Lindqvist.
Locker is number 214, combination 18-32-7.|After the flooding my locker is 88, same combination.
Lotte swims on Saturday at ten, Finn plays football on Sunday at nine.|Finn's football moved to Saturday at eleven.
""".strip().splitlines()


@pytest.mark.parametrize("pair", STATE_NOTHING)
def test_a_question_or_a_doubt_contradicts_nothing(pair: str) -> None:
    older, newer = pair.split("|")
    assert not contradicts(newer, older)


@pytest.mark.parametrize("pair", STAND_TOGETHER)
def test_rules_and_things_of_like_form_stand_together(pair: str) -> None:
    older, newer = pair.split("|")
    assert not contradicts(newer, older)
    assert not contradicts(older, newer)


@pytest.mark.parametrize("pair", CONTRADICT)
def test_what_says_something_else_of_the_same_thing_contradicts_it(pair: str) -> None:
    older, newer = pair.split("|")
    assert contradicts(newer, older)


ASK = (
    "What port does the dev server listen on?", "which database does billing use", "ok, when is Mira back",
    "Does it use Postgres? Or MySQL?", "should we deploy on Friday", "Wo ist der Schlüssel", "¿Dónde está la llave?",
    "サーバーのポートは何ですか？",
)  # fmt: skip
TELL = (
    "The dev server listens on port 5173.", "Which port? 5173.", "When the tests fail, call Mira.", "Do the dishes.",
    "What counts is speed.", "Is it so? Billing uses Postgres.", "Who breaks the build repairs it.",
    "Wer den Build bricht, repariert ihn.", "Will Smith owns billing.", "Mira is back on Monday", "How we deploy",
)  # fmt: skip


def test_what_only_asks_is_told_from_what_states_something() -> None:
    assert [text for text in ASK if not only_asks(text)] == []
    assert [text for text in TELL if only_asks(text)] == []


TAKEN_BACK = """
We decided to use Redis for the session cache.|Actually no, we switched from Redis to Valkey for the session cache.
Redis is used for the session cache.|Redis was replaced by Valkey for the session cache.
Let's go with Redis for the session cache.|We no longer use Redis but Valkey for the session cache.
We decided to use Redis for the session cache.|Instead of Redis we use Valkey now for the session cache.
We decided to use Redis for the session cache.|For the session cache we use Valkey instead of Redis.
We moved from Memcached to Redis for the session cache.|We moved from Redis to Valkey for the session cache.
We use Redis.|We replaced Redis with Valkey.
Wir nutzen Redis für den Session-Cache.|Für den Session-Cache sind wir von Redis auf Valkey umgestiegen.
Wir haben beschlossen, Redis für den Session-Cache zu nutzen.|Statt Redis nutzen wir jetzt Valkey für den Session-Cache.
Nous utilisons Redis pour le cache de sessions.|Nous sommes passés de Redis à Valkey pour le cache de sessions.
Hemos decidido usar Redis para la caché de sesiones.|Hemos pasado de Redis a Valkey para la caché de sesiones.
Decidimos usar Redis para o cache de sessões.|Mudamos de Redis para Valkey para o cache de sessões.
Abbiamo deciso di usare Redis per la cache delle sessioni.|Siamo passati da Redis a Valkey per la cache delle sessioni.
We gebruiken Redis voor de sessiecache.|We zijn van Redis naar Valkey overgestapt voor de sessiecache.
Zdecydowaliśmy używać Redis dla pamięci sesji.|Przeszliśmy z Redis na Valkey dla pamięci sesji.
Мы решили использовать Redis для кэша сессий.|Мы перешли с Redis на Valkey для кэша сессий.
""".strip().splitlines()
NOT_TAKEN_BACK = """
We use Redis for the job queue.|We switched from Redis to Valkey for the session cache.
We use Redis for the job queue.|We no longer use Redis but Valkey for the session cache.
Redis listens on port 6379.|We switched from Redis to Valkey.
Never use Redis for the session cache.|We switched from Redis to Valkey for the session cache.
We use Valkey for the session cache.|We switched from Redis to Valkey for the session cache.
We decided to use Redis for the session cache.|Maybe we switched from Redis to Valkey for the session cache.
We decided to use Redis for the session cache.|Have we switched from Redis to Valkey for the session cache?
The tour goes from Oslo to Bergen.|The tour goes from Bergen to Oslo.
""".strip().splitlines()


@pytest.mark.parametrize("pair", TAKEN_BACK)
def test_what_was_replaced_is_contradicted_by_what_says_so(pair: str) -> None:
    older, newer = pair.split("|")
    assert contradicts(newer, older)
    assert not contradicts(newer, newer)


@pytest.mark.parametrize("pair", NOT_TAKEN_BACK)
def test_what_is_said_of_another_thing_is_not_taken_back(pair: str) -> None:
    older, newer = pair.split("|")
    assert not contradicts(newer, older)
