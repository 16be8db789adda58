"""CTL as people write it."""

from __future__ import annotations

import pytest
from hypothesis import given

from mule.ctl.formula import Formula, Op, negation_normal_form
from mule.ctl.parser import parse
from mule.errors import MuleError
from tests.ctl.formulas import formulas


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("AG (x == 1 -> AF y)", "AG (!(x == 1) || AF y)"),
        ("A[p U q]", "A[p U q]"),
        ("E[p && q R !EX r]", "E[(p && q) R !EX r]"),
        ("A(p weakuntil q)", "A[p W q]"),
        ("A[] not p", "AG !p"),
        ("E<> p and q", "(EF p && q)"),
        ("E F (p or A G q)", "EF (p || AG q)"),
        ("AG EF a[i] == 2", "AG EF (a[i] == 2)"),
        ("!E[p U q] <-> true", "((!E[p U q] && true) || (E[p U q] && false))"),
        ("A[i] == 1", "(A[i] == 1)"),
        ("AX EX !p", "AX EX !p"),
        ("AG == 1 || EF == 2", "((AG == 1) || (EF == 2))"),
        ("A[p -> q U A[r R s]]", "A[(!p || q) U A[r R s]]"),
    ],
)
def test_reads(text: str, read: str) -> None:
    assert str(parse(text).formula) == read


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("F p", 1, "F needs a path quantifier: write AF for all runs or EF for some run"),
        ("AG [] p", 4, "[] needs a path quantifier: write AG"),
        ("p U q", 3, "U needs a path quantifier: write A[p U q] or E[p U q]"),
        ("AG", 3, "a proposition is missing"),
        ("A[p U q", 2, "this [ is not closed"),
        ("A[p U]", 6, "a proposition is missing before ]"),
        ("A[p U q U r]", 9, "U is not expected here"),
        ("AG p q", 6, "an operator is missing before q"),
        ("AG (p", 4, "this ( is not closed"),
        ("AG p)", 5, ") is not expected here"),
        ("EF p ->", 8, "a proposition is missing"),
        ("p -> q -> r", 8, "parentheses are needed"),
        ("AG x & 1", 6, "& works on bits"),
    ],
)
def test_refuses(text: str, column: int, message: str) -> None:
    with pytest.raises(MuleError) as caught:
        parse(text)
    assert caught.value.place is not None
    assert caught.value.place.column == column
    assert message in caught.value.message


@given(formulas(("a", "b"), steps=True))
def test_what_is_written_is_read_again(formula: Formula) -> None:
    assert parse(str(formula)).formula == formula


@given(formulas(("a", "b"), steps=True))
def test_negations_come_to_stand_before_atoms(formula: Formula) -> None:
    for negated in (False, True):
        normal = negation_normal_form(formula, negated)
        assert all(node.args[0].op is Op.ATOM for node in normal.walk() if node.op is Op.NOT)


def test_where_atoms_stand() -> None:
    parsed = parse("AG (left.critical -> AF x == 1)")
    assert {text: place.column for text, place in parsed.places.items()} == {"left.critical": 5, "x == 1": 25}
