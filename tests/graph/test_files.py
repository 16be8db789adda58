"""Graphs in files: what is saved is read again, and what was damaged or has changed is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import mule
from mule.graph import load_graph
from mule.model.data import decoded, encoded
from mule.model.recipe import fingerprint
from mule.records import replace
from mule.results import Verdict
from tests.graph.archives import edited, header_of, parts_of, rewritten

PETERSON = Path(__file__).parents[2] / "examples" / "peterson.dve"
OBSERVED = ("left.critical", "right.critical")
ONE_AT_A_TIME = "AG !(left.critical && right.critical)"


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = str(tmp_path / "peterson.mule-graph")
    mule.load(str(PETERSON)).explore(preserve="ctl", observe=OBSERVED, save=path)
    return path


def test_a_graph_is_read_as_it_was_saved(saved: str) -> None:
    graph = load_graph(saved)
    assert [each.text for each in graph.observed] == list(OBSERVED)
    assert (graph.preserves, graph.native.states, graph.model.name) == ("ctl", 20, "peterson")
    assert graph.statistics.states == 20


def test_formulas_on_a_saved_graph(saved: str) -> None:
    graph = mule.load_graph(saved)
    result = graph.check(ltl=["[]<> left.critical", "[] !(left.critical && right.critical)"], ctl=[ONE_AT_A_TIME])
    assert result.verdict is Verdict.VIOLATED
    assert [violation.property for violation in result.violations] == ["[]<> left.critical"]
    assert len(result.holding) == 2
    assert graph.check(ctl="AG EF not left.critical").verdict is Verdict.HOLDS


def test_the_file_is_enough(tmp_path: Path) -> None:
    copy = tmp_path / "copy.dve"
    copy.write_text(PETERSON.read_text())
    path = str(tmp_path / "graph")
    mule.load(str(copy)).explore(preserve="ltl", observe=OBSERVED, save=path)
    copy.unlink()
    [violation] = mule.load_graph(path).check(ltl="<> left.critical").violations
    assert violation.trail.loop is not None


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ({"ctl": "AG EF left.waiting"}, "does not observe left.waiting: it observes left.critical, right.critical"),
        ({"ltl": "[] left.waiting"}, "does not observe"),
        ({"ctl": "AG EX left.critical"}, "counts steps .EX, AX., and this graph was reduced"),
        ({"ltl": "[] X left.critical"}, "counts steps, and this graph was reduced"),
        ({"ctl": "AG left.foo"}, "formula:1:9: process left has no state foo"),
        ({}, "say what to check"),
    ],
)
def test_what_a_graph_cannot_answer(saved: str, formula: dict[str, str], message: str) -> None:
    with pytest.raises(mule.MuleError, match=message):
        mule.load_graph(saved).check(**formula)


def test_a_graph_for_linear_time_answers_no_ctl(tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    mule.load(str(PETERSON)).explore(preserve="ltl", observe=OBSERVED, save=path)
    with pytest.raises(
        mule.MuleError, match=r"preserves LTL only, and .* is in CTL: explore again with --preserve ctl"
    ):
        mule.load_graph(path).check(ctl=ONE_AT_A_TIME)


def test_a_full_graph_answers_everything(tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    mule.load(str(PETERSON)).explore(preserve="ltl", observe=OBSERVED, save=path, por="none")
    result = mule.load_graph(path).check(ctl=["AG EX true", ONE_AT_A_TIME], ltl="X !left.critical")
    assert result.verdict is Verdict.HOLDS


def test_a_model_that_has_changed_is_refused(saved: str) -> None:
    edited(saved, fingerprint="0" * 32)
    with pytest.raises(mule.MuleError, match="no longer the model that this graph was made from"):
        mule.load_graph(saved)


def test_other_versions_are_refused(saved: str) -> None:
    edited(saved, version=99)
    with pytest.raises(mule.MuleError, match="another version"):
        mule.load_graph(saved)


def test_damaged_files_are_refused(saved: str, tmp_path: Path) -> None:
    whole = Path(saved).read_bytes()
    for damaged in (whole[: len(whole) // 2], whole.replace(b"PK\x01\x02", b"PK\x01\x03", 1), b"PK"):
        path = tmp_path / "damaged"
        path.write_bytes(damaged)
        with pytest.raises(mule.MuleError, match="damaged"):
            mule.load_graph(str(path))


@pytest.mark.parametrize("array", ["targets", "offsets", "letters"])
def test_arrays_that_are_no_graph_are_refused(saved: str, array: str) -> None:
    with zipfile.ZipFile(saved) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(saved, "w") as archive:
        for name, data in parts.items():
            archive.writestr(
                name,
                b"\xff" * len(data) if name == array and array != "letters" else data[8:] if name == array else data,
            )
    with pytest.raises(mule.MuleError, match="damaged"):
        mule.load_graph(saved)


def test_graphs_need_a_file_and_propositions() -> None:
    system = mule.load(str(PETERSON))
    with pytest.raises(mule.MuleError, match="need preserve="):
        system.explore(observe=OBSERVED)
    with pytest.raises(mule.MuleError, match="read from a file"):
        mule.System(replace(system.model, source=None)).explore(preserve="ctl", observe=OBSERVED, save="graph")
    with pytest.raises(mule.MuleError, match="use --proviso auto or stack or static"):
        system.explore(preserve="ctl", observe=OBSERVED, proviso="stack-")
    with pytest.raises(mule.MuleError, match="31 at most"):
        system.explore(preserve="ctl", observe=[f"turn == {number}" for number in range(40)])


# graphs of programs


EXAMPLES = PETERSON.parent
PROGRAMS = [
    ("dining_philosophers.py", ("table.eating[0]", "table.eating[1]"), "AG not (table.eating[0] and table.eating[1])"),
    ("dining_philosophers.py", ("table.eating[0]",), "AF table.eating[0]"),
    ("register.py", ("writer.writing", "reader.reading"), "AG (writer.writing -> AF reader.reading)"),
    ("register.py", ("writer.timestamp==0",), "AG EF writer.timestamp == 0"),
]


@pytest.mark.parametrize(("name", "observed", "formula"), PROGRAMS)
def test_the_graph_of_a_program_answers_as_the_program_does(
    name: str, observed: tuple[str, ...], formula: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "graph")
    system = mule.load(str(EXAMPLES / name))
    system.explore(preserve="ctl", observe=observed, save=path)
    expected, found = system.check(ctl=formula), mule.load_graph(path).check(ctl=formula)
    assert found.verdict is expected.verdict
    assert list(map(str, found.violations)) == list(map(str, expected.violations))


def test_the_graph_of_a_program_knows_what_it_observes_and_no_more(tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    mule.load(str(EXAMPLES / "register.py")).explore(preserve="ctl", observe=["writer.writing"], save=path)
    with pytest.raises(mule.MuleError, match=r"does not observe reader\.reading"):
        mule.load_graph(path).check(ctl="AG reader.reading")


def test_a_model_is_the_same_after_it_was_data() -> None:
    for path in sorted(EXAMPLES.glob("*.*")):
        if path.suffix in (".py", ".dve", ".pml", ".pnml"):
            model = mule.load(str(path)).model
            again = decoded(json.loads(json.dumps(encoded(model))))
            assert fingerprint(again) == fingerprint(model), path.name


@pytest.mark.parametrize(
    "table",
    [
        [],
        {},
        ["x"],
        [["exec"]],
        [["tuple", 0]],
        [["tuple", 1]],
        [1, ["Constant", True]],
        ["x", ["Constant", 0]],
        [1, ["Constant", 0, 0]],
        [1, ["Constant", 0], "+", *(["Binary", 2, 1 if n == 0 else n + 2, 1 if n == 0 else n + 2] for n in range(40))],
        ["FOREVER", ["Role", 0]],
    ],
)
def test_data_that_is_no_model(table: object) -> None:
    with pytest.raises((ValueError, KeyError)):
        _, _ = decoded(table)


def test_a_graph_of_another_model(tmp_path: Path) -> None:
    """A checksum does not show who made it: trails are followed in the model, and what does not fit is refused."""
    path = str(tmp_path / "graph")
    mule.load(str(EXAMPLES / "lost_update.py")).explore(preserve="ctl", observe=["counter.value == 1"], save=path)
    rewritten(path, outcomes=b"\x07" * len(parts_of(path)["outcomes"]))
    edited(path)
    with pytest.raises(mule.MuleError, match="not one of its model"):
        mule.load_graph(path).check(ltl="[] not (counter.value == 1)")


def test_a_graph_with_steps_that_its_model_does_not_have(tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    mule.load(str(EXAMPLES / "lost_update.py")).explore(preserve="ctl", observe=["counter.value == 1"], save=path)
    rewritten(path, transitions=b"\x70" * len(parts_of(path)["transitions"]))
    edited(path)
    with pytest.raises(mule.MuleError, match="not one of its model"):
        mule.load_graph(path).check(ltl="[] not (counter.value == 1)")


@pytest.mark.parametrize("change", [{"deep": True}, {"widened": [["x"]]}])
def test_a_graph_whose_model_cannot_be_what_it_says(tmp_path: Path, change: dict[str, object]) -> None:
    path = str(tmp_path / "graph")
    mule.load(str(EXAMPLES / "peterson.dve")).explore(preserve="ctl", observe=["left.critical"], save=path)
    source = header_of(path)["source"]
    assert isinstance(source, dict)
    edited(path, source=source | change)
    with pytest.raises(mule.MuleError, match="the model in this graph cannot be read"):
        mule.load_graph(path)
