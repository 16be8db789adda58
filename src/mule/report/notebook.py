"""Systems and trails as tables, for notebooks. All texts of a model are escaped: they may come from a stranger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from mule.model.variables import Role
from mule.numbers import count
from mule.report.layout import UNICODE
from mule.report.state import folded
from mule.report.trail_text import line_of

if TYPE_CHECKING:
    from mule.model import Model
    from mule.results import Violation
    from mule.trails import Step, Trail

MOST_NAMES = 30
MOST_STEPS = 60
"""Of a longer trail the middle is left out, as on a terminal."""


def system_html(model: Model) -> str:
    """What a system consists of, in a few lines."""
    shared = [each.name for each in model.variables if each.role is Role.DATA]
    asserted = [each.name for each in model.assertions]
    observer = [] if model.property_process is None else [model.processes[model.property_process].name]
    rows = [
        ("processes", [process.name for process in model.processes]),
        ("variables", shared),
        ("transitions", [count(len(model.transitions), "transition")]),
        ("assertions", asserted),
        ("temporal properties", [*(claim.name for claim in model.claims), *observer]),
    ]
    body = (_row([name, _some(values)], "th") for name, values in rows if values)
    return _table(f"{model.name} ({model.language})", (), body)


def trail_html(trail: Trail) -> str:
    """The steps one below the other; the ones that are repeated for ever are marked."""
    steps, loop = trail.steps, trail.loop
    hidden = range(0) if len(steps) <= MOST_STEPS else range(MOST_STEPS // 2, len(steps) - MOST_STEPS // 2)
    rows = []
    for index, step in enumerate(steps):
        if hidden and index == hidden.start:
            rows.append(_row(["", "", "", f"{UNICODE.ellipsis} {count(len(hidden), 'step')}", ""]))
        if index not in hidden:
            again = " ↻" if loop is not None and index >= loop else ""
            rows.append(_row([f"{step.number}{again}", *_cells(step)]))
    title = f"{trail.model.name}: {count(len(steps), 'step')}"
    title += "" if loop is None else ", those marked ↻ for ever" if loop < len(steps) else ", then nothing moves"
    return _table(title, ("step", "process", "where", "what", "changes"), rows)


def violation_html(violation: Violation) -> str:
    said = escape(f"{violation.kind.value}: {violation.property}: {violation.message}")
    return f"<p><strong>{said}</strong></p>{trail_html(violation.trail)}"


def _cells(step: Step) -> list[str]:
    changes = (
        f"{each.name}: {folded(each.old, UNICODE.times)} {UNICODE.arrow} {folded(each.new, UNICODE.times)}"
        for each in step.explained.changes
    )
    failed = "" if step.failure is None else f" {UNICODE.bad} {step.failure}"
    return [step.process or "", line_of(step.source).rstrip(": "), step.action + failed, ", ".join(changes)]


def _some(values: Sequence[str]) -> str:
    more = f", {UNICODE.ellipsis} {len(values) - MOST_NAMES} more" if len(values) > MOST_NAMES else ""
    return ", ".join(values[:MOST_NAMES]) + more


def _row(cells: Sequence[str], first: str = "td") -> str:
    left = ' style="text-align: left"'
    inner = "".join(
        f"<{tag}{left}>{escape(cell)}</{tag}>" for tag, cell in zip([first, *["td"] * len(cells)], cells, strict=False)
    )
    return f"<tr>{inner}</tr>"


def _table(caption: str, header: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col" style="text-align: left">{escape(name)}</th>' for name in header)
    head = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{''.join(rows)}</tbody></table>"
