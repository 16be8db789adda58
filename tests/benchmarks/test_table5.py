from __future__ import annotations

import json
from pathlib import Path

import pytest

from mule.benchmarks.table5 import run
from tests.benchmarks.corpora import printed

TOGGLES = "process A { state x, y; init x; trans x -> y { }; }\nprocess B { state x, y; init x; trans x -> y { }; }\n"
"""Four states; reductions keep three of them."""
SEED = {"ample": 75, "beam_noh_nonds": 75, "beam_h_nonds": 75, "beam_h_nds": 75}


def toggles(folder: Path, ltsmin_states: int | None) -> Path:
    models = folder / "models" / "dve"
    models.mkdir(parents=True)
    (models / "toggles.dve").write_text(TOGGLES + "system async;\n")
    facts = {"model": "toggles", "file": "toggles.dve", "seed_table5_percent": SEED}
    (models / "expected.json").write_text(json.dumps([facts]))
    if ltsmin_states is not None:
        kept = {"states": ltsmin_states, "transitions": ltsmin_states}
        (folder / "peers").mkdir()
        rows = [{"model": "toggles", "language": "dve", "beam": kept, "deletion": None}]
        (folder / "peers" / "ltsmin.json").write_text(json.dumps({"rows": rows}))
    return models


@pytest.mark.parametrize(
    ("ltsmin_states", "said"),
    [
        (3, "1 of 1 rows: our best strong algorithm keeps no more states than LTSmin's better one, and no larger"),
        (2, "0 of 1 rows: our best strong algorithm keeps no more states than LTSmin's better one, and no larger"),
        (None, "column; there are no figures of LTSmin to compare with."),
    ],
)
def test_only_what_is_known_of_ltsmin_is_compared(tmp_path: Path, ltsmin_states: int | None, said: str) -> None:
    status, text = printed(run, toggles(tmp_path, ltsmin_states))
    assert status == 0
    assert said in " ".join(text.split())
    assert ("toggles: LTSmin keeps 2 states, we 3" in " ".join(text.split())) == (ltsmin_states == 2)
