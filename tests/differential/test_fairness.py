"""Process justice as SPIN's `pan -f` has it, on programs of our own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import mule
from tests.compile_pan import compile_pan

pytestmark = pytest.mark.slow

needs_spin = pytest.mark.skipif(shutil.which("spin") is None or shutil.which("gcc") is None, reason="spin is not here")

SPINNING = """
bool q; bit x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { q = 1 }
ltl p { <>q }
"""
TOGGLED = """
bool q; bit x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { x == 1 -> q = 1 }
ltl p { <>q }
"""
RENDEZVOUS = """
chan c = [0] of { bit };
bool q;
active proctype A() { do :: c!0 od }
active proctype B() { do :: c?_ od }
active proctype C() { c?_; q = 1 }
ltl p { <>q }
"""
ONE_RECEIVER = """
chan c = [0] of { bit };
bool q; bit x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { c!1 }
active proctype C() { c?_; q = 1 }
ltl p { <>q }
"""
BUFFERED = """
chan c = [2] of { bit };
bool got; bit last;
active proctype sender() { do :: c!0 :: c!1 od }
active proctype receiver() { do :: c?last -> got = 1; got = 0 od }
ltl p { []<>got }
"""
SEMAPHORE = """
bool free = 1; byte inside;
active [2] proctype P() { do :: atomic { free -> free = 0 } inside = _pid + 1; inside = 0; free = 1 od }
ltl p { []<>(inside == 2) }
"""
PETERSON = """
bool wish[2]; byte turn; byte inside;
active [2] proctype P() {
  do ::
    wish[_pid] = 1; turn = 1 - _pid;
    (!wish[1 - _pid] || turn == _pid);
    inside = _pid + 1; inside = 0;
    wish[_pid] = 0
  od
}
ltl p { []<>(inside == 1) && []<>(inside == 2) }
"""
CREATED = """
bool q; bit x;
proctype child() { q = 1 }
active proctype A() { do :: x = 1 - x od }
init { run child() }
ltl p { <>q }
"""
MAYBE_CREATED = """
bool q; byte made;
proctype child() { q = 1 }
init { do :: made < 1 -> made++; run child() :: true -> skip od }
ltl p { <>q }
"""
TWO_WHO_CALL = """
bit a, b; bool heard;
active proctype first() { do :: a = 1; a = 0 od }
active proctype second() { do :: b = 1; b = 0 od }
active proctype hears() { (a || b) -> heard = 1 }
ltl p { <>heard }
"""
ELSE = """
bit x, y; bool q;
active proctype A() { do :: x = 1 - x od }
active proctype B() { do :: x == 1 -> y = 1 - y :: else -> q = 1 od }
ltl p { <>q }
"""
EITHER = """
bit a, b, x;
active proctype A() { do :: a = 1 - a od }
active proctype B() { do :: b = 1 - b od }
active proctype C() { do :: x = 1 - x od }
ltl p { ([]<>(a == 1)) && ([]<>(b == 1) || <>(a == 1)) }
"""
PROGRAMS = {name.lower(): text for name, text in globals().items() if name.isupper() and isinstance(text, str)}
EXPECTED = {"spinning", "one_receiver", "buffered", "peterson", "created", "either"}
"""Those whose property holds for all just runs."""


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("por", ["none", "ample", "closure", "beam", "deletion"])
@pytest.mark.parametrize("proviso", ["auto", "static"])
def test_verdicts(name: str, por: str, proviso: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.pml"
    file.write_text(PROGRAMS[name])
    if por == "none":
        proviso = "auto"  # nothing is reduced
    result = mule.load(str(file)).check(claims=["p"], por=por, fairness="weak", proviso=proviso)
    assert result.verdict.value == ("holds" if name in EXPECTED else "violated")


@needs_spin
@pytest.mark.parametrize("name", PROGRAMS)
def test_spin_says_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.pml").write_text(PROGRAMS[name])
    subprocess.run(["spin", "-a", "x.pml"], cwd=tmp_path, check=True, capture_output=True)
    compile_pan(tmp_path, "-DNOREDUCE", "-DNFAIR=4").check_returncode()
    out = subprocess.run(["./pan", "-a", "-f"], cwd=tmp_path, check=False, capture_output=True, text=True).stdout
    errors = re.search(r"errors: (\d+)", out)
    assert errors is not None
    assert (int(errors[1]) == 0) == (name in EXPECTED)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "spinning.pml"
    file.write_text(SPINNING)
    system = mule.load(str(file))
    with pytest.raises(mule.MuleError, match="c3prime"):
        system.check(claims="p", fairness="weak", proviso="c3prime")
    with pytest.raises(mule.MuleError, match="fair runs"):
        system.check(claims="p", visibility="fair")


def test_a_conjunction_is_checked_part_by_part(tmp_path: Path) -> None:
    """The second part fails, and its run is one that the whole does not allow."""
    file = tmp_path / "toggled.pml"
    file.write_text(TOGGLED)
    result = mule.load(str(file)).check(ltl="[]<>(x == 1) && <>q", fairness="weak")
    assert result.verdict.value == "violated"
    assert "this fair run" in result.violations[0].message
