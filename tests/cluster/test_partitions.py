"""The search of a cluster in one process, in random orders: its counts, its verdicts and its trails."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.cluster.partition import Report
from mule.cluster.termination import Rounds
from mule.comparison import REDUCTIONS
from mule.driving import Progress
from mule.engine import Found
from mule.model import Model
from mule.options import FRAGMENTED, Options
from tests.cluster.questions import Asked, counted
from tests.fuzz import examples
from tests.small_models import models
from tests.soundness.reference import Searches, Space
from tests.soundness.trails import examine_trail, invariants

pytestmark = pytest.mark.slow

EXAMPLES = examples(25)


def report(idle: bool, sent: int, received: int) -> Report:
    return Report(0, idle, False, False, sent, received, 0, Progress(0, 0, 0, 0, 0, 0.0))


def test_one_round_of_idle_partitions_is_not_the_end() -> None:
    """The first one is asked, then the second sends it a batch and is idle when it is asked."""
    rounds = Rounds()
    assert not rounds.are_over([report(True, 0, 0), report(True, 1, 0)])
    assert not rounds.are_over([report(False, 0, 1), report(True, 1, 0)])
    assert not rounds.are_over([report(True, 0, 1), report(True, 1, 0)])
    assert rounds.are_over([report(True, 0, 1), report(True, 1, 0)])


def test_counts_of_different_moments_may_agree_by_accident() -> None:
    """A batch that was counted as received in the first round and one that is under way in the second."""
    rounds = Rounds()
    assert not rounds.are_over([report(True, 0, 0), report(True, 0, 1)])
    assert not rounds.are_over([report(True, 2, 0), report(True, 0, 1)])


@settings(max_examples=EXAMPLES)
@given(models(), st.integers(1, 8), st.integers(0, 10**6))
def test_any_number_of_partitions_counts_what_one_search_does(model: Model, parts: int, seed: int) -> None:
    space = Space(model)
    if not space.complete:
        return
    asked = Asked(model, "deadlocks")
    options = Options(por="none", search="bfs")
    found = asked.shared(options, parts, random.Random(seed))
    assert counted(found) == counted(asked.alone(options))
    assert (found.progress.states, found.progress.transitions) == (len(space.states), space.transitions)
    assert sum(node.states for node in found.progress.nodes) == len(space.states)


@settings(max_examples=EXAMPLES)
@given(models(), st.integers(1, 8), st.integers(0, 10**6), st.data())
def test_every_reduction_has_the_verdict_of_the_full_search(
    model: Model, parts: int, seed: int, data: st.DataObject
) -> None:
    space = Space(model)
    if not space.complete:
        return
    drawn = () if space.fails else (data.draw(invariants(space)),)
    good = all(space.always(each) for each in drawn) and not space.fails and not space.deadlocks
    asked = Asked(model, "safety", drawn)
    searches = Searches(model, "safety", drawn)
    chosen = random.Random(seed)
    reductions = chosen.sample(REDUCTIONS, 3)
    for (por, weak), proviso in [
        (each, chosen.choice(("closed-", "duplicate-", "duplicate", *FRAGMENTED))) for each in reductions
    ]:
        options = Options(por=por, weak=weak, proviso=proviso)
        found = asked.shared(options, parts, chosen, stop_at_deadlock=True, stop_at_assertion=True, stop_at_error=True)
        assert (found.found is Found.NOTHING) == good, (por, weak, proviso)
        examine_trail(space, searches, found, drawn)
        alone = asked.alone(options, stop_at_deadlock=True, stop_at_assertion=True, stop_at_error=True)
        assert (alone.found is Found.NOTHING) == good, (por, weak, proviso)
        examine_trail(space, searches, alone, drawn)


@settings(max_examples=EXAMPLES)
@given(models(), st.integers(2, 5), st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_a_lost_worker_changes_no_count(model: Model, parts: int, seed: int, losses: int, cuts: bool) -> None:
    """With cuts, and without: then the search begins again."""
    space = Space(model)
    if not space.complete:
        return
    asked = Asked(model, "deadlocks")
    options = Options(por="none", search="bfs")
    with TemporaryDirectory() as folder:
        found = asked.shared(options, parts, random.Random(seed), Path(folder) if cuts else None, losses)
    assert counted(found) == counted(asked.alone(options))


@settings(max_examples=EXAMPLES)
@given(models(), st.integers(2, 5), st.integers(0, 10**6), st.integers(1, 4), st.data())
def test_a_lost_worker_changes_no_verdict(
    model: Model, parts: int, seed: int, losses: int, data: st.DataObject
) -> None:
    space = Space(model)
    if not space.complete:
        return
    drawn = () if space.fails else (data.draw(invariants(space)),)
    good = all(space.always(each) for each in drawn) and not space.fails and not space.deadlocks
    asked = Asked(model, "safety", drawn)
    chosen = random.Random(seed)
    options = Options(por="deletion", proviso=chosen.choice(("closed-", "duplicate-", *FRAGMENTED)))
    with TemporaryDirectory() as folder:
        found = asked.shared(
            options,
            parts,
            chosen,
            Path(folder),
            losses,
            stop_at_deadlock=True,
            stop_at_assertion=True,
            stop_at_error=True,
        )
    assert (found.found is Found.NOTHING) == good
    examine_trail(space, Searches(model, "safety", drawn), found, drawn)
