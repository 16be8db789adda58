"""A shorter trail to the same violation: first by taking out of the given one what its end does not need, then by
trail-directed search (Edelkamp, Lluch-Lafuente and Leue, "Trail-directed model checking", 2001), to the very error
state that is known now, and to any state with the same violation.

Every trail is followed and judged by the reference semantics before it counts. "Shortest" is said only of what A* with
a lower bound has found in the whole model as written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from mule.budget import spend, unless_ended
from mule.driving import ProgressCallback
from mule.errors import Place
from mule.model import Transition
from mule.model.interpreter import Interpreter, State, Step
from mule.options import Fairness, Options
from mule.records import Record, replace
from mule.results import Trail, TrailError, Violation, ViolationKind, replay
from mule.trails.commuting import Accesses, Slots, looked_at_by_deadlock, needed, without_loops
from mule.trails.judging import Undecided, holds, stated, violated_by
from mule.trails.leaving_out import with_fewer_steps

LOOPS = "loops cut out"
COMMUTED = "independent steps taken out"
LEFT_OUT = "steps left out by trying"
MOST_STATES = 1_000_000
"""States of each search, if the user sets no limit."""


class Gain(Record, frozen=True):
    """What one method made of the trail."""

    method: str
    before: int
    after: int
    states: int = 0
    """Of its search."""
    stopped: str | None = None
    """Why its search ended early, if it did."""
    seconds: float = 0.0


class Shortening(Record, frozen=True):
    given: Violation
    violation: Violation
    """With the shortest trail that was found."""
    gains: tuple[Gain, ...]
    """What each method did, in the order in which they were tried."""
    stopped: str | None = None
    """Why no more was tried, if the budget ended ("time", "memory", "interrupted")."""


def shorten(
    violation: Violation,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
    fairness: Fairness = "none",
) -> Shortening:
    """Within the limits of the options: their time and memory in all, their states for each search."""
    asked = options or Options()
    work = Work(violation, asked, progress, fairness)
    return spend(asked.time, asked.memory, work.run, work.so_far)


class Work:
    def __init__(
        self, violation: Violation, asked: Options, progress: ProgressCallback | None, fairness: Fairness
    ) -> None:
        self.given = violation
        self.best = violation if len(violation.trail) else replace(violation, shortest=True)
        self.asked, self.progress, self.fairness = asked, progress, fairness
        self.gains: list[Gain] = []

    def so_far(self, stopped: str | None = None) -> Shortening:
        return Shortening(self.given, self.best, tuple(self.gains), stopped)

    def run(self) -> Shortening:
        methods = _of_runs if self.given.kind is ViolationKind.TEMPORAL else _of_states
        for name, method in methods(self):
            if self.best.shortest:
                break
            ended = unless_ended(lambda name=name, method=method: self._try(name, method), lambda reason: reason)  # type: ignore[misc]
            if ended is not None:
                return self.so_far(ended)
        return self.so_far()

    def _try(self, name: str, method: Callable[[], Attempt]) -> None:
        before, started = len(self.best.trail), time.perf_counter()
        found = method()
        if found.violation is not None and _better(found.violation, self.best):
            self.best = found.violation
        seconds = time.perf_counter() - started
        self.gains.append(Gain(name, before, len(self.best.trail), found.states, found.stopped, seconds))

    @property
    def trail(self) -> Trail:
        return self.best.trail

    @property
    def limited(self) -> Options:
        """The limits of one search."""
        return self.asked.but(max_states=self.asked.max_states or MOST_STATES)

    def followed(self, steps: Sequence[Step], loop: int | None = None) -> Attempt:
        """The violation at the end of these steps, if they can be taken and lead to it."""
        if len(steps) >= len(self.trail):
            return Attempt()
        try:
            trail = replay(self.trail.model, [(step.transition, step.outcome) for step in steps])
        except TrailError:
            return Attempt()
        return Attempt(self.judged(replace(trail, loop=loop)))

    def judged(self, trail: Trail) -> Violation | None:
        """The same violation at the end of another trail, if it is the same."""
        try:
            found = violated_by(trail, self.given.kind, self.given.property, self.fairness)
        except Undecided:
            return None
        return found if found is not None and is_same(found, self.given) else None


class Attempt(Record, frozen=True):
    violation: Violation | None = None
    states: int = 0
    stopped: str | None = None


def _better(found: Violation, known: Violation) -> bool:
    return (len(found.trail), not found.shortest) < (len(known.trail), not known.shortest)


def is_same(found: Violation, given: Violation) -> bool:
    """Of steps that fail: the same statement must fail, of the same process or of another instance of it. Of all else
    it is enough that the property is the same."""
    if (found.kind, found.property) != (given.kind, given.property):
        return False
    if given.kind not in (ViolationKind.ASSERTION, ViolationKind.MODEL_ERROR) or not given.trail.taken:
        return True
    return _failing(found.trail) == _failing(given.trail)


def _failing(trail: Trail) -> tuple[object, ...] | None:
    """The statement that fails at the end, if one does."""
    last = trail.taken[-1] if trail.taken else None
    if last is None or last.failure is None:
        return None
    transition = trail.model.transitions[last.transition]
    return *last_statement(transition), transition.asserts


def last_statement(transition: Transition) -> tuple[str, Place | None]:
    """What fails, where the transition is the failure of something: its text, and where it stands."""
    what = transition.actions[-1] if transition.actions else transition
    return what.text, what.place


def _of_states(work: Work) -> Iterator[tuple[str, Callable[[], Attempt]]]:
    from mule.trails.directed import TO_THE_STATE, TO_THE_VIOLATION, to_any_such_violation, to_the_state

    yield LOOPS, lambda: _cut(work)
    last = work.given.trail.taken[-1:]
    if work.given.kind is ViolationKind.MODEL_ERROR and not any(step.failure for step in last):
        # A proposition without a value: what it looks at is not known here.
        yield TO_THE_STATE, lambda: _judged(work, to_the_state(work.trail, work.limited, work.progress))
        return
    yield COMMUTED, lambda: _commuted(work)
    yield LEFT_OUT, lambda: _left_out(work)
    yield TO_THE_STATE, lambda: _judged(work, to_the_state(work.trail, work.limited, work.progress))
    yield TO_THE_VIOLATION, lambda: to_any_such_violation(work.best, work.limited, work.progress)


def _judged(work: Work, found: tuple[Trail | None, int, str | None]) -> Attempt:
    trail, states, stopped = found
    return Attempt(None if trail is None else work.judged(trail), states, stopped)


def _cut(work: Work) -> Attempt:
    return work.followed(without_loops(work.trail.states, work.trail.taken))


def _commuted(work: Work) -> Attempt:
    """What is left may come by a state twice."""
    trail = work.trail
    found = work.followed(needed(trail.model, trail.states, trail.taken, looked_at(work.best)))
    if found.violation is None:
        return found
    once = found.violation.trail
    again = work.followed(without_loops(once.states, once.taken))
    return again if again.violation is not None and _better(again.violation, found.violation) else found


def _left_out(work: Work) -> Attempt:
    trail = work.trail
    return work.followed(with_fewer_steps(trail.model, trail.taken, _is_end(work.best)))


def _is_end(violation: Violation) -> Callable[[State, Step | None], bool]:
    """Whether a run may end with a state, or with a step that fails in it: as far as can be told without the run."""
    model, kind = violation.trail.model, violation.kind
    interpreter = Interpreter(model)
    if violation.trail.taken[-1].failure is not None:
        wanted = last_statement(model.transitions[violation.trail.taken[-1].transition])
        return lambda _, step: step is not None and last_statement(model.transitions[step.transition]) == wanted
    if kind is ViolationKind.DEADLOCK:
        return lambda state, step: step is None and not any(True for _ in interpreter.steps(state))
    expression = stated(model, kind, violation.property).expression
    assert expression is not None
    return lambda state, step: step is None and not holds(model, expression, state)


def looked_at(violation: Violation) -> Slots:
    """The slots of the last state that make it a violation; of a step that fails, it looks itself."""
    trail, model = violation.trail, violation.trail.model
    state = trail.states[-1]
    if violation.kind is ViolationKind.DEADLOCK:
        return looked_at_by_deadlock(model, state)
    if trail.taken and trail.taken[-1].failure is not None:
        return frozenset()
    expression = stated(model, violation.kind, violation.property).expression
    assert expression is not None
    inside = () if model.transient is None else (model.transient,)
    return Accesses(model).of_all((expression, *inside), state)


def _of_runs(work: Work) -> Iterator[tuple[str, Callable[[], Attempt]]]:
    from mule.trails.shorter_runs import methods

    return methods(work)
