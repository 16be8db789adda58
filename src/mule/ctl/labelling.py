"""In which states of a graph a formula holds: bottom up, one native fixed point for each operator.

Runs are infinite: one that comes to an end goes on by stuttering there, one that ends in an error of the model is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mule._engine import Graph, Labelling, StateSet
from mule.budget import apart
from mule.ctl.formula import Formula, Op

INITIAL = 0
"""The number of the initial state."""


class Labels:
    """The sets of states for the formulas over some propositions of a graph."""

    def __init__(self, graph: Graph, propositions: Mapping[str, tuple[int, bool]]) -> None:
        """For each atom the number of the proposition that it is, and whether it is its negation."""
        self.native = apart(lambda: Labelling(graph))
        self._propositions = propositions
        self._known: dict[Formula, StateSet] = {}
        self.everything = ~self.native.nothing()

    @property
    def no_run(self) -> bool:
        """Whether each way on from the initial state ends in an error."""
        return INITIAL not in self.native.runs

    def holds(self, formula: Formula) -> bool:
        """Whether it holds where the runs begin: in the initial state, or in the first ones that are not transient."""
        wanted = self.where(formula)
        if not self.native.transient(INITIAL):
            return INITIAL in wanted
        return INITIAL not in self.until(self.native.nothing(), ~wanted)

    def where(self, formula: Formula) -> StateSet:
        if formula not in self._known:
            self._known[formula] = self._compute(formula)
        return self._known[formula]

    def _compute(self, formula: Formula) -> StateSet:
        if formula.op is Op.ATOM:
            number, negated = self._propositions[formula.name]
            states = self.native.proposition(number)
            return ~states if negated else states
        return _MEANINGS[formula.op](self, *(self.where(arg) for arg in formula.args))

    def next(self, states: StateSet) -> StateSet:
        return apart(lambda: self.native.exists_next(states))

    def until(self, before: StateSet, goal: StateSet) -> StateSet:
        return apart(lambda: self.native.exists_until(before, goal))

    def always(self, states: StateSet) -> StateSet:
        return apart(lambda: self.native.exists_always(states))


_MEANINGS: dict[Op, Callable[..., StateSet]] = {
    Op.TRUE: lambda on: on.everything,
    Op.FALSE: lambda on: ~on.everything,
    Op.NOT: lambda on, p: ~p,
    Op.AND: lambda on, p, q: p & q,
    Op.OR: lambda on, p, q: p | q,
    Op.EX: lambda on, p: on.next(p),
    Op.AX: lambda on, p: ~on.next(~p),
    Op.EF: lambda on, p: on.until(on.everything, p),
    Op.AG: lambda on, p: ~on.until(on.everything, ~p),
    Op.EG: lambda on, p: on.always(p),
    Op.AF: lambda on, p: ~on.always(~p),
    Op.EU: lambda on, p, q: on.until(p, q),
    Op.AU: lambda on, p, q: ~(on.until(~q, ~p & ~q) | on.always(~q)),
    Op.EW: lambda on, p, q: on.until(p, q) | on.always(p),
    Op.AW: lambda on, p, q: ~on.until(~q, ~p & ~q),
    Op.ER: lambda on, p, q: on.until(q, p & q) | on.always(q),
    Op.AR: lambda on, p, q: ~on.until(~p, ~q),
}
