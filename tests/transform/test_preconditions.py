"""A precondition says before the statements what the predicate says after them."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mule.model import Kind, Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.interpreter import Failure, Interpreter
from mule.model.value_analysis import compute_domains
from mule.transform.preconditions import Effect, Unknown
from tests.small_models import Builder, models, plus, put, reachable
from tests.transform.cases import EXAMPLES

pytestmark = pytest.mark.slow


def examine(model: Model, predicate: Expression) -> str:
    """The predicate after each outcome, in all reachable states in which the outcome is possible."""
    states = reachable(model)
    if states is None:
        return "too many states"
    domains, interpreter, said = compute_domains(model), Interpreter(model), "nothing"
    for transition in model.transitions:
        before = domains.before(model, transition.guards)
        if transition.kind is Kind.ERROR or before is None:
            continue
        for outcome in transition.outcomes:
            try:
                condition = Effect(domains, before, outcome.statements).precondition(predicate)
            except Unknown:
                continue
            said = "the same" if condition is predicate or condition == predicate else "something else"
            for state in states:
                if interpreter.enabled(transition, state):
                    try:
                        expected = interpreter.evaluate(predicate, interpreter.run(outcome, state))
                    except Failure:
                        continue
                    assert bool(interpreter.evaluate(condition, state)) == bool(expected)
    return said


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.data())
def test_it_agrees_with_the_interpreter(data: st.DataObject) -> None:
    model = data.draw(models())
    written = [
        statement.target
        for transition in model.transitions
        for outcome in transition.outcomes
        for statement in outcome.statements
        if hasattr(statement, "target")
    ]
    places = [Read(variable) for variable in model.variables if variable.length is None]
    places += [
        Read(variable, index)
        for variable in model.variables
        if variable.length is not None
        for index in (*map(Constant, range(variable.size)), *places)
    ]
    one_that_is_written = data.draw(st.booleans())
    place = data.draw(st.sampled_from(written if written and one_that_is_written else places))
    operator = data.draw(st.sampled_from(["==", "!=", "<", ">="]))
    event(examine(model, Binary(operator, place, Constant(data.draw(st.integers(-1, 3))))))


def test_a_byte_wraps() -> None:
    builder = Builder()
    x, y = builder.variable("x", 3), builder.variable("y", 2)
    builder.transition(None, 0, 0, [], (plus(x, 1), plus(x, 1), plus(y, 1)))
    model = builder.model()
    for variable in (x, y):
        for value in range(4):
            assert examine(model, Binary("==", Read(variable), Constant(value))) == (
                "something else" if variable is x else "nothing"
            )


def test_an_element_that_an_index_decides_is_not_known() -> None:
    builder = Builder()
    k, a = builder.variable("k", 1), builder.variable("a", 1, length=2)
    builder.transition(None, 0, 0, [], (put(a, 1, Read(k)), plus(k, 1)))
    model = builder.model()
    assert examine(model, Read(a, Constant(0))) == "nothing"
    assert examine(model, Read(a, Read(k))) == "nothing"
