"""What can be seen in single states and steps, judged: deadlocks, assertions, invariants, errors of the model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from mule.budget import current, unless_ended
from mule.driving import ProgressCallback
from mule.engine import Found, Order, Proviso, SearchOptions, SearchResult
from mule.errors import MuleError
from mule.explaining import NO_DEADLOCK, NO_ERROR, NO_VIOLATED_ASSERTION, PropertyName, Stated, explained
from mule.model import Kind, Model, Transition
from mule.model.expressions import Expression
from mule.notes import (
    omissions,
    search_notes,
    shortened_note,
    statistics,
)
from mule.options import SHORTEST, Options, Preserve
from mule.planning import Analysis, Preparation, safety_search, search_options
from mule.planning.detour import guided
from mule.properties import Properties
from mule.records import Record, replace
from mule.results import (
    AT_THE_VIOLATION,
    Judgement,
    Result,
    Verdict,
    Violation,
    ViolationKind,
    combined,
    judged,
    not_decided_by,
    not_searched,
)

NOT_FOLLOWED = "a violation was found, but there was no time left to follow its trail"
DIVE = 200_000
"""States of a search that dives for a violation."""
LONG_TRAIL = 12
"""A violation found depth first after more steps is looked for again, breadth first."""
MOST_GUIDED = 100_000
"""States of a second search that is led to the violation."""
WEIGHTS = (1, 2, 5, 20)
"""Of what leads it, one after the other: the more it counts, the sooner there is a trail, and the longer it may be."""
FURTHER = 1_000_000
"""States of a further search for what a violation has left undecided, if the user sets no limit: who waits for the
trail of one violation should not have to wait for all the rest of a huge model."""


class StateProperties(Record, frozen=True):
    """What is asked of single states and steps of one model, read. That it has no error is always asked."""

    deadlock: bool = False
    assertions: bool = False
    invariants: tuple[Stated, ...] = ()

    def stated(self, model: Model) -> list[Stated]:
        found = [Stated(ViolationKind.DEADLOCK, NO_DEADLOCK)] if self.deadlock else []
        if self.assertions:
            found += [Stated(ViolationKind(each.word), each.name, each.expression) for each in model.assertions]
        found += self.invariants
        if self.assertions and any(transition.asserts for transition in model.transitions):
            found.append(Stated(ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION))
        return [*found, Stated(ViolationKind.MODEL_ERROR, NO_ERROR)]


Reading = Callable[[Model], StateProperties]
"""What is asked, in terms of a model: one with more room has variables of its own."""


def read_state_properties(wanted: Properties, model: Model) -> StateProperties:
    invariants = tuple(_invariant(model, text) for text in wanted.invariants)
    return StateProperties(wanted.deadlock, wanted.assertions, invariants)


def _invariant(model: Model, text: str) -> Stated:
    if model.parse_expression is None:
        raise MuleError(f"{model.language} models have no expressions to write invariants in")
    return Stated(ViolationKind.INVARIANT, text, model.parse_expression(text))


class Judged(NamedTuple):
    result: Result
    model: Model
    """The one that was searched at last, perhaps with more room."""
    has_room: bool
    """Whether all runs of that model were followed, and no guessed bound was in the way of one."""


def check_invariants(
    model: Model, invariants: Mapping[str, Expression], asked: Options, progress: ProgressCallback | None = None
) -> Result:
    """Each of the expressions, by a name, in all states for which the model has room: where that turns out to be too
    small, nothing is decided."""
    stated = tuple(Stated(ViolationKind.INVARIANT, name, expression) for name, expression in invariants.items())
    asks = StateProperties(invariants=stated)
    return _judge_all(replace(model, wider=None, deeper=None), lambda _: asks, asked, progress).result


def check_steps(model: Model, asked: Options, progress: ProgressCallback | None = None) -> Result:
    """Only that no step violates an assertion, and none is an error of the model."""
    others = frozenset((ViolationKind(assertion.word), assertion.name) for assertion in model.assertions)
    return judge_safety(model, Properties(assertions=True), asked, progress, others).result


def judge_safety(
    model: Model,
    wanted: Properties,
    asked: Options,
    progress: ProgressCallback | None = None,
    left_out: frozenset[PropertyName] = frozenset(),
) -> Judged:
    return _judge_all(model, partial(read_state_properties, wanted), asked, progress, left_out)


def _judge_all(
    model: Model,
    read: Reading,
    asked: Options,
    progress: ProgressCallback | None,
    left_out: frozenset[PropertyName] = frozenset(),
) -> Judged:
    """Each property has its own verdict: what a violation of one leaves undecided is looked for again without it."""
    # Relations speak of the model as written; and so does who asks for the shortest trail: breadth first or by A*,
    # and nothing left out, where steps that are joined would count as one.
    if asked.lpor is not None or (asked.search in SHORTEST and asked.por == "none"):
        asked = asked.but(as_written=True)
    wanted = read(model)
    answer = _decide_in_time(model, read, left_out, asked, progress)
    parts = [answer.result]
    while answer.result.violations and _is_open(combined(parts), wanted) and not current().ended:
        left_out |= {(violation.kind, violation.property) for violation in answer.result.violations}
        try:
            answer = _decide_in_time(answer.model, read, left_out, after_a_violation(asked), progress)
        except MuleError as error:
            # What is known stays known, also where there cannot be room for all runs.
            return Judged(_with_note(combined(parts), error), answer.model, False)
        parts.append(answer.result)
    return Judged(combined(parts), answer.model, answer.has_room)


def _with_note(result: Result, error: MuleError) -> Result:
    return replace(result, notes=(*result.notes, f"the search for the other properties failed: {error.message}"))


def _is_open(result: Result, wanted: StateProperties) -> bool:
    """Whether something is undecided that was asked for. Nobody asks for errors of the model alone; they are looked for
    together with violated assertions."""
    return any(
        judgement.verdict is Verdict.INCOMPLETE
        and (judgement.kind is not ViolationKind.MODEL_ERROR or wanted.assertions)
        for judgement in result.judgements
    )


def left_after(parts: Sequence[Result], options: Options) -> Options:
    """The options of the next search."""
    return after_a_violation(options) if any(part.violations for part in parts) else options


def after_a_violation(asked: Options) -> Options:
    limited = asked.max_states is not None or asked.time is not None
    return asked if limited else asked.but(max_states=FURTHER)


def with_own_limit_told(result: Result, asked: Options) -> Result:
    """Nobody should look for a limit that was not set."""
    if not result.violations or after_a_violation(asked) is asked:
        return result
    told = {
        not_decided_by("states"): f"not decided within {FURTHER:,} more states, now that a violation is known: ask for "
        "it alone, or set --max-states"
    }
    judgements = (replace(each, notes=tuple(told.get(note, note) for note in each.notes)) for each in result.judgements)
    return replace(result, judgements=tuple(judgements))


def _decide_in_time(
    model: Model,
    read: Reading,
    left_out: frozenset[PropertyName],
    asked: Options,
    progress: ProgressCallback | None,
) -> Judged:
    def undecided_by(reason: str) -> Judged:
        return Judged(not_decided(model, read(model), left_out, asked, reason), model, False)

    return unless_ended(lambda: _decide(model, read, left_out, asked, progress), undecided_by)


def not_decided(
    model: Model, wanted: StateProperties, left_out: frozenset[PropertyName], asked: Options, reason: str
) -> Result:
    """What the answer is when there was no time to look for one."""
    open_ = [each for each in wanted.stated(model) if each.name not in left_out]
    judgements = tuple(judged(each.words, each.kind, None, reason) for each in open_)
    return not_searched(model, asked, judgements, reason)


def _decide(
    model: Model,
    read: Reading,
    left_out: frozenset[PropertyName],
    asked: Options,
    progress: ProgressCallback | None,
) -> Judged:
    """One search, with more room as long as a guessed bound is in its way."""
    result, limits = _judge(model, read(model), left_out, asked, progress)
    while model.wider is not None and limits and not result.stopped:
        again = partial(_with_more_room, model, limits, read, left_out, asked, progress)
        known = unless_ended(again, partial(_given_up, model, result))
        if isinstance(known, Judged):
            return known
        model, result, limits = known
    return Judged(result, model, not result.stopped and not result.violations)


def _given_up(model: Model, result: Result, reason: str) -> Judged:
    return Judged(undecided(result, reason), model, False)


def _with_more_room(
    model: Model,
    limits: frozenset[str],
    read: Reading,
    left_out: frozenset[PropertyName],
    asked: Options,
    progress: ProgressCallback | None,
) -> Judged | tuple[Model, Result, frozenset[str]]:
    """What a dive decides, or else a wider model, and what `_judge` says about it."""
    assert model.wider is not None
    if model.deeper is not None:
        deep = model.deeper()
        dived, edges = _dive(deep, read(deep), left_out, asked, progress)
        if dived.stopped in ("interrupted", "time"):
            return Judged(undecided(dived, dived.stopped), model, False)
        if dived.verdict is Verdict.VIOLATED or (dived.verdict is Verdict.HOLDS and not edges):
            note = "decided by a dive: without reduction, and with room for deep runs only"
            return Judged(replace(dived, notes=(note, *dived.notes)), model, False)
    wider = model.wider(limits)
    return wider, *_judge(wider, read(wider), left_out, asked, progress)


def _judge(
    model: Model,
    wanted: StateProperties,
    left_out: frozenset[PropertyName],
    asked: Options,
    progress: ProgressCallback | None,
    cut_at_limits: bool = False,
) -> tuple[Result, frozenset[str]]:
    """The second part of the answer: the guessed bounds that are in the way of the first."""
    started = time.perf_counter()
    stated = [each for each in wanted.stated(model) if each.name not in left_out]
    sought = {each.text for each in stated if each.expression is None}
    state_properties = [each for each in stated if each.expression is not None]
    observed = [each.expression for each in stated if each.expression is not None]
    meant = model if NO_VIOLATED_ASSERTION in sought else without_assertions(model)
    analysis = Analysis(meant, observed, ahead=not asked.as_written)
    preserve: Preserve = "safety" if observed or analysis.can_fail else "deadlocks"
    sees_errors = NO_ERROR in sought
    stops = {
        "stop_at_deadlock": NO_DEADLOCK in sought,
        "stop_at_assertion": NO_VIOLATED_ASSERTION in sought,
        "stop_at_error": sees_errors,
    }
    prepared, compiled, found, detour = safety_search(
        analysis, asked, preserve, observed, stops, progress, cut_at_limits
    )
    resolved = prepared.options
    finished = time.perf_counter()
    limits = prepared.too_narrow(found, stops_there=sees_errors)
    notes = search_notes(model, asked, prepared, found, detour)
    deep = asked.search == "auto" and resolved.search == "dfs" and not resolved.stateless
    if deep and len(found.path) > LONG_TRAIL and not limits:
        again = partial(_look_for_shorter, prepared, found, stops, progress)
        shorter = unless_ended(again, lambda _: None)
        if shorter is not None:
            limits = prepared.too_narrow(shorter.found, stops_there=sees_errors)
            notes.append(shortened_note(len(found.path), shorter.order))
            found = shorter.found
    follow = partial(explained, prepared, state_properties, found)
    violation = unless_ended(follow, lambda _: None)
    if violation is None and found.found is not Found.NOTHING:
        found = replace(found, stopped=current().ended or "interrupted")
        notes.append(NOT_FOLLOWED)
    judgements = _judgements(stated, violation, found, analysis.can_err)
    is_open = any(judgement.verdict is Verdict.INCOMPLETE for judgement in judgements)
    result = Result(
        model=prepared.model,
        options=resolved.but(workers=resolved.workers or found.workers),
        statistics=statistics(found.progress, found.deadlocks, compiled - started, finished - compiled, found.device),
        judgements=judgements,
        stopped=found.stopped if is_open and not violation else None,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
        omissions=omissions(resolved, found),
    )
    return result, limits


def _dive(
    deep: Model,
    wanted: StateProperties,
    left_out: frozenset[PropertyName],
    asked: Options,
    progress: ProgressCallback | None,
) -> tuple[Result, frozenset[str]]:
    """A quick look at deep runs (see `Model.deeper`), before much room is made for all of them. A state in which
    something comes to the edge of the room is not left: what others do there may only be possible because of the edge.
    The second part of the answer says whether there was one."""
    enough = DIVE if asked.max_states is None else min(DIVE, asked.max_states)
    options = Options(
        por="none", search="dfs", as_written=True, memory=asked.memory, time=asked.time, max_states=enough
    )
    return _judge(deep, wanted, left_out, options, progress, cut_at_limits=True)


def without_assertions(model: Model) -> Model:
    """The model without the transitions that stand for violated assertions: nobody asks for them. Those stay that end
    the run, because no other step is possible under the same conditions."""
    steps = {frozenset(transition.guards) for transition in model.transitions if transition.kind is Kind.STEP}

    def goes_on(transition: Transition) -> bool:
        guards = frozenset(transition.guards)
        return guards in steps or any(guards - {guard} in steps for guard in guards)

    kept = tuple(each for each in model.transitions if not (each.asserts and goes_on(each)))
    return model if len(kept) == len(model.transitions) else replace(model, transitions=kept)


class Shorter(NamedTuple):
    found: SearchResult
    order: Order
    """How it was found."""


def _look_for_shorter(
    prepared: Preparation, found: SearchResult, stops: dict[str, bool], progress: ProgressCallback | None
) -> Shorter | None:
    """Depth-first search finds violations soon, but far away: look again, breadth first, for as many states; and where
    they are too many, for some of them that are nearer."""
    options = prepared.options
    again = options.but(
        search="bfs",
        proviso="none" if options.proviso == "none" else "closed-",
        max_states=worth_looking_at(found.progress.states, options),
    )
    how = search_options(again, prepared.preserve, **stops)
    second = prepared.search(how, progress)
    if second.stopped == "states" and prepared.projection is not None:
        few = MOST_GUIDED if options.max_states is None else min(MOST_GUIDED, options.max_states)
        how = guided(replace(how, max_states=few), prepared.projection, Order.ASTAR)
        second = _led(prepared, how, progress)
    if second.found is Found.NOTHING or len(second.path) >= len(found.path):
        return None
    return Shorter(replace(second, progress=found.progress, deadlocks=found.deadlocks), how.order)


def _led(prepared: Preparation, how: SearchOptions, progress: ProgressCallback | None) -> SearchResult:
    """By A*, with as little weight as is enough. Without reduction first: what no property sees is what a reduced set
    begins with, and that makes trails long."""
    for weight, reduced in product(WEIGHTS, (False, True)):
        weighted = replace(how, weight=weight, proviso=how.proviso if reduced else Proviso.NONE)
        found = prepared.search(weighted, progress, reduced=reduced)
        if found.stopped != "states":
            break
    return found


def worth_looking_at(states: int, options: Options) -> int:
    """How many states a second search for a shorter trail may have, after one with so many."""
    enough = 2 * states + 10_000
    return enough if options.max_states is None else min(enough, options.max_states)


def _judgements(
    stated: Sequence[Stated], violation: Violation | None, found: SearchResult, can_err: bool
) -> tuple[Judgement, ...]:
    """A violation of one property leaves the others undecided, but that a model has no error may be known anyway."""
    judgements = []
    for each in stated:
        own = violation if violation and (violation.kind, violation.property) == each.name else None
        why = AT_THE_VIOLATION if violation is not None else found.stopped
        if each.kind is ViolationKind.MODEL_ERROR and not can_err:
            why = None
        judgements.append(judged(each.words, each.kind, own, why))
    return tuple(judgements)


def undecided(result: Result, stopped: str) -> Result:
    """A result from which nothing follows: it is about another model, or only about a part of the runs."""
    judgements = tuple(judged(each.property, each.kind, None, stopped) for each in result.judgements)
    return replace(result, judgements=judgements, stopped=stopped, unreached=None)
