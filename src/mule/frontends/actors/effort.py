"""What would take for ever, or all of the memory, if Python were asked for it while a model is compiled.

Python computes with numbers of any size in one call that nothing can interrupt: what may be too much is refused before.
What a function of the model computes in many steps is counted as it goes."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from typing import Any, Final

MOST_ITERATIONS = 20_000
MOST_BITS = 4_096
"""Of a number that is computed before the run; variables have at most 32."""
MOST_CHARACTERS = 10**6
MOST_STEPS = 100_000
"""Expressions and statements that are evaluated for one step of the model, on all its paths."""
VALUES_OF_A_STEP = 4
"""To tell so many values of a number apart costs as much as a step."""

_SYMBOLS: Final = {operator.mul: "*", operator.lshift: "<<", operator.pow: "**", pow: "**"}
_COMBINATORIAL: Final = (math.factorial, math.comb, math.perm)
_WIDE: Final = re.compile(r"\d{5}")
"""A width in a format that nobody would want to read."""


class Effort:
    """How many steps were made."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0


def is_long(value: Any) -> bool:
    """Whether a range, whose elements take no memory until they are asked for, has too many of them."""
    return isinstance(value, range) and _length(value) > MOST_ITERATIONS


def _length(numbers: range) -> int:
    """len() fails where it is more than 63 bits."""
    return max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)


def bits(symbol: str, left: int, right: int) -> int:
    """At most so many bits has the result, if it may have more than its operands."""
    match symbol:
        case "*":
            return left.bit_length() + right.bit_length()
        case "<<":
            return left.bit_length() + right
        case "**":
            return left.bit_length() * right
    return 0


def excess(symbol: str, left: Any, right: Any) -> str | None:
    """Why the result of an operator is too large."""
    if symbol == "*":
        for many, times in ((left, right), (right, left)):
            if isinstance(many, str | bytes | list | tuple) and type(times) is int:
                return _too_many if len(many) * times > MOST_ITERATIONS else None
    if symbol == "%" and isinstance(left, str | bytes):
        return _excess_of_format(left)
    if type(left) is int and type(right) is int and bits(symbol, left, right) > MOST_BITS:
        return f"this number has more than {MOST_BITS:,} bits"
    return None


_too_many: Final = f"this has more than {MOST_ITERATIONS:,} elements"


def excess_of_call(function: Any, arguments: Sequence[Any]) -> str | None:
    """Why what a function of Python would give is too large, or takes too long to compute."""
    owner = getattr(function, "__self__", None)
    given = [owner, *arguments] if isinstance(owner, str | bytes | int | tuple) else list(arguments)
    if any(is_long(each) for each in given):
        return _too_many
    if function in _SYMBOLS and len(given) == 2:
        return excess(_SYMBOLS[function], *given)
    numbers = [each for each in given if type(each) is int]
    if function is round:
        numbers = numbers[1:]
    texts = [each for each in given if isinstance(each, str | bytes)]
    if getattr(function, "__name__", "") in ("format", "__format__", "format_map", "__mod__"):
        return next((why for text in texts if (why := _excess_of_format(text))), None)
    limited = function in _COMBINATORIAL or function in (bytes, round) or isinstance(owner, str | bytes)
    limited = limited or getattr(function, "__name__", "") == "to_bytes"
    if limited and any(abs(each) > MOST_ITERATIONS for each in numbers if each is not owner):
        return _too_many
    many = [each for each in given if isinstance(each, str | bytes | list | tuple)] if texts else []
    if math.prod(max(1, len(each)) for each in many) > MOST_CHARACTERS:
        return f"this text may have more than {MOST_CHARACTERS:,} characters"
    return None


def _excess_of_format(text: str | bytes) -> str | None:
    wide = _WIDE.search(text if isinstance(text, str) else text.decode("latin-1"))
    return "this text would be wider than anybody can read" if wide else None
