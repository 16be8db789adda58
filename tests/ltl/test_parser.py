"""The syntax of formulas."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mule.errors import MuleError, Place
from mule.ltl.lexer import Source
from mule.ltl.parser import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]<> p", 'G F "p"'),
        ("GF p", 'G F "p"'),
        ("always (p implies eventually q)", 'G (!"p" || F "q")'),
        ("[](x == 3 -> <> len(q) > 0)", 'G (!"x == 3" || F "len(q) > 0")'),
        ("P[2]@label U Consumer.consume", '("P[2]@label" U "Consumer.consume")'),
        ("x < y + 1 && (a+1)*2 == 4", '("(a+1)*2 == 4" && "x < y + 1")'),
        ("!x == y U z", '("!x == y" U "z")'),
        ("!(a && b) || !c.d", '(!"c.d" || !("a" && "b"))'),
        ("Up U Go", '("Up" U "Go")'),
        ("F == 1", '"F == 1"'),
        ("P.U U q", '("P.U" U "q")'),
        ("(a -> b : c) U d", '("(a -> b : c)" U "d")'),
        ("[] (q -> R[2]:x > 3)", 'G ("R[2]:x > 3" || !"q")'),
        ("[] (q -> R:x > 3)", 'G ("R:x > 3" || !"q")'),
        ("(q -> R[2]:x : 3) > 2", '"(q -> R[2]:x : 3) > 2"'),
        ("P->x == 1 -> q", '("q" || !"P->x == 1")'),
        ('"a & b" U c', '("a & b" U "c")'),
        ("not x and y", '("y" && !"x")'),
        ("x[3] V y", '("x[3]" R "y")'),
        ("p M q", '("p" M "q")'),
        ("p weakuntil q", '("p" W "q")'),
        ("[] p U q", '(G "p" U "q")'),
        ("f(a && b) U 1", "1"),
    ],
)
def test_reads(text: str, expected: str) -> None:
    assert parse(text, members=("P",), remote=("R",)).formula.text == expected


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("p U q U r", 7, "from the left, Spot from the right"),
        ("p -> q -> r", 8, "from the left, Spot from the right"),
        ("p & q", 3, "write &&"),
        ("G p | q", 5, "write ||"),
        ("(<>p) == q", 2, "inside an expression"),
        ("p q", 3, "operator is missing before q"),
        ("<>p [] q", 5, "operator is missing before []"),
        ("p U", 4, "proposition is missing before the end"),
        ("( )", 3, "proposition is missing before )"),
        ("(p", 1, "not closed"),
        ("p)", 2, "not expected"),
        ("a or b and c", 8, "`and` and `or` meet"),
    ],
)
def test_refuses(text: str, column: int, message: str) -> None:
    with pytest.raises(MuleError, match=re.escape(message)) as raised:
        parse(text)
    assert raised.value.place == Place("formula", 1, column)


def test_places_are_relative_to_the_start_of_the_formula() -> None:
    parsed = parse("[] p\n  && qq", place=Place("m.pml", 7, 11))
    assert parsed.places == {"p": Place("m.pml", 7, 14), "qq": Place("m.pml", 8, 6)}


def test_the_syntaxes_group_differently() -> None:
    assert parse("p U q U r", "spin").formula.text == '(("p" U "q") U "r")'
    assert parse("p U q U r", "spot").formula.text == '("p" U ("q" U "r"))'
    assert parse("p -> q -> r", "spin").formula is parse("(p -> q) -> r").formula
    assert parse("p -> q -> r", "spot").formula is parse("p -> (q -> r)").formula
    assert parse("GFa U Xbc", "spot").formula is parse("G F a U X bc").formula
    assert parse("p & ~q | r ^ s", "spot").formula is parse("(p && !q) || !(r <-> s)").formula


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
@pytest.mark.parametrize(
    "text",
    ["p U q U r", "p -> q -> r", "p <-> q -> r", "p U q && r", "! p U q", "[] p U q", "p || q && r", "p V q U r",
     "p W q U r", "<> p && q", "p -> q || r", "[] p -> q", "!p == q U r", "p == q U r", "p | q U r", "p && q U r"],
)  # fmt: skip
def test_grouping_is_that_of_spins_ltl_blocks(text: str, tmp_path: Path) -> None:
    """SPIN prints the formula of an ltl block with all its parentheses."""
    (tmp_path / "m.pml").write_text(f"bool p, q, r; active proctype P() {{ skip }}\nltl f {{ {text} }}\n")
    printed = subprocess.run(["spin", "-a", "m.pml"], capture_output=True, text=True, cwd=tmp_path).stdout
    grouped = printed.splitlines()[0].removeprefix("ltl f: ").replace("!(p)==q", "!p == q")
    ours = parse(text.replace("p == q", "p==q"), "spin").formula
    theirs = parse(grouped.replace("!p == q", "!p==q"), "spin").formula
    assert _weak(ours.text) == _weak(theirs.text)


def _weak(text: str) -> str:
    """SPIN writes p W q as [] p || p U q, and p|q without blanks."""
    return text.replace('(("p" W "q") U "r")', '((G "p" || ("p" U "q")) U "r")').replace("p | q", "p|q")


def test_a_row_of_negations_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    unary_at = Source.unary_at

    def counted(self: Source, index: int) -> Sequence[str] | None:
        nonlocal looks
        looks += 1
        return unary_at(self, index)

    monkeypatch.setattr(Source, "unary_at", counted)
    with pytest.raises(MuleError, match="nested too deeply"):
        parse("!" * 20_000 + "p")
    assert looks < 50_000
