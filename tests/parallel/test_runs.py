"""Temporal properties with several workers, from outside: verdicts, counts, what is refused, and random models against
one worker."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mule.checking import check
from mule.cli.main import main
from mule.errors import MuleError
from mule.frontends import load_text
from mule.model import Model
from mule.options import Options
from mule.properties import Properties
from mule.results import Verdict
from tests.parallel.fuzz_ltl import try_model

pytestmark = pytest.mark.slow

WHEELS = """byte a, b, c;
active proctype A() { do :: a = (a + 1) % 9 od }
active proctype B() { do :: b = (b + 1) % 9 od }
active proctype C() { do :: c < 9 -> c++ od }
"""


def wheels() -> Model:
    return load_text(WHEELS, "wheels", "promela")


def judged(formula: str, **options: object) -> tuple[Verdict, int, int]:
    result = check(wheels(), Properties(ltl=(formula,)), Options(**options))  # type: ignore[arg-type]
    return result.verdict, result.statistics.states, result.statistics.transitions


def test_workers_count_what_one_counts() -> None:
    holds = "[] (a < 9)"
    one, many = (judged(holds, por="none", as_written=True, workers=workers) for workers in (1, 3))
    assert many == one
    assert one[0] is Verdict.HOLDS


@pytest.mark.parametrize("formula", ["[]<> (a == 0)", "[] (b != 5)", "<>[] (c == 9)", "[]<> (a == 0 && b == 0)"])
def test_workers_find_a_run_that_violates_a_property(formula: str) -> None:
    """The run is followed by the reference interpreter and the automaton before it is shown."""
    result = check(wheels(), Properties(ltl=(formula,)), Options(workers=2))
    assert result.verdict is Verdict.VIOLATED
    assert result.options.workers == 2
    assert result.violations[0].trail is not None


@pytest.mark.parametrize("fairness", ["weak", "strong", "F"])
def test_workers_know_which_runs_are_fair(fairness: str) -> None:
    fair = "[]<> (a == 0)"
    assert judged(fair, fairness=fairness, workers=2)[0] is Verdict.HOLDS
    assert judged("<> (a == 3 && b == 3)", fairness=fairness, workers=2)[0] is Verdict.VIOLATED


@pytest.mark.parametrize("proviso", ["auto", "duplicate", "c3prime", "static"])
def test_the_reduced_product_does_not_depend_on_the_number_of_workers(proviso: str) -> None:
    formula = "[] (c <= 9)"
    two, four = (judged(formula, proviso=proviso, workers=workers, as_written=True) for workers in (2, 4))
    assert two == four
    assert two[0] is Verdict.HOLDS
    assert two[2] < judged(formula, por="none", workers=2, as_written=True)[2]


def test_what_workers_cannot_do_is_refused() -> None:
    runs = Properties(ltl=("[] (a < 9)",))
    with pytest.raises(MuleError, match="use --proviso auto or duplicate or c3prime or static"):
        check(wheels(), runs, Options(proviso="stack", workers=2))
    with pytest.raises(MuleError, match="has no effect"):
        check(wheels(), runs, Options(proviso="duplicate"))
    with pytest.raises(MuleError, match="several workers search breadth first"):
        check(wheels(), runs, Options(search="dfs", workers=2))
    with pytest.raises(MuleError, match="CTL is judged by one worker"):
        check(wheels(), Properties(ltl=("[] (a < 9)",), ctl=("EF (a == 3)",)), Options(workers=2))


def test_states_and_runs_together() -> None:
    result = check(wheels(), Properties(assertions=True, ltl=("[] (a < 9)",)), Options(workers=2))
    assert result.verdict is Verdict.HOLDS


def test_workers_stop_at_limits() -> None:
    few = check(
        wheels(), Properties(ltl=("[] (a < 9)",)), Options(por="none", workers=2, max_states=500, as_written=True)
    )
    assert (few.stopped, few.statistics.states) == ("states", 500)
    assert few.verdict is Verdict.INCOMPLETE


def test_the_command_line_has_workers_for_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wheels.pml"
    file.write_text(WHEELS)
    assert main(["check", str(file), "--ltl", "[]<> (a == 0)", "--workers", "2", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["options"]["workers"] == 2
    assert report["violations"][0]["trail"]


@pytest.mark.parametrize("seed", range(8))
def test_random_models(seed: int) -> None:
    try_model(seed)
