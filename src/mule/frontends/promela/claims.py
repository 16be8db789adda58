"""Never claims and `ltl` blocks."""

from __future__ import annotations

from itertools import count

from mule.frontends.promela import syntax
from mule.frontends.promela.control import control_graph
from mule.frontends.promela.expressions import Expressions, View
from mule.frontends.promela.graph import Edge, Location
from mule.frontends.promela.meanings import Meanings
from mule.frontends.promela.scopes import Scope
from mule.frontends.promela.system import System
from mule.model import Claim, ClaimEdge
from mule.model.expressions import FALSE, TRUE, Expression
from mule.model.simplify import binary, unary


def claims_of(system: System, tree: syntax.Program, meanings: Meanings) -> list[Claim]:
    claims: list[Claim] = []
    nameless = (f"ltl_{number}" for number in count())
    for unit in tree.units:
        match unit:
            case syntax.LtlProperty(_, name, formula, formula_at):
                claims.append(Claim(name or next(nameless), tree.place(formula_at), formula))
            case syntax.NeverClaim():
                claims.append(_never(system, unit, meanings))
    return claims


def _never(system: System, unit: syntax.NeverClaim, meanings: Meanings) -> Claim:
    """The claim is matched where it comes to its end: then everything that follows is accepted."""
    scope = Scope(system.program, system.scope, "never")
    graph = control_graph(unit.body, scope, unit.at)
    view, expressions = View(scope, None), Expressions(system)
    accepting = {graph.end}
    edges = []
    for number, location in enumerate(graph.locations):
        if any(label.startswith("accept") for label in location.labels):
            accepting.add(number)
        edges.append(
            (ClaimEdge(TRUE, number),) if number == graph.end else _edges(location, view, expressions, meanings)
        )
    name = unit.name or "never"
    return Claim(name, scope.place(unit.at), None, tuple(edges), graph.start, frozenset(accepting))


def _edges(location: Location, view: View, expressions: Expressions, meanings: Meanings) -> tuple[ClaimEdge, ...]:
    found = []
    earlier: Expression = FALSE
    for edge in location.edges:
        condition = _condition(edge, view, expressions, earlier)
        earlier = binary("or", earlier, condition)
        found.append(ClaimEdge(meanings.expression(condition), edge.target))
    return tuple(found)


def _condition(edge: Edge, view: View, expressions: Expressions, earlier: Expression) -> Expression:
    match edge.action:
        case syntax.Condition(_, tree):
            return expressions.condition(tree, view)
        case syntax.Else():
            return unary("not", earlier)
        case syntax.Goto() | syntax.Break() | syntax.Assertion() | syntax.Print():
            return TRUE
    view.fail("a never claim only looks: it is made of conditions", edge.action.at)
