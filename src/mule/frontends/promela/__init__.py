"""Promela, the language of SPIN.

`preprocessor` and `macros` do what SPIN leaves to cpp; `lexer`, `operators`, `declarations`, `statements` and `parser`
make the tree (`syntax`); `separators` adds the semicolons that SPIN adds, and `inlining` puts inlines where they are
called. The parser is written by hand for the reasons that `frontends.dve` gives, and for one more: what a token is
depends on the declarations before it, as in SPIN.
"""

from mule.frontends.promela.parser import parse
from mule.frontends.promela.translation import load

__all__ = ["load", "parse"]
