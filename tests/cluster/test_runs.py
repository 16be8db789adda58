"""Products shared out over partitions in this process."""

from __future__ import annotations

import random
from typing import Literal

import pytest

from mule.cluster.in_process import InProcessRuns
from mule.cluster.runs import lead_runs, marks_of
from mule.driving import Limits
from mule.engine import Algorithm
from mule.errors import MuleError
from mule.frontends import load_text
from mule.planning import Analysis
from mule.properties import Properties
from mule.temporal.product import Product, Reduction, Runs
from mule.temporal.questions import questions_of
from tests.cluster.fuzz_ltl import try_model

pytestmark = pytest.mark.slow

WHEELS = """byte a, b, c;
active proctype A() { do :: a = (a + 1) % 9 od }
active proctype B() { do :: b = (b + 1) % 9 od }
active proctype C() { do :: c < 9 -> c++ od }
"""

ENDLESS = """byte x;
active proctype P() { do :: skip od }
active proctype Q() { x = 1; x = 2 }
"""
"""P's step leads from each state to itself, and is a stubborn set."""


def asked(formula: str, text: str = WHEELS) -> tuple[Product, Runs]:
    model = load_text(text, "m", "promela")
    [question] = questions_of(model, Properties(ltl=(formula,)))
    analysis = Analysis(model, question.atoms)
    product = Product(analysis.model, analysis.domains, question.atoms, question.automaton.states)
    return product, Runs(question.automaton, None, "none", True)


def test_a_limit_on_states_stops_all_partitions() -> None:
    product, runs = asked("[] (a + b + c < 99)")
    team = InProcessRuns(product, runs, 3, random.Random(0))
    found = lead_runs(team, marks_of(product, runs), Limits(max_states=300))
    assert (found.stopped, found.empty) == ("states", True)
    assert 300 < found.progress.states < 810


def test_a_partition_stops_where_its_memory_is_full() -> None:
    product, runs = asked("[] (a + b + c < 99)")
    team = InProcessRuns(product, runs, 2, random.Random(0), max_bytes=1)
    assert lead_runs(team, marks_of(product, runs), Limits()).stopped == "memory"


def test_fairness_that_is_more_than_marks_is_refused() -> None:
    product, runs = asked("[]<> (a == 0)")
    with pytest.raises(MuleError, match="leave out --cluster, or --fairness"):
        marks_of(product, Runs(runs.automaton, None, "strong", True))


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("proviso", ["duplicate", "c3prime"])
def test_a_step_to_the_state_itself_does_not_go_up(proviso: Literal["duplicate", "c3prime"], parts: int) -> None:
    product, runs = asked("[] (x != 2)", ENDLESS)
    reduction = Reduction(Algorithm("deletion", False, False, "exact"), "vi", proviso)
    runs = Runs(runs.automaton, reduction, "none", True)
    team = InProcessRuns(product, runs, parts, random.Random(0))
    assert not lead_runs(team, marks_of(product, runs), Limits()).empty


@pytest.mark.parametrize("seed", range(8))
def test_random_models(seed: int) -> None:
    try_model(seed)
