"""Cutting long texts into pieces for the embedder."""

from __future__ import annotations

from recollect.ingest.pieces import HEAD_CHARS, PIECE_CHARS, cut_pieces


def joined(pieces: list[str], head: str) -> str:
    """The text again: the repeated opening taken off, white space left out."""
    bare = [pieces[0], *(piece.removeprefix(head + "\n") for piece in pieces[1:])]
    return "".join("".join(bare).split())


def test_a_short_text_is_its_own_piece() -> None:
    assert cut_pieces("Just a line.\n") == ["Just a line.\n"]


def test_no_piece_is_too_long_and_nothing_is_lost() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "It says a little more. " * (n % 9) for n in range(60))
    pieces = cut_pieces(text)
    assert max(map(len, pieces)) <= PIECE_CHARS
    assert joined(pieces, "Paragraph 0.") == "".join(text.split())


def test_pieces_are_about_equally_long() -> None:
    pieces = cut_pieces("word " * 200)
    assert len(pieces) == 2
    assert min(map(len, pieces)) > 300


def test_a_cut_prefers_a_paragraph_to_a_sentence() -> None:
    text = "Top\n" + "a" * 450 + ". b" + "c" * 40 + "\n\n" + "d" * 480
    assert cut_pieces(text) == ["Top\n" + "a" * 450 + ". b" + "c" * 40, "Top\n" + "d" * 480]


def test_later_pieces_begin_with_the_opening_of_the_text() -> None:
    pieces = cut_pieces("def parse_header(line: str) -> Header:\n" + "    step()\n" * 200)
    assert len(pieces) > 2
    assert all(piece.startswith("def parse_header(line: str) -> Header:\n") for piece in pieces)


def test_a_long_opening_is_repeated_up_to_a_word() -> None:
    opening = cut_pieces("somewhat longer words " * 100)[1].partition("\n")[0]
    assert len(opening) <= HEAD_CHARS
    assert opening.split()[-1] in {"somewhat", "longer", "words"}


def test_text_without_any_break_is_cut_all_the_same() -> None:
    pieces = cut_pieces("x" * 2500)
    assert joined(pieces, "x" * HEAD_CHARS) == "x" * 2500
    assert max(map(len, pieces)) <= PIECE_CHARS


def test_blank_stretches_make_no_pieces() -> None:
    assert cut_pieces("start" + " " * 5000 + "end") == ["start", "start\nend"]
