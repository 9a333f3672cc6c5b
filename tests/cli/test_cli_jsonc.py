from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.cli.jsonc import Uneditable, read_json, remove, set_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
OBJECTS = st.dictionaries(st.text(), VALUES | st.dictionaries(st.text(), VALUES))


@given(OBJECTS, st.sampled_from([None, 2, 4, "\t"]), VALUES)
def test_whatever_the_file_only_the_one_value_changes(before, indent, value):
    before = {**before, "servers": {"other": 1}}
    text = json.dumps(before, indent=indent)
    new = set_value(text, ["servers", "ours"], value, lenient=False)
    assert json.loads(new) == {**before, "servers": {"other": 1, "ours": value}}
    assert set_value(new, ["servers", "ours"], value, lenient=False) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 0}', '{"x": 0, "a": {"b": 1}}'),
        ('{\n "x": 0\n}\n', '{\n "x": 0,\n "a": {\n  "b": 1\n }\n}\n'),
        ('{\n "a": {}\n}', '{\n "a": {\n  "b": 1\n }\n}'),
        ('{\r\n\t"x": 0\r\n}', '{\r\n\t"x": 0,\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}'),
        ('{"a": {"b": [2]}}', '{"a": {"b": 1}}'),
    ],
)
def test_the_style_of_the_file_is_kept(old, new):
    assert set_value(old, ["a", "b"], 1, lenient=False) == new


@pytest.mark.parametrize("text", ["[]", '{"a": []}', '"x"'])
def test_what_is_not_an_object_is_refused(text):
    with pytest.raises(Uneditable, match="is not an object"):
        set_value(text, ["a", "b"], 1, lenient=False)


def test_comments_are_blanks_only_where_they_are_allowed():
    text = '/* a */ {"x": "// no", // yes\n "y": [1, /* } */ 2,],}'
    assert read_json(text, lenient=True) == {"x": "// no", "y": [1, 2]}
    assert set_value(text, ["x"], 1, lenient=True) == text.replace('"// no"', "1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"x": 0,}', '{"x": 0, "a": {"b": 1},}'),
        ('{"x": 0 /* y */}', '{"x": 0, "a": {"b": 1} /* y */}'),
        ('{"a": { /* none */ }}', '{"a": { /* none */\n  "b": 1\n}}'),
        ('{\n  "a": {\n    // none\n  }\n}', '{\n  "a": {\n    // none\n    "b": 1\n  }\n}'),
        ('{\n  "x": 0 // last\n}', '{\n  "x": 0, // last\n  "a": {\n    "b": 1\n  }\n}'),
    ],
)
def test_comments_and_trailing_commas_are_written_around(old, new):
    assert set_value(old, ["a", "b"], 1, lenient=True) == new
    assert read_json(new, lenient=True)["a"] == {"b": 1}


@pytest.mark.parametrize(
    "old",
    [
        '{\n  "m": {\n    "x": 1, // last\n  },\n}\n',
        '{\r\n\t"m": {\r\n\t\t"x": 1, // last\r\n\t}\r\n}',
        '{ "m": { "x": 1, // last\n } }',
        '{\n  "m": {\n    "x": 1,\n  }\n}',
        '{\n  "m": {\n    "x": 1 // last\n  }\n}\n',
    ],
)
def test_what_was_added_behind_a_comma_and_a_comment_is_taken_out_without_a_trace(old):
    added = set_value(old, ["m", "ours"], {"a": [1]}, lenient=True)
    assert read_json(added, lenient=True) == {"m": {"x": 1, "ours": {"a": [1]}}}
    assert remove(added, ["m", "ours"], lenient=True) == old


@pytest.mark.parametrize("end", ["}", ", }"])
def test_a_comment_does_not_take_in_what_follows_something_that_is_taken_out(end):
    left = remove(f'{{"a": 1, // one\n "ours": {{}}{end}', ["ours"], lenient=True)
    assert read_json(left, lenient=True) == {"a": 1}
