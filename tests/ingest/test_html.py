"""Is what a long page says kept, and what surrounds it left out?"""

from __future__ import annotations

import pytest

from recollect.ingest.html import page_to_markdown
from recollect.ingest.web import extract_page

PARAGRAPHS = [
    f"Paragraph {n} tells of harbour {n}, where ship {n} lies at anchor since the flood of {1900 + n}."
    for n in range(400)
]
LINKS = "".join(f'<li><a href="/{n}">Menu entry {n} of the town</a></li>' for n in range(120))
BODY = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
FORMS = {
    "plain divs": f"<div class=x><ul>{LINKS}</ul></div><div class=content>{BODY}</div><div>{LINKS}</div>",
    "nested deep": f"<div><div><div><div><ul>{LINKS}</ul></div><div><div>{BODY}</div></div></div></div></div>",
    "a layout table": f"<table><tr><td><ul>{LINKS}</ul></td><td>{BODY}</td></tr></table>",
    "within an article": f"<article><h1>Harbours</h1>{BODY}<ul>{LINKS}</ul></article>",
    "in two parts": f"<div>{BODY[: len(BODY) // 2]}</div><ul>{LINKS}</ul><div>{BODY[len(BODY) // 2 :]}</div>",
}


@pytest.mark.parametrize("form", FORMS)
def test_of_a_long_page_the_main_part_is_kept_whole_and_menus_are_left_out(form: str) -> None:
    title, text, how = extract_page(f"<html><head><title>Harbours</title></head><body>{FORMS[form]}</body></html>")
    assert (title, how) == ("Harbours", "main_part_to_markdown")
    kept = sum(paragraph in text for paragraph in PARAGRAPHS)
    assert kept >= len(PARAGRAPHS) - 1  # the one that was cut in two
    assert "Menu entry" not in text


def test_a_short_page_is_kept_with_its_lists_of_links() -> None:
    page = (
        "<body><p>See also:</p><ul>" + "".join(f'<li><a href="/{n}">Harbour {n}</a></li>' for n in range(5)) + "</ul>"
    )
    assert extract_page(page)[1].splitlines()[-1] == "- Harbour 4"


def test_links_within_prose_and_lists_with_explanations_stay_in_a_long_page() -> None:
    item = '<li><a href="/x">Berth {0}</a>: takes ships of up to {0} metres, with water and power at the quay.</li>'
    linked = f"<ul>{''.join(item.format(n) for n in range(60))}</ul>"
    text = extract_page(f"<body><div>{BODY}{linked}</div><ul>{LINKS}</ul></body>")[1]
    assert "- Berth 59: takes ships of up to 59 metres" in text
    assert "Menu entry" not in text


def test_of_a_page_of_many_megabytes_the_lines_are_kept() -> None:
    page = f"<title>Log</title><body><nav>{LINKS}</nav>{BODY * 60}</body>"
    assert len(page) > 2_000_000
    title, text, how = extract_page(page)
    assert (title, how, "Menu entry" in text) == ("Log", "page_to_text", False)
    assert PARAGRAPHS[399] in text


def test_what_stands_in_tables_within_tables_is_said_once() -> None:
    inner = "<table><tr><th>inner</th><td>lamp</td></tr></table>"
    for _ in range(20):
        inner = f"<table><tr><th>room</th><td>{inner}</td></tr></table>"
    _, text = page_to_markdown(f"<html><body><h1>Rooms</h1>{inner}</body></html>")
    assert text.count("lamp") == 1
    assert text.count("room") == 20
