"""What may a caller hand in, and what is wrong with it if not?

Everything that enters the engine is read here, once, into frozen values. Every error names the field and says what
would be right.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Literal, TypeVar, cast, get_args, get_origin

import msgspec

from recollect.engine.moments import EXAMPLES, read_moment
from recollect.errors import InvalidInput
from recollect.fields import COMPARED, FIELDS, FILTERS, SHARED, Field, fields_of
from recollect.forms import convert
from recollect.types import CATALOGUE_KINDS, AnyOf, Claim, Draft, Evidence, Filter, Grounds, Json, Metadata

MAX_TEXT_BYTES = 1_000_000
LONGEST_QUESTION = 8_000
"""Of a longer one only so many characters are read: the answer comes soon, whatever is asked."""
MAX_LABEL = 1_000
MAX_NAME = 200
MAX_TAGS = 64
MAX_METADATA_BYTES = 64_000
MAX_DEPTH = 64
"""Levels of objects and lists in metadata."""
MAX_SECONDS = 86_400
MAX_DAYS = 36_500
MAX_REFS = 256
MAX_LIMIT = 1_000
"""Answers to one question."""

V = TypeVar("V", bound=str)
S = TypeVar("S", bound=msgspec.Struct)

_ENDS = ("until", "as_of", "true_at")
_PASSES = "valid_until"
_A_TICK = timedelta(microseconds=1)
"""Times that mean a day to its end."""
_LONGEST_TOLD = 200
_LONGEST_MOMENT = 60
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSTRING = "must be text, not {}"


def parse_text(value: object, field: str = "text") -> str:
    """A text that is worth keeping: not blank, at most 1 MB, storable."""
    text = parse_string(value, field)
    if not text.strip():
        raise InvalidInput(field, "is blank; give it some text")
    size = len(text.encode())
    if size > MAX_TEXT_BYTES:
        raise InvalidInput(field, f"is {size:,} bytes long; at most {MAX_TEXT_BYTES:,} fit into one record")
    return text


def parse_question(value: object, field: str = "query") -> str:
    """What is asked: of a whole document, its beginning says it."""
    text = parse_text(value, field)
    return text if len(text) <= LONGEST_QUESTION else text.lstrip()[:LONGEST_QUESTION]


def parse_string(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, _UNSTRING.format(_kind(value)))
    if "\0" in value:
        raise InvalidInput(field, "contains a NUL character; remove it")
    if not value.isascii() and _SURROGATE.search(value):
        raise InvalidInput(field, "contains a lone surrogate, which is not valid Unicode; remove it")
    return value


def parse_label(value: object, field: str, *, longest: int = MAX_LABEL) -> str:
    """A short text on one line or few: not empty, and without control characters."""
    label = parse_string(value, field)
    if not 1 <= len(label) <= longest:
        raise InvalidInput(field, f"must have 1 to {longest} characters, not {len(label)}")
    if not label.isprintable() and any(unicodedata.category(character) == "Cc" for character in label):
        raise InvalidInput(field, "must not contain control characters")
    return label


def parse_space(value: object, field: str = "space") -> str:
    return parse_label(value, field, longest=MAX_NAME)


def parse_ref(id: object, space: object) -> tuple[str, str | None]:
    """The id of a record, and its space where one is named."""
    return parse_label(id, "id"), None if space is None else parse_space(space)


def parse_optional(value: object, field: str, *, longest: int = MAX_LABEL) -> str | None:
    return None if value is None else parse_label(value, field, longest=longest)


def _parse_number(value: object, field: str, wanted: str, span: str, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(field, f"must be a number{wanted}, not {_kind(value)}")
    if not 0 <= value <= most or value == math.inf:  # nor NaN, which is neither
        raise InvalidInput(field, f"must be {span}, not {_shown(value)}")
    return float(value)


def parse_share(value: object, field: str) -> float:
    """A number within 0..1."""
    return _parse_number(value, field, " from 0 to 1", "from 0 to 1", 1)


def parse_weight(value: object, field: str) -> float:
    """A number that says how much something counts: not negative."""
    return _parse_number(value, field, "", "0 or more", math.inf)


def parse_seconds(value: object, field: str) -> float:
    return _parse_number(value, field, " of seconds", f"from 0 to {MAX_SECONDS} seconds", MAX_SECONDS)


def parse_days(value: object, field: str) -> float:
    return _parse_number(value, field, " of days", f"from 0 to {MAX_DAYS} days", MAX_DAYS)


def parse_age(value: object, field: str) -> timedelta:
    """A length of time that is not below 0."""
    right = "a length of time of 0 days (0d) or more, as timedelta(days=90) or on the command line 90d"
    if not isinstance(value, timedelta):
        raise InvalidInput(field, f"must be {right}; not {_kind(value)}")
    if value < timedelta(0):
        raise InvalidInput(field, f"must be {right}; not {value / timedelta(days=1):g} days")
    return value


def parse_count(value: object, field: str, *, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"must be a whole number from {least} to {most}, not {_kind(value)}")
    if not least <= value <= most:
        raise InvalidInput(field, f"must be from {least} to {most}, not {_shown(value)}")
    return value


def parse_limit(value: object, field: str = "limit", *, most: int = 100_000) -> int:
    return parse_count(value, field, least=1, most=most)


def parse_offset(value: object, field: str = "offset") -> int:
    return parse_count(value, field, least=0, most=2**62)


def parse_wait(value: object, field: str = "wait") -> float | None:
    return None if value is None else parse_seconds(value, field)


def parse_flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(field, f"must be true or false, not {_shown(value)}")
    return value


def parse_choice(value: object, field: str, choices: Sequence[V]) -> V:
    if value not in choices:
        raise InvalidInput(field, f"must be one of {', '.join(choices)}; not {_shown(value)}")
    return cast("V", value)


def parse_time(value: object, field: str) -> datetime:
    """RFC 3339 text, a datetime (one without a time zone is taken as UTC), or a date or words in local time.

    Of a day or a longer stretch its first moment is meant, or its last where a field says up to when. What is true
    until some day holds through that day: until the first moment after it.
    """
    try:
        if isinstance(value, datetime):
            return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        if isinstance(value, str) and _RFC3339.fullmatch(value):
            return parse_timestamp(value, field)
        if isinstance(value, str) and len(value) <= _LONGEST_MOMENT:
            now, through = datetime.now(), field.rpartition(".")[2] == _PASSES
            moment = read_moment(value, now, end=through or field in _ENDS)
            if moment is not None:
                is_stretch = through and moment != read_moment(value, now)
                return (moment + _A_TICK if is_stretch else moment).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        told = f"is not a real time: {_shown(value)} ({error}); write it like {EXAMPLES}"
        raise InvalidInput(field, told) from error
    raise InvalidInput(field, f"must be a time like {EXAMPLES}; not {_shown(value)}")


def parse_timestamp(value: str, field: str) -> datetime:
    """RFC 3339 text and nothing else, for those who agreed on it: no words, and no day without an hour and a zone."""
    if not _RFC3339.fullmatch(value):
        raise InvalidInput(field, f"must be an RFC3339 timestamp like 2025-01-31T09:30:00Z, not {_shown(value)}")
    try:
        return datetime.fromisoformat(value.replace("z", "Z").replace("t", "T")).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(field, f"is not a real time: {_shown(value)} ({error})") from error


def parse_iso_time(value: str, field: str) -> datetime:
    """ISO 8601 in any of its forms, for those who agreed on it: without a zone of UTC, a date for its midnight there.

    What is none is read as `parse_time` reads it.
    """
    try:
        moment = datetime.fromisoformat(value.strip().upper())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return parse_time(value, field)


def parse_optional_time(value: object, field: str) -> datetime | None:
    return None if value is None else parse_time(value, field)


def parse_labels(value: object, field: str, *, most: int = MAX_TAGS, longest: int = MAX_NAME) -> tuple[str, ...]:
    """Some labels, each once, in the order given. One text alone counts as one label."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (parse_label(value, field, longest=longest),)
    items = value
    if not isinstance(items, Iterable) or isinstance(items, Mapping | bytes):
        raise InvalidInput(field, f"must be a list of texts, not {_kind(cast('object', items))}")
    labels = [
        parse_label(item, f"{field}[{i}]", longest=longest) for i, item in enumerate(cast("Iterable[object]", items))
    ]
    if len(labels) > most:
        raise InvalidInput(field, f"must have at most {most} entries, not {len(labels)}")
    return tuple(dict.fromkeys(labels))


def parse_alike(value: object, field: str = "alike") -> tuple[str, ...]:
    """Fields that two records must share, beside the usual, to count as the same."""
    names = parse_labels(value, field)
    for i, name in enumerate(names):
        parse_choice(name, f"{field}[{i}]", COMPARED)
    return names


def parse_metadata(value: object, field: str = "metadata") -> Metadata:
    """A JSON object of reasonable size."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be an object with text keys, not {_kind(value)}")
    if lies_deeper(cast("object", value), MAX_DEPTH):
        raise InvalidInput(field, f"is nested more than {MAX_DEPTH} levels deep")
    try:
        _check_json(cast("object", value), field)
        encoded = msgspec.json.encode(value)
        decoded = msgspec.json.decode(encoded, type=dict[str, object])
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"cannot be written as JSON: {error}") from error
    if len(encoded) > MAX_METADATA_BYTES:
        raise InvalidInput(field, f"is {len(encoded):,} bytes as JSON; at most {MAX_METADATA_BYTES:,} fit")
    return cast("Mapping[str, Json]", decoded)


def lies_deeper(value: object, levels: int) -> bool:
    """Does something lie more than so many levels deep in a JSON value?"""
    if isinstance(value, Mapping):
        inside = cast("Iterable[object]", value.values())
    elif isinstance(value, list | tuple):
        inside = cast("Iterable[object]", value)
    else:
        return False
    return levels == 0 or any(lies_deeper(one, levels - 1) for one in inside)


def _check_json(value: object, field: str) -> None:
    """Only what JSON has: the encoder would turn other things into something like it, and NaN into null."""
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            if not isinstance(key, str):
                raise InvalidInput(field, f"must have text keys, not {_shown(key)}")
            _check_json(item, f"{field}.{key}")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(cast("Sequence[object]", value)):
            _check_json(item, f"{field}[{i}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(field, f"must be a finite number, not {value}")
    elif value is not None and not isinstance(value, str | int | float):
        raise InvalidInput(field, f"cannot be written as JSON: it is a {_kind(value)}")


def _parse_locator(value: object, field: str) -> Metadata | None:
    return None if value is None else parse_metadata(value, field)


def parse_grounds(value: object, field: str = "grounds") -> Grounds | None:
    """On what a record rests: grounds, or a mapping of their fields."""
    return None if value is None else _parse_value(value, Grounds, field)


def _parse_value(value: object, type_: type[S], field: str, missing: str = "") -> S:
    """A value, or a mapping of its fields, each parsed as its line says. A text that it must have may be `missing`."""
    given, parsers = _parts(value, type_, field), parsers_of(type_)
    for name, one in fields_of(type_).items():
        if one.type is str and given.get(name) is None:
            raise InvalidInput(f"{field}.{name}", f"is missing; {missing}")
    return type_(**{name: parser(given.get(name), f"{field}.{name}") for name, parser in parsers.items()})


def _parts(value: object, type_: type[S], field: str) -> Mapping[str, object]:
    """The fields of a value, or of a mapping that stands for one; an unknown one is an error."""
    known = type_.__struct_fields__
    if isinstance(value, type_):
        return {name: getattr(value, name) for name in known}
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be an object with {', '.join(known)}; not {_kind(value)}")
    given = cast("Mapping[str, object]", value)
    for name in given:
        if name not in known:
            raise InvalidInput(f"{field}.{name}", f"is not a known field; known are {', '.join(known)}")
    return given


def _parse_evidence(value: object, field: str) -> tuple[Evidence, ...]:
    """Some evidence, each once. A text alone is the id of a source."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InvalidInput(field, f"must be a list of evidence, not {_kind(value)}")
    items = cast("Sequence[object]", value)
    if len(items) > MAX_REFS:
        raise InvalidInput(field, f"must have at most {MAX_REFS} entries, not {len(items)}")
    found: list[Evidence] = []
    for i, item in enumerate(items):
        given = {"source": item} if isinstance(item, str) else item
        one = _parse_value(given, Evidence, f"{field}[{i}]", "name the source by its id")
        if one not in found:
            found.append(one)
    return tuple(found)


def _parse_claim(value: object, field: str) -> Claim | None:
    missing = "a claim says something of a subject by a predicate"
    return None if value is None else _parse_value(value, Claim, field, missing)


def _parse_json(value: object, field: str) -> Json:
    of, _, name = field.rpartition(".")
    return parse_metadata({name: value}, of)[name]


_BY_TYPE: Mapping[object, Callable[..., object]] = {
    str: parse_label, str | None: parse_optional, tuple[str, ...]: parse_labels, float: parse_share, bool: parse_flag,
    datetime | None: parse_optional_time, Metadata: parse_metadata, Metadata | None: _parse_locator,
    Grounds | None: parse_grounds, tuple[Evidence, ...]: _parse_evidence, Claim | None: _parse_claim, Json: _parse_json,
}  # fmt: skip


def parser_of(field: Field) -> Callable[[object, str], object]:
    """How a value of a field is read: its type says so, and its text is a text of its own kind."""
    if field.name == "text":
        return parse_text
    if choices := choices_of(field):
        return partial(parse_choice, choices=choices)
    parser = _BY_TYPE[field.type]
    return (
        partial(parser, longest=field.about.longest)
        if parser in (parse_label, parse_optional, parse_labels)
        else parser
    )


@cache
def parsers_of(shape: type[msgspec.Struct]) -> Mapping[str, Callable[[object, str], object]]:
    return {name: parser_of(field) for name, field in fields_of(shape).items()}


def parse_as(shape: type[S], **given: object) -> S:
    """A value whose fields are each parsed as their types say."""
    parsers = parsers_of(shape)
    return shape(**{name: parsers[name](value, name) for name, value in given.items()})


def choices_of(field: Field) -> tuple[str, ...]:
    return get_args(field.type) if get_origin(field.type) is Literal else ()


def parse_fields(
    values: Mapping[str, object], allowed: Collection[str], prefix: str = "", *, beside: Collection[str] = ()
) -> dict[str, object]:
    """The given fields of a draft, each parsed; an unknown one is an error, which also names what is known beside."""
    parsers = parsers_of(Draft)
    parsed: dict[str, object] = {}
    for name, value in values.items():
        if name not in allowed:
            from difflib import get_close_matches  # of those alone who ask for what there is not

            known = [*allowed, *beside]
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise InvalidInput(f"{prefix}{name}", f"is not a known field; {hint}")
        parsed[name] = parsers[name](value, f"{prefix}{name}")
    return parsed


def parse_draft(
    value: Draft | Mapping[str, object],
    defaults: Mapping[str, object],
    prefix: str = "",
    *,
    beside: Collection[str] = (),
) -> Draft:
    """A draft from a mapping (or one that is checked again), with defaults for what it leaves out."""
    if isinstance(value, Draft):
        given: dict[str, object] = {name: getattr(value, name) for name in FIELDS}
    elif isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers are not always typed
        given = {**defaults, **value}
    else:
        raise InvalidInput(prefix.rstrip(".") or "draft", f"must be a Draft or a mapping, not {_kind(value)}")
    if "text" not in given:
        raise InvalidInput(f"{prefix}text", "is missing")
    fields = parse_fields(given, FIELDS, prefix, beside=beside)
    check_period(fields.get("valid_from"), fields.get("valid_until"), prefix)
    return Draft(**fields)  # pyright: ignore[reportArgumentType] -- each value was parsed by its field's parser


def parse_source_fields(values: Mapping[str, object], *, memory_type: str = "semantic") -> Draft:
    """What a caller may say of all segments of a source alike, as a draft of any of them."""
    given = parse_fields({"trust": "imported", "memory_type": memory_type, **values}, SHARED)
    check_period(given.get("valid_from"), given.get("valid_until"))
    return Draft(text="(a segment)", **given)  # pyright: ignore[reportArgumentType] -- each was parsed by its parser


def parse_drafts(drafts: object, defaults: Mapping[str, object]) -> list[Draft]:
    """Many drafts; the defaults fill what a mapping leaves out, and are checked even where nothing needs them."""
    if not isinstance(drafts, Iterable) or isinstance(drafts, str | bytes | Mapping):
        raise InvalidInput("drafts", f"must be a list of drafts, not {_kind(cast('object', drafts))}")
    parse_fields(defaults, FIELDS)
    listed = cast("Iterable[Draft | Mapping[str, object]]", drafts)
    return [parse_draft(draft, defaults, f"drafts[{i}].") for i, draft in enumerate(listed)]


_MOMENTS = ("since", "until", "as_of", "true_at")
_FLAGS = ("valid_only", "catalogue")


def _parse_any_of(value: object, keyword: str, of: AnyOf) -> tuple[str, ...]:
    """Some values of a field. None among them stands for records that have none, where the filter allows it."""
    listed = cast("Sequence[object]", value) if of.or_none and isinstance(value, list | tuple) else ()
    without = None in listed
    given = [one for one in listed if one is not None] if without else cast("object", value)
    named = parse_labels(given, keyword, most=1_000, longest=of.longest)
    if of.field in FIELDS and (choices := choices_of(FIELDS[of.field])):
        for i, name in enumerate(named):
            parse_choice(name, f"{keyword}[{i}]", choices)
    return ("", *named) if without else named


def parse_filter(**given: object) -> Filter:
    """The filters of a read; an unknown one is an error."""
    fields: dict[str, object] = {}
    for name, value in given.items():
        if name in _MOMENTS:
            fields[name] = parse_optional_time(value, name)
        elif name in _FLAGS:
            fields[name] = parse_flag(value, name)
        elif name in FILTERS:
            attribute, of = FILTERS[name]
            fields[attribute] = _parse_any_of(value, name, of)
        else:
            raise InvalidInput(name, f"is not a known filter; known are {', '.join([*FILTERS, *_MOMENTS, *_FLAGS])}")
    if given.get("space") is not None and not fields["spaces"]:
        raise InvalidInput("space", "names no space; None means all of them")
    _check_stretch(fields.get("since"), fields.get("until"))
    if not fields.pop("catalogue", False) and not fields.get("kinds"):
        fields["without_kinds"] = (*cast("tuple[str, ...]", fields.get("without_kinds", ())), *CATALOGUE_KINDS)
    return convert(fields, Filter)


def check_period(start: object, end: object, prefix: str = "") -> None:
    if isinstance(start, datetime) and isinstance(end, datetime) and end <= start:
        raise InvalidInput(f"{prefix}valid_until", "must be later than valid_from")


def _check_stretch(since: object, until: object) -> None:
    if isinstance(since, datetime) and isinstance(until, datetime) and until < since:
        when = f"{until:%Y-%m-%d %H:%M} UTC is before {since:%Y-%m-%d %H:%M} UTC"
        raise InvalidInput("until", f"must not be before since, and {when}; is it the other way round?")


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def begin(text: str) -> str:
    """A text as a sentence can hold it: of a long one its beginning."""
    return text if len(text) <= _LONGEST_TOLD else f"{text[:_LONGEST_TOLD]}…"


def _shown(value: object) -> str:
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
