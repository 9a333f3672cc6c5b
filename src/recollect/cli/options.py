"""Which options do commands share, and how is what they are given read?"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated

import msgspec
import typer

from recollect.cli.output import is_terminal
from recollect.errors import InvalidInput
from recollect.fields import FIELDS, Field
from recollect.types import Metadata

Home = Annotated[
    str | None,
    typer.Option("--home", metavar="FOLDER", help="The store's folder (else RECOLLECT_HOME, else your data folder)."),
]
SpaceName = Annotated[str, typer.Option("--space", metavar="NAME", help="The space to use.")]
AnySpace = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only needed where several spaces share an id.")
]
OnlySpace = Annotated[str | None, typer.Option("--space", metavar="NAME", help="Only this space (else all of them).")]
AllSpaces = Annotated[bool, typer.Option("--all-spaces", help="Look into every space.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with JSON on stdout, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; kept in the journal.")]
RecordId = Annotated[str, typer.Argument(metavar="ID", help="The record's id, as recall and list show it.")]
Words = Annotated[list[str] | None, typer.Argument(metavar="[TEXT]", help="The text; - or nothing reads stdin.")]

Kinds = Annotated[list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind; may be repeated.")]
Types = Annotated[
    list[str] | None, typer.Option("--type", metavar="TYPE", help="Only episodic, semantic or procedural memories.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag; may be repeated.")]
Rooms = Annotated[list[str] | None, typer.Option("--room", metavar="ROOM", help="Only of this room; may be repeated.")]
Sessions = Annotated[list[str] | None, typer.Option("--session", metavar="ID", help="Only of this session.")]
Projects = Annotated[list[str] | None, typer.Option("--project", metavar="NAME", help="Only of this project.")]
Users = Annotated[list[str] | None, typer.Option("--user", metavar="NAME", help="Only of this user.")]
Statuses = Annotated[list[str] | None, typer.Option("--status", metavar="STATUS", help="Only of this status.")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Only what happened from then on.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only what happened up to then.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="As it was known at that time.")]


class Usage(typer.TyperException):
    """A command was asked for in a way that cannot be meant."""

    exit_code = 2


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?")
_A_DAY = timedelta(days=1)
_A_TICK = timedelta(microseconds=1)


def read_time(value: str | None, field: str, *, end: bool = False) -> datetime | str | None:
    """A date (its first moment, or with `end` its last), a local time, or what the engine understands: RFC 3339."""
    if value is None or not (_DATE.fullmatch(value) or _LOCAL.fullmatch(value)):
        return value
    try:
        moment = datetime.fromisoformat(value)
        if end and _DATE.fullmatch(value):
            moment = datetime.combine(moment, time()) + _A_DAY - _A_TICK
        return moment.astimezone()
    except (ValueError, OverflowError) as error:
        raise InvalidInput(field, f"is not a real time: {error}") from error


def read_text(words: Sequence[str] | None, field: str = "text") -> str:
    """The text that was given as arguments, or else stands on stdin."""
    if words and list(words) != ["-"]:
        return " ".join(words)
    if not words and is_terminal(sys.stdin):
        raise Usage(f"give the {field}, or pipe it in")
    return decode(sys.stdin.buffer.read(), "stdin")


def decode(data: bytes, name: str) -> str:
    """Text as UTF-8; what is not is refused rather than guessed at."""
    try:
        return data.decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(name, f"is not UTF-8 text (byte {error.start:,} does not fit)") from error


def read_metadata(pairs: Sequence[str] | None) -> Mapping[str, object]:
    """`--meta key=value`, where the value is JSON if it can be, and text otherwise."""
    found: dict[str, object] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise Usage(f"--meta {pair!r} is not of the form KEY=VALUE")
        try:
            found[key] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            found[key] = value
    return found


def confirm(question: str, *, yes: bool) -> bool:
    """Asks a person. Where there is none to ask, `--yes` must have been given."""
    if yes:
        return True
    if not is_terminal(sys.stdin):
        raise Usage("there is no terminal to ask on; add --yes if you mean it")
    return typer.confirm(question, err=True)


# Options for the fields of a record


_METAVARS: Mapping[object, str] = {float: "0..1", datetime | None: "TIME", Metadata: "KEY=VALUE"}
_REPEATED: Sequence[object] = (tuple[str, ...], Metadata)


def option_name(field: Field) -> str:
    return field.about.option or field.name


def option_for(field: Field) -> typer.models.OptionInfo:
    """How a field is given: by its name or a shorter one, and its help says what it means."""
    name = option_name(field)
    metavar = _METAVARS.get(field.type, name.rsplit("_", 1)[-1].upper())
    return typer.Option(f"--{name.replace('_', '-')}", metavar=metavar, help=field.about.help)


def option_of(field: Field) -> Parameter:
    type_ = float if field.type is float else list[str] if field.type in _REPEATED else str
    annotation = Annotated[type_ | None, option_for(field)]
    return Parameter(option_name(field), Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def read_option(field: Field, value: object) -> object:
    """What was typed for a field, as the engine takes it."""
    if field.type == datetime | None and isinstance(value, str):
        return read_time(value, option_name(field))
    return read_metadata(value) if field.type is Metadata and isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType] -- typer makes it a list of texts


def sign(command: Callable[..., int], parameters: Sequence[Parameter]) -> Callable[..., int]:
    """Gives a function the signature by which typer learns of its options."""
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    # Functions have no such member until it is set, which inspect documents.
    command.__signature__ = Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    return command


def with_fields(fields: Iterable[Field]) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Gives a command an option for each of some fields that have help; its `given` holds those that were used."""
    known = {option_name(field): field for field in fields if field.about.help}

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def run(**typed: object) -> int:
            used = {name: typed.pop(name) for name in known}
            given = {
                known[name].name: read_option(known[name], value) for name, value in used.items() if value is not None
            }
            return command(given=given, **typed)

        own = [
            parameter.replace(kind=Parameter.KEYWORD_ONLY)
            for parameter in signature(command, eval_str=True).parameters.values()
        ]
        at = [parameter.name for parameter in own].index("given")
        return sign(run, [*own[:at], *map(option_of, known.values()), *own[at + 1 :]])

    return decorate


SetTags = Annotated[list[str] | None, option_for(FIELDS["tags"])]
SetTitle = Annotated[str | None, option_for(FIELDS["title"])]
SetRoom = Annotated[str | None, option_for(FIELDS["room"])]
SetProject = Annotated[str | None, option_for(FIELDS["project"])]
SetUser = Annotated[str | None, option_for(FIELDS["user"])]
SetSource = Annotated[str | None, option_for(FIELDS["source"])]
