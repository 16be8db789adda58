"""Long runs are kept by what changes in them, and are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mule.results
from mule.checking import check
from mule.frontends import load, load_text
from mule.report.json import result_object
from mule.results import replay
from mule.trails.compact import WHOLE, States, Steps

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = """int n; byte a[7]; byte b;
process P { state s; init s; trans s -> s { guard n < 700; effect a[n % 7] = a[n % 7] + 1, n = n + 1; },
    s -> s { guard n == 700; effect b = 1 / b; }; }
system async;"""


def test_every_state_and_step_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_text(LONG, "m.dve")
    choices = [(0, 0)] * 700
    plain = replay(model, choices)
    monkeypatch.setattr(mule.results, "LARGE", 0)
    compact = replay(model, choices)
    assert isinstance(compact.states, States)
    assert isinstance(compact.taken, Steps)
    assert compact == plain
    assert len(compact.states) > 2 * WHOLE
    for number in (0, 700, 1, 699, WHOLE, WHOLE - 1, 3 * WHOLE // 2, -1, -701):
        assert compact.states[number] == plain.states[number]
        assert compact.states[-number:][:3] == plain.states[-number:][:3]
    for number in (0, 699, 300, 299, -1):
        assert compact.taken[number] == plain.taken[number]
    assert compact.taken[5:9] == plain.taken[5:9]
    with pytest.raises(IndexError):
        compact.states[701]


@pytest.mark.parametrize("name", ["broken_mutex.dve", "lost_update.py", "mailbox.pml"])
def test_reports_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(EXAMPLES / name, defines=["bug=1"] if name == "lost_update.py" else [])
    plain = result_object(check(model))
    monkeypatch.setattr(mule.results, "LARGE", 0)
    compact = result_object(check(model))
    assert json.dumps(compact["violations"]) == json.dumps(plain["violations"])


def test_a_step_that_fails_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.results, "LARGE", 0)
    (violation,) = check(load_text(LONG, "m.dve")).violations
    trail = violation.trail
    assert (len(trail), trail.taken[-1].failure is None) == (701, False)
    assert trail.taken[-1].target == trail.states[-1]
