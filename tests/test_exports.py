"""Is the public API what it says, and does it come cheap?"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import recollect

HEAVY = {
    "httpcore", "httpx", "markdown_it", "numpy", "onnxruntime", "platformdirs", "pypdf", "rich",
    "starlette", "tree_sitter", "typer", "uvicorn", "watchfiles",
}  # fmt: skip


CONTRACTS = ("agentos", "memory_mcp", "memory_substrate", "native", "rusty_mem", "trusty_memory")


def test_the_list_of_names_is_sorted_and_without_repeats() -> None:
    assert recollect.__all__ == sorted(set(recollect.__all__))


@pytest.mark.parametrize("name", recollect.__all__)
def test_every_name_is_there_and_documented(name: str) -> None:
    thing = getattr(recollect, name)
    own = inspect.getdoc(thing)
    assert own or issubclass(thing, recollect.RecollectError)


def test_every_method_of_a_memory_is_documented() -> None:
    methods = {name: method for name, method in inspect.getmembers(recollect.Memory) if not name.startswith("_")}
    assert [name for name, method in methods.items() if not inspect.getdoc(method)] == []


def test_every_method_of_a_memory_is_on_the_page_about_the_library() -> None:
    page = (Path(__file__).parents[1] / "docs" / "library.md").read_text("utf-8")
    named = set(re.findall(r"`(?:memory\.)?([a-z_]+)[(`]", page))
    assert {name for name in dir(recollect.Memory) if not name.startswith("_")} - named == set()


def test_what_a_type_checker_sees_is_what_is_there() -> None:
    """Names come in when they are asked for; those that only a checker reads are the same."""
    tree = ast.parse(Path(recollect.__file__).read_text("utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "recollect" in f"{node.module}"]
    homes = {alias.asname or alias.name: (node.module, alias.name) for node in imported for alias in node.names}
    assert set(homes) == {*recollect.__all__}
    for name, (module, there) in homes.items():
        assert getattr(recollect, name) is getattr(import_module(str(module)), there)


def test_nothing_else_can_be_asked_of_the_package() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memorry'"):
        recollect.Memorry  # noqa: B018  # pyright: ignore
    assert {*recollect.__all__} <= {*dir(recollect)}


def test_the_package_alone_loads_none_of_its_rooms() -> None:
    code = "import sys, recollect; print(*sorted(name for name in sys.modules if name.startswith('recollect.')))"
    source = str(Path(recollect.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, check=True)
    assert done.stdout.split() == [b"recollect.errors", b"recollect.version"]


def test_the_package_says_which_version_it_is() -> None:
    assert recollect.__version__.count(".") == 2


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after some code."""
    source = str(Path(recollect.__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {source!r}); {code}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_brings_in_nothing_heavy() -> None:
    assert loaded_by("import recollect") & HEAVY == set()


def test_a_relay_brings_in_nothing_that_it_does_not_need() -> None:
    code = "import recollect.cli, recollect.cli.flags, recollect.serve.meeting, recollect.serve.relay"
    assert loaded_by(code) & {*HEAVY, "msgspec", "sqlite3", "hashlib", "asyncio", "inspect"} == set()


def test_a_service_brings_in_nothing_that_asks_others_or_writes_tables() -> None:
    by_uvicorn = {"watchfiles"}
    assert loaded_by("import recollect.serve.up") & HEAVY - by_uvicorn == {"starlette", "uvicorn"}


@pytest.mark.parametrize("name", CONTRACTS)
def test_importing_a_contract_brings_in_nothing_heavy(name: str) -> None:
    assert loaded_by(f"import recollect.contracts.{name}") & HEAVY == set()


def test_remembering_and_listing_bring_in_nothing_heavy(tmp_path: Path) -> None:
    code = (
        f"import recollect; m = recollect.open({str(tmp_path)!r}); m.remember('a thing'); m.list();"
        " m.relate('a', 'b', 'c'); m.facts('a'); m.close()"
    )
    assert loaded_by(code) & HEAVY == set()
