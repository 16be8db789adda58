"""check(model, properties, options) → Result: puts the pieces together, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from mule.budget import spend, unless_ended
from mule.checkpoints import in_order, run_for
from mule.driving import Progress, ProgressCallback
from mule.effects import for_states, require_effect, saves_runs, without_checkpoints
from mule.errors import MuleError
from mule.exploring import explore
from mule.model import Model
from mule.notes import left_out
from mule.options import Options
from mule.parts import ROOMS, Asking, room_of
from mule.preservation import require_preserved
from mule.properties import ALL_CLAIMS, SAFETY, Properties
from mule.records import replace
from mule.results import Result, ViolationKind, combined, not_searched, temporal_judgement
from mule.safety import Judged, judge_safety, left_after, with_own_limit_told
from mule.unanswered import unanswered
from mule.vacuity.steps import with_stillness, with_unreached

__all__ = ["Progress", "Properties", "check", "explore"]


def declared(model: Model) -> Properties:
    """All that a model says about itself: that it goes on, its assertions, and its temporal properties."""
    has_claims = bool(model.claims) or model.property_process is not None
    return replace(SAFETY, claims=(ALL_CLAIMS,)) if has_claims else SAFETY


def check(
    model: Model,
    properties: Properties | None = None,
    options: Options | None = None,
    progress: ProgressCallback | None = None,
) -> Result:
    """Judge each of the properties (default: all that the model declares) and explain what is violated."""
    wanted = properties or declared(model)
    asked = options or Options()
    require_effect(asked, wanted.parts)
    asked = in_order(asked, wanted)

    def decided() -> Result:
        return with_own_limit_told(_check(model, wanted, asked, progress), asked)

    def work() -> Result:
        return spend(
            asked.time,
            asked.memory,
            lambda: _remarked(model, asked, _with_left_out(model, wanted, decided())),
            lambda reason: unanswered(model, wanted, asked, reason),
        )

    if asked.checkpoint is None:
        return work()
    with run_for("check", model, asked, wanted) as run:
        return run.end(_with_note_on_runs(work(), wanted, asked))


def _with_note_on_runs(result: Result, wanted: Properties, asked: Options) -> Result:
    if not wanted.ctl and (not wanted.linear or saves_runs(asked)):
        return result
    note = f"{without_checkpoints(asked)}; after --resume they are searched anew"
    return replace(result, notes=(*result.notes, note))


def _with_left_out(model: Model, wanted: Properties, result: Result) -> Result:
    """A temporal property whose runs go wrong has the assertions judged too, though nobody asked for them."""
    asserted = wanted.assertions or any(each.kind is ViolationKind.ASSERTION for each in result.judgements)
    notes = (note for note in left_out(model, replace(wanted, assertions=asserted)) if note not in result.notes)
    return replace(result, notes=(*result.notes, *notes))


def _remarked(model: Model, asked: Options, result: Result) -> Result:
    """With what else there is to say about the model."""
    still = unless_ended(lambda: with_stillness(model, result), lambda _: result)
    return unless_ended(lambda: with_unreached(model, still, asked), lambda _: still)


def _marked(safe: Judged, wanted: Properties, options: Options) -> Result:
    """With what there is to say about invariants that hold."""
    if not safe.has_room or not (wanted.invariants or safe.model.assertions):
        return safe.result
    vacuity = import_module("mule.vacuity.states")  # which takes formulas apart: most checks need none of that

    def marked() -> Result:
        found: Result = vacuity.mark_invariants(safe.model, wanted, safe.result, options)
        return found

    return unless_ended(marked, lambda _: safe.result)


def _check(model: Model, wanted: Properties, asked: Options, progress: ProgressCallback | None) -> Result:
    """What can be seen in single states first, then the runs, then the tree of all runs. All of it is read before
    anything is searched; a violation or a limit in one part does not keep the others from being judged."""
    if not wanted.temporal:
        return _marked(judge_safety(model, wanted, asked, progress), wanted, asked)
    require_preserved(asked, "ctl" if wanted.ctl else "ltl")
    rooms = {part: room_of(part) for part in ROOMS if part in wanted.parts}
    read = {part: room.read(model, wanted, asked) for part, room in rooms.items()}
    parts: list[Result] = []
    has_room = False
    if wanted.safety:
        safe = judge_safety(model, wanted, for_states(asked), progress)
        parts.append(_marked(safe, wanted, asked))
        has_room = safe.has_room
        if has_room and safe.model is not model:
            model = safe.model
            read = {part: room.read(model, wanted, asked) for part, room in rooms.items()}
    for part, room in rooms.items():
        options = room.options_for(left_after(parts, asked))
        known = wanted.assertions or (part == "trees" and wanted.linear)
        asking = Asking(model, wanted, read[part], options, progress, has_room, known)
        parts.append(_kept(partial(room.judge, asking), parts, asking))
    return combined(parts)


def _kept(work: Callable[[], Result], parts: Sequence[Result], asking: Asking) -> Result:
    """The next part. What is known to be violated stays known, also where a later search cannot be done: there may be
    no room for all runs of the model."""

    def undecided(reason: str, stopped: str | None) -> Result:
        judgements = tuple(temporal_judgement(each.text, None, reason) for each in asking.asked)
        return not_searched(asking.model, asking.options, judgements, stopped)

    try:
        return unless_ended(work, lambda reason: undecided(reason, reason))
    except MuleError as error:
        if not any(part.violations for part in parts):
            raise
        return undecided(error.message, None)
