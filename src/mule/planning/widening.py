"""Room for all runs of a model, where the translation had to guess how much they need."""

from __future__ import annotations

from typing import NamedTuple

from mule.driving import ProgressCallback
from mule.errors import MuleError, Place
from mule.model import Model
from mule.options import Options
from mule.planning.analysis import Analysis
from mule.planning.states import safety_search


class Room(NamedTuple):
    model: Model
    cut_short: str | None
    """Why it is not known whether all runs have room: the limit that ended the search."""

    @property
    def wide_enough(self) -> Model:
        """The model, if all its runs are known to have room."""
        if self.cut_short is not None:
            source = self.model.source
            message = f"nobody knows how much room the runs of {self.model.name} need ({self.cut_short})"
            raise MuleError(message, None if source is None else Place(source.file))
        return self.model


def make_room(model: Model, options: Options, progress: ProgressCallback | None = None) -> Room:
    """The model with as much room as its runs need, where a bound had to be guessed."""
    asked = options.but(proviso="auto", search="auto")
    while model.wider is not None and any(transition.limit for transition in model.transitions):
        analysis = Analysis(model, ahead=not asked.as_written)
        prepared, _, found, _ = safety_search(analysis, asked, "safety", (), {}, progress)
        limits = prepared.too_narrow(found)
        if not limits or found.stopped:
            return Room(model, found.stopped)
        model = model.wider(limits)
    return Room(model, None)
