"""Visible transitions and condition V (guard-based POR, section 5): what a property can see must keep its order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mule.model.expressions import Binary, Expression, Unary
from mule.model.failures import effects_may_fail, may_fail
from mule.model.model import Kind
from mule.model.simplify import is_total
from mule.records import replace
from mule.relations.accesses import members, union
from mule.relations.changes import TURNS_FALSE, TURNS_TRUE
from mule.relations.decide import EFFORT

if TYPE_CHECKING:
    from mule.relations import Relations


def coarsely_visible(relations: Relations, propositions: Iterable[Expression]) -> int:
    """The transitions that write a slot which some proposition tests."""
    accesses = relations.accesses
    tested = 0
    for proposition in propositions:
        tested |= accesses.expression(proposition)
    return _bits(number for number, writes in enumerate(accesses.writes) if writes & tested)


def visible(relations: Relations, propositions: Iterable[Expression]) -> int:
    """The transitions that can change the truth of some proposition."""
    relations.changes.decider.effort = EFFORT
    bits = 0
    for proposition in propositions:
        candidates = (1 << len(relations.accesses.writes)) - 1
        parts = _parts(relations, proposition)
        if len(parts) > 1:
            # a part has few slots, so that more can be decided of it, at less cost, than of the whole
            candidates = union(_changing(relations, part, candidates) for part in parts)
        bits |= _changing(relations, proposition, candidates & ~bits)
    return bits


def _changing(relations: Relations, predicate: Expression, candidates: int) -> int:
    changes, accesses = relations.changes, relations.accesses
    tests = accesses.expression(predicate)
    function = changes.decider.closures.function(predicate)
    return _bits(
        number
        for number in members(candidates)
        if accesses.writes[number] & tests
        and changes.of_predicate(number, function, tests) & (TURNS_TRUE | TURNS_FALSE)
    )


def _parts(relations: Relations, predicate: Expression) -> list[Expression]:
    """Predicates whose truth decides that of this one; where it may be undefined, that is no matter of truth alone."""
    if is_total(predicate):
        return _total_parts(predicate)
    match predicate:
        case Unary("not", operand) if not may_fail(operand, relations.domains):
            return _parts(relations, operand)
        case Binary("and" | "or", left, right) if not may_fail(predicate, relations.domains):
            return [*_parts(relations, left), *_parts(relations, right)]
    return [predicate]


def _total_parts(predicate: Expression) -> list[Expression]:
    """The same where everything has a value, so that nothing need be asked again further down; each part once."""
    parts: dict[Expression, None] = {}
    stack = [predicate]
    while stack:
        match stack.pop():
            case Unary("not", operand):
                stack.append(operand)
            case Binary("and" | "or", left, right):
                stack += (right, left)
            case part:
                parts.setdefault(part)
    return list(parts)


def error_transitions(relations: Relations) -> int:
    """Those that end the run where a guard goes wrong."""
    return _bits(n for n, transition in enumerate(relations.model.transitions) if transition.kind is Kind.ERROR)


def failing_transitions(relations: Relations) -> int:
    """Those that can end the run: visible wherever errors of the model must be found."""
    model, domains = relations.model, relations.domains
    failing = _bits(
        number
        for number, transition in enumerate(model.transitions)
        if transition.kind is Kind.STEP and effects_may_fail(model, transition, domains)
    )
    return failing | error_transitions(relations)


def with_visible_dependent(relations: Relations, visible: int) -> Relations:
    """Condition V by way of the relations: visible transitions accord with no other visible one."""

    def added(matrix: list[int]) -> list[int]:
        return [row | visible if visible >> number & 1 else row for number, row in enumerate(matrix)]

    return replace(
        relations,
        do_not_accord=added(relations.do_not_accord),
        left_accordance=lambda: added(relations.do_not_left_accord),
        visible=visible,
    )


def in_no_reduced_set(relations: Relations, transitions: int) -> Relations:
    """The relations as if these transitions interfered with everything: a set that has one of them has all that is
    enabled."""
    everything = (1 << len(relations.do_not_accord)) - 1
    rows = [everything if transitions >> n & 1 else row for n, row in enumerate(relations.do_not_accord)]
    return replace(relations, do_not_accord=rows)


def without(relations: Relations, transitions: int) -> Relations:
    """The relations as if these transitions did not exist: errors take no part where only deadlocks are preserved."""
    kept = ~transitions
    return replace(
        relations,
        do_not_accord=_masked(relations.do_not_accord, kept),
        left_accordance=lambda: _masked(relations.do_not_left_accord, kept),
        enabling=[row & kept for row in relations.enabling],
        disabling=[row & kept for row in relations.disabling],
        must_disable=_masked(relations.must_disable, kept),
    )


def _masked(matrix: list[int], kept: int) -> list[int]:
    return [row & kept if kept >> number & 1 else 0 for number, row in enumerate(matrix)]


def _bits(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits
