"""Twins in DVE and Promela, written for these tests: Mule's counts against an installed SPIN's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mule.benchmarks import spin
from mule.checking import explore
from mule.frontends.dve import load
from mule.options import Options

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("spin") is None or shutil.which("gcc") is None, reason="SPIN or gcc is not installed"
    ),
]

LOCK = (
    """
    byte flag[2];
    byte turn;
    process A { state idle, want, wait, in; init idle; trans
      idle -> want { effect flag[0] = 1; }, want -> wait { effect turn = 1; },
      wait -> in { guard flag[1] == 0 or turn == 0; }, in -> idle { effect flag[0] = 0; }; }
    process B { state idle, want, wait, in; init idle; trans
      idle -> want { effect flag[1] = 1; }, want -> wait { effect turn = 0; },
      wait -> in { guard flag[0] == 0 or turn == 1; }, in -> idle { effect flag[1] = 0; }; }
    system async;
    """,
    """
    byte flag[2]; byte turn;
    active proctype A() { do :: flag[0] = 1; turn = 1; (flag[1] == 0 || turn == 0); flag[0] = 0 od }
    active proctype B() { do :: flag[1] = 1; turn = 0; (flag[0] == 0 || turn == 1); flag[1] = 0 od }
    """,
)

BUFFER = (
    """
    channel {byte} c[3];
    process P { byte i; state run; init run; trans run -> run { sync c!i; effect i = (i + 1) % 4; }; }
    process Q { byte j; state run; init run; trans run -> run { sync c?j; }; }
    system async;
    """,
    """
    chan c = [3] of { byte };
    active proctype P() { byte i; do :: d_step { nfull(c) -> c!i; i = (i + 1) % 4 } od }
    active proctype Q() { byte j; do :: c?j od }
    """,
)


@pytest.mark.parametrize("twins", [LOCK, BUFFER], ids=["lock", "buffer"])
def test_twins_have_as_many_states_in_both_tools(twins: tuple[str, str], tmp_path: Path) -> None:
    dve, promela = twins
    file = tmp_path / "twin.pml"
    file.write_text(promela)
    ours = explore(load(dve, "twin.dve"), Options(por="none", as_written=True)).statistics
    assert ours.states == spin.verify(file).states
