"""Reports as strings, without colours: what `str` gives of results, violations, trails and steps."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from mule.report.layout import PIPE_WIDTH, UNICODE, Page
from mule.report.state import folded
from mule.report.trail import ExplainedStep
from mule.report.trail_text import line_of, show_step, show_trail

if TYPE_CHECKING:
    from mule.results import Result, Violation
    from mule.simulation import Run
    from mule.trails import Trail


def text_of(show: Callable[[Page], None]) -> str:
    """What is shown on a page, as a string."""
    stream = StringIO()
    page = Page(Console(file=stream, width=PIPE_WIDTH, color_system=None, highlight=False, markup=False, emoji=False))
    page.whole_trail = "print(violation.trail) shows them"
    show(page)
    return stream.getvalue().strip("\n")


def result_text(result: Result) -> str:
    from mule.report.text import report

    return text_of(lambda page: report(result, page))


def violation_text(violation: Violation) -> str:
    from mule.report.text import explain_violation

    shown = text_of(lambda page: explain_violation(violation, page, full_trail=True))
    return f"{violation.kind.value}: {violation.property}\n\n{shown}"


def trail_text(trail: Trail) -> str:
    return text_of(lambda page: show_trail(trail, page, full=True))


def run_text(run: Run) -> str:
    """The steps of a simulated run up to now, and why it ended."""
    from mule.report.simulation import explain, show_run_ending

    def show(page: Page) -> None:
        for step in run.steps:
            show_step(run.model, explain(run.model, step), page, len(str(len(run.steps))))
        show_run_ending(run, page)

    return text_of(show)


def step_text(step: ExplainedStep) -> str:
    """A step on one line."""
    told = [f"{f'{each.process}: ' if each.process else ''}{line_of(each.place)}{each.text}" for each in step.actions]
    if not told:
        moves = [f"{move.process}: {move.source} {UNICODE.arrow} {move.target}" for move in step.movements]
        told = [", ".join(moves) or step.name, f"{line_of(step.place)}{step.text}"]
    changes = [
        f"{each.name}: {folded(each.old, UNICODE.times)} {UNICODE.arrow} {folded(each.new, UNICODE.times)}"
        for each in step.changes
    ]
    whole = "; ".join(filter(None, told)) + (f"   {', '.join(changes)}" if changes else "")
    return whole if step.failure is None else f"{whole}   here: {step.failure}"
