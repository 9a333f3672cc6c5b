"""Where does what is gone for good leave its mark?

Each mark had a row of its own, and keeps it; those of now stand in buckets with others (`store/marks.py`). No table
differs, but an earlier release would not look there, and so must not open a store.
"""

STATEMENTS: tuple[str, ...] = ()
