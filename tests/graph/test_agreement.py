"""Answers on graphs, reduced in every way there is, against brute force on small random models.

`MULE_FUZZ=5000 pytest tests/graph` runs that many models."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mule import _engine
from mule.ctl.formula import Formula, negation_normal_form
from mule.ctl.labelling import Labels
from mule.ctl.witness import evidence
from mule.driving import Limits, drive, native_limits
from mule.graph.answers import edges_of
from mule.graph.trails import linear_trail
from mule.ltl.automaton import Automaton
from mule.ltl.formula import Formula as LtlFormula
from mule.ltl.translate import translate
from tests.ctl.formulas import formulas
from tests.ctl.reference import Tree
from tests.fuzz import examples
from tests.graph.bisimulation import bisimilar, runs_of_graph, runs_of_system
from tests.graph.cases import PORS, PROPOSITIONS, PROVISOS, Case, cases
from tests.ltl.formulas import formulas as ltl_formulas
from tests.temporal.cases import ATOMS, next_free, over_atoms

pytestmark = pytest.mark.slow

EXAMPLES = examples(40)
REDUCTIONS = [
    {"por": por, "proviso": proviso, "nds": nds} for por, proviso, nds in product(PORS, PROVISOS, (False, True))
]
SOME = st.lists(st.sampled_from(REDUCTIONS), min_size=1, max_size=2)

Reductions = list[dict[str, Any]]


def compare(case: Case, labels: Labels, tree: Tree, formula: Formula) -> None:
    """The verdict is right, and there is a run that shows why, as far as a run can."""
    expected = tree.holds(formula)
    event(f"holds {expected}")
    assert labels.holds(formula) == expected
    if not expected:
        found = evidence(labels, negation_normal_form(formula, negated=True))
        trail = linear_trail(case.model, found, dict(zip(ATOMS, case.atoms, strict=True)))
        event("a lasso" if trail.loop is not None else f"a path of {min(len(trail), 3)} steps")


@settings(max_examples=EXAMPLES)
@given(cases(), st.lists(formulas(ATOMS, steps=True), min_size=1, max_size=6))
def test_branching_time_without_reduction(case: Case, wanted: list[Formula]) -> None:
    if case.small:
        tree, labels = Tree(case.system, ATOMS), case.labels(por="none")
        for formula in wanted:
            compare(case, labels, tree, formula)


@settings(max_examples=EXAMPLES)
@given(cases(), st.lists(formulas(ATOMS), min_size=3, max_size=8), SOME)
def test_branching_time(case: Case, wanted: list[Formula], some: Reductions) -> None:
    if not case.small:
        return
    tree = Tree(case.system, ATOMS)
    for reduction in some:
        result = case.graph("ctl", **reduction)
        event("reduced" if result.reduced else "not reduced")
        labels = Labels(result.graph, PROPOSITIONS)
        for formula in wanted:
            compare(case, labels, tree, formula)


@settings(max_examples=EXAMPLES)
@given(cases(), SOME)
def test_graphs_for_branching_time_are_bisimilar_to_the_full_one(case: Case, some: Reductions) -> None:
    """Stronger than any number of formulas."""
    if not case.small:
        return
    full = runs_of_system(case.system)
    for reduction in some:
        result = case.graph("ctl", **reduction)
        event("reduced" if result.reduced else "not reduced")
        assert bisimilar(full, runs_of_graph(result.graph))


def accepted(graph: _engine.Graph, automaton: Automaton) -> bool:
    """Whether some run of the graph is accepted."""
    edges = edges_of(automaton, [(number, False) for number in range(len(ATOMS))])
    arguments = automaton.initial, len(ATOMS), automaton.marks, True, native_limits(Limits())
    search = _engine.make_graph_emptiness_search(graph, edges, *arguments)
    drive(search, Limits())
    found = search.take_result()
    assert found.empty == (not found.cycle(graph))
    return not found.empty


@settings(max_examples=EXAMPLES)
@given(cases(), st.lists(ltl_formulas(ATOMS), min_size=1, max_size=4))
def test_linear_time_without_reduction(case: Case, wanted: list[LtlFormula]) -> None:
    if case.small:
        graph = case.graph("ltl", por="none").graph
        for formula in wanted:
            automaton = over_atoms(translate(formula, "generalised"))
            assert accepted(graph, automaton) == case.system.accepted(automaton)


@settings(max_examples=EXAMPLES)
@given(cases(), st.lists(next_free(), min_size=3, max_size=6), SOME)
def test_linear_time(case: Case, wanted: list[LtlFormula], some: Reductions) -> None:
    if not case.small:
        return
    automata = [over_atoms(translate(formula, "generalised")) for formula in wanted]
    expected = [case.system.accepted(automaton) for automaton in automata]
    for kept, reduction in product(("ltl", "ctl"), some):
        result = case.graph(kept, **reduction)  # type: ignore[arg-type]
        event("reduced" if result.reduced else "not reduced")
        assert [accepted(result.graph, automaton) for automaton in automata] == expected
