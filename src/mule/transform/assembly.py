"""What the passes share: transitions with their guards at hand, and a model made of them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mule.model.expressions import Constant, Expression, Read, subexpressions
from mule.model.model import Guard, Model, Transition, outcome_expressions
from mule.model.variables import Variable
from mule.records import Record, replace


class Rule(Record, frozen=True):
    """A transition with its guards instead of their numbers."""

    transition: Transition
    guards: tuple[Guard, ...]

    @property
    def tests(self) -> list[Expression]:
        return [guard.expression for guard in self.guards]


def rules(model: Model) -> list[Rule]:
    """Each transition as it is, and with its origin."""
    return [
        Rule(
            replace(transition, origins=transition.origins or (number,)),
            tuple(model.guards[guard] for guard in transition.guards),
        )
        for number, transition in enumerate(model.transitions)
    ]


def assembled(model: Model, made: Iterable[Rule]) -> Model:
    """The model with these transitions in place of its own."""
    guards: list[Guard] = []
    numbers: dict[Expression, int] = {}

    def interned(wanted: Sequence[Guard]) -> tuple[int, ...]:
        for guard in wanted:
            if numbers.setdefault(guard.expression, len(guards)) == len(guards):
                guards.append(guard)
        return tuple(dict.fromkeys(numbers[guard.expression] for guard in wanted))

    transitions = tuple(replace(rule.transition, guards=interned(rule.guards)) for rule in made)
    observing = tuple(
        replace(each, guards=interned([model.guards[guard] for guard in each.guards]))
        for each in model.property_transitions
    )
    return replace(model, guards=tuple(guards), transitions=transitions, property_transitions=observing)


def watched(model: Model, observed: Iterable[Expression]) -> Iterator[Expression]:
    """Whatever looks at states from outside the transitions of the system."""
    yield from observed
    if model.transient is not None:
        yield model.transient
    yield from (process.done for process in model.processes if process.done is not None)
    for transition in model.property_transitions:
        yield from (model.guards[guard].expression for guard in transition.guards)
        for outcome in transition.outcomes:
            yield from outcome_expressions(outcome)


class Slots:
    """Which slots an expression or a target can mean, as bit sets, without any knowledge of values."""

    def __init__(self, slot_of: dict[Variable, int]) -> None:
        self._slot_of = slot_of
        self._known: dict[int, tuple[Expression, int]] = {}
        self._whole: dict[Variable, int] = {}

    def read_by(self, expression: Expression) -> int:
        known = self._known.get(id(expression))
        if known is None:
            bits = 0
            for part in subexpressions(expression):
                if isinstance(part, Read):
                    bits |= self.extent(part)
            known = self._known[id(expression)] = (expression, bits)
        return known[1]

    def read_by_all(self, expressions: Iterable[Expression]) -> int:
        bits = 0
        for expression in expressions:
            bits |= self.read_by(expression)
        return bits

    def extent(self, place: Read) -> int:
        """One slot where the index is a constant (none where it is out of range), else the whole array."""
        if isinstance(place.index, Constant):
            inside = 0 <= place.index.value < place.variable.size
            return 1 << self._slot_of[place.variable] + place.index.value if inside else 0
        return self.whole(place.variable)

    def whole(self, variable: Variable) -> int:
        known = self._whole.get(variable)
        if known is None:
            known = self._whole[variable] = ((1 << variable.size) - 1) << self._slot_of[variable]
        return known


def is_static(place: Read) -> bool:
    """Whether the place is the same in all states."""
    return place.index is None or isinstance(place.index, Constant)
