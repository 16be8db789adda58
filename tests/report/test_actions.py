"""Steps that are made of several statements: what each did, what it changed, what it printed."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from mule.checking import check, explore
from mule.model import BYTE, IntegerType, Kind, Model, Printed
from mule.model.expressions import Binary, Constant, Read
from mule.options import Options
from mule.report.json import result_object
from mule.report.layout import Page
from mule.report.state import Change, summarise
from mule.report.text import MOST_UNREACHED, report
from mule.report.trail import explain_step
from mule.results import Result, replay
from tests.engine.lines import Lines, increment, put

COLOURS = IntegerType("mtype", 0, 3, names=((1, "red"), (2, "green")))


def text_of(result: Result, width: int = 80) -> str:
    stream = io.StringIO()
    report(result, Page(Console(file=stream, width=width, highlight=False, markup=False)))
    return stream.getvalue()


def model() -> Model:
    """One step of three statements, after which P waits for ever."""
    lines = Lines("promela")
    x = lines.variable("x")
    light = lines.builder.variable("light", COLOURS, (2,))
    p = lines.process("P", 4, [4])
    lines.block(
        p,
        0,
        [
            ("x = 5", put(x, 5), ()),
            ('printf("x is %d\\n", x)', None, ("x is ", Printed("d", Read(x)), "\n")),
            ("light = red", put(light, 1), ()),
        ],
    )
    return lines.build()


def test_each_action_has_its_own_changes_and_output() -> None:
    made = model()
    step = explain_step(made, replay(made, [(0, 0)]), 0)
    assert step.changes == (Change("x", 0, 5), Change("light", "green", "red"))
    assert [(each.process, each.place and each.place.line) for each in step.actions] == [("P", 1), ("P", 2), ("P", 3)]
    assert [each.changes for each in step.actions] == [(Change("x", 0, 5),), (), (Change("light", "green", "red"),)]
    assert [each.output for each in step.actions] == ["", "x is 5\n", ""]


def test_the_text_has_one_line_for_each_action() -> None:
    text = text_of(check(model()))
    assert "  1  P: line 1: x = 5   x: 0 → 5\n" in text
    assert '     P: line 2: printf("x is %d\\n", x)\n     prints: x is 5\n' in text
    assert "     P: line 3: light = red   light: green → red\n" in text
    assert "  P      l3\n  x      5\n  light  red\n" in text
    assert "  why: invalid end state: no process can move, with P in l3\n" in text


@pytest.mark.parametrize("width", [25, 30, 40])
def test_narrow_terminals_are_kept_to(width: int) -> None:
    lines = text_of(check(model()), width).splitlines()
    trail = lines[lines.index("How to get there: 1 step") :]
    assert all(len(line) <= width for line in trail[1 : trail.index("Where it ends")])


def test_json_lists_the_actions() -> None:
    found: Any = json.loads(json.dumps(result_object(check(model()))))
    [violation] = found["violations"]
    [step] = violation["trail"]
    assert step["actions"][0] == {"process": "P", "text": "x = 5", "line": 1, "changes": {"x": [0, 5]}, "output": ""}
    assert step["actions"][1]["output"] == "x is 5\n"
    assert violation["final_state"]["variables"] == {"x": 5, "light": "red"}


@pytest.mark.parametrize(
    ("conversion", "value", "printed"),
    [
        ("d", -1, "-1"),
        ("u", -1, "4294967295"),
        ("x", 255, "ff"),
        ("o", 8, "10"),
        ("c", 65, "A"),
        ("e", 2, "green"),
        ("e", 3, "3"),
    ],
)
def test_conversions_of_printf(conversion: str, value: int, printed: str) -> None:
    lines = Lines()
    p = lines.process("P", 1)
    lines.block(p, 0, [("printf", None, ("<", Printed(conversion, Constant(value), COLOURS.names), ">"))])
    made = lines.build()
    [action] = explain_step(made, replay(made, [(0, 0)]), 0).actions
    assert action.output == f"<{printed}>"


def test_output_cannot_command_the_terminal() -> None:
    lines = Lines()
    p = lines.process("P", 1)
    lines.block(p, 0, [("printf", None, (Printed("c", Constant(27)), "[2J\tx\n"))])
    assert "prints: \\x1b[2J\\tx\n" in text_of(check(lines.build()))


def test_an_action_that_fails_is_the_last() -> None:
    lines = Lines()
    x = lines.variable("x")
    p = lines.process("P", 3)
    quotient = Binary("/", Constant(1), Binary("-", Read(x), Constant(1)))
    lines.block(p, 0, [("x++", increment(x), ()), ("x = 1/(x-1)", put(x, quotient), ()), ("x = 7", put(x, 7), ())])
    result = check(lines.build())
    [violation] = result.violations
    step = explain_step(result.model, violation.trail, 0)
    assert [(each.text, each.changes) for each in step.actions] == [
        ("x++", (Change("x", 0, 1),)),
        ("x = 1/(x-1)", ()),
    ]
    assert "     P: line 2: x = 1/(x-1)\n     here: division by zero\n" in text_of(result)


def test_the_step_of_a_violated_assertion_shows_the_assertion() -> None:
    lines = Lines("promela")
    p = lines.process("P", 1, [1])
    lines.claim(p, 0, "false", Constant(0))
    result = check(lines.build())
    assert result.violations[0].trail.steps[-1].failure == "assertion violated: false"
    text = text_of(result)
    assert "an assertion can fail" in text.splitlines()[0]
    assert "  ✗ no violated assertion\n" in text
    assert "     line 1: assert(false)\n     here: assertion violated: false\n" in text


def test_names_of_constants_in_arrays_and_channels() -> None:
    lines = Lines()
    lines.builder.variable("a", COLOURS, (1, 3), 2)
    channel = lines.builder.channel("c", 2, [COLOURS, BYTE])
    made = lines.build()
    state = list(made.initial_state)
    state[made.slot_of[channel.length]] = 1
    state[made.slot_of[channel.fields[0]]] = 2
    summary = summarise(made, tuple(state))
    assert summary.variables == {"a": ("red", 3)}
    assert summary.channels == {"c": (("green", 0),)}


def dead_code(language: str, count: int) -> Result:
    lines = Lines(language)
    p = lines.process("P", count + 1, range(count + 2), "Worker")
    lines.step(p, 0, "false", Constant(0))
    for number in range(count):
        lines.step(p, number + 1, f"x = {number}")
    return explore(lines.build(), Options(por="none"))


def test_statements_that_no_run_comes_to_are_listed_for_every_language() -> None:
    text = text_of(dead_code("promela", 2))
    assert "  unreached  proctype Worker: line 1: false\n  unreached  proctype Worker: line 2: x = 0\n" in text
    assert "more" not in text
    text = text_of(dead_code("dve", 2))
    assert "Steps that no run takes\n  unreached  Worker: line 1: false\n  unreached  Worker: line 2: x = 0\n" in text


def test_a_long_list_of_them_is_cut_in_the_text_only() -> None:
    result = dead_code("promela", 20)
    text = text_of(result)
    assert text.count("unreached  ") == MOST_UNREACHED
    assert "… 11 more; --verbose lists them all\n" in text
    found = result_object(result)["unreached"]
    assert len(found) == 21
    assert found[1] == {"process": "Worker", "text": "x = 0", "line": 2}


def test_an_error_transition_takes_no_outcome() -> None:
    lines = Lines()
    p = lines.process("P", 1)
    lines.error(p, 0, Constant(1), "wrong", "oops")
    [transition] = lines.build().transitions
    assert (transition.kind, transition.outcomes, transition.failure) == (Kind.ERROR, (), "wrong")
