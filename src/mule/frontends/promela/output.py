"""What `printf` and `printm` print."""

from __future__ import annotations

import re

from mule.frontends.promela import syntax
from mule.frontends.promela.expressions import Expressions, View
from mule.model import Printed

_PIECE = re.compile(r"%%|%[-0-9.lh]*([a-zA-Z])|\\.|[^%\\]+|.", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\", "\\r": "\r"}


def output_of(
    statement: syntax.Print | syntax.PrintMtype, view: View, expressions: Expressions
) -> tuple[str | Printed, ...]:
    """A verifier prints nothing, so a format that promises too much is no error: a conversion without an argument is
    printed as it stands, one that Promela does not have as a number."""
    program = view.scope.program
    names = tuple(sorted(program.all_names.items()))
    if isinstance(statement, syntax.PrintMtype):
        return (Printed("e", expressions.translate(statement.value, view), names),)
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
            pieces.append(Printed(kind, expressions.translate(arguments.pop(0), view), names if kind == "e" else ()))
    return tuple(pieces)
