"""Expressions of any length: as generated controllers have them, where each guard spells out a whole table."""

from __future__ import annotations

import io
import random

import pytest

from mule.checking import check, explore
from mule.frontends import load_text
from mule.frontends.dve.lexer import Source
from mule.frontends.dve.operators import MANY_TURNS
from mule.frontends.dve.parser import parse_expression
from mule.frontends.dve.syntax import Chain
from mule.model import Model
from mule.model.interpreter import Failure, Interpreter
from mule.options import Options
from mule.properties import Properties
from mule.report.layout import LONGEST_TEXT, Page
from mule.report.text import report
from mule.results import Verdict

pytestmark = pytest.mark.slow

OPERANDS = 200_000


def read(text: str) -> Model:
    return load_text(text, "long.dve", "dve")


def test_two_hundred_thousand_operands_are_read() -> None:
    tree = parse_expression(Source(" || ".join(f"x{i} == {i % 250}" for i in range(OPERANDS)), "<expression>"))
    assert isinstance(tree, Chain)
    assert len(tree.operands) == OPERANDS
    assert tree.depth < 30


def controller(spelled_out: bool) -> str:
    """A plant with two belts, its clock, and a controller; each guard as a comparison or as a table of the same."""

    def at_most(variable: str, bound: int) -> str:
        if not spelled_out:
            return f"{variable} <= {bound}"
        return " || ".join(f"({variable} == {value} && clock <= 60)" for value in list(range(bound + 1)) * 40)

    def idle(process: str, state: str, bound: int) -> str:
        return f"(not {process}.{state} or (clock < {bound} and ({at_most('item', 4)})))"

    return f"""
    byte clock; byte item; byte belt[2];
    process Clock {{
        state tick; init tick;
        trans tick -> tick {{ guard {idle("Plant", "load", 20)} and {idle("Plant", "sort", 40)} and clock < 50;
                              effect clock = clock + 1; }};
    }}
    process Plant {{
        state load, sort; init load;
        trans load -> sort {{ guard ({at_most("clock", 9)}) and item < 4; effect item = item + 1; }},
              sort -> load {{ guard ({at_most("item", 2)}); effect belt[0] = item; }},
              sort -> load {{ guard not ({at_most("item", 2)}); effect belt[1] = item, clock = 0; }};
    }}
    process Watch {{
        state wait, seen; init wait; accept seen;
        trans wait -> wait {{ }}, wait -> seen {{ guard ({at_most("item", 3)}) and Plant.sort and item > 2; }},
              seen -> seen {{ guard not (item == 4 and belt[1] == 4); }};
    }}
    system async property Watch;
    """


def test_a_controller_spelled_out_is_the_same_controller() -> None:
    short, long = read(controller(False)), read(controller(True))
    assert max(len(transition.text) for transition in long.transitions) > 10_000
    for options in (Options(por="none", as_written=True), Options(por="deletion", as_written=True)):
        counts = [explore(model, options).statistics for model in (short, long)]
        assert [each.deadlocks for each in counts] == [45, 45]
        assert options.por != "none" or [each.states for each in counts] == [309, 309]
    claims = [check(model, Properties(claims=("Watch",))).verdict for model in (short, long)]
    assert claims == [Verdict.VIOLATED, Verdict.VIOLATED]


def test_the_report_shows_the_beginning_and_the_end_of_a_long_guard() -> None:
    guard = " || ".join(f"x == {i % 200 + 5}" for i in range(5_000))
    model = read(f"byte x; process A {{ state s, t; init s; trans s -> t {{ guard not ({guard}); }}; }} system async;")
    page = io.StringIO()
    report(check(model), Page(file=page))
    assert "x == 5 || x == 6" in page.getvalue()
    assert "…" in page.getvalue()
    assert len(page.getvalue()) < 3 * LONGEST_TEXT


ATOMS = ("x == 0", "y == 0", "z", "z == 2", "x", "not y", "a[y] == 0", "a[z + y] == 1", "1 / x == 1")


@pytest.mark.parametrize("length", [3, MANY_TURNS, 2 * MANY_TURNS, 700])
def test_and_and_or_take_turns_from_left_to_right(length: int) -> None:
    """They bind equally, evaluate no more than they must, and may be undefined."""
    model = read("byte a[3]; byte x = 0; byte y = 1; byte z = 2; process A { state s; init s; } system async;")
    assert model.parse_expression is not None
    interpreter, draw = Interpreter(model), random.Random(length)
    meanings = {text: model.parse_expression(text) for text in ATOMS}

    def evaluate(parts: list[tuple[str, str]]) -> int | None:
        value = True
        for connective, text in parts:
            if value == (connective == "and"):
                try:
                    value = interpreter.evaluate(meanings[text], interpreter.initial) != 0
                except Failure:
                    return None
        return int(value)

    for _ in range(30):
        parts = [
            ("and" if draw.random() < 0.5 else "or", draw.choice(ATOMS[: draw.choice((6, 9))])) for _ in range(length)
        ]
        parts[0] = ("and", parts[0][1])
        text = parts[0][1] + "".join(f" {connective} {atom}" for connective, atom in parts[1:])
        try:
            found: int | None = int(interpreter.evaluate(model.parse_expression(text), interpreter.initial) != 0)
        except Failure:
            found = None
        assert found == evaluate(parts), text


def test_a_formula_of_many_propositions() -> None:
    model = read("byte x; process A { state s, t; init s; trans s -> t { effect x = 1; }; } system async;")
    never = " && ".join(f"x != {value}" for value in range(2, 202))
    assert check(model, Properties(ltl=(f"[] ({never})",))).verdict is Verdict.HOLDS
    assert check(model, Properties(ltl=(f"[] ({never} && x != 1)",))).verdict is Verdict.VIOLATED
    assert check(model, Properties(ctl=(f'AG "{never}"',))).verdict is Verdict.HOLDS
    assert check(model, Properties(ctl=(f"AG ({never})",))).verdict is Verdict.HOLDS
    assert check(model, Properties(ctl=(f"AG ({never} && x != 1)",))).verdict is Verdict.VIOLATED
