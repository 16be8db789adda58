"""The semicolons that SPIN adds while it reads.

Since version 6.3 the end of a line also ends a statement, if it comes after something that can end one and outside
parentheses. A closing brace and `else` are always followed by one. An expression that goes on in the next line without
parentheses is therefore two statements (`x = 1` and `- 2`), and we must read it so too.
"""

from __future__ import annotations

from collections.abc import Mapping

from mule.frontends.promela.lexer import END, MTYPE_NAME, NAME, NUMBER, Tokens

_ENDS_STATEMENT = frozenset({")", "]", "od", "fi", "else", "break", NAME, NUMBER, MTYPE_NAME, "++", "--", "timeout"})
_AFTER_ELSE = frozenset({";", "->", "fi", END})
_AFTER_BRACE = frozenset({"proctype", "init", "never", "::", "fi", "od", "}", "unless", ";", "->", END})
_AFTER_LINE = frozenset({"}", "->", ";", END})


def with_separators(tokens: Tokens, begin: int, names: Mapping[str, str]) -> tuple[Tokens, int]:
    """The tokens of the block that begins at a `{`, with semicolons added and names told apart, and where it ends.

    Added semicolons have an empty text."""
    result = Tokens()
    kinds, texts, starts, breaks = tokens.kinds, tokens.texts, tokens.starts, tokens.breaks
    braces = parentheses = 0
    last = ""
    for position in range(begin, len(kinds)):
        kind, text, line_break = kinds[position], texts[position], breaks[position]
        if kind == NAME:
            kind = names.get(text, NAME)
        if last == "}":
            added = kind not in _AFTER_BRACE
        elif last == "else":
            added = kind not in _AFTER_ELSE
        else:
            added = line_break and parentheses == 0 and last in _ENDS_STATEMENT and kind not in _AFTER_LINE
        if added:
            result.append(";", "", starts[position - 1] + len(texts[position - 1]), False)
        result.append(kind, text, starts[position], line_break)
        last = kind
        if kind == "(":
            parentheses += 1
        elif kind == ")":
            parentheses -= 1
        elif kind == "{":
            braces += 1
        elif kind == "}":
            braces -= 1
            if braces == 0:
                return result, position + 1
        elif kind == END:
            break
    return result, len(kinds)
