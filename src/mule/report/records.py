"""Results as rows of plain values, which pandas and csv take."""

from __future__ import annotations

from typing import Any

from mule.results import Effort, Judgement, Result

Row = dict[str, Any]


def property_records(result: Result) -> list[Row]:
    return [_property(result, judgement) for judgement in result.judgements]


def _property(result: Result, judgement: Judgement) -> Row:
    found = judgement.violation
    return {
        "model": result.model.name,
        "property": judgement.property,
        "kind": judgement.kind.value,
        "verdict": judgement.verdict.value,
        "message": None if found is None else found.message,
        "steps": None if found is None else len(found.trail),
        "shortest": None if found is None else found.shortest,
        "vacuous": judgement.vacuous,
        "notes": "; ".join(judgement.notes),
    }


def search_records(result: Result) -> list[Row]:
    return [_search(result, effort) for effort in result.searches]


def _search(result: Result, effort: Effort) -> Row:
    statistics, options = effort.statistics, effort.options
    return {
        "model": result.model.name,
        "properties": "; ".join(effort.properties),
        "por": options.por,
        "weak": options.weak,
        "proviso": options.proviso,
        "search": options.search,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "deadlocks": statistics.deadlocks,
        "depth": statistics.depth,
        "compile_seconds": statistics.compile_seconds,
        "search_seconds": statistics.search_seconds,
        "memory_bytes": statistics.memory_bytes,
    }
