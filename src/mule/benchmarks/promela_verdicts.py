"""SPIN's verdicts without claims (`-DNOCLAIM`) against ours, with and without reduction, optimised and as written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.promela_corpus import NO_ERRORS, PromelaEntry, promela_entries
from mule.checking import check
from mule.errors import MuleError
from mule.frontends import load
from mule.model import Model
from mule.options import Options, Por
from mule.properties import SAFETY
from mule.results import TrailError, Verdict

SECONDS = 120.0
"""For each search, if nothing else is said."""

_REDUCTIONS: tuple[Por, ...] = ("none", "ample", "auto")
WAYS: tuple[tuple[str, Options], ...] = tuple(
    (f"{por}{' as written' if as_written else ''}", Options(por=por, as_written=as_written, workers=1))
    for as_written in (False, True)
    for por in _REDUCTIONS
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one search said."""

    erroneous: bool | None
    """Whether there is an error; None: the search could not tell."""
    words: str


def run(models: Path, console: Console, time: float = SECONDS) -> int:
    """Which error is found first depends on the search order: two verdicts agree if both are errors, or neither is."""
    tried = wrong = undecided = 0
    apart: list[str] = []
    for entry in promela_entries(models):
        answers = _answers(entry, time)
        ours = _in_words(answers)
        if entry.verdict is None:
            apart.append(f"{entry.name}: {ours}")
            continue
        tried += 1
        erroneous = entry.verdict != NO_ERRORS
        differs = any(answer.erroneous not in (erroneous, None) for answer in answers.values())
        open_questions = any(answer.erroneous is None for answer in answers.values())
        wrong += differs
        undecided += open_questions and not differs
        mark = "DIFFERS  " if differs else "undecided" if open_questions else "same     "
        show(console, f"{mark}  {entry.name:<42}SPIN: {entry.verdict}; {ours}")
    show(
        console,
        f"{tried - wrong - undecided} of {tried} models have SPIN's verdict with --por {', '.join(_REDUCTIONS)}, "
        f"optimised and as written; {wrong} differ, {undecided} could not be decided in {time:g} s in every way",
    )
    if apart:
        show(console, "SPIN came to no verdict on:")
    for line in apart:
        show(console, f"  {line}")
    return int(wrong > 0)


def _answers(entry: PromelaEntry, time: float) -> dict[str, Answer]:
    try:
        model = load(str(entry.path), "promela")
    except MuleError as error:
        return {"all": Answer(None, f"not read: {error}")}
    return {name: _answer(model, options.but(time=time)) for name, options in WAYS}


def _answer(model: Model, options: Options) -> Answer:
    try:
        result = check(model, SAFETY, options)
    except (MuleError, TrailError) as error:
        return Answer(None, f"failed: {error}")
    if result.violations:
        return Answer(True, result.violations[0].kind.value)
    if result.verdict is Verdict.INCOMPLETE:
        return Answer(None, f"stopped by {result.stopped}")
    return Answer(False, NO_ERRORS)


def _in_words(answers: dict[str, Answer]) -> str:
    """All ways at once where they say the same."""
    words = {name: answer.words for name, answer in answers.items()}
    if len(set(words.values())) == 1:
        return f"ours: {next(iter(words.values()))}"
    return "ours: " + ", ".join(f"{name}: {said}" for name, said in words.items())
