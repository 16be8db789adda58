"""Evidence for a formula that holds: one run, as far as its outermost operators speak of some run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mule.ctl.formula import Formula, Op, and_
from mule.ctl.labelling import INITIAL, Labels

Steps = list[tuple[int, int]]
"""(transition, outcome) of the graph's edges."""

_SHOWN: Final = frozenset({Op.EX, Op.EF, Op.EG, Op.EU, Op.EW, Op.ER})
"""What a run can show."""


@dataclass(frozen=True, slots=True)
class Evidence:
    prefix: Steps
    cycle: Steps | None
    """What the run repeats for ever, if that matters."""
    rest: Formula
    """In negation normal form: what holds in the last state; in all of the cycle, where there is one."""


def evidence(labels: Labels, formula: Formula) -> Evidence:
    """For a formula in negation normal form that holds in some first state of a run."""
    state, steps = INITIAL, Steps()
    if labels.native.transient(INITIAL):
        state = _go(steps, labels.native.until(INITIAL, labels.native.nothing(), labels.where(formula)))
    while True:
        formula = _simplest(labels, formula, state)
        if formula.op not in _SHOWN:
            return Evidence(steps, None, formula)
        goal, before = _goal(labels, formula, state)
        if goal is None:
            lasso = labels.native.always(state, labels.where(before))
            assert lasso is not None, "a formula that holds has a witness"
            return Evidence([*steps, *lasso[0][0]], lasso[1][0], before)
        if formula.op is Op.EX:
            state = _go(steps, labels.native.next(state, labels.where(goal)))
        else:
            state = _go(steps, labels.native.until(state, labels.where(before), labels.where(goal)))
        formula = goal


def _go(steps: Steps, path: tuple[Steps, int] | None) -> int:
    assert path is not None, "a formula that holds has a witness"
    steps += path[0]
    return path[1]


def _simplest(labels: Labels, formula: Formula, state: int) -> Formula:
    """Of a disjunction a part that holds, of a conjunction the only part that is not plain to see."""
    while formula.op in (Op.OR, Op.AND) and not formula.boolean:
        if formula.op is Op.OR:
            parts = [arg for arg in formula.args if state in labels.where(arg)]
            parts.sort(key=lambda arg: not arg.boolean)
        else:
            parts = [arg for arg in formula.args if not arg.boolean]
            if len(parts) > 1:
                break
        formula = parts[0]
    return formula


def _goal(labels: Labels, formula: Formula, state: int) -> tuple[Formula | None, Formula]:
    """Where a run leads to (None: it goes on for ever), and what holds before."""
    first, last = formula.args[0], formula.args[-1]
    match formula.op:
        case Op.EX | Op.EF:
            return first, Formula(Op.TRUE)
        case Op.EG:
            return None, first
        case Op.EU:
            return last, first
        case Op.EW:
            reached = state in labels.where(Formula(Op.EU, formula.args))
            return (last if reached else None), first
        case _:
            both = and_(first, last)
            reached = state in labels.where(Formula(Op.EU, (last, both)))
            return (both if reached else None), last
