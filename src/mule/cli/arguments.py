"""The arguments that several commands share, and the parser that reads them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn, get_args

from mule.errors import MuleError
from mule.options import (
    CHECKPOINT_EVERY,
    Emptiness,
    Fairness,
    KnownEstimate,
    Options,
    Por,
    Proviso,
    Remember,
    Search,
    Store,
    Translator,
    Visibility,
)

DEBUG = "--debug"
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class UsageError(MuleError):
    """A command line that makes no sense; `command` is the one whose help says what would."""

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.command = command


_MISSING = "the following arguments are required: "
"""What argparse says."""


def missing(names: str, usage: str) -> str:
    return f"{names} is missing: {usage}"


class _Help(argparse.RawDescriptionHelpFormatter):
    """Paragraphs are as wide as the terminal; lines that are indented, and what they belong to, stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap

        parts = text.split("\n\n")
        fixed = [part.startswith("  ") or "\n  " in part for part in parts]
        return "\n\n".join(
            part if as_it_is else textwrap.fill(part, width) for part, as_it_is in zip(parts, fixed, strict=True)
        )


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and accepts no abbreviations: a script must not break when an option is added."""

    def __init__(self, prog: str, description: str, operands: str = "MODEL") -> None:
        super().__init__(
            prog=prog,
            usage=" ".join(filter(None, (prog, operands, "[OPTION]..."))),
            description=description,
            allow_abbrev=False,
            formatter_class=_Help,
        )
        self.add_argument(DEBUG, action="store_true", help="show the traceback of a defect of Mule")

    def error(self, message: str) -> NoReturn:
        if message.startswith(_MISSING):
            message = missing(message.removeprefix(_MISSING), self.usage or self.prog)
        raise UsageError(message, self.prog)

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """`given` says which options stand on the command line, be it with their defaults."""
        parsed, unknown = self.parse_known_args(words)
        if unknown:
            self.error(self._too_much(unknown[0]))
        named = (self._option_string_actions.get(word.partition("=")[0]) for word in words)
        parsed.given = frozenset(action.dest for action in named if action is not None)
        return parsed

    def _too_much(self, word: str) -> str:
        if not word.startswith("-"):
            return f"{word!r} is one argument too many: {self.usage}"
        from difflib import get_close_matches

        from mule.cli.completion import command_lines

        name = word.partition("=")[0]
        told = f"{self.prog} has no option {name}"
        near = get_close_matches(name, self._option_string_actions, n=1, cutoff=0.8)
        if near:
            return f"{told}: did you mean {near[0]}?"
        lines = (line for line in command_lines() if any(name in each.names for each in line.options))
        others = [f"mule {line.command}" for line in lines]
        return f"{told}: {', '.join(others)} {'has' if len(others) == 1 else 'have'} it" if others else told

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from difflib import get_close_matches

        known = [str(each) for each in action.choices]
        near = get_close_matches(str(value), known, n=1)
        meant = f": did you mean {near[0]}?" if near else ""
        raise argparse.ArgumentError(action, f"{str(value)!r} is none of {', '.join(known)}{meant}")


def size(text: str) -> int:
    """`4G`, `512M`, `1.5GiB` or a plain number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", text.strip().upper())
    amount = float(match[1]) * _UNITS[match[2]] if match else 0.0
    number = int(amount) if amount < float("inf") else 0
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: write 4G, 512M, or a number of bytes")
    return number


def duration(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return number


def positive(text: str) -> int:
    try:
        number = int(text.replace("_", ""))
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return number


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="the file that holds the model")
    parser.add_argument("--language", metavar="NAME", help="the model's language, if the file does not tell")
    parser.add_argument(
        "-D",
        dest="defines",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        help="define a macro for the model's preprocessor, or a parameter of a model in Python; may be repeated",
    )
    parser.add_argument(
        "--processes",
        type=positive,
        metavar="N",
        help="how many processes can run at the same time, where the model does not tell (Promela)",
    )


def add_as_written(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--as-written", action="store_true", help="search the model as it is written, not a smaller one"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def add_full_trail(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full-trail", action="store_true", help="show every step of a long trail")


def add_detail(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output").add_mutually_exclusive_group()
    group.add_argument("-q", "--quiet", action="store_true", help="print the verdicts and nothing else")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="print everything: whole trails, each search with its options"
    )


def add_search(parser: argparse.ArgumentParser, reduction: bool = True) -> None:
    """The options of everything that searches; `reduction`: whether the user picks the reduction."""
    if reduction:
        group = parser.add_argument_group("reduction")
        _add_choice(group, "--por", Por, "how stubborn sets are found")
        group.add_argument("--weak", action="store_true", help="weak stubborn sets instead of strong ones")
        group.add_argument(
            "--lpor",
            metavar="FILE.py:CLASS",
            help="LPOR with your own relations: a class derived from mule.lpor.LporRelations",
        )
    else:
        group = parser.add_argument_group("reductions")
    group.add_argument(
        "--nds",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="use necessary disabling sets (default: all algorithms but deletion)",
    )
    group.add_argument(
        "--net",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="LPOR: use what must run before a disabled step can be enabled (default: yes)",
    )
    _add_choice(group, "--proviso", Proviso, "what keeps a step from being put off for ever")
    _add_choice(group, "--remember", Remember, "whether to look up stubborn sets found before")
    group = parser.add_argument_group("search")
    _add_choice(group, "--search", Search, "depth first, breadth first, or guided by an estimate")
    known = ", ".join(get_args(KnownEstimate))
    group.add_argument(
        "--estimate",
        action="append",
        metavar="HOW",
        help=f"what guides astar, idastar and best-first: {known}, or a number of your own as an expression over the "
        "model; of several the largest",
    )
    group.add_argument(
        "--weight", type=positive, default=1, metavar="N", help="astar: count the estimate so often (default: 1)"
    )
    if reduction:
        group.add_argument(
            "--stateless",
            action="store_true",
            help="store no states: follow every run to its end (models without cycles only; dpor always does)",
        )
    add_as_written(group)
    group.add_argument("--memory", type=size, metavar="SIZE", help="stop at this much memory: 4G, 512M")
    group.add_argument("--time", type=duration, metavar="SECONDS", help="stop after this much time")
    group.add_argument("--max-states", type=positive, metavar="N", help="stop after this many states")


def add_keeping(parser: argparse.ArgumentParser) -> None:
    """Where the states of a search are kept, and who finds them."""
    group = parser.add_argument_group("large state spaces")
    meaning = "how a breadth-first search keeps states; compact and bitstate may leave some out"
    _add_choice(group, "--store", Store, meaning, "exact")
    group.add_argument(
        "--spill",
        metavar="DIR",
        help="where a breadth-first search goes on when the memory is full (default: the directory of temporary files)",
    )
    group.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="search with N threads, breadth first; on a cluster each of its workers does",
    )


def add_checkpoints(parser: argparse.ArgumentParser) -> None:
    """And MODEL may be left out, if a run is resumed."""
    for action in parser._positionals._group_actions:
        action.nargs, action.required = "?", False
    group = parser.add_argument_group("checkpoints")
    group.add_argument("--checkpoint", metavar="DIR", help="write how far the search is to DIR, an empty directory")
    group.add_argument(
        "--checkpoint-every",
        type=duration,
        default=CHECKPOINT_EVERY,
        metavar="SECONDS",
        help=f"how often (default: {CHECKPOINT_EVERY:.0f})",
    )
    group.add_argument(
        "--resume", metavar="DIR", help="go on with the run in DIR; only limits, --workers and --cluster may be others"
    )


def add_cluster(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cluster")
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="share the search out over the machines of the Ray cluster at this address, or over N workers here: "
        "local:N; with --workers T each of them has T threads",
    )


def port(text: str) -> int:
    if not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"not a port: {text}; a number from 1 to 65535, or 0 for any that is free")
    return int(text)


def add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--report", metavar="FILE", help="write a page for a browser: the runs step by step, the source, the search"
    )


def add_gpu(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("GPU")
    group.add_argument(
        "--gpu",
        action="store_true",
        help="search on the GPU of this computer, breadth first; without --por nothing is reduced",
    )


def add_temporal(parser: argparse.ArgumentParser) -> None:
    """How temporal properties are judged."""
    group = parser.add_argument_group("temporal properties")
    _add_choice(group, "--visibility", Visibility, "what a reduced set does about steps that the property can see")
    _add_choice(group, "--emptiness", Emptiness, "how an accepted run is looked for", "ndfs")
    _add_choice(group, "--fairness", Fairness, "which infinite runs count", "none")
    _add_choice(group, "--translator", Translator, "what makes automata of formulas")


def _add_choice(
    group: argparse._ArgumentGroup, name: str, choices: object, meaning: str, default: str = "auto"
) -> None:
    values = get_args(choices)
    group.add_argument(name, choices=values, default=default, metavar="HOW", help=f"{meaning}: {', '.join(values)}")


def _one_or_several(estimates: list[str] | None) -> str | tuple[str, ...]:
    if estimates is None:
        return "auto"
    return estimates[0] if len(estimates) == 1 else tuple(estimates)


def options_from(arguments: argparse.Namespace) -> Options:
    try:
        return _options_from(arguments)
    except MuleError as error:  # said as a user of Python knows the option
        word, _, rest = error.message.partition(" ")
        if word not in Options.__dataclass_fields__:
            raise
        raise MuleError(f"--{word.replace('_', '-')} {rest}") from None


def _options_from(arguments: argparse.Namespace) -> Options:
    return Options(
        por=getattr(arguments, "por", "auto"),
        weak=getattr(arguments, "weak", False),
        nds=arguments.nds,
        net=arguments.net,
        lpor=getattr(arguments, "lpor", None),
        stateless=getattr(arguments, "stateless", False),
        proviso=arguments.proviso,
        search=arguments.search,
        estimate=_one_or_several(arguments.estimate),
        weight=arguments.weight,
        cluster=getattr(arguments, "cluster", None),
        gpu=getattr(arguments, "gpu", False),
        workers=getattr(arguments, "workers", None),
        remember=arguments.remember,
        store=getattr(arguments, "store", "exact"),
        spill=getattr(arguments, "spill", None),
        checkpoint=getattr(arguments, "resume", None) or getattr(arguments, "checkpoint", None),
        checkpoint_every=getattr(arguments, "checkpoint_every", CHECKPOINT_EVERY),
        resume=getattr(arguments, "resume", None) is not None,
        memory=arguments.memory,
        time=arguments.time,
        max_states=arguments.max_states,
        as_written=arguments.as_written,
        visibility=getattr(arguments, "visibility", "auto"),
        emptiness=getattr(arguments, "emptiness", "ndfs"),
        fairness=getattr(arguments, "fairness", "none"),
        translator=getattr(arguments, "translator", "auto"),
    )
