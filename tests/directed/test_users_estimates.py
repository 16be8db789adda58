"""Estimates that the user gives: a guide, and no proof."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from mule.checking import check
from mule.errors import MuleError
from mule.frontends.dve import load
from mule.options import Estimate, Options
from mule.properties import Properties
from mule.report.json import result_object
from mule.results import Result

COUNTERS = """
byte x, y, z;
process A { state a; init a; trans a -> a { guard x < 20; effect x = x + 1; }; }
process B { state a; init a; trans a -> a { guard y < 20; effect y = y + 1; }; }
process C { state a; init a; trans a -> a { guard z < 20; effect z = z + 1; }; }
system async;
"""


def found(
    estimate: Estimate | tuple[Estimate, ...], search: str = "astar", invariant: str = "x*x + y*y < 800"
) -> Result:
    options = Options(por="none", search=search, estimate=estimate)  # type: ignore[arg-type]
    return check(load(COUNTERS, "counters.dve"), Properties(invariants=(invariant,)), options)


@pytest.mark.parametrize("search", ["astar", "idastar", "best-first"])
def test_a_user_s_estimate_guides_and_proves_nothing(search: str) -> None:
    result = found("40 - x - y", search)
    [violation] = result.violations
    assert len(violation.trail) == 40
    assert not violation.shortest
    assert result.statistics.states < 300
    assert any("no lower bound: it is the user's" in note for note in result.notes)


def test_of_several_estimates_the_largest_counts() -> None:
    result = found(("bound", "40 - x - y"))
    assert not result.violations[0].shortest
    assert result.statistics.states == found("40 - x - y").statistics.states
    assert any("of several the largest counts" in note for note in result.notes)
    proven = found(("bound", "bound"))
    assert proven.violations[0].shortest


def test_an_estimate_that_is_negative_or_undefined_says_nothing() -> None:
    for estimate in ("0 - 5", "7 / (x - x)"):
        assert len(found(estimate, invariant="x + y < 5").violations[0].trail) == 5


@pytest.mark.parametrize(
    ("estimate", "message"),
    [
        ("bund", "the estimate bund is none of auto, bound, sum, pattern, none, and no number of the model"),
        ("x +", "no number of the model"),
        (("none", "x"), "of several estimates none is auto or none"),
        (lambda: 3, "dve models have no functions to estimate with"),
    ],
)
def test_what_is_no_estimate_is_refused(estimate: Estimate, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        found(estimate)


PROGRAM = """
from mule.processes import Shared, System, pause

class Counter(Shared):
    value: int = 0
    other: int = 0

counter = Counter()

async def up() -> None:
    while counter.value < 30:
        await pause()
        counter.value += 1

async def other() -> None:
    while counter.other < 30:
        await pause()
        counter.other += 1

def left() -> int:
    return 60 - counter.value - counter.other

def system() -> System:
    return System([up(), other()], invariants={"below": lambda: counter.value + counter.other < 60})
"""


def test_a_model_in_python_has_a_function_for_its_estimate(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    specification = spec_from_file_location("program", path)
    assert specification is not None
    assert specification.loader is not None
    program = module_from_spec(specification)
    specification.loader.exec_module(program)
    states = set()
    for estimate in ("left()", "60 - counter.value - counter.other", program.left):
        guided = program.system().check(search="astar", estimate=estimate, por="none")
        assert guided.violated
        assert not guided.violations[0].shortest
        states.add(guided.statistics.states)
    assert len(states) == 1
    assert states.pop() < program.system().check(search="bfs", por="none").statistics.states
    assert result_object(guided)["options"]["estimate"] == "left"
