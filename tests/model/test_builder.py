"""Declarations, shared guards, and constant folding that never hides a failure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mule.errors import MuleError, Place
from mule.model import BYTE, SHORT, Action, Kind, Move, Role
from mule.model.builder import MAX_SLOTS, ModelBuilder
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, Unary
from mule.model.interpreter import Failure, Interpreter
from mule.model.simplify import binary, is_total, unary


def test_a_model_from_its_parts() -> None:
    builder = ModelBuilder("m", "test")
    x = builder.variable("x", BYTE, (1,))
    process = builder.process("P", ["a", "b"], committed=[1])
    test = Binary("and", Binary("<", Read(x), Constant(2)), TRUE)
    guards = [builder.guard(builder.at(process, 0)), *builder.guards(test), *builder.guards(test)]
    builder.transition("go", guards, [builder.go(process, 1)], [Move(process, 0, 1)])
    model = builder.build()
    assert [guard.text for guard in model.guards] == ["P at a", "x < 2"]
    assert model.transitions[0].guards == (0, 1)
    assert model.initial_state == (1, 0)
    assert model.processes[0].committed == {1}
    assert len(list(Interpreter(model).steps(model.initial_state))) == 1


def test_what_a_step_is_made_of_and_where_a_process_may_end() -> None:
    builder = ModelBuilder("m", "test")
    process = builder.process("P[0]", ["a", "b"], ends=[1], progress=[0], declaration="P")
    start = builder.guard(builder.at(process, 0))
    action = Action(process, "skip", Place("m", 1), 0)
    builder.transition("go", [start], [builder.go(process, 1)], [Move(process, 0, 1)], actions=[action])
    builder.transition("no", [start], [], kind=Kind.ERROR, failure="no", asserts=True)
    model = builder.build(transient=builder.at(process, 0))
    [made] = model.processes
    assert (made.ends, made.progress, made.declaration) == (frozenset({1}), frozenset({0}), "P")
    assert model.end_states == builder.at(process, 1)
    assert model.transient == builder.at(process, 0)
    step, error = model.transitions
    assert (step.kind, step.actions, len(step.outcomes)) == (Kind.STEP, (action,), 1)
    assert (error.kind, error.failure, error.asserts, error.outcomes) == (Kind.ERROR, "no", True, ())


def test_a_channel_takes_a_counter_and_a_row_for_each_field() -> None:
    builder = ModelBuilder("m", "test")
    channel = builder.channel("c", 3, [BYTE, SHORT])
    assert [(variable.name, variable.size, variable.role) for variable in builder.variables] == [
        ("len(c)", 1, Role.CHANNEL),
        ("c.0", 3, Role.CHANNEL),
        ("c.1", 3, Role.CHANNEL),
    ]
    assert channel.length.type.high == 3


def test_a_state_has_a_largest_size() -> None:
    builder = ModelBuilder("m", "test")
    builder.variable("a", BYTE, length=MAX_SLOTS)
    with pytest.raises(MuleError, match="m:1: b makes the state longer than 65536 values"):
        builder.variable("b", BYTE, place=Place("m", 1))


BUILDER = ModelBuilder("m", "test")
X = Read(BUILDER.variable("x", BYTE, (3,)))
A = BUILDER.variable("a", BYTE, (7, 8), 2)
MODEL = BUILDER.build()
LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.integers(-3, 3).map(Constant), st.just(X), st.integers(-1, 2).map(lambda index: Read(A, Constant(index)))
)
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
PAIR = tuple[Expression, Expression]


def pairs() -> st.SearchStrategy[PAIR]:
    """An expression as written, and the same built with folding."""

    def larger(inner: st.SearchStrategy[PAIR]) -> st.SearchStrategy[PAIR]:
        return st.one_of(
            st.tuples(st.sampled_from(OPERATORS), inner, inner).map(
                lambda t: (Binary(t[0], t[1][0], t[2][0]), binary(t[0], t[1][1], t[2][1]))
            ),
            st.tuples(st.sampled_from(["not", "-", "~"]), inner).map(
                lambda t: (Unary(t[0], t[1][0]), unary(t[0], t[1][1]))
            ),
        )

    return st.recursive(LEAVES.map(lambda leaf: (leaf, leaf)), larger, max_leaves=15)


def outcome(expression: Expression) -> int | None:
    try:
        return Interpreter(MODEL).evaluate(expression, MODEL.initial_state)
    except Failure:
        return None


@given(pairs())
def test_folding_changes_neither_the_value_nor_the_failures(pair: PAIR) -> None:
    written, folded = pair
    assert outcome(written) == outcome(folded)
    if is_total(written):
        assert outcome(written) is not None


def test_folding() -> None:
    fails = Read(A, X)
    assert binary("and", FALSE, fails) == FALSE
    assert binary("and", fails, FALSE) == Binary("and", fails, FALSE)
    assert binary("and", X, FALSE) == FALSE
    assert binary("or", TRUE, fails) == TRUE
    assert binary("or", FALSE, X) == Binary("!=", X, Constant(0))
    assert binary("/", Constant(1), Constant(0)) == Binary("/", Constant(1), Constant(0))
    assert binary("+", Constant(2**31 - 1), Constant(1)) == Constant(-(2**31))
    assert unary("not", Binary("==", X, Constant(1))) == Binary("!=", X, Constant(1))
