"""Does an installation stay as small as docs/install.md says?"""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest
from tools.installed import sizes

from recollect.embed.bundled import MODEL_FOLDER

PAGE = Path(__file__).parents[1] / "docs" / "install.md"
PLATFORM = (platform.system(), platform.machine())

pytestmark = pytest.mark.skipif(PLATFORM != ("Linux", "x86_64"), reason="the wheels of other platforms differ in size")


def test_an_installation_takes_less_than_two_hundred_megabytes() -> None:
    found = sizes()
    assert sum(found.values()) < 200_000_000, found


def test_every_package_that_comes_along_is_on_the_page() -> None:
    told = set(re.findall(r"[a-z0-9-]+", PAGE.read_text("utf-8").lower()))
    grammars = {name for name in sizes() if name.startswith("tree-sitter-")}
    assert sizes().keys() - grammars <= told
    assert grammars == {f"tree-sitter-{one}" for one in ("go", "javascript", "python", "rust", "typescript")}


def test_the_package_itself_holds_nothing_but_the_program_and_its_models() -> None:
    found = sizes()
    models = sum(path.stat().st_size for path in MODEL_FOLDER.iterdir())
    assert found["recollect"] - models < 5_000_000
