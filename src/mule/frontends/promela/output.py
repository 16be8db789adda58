"""What `printf` and `printm` print."""

from __future__ import annotations

import re

from mule.frontends.promela import syntax
from mule.frontends.promela.expressions import Expressions, View
from mule.model import Printed
from mule.model.expressions import Read

_PIECE = re.compile(r"%%|%[-0-9.lh]*([a-zA-Z])|\\.|[^%\\]+|.", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\", "\\r": "\r"}


def output_of(
    statement: syntax.Print | syntax.PrintMtype, view: View, expressions: Expressions
) -> tuple[str | Printed, ...]:
    """A verifier prints nothing, so a format that promises too much is no error: a conversion without an argument is
    printed as it stands, one that Promela does not have as a number."""
    if isinstance(statement, syntax.PrintMtype):
        return (_printed("e", statement.value, view, expressions),)
    pieces: list[str | Printed] = []
    arguments = list(statement.arguments)
    for match in _PIECE.finditer(statement.format[1:-1]):
        text, conversion = match.group(), match.group(1)
        if conversion is None:
            pieces.append("%" if text == "%%" else _ESCAPES.get(text, text))
        elif not arguments:
            pieces.append(text)
        else:
            kind = conversion if conversion in "cuxoe" else "d"
            pieces.append(_printed(kind, arguments.pop(0), view, expressions))
    return tuple(pieces)


def _printed(kind: str, tree: syntax.Tree, view: View, expressions: Expressions) -> Printed:
    value, program = expressions.translate(tree, view), view.scope.program
    if kind != "e":
        return Printed(kind, value)
    if isinstance(tree, syntax.MtypeConstant):
        return Printed(kind, value, program.mtype(program.subtype_of(tree.name)).names)
    of_variable = value.variable.type.names if isinstance(value, Read) else ()
    return Printed(kind, value, of_variable or tuple(sorted(program.all_names.items())))
