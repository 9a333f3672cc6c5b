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
