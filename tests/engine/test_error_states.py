"""Models that go wrong: what `check` says of them, and how `explore` counts what comes after an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mule.checking import Properties, check, explore
from mule.cli.main import main
from mule.comparison import ALGORITHMS
from mule.frontends.dve import load
from mule.model import Model
from mule.options import Options, Por, Search
from mule.results import Verdict, ViolationKind

pytestmark = pytest.mark.corpus

# Each runs through three states, and the third step from the initial state has no meaning.
WRONG = {
    "a byte overflows": (
        "byte x = 253; process P { state s; init s; trans s -> s { effect x = x + 1; }; }",
        "256 is out of range for x (byte, 0..255)",
    ),
    "a byte becomes negative": (
        "byte x = 2; process P { state s; init s; trans s -> s { effect x = x - 1; }; }",
        "-1 is out of range for x (byte, 0..255)",
    ),
    "an index is out of range in an effect": (
        "byte i, a[2]; process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }",
        "index 2 is out of range for a[2]",
    ),
    "an index is out of range in a guard": (
        "byte i, a[2]; process P { state s; init s; trans s -> s { guard a[i] == 0; effect i = i + 1; }; }",
        "index 2 is out of range for a[2]",
    ),
    "a division by zero in an effect": (
        "byte x = 2, y; process P { state s; init s; trans s -> s { effect y = 6 / x, x = x - 1; }; }",
        "division by zero",
    ),
    "a division by zero in a guard": (
        "byte x = 2; process P { state s; init s; trans s -> s { guard 6 % x < 9; effect x = x - 1; }; }",
        "division by zero",
    ),
}
# Somebody who has nothing to do with it and could keep a reduced search busy for ever.
BYSTANDER = " process B { state u, v; init u; trans u -> v {}, v -> u {}; }"

wrong_models = pytest.mark.parametrize(("text", "failure"), WRONG.values(), ids=WRONG.keys())


def model(text: str) -> Model:
    return load(f"{text} system async;", "wrong.dve")


@wrong_models
@pytest.mark.parametrize("search", ["dfs", "bfs"])
@pytest.mark.parametrize("por", ["none", "ample", *ALGORITHMS])
def test_an_error_of_the_model_is_found_with_a_trail_that_ends_there(
    text: str, failure: str, por: Por, search: Search
) -> None:
    result = check(model(text + BYSTANDER), options=Options(por=por, search=search))
    assert result.verdict is Verdict.VIOLATED
    [violation] = result.violations
    assert (violation.kind, violation.message) == (ViolationKind.MODEL_ERROR, failure)
    trail = violation.trail
    assert [step.failure for step in trail.steps] == [None] * (len(trail) - 1) + [failure]
    assert len(trail.states) == len(trail.steps), "the failing step leads nowhere"
    if (por, search) == ("none", "bfs"):
        assert len(trail) == 3


@wrong_models
def test_an_error_of_the_model_is_found_whatever_else_is_asked_for(text: str, failure: str) -> None:
    for properties in (Properties(), Properties(deadlock=True), Properties(invariants=("true",))):
        [violation] = check(model(text), properties).violations
        assert (violation.kind, violation.message) == (ViolationKind.MODEL_ERROR, failure)


def test_the_command_line_calls_it_a_model_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, failure = WRONG["an index is out of range in a guard"]
    file = tmp_path / "wrong.dve"
    file.write_text(f"{text} system async;")
    assert main(["check", str(file), "--json"]) == 1
    [violation] = json.loads(capsys.readouterr().out)["violations"]
    assert (violation["kind"], violation["length"]) == ("model error", 3)
    assert [step["failure"] for step in violation["trail"]] == [None, None, failure]


@wrong_models
@pytest.mark.parametrize("search", ["dfs", "bfs"])
def test_the_state_after_an_error_is_a_state_and_no_deadlock(text: str, failure: str, search: Search) -> None:
    result = explore(model(text), Options(por="none", search=search, as_written=True))
    found = result.statistics
    # Three states in a row, the error state, and the three steps between them.
    assert (found.states, found.transitions, found.deadlocks) == (4, 3, 0)
    assert any("1 step has no meaning" in note for note in result.notes), failure


SHARED = """
%s
process P { byte x = 255; state a, b; init a; trans a -> b { effect x = x + 1; }; }
process Q { state c, d; init c; trans c -> d { %s }; }
"""


@pytest.mark.parametrize("search", ["dfs", "bfs"])
def test_states_after_an_error_differ_only_in_shared_variables(search: Search) -> None:
    # P fails before and after Q's step. What Q did can be told afterwards only from a shared variable.
    for declaration, effect, error_states in (("", "", 1), ("byte g;", "effect g = 1;", 2)):
        options = Options(por="none", search=search, as_written=True)
        found = explore(model(SHARED % (declaration, effect)), options).statistics
        assert (found.states, found.transitions) == (2 + error_states, 1 + 2)


@pytest.mark.parametrize("por", ["none", "ample", *ALGORITHMS])
@pytest.mark.parametrize(
    "guard", ["k < 3 and a[k] == 1", "k < 3 && a[k] == 1", "not (k == 3 or a[k] == 0)", "(k < 3 imply a[k]) and k < 3"]
)
def test_what_a_guard_does_not_evaluate_cannot_go_wrong(por: Por, guard: str) -> None:
    text = "byte k, a[3] = {1, 1, 1}; process P { state s; init s; trans s -> s { guard %s; effect k = k + 1; }; }"
    found = explore(model(text % guard), Options(por=por, as_written=True)).statistics
    assert (found.states, found.transitions, found.deadlocks) == (4, 3, 1)
    assert (
        check(model(text % guard), Properties(assertions=True), Options(por=por, as_written=True)).verdict
        is Verdict.HOLDS
    )


@pytest.mark.parametrize("por", ["none", "ample", *ALGORITHMS])
def test_what_a_guard_evaluates_first_can_go_wrong(por: Por) -> None:
    text = "byte k, a[3]; process P { state s; init s; trans s -> s { guard a[k] == 0 and k < 3; effect k = k + 1; }; }"
    [violation] = check(model(text), options=Options(por=por)).violations
    assert (violation.kind, len(violation.trail)) == (ViolationKind.MODEL_ERROR, 4)


def test_a_guard_that_goes_wrong_matters_only_at_its_location() -> None:
    text = "byte z; process P { state s, t, u; init s; trans s -> t {}, t -> s {}, u -> s { guard 1 / z == 0; }; }"
    assert check(model(text)).verdict is Verdict.HOLDS
