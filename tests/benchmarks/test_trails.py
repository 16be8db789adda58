"""The benchmarks about trails, on corpora of our own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mule.benchmarks import promela_trails, shortening
from tests.benchmarks.corpora import COUNTER, corpus, facts, printed

pytestmark = pytest.mark.slow

DETOUR = "byte x; active proctype P() { do :: x < 9 -> x++ :: x == 0 -> x = 9 :: x == 9 -> break od; assert(false) }\n"
DVE = """
byte x;
process P { state a, b; init a;
trans a -> a { guard x < 20; effect x = x + 1; }, a -> b { guard x > 2; }; }
system async;
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shortening, "OWN", ())
    monkeypatch.setattr(promela_trails, "OWN", ())
    home = corpus(tmp_path, {"detour.pml": (DETOUR, facts("assertion violated")), "c.pml": (COUNTER, facts())}, [])
    beem = home.parent / "dve"
    beem.mkdir()
    (beem / "p.1.dve").write_text(DVE)
    question = {"answer": "yes", "length": 5, "expression": "P.b"}
    (beem / "expected.json").write_text(
        json.dumps([{"model": "p.1", "file": "p.1.dve", "states": 36, "reachability": [question]}])
    )
    return home


def test_shortened_trails_stand_beside_the_shortest_ones(models: Path) -> None:
    status, text = printed(shortening.run, models.parent / "dve")
    assert status == 0
    lines = text.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["p.1", "detour.pml"]
    assert "2 trails; as short as breadth-first search's in 2 of 2, proven in 2 of all." in text


@pytest.mark.skipif(not (shutil.which("spin") and shutil.which("gcc")), reason="SPIN or gcc is not installed")
def test_trails_are_compared_with_those_of_spin(models: Path) -> None:
    status, text = printed(promela_trails.run, models)
    assert status == 0
    assert "A*: median length 4 against 4" in text
    assert "c.pml" not in text
