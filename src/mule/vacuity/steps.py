"""What else there is to say where everything holds: steps that no run takes, and invariants that hold vacuously."""

from __future__ import annotations

from mule.exploring import explore
from mule.model import Model
from mule.notes import nothing_happens_note
from mule.options import Options
from mule.planning.trial import is_large
from mule.records import replace
from mule.results import Result, Verdict
from mule.safety import worth_looking_at

FEW_STATES = 100_000
"""A model with more states is not searched again for this."""


def with_unreached(model: Model, result: Result, options: Options) -> Result:
    """The result with the steps that no run takes, where its own searches cannot tell: a search for runs follows them
    only as far as the property does, and a reduction that preserves deadlocks may put off a step for ever."""
    if result.unreached is not None or result.verdict is not Verdict.HOLDS or is_large(model):
        return result
    most = min(worth_looking_at(result.statistics.states, options), FEW_STATES)
    limits = Options(por="none", memory=options.memory, time=options.time, max_states=most)
    return replace(result, unreached=explore(model, limits, "safety").unreached)


def with_stillness(model: Model, result: Result) -> Result:
    """The result with a note if nothing can ever happen in the model: it has one state then."""
    if result.statistics.states > 1:
        return result
    note = nothing_happens_note(model)
    return replace(result, notes=(*result.notes, note)) if note and note not in result.notes else result
