"""What is a requirement of a contract, how is it met, and what are users told of it?

`source` restates the contract's document in our words, `behaviour` says how that is met here. `tests` show it: a name
of a test beside the table, or `file::name` below tests/. A test follows these links both ways.

What users must know stands on the contract's page in docs/contracts, in one of `SECTIONS`: whole sentences, for someone
who knows the origin and not this table. `tools/write_contracts.py` puts them there, each with links to the row's tests.
"""

from __future__ import annotations

import ast
import runpy
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
SNAPSHOTS = "contracts/test_requirements.py::test_pages_and_snapshots_are_those_of_the_tables"
SECTIONS: Mapping[str, str] = {
    "differs": "What differs from the origin, and why",
    "absent": "What is not there",
    "score": "What a score means",
    "vectors": "What waits for vectors",
}
"""The fields of a requirement that users are told, and the headings below which they stand."""


class Requirement(NamedTuple):
    """`differs` also tells what is decided here because the document leaves it open."""

    source: str
    behaviour: str
    tests: tuple[str, ...]
    differs: str = ""
    absent: str = ""
    score: str = ""
    vectors: str = ""


NEAREST = "store/test_search.py::test_the_nearest_are_found_among_few_and_many"
HOW_NEAR = (
    "Of up to 200 records the vectors of all are compared; of more, the signs of all, and the numbers of those whose"
    " signs are nearest, at least 200: a near one may be missed. Only PostgreSQL has an index of the kind, for large"
    " spaces ([how](../store.md))."
)


NO_SEARCH_WAITS = Requirement(
    "decisions for all: no call waits for vectors beyond its deadline",
    "150 ms; words find what has no vector yet",
    ("contracts/test_waiting.py::test_a_search_answers_by_words_while_vectors_are_missing",),
    vectors="What is stored is durable and found by its words when the call that stores it answers; its vector is"
    " computed within the next seconds. A search gives 150 ms to vectors that are still missing, the best"
    " of what words find first, then the newest, and then answers: what has none yet is taken at its words.",
)
SHORT_ANSWERS = Requirement(
    "decisions for all: answers are not sent twice at full length; nothing above 25 KB without paging or a stated cut",
    "over MCP and iii; what is above 2 KB is sent as text alone",
    (
        "contracts/test_fit.py::test_no_contract_answers_at_more_than_25_kb_or_sends_a_long_answer_twice",
        "contracts/test_fit.py::test_the_longest_texts_are_cut_at_one_length_and_short_ones_stay",
        "contracts/test_fit.py::test_what_entries_hold_ends_earlier_before_entries_are_left_out",
        "contracts/test_fit.py::test_a_list_of_many_short_things_ends_earlier_and_says_so",
        "contracts/test_fit.py::test_whatever_an_answer_holds_it_fits_and_says_so",
    ),
    "An answer stays below 25 KB, so that it does not fill a model's context. Where it would not, the"
    " longest texts are cut, each marked where it ends, then what entries hold in turn (metadata, relations) and the"
    " longest list end earlier, and `note` says what is missing.",
)
COUNTED = Requirement(
    "decisions for all: recalls count accesses and stay readOnlyHint: true; only likely answers count",
    "a row that is more likely than not an answer",
    ("contracts/test_counting.py::test_recalls_are_read_only_and_count_likely_answers_alone",),
    "Searches and recalls are marked `readOnlyHint: true`, and count which memories they showed as likely answers"
    " (more likely than not). That is bookkeeping: it changes no memory and nothing that they answer.",
)
"""Rows of several contracts."""


def rows_of(folder: str) -> list[Requirement]:
    tables = sorted((HERE / folder).glob("requirements*.py"))
    return [row for table in tables for row in runpy.run_path(str(table))["REQUIREMENTS"]]


def find_tests(*files: Path) -> Counter[str]:
    return Counter(
        node.name
        for file in files
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def locate_tests(folder: str) -> dict[str, Path]:
    """The files of a contract's own tests, by the names of the tests."""
    return {name: file for file in sorted((HERE / folder).glob("test_*.py")) for name in find_tests(file)}
