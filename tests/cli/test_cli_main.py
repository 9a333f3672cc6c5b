# pyright: basic
from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import recollect
from recollect import __version__
from recollect.cli import globals_last, main
from recollect.cli.flags import FLAGS, Serving, parse_flags
from recollect.contracts.registry import CONTRACTS

MODULE = [sys.executable, "-m", "recollect.cli"]
HEAVY = ("typer", "rich", "numpy", "httpx", "onnxruntime", "tomllib", "starlette", "uvicorn", "asyncio")


def test_the_module_runs_as_the_command(shell):
    done = subprocess.run([*MODULE, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"recollect {__version__}\n"
    assert shell("--version").out == done.stdout


def test_serve_is_reached_without_what_only_people_need(shell):
    code = (
        "import sys\nfrom recollect.cli import main\n"
        "assert main(['serve', '--as', 'nonsense']) == 2\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    known = "native, trusty-memory, memory-mcp, memory-substrate, rusty-mem, agentos"
    assert done.stderr == f"error: there is no contract 'nonsense'; there are: {known}\n"
    assert not shell.store.exists()


def test_the_short_way_reads_every_option_of_serve():
    assert parse_flags([]) == Serving("native", None, None, None)
    given = ["--space", "work", "--home=/x", "--as", "native", "--log-level", "debug"]
    assert parse_flags(given) == Serving("native", "work", "/x", "debug")
    assert parse_flags(["--store", "postgresql://db/x"]) == Serving("native", None, "postgresql://db/x", None)
    assert {flag.key for flag in FLAGS} == {*Serving._fields, "store"}


def test_the_usual_space_counts_as_named_where_somebody_names_it(shell):
    for named in (["--space", "default"], ["--space=default"]):
        chosen = parse_flags(["--as", "rusty-mem", *named])
        assert chosen is not None
        with recollect.open(shell.store) as memory:
            assert CONTRACTS["rusty-mem"].make(memory, chosen.bound_to).space == "default"
    with recollect.open(shell.store) as memory:
        assert CONTRACTS["rusty-mem"].make(memory, None).space == "rusty-mem"
    refused = shell("serve", "--as", "trusty-memory", "--space", "default")
    assert refused.code == 2
    assert refused.err == "error: --space is not for --as trusty-memory; its option is --palace\n"


@pytest.mark.parametrize("args", [["--help"], ["--space"], ["--bogus", "x"], ["extra"]])
def test_the_short_way_leaves_everything_else_to_typer(args):
    assert parse_flags(args) is None


def test_a_mistake_after_serve_is_a_usage_error(shell):
    outcome = shell("serve", "--bogus")
    assert outcome.code == 2
    assert outcome.err == "error: No such option: --bogus\nsee: recollect serve --help\n"


def test_a_command_that_is_named_is_the_only_one_that_is_made(shell, monkeypatch):
    made, make = [], typer.main.get_command_from_info
    monkeypatch.setattr(
        typer.main,
        "get_command_from_info",
        lambda *, command_info, **more: made.append(command_info.name) or make(command_info, **more),
    )
    assert shell("list").code == 0
    assert made == ["list"]
    assert shell("spaces", "list").code == 0
    assert "remember" not in made
    assert shell("lsit").err == "error: No such command 'lsit'. Did you mean 'list'?\nsee: recollect --help\n"


@pytest.mark.usefixtures("shell")
def test_serve_answers_a_client_without_what_only_people_or_searches_need():
    hello = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
    )
    command = [sys.executable, "-X", "importtime", "-m", "recollect.cli", "serve"]
    done = subprocess.run(command, input=hello, capture_output=True, text=True, timeout=60, check=True)
    first, second = (json.loads(line)["result"] for line in done.stdout.splitlines())
    assert first["serverInfo"]["version"] == __version__
    assert "recall" in [tool["name"] for tool in second["tools"]]
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "recollect.contracts.native" in loaded
    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.usefixtures("shell")
def test_one_line_answers_do_without_rich():
    code = "import sys\nfrom recollect.cli import main\nmain(['remember', 'x'])\nprint('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["False"]


def test_an_unknown_log_level_is_a_usage_error(shell):
    outcome = shell("serve", "--log-level", "loud")
    assert outcome.code == 2
    assert outcome.err == "error: there is no log level 'loud'; there are: debug, info, warning, error\n"
    assert not shell.store.exists()


def test_home_and_space_may_stand_before_the_command(shell):
    elsewhere = shell.home / "elsewhere"
    assert shell("--home", str(elsewhere), "--space=work", "remember", "x").code == 0
    assert (elsewhere / "recollect.db").exists()
    assert not shell.store.exists()
    assert json.loads(shell("--json", "list").out) == {"records": [], "total": 0}
    assert globals_last(["--home", "h", "remember", "--", "-x"]) == ["remember", "--home", "h", "--", "-x"]


def test_a_folder_that_is_a_file_is_told_without_a_traceback(shell):
    file = shell.home / "file"
    file.write_text("")
    outcome = shell("--home", str(file), "remember", "x")
    assert outcome.code == 2
    assert outcome.err == f"error: folder: {file} is a file; name the folder that should hold the store\n"


def test_without_a_command_the_help_is_shown(shell):
    outcome = shell()
    assert outcome.code == 2
    assert "remember" in outcome.out
    assert "error" not in outcome.err


def test_a_reader_that_leaves_early_is_no_failure_with_a_traceback(shell):
    shell.remember("x" * 500)
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m recollect.cli list | head -c 0"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


def on_a_terminal(command: list[str], answer: bytes) -> tuple[int, str]:
    """Runs a command whose standard streams are a terminal, and types an answer."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    os.write(ours, answer)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # Linux says that the other end is gone in this way
        shown += b""
    os.close(ours)
    return process.wait(timeout=60), shown.decode()


def test_forget_asks_on_a_terminal_and_shows_what_would_go(shell):
    id = shell.remember("A secret.")
    code, shown = on_a_terminal([*MODULE, "forget", id], b"n\n")
    assert code == 1
    assert "A secret." in shown
    assert "nothing was forgotten" in shown
    assert shell.json("list")["total"] == 1
    code, _ = on_a_terminal([*MODULE, "forget", id], b"y\n")
    assert code == 0
    assert shell.json("list")["total"] == 0


def test_tables_have_colour_on_a_terminal_only(shell, monkeypatch):
    shell.remember("Plain.")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    _, shown = on_a_terminal([*MODULE, "list"], b"")
    assert "\x1b[1m" in shown
    assert "\x1b" not in shell("list").out
    monkeypatch.setenv("NO_COLOR", "1")
    _, shown = on_a_terminal([*MODULE, "list"], b"")
    assert "\x1b[36m" not in shown


def test_on_a_narrow_terminal_ids_are_whole_and_the_text_is_there(shell, monkeypatch):
    id = shell.remember("Every word of this is worth reading.", "--title", "A rather long title of many words")
    monkeypatch.setenv("COLUMNS", "80")
    _, shown = on_a_terminal([*MODULE, "recall", "reading", "--why", "--all-spaces"], b"")
    assert id in shown
    assert "Every word of this" in shown


def test_long_work_has_a_bar_on_a_terminal(shell):
    shell.remember("x")
    code, shown = on_a_terminal([*MODULE, "reindex"], b"")
    assert code == 0
    assert "━" in shown
    assert "1/1" in shown


def test_the_bundled_model_is_used_when_nothing_else_is_said(shell, monkeypatch):
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    shell.remember("The gateway validates tokens with RS256.")
    answer = shell.json("recall", "how is authentication done?")
    assert answer["signals"]["embedder"].startswith("recollect-minilm")
    assert answer["hits"][0]["why"]["vector"] > 0


def test_a_home_with_a_tilde_is_the_user_s(shell):
    assert shell("--home", "~/mine", "remember", "x").code == 0
    assert Path(shell.home, "mine", "recollect.db").exists()


def test_an_empty_home_is_not_taken_for_the_working_directory(shell, monkeypatch):
    monkeypatch.chdir(shell.home)
    outcome = shell("--home", "", "remember", "x")
    assert (outcome.code, outcome.out) == (1, "")
    assert list(shell.home.iterdir()) == []


@pytest.mark.parametrize("store", ["mysql://h/d", "postgresql://h/d?bogus=1", ""])
def test_a_store_that_is_no_address_of_one_exits_with_2(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", f"--store={store}"]) == main(["--store", store, "list"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here is always full")
@pytest.mark.parametrize("words", [("list", "--json"), ("export",), ("remember", "The lamp is green."), ("--help",)])
def test_a_disk_that_is_full_where_the_output_goes_is_told_in_one_line(shell, words):
    shell.remember("Ada wrote the first program.")
    with open("/dev/full", "w") as full:
        done = subprocess.run([*MODULE, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    told = done.stderr.strip().splitlines()[-1]
    assert "what was to be printed cannot be written (No space left on device); what was asked for may be done" in told
    assert "Traceback" not in done.stderr
