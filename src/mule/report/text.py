"""The report that people read: the verdict first, then why, then what it took."""

from __future__ import annotations

from rich.text import Text

from mule.options import Options
from mule.report import numbers
from mule.report.layout import Page
from mule.report.trail import ExplainedStep, explain_step, summarise, written
from mule.results import Result, Verdict, Violation, ViolationKind

LONGEST_TRAIL = 60
"""A longer trail is shown without its middle, unless the user asks for all of it."""
_HEAD, _TAIL = 30, 20

_STOPPED = {
    "time": "the time limit was reached",
    "memory": "the memory limit was reached",
    "states": "the limit on states was reached",
    "interrupted": "interrupted",
}

_REDUCTIONS = {
    "none": "none",
    "closure": "closure",
    "closure-h": "closure with the heuristic choice of guards",
    "beam": "beam search",
    "beam-noh": "beam search without heuristics",
    "deletion": "deletion",
}

_SEARCHES = {"dfs": "depth first", "bfs": "breadth first"}


def report(result: Result, page: Page, full_trail: bool = False) -> None:
    _headline(result, page)
    for name in result.properties:
        _property(result, name, page)
    for violation in result.violations:
        _violation(result, violation, page, full_trail)
    _statistics(result, page)


def _headline(result: Result, page: Page) -> None:
    name = result.model.name
    signs = page.signs
    match result.verdict:
        case Verdict.VIOLATED:
            sign, word, style = signs.bad, "violated", "bold red"
            found = ", ".join(_kind(violation) for violation in result.violations)
            rest = f"  {name}: {found}" if found else f"  {name}"
        case Verdict.INCOMPLETE:
            sign, word, style = signs.open, "incomplete", "bold yellow"
            why = _STOPPED.get(result.stopped or "", result.stopped or "the search ended early")
            rest = f"  {name}: {why}; " + ("no violation so far" if result.properties else "this is only a part")
        case Verdict.HOLDS:
            sign, word, style = signs.good, "holds" if result.properties else "explored", "bold green"
            rest = f"  {name}"
    page.item("", Text.assemble((f"{sign} {word}", style), rest))


def _kind(violation: Violation) -> str:
    match violation.kind:
        case ViolationKind.DEADLOCK:
            return "it can deadlock"
        case ViolationKind.INVARIANT:
            return "an invariant can fail"
        case ViolationKind.ASSERTION:
            return "an assertion can fail"
        case ViolationKind.MODEL_ERROR:
            return "the model itself can go wrong"


def _property(result: Result, name: str, page: Page) -> None:
    signs = page.signs
    if any(name in (v.property, f"{v.kind.value} {v.property}") for v in result.violations):
        page.item(Text(f"  {signs.bad} ", style="red"), name)
    elif result.verdict is Verdict.HOLDS:
        page.item(Text(f"  {signs.good} ", style="green"), name)
    else:
        body = Text.assemble(name, ("  (not decided: the search ended before)", "dim"))
        page.item(Text(f"  {signs.open} ", style="yellow"), body)


def _violation(result: Result, violation: Violation, page: Page, full_trail: bool) -> None:
    model, trail = result.model, violation.trail
    length = len(trail)
    if length == 0:
        page.heading("The initial state itself")
    else:
        page.heading(f"How to get there: {numbers.count(length, 'step')}" + _shortness(violation))
    elided = range(0)
    if length > LONGEST_TRAIL and not full_trail:
        elided = range(_HEAD, length - _TAIL)
    digits = len(str(length))
    for index in range(length):
        if index in elided:
            if index == elided.start:
                hidden = numbers.count(len(elided), "step")
                hint = f"{page.signs.ellipsis} {hidden} left out; --full-trail shows them"
                page.item(" " * (digits + 4), Text(hint, style="dim"))
            continue
        _step(explain_step(model, trail, index), page, digits)
    page.heading("Where it ends")
    _final_state(result, violation, page)
    page.item(Text("  why: ", style="bold"), Text(violation.message, style="red"))


def _shortness(violation: Violation) -> str:
    return ", and no fewer will do" if violation.shortest else ""


def _step(step: ExplainedStep, page: Page, digits: int) -> None:
    arrow = page.signs.arrow
    line = Text()
    for position, move in enumerate(step.movements):
        line.append(", " if position else "")
        line.append(f"{move.process}: ", style="cyan")
        line.append(f"{move.source} {arrow} {move.target}")
    if not step.movements:
        line.append(step.name, style="cyan")
    for position, change in enumerate(step.changes):
        line.append(", " if position else "   ")
        line.append(f"{change.name}: {written(change.old)} {arrow} {written(change.new)}", style="bold")
    page.item(f"  {step.number:>{digits}}  ", line)
    indent = " " * (digits + 4)
    origin = f"line {step.place.line}: " if step.place and step.place.line is not None else ""
    if origin or step.text:
        page.item(indent, Text(origin + step.text, style="dim"))
    if step.failure is not None:
        page.item(indent, Text(f"here: {step.failure}", style="red"))


def _final_state(result: Result, violation: Violation, page: Page) -> None:
    summary = summarise(result.model, violation.trail.states[-1])
    places = ", ".join(f"{process} in {location}" for process, location in summary.processes.items())
    contents = {**summary.variables, **summary.channels}
    values = ", ".join(f"{name} = {written(value)}" for name, value in contents.items())
    for part in (places, values):
        if part:
            page.item("  ", part)


def _statistics(result: Result, page: Page) -> None:
    statistics = result.statistics
    page.heading("Search")
    explored = [
        numbers.count(statistics.states, "state"),
        numbers.count(statistics.transitions, "transition"),
        numbers.count(statistics.deadlocks, "deadlock"),
        f"depth {statistics.depth:,}",
    ]
    page.item("  explored   ", ", ".join(explored))
    compiling, searching = numbers.seconds(statistics.compile_seconds), numbers.seconds(statistics.search_seconds)
    speed = numbers.rate(statistics.states, statistics.search_seconds, " states")
    page.item("  time       ", f"{compiling} compile + {searching} search" + (f" ({speed})" if speed else ""))
    page.item("  memory     ", numbers.size(statistics.memory_bytes))
    page.item("  reduction  ", describe(result.options))
    for note in result.notes:
        page.item("  note       ", note)


def describe(options: Options) -> str:
    """The search and its reduction in words."""
    order = _SEARCHES.get(options.search, options.search)
    if options.por == "none":
        return f"none; {order}"
    strength = "weak" if options.weak else "strong"
    parts = [f"{strength} stubborn sets by {_REDUCTIONS.get(options.por, options.por)}"]
    # Deletion finds the same sets with and without them.
    if options.nds is False and options.por != "deletion":
        parts.append("without necessary disabling sets")
    parts.append("no proviso" if options.proviso == "none" else f"proviso {options.proviso}")
    return ", ".join(parts) + f"; {order}"
