"""One search with nothing left to decide: properties of states, products and graphs are all prepared from a plan."""

from __future__ import annotations

from collections.abc import Sequence

from mule.directed.goals import NOTHING_SOUGHT, Goals
from mule.model import Model
from mule.model.expressions import Expression
from mule.options import Options, Preserve
from mule.planning.analysis import Analysis
from mule.records import Record


class Plan(Record, frozen=True):
    analysis: Analysis
    options: Options
    """With every `auto` resolved, and the limits of this search."""
    preserve: Preserve
    """What a reduction must not lose, besides what the product or the graph asks of it."""
    observed: tuple[Expression, ...]
    goals: Goals = NOTHING_SOUGHT
    """What else ends the search, for one that an estimate guides."""
    guides: tuple[Expression, ...] = ()
    """The estimates that the user gave; what they read is kept."""
    watched: tuple[Expression, ...] = ()
    """What a reduction must keep visible without judging it (C2): no reduced set has a step that may change it."""
    optimising: bool = True
    """Whether better code is made for a search that goes on."""

    @property
    def searched(self) -> Model:
        """The model before it is sharpened for a reduction."""
        return self.analysis.searched(self.options, self.seen)

    @property
    def seen(self) -> tuple[Expression, ...]:
        """What must stay as it is when the model is made smaller."""
        return (*self.observed, *self.guides, *self.watched)


def plan_for(model: Model, options: Options, preserve: Preserve, observed: Sequence[Expression]) -> Plan:
    """`options` as `resolve` leaves them."""
    return Plan(Analysis(model, observed, ahead=not options.as_written), options, preserve, tuple(observed))
