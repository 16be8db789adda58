"""The report that people read: the verdict first, then why, then what it took."""

from __future__ import annotations

from rich.text import Text

from mule.errors import Place
from mule.model import Model
from mule.model.interpreter import State
from mule.options import Options
from mule.report import numbers
from mule.report.layout import Page
from mule.report.trail import Change, ExplainedStep, explain_step, summarise, written
from mule.results import Judgement, Result, Unreached, Verdict, Violation, ViolationKind

LONGEST_TRAIL = 60
"""A longer trail is shown without its middle, unless the user asks for all of it."""
_HEAD, _TAIL = 30, 20

MOST_UNREACHED = 10
"""Of more statements that no run comes to only these are shown; the JSON report has them all."""

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
    "lpor": "LPOR",
}

_DYNAMIC = {
    "dpor": "dynamic partial-order reduction with source sets",
    "dpor-classic": "dynamic partial-order reduction",
}

_SEARCHES = {"dfs": "depth first", "bfs": "breadth first"}


def report(result: Result, page: Page, full_trail: bool = False) -> None:
    _headline(result, page)
    for judgement in result.judgements:
        _property(judgement, page)
    for violation in result.violations:
        if len(result.violations) > 1:
            page.heading(f"Why not {violation.property}")
        _violation(result, violation, page, full_trail)
    _statistics(result, page)
    if result.model.language == "promela" and result.unreached:
        _unreached(result.unreached, page)


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
        case ViolationKind.TEMPORAL:
            return "a temporal property can fail"


def _property(judgement: Judgement, page: Page) -> None:
    signs = page.signs
    match judgement.verdict:
        case Verdict.VIOLATED:
            sign, style, known = signs.bad, "red", ""
        case Verdict.HOLDS:
            sign, style, known = signs.good, "green", ""
        case Verdict.INCOMPLETE:
            sign, style, known = signs.open, "yellow", "not decided: the search ended before"
    known = "; ".join(filter(None, (", ".join(judgement.notes) or known, judgement.vacuous)))
    body = Text.assemble(judgement.property, (f"  ({known})" if known else "", "dim"))
    page.item(Text(f"  {sign} ", style=style), body)


def _violation(result: Result, violation: Violation, page: Page, full_trail: bool) -> None:
    model, trail = result.model, violation.trail
    length = len(trail)
    if length == 0:
        page.heading("The initial state itself")
    elif trail.loop != 0:
        ahead = length if trail.loop is None else trail.loop
        page.heading(f"How to get there: {numbers.count(ahead, 'step')}" + _shortness(violation))
    elided = range(0)
    if length > LONGEST_TRAIL and not full_trail:
        elided = range(_HEAD, length - _TAIL)
    digits = len(str(length))
    for index in range(length):
        if index == trail.loop:
            page.heading(f"And then for ever: {numbers.count(length - index, 'step')}")
        if index in elided:
            if index == elided.start:
                hidden = numbers.count(len(elided), "step")
                hint = f"{page.signs.ellipsis} {hidden} left out; --full-trail shows them"
                page.item(" " * (digits + 4), Text(hint, style="dim"))
            continue
        show_step(explain_step(model, trail, index), page, digits)
    if trail.loop == length:
        page.heading("And then nothing moves any more")
    page.heading("Where it ends" if trail.loop in (None, length) else "Where it comes back to")
    show_state(model, trail.states[-1], page)
    page.item(Text("  why: ", style="bold"), Text(violation.message, style="red"))


def _shortness(violation: Violation) -> str:
    return ", and no fewer will do" if violation.shortest else ""


def show_step(step: ExplainedStep, page: Page, digits: int) -> None:
    """A step with its number in so many digits, what it changed and what it printed."""
    indent = " " * (digits + 4)
    if step.actions:
        _actions(step, page, digits)
    else:
        _whole_step(step, page, digits)
    if step.failure is not None:
        page.item(indent, Text(f"here: {step.failure}", style="red"))


def _whole_step(step: ExplainedStep, page: Page, digits: int) -> None:
    """Who moved from where to where, and below it the statement."""
    arrow = page.signs.arrow
    line = Text()
    for position, move in enumerate(step.movements):
        line.append(", " if position else "")
        line.append(f"{move.process}: ", style="cyan")
        line.append(f"{move.source} {arrow} {move.target}")
    if not step.movements:
        line.append(step.name, style="cyan")
    _changes(line, step.changes, arrow)
    page.item(f"  {step.number:>{digits}}  ", line)
    origin = _line(step.place)
    if origin or step.text:
        page.item(" " * (digits + 4), Text(origin + step.text, style="dim"))


def _actions(step: ExplainedStep, page: Page, digits: int) -> None:
    """The statements one below the other, each with what it changed and what it printed."""
    indent = " " * (digits + 4)
    for position, action in enumerate(step.actions):
        line = Text()
        if action.process is not None:
            line.append(f"{action.process}: ", style="cyan")
        line.append(_line(action.place), style="dim")
        line.append(action.text)
        _changes(line, action.changes, page.signs.arrow)
        page.item(indent if position else f"  {step.number:>{digits}}  ", line)
        if action.output:
            page.item(indent, Text.assemble("prints: ", (_printable(action.output), "green")))


def _changes(line: Text, changes: tuple[Change, ...], arrow: str) -> None:
    for position, change in enumerate(changes):
        line.append(", " if position else "   ")
        line.append(f"{change.name}: {written(change.old)} {arrow} {written(change.new)}", style="bold")


def _line(place: Place | None) -> str:
    return f"line {place.line}: " if place and place.line is not None else ""


def _printable(output: str) -> str:
    """Output of a model as a terminal may show it: without the last line end, other control characters escaped."""
    shown = output.removesuffix("\n")
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in shown)


def _unreached(statements: tuple[Unreached, ...], page: Page) -> None:
    page.heading("Statements that no run comes to")
    for statement in statements[:MOST_UNREACHED]:
        where = statement.process if statement.process in ("", "init") else f"proctype {statement.process}"
        page.item("  unreached  ", f"{where}: {_line(statement.place)}{statement.text}")
    hidden = len(statements) - MOST_UNREACHED
    if hidden > 0:
        hint = f"{page.signs.ellipsis} {hidden} more; --json lists them all"
        page.item("             ", Text(hint, style="dim"))


def show_state(model: Model, state: State, page: Page) -> None:
    """Where the processes are, and what the variables and channels hold."""
    summary = summarise(model, state)
    moving = {process.name for process in model.processes if len(process.locations) > 1 or process.done is None}
    places = ", ".join(f"{process} in {at}" for process, at in summary.processes.items() if process in moving)
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
    if options.stateless:
        order = f"{order}, no states stored"
    if options.por == "none":
        return f"none; {order}"
    if options.por in _DYNAMIC:
        return f"{_DYNAMIC[options.por]}; {order}"
    if options.por == "ample":
        parts = ["ample sets"]
    else:
        strength = "weak" if options.weak else "strong"
        parts = [f"{strength} stubborn sets by {_REDUCTIONS.get(options.por, options.por)}"]
    if options.por == "lpor" and not options.net:
        parts.append("without necessary enabling transitions")
    # Ample sets and LPOR do not use them; deletion finds the same sets with and without.
    if options.nds is False and options.por not in ("ample", "deletion", "lpor"):
        parts.append("without necessary disabling sets")
    parts.append("no proviso" if options.proviso == "none" else f"proviso {options.proviso}")
    return ", ".join(parts) + f"; {order}"
