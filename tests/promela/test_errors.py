"""Messages say where, what was expected and what was found; no input ends in a traceback."""

from __future__ import annotations

import pytest

from mule.errors import MuleError
from mule.frontends.promela import inlining, lexer, parse


def complaint(text: str) -> str:
    with pytest.raises(MuleError) as caught:
        parse(text, "m.pml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.pml:1:1: expected a declaration, a `proctype` or `init`, found end of file"),
        ("init {", "m.pml:1:7: expected a statement, found end of file"),
        ("init { skip", "m.pml:1:12: expected `;` or `}` for the `{` of line 1, found end of file"),
        ("init {\n do\n :: skip\n}", "m.pml:4:1: expected `;` or `::` or `od` for the `do` of line 2, found `}`"),
        ("init { do skip od }", "m.pml:1:11: expected `::`, the first option of `do`, found `skip`"),
        ("init { x = }", "m.pml:1:12: expected an expression, found `}`"),
        ("init { x = (1 + 2 }", "m.pml:1:19: expected an operator, or `)` for the bracket opened at line 1, found `}`"),
        ("init { a[1 = 2 }", "m.pml:1:12: expected an operator, or `]` for the bracket opened at line 1, found `=`"),
        (
            "Pair p;\ntypedef Pair { byte a, b }\ninit { skip }",
            "m.pml:1:1: the typedef of `Pair` comes later: move it before this line",
        ),
        ("P() { skip }", "m.pml:1:1: expected a declaration, `proctype`, `init`, `never`,"),
        ("active P() { skip }", "m.pml:1:8: expected `proctype`, found `P`"),
        ("proctype () { skip }", "m.pml:1:10: expected the name of the proctype, found `(`"),
        ("proctype P(x) { skip }", "m.pml:1:12: expected a parameter, such as `byte x`, or `)`, found `x`"),
        ("byte = 3", "m.pml:1:6: expected the name of a variable, found `=`"),
        ("byte proctype", "m.pml:1:6: expected the name of a variable, found the keyword `proctype`"),
        (
            "mtype = { a }; byte a",
            "m.pml:1:21: expected the name of a variable, found `a`, which is the name of a mtype",
        ),
        ("chan c = [2] { byte }", "m.pml:1:14: expected `of`, found `{`"),
        ("init { x = 1 ` 2 }", "m.pml:1:14: expected `;` or `}` for the `{` of line 1, found ```"),
        ("init { x = 1 \x01 }", "found the character '\\x01'"),
        ('init { printf("abc\n") }', "m.pml:1:15: expected a string, found a string that is not closed in its line"),
        ("init { goto }", "m.pml:1:13: expected the name of a label, found `}`"),
        ("init { goto A }", "m.pml:1:13: there is no label `A` in this process"),
        ("init { break }", "m.pml:1:8: `break` stands outside any loop"),
        ("init { A: byte x }", "m.pml:1:11: expected a statement after the label `A`, found the keyword `byte`"),
        ("init { x = 1\n  + 2 }", "the line before ended a statement (parentheses would let it go on)"),
        ("init { if :: x\n && y fi }", "the line before ended a statement (parentheses would let it go on)"),
        ("init { x[y\n] = 1 }", "found the end of the line, which ends the statement"),
        ("init { for (i = 0) { skip } }", "m.pml:1:15: expected `:` or `in`, found `=`"),
        ("init { select (i : 0) }", "m.pml:1:21: expected an operator or `..`, found `)`"),
        ("init { c?x y }", "m.pml:1:12: expected `;` or `}` for the `{` of line 1, found `y`"),
        ("ltl p { [] x", "m.pml:1:13: expected `}` for the `{` of line 1, found end of file"),
        ("ltl p { }", "m.pml:1:9: expected a formula, found `}`"),
        ("typedef T { }", "m.pml:1:13: expected a declaration, found `}`"),
        ("inline f( { skip }", "m.pml:1:11: expected the name of a parameter, found `{`"),
        ("inline f() { skip", "m.pml:1:18: expected `}`, the end of the inline `f` of line 1, found end of file"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert message in complaint(text)


@pytest.mark.parametrize("word", sorted(lexer.EMBEDDED_C))
def test_embedded_c(word: str) -> None:
    text = f"byte x;\ninit {{\n  {word} {{ \\$ '' \" }}\n}}"
    assert complaint(text).startswith(f"m.pml:3:3: embedded C is not supported: found `{word}`; write what it does in")


def test_recursive_inlines() -> None:
    text = "inline f(x) { g(x) }\ninline g(x) {\n f(x)\n}\ninit { byte b; f(b) }"
    message = "m.pml:3:2: the inline `f` calls itself (f -> g -> f): inlines cannot be recursive"
    assert complaint(text) == message


def test_errors_inside_an_inline_point_into_it() -> None:
    assert complaint("inline f(x) {\n x = \n}\ninit { byte b; f(b) }").startswith("m.pml:3:1: expected an expression")


def test_wrong_number_of_arguments() -> None:
    text = "inline f(x) { x = 1 }\ninit { byte a; f(a, a) }"
    assert complaint(text) == "m.pml:2:16: the inline `f` has 1 parameters, but is called with 2 arguments"


@pytest.mark.parametrize(
    "text",
    [
        f"init {{ x = {'(' * 5000}1{')' * 5000} }}",
        f"init {{ x = {'! ' * 5000}1 }}",
        f"init {{ x = {'- ' * 5000}1 }}",
        f"init {{ x = {'a[' * 5000}1{']' * 5000} }}",
        f"init {{ x = {'(1 -> 2 : ' * 5000}1{')' * 5000} }}",
        f"init {{ x = {'len(' * 5000}c{')' * 5000} }}",
        f"init {{ x = {'run P(' * 5000}1{')' * 5000} }}",
        f"init {{ x = {'c?[eval(' * 5000}1{')]' * 5000} }}",
        f"init {{ {'{ ' * 5000}skip{' }' * 5000} }}",
        f"init {{ {'if :: ' * 5000}skip{' fi' * 5000} }}",
        f"init {{ {'atomic { do :: ' * 5000}skip{' od }' * 5000} }}",
        f"init {{ x = {'1 - ' * 20_000}1 }}",
    ],
)
def test_nested_too_deeply(text: str) -> None:
    message = complaint(text)
    assert "nested too deeply" in message or "more than" in message or "expected a channel" in message


def test_long_chains_are_no_deep_trees() -> None:
    assert parse(f"init {{ (x{' && x' * 5000}) }}", "m.pml").units


def test_many_labels_and_fields() -> None:
    labels = " ".join(f"L{n}:" for n in range(20_000))
    assert "nested too deeply" in complaint(f"init {{ {labels} skip }}")
    assert "nested too deeply" in complaint(f"init {{ x{'.y' * 20_000} = 1 }}")


def test_too_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexer, "MAX_TOKENS", 1000)
    assert "more than 1000 tokens" in complaint("byte x;" * 1000)


def test_inlines_that_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inlining, "MAX_EXPANSION", 5_000)
    lines = ["inline a0() { skip; skip }"]
    lines += [f"inline a{n}() {{ a{n - 1}(); a{n - 1}() }}" for n in range(1, 40)]
    assert "inlines expand to more than 5000 tokens" in complaint("\n".join([*lines, "init { a39() }"]))
