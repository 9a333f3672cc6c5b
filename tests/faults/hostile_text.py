"""Has everything that reads foreign text read texts that were made to be hard; a process of its own, told how long.

Prints the name of each reader that it has done with. The system ends it when it has used up its processor time.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable

from recollect import replaced
from recollect.contracts.memory_substrate import normalize
from recollect.engine.care import condense
from recollect.errors import RecollectError
from recollect.ingest import (
    chunks,
    concepts,
    documents,
    entities,
    keepers,
    markdown,
    notebook,
    outline,
    pieces,
    secrets,
    text,
    token_chunks,
    transcripts,
    vault,
    web,
)
from recollect.retrieve import alike, asking, change, context, decided, echo, fence, general, same, summarize, todo
from recollect.serve import message
from recollect.store import terms

PIECES = (
    *"a ` A- a_ a. a' . < <!-- <meta <p [ [[ ]( ![ > # ~~~ ``` (( {} *a **a _a_ aA 1. é 漢 漢a @a".split(),
    *("<b>", "</b>", "<td>", "</ ", "<a ", "<a ='>' ", '<a b="', "<!", "<title>", "<script>", "<table><p>", "<a role "),
    *('"', "“", "「", "\\", "\\a", "&", "|"),
    *(" ", "\n", "\t", "A ", "- ", "# ", "Mr. ", "A. ", "a\n=\n", "===\n", "|-|\n", "\r", "a b ", "!? ", "* ", "> > "),
    *("<system-reminder>", "<ide_a>", "<ide_a></ide_a> ", "<think>", '{"exit_code":', "question:", "Aa bb ", "de A "),
    *("<private>", "-----BEGIN RSA PRIVATE KEY-----\n", "password=", "a: b\n", "\r\r", ".", "a/", "---\n"),
    *("</recollect>", "<\u200b", "\u0300", "\u200d", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")),
)
MESSAGE = {"type": "user", "sessionId": "x"}


def _claude_code(said: str) -> object:
    line = json.dumps({**MESSAGE, "message": {"role": "user", "content": said}})
    return transcripts.read_transcript("a.jsonl", line.encode())


def _codex(said: str) -> object:
    first = {"type": "session_meta", "payload": {"id": "a"}}
    second = {"type": "response_item", "payload": {"type": "function_call_output", "output": said}}
    return transcripts.read_transcript("a.jsonl", "\n".join(map(json.dumps, (first, second))).encode())


def _notebook(said: str) -> object:
    cells = [{"cell_type": "markdown", "source": said}]
    return notebook.parse_notebook("a.ipynb", json.dumps({"cells": cells, "nbformat": 4}))


def _concepts(said: str) -> object:
    return concepts.find_concepts([concepts.Passage(text=said, source="a")])


READERS: dict[str, Callable[[str], object]] = {
    "terms": terms.terms, "query terms": terms.query_terms, "names": entities.extract_names,
    "phrases": entities.phrases, "unspaced": entities.unspaced, "concepts": lambda s: concepts.skip_reason(s[:200]),
    "markdown chunks": chunks.chunk_markdown, "text chunks": chunks.chunk_text,
    "markdown": lambda s: markdown.parse_markdown("a", s), "rst": lambda s: outline.find_headings(".rst", s),
    "asciidoc": lambda s: outline.find_headings(".adoc", s), "org": lambda s: outline.find_headings(".org", s),
    "sections": text.split_sections, "token chunks": lambda s: token_chunks.cut_chunks(s, lambda t: len(t) // 4 + 1),
    "pieces": pieces.cut_pieces, "notebook": _notebook, "sentences": lambda s: summarize.split_sentences([s]),
    "words": summarize.count_words, "fitted words": lambda s: summarize.fit_words(s, 50), "likeness": alike.words_of,
    "tokens": context.estimate_tokens, "cut": lambda s: context.cut_text(s, 100), "fence": fence.fence_text,
    "past": asking.asks_past, "now": asking.asks_now, "general": general.asks_generally, "claude code": _claude_code,
    "codex": _codex, "sniff": lambda s: documents.sniff("a.html", s.encode()),
    "page": web.extract_page, "thoughts": lambda s: condense._THOUGHTS.sub("", s),
    "keepers": lambda s: keepers.find_keepers(s, "user"), "said": lambda s: keepers.find_keepers(s, "assistant"),
    "secrets": secrets.mask_secrets, "private": secrets.drop_private, "kept keys": lambda s: secrets.carry_keys([s, s]),
    "note": vault.parse_page, "links": vault.links_in, "sides": vault.sides_of, "change": change.read_said,
    "same": same.normal_form, "decided": decided.matter_of, "only asks": asking.only_asks, "stated": asking.stated_in,
    "blocks": fence.drop_blocks, "replaced": replaced.replaced_in, "cleaned": normalize.sanitize,
    "found concepts": _concepts, "echo": lambda s: echo.echoes(s, s + " b"),
    "todo": todo.stands_open, "undone": todo.sounds_undone, "message": lambda s: message.decode(s.encode()),
}  # fmt: skip


FOUND = (
    ("private", "<private>"), ("secrets", "-----BEGIN RSA PRIVATE KEY-----\n"), ("keepers", "A-"), ("keepers", "a/"),
    ("keepers", "a: b\n"), ("note", "\r"), ("change", "`"), ("change", "."), ("same", " "), ("same", "\n"),
    ("same", "!"), ("same", "。"), ("echo", "A. "), ("echo", "a\n=\n"),
    ("found concepts", "<!--"), ("found concepts", "\n"),
)  # fmt: skip
"""What once was read in time that grows as the square of its length, or faster."""


def read_found(length: int) -> None:
    for name, piece in FOUND:
        READERS[name](f"a{piece * (length // len(piece))}b")
        print(name, flush=True)
    READERS["echo"]("".join(f"The lamp {number} is green. " for number in range(length // 40)))


def main(length: int, seconds: int, names: list[str]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for name, read in READERS.items():
        if names and name not in names:
            continue
        for piece in PIECES:
            for end in ("", "!"):
                try:
                    read((piece * (length // len(piece) + 1))[:length] + end)
                except RecollectError:
                    continue  # it may say that it is none
        print(name, flush=True)


if __name__ == "__main__":
    if sys.argv[3:] == ["found"]:
        resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]), int(sys.argv[2])))
        read_found(int(sys.argv[1]))
        sys.exit()
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
