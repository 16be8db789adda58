"""A proposition without a value is an error, never false."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mule import api
from mule.errors import MuleError
from mule.results import Result, Verdict, ViolationKind

DVE = """int a[2]; byte i = 0;
process P { state s, t; init s; trans s -> s { guard i < 5; effect i = i + 1; }, s -> t {}; }
system async;
"""
PROMELA = """byte a[2]; byte i;
active proctype P() { do :: i < 5 -> i++ :: else -> break od }
"""
ACTORS = """from mule.actors import *
class N(Process):
    x: int = 0
    leader: "N | None" = None
    cells: "list[int]"
    @step(when=lambda self: self.x < 4)
    def go(self):
        self.x += 1
        self.cells[0] = self.x
        self.leader = self
    def is_big(self):
        return self.x > 3
def system():
    n = N(cells=[0, 0, 0])
    propositions = {
        "typed": lambda: n.x.value == 3,
        "counted": lambda: len(n) == 0,
        "named": lambda: n.leader.foo == 3,
        "uncalled": lambda: n.is_big,
        "indexed": lambda: n.cells[n.x] == 7,
        "divided": lambda: 12 // (3 - n.x) == 100,
        "led": lambda: n.leader.x == 9,
        "guarded": lambda: n.x < 3 and n.cells[n.x] == 7,
    }
    return System([n], propositions=propositions)
"""
PROCESSES = """from mule.processes import *
class Shared1(Shared):
    x: int = 0
    cells: "list[int]"
async def worker(s):
    while s.x < 4:
        await pause()
        s.x += 1
        s.cells[0] = s.x
def system():
    s = Shared1(cells=[0, 0], name="s")
    return System([worker(s)])
"""


def load(folder: Path, name: str, text: str) -> api.System:
    file = folder / name
    file.write_text(text)
    return api.load(str(file))


def is_an_error(result: Result, text: str, why: str) -> None:
    assert result.verdict is Verdict.VIOLATED
    violation = result.violation
    assert violation is not None
    assert violation.kind is ViolationKind.MODEL_ERROR
    assert text in violation.message
    assert why in violation.message
    assert all(each.verdict is Verdict.INCOMPLETE for each in result.judgements if each.kind is ViolationKind.TEMPORAL)


@pytest.mark.parametrize(("name", "text"), [("a.dve", DVE), ("a.pml", PROMELA)])
@pytest.mark.parametrize(
    ("formula", "why"),
    [("[] !(a[i] == 1)", "index 2 is out of range"), ("<> [] !(1 / (3 - i) == 7)", "division by zero")],
)
def test_an_ltl_formula_over_an_index_out_of_range(
    tmp_path: Path, name: str, text: str, formula: str, why: str
) -> None:
    is_an_error(load(tmp_path, name, text).check(ltl=formula), "cannot be evaluated here", why)


@pytest.mark.parametrize(("name", "text"), [("a.dve", DVE), ("a.pml", PROMELA)])
def test_a_ctl_formula_over_an_index_out_of_range(tmp_path: Path, name: str, text: str) -> None:
    is_an_error(load(tmp_path, name, text).check(ctl="AG !(a[i] == 1)"), "a[i] == 1", "index 2 is out of range")


@pytest.mark.parametrize(("name", "text"), [("a.dve", DVE), ("a.pml", PROMELA)])
@pytest.mark.parametrize("formula", ["[] (i < 2 -> a[i] == 0)", "[] !(a[i] == 1 && i < 2)"])
def test_what_decides_elsewhere_needs_no_value(tmp_path: Path, name: str, text: str, formula: str) -> None:
    system = load(tmp_path, name, text)
    assert system.check(ltl=formula).verdict is Verdict.HOLDS
    assert system.check(ctl=formula.replace("[]", "AG")).verdict is Verdict.HOLDS


@pytest.mark.parametrize(("name", "text"), [("a.dve", DVE), ("a.pml", PROMELA)])
def test_an_invariant_without_a_value_is_violated(tmp_path: Path, name: str, text: str) -> None:
    result = load(tmp_path, name, text).check(invariant="a[i] == 0")
    assert result.verdict is Verdict.VIOLATED
    assert result.violation is not None
    assert "has no value: index 2 is out of range" in result.violation.message


LOOKS = [
    ("do :: a[i] == 1 -> break :: else od", "index 2 is out of range", 2),
    ("do :: i == 1 -> break :: else od; do :: 7 / (3 - i) == 9 -> break :: else od", "division by zero", 3),
    ("do :: (i >= 2 || a[i] == 1) -> break :: else od; accept: do :: a[i] == 0 od", "index 2 is out of range", 2),
]
"""A never claim, what has no value, and the `i` of the state in which it looks at that."""


@pytest.mark.parametrize(("claim", "why", "i"), LOOKS)
@pytest.mark.parametrize("asked", [{"por": "none", "as_written": True}, {}, {"fairness": "weak"}])
def test_a_never_claim_looks_at_what_has_no_value(
    tmp_path: Path, claim: str, why: str, i: int, asked: dict[str, Any]
) -> None:
    """SPIN's verifier stops too: "invalid array index", or the division kills it."""
    result = load(tmp_path, "a.pml", PROMELA + f"never {{ {claim} }}").check(claim="never", **asked)
    is_an_error(result, "cannot be evaluated here", why)
    assert result.violation is not None
    assert result.violation.trail[-1].state["i"] == i


@pytest.mark.parametrize(
    "claim",
    [
        "do :: (i < 2 && a[i] == 1) -> break :: else od",
        "do :: i > 5 -> break :: else od; do :: 7 / (3 - i) == 9 -> break :: else od",
        "do :: i < 2 :: i == 2 -> false od",
    ],
)
def test_a_never_claim_that_never_comes_to_look(tmp_path: Path, claim: str) -> None:
    assert load(tmp_path, "a.pml", PROMELA + f"never {{ {claim} }}").check(claim="never").verdict is Verdict.HOLDS


PROPERTY = """process N { state q, r; init q; accept r;
    trans q -> q { guard i < GUARD; }, q -> r { guard i < BOUND, a[i] == 1; }, r -> r {}; }
system async property N;
"""


def test_a_property_process_looks_at_what_has_no_value(tmp_path: Path) -> None:
    text = DVE.replace("system async;\n", PROPERTY).replace("guard i < BOUND, a", "guard a")
    is_an_error(load(tmp_path, "a.dve", text.replace("GUARD", "5")).check(claim="N"), "a[i] == 1", "index 2 is out of")
    assert load(tmp_path, "b.dve", text.replace("GUARD", "1")).check(claim="N").verdict is Verdict.HOLDS


AUTOMATON = """HOA: v1
States: 2
Start: 0
AP: 2 "a[i] == 1" "i < 2"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[!LABEL] 0
[LABEL] 1
State: 1 {0}
[t] 1
--END--
"""


@pytest.mark.parametrize(("name", "text"), [("a.dve", DVE), ("a.pml", PROMELA)])
def test_an_automaton_in_a_file_looks_at_what_has_no_value(tmp_path: Path, name: str, text: str) -> None:
    system, claim = load(tmp_path, name, text), tmp_path / "claim.hoa"
    claim.write_text(AUTOMATON.replace("LABEL", "0"))
    is_an_error(system.check(claim=str(claim)), "a[i]", "index 2 is out of range")
    claim.write_text(AUTOMATON.replace("LABEL", "(0 & 1)"))
    assert system.check(claim=str(claim)).verdict is Verdict.HOLDS
    never = tmp_path / "never.txt"
    never.write_text("never { T0: if :: (a[i] == 1) -> goto accept_all :: (1) -> goto T0 fi; accept_all: skip }")
    is_an_error(system.check(claim=str(never)), "a[i]", "index 2 is out of range")


def test_a_saved_graph_with_an_automaton_that_looks_at_what_has_no_value(tmp_path: Path) -> None:
    system, claim = load(tmp_path, "a.dve", DVE), tmp_path / "claim.hoa"
    claim.write_text(AUTOMATON.replace("LABEL", "0"))
    saved = str(tmp_path / "graph")
    system.explore(preserve="ltl", observe=["a[i] == 1", "i < 2"], save=saved)
    is_an_error(api.load_graph(saved).check(claim=str(claim)), "a[i]", "index 2 is out of range")


def test_nothing_is_said_of_a_claim_where_the_search_for_a_value_was_cut_short(tmp_path: Path) -> None:
    system = load(tmp_path, "a.pml", PROMELA + "never { do :: a[i] == 1 -> break :: else od }")
    assert system.check(claim="never", max_states=1).verdict is Verdict.INCOMPLETE


def test_nothing_is_said_where_the_search_for_a_value_was_cut_short(tmp_path: Path) -> None:
    result = load(tmp_path, "a.dve", DVE).check(ltl="[] !(a[i] == 1)", max_states=1)
    assert result.verdict is Verdict.INCOMPLETE


@pytest.mark.parametrize(
    ("proposition", "why"),
    [
        ("typed", "int.value cannot be compiled"),
        ("counted", "N has no length"),
        ("named", "N has no field foo"),
        ("uncalled", "call it, with parentheses"),
    ],
)
def test_errors_of_type_are_refused_on_reading(tmp_path: Path, proposition: str, why: str) -> None:
    system = load(tmp_path, "n.py", ACTORS)
    for asked in ({"ltl": f"[] !{proposition}"}, {"ctl": f"AG !{proposition}"}, {"invariant": f"not {proposition}"}):
        with pytest.raises(MuleError, match=why.replace("(", r"\(")):
            system.check(**asked)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("proposition", "why"),
    [("indexed", "IndexError"), ("divided", "ZeroDivisionError"), ("led", "AttributeError")],
)
def test_exceptions_in_some_states_are_errors(tmp_path: Path, proposition: str, why: str) -> None:
    system = load(tmp_path, "n.py", ACTORS)
    is_an_error(system.check(ltl=f"[] !{proposition}"), proposition, why)
    is_an_error(system.check(ctl=f"AG !{proposition}"), proposition, why)
    result = system.check(invariant=f"not {proposition}")
    assert result.violation is not None
    assert why in result.violation.message


def test_a_python_proposition_that_asks_first(tmp_path: Path) -> None:
    assert load(tmp_path, "n.py", ACTORS).check(ltl="[] !guarded").verdict is Verdict.HOLDS


def test_async_processes(tmp_path: Path) -> None:
    is_an_error(load(tmp_path, "s.py", PROCESSES).check(ltl="[] !(s.cells[s.x] == 7)"), "s.cells", "IndexError")
