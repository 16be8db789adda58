"""Arithmetic that does not wrap: all who evaluate it agree with the integers of mathematics, also at the borders."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mule import _engine
from mule.codegen import compile_model
from mule.engine import Engine
from mule.model import INT, Assign, IntegerType, Model, Outcome, Transition, Variable
from mule.model.abstraction import Evaluation
from mule.model.closures import Closures, UndefinedValue
from mule.model.definedness import undefined_where
from mule.model.domains import Domains
from mule.model.exact import exact, negative
from mule.model.expressions import (
    COMPARISONS,
    EXACT,
    HIGHEST,
    LOWEST,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    Undefined,
)
from mule.model.failures import may_fail
from mule.model.interpreter import Failure, Interpreter
from mule.model.simplify import binary, is_total
from mule.model.value_sets import hull

pytestmark = pytest.mark.slow

X = Variable("x", INT, (0,))
Y = Variable("y", INT, (0,))
SMALL = Variable("small", IntegerType("small", -3, 40), (0,))
FLAT = Variable("flat", IntegerType("flat", 0, 2**15), (0,))
VARIABLES = (X, Y, SMALL, FLAT)

BORDERS = sorted(
    {
        each + near
        for each in (LOWEST, HIGHEST, 0, 2**16, -(2**16), 2**30, -(2**30), 46341, -46341, 31)
        for near in (-1, 0, 1)
        if LOWEST <= each + near <= HIGHEST
    }
)
numbers = st.one_of(st.sampled_from(BORDERS), st.integers(LOWEST, HIGHEST), st.integers(-4, 40))


def in_mathematics(operator: str, left: int, right: int) -> int | None:
    """None: there is no such number, or it does not fit."""
    match operator:
        case "+!":
            result = left + right
        case "-!":
            result = left - right
        case "*!":
            result = left * right
        case "/!":
            if right == 0:
                return None
            result = abs(left) // abs(right)
            result = -result if (left < 0) != (right < 0) else result
        case _:
            if not 0 <= right <= 31:
                return None
            result = left << right
    return result if -(2**31) < result < 2**31 else None


def evaluated(expression: Expression, state: tuple[int, ...]) -> int | None:
    """As mathematics does it."""
    match expression:
        case Constant(value):
            return value
        case Read(variable, _):
            return state[VARIABLES.index(variable)]
        case Conditional(test, then, otherwise):
            decided = evaluated(test, state)
            return None if decided is None else evaluated(then if decided else otherwise, state)
        case Undefined(operand):
            return int(evaluated(operand, state) is None)
        case Binary(operator, left, right):
            a = evaluated(left, state)
            if a is None or (operator in ("and", "or") and bool(a) == (operator == "or")):
                return None if a is None else int(bool(a))
            b = evaluated(right, state)
            if b is None:
                return None
            if operator in EXACT:
                return in_mathematics(operator, a, b)
            if operator in ("and", "or"):
                return int(bool(b))
            return int({"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator])
    raise TypeError(expression)


def expressions() -> st.SearchStrategy[Expression]:
    leaves: st.SearchStrategy[Expression] = st.one_of(
        st.sampled_from([Read(variable) for variable in VARIABLES]), st.builds(Constant, numbers)
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Binary, st.sampled_from(sorted(EXACT)), inner, inner),
            st.builds(Binary, st.sampled_from([*sorted(COMPARISONS), "and", "or"]), inner, inner),
            st.builds(Conditional, inner, inner, inner),
            st.builds(Undefined, inner),
        ),
        max_leaves=6,
    )


def states(data: st.DataObject) -> tuple[int, ...]:
    drawn = []
    for variable in VARIABLES:
        fitting = [number for number in BORDERS if variable.type.low <= number <= variable.type.high]
        low, high = variable.type.low, variable.type.high
        drawn.append(data.draw(st.one_of(st.sampled_from(fitting), st.integers(low, high)), label=variable.name))
    return tuple(drawn)


def model_of(expression: Expression) -> Model:
    return Model("m", "test", VARIABLES, (), (Transition("t", (), (Outcome((Assign(Read(X), expression),)),)),))


@settings(max_examples=300)
@given(expressions(), st.data())
def test_everybody_computes_what_mathematics_does(expression: Expression, data: st.DataObject) -> None:
    model = model_of(expression)
    interpreter = Interpreter(model)
    closures = Closures(model.slot_of)
    function, undefined = closures.function(expression), closures.function(undefined_where(expression))
    engine = Engine(compile_model(model, [(v.type.low, v.type.high) for v in VARIABLES], (Undefined(expression),)))
    for _ in range(4):
        state = states(data)
        wanted = evaluated(expression, state)
        try:
            assert interpreter.evaluate(expression, state) == wanted
        except Failure:
            assert wanted is None
        try:
            assert function(list(state)) == wanted
        except UndefinedValue:
            assert wanted is None
        assert bool(undefined(list(state))) == (wanted is None)
        packed = engine.compiled.layout.pack(state)
        ((_, _, failure, _, words),) = _engine.successors(engine.program, packed)
        assert (failure != 0) == (wanted is None)
        if wanted is not None:
            assert engine.compiled.layout.unpack(words)[0] == wanted


@settings(max_examples=300)
@given(expressions(), st.data())
def test_the_value_analysis_knows_what_can_be_and_what_can_fail(expression: Expression, data: st.DataObject) -> None:
    model = model_of(expression)
    domains = []
    for variable in VARIABLES:
        low, high = sorted(
            data.draw(st.tuples(*[st.integers(variable.type.low, variable.type.high)] * 2), label=variable.name)
        )
        domains.append(hull(low, min(high, low + data.draw(st.sampled_from([0, 1, 5, 2**20, 2**32])))))
    evaluation = Evaluation(model)
    image = evaluation.image(expression, domains, {})
    known = Domains(list(domains), list(domains), {}, {}, evaluation)
    fails = may_fail(expression, known)
    for _ in range(4):
        state = tuple(
            data.draw(
                st.sampled_from([domain[0], domain[-1]])
                if isinstance(domain, range)
                else st.sampled_from(sorted(domain))
            )
            for domain in domains
        )
        value = evaluated(expression, state)
        assert value in image if value is not None else fails


@given(st.sampled_from(sorted(EXACT)), numbers, numbers)
@example("/!", LOWEST, -1)
@example("*!", 65536, 65536)
@example("-!", 0, LOWEST)
@example("<<!", 1, 31)
def test_constants_are_folded_exactly_or_not_at_all(operator: str, left: int, right: int) -> None:
    wanted = in_mathematics(operator, left, right)
    folded = binary(operator, Constant(left), Constant(right))
    if wanted is None:
        assert folded == Binary(operator, Constant(left), Constant(right))
        assert not is_total(folded)
    else:
        assert folded == Constant(wanted)


def test_what_fits_by_its_types_needs_no_check() -> None:
    assert exact("+", Read(SMALL), Constant(1)) == Binary("+", Read(SMALL), Constant(1))
    assert exact("*", Read(FLAT), Read(FLAT)) == Binary("*", Read(FLAT), Read(FLAT))
    assert exact("+", Read(X), Constant(1)) == Binary("+!", Read(X), Constant(1))
    assert exact("*", exact("*", Read(FLAT), Read(FLAT)), Constant(2)).operator == "*!"  # type: ignore[attr-defined]
    assert negative(Read(SMALL)) == Unary("-", Read(SMALL))
    assert negative(Read(X)) == Binary("-!", Constant(0), Read(X))


def test_the_words_for_an_overflow() -> None:
    interpreter = Interpreter(model_of(Constant(0)))
    expression = Binary("*!", Constant(65536), Read(X))
    with pytest.raises(Failure, match=r"integer overflow: 65536 \* 65536 = 4294967296 does not fit 32 bits"):
        interpreter.evaluate(expression, (65536, 0, 0, 0))
