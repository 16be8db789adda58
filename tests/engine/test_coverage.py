"""Which transitions were ever enabled, and which statements no run comes to."""

from __future__ import annotations

import pytest

from mule.checking import check, explore
from mule.comparison import ALGORITHMS
from mule.frontends.promela import load
from mule.model import BYTE, Assign, Model
from mule.model.expressions import Binary, Constant, Read
from mule.options import Options, Por, Search
from mule.planning import Preparation, plan_for, resolve, search_options
from tests.engine.lines import Lines, is_, put

searches = pytest.mark.parametrize("search", ["dfs", "bfs"])


def model() -> Model:
    """Two instances of one proctype: only the first gets to line 2, nobody to line 3; then a block nobody enters."""
    lines = Lines("promela")
    x = lines.variable("x")
    for number in range(2):
        p = lines.process(f"P{number}", 5, range(6), "P")
        lines.step(p, 0, "skip")
        lines.step(p, 1, "x == 0", is_(x, 7 if number else 0))
        lines.step(p, 2, "x == 7", is_(x, 7))
        lines.block(p, 3, [("x = 1", put(x, 1), ()), ("x = 2", put(x, 2), ())])
    return lines.build()


@searches
@pytest.mark.parametrize("por", ["none", *ALGORITHMS])
def test_what_no_process_of_a_declaration_reaches_is_listed_once(search: Search, por: Por) -> None:
    result = explore(model(), Options(por=por, search=search), "safety")
    assert result.unreached is not None
    found = [(each.process, each.text, each.place and each.place.line) for each in result.unreached]
    assert found == [("P", "x == 7", 3), ("P", "x = 1", 4), ("P", "x = 2", 5)]


def test_where_the_search_cannot_tell_it_does_not_say() -> None:
    assert explore(model(), Options(max_states=2, por="none")).unreached is None
    assert explore(model(), Options(por="deletion"), "deadlocks").unreached is None
    assert check(model(), options=Options(por="none")).unreached


@searches
def test_a_transition_that_was_split_counts_as_one(search: Search) -> None:
    lines = Lines()
    i = lines.variable("i")
    a = lines.builder.variable("a", BYTE, (), 2)
    p, q = lines.process("P", 2, range(3)), lines.process("Q", 3, range(4))
    lines.step(p, 0, "a[i] == 0", Binary("==", Read(a, Read(i)), Constant(0)))
    lines.step(q, 0, "i = 1", None, put(i, 1))
    for index in range(2):
        lines.step(q, 1 + index, f"a[{index}] = 2", None, Assign(Read(a, Constant(index)), Constant(2)))
    lines.step(p, 1, "a[i] == 1", Binary("==", Read(a, Read(i)), Constant(1)))
    split = lines.build()
    options = resolve(Options(por="deletion", search=search, as_written=True), "safety")
    prepared = Preparation(plan_for(split, options, "safety", ()))
    found = prepared.search(search_options(options, "safety"), None)
    assert len(found.fired) == len(prepared.searched.transitions) > len(split.transitions)
    result = explore(split, options, "safety")
    assert result.unreached is not None
    assert [each.text for each in result.unreached] == ["a[i] == 1"]


def listed(program: str, as_written: bool) -> list[tuple[str, str, int | None]]:
    """Process, text and line of the statements that no run comes to."""
    found = explore(load(program, "m.pml"), Options(por="none", as_written=as_written)).unreached
    assert found is not None
    return [(each.process, each.text, each.place.line if each.place else None) for each in found]


def test_an_end_is_reached_by_a_process_that_cannot_cease_to_exist() -> None:
    """`init` comes to its end, and stays there since P lives on; Q waits, and does not come to its own."""
    program = (
        "byte x;\n"
        "proctype P() {\n  do\n  :: x = 1 - x\n  od\n}\n"
        "proctype Q() {\n  x == 7\n}\n"
        "active proctype R() {\n  skip\n}\n"
        "init {\n  run P();\n  run Q()\n}\n"
    )
    for written in (True, False):
        assert listed(program, written) == [("Q", "x == 7", 8), ("Q", "-end-", 9)]


def test_a_process_that_only_waits_in_the_middle_of_a_step_is_no_statement() -> None:
    """The block is cut at the head of its loop, where the process would wait if y were more than 100."""
    program = (
        "byte x, y;\nactive proctype P() {\n"
        "  atomic { x = 1; do :: y < 100 -> y++ :: y == 100 -> break od; x == 1 }\n}\n"
    )
    model = load(program, "waits.pml")
    assert any(transition.text == "waits" for transition in model.transitions)
    assert explore(model, Options(por="none", as_written=True)).unreached == ()


def test_statements_without_a_transition_are_listed() -> None:
    """Behind a handshake without a partner, a condition that is no condition, a jump; and all of what never runs."""
    program = (
        "chan c = [0] of { byte };\nbyte x;\n"
        "proctype Never() {\n  x = 9\n}\n"
        "active proctype P() {\n  if\n"
        "  :: c?1 ->\n     x = 5\n"
        "  :: false ->\n     x = 6\n"
        "  :: x = 1\n  fi;\n"
        "  goto L;\n"
        "  x = 7;\n"
        "L: skip;\n  d_step { if :: x = 2\n :: x = 3\n fi }\n}\n"
    )
    for written in (True, False):
        assert listed(program, written) == [
            ("Never", "x = 9", 4),
            ("P", "c?1", 8),
            ("P", "x = 5", 9),
            ("P", "false", 10),
            ("P", "x = 6", 11),
            ("P", "x = 7", 15),
            ("P", "x = 3", 18),
        ]
