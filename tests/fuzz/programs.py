"""How a good model in Python goes bad, and stays Python: a text that is no Python never comes to the front ends."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import cache
from random import Random

SMALL = 30
"""Nodes of an expression or statement that is put elsewhere."""
VALUES = (
    *("0", "-1", "1", "2", "255", "2**31", "2**63", "10**30", "10**5000", "0.5", "float('nan')", "None", "True"),
    *("''", "'a'", "'a' * 100000", "b'x'", "()", "(1, 2)", "[]", "[0] * 10**6", "{}", "{1: 2}", "{1}", "range(10**9)"),
    *("lambda: 0", "lambda x: x", "[x for x in range(3)]", "{x: x for x in 'ab'}", "(x for x in ())", "f'{1}'"),
    *("int", "list[int]", "dict[str, int]", "object()", "type", "print", "self", "...", "1 if x else 2", "(y := 1)"),
    *("sum([1, 2])", "max()", "min([])", "len(5)", "sorted({2, 1})", "any(())", "x == y == z", "1 // 0", "1 << 10**9"),
)
WRAPPED = (
    *("not {0}", "-{0}", "~{0}", "({0},)", "[{0}]", "{{{0}}}", "{0}[0]", "{0}[-1]", "{0}[{0}]", "{0}[1:]", "{0}.a"),
    *("{0}()", "{0}({0})", "await {0}", "len({0})", "list({0})", "set({0})", "str({0})", "int({0})", "range({0})"),
    *("[x for x in {0}]", "{0} + {0}", "{0} * {0}", "{0} // {0}", "{0} % {0}", "{0} << {0}", "{0} in {0}"),
    *("{0} if {0} else {0}", "{0} == {0}", "{0} and {0}", "{0} is None", "{0} < {0} < {0}", "f'{{{0}}}'", "yield {0}"),
)
AROUND = (
    *(
        "if True:\n {0}",
        "while True:\n {0}",
        "while x:\n {0}\n break",
        "for i in range(3):\n {0}",
        "async def f():\n {0}",
    ),
    *(
        "for i in range(10**9):\n {0}",
        "try:\n {0}\nexcept Exception:\n pass",
        "try:\n {0}\nfinally:\n {0}",
        "def f():\n {0}",
    ),
    *(
        "with self:\n {0}",
        "async with x:\n {0}",
        "async for x in y:\n {0}",
        "class C:\n {0}",
        "match x:\n case _:\n  pass",
    ),
    *("{0}\nreturn", "{0}\nreturn 1", "{0}\nraise ValueError", "{0}\nbreak", "{0}\ncontinue", "{0}\nassert x, 'no'"),
    *(
        "{0}\nglobal x",
        "{0}\ndel x",
        "{0}\nimport random",
        "{0}\nx: int = 'a'",
        "{0}\nx, y = y, x",
        "{0}\nx += 1",
        "{0}\n...",
    ),
)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.BitAnd, ast.MatMult)
COMPARED = (ast.Eq, ast.NotEq, ast.Lt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)
DEPTHS = (1, 1, 2, 40)
"""How often something is put around an expression."""


def mutated_program(random: Random, text: str, others: Sequence[str]) -> str:
    """One to four changes of the tree; `others`: good programs to take parts from."""
    tree = ast.parse(text)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        random.choice(CHANGES)(random, tree, random.choice(others))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


@cache
def _expressions(text: str) -> Sequence[ast.expr]:
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.expr) and not isinstance(node, ast.FormattedValue) and _is_small(node)
    ]


@cache
def _statements(text: str) -> Sequence[ast.stmt]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt) and _is_small(node)]


def _is_small(node: ast.AST) -> bool:
    return sum(1 for _ in ast.walk(node)) <= SMALL


def _value(text: str) -> ast.expr:
    expression = ast.parse(text, mode="eval").body
    assert isinstance(expression, ast.expr)
    return expression


Place = Callable[[ast.expr], None]


def _places(tree: ast.AST) -> list[tuple[ast.expr, Place]]:
    """Every expression that is read, and how to put another one there; the pieces of an f-string are none."""
    found: list[tuple[ast.expr, Place]] = []

    def put(node: ast.AST, name: str, at: int | None) -> Place:
        def change(new: ast.expr) -> None:
            if at is None:
                setattr(node, name, new)
            else:
                getattr(node, name)[at] = new

        return change

    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if (type(node), name) in ((ast.JoinedStr, "values"), (ast.FormattedValue, "format_spec")):
                continue
            for at, each in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(each, ast.expr) and not isinstance(getattr(each, "ctx", None), ast.Store | ast.Del):
                    found.append((each, put(node, name, at)))
    return found


def _block(random: Random, tree: ast.AST) -> list[ast.stmt]:
    """Statements that follow each other; nowhere, if the program is empty."""
    blocks: list[list[ast.stmt]] = [
        block
        for node in ast.walk(tree)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, name, None), list) and block and isinstance(block[0], ast.stmt)
    ]
    return random.choice(blocks) if blocks else [ast.Pass()]


def other_value(random: Random, tree: ast.Module, other: str) -> None:
    places = _places(tree)
    if places:
        known = _expressions(other)
        new = _value(random.choice(VALUES)) if random.random() < 0.5 or not known else deepcopy(random.choice(known))
        random.choice(places)[1](new)


def wrapped_value(random: Random, tree: ast.Module, other: str) -> None:
    places = [place for place in _places(tree) if _is_small(place[0])]
    if places:
        inner, change = random.choice(places)
        wrapping = random.choice(WRAPPED)
        text = ast.unparse(inner)
        for _ in range(random.choice(DEPTHS) if wrapping.count("{0}") == 1 else 1):
            text = f"({wrapping.format(text)})"
        with suppress(SyntaxError):  # parts of f-strings and patterns mean nothing by themselves
            change(_value(text))


def other_operator(random: Random, tree: ast.Module, other: str) -> None:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp | ast.AugAssign | ast.Compare)]
    if nodes:
        node = random.choice(nodes)
        if isinstance(node, ast.Compare):
            node.ops[0] = random.choice(COMPARED)()
        else:
            node.op = random.choice(OPERATORS)()


def other_name(random: Random, tree: ast.Module, other: str) -> None:
    """A name, a field, a parameter or a function is called as another one is."""
    named = [
        (node, field)
        for node in ast.walk(tree)
        for field in ("id", "attr", "arg", "name")
        if isinstance(getattr(node, field, None), str)
    ]
    if named:
        node, field = random.choice(named)
        from_node, from_field = random.choice(named)
        unknown = random.choice(("unknown", "a" * 5_000, "_", "print", "__class__", "len"))
        setattr(node, field, getattr(from_node, from_field) if random.random() < 0.7 else unknown)


def drop_statement(random: Random, tree: ast.Module, other: str) -> None:
    block = _block(random, tree)
    del block[random.randrange(len(block))]
    if not block:
        block.append(ast.Pass())


def repeat_statement(random: Random, tree: ast.Module, other: str) -> None:
    block = _block(random, tree)
    at = random.randrange(len(block))
    block[at:at] = [deepcopy(block[at]) for _ in range(random.choice((1, 1, 2, 50)))]


def foreign_statement(random: Random, tree: ast.Module, other: str) -> None:
    block, known = _block(random, tree), _statements(other)
    if known:
        block.insert(random.randrange(len(block) + 1), deepcopy(random.choice(known)))


def swap_statements(random: Random, tree: ast.Module, other: str) -> None:
    one, two = _block(random, tree), _block(random, tree)
    at, to = random.randrange(len(one)), random.randrange(len(two))
    one[at], two[to] = deepcopy(two[to]), deepcopy(one[at])


def wrapped_statement(random: Random, tree: ast.Module, other: str) -> None:
    block = _block(random, tree)
    at = random.randrange(len(block))
    inner = ast.unparse(block[at])
    around = random.choice(AROUND)
    if not around.startswith("{0}"):
        inner = inner.replace("\n", "\n ")
    with suppress(SyntaxError):  # a string of several lines
        block[at : at + 1] = ast.parse(around.replace("{0}", inner)).body


CHANGES: tuple[Callable[[Random, ast.Module, str], None], ...] = (
    *(other_value, other_value, wrapped_value, wrapped_value, other_operator, other_name, other_name),
    *(drop_statement, repeat_statement, foreign_statement, swap_statements, wrapped_statement, wrapped_statement),
)
