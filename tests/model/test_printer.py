"""Expressions, statements and models as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mule.frontends.dve import load
from mule.model import BYTE, Assign, Channel, Outcome, Receive, Send, Variable
from mule.model.exact import exact, negative
from mule.model.expressions import ARITHMETIC, COMPARISONS, Binary, Conditional, Constant, Expression, Read, Unary
from mule.model.interpreter import Failure, Interpreter
from mule.model.printer import format_expression, format_model, format_outcome, format_statement

MODEL = load("byte x = 3, y = 5, a[2] = {7, 8}; process P { state s; init s; } system async;", "m.dve")
X, Y, A = Read(MODEL.variables[0]), Read(MODEL.variables[1]), MODEL.variables[2]


def both(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(operator, left, right)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (both("+", X, both("*", Y, Constant(2))), "x + y * 2"),
        (both("*", both("+", X, Y), Constant(2)), "(x + y) * 2"),
        (both("-", both("-", X, Y), X), "x - y - x"),
        (both("-", X, both("-", Y, X)), "x - (y - x)"),
        (both("-", both("+", X, Y), X), "x + y - x"),
        (both("+", X, both("+", Y, X)), "x + y + x"),
        (both("and", both("or", X, Y), X), "(x or y) and x"),
        (both("or", both("and", X, Y), X), "(x and y) or x"),
        (both("and", X, both("and", Y, X)), "x and y and x"),
        (both("==", both("&", X, Constant(4)), Constant(4)), "(x & 4) == 4"),
        (both("|", X, both("+", Y, Constant(1))), "x | (y + 1)"),
        (both("<", both("+", X, Constant(1)), Y), "x + 1 < y"),
        (both("==", both("<", X, Y), Constant(1)), "(x < y) == 1"),
        (Unary("not", X), "not x"),
        (Unary("not", both("and", X, Y)), "not (x and y)"),
        (Unary("-", Constant(-1)), "-(-1)"),
        (both("-", X, Constant(-1)), "x - -1"),
        (Read(A, both("+", X, Constant(1))), "a[x + 1]"),
        (Conditional(both("<", X, Y), X, Y), "x < y ? x : y"),
    ],
)
def test_only_the_needed_parentheses(expression: Expression, text: str) -> None:
    assert format_expression(expression) == text


def test_statements() -> None:
    channel = Channel("c", 2, Variable("len(c)", BYTE, (0,)), ())
    assert format_statement(Assign(X, both("+", Y, Constant(1)))) == "x = y + 1"
    assert format_statement(Send(channel, (X, Constant(1)))) == "c ! x, 1"
    assert format_statement(Receive(channel, (X, None))) == "c ? x, _"
    outcome = Outcome((Assign(X, Y),), both("<", X, Y))
    assert format_outcome(outcome) == "if x < y: x = y"
    assert format_outcome(Outcome(())) == "nothing"


def expressions() -> st.SearchStrategy[Expression]:
    leaves: st.SearchStrategy[Expression] = st.one_of(
        st.sampled_from([X, Y]), st.integers(0, 9).map(Constant), st.integers(0, 3).map(lambda i: Read(A, Constant(i)))
    )
    operators = st.sampled_from(sorted(ARITHMETIC | COMPARISONS | {"and", "or"}))

    def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            st.builds(exact, operators, inner, inner),
            st.builds(Unary, st.sampled_from(["not", "~"]), inner),
            st.builds(negative, inner),
        )

    return st.recursive(leaves, larger, max_leaves=12)


def value(expression: Expression) -> int | str:
    try:
        return Interpreter(MODEL).evaluate(expression, MODEL.initial_state)
    except Failure as failure:
        return str(failure)


@given(expressions())
def test_what_is_printed_reads_back_with_the_same_value(expression: Expression) -> None:
    assert MODEL.parse_expression is not None
    assert value(MODEL.parse_expression(format_expression(expression))) == value(expression)


def test_a_whole_model() -> None:
    text = """
    byte x, a[2] = {1, 2};
    channel {byte} c[2];
    process P { byte i; state s, t; init s; commit t; assert t: i < 3;
      trans s -> t { guard x == 0 and a[i] > 0; sync c!x; effect i = i + 1; }, t -> t {}; }
    process L { state u; init u; accept u; trans u -> u { guard P.s; }; }
    system async property L;
    """
    expected = """\
m (dve): 2 processes, 9 slots, 6 guards, 2 transitions

variables
  byte x
  byte a[2] = {1, 2}
  byte P->i

channels
  channel {byte} c[2]

processes
  P: >s t!
  L: >u*

guards
  g0  P at s
  g1  len(c) < 2
  g2  x == 0
  g3  a[P->i] > 0
  g4  P at t
  g5  L at u

transitions
  t0  P ! c: s -> t    line 5
        guard x == 0 and a[i] > 0; sync c!x; effect i = i + 1
        when P at s, len(c) < 2, x == 0, a[P->i] > 0
        does c ! x; P goes to t; P->i = P->i + 1
  t1  P: t -> t    line 5
        when P at t
        does nothing

property
  p0  L: u -> u    line 6
        guard P.s
        when L at u, P at s
        does nothing

assertions
  P.t: i < 3: P not at t or P->i < 3"""
    assert format_model(load(text, "m.dve")) == expected


def test_of_a_large_expression_the_first_parts_are_written() -> None:
    """Shared parts are one object each, but the text would have each of them again and again."""
    expression: Expression = Read(Variable("x", BYTE, (0,)))
    for _ in range(200):
        expression = Binary("+", expression, expression)
    text = format_expression(expression)
    assert text.startswith("x + ") or text.startswith("…")
    assert len(text) < 20_000
