"""What may stand in the envelope `{"args": {"mode", "input_data", "options"}}`, and what is wrong with it if not?

A tool is a table of modes. Everything that is wrong is told at once, each
with its place, in the sentences that callers of this contract know.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.memory_substrate.schemas import MOMENT
from recollect.contracts.schema import derive_schema, own_word
from recollect.contracts.tool import Call
from recollect.engine.parse import parse_iso_time
from recollect.errors import InvalidInput
from recollect.forms import convert
from recollect.plain import part_complaint, read_expected
from recollect.types import Json

BLANK = "Input should not be blank"
EXTRA = "Extra inputs are not permitted"
MISSING = "Field required"
NO_MOMENT = (
    "Input should be a time such as 2026-04-28T00:00:00+00:00, or a date such as 2026-04-28, 2026-03, yesterday "
    "or last week"
)
NOT_APPLIED = "Input should be True: this mode changes memory and must be confirmed by options.apply=true"

_MOST_TOLD = 50
_LONGEST_TOLD = 300
_FIELDS = ("mode", "input_data", "options")
_DICTIONARY = "Input should be a valid dictionary"
_SHOULD = {
    "str": "Input should be a valid string", "int": "Input should be a valid integer",
    "float": "Input should be a valid number", "bool": "Input should be a valid boolean",
    "array": "Input should be a valid list", "object": _DICTIONARY,
}  # fmt: skip
_COMPARED = {
    ">=": "greater than or equal to", "<=": "less than or equal to", ">": "greater than", "<": "less than",
}  # fmt: skip
_SIDES = {">=": "least", "<=": "most"}
_COUNTED = {"str": ("String", "character"), "array": ("List", "item"), "object": ("Dictionary", "item")}


class Mode(NamedTuple):
    """One mode of a tool: what its input_data and its options may hold, and what answers it.

    `words` are the engine's names of fields, where neither it nor input_data has a field of that name.
    """

    inputs: type[Struct]
    options: type[Struct]
    answer: Callable[[Objects, Any, Any, Call], dict[str, object]]
    words: Mapping[str, str] = {}


Modes: TypeAlias = Mapping[str, Mode]


class Problem(NamedTuple):
    """One thing that is wrong, and where."""

    place: str
    problem: str


def _short(text: str) -> str:
    """What a caller wrote, as far as it must be repeated to be recognised."""
    return text if len(text) <= _LONGEST_TOLD else f"{text[: _LONGEST_TOLD - 3]}..."


class Rejected(InvalidInput):
    """Arguments that do not fit, with all that is wrong with them."""

    def __init__(self, tool: str, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].place, problems[0].problem)
        self.problems = tuple(problems)
        errors = "1 validation error" if len(problems) == 1 else f"{len(problems)} validation errors"
        told = [f"{_short(place)}\n  {problem}" for place, problem in problems[:_MOST_TOLD]]
        if len(problems) > _MOST_TOLD:
            told.append(f"... and {len(problems) - _MOST_TOLD} more")
        self.args = ("\n".join([f"{errors} for {tool}", *told]),)


class Unsupported(InvalidInput):
    """A mode that the tool does not have."""

    def __init__(self, tool: str, mode: str, modes: Modes) -> None:
        super().__init__("args.mode", f"Unsupported {tool} mode: {mode}")
        told = f"Unsupported {tool} mode: {_short(mode)} (args.mode). Allowed modes: {', '.join(modes)}"
        self.args = (f"ValueError: {told}",)


class Envelope(Struct, frozen=True):
    """A call, read and checked."""

    mode: str
    input_data: Any
    options: Any


def answer_call(tool: str, modes: Modes, given: Envelope, call: Call) -> dict[str, object]:
    """What a mode answers. What the engine refuses is told by its place in the envelope."""
    mode = modes[given.mode]
    try:
        return mode.answer(Objects(call.memory, call.space), given.input_data, given.options, call)
    except Rejected:
        raise
    except InvalidInput as error:
        place = dotted(own_word(error.field, {**names_of(mode.inputs), **mode.words}))
        within = place if place.startswith("args.") else f"args.input_data.{place}"
        raise Rejected(tool, [Problem(within, in_own_words(error.problem))]) from error


def filled(reason: str) -> str:
    """A reason on one line, if it is one."""
    if not reason.strip():
        raise InvalidInput("reason", BLANK)
    return " ".join(reason.split())


def names_of(inputs: type[Struct]) -> dict[str, str]:
    """What callers call the fields, and the fields inside of lists, that the engine has another name for."""
    found: dict[str, str] = {}
    for each in msgspec.structs.fields(inputs):
        found[each.name] = each.encode_name
        inner = [kind for kind in _kinds_in(each.type) if isinstance(kind, type) and issubclass(kind, Struct)]
        found |= {f".{name}": f".{own}" for kind in inner for name, own in names_of(kind).items()}
    return {name: own for name, own in found.items() if name != own}


def _kinds_in(type_: object) -> list[object]:
    return [type_, *(kind for part in get_args(type_) for kind in _kinds_in(part))]


def in_own_words(problem: str) -> str:
    return re.sub(r"\btrust\b", "memory_source", problem)


def dotted(field: str) -> str:
    """A field's name with its numbers as this contract writes them."""
    return field.replace("[", ".").replace("]", "")


def open_envelope(tool: str, modes: Modes, arguments: Mapping[str, Json]) -> Envelope:
    """The mode, the input and the options of a call, or an error that says all that is wrong with them."""
    problems = [Problem(name, EXTRA) for name in arguments if name != "args"]
    if "args" not in arguments:
        raise Rejected(tool, [Problem("args", MISSING), *problems])
    args = _unwrap(arguments["args"])
    if not isinstance(args, Mapping):
        raise Rejected(tool, [Problem("args", _DICTIONARY), *problems])
    problems += [Problem(f"args.{name}", EXTRA) for name in args if name not in _FIELDS]
    mode = args.get("mode")
    if not isinstance(mode, str):
        missing = [Problem("args.input_data", MISSING)] if "input_data" not in args else []
        raise Rejected(tool, [Problem("args.mode", _SHOULD["str"] if "mode" in args else MISSING), *missing, *problems])
    if mode not in modes:
        raise Unsupported(tool, mode, modes)
    inputs, options = modes[mode].inputs, modes[mode].options
    given, named = args.get("input_data"), args.get("options")
    chosen: Json = dict[str, Json]() if named is None else named
    missing = [] if "input_data" in args else [Problem("args.input_data", MISSING)]
    problems += missing or find_problems(given, inputs, "args.input_data")
    problems += find_problems(chosen, options, "args.options")
    if problems:
        raise Rejected(tool, problems)
    return Envelope(mode, read(tool, given, inputs), read(tool, chosen, options, "options"))


def _unwrap(args: Json) -> Json:
    """Some clients hand in the envelope as JSON text."""
    if not isinstance(args, str):
        return args
    try:
        return cast("Json", msgspec.json.decode(args))
    except msgspec.DecodeError:
        return args


def read(tool: str, value: Json, type_: type[Struct], name: str = "input_data") -> Struct:
    """A value that has been checked, as its type."""
    try:
        return convert(value, type_, strict=False)
    except msgspec.ValidationError as error:
        raise Rejected(tool, [Problem(f"args.{name}", say(str(error)))]) from None


def find_problems(value: Json, type_: object, place: str) -> list[Problem]:
    """All that is wrong with a value, where a params type says what would be right."""
    bare = _bare(type_)
    if isinstance(bare, type) and issubclass(bare, Struct):
        return _in_struct(value, bare, place)
    if get_origin(bare) is list and isinstance(value, list) and value:
        (each,) = get_args(bare)
        within = [find for i, item in enumerate(value) for find in find_problems(item, each, f"{place}.{i}")]
        return within or _misfit(value, type_, place)
    if isinstance(bare, types.UnionType) or get_origin(bare) is Union:
        choices = [choice for choice in get_args(bare) if choice is not type(None)]
        if value is None and len(choices) < len(get_args(bare)):
            return []
        return find_problems(value, choices[0], place) if len(choices) == 1 else _misfit(value, type_, place)
    return _misfit(value, type_, place)


def _bare(type_: object) -> object:
    return get_args(type_)[0] if get_origin(type_) is Annotated else type_


def _in_struct(value: Json, type_: type[Struct], place: str) -> list[Problem]:
    if not isinstance(value, Mapping):
        return [Problem(place, _DICTIONARY)]
    fields = {field.encode_name: field for field in msgspec.structs.fields(type_)}
    found = [Problem(f"{place}.{name}", EXTRA) for name in value if name not in fields]
    for name, field in fields.items():
        if name in value:
            found += find_problems(value[name], field.type, f"{place}.{name}")
            if name == "apply" and field.required and value[name] is False:
                found.append(Problem(f"{place}.{name}", NOT_APPLIED))
        elif field.required:
            told = f"{MISSING}: this mode changes memory, confirm it by options.apply=true"
            found.append(Problem(f"{place}.{name}", told if name == "apply" else MISSING))
    return found


def _misfit(value: Json, type_: object, place: str) -> list[Problem]:
    """What a single value is not. A text may stand for a number, as callers are used to."""
    try:
        convert(value, cast("type[object]", type_), strict=not _is_number(type_))
    except UnicodeEncodeError:  # a lone surrogate, which JSON can spell and nothing can store
        return [Problem(place, _SHOULD["str"])]
    except msgspec.ValidationError as error:
        complaint, inner = part_complaint(str(error))
        told = _choices(type_) if complaint.startswith("Invalid enum value") else say(complaint)
        return [Problem(f"{place}.{dotted(inner).removeprefix('.')}".rstrip("."), told)]
    return [Problem(place, NO_MOMENT)] if _is_moment(type_) and not _names_moment(value) else []


def _is_moment(type_: object) -> bool:
    return any(isinstance(each, msgspec.Meta) and each.extra == MOMENT for each in get_args(type_)[1:])


def _names_moment(text: Json) -> bool:
    try:
        parse_iso_time(str(text), "moment")
    except InvalidInput:
        return False
    return True


def _is_number(type_: object) -> bool:
    bare = _bare(type_)
    return bare is int or bare is float


def _choices(type_: object) -> str:
    bare = _bare(type_)
    words = [repr(word) for word in get_args(bare)] if get_origin(bare) is Literal else []
    if len(words) < 2:
        return f"Input should be {''.join(words) or 'another value'}"
    return f"Input should be {', '.join(words[:-1])} or {words[-1]}"


def say(complaint: str) -> str:
    """msgspec's sentence in the words of this contract."""
    expected = read_expected(complaint)
    if isinstance(expected, str):
        return BLANK if "matching regex" in expected else _SHOULD.get(expected, complaint.replace("`", ""))
    kind, is_length, sign, number = expected
    if not is_length:
        return f"Input should be {_COMPARED[sign]} {number}"
    what, each = _COUNTED[kind]
    return f"{what} should have at {_SIDES[sign]} {number} {each}{'' if number == '1' else 's'}"


def envelope_schema(modes: Modes) -> dict[str, Json]:
    """The schema of a tool: one alternative for each mode."""
    return {
        "type": "object",
        "properties": {
            "args": {
                "type": "object",
                "description": f"The call. Modes: {', '.join(modes)}.",
                "oneOf": [_mode_schema(name, mode.inputs, mode.options) for name, mode in modes.items()],
            }
        },
        "required": ["args"],
        "additionalProperties": False,
    }


def _mode_schema(mode: str, inputs: type[Struct], options: type[Struct]) -> dict[str, Json]:
    required = ["mode", "input_data"]
    if any(field.required for field in msgspec.structs.fields(options)):
        required.append("options")
    return {
        "type": "object",
        "properties": {
            "mode": {"type": "string", "const": mode},
            "input_data": derive_schema(inputs),
            "options": derive_schema(options),
        },
        "required": required,
        "additionalProperties": False,
    }
