"""What holds when."""

from __future__ import annotations

from recollect.engine.parse import parse_time


def test_a_memory_holds_from_when_it_was_stored_until_it_is_invalid(table, clock) -> None:
    before = clock.advance(hours=1)
    [id] = table.store("The office is in Porto.")
    during = clock.advance(hours=1)
    table.call("invalidate", id=id)
    after = clock.advance(hours=1)

    def count(moment) -> int:
        return table.call("get_valid_at", timestamp=moment.isoformat())["count"]

    assert [count(moment) for moment in (before, during, after)] == [0, 1, 0]
    held = table.call("get_memory", id=id)
    assert held["valid_from"] < during.isoformat() < held["valid_until"] < after.isoformat()


def test_a_successor_takes_over_and_the_past_still_shows_the_old(table, clock) -> None:
    [old] = table.store("The office is in Porto.")
    then = clock.advance(hours=1)
    [new] = table.store("The office is in Faro.")
    assert table.call("invalidate", id=old, reason="moved\n", superseded_by=new) == {"invalidated": True}
    assert table.ids("get_valid") == [new]
    assert table.ids("get_valid_at", timestamp=then.isoformat()) == [old]
    record, last = table.memory.get(old), table.memory.history(old)[-1].change
    assert (record.superseded_by, record.status) == (new, "superseded")
    assert (last.verb, last.reason, last.actor) == ("invalidate", "moved", "tester")


def test_what_ended_once_ended_then(table, clock) -> None:
    [old, new] = table.store("The office is in Porto.", "The office is in Faro.")
    table.call("invalidate", id=old)
    ended = table.call("get_memory", id=old)["valid_until"]
    clock.advance(hours=1)
    assert table.call("invalidate", id=old, superseded_by=new) == {"invalidated": True}
    assert table.call("get_memory", id=old)["valid_until"] == ended
    assert table.memory.get(old).superseded_by == new


def test_why_a_memory_was_ended_can_be_read_back(table) -> None:
    plain, reasoned, replaced, new = table.store("one", "two", "three", "four")
    table.call("invalidate", id=plain)
    table.call("invalidate", id=reasoned, reason="we moved\nto Oslo")
    table.call("invalidate", id=replaced, reason="outdated")
    table.call("invalidate", id=replaced, superseded_by=new)
    assert table.call("update_memory", id=reasoned, metadata={"seen": 1})["invalidation_reason"] == "we moved to Oslo"
    told = [table.call("get_memory", id=id) for id in (plain, reasoned, replaced, new)]
    assert [(each.get("invalidation_reason"), each.get("superseded_by")) for each in told] == [
        (None, None), ("we moved to Oslo", None), ("outdated", new), (None, None),
    ]  # fmt: skip


def test_nothing_is_invalidated_by_an_unknown_id(table) -> None:
    [id] = table.store("The office is in Porto.")
    assert table.call("invalidate", id="nowhere") == {"invalidated": False}
    assert table.fail("invalidate", id=id, superseded_by="nowhere") == "Memory not found: nowhere"
    assert "superseded_by" in table.fail("invalidate", id=id, superseded_by=id)
    assert table.ids("get_valid") == [id]


def test_a_user_is_a_label_that_can_be_asked_for(table) -> None:
    [ana] = table.store("Likes tea.", user_id="ana")
    [ben] = table.store("Likes coffee.", user_id="ben")
    now = "2030-01-01T00:00:00Z"
    assert table.ids("get_valid", user_id="ana") == table.ids("get_valid_at", timestamp=now, user_id="ana") == [ana]
    assert table.ids("get_valid") == table.ids("get_valid_at", timestamp=now) == [ben, ana]
    assert table.ids("get_valid", limit=1) == [ben]


def test_times_are_read_in_any_zone_and_told_in_utc(table) -> None:
    def told(timestamp: str) -> str:
        return table.call("get_valid_at", timestamp=timestamp)["timestamp"]

    assert told("2026-01-06T13:00:00+01:00") == told("2026-01-06T12:00:00") == "2026-01-06T12:00:00Z"
    assert told("2026-01-06") == "2026-01-06T00:00:00Z"
    assert told("2026-01") == told(parse_time("2026-01", "timestamp").isoformat())  # a month and words, as everywhere
    for wrong in ("some day", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00"):
        assert "timestamp: " in table.fail("get_valid_at", timestamp=wrong)
