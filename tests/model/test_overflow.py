"""What does not fit 32 bits is an error of the model or of the property, in every language that has no wrapping of its
own; Promela's `int` is C's, which wraps in pan."""

from __future__ import annotations

import ast
import operator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mule
from mule.errors import MuleError
from mule.results import Result, Verdict

pytestmark = pytest.mark.slow

HIGHEST, LOWEST = 2**31 - 1, -(2**31) + 1
TOO_LARGE = "integer overflow: 65536 * 65536 = 4294967296 does not fit 32 bits"

NET = """<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p0"/><place id="p1"><initialMarking><text>65536</text></initialMarking></place>
<transition id="t"/>
<arc id="a" source="p1" target="t"><inscription><text>65536</text></inscription></arc>
<arc id="b" source="t" target="p0"><inscription><text>65536</text></inscription></arc>
<transition id="u"/>
<arc id="c" source="p0" target="u"><inscription><text>65536</text></inscription></arc>
<arc id="d" source="u" target="p1"><inscription><text>65536</text></inscription></arc>
</page></net></pnml>
"""
SQUARES = """
int x = 30000;
process P {{ state a, b; init a; trans a -> b {{ {label} }}; }}
system async;
"""
ACTOR = """from mule.actors import *

class P(Process):
    x: int = 0
    y: int = 0
    z: int = 0
    m: int | None = None
    done: int = 0
    @step(when=lambda self: self.done == 0)
    def prepare(self):
        self.done, self.x, self.y = 1, {x}, {y}
    @step(when=lambda self: self.done == 1)
    def run(self):
        self.done = 2
        {statement}

def system():
    return System([P(name="p")])
"""
PROCESS = """from mule.processes import Shared, System, pause

class S(Shared):
    x: int = 0
    y: int = 0
    z: int = 0
    m: int | None = None

async def run(self):
    self.x, self.y = {x}, {y}
    await pause()
    {statement}

def system():
    s = S(name="s")
    return System([run(s)])
"""


def checked(tmp_path: Path, name: str, text: str, **wanted: object) -> Result:
    path = tmp_path / name
    path.write_text(text)
    return mule.load(str(path)).check(**wanted)  # type: ignore[arg-type]


def why(result: Result) -> str:
    assert result.verdict is Verdict.VIOLATED, result.verdict
    return result.violations[0].message


@pytest.mark.parametrize("label", ["guard x * x * x > 0;", "effect x = x * x * x % 7;"])
def test_dve(tmp_path: Path, label: str) -> None:
    result = checked(tmp_path, "m.dve", SQUARES.format(label=label))
    assert why(result) == "integer overflow: 900000000 * 30000 = 27000000000000 does not fit 32 bits"


def test_constants_of_dve_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MuleError, match="does not fit 32 bits"):
        checked(tmp_path, "m.dve", "const int k = 2147483647 + 1;" + SQUARES.format(label=""))


def test_invariants_of_nets(tmp_path: Path) -> None:
    assert TOO_LARGE in why(checked(tmp_path, "n.pnml", NET, invariants=["p0 * p0 == 0"]))
    assert TOO_LARGE in why(checked(tmp_path, "n.pnml", NET, invariants=["0 <= p0 * p0"]))
    assert checked(tmp_path, "n.pnml", NET, invariants=["p0 + p1 == 65536"]).verdict is Verdict.HOLDS
    assert checked(tmp_path, "n.pnml", NET, invariants=["p0 * p1 == 0"]).verdict is Verdict.HOLDS


@pytest.mark.parametrize("wanted", [{"ltl": ["[] !(p0 * p0 == 7)"]}, {"ctl": ["AG !(p0 * p0 == 7)"]}])
def test_formulas_about_nets(tmp_path: Path, wanted: dict[str, list[str]]) -> None:
    assert TOO_LARGE in why(checked(tmp_path, "n.pnml", NET, **wanted))
    assert checked(tmp_path, "n.pnml", NET, ltl=["[] (p0 == 65536 -> <> p1 * p0 == 0)"]).verdict is Verdict.HOLDS


@pytest.mark.parametrize("language", [ACTOR, PROCESS], ids=["actors", "processes"])
@pytest.mark.parametrize(
    ("statement", "x", "y", "message"),
    [
        ("self.z = self.x * self.y", 65536, 65536, TOO_LARGE),
        ("self.z = 1 if self.x * self.y else 2", 65536, 65536, TOO_LARGE),
        ("assert self.x * self.y > 0", 65536, 65536, TOO_LARGE),
        ("self.z = self.x << 20", 2**12, 1, "4096 << 20 = 4294967296 does not fit"),
        ("self.z = sum([self.x] * 3)", 2**30, 1, "does not fit 32 bits"),
        ("self.x += 1", HIGHEST, 1, "2147483647 + 1 = 2147483648 does not fit"),
        ("self.x -= self.y", LOWEST, 1, "-2147483647 - 1 = -2147483648 does not fit"),
        ("self.z = 1 << 40", 0, 0, "1099511627776 is out of range for"),
    ],
)
def test_python(tmp_path: Path, language: str, statement: str, x: int, y: int, message: str) -> None:
    text = language.format(statement=statement, x=x, y=y)
    assert message in why(checked(tmp_path, "m.py", text, assertions=True))


@pytest.mark.parametrize("language", [ACTOR, PROCESS], ids=["actors", "processes"])
@pytest.mark.parametrize(
    ("statement", "x", "y"),
    [
        ("assert self.x + 5 - 5 == self.x", HIGHEST, 0),
        ("assert self.x // self.y == 2147483647 and abs(self.x) == -self.x == 2147483647", LOWEST, -1),
        ("self.m = self.x; assert self.m is not None and self.m < 0", LOWEST, 1),
        ("m = self.x if self.y else None; assert m is not None and m < 0", LOWEST, 1),
        ("assert self.x % self.y == 0", LOWEST, -1),
        ("assert (1 << 40) >> 38 == 4", 0, 0),
        ("assert 2**40 % 7 == 2", 0, 0),
        ("assert self.x + self.y == 0", LOWEST, HIGHEST),
        ("assert self.x >> 30 == 1", HIGHEST, 0),
    ],
)
def test_python_where_all_fits(tmp_path: Path, language: str, statement: str, x: int, y: int) -> None:
    text = language.format(statement=statement, x=x, y=y)
    assert checked(tmp_path, "m.py", text, assertions=True).verdict is Verdict.HOLDS


@pytest.mark.parametrize("language", [ACTOR, PROCESS], ids=["actors", "processes"])
def test_numbers_that_no_model_has(tmp_path: Path, language: str) -> None:
    with pytest.raises(MuleError, match="does not fit the integers of a model"):
        checked(tmp_path, "m.py", language.format(statement="assert self.x < -(2**31)", x=1, y=1))
    wide = language.replace("z: int = 0", "z: Annotated[int, Range(0, 2**40)] = 0")
    imports = "from typing import Annotated\nfrom mule.processes import Range\n"
    with pytest.raises(MuleError, match="a range beyond the integers of a model"):
        checked(tmp_path, "m.py", imports + wide.format(statement="self.z += 1", x=1, y=1))


def test_promela_wraps_as_pan_does(tmp_path: Path) -> None:
    text = "int x = 2147483647, y; active proctype P() { y = x + 1; assert(y == -2147483647 - 1 && x * x == 1) }"
    assert checked(tmp_path, "m.pml", text).verdict is Verdict.HOLDS


# random expressions, with Python's own integers to say what is right --------------------------------------------------

BORDERS = [
    LOWEST,
    LOWEST + 1,
    -65536,
    -46341,
    -3,
    -1,
    0,
    1,
    2,
    7,
    46340,
    46341,
    65535,
    65536,
    2**30,
    HIGHEST - 1,
    HIGHEST,
]
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def expressions() -> st.SearchStrategy[str]:
    leaves = st.one_of(st.sampled_from(["self.x", "self.y"]), st.sampled_from([f"({n})" for n in BORDERS]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from(sorted(OPERATORS)), inner),
            st.builds("(-{})".format, inner),
            st.builds("abs({})".format, inner),
            st.builds("({} << {})".format, inner, st.sampled_from([0, 1, 5, 30])),
            st.builds("({} >> {})".format, inner, st.sampled_from([0, 1, 5, 30])),
            st.builds("sum([{}, {}, 1])".format, inner, inner),
            st.builds("({} if {} < {} else {})".format, inner, inner, inner, inner),
        ),
        max_leaves=5,
    )


def leaves_32_bits(text: str, values: dict[str, int]) -> bool:
    """Whether some part that Python evaluates has a value beyond 32 bits."""

    class Watched(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            node = super().generic_visit(node)
            if isinstance(node, ast.expr) and not isinstance(node, ast.Name | ast.List):
                return ast.Call(ast.Name("watch", ast.Load()), [node], [])
            return node

    beyond = []

    def watch(value: int) -> int:
        if not LOWEST <= value <= HIGHEST:
            beyond.append(value)
        return value

    tree = Watched().visit(ast.parse(text.replace("self.", ""), mode="eval"))
    assert isinstance(tree, ast.Expression)
    ast.fix_missing_locations(tree)
    eval(compile(tree, "<expression>", "eval"), {"watch": watch, "abs": abs, "sum": sum}, dict(values))
    return bool(beyond)


@settings(max_examples=60, deadline=None)
@given(expressions(), st.sampled_from(BORDERS), st.sampled_from(BORDERS), st.booleans())
def test_python_computes_what_python_does_or_says_that_it_cannot(
    tmp_path_factory: pytest.TempPathFactory, text: str, x: int, y: int, actors: bool
) -> None:
    source = (ACTOR if actors else PROCESS).format(statement=f"self.z = {text}", x=x, y=y)
    path = tmp_path_factory.mktemp("overflow") / "m.py"
    path.write_text(source)
    try:
        wanted = eval(text.replace("self.", ""), {}, {"x": x, "y": y})
        beyond = leaves_32_bits(text, {"x": x, "y": y})
    except ZeroDivisionError:
        wanted, beyond = None, True
    try:
        system = mule.load(str(path))
        name = "p" if actors else "s"
        result = system.check(assertions=True, invariants=[f"{name}.z == {wanted or 0} or {name}.z == 0"])
    except MuleError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert "does not fit the integers" in refused or wanted is None
        return
    if result.verdict is Verdict.VIOLATED:
        assert wanted is None or beyond, result.violations[0].message
    else:
        assert wanted is not None, "Python fails, the model does not"
        assert LOWEST <= wanted <= HIGHEST
