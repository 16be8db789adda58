"""The pages about options and JSON keys say what is true."""

from __future__ import annotations

import json
import re
import tempfile
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mule.cli import main
from mule.cli.arguments import Parser
from mule.cli.main import COMMANDS, parser_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[A-Za-z]\b)")

ELSEWHERE = {"simulate": "simulate.md", "automaton": "ltl.md", "bench": "benchmarks.md", "trail": "trails.md"}
"""Commands whose own options are on a page of their own."""


def options_of(command: str) -> set[str]:
    module = import_module(f"mule.cli.{command}")
    parser: ArgumentParser = Parser(f"mule {command}", module.DESCRIPTION)
    module.add_arguments(parser)
    found = {name for action in parser._actions for name in action.option_strings}
    return found - {"-h", "--help"}


def written_in(page: str) -> set[str]:
    code = re.findall(r"`[^`]+`|^    .*mule .*$", (DOCS / page).read_text(), re.MULTILINE)
    return {option for piece in code for option in OPTION.findall(piece)}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_option_is_documented(command: str) -> None:
    pages = {"cli.md", ELSEWHERE.get(command, "cli.md")}
    written = set().union(*map(written_in, pages))
    assert options_of(command) <= written


def test_no_option_is_documented_that_does_not_exist() -> None:
    existing = set().union(*(options_of(command) for command in COMMANDS)) | {"--help", "--version"}
    assert written_in("cli.md") <= existing


def test_every_value_of_an_option_is_documented() -> None:
    """The column of values in docs/cli.md, and the choices that `mule check` has."""
    page = (DOCS / "cli.md").read_text()
    choices = {
        name: set(action.choices)
        for action in parser_of("check")._actions
        if action.choices
        for name in action.option_strings
    }
    rows = dict(re.findall(r"^\| `(--[\w-]+)` \| ([^|]*`[^|]*) \|", page, re.MULTILINE))
    assert {"--por", "--proviso", "--visibility", "--fairness", "--search", "--store"} <= choices.keys() & rows.keys()
    for name in choices.keys() & rows.keys():
        assert set(re.findall(r"`([^`]+)`", rows[name])) == choices[name], name


def keys(value: Any) -> set[str]:
    """All keys but those of objects whose keys are names of the model."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    named = {"changes", "variables", "processes", "channels", "final_state", "initial_state", "state"}
    return set(value).union(*(keys(each) for name, each in value.items() if name not in named))


FOUND = str(Path(tempfile.mkdtemp()) / "found.json")
"""What a check has saved."""
RUNS = [
    ["check", "examples/peterson.dve"],
    ["check", "examples/broken_mutex.dve"],
    ["check", "examples/mailbox.pml", "--claim", "all"],
    ["check", "examples/mailbox.pml", "--ltl", "[] false"],
    ["check", "examples/lost_update.py"],
    ["check", "examples/peterson.dve", "--ctl", "AG true"],
    ["explore", "examples/pipeline.dve"],
    ["compare", "examples/peterson.dve"],
    ["simulate", "examples/mailbox.pml", "--seed", "1", "--steps", "3"],
    ["relations", "examples/peterson.dve"],
    ["validate", "examples/peterson.dve"],
    ["trail", "examples/broken_mutex.dve", FOUND, "--shorten"],
]


@pytest.fixture(autouse=True)
def saved_trail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", "examples/broken_mutex.dve", "--json"]) == 1
    Path(FOUND).write_text(capsys.readouterr().out)


def emitted(run: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    monkeypatch.chdir(ROOT)
    assert main([*run, "--json"]) in (0, 1)
    found = keys([json.loads(line) for line in capsys.readouterr().out.splitlines()])
    assert found
    return found


def documented() -> set[str]:
    text = (DOCS / "json.md").read_text() + (DOCS / "simulate.md").read_text()
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", prose))))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: " ".join(run[:2]))
def test_every_key_is_documented(
    run: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert emitted(run, capsys, monkeypatch) <= documented()


def test_every_documented_key_is_emitted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", (DOCS / "json.md").read_text(), re.MULTILINE)
    wanted = {name for row in rows for name in re.findall(r"\w+", row)}
    assert wanted <= set().union(*(emitted(run, capsys, monkeypatch) for run in RUNS))
