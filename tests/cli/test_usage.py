from __future__ import annotations

from typing import Any

import pytest

from mule.cli.arguments import size
from mule.cli.main import COMMANDS


def test_help_shows_every_command_and_examples(mule: Any) -> None:
    run = mule("--help")
    assert run.status == 0
    assert all(f"  {command} " in run.out for command in COMMANDS)
    assert "examples:" in run.out


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help(mule: Any, command: str) -> None:
    run = mule(command, "--help")
    assert run.status == 0
    assert run.out.startswith(f"usage: mule {command} ")


def test_version(mule: Any) -> None:
    assert mule("--version").out.startswith("mule ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no command given"),
        (["chek", "m.dve"], "did you mean 'check'?"),
        (["--por", "none"], "a command comes first"),
        (["check"], "MODEL"),
        (["check", "m.dve", "--por", "best"], "'best'"),
        (["check", "m.dve", "--proviso", "stacked"], "'stacked'"),
        (["check", "m.dve", "--search", "random"], "'random'"),
        (["explore", "m.dve", "--preserve", "ltlx"], "'ltlx'"),
        (["explore", "m.dve", "--save", "graph"], "--save needs --preserve ltl or --preserve ctl"),
        (["explore", "m.dve", "--remember", "all"], "'all'"),
        (["check", "m.dve", "--memory", "4X"], "write 4G, 512M"),
        (["check", "m.dve", "--time", "0"], "'0' is not a positive number of seconds"),
        (["check", "m.dve", "--time", "soon"], "'soon' is not a positive number of seconds"),
        (["check", "m.dve", "--max-states", "0"], "'0' is not a positive whole number"),
        (["check", "m.dve", "--max-state", "10"], "unrecognized arguments: --max-state"),
        (["check", "m.dve", "--wobble"], "unrecognized arguments: --wobble"),
        (["bench", "table5", "--models", "no/such/folder"], "no/such/folder is not a folder"),
    ],
)
def test_bad_usage_is_one_message_and_status_2(mule: Any, arguments: list[str], message: str) -> None:
    run = mule(*arguments)
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith("mule: ")
    assert message in run.err
    assert len(run.err.splitlines()) <= 2


@pytest.mark.parametrize(
    ("text", "value"), [("4096", 4096), ("512M", 512 * 2**20), ("4g", 4 * 2**30), ("1.5GiB", 3 * 2**29)]
)
def test_sizes(text: str, value: int) -> None:
    assert size(text) == value
