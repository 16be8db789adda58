"""What `printf` and `printm` print."""

from __future__ import annotations

import re

from mule.frontends.promela import syntax
from mule.frontends.promela.expressions import Expressions, View
from mule.model import Printed

_PIECE = re.compile(r"%%|%[-0-9.]*([a-zA-Z])|\\.|[^%\\]+|.", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\", "\\r": "\r"}


def output_of(
    statement: syntax.Print | syntax.PrintMtype, view: View, expressions: Expressions
) -> tuple[str | Printed, ...]:
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
            view.fail(f"the format has more conversions than arguments: nothing is left for `{text}`", statement.at)
        else:
            kind = {"i": "d"}.get(conversion, conversion)
            if kind not in "dcuxoe":
                view.fail(f"`{text}` is no conversion of printf here: use %d, %c, %u, %x, %o or %e", statement.at)
            pieces.append(Printed(kind, expressions.translate(arguments.pop(0), view), names if kind == "e" else ()))
    return tuple(pieces)
