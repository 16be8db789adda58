"""What is known where the time, the memory or the user's patience ended before there was an answer."""

from __future__ import annotations

from collections.abc import Iterator

from mule.model import Model
from mule.options import Options
from mule.properties import ACCEPTANCE, ALL_CLAIMS, PROGRESS, Properties
from mule.results import Judgement, Result, ViolationKind, judged, not_searched, temporal_judgement
from mule.safety import StateProperties


def unanswered(model: Model, wanted: Properties, asked: Options, reason: str) -> Result:
    """Nothing is decided of all that an answer would decide."""
    judgements = [*_of_states(model, wanted, reason)] if "states" in wanted.parts else []
    judgements += [temporal_judgement(text, None, reason) for text in _of_runs(model, wanted)]
    return not_searched(model, asked, tuple(judgements), reason)


def _of_states(model: Model, wanted: Properties, reason: str) -> Iterator[Judgement]:
    for each in StateProperties(wanted.deadlock, wanted.assertions).stated(model):
        yield judged(each.words, each.kind, None, reason)
    kind = ViolationKind.INVARIANT
    for text in wanted.invariants:  # which may not have been read yet
        yield judged(f"{kind.value} {text}", kind, None, reason)


def _of_runs(model: Model, wanted: Properties) -> Iterator[str]:
    yield from wanted.ltl
    declared = {claim.name: claim.text for claim in model.claims}
    if model.property_process is not None:
        name = model.processes[model.property_process].name
        declared[name] = name
    for name in wanted.claims:
        yield from declared.values() if name == ALL_CLAIMS else [declared.get(name, name)]
    if wanted.progress:
        yield PROGRESS
    if wanted.acceptance:
        yield ACCEPTANCE
    yield from wanted.ctl


def unread(name: str, language: str) -> Model:
    """Stands for a model of which only the name is known."""
    return Model(name, language, (), (), ())
