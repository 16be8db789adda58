"""Syntax trees of expressions to expressions of the model, constant parts computed on the way."""

from __future__ import annotations

from mule.frontends.dve.operators import LONG_CHAIN
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
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.simplify import binary, unary
from mule.model.variables import Variable

Locations = list[Variable]


class Translator:
    """Translates expressions; `locations[i]` is the control location of process i."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations

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
            case UnaryOperation():
                return unary(tree.operator, self.translate(tree.operand, scope))
            case BinaryOperation(operator="imply"):
                return binary("or", unary("not", self.translate(tree.left, scope)), self.translate(tree.right, scope))
            case BinaryOperation():
                return binary(tree.operator, self.translate(tree.left, scope), self.translate(tree.right, scope))
            case Chain():
                return chain(tree.operator, [self.translate(operand, scope) for operand in tree.operands])
        raise TypeError(f"not an expression: {tree!r}")

    def at_state(self, scope: Scope, process_name: Name, state: Name) -> Expression:
        process = scope.process(process_name)
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
        name = Name(tree.name, tree.at)
        if tree.process is None:
            inner, found = scope, scope.find(tree.name)
            known, wanted = scope.names("variable", "constant"), "variable"
        else:
            inner = scope.process(tree.process).scope
            found = inner.symbols.get(tree.name)
            known, wanted = inner.own_names("variable", "constant"), f"variable in process {tree.process.text} named"
        if isinstance(found, VariableSymbol | ConstantSymbol):
            return found
        if isinstance(found, StateSymbol) and inner.owner is not None:
            process = inner.owner.name.text
            scope.source.fail(f"{tree.name} is a state of {process}: write {process}.{tree.name}", tree.at)
        scope.refuse(wanted, name, found, known)

    def read(self, tree: Reference, symbol: VariableSymbol, scope: Scope) -> Read:
        variable = symbol.variable
        if tree.index is None:
            # DiVinE takes an array without an index for its first element; BEEM's train-gate relies on it.
            return Read(variable) if variable.length is None else Read(variable, Constant(0))
        if variable.length is None:
            scope.source.fail(f"{tree.name} is not an array", tree.at)
        return Read(variable, self.translate(tree.index, scope))


def chain(operator: str, operands: list[Expression]) -> Expression:
    """Fold an associative operator, keeping the order of evaluation; long chains become balanced trees."""
    if len(operands) > LONG_CHAIN:
        middle = len(operands) // 2
        return binary(operator, balanced(operator, operands[:middle]), balanced(operator, operands[middle:]))
    result = operands[0]
    for operand in operands[1:]:
        result = binary(operator, result, operand)
    return result


def balanced(operator: str, operands: list[Expression]) -> Expression:
    if len(operands) == 1:
        return operands[0]
    middle = len(operands) // 2
    return binary(operator, balanced(operator, operands[:middle]), balanced(operator, operands[middle:]))
