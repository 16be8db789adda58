"""Hidden variables that every step sets before it reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mule.frontends.promela.chains import Way
from mule.frontends.promela.system import System
from mule.model import Assign, Receive, Send, Statement, Variable
from mule.model.expressions import Expression, Read, subexpressions, variables_read


def scratch_variables(system: System, ways: list[Way]) -> set[Variable]:
    """Hidden variables that no step reads before it has set them: they are no part of the state."""
    hidden = {
        variable
        for variables in (system.shared, *(i.variables for i in system.instances))
        for (symbol, _), variable in variables.items()
        if symbol.hidden
    }
    if not hidden:
        return hidden
    for condition in {id(condition): condition for way in ways for condition in way.conditions}.values():
        hidden -= variables_read(condition)
    for way in ways:
        hidden -= set(_read_too_early(way.statements, hidden))
    return hidden


def _read_too_early(statements: Iterable[Statement], hidden: set[Variable]) -> Iterator[Variable]:
    """An element counts as set as long as what its index reads stays as it is."""
    known: set[tuple[Variable, Expression | None]] = set()
    for statement in statements:
        for value in _values(statement):
            for part in subexpressions(value):
                if isinstance(part, Read) and part.variable in hidden and (part.variable, part.index) not in known:
                    yield part.variable
        for place in _targets(statement):
            known = {(each, index) for each, index in known if not _reads(index, place.variable)}
            if place.variable in hidden and not _reads(place.index, place.variable):
                known.add((place.variable, place.index))


def _reads(index: Expression | None, variable: Variable) -> bool:
    return index is not None and variable in variables_read(index)


def _values(statement: Statement) -> Iterator[Expression]:
    """What a statement evaluates, indices included."""
    if isinstance(statement, Assign):
        yield statement.value
    elif isinstance(statement, Send):
        yield from statement.values
    yield from (place.index for place in _targets(statement) if place.index is not None)


def _targets(statement: Statement) -> Iterator[Read]:
    match statement:
        case Assign(target, _):
            yield target
        case Receive(_, targets):
            yield from (target for target in targets if target is not None)


def targets_of(statement: Statement) -> Iterator[Variable]:
    return (target.variable for target in _targets(statement))
