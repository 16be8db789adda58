"""The Python interface as somebody guesses it who has read nothing."""

from __future__ import annotations

import doctest
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import mule
from mule import actors, processes
from mule.frontends.described import Described

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def example(name: str, **options: Any) -> mule.System:
    return mule.load(EXAMPLES / name, **options)


@pytest.fixture(scope="module")
def broken() -> mule.Result:
    return example("broken_mutex.dve").check()


# trails ---------------------------------------------------------------------------------------------------------------


def test_a_trail_is_a_sequence_of_steps(broken: mule.Result) -> None:
    [violation] = broken.violations
    trail = violation.trail
    assert len(trail) == len(list(trail)) == len(trail.steps) == 4
    assert [step.number for step in trail] == [1, 2, 3, 4]
    assert [step.process for step in trail] == ["left", "right", "left", "right"]
    assert trail[-1].number == 4
    assert [step.number for step in trail[1:3]] == [2, 3]
    assert trail.loop is None


def test_a_step_says_who_did_what_where_and_what_it_changed(broken: mule.Result) -> None:
    step = broken.violations[0].trail[2]
    assert (step.process, step.action, step.changes) == ("left", "effect locked = 1", {"locked": (0, 1)})
    assert step.source is not None
    assert (Path(step.source.file).name, step.source.line) == ("broken_mutex.dve", 16)
    assert dict(step.before) == {"left": "found_free", "right": "found_free", "locked": 0}
    assert dict(step.state) == {"left": "critical", "right": "found_free", "locked": 1}
    assert str(step) == "left: found_free → critical; line 16: effect locked = 1   locked: 0 → 1"
    assert repr(step) == "<Step 3: left: effect locked = 1>"


def test_a_failing_step_says_what_is_wrong_and_changes_nothing() -> None:
    result = mule.loads("byte x; active proctype P() { x = 1; assert(x == 2) }", "promela").check()
    last = result.violations[0].trail[-1]
    assert last.failure == "assertion violated: x == 2"
    assert (last.changes, last.state["x"]) == ({}, 1)
    assert last.source is not None
    assert last.source.line == 1


def test_a_lasso_is_a_prefix_and_a_loop() -> None:
    result = mule.loads("byte x; active proctype P() { do :: x = 1 - x od }", "promela").check(ltl="<> x == 2")
    trail = result.violations[0].trail
    assert trail.loop is not None
    assert len(trail[: trail.loop]) + len(trail[trail.loop :]) == len(trail)
    assert repr(trail) == f"<Trail of model: {len(trail)} steps, the last {len(trail) - trail.loop} for ever>"
    ends = mule.loads("byte x; active proctype P() { x = 1 }", "promela").check(ltl="<> x == 2").violations[0].trail
    assert ends.loop == len(ends)
    assert repr(ends).endswith(", then nothing moves>")


def test_a_trail_prints_itself(broken: mule.Result) -> None:
    text = str(broken.violations[0].trail)
    assert text.startswith("How to get there: 4 steps\n")
    assert text.endswith("left    critical\n  right   critical\n  locked  1")
    assert repr(broken.violations[0].trail) == "<Trail of broken_mutex: 4 steps>"


def test_a_long_trail_is_whole_in_python_and_without_its_middle_in_the_report() -> None:
    text = "byte x; active proctype P() { do :: x < 100 -> x++ :: else -> break od; assert(false) }"
    result = mule.loads(text, "promela").check()
    assert "left out; print(violation.trail) shows them" in str(result)
    assert "left out" not in str(result.violation.trail if result.violation else "")
    assert len(str(result.violation).splitlines()) > 200


# results --------------------------------------------------------------------------------------------------------------


def test_a_result_prints_its_report(broken: mule.Result) -> None:
    assert str(broken).startswith("✗ violated  broken_mutex: an assertion can fail\n")
    assert "\x1b" not in str(broken)
    assert repr(broken) == "<Result broken_mutex: violated, assertion left.critical: not right.critical; 21 states>"
    assert repr(broken.violation) == "<Violation: assertion left.critical: not right.critical is false; 4 steps>"
    assert "  why: assertion left.critical: not right.critical is false" in str(broken.violation)
    assert repr(example("peterson.dve").explore(por="none")) == "<Result peterson: explored; 20 states>"


def test_a_notebook_shows_the_report(broken: mule.Result) -> None:
    class Printer:
        shown = ""

        def text(self, text: str) -> None:
            self.shown += text

    printer = Printer()
    broken._repr_pretty_(printer, cycle=False)
    assert printer.shown == str(broken)


def test_what_holds_what_is_violated_and_what_nobody_knows(broken: mule.Result) -> None:
    assert (broken.holds, broken.violated, broken.incomplete) == (False, True, False)
    peterson = example("peterson.dve").check()
    assert (peterson.holds, peterson.violated, peterson.violation) == (True, False, None)
    cut = example("pipeline.dve").check(max_states=10)
    assert (cut.holds, cut.violated, cut.incomplete) == (False, False, True)


def test_a_result_is_neither_true_nor_false(broken: mule.Result) -> None:
    with pytest.raises(TypeError, match=r"write result\.holds"):
        bool(broken)


def test_assert_holds_has_the_report_in_its_failure(broken: mule.Result) -> None:
    example("peterson.dve").check().assert_holds()
    with pytest.raises(AssertionError) as failure:
        broken.assert_holds()
    assert str(failure.value) == str(broken)
    with pytest.raises(AssertionError, match="not decided, so nobody knows whether it holds"):
        example("pipeline.dve").check(max_states=10).assert_holds()


def test_an_exploration_judges_nothing() -> None:
    with pytest.raises(mule.MuleError, match="nothing was judged"):
        example("peterson.dve").explore().assert_holds()


def test_a_result_as_a_dictionary(broken: mule.Result) -> None:
    told = broken.to_dict()
    assert (told["model"], told["verdict"], told["states"]) == ("broken_mutex", "violated", broken.states)


# properties and keywords ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keywords",
    [
        {"invariant": "turn < 2"},
        {"invariant": ["turn < 2"]},
        {"invariants": "turn < 2"},
        {"invariants": ("turn < 2",)},
        {"invariant": (text for text in ["turn < 2"])},
    ],
)
def test_one_text_or_several(keywords: dict[str, Any]) -> None:
    assert "invariant turn < 2" in example("peterson.dve").check(**keywords).properties


def test_claims_by_either_word() -> None:
    text = "byte x; active proctype P() { x = 1 } ltl one { <> (x == 1) } ltl two { [] (x == 0) }"
    system = mule.loads(text, "promela")
    assert system.check(claim="one").holds
    assert system.check(claims=["two"]).violated


@pytest.mark.parametrize(
    ("keywords", "answer"),
    [
        ({"max_state": 3}, r"check\(\) has no keyword max_state: did you mean max_states\?"),
        ({"reduction": "beam"}, r"no keyword reduction: did you mean por\?"),
        ({"timeout": 3}, r"no keyword timeout: did you mean time\?"),
        ({"invarient": "x"}, r"no keyword invarient: did you mean invariant\?"),
        ({"colour": "red"}, r"no keyword colour: it takes deadlock, assertions, invariant, "),
        ({"por": "best"}, "unknown por 'best': choose one of auto, none, ample"),
        ({"time": "5"}, "time is a number of seconds, not '5'"),
        ({"memory": "4G"}, "memory is a number of bytes, not '4G'"),
        ({"max_states": 1.5}, r"max_states is a whole number, not 1\.5"),
        ({"weak": "yes"}, "weak is True or False, not 'yes'"),
        ({"deadlock": "no"}, "deadlock is True or False, not 'no'"),
        ({"invariant": 3}, "invariant takes a text or a sequence of texts, not 3"),
        ({"invariant": len}, r"functions belong to the system, System\(…, invariants=\[…\]\)"),
        ({"ctl": b"AG x"}, "ctl takes a text"),
    ],
)
def test_wrong_keywords_and_values_are_answered_with_the_right_ones(keywords: dict[str, Any], answer: str) -> None:
    with pytest.raises(mule.MuleError, match=answer):
        example("peterson.dve").check(**keywords)


def test_a_wrong_keyword_is_a_type_error_too() -> None:
    with pytest.raises(TypeError, match="colour"):
        example("peterson.dve").explore(colour="red")
    with pytest.raises(TypeError, match=r"say what it is, check\(invariant=…\)"):
        example("peterson.dve").check("turn < 2")
    with pytest.raises(TypeError, match="no keyword por"):
        example("peterson.dve").compare(por="beam")
    with pytest.raises(mule.MuleError, match="choose one of deadlocks, safety, ltl, ctl"):
        example("peterson.dve").explore(preserve="all")  # type: ignore[arg-type]


def test_functions_of_systems_are_not_functions_of_the_module() -> None:
    with pytest.raises(AttributeError, match=r"write mule\.load\(FILE\)\.check\(…\)"):
        mule.check  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mule.nothing  # noqa: B018


def test_a_missing_file_is_missing_in_python_s_words_too() -> None:
    with pytest.raises(FileNotFoundError, match=r"^no\.pml: there is no such file$") as error:
        mule.load("no.pml")
    assert isinstance(error.value, mule.MuleError)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        mule.load_graph("no.mule-graph")


# every system ---------------------------------------------------------------------------------------------------------


class Counter(processes.Shared):
    value: int = 0


def of_processes() -> Described:
    counter = Counter()

    async def worker() -> None:
        value = counter.value
        await processes.pause()
        counter.value = value + 1

    def bounded() -> bool:
        return counter.value <= 2

    return processes.System([worker(), worker()], invariants=bounded)


class Ping(actors.Message):
    pass


class Sink(actors.Process):
    got: bool = False

    @actors.on(Ping)
    def take(self, ping: Ping) -> None:
        self.got = True


class Source(actors.Process):
    sink: Sink
    sent: bool = False

    @actors.step(when=lambda self: not self.sent)
    def ping(self) -> None:
        self.sent = True
        actors.send(self.sink, Ping())


def of_actors() -> Described:
    sink = Sink()
    return actors.System([Source(sink=sink), sink], propositions={"got": lambda: sink.got}, ltl="<> got", name="ping")


def of_a_file() -> mule.System:
    return example("peterson.dve")


@pytest.mark.parametrize("make", [of_processes, of_actors, of_a_file])
def test_everything_can_be_asked_of_every_system(make: Callable[[], mule.System | Described]) -> None:
    system = make()
    system.check(deadlock=True, assertions=True).assert_holds()
    assert system.explore(por="none").states == system.compare()[0].states
    assert str(system.compare()).startswith(f"{system.model.name}: reductions that preserve deadlocks\n")
    assert system.validate().holds
    assert str(system.validate()).startswith("✓ valid")
    assert "transitions" in system.show()
    assert str(system.relations()).startswith(f"{system.model.name}: ")
    run = system.simulate(seed=1, steps=3)
    assert [step.number for step in run] == [1, 2, 3][: len(run.steps)]
    for printed in (system, system.compare(), system.validate(), system.relations(), run):
        assert "\n" not in repr(printed)


def test_systems_in_python_say_who_is_in_them() -> None:
    assert repr(of_processes()) == "<System system: worker 1, worker 2>"
    assert repr(of_actors()) == "<System ping: source, sink>"
    assert of_actors().check(claim="<> got").violated is False
    with pytest.raises(mule.MuleError, match="an invariant of a system is a function, and 'x' is none"):
        actors.System([Sink()], invariants=["x"])  # type: ignore[list-item]


def test_simulated_steps_are_told_like_those_of_trails() -> None:
    steps = list(example("broken_mutex.dve").simulate(seed=3))
    assert [(step.process, step.changes) for step in steps][2] == ("left", {"locked": (0, 1)})
    assert steps[2].state["left"] == "critical"
    assert steps[2].source is not None
    assert steps[2].source.line == 16


def test_a_simulated_run_can_be_looked_at_again_and_printed() -> None:
    run = example("broken_mutex.dve").simulate(seed=3, steps=2)
    assert [step.number for step in run] == [step.number for step in run] == [1, 2]
    assert "? stopped after 2 steps" in str(run)
    assert example("broken_mutex.dve").simulate(seed=3).ending is None
    drawn = example("broken_mutex.dve").simulate()
    assert str(example("broken_mutex.dve").simulate(seed=drawn.seed)) == str(drawn)


# models in Python and their modules -----------------------------------------------------------------------------------

MODEL = """
from mule.processes import Shared, System, pause
from {helper} import LIMIT

class Counter(Shared):
    value: int = 0

def system():
    counter = Counter()
    async def worker():
        counter.value = LIMIT
        await pause()
    return System([worker()], invariants={{"small": lambda: counter.value < 5}})
"""


def model_in(folder: Path, limit: int, helper: str = "limits_of_model") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{helper}.py").write_text(f"LIMIT = {limit}\n")
    path = folder / "model.py"
    path.write_text(MODEL.format(helper=helper))
    return path


def test_a_second_load_sees_what_changed(tmp_path: Path) -> None:
    path = model_in(tmp_path, 3)
    first = mule.load(path)
    assert first.check().holds
    model_in(tmp_path, 7)
    assert mule.load(path).check().violated
    assert first.check().holds
    path.write_text(path.read_text().replace("< 5", "< 9"))
    assert mule.load(path).check().holds


def test_models_in_two_folders_have_helpers_of_one_name(tmp_path: Path) -> None:
    small, large = model_in(tmp_path / "a", 3), model_in(tmp_path / "b", 7)
    assert [mule.load(path).check().holds for path in (small, large, small)] == [True, False, True]


def test_what_the_program_has_imported_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = ModuleType("limits_of_model")
    monkeypatch.setitem(sys.modules, "limits_of_model", mine)
    path = list(sys.path)
    assert mule.load(model_in(tmp_path, 3)).check().holds
    assert sys.modules["limits_of_model"] is mine
    assert sys.path == path


# the module -----------------------------------------------------------------------------------------------------------


def test_all_names_are_there() -> None:
    for name in mule.__all__:
        assert getattr(mule, name) is not None
    assert set(mule.__all__) <= set(dir(mule))


def test_importing_mule_imports_little() -> None:
    code = "import sys, mule; print(*sorted(m for m in sys.modules if m.startswith(('mule', 'rich', 'llvmlite'))))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert found == ["mule", "mule.api", "mule.checkable", "mule.errors", "mule.keywords"]


@pytest.mark.parametrize("name", ["mule", "mule.api", "mule.checkable", "mule.results", "mule.trails.trail"])
def test_the_examples_in_docstrings_are_true(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_page_about_python_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert found.attempted > 0
    assert found.failed == 0
