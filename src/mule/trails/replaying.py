"""A trail from a file, followed and judged: what `mule trail` does."""

from __future__ import annotations

from mule.driving import ProgressCallback
from mule.errors import MuleError, Place
from mule.frontends import is_stream, stream_name
from mule.model import Model
from mule.options import Fairness, Options
from mule.records import Record, replace
from mule.results import Trail, Violation, ViolationKind
from mule.trails.following import Followed, follow
from mule.trails.judging import Undecided, first_violation, violated_by
from mule.trails.saved import SavedTrail, is_spin_trail, parse_saved, read_trail_text
from mule.trails.shortening import Shortening, shorten


class Replayed(Record, frozen=True):
    """A run that was followed step by step, and what it violates; `str` explains it."""

    file: str
    trail: Trail
    kind: ViolationKind
    property: str
    """What the file says is violated."""
    violation: Violation | None
    """None: the run does not violate the property, or cannot show it."""
    undecided: str | None = None
    """Why one run cannot show it, if it cannot."""
    notes: tuple[str, ...] = ()
    fairness: Fairness = "none"
    shortening: Shortening | None = None

    def shortened(self, options: Options | None = None, progress: ProgressCallback | None = None) -> Replayed:
        """With a shorter trail to the same violation."""
        if self.violation is None:
            message = "only a trail to a violation can be made shorter, and this one leads to none"
            raise MuleError(message, Place(self.file))
        shorter = shorten(self.violation, options, progress, self.fairness)
        return replace(self, violation=shorter.violation, trail=shorter.violation.trail, shortening=shorter)

    def __str__(self) -> str:
        from mule.report.replayed import replayed_text

        return replayed_text(self)


def replay_file(model: Model, file: str, wanted: str | None = None) -> Replayed:
    """The trail in a file, of `mule check --json` or of SPIN; `wanted`: which violation, where there are several."""
    name = stream_name(file) if is_stream(file) else file  # it can be read once only
    return replay_text(model, read_trail_text(file), name, wanted)


def replay_text(model: Model, text: str, name: str, wanted: str | None = None) -> Replayed:
    """The same for what was read from a file of this name."""
    if is_spin_trail(text):
        if wanted is not None:
            raise MuleError("a trail of SPIN is of one violation: --property has no effect on it", Place(name))
        return _of_spin(model, text, name)
    saved = parse_saved(text, name, wanted)
    return judged(saved, follow(model, saved))


def _of_spin(model: Model, lines: str, file: str) -> Replayed:
    """The file does not say what is violated: the first thing that is."""
    from mule.trails.spin import follow_spin_trail, may_be_violated, parse_spin_trail

    spin = parse_spin_trail(lines, file)
    trails = follow_spin_trail(model, spin)
    why = "SPIN's file does not say what is violated, and at its end there is no violation that Mule knows of"
    for trail in trails:
        for kind, text in may_be_violated(trail.model, spin, trail):
            try:
                found = violated_by(trail, kind, text)
            except Undecided as undecided:
                why = str(undecided)
                continue
            if found is not None:
                return Replayed(spin.file, found.trail, kind, text, found)
    return Replayed(spin.file, trails[0], ViolationKind.MODEL_ERROR, "what SPIN has found", None, why)


def judged(saved: SavedTrail, found: list[Followed]) -> Replayed:
    """What the first of the runs shows that shows anything."""
    violation, undecided = None, None
    try:
        violation = first_violation([each.trail for each in found], saved.kind, saved.property, saved.fairness)
    except Undecided as why:
        undecided = str(why)
    shown = found[0]
    if violation is not None:
        shown = next((each for each in found if each.trail.taken == violation.trail.taken), shown)
    trail = shown.trail if violation is None else violation.trail
    notes = tuple(f"the run is not quite the same as in the file: {each}" for each in shown.differs)
    return Replayed(saved.file, trail, saved.kind, saved.property, violation, undecided, notes, saved.fairness)
