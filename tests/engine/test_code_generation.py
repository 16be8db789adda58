"""The compiled functions against the reference interpreter, state by state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule import _engine
from mule.codegen import compile_model, facts, list_model, module
from mule.codegen.layout import Layout
from mule.codegen.module import ModuleBuilder
from mule.engine import Engine
from mule.frontends import load_text
from mule.model import BYTE, INT, SHORT, Assign, Guard, IntegerType, Model, Outcome, Role, Transition, Variable
from mule.model.expressions import (
    EXACT,
    EXTREMES,
    Binary,
    Conditional,
    Constant,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
)
from mule.model.failures import with_error_transitions
from mule.model.interpreter import Failure, Interpreter
from mule.model.value_analysis import compute_domains
from mule.planning import Analysis, bounds
from mule.results import TrailError, replay
from tests.small_models import models, reachable

pytestmark = pytest.mark.slow


def compiled_engine(model: Model, optimised: bool = False, propositions: tuple[Expression, ...] = ()) -> Engine:
    compiled = compile_model(model, bounds(compute_domains(model)), propositions, with_guards=True)
    engine = Engine(compiled)
    if optimised and not compiled.code.optimised:
        engine.optimise()
    return engine


def native_steps(engine: Engine, state: tuple[int, ...]) -> list[tuple[int, int, bool, tuple[int, ...] | None]]:
    layout = engine.compiled.layout
    steps = []
    for transition, outcome, failure, fingerprint, words in _engine.successors(engine.program, layout.pack(state)):
        if failure == 0:
            assert fingerprint == _engine.hash_words(words), "the incremental hash differs from the whole one"
        steps.append((transition, outcome, failure != 0, None if failure else layout.unpack(words)))
    return sorted(steps)


def reference_steps(interpreter: Interpreter, state: tuple[int, ...]) -> list[tuple[int, int, bool, object]]:
    return sorted(
        (step.transition, step.outcome, step.failure is not None, None if step.failure else step.target)
        for step in interpreter.steps(state)
    )


@contextmanager
def functions_for_all_conditions(wanted: bool = True) -> Iterator[None]:
    """As if every condition were large."""
    with patch.object(facts, "LARGE", 2 if wanted else facts.LARGE), patch.object(facts, "OFTEN", 0):
        yield


@settings(max_examples=100)
@given(models(), st.booleans(), st.booleans(), st.sampled_from((0, module.WRITTEN_OUT)))
def test_expand_and_guards_agree_with_the_interpreter(
    model: Model, optimised: bool, functions: bool, written_out: int
) -> None:
    model = with_error_transitions(model, compute_domains(model))
    states = reachable(model, 300)
    if states is None:
        return
    interpreter = Interpreter(model)
    with functions_for_all_conditions(functions), patch.object(module, "WRITTEN_OUT", written_out):
        engine = compiled_engine(model, optimised)
    for state in states:
        assert native_steps(engine, state) == reference_steps(interpreter, state)
        native = _engine.guards(engine.program, engine.compiled.layout.pack(state))
        assert native == [interpreter.holds(guard, state) for guard in range(len(model.guards))]


WIDE = Variable("wide", INT, (0,))
NARROW = Variable("narrow", BYTE, (0,))
SIGNED = Variable("signed", SHORT, (0,))
ODD = Variable("odd", IntegerType("odd", -3, 9), (0,))
CHECKED = Variable("checked", IntegerType("checked", 0, 9, checked=True), (0,))
LARGE = Variable("large", INT, (0,) * 5, 5)
VARIABLES = (WIDE, NARROW, SIGNED, ODD, CHECKED, LARGE)
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
OPERATORS += [*EXACT, *sorted(EXTREMES)]
TABLE = (5, -3, 2**31 - 1, -(2**31), 0, 7, 7, 1)


def expressions() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.sampled_from([Read(v) for v in VARIABLES if v.length is None]),
        st.builds(Constant, st.one_of(st.integers(-5, 5), st.integers(-(2**31), 2**31 - 1))),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Binary, st.sampled_from(OPERATORS), inner, inner),
            st.builds(Unary, st.sampled_from(["not", "-", "~"]), inner),
            st.builds(Conditional, inner, inner, inner),
            st.builds(Undefined, inner),
            st.builds(lambda index: Read(LARGE, index), inner),
            st.builds(
                lambda place, table: Lookup(Binary("&", place, Constant(7)), table),
                inner,
                st.sampled_from([TABLE, bytes([0, 255, 34, 92, 10, 128, 7, 1])]),
            ),
        ),
        max_leaves=8,
    )


@settings(max_examples=250)
@given(expressions(), st.sampled_from(VARIABLES), st.booleans(), st.data())
def test_expressions_and_assignments_are_computed_as_the_interpreter_does(
    value: Expression, target: Variable, functions: bool, data: st.DataObject
) -> None:
    place = Read(target, Constant(data.draw(st.integers(0, 4))) if target.length else None)
    twice = (Assign(place, value), Assign(Read(WIDE), value))
    model = Model("m", "test", VARIABLES, (), (Transition("t", (), (Outcome(twice),)),))
    limits = [(v.type.low, v.type.high) for v, _ in model.slot_variables]
    with functions_for_all_conditions(functions):
        engine = Engine(compile_model(model, limits, (value,), functions=(value, Unary("not", value), Read(WIDE))))
    interpreter = Interpreter(model)
    for _ in range(4):
        state = tuple(data.draw(st.integers(low, high)) for low, high in limits)
        assert native_steps(engine, state) == reference_steps(interpreter, state)
        number = defined(interpreter, value, state)
        assert engine.evaluate(state) == [number, None if number is None else int(number == 0), state[0]]


def defined(interpreter: Interpreter, expression: Expression, state: tuple[int, ...]) -> int | None:
    try:
        return interpreter.evaluate(expression, state)
    except Failure:
        return None


def test_a_function_that_fails_in_a_state_is_undefined_there_and_the_others_are_not() -> None:
    model = Model("m", "test", VARIABLES, (), ())
    limits = [(v.type.low, v.type.high) for v, _ in model.slot_variables]
    lowest = -(2**31)
    functions = (Binary("/", Constant(9), Read(NARROW)), Read(LARGE, Read(WIDE)), Constant(lowest))
    engine = Engine(compile_model(model, limits, functions=functions))
    assert engine.evaluate((5, 0, 0, 0, 0, 1, 2, 3, 4, 5)) == [None, None, lowest]
    assert engine.evaluate((4, 2, 0, 0, 0, 1, 2, 3, 4, 5)) == [4, 5, lowest]
    assert Engine(compile_model(model, limits)).evaluate(model.initial_state) == []


def test_large_conditions_are_functions_that_many_guards_call() -> None:
    odd = Binary("and", Binary("<", Read(WIDE), Constant(5)), Binary("!=", Read(NARROW), Constant(7)))
    guards = (Binary("or", odd, Read(ODD)), Binary("or", odd, Read(SIGNED)))
    model = Model(
        "m",
        "test",
        VARIABLES,
        tuple(Guard(each, "large") for each in guards),
        tuple(Transition(f"t{n}", (n,), (Outcome((Assign(Read(WIDE), Constant(n)),)),)) for n in range(2)),
    )
    limits = [(v.type.low, v.type.high) for v, _ in model.slot_variables]
    builder = ModuleBuilder(model, Layout(model, limits), limits)
    with functions_for_all_conditions():
        text = builder.text()
    assert text.count("define internal i1 @condition") == 3, "both guards, and what they share"
    assert text.count("call i1 @condition") == 4
    assert "@condition" not in ModuleBuilder(model, Layout(model, limits), limits).text()


def test_packed_states_hold_every_value_of_their_bounds() -> None:
    flag = Variable("p", IntegerType("location", 0, 2), (0,), role=Role.LOCATION)
    model = Model("m", "test", (*VARIABLES, flag), (), ())
    limits = [(v.type.low, v.type.high) for v, _ in model.slot_variables]
    layout = Layout(model, limits)
    for corner in (tuple(low for low, _ in limits), tuple(high for _, high in limits)):
        assert layout.unpack(layout.pack(corner)) == corner


def test_a_state_of_up_to_62_bits_takes_one_word() -> None:
    scalars = tuple(Variable(f"v{i}", BYTE, (0,)) for i in range(8))
    model = Model("m", "test", scalars[:7], (), ())
    assert Layout(model, [(0, 255)] * 7).words == 1
    model = Model("m", "test", scalars, (), ())
    assert Layout(model, [(0, 255)] * 8).words == 2


def test_a_damaged_cache_file_is_ignored(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("MULE_CACHE_DIR", str(tmp_path))
    model = Model("m", "test", (NARROW,), (), (Transition("t", (), (Outcome((Assign(Read(NARROW), Constant(7)),)),)),))
    compile_model(model, [(0, 255)]).code.optimise()
    [file] = tmp_path.glob("*.o")
    content = file.read_bytes()
    file.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
    code = compile_model(model, [(0, 255)]).code
    assert not code.optimised
    file.write_bytes(content)
    assert compile_model(model, [(0, 255)]).code.optimised


def _handshakes(senders: int, receivers: int, sends: str) -> str:
    """`sends`: what is sent, which may say `{i}`; one receiver asks for a constant."""
    sending = "".join(f":: x == {i} -> c!{sends.format(i=i)}; x = {(i + 1) % senders}\n" for i in range(senders))
    receiving = "".join(f":: y == {i} -> c?z; y = {(i + 1) % receivers}\n" for i in range(receivers))
    return (
        "chan c = [0] of { byte };\n"
        f"active proctype S() {{ byte x; do\n{sending}od }}\n"
        f"active proctype R() {{ byte y, z; do\n{receiving}"
        f":: y == 1 -> if :: c?2 :: c?z fi; y = z % {receivers} od }}\n"
    )


@pytest.mark.parametrize("as_written", [False, True])
@pytest.mark.parametrize("sends", ["{i}", "x + {i}", "7"])
@pytest.mark.parametrize(("senders", "receivers"), [(3, 5), (14, 13)])
def test_pairs_of_a_rendezvous_agree_with_the_interpreter(
    senders: int, receivers: int, sends: str, as_written: bool
) -> None:
    """By a switch or a table, inline (few transitions) or by a function (more than 150)."""
    analysis = Analysis(load_text(_handshakes(senders, receivers, sends), "pairs.pml"))
    model = analysis.model if as_written else analysis.smaller(())[0]
    assert len(model.transitions) > 150 or senders == 3
    engine, interpreter = compiled_engine(model), Interpreter(model)
    states = reachable(model, 20_000)
    assert states is not None
    for state in states[:: 1 + len(states) // 500]:
        assert native_steps(engine, state) == reference_steps(interpreter, state)


def test_the_code_grows_with_the_model_and_not_with_its_square() -> None:
    def characters(processes: int) -> int:
        text = "".join(
            f"int x{n}; process P{n} {{ state a; init a; trans a -> a {{ effect x{n} = x{n} + 1; }}; }}\n"
            for n in range(processes)
        )
        model = load_text(text + "system async;", "counters.dve")
        return len(list_model(model, bounds(compute_domains(model))).text)

    assert characters(400) < 3 * characters(200)


def test_large_code_is_kept_as_it_stands_too(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("MULE_CACHE_DIR", str(tmp_path))
    assign = Outcome((Assign(Read(NARROW), Constant(7)),))
    compile_model(Model("m", "test", (NARROW,), (), (Transition("t", (), (assign,)),)), [(0, 255)])
    assert not list(tmp_path.glob("*.o"))
    large = Model("m", "test", (NARROW,), (), tuple(Transition(f"t{i}", (), (assign,)) for i in range(2_000)))
    for _ in range(2):
        assert not compile_model(large, [(0, 255)]).code.optimised
        assert len(list(tmp_path.glob("*-as-it-stands.o"))) == 1


def test_a_trail_that_cannot_be_followed_is_refused() -> None:
    model = Model("m", "test", (NARROW,), (), (Transition("t", (), (Outcome(()),)),))
    assert len(replay(model, [(0, 0), (0, 0)])) == 2
    with pytest.raises(TrailError):
        replay(model, [(0, 1)])


def test_undefined_values_fail_in_the_interpreter() -> None:
    model = Model("m", "test", VARIABLES, (), ())
    with pytest.raises(Failure, match="index 5 is out of range"):
        Interpreter(model).evaluate(Read(LARGE, Constant(5)), model.initial_state)
