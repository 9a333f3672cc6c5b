"""What must every store do? The canonical half: spaces, versions, scans, the graph, the journal."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest
from things import THEN, entity, put, record, relation, space

from recollect.errors import Conflict, NotFound, StoreError
from recollect.store.base import Store
from recollect.types import Change, Claim, Entity, Evidence, Filter, Grounds, Record, Relation, Session


def verbs(store: Store) -> list[tuple[str, str, str]]:
    with store.read() as view:
        return [(change.verb, change.object_type, change.object_id) for change in view.journal()]


def test_a_new_store_is_empty_and_sound(store: Store) -> None:
    with store.read() as view:
        assert view.spaces() == []
        assert view.journal() == []
        assert view.last_entry() == 0
        assert view.models() == []
    assert list(store.check()) == []


def test_a_space_is_made_described_and_dropped(store: Store) -> None:
    with store.write() as edit:
        made = edit.put_space(space("home", description="what I know"))
    with store.write() as edit:
        described = edit.put_space(space("home", description="more", metadata={"a": [1, None]}))
    with store.read() as view:
        assert view.spaces() == [described]
        assert described == msgspec.structs.replace(made, description="more", metadata={"a": [1, None]})
    with store.write() as edit:
        assert edit.drop_space("home") == 0
        assert edit.space("home") is None
    assert [verb for verb, _, _ in verbs(store)] == ["create", "describe", "drop"]


def test_a_space_that_is_not_there_cannot_be_written_dropped_or_counted(store: Store) -> None:
    for act in (
        lambda edit: edit.put(record("a"), verb="remember"),
        lambda edit: edit.drop_space("default"),
        lambda edit: edit.stats("default"),
    ):
        with pytest.raises(NotFound, match="no space named 'default'"), store.write() as edit:
            act(edit)
    with store.read() as view:
        assert view.words(["default"], [], Filter(), None) == {}
        assert view.scan(Filter(spaces=("default",)), "newest", 10) == []


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
        edit.put_space(space())
        stored = [edit.put(thing, verb="remember")[0] for thing in (full, who, fact)]
        now = edit.now
    with store.read() as view:
        for thing, kept in zip((full, who, fact), stored, strict=True):
            assert kept == msgspec.structs.replace(thing, recorded_at=now, version=kept.version)
            assert view.get(type(kept), "default", kept.id) == kept
            assert view.version(type(kept), kept.version) == kept
            assert view.whereabouts(type(kept), kept.id) == ["default"]


def test_every_change_is_journalled_with_who_why_before_and_after(store: Store) -> None:
    with store.write(actor="ada") as edit:
        first = put(edit, record("a", "one"))
        at = edit.now
    with store.write(actor="bob") as edit:
        second, entry = edit.put(record("a", "two"), verb="revise", before=first, reason="typo", undoes=1)
        gone = edit.retire(second, verb="remove", reason="enough")
    with store.read() as view:
        assert view.journal(object_id="a") == [
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
                object_id="a", before=second.version, actor="bob", reason="enough",
            ),
        ]  # fmt: skip
        assert [change.entry for change in view.journal(newest_first=True, limit=2)] == [gone, entry]
        assert view.last_entry() == gone
        assert view.journal(after=gone) == []
        assert view.entry(gone + 1) is None


def test_as_of_answers_with_the_version_that_held_then(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
    with store.write() as edit:
        second, _ = edit.put(record("a", "two"), verb="revise", before=first)
    with store.write() as edit:
        edit.retire(second, verb="remove")
        removed = edit.now
    before = first.recorded_at - timedelta(microseconds=1)
    with store.read() as view:
        moments = (before, first.recorded_at, second.recorded_at, removed - timedelta(microseconds=1), removed)
        assert [view.get(Record, "default", "a", moment) for moment in moments] == [None, first, second, second, None]
        assert [view.count(Filter(as_of=moment)) for moment in moments] == [0, 1, 1, 1, 0]
        assert view.scan(Filter(as_of=second.recorded_at), "newest", 9) == [second]
        assert view.get(Record, "default", "a") is None


def test_valid_at_goes_by_when_a_record_holds_as_it_is_known_now(store: Store) -> None:
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
            found = view.scan(Filter(valid_at=moment, without_kinds=("code", "note")), "newest", 9)
            return {record.id for record in found}

        assert held(THEN - day) == set()
        assert held(THEN + day) == {"always", "until", "followed"}
        assert held(later) == {"always", "from"}
        assert view.count(Filter(valid_at=later)) == 3


def test_sources_can_be_left_out(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", "1", source="a.md"))
        put(edit, record("b", "2", source="b.md"))
        put(edit, record("none", "3"))
    with store.read() as view:
        found = view.scan(Filter(without_sources=("a.md", "c.md")), "newest", 9)
    assert {record.id for record in found} == {"b", "none"}


def test_a_version_that_no_longer_holds_cannot_be_replaced_again(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
        edit.put(record("a", "two"), verb="revise", before=first)
    for act in (
        lambda edit: edit.put(record("a", "three"), verb="revise", before=first),
        lambda edit: edit.retire(first, verb="remove"),
    ):
        with pytest.raises(Conflict, match="changed by someone else"), store.write() as edit:
            act(edit)
    assert len(verbs(store)) == 3


def test_two_live_records_cannot_have_one_id(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", "one"))
    with pytest.raises(StoreError), store.write() as edit:
        edit.put(record("a", "two"), verb="remember")
    with store.write() as edit:
        put(edit, record("a", "one", space="other"))
    with store.read() as view:
        assert view.whereabouts(Record, "a") == ["default", "other"]


def test_an_exception_in_the_middle_leaves_nothing_behind(store: Store) -> None:
    with store.write() as edit:
        kept = put(edit, record("a"))
    with pytest.raises(ZeroDivisionError), store.write() as edit:
        put(edit, record("b", space="other"))
        edit.put(record("a", "new"), verb="revise", before=kept)
        edit.put(entity("e", "Ada"), verb="name")
        edit.erase(kept)
        _ = 1 / 0
    with store.read() as view:
        assert [one.name for one in view.spaces()] == ["default"]
        assert view.scan(Filter(), "newest", 9) == [kept]
        assert view.named("default", "Ada") == []
    assert len(verbs(store)) == 2
    assert list(store.check()) == []


def test_erase_leaves_only_the_fact_of_it(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", "one"))
        second, _ = edit.put(record("a", "two"), verb="revise", before=first, reason="private words")
        edit.touch({("default", "a"): 3}, edit.now)
    with store.write() as edit:
        entry = edit.erase(second, reason="asked to")
    with store.read() as view:
        assert [view.version(Record, one.version) for one in (first, second)] == [None, None]
        assert view.terms([first.version, second.version]) == {}
        assert view.whereabouts(Record, "a") == []
        changes = view.journal(object_id="a")
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
            assert [one.id for one in view.scan(Filter(), order, 9)] == ids  # type: ignore[arg-type]
            pages = [view.scan(Filter(), order, 2, offset) for offset in (0, 2, 4)]  # type: ignore[arg-type]
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
        assert view.scan(chosen, "newest", 9) == [wanted]
        assert view.count(chosen) == 1
        every = view.words([wanted.space], [], chosen, None, every=True)
        assert every[wanted.space].versions.tolist() == [wanted.version]
        every = range(wanted.version, wanted.version + 4)
        assert [glance.id for glance in view.glances(wanted.space, list(every), chosen)] == ["wanted"]


def test_what_is_hidden_or_not_valid_shows_only_when_asked_for(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("past", valid_until=THEN))
        put(edit, record("future", valid_from=edit.now + timedelta(days=1)))
        put(edit, record("old", status="superseded"))
        put(edit, record("shelved", status="archived"))
        now = edit.now
    with store.read() as view:
        assert view.scan(Filter(), "newest", 9) == []
        assert view.count(Filter(valid_only=False)) == 4
        assert [one.id for one in view.scan(Filter(statuses=("superseded",)), "newest", 9)] == ["old"]
        later = Filter(as_of=now + timedelta(days=2))
        assert [one.id for one in view.scan(later, "newest", 9)] == ["future"]


def test_a_twin_has_the_same_space_kind_session_and_text(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", "same"))
        put(edit, record("b", "same", session="s"))
        put(edit, record("c", "same", kind="note", status="archived"))
        edit.put_space(space("other"))
    with store.read() as view:
        assert view.twin(record("x", "same")) == "a"
        assert view.twin(record("x", "same", session="s")) == "b"
        for unlike in ({"kind": "note"}, {"session": "t"}, {"space": "other"}, {"space": "none"}, {"text": "else"}):
            assert view.twin(record("x", **{"text": "same", **unlike})) is None
        assert view.twin(record("x", "same", room="r")) == "a"
        assert view.twin(record("x", "same", room="r"), ["room"]) is None


def test_positions_count_on_within_a_session_and_within_a_source(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("a", session="s", position=4))
        put(edit, record("b", source="f", position=7))
        assert [edit.next_position("default", "s", None) for _ in range(2)] == [5, 6]
        assert edit.next_position("default", "s", "f") == 7
        assert edit.next_position("default", None, "f") == 8
        assert edit.next_position("default", "new", None) == 0


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
        late = Session(id="t", space="default", messages=1, started_at=THEN + 2 * day, last_at=THEN + 2 * day)
        early = Session(id="s", space="default", messages=2, started_at=THEN, last_at=THEN + day)
        assert view.sessions("default", 9) == [late, early]
        assert view.sessions("default", 9, 1) == [early]


def test_statistics_count_what_holds_now(store: Store) -> None:
    with store.write() as edit:
        first = put(edit, record("a", session="s"))
        put(edit, record("b", kind="note"))
        put(edit, record("c"))
        edit.put(record("a", "new", session="s"), verb="revise", before=first)
        edit.put(entity("e", "Ada"), verb="name")
        edit.put(relation("f", "e", "is", "e"), verb="relate")
    with store.read() as view:
        stats = view.stats("default")
    assert (stats.records, stats.by_kind, stats.sessions) == (3, {"memory": 2, "note": 1}, 1)
    assert (stats.entities, stats.relations, stats.waiting_for_vectors, stats.newest) == (1, 1, 0, THEN)


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
        edit.put_space(space())
        ada, _ = edit.put(entity("e1", "Ada Lovelace", aliases=("The Countess", "ada")), verb="name")
        other, _ = edit.put(entity("e2", "Ada"), verb="name")
    with store.read() as view:
        assert view.named("default", "  ada   LOVELACE ") == [ada]
        assert view.named("default", "ada") == [ada, other]
        assert view.names(["default"], ["ada", "the countess", "nobody"]) == {"default": ["ada", "the countess"]}
        assert view.entities("default", 1, 1) == [other]
        assert view.entities("default", 2, newest_first=True) == [other, ada]
        assert view.entities("default", 2, words=["countess", "love"]) == [ada]
        assert view.named("elsewhere", "ada") == []
    with store.write() as edit:
        edit.put(entity("e1", "Ada King"), verb="describe", before=ada)
        assert edit.named("default", "the countess") == []
        edit.retire(other, verb="undo")
        assert edit.named("default", "ada") == []
        assert edit.get(Entity, "default", "e2", ada.recorded_at) == other


def test_names_in_scripts_without_spaces_are_known_inside_a_text(store: Store) -> None:
    with store.write() as edit:
        edit.put_space(space())
        edit.put(entity("e1", "東京"), verb="name")
        assert edit.names(["default"], [], "私は東京都に住む") == {"default": ["東京"]}
        assert edit.names(["default"], [], "大阪") == {"default": []}


def test_links_are_the_ends_and_weights_of_relations_newest_first(store: Store) -> None:
    with store.write() as edit:
        edit.put_space(space())
        for at, city in enumerate(("london", "paris", "rome")):
            edit.put(relation(f"f{at}", "ada", "likes", city, weight=at + 1.0), verb="relate")
        ended = relation("f3", "ada", "likes", "oslo", valid_until=THEN + timedelta(seconds=1))
        edit.put(ended, verb="relate")
    with store.read() as view:
        outgoing = view.links("default", ["ada"], outgoing=True, as_of=None, limit=2)
        assert outgoing == [("ada", "rome", 3.0), ("ada", "paris", 2.0)]
        assert view.links("default", ["london"], outgoing=False, as_of=None, limit=9) == [("ada", "london", 1.0)]
        assert view.links("default", ["ada"], outgoing=False, as_of=None, limit=9) == []


def test_relations_are_read_from_either_end_as_they_held_at_a_moment(store: Store) -> None:
    day = timedelta(days=1)
    with store.write() as edit:
        edit.put_space(space())
        lived, _ = edit.put(relation("f1", "ada", "lives in", "london"), verb="relate")
    with store.write() as edit:
        closed, _ = edit.put(msgspec.structs.replace(lived, valid_until=edit.now), verb="close", before=lived)
        lives, _ = edit.put(relation("f2", "ada", "lives in", "paris", valid_from=edit.now), verb="relate")
    with store.read() as view:
        assert view.relations("default", ["ada"], outgoing=True, as_of=None) == [lives]
        assert view.relations("default", ["paris"], outgoing=False, as_of=None) == [lives]
        assert view.relations("default", ["ada"], outgoing=True, as_of=lived.recorded_at) == [lived]
        assert view.relations("default", ["ada"], outgoing=True, as_of=None, active=False) == [closed, lives]
        assert view.relations("default", ["london"], outgoing=True, as_of=None) == []
        assert view.relations("default", ["ada"], outgoing=True, as_of=THEN - day) == []
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
        assert [one.id for one in view.scan(Filter(), "newest", 9)] == ["b"]


def test_a_second_handle_sees_a_commit_at_its_next_read(make_store) -> None:
    one, other = make_store(), make_store()
    with one.write() as edit:
        kept = put(edit, record("a"))
    with other.read() as view:
        assert view.get(Record, "default", "a") == kept
    with other.write() as edit:
        edit.retire(kept, verb="remove")
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
