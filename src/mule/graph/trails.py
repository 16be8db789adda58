"""Runs of a graph as trails of the model as written, followed and judged by the reference interpreter."""

from __future__ import annotations

from collections.abc import Mapping

from mule._engine import STUTTER
from mule.ctl.formula import Formula, Op
from mule.ctl.witness import Evidence
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter, State
from mule.results import Trail, TrailError, replay


def linear_trail(model: Model, found: Evidence, meaning: Mapping[str, Expression]) -> Trail:
    """The run that is evidence for a formula; `meaning`: of its atoms."""
    moves = [step for step in found.prefix if step[0] != STUTTER]
    turn = [step for step in found.cycle or () if step[0] != STUTTER]
    whole = replay(model, [*moves, *turn])
    shown = [whole.states[-1]]
    if found.cycle is not None:
        shown = list(whole.states[len(moves) :])
        whole = Trail(model, whole.states, whole.taken, loop=len(moves))
        _require(shown[0] == shown[-1], "does not come back to where it began")
    if found.rest.boolean:
        judge = _Judge(model, meaning)
        _require(all(judge.holds(found.rest, state) for state in shown), "does not show what it should")
    return whole


class _Judge:
    def __init__(self, model: Model, meaning: Mapping[str, Expression]) -> None:
        self._interpreter = Interpreter(model)
        self._transient = model.transient
        self._meaning = meaning

    def holds(self, formula: Formula, state: State) -> bool:
        """Whether a boolean formula holds, or nobody asks."""
        if self._transient is not None and self._true(self._transient, state):
            return True
        return self._holds(formula, state)

    def _holds(self, formula: Formula, state: State) -> bool:
        if formula.op is Op.ATOM:
            return self._true(self._meaning[formula.name], state)
        values = [self._holds(arg, state) for arg in formula.args]
        if formula.op is Op.NOT:
            return not values[0]
        return any(values) if formula.op in (Op.OR, Op.FALSE) else all(values)

    def _true(self, expression: Expression, state: State) -> bool:
        try:
            return self._interpreter.evaluate(expression, state) != 0
        except Failure:
            return False


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise TrailError(f"the run found {problem}: please report this defect of Mule")
