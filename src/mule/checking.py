"""check(model, properties, options) → Result: puts the pieces together, and nothing else does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import get_args

from mule.engine import Found, Progress, ProgressCallback, SearchResult
from mule.errors import MuleError
from mule.model import Model
from mule.model.expressions import FALSE, Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import Options, Preserve
from mule.preparation import Analysis, Preparation, resolve, safety_search, search_options
from mule.properties import Properties
from mule.records import Record, replace
from mule.results import Judgement, Result, Statistics, Trail, Verdict, Violation, ViolationKind, judged
from mule.trial import NOTE

__all__ = ["Progress", "Properties", "check", "explore"]

NO_DEADLOCK = "no deadlock"
NO_ERROR = "no error of the model"
NO_VIOLATED_ASSERTION = "no violated assertion"

DIVE = 200_000
"""States of a search that dives for a violation."""
LONG_TRAIL = 12
"""A violation found depth first after more steps is looked for again, breadth first."""


class StateProperty(Record, frozen=True):
    """A predicate that must hold in every reachable state."""

    kind: ViolationKind
    text: str
    expression: Expression


def explore(
    model: Model,
    options: Options | None = None,
    preserve: Preserve = "deadlocks",
    progress: ProgressCallback | None = None,
) -> Result:
    """Count the (reduced) state space; nothing is judged."""
    if preserve not in get_args(Preserve):
        raise MuleError(f"unknown preserve {preserve!r}: choose one of {', '.join(get_args(Preserve))}")
    if any(transition.limit for transition in model.transitions):
        preserve = "safety"  # else a reduction could hide that the room is too small
    resolved = resolve(options or Options(), preserve)
    started = time.perf_counter()
    prepared = Preparation(model, resolved, preserve, ())
    engine_options = search_options(resolved, preserve)
    _ = prepared.engine
    compiled = time.perf_counter()
    found = prepared.search(engine_options, progress)
    limits = prepared.too_narrow(found)
    if model.wider is not None and limits:
        return explore(model.wider(limits), options, preserve, progress)
    notes = [preserves_note(resolved, preserve), runs_note(resolved, found)]
    if prepared.smaller is not prepared.model:
        notes.append("the model was made smaller first: --as-written counts what its author wrote")
    if found.assertions:
        notes.append(_not_followed(found.assertions, "violates an assertion", "violate assertions"))
    if found.failures:
        notes.append(_not_followed(found.failures, "has no meaning in the model", "have no meaning in the model"))
    return Result(
        model=prepared.model,
        options=resolved,
        statistics=statistics(found.progress, found.deadlocks, compiled - started, time.perf_counter() - compiled),
        stopped=found.stopped,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
    )


def check(
    model: Model,
    properties: Properties | None = None,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Judge the properties (default: that there is no deadlock, and the model's assertions) and explain the first
    violation."""
    wanted = properties or Properties(deadlock=True, assertions=True)
    if wanted.ctl:
        from mule.graph import check_branching

        return check_branching(model, wanted, options or Options(), progress)
    if wanted.temporal:
        from mule.temporal import check_temporal

        return check_temporal(model, wanted, options or Options(), progress)
    return check_safety(model, wanted, options or Options(), progress)


def check_safety(model: Model, wanted: Properties, asked: Options, progress: ProgressCallback | None = None) -> Result:
    """What can be seen in single states: deadlocks, assertions, invariants, errors of the model."""
    # Relations speak of the model as written; and so does who asks for the shortest trail: breadth first, and nothing
    # left out, where steps that are joined would count as one.
    if asked.lpor is not None or (asked.search, asked.por) == ("bfs", "none"):
        asked = asked.but(as_written=True)
    started = time.perf_counter()
    while True:
        result, limits = _judge(model, wanted, _in_what_is_left(asked, started), progress)
        if model.wider is None or not limits:
            return result
        left = _in_what_is_left(asked, started)
        if left.time == 0.0:
            return undecided(result, "time")
        if model.deeper is not None:
            dived, edges = _dive(model.deeper(), wanted, left, progress)
            if dived.stopped in ("interrupted", "time"):
                return dived
            if dived.verdict is Verdict.VIOLATED or (dived.verdict is Verdict.HOLDS and not edges):
                note = "decided by a dive: without reduction, and with room for deep runs only"
                return replace(dived, notes=(note, *dived.notes))
        model = model.wider(limits)


def _in_what_is_left(asked: Options, started: float) -> Options:
    """The options with the time that remains when the search begins again."""
    return asked if asked.time is None else asked.but(time=max(asked.time - (time.perf_counter() - started), 0.0))


def _judge(
    model: Model,
    wanted: Properties,
    asked: Options,
    progress: ProgressCallback | None,
    cut_at_limits: bool = False,
) -> tuple[Result, frozenset[str]]:
    """The second part of the answer: the guessed bounds that are in the way of the first."""
    state_properties = _state_properties(model, wanted)
    started = time.perf_counter()
    meant = model if wanted.assertions else without_assertions(model)
    analysis = Analysis(meant, [p.expression for p in state_properties], ahead=not asked.as_written)
    preserve: Preserve = "safety" if state_properties or analysis.can_fail else "deadlocks"
    stops = _stops(wanted)
    observed = [p.expression for p in state_properties]
    prepared, compiled, found = safety_search(analysis, asked, preserve, observed, stops, progress, cut_at_limits)
    resolved = prepared.options
    finished = time.perf_counter()
    limits = prepared.too_narrow(found)
    notes = [preserves_note(resolved, preserve), runs_note(resolved, found), *_not_checked(model, wanted)]
    notes.append(nothing_happens_note(model))
    if asked.por == "auto" and resolved.por == "none" and not found.stopped:
        notes.insert(0, NOTE)
    deep = asked.search == "auto" and resolved.search == "dfs" and not resolved.stateless
    if deep and len(found.path) > LONG_TRAIL and not limits:
        shorter = _look_for_shorter(prepared, found, wanted, progress)
        if shorter is not None:
            limits = prepared.too_narrow(shorter)
            notes.append(shortened_note(len(found.path)))
            found = shorter
    violation = _violation(prepared, state_properties, found, resolved)
    result = Result(
        model=prepared.model,
        options=resolved,
        statistics=statistics(found.progress, found.deadlocks, compiled - started, finished - compiled),
        judgements=_judgements(analysis.model, wanted, state_properties, violation, found.stopped),
        stopped=None if violation else found.stopped,
        notes=tuple(filter(None, notes)),
        unreached=prepared.unreached(found),
    )
    return result, limits


def _dive(
    deep: Model, wanted: Properties, asked: Options, progress: ProgressCallback | None
) -> tuple[Result, frozenset[str]]:
    """A quick look at deep runs (see `Model.deeper`), before much room is made for all of them. A state in which
    something comes to the edge of the room is not left: what others do there may only be possible because of the edge.
    The second part of the answer says whether there was one."""
    enough = DIVE if asked.max_states is None else min(DIVE, asked.max_states)
    options = Options(
        por="none", search="dfs", as_written=True, memory=asked.memory, time=asked.time, max_states=enough
    )
    return _judge(deep, wanted, options, progress, cut_at_limits=True)


def without_assertions(model: Model) -> Model:
    """The model without the transitions that stand for violated assertions: nobody asks for them."""
    kept = tuple(transition for transition in model.transitions if not transition.asserts)
    return model if len(kept) == len(model.transitions) else replace(model, transitions=kept)


def _stops(wanted: Properties) -> dict[str, bool]:
    return {"stop_at_deadlock": wanted.deadlock, "stop_at_failure": True}


def _look_for_shorter(
    prepared: Preparation, found: SearchResult, wanted: Properties, progress: ProgressCallback | None
) -> SearchResult | None:
    """Depth-first search finds violations soon, but far away: look again, breadth first, for as many states."""
    options = prepared.options
    again = options.but(
        search="bfs",
        proviso="none" if options.proviso == "none" else "duplicate-",
        max_states=worth_looking_at(found.progress.states, options),
        time=None if options.time is None else max(options.time - found.progress.seconds, 0.0),
    )
    second = prepared.search(search_options(again, prepared.preserve, **_stops(wanted)), progress)
    if second.found is Found.NOTHING or len(second.path) >= len(found.path):
        return None
    return replace(second, progress=found.progress, deadlocks=found.deadlocks)


def worth_looking_at(states: int, options: Options) -> int:
    """How many states a second search for a shorter trail may have, after one with so many."""
    enough = 2 * states + 10_000
    return enough if options.max_states is None else min(enough, options.max_states)


def shortened_note(steps: int) -> str:
    return f"the trail was shortened from {steps} steps by a second search, breadth first"


def statistics(progress: Progress, deadlocks: int, compile_seconds: float, search_seconds: float) -> Statistics:
    return Statistics(
        states=progress.states,
        transitions=progress.transitions,
        deadlocks=deadlocks,
        depth=progress.depth,
        compile_seconds=compile_seconds,
        search_seconds=search_seconds,
        memory_bytes=progress.memory_bytes,
    )


def preserves_note(options: Options, preserve: Preserve) -> str:
    if options.por == "none":
        return ""
    kept = "deadlocks" if preserve == "deadlocks" else "deadlocks, invariants and assertions"
    return f"reduced by {options.por}{' (weak)' if options.weak else ''}; this preserves {kept}"


def nothing_happens_note(model: Model) -> str:
    """A system that never moves fulfils many properties, and is seldom what its author meant."""
    interpreter = Interpreter(model)
    steps = list(interpreter.steps(interpreter.initial))
    if not steps:
        return "nothing can ever happen: no step is possible in the initial state"
    if all(step.failure is None and step.target == interpreter.initial for step in steps):
        return "nothing ever changes: every step leads back to the initial state"
    return ""


def runs_note(options: Options, found: SearchResult) -> str:
    """What a search without a state store counted."""
    if not options.stateless:
        return ""
    cut = f", {found.cut_runs:,} given up as repetitions" if found.cut_runs else ""
    return f"no states were stored: each counts as often as it was visited; {found.runs:,} runs to their end{cut}"


def _not_followed(number: int, one: str, many: str) -> str:
    if number == 1:
        return f"1 step {one} (see `mule check`); it was not followed"
    return f"{number} steps {many} (see `mule check`); they were not followed"


def _state_properties(model: Model, wanted: Properties) -> list[StateProperty]:
    found = []
    if wanted.assertions:
        found += [StateProperty(ViolationKind(a.word), a.name, a.expression) for a in model.assertions]
    for text in wanted.invariants:
        if model.parse_expression is None:
            raise MuleError(f"{model.language} models have no expressions to write invariants in")
        found.append(StateProperty(ViolationKind.INVARIANT, text, model.parse_expression(text)))
    return found


def _judgements(
    model: Model,
    wanted: Properties,
    state_properties: Sequence[StateProperty],
    violation: Violation | None,
    stopped: str | None,
) -> tuple[Judgement, ...]:
    """One for each property, in words; a violation of one leaves the others undecided."""
    asked = [(ViolationKind.DEADLOCK, NO_DEADLOCK, NO_DEADLOCK)] if wanted.deadlock else []
    asked += [(each.kind, each.text, f"{each.kind.value} {each.text}") for each in state_properties]
    if any(transition.asserts for transition in model.transitions):
        asked.append((ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION, NO_VIOLATED_ASSERTION))
    asked.append((ViolationKind.MODEL_ERROR, NO_ERROR, NO_ERROR))
    why = "violation" if violation is not None else stopped
    return tuple(
        judged(
            words, kind, violation if violation and (violation.kind, violation.property) == (kind, text) else None, why
        )
        for kind, text, words in asked
    )


def undecided(result: Result, stopped: str) -> Result:
    """A result from which nothing follows: it is about another model, or only about a part of the runs."""
    judgements = tuple(judged(each.property, each.kind, None, stopped) for each in result.judgements)
    return replace(result, judgements=judgements, stopped=stopped, unreached=None)


def _not_checked(model: Model, wanted: Properties) -> list[str]:
    notes = []
    if not wanted.deadlock:
        notes.append("deadlocks were not looked for")
    asserts = bool(model.assertions) or any(transition.asserts for transition in model.transitions)
    if not wanted.assertions and asserts:
        notes.append("the model's assertions were not checked")
    claims = [claim.name for claim in model.claims]
    if model.property_process is not None:
        claims.append(model.processes[model.property_process].name)
    if claims and not wanted.claims:
        notes.append(f"temporal properties were not checked: {', '.join(claims)} (use --claim)")
    return notes


def _violation(
    prepared: Preparation, properties: Sequence[StateProperty], found: SearchResult, options: Options
) -> Violation | None:
    if found.found is Found.NOTHING:
        return None
    trail = prepared.trail(found.path)
    joined = any(len(transition.origins) > 1 for transition in prepared.searched.transitions)
    shortest = options.search == "bfs" and options.por == "none" and not joined
    if found.found is Found.DEADLOCK:
        kind, text, message = ViolationKind.DEADLOCK, NO_DEADLOCK, _why_dead(prepared.model, trail.states[-1])
    elif found.found is Found.FAILURE:
        failure = trail.taken[-1].failure
        _require(failure is not None, "does not end in an error")
        kind, text, message = ViolationKind.MODEL_ERROR, NO_ERROR, str(failure)
        if prepared.model.transitions[trail.taken[-1].transition].asserts:
            kind, text = ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION
    else:
        broken = properties[found.proposition]
        kind, text = broken.kind, broken.text
        message = _why_false(prepared.model, broken, trail)
    return Violation(kind, text, message, trail, shortest)


def _why_dead(model: Model, state: State) -> str:
    interpreter = Interpreter(model)
    dead = not any(True for _ in interpreter.steps(state)) and not interpreter.evaluate(model.end_states, state)
    _require(dead, "is not a deadlock")
    if model.end_states == FALSE:
        return "no process can move"
    places = ((process, state[model.slot_of[process.location]]) for process in model.processes)
    stuck = [
        f"{process.name} in {process.locations[at]}"
        for process, at in places
        if not interpreter.evaluate(process.may_stop, state)
    ]
    return f"invalid end state: no process can move, with {', '.join(stuck)}"


def _why_false(model: Model, broken: StateProperty, trail: Trail) -> str:
    try:
        value = Interpreter(model).evaluate(broken.expression, trail.states[-1])
    except Failure as failure:
        return f"{broken.kind.value} {broken.text} has no value: {failure}"
    _require(value == 0, "ends in a state in which the property holds")
    return f"{broken.kind.value} {broken.text} is false"


def _require(condition: bool, problem: str) -> None:
    if not condition:
        from mule.results import TrailError

        raise TrailError(f"the trail found {problem}: please report this defect of Mule")
