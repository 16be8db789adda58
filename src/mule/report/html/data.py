"""What a page shows, as one object: short keys where there may be ten thousand of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from mule import __version__
from mule.errors import Place
from mule.model import Model
from mule.numbers import count, rate, seconds, size
from mule.report.events import Story, story_of
from mule.report.html.automaton import automaton_object
from mule.report.html.growth import Growth
from mule.report.html.sets import sizes_of_sets
from mule.report.json import Json, judgement_object, options_object
from mule.report.sequence_chart import steps_of
from mule.report.state import StateSummary, Value, summarise
from mule.report.text import describe
from mule.report.trail import ExplainedStep
from mule.results import STOPPED, Effort, Result, Unreached, Verdict, Violation
from mule.trails import Trail

MOST_SOURCE = 2_000_000
"""Characters; of a longer source only what the run comes by is of use, and nobody reads it in a page."""


def result_data(result: Result, growth: Growth | None = None) -> Json:
    judged = bool(result.judgements) or result.verdict is not Verdict.HOLDS
    return {
        "version": __version__,
        "model": result.model.name,
        "language": result.model.language,
        "verdict": result.verdict.value if judged else "explored",
        "stopped": None if result.stopped is None else STOPPED.get(result.stopped, result.stopped),
        "judgements": [judgement_object(judgement) for judgement in result.judgements],
        "violations": [run_data(violation) for violation in result.violations],
        "searched": result.statistics.states > 0,
        "facts": _facts(result),
        "searches": [_search(search) for search in result.searches if search.statistics.states],
        "growth": [] if growth is None else growth.searches,
        "sets": sizes_of_sets(result),
        "notes": list(result.notes),
        "unreached": None if result.unreached is None else [_unreached(each) for each in result.unreached],
        "options": options_object(result.options),
        "files": files_of(result.model),
    }


def _facts(result: Result) -> list[tuple[str, str]]:
    statistics = result.statistics
    facts = [
        ("states", f"{statistics.states:,}"),
        ("transitions", f"{statistics.transitions:,}"),
        ("deadlocks", f"{statistics.deadlocks:,}"),
        ("depth", f"{statistics.depth:,}"),
        ("compile time", seconds(statistics.compile_seconds)),
        ("search time", seconds(statistics.search_seconds)),
        ("memory", size(statistics.memory_bytes)),
    ]
    speed = rate(statistics.states, statistics.search_seconds, " states")
    return [*facts, ("rate", speed)] if speed else facts


def _search(search: Effort) -> Json:
    statistics = search.statistics
    return {
        "properties": list(search.properties),
        "how": describe(search.options),
        "states": count(statistics.states, "state"),
        "transitions": count(statistics.transitions, "transition"),
        "seconds": seconds(statistics.search_seconds),
        "memory": size(statistics.memory_bytes),
    }


def run_data(violation: Violation) -> Json:
    """A run, step by step: the first state, and then only what changes."""
    trail = violation.trail
    model = trail.model
    story = story_of(model, steps_of(trail))
    places = _Places(model)
    first, names, changes = _states(trail)
    return {
        "kind": violation.kind.value,
        "property": violation.property,
        "message": violation.message,
        "shortest": violation.shortest,
        "loop": trail.loop,
        "names": names,
        "first": first,
        "steps": [
            {**_step(step.explained, places), "c": changed} for step, changed in zip(trail.steps, changes, strict=True)
        ],
        "stands": standing_of(model),
        "chart": _chart(story, [process.name for process in model.processes]),
        "automaton": automaton_object(violation),
    }


def _states(trail: Trail) -> tuple[list[Any], list[tuple[str, str]], list[list[Any]]]:
    """The values at first (`[value]`, or `[]` for what there is not yet), the group and name of each, and what each
    step changes: `[which, new value]`, or `[which, 0, [[index, element], ...]]` for some elements of a list, or
    `[which]` for what there is no more."""
    summaries = [summarise(trail.model, state) for state in trail.states]
    numbers: dict[tuple[str, str], int] = {}
    for summary in summaries:
        for key in _named(summary):
            numbers.setdefault(key, len(numbers))
    order = {key: number for number, key in enumerate(sorted(numbers, key=lambda key: _ORDER[key[0]]))}
    values = [{order[key]: value for key, value in _named(summary).items()} for summary in summaries]
    first = [[_plain(values[0][number])] if number in values[0] else [] for number in range(len(order))]
    changes = [_changed(old, new) for old, new in pairwise(values)]
    # A step that fails leads nowhere.
    changes += [[] for _ in range(len(trail) - len(changes))]
    return first, list(order), changes


_ORDER = {"processes": 0, "variables": 1, "channels": 2}


def _named(summary: StateSummary) -> dict[tuple[str, str], Value]:
    groups: dict[str, dict[str, Any]] = {
        "processes": summary.processes,
        "variables": summary.variables,
        "channels": summary.channels,
    }
    return {(group, name): value for group, values in groups.items() for name, value in values.items()}


def _changed(old: dict[int, Value], new: dict[int, Value]) -> list[Any]:
    found: list[Any] = [[number] for number in old if number not in new]
    for number, value in new.items():
        if number not in old:
            found.append([number, _plain(value)])
        elif old[number] != value:
            found.append(_difference(number, old[number], value))
    return found


def _difference(number: int, old: Value, new: Value) -> list[Any]:
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new) > 1:
        elements = [[index, _plain(b)] for index, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        if len(elements) * 2 <= len(new):
            return [number, 0, elements]
    return [number, _plain(new)]


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _step(step: ExplainedStep, places: _Places) -> Json:
    """`p`: who, `t`: what, `l`: the lines, `m`: who goes where, `o`: what is printed, `f`: what goes wrong."""
    actions = step.actions
    lines = dict.fromkeys(each for action in actions for each in places.of(action.place)) or places.of(step.place)
    told: Json = {
        "p": next((action.process for action in actions if action.process is not None), step.process),
        "t": "; ".join(action.text for action in actions) or step.text or step.name,
    }
    optional: Json = {
        "l": [list(line) for line in lines],
        "m": [[move.process, move.source, move.target] for move in step.movements if move.source != move.target],
        "o": "".join(action.output for action in actions),
        "f": step.failure,
    }
    return told | {key: value for key, value in optional.items() if value}


class _Places:
    """Lines of the files that a page shows, by the number of the file."""

    def __init__(self, model: Model) -> None:
        self._files = {name: number for number, (name, _) in enumerate(_texts(model))}

    def of(self, place: Place | None) -> list[tuple[int, int]]:
        if place is None or place.line is None:
            return []
        number = self._files.get(place.file, self._files.get(Path(place.file).name))
        return [] if number is None else [(number, place.line)]


def _texts(model: Model) -> list[tuple[str, str]]:
    source = model.source
    if source is None:
        return []
    texts = [(source.file, source.text), *source.others]
    return texts if sum(len(text) for _, text in texts) <= MOST_SOURCE else []


def files_of(model: Model) -> list[Json]:
    return [{"name": Path(name).name, "text": text} for name, text in _texts(model)]


def standing_of(model: Model) -> dict[str, dict[str, list[int]]]:
    """For each process and each of its locations, where it goes on: the first of the statements that leave it. A
    process that always is at the same one could be anywhere."""
    places = _Places(model)
    found: dict[str, dict[str, list[int]]] = {}
    for transition in model.transitions:
        at = places.of(transition.place)
        for move in transition.moves if at else ():
            process = model.processes[move.process]
            known = found.setdefault(process.name, {})
            name = process.locations[move.source]
            known[name] = min(known.get(name, list(at[0])), list(at[0]))
    return {process: known for process, known in found.items() if len(known) > 1}


def _chart(story: Story, order: Sequence[str]) -> Json:
    """Rows `[step, process, text, sign]` and arrows `[text, from, to, sent, received, lost]`."""
    acting = {row.process for row in story.rows} | {arrow.target for arrow in story.ends}
    lanes = [name for name in order if name in acting]
    lanes += sorted(name for name in acting if name and name not in lanes)
    lane = {name: number for number, name in enumerate(lanes)}
    return {
        "lanes": lanes,
        "rows": [
            [row.step, lane.get(row.process, 0), row.text, "!" if row.fails else "x" if row.crash else ""]
            for row in story.rows
        ],
        "arrows": [
            [
                arrow.text,
                lane.get(arrow.source, 0),
                None if arrow.target is None else lane.get(arrow.target, 0),
                arrow.sent,
                arrow.received,
                arrow.lost,
            ]
            for arrow in story.ends
        ],
    }


def _unreached(statement: Unreached) -> Json:
    return {
        "process": statement.process,
        "text": statement.text,
        "line": statement.place.line if statement.place else None,
    }
