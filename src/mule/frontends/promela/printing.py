"""Statements and expressions as text on one line, in Promela."""

from __future__ import annotations

from mule.frontends.promela import syntax
from mule.frontends.promela.graph import Action, Declare, Finish, Join


def statement_text(action: Action) -> str:
    match action:
        case Finish():
            return "-end-"
        case Join():
            return ".(goto)"
        case Declare(_, variable):
            initial = variable.initial
            return f"{variable.name} = {expression_text(initial) if isinstance(initial, syntax.Tree) else 0}"
        case syntax.Condition(_, tree):
            return expression_text(tree)
        case syntax.Else():
            return "else"
        case syntax.Assignment(_, target, value):
            return f"{expression_text(target)} = {expression_text(value)}"
        case syntax.Increment(_, target, by):
            return f"{expression_text(target)}{'++' if by == 1 else '--'}"
        case syntax.Send(_, channel, arguments, is_sorted):
            return f"{expression_text(channel)}{'!!' if is_sorted else '!'}{_list(arguments)}"
        case syntax.Receive(_, channel, patterns, random, keep):
            inner = f"<{_list(patterns)}>" if keep else _list(patterns)
            return f"{expression_text(channel)}{'??' if random else '?'}{inner}"
        case syntax.Print(_, format, arguments):
            return f"printf({', '.join([format, *map(expression_text, arguments)])})"
        case syntax.PrintMtype(_, value):
            return f"printm({expression_text(value)})"
        case syntax.Assertion(_, tree):
            return f"assert({expression_text(tree)})"
        case syntax.OwnPriority(_, priority):
            return f"_priority = {expression_text(priority)}"
        case syntax.SetPriority(_, process, priority):
            return f"set_priority({expression_text(process)}, {expression_text(priority)})"
        case syntax.Goto(_, label):
            return f"goto {label}"
        case syntax.Break():
            return "break"
    return type(action).__name__


def expression_text(tree: syntax.Tree) -> str:
    match tree:
        case syntax.Number(_, value, word):
            return word or str(value)
        case syntax.MtypeConstant(_, name):
            return name
        case syntax.Reference(_, parts):
            return ".".join(map(_part, parts))
        case syntax.RemoteLabel(_, process, pid, label):
            return f"{process}{_index(pid)}@{label}"
        case syntax.RemoteVariable(_, process, pid, variable):
            return f"{process}{_index(pid)}:{_part(variable)}"
        case syntax.Unary(_, operator, operand):
            return f"{operator}{_inner(operand)}"
        case syntax.Binary(_, operator, left, right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case syntax.Conditional(_, condition, then, otherwise):
            return f"({expression_text(condition)} -> {expression_text(then)} : {expression_text(otherwise)})"
        case syntax.Run(_, process, arguments, _):
            return f"run {process}({_list(arguments)})"
        case syntax.ChannelQuery(_, function, channel):
            return f"{function}({expression_text(channel)})"
        case syntax.ProcessQuery(_, function, process):
            return f"{function}({expression_text(process)})"
        case syntax.Evaluated(_, expression):
            return f"eval({expression_text(expression)})"
        case syntax.Poll(_, channel, patterns, random):
            return f"{expression_text(channel)}{'??' if random else '?'}[{_list(patterns)}]"
        case syntax.Timeout():
            return "timeout"
        case syntax.NonProgress():
            return "np_"
    return type(tree).__name__


def _part(part: syntax.Part) -> str:
    return part.name + _index(part.index)


def _index(tree: syntax.Tree | None) -> str:
    return "" if tree is None else f"[{expression_text(tree)}]"


def _inner(tree: syntax.Tree) -> str:
    text = expression_text(tree)
    return f"({text})" if isinstance(tree, syntax.Binary) else text


def _list(trees: tuple[syntax.Tree, ...]) -> str:
    return ", ".join(map(expression_text, trees))
