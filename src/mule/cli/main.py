"""The entry point: one place that turns what happened into an exit status."""

from __future__ import annotations

import gc
import os
import sys
import time
import warnings
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module

from mule import __version__
from mule.cli import status
from mule.cli.arguments import DEBUG, Parser, UsageError
from mule.cli.errors import show_error, show_internal_error, show_usage_error
from mule.cli.interrupts import release
from mule.errors import MuleError, Place, said
from mule.memory import lacks_memory
from mule.streams import keeping_streams

COMMANDS = {
    "check": "check properties; a violation comes with a trail",
    "explore": "the (reduced) state space: counts, nothing judged",
    "simulate": "one run, random or step by step",
    "trail": "replay a saved trail, explain it, make it shorter",
    "graph": "a picture of a small model: states, processes, interference",
    "show": "the guarded transitions that a model became",
    "relations": "what may interfere with what: the matrices",
    "validate": "test the relations and stubborn sets against the state space",
    "automaton": "the Büchi automaton of a formula",
    "compare": "every reduction side by side",
    "bench": "run the experiments and the races",
    "doctor": "what Mule can use on this computer",
    "completion": "what a shell needs to complete these words",
}

WITHIN_LIMITS = frozenset({"check", "explore", "compare", "validate", "trail", "automaton"})
"""Commands with a budget, which hears Ctrl-C."""

OPERANDS = {"bench": "NAME", "doctor": "", "trail": "MODEL FILE", "automaton": "FORMULA", "completion": "SHELL"}

DESCRIPTION = "Mule checks models of concurrent systems and skips the interleavings that cannot matter."

USAGE = f"""usage: mule COMMAND MODEL [OPTION]...

{DESCRIPTION}

commands:
{chr(10).join(f"  {name:<10} {meaning}" for name, meaning in COMMANDS.items())}

  mule COMMAND --help   the options of a command
  mule --version        the version

examples:
  mule check examples/peterson.dve
  mule check examples/peterson.dve \\
       --invariant 'not (left.critical and right.critical)'
  mule explore examples/pipeline.dve --por none
  mule compare examples/philosophers.dve

exit status: 0 holds, 1 violated, 2 bad input or usage, 3 incomplete,
             4 a defect of Mule, 130 or 143 interrupted"""


COLLECTIONS = 100_000, 50, 100
"""Expressions are many and hold no rings: looking for garbage among them as often as Python does takes a fifth of the
time in which a large model is read and analysed."""


def main(arguments: Sequence[str] | None = None) -> int:
    started = time.perf_counter()
    gc.set_threshold(*COLLECTIONS)
    warnings.simplefilter("ignore", SyntaxWarning)  # of models in Python: messages about these are ours
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        outcome = _run(words, started)
        sys.stdout.flush()
        return outcome
    except UsageError as error:
        show_usage_error(error.message, error.command)
        return status.BAD_INPUT
    except MuleError as error:
        show_error(error, words)
        return status.BAD_INPUT
    except KeyboardInterrupt:
        print("mule: interrupted before there was a result", file=sys.stderr)
        return status.interrupted()
    except BrokenPipeError:
        # What is still buffered would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return status.BROKEN_PIPE
    except MemoryError:
        print("mule: there is not enough memory for this, even without a result", file=sys.stderr)
        return status.INCOMPLETE
    except Exception as error:
        if lacks_memory(error):
            print("mule: there is not enough memory to load the program and the model", file=sys.stderr)
            return status.BAD_INPUT
        show_internal_error(error, DEBUG in words)
        return status.INTERNAL


def _run(arguments: list[str], started: float) -> int:
    """Only the module of the wanted command is imported: starting up must not cost what other commands need."""
    first = arguments[0] if arguments else ""
    if first == "help" and arguments[1:2] and arguments[1] in COMMANDS:
        first, arguments = arguments[1], [arguments[1], "--help"]
    if first in ("-h", "--help", "help"):
        print(USAGE)
        return status.HOLDS
    if first == "--version":
        print(f"mule {__version__}")
        return status.HOLDS
    if first not in COMMANDS:
        raise UsageError(_unknown(first), "mule")
    try:
        parsed: Namespace = parser_of(first).parse(arguments[1:])
    except SystemExit:
        return status.HOLDS  # --help; errors are raised as UsageError
    parsed.started = started
    if first not in WITHIN_LIMITS:
        release()
    place = Place(getattr(parsed, "model", None) or first)
    try:
        with keeping_streams():
            return int(import_module(f"mule.cli.{first}").run(parsed))
    except RecursionError:
        raise MuleError("something in it, or in what is asked of it, is nested too deeply", place) from None
    except Exception:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and status.signalled():
            raise
        message = f"code that comes with the model has ended the program: it must not ({said(error)})"
        raise MuleError(message, place) from None


def parser_of(command: str) -> Parser:
    module = import_module(f"mule.cli.{command}")
    parser = Parser(f"mule {command}", module.DESCRIPTION, OPERANDS.get(command, "MODEL"))
    module.add_arguments(parser)
    return parser


def _unknown(word: str) -> str:
    if not word:
        return "no command given: " + ", ".join(COMMANDS)
    if word.startswith("-"):
        return f"unknown option {word}; a command comes first: {', '.join(COMMANDS)}"
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=1)
    return f"unknown command {word!r}: " + (f"did you mean {near[0]!r}?" if near else f"choose {', '.join(COMMANDS)}")
