"""Cutting long texts into pieces for the embedder."""

from __future__ import annotations

from recollect.ingest.pieces import PIECE_CHARS, cut_pieces


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_a_short_text_is_its_own_piece() -> None:
    assert cut_pieces("Just a line.\n") == ["Just a line.\n"]


def test_no_piece_is_too_long_and_nothing_is_lost() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "It says a little more. " * (n % 9) for n in range(60))
    pieces = cut_pieces(text)
    assert max(map(len, pieces)) <= PIECE_CHARS
    assert squeezed("".join(pieces)) == squeezed(text)


def test_pieces_are_about_equally_long() -> None:
    pieces = cut_pieces("word " * 200)
    assert len(pieces) == 2
    assert min(map(len, pieces)) > 300


def test_a_cut_prefers_a_paragraph_to_a_sentence() -> None:
    text = "a" * 450 + ". b" + "c" * 40 + "\n\n" + "d" * 480
    assert cut_pieces(text) == ["a" * 450 + ". b" + "c" * 40, "d" * 480]


def test_text_without_any_break_is_cut_all_the_same() -> None:
    pieces = cut_pieces("x" * 2500)
    assert "".join(pieces) == "x" * 2500
    assert max(map(len, pieces)) <= PIECE_CHARS


def test_blank_stretches_make_no_pieces() -> None:
    assert cut_pieces("start" + " " * 5000 + "end") == ["start", "end"]
