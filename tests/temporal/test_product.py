"""What runs are, where searches end, and what the product refuses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mule.driving import Limits
from mule.engine import Algorithm
from mule.errors import MuleError
from mule.frontends import load_text
from mule.ltl.automaton import Automaton, Edge
from mule.ltl.parser import parse
from mule.ltl.stutter import stutter_closed
from mule.ltl.translate import translate
from mule.model import Assign, Model, Variable
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.value_analysis import compute_domains
from mule.planning import Analysis, bounds
from mule.records import replace
from mule.relations.sticky import sticky_transitions
from mule.relations.visibility import failing_transitions, visible
from mule.results import TrailError
from mule.tarjan import strongly_connected
from mule.temporal.product import Product, ProductStep, Reduction
from mule.temporal.replay import replay_lasso
from tests.fuzz import examples
from tests.small_models import Builder, compare, models, plus, put
from tests.temporal.cases import IGNORING, PORS, VISIBILITIES
from tests.temporal.reference import System

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)
ALWAYS = Automaton((), [[Edge(1, 0, 0)]], 0, 1)
"""Follows every run and accepts none."""


def is_(variable: Variable, value: int) -> Expression:
    return Binary("==", Read(variable), Constant(value))


def product_of(model: Model, *atoms: Expression, states: int = 16) -> Product:
    analysis = Analysis(model)
    return Product(analysis.model, analysis.domains, atoms, states)


def automaton_of(formula: str) -> Automaton:
    """For the runs on which the formula holds; its only atom is a."""
    automaton = stutter_closed(translate(parse(formula).formula, "edges"))
    assert automaton.atoms == ("a",)
    return automaton


def counters(count: int, high: int) -> Model:
    """Processes that count up to `high` and end."""
    builder = Builder()
    for number in range(count):
        process = builder.process(f"P{number}", 1)
        x = builder.variable(f"x{number}", high, process=process)
        builder.transition(process, 0, 0, (compare(Read(x), "<", high),), (plus(x, 1),))
    return builder.model()


def test_a_run_that_ends_goes_on_by_stuttering() -> None:
    model = counters(2, 3)
    product = product_of(model, is_(model.variables[1], 3))
    for reduction in (None, Reduction(Algorithm("deletion"))):
        assert product.search(automaton_of("G !a"), reduction=reduction).empty
        found = product.search(automaton_of("F G a"), reduction=reduction)
        assert found.cycle == (ProductStep(None, 0, found.cycle[0].edge),)


def test_a_run_into_an_error_is_none() -> None:
    """The only step divides by zero."""
    builder = Builder()
    x = builder.variable("x", 1)
    process = builder.process("P", 2)
    builder.transition(process, 0, 1, (), (Assign(Read(x), Binary("/", Constant(1), Read(x))),))
    product = product_of(builder.model(), is_(x, 0))
    found = product.search(automaton_of("G a"))
    assert found.empty
    assert found.failures > 0


def hiding() -> tuple[Model, Expression]:
    """Q sets a bit and clears it; while P is inside its step nobody sees the bit."""
    builder = Builder()
    bit = builder.variable("bit", 1)
    p, q = builder.process("P", 3), builder.process("Q", 3)
    builder.transition(p, 0, 1)
    builder.transition(p, 1, 2)
    builder.transition(q, 0, 1, (), (put(bit, 1),))
    builder.transition(q, 1, 2, (), (put(bit, 0),))
    return replace(builder.model(), transient=is_(builder.processes[p].location, 1)), is_(bit, 1)


@pytest.mark.parametrize("por", PORS)
def test_what_happens_inside_a_step_is_not_seen(por: str) -> None:
    model, bit = hiding()
    product = product_of(model, bit)
    for formula in ("G !a", "F a"):
        automaton = automaton_of(formula)
        assert System(product.model, (bit,)).accepted(automaton)
        for visibility in VISIBILITIES:
            for ignoring in IGNORING:
                reduction = Reduction(Algorithm(por), visibility, ignoring)  # type: ignore[arg-type]
                found = product.search(automaton, reduction=reduction)
                assert not found.empty
                replay_lasso(product.model, automaton, (bit,), found.prefix, found.cycle)


def test_where_a_step_begins_and_ends_is_visible() -> None:
    """Without that the run on which the bit is never seen is lost, so the test above can fail."""
    model, bit = hiding()
    product = product_of(model, bit)
    product.visible = visible(product.relations, (bit,)) | failing_transitions(product.relations)
    assert product.search(automaton_of("G !a"), reduction=Reduction(Algorithm("deletion"))).empty


def test_a_fair_run_leaves_no_process_behind() -> None:
    builder = Builder()
    x, y = builder.variable("x", 1), builder.variable("y", 1)
    spins, sets = builder.process("spins", 1), builder.process("sets", 2)
    builder.transition(spins, 0, 0, (), (plus(x, 1),))
    builder.transition(sets, 0, 1, (), (put(y, 1),))
    product = product_of(builder.model(), is_(y, 1))
    never, at_last = automaton_of("G !a"), automaton_of("F a")
    assert not product.search(never, "scc").empty
    unfair = product.search(never, "scc")
    for fairness in ("F", "weak", "strong"):
        required = product.requirements(fairness)
        assert product.search(never, "scc", fairness=fairness).empty
        found = product.search(at_last, "scc", fairness=fairness)
        replay_lasso(product.model, at_last, product.atoms, found.prefix, found.cycle, required)
        with pytest.raises(TrailError, match="not fair"):
            replay_lasso(product.model, never, product.atoms, unfair.prefix, unfair.cycle, required)


@pytest.mark.parametrize("emptiness", ["ndfs", "scc"])
def test_limits(emptiness: str) -> None:
    product = product_of(counters(4, 40))
    whole = product.search(ALWAYS, emptiness)  # type: ignore[arg-type]
    assert (whole.stopped, whole.progress.states) == (None, 41**4)
    assert whole.progress.transitions == 4 * 40 * 41**3 + 1
    for limits, reason in (
        (Limits(max_states=1000), "states"),
        (Limits(max_seconds=0.0), "time"),
        (Limits(max_bytes=1 << 20), "memory"),
    ):
        stopped = product.search(ALWAYS, emptiness, limits=limits)  # type: ignore[arg-type]
        assert (stopped.stopped, stopped.empty) == (reason, True)
    assert product.search(ALWAYS, emptiness, limits=Limits(max_states=1000)).progress.states == 1000  # type: ignore[arg-type]


@pytest.mark.parametrize("emptiness", ["ndfs", "scc"])
def test_a_callback_that_returns_false_interrupts_the_search(emptiness: str) -> None:
    product = product_of(counters(5, 60))
    stopped = product.search(ALWAYS, emptiness, progress=lambda progress: False)  # type: ignore[arg-type]
    assert stopped.stopped == "interrupted"
    assert 0 < stopped.progress.states < 61**5


def test_what_does_not_go_together_is_refused() -> None:
    model = counters(2, 1)
    product = product_of(model, is_(model.variables[1], 1))
    automaton = automaton_of("F a")
    two_marks = Automaton(("a",), [[Edge(3, 0, 3)]], 0, 2)
    for algorithm in (Algorithm("deletion", remember="valid"), Algorithm("deletion", weak=True)):
        with pytest.raises(ValueError, match="temporal properties need"):
            product.search(automaton, reduction=Reduction(algorithm))
    with pytest.raises(ValueError, match="fairness"):
        product.search(automaton, "scc", Reduction(Algorithm("deletion"), ignoring="c3prime"), fairness="weak")
    with pytest.raises(ValueError, match="fairness"):
        product.search(automaton, "scc", Reduction(Algorithm("deletion"), "fair"))
    with pytest.raises(ValueError, match="one acceptance mark"):
        product.search(two_marks, "ndfs")
    with pytest.raises(ValueError, match="not made for such"):
        product.search(Automaton((), [[]], 0, 1))
    with pytest.raises(MuleError, match="stutter-closed"):
        product.search(
            Automaton(("a",), [[Edge(1, 1, 0)], [Edge(2, 1, 1)]], 0, 1), "ndfs", Reduction(Algorithm("beam"))
        )


def test_a_lasso_that_is_none_is_not_shown() -> None:
    model = counters(2, 2)
    product = product_of(model, is_(model.variables[1], 2))
    automaton = automaton_of("F G a")
    found = product.search(automaton)
    replay_lasso(product.model, automaton, product.atoms, found.prefix, found.cycle)
    wrong_edge = next(n for n, edge in enumerate(automaton.edges[automaton.initial]) if edge.label == 2)
    for prefix, cycle, problem in (
        (found.prefix[1:], found.cycle, "step"),
        (found.prefix, found.prefix[:1], "not enabled"),
        (found.prefix[:-1], found.cycle, "stutters, and something is enabled|does not allow"),
        (found.prefix, (), "does not accept"),
        ((found.prefix[0]._replace(edge=None),), found.cycle, "transient"),
        ((found.prefix[0]._replace(edge=wrong_edge),), found.cycle, "does not allow"),
        ((found.prefix[0]._replace(outcome=7),), found.cycle, "not possible"),
    ):
        with pytest.raises(TrailError, match=problem):
            replay_lasso(product.model, automaton, product.atoms, prefix, cycle)


@settings(max_examples=EXAMPLES)
@given(models())
def test_every_cycle_takes_a_sticky_transition(model: Model) -> None:
    system = System(model, ())
    if not system.complete:
        return
    limits = bounds(compute_domains(model))
    for sticky in (sticky_transitions(model), sticky_transitions(model, bounds=limits)):
        rest = [
            [to for transition, to in steps if transition is not None and not sticky >> transition & 1]
            for steps in system.steps
        ]
        assert all(number not in out for number, out in enumerate(rest))
        assert all(len(group) == 1 for group in strongly_connected(rest))


def test_sticky_transitions_are_those_that_close_cycles_of_control() -> None:
    builder = Builder()
    process = builder.process("P", 3)
    for source, target in ((0, 1), (1, 2), (2, 0), (1, 1)):
        builder.transition(process, source, target)
    assert sticky_transitions(builder.model()) == 0b1100
    assert sticky_transitions(builder.model(), 0b0001) == 0b1001


def test_who_sends_for_ever_needs_somebody_who_receives_for_ever() -> None:
    text = """
    chan c = [2] of { byte };
    active proctype Sender() { byte x; do :: c!x :: x = 1 - x; c!x od }
    active proctype Receiver() { byte y; do :: c?y od }
    """
    analysis = Analysis(load_text(text, "sends.pml", "promela"))
    model = analysis.model
    plain = sticky_transitions(model)
    refined = sticky_transitions(model, bounds=bounds(analysis.domains))
    assert plain.bit_count() == 3
    [receive] = [number for number in range(len(model.transitions)) if refined >> number & 1]
    assert "c?y" in model.transitions[receive].name


def test_a_counter_that_wraps_comes_back_without_being_lowered() -> None:
    text = "byte x; active proctype P() { do :: x++ od } active proctype Q() { do :: x-- od }"
    analysis = Analysis(load_text(text, "wraps.pml", "promela"))
    model = analysis.model
    assert sticky_transitions(model, bounds=bounds(analysis.domains)) == sticky_transitions(model)
