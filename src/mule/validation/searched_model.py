"""The model that is searched against the model as written: the same steps, deadlocks and errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mule import _engine
from mule.engine import Engine, SearchOptions
from mule.memory import available_memory
from mule.model import Model
from mule.model.interpreter import Interpreter
from mule.planning import Preparation, plan_for
from mule.validation.findings import Finding, Validation, Words, describe

_MOST_STATES = 20_000
"""Up to so many states the model as written and the model as searched are compared."""


def steps_as_compiled(prepared: Preparation, states: Sequence[Words], result: Validation) -> list[Finding]:
    """What is searched, split and compiled, against what the interpreter does with the model before that."""
    model = prepared.smaller
    interpreter = Interpreter(model)
    layout = prepared.engine.compiled.layout
    for words in states:
        state = layout.unpack(words)
        expected = sorted(
            (_origins(model, s.transition), s.outcome, s.failure is not None, s.target)
            for s in interpreter.steps(state)
        )
        searched = sorted(
            (
                _origins(prepared.searched, transition),
                outcome,
                failure != 0,
                state if failure else layout.unpack(target),
            )
            for transition, outcome, failure, _, target in _engine.successors(prepared.engine.program, list(words))
        )
        result.checks += len(expected)
        if expected != searched:
            (origins, *_) = next(iter(set(expected) ^ set(searched)))
            name = "; ".join(prepared.model.transitions[origin].name for origin in origins)
            where = describe(prepared.engine, words)
            return [Finding("the model as searched", f"{name} does something else than as written in {where}")]
    return []


def _origins(model: Model, transition: int) -> tuple[int, ...]:
    return model.transitions[transition].origins or (transition,)


@dataclass(slots=True)
class _Ends:
    """How the runs of a model can end: where its processes are stuck, and the steps that fail."""

    stuck: set[tuple[int, ...]] = field(default_factory=set)
    failing: set[tuple[int, int]] = field(default_factory=set)


def _ends(engine: Engine) -> _Ends | None:
    """None where there are too many states to look at."""
    limits = SearchOptions(max_states=_MOST_STATES + 1, max_bytes=available_memory(), sample=_MOST_STATES)
    found = engine.search(limits, None, None)
    if found.stopped or found.progress.states - found.error_states > len(found.sample):
        return None
    model, layout = engine.compiled.model, engine.compiled.layout
    ends = _Ends()
    for words in found.sample:
        successors = _engine.successors(engine.program, list(words))
        if not successors:
            state = layout.unpack(words)
            ends.stuck.add(tuple(state[model.slot_of[process.location]] for process in model.processes))
        for transition, outcome, failure, _, _ in successors:
            if failure:
                ends.failing.add((_origins(model, transition)[-1], outcome))
    return ends


def same_ends(model: Model, prepared: Preparation, result: Validation) -> list[Finding]:
    """What was taken out of the model before the search must not have changed how its runs can end."""
    if prepared.smaller is prepared.model:
        return []
    written = Preparation(plan_for(model, prepared.options.but(as_written=True, por="none"), prepared.preserve, ()))
    before, after = _ends(written.engine), _ends(prepared.engine)
    if before is None or after is None:
        result.notes.append(f"more than {_MOST_STATES:,} states: not compared with the model as written")
        return []
    result.checks += len(before.stuck) + len(before.failing)
    findings = []
    for locations in before.stuck ^ after.stuck:
        problem = "reaches no longer" if locations in before.stuck else "reaches, but not as written,"
        names = zip(prepared.model.processes, locations, strict=True)
        where = " ".join(f"{process.name}={process.locations[value]}" for process, value in names)
        findings.append(Finding("the model made smaller", f"it {problem} the deadlock <{where}>"))
    for transition, _ in before.failing ^ after.failing:
        name = prepared.model.transitions[transition].name
        findings.append(Finding("the model made smaller", f"{name} fails in one of the models and not in the other"))
    return findings[:1]
