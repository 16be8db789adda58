"""`validate` finds nothing wrong with what Mule derives, and finds what is wrong with relations that lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.comparison import REDUCTIONS
from mule.frontends import load as load_file
from mule.frontends.dve import load
from mule.model import Model
from mule.options import Options, Por
from mule.planning import Preparation, plan_for, resolve
from mule.records import replace
from mule.relations import Relations
from mule.validation import Finding, validate

pytestmark = pytest.mark.slow

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.dve"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_valid_under_all_algorithms(example: Path) -> None:
    result = validate(load_file(str(example)))
    assert result.findings == []
    assert result.checks > result.states > 0


@pytest.mark.parametrize(("por", "weak"), REDUCTIONS)
def test_one_algorithm_can_be_tested_alone(por: Por, weak: bool) -> None:
    [philosophers] = [path for path in EXAMPLES if path.stem == "philosophers"]
    result = validate(load_file(str(philosophers)), Options(por=por, weak=weak), sample=20)
    assert (result.findings, result.states, result.stopped) == ([], 20, "sample")


# A enables B; B and C write y, each something else.
THREE = """
byte x, y;
process A { state a, b; init a; trans a -> b { effect x = 1; }; }
process B { state c, d; init c; trans c -> d { guard x == 1; effect y = 1; }; }
process C { state e, f; init e; trans e -> f { effect y = 2; }; }
system async;
"""
A, B, C = "A: a -> b", "B: c -> d", "C: e -> f"


@pytest.fixture
def model() -> Model:
    return load(THREE, "three.dve")


@pytest.fixture
def relations(model: Model) -> Relations:
    return Preparation(plan_for(model, resolve(Options(as_written=True), "deadlocks"), "deadlocks", ())).relations


def transition(relations: Relations, name: str) -> int:
    [number] = [number for number, each in enumerate(relations.model.transitions) if each.name == name]
    return number


def guard(relations: Relations, text: str) -> int:
    [number] = [number for number, each in enumerate(relations.model.guards) if each.text == text]
    return number


def with_bit(rows: list[int], row: int, column: int, value: bool) -> list[int]:
    changed = list(rows)
    assert bool(changed[row] >> column & 1) is not value, "the relation says so already"
    changed[row] ^= 1 << column
    return changed


def refuted(model: Model, relations: Relations) -> dict[str, str]:
    """What was found, by relation."""
    findings: list[Finding] = validate(model, Options(as_written=True), relations=relations).findings
    return {finding.relation: finding.message for finding in findings}


def test_the_derived_relations_of_the_small_model_are_valid(model: Model, relations: Relations) -> None:
    assert refuted(model, relations) == {}


def test_two_dependent_transitions_that_are_said_to_accord(model: Model, relations: Relations) -> None:
    b, c = transition(relations, B), transition(relations, C)
    rows = with_bit(with_bit(relations.do_not_accord, b, c, False), c, b, False)
    found = refuted(model, replace(relations, do_not_accord=rows))
    assert found["accordance"] == (f"{B} and {C} are said to accord, but in <x=1 A=b B=c C=e> they do not commute")
    assert B in found["D1"]
    assert C in found["D1"]


def test_a_transition_that_is_missing_in_an_enabling_set(model: Model, relations: Relations) -> None:
    rows = with_bit(relations.enabling, guard(relations, "x == 1"), transition(relations, A), False)
    found = refuted(model, replace(relations, enabling=rows))
    assert found["necessary enabling set"] == (
        f"{A} makes `x == 1` true in <A=a B=c C=e>, and is not in its necessary enabling set"
    )
    # Then nothing brings A into a set with B: C alone is chosen, and B may overwrite what C did.
    assert "after A: a -> b" in found["D1"]


def test_a_transition_that_is_missing_in_a_disabling_set(model: Model, relations: Relations) -> None:
    rows = with_bit(relations.disabling, guard(relations, "C at e"), transition(relations, C), False)
    found = refuted(model, replace(relations, disabling=rows))
    assert found["necessary disabling set"] == (
        f"{C} makes `C at e` false in <A=a B=c C=e>, and is not in its necessary disabling set"
    )


def test_guards_that_are_said_never_to_be_true_together(model: Model, relations: Relations) -> None:
    one, other = guard(relations, "A at a"), guard(relations, "C at e")
    rows = with_bit(with_bit(relations.never_coenabled, one, other, True), other, one, True)
    assert refuted(model, replace(relations, never_coenabled=rows))["may be co-enabled"] == (
        "`A at a` and `C at e` are said never to be true together, in <A=a B=c C=e> they are"
    )


def test_a_transition_that_is_said_to_left_accord_with_the_one_that_enables_it(
    model: Model, relations: Relations
) -> None:
    rows = with_bit(relations.do_not_left_accord, transition(relations, B), transition(relations, A), False)
    found = refuted(model, replace(relations, left_accordance=lambda: rows))
    assert found["left accordance"] == (
        f"{A} then {B} runs from <A=a B=c C=e>, but not the other way round to the same state"
    )


def test_a_transition_that_is_said_to_disable_another(model: Model, relations: Relations) -> None:
    rows = with_bit(relations.must_disable, transition(relations, A), transition(relations, C), True)
    assert refuted(model, replace(relations, must_disable=rows))["must-disable"] == (
        f"{C} is enabled after {A} in <A=a B=c C=e>"
    )
