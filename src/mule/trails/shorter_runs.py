"""Shorter trails for temporal properties: another way to the loop, or another loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mule.effects import limits_only
from mule.model.interpreter import State, Step
from mule.results import Trail
from mule.safety import check_invariants
from mule.temporal.shortening import always_true
from mule.temporal.shorter_lassos import shorter_lasso
from mule.trails.commuting import Accesses, needed, without_loops
from mule.trails.directed import TO_THE_STATE, TO_THE_VIOLATION, to_the_state
from mule.trails.judging import holds, is_inside_a_step
from mule.trails.leaving_out import with_fewer_steps
from mule.trails.runs import question_about
from mule.trails.shortening import COMMUTED, LEFT_OUT, LOOPS, Attempt, Work

TO_THE_LOOP = "A* to the loop"
NEAR = "a loop near the initial state"

Methods = Iterator[tuple[str, Callable[[], Attempt]]]


def methods(work: Work) -> Methods:
    yield LOOPS, lambda: _cut(work)
    yield from _to_a_state(work) if work.trail.loop is None else _to_a_loop(work)


def _cut(work: Work) -> Attempt:
    """Loops on the way, which the property may well have noticed: then nothing is gained."""
    way, rest = _way(work.trail), work.trail.taken[len(_way(work.trail)) :]
    steps = without_loops(way.states, way.taken)
    return work.followed([*steps, *rest], None if work.trail.loop is None else len(steps))


def _way(trail: Trail) -> Trail:
    """What comes once."""
    end = len(trail) if trail.loop is None else trail.loop
    return Trail(trail.model, trail.states[: end + 1], trail.taken[:end])


def _to_a_loop(work: Work) -> Methods:
    trail = work.trail

    def led_to() -> Attempt:
        way = _way(work.trail)
        found, states, stopped = to_the_state(way, work.limited, work.progress)
        if found is None:
            return Attempt(None, states, stopped)
        steps = [*found.taken, *work.trail.taken[len(way) :]]
        return Attempt(work.followed(steps, len(found)).violation, states, stopped)

    def near() -> Attempt:
        question = question_about(trail.model, work.given.property)
        if question is None:
            return Attempt()
        found = shorter_lasso(trail.model, question, work.trail, work.fairness != "none")
        return Attempt(None if found is None else work.judged(found))

    yield TO_THE_LOOP, led_to
    yield NEAR, near


def _to_a_state(work: Work) -> Methods:
    """The property is `[] p`: what leads to a state without p is all that there is to see."""
    model = work.trail.model
    question = question_about(model, work.given.property)
    always = None if question is None else always_true(question)
    if always is None:
        return

    def commuted() -> Attempt:
        trail = work.trail
        inside = () if model.transient is None else (model.transient,)
        looked_at = Accesses(model).of_all((always, *inside), trail.states[-1])
        return work.followed(needed(model, trail.states, trail.taken, looked_at))

    def left_out() -> Attempt:
        def violates(state: State, step: Step | None) -> bool:
            return step is None and not is_inside_a_step(model, state) and not holds(model, always, state)

        return work.followed(with_fewer_steps(model, work.trail.taken, violates))

    def to_the_same() -> Attempt:
        found, states, stopped = to_the_state(work.trail, work.limited, work.progress)
        return Attempt(None if found is None else work.judged(found), states, stopped)

    def to_any() -> Attempt:
        options = limits_only(work.limited).but(search="astar", por="none")
        found = check_invariants(model, {work.given.property: always}, options, work.progress)
        judged = [work.judged(violation.trail) for violation in found.violations]
        return Attempt(next((each for each in judged if each is not None), None), found.states, found.stopped)

    yield COMMUTED, commuted
    yield LEFT_OUT, left_out
    yield TO_THE_STATE, to_the_same
    yield TO_THE_VIOLATION, to_any
