"""Hidden variables that every step sets before it reads them."""

from __future__ import annotations

from collections.abc import Iterator

from mule.frontends.promela.chains import Way
from mule.frontends.promela.system import System
from mule.model import Assign, Receive, Send, Statement, Variable
from mule.model.expressions import variables_read
from mule.model.forward import Forward


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
    for way in ways:
        for condition in way.conditions:
            hidden -= variables_read(condition)
        state = Forward()
        for statement in way.statements:
            if isinstance(statement, Assign):
                parts = [statement.value] + ([statement.target.index] if statement.target.index else [])
                hidden -= {v for part in parts for v in variables_read(state.expression(part))}
            else:
                hidden -= {v for v in hidden if _statement_reads(statement, v)}
            state = state.after((statement,))
    return hidden


def targets_of(statement: Statement) -> Iterator[Variable]:
    match statement:
        case Assign(target, _):
            yield target.variable
        case Receive(_, targets):
            yield from (target.variable for target in targets if target is not None)


def _statement_reads(statement: Statement, variable: Variable) -> bool:
    match statement:
        case Send(_, values):
            return any(variable in variables_read(value) for value in values)
        case Receive(_, targets):
            return any(t is not None and t.index is not None and variable in variables_read(t.index) for t in targets)
    return False
