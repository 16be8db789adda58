"""One Promela program through SPIN and through Mule, and what the two say differently.

SPIN counts as in docs/promela.md: no optimisation of the program (-o1 -o2 -o3), no reduction, no claim.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mule.checking import Properties, check, explore
from mule.errors import MuleError
from mule.frontends.promela import load
from mule.model import Model
from mule.options import Options, Por
from mule.results import Result, Verdict, ViolationKind
from tests.compile_pan import compile_pan

PAN_SECONDS = 5
MAX_STATES = 20_000
REDUCTIONS: tuple[Por, ...] = ("auto", "deletion", "closure", "beam", "ample")

DEADLOCK = "invalid end state"
ASSERTION = "assertion violated"
INDEX = "assertion violated - invalid array index"
"""Not an assertion of the program: an error of the model, as Mule counts."""
TRACE = "event_trace error"
"""An assertion too, as Mule counts."""
UNBOUND = "ref to uninitialized chan name"
"""An error to both tools; pan, told to go on, takes the process for one that waits there."""
HARMLESS = ("dubious use of 'else'", "placed incorrectly", "saw 'unless' on a guard", "unless in d_step (ignored)")
"""SPIN calls these errors, and writes a verifier all the same."""
KINDS = {
    DEADLOCK: (ViolationKind.DEADLOCK, Properties(deadlock=True)),
    ASSERTION: (ViolationKind.ASSERTION, Properties(assertions=True)),
}

QUESTIONS = ("states", *KINDS)
"""How every question that both tools are asked begins."""


class NotComparableError(Exception):
    """SPIN rejects the program, or cannot search all of it within the limits. The message says which."""


class SearchStoppedError(NotComparableError):
    """An error after which pan does not go on, even if it is told to."""

    def __init__(self, kinds: list[str]) -> None:
        super().__init__(f"pan: search not completed: {kinds[-1] if kinds else 'no error'}")
        self.kinds = kinds


@dataclass(frozen=True, slots=True)
class SpinAnswer:
    states: int
    transitions: int
    errors: int
    kinds: frozenset[str]
    """Of all errors in the state space: `invalid end state`, `assertion violated`, or else pan's own words."""
    first: str | None
    """The kind that the default search stops at."""


def ask_spin(program: str) -> SpinAnswer:
    with tempfile.TemporaryDirectory() as folder:
        translate(program, Path(folder))
        return ask_about_states(folder)


def ask_about_states(folder: str, seconds: float = PAN_SECONDS) -> SpinAnswer:
    """In a folder with a translated program."""
    compile_verifier(folder, "-DSAFETY", "-DNOCLAIM")
    everything = pan(folder, "-c0", seconds=seconds)
    default = pan(folder, seconds=seconds)
    kinds = error_kinds(everything)
    first = error_kinds(default)
    states = _number(r"(\S+) states, stored", everything)
    if states > MAX_STATES:
        raise NotComparableError("pan: too many states")
    return SpinAnswer(
        states=states,
        transitions=_number(r"(\S+) transitions \(=", everything),
        errors=_number(r"errors: (\d+)", everything),
        kinds=frozenset(kinds),
        first=first[0] if first else None,
    )


def compile_verifier(folder: str, *options: str) -> None:
    priorities = "#define HAS_PRIORITY" in (Path(folder) / "pan.h").read_text()
    if priorities:
        options = (*options, "-DNOCOMP")  # or the last byte of a process is no part of the states; see docs/promela.md
    compiled = compile_pan(folder, "-DNOREDUCE", *options)
    if compiled.returncode != 0:
        raise NotComparableError(f"gcc: {_first_error(compiled.stderr)}")


def translate(program: str, folder: Path) -> str:
    """Let SPIN write pan.c; this alone takes little time and tells whether SPIN accepts the program. What it prints."""
    (folder / "x.pml").write_text(program)
    translated = _call(["spin", "-o1", "-o2", "-o3", "-a", "x.pml"], str(folder))
    output = translated.stdout + translated.stderr
    errors = [line for line in output.splitlines() if "rror" in line and not any(map(line.__contains__, HARMLESS))]
    if translated.returncode != 0 or errors:
        errors += [line for line in output.splitlines() if "tl_spin: expected" in line]
        raise NotComparableError(f"spin: {errors[0] if errors else f'stopped with {translated.returncode}'}")
    return output


def pan(folder: str, *options: str, seconds: float = PAN_SECONDS) -> str:
    try:
        finished = _call(["./pan", "-m100000", "-w18", "-n", *options], folder, seconds)
    except subprocess.TimeoutExpired:
        raise NotComparableError("pan: too slow") from None
    if finished.returncode < 0 or "states, stored" not in finished.stdout:
        raise NotComparableError(f"pan: stopped with {finished.returncode}")
    if "max search depth too small" in finished.stdout:
        raise NotComparableError("pan: too deep")
    if not options and "errors: 0" not in finished.stdout:
        return finished.stdout
    if "Search not completed" in finished.stdout:
        raise SearchStoppedError(error_kinds(finished.stdout))
    return finished.stdout


def _call(command: list[str], folder: str, seconds: float = 600) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
    )


def error_kinds(output: str) -> list[str]:
    ended = re.sub(r"^pan: event_trace not completed\npan:\d+: .*$", "", output, flags=re.MULTILINE)  # no error to us
    found = re.findall(r"^pan:\d+: (.*?)(?: \(at depth -?\d+\))?$", ended, re.MULTILINE)
    asserted = [ASSERTION if text.startswith(TRACE) else text for text in found]
    return [next((kind for kind in (INDEX, *KINDS) if text.startswith(kind)), text) for text in asserted]


def _number(pattern: str, output: str) -> int:
    match = re.search(pattern, output)
    if match is None:
        raise NotComparableError(f"pan: no {pattern!r} in its output")
    return int(float(match.group(1)))


def _first_error(output: str) -> str:
    lines = [line for line in output.splitlines() if "rror" in line] or output.splitlines() or ["no output"]
    return lines[0].strip()


@dataclass(frozen=True, slots=True)
class Difference:
    about: str
    """What the tools were asked: programs that differ about the same thing may have one cause."""
    spin: str
    mule: str

    def __str__(self) -> str:
        return f"{self.about}: SPIN says {self.spin}, Mule says {self.mule}"


def compare(program: str, spin: SpinAnswer, only: str | None = None) -> Iterator[Difference]:
    """Lazily: whoever is content with the first difference does not wait for the others. `only`: about this."""
    try:
        model = load(program, "random.pml")
        for about, spins, ask in _questions(model, spin):
            if only in (None, about):
                ours = ask()
                if ours != spins:
                    yield Difference(about, spins, ours)
    except MuleError as error:
        yield Difference("rejected", "accepted", str(error))
    except Exception as error:
        yield Difference(f"crash: {type(error).__name__}", str(spin.states), str(error))


def _questions(model: Model, spin: SpinAnswer) -> Iterator[tuple[str, str, Callable[[], str]]]:
    """What both tools are asked, SPIN's answer, and how to get ours; no reduction may change the answer."""
    full = Options(por="none", as_written=True, max_states=10 * MAX_STATES)
    yield "states", str(spin.states), lambda: states_of(explore(model, full))
    if any(kind.startswith(UNBOUND) for kind in spin.kinds):
        return
    for kind, (our_kind, properties) in KINDS.items():
        spins = our_kind.value if kind in spin.kinds else Verdict.HOLDS.value
        yield kind, spins, partial(verdict_of, model, properties, full)
        for por in REDUCTIONS:
            reduced = Options(por=por, max_states=10 * MAX_STATES)
            yield f"{kind} with --por {por}", spins, partial(verdict_of, model, properties, reduced)


def states_of(result: Result) -> str:
    return f"more than {10 * MAX_STATES}" if result.verdict is Verdict.INCOMPLETE else str(result.statistics.states)


def verdict_of(model: Model, properties: Properties, options: Options) -> str:
    result = check(model, properties, options)
    return result.violations[0].kind.value if result.violations else result.verdict.value
