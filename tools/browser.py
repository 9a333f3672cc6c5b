"""Which browser do the tests and pictures of the page use?

The one that RECOLLECT_CHROMIUM names, the system's, or the one inside npm's @sparticuz/chromium, which runs without
root and is fetched once into the user's cache. `python -m tools.browser` says which it is.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.get_sdks import Unavailable, node, node_packages, npm, wheel_node

CHROMIUM = "@sparticuz/chromium@147.0.0"
AXE = "axe-core@4.11.0"
LIGHTHOUSE = "lighthouse@13.0.1"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "recollect-tests"
SECONDS = 600
_SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_UNPACK = """
const fs = require("fs"), zlib = require("zlib"), { pipeline } = require("stream");
const [from, to] = process.argv.slice(1);
const done = (error) => { if (error) throw error; };
pipeline(fs.createReadStream(from), zlib.createBrotliDecompress(), fs.createWriteStream(to), done);
"""


def executable() -> tuple[str, dict[str, str]]:
    """The program, and what its environment needs."""
    named = os.environ.get("RECOLLECT_CHROMIUM")
    if named:
        return named, {}
    for name in _SYSTEM:
        found = shutil.which(name)
        if found is not None:
            return found, {}
    if not (sys.platform == "linux" and os.uname().machine == "x86_64"):
        raise Unavailable("there is no Chromium here: install one, or name it by RECOLLECT_CHROMIUM")
    folder = _fetched(CHROMIUM, _unpack)
    fonts = {} if Path("/etc/fonts").exists() else {"FONTCONFIG_PATH": str(folder)}
    return str(folder / "chromium"), {"LD_LIBRARY_PATH": str(folder / "lib"), **fonts}


def axe() -> str:
    """The source of axe-core, which looks for what a person with a screen reader would stumble over."""
    return (_fetched(AXE, _copy) / "axe.min.js").read_text()


def lighthouse() -> list[str]:
    """The command that has Lighthouse look at an address, which follows."""
    folder = node_packages("lighthouse", LIGHTHOUSE)
    return [wheel_node(), str(folder / "node_modules" / "lighthouse" / "cli" / "index.js")]


def _copy(package: Path, folder: Path) -> None:
    shutil.copy(package / "axe.min.js", folder)


def _fetched(package: str, unpack: Callable[[Path, Path], None]) -> Path:
    folder = CACHE / package.strip("@").replace("/", "-")
    if (folder / "done").exists():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        command = [*npm(), "pack", "--loglevel=error", "--pack-destination", scratch, package]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=scratch)
        if done.returncode:
            raise Unavailable(f"{package} cannot be fetched: {done.stderr.strip()[-500:]}")
        with tarfile.open(next(Path(scratch).glob("*.tgz"))) as packed:
            packed.extractall(scratch, filter="data")
        made = Path(scratch) / "made"
        made.mkdir()
        unpack(Path(scratch) / "package", made)
        (made / "done").touch()
        if not folder.exists():
            made.rename(folder)
    return folder


def _unpack(package: Path, folder: Path) -> None:
    for packed in (package / "bin").glob("*.br"):
        target = folder / packed.stem
        subprocess.run([node(), "-e", _UNPACK, str(packed), str(target)], check=True, timeout=SECONDS)
        if target.suffix == ".tar":
            with tarfile.open(target) as files:
                files.extractall(folder, filter="data")
            target.unlink()
    program = folder / "chromium"
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


@contextmanager
def launched() -> Generator[Any]:
    """A browser that is there until the body ends."""
    from playwright.sync_api import sync_playwright

    program, environment = executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, env={**os.environ, **environment},
            args=["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--disable-dev-shm-usage"],
        )  # fmt: skip
        try:
            yield browser
        finally:
            browser.close()


if __name__ == "__main__":
    print(executable()[0])
