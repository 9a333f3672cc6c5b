"""What is a session given with its prompts, by the probability from which on a record is given?

The questions of `everyday-dev` are prompts, thirty of them without an answer; so are forty tasks that ask the memory
for nothing. Each is put as by a server that has the model loaded, and as by a hook that has words alone.
"""

from __future__ import annotations

from pathlib import Path

import recollect
from bench.quality import load, rows
from bench.table import Cell, Plan, Table

THRESHOLDS = (0.5, 0.4, 0.35, 0.3, 0.25, 0.2)
_SET = "everyday-dev"
TASKS = """
refactor this function so that it has no nested loops
write a unit test for the parser
fix the failing test in the last run
rename the variable to something clearer
explain this stack trace
make the button blue
add a docstring to every public method
why does this loop never end?
turn this list into a table
translate the paragraph into Spanish
write a haiku about autumn
make the error message friendlier
sort the imports
bump the version and write the changelog
review this diff
can you shorten this email?
give me three names for a cat café
convert this CSV into JSON
draw a diagram of the data flow
what is the time complexity of quicksort?
how do I reverse a string in Python?
write a regular expression for dates
summarize this article in five lines
what is the capital of Australia?
run the linter and fix what it finds
split this file into two modules
generate some sample data
add type hints to this class
how do I undo the last commit?
write a thank-you note to the organisers
make this query faster
what does this regular expression match?
port this script to bash
create a README for this folder
add logging to the worker
explain monads like I am five
write the SQL for the ten largest customers
check the spelling of this text
continue
try again, but simpler
""".strip().splitlines()


def run(plan: Plan) -> list[Table]:
    """A row for each threshold, on the set of everyday questions in `shared`/data; nothing without one."""
    if plan.shared is None:
        return []
    folders = sorted(path for path in (plan.shared / "data").iterdir() if path.is_dir())
    folder = next((path for path in folders if path.name == _SET), folders[0])
    home = plan.folder / "unasked"
    with recollect.open(home) as memory:
        load(memory, folder)
        memory.recall("is the model loaded?", space=_spaces(folder)[0])
        found = [_row(memory, folder, "words and a loaded model", least) for least in THRESHOLDS]
    with recollect.open(home) as memory:
        found += [_row(memory, folder, "words alone", least) for least in THRESHOLDS]
    columns = (
        "by",
        "threshold",
        "answered",
        "right of what was given",
        "given without an answer",
        "given to tasks",
    )
    return [Table("unasked", columns, tuple(found))]


def _spaces(folder: Path) -> list[str]:
    return sorted({f"{folder.name}/{row['cid']}" for row in rows(folder / "corpus.jsonl")})


def _row(memory: recollect.Memory, folder: Path, by: str, least: float) -> tuple[Cell, ...]:
    """How many prompts with an answer were given it, and how many others were given something."""
    spaces = _spaces(folder)
    for space in spaces:
        memory.unasked.steer(space=space, threshold=least)
    asked = answered = right = given = silent = idle = 0
    for query in rows(folder / "queries.jsonl"):
        gold = query["gold"]
        wanted = set(map(str, gold)) if isinstance(gold, dict) else set[str]()  # pyright: ignore[reportUnknownArgumentType]
        ids = memory.unasked.give_answers(str(query["query"]), space=f"{folder.name}/{query['cid']}").ids
        if not wanted:
            silent, idle = silent + 1, idle + bool(ids)
            continue
        asked, given, right = asked + 1, given + len(ids), right + len(wanted.intersection(ids))
        answered += bool(wanted.intersection(ids))
    tasks = sum(bool(memory.unasked.give_answers(task, space=space).ids) for task in TASKS for space in spaces)
    share = f"{100 * right / given:.0f} %" if given else "–"
    put = len(TASKS) * len(spaces)
    return by, least, f"{answered} of {asked}", share, f"{idle} of {silent}", f"{tasks} of {put}"
