from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from recollect.cli.app import app

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        yield f"{path}{name}", command
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{name} ")


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_text_with_an_example(name):
    text = COMMANDS[name].help or ""
    assert len(text.split("\n\n")[0]) > 20
    assert f"recollect {name}" in text
    for parameter in COMMANDS[name].params:
        assert parameter.name == "help" or parameter.help, f"{name} {parameter.name} is not explained"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_every_option_is_documented(name):
    text = DOCS.read_text("utf-8")
    assert f"\n## recollect {name}\n" in text or f"\n### recollect {name}\n" in text
    section = text.split(f"# recollect {name}\n")[1].split("\n## ")[0].split("\n### recollect")[0]
    everywhere = ("--home", "--store", "--json", "--help")
    options = [option for one in COMMANDS[name].params for option in one.opts if option.startswith("--")]
    assert [option for option in options if option not in everywhere and f"`{option}" not in section] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_help(shell, name):
    outcome = shell(*name.split(), "--help")
    assert outcome.code == 0
    assert f"Usage: recollect {name}" in outcome.out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("add", "remember"), ("search", "recall"), ("rm", "forget"), ("explain", "recall --why"), ("recal", "recall")],
)
def test_what_other_programs_call_a_command_is_told_by_its_name_here(shell: Shell, typed: str, meant: str) -> None:
    assert shell(typed, "x").err.startswith(f"error: No such command '{typed}'. Did you mean '{meant}'?")


def test_help_may_be_asked_for_as_a_command(shell: Shell) -> None:
    assert "Usage: recollect" in shell("help").out
    assert "Usage: recollect recall" in shell("help", "recall").out


@pytest.mark.parametrize("typed", ["plughole", "zzz", "explainer"])
def test_a_command_that_is_merely_a_little_alike_is_not_suggested(shell: Shell, typed: str) -> None:
    assert shell(typed).err == f"error: No such command '{typed}'.\nsee: recollect --help\n"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            ("recall", "x", "--limit", "three"),
            "Invalid value for '--limit' / '-n': must be a whole number, not 'three'",
        ),
        (("list", "--offset", "1.5"), "Invalid value for '--offset': must be a whole number, not '1.5'"),
        (("remember", "x", "--importance", "high"), "Invalid value for '--importance': must be a number, not 'high'"),
        (("undo", "abc"), "Invalid value for '[ENTRY]': must be a whole number, not 'abc'"),
        (("undo", "-1"), "-1 is taken for an option; a number that is given here is 1 or more"),
    ],
)
def test_a_value_that_is_no_number_is_shown(shell: Shell, typed: tuple[str, ...], told: str) -> None:
    outcome = shell(*typed)
    assert (outcome.code, outcome.err.splitlines()[0]) == (2, f"error: {told}")
