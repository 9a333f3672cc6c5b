"""What must every store do? The canonical half: spaces, versions, scans, the graph, the journal."""

from __future__ import annotations

import gc
import threading
import weakref
from datetime import datetime, timedelta

import msgspec
import pytest
from things import THEN, drop_space, entity, erase, make_space, put, record, relation, retire, space, write

from recollect.errors import Conflict, NotFound, StoreError
from recollect.store.base import Changes, Entities, Glance, Group, Link, Relations, Store
from recollect.store.ops import Note, Op, Put, PutMessages
from recollect.types import Change, Claim, Entity, Evidence, Filter, Grounds, Message, Record, Relation


def verbs(store: Store) -> list[tuple[str, str, str]]:
    with store.read() as view:
        return [(change.verb, change.object_type, change.object_id) for change in view.journal()]


def test_a_new_store_is_empty_and_sound(store: Store) -> None:
    with store.read() as view:
        assert view.spaces() == []
        assert view.journal() == []
        assert view.models() == []
    assert list(store.check()) == []


def test_a_space_is_made_described_and_dropped(store: Store) -> None:
    with store.write() as edit:
        made = make_space(edit, space("home", description="what I know"))
    with store.write() as edit:
        described = make_space(edit, space("home", description="more", metadata={"a": [1, None]}))
    with store.read() as view:
        assert view.spaces() == [described]
        assert described == msgspec.structs.replace(made, description="more", metadata={"a": [1, None]})
    with store.write() as edit:
        assert drop_space(edit, "home") == 0
        assert edit.spaces(["home"]) == []
    assert [verb for verb, _, _ in verbs(store)] == ["create", "describe", "drop"]


def test_nothing_of_a_transaction_stays_in_memory_until_it_is_looked_for(store: Store) -> None:
    gc.disable()
    try:
        with store.write() as edit:
            make_space(edit, space())
            write(edit, record("a"), verb="remember")
            left = weakref.ref(edit)
        del edit
        assert left() is None
    finally:
        gc.enable()


def test_a_space_that_is_not_there_cannot_be_written_or_dropped(store: Store) -> None:
    for act in (
        lambda edit: write(edit, record("a"), verb="remember"),
        lambda edit: drop_space(edit, "default"),
    ):
        with pytest.raises(NotFound, match="no space named 'default'"), store.write() as edit:
            act(edit)
    with store.read() as view:
        assert view.words(["default"], [], Filter(), None) == {}
        assert view.select(Record, Filter(spaces=("default",)), "newest", 10) == []


def test_every_field_of_every_object_comes_back_as_it_was_put(store: Store) -> None:
    full = record(
        "a", "naïve 文字 🎉\n\ttext", kind="note", memory_type="episodic", title="T", role="user", room="r",
        session="s", position=3, project="p", user="u", tags=("x", "y"), source="f.md", locator={"lines": [1, 2]},
        importance=0.25, confidence=0.75, status="contested", trust="imported",
        event_time=THEN + timedelta(microseconds=7),
        valid_from=THEN, valid_until=THEN + timedelta(days=9), superseded_by="b", metadata={"k": {"n": [1.5, None]}},
        grounds=Grounds(
            scopes=("x",), subjects=("n",), claim=Claim(subject="s", predicate="p", value=[{"a": None}]),
            evidence=(Evidence(source="e", segment="seg-1", locator={"line": 1}, hash="h"), Evidence(source="f")),
            verified_at=THEN,
        ),
    )  # fmt: skip
    who = entity("e", "Ada", type="person", description="d", aliases=("A",), user="u", metadata={"k": 1})
    fact = relation("f", "e", "knows", "e", weight=0.5, confidence=0.5, provenance="a", valid_until=THEN + timedelta(1))
    with store.write() as edit:
        make_space(edit, space())
        stored = [write(edit, thing, verb="remember")[0] for thing in (full, who, fact)]
        now = edit.now
    with store.read() as view:
        for thing, kept in zip((full, who, fact), stored, strict=True):
            assert kept == msgspec.structs.replace(thing, recorded_at=now, version=kept.version)
            assert view.get(type(kept), "default", kept.id) == kept
            assert view.get(type(kept), "default", kept.id, version=kept.version) == kept
            assert [one.name for one in view.spaces(holding=(type(kept), kept.id))] == ["default"]


def test_every_change_is_journalled_with_who_why_before_and_after(store: Store) -> None:
    with store.write(actor="ada") as edit:
        first = put(edit, record("a", "one"))
        at = edit.now
    with store.write(actor="bob") as edit:
        second, entry = write(edit, record("a", "two"), verb="revise", before=first, reason="typo", undoes=1)
        gone = retire(edit, second, verb="remove", reason="enough")
    with store.read() as view:
        assert view.journal(Changes(object_id="a")) == [
            Change(
                entry=2, at=at, space="default", verb="remember", object_type="record", object_id="a",
                after=first.version, actor="ada",
            ),
            Change(
                entry=entry, at=second.recorded_at, space="default", verb="revise", object_type="record",
                object_id="a", before=first.version, after=second.version, actor="bob", reason="typo", undoes=1,
            ),
            Change(
                entry=gone, at=second.recorded_at, space="default", verb="remove", object_type="record",
                object_id="a", before=second.version, actor="bob", reason="enough", act=entry,
            ),
        ]  # fmt: skip
        assert [change.entry for change in view.journal(newest_first=True, limit=2)] == [gone, entry]
        assert view.journal(Changes(after=gone)) == []
        assert [change.entry for change in view.journal(Changes(entry=gone))] == [gone]
        assert view.journal(Changes(entry=gone + 1)) == []


def test_as_of_answers_with_the_version_that_held_then(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
    with store.write() as edit:
        second, _ = write(edit, record("a", "two"), verb="revise", before=first)
    with store.write() as edit:
        retire(edit, second, verb="remove")
        removed = edit.now
    before = first.recorded_at - timedelta(microseconds=1)
    with store.read() as view:
        moments = (before, first.recorded_at, second.recorded_at, removed - timedelta(microseconds=1), removed)
        assert [view.get(Record, "default", "a", moment) for moment in moments] == [None, first, second, second, None]
        assert [view.count(Filter(as_of=moment)) for moment in moments] == [0, 1, 1, 1, 0]
        assert view.select(Record, Filter(as_of=second.recorded_at), "newest", 9) == [second]
        assert view.get(Record, "default", "a") is None


def test_true_at_goes_by_when_a_record_holds_as_it_is_known_now(store: Store) -> None:
    day, later = timedelta(days=1), THEN + timedelta(days=5)
    with store.write() as edit:
        put(edit, record("always", "1", created_at=THEN))
        put(edit, record("until", "2", valid_until=later))
        put(edit, record("from", "3", valid_from=later))
        put(edit, record("followed", "4", valid_until=later, status="superseded"))
        put(edit, record("away", "5", status="archived"))
        put(edit, record("code", "6", kind="code"))
    with store.read() as view:

        def held(moment: datetime) -> set[str]:
            found = view.select(Record, Filter(true_at=moment, without_kinds=("code", "note")), "newest", 9)
            return {record.id for record in found}

        assert held(THEN - day) == set()
        assert held(THEN + day) == {"always", "until", "followed"}
        assert held(later) == {"always", "from"}
        assert view.count(Filter(true_at=later)) == 3


def test_sources_can_be_left_out(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", "1", source="a.md"))
        put(edit, record("b", "2", source="b.md"))
        put(edit, record("none", "3"))
    with store.read() as view:
        found = view.select(Record, Filter(without_sources=("a.md", "c.md")), "newest", 9)
    assert {record.id for record in found} == {"b", "none"}


def test_a_version_that_no_longer_holds_cannot_be_replaced_again(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
        write(edit, record("a", "two"), verb="revise", before=first)
    for act in (
        lambda edit: write(edit, record("a", "three"), verb="revise", before=first),
        lambda edit: retire(edit, first, verb="remove"),
    ):
        with pytest.raises(Conflict, match="changed by someone else"), store.write() as edit:
            act(edit)
    assert len(verbs(store)) == 3


def test_two_live_records_cannot_have_one_id(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", "one"))
    with pytest.raises(StoreError), store.write() as edit:
        write(edit, record("a", "two"), verb="remember")
    with store.write() as edit:
        put(edit, record("a", "one", space="other"))
    with store.read() as view:
        assert [one.name for one in view.spaces(holding=(Record, "a"))] == ["default", "other"]


def test_an_exception_in_the_middle_leaves_nothing_behind(store: Store) -> None:
    with store.write() as edit:
        kept = put(edit, record("a"))
    with pytest.raises(ZeroDivisionError), store.write() as edit:
        put(edit, record("b", space="other"))
        write(edit, record("a", "new"), verb="revise", before=kept)
        write(edit, entity("e", "Ada"), verb="name")
        erase(edit, kept)
        _ = 1 / 0
    with store.read() as view:
        assert [one.name for one in view.spaces()] == ["default"]
        assert view.select(Record, Filter(), "newest", 9) == [kept]
        assert view.entities(Entities(space="default", names=("Ada",))) == []
    assert len(verbs(store)) == 2
    assert list(store.check()) == []


def test_erase_leaves_only_the_fact_of_it(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
        second, _ = write(edit, record("a", "two"), verb="revise", before=first, reason="private words")
        edit.touch({("default", "a"): 3}, edit.now)
    with store.write() as edit:
        entry = erase(edit, second, reason="asked to")
    with store.read() as view:
        assert [view.get(Record, "default", "a", version=one.version) for one in (first, second)] == [None, None]
        assert view.select(int, Filter(past=True, valid_only=False)) == []
        assert view.terms([first.version, second.version]) == {}
        assert view.spaces(holding=(Record, "a")) == []
        changes = view.journal(Changes(object_id="a"))
        assert [(c.verb, c.before, c.after, c.reason) for c in changes] == [
            ("remember", None, None, None), ("revise", None, None, None), ("forget", None, None, "asked to"),
        ]  # fmt: skip
        assert changes[-1].entry == entry
        assert view.words(["default"], [], Filter(), None)["default"].records == 0
    with store.write() as edit:
        put(edit, record("a", "three"))
        again = edit.get(Record, "default", "a")
        assert again is not None
        assert (again.access_count, again.last_access) == (0, None)


def test_scans_come_in_the_order_that_is_asked_for_and_in_pages(store: Store) -> None:
    with store.write() as edit:
        for number, (importance, position) in enumerate([(0.5, 2), (0.9, 1), (0.1, 3), (0.9, 0)]):
            made = THEN + timedelta(seconds=number)
            put(edit, record(f"r{number}", importance=importance, position=position, session="s", created_at=made))
    orders = {
        "newest": ["r3", "r2", "r1", "r0"], "oldest": ["r0", "r1", "r2", "r3"],
        "important": ["r3", "r1", "r0", "r2"], "position": ["r3", "r1", "r0", "r2"],
    }  # fmt: skip
    with store.read() as view:
        for order, ids in orders.items():
            assert [one.id for one in view.select(Record, Filter(), order, 9)] == ids  # type: ignore[arg-type]
            pages = [view.select(Record, Filter(), order, 2, offset) for offset in (0, 2, 4)]  # type: ignore[arg-type]
            assert [one.id for page in pages for one in page] == ids


FILTERS: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"kinds": ("note", "x")}, {"kind": "note"}),
    ({"memory_types": ("episodic",)}, {"memory_type": "episodic"}),
    ({"tags": ("b", "zz")}, {"tags": ("a", "b")}),
    ({"rooms": ("r",)}, {"room": "r"}),
    ({"sessions": ("s",)}, {"session": "s"}),
    ({"projects": ("p",)}, {"project": "p"}),
    ({"users": ("u",)}, {"user": "u"}),
    ({"sources": ("f",)}, {"source": "f"}),
    ({"below": "/docs/"}, {"source": "/docs/a.md"}),
    ({"ids": ("wanted",)}, {}),
    ({"since": THEN + timedelta(days=1)}, {"event_time": THEN + timedelta(days=1)}),
    ({"until": THEN - timedelta(days=1)}, {"event_time": THEN - timedelta(days=1)}),
    ({"statuses": ("archived",)}, {"status": "archived"}),
    ({"hashes": (record("wanted").content_hash,)}, {}),
    ({"refs": ("scope:x", "scope:y")}, {"grounds": Grounds(scopes=("x",))}),
    ({"position": 7}, {"position": 7}),
    ({"governed": True}, {"grounds": Grounds()}),
    ({"spaces": ("elsewhere", "nowhere")}, {"space": "elsewhere"}),
]


@pytest.mark.parametrize(("filter", "fields"), FILTERS, ids=[next(iter(filter)) for filter, _ in FILTERS])
def test_a_filter_lets_through_what_it_names_and_nothing_else(
    store: Store, filter: dict[str, object], fields: dict[str, object]
) -> None:
    with store.write() as edit:
        wanted = put(edit, record("wanted", **fields))
        for number in range(3):
            put(edit, record(f"other{number}"))
    chosen = Filter(**filter)  # type: ignore[arg-type]
    with store.read() as view:
        assert view.select(Record, chosen, "newest", 9) == [wanted]
        assert view.count(chosen) == 1
        assert view.select(int, chosen) == [wanted.version]
        every = view.words([wanted.space], [], chosen, None, every=True)
        assert every[wanted.space].versions.tolist() == [wanted.version]
        among = msgspec.structs.replace(chosen, versions=tuple(range(wanted.version, wanted.version + 4)))
        assert [glance.id for glance in view.select(Glance, among)] == ["wanted"]


def test_what_is_hidden_or_not_valid_shows_only_when_asked_for(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("past", valid_until=THEN))
        put(edit, record("future", valid_from=edit.now + timedelta(days=1)))
        put(edit, record("old", status="superseded"))
        put(edit, record("shelved", status="archived"))
        now = edit.now
    with store.read() as view:
        assert view.select(Record, Filter(), "newest", 9) == []
        assert view.count(Filter(valid_only=False)) == 4
        assert [one.id for one in view.select(Record, Filter(statuses=("superseded",)), "newest", 9)] == ["old"]
        later = Filter(as_of=now + timedelta(days=2))
        assert [one.id for one in view.select(Record, later, "newest", 9)] == ["future"]


def test_a_record_that_is_put_last_stands_after_all_of_its_session_or_source(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", session="s", position=4))
        put(edit, record("b", source="f", position=7))
        made = [
            record("c", session="s"), record("d", session="s", source="f"), record("e", source="f"),
            record("f", session="new"), record("g", position=3),
        ]  # fmt: skip
        done = edit.apply([Put(thing=one, verb="remember", last=True) for one in made])
    assert [one.thing.position for one in done if isinstance(one.thing, Record)] == [5, 6, 8, 0, 3]


def test_many_operations_at_once_are_what_they_would_be_one_by_one(make_store) -> None:
    def ops(first: Record) -> list[Op]:
        return [
            *(Put(thing=record(f"n{i}", session="s"), verb="remember", last=True) for i in range(3)),
            Put(thing=msgspec.structs.replace(first, text="new"), verb="revise", before=first, reason="why"),
            Put(thing=entity("e", "Ada"), verb="name"),
            Put(thing=relation("f", "e", "is", "e"), verb="relate"),
            Note(space="default", verb="dream"),
        ]

    together, apart = make_store("together"), make_store("apart")
    answers = []
    for store, at_once in ((together, True), (apart, False)):
        with store.write() as edit:
            first = put(edit, record("a", session="s"))
        with store.write() as edit:
            done = edit.apply(ops(first)) if at_once else [edit.apply([op])[0] for op in ops(first)]
        with store.read() as view:
            found = view.select(Record, Filter(past=True, valid_only=False))
            shown = [(one.id, one.version, one.position, one.text) for one in found]
            journal = [(c.entry, c.verb, c.object_id, c.before, c.after, c.reason) for c in view.journal()]
        answers.append((shown, journal, [(one.entry, one.count) for one in done]))
    assert answers[0] == answers[1]


def test_sessions_are_listed_most_recent_first(store: Store) -> None:
    day = timedelta(days=1)
    with store.write() as edit:
        for id, session, moment in (
            ("a", "s", THEN),
            ("b", "s", THEN + day),
            ("c", "t", THEN + 2 * day),
            ("d", None, THEN),
        ):
            put(edit, record(id, session=session, event_time=moment))
    with store.read() as view:
        late, early = Group("t", 1, THEN + 2 * day, THEN + 2 * day), Group("s", 2, THEN, THEN + day)
        here = Filter(spaces=("default",))
        assert view.count(here, by="session") == [late, early]
        assert view.count(here, by="session", limit=9, offset=1) == [early]
        assert view.count(here, by="list") == [late, early]
        assert view.select(Message, msgspec.structs.replace(here, sessions=("s",))) == [
            Message(id="a", role=None, at=THEN), Message(id="b", role=None, at=THEN + day),
        ]  # fmt: skip


def test_a_list_of_messages_goes_with_its_last_record_and_until_then_keeps_places(store: Store) -> None:
    with store.write() as edit:
        for id, session in (("a", "s"), ("b", "s"), ("c", "t")):
            put(edit, record(id, session=session, role="Ada", event_time=THEN))
        again = Message(id="a", role="Ada", at=THEN, flag="repeated")
        edit.apply([PutMessages(space="default", session="t", messages=(again,), more=True)])
    here, lists = Filter(spaces=("default",)), list[list[tuple[str, str | None]]]()
    for id in ("a", "c", "b"):
        with store.write() as edit:
            erase(edit, record(id))
        with store.read() as view:
            lists.append([(one.id, one.role) for one in view.select(Message, here)])
    assert lists == [[("a", None), ("b", "Ada"), ("c", "Ada"), ("a", None)], [("a", None), ("b", "Ada")], []]
    with store.read() as view:
        assert view.count(here, by="list") == []


def test_touches_are_counted_without_a_new_version(store: Store) -> None:
    with store.write() as edit:
        kept = put(edit, record("a"))
    with store.write() as edit:
        edit.touch({("default", "a"): 2, ("nowhere", "a"): 1}, THEN)
        edit.touch({("default", "a"): 1}, THEN)
    with store.read() as view:
        seen = view.get(Record, "default", "a")
    assert seen == msgspec.structs.replace(kept, access_count=3, last_access=THEN)


def test_entities_are_found_by_any_name_whatever_its_case_and_spacing(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space())
        ada, _ = write(edit, entity("e1", "Ada Lovelace", aliases=("The Countess", "ada")), verb="name")
        other, _ = write(edit, entity("e2", "Ada"), verb="name")
    with store.read() as view:
        assert view.entities(Entities(space="default", names=("  ada   LOVELACE ",))) == [ada]
        assert view.entities(Entities(space="default", names=("ada",))) == [ada, other]
        assert view.names(["default"], ["ada", "the countess", "nobody"]) == {"default": ["ada", "the countess"]}
        assert view.entities(Entities(space="default"), limit=1, offset=1) == [other]
        assert view.entities(Entities(space="default"), newest_first=True, limit=2) == [other, ada]
        assert view.entities(Entities(space="default", words=("countess", "love"))) == [ada]
        assert view.entities(Entities(space="default", ids=("e2", "e3"))) == [other]
        assert view.count(Entities(space="default")) == 2
        assert view.entities(Entities(space="elsewhere", names=("ada",))) == []
    with store.write() as edit:
        write(edit, entity("e1", "Ada King"), verb="describe", before=ada)
        assert edit.entities(Entities(space="default", names=("the countess",))) == []
        retire(edit, other, verb="undo")
        assert edit.entities(Entities(space="default", names=("ada",))) == []
        assert edit.get(Entity, "default", "e2", ada.recorded_at) == other


def test_names_in_scripts_without_spaces_are_known_inside_a_text(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space())
        write(edit, entity("e1", "東京"), verb="name")
        assert edit.names(["default"], [], "私は東京都に住む") == {"default": ["東京"]}
        assert edit.names(["default"], [], "大阪") == {"default": []}


def test_links_are_the_ends_and_weights_of_relations_newest_first(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space())
        for at, city in enumerate(("london", "paris", "rome")):
            write(edit, relation(f"f{at}", "ada", "likes", city, weight=at + 1.0), verb="relate")
        ended = relation("f3", "ada", "likes", "oslo", valid_until=THEN + timedelta(seconds=1))
        write(edit, ended, verb="relate")
    with store.read() as view:
        outgoing = view.relations(Link, Relations(space="default", subjects=("ada",)), newest_first=True, limit=2)
        assert outgoing == [Link("ada", "rome", 3.0), Link("ada", "paris", 2.0)]
        assert view.relations(Link, Relations(space="default", objects=("london",))) == [Link("ada", "london", 1.0)]
        assert view.relations(Link, Relations(space="default", objects=("ada",))) == []
        assert view.count(Relations(space="default")) == 3
        assert view.relations(Link, Relations(space="default", subjects=())) == []
        assert view.entities(Entities(space="default", ids=(), names=())) == []


def test_relations_are_read_from_either_end_as_they_held_at_a_moment(store: Store) -> None:
    day = timedelta(days=1)
    with store.write() as edit:
        make_space(edit, space())
        lived, _ = write(edit, relation("f1", "ada", "lives in", "london"), verb="relate")
    with store.write() as edit:
        closed, _ = write(edit, msgspec.structs.replace(lived, valid_until=edit.now), verb="close", before=lived)
        lives, _ = write(edit, relation("f2", "ada", "lives in", "paris", valid_from=edit.now), verb="relate")
    with store.read() as view:
        assert view.relations(Relation, Relations(space="default", subjects=("ada",))) == [lives]
        assert view.relations(Relation, Relations(space="default", objects=("paris",))) == [lives]
        assert view.relations(Relation, Relations(space="default", subjects=("ada",), as_of=lived.recorded_at)) == [
            lived
        ]
        assert view.relations(Relation, Relations(space="default", subjects=("ada",), active=False)) == [closed, lives]
        assert view.relations(Relation, Relations(space="default", subjects=("london",))) == []
        assert view.relations(Relation, Relations(space="default", subjects=("ada",), as_of=THEN - day)) == []
        assert view.get(Relation, "default", "f1") == closed


@pytest.mark.parametrize("step", [0, -60])
def test_transactions_happen_one_after_the_other_whatever_the_clock_says(store: Store, tick, step: int) -> None:
    moments = []
    for number in range(5):
        with store.write() as edit:
            put(edit, record(f"r{number}"))
            moments.append(edit.now)
        tick.step = timedelta(seconds=step)
    assert moments == sorted(set(moments))
    with store.read() as view:
        for number, moment in enumerate(moments):
            assert view.count(Filter(as_of=moment)) == number + 1


def test_what_a_transaction_ended_has_ended_for_the_next_reader_although_the_clock_went_back(
    store: Store, tick
) -> None:
    with store.write() as edit:
        put(edit, record("a", valid_until=edit.now))
        put(edit, record("b", valid_from=edit.now))
    tick.step = timedelta(hours=-1)
    with store.read() as view:
        assert [one.id for one in view.select(Record, Filter(), "newest", 9)] == ["b"]


def test_a_second_handle_sees_a_commit_at_its_next_read(make_store) -> None:
    one, other = make_store(), make_store()
    with one.write() as edit:
        kept = put(edit, record("a"))
    with other.read() as view:
        assert view.get(Record, "default", "a") == kept
    with other.write() as edit:
        retire(edit, kept, verb="remove")
    with one.read() as view:
        assert view.get(Record, "default", "a") is None


def test_a_reader_keeps_its_snapshot_while_others_write(make_store) -> None:
    store = make_store()
    with store.write() as edit:
        put(edit, record("a"))
    with store.read() as view:
        assert view.count(Filter()) == 1
        with store.write() as edit:
            put(edit, record("b"))
        assert view.count(Filter()) == 1
    with store.read() as view:
        assert view.count(Filter()) == 2


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="is closed"), store.read():
        raise AssertionError("a closed store was read")
    store.close()


def test_a_turn_is_one_holders_alone_and_each_name_has_its_own(make_store) -> None:
    one, other = make_store(), make_store()
    with one.turn("dream", "default") as mine:
        assert mine.mine
        assert not other.turn("dream", "default").take()
        with other.turn("dream", "other") as another:
            assert another.mine
    with other.turn("dream", "default") as theirs:
        assert theirs.mine


def test_who_waits_for_a_turn_is_told_to_stop(make_store) -> None:
    store, stop = make_store(), threading.Event()
    stop.set()
    with store.turn("work"), store.turn("work", stop=stop) as second:
        assert not second.mine


def test_changes_are_followed_from_an_entry_on_whoever_makes_them(make_store) -> None:
    one, other = make_store(), make_store()
    with one.write() as edit:
        put(edit, record("a"))
    assert [(change.entry, change.verb) for change in other.follow(0, 0.0)] == [(1, "create"), (2, "remember")]
    assert other.follow(2, 0.0) == []
    with one.write() as edit:
        put(edit, record("b"))
    assert [change.object_id for change in other.follow(2, 5.0, limit=9)] == ["b"]
