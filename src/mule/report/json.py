"""The JSON report: one object, its keys documented in docs/json.md and kept stable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from typing import Any

from msgspec import to_builtins

from mule.options import Options
from mule.report.state import Change, summarise
from mule.report.streaming import Streamed
from mule.report.trail import ExplainedAction, ExplainedStep, explain_step
from mule.results import Effort, Judgement, Omissions, Result, Statistics, Unreached, Verdict, Violation
from mule.trails import Trail

Json = dict[str, Any]


def result_object(result: Result, streamed: bool = False) -> Json:
    """What `mule check --json` and `mule explore --json` print; `streamed`: for `mule.report.streaming`."""
    judged = bool(result.properties) or result.verdict is not Verdict.HOLDS
    return {
        "model": result.model.name,
        "language": result.model.language,
        "verdict": result.verdict.value if judged else None,
        "property": list(result.properties),
        **_counts(result.statistics),
        "options": options_object(result.options),
        "stopped": result.stopped,
        "omissions": None if result.omissions is None else _omissions(result.omissions),
        "notes": list(result.notes),
        "violations": [violation_object(violation, streamed) for violation in result.violations],
        "unreached": None if result.unreached is None else [_unreached(each) for each in result.unreached],
        "holding": list(result.holding),
        "judgements": [judgement_object(judgement) for judgement in result.judgements],
        "searches": [_search(search) for search in result.searches],
    }


def options_object(options: Options) -> Json:
    """What is still `auto` had no say."""
    known = {each.name: getattr(options, each.name) for each in fields(options)}
    known = {name: None if value == "auto" else value for name, value in known.items()}
    if known["lpor"] is not None and not isinstance(known["lpor"], str):
        known["lpor"] = getattr(known["lpor"], "__name__", type(known["lpor"]).__name__)
    if known["estimate"] is not None:
        texts = [each if isinstance(each, str) else each.__name__ for each in options.estimates]
        known["estimate"] = texts if len(texts) > 1 else texts[0]
    return known


def _omissions(omissions: Omissions) -> Json:
    return {
        "store": omissions.store,
        "probability": omissions.probability,
        "expected": omissions.expected,
        "hash_factor": omissions.hash_factor,
    }


def _search(search: Effort) -> Json:
    return {
        "property": list(search.properties),
        **_counts(search.statistics),
        "options": options_object(search.options),
    }


def _counts(statistics: Statistics) -> Json:
    return {
        "states": statistics.states,
        "transitions": statistics.transitions,
        "deadlocks": statistics.deadlocks,
        "depth": statistics.depth,
        "seconds": {"compile": statistics.compile_seconds, "search": statistics.search_seconds},
        "memory_bytes": statistics.memory_bytes,
        "nodes": to_builtins(statistics.nodes),
        "disk_bytes": statistics.disk_bytes,
        "device": statistics.device,
    }


def judgement_object(judgement: Judgement) -> Json:
    return {
        "property": judgement.property,
        "kind": judgement.kind.value,
        "verdict": judgement.verdict.value,
        "vacuous": judgement.vacuous,
        "notes": list(judgement.notes),
    }


def violation_object(violation: Violation, streamed: bool = False) -> Json:
    trail = violation.trail
    steps = Streamed(partial(_steps, trail)) if streamed else list(_steps(trail))
    final = summarise(trail.model, trail.states[-1])
    return {
        "kind": violation.kind.value,
        "property": violation.property,
        "message": violation.message,
        "length": len(trail),
        "shortest": violation.shortest,
        "loop": trail.loop,
        "trail": steps,
        "final_state": to_builtins(final),
    }


def _steps(trail: Trail) -> Iterator[Json]:
    return (step_object(explain_step(trail.model, trail, index)) for index in range(len(trail)))


def step_object(step: ExplainedStep) -> Json:
    return {
        "transition": step.transition,
        "name": step.name,
        "process": step.process,
        "text": step.text,
        "line": step.place.line if step.place else None,
        "moves": [{"process": m.process, "from": m.source, "to": m.target} for m in step.movements],
        "changes": _changes(step.changes),
        "failure": step.failure,
        "actions": [_action(action) for action in step.actions],
    }


def _action(action: ExplainedAction) -> Json:
    return {
        "process": action.process,
        "text": action.text,
        "line": action.place.line if action.place else None,
        "changes": _changes(action.changes),
        "output": action.output,
    }


def _changes(changes: tuple[Change, ...]) -> Json:
    return {change.name: [change.old, change.new] for change in changes}


def _unreached(statement: Unreached) -> Json:
    return {
        "process": statement.process,
        "text": statement.text,
        "line": statement.place.line if statement.place else None,
    }
