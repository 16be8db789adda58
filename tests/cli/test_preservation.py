"""Each reduction preserves what is asked, or is refused with the way out: on every path to a search."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import mule as api
from mule.errors import MuleError
from mule.options import Kept, Por
from mule.preservation import PRESERVES
from tests.cli.conftest import Mule
from tests.graph.archives import edited, header_of

TWO_WRITERS = """
byte x, y;
process A { state s, t; init s; trans s -> t { effect x = 1; }; }
process B { state s, t; init s; trans s -> t { effect y = 1; }; }
system async;
"""
VIOLATED_CTL = "A[(y == 0) W (x == 1)]"
VIOLATED_LTL = "(y == 0) W (x == 1)"
RELATIONS = """
from mule.lpor import LporRelations


class Nothing(LporRelations):
    def __init__(self, model):
        pass

    def dep(self, t1, t):
        return False

    def can_enable(self, t1, t):
        return False
"""

UNFIT = {
    "--por lpor": ["--por", "lpor"],
    "--por lpor, --no-net": ["--por", "lpor", "--no-net"],
    "--por dpor": ["--por", "dpor"],
    "--por dpor-classic": ["--por", "dpor-classic"],
    "--stateless": ["--stateless"],
    "--lpor": ["--lpor", "relations.py:Nothing"],
}
EVERY: tuple[Por, ...] = get_args(Por)
FIT = tuple(por for por in EVERY if "ctl" in PRESERVES[por])


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("relations.py").write_text(RELATIONS)
    Path("writers.dve").write_text(TWO_WRITERS)
    return "writers.dve"


def test_every_reduction_is_known() -> None:
    assert set(PRESERVES) == set(EVERY)
    assert set(EVERY) - set(FIT) == {"lpor", "dpor", "dpor-classic"}


@pytest.mark.parametrize("name", UNFIT)
@pytest.mark.parametrize("asked", [["--ctl", VIOLATED_CTL], ["--ltl", VIOLATED_LTL], ["--ctl", "EX (x == 1)"]])
def test_an_unfit_reduction_is_refused_by_check(mule: Mule, model: str, name: str, asked: list[str]) -> None:
    run = mule("check", model, *asked, *UNFIT[name])
    assert (run.status, run.out) == (2, "")
    assert f"but not {asked[0][2:].upper()}: leave out {name.partition(',')[0]}" in run.err


@pytest.mark.parametrize("name", UNFIT)
@pytest.mark.parametrize("kept", get_args(Kept))
def test_an_unfit_reduction_is_refused_by_explore(mule: Mule, model: str, name: str, kept: str) -> None:
    run = mule("explore", model, "--preserve", kept, "--observe", "x == 1", "--save", "graph", *UNFIT[name])
    assert (run.status, run.out) == (2, "")
    assert f"but not {kept.upper()}: leave out {name.partition(',')[0]}" in run.err
    assert not Path("graph").exists()


@pytest.mark.parametrize("por", FIT)
def test_a_fit_reduction_finds_the_violation(mule: Mule, model: str, por: str) -> None:
    assert mule("check", model, "--ctl", VIOLATED_CTL, "--por", por).status == 1
    assert mule("check", model, "--ltl", VIOLATED_LTL, "--por", por).status == 1
    mule("explore", model, "--preserve", "ctl", "--ctl", VIOLATED_CTL, "--por", por, "--save", "graph")
    assert mule("check", "graph", "--ctl", VIOLATED_CTL, "--ltl", VIOLATED_LTL).out.count("✗ temporal") == 2


def test_the_python_interface_refuses_too(model: str) -> None:
    system = api.load(model)
    for por in set(EVERY) - set(FIT):
        with pytest.raises(MuleError, match="but not CTL"):
            system.check(ctl=VIOLATED_CTL, por=por)
        with pytest.raises(MuleError, match="but not LTL"):
            system.check(ltl=VIOLATED_LTL, por=por)
        with pytest.raises(MuleError, match="but not LTL"):
            system.explore(preserve="ltl", observe=["x == 1"], por=por)


def test_a_graph_that_lost_answers_is_not_read(mule: Mule, model: str) -> None:
    mule("explore", model, "--preserve", "ctl", "--ctl", VIOLATED_CTL, "--por", "deletion", "--save", "graph")
    edited("graph", options={**header_of("graph")["options"], "por": "lpor"})  # type: ignore[dict-item]
    run = mule("check", "graph", "--ctl", VIOLATED_CTL)
    assert run.status == 2
    assert "reduced by lpor, which loses answers: explore it again" in run.err
