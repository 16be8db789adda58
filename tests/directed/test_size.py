"""What an estimate costs: no more than the model itself, whatever it is put together from."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule.benchmarks.protocols
from mule import frontends
from mule.directed.estimate import MOST_FAILING_STEPS, estimate_for
from mule.directed.formula import reaching
from mule.directed.goals import Goals
from mule.directed.parts import Part, added, either, together
from mule.model import BYTE, Assign, Model
from mule.model.builder import ModelBuilder
from mule.model.expressions import Binary, Constant, Expression, Lookup, Read, children
from mule.model.value_analysis import compute_domains
from mule.planning.analysis import Analysis, bounds

pytestmark = pytest.mark.slow

PROTOCOLS = Path(mule.benchmarks.protocols.__file__).parent


def size(expression: Expression, known: dict[int, int] | None = None) -> int:
    """How much code it takes: what stands at several places is written as often."""
    known = {} if known is None else known
    if id(expression) not in known:
        known[id(expression)] = 1 + sum(size(child, known) for child in children(expression))
    return known[id(expression)]


def size_of(model: Model) -> int:
    guards = (model.guards[guard].expression for transition in model.transitions for guard in transition.guards)
    return sum(map(size, guards)) + len(model.transitions)


@pytest.mark.parametrize("join", [together, added, either])
def test_what_is_put_together_is_as_large_as_its_parts(join: object) -> None:
    leaf = Part(Lookup(Constant(0), (1, 2)), frozenset({1}))
    whole = join([leaf] * 40)  # type: ignore[operator]
    assert size(whole.value) <= 40 * size(leaf.value) + 40


@pytest.mark.parametrize(
    ("name", "defines"),
    [
        ("giop", ["ERROR", "USERS=2"]),
        ("giop", ["ERROR", "USERS=3"]),
        ("election", []),
        ("marriage", []),
        ("switch", []),
    ],
)
@pytest.mark.parametrize("bound", [True, False])
def test_an_estimate_is_no_larger_than_the_model(name: str, defines: list[str], bound: bool) -> None:
    analysis = Analysis(frontends.load(PROTOCOLS / f"{name}.pml", None, defines, None), ahead=True)
    model, domains = analysis.smaller(())
    estimate = estimate_for(model, domains, bounds(domains), Goals((), True, True), bound)
    assert size(estimate.value) <= 2 * size_of(model)


def test_of_many_steps_that_can_fail_only_the_places_are_asked_for() -> None:
    many = 3 * MOST_FAILING_STEPS
    steps = " ".join(f":: x == {n % 250} && y > {n % 7} -> assert(y + {n} != z)" for n in range(many))
    text = f"byte x, y; int z; active proctype P() {{ do {steps} :: x++ :: y++ :: z++ od }}"
    analysis = Analysis(frontends.load_text(text, "many.pml", "promela"))
    model, domains = analysis.smaller(())
    estimate = estimate_for(model, domains, bounds(domains), Goals((), False, True), True)
    assert size(estimate.value) < 20


def test_a_variable_that_anything_is_assigned_to_is_one_step_from_every_value() -> None:
    """However many values and steps there are: each pair of values is an edge, and none of them is looked at."""
    builder = ModelBuilder("any", "test")
    x, y = builder.variable("x", BYTE), builder.variable("y", BYTE)
    for _ in range(300):
        builder.transition("any", [], [Assign(Read(x), Binary("*", Read(y), Constant(3)))])
    model = builder.build()
    domains = compute_domains(model)
    part = reaching(model, domains, bounds(domains), Binary("==", Read(x), Constant(7)))
    assert size(part.value) <= 4
