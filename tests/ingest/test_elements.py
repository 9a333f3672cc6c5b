"""Are the elements of a page found, whoever wrote it?"""

from __future__ import annotations

import pytest

from recollect.errors import SourceError
from recollect.ingest.elements import DEEPEST, Element, parse_elements
from recollect.ingest.web import extract_page, parse_fetched


def shown(element: Element) -> str:
    """An element as tags that are all closed."""
    inside = "".join(part if isinstance(part, str) else shown(part) for part in element.parts)
    return f"<{element.tag}>{inside}</{element.tag}>"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<p>one<p>two<div>three</div>", "<p>one</p><p>two</p><div>three</div>"),
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>"),
        (
            "<table><tr><th>a<td>b<tr><td>c</table>",
            "<table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>",
        ),
        (
            "<table><tr><td><table><tr><td>in</table>out<tr><td>x</table>",
            "<table><tr><td><table><tr><td>in</td></tr></table>out</td></tr><tr><td>x</td></tr></table>",
        ),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        ("<h2>Title<h3>Next</h3>text", "<h2>Title</h2><h3>Next</h3>text"),
        ("<a href=1>x <a href=2>y</a> z", "<a>x </a><a>y</a> z"),
        ("<b><p>one</b> two", "<b><p>one</p></b> two"),
        ("<table><tr><td>a</b></div>c</table>d", "<table><tr><td>ac</td></tr></table>d"),
        ("a<br>b<img alt='>' src=x>c</br>", "a<br></br>b<img></img>c"),
        ("1 < 2 &amp;&lt;b&gt; &#x41; & &nope <3", "1 < 2 &<b> A & &nope <3"),
        ("<script>a<b '</p>'</script>x<TITLE>R&amp;D</Title>", "<script>a<b '</p>'</script>x<title>R&D</title>"),
        ("a<!-- <p> --><!doctype x><?php 1 ?></ >b<!-->c", "abc"),
        ("before<p class=\"x", "before"),
        ("text<!-- never ended <p>", "text"),
        ("<html><head><title>T</title><body class=a>b</body></html>c", "<title>T</title>bc"),
    ],
)  # fmt: skip
def test_a_page_is_read_as_browsers_read_it(written: str, meant: str) -> None:
    assert shown(parse_elements(written)) == f"<body>{meant}</body>"


def test_a_role_is_read_however_it_is_written() -> None:
    written = "<p ROLE=search><p role = 'Banner'><p title=\"role=search\"><p role><p a role=\"&#110;avigation\" b=''>"
    assert [each.role for each in parse_elements(written).children] == ["search", "banner", "", "", "navigation"]


def test_a_page_that_is_nested_without_end_is_read_to_its_end() -> None:
    page = "<title>Deep</title>" + "<div><b>word " * 20_000 + "the end"
    deepest, waiting = 0, [(parse_elements(page), 1)]
    while waiting:
        element, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in element.children]
    assert deepest == DEEPEST + 1
    title, text, _ = extract_page(page)
    assert (title, text.count("word"), text.endswith("the end")) == ("Deep", 20_000, True)


def test_what_only_the_head_of_a_page_says_is_no_text_of_it() -> None:
    page = "<meta charset=utf-8><title>Rates &amp; fees</title><style>p{}</style><p>A berth is 40 a night."
    assert extract_page(page) == ("Rates & fees", "A berth is 40 a night.", "page_to_markdown")


def test_a_page_that_names_its_encoding_as_xml_does_is_read() -> None:
    page = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE html><html><head><title>Köln</title></head><body><p>Grüße'
    )
    parsed = parse_fetched("https://example.org/a", page.encode("latin-1"), "application/xhtml+xml", None)
    assert (parsed.title, [one.text for one in parsed.segments]) == ("Köln", ["Grüße"])


def test_entities_that_a_page_declares_itself_are_not_expanded() -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><p>&b; stays'
    assert extract_page(bomb)[1].endswith("&b; stays")


def test_in_a_page_of_many_megabytes_blocks_stay_apart() -> None:
    text = extract_page("<p>harbour</p><p>ship</p>" * 100_000)[1]
    assert text.splitlines() == ["harbour", "ship"] * 100_000


def test_a_page_without_a_word_is_refused() -> None:
    with pytest.raises(SourceError, match="no readable text"):
        parse_fetched("https://example.org/a", b"<html><body><div id=app></div></body></html>", "text/html", None)
