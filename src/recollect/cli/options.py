"""Which options do commands share, and how is what they are given read?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, TypeVar, cast

import msgspec
import typer
from msgspec import Struct

from recollect.cli.output import is_terminal
from recollect.errors import InvalidInput
from recollect.fields import FIELDS, FILTERS, Field, fields_of
from recollect.types import Filter, Metadata

R = TypeVar("R")

Home = Annotated[
    str | None,
    typer.Option(
        "--home",
        "--store",
        metavar="FOLDER|URL",
        help="The store's folder, or the URL of its database (else RECOLLECT_STORE, RECOLLECT_HOME, your data folder).",
    ),
]
SpaceName = Annotated[str, typer.Option("--space", metavar="NAME", help="The space to use.")]
AnySpace = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only needed where several spaces share an id.")
]
OnlySpace = Annotated[str | None, typer.Option("--space", metavar="NAME", help="Only this space (else all of them).")]
AllSpaces = Annotated[bool, typer.Option("--all-spaces", help="Look into every space.")]
Everywhere = Annotated[
    bool, typer.Option("--everywhere", help="Of all projects, not only that of this folder and of none.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with JSON on stdout, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; kept in the journal.")]
RecordId = Annotated[str, typer.Argument(metavar="ID", help="The record's id, as recall and list show it.")]
Question = Annotated[
    list[str] | None, typer.Argument(metavar="[QUESTION]", help="The question; - reads stdin, nothing asks in general.")
]
Words = Annotated[list[str] | None, typer.Argument(metavar="[TEXT]", help="The text; - or nothing reads stdin.")]


class Usage(typer.TyperException):
    """A command was asked for in a way that cannot be meant."""

    exit_code = 2


def read_text(words: Sequence[str] | None, field: str = "text") -> str:
    """The text that was given as arguments, or else stands on stdin."""
    if words and list(words) != ["-"]:
        return " ".join(words)
    if not words and is_terminal(sys.stdin):
        raise Usage(f"give the {field}, or pipe it in")
    return decode(sys.stdin.buffer.read(), "stdin")


def read_question(words: Sequence[str] | None) -> str | None:
    """A question as arguments or on stdin; None where nobody asks anything in particular."""
    if not words and is_terminal(sys.stdin):
        return None
    return read_text(words, "query").strip() or None


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


# Options that follow from the fields of a record, and from the filters on them

_METAVARS: Mapping[object, str] = {float: "0..1", datetime | None: "TIME", Metadata: "KEY=VALUE"}


class Given(Struct, frozen=True):
    """Something that can be typed: the keyword that the engine knows it by, its type there, its option and help."""

    keyword: str
    type: object
    option: str
    help: str

    def typed(self) -> object:
        """What typer should make of it."""
        if self.type is float:
            return float | None
        return list[str] | None if self.type in (tuple[str, ...], Metadata) else str | None  # pyright: ignore[reportUnnecessaryContains] -- a type is a value here

    def info(self) -> typer.models.OptionInfo:
        metavar = _METAVARS.get(self.type, self.option.rsplit("_", 1)[-1].upper())
        return typer.Option(f"--{self.option.replace('_', '-')}", metavar=metavar, help=self.help)

    def parameter(self) -> Parameter:
        annotation = Annotated[self.typed(), self.info()]
        return Parameter(self.option, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)

    def read(self, value: object) -> object:
        """What was typed, as the engine takes it."""
        return read_metadata(cast("list[str]", value)) if self.type is Metadata else value


def _option(field: Field) -> str:
    return field.about.option or field.name


SETTABLE = {name: Given(name, one.type, _option(one), one.about.help) for name, one in FIELDS.items() if one.about.help}
"""What can be said of a record."""
ASKABLE = {
    keyword: Given(keyword, tuple[str, ...], _option(FIELDS[of.field]), of.help)
    for keyword, (_, of) in FILTERS.items()
    if of.help
} | {name: Given(name, one.type, name, one.about.help) for name, one in fields_of(Filter).items() if one.about.help}
"""By what a read can be narrowed."""


def sign(command: Callable[..., R], parameters: Sequence[Parameter]) -> Callable[..., R]:
    """Gives a function the signature by which typer learns of its options."""
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    # Functions have no such member until it is set, which inspect documents.
    command.__signature__ = Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    return command


def with_options(options: Iterable[Given]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Gives a command some options; its `given` holds what was typed for those that were used, by keyword."""
    known = {one.option: one for one in options}

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        @wraps(command)
        def run(**typed: object) -> R:
            used = {known[name]: typed.pop(name) for name in known}
            given = {one.keyword: one.read(value) for one, value in used.items() if value is not None}
            try:
                return command(given=given, **typed)
            except InvalidInput as error:
                named = next((one for one in used if one.keyword == error.field != one.option), None)
                if named is None:
                    raise
                raise InvalidInput(f"--{named.option.replace('_', '-')}", error.problem) from error

        own = [
            parameter.replace(kind=Parameter.KEYWORD_ONLY)
            for parameter in signature(command, eval_str=True).parameters.values()
        ]
        at = [parameter.name for parameter in own].index("given")
        return sign(run, [*own[:at], *(one.parameter() for one in known.values()), *own[at + 1 :]])

    return decorate


Tags = Annotated[list[str] | None, ASKABLE["tags"].info()]
Projects = Annotated[list[str] | None, ASKABLE["project"].info()]
Since = Annotated[str | None, ASKABLE["since"].info()]
Until = Annotated[str | None, ASKABLE["until"].info()]
AsOf = Annotated[str | None, ASKABLE["as_of"].info()]
TrueAt = Annotated[str | None, ASKABLE["true_at"].info()]
SetTags = Annotated[list[str] | None, SETTABLE["tags"].info()]
SetTitle = Annotated[str | None, SETTABLE["title"].info()]
SetRoom = Annotated[str | None, SETTABLE["room"].info()]
SetProject = Annotated[str | None, SETTABLE["project"].info()]
SetUser = Annotated[str | None, SETTABLE["user"].info()]
SetSource = Annotated[str | None, SETTABLE["source"].info()]
ValidFrom = Annotated[str | None, SETTABLE["valid_from"].info()]
ValidUntil = Annotated[str | None, SETTABLE["valid_until"].info()]
