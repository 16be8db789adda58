"""Tokens, trees and everything that is only syntax."""

from __future__ import annotations

import pytest

from mule.errors import MuleError
from mule.frontends.dve.lexer import NAME, NUMBER, Source
from mule.frontends.dve.parser import parse_expression, parse_system
from mule.frontends.dve.syntax import AtState, Chain, InProcess, Number, Reference, Tree, UnaryOperation


def shape(tree: Tree) -> str:
    """A tree with all its parentheses."""
    match tree:
        case Number():
            return str(tree.value)
        case Reference():
            index = "" if tree.index is None else f"[{shape(tree.index)}]"
            return f"{'' if tree.process is None else tree.process.text + '->'}{tree.name}{index}"
        case AtState():
            return f"{tree.process.text}.{tree.state.text}"
        case InProcess():
            return f"{tree.process.text}.({shape(tree.body)})"
        case UnaryOperation():
            return f"({tree.operator} {shape(tree.operand)})"
        case Chain():
            return "(" + f" {tree.operator} ".join(map(shape, tree.operands)) + ")"
    return f"({shape(tree.left)} {tree.operator} {shape(tree.right)})"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a or b and c or d", "(((a or b) and c) or d)"),
        ("a | b & c", "((a | b) & c)"),
        ("a && b == c", "(a and (b == c))"),
        ("not a and ! b", "((not a) and (not b))"),
        ("-a * -b", "((- a) * (- b))"),
        ("a[b[c + 1]] < 2", "(a[b[(c + 1)]] < 2)"),
        ("P->a[i] + P.s", "(P->a[i] + P.s)"),
        ("P.(Q.(R.s))", "P.(Q.(R.s))"),
        ("(((a)))", "a"),
        ("(a + b) + c + (d + e)", "(a + b + c + (d + e))"),
        ("a < b == c < d", "((a < b) == (c < d))"),
        ("a imply b or c", "(a imply (b or c))"),
        ("~a ^ b << 1", "((~ a) ^ (b << 1))"),
        ("true != false", "(1 != 0)"),
    ],
)
def test_expressions(text: str, expected: str) -> None:
    assert shape(parse_expression(Source(text, "<test>"))) == expected


def test_tokens_and_their_places() -> None:
    source = Source("x1 /* two\nlines */ <<= 12 // end\n y", "f")
    assert source.kinds == [NAME, "<<", "=", NUMBER, NAME, "end of file"]
    assert [str(source.place(at)) for at in source.starts] == ["f:1:1", "f:2:10", "f:2:12", "f:2:14", "f:3:2", "f:3:3"]


def test_every_section_of_a_model() -> None:
    text = """
    const byte N = 2; int x, y[3] = {1, -1};
    channel a, b;
    channel {byte, int} c[4], d[0];
    process P {
      byte z = 1;
      state s, t;
      init s;
      accept s; commit t;
      assert s: z > 0, t: x == 1;
      trans
        s -> t { guard z == 1; sync c!{z, x + 1}; effect z = 2, y[z] = 3; },
        -> s { sync a?; },
        t -> s { sync b!z; };
    }
    process Q { state u; init u; }
    process R { state u; init u; trans; }
    system async;
    """
    system = parse_system(Source(text, "f"))
    assert [declaration.name.text for declaration in system.declarations] == ["N", "x", "y", "a", "b", "c", "d"]
    process = system.processes[0]
    assert [(each.source.text, each.target.text) for each in process.transitions] == [
        ("s", "t"),
        ("s", "s"),
        ("t", "s"),
    ]
    assert process.transitions[0].text == "guard z == 1; sync c!{z, x + 1}; effect z = 2, y[z] = 3"
    assert [len(each.sync.values) for each in process.transitions if each.sync] == [2, 0, 1]
    assert [assertion.text for assertion in process.assertions] == ["z > 0", "x == 1"]
    assert [name.text for name in process.committed] == ["t"]
    assert system.processes[2].transitions == []


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000 + "x" + ")" * 100_000,
        "(" * 900 + "not (" * 200 + "x" + ")" * 1100,
        "a[" * 100_000,
        "a[" * 500 + "0" + "]" * 500,
        "P.(" * 100_000,
        "not " * 100_000 + "x",
        "-" * 5_000 + "x",
        "x - " * 5_000 + "x",
        "x == (" * 300 + "x" + ")" * 300,
        "(x or x and " * 300 + "x" + ")" * 300,
    ],
    ids=lambda text: text[:12],
)
def test_no_input_exhausts_the_stack(text: str) -> None:
    with pytest.raises(MuleError, match="nested too deeply") as caught:
        parse_expression(Source(text, "<expression>"))
    assert caught.value.place is not None
    assert caught.value.place.line == 1
