"""What the makers of the protocol say of a server: their conformance suite, inspector and TypeScript client.

python tests/conformance/run.py

The suite runs against the contract beside this file, for both of its sets of requirements; what it asks for and we do
not have stands in the `cannot-*.yml` files with the reason. The inspector and the client then connect to every real
contract, over HTTP to one service and over stdio to a process of `recollect serve`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(HERE)]

from tools.get_sdks import Unavailable, node_packages, wheel_node  # noqa: E402  after the path is set

from recollect.contracts.registry import CONTRACTS  # noqa: E402

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CLIENT = "@modelcontextprotocol/sdk@1.26.0"
REQUIREMENTS = ("2025-11-25", "2026-07-28")
SECONDS = 300
ADDRESS = re.compile(r"http://[\d.]+:\d+")


def serve_fixture() -> None:
    """Serves the suite's contract until it is killed."""
    from contract import CONTRACT

    from recollect.serve.address import Address, address_of, listen
    from recollect.serve.admission import admission
    from recollect.serve.http import HttpServer
    from recollect.serve.log import Log
    from recollect.serve.streamable import Streamable

    address = Address("127.0.0.1", 0)
    listener = listen(address)
    print(f"http://{address_of(listener)}", flush=True)
    HttpServer((Streamable(lambda _, __: CONTRACT, Log()),), admission(address, None), Log()).run(listener)


@contextmanager
def running(*command: str) -> Generator[str]:
    """The address of a server that runs meanwhile."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = ADDRESS.search(server.stdout.readline())
            assert found is not None, "the server said no address"
            yield found[0]
        finally:
            server.terminate()


def run_suite(folder: Path, requirements: str, url: str) -> bool:
    program = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    cannot = HERE / f"cannot-{requirements}.yml"
    done = subprocess.run(
        [wheel_node(), program, "server", "--url", f"{url}/mcp", "--requirements", requirements,
         "--expected-failures", cannot],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    summary = done.stdout.partition("=== SUMMARY ===")[2].strip() or done.stdout[-2000:] + done.stderr[-2000:]
    print(f"Requirements of {requirements}:\n{summary}\n", flush=True)
    return done.returncode == 0


def inspect(folder: Path, name: str, *target: str) -> bool:
    """The inspector lists the tools of a contract."""
    program = folder / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    command = [wheel_node(), program, "--cli", *target, "--method", "tools/list"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
    )
    try:
        count = len(json.loads(done.stdout)["tools"]) if done.returncode == 0 else 0
    except (ValueError, KeyError):
        count = 0
    print(f"inspector {name}: {f'{count} tools' if count else 'FAILED ' + done.stderr[-500:]}", flush=True)
    return count > 0


def connect(folder: Path, url: str) -> bool:
    """Every contract, over both transports, by both programs."""
    serve = ["-m", "recollect.cli", "serve", "--as"]
    well = [inspect(folder, f"{name} over HTTP", f"{url}/mcp/{name}", "--transport", "http") for name in CONTRACTS]
    well += [inspect(folder, f"{name} over stdio", sys.executable, *serve, name) for name in CONTRACTS]
    servers = [{"name": f"{name} over HTTP", "url": f"{url}/mcp/{name}"} for name in CONTRACTS]
    servers += [{"name": f"{name} over stdio", "command": sys.executable, "args": [*serve, name]} for name in CONTRACTS]
    program = folder / "client.mjs"
    program.write_bytes((HERE / "client.mjs").read_bytes())
    client = subprocess.run([wheel_node(), program, json.dumps(servers)], timeout=SECONDS, check=False)
    return all(well) and client.returncode == 0


def main() -> int:
    if sys.argv[1:] == ["serve"]:
        serve_fixture()
        return 0
    try:
        folder = node_packages("conformance", SUITE, INSPECTOR, CLIENT)
    except Unavailable as why:
        print(f"the official programs cannot be had: {why}", file=sys.stderr)
        return 1
    with running(__file__, "serve") as url:
        well = [run_suite(folder, requirements, url) for requirements in REQUIREMENTS]
    with tempfile.TemporaryDirectory(prefix="recollect-") as home:
        os.environ.update({"RECOLLECT_HOME": home, "RECOLLECT_EMBEDDER": "none", "PYTHONPATH": str(ROOT / "src")})
        with running("-m", "recollect.cli", "up", "--http", "127.0.0.1:0") as url:
            well.append(connect(folder, url))
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
