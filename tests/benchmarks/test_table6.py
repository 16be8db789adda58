from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mule.benchmarks.corpus import ltsmin_rows
from mule.benchmarks.promela_corpus import promela_entries
from mule.benchmarks.seed003 import TABLE_6, TABLES_2_TO_4, VARIANTS
from mule.benchmarks.table6 import RACES, run
from mule.checking import explore
from mule.errors import MuleError
from mule.frontends import load
from mule.options import Options
from tests.benchmarks.corpora import COUNTER, corpus, facts, printed, spin_search
from tests.promela.corpus import CORPUS, needs_corpus

pytestmark = pytest.mark.corpus


def small2(tmp_path: Path, ltsmin_states: int, spin_states: int) -> Path:
    """A tiny model under a name of Table 6; its full state space has 73 states, reductions keep at most 17."""
    row = {"model": "relay/SMALL2", "language": "promela", "beam": _kept(ltsmin_states), "deletion": _kept(1000)}
    figures = facts(full=spin_search(73, 129), por=spin_search(spin_states, spin_states))
    return corpus(tmp_path, {"relay/SMALL2": (COUNTER, figures)}, [row])


def _kept(states: int) -> dict[str, Any]:
    return {"states": states, "transitions": states}


def test_rows_are_won_by_keeping_fewer_states(tmp_path: Path) -> None:
    status, text = printed(run, small2(tmp_path, ltsmin_states=17, spin_states=18))
    assert status == 0
    assert "LOST" not in text
    for race in RACES:
        assert f"{race.title}: {'fewer' if race.strictly else 'no more'} states than {race.peer} in 1 of 1" in text


def test_rows_are_lost_by_keeping_more_states(tmp_path: Path) -> None:
    status, text = printed(run, small2(tmp_path, ltsmin_states=1, spin_states=1))
    assert status == 0
    assert text.count("LOST") == len(RACES)
    assert "relay/SMALL2: LTSmin keeps 1 states, we " in text
    assert "relay/SMALL2: SPIN keeps 1 states, we " in text


def test_a_folder_without_the_models_of_the_table(tmp_path: Path) -> None:
    models = corpus(tmp_path, {"other.pml": (COUNTER, facts())}, [])
    with pytest.raises(MuleError, match="none of the models of the seed's Table 6"):
        printed(run, models)


def test_the_seed_s_tables_are_whole() -> None:
    assert (len(TABLE_6), len(TABLES_2_TO_4)) == (16, 11)
    for measured in TABLES_2_TO_4.values():
        assert len(measured.percent) == len(measured.rate) == len(VARIANTS)
        assert len(measured.branching) == 1 + len(VARIANTS)


@needs_corpus
def test_the_corpus_has_all_models_of_the_tables() -> None:
    names = {entry.name for entry in promela_entries(CORPUS)}
    assert {*TABLE_6, *TABLES_2_TO_4} <= names
    assert set(TABLE_6) <= set(ltsmin_rows(CORPUS, "promela"))


@needs_corpus
@pytest.mark.parametrize("file", ["Tests/peterson3", "relay/SMALL2", "x509/X.509.prm"])
def test_auto_keeps_no_more_states_than_ltsmin_and_fewer_than_spin(file: str) -> None:
    model = load(str(CORPUS / file), "promela")
    peer = ltsmin_rows(CORPUS, "promela")[file]
    [entry] = [entry for entry in promela_entries(CORPUS) if entry.name == file]
    assert entry.ample is not None
    kept = explore(model, Options(), "deadlocks").statistics.states
    assert kept <= min(peer["beam"]["states"], peer["deletion"]["states"])
    assert explore(model, Options(), "safety").statistics.states < entry.ample.states


def test_peers_figures_are_optional(tmp_path: Path) -> None:
    models = small2(tmp_path, ltsmin_states=17, spin_states=18)
    (tmp_path / "peers" / "ltsmin.json").unlink()
    assert ltsmin_rows(models, "promela") == {}
    assert "auto, preserving deadlocks: no more states than LTSmin in 0 of 0 models" in printed(run, models)[1]


def test_figures_of_another_language_are_refused(tmp_path: Path) -> None:
    (tmp_path / "expected.json").write_text(json.dumps([{"file": "x.dve"}]))
    with pytest.raises(MuleError, match="expected an object with the figures of Promela models"):
        printed(run, tmp_path)
