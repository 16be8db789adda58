from __future__ import annotations

from pathlib import Path
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
        (["check", "m.dve", "--max-state", "10"], "mule check has no option --max-state: did you mean --max-states?"),
        (["check", "m.dve", "--wobble"], "mule check has no option --wobble"),
        (["explore", "m.dve", "--deadlock"], "mule explore has no option --deadlock: mule check has it"),
        (["compare", "m.dve", "--por=beam"], "mule compare has no option --por: mule check, mule explore, mule graph,"),
        (["check", "m.dve", "n.dve"], "'n.dve' is one argument too many: mule check MODEL [OPTION]..."),
        (["check", "m.dve", "--fairness", "week"], "'week' is none of none, F, weak, strong: did you mean weak?"),
        (["graph"], "MODEL is missing: mule graph MODEL [OPTION]..."),
        (["explore"], "MODEL is missing: mule explore MODEL [OPTION]..."),
        (["trail", "m.dve"], "FILE is missing: mule trail MODEL FILE [OPTION]..."),
        (["simulate", "m.dve", "--steps", "-1"], "'-1' is not a whole number: 0, 1, 2, ..."),
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


def test_help_of_a_command(mule: Any) -> None:
    assert mule("help", "check").out == mule("check", "--help").out
    assert mule("help").out == mule("--help").out


def test_help_fits_a_narrow_terminal(mule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for command in COMMANDS:
        text, _, _ = mule(command, "--help").out.partition("\noptions:")
        for paragraph in text.split("\n\n")[1:]:
            listed = paragraph.startswith("  ") or "\n  " in paragraph
            assert listed or all(len(line) <= 40 for line in paragraph.splitlines()), paragraph


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--invariant", "left.critcal"], ["    left.critcal", "         ^"]),
        (["--ltl", "[]<> foo"], ["    []<> foo", "         ^"]),
        (["--ctl=AG F p"], ["    AG F p", "       ^"]),
        (["--ltl", "[]<> left.critical", "--ltl", "[] foo"], []),
    ],
)
def test_a_mistake_in_an_expression_is_pointed_at(
    mule: Any, examples: Path, arguments: list[str], shown: list[str]
) -> None:
    run = mule("check", str(examples / "peterson.dve"), *arguments)
    assert run.status == 2
    assert run.err.splitlines()[1:] == shown


@pytest.mark.parametrize(
    ("text", "value"), [("4096", 4096), ("512M", 512 * 2**20), ("4g", 4 * 2**30), ("1.5GiB", 3 * 2**29)]
)
def test_sizes(text: str, value: int) -> None:
    assert size(text) == value
