"""Writes what derives from a contract's table: its page in docs/contracts, and the snapshot that a test compares.

python tools/write_contracts.py            writes them
python tools/write_contracts.py --check    fails if they differ from the tables
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

import recollect
from recollect.contracts.registry import CONTRACTS
from recollect.contracts.tool import Contract, Tool
from recollect.serve.catalog import write_list

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.contracts.requirement import SECTIONS, locate_tests, rows_of  # noqa: E402  its folder is found only now


def variants(memory: recollect.Memory) -> dict[str, Contract]:
    """Tables that differ by how a server was started, by the file of their snapshot below tests/contracts."""
    return {"trusty_memory/tools_with_palace.json": CONTRACTS["trusty-memory"].make(memory, "my-project")}


def snapshot(contract: Contract) -> str:
    return msgspec.json.format(msgspec.json.encode(write_list(contract, "tools")), indent=1).decode() + "\n"


def page(name: str, contract: Contract) -> str:
    lines = [f"# The {name} contract", "", f"Server name `{contract.name}`, reached by `recollect serve --as {name}`."]
    lines += ["", "This page is made from the tables of tools and requirements by `tools/write_contracts.py`."]
    told = _told(name.replace("-", "_"))
    lines += ["Raised numbers lead to the tests that show what is said."] if told else []
    if contract.instructions:
        lines += ["", "What a client is told of it:", "", f"> {contract.instructions}"]
    lines += told
    for tool in contract.tools:
        lines += ["", *_section(contract, tool)]
    if contract.resources or contract.templates:
        lines += ["", *_documents(contract)]
    return "\n".join(lines) + "\n"


def _told(folder: str) -> list[str]:
    """What the rows of a contract's requirements tell its users, each with links to the tests that show it."""
    rows, own, lines = rows_of(folder), locate_tests(folder), list[str]()
    for field, heading in SECTIONS.items():
        told = [(text, row.tests) for row in rows if (text := getattr(row, field))]
        lines += ["", f"## {heading}", ""] if told else []
        for text, tests in told:
            lines.append(f"- {text} {' '.join(_link(number, test, own) for number, test in enumerate(tests, 1))}")
    return lines


def _link(number: int, test: str, own: Mapping[str, Path]) -> str:
    file, _, name = test.rpartition("::")
    path = ROOT / "tests" / file if file else own[name]
    raised = str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f'[{raised}](../../{path.relative_to(ROOT).as_posix()} "{name}")'


def _documents(contract: Contract) -> Iterator[str]:
    yield "## Documents to read"
    yield ""
    yield "| address | |"
    yield "|---|---|"
    for resource in contract.resources:
        yield f"| `{resource.uri}` | {resource.description or resource.name} |"
    for template in contract.templates:
        yield f"| `{template.uri_template}` | {template.description or template.name} |"


def _section(contract: Contract, tool: Tool[Any]) -> Iterator[str]:
    yield f"## {tool.name}"
    yield ""
    yield tool.description
    hints = tool.annotations
    told = [word for word, holds in (("reads only", hints.read_only), ("destructive", hints.destructive)) if holds]
    if told:
        yield ""
        yield f"({', '.join(told)})"
    schema = contract.input_schema(tool)
    if modes := _modes(schema):
        yield from modes
        return
    properties, required = schema.get("properties"), schema.get("required", [])
    if isinstance(properties, Mapping) and properties and isinstance(required, list):
        yield ""
        yield "| argument | type | default | |"
        yield "|---|---|---|---|"
        for name, field in properties.items():
            assert isinstance(field, Mapping)
            default = "required" if name in required else _default(field)
            yield f"| `{name}` | {_type(field)} | {default} | {field.get('description', '')} |"


def _modes(schema: Mapping[str, Any]) -> list[str]:
    """What a tool takes whose arguments are an envelope with alternatives, one for each mode."""
    alternatives = schema.get("properties", {}).get("args", {}).get("oneOf", [])
    if not alternatives:
        return []
    lines = ["", "| mode | `input_data` | `options` |", "|---|---|---|"]
    for each in alternatives:
        fields = each["properties"]
        given, options = (_fields(fields[name]) for name in ("input_data", "options"))
        lines.append(f"| `{fields['mode']['const']}` | {given} | {options} |")
    return lines


def _fields(schema: Mapping[str, Any]) -> str:
    """The fields of an object; what is required stands first, in bold."""
    required = schema.get("required", [])
    names = sorted(schema.get("properties", {}), key=lambda name: name not in required)
    return ", ".join(f"**`{name}`**" if name in required else f"`{name}`" for name in names)


def _default(field: Mapping[str, Any]) -> str:
    return f"`{json.dumps(field['default'])}`" if "default" in field else ""


def _type(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    kind = str(field.get("format") or field.get("type"))
    if kind == "array":
        return f"list of {_type(field['items'])}"
    bounds = [str(field[end]) for end in ("minimum", "maximum") if end in field]
    return f"{kind} {'..'.join(bounds)}" if len(bounds) == 2 else kind


def derived(memory: recollect.Memory) -> Iterator[tuple[Path, str]]:
    """Every file that derives from a table, and what it should hold."""
    snapshots = ROOT / "tests" / "contracts"
    for name, offer in CONTRACTS.items():
        contract = offer.make(memory, None)
        yield ROOT / "docs" / "contracts" / f"{name}.md", page(name, contract)
        yield snapshots / name.replace("-", "_") / "tools.json", snapshot(contract)
    for file, contract in variants(memory).items():
        yield snapshots / file, snapshot(contract)


def main(check: bool) -> int:
    wrong: list[str] = []
    settings = recollect.Settings(home=Path(tempfile.mkdtemp()), embedder="none")
    with recollect.open(settings=settings) as memory:
        for path, text in derived(memory):
            if not check:
                path.write_text(text, "utf-8")
            elif not path.exists() or path.read_text("utf-8") != text:
                wrong.append(f"{path.relative_to(ROOT)} differs from the table; run tools/write_contracts.py")
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
