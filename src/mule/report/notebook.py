"""Systems and trails as tables, for notebooks. All texts of a model are escaped: they may come from a stranger.

A notebook that is not trusted removes scripts, frames and styles. So whatever can be stepped through can be stepped
through without them, too: each step of a table opens to show the state that it leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import count as numbers
from typing import TYPE_CHECKING

from mule.model.variables import Role
from mule.numbers import count
from mule.report.layout import UNICODE
from mule.report.state import folded, written
from mule.report.trail_text import line_of

if TYPE_CHECKING:
    from mule.model import Model
    from mule.results import Violation
    from mule.trails import State, Step, Trail

MOST_NAMES = 30
MOST_STEPS = 60
"""Of a longer trail the middle is left out, as on a terminal."""
MOST_FRAMED = 2_000
"""Steps of a run that is shown as a page: a notebook keeps all of it in its file."""
_TRAILS = numbers(1)


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
    """The steps one below the other; the ones that are repeated for ever are marked. Each opens to show its state, and
    closes the one that was open before."""
    steps, loop = trail.steps, trail.loop
    group = f"mule-trail-{next(_TRAILS)}"
    hidden = range(0) if len(steps) <= MOST_STEPS else range(MOST_STEPS // 2, len(steps) - MOST_STEPS // 2)
    rows = []
    for index, step in enumerate(steps):
        if hidden and index == hidden.start:
            rows.append(_row(["", "", "", f"{UNICODE.ellipsis} {count(len(hidden), 'step')}", "", ""]))
        if index not in hidden:
            again = " ↻" if loop is not None and index >= loop else ""
            before = steps[index - 1].state if index else trail.initial
            rows.append(_row([f"{step.number}{again}", *_cells(step)], last=_state(step, before, group)))
    title = f"{trail.model.name}: {count(len(steps), 'step')}"
    title += "" if loop is None else ", those marked ↻ for ever" if loop < len(steps) else ", then nothing moves"
    return _table(title, ("step", "process", "where", "what", "changes", "state"), rows)


def violation_html(violation: Violation) -> str:
    """As a page to step through, in a frame, and below as a table, which stays where frames are removed."""
    from mule.report.html import framed_violation

    said = escape(f"{violation.kind.value}: {violation.property}: {violation.message}")
    frame = framed_violation(violation) if len(violation.trail) <= MOST_FRAMED else ""
    table = f"<details><summary>The run as a table</summary>{trail_html(violation.trail)}</details>"
    return f"<p><strong>{said}</strong></p>{frame}{table}"


def _cells(step: Step) -> list[str]:
    changes = (
        f"{each.name}: {folded(each.old, UNICODE.times)} {UNICODE.arrow} {folded(each.new, UNICODE.times)}"
        for each in step.explained.changes
    )
    failed = "" if step.failure is None else f" {UNICODE.bad} {step.failure}"
    return [step.process or "", line_of(step.source).rstrip(": "), step.action + failed, ", ".join(changes)]


def _state(step: Step, before: State, group: str) -> str:
    """The state that a step leads to, with what is new in it first and in bold."""
    state = step.state
    values = {**state.processes, **state.variables, **state.channels}
    new = {name for name, value in values.items() if name not in before or before[name] != value}
    shown = sorted(values, key=lambda name: name not in new)
    rows = [_row([name, written(values[name])], "th", bold=name in new) for name in shown]
    more = [_row([UNICODE.ellipsis, f"{len(rows) - MOST_NAMES} more"])] if len(rows) > MOST_NAMES else []
    summary = f'<summary aria-label="state after step {step.number}">state</summary>'
    table = f"<table><tbody>{''.join([*rows[:MOST_NAMES], *more])}</tbody></table>"
    return f'<details name="{group}">{summary}{table}</details>'


def _some(values: Sequence[str]) -> str:
    more = f", {UNICODE.ellipsis} {len(values) - MOST_NAMES} more" if len(values) > MOST_NAMES else ""
    return ", ".join(values[:MOST_NAMES]) + more


def _row(cells: Sequence[str], first: str = "td", last: str = "", bold: bool = False) -> str:
    """`last`: a cell that is HTML already."""
    left = ' style="text-align: left"'
    texts = [f"<strong>{escape(cell)}</strong>" if bold else escape(cell) for cell in cells]
    inner = "".join(
        f"<{tag}{left}>{text}</{tag}>"
        for tag, text in zip([first, *["td"] * len(texts)], [*texts, *([last] if last else [])], strict=False)
    )
    return f"<tr>{inner}</tr>"


def _table(caption: str, header: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col" style="text-align: left">{escape(name)}</th>' for name in header)
    head = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{''.join(rows)}</tbody></table>"
