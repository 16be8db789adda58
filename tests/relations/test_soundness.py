"""Every relation, in its direction, against all reachable states of small random models."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mule.model import Model
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read, Unary, conjunction
from mule.model.failures import with_error_transitions
from mule.model.interpreter import Failure, Interpreter, State
from mule.model.model import Guard, Kind
from mule.model.value_analysis import compute_domains
from mule.records import replace
from mule.relations.derivation import derive
from mule.relations.visibility import coarsely_visible, visible
from tests.relations.brute import Brute, bits, examine_relations
from tests.small_models import Builder, compare, models, put, reachable

pytestmark = [pytest.mark.corpus, pytest.mark.slow]


def examine(model: Model) -> None:
    domains = compute_domains(model)
    model = with_error_transitions(model, domains)
    states = reachable(model)
    assume(states is not None)
    assert states is not None
    for state in states:
        for slot, value in enumerate(state):
            assert value in domains.values[slot]
        for (location, where), local in domains.local.items():
            if state[location] == where:
                assert all(state[slot] in values for slot, values in local.items())
    examine_relations(Brute(model, states), derive(model, domains))


@given(models())
def test_relations_claim_nothing_that_some_reachable_state_refutes(model: Model) -> None:
    examine(model)


@given(models(), st.data())
def test_a_step_that_waits_until_others_cannot_move(model: Model, data: st.DataObject) -> None:
    waiting = [transition for transition in model.transitions if transition.guards]
    assume(waiting)
    others = data.draw(st.lists(st.sampled_from(waiting), min_size=1, max_size=3))
    movable: Expression = FALSE
    for other in others:
        conditions = conjunction([model.guards[guard].expression for guard in other.guards])
        movable = Binary("or", movable, conditions)
    step = data.draw(st.sampled_from(waiting))
    guards = (*model.guards, Guard(Unary("not", movable), "timeout"))
    timeout = replace(step, guards=(*step.guards, len(model.guards)))
    examine(replace(model, guards=guards, transitions=(*model.transitions, timeout)))


@given(models())
def test_error_transitions_are_enabled_exactly_where_a_guard_goes_wrong(model: Model) -> None:
    complete = with_error_transitions(model, compute_domains(model))
    states = reachable(complete)
    assume(states is not None)
    assert states is not None
    interpreter = Interpreter(complete)
    for state in states:
        wrong = set()
        for transition in model.transitions:
            for guard in transition.guards:
                try:
                    if not interpreter.evaluate(complete.guards[guard].expression, state):
                        break
                except Failure:
                    wrong.add(guard)
                    break
        enabled = [t for t in complete.transitions if t.kind is Kind.ERROR and interpreter.enabled(t, state)]
        found = {complete.guards[t.guards[-1]].expression.operand for t in enabled}  # type: ignore[attr-defined]
        assert found == {complete.guards[guard].expression for guard in wrong}


@given(models())
def test_invisible_transitions_change_no_proposition(model: Model) -> None:
    states = reachable(model)
    assume(states is not None)
    assert states is not None
    relations = derive(model, compute_domains(model))
    propositions = [guard.expression for guard in model.guards]
    seen = visible(relations, propositions)
    assert seen & ~coarsely_visible(relations, propositions) == 0
    brute = Brute(model, states)
    for (number, state), steps in brute.steps.items():
        for step in (steps or {}).values():
            if step.failure is None and not bits(seen, number):
                for guard in range(len(model.guards)):
                    assert brute.interpreter.holds(guard, state) == brute.interpreter.holds(guard, step.target)


@given(models(), st.data())
def test_invisible_transitions_change_no_combination_of_predicates(model: Model, data: st.DataObject) -> None:
    states = reachable(model)
    assume(states is not None and model.guards)
    assert states is not None
    combination = data.draw(
        st.recursive(
            st.sampled_from([guard.expression for guard in model.guards]),
            lambda part: (
                st.builds(Unary, st.just("not"), part) | st.builds(Binary, st.sampled_from(["and", "or"]), part, part)
            ),
            max_leaves=4,
        )
    )
    seen = visible(derive(model, compute_domains(model)), [combination])
    brute = Brute(model, states)

    def holds(state: State) -> bool:
        try:
            return bool(brute.interpreter.evaluate(combination, state))
        except Failure:
            return False

    for (number, state), steps in brute.steps.items():
        for step in (steps or {}).values():
            if step.failure is None and not bits(seen, number):
                assert holds(state) == holds(step.target)


def transposed(matrix: list[int], columns: int) -> list[int]:
    return [sum(1 << row for row, each in enumerate(matrix) if bits(each, column)) for column in range(columns)]


def one_way() -> Model:
    """A flag that one process sets once and for all, and that another one waits for."""
    builder = Builder()
    flag = builder.variable("flag", 1)
    p, q = builder.process("p", 2), builder.process("q", 2)
    builder.transition(p, 0, 1, [], (put(flag, 1),))
    builder.transition(q, 0, 1, [compare(Read(flag), "==", 1)], ())
    return builder.model()


def test_relations_in_the_wrong_direction_are_refuted() -> None:
    """So that the tests above would notice."""
    model = one_way()
    states = reachable(model)
    assert states is not None
    brute, relations = Brute(model, states), derive(model, compute_domains(model))
    examine_relations(brute, relations)
    flipped = transposed(relations.do_not_left_accord, len(model.transitions))
    for wrong in (
        replace(relations, left_accordance=lambda: flipped),
        replace(relations, enabling=relations.disabling),
        replace(relations, disabling=relations.enabling),
        replace(relations, must_disable=transposed([~0] * 2, 2)),
        replace(relations, never_coenabled=[~0] * len(model.guards)),
    ):
        with pytest.raises(AssertionError):
            examine_relations(brute, wrong)


def test_two_processes_that_look_alike_need_not_know_the_same() -> None:
    """Found on BEEM's bakery.1: at its first location each process knows its own number only."""
    builder = Builder()
    number = builder.variable("number", 9, length=2)
    for own in range(2):
        p = builder.process(f"p{own}", 3)
        j = builder.variable(f"j{own}", 9, initial=2)
        builder.transition(p, 0, 1, [], (put(j, 0),))
        builder.transition(p, 1, 2, [compare(Read(number, Read(j)), ">", 0)], (put(number, 5, Constant(own)),))
        builder.transition(p, 1, 2, [compare(Read(j), "==", 0)], (put(number, 3, Constant(own)),))
        builder.transition(p, 2, 0, [], (put(number, 0, Constant(own)), put(j, 2)))
    model = builder.model()
    states = reachable(model)
    assert states is not None
    examine_relations(Brute(model, states), derive(model, compute_domains(model)))
