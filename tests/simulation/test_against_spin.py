"""What a program with one process prints is what it prints in SPIN."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.simulation.programs import mule, written

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("spin") is None, reason="SPIN is not installed")]

PROGRAMS = {
    "conversions": """
        mtype = { red, green };
        init { int x = -5; byte b = 65; mtype m = green; short s = 300;
            printf("hello\\n"); printf("%d %u %x %o %c|%e\\n", x, x, 255, 8, b, m);
            printm(m); printf("\\ttab %d%%\\n", s); printf("%x %o\\n", x, x) }""",
    "atomic": """
        init { int x; atomic { x = 3; printf("x %d\\n", x); x++; printf("x %d\\n", x) }
            d_step { x = 7; printf("y %d\\n", x); x = x * 2 } printf("%d\\n", x) }""",
    "loops": """
        init { int x; do :: x < 10 -> x++; printf("%d ", x) :: else -> break od; printf("\\n");
            for (x : 3 .. 6) { printf("<%d>", x) } printf("\\n") }""",
    "wrapping": """
        init { byte b = 250; short s = 32767; int i = 2147483647; bit t = 3;
            b = b + 10; s++; i++; printf("%d %d %d %d\\n", b, s, i, t) }""",
    "channels": """
        chan c = [3] of { byte, mtype }; mtype = { a, b };
        init { byte x; mtype m; c!1(a); c!2(b); printf("%d\\n", len(c));
            c?x(m); printf("%d %e\\n", x, m); c??x(m); printf("%d %e %d\\n", x, m, len(c)) }""",
    "inline and arrays": """
        int a[4]; inline tell(i) { printf("a[%d] = %d\\n", i, a[i]) }
        init { int k; do :: k < 4 -> a[k] = k * k - 7 / (k + 1); tell(k); k++ :: else -> break od }""",
    "processes one after the other": """
        proctype P(int n) { printf("P %d\\n", n) }
        init { run P(1); (_nr_pr == 1) -> run P(2); (_nr_pr == 1) -> printf("%d\\n", _nr_pr) }""",
    "long atomic loop": """
        init { int x, y; atomic { do :: x < 200 -> x++; y = y + x :: else -> break od; printf("%d\\n", y) } }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_output(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAMS[name])
    spin = subprocess.run(["spin", "-T", path], capture_output=True, text=True, cwd=tmp_path)
    *lines, created = spin.stdout.splitlines(keepends=True)
    assert "created" in created
    printed = [line for line in lines if "truncated in assignment" not in line]
    run = mule(path, "--quiet", "--steps", "0")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "".join(printed)
