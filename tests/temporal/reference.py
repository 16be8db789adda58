"""Emptiness of the product by brute force: built explicitly with the reference interpreter, decided by components.

Fairness is decided as it is defined, on sets of states and transitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mule.ltl.automaton import Automaton
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import Fairness
from mule.tarjan import strongly_connected

MOST_STATES = 250


@dataclass(frozen=True)
class ProductEdge:
    state: int
    """Of the system, where it begins."""
    transition: int | None
    target: int
    """A state of the product."""
    marks: int
    reads: bool


class System:
    """The state space of a model: for each state its letter (None: transient), its steps and what is enabled there."""

    def __init__(self, model: Model, atoms: Sequence[Expression]) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        self.numbers: dict[State, int] = {self.interpreter.initial: 0}
        self.letters: list[int | None] = []
        self.steps: list[list[tuple[int | None, int]]] = []
        """(transition, target); a transition of None stutters."""
        self.enabled: list[set[int]] = []
        for state in self._states():
            self.letters.append(self._letter(atoms, state))
            taken = list(self.interpreter.steps(state))
            self.enabled.append({step.transition for step in taken})
            out = [(step.transition, self._number(step.target)) for step in taken if step.failure is None]
            stutters = not taken and self.letters[-1] is not None
            self.steps.append([*out, (None, len(self.steps))] if stutters else list[tuple[int | None, int]](out))
        self.complete = len(self.numbers) <= MOST_STATES

    def _states(self) -> Iterator[State]:
        """As they are found."""
        position = 0
        found = list(self.numbers)
        while position < len(found) <= MOST_STATES:
            yield found[position]
            position += 1
            found += list(self.numbers)[len(found) :]

    def _number(self, state: State) -> int:
        return self.numbers.setdefault(state, len(self.numbers))

    def _holds(self, expression: Expression, state: State) -> bool:
        try:
            return self.interpreter.evaluate(expression, state) != 0
        except Failure:
            return False

    def _letter(self, atoms: Sequence[Expression], state: State) -> int | None:
        if self.model.transient is not None and self._holds(self.model.transient, state):
            return None
        return sum(self._holds(atom, state) << index for index, atom in enumerate(atoms))

    def agents(self, transition: int) -> set[tuple[str, int]]:
        """Who takes part in a transition: processes, or the rule itself."""
        moves = self.model.transitions[transition].moves
        return {("process", move.process) for move in moves} or {("rule", transition)}

    def accepted(
        self, automaton: Automaton, fairness: Fairness = "none", dependent: Sequence[int] | None = None
    ) -> bool:
        """Is there a fair run that the automaton accepts? F asks which transitions depend on each."""
        edges = self._product(automaton)
        waiting = [list(range(len(edges)))]
        while waiting:
            states = waiting.pop()
            places = {number: place for place, number in enumerate(states)}
            graph = [[places[edge.target] for edge in edges[n] if edge.target in places] for n in states]
            for group in strongly_connected(graph):
                inside = {states[place] for place in group}
                within = [edge for number in inside for edge in edges[number] if edge.target in inside]
                seen = 0
                for edge in within:
                    seen |= edge.marks
                if seen != automaton.all_marks or not any(edge.reads for edge in within):
                    continue
                unfair = self._unfair(within, fairness, dependent)
                if not unfair:
                    return True
                rest = [n for n in inside if not any(self._offends(edge.state, unfair, fairness) for edge in edges[n])]
                if rest:
                    waiting.append(rest)
        return False

    def _product(self, automaton: Automaton) -> list[list[ProductEdge]]:
        start = (0, automaton.initial)
        numbers = {start: 0}
        order = [start]
        edges: list[list[ProductEdge]] = []
        for state, at in order:
            out = []
            letter = self.letters[state]
            for transition, target in self.steps[state]:
                moves = [(at, 0)]
                if letter is not None:
                    moves = [(e.target, e.marks) for e in automaton.edges[at] if e.label >> letter & 1]
                for to, marks in moves:
                    key = (target, to)
                    if key not in numbers:
                        numbers[key] = len(order)
                        order.append(key)
                    out.append(ProductEdge(state, transition, numbers[key], marks, letter is not None))
            edges.append(out)
        return edges

    def _unfair(self, within: list[ProductEdge], fairness: Fairness, dependent: Sequence[int] | None) -> set[object]:
        """Transitions (F) or agents that a run through all these edges for ever treats unfairly."""
        taken = {edge.transition for edge in within if edge.transition is not None}
        if fairness == "none":
            return set()
        if fairness == "F":
            assert dependent is not None
            enabled = {transition for edge in within for transition in self.enabled[edge.state]}
            return {each for each in enabled if not any(dependent[each] >> other & 1 for other in taken)}
        moved = {agent for transition in taken for agent in self.agents(transition)}
        able = [self._able(edge.state, fairness) for edge in within if self.letters[edge.state] is not None]
        if fairness == "strong":
            return {agent for agents in able for agent in agents} - moved
        return set.intersection(*able) - moved

    def _able(self, state: int, fairness: Fairness) -> set[object]:
        """Justice asks who can start a step, compassion who can take part in one."""
        able: set[object] = set()
        for transition in self.enabled[state]:
            moves = self.model.transitions[transition].moves
            if fairness == "weak":
                moves = moves[:1]
            able |= {("process", move.process) for move in moves} or {("rule", transition)}
        return able

    def _offends(self, state: int, unfair: set[object], fairness: Fairness) -> bool:
        """Whether a fair run that does no more cannot come to this state again and again."""
        if fairness == "F":
            return bool(self.enabled[state] & unfair)
        return self.letters[state] is not None and bool(self._able(state, fairness) & unfair)
