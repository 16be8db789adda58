"""The part of a state space that somebody has walked through, and what is to be seen in each of its states."""

from __future__ import annotations

from collections.abc import Sequence

from mule.engine import Found, SearchOptions
from mule.errors import MuleError
from mule.model import Kind, Model
from mule.model.expressions import Expression, negation
from mule.model.interpreter import State, Step
from mule.options import Options
from mule.planning import Preparation, plan_for, resolve
from mule.records import Record, replace
from mule.reduction.reasons import ChosenSet, Reason
from mule.reduction.reduced import Reduced, with_room
from mule.report.json import Json
from mule.report.state import changes_between, summarise
from mule.results import Violation, ViolationKind, replay
from mule.trails import Step as TrailStep
from mule.trails import Trail

MOST_NODES = 100_000
MOST_STATES = 1_000_000
"""Of a search for a state with a property."""


class Node(Record, frozen=True):
    """A state, and how it was come to."""

    state: State
    parent: int | None = None
    step: Step | None = None
    """Of the model as written; what leads here from the parent."""
    depth: int = 0


class Walk:
    def __init__(self, model: Model, options: Options | None = None) -> None:
        self.reduced = Reduced(with_room(model), options)
        self.model, self.interpreter = self.reduced.model, self.reduced.interpreter
        self.nodes = [Node(self.interpreter.initial)]

    def choose(self, node: int) -> ChosenSet:
        """What a reduction would explore in the state."""
        return self.reduced.choose(self.nodes[node].state)

    def steps(self, node: int) -> list[Step]:
        return list(self.interpreter.steps(self.nodes[node].state))

    def step(self, node: int, transition: int, outcome: int) -> int:
        """The number of the node that the step leads to; a state that is come to twice has two."""
        at = self._node(node)
        taken = next(
            (each for each in self.steps(node) if (each.transition, each.outcome) == (transition, outcome)), None
        )
        if taken is None:
            raise MuleError("this step is not possible here")
        if taken.failure is not None:
            raise MuleError(f"the run ends here: {taken.failure}")
        known = (number for number, each in enumerate(self.nodes) if each.parent == node and each.step == taken)
        found = next(known, None)
        if found is not None:
            return found
        if len(self.nodes) >= MOST_NODES:
            raise MuleError(f"there are {MOST_NODES:,} states on this walk: start it again")
        self.nodes.append(Node(taken.target, node, taken, at.depth + 1))
        return len(self.nodes) - 1

    def follow(self, node: int, choices: Sequence[tuple[int, int]]) -> int:
        for transition, outcome in choices:
            node = self.step(node, transition, outcome)
        return node

    def run_to(self, node: int, text: str) -> int:
        """Go on, by as few steps as possible, to a state in which an expression of the model's language is true."""
        start = replace(self.model, start=self._node(node).state)
        asked = resolve(Options(search="bfs", por="none", as_written=True, workers=1), "safety")
        prepared = Preparation(plan_for(start, asked, "safety", (negation(self._expression(text)),)))
        found = prepared.search(SearchOptions(max_states=MOST_STATES), None)
        if found.found is not Found.PROPOSITION:
            why = f" within {MOST_STATES:,} states" if found.stopped else ""
            raise MuleError(f"no run from here comes to a state with {text}{why}")
        return self.follow(node, [each for step in found.path for each in prepared.origins(*step)])

    def path(self, node: int) -> list[int]:
        """The nodes from the first to this one."""
        found = [node]
        while (parent := self._node(found[-1]).parent) is not None:
            found.append(parent)
        return found[::-1]

    def trail(self, node: int) -> Trail:
        steps = [self.nodes[each].step for each in self.path(node)]
        return replay(self.model, [(each.transition, each.outcome) for each in steps if each is not None])

    def exported(self, node: int) -> Json:
        """The way here as `mule trail` reads it."""
        from mule.report.json import violation_object

        run = Violation(ViolationKind.DEADLOCK, "no deadlock", "a run that was walked by hand", self.trail(node))
        return {
            "model": self.model.name,
            "language": self.model.language,
            "verdict": None,
            "property": [],
            "notes": [],
            "options": {"fairness": "none"},
            "violations": [violation_object(run)],
        }

    def view(self, node: int) -> Json:
        """All that a page shows of a state."""
        at = self._node(node)
        chosen = self.choose(node)
        steps = self.steps(node)
        summary = summarise(self.model, at.state)
        return {
            "node": node,
            "parent": at.parent,
            "depth": at.depth,
            "text": self._arrival(at),
            "state": [
                [group, name, value]
                for group, values in (
                    ("processes", summary.processes),
                    ("variables", summary.variables),
                    ("channels", summary.channels),
                )
                for name, value in values.items()
            ],
            "steps": [self._step(each, at.state, chosen) for each in steps],
            "enabled": len(chosen.enabled),
            "explored": len(chosen.explored),
            "members": len(chosen.reasons),
            "end": self._end(at.state, steps),
            "assertions": [
                [assertion.name, self.reduced.value(assertion.expression, at.state)]
                for assertion in self.model.assertions
            ],
        }

    def _arrival(self, at: Node) -> str:
        if at.step is None or at.parent is None:
            return "the initial state"
        taken = self._taken(at.step, self.nodes[at.parent].state)
        return taken.action if taken.process is None else f"{taken.process}: {taken.action}"

    def _end(self, state: State, steps: Sequence[Step]) -> str | None:
        if steps:
            return None
        return "the end: nobody needs to move" if self.reduced.value(self.model.end_states, state) else "a deadlock"

    def _step(self, step: Step, state: State, chosen: ChosenSet) -> Json:
        transition = self.model.transitions[step.transition]
        places = (transition.place, *(action.place for action in transition.actions))
        taken = self._taken(step, state)
        instances = [each for each in chosen.enabled if self.reduced.origin(each) == step.transition]
        inside = next((each for each in instances if each in chosen.reasons), None)
        return {
            "transition": step.transition,
            "outcome": step.outcome,
            "process": taken.process,
            "text": taken.action,
            "lines": sorted({place.line for place in places if place is not None and place.line is not None}),
            "changes": [
                [change.name, change.old, change.new] for change in changes_between(self.model, state, step.target)
            ],
            "failure": step.failure,
            "error": transition.kind is Kind.ERROR,
            "why": None if inside is None else [self._link(chosen, each) for each in chosen.chain(inside)],
        }

    def _link(self, chosen: ChosenSet, member: int) -> Json:
        reason = chosen.reasons[member]
        transition = self.reduced.reasons.model.transitions[member]
        return {
            "name": _name(self.reduced.reasons.model, member),
            "line": transition.place.line if transition.place else None,
            "enabled": member in chosen.enabled,
            "because": reason.because,
            "told": self._because(reason),
        }

    def _because(self, reason: Reason) -> str:
        guard = "" if reason.guard is None else self.reduced.reasons.model.guards[reason.guard].text
        match reason.because:
            case "begins":
                return "the set is built from here"
            case "interferes":
                return "the step above is enabled, and the order of the two makes a difference"
            case "enables":
                return f"the step above waits for `{guard}`, which this one may make true"
            case "disables":
                return f"the step above cannot be taken while `{guard}`, which this one may make false"

    def _taken(self, step: Step, state: State) -> TrailStep:
        return Trail(self.model, (state, step.target), (step,))[0]

    def _expression(self, text: str) -> Expression:
        if self.model.parse_expression is None:
            raise MuleError(f"{self.model.language} models have no expressions")
        return self.model.parse_expression(text)

    def _node(self, number: int) -> Node:
        if not 0 <= number < len(self.nodes):
            raise MuleError("there is no such state on this walk")
        return self.nodes[number]


def _name(model: Model, number: int) -> str:
    transition = model.transitions[number]
    who = f"{model.processes[transition.moves[0].process].name}: " if transition.moves else ""
    text = transition.text or transition.name
    return text if text.startswith(who) else f"{who}{text}"
