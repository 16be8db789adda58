"""Where a process may stop for ever, nothing is wrong when nothing can move."""

from __future__ import annotations

import pytest

from mule.checking import check, explore
from mule.comparison import ALGORITHMS
from mule.model import Model
from mule.options import Options, Por, Search
from mule.results import Verdict, ViolationKind
from tests.engine.lines import Lines, is_, put

searches = pytest.mark.parametrize("search", ["dfs", "bfs"])
reductions = pytest.mark.parametrize("por", ["none", *ALGORITHMS])


def handshake(flag: int, ends: bool = True) -> Model:
    """P sets x to `flag` and stops; Q waits for 1 and stops."""
    lines = Lines()
    x = lines.variable("x")
    p = lines.process("P", 1, [1] if ends else [])
    q = lines.process("Q", 1, [1] if ends else [])
    lines.step(p, 0, "x = 1", None, put(x, flag))
    lines.step(q, 0, "x == 1", is_(x, 1))
    return lines.build()


@searches
@reductions
def test_a_state_in_which_all_are_at_their_ends_is_no_deadlock(search: Search, por: Por) -> None:
    options = Options(por=por, search=search)
    counted = explore(handshake(1), options.but(as_written=True)).statistics
    assert (counted.states, counted.transitions, counted.deadlocks) == (3, 2, 0)
    assert check(handshake(1), options=options).verdict is Verdict.HOLDS


@searches
@reductions
def test_a_process_that_waits_elsewhere_makes_it_an_invalid_end_state(search: Search, por: Por) -> None:
    options = Options(por=por, search=search)
    assert explore(handshake(2), options).statistics.deadlocks == 1
    [violation] = check(handshake(2), options=options).violations
    assert violation.kind is ViolationKind.DEADLOCK
    assert violation.message == "invalid end state: no process can move, with Q in l0"
    assert len(violation.trail) == 1


def test_without_any_end_every_state_without_successors_is_a_deadlock() -> None:
    [violation] = check(handshake(1, ends=False)).violations
    assert (violation.kind, violation.message) == (ViolationKind.DEADLOCK, "no process can move")
