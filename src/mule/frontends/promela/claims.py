"""Never claims and `ltl` blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from mule.frontends.promela import syntax
from mule.frontends.promela.control import control_graph
from mule.frontends.promela.expressions import Expressions, View
from mule.frontends.promela.graph import Edge, Graph, Join
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
    """The claim is matched where it comes to its end, or to an end label: then everything that follows is accepted."""
    scope = Scope(system.program, system.scope, "never")
    graph = control_graph(unit.body, scope, unit.at)
    looks = _Looks(graph, View(scope, None), Expressions(system))
    accepting = {graph.end}
    edges = []
    for number, location in enumerate(graph.locations):
        if any(label.startswith("accept") for label in location.labels):
            accepting.add(number)
        found = looks.from_place(number)
        edges.append(tuple(ClaimEdge(meanings.expression(condition), target) for condition, target in found))
    name = unit.name or "never"
    return Claim(name, scope.place(unit.at), None, tuple(edges), graph.start, frozenset(accepting))


class _Looks:
    """What a claim sees of one state: a statement, or a whole way through an `atomic` or `d_step`."""

    def __init__(self, graph: Graph, view: View, expressions: Expressions) -> None:
        self.graph = graph
        self.view = view
        self.expressions = expressions

    def from_place(self, number: int, passed: frozenset[int] = frozenset()) -> Iterator[tuple[Expression, int]]:
        """Conditions, and the places where the claim waits for the next state.

        A loop inside an `atomic` that comes back to a place it `passed` sees nothing new."""
        location = self.graph.locations[number]
        if number == self.graph.end or any(label.startswith("end") for label in location.labels):
            yield TRUE, self.graph.end
            return
        earlier: Expression = FALSE
        for edge in location.edges:
            condition = self.condition(edge, earlier)
            chosen = condition if edge.step is None else binary("and", condition, unary("not", earlier))
            earlier = binary("or", earlier, condition)
            if isinstance(edge.action, syntax.Assertion):
                holds = self.expressions.condition(edge.action.condition, self.view)
                yield binary("and", chosen, unary("not", holds)), self.graph.end
                chosen = binary("and", chosen, holds)
            if not edge.keeps:
                yield chosen, edge.target
            elif edge.target not in passed:
                for rest, target in self.from_place(edge.target, passed | {number, edge.target}):
                    yield binary("and", chosen, rest), target

    def condition(self, edge: Edge, earlier: Expression) -> Expression:
        match edge.action:
            case syntax.Condition(_, tree):
                return self.expressions.condition(tree, self.view)
            case syntax.Else():
                return unary("not", earlier)
            case syntax.Goto() | syntax.Break() | syntax.Assertion() | syntax.Print() | Join():
                return TRUE
        self.view.fail("a never claim only looks: it is made of conditions", edge.action.at)
