"""How does a person keep several memories apart?"""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli import show
from recollect.cli.options import AsJson, Home, Usage, Yes, confirm, read_text
from recollect.cli.output import many, minute, put, put_answer, put_json, say
from recollect.cli.place import asked_space, open_or_fail, open_or_make, open_to_read
from recollect.engine.care.identity import identity as identity_of
from recollect.engine.care.identity import set_identity
from recollect.engine.write.screen import secrets_policy, set_secrets

Name = Annotated[str, typer.Argument(metavar="NAME", help="The space's name.")]

spaces = typer.Typer(
    help="""Keep memories apart: list, create, describe, identify and delete spaces.

\b
Examples:
  recollect spaces
  recollect spaces create work --description "Everything of the day job"
""",
    invoke_without_command=True,
)


@spaces.callback()
def default(context: typer.Context, home: Home = None, as_json: AsJson = False) -> None:
    if context.invoked_subcommand is None:
        list_spaces(home, as_json)
    elif home is not None or as_json:
        raise Usage(f"options go to the end: recollect spaces {context.invoked_subcommand} … --home FOLDER --json")


@spaces.command("list")
def list_spaces(home: Home = None, as_json: AsJson = False) -> None:
    """List all spaces and how much each of them holds.

    \b
    Example:
      recollect spaces list
    """
    with open_to_read(home, {"spaces": []}, as_json=as_json) as memory:
        found = [memory.describe_space(space.name) for space in memory.spaces()]
    if as_json:
        put_json({"spaces": [{"space": space, "stats": stats} for space, stats in found]})
    elif found:
        columns = [
            show.Column("space", soft=True), show.Column("records", right=True), show.Column("created"),
            show.Column("description", wide=True),
        ]  # fmt: skip
        rows = ([space.name, f"{stats.records:,}", minute(space.created_at), space.description]
                for space, stats in found)  # fmt: skip
        show.put_table(columns, rows)
    else:
        say("no spaces yet; the first memory makes one")


@spaces.command("create")
def create(
    name: Name,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="What belongs into it.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make a space, or change the description of one that exists.

    Spaces are also made by the first thing that is stored in them.

    \b
    Example:
      recollect spaces create work --description "Everything of the day job"
    """
    with open_or_make(home) as memory:
        space = memory.create_space(name, description=description)
    put_answer(space, f"space {space.name}" + (f": {space.description}" if space.description else ""), as_json=as_json)


@spaces.command("describe")
def describe(name: Name, home: Home = None, as_json: AsJson = False) -> None:
    """Show one space: what it is for, and how much it holds.

    \b
    Example:
      recollect spaces describe work
    """
    with open_or_fail(home) as memory:
        asked_space(memory, name)
        space, stats = memory.describe_space(name)
    if as_json:
        put_json({"space": space, "stats": stats})
        return
    show.put_pairs({
        "space": space.name, "description": space.description, "created": minute(space.created_at),
        "records": f"{stats.records:,}", "kinds": ", ".join(f"{n:,} {kind}" for kind, n in stats.by_kind.items()),
        "sessions": f"{stats.sessions:,}", "entities": f"{stats.entities:,}", "relations": f"{stats.relations:,}",
        "waiting for vectors": f"{stats.waiting_for_vectors:,}", "newest": minute(stats.newest),
    })  # fmt: skip


@spaces.command("delete")
def delete(name: Name, yes: Yes = False, home: Home = None, as_json: AsJson = False) -> None:
    """Delete a space with everything in it, for good. This cannot be undone.

    \b
    Example:
      recollect spaces delete old-project
    """
    with open_or_fail(home) as memory:
        _, stats = memory.describe_space(name)
        held = f"{many(stats.records, 'record')} and {many(stats.relations, 'relation')}"
        if not confirm(f"Delete the space {name!r} with {held} for good?", yes=yes):
            say("nothing was deleted")
            raise typer.Exit(1)
        count = memory.delete_space(name)
    put_answer(
        {"deleted": name, "versions": count}, f"deleted {name} ({many(count, 'version')} of records)", as_json=as_json
    )


@spaces.command("secrets")
def secrets(
    name: Name,
    policy: Annotated[
        str | None, typer.Argument(metavar="[mask|reject|allow]", help="What to do from now on. Without it: show it.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show or set what a space does with keys, tokens and passwords: mask them (as a rule), reject or allow the text.

    \b
    Examples:
      recollect spaces secrets work
      recollect spaces secrets work reject
    """
    with open_or_fail(home) as memory:
        said = (
            secrets_policy(memory.core, space=name) if policy is None else set_secrets(memory.core, policy, space=name)
        )
    put_answer({"space": name, "secrets": said}, said, as_json=as_json)


@spaces.command("identity")
def identity(
    name: Name,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]", help="The new text; - reads stdin. Without it: show it.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the text.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show or set the identity of a space: who or what it belongs to, in a few sentences.

    It is kept as identity.txt in the space's folder, and stands first in what a trusty-memory server recalls.

    \b
    Examples:
      recollect spaces identity work
      recollect spaces identity work "I am the assistant of the platform team."
    """
    with open_or_fail(home) as memory:
        memory.describe_space(name)
        if clear or text:
            if clear and text:
                raise Usage("give a text or --clear, not both")
            set_identity(memory.core, "" if clear else read_text(text), space=name)
        said = identity_of(memory.core, space=name)
    if as_json:
        put_json({"space": name, "identity": said})
    elif said:
        put(said)
    else:
        say(f"{name} has no identity")


@spaces.command("steer")
def steer(
    name: Name,
    capture: Annotated[
        bool | None, typer.Option("--capture/--no-capture", help="Keep what is said in sessions.")
    ] = None,
    inject: Annotated[
        bool | None, typer.Option("--inject/--no-inject", help="Give sessions what they did not ask for.")
    ] = None,
    start_tokens: Annotated[
        int | None, typer.Option("--start-tokens", metavar="N", help="At most so many at the start (50 to 2400).")
    ] = None,
    prompt_tokens: Annotated[
        int | None, typer.Option("--prompt-tokens", metavar="N", help="At most so many at a prompt (50 to 2400).")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="P", help="How likely an answer must be (0 to 1).")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show or set what may happen unasked in a space: capture, injection, and how much of it.

    \b
    Examples:
      recollect spaces steer work
      recollect spaces steer work --no-capture --prompt-tokens 300
    """
    given = {
        "capture": capture, "inject": inject, "start_tokens": start_tokens, "prompt_tokens": prompt_tokens,
        "threshold": threshold,
    }  # fmt: skip
    changes = {key: value for key, value in given.items() if value is not None}
    with open_or_fail(home) as memory:
        memory.describe_space(name)
        steering = memory.unasked.steer(space=name, **changes) if changes else memory.unasked.steering(space=name)
    if as_json:
        put_json({"space": name, "steering": steering})
        return
    said = {True: "yes", False: "no"}
    show.put_pairs({
        "capture": said[steering.capture], "inject": said[steering.inject],
        "at the start": f"{steering.start_tokens:,} tokens", "at a prompt": f"{steering.prompt_tokens:,} tokens",
        "threshold": f"{steering.threshold:g}",
    })  # fmt: skip
