"""What a command may do with any input at all.

Status 0, 1 or 3, with a verdict on standard output, if the input was valid; otherwise status 2, with a message of a few
short lines that says where the mistake is. Nothing else ever, within seconds and a gigabyte."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from itertools import dropwhile

MOST_SECONDS = 10.0
"""Of the processor, so that a busy machine changes nothing."""
MOST_BYTES = 10**9
MOST_LINES = 5
WIDEST_LINE = 320
"""A message, the place that it speaks of, and a piece of the input that fits on a line."""

PLACE = re.compile(
    r"\bformula:\d+:\d+|<expression>:\d+:\d+|[\s(]--?[a-zA-Z]|Try '|^mule: -: "
    r"|there is no such file|the file cannot be read"
)
"""In a formula or an expression, an option, or standard input; a file that is not there has a name at least."""
OWN_CODE = re.compile(r'^  File "[mr]\.py"', re.MULTILINE)
"""In a traceback: the program of a model was running."""
VERDICTS = {0: "holds", 1: "violated", 3: "incomplete"}


@dataclass(frozen=True)
class Outcome:
    """What came of one command."""

    status: int
    """Negative: the number of the signal that ended it."""
    out: str
    err: str
    seconds: float
    most_bytes: int


def broken(outcome: Outcome, command: str, names: tuple[str, ...]) -> str | None:
    """Which part of the rule a command breaks; `names` are the files with the input: a message must name one, or an
    option."""
    if outcome.status == -signal.SIGXCPU and OWN_CODE.search(outcome.err):
        return None  # the program of a model may run for ever, as any program
    if outcome.status < 0:
        return f"ended by signal {-outcome.status}"
    if outcome.status == 4 or "Traceback" in outcome.err:
        return f"a defect: {_first_line(outcome.err)}"
    if outcome.status not in (0, 1, 2, 3):
        return f"status {outcome.status}"
    if outcome.seconds > MOST_SECONDS:
        return f"more than {MOST_SECONDS:.0f} seconds"
    if outcome.most_bytes > MOST_BYTES:
        return f"more than {MOST_BYTES // 10**6} MB"
    if outcome.status == 2:
        return _bad_message(outcome, names)
    if command == "check" and VERDICTS[outcome.status] not in outcome.out:
        return f"status {outcome.status} without a verdict"
    return None


def _bad_message(outcome: Outcome, names: tuple[str, ...]) -> str | None:
    lines = outcome.err.rstrip("\n").split("\n")
    if any(name.endswith(".py") for name in names):  # a program may have printed something before
        lines = [*dropwhile(lambda line: not line.startswith("mule: "), lines)] or lines
    if not lines[0].startswith("mule: "):
        return f"status 2 without a message: {_first_line(outcome.err)}"
    if len(lines) > MOST_LINES:
        return f"a message of {len(lines)} lines: {lines[0][:80]}"
    if max(map(len, lines)) > WIDEST_LINE:
        return f"a message with a line of {max(map(len, lines))} characters: {lines[0][:80]}"
    if not located(outcome.err, names):
        return f"a message without a place: {lines[0][:80]}"
    return None


def located(message: str, names: tuple[str, ...]) -> bool:
    return any(name in message for name in names) or PLACE.search(message) is not None


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0][:160]
