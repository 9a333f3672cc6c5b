"""Are the entries of what was done together one act, in every store?"""

from __future__ import annotations

from tests.store.things import make_space, put, record, space

from recollect.store.base import Acts, Changes, Store


def test_transactions_that_belong_together_are_one_act_in_each_space(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space("default"))
        make_space(edit, space("other"))
    with store.joined(in_steps=True):
        for number in range(3):
            with store.write(actor="ada") as edit:
                put(edit, record(f"r{number}", f"text {number}"))
                put(edit, record(f"o{number}", "elsewhere", space="other"))
    with store.write() as edit:
        put(edit, record("alone", "by itself"))
    with store.read() as view:
        acts = view.journal(Acts(), newest_first=True, limit=3)
        assert [(act.space, act.verb, act.count, act.about) for act in acts] == [
            ("default", "remember", 1, "by itself"),
            ("other", "remember", 3, "elsewhere"),
            ("default", "remember", 3, "text 0"),
        ]
        _, other, first = acts
        assert [change.object_id for change in view.journal(Changes(act=other.entry))] == ["o0", "o1", "o2"]
        assert (first.last, first.actor, first.object_id) == (other.last - 1, "ada", "r0")
        assert view.journal(Acts(space="default", before=acts[0].entry), newest_first=True, limit=1) == [first]


def test_acts_are_told_apart_by_who_did_them_and_by_project(store: Store) -> None:
    with store.write(actor="ada") as edit:
        make_space(edit, space("default"))
        put(edit, record("map", project="atlas"))
    with store.joined(in_steps=True):
        for id, project in (("first", None), ("second", "atlas"), ("third", None)):
            with store.write(actor="ben") as edit:
                put(edit, record(id, project=project))
    with store.write() as edit:
        put(edit, record("nobody", project="other"))
    with store.read() as view:

        def found(where: Acts) -> list[tuple[str, int]]:
            return [(act.object_id, act.count) for act in view.journal(where, newest_first=True)]

        assert found(Acts(actor="ben")) == [("first", 3)]
        assert found(Acts(actor="")) == [("nobody", 1)]
        assert found(Acts(project="atlas")) == [("first", 3), ("map", 1)]
        assert found(Acts(actor="ada", project="other")) == []
        counts = view.count(Changes(space="default"), by="actor")
        assert [(one.key, one.count) for one in counts] == [("", 1), ("ada", 2), ("ben", 3)]
