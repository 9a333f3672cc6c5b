"""How much room does an installation take, package by package?

    python -m tools.installed

Counts the files that each package names as its own, for every package that `pip install .` would bring into an empty
environment. Bytecode stands apart: pip makes it of everything, Python by itself only of what is used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "recollect"


def needed(asked: Iterable[str]) -> dict[str, Distribution]:
    """What is asked for, and what that needs in turn on this machine, by name."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(line) for line in asked]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(name)
        waiting += [Requirement(line) for line in found[name].requires or ()]
    return found


def is_bytecode(path: Path) -> bool:
    return path.suffix == ".pyc"


def sizes() -> dict[str, int]:
    """How many bytes each package takes without bytecode, the largest first."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    found = {
        "recollect": sum(path.stat().st_size for path in PACKAGE.rglob("*") if path.is_file() and not is_bytecode(path))
    }
    for name, one in needed(asked).items():
        files = {Path(str(file.locate())).resolve() for file in one.files or ()}
        found[name] = sum(path.stat().st_size for path in files if path.is_file() and not is_bytecode(path))
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def main() -> None:
    found = sizes()
    for name, size in found.items():
        print(f"{size / 1e6:8.1f} MB  {name}")
    print(f"{sum(found.values()) / 1e6:8.1f} MB  in {len(found)} packages")


if __name__ == "__main__":
    main()
