"""Is a field of a record what docs/adding-a-field.md says: a line, what callers may hand in, and a migration?"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import recollect
from recollect.fields import FIELDS, FILTERS, Filters, Keywords
from recollect.store import migrations as sqlite
from recollect.store.postgres import migrations as postgres
from recollect.store.sql.shapes import COLUMNS, TABLES
from recollect.types import Draft, Filter

PACKAGE = Path(recollect.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "adding-a-field.md"
BLOCK = re.compile(r"^   ```python\n(.*?)^   ```$", re.MULTILINE | re.DOTALL)
MODELS = shutil.ignore_patterns("__pycache__", "model", "reranker")


def test_keywords_are_the_fields_of_a_draft_but_its_text() -> None:
    assert set(Keywords.__annotations__) | {"text"} == set(FIELDS) == set(Draft.__struct_fields__)


def test_filters_are_those_that_are_parsed() -> None:
    moments = {"since", "until", "as_of", "true_at"}
    assert set(Filters.__annotations__) | {"space"} == {*FILTERS, *moments, "valid_only", "catalogue"}
    assert {attribute for attribute, _ in FILTERS.values()} < set(Filter.__struct_fields__)


def test_every_column_stands_in_the_tables_of_both_databases() -> None:
    for database, steps in (("SQLite", sqlite.MIGRATIONS), ("PostgreSQL", postgres.MIGRATIONS)):
        for type_, table in TABLES.items():
            made = " ".join(one for step in steps for one in step if re.match(rf"(CREATE|ALTER) TABLE {table}\b", one))
            missing = [column for column in COLUMNS[type_] if not re.search(rf"\b{column}\b", made)]
            assert missing == [], f"{database} has no column for them in {table}"


def after(path: Path, line: str, more: str) -> None:
    """Puts some lines after one that is there."""
    text = path.read_text("utf-8")
    assert text.count(f"{line}\n") == 1, f"{path.name} has no line {line!r}"
    path.write_text(text.replace(f"{line}\n", f"{line}\n{more}"), "utf-8")


@pytest.fixture
def with_mood(tmp_path: Path) -> Path:
    """A copy of the package, changed as the page says and nowhere else."""
    declared, given, migration = (
        re.sub(r"^   ", "", code, flags=re.M) for code in BLOCK.findall(PAGE.read_text("utf-8"))
    )
    copy = tmp_path / "src" / "recollect"
    shutil.copytree(PACKAGE, copy, ignore=MODELS)
    lines = (copy / "types.py").read_text("utf-8").splitlines()
    after(copy / "types.py", next(line for line in lines if line.startswith("    title: Annotated")), declared)
    after(copy / "fields.py", "    title: str | None", given)
    steps = sorted(path.stem for path in (copy / "store" / "migrations").glob("m0*.py"))
    new = f"m{len(steps) + 1:04}_mood"
    (copy / "store" / "migrations" / f"{new}.py").write_text(migration, "utf-8")
    after(copy / "store" / "migrations" / "__init__.py", f"    {steps[-1]},", f"    {new},\n")
    after(copy / "store" / "migrations" / "__init__.py", f"    {steps[-1]}.STATEMENTS,", f"    {new}.STATEMENTS,\n")
    return copy.parent


PROGRAM = """
import json, sys
import recollect
from recollect.cli import main
memory = recollect.open(sys.argv[1])
known = memory.remember("The kettle sings.", mood="calm", title="Kettle")
memory.remember_many([recollect.Draft(text="The cat sleeps.", mood="sleepy"), {"text": "The dog barks."}], mood="loud")
moods = {record.text: record.mood for record in memory.list()}
revised = memory.revise(known.id, mood="merry")
past = [step.record.mood for step in memory.history(known.id)]
memory.undo(revised)
try:
    memory.remember("A stone.", mood=7)
except recollect.InvalidInput as error:
    wrong = str(error)
now = memory.get(known.id).mood
memory.close()
assert main(["remember", "The door creaks.", "--mood", "eerie", "--home", sys.argv[1]]) == 0
assert main(["show", known.id, "--home", sys.argv[1]]) == 0
assert main(["revise", known.id, "--mood", "glad", "--home", sys.argv[1]]) == 0
with recollect.open(sys.argv[1]) as memory:
    typed = sorted(str(record.mood) for record in memory.list())
print(json.dumps({"moods": moods, "past": past, "now": now, "wrong": wrong, "typed": typed}))
"""


def test_a_field_is_added_as_the_page_says(with_mood: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(with_mood), *(entry for entry in sys.path if entry)])
    env = {"PYTHONPATH": path, "RECOLLECT_EMBEDDER": "none", "HOME": str(tmp_path), "PATH": os.defpath}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "home")], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^mood +calm *$", done.stdout, re.MULTILINE), done.stdout
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "moods": {"The kettle sings.": "calm", "The cat sleeps.": "sleepy", "The dog barks.": "loud"},
        "past": ["calm", "merry"],
        "now": "calm",
        "wrong": "mood: must be text, not int",
        "typed": ["eerie", "glad", "loud", "sleepy"],
    }
