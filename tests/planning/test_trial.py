"""Large models with few states: the trial without reduction says what the reduced search says."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.checking import check
from mule.frontends import load
from mule.model import Model
from mule.options import Fairness, Options
from mule.planning import trial
from mule.properties import Properties
from mule.results import Result, Verdict

PROGRAM = """
byte x, y; chan c = [2] of {{ byte }};
active [2] proctype P() {{ byte i; do :: i < 3 -> c!i; i++ :: i == 3 -> break od; atomic {{ x++; y = x }} }}
active proctype Q() {{ byte v; do :: c?v -> assert(v < {limit}) :: x == 2 && empty(c) -> break od }}
ltl both {{ <> (x == 2) }}
ltl three {{ <> (x == {limit}) }}
"""


def model_of(tmp_path: Path, limit: int) -> Model:
    path = tmp_path / "m.pml"
    path.write_text(PROGRAM.format(limit=limit))
    return load(str(path))


def judged(model: Model, options: Options, **wanted: object) -> Result:
    return check(model, Properties(**wanted), options)  # type: ignore[arg-type]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LARGE", 0)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("limit", [2, 3])
@pytest.mark.parametrize(
    "wanted", [{"deadlock": True, "assertions": True}, {"claims": ("both",)}, {"claims": ("three",)}]
)
def test_the_verdict_is_that_of_the_reduced_search(tmp_path: Path, limit: int, wanted: dict[str, object]) -> None:
    model = model_of(tmp_path, limit)
    tried, reduced = judged(model, Options(), **wanted), judged(model, Options(por="deletion"), **wanted)
    assert (tried.options.por, reduced.options.por) == ("none", "deletion")
    assert trial.NOTE in tried.notes
    assert tried.verdict is reduced.verdict
    assert [violation.kind for violation in tried.violations] == [violation.kind for violation in reduced.violations]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("fairness", ["weak", "strong"])
@pytest.mark.parametrize("claim", ["both", "three"])
def test_fair_runs_are_tried_without_reduction_too(tmp_path: Path, fairness: Fairness, claim: str) -> None:
    model = model_of(tmp_path, 3)
    tried = judged(model, Options(fairness=fairness), claims=(claim,))
    reduced = judged(model, Options(fairness=fairness, por="deletion"), claims=(claim,))
    assert (tried.options.por, reduced.options.por) == ("none", "deletion")
    assert tried.options.fairness == fairness
    assert tried.verdict is reduced.verdict


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("wanted", [{"deadlock": True, "assertions": True}, {"claims": ("both",)}])
def test_a_trial_that_is_given_up_is_followed_by_a_reduced_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, object]
) -> None:
    monkeypatch.setattr(trial, "FEW_STATES", 3)
    result = judged(model_of(tmp_path, 3), Options(), **wanted)
    assert (result.verdict, result.options.por) == (Verdict.HOLDS, "deletion")
    assert trial.NOTE not in result.notes


def test_small_models_and_those_with_wishes_have_no_trial(tmp_path: Path) -> None:
    model = model_of(tmp_path, 3)
    assert not trial.is_large(model)
    assert not trial.worth_a_trial(model, Options())


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "asked",
    [Options(por="beam"), Options(weak=True), Options(proviso="stack-"), Options(nds=True), Options(fairness="F")],
)
def test_who_asks_for_a_reduction_or_needs_its_relations_gets_it(tmp_path: Path, asked: Options) -> None:
    assert not trial.worth_a_trial(model_of(tmp_path, 3), asked)
