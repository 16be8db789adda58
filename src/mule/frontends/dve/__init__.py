"""DVE, the language of DiVinE and of the BEEM benchmark.

`lexer` and `parser` make a syntax tree (`syntax`), `translation` makes a model of it (`scopes` and `expressions` know
the names). The parser is written by hand: on BEEM it is about ten times faster than a lark grammar, it costs nothing to
import, it can say what was expected in the author's words, and its expressions need no recursion, so that no input can
exhaust Python's stack.
"""

from mule.frontends.dve.translation import load

__all__ = ["load"]
