"""Short lassos: a depth-first search finds some run that violates a property, far away and with a long cycle.

The states near the initial one are visited again, breadth first and in steps of the model as written, in the product
with the automaton. Among them the accepting cycle is taken whose steps, and those that lead to it, are fewest. The
effort is bounded, so that the lasso is short but not proven to be the shortest. A fair run keeps its cycle, which is
what makes it fair, and is led to it by the shortest way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.results import Trail, TrailError
from mule.temporal.counterexample import Choice, lasso
from mule.temporal.questions import Question

STATES = 3_000
"""Of the product, at most so many are visited again."""
LOOKS = 300_000
"""And transitions are looked at so often, at most: large models have many in each state."""
CYCLES = 300_000
"""How many steps are followed back from accepting edges to where they begin, in all."""

Node = tuple[State, int]
"""A state of the model and one of the automaton."""


@dataclass(frozen=True, slots=True)
class _Edge:
    source: int
    target: int
    choice: Choice
    accepting: bool


def shorter_lasso(model: Model, question: Question, trail: Trail, fair: bool) -> Trail | None:
    """A shorter run that violates the property; None: none was found."""
    if question.automaton.marks > 1 or trail.loop is None or len(trail) < 2:
        return None
    near = _Neighbourhood(model, question)
    found = near.way_into(trail) if fair else near.shortest_lasso()
    if found is None:
        return None
    try:
        shorter = lasso(model, question, *found)
    except TrailError:
        if fair:  # the property remembers more of the way to the cycle than where it ends
            return None
        raise
    return shorter if len(shorter) < len(trail) else None


class _Neighbourhood:
    """The part of the product that is near the initial state."""

    def __init__(self, model: Model, question: Question) -> None:
        self._model, self._question = model, question
        self._interpreter = Interpreter(model)
        start: Node = (self._interpreter.initial, question.automaton.initial)
        self.nodes: list[Node] = [start]
        self.depth = [0]
        self.reached_by: list[_Edge | None] = [None]
        self.edges: list[list[_Edge]] = []
        self._visit({start: 0})

    def _visit(self, numbers: dict[Node, int]) -> None:
        most = min(STATES, LOOKS // max(len(self._model.transitions), 1) + 1)
        for number, node in enumerate(self.nodes):  # which grows
            if number == most:
                return
            out = []
            for choice, target, accepting in self._successors(node):
                known = numbers.setdefault(target, len(self.nodes))
                edge = _Edge(number, known, choice, accepting)
                out.append(edge)
                if known == len(self.nodes):
                    self.nodes.append(target)
                    self.depth.append(self.depth[number] + 1)
                    self.reached_by.append(edge)
            self.edges.append(out)

    def _successors(self, node: Node) -> Iterator[tuple[Choice, Node, bool]]:
        state, at = node
        automaton, transient = self._question.automaton, self._model.transient
        inside = transient is not None and self._holds(transient, state)
        moves = [(at, automaton.marks == 0)] if inside else []
        if not inside:
            letter = sum(self._holds(atom, state) << index for index, atom in enumerate(self._question.atoms))
            moves = [
                (edge.target, edge.marks == automaton.all_marks)
                for edge in automaton.edges[at]
                if edge.label >> letter & 1
            ]
        steps = list(self._interpreter.steps(state)) if moves else []
        for target, accepting in moves:
            for step in steps:
                if step.failure is None:
                    yield (step.transition, step.outcome), (step.target, target), accepting
            if not steps and not inside and self._question.finite_runs:
                yield None, (state, target), accepting

    def _holds(self, expression: Expression, state: State) -> bool:
        try:
            return self._interpreter.evaluate(expression, state) != 0
        except Failure:
            return False

    def shortest_lasso(self) -> tuple[list[Choice], list[Choice]] | None:
        """With an edge that accepts on its cycle, nearest first."""
        best: tuple[int, int, list[_Edge]] | None = None
        room = CYCLES
        for edge in sorted((each for out in self.edges for each in out if each.accepting), key=self._begins):
            least = 0 if best is None else best[0]
            if room <= 0 or (best is not None and self.depth[edge.source] >= least):
                break
            back, visited = self._way_back(edge, len(self.nodes) if best is None else least)
            room -= visited
            if back is None:
                continue
            cycle = [edge, *back]
            entrance = min(range(len(cycle)), key=lambda position: self.depth[cycle[position].source])
            length = self.depth[cycle[entrance].source] + len(cycle)
            if best is None or length < least:
                best = length, entrance, cycle
        if best is None:
            return None
        _, entrance, cycle = best
        turned = [*cycle[entrance:], *cycle[:entrance]]
        return self._way_to(turned[0].source), [edge.choice for edge in turned]

    def _begins(self, edge: _Edge) -> int:
        return self.depth[edge.source]

    def _way_back(self, edge: _Edge, most: int) -> tuple[list[_Edge] | None, int]:
        """From the end of an edge to its beginning in fewer than `most` steps, and how many states that took."""
        came_by: dict[int, _Edge | None] = {edge.target: None}
        queue = deque([(edge.target, 0)])
        while queue:
            number, steps = queue.popleft()
            if number == edge.source:
                return _traced(came_by, number), len(came_by)
            if steps + 1 >= most or number >= len(self.edges):
                continue
            for following in self.edges[number]:
                if following.target not in came_by:
                    came_by[following.target] = following
                    queue.append((following.target, steps + 1))
        return None, len(came_by)

    def way_into(self, trail: Trail) -> tuple[list[Choice], list[Choice]] | None:
        """The shortest way to a state of the trail's cycle, and that cycle from there on."""
        assert trail.loop is not None
        cycle = trail.states[trail.loop : -1] if len(trail) > trail.loop else trail.states[-1:]
        position = {state: number for number, state in reversed(list(enumerate(cycle)))}
        turn: Sequence[Choice] = [(step.transition, step.outcome) for step in trail.taken[trail.loop :]]
        for number, (state, _) in enumerate(self.nodes):
            if self.depth[number] >= trail.loop:
                return None
            if state in position:
                first = position[state]
                return self._way_to(number), [*turn[first:], *turn[:first]]
        return None

    def _way_to(self, number: int) -> list[Choice]:
        way: list[Choice] = []
        edge = self.reached_by[number]
        while edge is not None:
            way.append(edge.choice)
            edge = self.reached_by[edge.source]
        return way[::-1]


def _traced(came_by: dict[int, _Edge | None], number: int) -> list[_Edge]:
    way: list[_Edge] = []
    edge = came_by[number]
    while edge is not None:
        way.append(edge)
        edge = came_by[edge.source]
    return way[::-1]
