"""Do rows of earlier releases get their checksums, in every store?"""

from __future__ import annotations

from unittest.mock import patch

from tests.store.things import make_space, put, record, space

from recollect.store.base import Store, Unsealed
from recollect.store.sql import seal
from recollect.store.sql.edit import SqlEdit


def test_rows_without_a_checksum_get_one_in_steps(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space("default"))
        for number in range(3):
            put(edit, record(f"r{number}", f"text {number}"))
    with store.write() as edit:
        assert isinstance(edit, SqlEdit)
        if type(store).__name__ == "PostgresStore":  # of an earlier release, which did not see to it
            edit.database.run("ALTER TABLE records DISABLE TRIGGER stays_sealed", ())
        for table in ("records", "journal", "spaces"):
            edit.database.run(f"UPDATE {table} SET checksum = NULL", ())
    with store.read() as view:
        assert view.count(Unsealed()) == 3 + 4 + 1
    steps = 0
    while not store.settle():
        steps += 1
    with store.read() as view:
        assert (view.count(Unsealed()), steps > 1) == (0, True)
    assert list(store.check()) == []


def test_a_write_hashes_each_row_that_it_writes_once(store: Store) -> None:
    with store.write() as edit:
        make_space(edit, space("default"))
    with patch.object(seal, "crc32", wraps=seal.crc32) as hashed, store.write() as edit:
        for number in range(10):
            put(edit, record(f"r{number}", f"text {number}"))
    assert hashed.call_count == 2 * 10  # a version and its entry in the journal
    assert list(store.check()) == []
