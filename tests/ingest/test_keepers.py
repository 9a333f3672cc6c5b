"""Is what is worth keeping told from what is only said?"""

from __future__ import annotations

from recollect.ingest.keepers import find_keepers

WORTH_KEEPING = """
We decided to drop Node 16 from the CI matrix.
Please never push straight to release branches.
I prefer answers in bullet points.
Remember that the demo tenant is called acme-demo.
Actually, the retention is 30 days, not 90.
The fix was to pin urllib3 below 2.
Our invoices are always sent on the first of the month.
My sister Klara is vegetarian.
From now on use uv instead of pip.
The staging database lives on db-stage-2.
Always run the linter before committing.
We agreed that Tom owns the billing module.
The flaky test was caused by a shared temp folder; using tmp_path solved it.
I'm allergic to nuts.
Don't use emojis in commit messages.
Let's go with Postgres for the event store.
The office moves to Lindenstrasse in March.
Note: the API key for maps is restricted to our domain.
"""
ONLY_SAID = """
Can you run the tests again?
I'll look at the file now.
Thanks, that works!
Let me check the logs.
What does this function do?
Here is the updated code.
The tests pass now.
Hmm, that's odd.
Should we use Postgres or MySQL?
I think there might be an issue on line 40.
Running npm install...
Sure, go ahead.
Could you explain the difference?
I have read the README and the config.
Next, I will edit the parser.
It failed with exit code 1.
Nice weather today.
Let me know if you need anything else.
Please fix the typo in the header.
Maybe we could try caching it?
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def test_most_of_what_is_worth_keeping_is_found_and_hardly_anything_else() -> None:
    kept = [line for line in lines(WORTH_KEEPING) if find_keepers(line, "user")]
    taken = [line for line in lines(ONLY_SAID) if find_keepers(line, "user")]
    assert len(kept) >= 0.85 * len(lines(WORTH_KEEPING)), sorted({*lines(WORTH_KEEPING)} - {*kept})
    assert len(taken) <= 1, taken


def test_what_an_agent_says_is_kept_only_where_it_decided_or_mended_something() -> None:
    kinds = {keeper.kind for line in lines(WORTH_KEEPING) for keeper in find_keepers(line, "assistant")}
    assert kinds == {"decision", "fix"}
