"""A trail that was followed again, and how it became shorter: as text and as JSON."""

from __future__ import annotations

from rich.text import Text

from mule import numbers
from mule.report.json import Json, violation_object
from mule.report.layout import Page
from mule.report.plain import text_of
from mule.report.text import Detail, explain_violation
from mule.report.trail_text import SHORTEST, show_trail
from mule.results import STOPPED, ViolationKind
from mule.trails.replaying import Replayed
from mule.trails.shortening import Gain, Shortening


def replayed_text(replayed: Replayed) -> str:
    return text_of(lambda page: show_replayed(replayed, page, full_trail=True))


def show_replayed(replayed: Replayed, page: Page, full_trail: bool = False, detail: Detail = "usual") -> None:
    _headline(replayed, page)
    if detail == "verdicts":
        return
    full_trail = full_trail or detail == "everything"
    steps = len(replayed.trail) if replayed.shortening is None else len(replayed.shortening.given.trail)
    page.item("  replayed   ", f"{numbers.count(steps, 'step')} of {replayed.file}")
    for note in replayed.notes:
        page.item("  note       ", note)
    if replayed.shortening is not None:
        _shortening(replayed.shortening, page)
    if replayed.violation is not None:
        explain_violation(replayed.violation, page, full_trail)
    else:
        show_trail(replayed.trail, page, full_trail)


def _headline(replayed: Replayed, page: Page) -> None:
    name, words = replayed.trail.model.name, property_words(replayed)
    if replayed.violation is not None:
        page.item("", Text.assemble((f"{page.signs.bad} violated", "bold red"), f"  {name}: {words}"))
    elif replayed.undecided is not None:
        page.item("", Text.assemble((f"{page.signs.open} incomplete", "bold yellow"), f"  {name}: {words}"))
        page.item("  not judged ", replayed.undecided)
    else:
        page.item("", Text.assemble(("not violated by this run", "bold"), f"  {name}: {words}"))
        page.item("  note       ", "of other runs nothing is said: ask mule check")


def property_words(replayed: Replayed) -> str:
    plain = replayed.kind in (ViolationKind.DEADLOCK, ViolationKind.MODEL_ERROR)
    text = replayed.property
    return text if plain or text.startswith("no ") else f"{replayed.kind.value} {text}"


def _shortening(shortening: Shortening, page: Page) -> None:
    before, after = len(shortening.given.trail), len(shortening.violation.trail)
    proven = SHORTEST if shortening.violation.shortest else ""
    arrow = page.signs.arrow
    gained = f"{numbers.count(before, 'step')} {arrow} {numbers.count(after, 'step')}{proven}"
    page.heading(
        f"Shortened: {gained}" if after < before else f"Not shortened: {numbers.count(before, 'step')}{proven}"
    )
    page.pairs([(gain.method, _gain(gain, arrow)) for gain in shortening.gains])
    if shortening.stopped is not None:
        page.item("  note       ", f"{STOPPED[shortening.stopped]}: not everything was tried")


def _gain(gain: Gain, arrow: str) -> str:
    gained = f"{gain.before:,} {arrow} {gain.after:,}" if gain.after < gain.before else "nothing gained"
    searched = f"  ({numbers.count(gain.states, 'state')})" if gain.states else ""
    why = "" if gain.stopped is None else f"; given up: {STOPPED.get(gain.stopped, gain.stopped)}"
    return f"{gained}{searched}{why}"


def replayed_object(replayed: Replayed, streamed: bool = False) -> Json:
    """What `mule trail --json` prints, and what `mule trail -o` saves: it can be read again like a check's."""
    model = replayed.trail.model
    verdict = "violated" if replayed.violation else "incomplete" if replayed.undecided else "not violated"
    return {
        "model": model.name,
        "language": model.language,
        "verdict": verdict,
        "property": [property_words(replayed)],
        "notes": [*replayed.notes, *([] if replayed.undecided is None else [replayed.undecided])],
        "options": {"fairness": replayed.fairness},
        "violations": [] if replayed.violation is None else [violation_object(replayed.violation, streamed)],
        "shortened": None if replayed.shortening is None else shortening_object(replayed.shortening),
    }


def shortening_object(shortening: Shortening) -> Json:
    return {
        "before": len(shortening.given.trail),
        "after": len(shortening.violation.trail),
        "shortest": shortening.violation.shortest,
        "stopped": shortening.stopped,
        "methods": [
            {
                "method": gain.method,
                "before": gain.before,
                "after": gain.after,
                "states": gain.states,
                "stopped": gain.stopped,
                "seconds": gain.seconds,
            }
            for gain in shortening.gains
        ],
    }
