"""A saved trail, followed in a model step by step by the reference semantics.

Steps are recognised by what they say, not by their numbers: a trail outlives the edits of a model that do not concern
it, and a model that got more room for its search. Several steps of a state may say the same, so all of them are
followed side by side; those that do what the file tells are preferred.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mule.errors import MuleError, Place
from mule.model import Model
from mule.model.interpreter import Interpreter, State, Step
from mule.planning import Analysis
from mule.report.json import step_object
from mule.report.plain import step_text
from mule.report.trail import explain_step
from mule.results import Trail
from mule.trails.saved import SavedStep, SavedTrail

SIDE_BY_SIDE = 64
"""Of more runs that fit equally well only so many are followed."""
MOST_WIDENINGS = 12
MOST_SHOWN = 2
"""Of what else is possible, so that the message stays one that is read."""
"""Steps that are listed where a trail cannot go on."""


class Followed(NamedTuple):
    trail: Trail
    """Of the model as written, with room for it."""
    differs: tuple[str, ...] = ()
    """What the steps do differently than in the file, the first difference only."""


class _Fit(NamedTuple):
    """How well a run fits what the file tells: the less the better."""

    others: int = 0
    """Steps that change something else."""
    moved: int = 0
    """Steps between other places of the same processes."""
    numbers: int = 0
    """Steps under another number."""


class _Node(NamedTuple):
    state: State
    fit: _Fit
    before: _Node | None = None
    step: Step | None = None
    differs: str | None = None
    """What the step does that the file tells otherwise."""


def follow(model: Model, saved: SavedTrail) -> list[Followed]:
    """The runs that fit the trail, the best one first; MuleError where there is none."""
    for _ in range(MOST_WIDENINGS):
        run = _Run(Analysis(model).model, saved)
        limits = run.follow()
        if limits is None:
            return run.found()
        if model.wider is None or not limits:
            break
        model = model.wider(limits)
    raise run.stuck()


class _Run:
    def __init__(self, model: Model, saved: SavedTrail) -> None:
        self.model, self.saved = model, saved
        self.interpreter = Interpreter(model)
        self.transitions: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
        for number, transition in enumerate(model.transitions):
            movers = () if model.told else tuple(model.processes[move.process].name for move in transition.moves)
            self.transitions.setdefault((transition.name, transition.text, movers), []).append(number)
        self.nodes = [_Node(self.interpreter.initial, _Fit())]
        self.taken = 0

    def follow(self) -> frozenset[str] | None:
        """As far as it goes; the bounds that were in the way, by their failures, where more room would help."""
        for saved in self.saved.steps:
            following = list(self._followers(saved))
            if not following:
                # What the model lacks, a wider one may have: processes are named by how many there are.
                return frozenset(self._limits(everywhere=saved.key not in self.transitions))
            best = sorted(following, key=lambda node: node.fit)
            distinct = {(node.state, node.step is not None and node.step.failure): node for node in reversed(best)}
            self.nodes = sorted(distinct.values(), key=lambda node: node.fit)[:SIDE_BY_SIDE]
            self.taken += 1
        return None

    def _followers(self, saved: SavedStep) -> Iterator[_Node]:
        for node in self.nodes:
            if node.step is not None and node.step.failure is not None:
                continue
            for number in self.transitions.get(saved.key, ()):
                if self.interpreter.enabled(self.model.transitions[number], node.state):
                    for step in self.interpreter.fire(number, node.state):
                        yield self._fitted(node, step, saved)

    def _fitted(self, node: _Node, step: Step, saved: SavedStep) -> _Node:
        told = self._told(node.state, step)
        differs = None
        for key in ("failure", "changes"):
            if told[key] != saved.told.get(key):
                differs = f"{_words(key, told[key])} instead of {_words(key, saved.told.get(key))}"
                break
        moved = told["moves"] != saved.told.get("moves")
        other = step.transition != saved.transition
        fit = _Fit(*map(sum, zip(node.fit, (differs is not None, moved, other), strict=True)))
        return _Node(step.target, fit, node, step, differs)

    def _told(self, state: State, step: Step) -> dict[str, object]:
        """As it would stand in a file."""
        told = step_object(explain_step(self.model, _one(self.model, state, step), 0))
        return dict(json.loads(json.dumps(told)))

    def _limits(self, everywhere: bool) -> Iterator[str]:
        for transition in self.model.transitions:
            if transition.limit:
                here = (self.interpreter.enabled(transition, node.state) for node in self.nodes)
                if everywhere or any(here):
                    yield transition.failure

    def found(self) -> list[Followed]:
        return [_followed(self.model, node, self.saved.loop) for node in self.nodes]

    def stuck(self) -> MuleError:
        """Why the trail cannot go on, and what could happen instead."""
        saved, node = self.saved.steps[self.taken], self.nodes[0]
        told = saved.told
        line = f"line {told['line']}: " if told.get("line") is not None else ""
        who = f"{saved.movers[0]}: " if saved.movers else ""
        known = "is not enabled" if saved.key in self.transitions else "is not in the model"
        steps = len(self.saved.steps)
        message = f"the trail does not fit the model: its step {self.taken + 1} of {steps} {known}\n"
        message += f"  in the trail:  {who}{line}{saved.text or saved.name}\n"
        possible = list(self._possible(node))
        message += "  possible here: " + ("\n                 ".join(possible) if possible else "nothing") + "\n"
        first = next(_differences(node), None)
        if first is not None and len(possible) < MOST_SHOWN:
            message += f"  before:        {first}\n"
        if self.saved.model != self.model.name:
            message += f"It is a trail of {self.saved.model}, and this is {self.model.name}."
        else:
            message += "Was the model changed since, or read with other definitions (-D)?"
        return MuleError(message, Place(self.saved.file))

    def _possible(self, node: _Node) -> Iterator[str]:
        if node.step is not None and node.step.failure is not None:
            return
        shown = [
            step_text(explain_step(self.model, _one(self.model, node.state, step), 0))
            for step in self.interpreter.steps(node.state)
        ]
        yield from listed(shown)


def listed(possible: Sequence[str]) -> list[str]:
    """The first ones, and how many more there are."""
    more = len(possible) - MOST_SHOWN
    shown = list(possible[:MOST_SHOWN])
    return [*shown[:-1], f"{shown[-1]} (and {more} more)"] if more > 0 else shown


def _one(model: Model, state: State, step: Step) -> Trail:
    """A trail of one step."""
    return Trail(model, (state,) if step.failure is not None else (state, step.target), (step,))


def _way(node: _Node) -> Sequence[_Node]:
    way = [node]
    while way[-1].before is not None:
        way.append(way[-1].before)
    return way[::-1]


def _followed(model: Model, node: _Node, loop: int | None) -> Followed:
    way = _way(node)
    steps = [each.step for each in way if each.step is not None]
    states = [each.state for each in way if each.step is None or each.step.failure is None]
    return Followed(Trail(model, tuple(states), tuple(steps), loop), tuple(_differences(node))[:1])


def _differences(node: _Node) -> Iterator[str]:
    for number, each in enumerate(_way(node)):
        if each.differs is not None:
            yield f"step {number} has {each.differs}"


def _words(key: str, value: object) -> str:
    if key == "failure":
        return "no failure" if value is None else f"the failure {value!r}"
    if not isinstance(value, dict) or not value:
        return "no change"
    return ", ".join(_change(name, pair) for name, pair in value.items())


def _change(name: str, pair: Iterable[object]) -> str:
    return f"{name}: {' → '.join(map(str, pair))}"
