"""Saved trails, followed again: in the same model, in one that was edited, and in another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mule as library
from mule.trails.replaying import replay_file
from tests.trails.conftest import Mule

pytestmark = pytest.mark.slow

COUNTER = """
byte x;
active proctype P() { x = x + 1; x = x + 1; assert(x < 2) }
active proctype Q() { byte y; y = 5 }
"""
TURNS = """
bit turn; byte idle;
active proctype P() { do :: turn == 0 -> turn = 1 od }
active proctype Q() { do :: turn == 1 -> turn = 0 :: turn == 1 -> idle = 1 - idle od }
"""


def saved(mule: Mule, text: str, *options: str, model: str = "m.pml") -> dict[str, Any]:
    """What `mule check --json` finds in a model, which is left in the file found.json."""
    Path(model).write_text(text)
    found = mule("check", model, "--json", *options, into="found.json")
    assert found.status == 1, found.err
    return dict(json.loads(found.out))


def test_a_saved_trail_is_replayed_to_its_violation(mule: Mule) -> None:
    saved(mule, COUNTER, "--assertions")
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1
    assert "violated  m: no violated assertion" in run.out
    assert "line 3: x = x + 1   x: 1 → 2" in run.out
    assert "why: assertion violated: x < 2" in run.out


def test_a_trail_comes_through_a_pipe(mule: Mule, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved(mule, COUNTER, "--assertions")
    with (tmp_path / "found.json").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert mule("trail", "m.pml", "-").status == 1


def test_what_is_saved_again_is_the_same_trail(mule: Mule) -> None:
    first = saved(mule, COUNTER, "--assertions")
    run = mule("trail", "m.pml", "found.json", "--json", "-o", "again.json")
    again = json.loads(Path("again.json").read_text())
    assert again == json.loads(run.out)
    assert again["violations"][0]["trail"] == first["violations"][0]["trail"]
    assert mule("trail", "m.pml", "again.json").status == 1


def test_a_chart_is_drawn_of_it(mule: Mule) -> None:
    saved(mule, COUNTER, "--assertions")
    assert "* x = x + 1" in mule("trail", "m.pml", "found.json", "--chart").out


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("philosophers.dve", ()),
        ("philosophers.pnml", ()),
        ("broken_mutex.dve", ()),
        ("mailbox.pml", ("--ltl", "[] false")),
        ("peterson.dve", ("--invariant", "not left.critical")),
        ("peterson.dve", ("--ltl", "[]<> left.critical")),
        ("peterson.dve", ("--ltl", "[] !left.critical")),
        ("peterson.dve", ("--ctl", "AG !left.critical")),
        ("peterson.dve", ("--ctl", "AF left.critical")),
        ("peterson.dve", ("--ctl", "A[!left.critical U right.critical]")),
        ("lost_update.py", ("-D", "bug=True")),
        ("two_phase_commit.py", ("-D", "bug=True")),
    ],
)
def test_trails_of_every_language_and_kind_replay(mule: Mule, name: str, options: tuple[str, ...]) -> None:
    model = str(Path(__file__).parents[2] / "examples" / name)
    defined = options if "-D" in options else ()
    found = mule("check", model, "--json", *options, into="found.json")
    assert found.status == 1
    kinds = [each["property"] for each in json.loads(found.out)["violations"]]
    for kind in kinds:
        run = mule("trail", model, "found.json", "--property", kind, *defined)
        assert run.status == 1, run.out + run.err


def test_an_infinite_run_closes_its_cycle(mule: Mule) -> None:
    found = saved(mule, TURNS, "--ltl", "[]<>(turn == 0)")
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1
    assert "And then for ever" in run.out
    found["violations"][0]["trail"].pop()
    Path("cut.json").write_text(json.dumps(found))
    cut = mule("trail", "m.pml", "cut.json")
    assert cut.status == 3
    assert "the loop does not come back to where it began" in cut.out


def test_a_loop_may_change_what_nobody_reads(mule: Mule) -> None:
    text = "int n; bit x; active proctype P() { do :: n++; x = 1 - x od }"
    saved(mule, text, "--ltl", "<>[](x == 1)")
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1
    assert "every turn of the loop changes n, which makes no difference" in " ".join(run.out.split())
    Path("m.pml").write_text(text.replace("x = 1 - x", "x = 1 - x; n < 99999"))
    read = mule("trail", "m.pml", "found.json")
    assert read.status in (2, 3)


def test_a_fair_run_violates_under_fairness(mule: Mule) -> None:
    saved(mule, TURNS, "--ltl", "[]<>(idle == 1)", "--fairness", "weak")
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1
    assert "why: this fair run violates the property" in run.out


def test_an_unfair_run_does_not_violate_under_fairness(mule: Mule) -> None:
    text = "bit x, y; active proctype P() { do :: y = 1 - y od } active proctype Q() { x = 1 }"
    found = saved(mule, text, "--ltl", "<>(x == 1)")
    assert mule("trail", "m.pml", "found.json").status == 1
    for search in found["searches"]:
        search["options"]["fairness"] = "weak"
    Path("fair.json").write_text(json.dumps(found))
    assert mule("trail", "m.pml", "fair.json").status == 0


def test_lines_may_have_moved(mule: Mule) -> None:
    saved(mule, COUNTER, "--assertions")
    Path("m.pml").write_text("/* a comment */\n\n" + COUNTER.replace("byte y", "\nbyte y"))
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1
    assert "not quite the same" not in run.out


def test_a_run_that_became_harmless_is_not_called_a_violation(mule: Mule) -> None:
    saved(mule, COUNTER, "--invariant", "x < 2")
    Path("m.pml").write_text(COUNTER.replace("byte x;", "byte x = 250;"))
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1  # 251 is not below 2 either
    assert "not quite the same as in the file: step 1 has x: 250 → 251 instead of x: 0 → 1" in " ".join(run.out.split())
    Path("m.pml").write_text(COUNTER.replace("byte x;", "short x = -5;"))
    harmless = mule("trail", "m.pml", "found.json")
    assert harmless.status == 0
    assert "not violated by this run" in harmless.out
    assert "holds" not in harmless.out
    assert json.loads(mule("trail", "m.pml", "found.json", "--json").out)["verdict"] == "not violated"


def test_where_a_trail_does_not_fit_it_says_what_is_possible(mule: Mule) -> None:
    saved(mule, COUNTER, "--assertions")
    Path("m.pml").write_text(COUNTER.replace("x = x + 1; x = x + 1", "x = x + 1; x == 7 -> x = x + 1"))
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 2
    assert "found.json: the trail does not fit the model: its step" in run.err
    assert "is not enabled" in run.err
    assert "possible here: Q: line 4: y = 5" in run.err
    assert "other definitions (-D)?" in run.err


def test_a_trail_of_another_model_is_named_so(mule: Mule) -> None:
    saved(mule, COUNTER, "--assertions")
    Path("other.pml").write_text("active proctype R() { skip }")
    run = mule("trail", "other.pml", "found.json")
    assert run.status == 2
    assert "is not in the model" in run.err
    assert "It is a trail of m, and this is other." in run.err


def test_of_several_violations_one_is_chosen(mule: Mule) -> None:
    saved(mule, COUNTER, "--invariant", "x < 1", "--invariant", "x < 2", "--assertions")
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 2
    assert "there are 3 violations in it: choose one with --property" in run.err
    assert "invariant: x < 2" in run.err
    assert mule("trail", "m.pml", "found.json", "--property", "x < 2").status == 1
    assert mule("trail", "m.pml", "found.json", "--property", "assertion").status == 1
    assert "no violation in it fits" in mule("trail", "m.pml", "found.json", "--property", "z").err
    assert "2 violations in it fit" in mule("trail", "m.pml", "found.json", "--property", "invariant").err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty, expected a trail: `mule check MODEL --json > FILE`"),
        ("hello", "this is neither JSON nor a trail of SPIN"),
        ('{"a": 1}\n{"b": 2}', "more than one JSON object in it, as in a simulated run"),
        ("[1]", "there is no trail in it"),
        ('{"model": "m", "verdict": "holds", "violations": []}', "no violation in it, so there is no trail"),
        ('{"model": "m", "violations": [{"kind": "deadlock"}]}', "the trail in it cannot be read"),
        (
            '{"model": "m", "violations": [{"kind": "ltl", "property": "p", "trail": [], "loop": 0.0}]}',
            "loop 0.0 of 0 steps",
        ),
    ],
)
def test_files_without_a_trail(mule: Mule, content: str, message: str) -> None:
    Path("m.pml").write_text(COUNTER)
    Path("found.json").write_text(content)
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 2
    assert message in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m.pml",), "FILE is missing"),
        (("m.pml", "nowhere.json"), "nowhere.json: there is no such file"),
        (("-", "-"), "cannot both come from standard input"),
        (("m.pml", "f", "--chart", "--json"), "--chart has no effect on --json"),
        (("m.pml", "f", "--max-states", "5"), "--max-states limits the searches of --shorten"),
    ],
)
def test_commands_that_make_no_sense(mule: Mule, arguments: tuple[str, ...], message: str) -> None:
    Path("m.pml").write_text(COUNTER)
    run = mule("trail", *arguments)
    assert run.status == 2
    assert message in run.err


def test_a_model_gets_the_room_that_its_trail_needs(mule: Mule) -> None:
    text = """
    byte n;
    proctype W() { n++; do :: n == 12 -> assert(false) od }
    init { byte i; do :: i < 12 -> run W(); i++ :: else -> break od }
    """
    saved(mule, text, "--assertions")
    run = mule("trail", "m.pml", "found.json")
    assert run.status == 1, run.err


def test_a_proposition_without_a_value(mule: Mule) -> None:
    text = "byte x; active proctype P() { byte i; do :: i < 3 -> i++ :: else -> break od; x = 1; x = 0 }"
    found = saved(mule, text, "--ltl", "[](6 / (1 - x) > 2)", "--search", "dfs")
    assert found["violations"][0]["property"] == "a value for 6 / (1 - x) > 2 in every state"
    assert mule("trail", "m.pml", "found.json", "--property", "value").status == 1
    shorter = mule("trail", "m.pml", "found.json", "--property", "value", "--shorten")
    assert shorter.status == 1, shorter.err


def test_what_violates_nothing_is_not_saved(mule: Mule) -> None:
    saved(mule, COUNTER, "--invariant", "x < 2")
    Path("m.pml").write_text(COUNTER.replace("byte x;", "short x = -5;"))
    run = mule("trail", "m.pml", "found.json", "-o", "again.json")
    assert run.status == 0
    assert "again.json was not written: the run shows no violation" in run.err
    assert not Path("again.json").exists()


def test_processes_may_be_numbered_in_the_model_that_was_searched(mule: Mule) -> None:
    text = """
    byte n;
    proctype W() { n++; n == 3 -> assert(false) }
    init { byte i; do :: run W(); i++ :: i > 2 -> break od }
    """
    saved(mule, text, "--assertions")
    for kind in ("assertion", "model error"):
        run = mule("trail", "m.pml", "found.json", "--property", kind)
        assert run.status == 1, run.err


def test_python_has_the_same_words(tmp_path: Path) -> None:
    system = library.loads(COUNTER, "promela")
    result = system.check(assertions=True)
    file = tmp_path / "found.json"
    file.write_text(json.dumps(result.to_dict()))
    replayed = system.trail(file)
    assert replayed.violation is not None
    assert result.violation is not None
    assert [step.action for step in replayed.trail] == [step.action for step in result.violation.trail]
    assert str(replayed).startswith("✗ violated  model: no violated assertion")
    assert replay_file(system.model, str(file)).trail == replayed.trail
