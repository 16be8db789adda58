"""Every relation, in its direction, against all reachable states of small random models."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mule.model import Model
from mule.model.expressions import FALSE, Binary, Constant, Expression, Read, Unary, conjunction
from mule.model.failures import effects_may_fail, with_error_transitions
from mule.model.interpreter import Failure, Interpreter, State
from mule.model.model import Guard, Kind
from mule.model.value_analysis import compute_domains
from mule.records import replace
from mule.relations import Relations, derive
from mule.relations.visibility import coarsely_visible, visible
from tests.small_models import Builder, compare, models, put, reachable, steps_of


class Brute:
    """The state space, and the definitions word for word."""

    def __init__(self, model: Model, states: list[State]) -> None:
        self.model, self.states = model, states
        self.interpreter = Interpreter(model)
        self.numbers = range(len(model.transitions))
        self.steps = {
            (number, state): steps_of(self.interpreter, number, state) for state in states for number in self.numbers
        }

    def after(self, number: int, state: State) -> dict[int, State | None] | None:
        """By outcome the state after it, None for a failure; None altogether where disabled."""
        if (number, state) in self.steps:
            steps = self.steps[number, state]
        else:
            steps = steps_of(self.interpreter, number, state)
        if steps is None:
            return None
        return {outcome: None if step.failure else step.target for outcome, step in steps.items()}

    def kind(self, number: int) -> Kind:
        return self.model.transitions[number].kind

    def accord(self, t: int, u: int, state: State) -> bool:
        first, second = self.after(t, state), self.after(u, state)
        if first is None or second is None:
            return True
        error_t, error_u = self.kind(t) is Kind.ERROR, self.kind(u) is Kind.ERROR
        for goes, other, other_after, error in ((first, u, second, error_t), (second, t, first, error_u)):
            if error:
                continue
            for target in goes.values():
                if target is not None and not self.same_outcomes(self.after(other, target), other_after):
                    return False
        if error_t or error_u:
            return True
        for i, one in first.items():
            for j, other_state in second.items():
                if one is None or other_state is None:
                    continue
                then, too = self.after(u, one), self.after(t, other_state)
                if then is None or too is None or then[j] is None or then[j] != too[i]:
                    return False
        return True

    @staticmethod
    def same_outcomes(now: dict[int, State | None] | None, before: dict[int, State | None]) -> bool:
        if now is None:
            return False
        return {k: v is None for k, v in now.items()} == {k: v is None for k, v in before.items()}

    def left_accord(self, t: int, u: int, state: State) -> bool:
        """If u then t can run, then t then u can, to the same state; and a failure of t is found as well."""
        earlier = self.after(u, state)
        if earlier is None or self.kind(u) is Kind.ERROR:
            return True
        at_once = self.after(t, state)
        for j, middle in earlier.items():
            later = None if middle is None else self.after(t, middle)
            if later is None:
                continue
            if at_once is None:
                return False
            if self.kind(t) is Kind.ERROR:
                continue
            for i, end in later.items():
                if i not in at_once:
                    return False
                other = at_once[i]
                if end is None or other is None:
                    if end is not other:
                        return False
                    continue
                then = self.after(u, other)
                if then is None or then.get(j) != end:
                    return False
        return True


def bits(row: int, number: int) -> bool:
    return bool(row >> number & 1)


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


def examine_relations(brute: Brute, relations: Relations) -> None:
    model, states, interpreter = brute.model, brute.states, brute.interpreter
    holds = {state: [interpreter.holds(guard, state) for guard in range(len(model.guards))] for state in states}
    for state in states:
        true = [guard for guard, value in enumerate(holds[state]) if value]
        for guard in true:
            for other in true:
                assert not bits(relations.never_coenabled[guard], other)
        for number in brute.numbers:
            for step in (brute.steps[number, state] or {}).values():
                if step.failure is not None:
                    continue
                for guard, (before, after) in enumerate(zip(holds[state], holds[step.target], strict=True)):
                    assert before or not after or bits(relations.enabling[guard], number), "enabling"
                    assert after or not before or bits(relations.disabling[guard], number), "disabling"
                for other in brute.numbers:
                    if bits(relations.must_disable[number], other):
                        assert brute.after(other, step.target) is None, "must disable"
            transition = model.transitions[number]
            if any(step.failure for step in (brute.steps[number, state] or {}).values()):
                assert transition.kind is Kind.ERROR or effects_may_fail(model, transition, relations.domains)
        for t in brute.numbers:
            for u in brute.numbers:
                if t == u:
                    continue
                if not bits(relations.do_not_accord[t], u):
                    assert brute.accord(t, u, state), f"accord {t} {u} in {state}"
                if not bits(relations.do_not_left_accord[t], u):
                    assert brute.left_accord(t, u, state), f"left accord {t} {u} in {state}"
    for t in brute.numbers:
        for u in brute.numbers:
            assert bits(relations.do_not_accord[t], u) == bits(relations.do_not_accord[u], t)


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
