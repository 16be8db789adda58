"""Syntax trees of expressions to expressions of the model, constant parts computed on the way."""

from __future__ import annotations

from typing import NamedTuple

from mule.frontends.dve.operators import CONNECTIVES, LONG_CHAIN, MANY_TURNS
from mule.frontends.dve.scopes import ConstantSymbol, Scope, StateSymbol, VariableSymbol, state_of
from mule.frontends.dve.syntax import (
    AtState,
    BinaryOperation,
    Chain,
    InProcess,
    Name,
    Number,
    Reference,
    Tree,
    UnaryOperation,
)
from mule.model.exact import exact, negative
from mule.model.expressions import FALSE, TRUE, Binary, Conditional, Constant, Expression, Read
from mule.model.simplify import binary, boolean, unary
from mule.model.variables import Variable

Locations = list[Variable]


class Translator:
    """Translates expressions; `locations[i]` is the control location of process i."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.property_process: int | None = None

    def translate(self, tree: Tree, scope: Scope) -> Expression:
        match tree:
            case Number():
                return Constant(tree.value)
            case Reference():
                return self.reference(tree, scope)
            case AtState():
                return self.at_state(scope, tree.process, tree.state)
            case InProcess():
                return self.translate(tree.body, scope.process(tree.process).scope)
            case UnaryOperation(operator="-"):
                return negative(self.translate(tree.operand, scope))
            case UnaryOperation():
                return unary(tree.operator, self.translate(tree.operand, scope))
            case BinaryOperation(operator="imply"):
                return binary("or", unary("not", self.translate(tree.left, scope)), self.translate(tree.right, scope))
            case BinaryOperation():
                return exact(tree.operator, self.translate(tree.left, scope), self.translate(tree.right, scope))
            case Chain() if tree.turns > MANY_TURNS:
                return self.turning(tree, scope)
            case Chain():
                return chain(tree.operator, [self.translate(operand, scope) for operand in tree.operands])
        raise TypeError(f"not an expression: {tree!r}")

    def turning(self, tree: Chain, scope: Scope) -> Expression:
        """`and` and `or` in turns, too many for a tree that leans to the left."""
        turns: list[Turn] = []
        below: Tree = tree
        while isinstance(below, Chain) and below.operator in CONNECTIVES:
            added = below.operands[1:]
            turns.append(turn(below.operator, chain(below.operator, [self.translate(each, scope) for each in added])))
            below = below.operands[0]
        turns.reverse()
        while len(turns) > MANY_TURNS:
            turns = [one_after_the_other(turns[i : i + MANY_TURNS]) for i in range(0, len(turns), MANY_TURNS)]
        return after(self.translate(below, scope), turns)

    def at_state(self, scope: Scope, process_name: Name, state: Name) -> Expression:
        process = scope.process(process_name)
        if process.index == self.property_process:
            scope.source.fail(
                f"{process_name.text} is the property process: it only observes, and is no part of the system",
                process_name.at,
            )
        number = process.states.get(state.text)
        if number is None and state.text in process.scope.symbols:
            text = f"{state.text} is a variable of process {process_name.text}"
            scope.source.fail(f"{text}: write {process_name.text}->{state.text}", state.at)
        return Binary("==", Read(self.locations[process.index]), Constant(state_of(process, state)))

    def reference(self, tree: Reference, scope: Scope) -> Expression:
        symbol = self.symbol(tree, scope)
        if isinstance(symbol, ConstantSymbol):
            if tree.index is not None:
                scope.source.fail(f"{tree.name} is not an array", tree.at)
            return Constant(symbol.value)
        return self.read(tree, symbol, scope)

    def target(self, tree: Reference, scope: Scope) -> Read:
        """Where an assignment or a message goes."""
        symbol = self.symbol(tree, scope)
        if isinstance(symbol, ConstantSymbol) or (isinstance(symbol, VariableSymbol) and symbol.constant):
            scope.source.fail(f"{tree.name} is a constant and cannot be assigned to", tree.at)
        return self.read(tree, symbol, scope)

    def symbol(self, tree: Reference, scope: Scope) -> VariableSymbol | ConstantSymbol:
        """The variable or constant that a reference means."""
        inner = scope if tree.process is None else scope.process(tree.process).scope
        found = inner.find(tree.name) if tree.process is None else inner.symbols.get(tree.name)
        if isinstance(found, VariableSymbol | ConstantSymbol):
            return found
        if isinstance(found, StateSymbol) and inner.owner is not None:
            process = inner.owner.name.text
            scope.source.fail(f"{tree.name} is a state of {process}: write {process}.{tree.name}", tree.at)
        name, kinds = Name(tree.name, tree.at), ("variable", "constant")
        if tree.process is None:
            scope.refuse("variable", name, found, scope.names(*kinds))
        scope.refuse(f"variable in process {tree.process.text} named", name, found, inner.own_names(*kinds))

    def read(self, tree: Reference, symbol: VariableSymbol, scope: Scope) -> Read:
        variable = symbol.variable
        if tree.index is None:
            # DiVinE takes an array without an index for its first element; BEEM's train-gate relies on it.
            return Read(variable) if variable.length is None else Read(variable, Constant(0))
        if variable.length is None:
            scope.source.fail(f"{tree.name} is not an array", tree.at)
        return Read(variable, self.translate(tree.index, scope))


class Turn(NamedTuple):
    """What a truth value becomes by an operator and its right operand, or by several in a row."""

    when_true: Expression
    when_false: Expression


def turn(operator: str, right: Expression) -> Turn:
    return Turn(boolean(right), FALSE) if operator == "and" else Turn(TRUE, boolean(right))


def after(value: Expression, turns: list[Turn]) -> Expression:
    """Evaluated from left to right, and no more of it than the operators evaluate."""
    for then in turns:
        if isinstance(value, Constant):
            value = then.when_true if value.value else then.when_false
        elif then.when_false == FALSE:
            value = binary("and", value, then.when_true)
        elif then.when_true == TRUE:
            value = binary("or", value, then.when_false)
        else:
            value = Conditional(value, then.when_true, then.when_false)
    return value


def one_after_the_other(turns: list[Turn]) -> Turn:
    return Turn(after(TRUE, turns), after(FALSE, turns))


def chain(operator: str, operands: list[Expression]) -> Expression:
    """Fold an associative operator, keeping the order of evaluation; long chains become balanced trees."""
    if len(operands) > LONG_CHAIN:
        middle = len(operands) // 2
        return exact(operator, balanced(operator, operands[:middle]), balanced(operator, operands[middle:]))
    result = operands[0]
    for operand in operands[1:]:
        result = exact(operator, result, operand)
    return result


def balanced(operator: str, operands: list[Expression]) -> Expression:
    if len(operands) == 1:
        return operands[0]
    middle = len(operands) // 2
    return exact(operator, balanced(operator, operands[:middle]), balanced(operator, operands[middle:]))
