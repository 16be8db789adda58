"""Python's operators that are words, in the propositions of formulas over models in Python."""

from __future__ import annotations

import pytest

from mule.errors import MuleError
from mule.ltl.lexer import PYTHON_WORDS
from mule.ltl.parser import Parsed, parse


def read(text: str) -> Parsed:  # type: ignore[type-arg]
    return parse(text, words=PYTHON_WORDS)


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("[] (a.leader is not None)", ["a.leader is not None"]),
        ("[] a.leader is not None", ["a.leader is not None"]),
        ("<> (x is None && y in (1, 2))", ["x is None", "y in (1, 2)"]),
        ("[] x not in {4, 5}", ["x not in {4, 5}"]),
        ("[] not x in s", ["x in s"]),
        ("[] (not x is y)", ["x is y"]),
        ("[] (0 <= x < 5)", ["0 <= x < 5"]),
        ("x is None U y is not None", ["x is None", "y is not None"]),
        ("[] (x == 0 if y is None and z else w > 0)", ["(x == 0 if y is None and z else w > 0)"]),
        ("[] ((a if b else c) > 1 -> d)", ["(a if b else c) > 1", "d"]),
        ("[] (x is not None or y)", ["x is not None", "y"]),
        ("[] U.x in X.y", ["U.x in X.y"]),
        ("a is R U W is b", ["a is R", "W is b"]),
    ],
)
def test_propositions(text: str, atoms: list[str]) -> None:
    assert list(read(text).places) == atoms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[] x == 0 if y else z", "put the conditional expression in parentheses"),
        ("[] (x not None)", "an operator is missing before not"),
        ("[] (x in ([] y))", "a temporal operator cannot stand inside an expression"),
        ("[] (x is y z)", "an operator is missing before z"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(MuleError, match=message):
        read(text)


def test_other_languages_have_no_such_words() -> None:
    with pytest.raises(MuleError, match="an operator is missing before is"):
        parse("[] (a is b)")
