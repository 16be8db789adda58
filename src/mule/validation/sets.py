"""Stubborn sets against D1 and D2, in given states."""

from __future__ import annotations

from collections.abc import Sequence

from mule import _engine
from mule.budget import apart
from mule.engine import Engine
from mule.options import Options
from mule.planning import Preparation, algorithm
from mule.relations import Relations
from mule.validation.findings import Finding, Validation, Words, describe

_EXPLORED_PER_STATE = 20_000


def check_sets(
    prepared: Preparation, relations: Relations, options: Options, states: Sequence[Words], result: Validation
) -> None:
    engine = prepared.engine
    reducer = engine.reducer(relations, algorithm(options)) if prepared.user is None else prepared.reducer(options)
    flat = [word for state in states for word in state]
    found = apart(lambda: _engine.validate(engine.program, reducer, flat, _EXPLORED_PER_STATE))
    result.checks += found.explored
    if found.cut:
        result.notes.append(f"{_name(options)}: in {found.cut} states only a part was explored")
    if found.violation is not None:
        result.findings.append(_explain(engine, options, found.violation))


def _name(options: Options) -> str:
    return f"{options.por}{' (weak)' if options.weak else ''}{' from memory' if options.remember == 'valid' else ''}"


def _explain(engine: Engine, options: Options, violation: _engine.Violation) -> Finding:
    model = engine.compiled.model
    names = [transition.name for transition in model.transitions]
    path = ", ".join(names[transition] for transition, _ in violation.path) or "nothing"
    culprit = names[violation.transition]
    chosen = ", ".join(names[transition] for transition in violation.set)
    where = describe(engine, tuple(violation.state))
    if violation.condition == _engine.Condition.NOT_EMPTY:
        return Finding("non-emptiness", f"{_name(options)} chooses nothing that is enabled in {where}")
    if violation.condition == _engine.Condition.D1:
        problem = f"after {path}, {culprit} leads where doing it first does not"
    else:
        problem = f"after {path}, {culprit} is no longer enabled"
    return Finding(str(violation.condition.name), f"{_name(options)} chooses {{{chosen}}} in {where}; but {problem}")
