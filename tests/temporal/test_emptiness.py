"""Emptiness checks against brute force on small random models, without and with reduction.

`MULE_FUZZ=5000 pytest tests/temporal` runs that many models."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mule.engine import Algorithm
from mule.ltl.automaton import Automaton
from mule.ltl.components import pruned
from mule.ltl.degeneralise import degeneralised_on_edges
from mule.ltl.formula import Formula, not_
from mule.ltl.splitting import components, split
from mule.ltl.stutter import stutter_closed, stutter_invariant_automaton
from mule.ltl.translate import translate
from mule.model import Model
from mule.options import Fairness
from mule.temporal.fairness import dependent
from mule.temporal.product import ProductResult, Reduction, with_one_mark
from mule.temporal.replay import replay_lasso
from tests.fuzz import examples
from tests.ltl.formulas import formulas
from tests.temporal.cases import (
    ATOMS,
    IGNORING,
    PORS,
    VISIBILITIES,
    Case,
    automata,
    next_free,
    over_atoms,
    transient_models,
)
from tests.temporal.reference import System

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)
FAIRNESS: tuple[Fairness, ...] = ("none", "F", "weak", "strong")
MOST_STATES = 60


def judge(case: Case, automaton: Automaton, result: ProductResult, accepted: bool, fairness: Fairness = "none") -> None:
    """The verdict is right, and the counterexample is one."""
    assert result.stopped is None
    assert result.empty != accepted
    if accepted:
        if case.product.model.transient is not None and automaton.marks == 0:
            automaton = with_one_mark(automaton)
        model = case.product.model
        required = case.product.requirements(fairness)
        replay_lasso(model, automaton, case.product.atoms, result.prefix, result.cycle, required)


@settings(max_examples=EXAMPLES)
@given(transient_models(), st.lists(formulas(), min_size=1, max_size=3), automata(), st.data())
def test_without_reduction(model: Model, wanted: list[Formula], drawn: Automaton, data: st.DataObject) -> None:
    case = Case(model, data.draw, False, MOST_STATES)
    if not case.small:
        return
    every = [drawn]
    dependencies = dependent(case.product.relations)
    for formula in wanted:
        every += [over_atoms(translate(formula, acceptance)) for acceptance in ("generalised", "edges", "states")]
    for automaton in every:
        if automaton.states > MOST_STATES:
            continue
        for fairness in FAIRNESS:
            accepted = case.system.accepted(automaton, fairness, dependencies)
            event(f"accepted {accepted}, fairness {fairness}")
            judge(case, automaton, case.product.search(automaton, "scc", fairness=fairness), accepted, fairness)
            if automaton.marks <= 1 and fairness == "none":
                judge(case, automaton, case.product.search(automaton, "ndfs"), accepted)


def compare_reductions(case: Case, automaton: Automaton, original: Automaton, nds: bool, remember: str) -> None:
    """`automaton` is `original` in stutter-closed form."""
    accepted = case.system.accepted(original)
    assert case.system.accepted(automaton) == accepted
    event(f"accepted {accepted}")
    for por, visibility, ignoring in product(PORS, VISIBILITIES, IGNORING):
        reduction = Reduction(Algorithm(por, nds=nds, remember=remember), visibility, ignoring)  # type: ignore[arg-type]
        searched = original if ignoring == "static" else automaton
        for emptiness in ("scc", "ndfs"):
            if emptiness == "ndfs" and searched.marks > 1:
                continue
            result = case.product.search(searched, emptiness, reduction)
            if result.reduced:
                event("reduced, and accepted" if accepted else "reduced")
            judge(case, searched, result, accepted)


@settings(max_examples=EXAMPLES)
@given(
    transient_models(),
    st.lists(next_free(), min_size=1, max_size=3),
    st.sampled_from(["generalised", "edges", "states"]),
    st.booleans(),
    st.sampled_from(["exact", "none"]),
    st.data(),
)
def test_reductions(
    model: Model, wanted: list[Formula], acceptance: str, nds: bool, remember: str, data: st.DataObject
) -> None:
    case = Case(model, data.draw, True, MOST_STATES)
    if not case.small:
        return
    for formula in wanted:
        original = over_atoms(translate(formula, acceptance))  # type: ignore[arg-type]
        closed = stutter_closed(original)
        if closed.states <= MOST_STATES:
            compare_reductions(case, closed, original, nds, remember)


@settings(max_examples=EXAMPLES)
@given(transient_models(), st.lists(automata(3, 1), min_size=1, max_size=3), st.data())
def test_reductions_with_any_automaton(model: Model, drawn: list[Automaton], data: st.DataObject) -> None:
    """Stutter-invariant automata that no translation would build: deterministic ones, known to be, and closed ones."""
    case = Case(model, data.draw, True, MOST_STATES)
    if not case.small:
        return
    for automaton in drawn:
        original = degeneralised_on_edges(pruned(automaton)) if automaton.marks > 1 else pruned(automaton)
        if not stutter_invariant_automaton(original):
            original = stutter_closed(original)
        closed = stutter_closed(original)
        if closed.states <= MOST_STATES:
            compare_reductions(case, closed, original, True, "exact")


@settings(max_examples=EXAMPLES)
@given(
    transient_models(),
    st.lists(next_free(), min_size=1, max_size=2),
    st.sampled_from(PORS),
    st.booleans(),
    st.data(),
)
def test_reductions_under_fairness(
    model: Model, wanted: list[Formula], por: str, nds: bool, data: st.DataObject
) -> None:
    """F is about the transitions that are searched; processes are the same in the model as written."""
    case = Case(model, data.draw, True, MOST_STATES)
    if not case.small:
        return
    searched = System(case.product.model, case.atoms)
    dependencies = dependent(case.product.relations)
    for formula in map(split, wanted):
        original = over_atoms(translate(not_(formula), "generalised"))
        closed = stutter_closed(original)
        if closed.states > MOST_STATES:
            continue
        parts = tuple(frozenset(map(ATOMS.index, part.atoms())) for part in components(formula))
        observed = parts if case.product.model.transient is None else None
        for fairness in FAIRNESS[1:]:
            system = searched if fairness == "F" else case.system
            accepted = system.accepted(original, fairness, dependencies)
            event(f"accepted {accepted}, fairness {fairness}")
            for visibility, ignoring in product((*VISIBILITIES, "fair"), ("stack", "static")):
                algorithm = Algorithm(por, nds=nds, remember="exact")
                reduction = Reduction(algorithm, visibility, ignoring, observed=observed)  # type: ignore[arg-type]
                automaton = original if ignoring == "static" else closed
                result = case.product.search(automaton, "scc", reduction, fairness)
                if result.reduced:
                    event(f"reduced, fairness {fairness}" + (", and accepted" if accepted else ""))
                judge(case, automaton, result, accepted, fairness)
