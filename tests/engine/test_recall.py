"""Are the right records recalled, and only those that may be?"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import recollect
from recollect import InvalidInput, Memory, Recall, Settings
from recollect.fields import Filters
from recollect.retrieve.fence import NOTE
from recollect.types import Why


def ids(answer: Recall) -> list[str]:
    return [hit.record.id for hit in answer]


THINGS = [
    ("gateway", "The gateway validates tokens with RS256."),
    ("tea", "Green tea is brewed at eighty degrees."),
    ("cat", "My cat is called Miso and sleeps all day."),
    ("trip", "We are flying to Lisbon on the third of June."),
    ("car", "The car needs new tyres before winter."),
]


@pytest.fixture
def told(semantic: Memory) -> Memory:
    semantic.remember_many([{"id": id, "text": text} for id, text in THINGS])
    assert semantic.embed_waiting() == 0
    return semantic


@pytest.mark.parametrize(
    ("question", "id"),
    [
        ("how are tokens checked?", "gateway"),
        ("temperature for hot drinks", "tea"),
        ("what is the name of my pet", "cat"),
        ("holiday travel plans", "trip"),
        ("vehicle maintenance", "car"),
    ],
)
def test_a_question_in_other_words_finds_its_answer_first(told: Memory, question: str, id: str) -> None:
    answer = told.recall(question)
    assert answer[0].record.id == id
    assert answer[0].why.vector is not None
    assert answer.signals.waiting_for_vectors == 0
    assert all(0 <= hit.score <= 1 for hit in answer)
    assert [hit.score for hit in answer] == sorted((hit.score for hit in answer), reverse=True)


UNRELATED = (
    "zyzzyva quark lattice", "quarterly revenue of the steel industry in 1974", "who won the chess match in Oslo?",
    "how do I prune an apple tree?", "the melting point of tungsten", "which bus goes to the airport?",
    "when was the opera house built?", "what does the dentist charge?",
)  # fmt: skip


def test_questions_about_nothing_stored_score_low(told: Memory) -> None:
    best = sorted(told.recall(question)[0].score for question in UNRELATED)
    assert best[-2] < 0.25  # a bus to the airport and a flight from it are near each other
    assert sum(len(told.recall(question, min_score=0.25)) for question in UNRELATED) <= 1


def test_without_a_model_a_question_about_nothing_stored_finds_nothing(memory: Memory) -> None:
    memory.remember_many([{"text": text} for _, text in THINGS])
    answer = memory.recall("zyzzyva quark lattice")
    assert (list(answer), answer.context) == ([], "")
    assert memory.recall("tokens")[0].why.vector is None


def test_what_was_just_stored_is_found_by_words_and_by_meaning(told: Memory) -> None:
    told.recall("anything at all")
    told.remember("Grandmother's birthday is on the ninth of May.", id="new")
    assert ids(told.recall("birthday"))[0] == "new"
    told.remember("The dentist moved the appointment to Monday.", id="newer")
    assert ids(told.recall("when do I see the tooth doctor"))[0] == "newer"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("会议改到星期五下午三点。", "会议什么时候"),
        ("東京の天気は晴れです。", "東京の天気"),
        ("ฉันชอบกินข้าวผัดกุ้ง", "ข้าวผัด"),
        ("Собрание перенесли на пятницу.", "когда собрание"),
        ("회의는 금요일에 있습니다.", "회의 금요일"),
        ("القطار يغادر في الصباح", "متى يغادر القطار"),
        ("Die Bücher stehen im Regal.", "Wo sind die Buecher? Bücher"),
        ("Le café est fermé.", "cafe ferme"),
    ],
)
@pytest.mark.parametrize("embedder", ["none", "bundled"])
def test_other_scripts_are_found(open_memory: Callable[..., Memory], embedder: str, text: str, question: str) -> None:
    memory = open_memory(embedder=embedder)
    memory.remember_many([{"id": id, "text": other} for id, other in THINGS])
    memory.remember(text, id="wanted")
    assert ids(memory.recall(question))[0] == "wanted"


RARE = {
    "kinds": {"kind": "rare"}, "memory_types": {"memory_type": "procedural"}, "tags": {"tags": ["rare", "b"]},
    "rooms": {"room": "rare"}, "session": {"session": "rare"}, "project": {"project": "rare"},
    "user": {"user": "rare"}, "statuses": {"status": "contested"}, "until": {"event_time": "2000-01-01T00:00:00Z"},
    "since": {"event_time": "2030-01-01T00:00:00Z"},
}  # fmt: skip
WANTED = {
    "kinds": ["rare"], "memory_types": ["procedural"], "tags": ["rare"], "rooms": ["rare"], "session": "rare",
    "project": "rare", "user": ["rare", "nobody"], "statuses": ["contested"], "until": "2001-01-01T00:00:00Z",
    "since": "2029-01-01T00:00:00Z",
}  # fmt: skip


def test_a_filter_finds_the_one_record_of_two_thousand_that_passes(memory: Memory) -> None:
    common = [
        {"text": f"The server log number {number} says the disk of the server is fine."} for number in range(2_000)
    ]
    memory.remember_many(common)
    for name, fields in RARE.items():
        memory.remember(**{"text": f"A server and its {name}.", "id": name, **fields})  # type: ignore[arg-type]
    for name, value in WANTED.items():
        answer = memory.recall("server log disk fine", **{name: value})  # type: ignore[arg-type]
        assert ids(answer) == [name]
        assert [record.id for record in memory.list(**{name: value})] == [name]  # type: ignore[arg-type]


def test_a_filter_is_exact_for_what_only_a_vector_can_find(open_plain: Callable[..., Memory]) -> None:
    memory = open_plain("near", "close")
    memory.remember_many([{"text": f"near thing {number}", "user": "other"} for number in range(300)])
    memory.remember_many([{"text": f"plain word {number}", "user": "me"} for number in range(100)])
    memory.remember("roughly near to it", id="wanted", user="me")
    assert ids(memory.recall("a word for what is close", user="me", limit=5))[0] == "wanted"


def test_vectors_of_a_space_that_was_deleted_do_not_crowd_out_those_of_its_successor(
    open_plain: Callable[..., Memory],
) -> None:
    memory = open_plain("near", "close")
    memory.remember_many([{"text": f"near thing {number}"} for number in range(300)])
    assert len(memory.recall("close")) == 10
    memory.delete_space("default")
    memory.remember("near to it", id="wanted")
    memory.remember("elsewhere", id="other")
    assert ids(memory.recall("close"))[0] == "wanted"


def test_old_versions_are_found_by_meaning_as_of_their_time(open_plain: Callable[..., Memory], clock) -> None:
    memory = open_plain("near", "close")
    for number in range(3):
        memory.remember(f"near thing {number}", id=f"a{number}")
    moments = []
    for number in (1, 0, 2):
        moments.append(clock.advance(minutes=1))
        assert f"a{number}" in ids(memory.recall("close"))
        memory.revise(f"a{number}", f"far away {number}")
        for moment, known in zip(moments, ({0, 1, 2}, {0, 2}, {2}), strict=False):
            near = {hit.record.id for hit in memory.recall("close", as_of=moment) if hit.record.text.startswith("near")}
            assert near == {f"a{number}" for number in known}


def test_another_model_is_taken_up_and_a_process_with_the_first_goes_on(open_plain: Callable[..., Memory]) -> None:
    one, other = open_plain("near", "close", name="one"), open_plain("near", "close", name="other")
    one.remember("near thing", id="a")
    one.remember("far thing", id="b")
    assert ids(one.recall("close"))[0] == "a"
    other.reindex()
    assert ids(other.recall("close"))[0] == "a"
    one.remember("near again", id="c")
    assert set(ids(one.recall("close"))[:2]) == {"a", "c"}
    assert set(ids(other.recall("close"))[:2]) == {"a", "c"}
    assert one.check() == []


def test_the_nearest_duplicates_are_folded_into_the_best(memory: Memory) -> None:
    memory.remember("The nightly backup of the billing database finished without any error.", id="a")
    memory.remember("The nightly backup of the billing database finished without any error!", id="b")
    memory.remember("The billing team eats at noon.", id="c")
    answer = memory.recall("billing database backup", limit=2)
    assert ids(answer) == ["b", "c"]
    assert answer[0].folded == ("a",)


def pessimistic(text: str) -> int:
    """A token for every four letters of a word, every sign, and every character of a script without spaces."""
    return len(re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]{1,4}|[^\w\s]|_", text))


@pytest.mark.parametrize("budget", [1, 20, 50, 100, 300, 2_000])
@pytest.mark.parametrize("unit", ["A plain English sentence about servers. ", "服务器很好。", "Серверы работают. "])
def test_the_context_keeps_to_its_budget(memory: Memory, budget: int, unit: str) -> None:
    memory.remember_many([{"text": f"server сервер 服务器 {number}: " + unit * number} for number in range(1, 12)])
    answer = memory.recall("server сервер 服务器", budget_tokens=budget)
    assert len(answer) > 1
    assert pessimistic(answer.context) <= budget
    cited = re.findall(r"^- \[(r\d+)\]", answer.context, re.MULTILINE)
    assert set(cited) <= set(ids(answer))
    assert (answer.context == "") == (not cited)


def test_a_short_note_is_shown_whole_within_few_tokens(memory: Memory) -> None:
    memory.remember("The domain is parked at Gandi.", trust="user_declared")
    assert "The domain is parked at Gandi." in memory.recall("domain", budget_tokens=50).context
    assert "The domain" in memory.recall("domain", budget_tokens=40).context


@pytest.mark.parametrize("budget", range(60, 400, 20))
def test_a_small_budget_drops_no_hit_for_a_worse_one(memory: Memory, budget: int) -> None:
    said = ("the server is in the cellar", "and its fan is loud at night " * 4, "in short", "and " + "so on " * 40)
    memory.remember_many([{"text": f"Server {n}: {said[n % 4]}."} for n in range(12)])
    answer = memory.recall("where is server 7?", budget_tokens=budget)
    cited = re.findall(r"^- \[(r\d+)\]", answer.context, re.MULTILINE)
    assert cited == ids(answer)[: len(cited)]
    assert cited


def test_the_context_shows_dates_speakers_and_ids_newest_first(memory: Memory) -> None:
    memory.remember("The server is old.", id="old", event_time="2020-01-02T00:00:00Z", role="ada")
    memory.remember(
        "The server is new.", id="new", event_time="2026-01-02T00:00:00Z", title="Servers", status="contested"
    )
    assert memory.recall("server").context == (
        f"<recollect>\n{NOTE}\n- [new] (2026-01-02 · Servers · contested · agent inferred) The server is new.\n"
        "- [old] (2020-01-02 · ada · agent inferred) The server is old.\n</recollect>"
    )


def test_recall_searches_one_space_several_or_all(memory: Memory) -> None:
    for space in ("one", "two", "three"):
        memory.remember(f"A thing of space {space}.", space=space, id=space)
    assert ids(memory.recall("thing", space="one")) == ["one"]
    assert set(ids(memory.recall("thing", space=["one", "three"]))) == {"one", "three"}
    assert set(ids(memory.recall("thing", space=None))) == {"one", "two", "three"}
    assert ids(memory.recall("thing")) == []
    assert ids(memory.recall("thing", space=["nowhere", "two"])) == ["two"]


def test_an_unknown_space_reads_as_empty(memory: Memory) -> None:
    memory.remember("A thing.")
    assert list(memory.recall("thing", space="nowhere")) == []
    assert memory.list(space="nowhere") == []
    assert memory.count(space="nowhere") == 0
    assert memory.sessions(space="nowhere") == []
    assert memory.facts("thing", space="nowhere") == []
    assert memory.mentioning("thing", space="nowhere") == []
    assert memory.get("r0001", space="nowhere") is None
    assert [space.name for space in memory.spaces()] == ["default"]


def test_neighbours_in_a_session_lift_each_other(memory: Memory) -> None:
    memory.ingest_conversation(
        [
            {"role": "a", "content": "Where shall we eat tonight?"},
            {"role": "b", "content": "The noodle place, eat there."},
        ],
        session="s",
    )
    memory.remember("They eat somewhere else.", id="alone")
    answer = memory.recall("eat")
    assert {hit.record.id: hit.why.neighbours > 0 for hit in answer} == {"r0001": True, "r0002": True, "alone": False}


def test_every_hit_says_why(memory: Memory) -> None:
    memory.remember(
        "The gateway validates tokens.", importance=0.9, confidence=0.8, event_time=datetime(2026, 5, 10, tzinfo=UTC)
    )
    (hit,) = memory.recall("gateway tokens")
    assert hit.why == Why(keyword=1.0, vector=None, graph=0.0, importance=0.9, confidence=0.8, recency=hit.why.recency)
    assert 0.9 < hit.why.recency <= 1


def test_recalls_are_counted(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember("The gateway validates tokens.", id="a")
    for _ in range(3):
        memory.recall("gateway")
    memory.close()
    record = open_memory().get("a")
    assert record is not None
    assert record.access_count == 3
    assert record.last_access is not None
    assert len(open_memory().history("a")) == 1


@pytest.mark.parametrize("wrong", ["none", 3, object()])
def test_what_cannot_embed_is_refused_before_anything_is_opened(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(InvalidInput, match=r"embedder.*Settings\(embedder"):
        recollect.open(tmp_path / "home", embedder=wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "home").exists()


def test_an_embedder_that_fails_leaves_keyword_search_and_says_so(tmp_path, clock) -> None:
    settings = Settings(
        home=tmp_path,
        embedder="openai",
        embed_model="m",
        embed_url="http://127.0.0.1:9/v1",
        embed_key="k",
        embed_delay=600,
    )
    with recollect.open(settings=settings, clock=clock) as memory:
        memory.remember("The gateway validates tokens.", id="a")
        answer = memory.recall("gateway")
        assert ids(answer) == ["a"]
        assert "keywords alone" in str(answer.signals.problem)


def test_threads_share_a_memory(semantic: Memory) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def work(number: int) -> tuple[bool, bool]:
        stored = semantic.remember(f"Fact {number} is about topic{number}.").stored
        return stored, semantic.recall(f"topic{number}", wait=0)[0].record.text.startswith(f"Fact {number} ")

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(40))) == {(True, True)}
    assert semantic.count() == 40
    assert semantic.check() == []


NEWS = [
    ("The standup is at nine in the hall.", "The standup is at ten in the hall.", "when is the standup in the hall"),
    ("Flour comes from Marlowe on Tuesdays.", "Flour comes from Fenwick on Fridays.", "where does our flour come from"),
    ("The gateway listens on port 8080.", "The gateway listens on port 9090.", "which port does the gateway use"),
    ("Rent is paid to Mr Olsen.", "Rent is paid to the Harbour Trust.", "who is the rent paid to"),
]


@pytest.mark.parametrize(("before", "after", "question"), NEWS)
def test_of_two_facts_the_newer_stands_first_and_more_so_where_it_is_preferred(
    memory: Memory, before: str, after: str, question: str
) -> None:
    memory.remember(before, id="old", event_time="2025-01-01T00:00:00Z")
    memory.remember(after, id="new")
    for subject in ("The cat is called Miso.", "Bins go out on Mondays.", "The server room is on the second floor."):
        memory.remember(subject)
    plain = {hit.record.id: hit.score for hit in memory.recall(question)}
    asked = {hit.record.id: hit.score for hit in memory.recall(question, recency=0.2)}
    assert plain["new"] > plain["old"]
    assert asked["new"] / asked["old"] > plain["new"] / plain["old"]


def test_the_most_important_can_be_preferred_more_or_not_at_all(memory: Memory) -> None:
    memory.remember("The standup is at nine.", id="low", importance=0)
    memory.remember("The standup is at ten.", id="high", importance=1)
    shares = [
        found["high"] / found["low"]
        for share in (0.0, 0.02, 0.2)
        for found in [{h.record.id: h.score for h in memory.recall("when is the standup", importance=share)}]
    ]
    assert shares == sorted(shares)
    assert shares[2] > 1.1 * shares[0]


def test_many_near_duplicates_do_not_crowd_out_the_rest(memory: Memory) -> None:
    words = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar".split()
    for number in range(60):
        memory.remember(f"The harbour log of pier seven says {' '.join(words)} {'again ' * number}")
    memory.remember("The harbour master keeps the key of pier seven.", id="other")
    found = {hit.record.id == "other": hit for hit in memory.recall("harbour log of pier seven", limit=2)}
    assert found.keys() == {True, False}
    assert len(found[False].folded) >= 3  # it looks no further for them once there is another


@pytest.mark.parametrize("more", ["The deploy key lives in the vault.", "Where does the deploy key live?"])
def test_what_is_said_again_and_again_makes_an_answer_no_less_likely(told: Memory, more: str) -> None:
    scores: list[float] = []
    for repeats in (0, 6):
        space = f"repeated-{repeats}"
        for text in ("The deploy key lives in the vault.", "Mira feeds the cat.", "Lunch is at noon."):
            told.remember(text, space=space)
        for number in range(repeats):
            told.remember(more, space=space, kind=f"kind{number}")
        best = told.recall("Where does the deploy key live?", space=space)[0]
        assert best.record.text == "The deploy key lives in the vault."
        scores.append(best.score)
    assert scores[1] > scores[0] - 0.1


def test_many_spaces_together_give_the_best_of_each(semantic: Memory) -> None:
    kinds = (
        "anchors",
        "ropes",
        "lamps",
        "sails",
        "charts",
        "oars",
        "buoys",
        "flags",
        "pumps",
        "bells",
        "winches",
        "maps",
    )
    for space, thing in enumerate(kinds):
        drafts = [{"text": f"Shelf {n} of hall {space} holds {thing}"} for n in range(20)]
        semantic.remember_many([*drafts, {"text": f"The {thing} were bought in {space + 1990}."}], space=f"s{space}")
    found = [semantic.recall(f"When were the {thing} bought?", space=None, limit=5)[0].record for thing in kinds]
    assert [record.space for record in found] == [f"s{space}" for space in range(len(kinds))]
    assert all("bought" in record.text for record in found)


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({"tags": ["garden"]}, "no record has the tag 'garden'; there are: home, kitchen"),
        ({"tags": ["kitchne"]}, "no record has the tag 'kitchne'; did you mean 'kitchen'?"),
        ({"kinds": ["diary"]}, "no record has the kind 'diary'; there are: memory"),
        ({"session": "s-2"}, "no record has the session 's-2'; did you mean 's-1'?"),
        ({"rooms": ["attic"]}, "no record has the room 'attic'; none has any"),
        ({"tags": ["home"], "since": "2020", "until": "2020"}, None),
        ({"project": ["nowhere", None]}, None),
    ],
)
def test_a_filter_that_no_record_fits_is_named(memory: Memory, filters: Filters, told: str | None) -> None:
    memory.remember("The kettle is new.", tags=["kitchen", "home"], session="s-1", project="house")
    answer = memory.recall("kettle", **filters)
    assert (list(answer), answer.signals.problem) == ([], told)
    assert memory.recall("kettle", tags=["kitchen"]).signals.problem is None


@pytest.mark.parametrize("unit", ["q", "0123456789", "中", "ш", "ก", "é́", "😀", ".", "haustür", "a.", "what was the "])
def test_of_a_giant_question_the_beginning_is_read_and_the_answer_says_so(told: Memory, unit: str) -> None:
    endless = unit * (240_000 // len(unit))
    asked = told.recall(f"Who walks the dog? {endless}")
    assert asked.signals.problem == "of the query, the first 8,000 characters were read"
    heard, same = (told.recall(text, min_score=0, limit=100) for text in (f"{endless} zebra", endless))
    assert {hit.record.id: (hit.why.keyword, hit.why.vector) for hit in heard} == {
        hit.record.id: (hit.why.keyword, hit.why.vector) for hit in same
    }
    assert told.recall("Who walks the dog?").signals.problem is None
    told.unasked.preview(endless)
