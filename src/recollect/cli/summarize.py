"""How does a person have memories summarised?"""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.options import ASKABLE, AsJson, Home, Since, SpaceName, Tags, Until
from recollect.cli.output import many, put, put_json, say
from recollect.cli.place import asked_space, open_or_fail
from recollect.types import DEFAULT_SPACE


def summarize(
    space: SpaceName = DEFAULT_SPACE,
    project: Annotated[str | None, ASKABLE["project"].info()] = None,
    memory_type: Annotated[str | None, ASKABLE["memory_types"].info()] = None,
    tag: Tags = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="How many memories at most, the newest.")] = 50,
    max_words: Annotated[int, typer.Option("--max-words", metavar="N", help="The most words to write.")] = 250,
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="HOW", help="auto, extractive or abstractive.")
    ] = "auto",
    provider: Annotated[
        str | None, typer.Option("--provider", metavar="NAME", help="Whose model writes (else RECOLLECT_SUMMARIZER).")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The provider's model.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Summarise what happened, and keep the summary as a record that names its sources.

    Without a language model the memories' own sentences are chosen: those that say most, in time order, with their
    dates. Asked again for the same memories, the same summary is shown.

    \b
    Example:
      recollect summarize --project api --since 2026-05-01 --max-words 120
    """
    with open_or_fail(home) as memory:
        asked_space(memory, space)
        made = memory.summarize(
            space=space, project=project, memory_type=memory_type, tags=tag or (),
            since=since, until=until, limit=limit,
            max_words=max_words, strategy=strategy, provider=provider, model=model,
        )  # fmt: skip
    if as_json:
        put_json(made)
        return
    put(made.text)
    by = "" if made.provider is None else f" by {made.model or made.provider}"
    kept = "kept as" if made.stored else "held already as"
    say(f"{made.strategy}{by}, of {many(len(made.sources), 'memory', 'memories')}; {kept} {made.id}")
    if made.note is not None:
        say(made.note)
