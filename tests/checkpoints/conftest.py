from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoints.killed import model
from tests.checkpoints.runs import stopped_run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counters.dve"
    path.write_text(model(3, 6, 3))
    return path


@pytest.fixture
def stopped(file: Path, tmp_path: Path) -> Path:
    return stopped_run(file, tmp_path / "run")
