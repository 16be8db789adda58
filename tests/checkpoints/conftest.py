from __future__ import annotations

from pathlib import Path

import pytest

import mule
from tests.checkpoints.killed import model
from tests.checkpoints.runs import FULL


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counters.dve"
    path.write_text(model(3, 6, 3))
    return path


@pytest.fixture
def stopped(file: Path, tmp_path: Path) -> Path:
    """A run that waits to be resumed."""
    directory = tmp_path / "run"
    found = mule.load(file).explore(**FULL, checkpoint=str(directory), max_states=300)
    assert found.stopped == "states"
    return directory
