"""What can be left out of a property, so that a stronger one remains; the same for LTL and CTL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from mule.ltl import formula as linear
from mule.records import Record

ALWAYS_TRUE = "vacuous: it is true whatever the model does"
MOST_PARTS = 8
"""So many parts of one property are tried, at most, where each takes a search."""


class Tree(Protocol):
    """A formula of either logic."""

    @property
    def op(self) -> Enum: ...

    @property
    def args(self) -> tuple[Any, ...]: ...

    @property
    def boolean(self) -> bool: ...


F = TypeVar("F", bound=Tree)


class Stronger(NamedTuple):
    """A formula that implies the property."""

    formula: Any
    why: str
    """What it says about the property if the formula holds."""
    by_antecedent: bool
    """Whether all is left out that the property asks for under some condition."""


class Logic(Record, frozen=True):
    """How formulas of a logic are put together and written."""

    build: Callable[..., Any]
    not_: Callable[[Any], Any]
    true: Any
    false: Any
    written: Callable[[Any], str]


def _linear_text(formula: linear.Formula) -> str:
    return formula.name if formula.op is linear.Op.ATOM else formula.text.replace('"', "")


LINEAR: Final = Logic(linear.build, linear.not_, linear.TRUE, linear.FALSE, _linear_text)


class _When(Enum):
    """Of which states a part speaks."""

    FIRST = "does not hold in the initial state"
    ALL = "never holds"
    SOME = ""


_ALWAYS: Final = {("ALWAYS", False), ("AG", False), ("EVENTUALLY", True), ("EF", True)}
_LEFT, _BOTH = (0,), (0, 1)
_OPERANDS: Final = {
    "UNTIL": (_LEFT, _LEFT),
    "AU": (_LEFT, _LEFT),
    "EU": (_LEFT, _LEFT),
    "RELEASE": (_LEFT, _LEFT),
    "AR": (_LEFT, _LEFT),
    "ER": (_LEFT, _LEFT),
    "WEAK_UNTIL": (_BOTH, ()),
    "AW": (_BOTH, ()),
    "EW": (_BOTH, ()),
    "STRONG_RELEASE": ((), _BOTH),
}
"""Which operands can be left out without making the whole false: under an even and under an odd number of negations."""


def why_vacuous(logic: Logic, formula: F, holds: Callable[[Stronger], bool], most: int = MOST_PARTS) -> str | None:
    """Why the formula, which holds, says less than it seems to; None if nothing like that was found."""
    tried: set[Any] = {formula, logic.false}
    for stronger in islice(_new(_without_parts(logic, formula, False, _When.FIRST), tried), most):
        if holds(stronger):
            return f"vacuous: {stronger.why}"
    return None


def _new(found: Iterable[Stronger], tried: set[Any]) -> Iterator[Stronger]:
    for each in found:
        if each.formula not in tried:
            tried.add(each.formula)
            yield each


def _without_parts(logic: Logic, formula: Any, negated: bool, when: _When) -> Iterator[Stronger]:
    """The outermost parts first."""
    name = formula.op.name
    if name == "NOT":
        for each in _without_parts(logic, formula.args[0], not negated, when):
            yield each._replace(formula=logic.not_(each.formula))
        return
    args = tuple(_operands(formula))
    if name == ("AND" if negated else "OR"):
        yield from _without_alternatives(logic, formula.op, args, negated, when)
        return
    nothing = logic.true if negated else logic.false
    for position in _OPERANDS.get(name, ((), ()))[negated]:
        rest = logic.build(formula.op, *_replaced(args, position, nothing))
        yield Stronger(rest, _anything(logic, [args[position]]), False)
    within = when if name in ("AND", "OR") else _When.SOME
    if (name, negated) in _ALWAYS and when is not _When.SOME:
        within = _When.ALL
    for position, arg in enumerate(args):
        for each in _without_parts(logic, arg, negated, within):
            yield each._replace(formula=logic.build(formula.op, *_replaced(args, position, each.formula)))


def _without_alternatives(
    logic: Logic, op: Enum, args: tuple[Any, ...], negated: bool, when: _When
) -> Iterator[Stronger]:
    """Of `p -> q`, which is `!p || q`, what is asked for goes, and the condition stays: who writes it expects p."""
    conditions = [arg for arg in args if (arg.op.name == "NOT") != negated]
    claims = [arg for arg in args if (arg.op.name == "NOT") == negated]

    def only(kept: list[Any]) -> Any:
        return logic.build(op, *kept) if len(kept) > 1 else kept[0]

    if claims and conditions:
        yield Stronger(only(conditions), _never(logic, conditions, claims, negated, when), True)
    if claims and all(arg.boolean for arg in args):
        return  # what is left over of a list of values is no vacuity, but an invariant that could be sharper
    droppable = (claims if len(claims) > 1 or not conditions else []) if claims else conditions
    for dropped in droppable:
        kept = [arg for arg in args if arg is not dropped]
        why = _anything(logic, [dropped]) if claims else _never(logic, kept, [dropped], negated, when)
        yield Stronger(only(kept), why, not claims)
    for position, arg in enumerate(args):
        if arg in conditions and claims:
            continue
        for each in _without_parts(logic, arg, negated, _When.SOME):
            yield each._replace(formula=only(list(_replaced(args, position, each.formula))))


def _never(logic: Logic, conditions: list[Any], dropped: list[Any], negated: bool, when: _When) -> str:
    """About a disjunction of which the negated conditions are enough."""
    if when is _When.SOME or (when is _When.FIRST and not all(each.boolean for each in conditions)):
        return _anything(logic, dropped)
    plain = [each if negated else logic.not_(each) for each in conditions]
    text = " && ".join(map(logic.written, plain))
    return f"{f'({text})' if len(plain) > 1 else text} {when.value}"


def _anything(logic: Logic, parts: list[Any]) -> str:
    return f"it holds with anything in place of {' and '.join(map(logic.written, parts))}"


def _operands(formula: Any) -> Iterator[Any]:
    """Those of a nested conjunction or disjunction are all on one level."""
    if formula.op.name not in ("AND", "OR"):
        yield from formula.args
        return
    pending = [*reversed(formula.args)]
    while pending:
        part = pending.pop()
        if part.op is formula.op:
            pending += reversed(part.args)
        else:
            yield part


def _replaced(args: tuple[Any, ...], position: int, new: Any) -> tuple[Any, ...]:
    return (*args[:position], new, *args[position + 1 :])
