"""Models without cycles: every process may take only so many steps."""

from __future__ import annotations

from hypothesis import strategies as st

from mule.model import Assign, Guard, IntegerType, Model, Move, Outcome, Statement, Variable
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.records import replace
from tests.small_models import Builder, compare, put


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


@st.composite
def waiting_processes(draw: st.DrawFn) -> Model:
    """Processes that go forward only, through steps and choices that wait for flags and set them, alone or two at a
    time: nearly every step depends on somebody else's."""
    builder = Builder()
    flags = [
        builder.variable(f"f{number}", draw(st.sampled_from([1, 1, 2]))) for number in range(draw(st.integers(1, 4)))
    ]
    lengths = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(2, 4)))]
    processes = [builder.process(f"p{number}", length + 1) for number, length in enumerate(lengths)]

    def step(moves: tuple[Move, ...]) -> None:
        tests = [compare(Read(flag), "==", draw(st.integers(0, 1))) for flag in flags if not draw(st.integers(0, 3))]
        effects = [put(flag, draw(st.integers(0, 1))) for flag in flags if not draw(st.integers(0, 2))]
        outcomes = [tuple(effects)] + [(put(flags[0], 1),)] * (not draw(st.integers(0, 7)))
        builder.joint(moves, tests, *outcomes)

    def move(process: int, source: int) -> Move:
        return Move(process, source, draw(st.integers(source + 1, lengths[process])))

    for process, length in enumerate(lengths):
        for source in range(length):
            for _ in range(draw(st.sampled_from([1, 1, 2]))):
                step((move(process, source),))
    for _ in range(draw(st.sampled_from([0, 0, 1]))):
        pair = draw(st.permutations(processes))[:2]
        step(tuple(move(process, draw(st.integers(0, lengths[process] - 1))) for process in pair))
    return builder.model()
