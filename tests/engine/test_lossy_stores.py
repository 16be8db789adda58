"""Stores that may leave states out: how much they find, and that nobody takes that for all."""

from __future__ import annotations

from typing import Any

import pytest

import mule
from mule.cli.main import main
from mule.errors import MuleError
from mule.options import OF_A_STACK, Proviso

COUNTERS = "byte x[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};\n"
PROCESS = """
process P{0} {{
  byte wide = 200;
  state counting; init counting;
  trans counting -> counting {{ guard x[{0}] < {1}; effect x[{0}] = x[{0}] + 1, wide = (wide * 3) % 251; }};
}}
"""


def counters(count: int, limit: int) -> mule.System:
    """Independent counters: (limit + 1) ** count states of more than one word."""
    parts = [PROCESS.format(number, limit) for number in range(count)]
    return mule.loads(COUNTERS + "".join(parts) + "system async;\n", "dve")


@pytest.mark.parametrize("store", ["compact", "bitstate"])
def test_without_collisions_the_counts_are_the_exact_ones(store: str) -> None:
    model = counters(6, 4)
    exact = model.explore(por="none", as_written=True)
    found = model.explore(por="none", as_written=True, store=store)
    assert exact.states == 5**6
    counts = (found.states, found.transitions, found.statistics.deadlocks, found.statistics.depth)
    assert counts == (exact.states, exact.transitions, exact.statistics.deadlocks, exact.statistics.depth)
    assert found.incomplete
    assert found.stopped == "omissions"
    assert found.omissions is not None
    assert 0 < found.omissions.probability < 1e-6


@pytest.mark.parametrize("store", ["compact", "bitstate"])
def test_nothing_holds_where_states_may_be_missing(store: str) -> None:
    result = counters(8, 2).check(invariant="x[0] < 3", store=store, as_written=True)
    assert result.incomplete
    assert "invariant x[0] < 3" not in result.holding
    assert any("left out" in note for note in result.notes)
    assert "states may have been left out" in str(result)
    assert result.to_dict()["omissions"]["store"] == store
    assert result.to_dict()["verdict"] == "incomplete"


@pytest.mark.parametrize("store", ["compact", "bitstate"])
@pytest.mark.parametrize("por", ["none", "deletion"])
def test_a_violation_is_as_good_as_any(store: str, por: str) -> None:
    result = counters(8, 2).check(invariant="x[0] + x[1] < 4", store=store, por=por, as_written=True)
    assert result.violation is not None
    assert result.violation.trail.states[-1][:2] == (2, 2)
    assert not result.violation.shortest  # a shorter one may lead through states that were left out


def test_states_of_one_word_are_kept_as_they_are() -> None:
    result = mule.load("examples/peterson.dve").check(store="compact")
    assert result.holds
    assert result.omissions is None
    assert any("no larger than a signature" in note for note in result.notes)


def test_the_status_is_that_of_an_incomplete_search(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "examples/peterson.dve", "--store", "bitstate"]) == 3
    assert "? incomplete" in capsys.readouterr().out


@pytest.mark.parametrize("options", [{"search": "dfs"}, {"search": "astar"}, {"stateless": True}, {"por": "dpor"}])
def test_other_searches_have_no_such_stores(options: dict[str, Any]) -> None:
    with pytest.raises(MuleError, match="--store compact is for --search bfs"):
        mule.load("examples/peterson.dve").check(store="compact", **options)


@pytest.mark.parametrize("proviso", OF_A_STACK)
def test_such_stores_have_no_stack(proviso: Proviso) -> None:
    with pytest.raises(MuleError, match="which has no stack: use --proviso auto, duplicate-, duplicate or static"):
        mule.load("examples/peterson.dve").explore(preserve="safety", store="compact", proviso=proviso)


def test_temporal_properties_have_no_such_stores() -> None:
    with pytest.raises(MuleError, match="--store compact has no effect on temporal properties"):
        mule.load("examples/peterson.dve").check(ltl="[]<>(left.critical)", store="compact")
