"""A short search without reduction first: of a large model it takes longer to find out what interferes with what than
to visit a few hundred thousand states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Protocol, TypeVar

from mule.budget import current
from mule.model import Model
from mule.model.expressions import Expression, subexpressions
from mule.model.model import outcome_expressions
from mule.options import Options
from mule.planning.plan import Plan
from mule.records import replace

LARGE = 3_000
"""From this size on the relations, which look at pairs of transitions, take longer than a trial."""
FEW_STATES = 300_000
WORK = 5_000_000_000
"""Of a trial, in states times the size of the model: less than a second. A limit in seconds would make the answer hang
on what else the machine does."""

NOTE = "there are few states: nothing was reduced, and no relations were derived"


class _Search(Protocol):
    @property
    def stopped(self) -> str | None: ...


Search = TypeVar("Search", bound=_Search)


def tried_first(
    plan: Plan, asked: Options, unreduced: Callable[[], Options], search: Callable[[Plan], Search]
) -> Search:
    """The search as planned, unless a short one without reduction comes to its end. `unreduced`: its options."""
    if plan.options.por != "none" and worth_a_trial(plan.searched, asked):
        tried = search(replace(plan, options=limited(unreduced(), plan.searched), optimising=False))
        if tried.stopped in (None, "interrupted") or current().ended:
            return tried
        del tried  # and its states
    return search(plan)


def worth_a_trial(model: Model, asked: Options) -> bool:
    """Whether nothing is asked of the reduction, and it would cost much. F is about what depends on what: it needs the
    relations also where nothing is reduced."""
    return is_large(model) and asked == Options(
        emptiness=asked.emptiness,
        fairness="none" if asked.fairness == "F" else asked.fairness,
        translator=asked.translator,
        memory=asked.memory,
        time=asked.time,
        max_states=asked.max_states,
        as_written=asked.as_written,
        workers=asked.workers,
        spill=asked.spill,
    )


def is_large(model: Model) -> bool:
    """Whether a model is made of many expressions, parts of expressions included."""
    return next(islice(_parts(model), LARGE, None), None) is not None


def parts_in(model: Model) -> int:
    """Of how many expressions a model is made, parts of expressions included."""
    return sum(1 for _ in _parts(model))


def _parts(model: Model) -> Iterator[Expression]:
    outcomes = (outcome for transition in model.transitions for outcome in transition.outcomes)
    expressions = chain(
        (guard.expression for guard in model.guards), chain.from_iterable(map(outcome_expressions, outcomes))
    )
    return chain.from_iterable(map(subexpressions, expressions))


def limited(asked: Options, model: Model) -> Options:
    """The options of the trial."""
    few = min(FEW_STATES, WORK // max(parts_in(model), 1))
    return asked.but(max_states=few if asked.max_states is None else min(few, asked.max_states))
