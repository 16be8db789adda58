"""The tests ask for counts and verdicts, not for SPIN's speed: its verifiers may be compiled fast."""

from __future__ import annotations

import pytest

from mule.benchmarks import spin
from tests.compile_pan import COMPILERS


@pytest.fixture(autouse=True)
def quick_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin, "COMPILER", tuple(COMPILERS[0]))
