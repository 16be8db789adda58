"""The seed's orders of reductions and estimates, on the smallest sizes of our protocols."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.benchmarks import directed
from mule.benchmarks.directed import A_STAR, CASES, ORDERS, REDUCTIONS, TABLES, Case, Comparison, Experiment, Order, Run
from mule.benchmarks.seed001 import FIGURE_6, TABLE_1, TABLE_2, TABLE_3
from mule.options import Por
from tests.benchmarks.corpora import printed

pytestmark = pytest.mark.slow

SMALL = (
    Case("marriers", "marriage", "N=3", deadlock=True),
    Case("pots", "switch", "N=2", deadlock=True),
    Case("leader", "election", "N=4", deadlock=False),
    Case("giop", "giop", "USERS=2", deadlock=True),
)
LONG = 600.0


@pytest.fixture(scope="module")
def experiments() -> dict[str, Experiment]:
    return {case.name: Experiment(case, LONG) for case in SMALL}


NO_GAIN = {
    ("marriers", "ample"): "both, reduction alone",
    ("marriers", "auto"): "both, reduction alone",
    ("leader", "auto"): "both, reduction alone",
    ("pots", "ample"): "C3_stack, no reduction",
}
"""Where an order fails on so small a model: as many states are stored in both searches."""


@pytest.mark.parametrize("name", [case.name for case in SMALL])
@pytest.mark.parametrize("por", REDUCTIONS)
def test_which_of_the_seed_s_orders_hold(experiments: dict[str, Experiment], name: str, por: Por) -> None:
    experiment = experiments[name]
    broken = [each for order in ORDERS for each in order.compared(experiment, por) if not order.holds(each)]
    assert [each.what for each in broken] == ([NO_GAIN[name, por]] if (name, por) in NO_GAIN else [])
    assert all(each.fewer.states == each.more.states for each in broken)
    assert experiment.missed == []


@pytest.mark.parametrize(
    ("name", "por", "states"),
    [
        ("marriers", "ample", [419, 214, 227, 214, 227, 214]),
        ("leader", "ample", [876, 70, 74, 70, 74, 99]),
        ("giop", "ample", [1434, 995, 1132, 995, 1132, 1257]),
        ("leader", "auto", [876, 61, 66, 61, 66, 90]),
    ],
)
def test_states_kept_depth_first(experiments: dict[str, Experiment], name: str, por: Por, states: list[int]) -> None:
    experiment, table = experiments[name], TABLES[0]
    reduced = [experiment.run(table, por, proviso).states for proviso in table.provisos]
    assert [experiment.full(table).states, *reduced] == states


def test_factors_are_of_states_stored(experiments: dict[str, Experiment]) -> None:
    experiment = experiments["giop"]
    found = experiment.factors("ample")
    assert found.both > max(found.heuristic, found.reduction) > 1
    assert found.heuristic * found.reduction_with_heuristic == pytest.approx(found.both)
    assert found.reduction * found.heuristic_with_reduction == pytest.approx(found.both)


def test_an_error_is_as_far_with_reduction(experiments: dict[str, Experiment]) -> None:
    for experiment in experiments.values():
        lengths = {experiment.run(table, por, table.provisos[0]).length for table in TABLES[1:] for por in REDUCTIONS}
        assert lengths == {experiment.full(A_STAR).length}


def test_tables_stand_beside_the_seed_s(tmp_path: Path) -> None:
    status, text = printed(
        lambda models, console: directed.run(models, console, cases=SMALL[2:], reductions=("ample",)), tmp_path
    )
    assert status == 0
    lines = [line.split() for line in text.splitlines()]
    assert any(line[:4] == ["stack", "|", "70", "8.0"] and line[-4:-2] == ["963", "1.8"] for line in lines)
    assert any(line[:2] == ["seed", "|"] and line[-1] == "5.9" for line in lines)
    assert text.count(": holds (") == len(ORDERS), "with ample sets on these two models"


def test_an_order_that_does_not_hold_is_shown_with_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more, cut = Run(5, 5, 0.0, None, True), Run(4, 4, 0.0, None, False)
    wrong = Order("this keeps fewer", True, lambda *_: iter([Comparison("this, that", more, cut)]))
    monkeypatch.setattr(directed, "TABLES", ())
    monkeypatch.setattr(directed, "ORDERS", (wrong,))
    status, text = printed(
        lambda models, console: directed.run(models, console, cases=SMALL[1:2], reductions=("ample",)), tmp_path
    )
    assert status == 1
    assert "this keeps fewer: DOES NOT HOLD everywhere (0 of 1)\n  not in pots, ample: this, that: 5 against >4" in text


@pytest.mark.parametrize(
    ("fewer", "more", "holds"),
    [((4, True), (5, True), True), ((5, True), (5, True), False), ((4, True), (5, False), True),
     ((4, False), (5, True), False)],
)  # fmt: skip
def test_what_was_cut_short_is_no_proof_of_fewer_states(
    fewer: tuple[int, bool], more: tuple[int, bool], holds: bool
) -> None:
    first, second = (Run(states, states, 0.0, None, complete) for states, complete in (fewer, more))
    order = Order("fewer", True, lambda *_: iter(()))
    assert order.holds(Comparison("", first, second)) is holds


def test_a_search_that_misses_the_error_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Case("pots", "switch", "N=2", deadlock=False)
    monkeypatch.setattr(directed, "ORDERS", ())
    status, text = printed(
        lambda models, console: directed.run(models, console, cases=(right,), reductions=("ample",)), tmp_path
    )
    assert status == 1
    assert "pots: astar with --por none did not come to the error" in text


def test_the_seed_s_tables_are_whole() -> None:
    names = {case.name for case in CASES}
    assert set(TABLE_2) == set(TABLE_3) == set(FIGURE_6) == names
    assert set(TABLE_1) == names - {"pots"}
    for table in TABLES:
        assert all(set(rows) == {"none", *table.provisos} for rows in table.seed.values())
