"""What is known where the time, the memory or the user's patience ended before there was an answer."""

from __future__ import annotations

from mule.explaining import NO_DEADLOCK, NO_VIOLATED_ASSERTION
from mule.model import Model
from mule.options import Options
from mule.properties import Properties
from mule.results import Result, ViolationKind, judged, not_searched


def unanswered(model: Model, wanted: Properties, asked: Options, reason: str) -> Result:
    """Nothing is decided."""
    temporal = (*wanted.ltl, *wanted.claims, *wanted.ctl)
    open_ = {
        ViolationKind.DEADLOCK: [NO_DEADLOCK] if wanted.deadlock else [],
        ViolationKind.ASSERTION: [NO_VIOLATED_ASSERTION] if wanted.assertions else [],
        ViolationKind.INVARIANT: [f"{ViolationKind.INVARIANT.value} {text}" for text in wanted.invariants],
        ViolationKind.TEMPORAL: [f"{ViolationKind.TEMPORAL.value} {text}" for text in temporal],
    }
    judgements = tuple(judged(words, kind, None, reason) for kind, texts in open_.items() for words in texts)
    return not_searched(model, asked, judgements, reason)


def unread(name: str, language: str) -> Model:
    """Stands for a model of which only the name is known."""
    return Model(name, language, (), (), ())
