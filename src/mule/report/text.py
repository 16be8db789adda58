"""The report that people read: the verdict first, then why, then what it took."""

from __future__ import annotations

from dataclasses import fields
from typing import Literal

from rich.text import Text

from mule import numbers
from mule.notes import is_left_out
from mule.options import Options
from mule.report.layout import Page
from mule.report.trail_text import line_of, show_trail, together
from mule.results import STOPPED, Judgement, Result, Unreached, Verdict, Violation, ViolationKind

MOST_UNREACHED = 10
"""Of more statements that no run comes to only these are shown; the JSON report has them all."""

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

_SEARCHES = {"dfs": "depth first", "bfs": "breadth first", "astar": "A*", "idastar": "IDA*", "best-first": "best first"}


_STORES = {"compact": "hash compaction", "bitstate": "bitstate hashing"}


Detail = Literal["verdicts", "usual", "everything"]
"""How much a report says."""


def report(result: Result, page: Page, full_trail: bool = False, detail: Detail = "usual") -> None:
    _headline(result, page)
    for judgement in result.judgements:
        _property(judgement, page)
    for note in filter(is_left_out, result.notes):
        page.item(Text("  - ", style="yellow"), note)
    if detail == "verdicts":
        if not result.judgements:
            page.item("  ", _explored(result))
        return
    everything = detail == "everything"
    for judgement in result.judgements:
        if judgement.violation is None:
            continue
        if len(result.violations) > 1:
            page.heading(f"Violated: {judgement.property}")
        explain_violation(judgement.violation, page, full_trail or everything)
    _statistics(result, page)
    if everything:
        _searches(result, page)
    if result.unreached:
        most = len(result.unreached) if everything else MOST_UNREACHED
        _unreached(result.unreached, page, result.model.language, most)


def _headline(result: Result, page: Page) -> None:
    name = result.model.name
    signs = page.signs
    match result.verdict:
        case Verdict.VIOLATED:
            sign, word, style = signs.bad, "violated", "bold red"
            found = ", ".join(dict.fromkeys(_kind(violation) for violation in result.violations))
            rest = f"  {name}: {found}" if found else f"  {name}"
        case Verdict.INCOMPLETE:
            sign, word, style = signs.open, "incomplete", "bold yellow"
            why = STOPPED.get(result.stopped or "", result.stopped or "the search ended early")
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
            sign, style = signs.bad, "red"
        case Verdict.HOLDS:
            sign, style = signs.good, "green"
        case Verdict.INCOMPLETE:
            sign, style = signs.open, "yellow"
    known = "; ".join(filter(None, (*judgement.notes, judgement.vacuous)))
    body = Text.assemble(page.shortened(judgement.property), (f"  ({known})" if known else "", "dim"))
    page.item(Text(f"  {sign} ", style=style), body)


def explain_violation(violation: Violation, page: Page, full_trail: bool = False) -> None:
    trail = violation.trail
    show_trail(trail, page, full_trail, violation.shortest)
    page.item(Text("  why: ", style="bold"), Text(together(trail.model, violation.message), style="red"))


def _unreached(statements: tuple[Unreached, ...], page: Page, language: str, most: int) -> None:
    page.heading("Statements that no run comes to" if language == "promela" else "Steps that no run takes")
    for statement in statements[:most]:
        where = statement.process
        if language == "promela" and where not in ("", "init"):
            where = f"proctype {where}"
        where = f"{where}: " if where else ""
        page.item("  unreached  ", f"{where}{line_of(statement.place)}{page.shortened(statement.text)}")
    hidden = len(statements) - most
    if hidden > 0:
        hint = f"{page.signs.ellipsis} {hidden} more; --verbose lists them all"
        page.item("             ", Text(hint, style="dim"))


def _explored(result: Result) -> str:
    statistics = result.statistics
    explored = [
        numbers.count(statistics.states, "state"),
        numbers.count(statistics.transitions, "transition"),
        numbers.count(statistics.deadlocks, "deadlock"),
        f"depth {statistics.depth:,}",
    ]
    searches = f"; {len(result.searches)} searches together" if len(result.searches) > 1 else ""
    return ", ".join(explored) + searches


def _statistics(result: Result, page: Page) -> None:
    statistics = result.statistics
    page.heading("Search")
    page.item("  explored   ", _explored(result))
    compiling, searching = numbers.seconds(statistics.compile_seconds), numbers.seconds(statistics.search_seconds)
    speed = numbers.rate(statistics.states, statistics.search_seconds, " states")
    page.item("  time       ", f"{compiling} compile + {searching} search" + (f" ({speed})" if speed else ""))
    on_disk = f", and {numbers.size(statistics.disk_bytes)} on disk" if statistics.disk_bytes else ""
    page.item("  memory     ", numbers.size(statistics.memory_bytes) + on_disk)
    for reduction in dict.fromkeys(describe(search.options) for search in result.searches):
        page.item("  reduction  ", reduction)
    for note in (*result.notes, *_not_looked_for(result)):
        if not is_left_out(note):
            page.item("  note       ", note)


def _searches(result: Result, page: Page) -> None:
    """What each of them was for, with every option as it was in the end."""
    for number, search in enumerate(result.searches, 1):
        page.heading(f"Search {number} of {len(result.searches)}")
        page.item("  for        ", "; ".join(map(page.shortened, search.properties)) or "counting")
        counts = (
            numbers.count(search.statistics.states, "state"),
            numbers.count(search.statistics.transitions, "transition"),
        )
        page.item("  explored   ", ", ".join(counts))
        chosen = {each.name: getattr(search.options, each.name) for each in fields(search.options)}
        page.item("  options    ", ", ".join(f"{name}={value}" for name, value in chosen.items()))


def _not_looked_for(result: Result) -> list[str]:
    """A reader who sees no list of steps that no run takes must not believe that there are none."""
    if result.unreached is not None or result.verdict is not Verdict.HOLDS or not result.judgements:
        return []
    return ["steps that no run takes were not looked for: `mule explore --preserve safety` lists them"]


def describe(options: Options) -> str:
    """The search and its reduction in words."""
    order = _SEARCHES.get(options.search, options.search)
    if options.stateless:
        order = f"{order}, no states stored"
    if options.store != "exact":
        order = f"{order}, {_STORES[options.store]}"
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
    if options.visibility != "auto":
        parts.append(f"visibility {options.visibility}")
    return ", ".join(parts) + f"; {order}"
