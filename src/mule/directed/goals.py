"""What a search looks for, and what is known of an estimate of the way there."""

from __future__ import annotations

from mule.model.expressions import Expression
from mule.records import Record


class Goals(Record, frozen=True):
    """What ends a search: a proposition that does not hold, a deadlock, or a step that fails."""

    propositions: tuple[Expression, ...] = ()
    deadlock: bool = False
    failures: bool = False


NOTHING_SOUGHT = Goals()


class Estimate(Record, frozen=True):
    value: Expression
    admissible: bool
    """It is never above the number of steps that are needed."""
    consistent: bool
    """No step lowers it by more than one."""
    why: str
