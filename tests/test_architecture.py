"""Do imports follow the arrow, and do SQL, the environment and the web stay in their rooms?"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import recollect
from recollect.store.base import Edit, Store, View

ROOT = Path(recollect.__file__).parent
MODULES = {
    ".".join(("recollect", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}

ROOMS: dict[str, set[str]] = {
    # What a room may import from. Data flows as ARCHITECTURE.md draws it.
    "cli": {"serve", "contracts", "engine", "config", "environment", "errors", "fields", "light", "private", "types"},
    "serve": {"contracts", "engine", "config", "environment", "errors", "forms", "light", "types", "working"},
    "contracts": {"engine", "retrieve", "environment", "errors", "forms", "plain", "types", "working"},
    "engine": {
        "ingest",
        "retrieve",
        "store",
        "embed",
        "complete",
        "config",
        "errors",
        "fields",
        "forms",
        "parts",
        "pattern",
        "private",
        "types",
        "working",
    },
    "ingest": {"errors", "forms", "pattern", "replaced", "types"},
    "retrieve": {"errors", "forms", "pattern", "replaced", "types"},
    "store": {"errors", "fields", "forms", "parts", "private", "types"},
    "embed": {"endpoint", "environment", "errors", "forms", "types"},
    "complete": {"endpoint", "errors", "types"},
    "endpoint": {"errors", "forms"},
    "config": {"environment", "errors", "forms", "plain"},
    "forms": set(),
    "plain": set(),
    "environment": set(),
    "working": set(),
    "version": set(),
    "fields": {"types"},
    "types": set(),
    "light": set(),
    "pattern": set(),
    "replaced": {"pattern"},
    "private": set(),
    "parts": {"private"},
    "errors": set(),
}
ABOVE_ALL_ROOMS = ("recollect.engine.memory", "recollect.engine.guard")
"""What puts the rooms together, and what stands before all of them."""
ENGINE_ROOMS = ("write", "graph", "embedding", "read", "intake", "care")
"""The rooms of the engine, lowest first: each may use those before it. `memory.py` stands above them all."""
ALLOWED: dict[tuple[str, str], str] = {
    ("recollect.ingest.entities", "recollect.store.base"): "names are compared in one form, which the store defines",
    ("recollect.retrieve.restate", "recollect.store.terms"): "statements are compared by the terms that find them",
    (
        "recollect.retrieve.bare",
        "recollect.store.terms",
    ): "a text and a question are compared by the terms that find it",
    ("recollect.retrieve.called", "recollect.store.terms"): "so is what a thing is called by",
    ("recollect.retrieve.ranker", "recollect.store.product"): "both multiply matrices while somebody waits",
    (
        "recollect.contracts.native.answers",
        "recollect.retrieve.context",
    ): "answers are measured in tokens as contexts are",
    (
        "recollect.contracts.registry",
        "recollect.config",
    ): "rusty-mem's server has settings of its own",
    ("recollect.cli.doctor", "recollect.embed.choose"): "it tries the model without a store",
    ("recollect.cli.doctor", "recollect.store.choose"): "it names what keeps the store, without opening one",
    ("recollect.cli.place", "recollect.store.choose"): "it looks whether there is a store before one is made",
}
ONE_OF_A_KIND = {f"recollect.contracts.{name}" for name in ("tool", "schema", "route", "fit", "apps")}
"""Modules of `contracts` that are no contract: every contract may import them."""
REGISTRY = "recollect.contracts.registry"
"""The one place that knows all contracts. No contract knows it."""
SPEAKS_OF_SQL = {"recollect.embed.samples"}
"""Texts about everything, that a model is measured with: one is a query."""
WEB = {
    "starlette",
    "uvicorn",
    "websockets",
    "httpx",
    "httpcore",
    "http",
    "socket",
    "urllib",
    "aiohttp",
    "fastapi",
    "sse_starlette",
}
LOCAL_WEB: dict[str, set[str]] = {
    "serve": WEB,
    "endpoint": {"httpx"},
    "recollect.engine.intake.fetch": {"httpcore", "httpx", "socket", "urllib"},
}
"""Rooms that reach the web, and the one module that fetches pages."""
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX)|PRAGMA)\b",
    re.DOTALL,
)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@cache
def nodes(module: str) -> list[ast.AST]:
    """All that a module's code consists of, read once for all rules."""
    return list(ast.walk(ast.parse(MODULES[module].read_text("utf-8"))))


@cache
def imports(module: str) -> list[tuple[str, bool]]:
    """Everything that a module imports, wherever in it, and whether it does so as soon as it is imported itself."""
    late = {id(inner) for node in nodes(module) if _is_late(node) for inner in ast.walk(node)}
    found: list[tuple[str, bool]] = []
    for node in nodes(module):
        at_once = id(node) not in late
        if isinstance(node, ast.Import):
            found += ((alias.name, at_once) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            base = str(node.module)
            names = [f"{base}.{alias.name}" for alias in node.names]
            found += ((name if name in MODULES else base, at_once) for name in names)
    return found


def _is_late(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def inner_imports(module: str) -> set[str]:
    return {name for name, _ in imports(module) if name.split(".")[0] == "recollect"}


def test_a_module_imports_only_along_the_arrow() -> None:
    modules = [module for module in MODULES if room(module)]
    assert [module for module in modules if room(module) not in ROOMS] == []  # rooms that the house does not have
    breaches = [
        (module, name)
        for module in modules
        for name in sorted(inner_imports(module))
        if room(name) not in ROOMS[room(module)] | {room(module), "version"} and name != "recollect"
    ]
    assert [breach for breach in breaches if breach not in ALLOWED] == []


def test_every_exception_to_the_arrow_is_still_needed() -> None:
    assert [pair for pair in ALLOWED if pair[1] not in inner_imports(pair[0])] == []


def test_contracts_do_not_import_each_other() -> None:
    contracts = {module for module in MODULES if room(module) == "contracts"} - {"recollect.contracts"} - ONE_OF_A_KIND
    contracts -= {REGISTRY}
    breaches = {
        (module, name)
        for module in contracts
        for name in inner_imports(module)
        if name in contracts and name.split(".")[2] != module.split(".")[2]
    }
    assert breaches == set()
    assert [module for module in contracts | ONE_OF_A_KIND if REGISTRY in inner_imports(module)] == []


def test_the_registry_imports_a_contract_only_when_it_is_chosen() -> None:
    at_once = {name for name, now in imports(REGISTRY) if now and room(name) == "contracts"}
    assert at_once == set()


def test_a_package_of_a_contract_says_only_what_it_is_and_has_a_table() -> None:
    packages = {path.parent for path in (ROOT / "contracts").glob("*/*.py")}
    assert [str(package) for package in packages if not (package / "table.py").exists()] == []
    inits = [path for path in (ROOT / "contracts").rglob("__init__.py")]
    assert [str(path) for path in inits if len(ast.parse(path.read_text("utf-8")).body) != 1] == []


def engine_room(module: str) -> int | None:
    """Which room of the engine a module is in, counted from the lowest; what all of them share is in none."""
    parts = module.split(".")
    return ENGINE_ROOMS.index(parts[2]) if parts[1:2] == ["engine"] and len(parts) > 3 else None


def test_rooms_of_the_engine_use_only_those_below_them() -> None:
    breaches: list[tuple[str, str]] = []
    for module in (one for one in MODULES if room(one) == "engine" and one not in ABOVE_ALL_ROOMS):
        own = engine_room(module)
        top = -1 if own is None else own
        used = {name: engine_room(name) for name in inner_imports(module)}
        breaches += ((module, name) for name, other in used.items() if other is not None and other > top)
        breaches += ((module, name) for name, at_once in imports(module) if at_once and name == ABOVE_ALL_ROOMS[0])
    assert breaches == []


def test_a_memory_only_puts_the_rooms_together() -> None:
    rooms = recollect.Memory.__bases__
    assert [one.__module__ for one in rooms] == [f"recollect.engine.{name}.methods" for name in ENGINE_ROOMS]
    assert {one.__bases__ for one in rooms} == {(object,)}
    assert {name for name in vars(recollect.Memory) if name[0] != "_"} == {"close", "acting_as", "location", "settings"}
    names = [name for one in rooms for name in vars(one) if name[0] != "_"]
    assert len(names) == len(set(names))


def test_rooms_take_nothing_from_the_package_itself_but_its_version() -> None:
    taken = {
        (module, alias.name)
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.ImportFrom) and node.module == "recollect" and room(module) != "cli"
        for alias in node.names
        if f"recollect.{alias.name}" not in MODULES and alias.name != "__version__"
    }
    assert taken == set()


def packages_of(name: str) -> Iterator[str]:
    """The packages that a module is in: whoever imports it runs their `__init__` first."""
    parts = name.split(".")
    yield from (".".join(parts[:count]) for count in range(2, len(parts)))


def test_no_import_goes_in_a_circle_packages_included() -> None:
    graph = {
        module: {
            needed
            for name, at_once in imports(module)
            if at_once and name in MODULES
            for needed in (name, *packages_of(name))
            if needed != module and (needed == name or needed not in packages_of(module))
        }
        for module in MODULES
    }
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " → ".join((*path[path.index(module) :], module))
        if module not in done:
            for name in sorted(graph[module]):
                visit(name, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def strings(module: str) -> Iterator[str]:
    """The texts in a module's code; its documentation is not code."""
    loose = {id(node.value) for node in nodes(module) if isinstance(node, ast.Expr)}
    for node in nodes(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.value


OUTSIDE_THE_STORE = [module for module in MODULES if room(module) != "store"]


def test_sql_is_spoken_in_the_store_alone() -> None:
    assert [module for module in OUTSIDE_THE_STORE if "sqlite3" in dict(imports(module))] == []
    silent = [module for module in OUTSIDE_THE_STORE if module not in SPEAKS_OF_SQL]
    assert [(module, text) for module in silent for text in strings(module) if SQL.search(text)] == []


def test_only_the_store_knows_what_keeps_it() -> None:
    used = [(module, name) for module in OUTSIDE_THE_STORE for name in inner_imports(module)]
    assert [(module, name) for module, name in used if name.startswith("recollect.store.sql")] == []
    assert [(module, text) for module in OUTSIDE_THE_STORE for text in strings(module) if "recollect.db" in text] == []


WIDTHS: list[tuple[type, tuple[type, ...], int]] = [(Store, (), 10), (View, (), 20), (Edit, (View,), 15)]
"""How many members each part of the store's seam may have, beyond those of another."""


@pytest.mark.parametrize(("seam", "beyond", "most"), WIDTHS, ids=[seam.__name__ for seam, _, _ in WIDTHS])
def test_the_seam_to_the_store_stays_narrow(seam: type, beyond: tuple[type, ...], most: int) -> None:
    known = {name for other in beyond for name in vars(other)}
    assert len([name for name in vars(seam) if not name.startswith("_") and name not in known]) <= most


PLAIN = {"Any", "bool", "dict", "float", "int", "list", "msgspec", "object", "Raw", "str", "tuple", "Fields"}
"""Forms without a class of ours."""


def test_values_of_our_classes_are_read_where_no_two_threads_meet() -> None:
    wrong: list[str] = []
    for module, node in ((one, node) for one in MODULES if one != "recollect.forms" for node in nodes(one)):
        asked = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and re.fullmatch(r"msgspec\.(convert|(json|msgpack)\.(decode|Decoder))", asked):
            forms = [*(word.value for word in node.keywords if word.arg == "type")]
            forms += node.args[:1] if asked.endswith("Decoder") else node.args[1:2]
            named = {name.id for form in forms for name in ast.walk(form) if isinstance(name, ast.Name)}
            wrong += [f"{module}, line {node.lineno}: {asked} of {name}" for name in sorted(named - PLAIN)]
    assert wrong == []


READ_THE_ENVIRONMENT = ("recollect.config", "recollect.environment")


def test_the_environment_is_read_in_the_settings_alone() -> None:
    read = {
        module
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert read <= set(READ_THE_ENVIRONMENT)


def test_the_web_is_reached_from_its_rooms_alone() -> None:
    used = {module: {name.split(".")[0] for name, _ in imports(module)} & WEB for module in MODULES}
    allowed = {module: LOCAL_WEB.get(module, LOCAL_WEB.get(room(module), set())) for module in MODULES}
    assert {module: names - allowed[module] for module, names in used.items() if names - allowed[module]} == {}


MOST_LINES = 600


def test_no_module_grows_beyond_what_one_can_read() -> None:
    lines = {module: len(path.read_text("utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: count for module, count in lines.items() if count > MOST_LINES} == {}


def test_every_file_of_tests_has_a_name_of_its_own() -> None:
    """Two of one name in different folders could not be collected together."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_a_module_says_what_it_answers() -> None:
    trees = {module: ast.parse(path.read_text("utf-8")) for module, path in MODULES.items()}
    assert [module for module, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_a_circle_through_a_package_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sources = {
        "recollect.room": ("room/__init__.py", "from recollect.room.table import TABLE\n"),
        "recollect.room.table": ("room/table.py", "from recollect.other import TOOLS\n"),
        "recollect.other": ("other.py", "from recollect.room.names import NAMES\n"),
        "recollect.room.names": ("room/names.py", "NAMES = ()\n"),
    }
    (tmp_path / "room").mkdir()
    for file, text in sources.values():
        (tmp_path / file).write_text(text)
    monkeypatch.setattr("test_architecture.MODULES", {name: tmp_path / file for name, (file, _) in sources.items()})
    with pytest.raises(AssertionError, match=r"recollect\.other → recollect\.room\b"):
        test_no_import_goes_in_a_circle_packages_included()
