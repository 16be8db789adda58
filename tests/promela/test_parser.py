"""Each construct of the language, and the tree that it becomes."""

from __future__ import annotations

from typing import Any

import pytest

from mule.errors import Place
from mule.frontends.promela import parse
from mule.frontends.promela.lexer import number
from mule.frontends.promela.syntax import (
    ChannelInitializer,
    InitDeclaration,
    InlineCall,
    InlineDefinition,
    LtlProperty,
    MtypeDeclaration,
    NeverClaim,
    Node,
    ProcessDeclaration,
    Select,
    TraceAssertion,
    TypeDeclaration,
    Unit,
    VariableDeclaration,
)

PRELUDE = "mtype = { red, green }; typedef T { byte x }; proctype P(byte a; chan c) { byte v[2]; here: skip }\n"


def units(text: str) -> tuple[Unit, ...]:
    return parse(text, "m.pml").units


def shown(node: Any) -> Any:
    """A tree without offsets: an expression as text in prefix form, anything else as a tuple."""
    if isinstance(node, tuple):
        return [shown(item) for item in node]
    if not isinstance(node, Node):
        return node
    values = [shown(getattr(node, name)) for name in node.__struct_fields__ if name not in ("at", "end")]
    match type(node).__name__:
        case "Number" | "MtypeConstant" | "Condition":
            return values[0]
        case "Part":
            return values[0] if values[1] is None else f"{values[0]}[{values[1]}]"
        case "Reference":
            return ".".join(values[0])
        case "Unary" | "Binary":
            return f"({' '.join(str(value) for value in values)})"
        case name:
            return (name, *values)


def statement(text: str) -> Any:
    """The last statement of a process with this body."""
    process = units(f"{PRELUDE} init {{ do :: {text} od }}")[-1]
    return shown(process)[-1][-1][1][0][-1]


def expression(text: str) -> Any:
    return statement(f"x = {text}")[2]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1", 1),
        ("true", 1),
        ("false", 0),
        ("'a'", 97),
        (r"'\n'", 10),
        (r"'\\'", 92),
        ("red", "red"),
        ("a.b[1].c", "a.b[1].c"),
        ("a[b[i + 1]].c", "a[b[(+ i 1)]].c"),
        ("_pid", "_pid"),
        ("- 1 + ~ x * !y", "(+ (- 1) (* (~ x) (! y)))"),
        ("1 - 2 - 3", "(- (- 1 2) 3)"),
        ("1 + 2 - 3 + 4", "(+ (- (+ 1 2) 3) 4)"),
        (
            "a || b && c | d ^ e & f == g < h << i + j * k",
            "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))",
        ),
        (
            "a * b + c << d < e == f & g ^ h | i && j || k",
            "(|| (&& (| (^ (& (== (< (<< (+ (* a b) c) d) e) f) g) h) i) j) k)",
        ),
        ("a && b && c", "(&& (&& a b) c)"),
        ("(a + b) * c", "(* (+ a b) c)"),
        ("(a -> b : c)", ("Conditional", "a", "b", "c")),
        ("(a -> b : (c -> d : e))", ("Conditional", "a", "b", ("Conditional", "c", "d", "e"))),
        ("run P(1, q)", ("Run", "P", [1, "q"], None)),
        ("run P() priority 3", ("Run", "P", [], 3)),
        ("len(q[1])", ("ChannelQuery", "len", "q[1]")),
        ("full(q)", ("ChannelQuery", "full", "q")),
        ("enabled(1)", ("ProcessQuery", "enabled", 1)),
        ("pc_value(x + 1)", ("ProcessQuery", "pc_value", "(+ x 1)")),
        ("get_priority(_pid)", ("ProcessQuery", "get_priority", "_pid")),
        ("P@here", ("RemoteLabel", "P", None, "here")),
        ("P[1]@here", ("RemoteLabel", "P", 1, "here")),
        ("P:a", ("RemoteVariable", "P", None, "a")),
        ("P[x]:v[1]", ("RemoteVariable", "P", "x", "v[1]")),
        ("q?[red, x]", ("Poll", "q", ["red", "x"], False)),
        ("q??[eval(x), _]", ("Poll", "q", [("Evaluated", "x"), "_"], True)),
        ("timeout", ("Timeout",)),
    ],
)
def test_expressions(text: str, tree: Any) -> None:
    assert expression(text) == tree


def test_probes_combine() -> None:
    assert statement("full(q) && (empty(q) || x)") == (
        "(&& ('ChannelQuery', 'full', 'q') (|| ('ChannelQuery', 'empty', 'q') x))"
    )


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("skip", 1),
        ("x == 1", "(== x 1)"),
        ("else", ("Else",)),
        ("x = 1", ("Assignment", "x", 1)),
        ("x = full(q)", ("Assignment", "x", ("ChannelQuery", "full", "q"))),
        ("a.b[1]++", ("Increment", "a.b[1]", 1)),
        ("x--", ("Increment", "x", -1)),
        ("q!1", ("Send", "q", [1], False)),
        ("q!red, x + 1", ("Send", "q", ["red", "(+ x 1)"], False)),
        ("q!red(x, 2)", ("Send", "q", ["red", "x", 2], False)),
        ("q!!x", ("Send", "q", ["x"], True)),
        ("q?x", ("Receive", "q", ["x"], False, False)),
        ("q?red(x, _)", ("Receive", "q", ["red", "x", "_"], False, False)),
        ("q?(x, 1, -1)", ("Receive", "q", ["x", 1, -1], False, False)),
        ("q??eval(_pid), a.b", ("Receive", "q", [("Evaluated", "_pid"), "a.b"], True, False)),
        ("q?<x>", ("Receive", "q", ["x"], False, True)),
        ("q??<x, 1>", ("Receive", "q", ["x", 1], True, True)),
        ('printf("%d\\n", x, 1)', ("Print", '"%d\\n"', ["x", 1])),
        ("printm(red)", ("PrintMtype", "red")),
        ("printm(x)", ("PrintMtype", "x")),
        ("assert x > 1", ("Assertion", "(> x 1)")),
        ("set_priority(1, 2)", ("SetPriority", 1, 2)),
        ("break", ("Break",)),
        ("L: skip; goto L", ("Goto", "L")),
        ("L: x = 1", ("Labelled", "L", ("Assignment", "x", 1))),
        ("L: M: skip", ("Labelled", "L", ("Labelled", "M", 1))),
        ("stop:", ("Labelled", "stop", 1)),
        ("if :: x -> y :: else fi", ("If", [["x", "y"], [("Else",)]])),
        ("do :: break; od", ("Do", [[("Break",)]])),
        ("for (i : 1 .. n + 1) { skip }", ("For", "i", 1, "(+ n 1)", [1])),
        ("for (i in q) { skip; skip }", ("ForEach", "i", "q", [1, 1])),
        ("select (i : 0 .. 3)", ("Select", "i", 0, 3, True)),
        ("atomic { x; y }", ("Atomic", ["x", "y"])),
        ("d_step { x }", ("DStep", ["x"])),
        ("{ x; { y } }", ("Block", ["x", ("Block", ["y"])])),
        ("{ x } unless { y }", ("Unless", ("Block", ["x"]), ("Block", ["y"]))),
        ("x unless y", ("Unless", "x", "y")),
        ("{ x; xr q, r }", ("Block", ["x", ("ExclusiveUse", "xr", ["q", "r"])])),
        ("{ xs q; x }", ("Block", [("ExclusiveUse", "xs", ["q"]), "x"])),
        (
            "{ byte z = 1; z }",
            ("Block", [("VariableDeclaration", "", "byte", None, [("Variable", "z", None, None, 1)]), "z"]),
        ),
    ],
)
def test_statements(text: str, tree: Any) -> None:
    assert statement(text) == tree


@pytest.mark.parametrize("text", ["x; y; z", "x -> y -> z", "x -> y; z", "x;; -> y ; z ;", "x\ny\nz", "x\n->y\n\nz;\n"])
def test_separators_are_interchangeable(text: str) -> None:
    assert shown(units(f"init {{ {text} }}")[0])[2] == ["x", "y", "z"]


def test_the_end_of_a_line_ends_a_statement() -> None:
    assert shown(units("init { x = 1\n - 2\n (y\n + 3) }")[0])[2] == [("Assignment", "x", 1), "(- 2)", "(+ y 3)"]


def test_else_and_braces_need_no_separator() -> None:
    assert shown(units("init { if :: else x = 1 fi; { x } y }")[0])[2][1:] == [("Block", ["x"]), "y"]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("byte x", ("", "byte", None, [("Variable", "x", None, None, None)])),
        (
            "hidden int x = 1, y[3] = 2",
            ("hidden", "int", None, [("Variable", "x", None, None, 1), ("Variable", "y", 3, None, 2)]),
        ),
        ("show bit b", ("show", "bit", None, [("Variable", "b", None, None, None)])),
        ("local pid p", ("local", "pid", None, [("Variable", "p", None, None, None)])),
        ("unsigned u : 5 = 3", ("", "unsigned", None, [("Variable", "u", None, 5, 3)])),
        ("mtype m = red", ("", "mtype", None, [("Variable", "m", None, None, "red")])),
        ("mtype:light m", ("", "mtype", "light", [("Variable", "m", None, None, None)])),
        ("T t[2]", ("", "T", None, [("Variable", "t", 2, None, None)])),
        ("byte a[2 * 3 - 1]", ("", "byte", None, [("Variable", "a", "(- (* 2 3) 1)", None, None)])),
        ("byte a[n]", ("", "byte", None, [("Variable", "a", "n", None, None)])),
        ("byte a[2] = {1, red}", ("", "byte", None, [("Variable", "a", 2, None, ("ListInitializer", [1, "red"]))])),
    ],
)
def test_declarations(text: str, tree: Any) -> None:
    assert shown(units(PRELUDE + text)[-1]) == ("VariableDeclaration", *tree)


def test_channels() -> None:
    (declaration,) = units("chan c[2] = [3] of { mtype:light, byte, chan }")
    assert isinstance(declaration, VariableDeclaration)
    initial = declaration.variables[0].initial
    assert isinstance(initial, ChannelInitializer)
    assert shown(initial) == (
        "ChannelInitializer",
        3,
        [("FieldType", "mtype", "light"), ("FieldType", "byte", None), ("FieldType", "chan", None)],
    )


def test_mtypes_and_typedefs() -> None:
    first, second, third = units("mtype = { a b, c }; mtype:light = { d }; typedef T { byte x; bit y[2]\n chan z }")
    assert isinstance(first, MtypeDeclaration)
    assert (first.subtype, first.names) == (None, ("a", "b", "c"))
    assert isinstance(second, MtypeDeclaration)
    assert (second.subtype, second.names) == ("light", ("d",))
    assert isinstance(third, TypeDeclaration)
    assert [field.type for field in third.fields] == ["byte", "bit", "chan"]


def test_processes() -> None:
    text = "active [2] proctype P(byte a, b; chan c) priority 3 provided (a > b) { skip } D_proctype Q() { skip }"
    first, second = units(text)
    assert isinstance(first, ProcessDeclaration)
    assert shown(first.active) == 2
    assert [[variable.name for variable in part.variables] for part in first.parameters] == [["a", "b"], ["c"]]
    assert (shown(first.priority), shown(first.provided), first.deterministic) == (3, "(> a b)", False)
    assert isinstance(second, ProcessDeclaration)
    assert (second.active, second.deterministic, second.parameters) == (None, True, ())


def test_claims_traces_and_init() -> None:
    text = (
        "chan c; never n { np_ } never { _last == 0 } trace { c!1 } notrace { do :: c?1 od } init priority 2 { skip }"
    )
    _, first, second, third, fourth, last = units(text)
    assert isinstance(first, NeverClaim)
    assert isinstance(second, NeverClaim)
    assert (first.name, second.name) == ("n", None)
    assert shown(first.body) == [("NonProgress",)]
    assert isinstance(third, TraceAssertion)
    assert isinstance(fourth, TraceAssertion)
    assert (third.negated, fourth.negated) == (False, True)
    assert shown(last) == ("InitDeclaration", 2, [1])


def test_ltl_properties_keep_their_text() -> None:
    program = parse("ltl p { [] (x ->\n <> y /* soon */) }\nltl { x U y }", "m.pml")
    first, second = program.units
    assert isinstance(first, LtlProperty)
    assert (first.name, " ".join(first.formula.split())) == ("p", "[] (x -> <> y )")
    assert program.place(first.formula_at + first.formula.index("y")) == Place("m.pml", 2, 5)
    assert isinstance(second, LtlProperty)
    assert (second.name, second.formula) == (None, "x U y")


def test_inlines_are_put_where_they_are_called() -> None:
    program = parse("inline f(x, y) {\n x = y * 2;\n x++\n}\ninit { byte a; f(a, 1 + b) }", "m.pml")
    definition, init = program.units
    assert isinstance(definition, InlineDefinition)
    assert (definition.name, definition.parameters) == ("f", ("x", "y"))
    call = init.body[1]  # type: ignore[index, union-attr]
    assert isinstance(call, InlineCall)
    assert (call.name, call.arguments, call.result) == ("f", ("a", "1+b"), None)
    assert shown(call.body) == ("Block", [("Assignment", "a", "(+ 1 (* b 2))"), ("Increment", "a", 1)])
    assert program.place(call.at) == Place("m.pml", 5, 16)
    assert program.place(call.body.body[1].at) == Place("m.pml", 5, 18)


def test_inlines_in_inlines_and_return() -> None:
    text = "inline g(x) { return x + 1 } inline f(x) { x = g(x) } init { byte a; f(a); f(a) f(a) }"
    calls = units(text)[-1].body[1:]  # type: ignore[index, union-attr]
    assert len(calls) == 3
    for call in calls:
        inner = call.body.body[0]  # type: ignore[union-attr]
        assert shown(inner)[1:4] == ("g", ["a"], "a")
        assert shown(inner.body) == ("Block", [("Assignment", "a", "(+ a 1)")])


def test_selects_that_spin_rewrites() -> None:
    def unrolled(text: str, prelude: str = "") -> bool:
        found = units(f"{prelude} init {{ {text} }}")[-1].body[-1]  # type: ignore[index, union-attr]
        found = found.body.body[0] if isinstance(found, InlineCall) else found
        assert isinstance(found, Select)
        return found.unrolled

    assert unrolled("select (x : 1 .. 9)")
    assert not unrolled("select (x : 1 .. n)")
    assert not unrolled("select (a_b : 1 .. 9)")
    assert not unrolled("select (x[1] : 1 .. 9)")
    assert not unrolled("f(x)", "inline f(x) { select (x : 1 .. 9) }")


@pytest.mark.parametrize(
    ("text", "value"),
    [("2147483647", 2**31 - 1), ("2147483648", -(2**31)), ("4294967297", 1), ("9" * 30, -1), ("9" * 5000, -1)],
)
def test_numbers_wrap(text: str, value: int) -> None:
    assert number(text) == value


def test_names_are_what_was_declared_before_them() -> None:
    assert shown(units("init { P: skip; red = 1 } proctype P() { skip } mtype = { red }")[0])[2] == [
        ("Labelled", "P", 1),
        ("Assignment", "red", 1),
    ]


def test_places_through_macros() -> None:
    program = parse("#define SET(a) a = 1; \\\n a++\ninit {\n  SET(x); y = 2\n}", "m.pml")
    [init] = program.units
    assert isinstance(init, InitDeclaration)
    assert [program.place(step.at) for step in init.body] == [
        Place("m.pml", 4, 3),
        Place("m.pml", 4, 3),
        Place("m.pml", 4, 11),
    ]
