"""`_nr_pr`, and programs that start processes without end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from mule.checking import Properties, check, explore
from mule.errors import MuleError
from mule.frontends.promela import load
from mule.model import Model
from mule.model.interpreter import Interpreter, State
from mule.options import Options
from mule.results import Verdict
from mule.temporal.conditions import Conditions
from mule.temporal.questions import asked_by_claim

pytestmark = pytest.mark.slow

RING = """
chan q[N] = [N] of { byte };
byte leaders;
proctype node(byte i; byte id) {
  byte m; bool lost;
  q[(i+1)%N]!id;
  do
  :: q[i]?m ->
     if
     :: m > id -> q[(i+1)%N]!m; lost = true
     :: m < id -> skip
     :: m == id -> leaders++; break
     fi;
     if :: lost && m == N -> break :: else fi
  od
}
init {
  byte k;
  atomic { k = 0; do :: k < N -> run node(k, ((k*3+1)%N)+1); k++ :: k >= N -> break od };
  (_nr_pr == 1);
  assert(leaders == 1)
}
"""
"""Chang and Roberts' election. SPIN's reduction keeps 841, 2,157 and 68,108 states for N = 4, 5 and 8."""

NESTED = """
proctype A() { run B(); skip }
proctype B() { if :: run A() :: skip fi }
init { do :: _nr_pr < 4 -> run A() :: run B() :: break od }
"""


@pytest.mark.parametrize(("n", "kept"), [(4, 32), (5, 37), (8, 64)])
def test_a_ring_that_waits_for_all_to_end_is_reduced_whatever_its_size(n: int, kept: int) -> None:
    result = check(load(f"#define N {n}\n{RING}", "ring.pml"), options=Options(por="deletion"))
    assert (result.verdict, result.statistics.states) == (Verdict.HOLDS, kept)


def reachable(model: Model, most: int) -> set[State]:
    interpreter = Interpreter(model)
    seen, waiting = {interpreter.initial}, [interpreter.initial]
    while waiting and len(seen) < most:
        for step in interpreter.steps(waiting.pop()):
            if step.failure is None and step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
    return seen


COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def test_the_number_of_processes_beside_a_constant_is_their_sum() -> None:
    model = load(NESTED, "m.pml", processes=5)
    assert model.parse_expression is not None
    interpreter = Interpreter(model)
    number = model.parse_expression("_nr_pr + 0")
    states = reachable(model, 2_000)
    counts = {state: interpreter.evaluate(number, state) for state in states}
    assert {*counts.values()} == {0, 1, 2, 3, 4, 5}
    for (operator, meant), constant in product(COMPARED.items(), range(-1, 8)):
        short = model.parse_expression(f"_nr_pr {operator} {constant}")
        mirrored = model.parse_expression(f"{constant} {operator} _nr_pr")
        for state, count in counts.items():
            assert bool(interpreter.evaluate(short, state)) == meant(count, constant)
            assert bool(interpreter.evaluate(mirrored, state)) == meant(constant, count)


def test_the_number_of_processes_beside_a_variable_is_their_sum() -> None:
    model = load("short x; " + NESTED.replace("break", "x < 9 -> x++ :: x = -1; break"), "m.pml", processes=4)
    assert model.parse_expression is not None
    interpreter = Interpreter(model)
    number, x = model.parse_expression("_nr_pr + 0"), model.parse_expression("x")
    states = [
        (state, interpreter.evaluate(number, state), interpreter.evaluate(x, state))
        for state in reachable(model, 3_000)
    ]
    assert {value for _, _, value in states} == {*range(-1, 10)}
    for operator, meant in COMPARED.items():
        short, mirrored = model.parse_expression(f"_nr_pr {operator} x"), model.parse_expression(f"x {operator} _nr_pr")
        for state, count, value in states:
            assert bool(interpreter.evaluate(short, state)) == meant(count, value)
            assert bool(interpreter.evaluate(mirrored, state)) == meant(value, count)


WORKERS = """byte n = 1, x;
proctype W() { byte k; k = 1; k = 2; k = 3 }
init { byte i; CHOICE; do :: i < 6 -> run W(); i++ :: else -> break od; (_nr_pr == n); x = 1 }
"""


@pytest.mark.parametrize(("choice", "kept"), [("skip", 108), ("if :: n = 1 :: n = 2 fi", 210)])
def test_a_program_that_waits_for_a_number_of_processes_in_a_variable_is_reduced(choice: str, kept: int) -> None:
    """With the sum of all processes in the guard, 9,098 and 18,199 states are left. SPIN: 35 and 68 states"""
    model = load(WORKERS.replace("CHOICE", choice), "m.pml")
    assert check(model, options=Options(por="deletion")).statistics.states == kept


@pytest.mark.parametrize(
    "program",
    [
        "active [2] proctype P() { byte k = _nr_pr; assert(k == _pid + 1) }",
        "active [2] proctype P() { bool k = (_nr_pr == 1); assert(k == (_pid == 0)) }",
        "proctype P() { byte k = _nr_pr; assert(k == 2) } init { run P() }",
        "proctype P() { skip; byte k = _nr_pr; assert(k == 2) } init { run P() }",
    ],
)
def test_a_process_that_starts_is_the_youngest(program: str) -> None:
    assert check(load(program, "m.pml")).verdict is Verdict.HOLDS


def test_a_loop_that_starts_processes_up_to_a_number_has_a_bound() -> None:
    """SPIN: 138 states"""
    model = load("byte x; proctype W(){ x = 1; x = 0 } init { do :: _nr_pr < 4 -> run W() :: x == 1 -> break od }", "m")
    assert len(model.processes) == 4
    assert not any(transition.limit for transition in model.transitions)
    assert explore(model, Options(por="none", as_written=True)).statistics.states == 138


@pytest.mark.parametrize("program", ["active proctype P(){ run P() }", "proctype P(){ run P() } init { run P() }"])
def test_a_program_without_end_has_more_processes_than_spin_allows(program: str) -> None:
    result = check(load(program, "m.pml"))
    assert result.verdict is Verdict.VIOLATED
    assert result.violations[0].message.startswith("more than 255 processes at a time, the last of them P")
    assert len(result.violations[0].trail) == 255


def test_nobody_can_ask_for_more_processes_than_spin_allows() -> None:
    with pytest.raises(MuleError, match="at most 255 processes"):
        load("active proctype P(){ run P() }", "m.pml", processes=256)


def test_a_claim_that_compares_the_number_of_processes_has_one_proposition_for_each_process() -> None:
    text = """
        proctype W(){ skip }
        init { run W(); run W(); run W() }
        never {
        T0: do :: _nr_pr == 2 -> goto T1 :: else od;
        T1: do :: _nr_pr == 3 -> goto T2 :: _nr_pr < 2 -> goto T0 :: else od;
        T2: do :: _nr_pr == 4 -> goto accept :: _nr_pr < 3 -> goto T1 :: else od;
        accept: do :: _nr_pr < 3 -> goto T0 :: _nr_pr >= 3 od
        }"""
    model = load(text, "m.pml")
    asked = asked_by_claim(model, model.claims[0])
    assert len(asked.atoms) == 3
    assert asked.stutters is not None


def test_a_claim_with_too_many_propositions_is_made_of_whole_conditions() -> None:
    names = [f"x{number}" for number in range(20)]
    text = f"bit {', '.join(names)}; init {{ x3 = 1 }} never {{ do :: {' || '.join(names)} -> break :: else od }}"
    model = load(text, "m.pml")
    assert check(model, Properties(claims=("never",))).verdict is Verdict.VIOLATED


def test_conditions_leave_out_what_no_value_allows() -> None:
    model = load("byte x; init { x = 1 }", "m.pml")
    assert model.parse_expression is not None
    below, above, equal = map(model.parse_expression, ("x < 2", "x > 3", "x == 5"))
    conditions = Conditions([below, above, equal])
    assert conditions.label(below) & conditions.label(above) == 0
    assert conditions.label(equal) & ~conditions.label(above) == 0
