"""Emptiness of the product by brute force: built explicitly with the reference interpreter, decided by components."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.ltl import Automaton
from mule.ltl.components import strongly_connected
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State

MOST_STATES = 250


class System:
    """The state space of a model: for each state its letter (None: transient), its steps and who cannot move there."""

    def __init__(self, model: Model, atoms: Sequence[Expression]) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        self.numbers: dict[State, int] = {self.interpreter.initial: 0}
        self.letters: list[int | None] = []
        self.steps: list[list[tuple[int | None, int]]] = []
        """(transition, target); a transition of None stutters."""
        self.idle: list[int] = []
        processes = (1 << len(model.processes)) - 1
        for state in self._states():
            self.letters.append(self._letter(atoms, state))
            taken = list(self.interpreter.steps(state))
            able = 0
            for step in taken:
                able |= self.moving(step.transition)
            self.idle.append(0 if self.letters[-1] is None else processes & ~able)
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

    def moving(self, transition: int | None) -> int:
        """The processes that take part in a step; all of them in one that stutters."""
        if transition is None:
            return (1 << len(self.model.processes)) - 1
        return sum({1 << move.process for move in self.model.transitions[transition].moves})

    def accepted(self, automaton: Automaton, fair: bool = False) -> bool:
        """Is there a run that the automaton accepts?"""
        start = (0, automaton.initial)
        numbers = {start: 0}
        order = [start]
        edges: list[list[tuple[int, int, bool]]] = []
        for state, at in order:
            out = []
            letter = self.letters[state]
            for transition, target in self.steps[state]:
                content = (self.idle[state] | self.moving(transition)) << automaton.marks if fair else 0
                moves = [(at, 0)]
                if letter is not None:
                    moves = [(e.target, e.marks) for e in automaton.edges[at] if e.label >> letter & 1]
                for to, marks in moves:
                    key = (target, to)
                    if key not in numbers:
                        numbers[key] = len(order)
                        order.append(key)
                    out.append((numbers[key], marks | content, letter is not None))
            edges.append(out)
        wanted = automaton.all_marks
        if fair:
            wanted |= ((1 << len(self.model.processes)) - 1) << automaton.marks
        for group in strongly_connected([[to for to, _, _ in out] for out in edges]):
            inside = set(group)
            seen, reads = 0, False
            for number in group:
                for to, marks, read in edges[number]:
                    if to in inside:
                        seen |= marks
                        reads |= read
            if reads and seen == wanted:
                return True
        return False
