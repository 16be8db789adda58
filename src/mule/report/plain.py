"""Reports as strings, without colours: what `str` gives of results, violations, trails and steps."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from mule.report.layout import PIPE_WIDTH, UNICODE, Page
from mule.report.state import folded
from mule.report.trail import ExplainedStep
from mule.report.trail_text import line_of, show_trail

if TYPE_CHECKING:
    from mule.results import Result, Violation
    from mule.trails import Trail


def result_text(result: Result) -> str:
    from mule.report.text import report

    page, stream = _page()
    report(result, page)
    return _text(stream)


def violation_text(violation: Violation) -> str:
    from mule.report.text import explain_violation

    page, stream = _page()
    explain_violation(violation, page)
    return f"{violation.property}: {violation.message}\n{_text(stream)}"


def trail_text(trail: Trail) -> str:
    page, stream = _page()
    show_trail(trail, page)
    return _text(stream)


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


def _page() -> tuple[Page, StringIO]:
    stream = StringIO()
    console = Console(file=stream, width=PIPE_WIDTH, color_system=None, highlight=False, markup=False, emoji=False)
    return Page(console), stream


def _text(stream: StringIO) -> str:
    return stream.getvalue().strip("\n")
