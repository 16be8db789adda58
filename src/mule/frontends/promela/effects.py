"""What executing a statement does."""

from __future__ import annotations

from mule.frontends.promela.graph import Edge
from mule.frontends.promela.processes import Instance, MessageChannel
from mule.model import Printed, Statement
from mule.model.expressions import Expression
from mule.records import Record


class Event(Record, frozen=True):
    """A message on its way: what traces look at."""

    sends: bool
    channel: MessageChannel
    values: tuple[Expression, ...]
    stays: bool = False
    """It is received and left in the channel: nothing to a trace."""


class Effect(Record, frozen=True):
    """One way to execute a statement."""

    condition: Expression
    statements: tuple[Statement, ...] = ()
    partner: tuple[Instance, Edge] | None = None
    """Who receives in a rendezvous, and where."""
    started: Instance | None = None
    failure: str = ""
    """What is wrong where the condition holds: then there is no state after it."""
    asserts: bool = False
    limit: bool = False
    """It is our own bound that is exceeded."""
    output: tuple[str | Printed, ...] = ()
    events: tuple[Event, ...] = ()
