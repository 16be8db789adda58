"""Models without cycles: every process may take only so many steps."""

from __future__ import annotations

from dataclasses import replace

from mule.model import Assign, Guard, IntegerType, Model, Outcome, Statement, Variable
from mule.model.expressions import Binary, Constant, Expression, Read


def bounded(model: Model, steps: int) -> Model:
    """The same model with a counter in each process, and in each transition without one."""
    counters: dict[object, Variable] = {}
    guards = {guard.expression: number for number, guard in enumerate(model.guards)}
    transitions = []
    for number, transition in enumerate(model.transitions):
        owners: list[object] = [("process", move.process) for move in transition.moves] or [("rule", number)]
        tests: list[int] = []
        counting: list[Statement] = []
        for owner in owners:
            kind = IntegerType("steps", 0, steps)
            counter = counters.setdefault(owner, Variable(f"steps{len(counters)}", kind, (0,)))
            test: Expression = Binary("<", Read(counter), Constant(steps))
            tests.append(guards.setdefault(test, len(guards)))
            counting.append(Assign(Read(counter), Binary("+", Read(counter), Constant(1))))
        outcomes = tuple(Outcome((*each.statements, *counting), each.condition) for each in transition.outcomes)
        transitions.append(replace(transition, guards=(*tests, *transition.guards), outcomes=outcomes))
    return replace(
        model,
        variables=(*model.variables, *counters.values()),
        guards=tuple(Guard(expression, str(number)) for number, expression in enumerate(guards)),
        transitions=tuple(transitions),
    )
