"""The state space of a small model, and in it the part that a reduction explores."""

from __future__ import annotations

from collections.abc import Iterable

from mule.drawing.picture import Picture, cut, escaped
from mule.errors import MuleError
from mule.model.interpreter import State, Step
from mule.reduction.reduced import Reduced
from mule.report.state import summarise, written
from mule.trails import Trail

MOST_STATES = 500
"""A larger picture helps nobody; Graphviz would need minutes for it."""
MOST_LINES = 6
"""Of what a state holds; the whole state is its tooltip."""
KEPT, LEFT_OUT, BAD, GOAL = "#1a7f37", "#9aa4b2", "#c62828", "#e6f4ea"


def state_space(reduced: Reduced, most: int = MOST_STATES) -> Picture:
    """All states, with those that a reduction explores in green; deadlocks and broken assertions in red."""
    edges = _explored(reduced, most)
    kept, kept_edges = _reduced(reduced, edges)
    names = {state: f"s{number}" for number, state in enumerate(edges)}
    picture = Picture(reduced.model.name, {"rankdir": "TB"})
    algorithm = reduced.reasons.algorithm.name
    total = sum(len(steps) for steps in edges.values())
    picture.notes.append(
        f"{len(edges):,} states, {total:,} steps; green: the {len(kept):,} states and "
        f"{len(kept_edges):,} steps that a search with reduction ({algorithm}) explores"
    )
    picture.notes.append("red: deadlocks and states in which an assertion is false; bold: the initial state")
    for number, (state, steps) in enumerate(edges.items()):
        wrong = _wrong(reduced, state, steps)
        picture.node(
            names[state],
            label=escaped(_label(reduced, state)),
            tooltip=escaped(_whole(reduced, state)),
            color=BAD if wrong else KEPT if state in kept else LEFT_OUT,
            fillcolor="#fdeceb" if wrong else GOAL if state in kept else "white",
            fontcolor="#1b2029" if state in kept or wrong else "#5b6472",
            penwidth="3" if number == 0 else "1.4",
        )
    for state, steps in edges.items():
        for step in steps:
            chosen = (state, step.transition, step.outcome) in kept_edges
            told = Trail(reduced.model, (state, step.target), (step,))[0]
            who = cut(told.process or told.action)
            look = {"color": KEPT if chosen else LEFT_OUT, "style": "solid" if chosen else "dashed"}
            if step.failure is not None:
                end = f"{names[state]}_{step.transition}_{step.outcome}"
                picture.node(end, label=escaped(step.failure), color=BAD, fillcolor="#fdeceb", shape="octagon")
                picture.edge(names[state], end, label=escaped(who), color=BAD)
            else:
                picture.edge(names[state], names[step.target], label=escaped(who), tooltip=escaped(told.action), **look)
    return picture


def _explored(reduced: Reduced, most: int) -> dict[State, list[Step]]:
    """Breadth first."""
    first = reduced.interpreter.initial
    found: dict[State, list[Step]] = {}
    work, seen = [first], {first}
    for state in work:
        found[state] = list(reduced.interpreter.steps(state))
        for step in found[state]:
            if step.failure is None and step.target not in seen:
                seen.add(step.target)
                work.append(step.target)
        if len(seen) > most:
            raise MuleError(
                f"{reduced.model.name} has more than {most:,} states: too many for a picture. Make the model smaller, "
                "or set --max-states higher"
            )
    return found


def _reduced(reduced: Reduced, edges: dict[State, list[Step]]) -> tuple[set[State], set[tuple[State, int, int]]]:
    first = next(iter(edges))
    kept, steps = {first}, set()
    work = [first]
    for state in work:
        explored = reduced.explored(state)
        for step in edges[state]:
            if step.transition in explored and step.failure is None:
                steps.add((state, step.transition, step.outcome))
                if step.target not in kept:
                    kept.add(step.target)
                    work.append(step.target)
    return kept, steps


def _wrong(reduced: Reduced, state: State, steps: Iterable[Step]) -> bool:
    dead = not any(True for _ in steps) and not reduced.value(reduced.model.end_states, state)
    return dead or any(reduced.value(each.expression, state) is not True for each in reduced.model.assertions)


def _label(reduced: Reduced, state: State) -> str:
    """Where the processes are; of a model in which they stay where they are, what is not as in the beginning."""
    summary = summarise(reduced.model, state)
    moving = any(move.source != move.target for each in reduced.model.transitions for move in each.moves)
    if summary.processes and (moving or not summary.variables):
        return "\n".join(summary.processes.values())
    first = summarise(reduced.model, reduced.interpreter.initial)
    known, values = {**first.variables, **first.channels}, {**summary.variables, **summary.channels}
    lines = [
        f"{name} = {written(values[name])}" if name in values else f"no {name}"
        for name in {**known, **values}
        if values.get(name) != known.get(name)
    ]
    more = [f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return "\n".join(cut(line) for line in [*lines[:MOST_LINES], *more]) or "the initial state"


def _whole(reduced: Reduced, state: State) -> str:
    summary = summarise(reduced.model, state)
    told = {**summary.processes, **summary.variables, **summary.channels}
    return "\n".join(f"{name} = {written(value)}" for name, value in told.items())
