"""What each assumption rules out, and what a reduction must do under it."""

from __future__ import annotations

import pytest

from mule.engine import Algorithm
from mule.ltl.automaton import Automaton
from mule.ltl.formula import not_
from mule.ltl.parser import parse
from mule.ltl.splitting import components, split
from mule.ltl.stutter import stutter_closed
from mule.ltl.translate import translate
from mule.model import Model, Move
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.options import Fairness
from mule.planning import Analysis
from mule.temporal import fairness as fairness_module
from mule.temporal.fairness import agents, dependent
from mule.temporal.product import Product, Reduction
from mule.temporal.replay import replay_lasso
from tests.small_models import Builder, plus, put
from tests.temporal.cases import PORS
from tests.temporal.reference import System

FAIRNESS: tuple[Fairness, ...] = ("none", "F", "weak", "strong")
REDUCTIONS = [
    Reduction(Algorithm(por, remember="exact"), visibility, ignoring)
    for por in PORS
    for visibility in ("c2", "vi", "fair")
    for ignoring in ("stack", "static")
]


def is_(variable, value: int) -> Expression:  # type: ignore[no-untyped-def]
    return Binary("==", Read(variable), Constant(value))


def violating(formula: str, atoms: int) -> Automaton:
    automaton = stutter_closed(translate(not_(parse(formula).formula), "edges"))
    assert len(automaton.atoms) == atoms
    return automaton


def verdicts(model: Model, formula: str, *atoms: Expression) -> list[Fairness]:
    """The assumptions under which the formula does not hold: found without reduction, and with each."""
    automaton = violating(formula, len(atoms))
    analysis = Analysis(model)
    product = Product(analysis.model, analysis.domains, atoms, max(automaton.states, 2))
    system = System(product.model, atoms)
    violated = []
    for fairness in FAIRNESS:
        for reduction in [None, *(REDUCTIONS if fairness != "none" else ())]:
            found = product.search(automaton, "scc", reduction, fairness)
            assert found.empty != system.accepted(automaton, fairness, dependent(product.relations)), reduction
            if not found.empty:
                required = product.requirements(fairness)
                replay_lasso(product.model, automaton, atoms, found.prefix, found.cycle, required)
        if not found.empty:
            violated.append(fairness)
    return violated


def test_a_process_that_others_leave_no_time() -> None:
    builder = Builder()
    x, y = builder.variable("x", 1), builder.variable("y", 1)
    spins, sets = builder.process("spins", 1), builder.process("sets", 2)
    builder.transition(spins, 0, 0, (), (plus(x, 1),))
    builder.transition(sets, 0, 1, (), (put(y, 1),))
    assert verdicts(builder.model(), "<>a", is_(y, 1)) == ["none"]


def test_a_process_that_can_move_now_and_then() -> None:
    """Whether it can is up to another: F and justice are content with that."""
    builder = Builder()
    x = builder.variable("x", 1)
    spins, waits = builder.process("spins", 1), builder.process("waits", 2)
    builder.transition(spins, 0, 0, (), (plus(x, 1),))
    builder.transition(waits, 0, 1, (is_(x, 1),))
    model = builder.model()
    assert verdicts(model, "<>a", is_(model.processes[waits].location, 1)) == ["none", "F", "weak"]


def test_a_semaphore_needs_compassion() -> None:
    """While one process has it, the other cannot take it."""
    builder = Builder()
    free = builder.variable("free", 1, 1)
    first, second = builder.process("first", 2), builder.process("second", 2)
    for process in (first, second):
        builder.transition(process, 0, 1, (is_(free, 1),), (put(free, 0),))
        builder.transition(process, 1, 0, (), (put(free, 1),))
    model = builder.model()
    assert verdicts(model, "[]<>a", is_(model.processes[second].location, 1)) == ["none", "F", "weak"]


def test_justice_asks_for_more_than_f() -> None:
    """Both write x, so each step of the one depends on the step of the other, which can always be taken."""
    builder = Builder()
    x = builder.variable("x", 1)
    writes, ends = builder.process("writes", 1), builder.process("ends", 2)
    builder.transition(writes, 0, 0, (), (plus(x, 1),))
    builder.transition(ends, 0, 1, (), (put(x, 0),))
    model = builder.model()
    assert verdicts(model, "<>a", is_(model.processes[ends].location, 1)) == ["none", "F"]


def test_a_joint_step_is_one_of_all_who_take_part() -> None:
    """The partner is ready again and again, but not all the time."""
    builder = Builder()
    asks, answers = builder.process("asks", 2), builder.process("answers", 2)
    builder.transition(answers, 0, 1)
    builder.transition(answers, 1, 0)
    builder.joint((Move(asks, 0, 1), Move(answers, 1, 0)))
    model = builder.model()
    assert verdicts(model, "<>a", is_(model.processes[asks].location, 1)) == ["none", "F", "weak"]


def test_who_waits_for_a_joint_step_starts_none() -> None:
    """A rendezvous is the sender's step: the second receiver is treated justly though it could always take part."""
    builder = Builder()
    sends, receives, waits = builder.process("sends", 1), builder.process("receives", 1), builder.process("waits", 2)
    builder.joint((Move(sends, 0, 0), Move(receives, 0, 0)))
    builder.joint((Move(sends, 0, 0), Move(waits, 0, 1)))
    model = builder.model()
    assert verdicts(model, "<>a", is_(model.processes[waits].location, 1)) == ["none", "F", "weak"]


def test_a_rule_without_a_process_is_an_agent_of_its_own() -> None:
    builder = Builder()
    x, y = builder.variable("x", 1), builder.variable("y", 1)
    spins = builder.process("spins", 1)
    builder.transition(spins, 0, 0, (), (plus(x, 1),))
    builder.transition(None, 0, 0, (is_(y, 0),), (put(y, 1),))
    assert agents(builder.model()) == (1, 2)
    assert verdicts(builder.model(), "<>a", is_(y, 1)) == ["none"]


def test_a_finite_run_is_fair() -> None:
    builder = Builder()
    x = builder.variable("x", 1)
    once = builder.process("once", 2)
    builder.transition(once, 0, 1, (), (put(x, 1),))
    assert verdicts(builder.model(), "[]!a", is_(x, 1)) == list(FAIRNESS)


def two_who_call() -> tuple[Model, Expression]:
    """The third can move while the first or the second calls. Each of those calls and stops by itself; only some of the
    orders in which they do so leave a moment without a call."""
    builder = Builder()
    callers = [builder.process(name, 2) for name in ("first", "second")]
    hears = builder.process("hears", 2)
    for caller in callers:
        builder.transition(caller, 0, 1)
        builder.transition(caller, 1, 0)
    calls = [is_(builder.processes[caller].location, 1) for caller in callers]
    builder.transition(hears, 0, 1, (Binary("or", calls[0], calls[1]),))
    return builder.model(), is_(builder.processes[hears].location, 1)


def test_justice_depends_on_the_order_of_independent_steps() -> None:
    """Not equivalence robust (Peled, section 3.1): the run in which nobody calls now and then is just, and the third
    never moves; in others that differ in the order of independent steps it could have moved all the time."""
    model, heard = two_who_call()
    assert verdicts(model, "<>a", heard) == ["none", "F", "weak"]


@pytest.mark.parametrize("visibility", ["c2", "vi", "fair"])
def test_without_that_order_a_just_run_is_lost(visibility: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a reduction that is right for all runs is wrong for the just ones."""
    model, heard = two_who_call()
    analysis = Analysis(model)
    automaton = violating("<>a", 1)
    product = Product(analysis.model, analysis.domains, (heard,), automaton.states)
    monkeypatch.setattr(fairness_module, "_deciding_who_moves", lambda relations, fairness: [])
    reduction = Reduction(Algorithm("deletion", remember="exact"), visibility, "static")  # type: ignore[arg-type]
    assert not product.search(automaton, "scc", fairness="weak").empty
    assert product.search(automaton, "scc", reduction, "weak").empty


def test_parts_see_less() -> None:
    """`[]<>a || []<>b`: what changes a and what changes b may change places, and fewer states are left."""
    builder = Builder()
    bits = [builder.variable(name, 1) for name in "ab"]
    for number, bit in enumerate(bits):
        process = builder.process(f"P{number}", 4)
        for source in range(4):
            builder.transition(process, source, (source + 1) % 4, (), (plus(bit, 1),))
    analysis = Analysis(builder.model())
    formula = split(parse("[]<>a || []<>b").formula)
    automaton = translate(not_(formula), "edges")
    atoms = tuple(is_(bits["ab".index(name)], 1) for name in automaton.atoms)
    product = Product(analysis.model, analysis.domains, atoms, automaton.states)
    parts = tuple(frozenset(automaton.atoms.index(text) for text in each.atoms()) for each in components(formula))
    counts = []
    for observed in (None, parts):
        reduction = Reduction(Algorithm("deletion", remember="exact"), "fair", "static", observed=observed)
        result = product.search(automaton, "scc", reduction, "F")
        assert result.empty
        counts.append(result.progress.states)
    assert counts[1] < counts[0]
