"""Runs: every step is one that the reference semantics allows, and the end is the one that it finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import mule
from mule.frontends import load
from mule.model import Assertion, Model
from mule.model.expressions import Constant
from mule.model.interpreter import Failure, Interpreter, State, Step
from mule.records import replace
from mule.report.simulation import explain, output_of
from mule.report.state import summarise
from mule.results import ViolationKind
from mule.simulation import Ending, SimulatedStep, Simulator, at_random, simulate
from tests.engine.lines import Lines, increment, is_
from tests.simulation import programs
from tests.simulation.programs import model_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(model: Model, seed: int, steps: int = 60) -> list[SimulatedStep]:
    found = []
    for step in simulate(model, at_random(model, seed)):
        found.append(step)
        if len(found) == steps:
            break
    return found


def last(text: str, seed: int = 0) -> Ending | None:
    model = model_of(text)
    simulator = Simulator(model)
    chooser = at_random(model, seed)
    while simulator.ending() is None:
        simulator.advance(chooser)
    return simulator.ending()


def undefined_guard(model: Model, step: Step, state: State) -> str | None:
    """What is wrong with the first guard that has no value, if those before it hold."""
    interpreter = Interpreter(model)
    try:
        for guard in model.transitions[step.transition].guards:
            if not interpreter.evaluate(model.guards[guard].expression, state):
                return None
    except Failure as failure:
        return str(failure)
    return None


def follow(model: Model, steps: Sequence[SimulatedStep]) -> None:
    """Assert that the reference interpreter can do the same."""
    interpreter = Interpreter(model)
    state = interpreter.initial
    for number, step in enumerate(steps, 1):
        assert step.number == number
        assert step.first == state
        for index, part in enumerate(step.trail.taken):
            here = step.trail.states[index]
            if part.failure is None:
                assert part in list(interpreter.steps(here))
                assert step.trail.states[index + 1] == part.target
            elif part not in list(interpreter.steps(here)):
                assert undefined_guard(model, part, here) == part.failure
        state = step.after


@pytest.mark.parametrize("name", programs.ALL)
@pytest.mark.parametrize("seed", range(5))
def test_promela_runs_follow_the_reference_semantics(name: str, seed: int) -> None:
    model = model_of(programs.ALL[name])
    follow(model, run(model, seed))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.dve")), ids=lambda path: path.stem)
def test_dve_runs_follow_the_reference_semantics(path: Path) -> None:
    model = load(path)
    follow(model, run(model, 4))


def test_a_seed_repeats_a_run_and_another_one_does_not() -> None:
    model = model_of(programs.COUNTERS)
    assert run(model, 7) == run(model, 7)
    assert run(model, 7) != run(model, 8)


def test_a_run_ends_where_it_may() -> None:
    ending = last(programs.PING)
    assert ending == Ending(None, "every process is where it may end")


def test_an_invalid_end_state_is_a_violation() -> None:
    ending = last(programs.STUCK)
    assert ending is not None
    assert ending.violation is ViolationKind.DEADLOCK
    assert ending.message == "invalid end state: no process can move, with P in line 3"


def test_an_error_of_the_model_in_a_guard_ends_a_run() -> None:
    assert last(programs.DIVIDES) == Ending(ViolationKind.MODEL_ERROR, "division by zero", before=True)


@pytest.mark.parametrize("seed", range(20))
def test_no_run_goes_on_behind_a_violated_assertion(seed: int) -> None:
    ending = last("int x; active proctype P() { do :: x < 5 -> x++ :: assert(x < 2) od }", seed)
    assert ending == Ending(ViolationKind.ASSERTION, "assertion violated: x < 2", before=True)


def test_the_first_of_two_violated_assertions_ends_a_run() -> None:
    model = model_of("int x = 2; active proctype P() { atomic { assert(x < 2); x++; assert(x < 2); x++ } }")
    [step] = Simulator(model).possible()
    assert [action.text for action in model.transitions[step.transition].actions] == ["assert(x < 2)"]


def test_assertions_that_hold_end_nothing() -> None:
    ending = last("int x; active proctype P() { assert(x == 0); x = 1; assert(x == 1) }")
    assert ending is not None
    assert ending.violation is None


def test_assertions_about_states_are_looked_at() -> None:
    lines = Lines()
    x = lines.variable("x")
    p = lines.process("P", 2)
    lines.step(p, 0, "x++", None, increment(x))
    lines.step(p, 1, "x++", None, increment(x))
    model = replace(lines.build(), assertions=(Assertion("x stays 0", is_(x, 0)),))
    simulator = Simulator(model)
    simulator.advance(at_random(model, 0))
    assert simulator.ending() == Ending(ViolationKind.ASSERTION, "assertion x stays 0 is false")


def test_what_is_done_before_an_assertion_fails_is_told() -> None:
    model = model_of(programs.ASSERTS)
    [step] = run(model, 0)
    explained = explain(model, step)
    assert explained.failure == "assertion violated: x == 5"
    changes = [[(change.name, change.old, change.new) for change in each.changes] for each in explained.actions]
    assert changes == [[("x", 0, 3)], [], [("c", (), (3,))], [("x", 3, 4)], []]
    assert output_of(explained) == "x is 3\n"


def test_an_atomic_step_in_parts_is_one_step() -> None:
    model = model_of(programs.LOOP_IN_ATOMIC)
    assert model.transient is not None
    first, second, *_ = run(model, 3)
    assert len(first.trail) > 10
    assert not Simulator(model).is_transient(first.after)
    explained = explain(model, first)
    assert {change.name: change.new for change in explained.changes}["x"] == 150
    assert len(explained.movements) == 1
    assert output_of(explain(model, second)) == "150"


def test_an_atomic_step_without_end_is_broken_off() -> None:
    model = model_of("bit b; active proctype P() { atomic { do :: b = 1 - b od } }")
    assert len(run(model, 0, steps=3)) == 3


def test_steps_are_taken_back() -> None:
    model = model_of(programs.PING)
    simulator = Simulator(model)
    chooser = at_random(model, 1)
    simulator.advance(chooser)
    before = simulator.state
    simulator.advance(chooser)
    assert simulator.back()
    assert simulator.state == before
    assert simulator.back()
    assert not simulator.back()
    assert simulator.state == model.initial_state


def test_a_chooser_can_stop() -> None:
    model = model_of(programs.COUNTERS)
    left = iter(range(3))

    def three(steps: Sequence[Step]) -> Step | None:
        return steps[0] if next(left, None) is not None else None

    assert len(list(simulate(model, three))) == 3


def test_processes_are_chosen_before_their_steps() -> None:
    """A process with many steps does not crowd out one with a single step."""
    lines = Lines()
    p, q = lines.process("P", 1), lines.process("Q", 1)
    for _ in range(30):
        lines.step(p, 0, "many", Constant(1))
    lines.step(q, 0, "one")
    model = lines.build()
    first = [run(model, seed, 1)[0].trail.taken[0].transition for seed in range(200)]
    assert 70 < first.count(30) < 130


def test_from_python(tmp_path: Path) -> None:
    system = mule.load(programs.written(tmp_path, programs.PING))
    outputs = [output_of(explain(system.model, step)) for step in system.simulate(seed=5)]
    assert "".join(outputs) == "got 0\ngot 1\ngot 2\ndone 3 ping\n"


def test_the_name_of_a_constant_is_that_of_its_own_mtype() -> None:
    model = model_of(
        "mtype = { one, two }; mtype:colour = { red, blue }; mtype:colour k = blue; mtype m = one; byte b = 1;"
        'active proctype P() { printf("%e %e %e %e %e ", one, red, m, k, b); printm(two) }'
    )
    assert "".join(output_of(explain(model, step)) for step in run(model, 0)) == "one red one blue two two"


def test_a_channel_is_shown_as_one_wherever_its_messages_are() -> None:
    """One that is reached in the middle, and one that belongs to a process: both are variables of the model."""
    model = model_of(
        "chan c = [2] of { byte, bit }; active proctype P() { chan d = [1] of { byte };"
        " c!!2, 1; c!!1, 0; d!7; c??2, _; d?_ }"
    )
    steps = list(run(model, 0))
    found = [(each.name, each.old, each.new) for step in steps for each in explain(model, step).changes]
    assert found == [
        ("c", (), ((2, 1),)),
        ("c", ((2, 1),), ((1, 0), (2, 1))),
        ("P:d", (), (7,)),
        ("c", ((1, 0), (2, 1)), ((1, 0),)),
        ("P:d", (7,), ()),
    ]
    summary = summarise(model, steps[2].after)
    assert summary.channels == {"c": ((1, 0), (2, 1)), "P:d": (7,)}
    assert summary.variables == {}
    assert summarise(model, steps[-1].after).channels == {"c": ((1, 0),)}
