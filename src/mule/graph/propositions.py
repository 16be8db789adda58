"""What a graph observes: expressions of the model's language, by the text that its author wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mule._engine import MOST_PROPOSITIONS
from mule.ctl.formula import Formula, Op, atom
from mule.ctl.parser import parse
from mule.errors import MuleError, Place
from mule.formulas import members_of, remote_of, words_of
from mule.ltl.lexer import Syntax
from mule.ltl.parser import Parsed
from mule.ltl.parser import parse as parse_ltl
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.simplify import unary
from mule.records import replace


@dataclass(frozen=True, slots=True)
class Proposition:
    text: str
    expression: Expression


def parse_ctl(model: Model, text: str) -> Parsed[Formula]:
    """Of a formula with very many atoms each part that speaks about one state is one."""
    parsed = parse(text, members_of(model), remote=remote_of(model), words=words_of(model))
    if len(parsed.places) <= MOST_PROPOSITIONS:
        return parsed
    words = _IN_PYTHON if words_of(model) else _IN_C
    places: dict[str, Place] = {}

    def merged(formula: Formula) -> Formula:
        if not formula.args and formula.op is not Op.ATOM:
            return formula
        if not formula.boolean:
            return Formula(formula.op, tuple(map(merged, formula.args)))
        whole = _written(formula, words)
        places.setdefault(whole, parsed.places[formula.atoms()[0]])
        return atom(whole)

    return Parsed(merged(parsed.formula), places)


_IN_C = {Op.NOT: "!", Op.AND: " && ", Op.OR: " || ", Op.TRUE: "1", Op.FALSE: "0"}
_IN_PYTHON = {Op.NOT: "not ", Op.AND: " and ", Op.OR: " or ", Op.TRUE: "True", Op.FALSE: "False"}


def _written(formula: Formula, words: Mapping[Op, str]) -> str:
    """A formula without temporal operators as an expression of the model's language."""
    if formula.op is Op.ATOM:
        return f"({formula.name})"
    if not formula.args:
        return words[formula.op]
    if formula.op is Op.NOT:
        return f"({words[Op.NOT]}{_written(formula.args[0], words)})"
    operands, pending = [], [formula]
    while pending:
        part = pending.pop()
        if part.op is formula.op:
            pending += reversed(part.args)
        else:
            operands.append(_written(part, words))
    return f"({words[formula.op].join(operands)})"


def read_proposition(model: Model, text: str, place: Place | None = None) -> Proposition:
    """`place`: where the text begins, for messages about it."""
    if model.parse_expression is None:
        raise MuleError(f"{model.language} models have no expressions to write formulas with")
    try:
        return Proposition(text, model.parse_expression(text))
    except MuleError as error:
        raise MuleError(error.message, _inside(place, error.place)) from None


def _inside(place: Place | None, inner: Place | None) -> Place | None:
    if place is None or inner is None or inner.line != 1 or inner.column is None:
        return place or inner
    return replace(place, column=(place.column or 1) + inner.column - 1)


def atoms_of(model: Model, parsed: Parsed[Any]) -> list[Proposition]:
    return [read_proposition(model, text, place) for text, place in parsed.places.items()]


def observed_by(
    model: Model, observe: Iterable[str] = (), ltl: Iterable[str] = (), ctl: Iterable[str] = ()
) -> tuple[Proposition, ...]:
    """The propositions that are named, and those of formulas; without any, those of the model's own claims."""
    found = [read_proposition(model, text, Place("proposition", 1, 1)) for text in observe]
    for text in ltl:
        read = parse_ltl(text, "any", members_of(model), remote=remote_of(model), words=words_of(model))
        found += atoms_of(model, read)
    for text in ctl:
        found += atoms_of(model, parse_ctl(model, text))
    if not found:
        syntax: Syntax = "spin" if model.language == "promela" else "any"
        for claim in model.claims:
            if claim.formula is not None:
                read = parse_ltl(
                    claim.formula, syntax, members_of(model), claim.place, remote_of(model), words_of(model)
                )
                found += atoms_of(model, read)
    return distinct(found)


def distinct(propositions: Iterable[Proposition]) -> tuple[Proposition, ...]:
    by_meaning: dict[Expression, Proposition] = {}
    for each in propositions:
        by_meaning.setdefault(each.expression, each)
    if len(by_meaning) > MOST_PROPOSITIONS:
        raise MuleError(
            f"{len(by_meaning)} different propositions, but a graph can observe {MOST_PROPOSITIONS} at most: "
            "a boolean expression in double quotes is one"
        )
    return tuple(by_meaning.values())


def numbers(observed: Sequence[Proposition], asked: Sequence[Proposition]) -> list[tuple[int, bool]]:
    """For each one asked about the number of the proposition that it is, and whether it is its negation."""
    known = {each.expression: number for number, each in enumerate(observed)}
    found = []
    for each in asked:
        opposite = unary("not", each.expression)
        if each.expression in known:
            found.append((known[each.expression], False))
        elif opposite in known:
            found.append((known[opposite], True))
        else:
            raise not_observed(each.text, observed)
    return found


def not_observed(text: str, observed: Sequence[Proposition]) -> MuleError:
    texts = ", ".join(other.text for other in observed) or "nothing"
    return MuleError(f"this graph does not observe {text}: it observes {texts}; explore again with --observe")
