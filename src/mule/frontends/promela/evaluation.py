"""The values of expressions as far as those of variables are known, before there is a model."""

from __future__ import annotations

from collections.abc import Callable

from mule.frontends.promela import syntax
from mule.frontends.promela.scopes import PREDEFINED, Scope, Symbol
from mule.model.simplify import compute


def evaluate(
    tree: syntax.Tree, scope: Scope, pid: int, read: Callable[[Symbol], int | None], processes: int | None = None
) -> int | None:
    """The value of an expression as far as `read` knows the variables; `processes`: how many there are, if known."""
    match tree:
        case syntax.Number(_, value):
            return value
        case syntax.MtypeConstant(_, name):
            return scope.program.mtypes[name]
        case syntax.Reference(_, (syntax.Part(_, "_pid", None),)):
            return pid
        case syntax.Reference(_, (syntax.Part(_, "_nr_pr", None),)):
            return processes
        case syntax.Reference(at, (syntax.Part(_, name, None),)) if name not in PREDEFINED:
            return read(scope.lookup(name, at))
        case syntax.Unary(_, operator, operand):
            inner = evaluate(operand, scope, pid, read, processes)
            if inner is None:
                return None
            return int(inner == 0) if operator == "!" else -inner if operator == "-" else ~inner
        case syntax.Binary(_, "&&" | "||" as operator, left, right):
            first, second = evaluate(left, scope, pid, read, processes), evaluate(right, scope, pid, read, processes)
            decisive = operator == "||"
            if any(value is not None and (value != 0) == decisive for value in (first, second)):
                return int(decisive)
            return None if first is None or second is None else int(not decisive)
        case syntax.Binary(_, operator, left, right):
            first, second = evaluate(left, scope, pid, read, processes), evaluate(right, scope, pid, read, processes)
            return None if first is None or second is None else compute(operator, first, second)
        case syntax.Conditional(_, test, then, otherwise):
            decided = evaluate(test, scope, pid, read, processes)
            return None if decided is None else evaluate(then if decided else otherwise, scope, pid, read, processes)
    return None
