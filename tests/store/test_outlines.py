"""Are the narrow reads of a whole space what its full records say?"""

from __future__ import annotations

from datetime import timedelta

from things import THEN, entity, make_space, put, record, relation, retire, space, write

from recollect.store.base import Link, Outline, Piece, Relations, Store, View
from recollect.types import Claim, Evidence, Filter, Grounds


def outlines_of(view: View, space: str) -> list[Outline]:
    return view.select(Outline, Filter(spaces=(space,), without_kinds=("document", "code"), valid_only=False), "oldest")


def test_an_outline_is_its_record_without_the_text(store: Store) -> None:
    grounds = Grounds(
        scopes=("s",),
        subjects=("n",),
        evidence=(Evidence(source="src:1", segment="seg-1", locator={"line": 1}, hash="ab"),),
        claim=Claim(subject="n", predicate="is", value={"a": [1]}),
        verified_at=THEN,
    )
    with store.write() as edit:
        held = put(edit, record("k", title="T", kind="fact", status="candidate", confidence=0.5, grounds=grounds))
    with store.read() as view:
        (one,) = outlines_of(view, "default")
    assert (one.version, one.id, one.kind, one.heading, one.status) == (held.version, "k", "fact", "T", "candidate")
    assert (one.confidence, one.trust, one.valid_until, one.superseded_by) == (0.5, "agent_inferred", None, None)
    assert one.grounds is not None
    assert one.grounds.evidence[0].locator == {"line": 1}
    assert one.grounds.claim is not None
    assert (one.grounds.claim.value, one.grounds.verified_at, one.grounds.scopes) == ({"a": [1]}, THEN, ("s",))


def test_pieces_have_no_outlines_and_sources_say_where_they_are(store: Store) -> None:
    with store.write() as edit:
        put(edit, record("src:1", kind="source", source="/a.md", metadata={"fingerprint": "f", "payload": {}}))
        put(edit, record("d", kind="document", source="/a.md", position=3))
        put(edit, record("c", kind="code", source="/a.py"))
        put(edit, record("w", kind="work_item", metadata={"depends_on": ["x"]}))
        put(edit, record("m", "a long memory without a title", metadata={"left": "out"}))
    with store.read() as view:
        found = {one.id: one for one in outlines_of(view, "default")}
        pieces = view.select(Piece, Filter(spaces=("default",), kinds=("document",), valid_only=False))
    assert set(found) == {"src:1", "w", "m"}
    assert (found["src:1"].location, found["src:1"].fingerprint, found["src:1"].doing) == ("/a.md", "f", None)
    assert (found["w"].doing, found["w"].location) == ({"depends_on": ["x"]}, None)
    assert (found["m"].heading, found["m"].doing) == ("a long memory without a title", None)
    assert [(piece.source, piece.position) for piece in pieces] == [("/a.md", 3)]


def test_what_is_retired_or_in_another_space_is_not_outlined(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space())
        gone = put(edit, record("gone"))
        put(edit, record("there", space="other"))
        retire(edit, gone, verb="replace")
    with store.read() as view:
        assert outlines_of(view, "default") == []
        assert [one.id for one in outlines_of(view, "other")] == ["there"]
        assert outlines_of(view, "nowhere") == []


def test_links_of_a_space_are_those_that_hold_now(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space())
        for id in "abc":
            write(edit, entity(id, id), verb="name")
        write(edit, relation("r1", "a", "knows", "b"), verb="relate")
        write(edit, relation("r2", "b", "knew", "c", valid_until=THEN + timedelta(days=1)), verb="relate")
    with store.read() as view:
        assert view.relations(Link, Relations(space="default")) == [Link("a", "b", 1.0)]
        assert view.relations(Link, Relations(space="other")) == []
