"""A short search without reduction first: of a model with many transitions it takes longer to find out what interferes
with what than to visit a quarter of a million states."""

from __future__ import annotations

from mule.model import Model
from mule.options import Options

MANY_TRANSITIONS = 200
"""From here on the relations, which look at pairs of transitions, take longer than a trial."""
FEW_STATES = 250_000
SECONDS = 1.5

NOTE = "there are few states: nothing was reduced, and no relations were derived"


def worth_a_trial(model: Model, asked: Options) -> bool:
    """Whether nothing is asked of the reduction, and it would cost much."""
    return len(model.transitions) >= MANY_TRANSITIONS and asked == Options(
        emptiness=asked.emptiness,
        translator=asked.translator,
        memory=asked.memory,
        time=asked.time,
        max_states=asked.max_states,
        as_written=asked.as_written,
    )


def limited(asked: Options) -> Options:
    """The options of the trial."""
    return asked.but(
        por="none",
        max_states=FEW_STATES if asked.max_states is None else min(FEW_STATES, asked.max_states),
        time=SECONDS if asked.time is None else min(SECONDS, asked.time),
    )
