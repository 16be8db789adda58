"""`mule completion`: what a shell needs to complete the words of a command line, made from the parsers themselves."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mule.cli import status

SHELLS = ("bash", "zsh", "fish")

DESCRIPTION = """Print a script that makes a shell complete commands, options, their values and the
names of files. To use it in every new shell:

  bash   echo 'source <(mule completion bash)' >> ~/.bashrc
  zsh    echo 'source <(mule completion zsh)' >> ~/.zshrc     (below compinit)
  fish   mule completion fish > ~/.config/fish/completions/mule.fish"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")


def run(arguments: Namespace) -> int:
    from mule.cli import shells

    print(shells.SCRIPTS[arguments.shell](list(command_lines())), end="")
    return status.HOLDS


Kind = Literal["nothing", "words", "files", "folders", "text"]
FILES = frozenset({"MODEL", "FILE", "FILE.py:CLASS"})
NAMES_OR_FILES = frozenset({"claim"})
"""Arguments that take a name which only the model knows, or a file."""


@dataclass(frozen=True)
class Value:
    """What may stand in a place; `words` are all that may, `text` is known to nobody but the user."""

    kind: Kind
    words: tuple[str, ...] = ()
    name: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Option:
    names: tuple[str, ...]
    meaning: str
    value: Value
    repeated: bool


@dataclass(frozen=True)
class CommandLine:
    command: str
    meaning: str
    options: tuple[Option, ...]
    operands: tuple[Value, ...]


def command_lines() -> Iterator[CommandLine]:
    from mule.cli.main import COMMANDS, parser_of

    for command, meaning in COMMANDS.items():
        actions = parser_of(command)._actions
        options = tuple(_option(each) for each in actions if each.option_strings)
        operands = tuple(_value(each, command) for each in actions if not each.option_strings)
        yield CommandLine(command, meaning, options, operands)


def _option(action: argparse.Action) -> Option:
    repeated = isinstance(action, argparse._AppendAction)
    return Option(tuple(action.option_strings), (action.help or "").replace("%%", "%"), _value(action), repeated)


def _value(action: argparse.Action, command: str = "") -> Value:
    if action.nargs == 0:
        return Value("nothing")
    name, optional = str(action.metavar or action.dest), action.nargs == "?"
    words = tuple(map(str, action.choices or ()))
    if command == "bench":
        from mule.cli.bench import MEANINGS

        words = tuple(MEANINGS)
    if words:
        return Value("words", words, name, optional)
    if name in FILES or action.dest in NAMES_OR_FILES:
        return Value("files", (), name, optional)
    return Value("folders" if name == "DIR" else "text", (), name, optional)
