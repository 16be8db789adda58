"""What is known of a model before anything is decided about the search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from mule.model import Kind, Model
from mule.model.abstraction import highest, lowest
from mule.model.domains import Domains
from mule.model.expressions import Binary, Expression
from mule.model.failures import effects_may_fail, with_error_transitions
from mule.model.value_analysis import compute_domains
from mule.options import Options
from mule.records import replace
from mule.transform import optimise
from mule.transform.run_ahead import run_ahead


class Given(NamedTuple):
    """What an analysis was made of: the same again gives the same analysis."""

    model: Model
    observed: tuple[Expression, ...]
    ahead: bool
    invariants: bool


class Analysis:
    """What is known of a model before anything is decided about the search."""

    def __init__(
        self, model: Model, observed: Sequence[Expression] = (), ahead: bool = False, invariants: bool = True
    ) -> None:
        """With `ahead` the steps that every run begins with are taken here, if nobody who observes can see them."""
        self.given = Given(model, tuple(observed), ahead, invariants)
        self.prefix: list[tuple[int, int]] = []
        """The steps before the state in which the search begins."""
        if ahead:
            seen = [outside(model.transient, each) for each in observed]
            self.prefix, start = run_ahead(model, seen, all_hold=invariants)
            model = replace(model, start=start) if self.prefix else model
        self.domains: Domains = compute_domains(model)
        self.model = with_error_transitions(model, self.domains)
        """The model as written, and its error transitions: what trails speak of."""

        self._smaller: dict[tuple[Expression, ...], tuple[Model, Domains]] = {}

    def smaller(self, observed: Sequence[Expression]) -> tuple[Model, Domains]:
        """What is left of the model when all that no property can see is taken out, and its values."""
        seen = tuple(outside(self.model.transient, each) for each in observed)
        if seen not in self._smaller:
            model = optimise(self.model, self.domains, seen)
            self._smaller[seen] = model, self.domains if model is self.model else compute_domains(model)
        return self._smaller[seen]

    def searched(self, options: Options, observed: Sequence[Expression]) -> Model:
        """The model before it is sharpened for a reduction."""
        return self.model if options.as_written else self.smaller(observed)[0]

    @cached_property
    def can_fail(self) -> bool:
        """Whether a run can end in an error of the model, or in a violated assertion."""
        return self.can_err or any(transition.asserts for transition in self.model.transitions)

    @cached_property
    def can_err(self) -> bool:
        """Whether a run can end in an error of the model."""
        return any(
            (transition.kind is Kind.ERROR and not transition.asserts)
            or effects_may_fail(self.model, transition, self.domains)
            for transition in self.model.transitions
        )


def outside(transient: Expression | None, proposition: Expression) -> Expression:
    """A proposition that asks nothing of transient states."""
    return proposition if transient is None else Binary("or", transient, proposition)


def bounds(domains: Domains) -> list[tuple[int, int]]:
    """For each slot the least and the greatest value it can have, even between two statements of one step."""
    return [(lowest(values), highest(values)) for values in domains.assigned]
