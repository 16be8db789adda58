from __future__ import annotations

from typing import Any

import pytest

from mule.report.state import Change, changes_between, summarise, written
from mule.report.trail import Movement, explain_step
from mule.results import TrailError, replay


def test_a_step_says_who_moved_and_what_changed(sample: Any) -> None:
    step = explain_step(sample.model, sample.trail(0, 1), 1)
    assert (step.number, step.transition, step.process) == (2, 1, "right")
    assert step.movements == (Movement("right", "idle", "critical"),)
    assert step.changes == (Change("taken[1]", 0, 1),)


def test_channels_are_shown_as_their_messages(sample: Any) -> None:
    step = explain_step(sample.model, sample.trail(3, 3), 1)
    assert step.process is None
    assert step.changes == (Change("mail", ((3, 4),), ((3, 4), (3, 4))),)
    assert written(step.changes[0].new) == "[(3, 4), (3, 4)]"


def test_a_control_location_that_no_move_explains_is_a_change_by_name(sample: Any) -> None:
    before, after = sample.trail(0).states
    assert Change("left", "idle", "critical") in changes_between(sample.model, before, after)


def test_a_failing_step_changes_nothing(sample: Any) -> None:
    step = explain_step(sample.model, sample.trail(1, 4), 1)
    assert step.failure == "division by zero"
    assert step.changes == ()


def test_a_state_is_sorted_into_processes_variables_and_channels(sample: Any) -> None:
    summary = summarise(sample.model, sample.trail(0, 3).states[-1])
    assert summary.processes == {"left": "critical", "right": "idle"}
    assert summary.variables == {"taken": (1, 0)}
    assert summary.channels == {"mail": ((3, 4),)}


def test_a_trail_may_end_inside_its_last_step(sample: Any) -> None:
    # The last step of a search may stand for several transitions, of which the first goes wrong.
    trail = replay(sample.model, [(1, 0), (4, 0), (0, 0)], last=2)
    assert [step.failure for step in trail.steps] == [None, "division by zero"]
    with pytest.raises(TrailError, match="step 2 fails, and the trail goes on"):
        replay(sample.model, [(1, 0), (4, 0), (0, 0)])
