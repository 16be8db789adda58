"""Each condition on reduced sets is needed: without it a small model loses an answer. So the other tests can fail."""

from __future__ import annotations

import pytest

from mule.ctl.parser import parse
from mule.graph import construction
from mule.options import Kept
from tests.ctl.reference import Tree
from tests.graph.cases import PORS, PROVISOS, Case, is_
from tests.small_models import Builder, plus, put
from tests.temporal.cases import ATOMS


def choosing() -> Case:
    """One process chooses whether it will ever set b; the other sets a. In between the choice is still open."""
    builder = Builder()
    a, b = builder.variable("a", 1), builder.variable("b", 1)
    chooser, setter = builder.process("chooser", 4), builder.process("setter", 2)
    builder.transition(chooser, 0, 1)
    builder.transition(chooser, 0, 2)
    builder.transition(chooser, 1, 3, (), (put(b, 1),))
    builder.transition(setter, 0, 1, (), (put(a, 1),))
    return Case(builder.model(), (is_(a, 1), is_(b, 1)))


OPEN = parse("EF (a && EF b && EF AG !b)").formula


@pytest.mark.parametrize("por", PORS)
@pytest.mark.parametrize("proviso", PROVISOS)
def test_branching_time_needs_single_transitions(por: str, proviso: str) -> None:
    case = choosing()
    tree = Tree(case.system, ATOMS)
    assert tree.holds(OPEN)
    assert case.labels("ctl", por=por, proviso=proviso).holds(OPEN)
    if not por.startswith("closure"):  # which does not start with the choice
        assert not case.labels("ltl", por=por, proviso=proviso).holds(OPEN)


def spinning() -> Case:
    """One process turns for ever, the other sets a."""
    builder = Builder()
    a, x = builder.variable("a", 1), builder.variable("x", 1)
    turner, setter = builder.process("turner", 2), builder.process("setter", 2)
    builder.transition(turner, 0, 1, (), (plus(x, 1),))
    builder.transition(turner, 1, 0)
    builder.transition(setter, 0, 1, (), (put(a, 1),))
    return Case(builder.model(), (is_(a, 1), is_(a, 0)))


@pytest.mark.parametrize("kept", ["ltl", "ctl"])
def test_nothing_may_be_put_off_for_ever(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    case = spinning()
    reached = parse("EF a").formula
    assert all(case.labels(kept, por="deletion", proviso=proviso).holds(reached) for proviso in PROVISOS)
    monkeypatch.setattr(construction, "sticky_transitions", lambda model, already: already)
    assert not case.labels(kept, por="deletion", proviso="static").holds(reached)


def racing() -> Case:
    """Two processes set one bit each: which comes first can be seen."""
    builder = Builder()
    a, b = builder.variable("a", 1), builder.variable("b", 1)
    for bit in (a, b):
        process = builder.process(bit.name.upper(), 2)
        builder.transition(process, 0, 1, (), (put(bit, 1),))
    return Case(builder.model(), (is_(a, 1), is_(b, 1)))


@pytest.mark.parametrize("kept", ["ltl", "ctl"])
def test_what_can_be_seen_keeps_its_order(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    case = racing()
    orders = [parse(text).formula for text in ("EF (a && !b)", "EF (b && !a)")]
    assert all(case.labels(kept, por="deletion").holds(order) for order in orders)
    monkeypatch.setattr(construction.GraphBuilder, "visible", 0)
    lost = racing().labels(kept, por="deletion")
    assert not all(lost.holds(order) for order in orders)
