"""The parts of a formula that speak about one state, as expressions of the model."""

from __future__ import annotations

from mule.ltl.formula import Formula, Op, atom, build
from mule.ltl.letters import MOST_ATOMS
from mule.model.expressions import FALSE, TRUE, Binary, Expression, Undefined, joined, negation
from mule.model.simplify import is_total


def state_expression(formula: Formula, atoms: dict[str, Expression]) -> Expression:
    """An atom that has no value counts as false, as everywhere in temporal properties."""
    match formula.op:
        case Op.TRUE | Op.FALSE:
            return TRUE if formula.op is Op.TRUE else FALSE
        case Op.ATOM:
            meaning = atoms[formula.name]
            return meaning if is_total(meaning) else Binary("and", negation(Undefined(meaning)), meaning)
        case Op.NOT:
            return negation(state_expression(formula.args[0], atoms))
    parts = [state_expression(part, atoms) for part in formula.args]
    return joined("and" if formula.op is Op.AND else "or", parts)


def with_few_atoms(formula: Formula, atoms: dict[str, Expression]) -> tuple[Formula, dict[str, Expression]]:
    """The formula as it is if it has few atoms; else each part that speaks about one state becomes an atom."""
    if len(formula.atoms()) <= MOST_ATOMS:
        return formula, atoms
    meanings: dict[str, Expression] = {}

    def replaced(part: Formula) -> Formula:
        if part.op in (Op.TRUE, Op.FALSE):
            return part
        if part.boolean:
            meanings.setdefault(part.text, state_expression(part, atoms))
            return atom(part.text)
        return build(part.op, *map(replaced, part.args))

    return replaced(formula), meanings
