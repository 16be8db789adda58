"""DVE, the language of DiVinE and of the BEEM benchmark.

`lexer` and `parser` make a syntax tree (`syntax`), `translation` makes a model of it (`scopes` and `expressions` know
the names). The parser is written by hand: a lark grammar (LALR) took five times as long on the largest model of BEEM
and a quarter of a second to start, while this one can say what was expected in the author's words, and it reads
expressions without recursion, so that no input exhausts Python's stack.
"""

from mule.frontends.dve.translation import load

__all__ = ["load"]
